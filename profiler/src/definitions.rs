//! Digests of compiled methods, and the definitions in a source. A digest excludes locations in the text and the method's
//! own selector. So it recognises a method that was renamed, moved or edited in its comment only.

use std::collections::BTreeMap;
use std::sync::Arc;

use tally_vm::bytecode::{
    self, ClassDefinition, Code, MethodDefinition, Op, Pragma, Site, Span, Unit, Word,
};

use crate::sources::{Definition, DefinitionKind};

/// Pragmas that say something to readers alone.
const REMARKS: [&str; 2] = ["comment:", "category:"];

/// Digest of a method's compiled code, without its selector: a send of the method's own selector has the same digest
/// under any name. A script's digest excludes its definitions.
pub fn code_digest(code: &Code) -> u64 {
    let without_place = |site: &Site| Site {
        selector: match site.selector == code.selector {
            true => String::new(),
            false => site.selector.clone(),
        },
        span: Span::default(),
        selector_span: Span::default(),
        discarded: site.discarded,
    };
    let matters = |pragma: &&Pragma| !REMARKS.contains(&pragma.selector.as_str());
    let mut blocks = code.blocks.clone();
    blocks
        .iter_mut()
        .for_each(|block| block.span = Span::default());
    digest_of(&Code {
        selector: String::new(),
        words: without_definitions(&code.words),
        sites: code.sites.iter().map(without_place).collect(),
        blocks,
        pragmas: code.pragmas.iter().filter(matters).cloned().collect(),
        span: Span::default(),
        digest: 0,
        ..code.clone()
    })
}

fn digest_of(value: &impl serde::Serialize) -> u64 {
    // Nothing in it can fail to be written: it has no maps and no foreign types.
    let bytes = postcard::to_allocvec(value).unwrap_or_default();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The instructions without definitions, because the numbers of definitions depend on the rest of the file.
fn without_definitions(words: &[u64]) -> Vec<u64> {
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let op = Word(word).op();
        let end = (at + op.map_or(1, Op::width)).min(words.len());
        match op {
            Some(Op::Define) => {}
            Some(op @ Op::Evaluate) => {
                let whole = Word(word);
                kept.push(Word::new(op, whole.a(), whole.b(), whole.c(), 0).0);
                kept.extend(&words[at + 1..end]);
            }
            _ => kept.extend(&words[at..end]),
        }
        at = end;
    }
    kept
}

/// The messages that stand in some code, sorted, each once.
pub fn sends(code: &Code) -> Vec<String> {
    let mut sends: Vec<String> = code.sites.iter().map(|s| s.selector.clone()).collect();
    sends.sort_unstable();
    sends.dedup();
    sends
}

/// Everything that units define, by kind and name, the units in the order in which they are loaded.
pub fn definitions(units: &[Arc<Unit>]) -> Vec<Definition> {
    let mut found = Found::default();
    for unit in units {
        found.add_unit(unit);
    }
    found.definitions.into_values().collect()
}

#[derive(Default)]
struct Found {
    definitions: BTreeMap<(DefinitionKind, String), Definition>,
}

impl Found {
    fn add_unit(&mut self, unit: &Unit) {
        let lines = Lines::of(&unit.source);
        if does_something(&unit.script) {
            let script = of_code(unit, &lines, DefinitionKind::Script, &unit.script);
            self.add(script, unit.name.clone());
        }
        let mut evaluations = 0;
        for definition in &unit.definitions {
            match definition {
                bytecode::Definition::Class(class) => {
                    self.add(of_class(unit, &lines, class), class.name.clone());
                    self.add_methods(unit, &lines, &class.methods);
                }
                bytecode::Definition::Extension { class, methods, .. } => {
                    if let Some(shape) = of_extension(unit, &lines, definition) {
                        self.add(shape, class.clone());
                    }
                    self.add_methods(unit, &lines, methods);
                }
                bytecode::Definition::Evaluation { code, .. } => {
                    evaluations += 1;
                    let name = format!("{}#{evaluations}", unit.name);
                    let evaluation = of_code(unit, &lines, DefinitionKind::Script, code);
                    self.add(evaluation, name);
                }
            }
        }
    }

    fn add_methods(&mut self, unit: &Unit, lines: &Lines, methods: &[MethodDefinition]) {
        for method in methods {
            let side = if method.class_side { " class" } else { "" };
            let name = format!("{}{side}>>{}", method.class, method.code.selector);
            self.add(
                of_code(unit, lines, DefinitionKind::Method, &method.code),
                name,
            );
        }
    }

    /// A definition that is replaced later may have been executed before, so both count.
    fn add(&mut self, mut definition: Definition, name: String) {
        definition.name.clone_from(&name);
        let key = (definition.kind, name);
        let Some(earlier) = self.definitions.get_mut(&key) else {
            self.definitions.insert(key, definition);
            return;
        };
        earlier.digest = digest_of(&(earlier.digest, definition.digest));
        earlier.code = digest_of(&(earlier.code, definition.code));
        earlier.is_silent |= definition.is_silent;
        earlier.sends.extend(definition.sends);
        earlier.sends.sort_unstable();
        earlier.sends.dedup();
        (earlier.file, earlier.line) = (definition.file, definition.line);
    }
}

/// Whether a script does more than to define.
fn does_something(code: &Code) -> bool {
    let is_nothing = |op: Op| matches!(op, Op::LoadNil | Op::Return | Op::Move);
    !code.sites.is_empty()
        || !code.blocks.is_empty()
        || !without_definitions(&code.words)
            .iter()
            .all(|&word| Word(word).op().is_some_and(is_nothing))
}

fn of_code(unit: &Unit, lines: &Lines, kind: DefinitionKind, code: &Code) -> Definition {
    Definition {
        name: String::new(),
        kind,
        file: unit.name.clone(),
        line: lines.of_offset(code.span),
        digest: code.digest,
        code: code_digest(code),
        is_silent: code.quick.is_some() || code.primitive.is_some(),
        sends: sends(code),
    }
}

fn of_class(unit: &Unit, lines: &Lines, class: &ClassDefinition) -> Definition {
    let shape = ClassDefinition {
        category: String::new(),
        comment: String::new(),
        methods: Vec::new(),
        span: Span::default(),
        ..class.clone()
    };
    shape_definition(unit, lines, class.span, digest_of(&shape))
}

/// An extension's part of its class's shape; an extension with methods only has none.
fn of_extension(
    unit: &Unit,
    lines: &Lines,
    definition: &bytecode::Definition,
) -> Option<Definition> {
    let bytecode::Definition::Extension {
        instance_variables,
        class_instance_variables,
        class_variables,
        span,
        ..
    } = definition
    else {
        return None;
    };
    let variables = [
        instance_variables,
        class_instance_variables,
        class_variables,
    ];
    let is_there = variables.iter().any(|names| !names.is_empty());
    is_there.then(|| shape_definition(unit, lines, *span, digest_of(&variables)))
}

fn shape_definition(unit: &Unit, lines: &Lines, span: Span, digest: u64) -> Definition {
    Definition {
        name: String::new(),
        kind: DefinitionKind::Class,
        file: unit.name.clone(),
        line: lines.of_offset(span),
        digest,
        code: digest,
        is_silent: true,
        sends: Vec::new(),
    }
}

/// The starts of lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// The line, from 1, on which a place begins.
    fn of_offset(&self, span: Span) -> usize {
        let start = span.start as usize;
        self.0.partition_point(|&line| line <= start) + 1
    }
}
