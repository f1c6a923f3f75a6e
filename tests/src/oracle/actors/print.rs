//! Abstract programs as Smalltalk.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::language::{Class, Expression, Made, Operator, Place, Program, Statement, Test};

/// The program as a script.
pub fn source(program: &Program) -> String {
    let mut out = String::new();
    for (number, class) in program.classes.iter().enumerate() {
        out.push_str(&definition(program, number, class));
    }
    out.push_str(&script(program));
    out
}

fn definition(program: &Program, number: usize, class: &Class) -> String {
    let mut out = format!("Actor subclass: C{number} [\n");
    let variables = variables(class);
    if !variables.is_empty() {
        let _ = writeln!(out, "    | {} |", variables.join(" "));
        let parts = variables.iter().map(|name| format!("{name}: {name}Given"));
        let sets = variables
            .iter()
            .map(|name| format!("{name} := {name}Given"));
        let parts: Vec<String> = parts.collect();
        let sets: Vec<String> = sets.collect();
        let _ = writeln!(out, "    {} [ {} ]", parts.join(" "), sets.join(". "));
    }
    for (selector, method) in class.methods.iter().enumerate() {
        let Some(method) = method else {
            continue;
        };
        let shape = program.selectors[selector];
        let parameters = (0..shape.integers).map(|n| format!("n{n}"));
        let parameters = parameters.chain((0..shape.addresses).map(|n| format!("y{n}")));
        let head = keywords(selector, parameters.collect());
        let _ = write!(out, "    {head} [");
        let mut temporaries = Vec::new();
        collect_temporaries(&method.body, &mut temporaries);
        if !temporaries.is_empty() {
            let _ = write!(out, "\n        | {} |", temporaries.join(" "));
        }
        let _ = write!(out, "\n        self turnCost: {}.", method.cost);
        out.push_str(&body(&method.body, 8));
        out.push_str(" ]\n");
    }
    out.push_str("]\n");
    out
}

fn variables(class: &Class) -> Vec<String> {
    let integers = (0..class.integers).map(|n| format!("i{n}"));
    let addresses = (0..class.addresses).map(|n| format!("x{n}"));
    integers.chain(addresses).collect()
}

fn collect_temporaries(body: &[Statement], found: &mut Vec<String>) {
    for statement in body {
        match statement {
            Statement::Spawn(temporary, _) => found.push(format!("t{temporary}")),
            Statement::If(_, then, otherwise) => {
                collect_temporaries(then, found);
                collect_temporaries(otherwise, found);
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
}

/// Statements, each on a line of its own.
fn body(statements: &[Statement], indent: usize) -> String {
    let line = |statement| format!("\n{:indent$}{}.", "", self::statement(statement, indent));
    statements.iter().map(line).collect()
}

fn statement(statement: &Statement, indent: usize) -> String {
    match statement {
        Statement::Send {
            target,
            selector,
            integers,
            addresses,
        } => {
            let integers = integers.iter().map(expression);
            let arguments = integers.chain(addresses.iter().map(argument)).collect();
            format!("{} tell {}", place(target), keywords(*selector, arguments))
        }
        Statement::Spawn(temporary, made) => format!("t{temporary} := {} spawn", behaviour(made)),
        Statement::BehaveAs(made) => format!("self behaveAs: {}", behaviour(made)),
        Statement::SetInteger(variable, value) => format!("i{variable} := {}", expression(value)),
        Statement::SetAddress(variable, value) => format!("x{variable} := {}", place(value)),
        Statement::If(condition, then, otherwise) => {
            let inside = indent + 4;
            format!(
                "{} ifTrue: [{}] ifFalse: [{}]",
                test(condition),
                body(then, inside),
                body(otherwise, inside)
            )
        }
        Statement::Output(value) => format!("self output: {}", expression(value)),
        Statement::Dispose => "self dispose".to_string(),
        Statement::Fail => "self error: 'no'".to_string(),
    }
}

/// A new behaviour; an operand.
fn behaviour(made: &Made) -> String {
    let integers = made.integers.iter().map(expression).collect();
    let addresses = made.addresses.iter().map(place).collect();
    instance(made.class, integers, addresses)
}

fn instance(class: usize, integers: Vec<String>, addresses: Vec<String>) -> String {
    match assignments(integers, addresses) {
        Some(message) => format!("(C{class} new {message})"),
        None => format!("C{class} new"),
    }
}

/// The message that sets all variables, if there are any.
fn assignments(integers: Vec<String>, addresses: Vec<String>) -> Option<String> {
    let integers = integers.iter().enumerate();
    let integers = integers.map(|(n, value)| format!("i{n}: {value}"));
    let addresses = addresses.iter().enumerate();
    let addresses = addresses.map(|(n, value)| format!("x{n}: {value}"));
    let parts: Vec<String> = integers.chain(addresses).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The selector with its arguments or parameters.
fn keywords(selector: usize, operands: Vec<String>) -> String {
    match operands.is_empty() {
        true => format!("m{selector}"),
        false => format!("m{selector}: {}", operands.join(" with: ")),
    }
}

fn place(place: &Place) -> String {
    match place {
        Place::Me => "self address".to_string(),
        Place::Variable(number) => format!("x{number}"),
        Place::Parameter(number) => format!("y{number}"),
        Place::Temporary(number) => format!("t{number}"),
    }
}

/// An address in a message: `self` travels as its address.
fn argument(argument: &Place) -> String {
    match argument {
        Place::Me => "self".to_string(),
        other => place(other),
    }
}

fn expression(expression: &Expression) -> String {
    match expression {
        Expression::Constant(value) => value.to_string(),
        Expression::Variable(number) => format!("i{number}"),
        Expression::Parameter(number) => format!("n{number}"),
        Expression::Binary(left, operator, right) => {
            let operator = match operator {
                Operator::Add => "+",
                Operator::Subtract => "-",
                Operator::Multiply => "*",
                Operator::Divide => "//",
                Operator::Remainder => "\\\\",
            };
            format!(
                "({} {operator} {})",
                self::expression(left),
                self::expression(right)
            )
        }
    }
}

fn test(test: &Test) -> String {
    let comparison = match test.comparison {
        Ordering::Less => "<",
        Ordering::Equal => "=",
        Ordering::Greater => ">",
    };
    let (left, right) = (expression(&test.left), expression(&test.right));
    format!("{left} {comparison} {right}")
}

/// The script: actors in their order, then messages. A behaviour that refers to itself or to a later actor is completed
/// after all are spawned.
fn script(program: &Program) -> String {
    let actors = program.actors.iter().enumerate();
    let is_early = |number: usize| {
        program.actors[number]
            .addresses
            .iter()
            .any(|a| *a >= number)
    };
    let early = actors.clone().filter(|(number, _)| is_early(*number));
    let mut names: Vec<String> = actors.clone().map(|(n, _)| format!("a{n}")).collect();
    names.extend(early.clone().map(|(number, _)| format!("b{number}")));
    let mut out = format!("| {} |\n", names.join(" "));
    let addresses = |of: &[usize]| of.iter().map(|a| format!("a{a}")).collect::<Vec<_>>();
    let integers = |of: &[i64]| of.iter().map(i64::to_string).collect::<Vec<_>>();
    for (number, actor) in actors {
        let class = actor.class;
        let made = match is_early(number) {
            true => format!("(b{number} := C{class} new)"),
            false => instance(
                class,
                integers(&actor.integers),
                addresses(&actor.addresses),
            ),
        };
        let _ = writeln!(out, "a{number} := {made} spawn.");
    }
    for (number, actor) in early {
        let set = assignments(integers(&actor.integers), addresses(&actor.addresses));
        let _ = writeln!(out, "b{number} {}.", set.unwrap_or_default());
    }
    for message in &program.messages {
        let mut operands = integers(&message.integers);
        operands.extend(addresses(&message.addresses));
        let message_text = keywords(message.selector, operands);
        let _ = writeln!(out, "a{} tell {message_text}.", message.target);
    }
    out
}
