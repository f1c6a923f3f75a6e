//! Programs of the small language as Smalltalk.

use std::fmt::Write as _;

use super::language::{Condition, End, Method, Name, Operand, Program, Send, Statement};

const FIELDS: [&str; 3] = ["a", "b", "c"];
const PARAMETERS: [&str; 2] = ["p", "q"];

/// The program as a script.
pub fn source(program: &Program) -> String {
    let mut out = String::new();
    let reachable = reachable(program);
    for (class, methods) in program.classes.iter().enumerate() {
        let _ = writeln!(out, "Object subclass: C{class} [");
        out.push_str("    | a b c n |\n");
        out.push_str("    a: x b: y c: z n: k [ a := x. b := y. c := z. n := k ]\n");
        out.push_str("    n [ ^n ]\n    nothing [ ]\n");
        for (selector, method) in methods.iter().enumerate() {
            if !reachable[selector] {
                continue;
            }
            let arity = program.selectors[selector].arity;
            let printer = Printer { program };
            out.push_str(&printer.method(selector, arity, method));
        }
        out.push_str("]\n");
    }
    out.push_str(&script(program));
    out
}

/// Which selectors the program can send, from the first on.
fn reachable(program: &Program) -> Vec<bool> {
    let mut reachable = vec![false; program.selectors.len()];
    reachable[0] = true;
    for selector in 0..reachable.len() {
        if reachable[selector] {
            for class in &program.classes {
                sent(&class[selector]).for_each(|name| reachable[name] = true);
            }
        }
    }
    reachable
}

/// The selectors of the program in a method. They have greater numbers than its own.
fn sent(method: &Method) -> impl Iterator<Item = usize> {
    let statements = method.body.iter().filter_map(|statement| match statement {
        Statement::Discard(send)
        | Statement::Keep(send)
        | Statement::Guard(send)
        | Statement::Await(send, _)
        | Statement::Future(send) => Some(*send),
        _ => None,
    });
    let end = match method.end {
        End::Fail(send) => Some(send),
        _ => None,
    };
    let condition = method.condition.map(|condition| condition.query);
    let sends = statements.chain(end).chain(condition);
    sends.filter_map(|send| match send.name {
        Name::Made(selector) => Some(selector),
        _ => None,
    })
}

fn script(program: &Program) -> String {
    let names: Vec<String> = (0..program.nodes.len()).map(|i| format!("x{i}")).collect();
    let mut out = format!("| {} |\n", names.join(" "));
    for (number, node) in program.nodes.iter().enumerate().skip(1) {
        let _ = writeln!(out, "x{number} := C{} separate new.", node.class);
    }
    let _ = writeln!(out, "x0 := C{} new.", program.nodes[0].class);
    for (number, node) in program.nodes.iter().enumerate() {
        let [a, b, c] = node.fields;
        let _ = writeln!(
            out,
            "x{number} a: x{a} b: x{b} c: x{c} n: {}.",
            node.counter
        );
    }
    out.push_str("x0 m0.\n");
    out
}

struct Printer<'p> {
    program: &'p Program,
}

impl Printer<'_> {
    fn method(&self, selector: usize, arity: usize, method: &Method) -> String {
        let mut out = format!(
            "    {} [",
            keywords(selector, arity, &PARAMETERS.map(String::from))
        );
        if method.is_scope {
            out.push_str(" <separate>");
        }
        out.push_str(" | v t f |");
        if let Some(condition) = &method.condition {
            let _ = write!(out, " {}.", self.condition(condition));
        }
        out.push_str(" t := self.");
        for statement in &method.body {
            let _ = write!(out, "\n        {}.", self.statement(statement));
        }
        out.push_str(&match &method.end {
            End::Command => String::new(),
            End::Counter => " ^n".to_string(),
            End::Divide => " ^1 / 0".to_string(),
            End::Fail(send) => format!(" ^{}", self.send(send)),
        });
        out.push_str(" ]\n");
        out
    }

    fn condition(&self, condition: &Condition) -> String {
        let query = self.send(&condition.query);
        format!("self require: [({query}) > {}]", condition.limit)
    }

    fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Repeat(count) => format!("{count} timesRepeat: []"),
            Statement::Add(number) => format!("n := n + {number}"),
            Statement::Discard(send) => self.send(send),
            Statement::Keep(send) => format!("v := {}", self.send(send)),
            Statement::Guard(send) => {
                let send = self.send(send);
                guarded(format!("v := {send}"), true)
            }
            Statement::Await(send, is_guarded) => {
                guarded(self.send_through("await ", send), *is_guarded)
            }
            Statement::Future(send) => format!("f := {}", self.send_through("future ", send)),
            Statement::Value(is_guarded) => guarded("v := f value".to_string(), *is_guarded),
            Statement::Make {
                class,
                fields,
                counter,
            } => {
                let [a, b, c] = fields.map(|field| operand(&field));
                format!("t := C{class} separate new.\n        t a: {a} b: {b} c: {c} n: {counter}")
            }
            Statement::Sleep(milliseconds) => {
                format!("(Delay forMilliseconds: {milliseconds}) wait")
            }
            Statement::Show(digit) => format!("Transcript show: '{digit}'"),
        }
    }

    fn send(&self, send: &Send) -> String {
        self.send_through("", send)
    }

    /// A message to what `through` answers of its receiver.
    fn send_through(&self, through: &str, send: &Send) -> String {
        let receiver = operand(&send.receiver);
        match send.name {
            Name::Counter => format!("{receiver} {through}n"),
            Name::Nothing => format!("{receiver} {through}nothing"),
            Name::Made(selector) => {
                let arity = self.program.selectors[selector].arity;
                let arguments = send.arguments.map(|argument| operand(&argument));
                format!(
                    "{receiver} {through}{}",
                    keywords(selector, arity, &arguments)
                )
            }
        }
    }
}

/// The expression, below a handler if that is true.
fn guarded(expression: String, is_guarded: bool) -> String {
    match is_guarded {
        true => format!("[{expression}] on: Error do: [:e | v := 0]"),
        false => expression,
    }
}

/// The selector with its arguments or parameters.
fn keywords(selector: usize, arity: usize, operands: &[String; 2]) -> String {
    match arity {
        0 => format!("m{selector}"),
        1 => format!("m{selector}: {}", operands[0]),
        _ => format!("m{selector}: {} with: {}", operands[0], operands[1]),
    }
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Me => "self".to_string(),
        Operand::Field(number) => FIELDS[*number].to_string(),
        Operand::Parameter(number) => PARAMETERS[*number].to_string(),
        Operand::Temporary => "t".to_string(),
    }
}
