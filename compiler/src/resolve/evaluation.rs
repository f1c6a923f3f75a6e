//! Resolves an expression that is compiled while a program runs. It is a script of its own in the scope of a class, and
//! it may make variables by assigning to them.

use tally_vm::bytecode::{CodeKind, Span};

use super::context::{Context, Place};
use super::routine::RoutineResolver;
use super::tree::File;
use super::world::World;
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{self, Body};

/// Resolves the body as the script of a file without definitions.
pub(crate) fn resolve_evaluation(
    world: &World<'_>,
    name: &str,
    scope: (&str, bool),
    body: &Body,
    source: &str,
    tree: &ast::File,
) -> (File, Vec<Diagnostic>) {
    let mut context = Context::new(world, 0, source, tree, None);
    let (class, class_side) = scope;
    let span = Span {
        start: 0,
        end: u32::try_from(source.len()).unwrap_or(u32::MAX),
    };
    let mut resolver = RoutineResolver::new(&mut context, Some(Place { class, class_side }), true);
    let body = resolver.making_body(body);
    let script = resolver.finish(name.to_owned(), CodeKind::Script, span, Vec::new(), body);
    let file = File {
        script,
        definitions: Vec::new(),
    };
    (file, context.diagnostics)
}
