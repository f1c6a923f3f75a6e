//! What a half-typed word can become: commands behind a colon at the start, else names and selectors. When
//! the receiver in front is a class or a variable, only what it understands.

use std::collections::BTreeSet;

use tally_compiler::session;
use tally_vm::{ClassId, Value, Vm};

use super::commands::COMMANDS;
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
    let known: BTreeSet<String> = match receiver(before) {
        Some(Receiver::Named(name)) => match class_of(evaluator, name) {
            Some(class) => selectors_of(vm, class),
            None => vm.implemented_selectors().into_iter().collect(),
        },
        Some(Receiver::Other) => vm.implemented_selectors().into_iter().collect(),
        None => names(evaluator),
    };
    let candidates = known.into_iter().filter(|name| name.starts_with(word));
    (start, candidates.collect())
}

/// What stands before the word, if the word is a message to it.
enum Receiver<'t> {
    Named(&'t str),
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
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
        .last()
        .map_or(before.len(), |(at, _)| at);
    let word = &before[start..];
    // Behind another operand the word is a unary message, whose answer is not known.
    let rest = before[..start].trim_end();
    let is_first = rest.is_empty() || rest.ends_with(['.', '[', '(', '{', '=', '^', '|', ':', '+']);
    Some(if is_first && !word.is_empty() {
        Receiver::Named(word)
    } else {
        Receiver::Other
    })
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
