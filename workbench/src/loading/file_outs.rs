//! File-outs initialise their classes themselves: a message such as `Foo initialize` stands among their chunks.

use std::collections::HashSet;
use std::sync::Arc;

use tally_vm::bytecode::{Definition, Unit};

use super::reading::Source;

/// The names of the classes that file-outs define. Such a class does not get another `initialize` of its package.
pub(super) fn classes(loaded: &[(Source, Arc<Unit>)]) -> HashSet<String> {
    let file_outs = loaded
        .iter()
        .filter(|(source, _)| is_file_out(&source.text));
    let definitions = file_outs.flat_map(|(_, unit)| &unit.definitions);
    let names = definitions.filter_map(|definition| match definition {
        Definition::Class(class) => Some(class.name.clone()),
        _ => None,
    });
    names.collect()
}

fn is_file_out(text: &str) -> bool {
    tally_compiler::is_file_out(text) && !tally_compiler::is_tonel(text)
}
