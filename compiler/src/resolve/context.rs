//! What stays the same from routine to routine: the world, the file, and the diagnostics so far.

use std::rc::Rc;

use hashbrown::HashMap;
use tally_vm::bytecode::Span;

use super::session::Session;
use super::world::{ClassScope, World};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast;

/// The class that a routine is compiled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) class: &'a str,
    pub(super) class_side: bool,
}

/// The context that all routines share.
pub(super) struct Context<'w, 'e> {
    pub(super) world: &'w World<'e>,
    /// The number of the file.
    pub(super) file: usize,
    /// The text of the file.
    pub(super) source: &'w str,
    /// Whether the file is part of a package: then an unknown name is nil, and warned of.
    pub(super) of_package: bool,
    /// Whether a variable of a script exists from its first mention.
    pub(super) mentions_declare: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The session that the text belongs to, if it is typed bit by bit.
    pub(super) session: Option<&'w mut Session>,
    scopes: HashMap<(String, bool), Rc<ClassScope>>,
}

impl<'w, 'e> Context<'w, 'e> {
    pub(super) fn new(
        world: &'w World<'e>,
        file: usize,
        source: &'w str,
        tree: &ast::File,
        session: Option<&'w mut Session>,
    ) -> Context<'w, 'e> {
        Context {
            world,
            file,
            source,
            of_package: tree.of_package,
            mentions_declare: tree.mentions_declare,
            diagnostics: Vec::new(),
            session,
            scopes: HashMap::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        crate::diagnostics::bounds::keep(&mut self.diagnostics, diagnostic);
    }

    pub(super) fn class_scope(&mut self, place: Option<Place<'_>>) -> Rc<ClassScope> {
        let Some(place) = place else {
            return Rc::default();
        };
        let key = (place.class.to_owned(), place.class_side);
        let scope = self.scopes.entry(key);
        scope
            .or_insert_with(|| self.world.class_scope(place.class, place.class_side))
            .clone()
    }

    /// The text at a span.
    pub(super) fn text(&self, span: Span) -> &'w str {
        let range = span.start as usize..span.end as usize;
        self.source.get(range).unwrap_or("")
    }

    /// Reports an unknown name with the nearest known one.
    pub(super) fn unknown(&mut self, name: &str, span: Span, others: &[&str], advice: String) {
        let help = match self.world.nearest_name(name, others) {
            Some(near) => format!("did you mean `{near}`?"),
            None => advice,
        };
        self.unknown_with(name, span, help);
    }

    /// Reports an unknown name with this remedy.
    pub(super) fn unknown_with(&mut self, name: &str, span: Span, help: String) {
        let message = format!("nothing here is called `{name}`");
        let diagnostic = if self.of_package {
            Diagnostic::warning("W0313", span, message).labelled("unknown name; it is nil")
        } else {
            Diagnostic::error("E0201", span, message).labelled("unknown name")
        };
        self.report(diagnostic.helping(help));
    }
}

/// Warns of a global that a file uses above its definition, in code that runs as the file is read.
pub(super) fn check_order(context: &mut Context<'_, '_>, name: &str, span: Span) {
    let Some((file, defined)) = context.world.defined_at(name) else {
        return;
    };
    if file != context.file || defined <= span.start {
        return;
    }
    let place = Span {
        start: defined,
        end: defined + name.len() as u32,
    };
    let message = format!("`{name}` is used before it is defined");
    context.report(
        Diagnostic::warning("W0304", span, message)
            .labelled("nil when this runs")
            .showing(place, "defined here")
            .helping("move the definition up"),
    );
}
