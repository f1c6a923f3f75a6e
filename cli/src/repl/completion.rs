//! What a half-typed word can become: commands behind a colon at the start, else names and selectors. When
//! the receiver in front is a class or a variable, only what it understands.

use std::collections::BTreeSet;

use tally_compiler::session;
use tally_vm::{ClassId, Value, Vm};

use super::commands::{COMMANDS, argument_of};
use super::evaluator::Evaluator;

const RESERVED: [&str; 6] = ["self", "super", "nil", "true", "false", "thisContext"];

/// Where the word before the cursor begins, and what it can become.
pub(super) fn complete(evaluator: &Evaluator, text: &str) -> (usize, Vec<String>) {
    if let Some(command) = text.trim_start().strip_prefix(':')
        && command.chars().all(|c| c.is_ascii_alphabetic())
    {
        let names = COMMANDS.iter().map(|known| known.name);
        let candidates = names.filter(|name| name.starts_with(command));
        let start = text.len() - command.len();
        return (start, candidates.map(|name| format!("{name} ")).collect());
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_part(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    let (before, word) = text.split_at(start);
    // `:x` behind `[` is a block's argument, not a word.
    if word.is_empty() || word.starts_with(|c: char| c == ':' || c.is_ascii_digit()) {
        return (start, Vec::new());
    }
    let vm = &evaluator.program.vm;
    // A command's name in front is no receiver.
    let before = argument_of(before);
    let known: BTreeSet<String> = match receiver(before) {
        Some(Receiver::Named(name)) => match class_of(evaluator, name) {
            Some(class) => selectors_of(vm, class),
            None => vm.implemented_selectors().into_iter().collect(),
        },
        Some(Receiver::NewInstance(name)) if vm.find_class(name).is_some() => {
            let class = vm.find_class(name);
            class
                .map(|class| selectors_of(vm, class))
                .unwrap_or_default()
        }
        Some(Receiver::NewInstance(_) | Receiver::Other) => {
            vm.implemented_selectors().into_iter().collect()
        }
        None => names(evaluator),
    };
    let candidates = known.into_iter().filter(|name| name.starts_with(word));
    (start, candidates.collect())
}

/// What stands before the word, if the word is a message to it.
enum Receiver<'t> {
    Named(&'t str),
    /// Of the class that is named.
    NewInstance(&'t str),
    Other,
}

fn receiver(before: &str) -> Option<Receiver<'_>> {
    let before = before.trim_end();
    let last = before.chars().next_back()?;
    let ends_operand = last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '}' | '\'');
    if last == ';' {
        return Some(Receiver::Other);
    }
    if !ends_operand {
        return None;
    }
    let (rest, word) = last_word(before);
    if word == "new" {
        let (rest, class) = last_word(rest);
        if !class.is_empty() && begins_expression(rest) {
            return Some(Receiver::NewInstance(class));
        }
    }
    // Behind another operand the word is a unary message, whose answer is not known.
    Some(if begins_expression(rest) && !word.is_empty() {
        Receiver::Named(word)
    } else {
        Receiver::Other
    })
}

/// The last word of a text, and what stands before it.
fn last_word(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    let length: usize = text
        .chars()
        .rev()
        .take_while(is_part)
        .map(char::len_utf8)
        .sum();
    text.split_at(text.len() - length)
}

/// Whether an expression can begin behind the text.
fn begins_expression(text: &str) -> bool {
    let text = text.trim_end();
    text.is_empty() || text.ends_with(['.', '[', '(', '{', '=', '^', '|', ':', '+'])
}

/// The class whose methods a variable's value has.
fn class_of(evaluator: &Evaluator, name: &str) -> Option<ClassId> {
    let vm = &evaluator.program.vm;
    let value: Value = match vm.global_value(name) {
        Some(value) => value,
        None if evaluator.session.keeps(name) => vm.variable_value(&session::variable(name))?,
        None => return None,
    };
    Some(vm.class_of(value))
}

fn selectors_of(vm: &Vm, class: ClassId) -> BTreeSet<String> {
    let mut selectors = BTreeSet::new();
    let mut at = Some(class);
    while let Some(id) = at {
        let row = vm.class(id);
        let own = row.methods.selectors().iter();
        selectors.extend(own.map(|&symbol| vm.symbol_text(symbol).to_string()));
        at = row.superclass;
    }
    selectors
}

fn names(evaluator: &Evaluator) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = evaluator.program.vm.global_names().into_iter().collect();
    names.extend(evaluator.session.variables().cloned());
    names.extend(RESERVED.map(str::to_string));
    names
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::grammar::{Arguments, Command};
    use crate::program;
    use tally_workbench::ProgramOutput;

    fn evaluator() -> Evaluator {
        let arguments = Arguments::try_parse_from(["tally", "repl"]);
        let Ok(Command::Repl(repl)) = arguments.map(|arguments| arguments.command) else {
            panic!("tally repl is not understood");
        };
        let program = program::load(
            &[],
            None,
            &[],
            &repl.machine.settings(),
            ProgramOutput::Error,
        );
        let evaluator = program.and_then(|program| Evaluator::new(program, None));
        evaluator.unwrap_or_else(|failure| panic!("no session: {failure:?}"))
    }

    #[test]
    fn words_become_what_fits_their_place() {
        let mut evaluator = evaluator();
        let defined = evaluator.evaluate(
            "test",
            "Object subclass: Foo [ zorkOne [ ] ] Foo class extend [ zorkTwo [ ] ] zappa := Foo new. 1",
        );
        assert!(defined.is_ok());
        for (text, start, expected) in [
            (":prof", 1, vec!["profile "]),
            ("  zap", 2, vec!["zappa"]),
            ("x := zap", 5, vec!["zappa"]),
            ("zappa zor", 6, vec!["zorkOne"]),
            ("Foo zor", 4, vec!["zorkTwo"]),
            ("Foo new zor", 8, vec!["zorkOne"]),
            ("zappa foo zor", 10, vec!["zorkOne", "zorkTwo"]),
            ("[ :zap", 2, vec![]),
            ("größe zor", 8, vec!["zorkOne", "zorkTwo"]),
            ("", 0, vec![]),
            ("3 ", 2, vec![]),
            (":cost zap", 6, vec!["zappa"]),
        ] {
            let (found, candidates) = complete(&evaluator, text);
            assert_eq!(
                (found, candidates),
                (start, expected.into_iter().map(str::to_string).collect()),
                "{text:?}"
            );
        }
    }
}
