//! Source texts to units: runs the stages one after the other and collects their diagnostics. Diagnostics are not
//! printed here, and units do not run here.

use tally_vm::bytecode::{Span, Unit};

use crate::diagnostics::Diagnostic;
use crate::emit::ShortCuts;
use crate::environment::Environment;
use crate::resolve::Session;
use crate::syntax::{self, ast, som};
use crate::{emit, resolve};

/// The result of compiling a source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The unit; `None` if a diagnostic is an error.
    pub unit: Option<Unit>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a source file, whose name is `name`, for a world.
pub fn compile(name: &str, source: &str, environment: &dyn Environment) -> Compiled {
    let mut all = compile_all(&[(name, source)], environment);
    all.pop().unwrap_or(Compiled {
        unit: None,
        diagnostics: Vec::new(),
    })
}

/// Compiles files, pairs of a name and a source text, that may mention each other's classes. The units come in the
/// order of the files.
pub fn compile_all(files: &[(&str, &str)], environment: &dyn Environment) -> Vec<Compiled> {
    let parsed: Vec<(ast::File, Vec<Diagnostic>)> = files
        .iter()
        .map(|(_, source)| syntax::parse(source))
        .collect();
    let mut world = resolve::World::new(environment);
    for (number, (tree, _)) in parsed.iter().enumerate() {
        world.declare(number, files[number].0, tree);
    }
    let named = files.iter().zip(parsed).enumerate();
    named
        .map(|(number, (&(name, source), (tree, diagnostics)))| {
            let short_cuts = ShortCuts::all();
            compile_tree(
                &world,
                number,
                name,
                source,
                &tree,
                diagnostics,
                &short_cuts,
                None,
            )
        })
        .collect()
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
    source: &str,
    tree: &ast::File,
    mut diagnostics: Vec<Diagnostic>,
    short_cuts: &ShortCuts,
    session: Option<&mut Session>,
) -> Compiled {
    let (resolved, found) = resolve::resolve_file(world, number, name, source, tree, session);
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
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled {
            unit: None,
            diagnostics,
        };
    }
    match emit::emit_file(name, source, resolved, short_cuts) {
        Ok(unit) => Compiled {
            unit: Some(unit),
            diagnostics,
        },
        Err(limits) => {
            diagnostics.extend(limits);
            Compiled {
                unit: None,
                diagnostics,
            }
        }
    }
}

/// Compiles the class that `source` defines, for a world that knows its superclass. The unit's script makes the
/// definition and does nothing else.
pub fn compile_som(name: &str, source: &str, environment: &dyn Environment) -> Compiled {
    let (class, diagnostics) = som::parse(source);
    let Some(class) = class else {
        return Compiled {
            unit: None,
            diagnostics,
        };
    };
    let tree = ast::File {
        items: vec![ast::Item::Class(class)],
        of_package: false,
    };
    let mut world = resolve::World::open(environment);
    world.declare(0, name, &tree);
    let short_cuts = ShortCuts::som(environment);
    let mut compiled = compile_tree(
        &world,
        0,
        name,
        source,
        &tree,
        diagnostics,
        &short_cuts,
        None,
    );
    compiled.diagnostics.retain(Diagnostic::is_error);
    compiled
}
