//! Methods, initial values of class variables, and pragmas.

use strsim::osa_distance;
use tally_vm::bytecode::{
    ClassDefinition, CodeKind, FrameKind, Kind, Literal, Pragma, Span, TraitUse,
};

use super::FileResolver;
use crate::diagnostics::Diagnostic;
use crate::resolve::context::Place;
use crate::resolve::left_out::{LeftOutKind, method_name, stub};
use crate::resolve::routine::{RoutineResolver, convert};
use crate::resolve::tree::{Expr, Method, Node, Routine, Scope, Statement};
use crate::resolve::variables::Role;
use crate::syntax::ast;
use crate::syntax::traits;

impl FileResolver<'_, '_> {
    pub(super) fn class_pragma(&mut self, header: &mut ClassDefinition, pragma: &ast::Pragma) {
        let text = pragma.arguments.first().and_then(word);
        match (pragma.selector.as_str(), text) {
            ("comment:", Some(text)) => header.comment = text.to_owned(),
            ("category:" | "package:", Some(text)) => header.category = text.to_owned(),
            ("uses:", Some(text)) => header.traits = self.pragma_uses(text, pragma.span),
            ("classUses:", Some(text)) => {
                header.class_traits = Some(self.pragma_uses(text, pragma.span));
            }
            ("shape:", shape) => match shape {
                Some("pointer") => header.kind = Some(Kind::Pointers),
                Some("byte" | "character") => header.kind = Some(Kind::Bytes),
                _ => self.bad_pragma(pragma.span, "a shape is #pointer, #byte or #character"),
            },
            _ => {}
        }
    }

    /// `<uses: TFoo>`, `<uses: 'TFoo + (TBar - {#x})'>`
    pub(super) fn pragma_uses(&mut self, text: &str, span: Span) -> Vec<TraitUse> {
        match traits::read(text, span) {
            Ok(uses) => self.uses(&uses),
            Err(diagnostic) => {
                self.context.report(*diagnostic);
                Vec::new()
            }
        }
    }

    pub(super) fn bad_pragma(&mut self, span: Span, help: &str) {
        let message = "this pragma's argument means nothing";
        let error = Diagnostic::error("E0211", span, message).labelled("not understood");
        self.context.report(error.helping(help));
    }

    /// A method whose text begins at `start`. One with an error is replaced by its signal if errors are forgiven.
    pub(super) fn method(
        &mut self,
        class: &str,
        class_side: bool,
        method: &ast::Method,
        start: u32,
    ) -> Method {
        if let Some(error) = self.known_error(Span {
            start,
            ..method.span
        }) {
            return self.signalling(class, class_side, method, &error);
        }
        let found = self.context.diagnostics.len();
        let place = Place { class, class_side };
        let mut resolver = RoutineResolver::new(&mut self.context, Some(place), false);
        resolver.machine_reads = method.pragmas.iter().any(|one| one.selector == "frame:");
        let parameters = method
            .parameters
            .iter()
            .map(|name| resolver.declare(name, Role::Argument))
            .collect();
        let body = resolver.body(&method.body);
        // A test that computes and asserts nothing is reported when it runs.
        if !method.selector.text.starts_with("test") {
            resolver.check_answer(&method.body);
        }
        let selector = method.selector.text.clone();
        let mut routine =
            resolver.finish(selector, CodeKind::Method, method.span, parameters, body);
        let category = self.method_pragmas(&mut routine, &method.pragmas);
        if self.forgiven.is_some()
            && let Some(error) = self.first_error(found)
        {
            return self.signalling(class, class_side, method, &error);
        }
        let category = method.category.clone().unwrap_or(category);
        Method {
            class: class.to_owned(),
            class_side,
            category,
            routine,
        }
    }

    /// The method that takes the place of a method with an error.
    fn signalling(
        &mut self,
        class: &str,
        class_side: bool,
        method: &ast::Method,
        error: &Diagnostic,
    ) -> Method {
        let name = method_name(class, class_side, &method.selector.text);
        let routine = stub(method, &name, error, (self.name, self.context.source));
        self.leave_out(LeftOutKind::Method, name, error);
        Method {
            class: class.to_owned(),
            class_side,
            category: method.category.clone().unwrap_or_default(),
            routine,
        }
    }

    /// Takes over a method's pragmas; answers its category.
    pub(super) fn method_pragmas(
        &mut self,
        routine: &mut Routine,
        pragmas: &[ast::Pragma],
    ) -> String {
        let mut category = String::new();
        for pragma in pragmas {
            let first = pragma.arguments.first();
            let text = first.and_then(word);
            let number = first.and_then(number);
            match (pragma.selector.as_str(), text) {
                ("category:", Some(text)) => category = text.to_owned(),
                ("primitive:", text) => match text.map(str::to_owned).or(number) {
                    Some(name) => {
                        self.check_primitive(&name, pragma.span);
                        routine.primitive = Some(name);
                    }
                    // Other systems have other names for primitives.
                    None if self.of_package => self.no_primitive("…", pragma.span),
                    None => {
                        let help = "a primitive has a name: <primitive: integerAdd>";
                        self.bad_pragma(pragma.span, help);
                    }
                },
                ("frame:", text) => match text.and_then(FrameKind::from_name) {
                    Some(kind) => {
                        if !self.context.world.binds_freely() {
                            self.library_only(pragma.span, "a mark of frames");
                        }
                        routine.frame = Some(kind);
                    }
                    None => self.bad_pragma(
                        pragma.span,
                        "a frame is #ensure, #curtailed, #handler, #handling or #signal",
                    ),
                },
                ("separate", _) => routine.frame = Some(scope_kind(routine)),
                _ => self.check_spelling(pragma),
            }
            routine.pragmas.push(Pragma {
                selector: pragma.selector.clone(),
                arguments: pragma
                    .arguments
                    .iter()
                    .map(convert)
                    .collect::<Vec<Literal>>(),
            });
        }
        category
    }

    /// Pragmas of all names are allowed. One that is nearly a name with a meaning is probably misspelt.
    fn check_spelling(&mut self, pragma: &ast::Pragma) {
        const KNOWN: [&str; 3] = ["category:", "primitive:", "comment:"];
        let name = pragma.selector.as_str();
        if self.context.world.is_open || self.context.of_package || KNOWN.contains(&name) {
            return;
        }
        if let Some(near) = KNOWN
            .into_iter()
            .find(|known| osa_distance(known, name) <= 2)
        {
            let message = format!("the pragma `{name}` has no meaning here");
            self.context.report(
                Diagnostic::warning("W0322", pragma.span, message)
                    .labelled("kept, and ignored")
                    .helping(format!("did you mean `<{near} …>`?")),
            );
        }
    }

    /// A program may bind open primitives only. For a primitive that the machine lacks, the method's statements run.
    pub(super) fn check_primitive(&mut self, name: &str, span: Span) {
        if self.context.world.binds_freely() {
            return;
        }
        match tally_vm::primitives::is_open(name) {
            Some(true) => {}
            Some(false) => self.library_only(span, &format!("the primitive `{name}`")),
            None => self.no_primitive(name, span),
        }
    }

    fn no_primitive(&mut self, name: &str, span: Span) {
        let message = format!("the machine has no primitive `{name}`");
        let warning = Diagnostic::warning("W0307", span, message);
        let warning = warning.labelled("the statements below run every time");
        let help = "docs/PRIMITIVES.md lists those that programs can bind";
        self.context.report(warning.helping(help));
    }

    pub(super) fn library_only(&mut self, span: Span, what: &str) {
        let message = format!("{what} is for the library alone");
        let error = Diagnostic::error("E0216", span, message).labelled("not for programs");
        let help = "send the message of the library that does this";
        self.context.report(error.helping(help));
    }

    /// The initialiser of a class variable answers the variable's first value; its `self` is the class.
    pub(super) fn initialiser(&mut self, class: &str, value: &ast::Expr) -> Routine {
        let place = Place {
            class,
            class_side: true,
        };
        let mut resolver = RoutineResolver::new(&mut self.context, Some(place), false);
        let statements = vec![Statement::Return(resolver.expr(value))];
        let body = Scope {
            temporaries: Vec::new(),
            statements,
        };
        let selector = self.name.to_owned();
        resolver.finish(selector, CodeKind::Script, value.span, Vec::new(), body)
    }
}

/// The digits of an integer, by which other systems know primitives.
fn number(literal: &ast::Literal) -> Option<String> {
    match literal {
        ast::Literal::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The text of a symbol or a string.
fn word(literal: &ast::Literal) -> Option<&str> {
    match literal {
        ast::Literal::Symbol(text) | ast::Literal::String(text) => Some(text),
        _ => None,
    }
}

/// How the frame of a method with `<separate>` is marked: its first statement may be the condition under which it begins.
fn scope_kind(routine: &Routine) -> FrameKind {
    let body = routine.functions.first().map(|function| &function.body);
    let mut statements = body.into_iter().flat_map(|body| &body.statements);
    let first = statements.find(|statement| !matches!(statement, Statement::Declare(_)));
    let Some(Statement::Expression(Expr {
        node: Node::Send(send),
        ..
    })) = first
    else {
        return FrameKind::Scope;
    };
    let is_own = !send.to_super && matches!(send.receiver.node, Node::Receiver);
    let is_block = |argument: &Expr| matches!(argument.node, Node::Block(_));
    let is_condition =
        send.message.selector == "require:" && send.message.arguments.iter().all(is_block);
    match is_own && is_condition {
        true => FrameKind::Condition,
        false => FrameKind::Scope,
    }
}
