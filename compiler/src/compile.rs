//! Source texts to units: runs the stages one after the other and collects their diagnostics. Diagnostics are not
//! printed here, and units do not run here.

use std::sync::Arc;

use tally_vm::bytecode::{Span, Unit};

use crate::diagnostics::Diagnostic;
use crate::emit::ShortCuts;
use crate::environment::Environment;
use crate::notation::Notation;
use crate::resolve::left_out::LeftOut;
use crate::resolve::{Parsed, Resolved, Session, Task};
use crate::syntax::{self, ast, som};
use crate::{emit, resolve};

/// The result of compiling a source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The unit; `None` if a diagnostic is an error.
    pub unit: Option<Unit>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The definitions with errors, if the unit does without them.
    pub left_out: Vec<LeftOut>,
}

impl Compiled {
    /// No unit.
    pub(crate) fn nothing(diagnostics: Vec<Diagnostic>) -> Compiled {
        Compiled {
            unit: None,
            diagnostics,
            left_out: Vec::new(),
        }
    }
}

/// A source text.
#[derive(Clone, Copy, Debug)]
pub struct Text<'s> {
    /// The name of the file.
    pub name: &'s str,
    /// The text.
    pub source: &'s str,
    /// Whether definitions that do not compile are left out. Otherwise one of them leaves the whole file without a unit.
    pub forgives: bool,
}

/// Compiles a source file, whose name is `name`, for a world.
pub fn compile(name: &str, source: &str, environment: &dyn Environment) -> Compiled {
    let mut all = compile_all(&[(name, source)], environment);
    all.pop().unwrap_or(Compiled::nothing(Vec::new()))
}

/// Compiles files, pairs of a name and a source text, that may mention each other's classes. The units come in the
/// order of the files.
pub fn compile_all(files: &[(&str, &str)], environment: &dyn Environment) -> Vec<Compiled> {
    let texts: Vec<Text<'_>> = files
        .iter()
        .map(|&(name, source)| Text {
            name,
            source,
            forgives: false,
        })
        .collect();
    compile_texts(&texts, environment)
}

/// The same for texts that may do without some of their definitions.
pub fn compile_texts(texts: &[Text<'_>], environment: &dyn Environment) -> Vec<Compiled> {
    compile_texts_in(Notation::Tally, texts, environment)
}

/// The same for texts in a notation.
pub fn compile_texts_in(
    notation: Notation,
    texts: &[Text<'_>],
    environment: &dyn Environment,
) -> Vec<Compiled> {
    let mut trees = Vec::with_capacity(texts.len());
    let mut found = Vec::with_capacity(texts.len());
    for text in texts {
        let (tree, diagnostics) = syntax::parse_in(notation, text.name, text.source);
        trees.push(tree);
        found.push(diagnostics);
    }
    let mut world = resolve::World::new(environment);
    for (number, tree) in trees.iter().enumerate() {
        world.declare(number, texts[number].name, tree);
    }
    let parsed: Vec<Parsed<'_>> = (0..texts.len())
        .map(|number| Parsed {
            name: texts[number].name,
            source: texts[number].source,
            tree: &trees[number],
            errors: &found[number],
            forgives: texts[number].forgives,
        })
        .collect();
    resolve::leave_out(&mut world, &parsed);
    let short_cuts = ShortCuts::all();
    let compile = |(number, diagnostics): (usize, Vec<Diagnostic>)| {
        let (text, tree) = (&texts[number], &trees[number]);
        let source = text.source.into();
        match text.forgives {
            true => forgiving(
                &world,
                number,
                text,
                &source,
                tree,
                diagnostics,
                &short_cuts,
            ),
            false => compile_tree(
                &world,
                number,
                text.name,
                &source,
                tree,
                diagnostics,
                &short_cuts,
                None,
            ),
        }
    };
    found.into_iter().enumerate().map(compile).collect()
}

/// Compiles the tree of one item of a text, whose source all units share. A session keeps the variables of its statements.
pub(crate) fn compile_item(
    text: &Text<'_>,
    source: &Arc<str>,
    tree: &ast::File,
    known: Vec<Diagnostic>,
    session: Option<&mut Session>,
    environment: &dyn Environment,
) -> Compiled {
    let mut world = resolve::World::new(environment);
    world.declare(0, text.name, tree);
    let parsed = Parsed {
        name: text.name,
        source: text.source,
        tree,
        errors: &known,
        forgives: text.forgives,
    };
    resolve::leave_out(&mut world, &[parsed]);
    let short_cuts = ShortCuts::all();
    match text.forgives {
        true => forgiving(&world, 0, text, source, tree, known, &short_cuts),
        false => compile_tree(
            &world,
            0,
            text.name,
            source,
            tree,
            known,
            &short_cuts,
            session,
        ),
    }
}

/// Resolves and emits a tree, and leaves out what does not compile.
fn forgiving(
    world: &resolve::World<'_>,
    number: usize,
    text: &Text<'_>,
    source: &Arc<str>,
    tree: &ast::File,
    mut known: Vec<Diagnostic>,
    short_cuts: &ShortCuts,
) -> Compiled {
    loop {
        let Resolved {
            file,
            mut diagnostics,
            left_out,
        } = resolve::resolve_file(Task {
            world,
            number,
            name: text.name,
            source: text.source,
            tree,
            session: None,
            forgiven: Some(&known),
        });
        let emitted = emit::emit_file(text.name, source, file, short_cuts);
        let is_new = |limit: &Diagnostic| !known.contains(limit);
        match emitted {
            // The limits are known in the next round, and so the methods that exceed them are left out.
            Err(limits) if limits.iter().any(is_new) => known.extend(limits),
            Err(_) => return Compiled::nothing(known),
            Ok(unit) => {
                diagnostics.extend(known);
                sort(&mut diagnostics);
                return Compiled {
                    unit: Some(unit),
                    diagnostics,
                    left_out,
                };
            }
        }
        sort(&mut known);
    }
}

fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
}

/// Unknown names of a broken text that are looked for in the rest of it.
const MOST_JUDGED: usize = 20;

/// Whether the word at the span stands nowhere else in the text.
fn stands_once(source: &str, span: Span) -> bool {
    let Some(word) = source.get(span.start as usize..span.end as usize) else {
        return false;
    };
    let mut places = source.match_indices(word).filter(|(start, _)| {
        let end = start + word.len();
        !source[..*start].ends_with(is_part) && !source[end..].starts_with(is_part)
    });
    !word.is_empty() && places.nth(1).is_none()
}

/// Whether neither a point, as in `System.out`, nor the mark of a chunk touches the word at the span.
fn is_alone(source: &str, span: Span) -> bool {
    let before = source.get(..span.start as usize).unwrap_or("");
    let path = before.strip_suffix('.');
    !before.ends_with('!') && !path.is_some_and(|path| path.ends_with(is_part))
}

/// Whether the character may stand in a name.
fn is_part(next: char) -> bool {
    next.is_alphanumeric() || next == '_'
}

/// Resolves and emits the tree of a file that `world` knows under the number `number`.
#[allow(clippy::too_many_arguments)] // the stages' inputs, once each
pub(crate) fn compile_tree(
    world: &resolve::World<'_>,
    number: usize,
    name: &str,
    source: &Arc<str>,
    tree: &ast::File,
    mut diagnostics: Vec<Diagnostic>,
    short_cuts: &ShortCuts,
    session: Option<&mut Session>,
) -> Compiled {
    let Resolved {
        file: resolved,
        diagnostics: found,
        ..
    } = resolve::resolve_file(Task {
        world,
        number,
        name,
        source,
        tree,
        session,
        forgiven: None,
    });
    let is_broken = diagnostics.iter().any(Diagnostic::is_error);
    if !is_broken {
        // Behind a name that is unknown, a comparison was meant to assign it.
        let is_known = |one: &Diagnostic| {
            found.iter().any(|other| {
                let between = source.get(other.span.end as usize..one.span.start as usize);
                between.is_some_and(|between| {
                    (other.is_error() && between.trim().is_empty())
                        || (other.code == "W0326" && between.trim().chars().all(is_part))
                })
            })
        };
        let new = found.iter();
        let new = new.filter(|one| one.code != "W0391" || !is_known(one));
        diagnostics.extend(new.cloned());
    } else {
        // A broken tree causes diagnostics that vanish once the errors are corrected. A name that stands once in the
        // text is unknown all the same.
        let unknown = found.into_iter();
        let unknown = unknown.filter(|one| matches!(one.code, "E0201" | "E0135"));
        let unknown = unknown.take(MOST_JUDGED);
        diagnostics.extend(unknown.filter(|one| {
            stands_once(source, one.span) && (one.code != "E0201" || is_alone(source, one.span))
        }));
    }
    sort(&mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled::nothing(diagnostics);
    }
    match emit::emit_file(name, source, resolved, short_cuts) {
        Ok(unit) => Compiled {
            unit: Some(unit),
            diagnostics,
            left_out: Vec::new(),
        },
        Err(limits) => {
            diagnostics.extend(limits);
            Compiled::nothing(diagnostics)
        }
    }
}

/// Compiles the class that `source` defines, for a world that knows its superclass. The unit's script makes the
/// definition and does nothing else.
pub fn compile_som(name: &str, source: &str, environment: &dyn Environment) -> Compiled {
    let (class, diagnostics) = som::parse(source);
    let Some(class) = class else {
        return Compiled::nothing(diagnostics);
    };
    let tree = ast::File {
        items: vec![ast::Item::Class(class)],
        ..ast::File::default()
    };
    let mut world = resolve::World::open(environment);
    world.declare(0, name, &tree);
    let short_cuts = ShortCuts::som(environment);
    let mut compiled = compile_tree(
        &world,
        0,
        name,
        &source.into(),
        &tree,
        diagnostics,
        &short_cuts,
        None,
    );
    compiled.diagnostics.retain(Diagnostic::is_error);
    compiled
}
