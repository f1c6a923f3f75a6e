//! Messages, cascades, and the blocks among their arguments.

use tally_vm::bytecode::Span;

use super::{RESERVED, RoutineResolver};
use crate::diagnostics::Diagnostic;
use crate::foreign;
use crate::resolve::tree::{Cascade, Expr, Message, Node, Send};
use crate::resolve::variables::Role;
use crate::syntax::ast::{self, ExprKind};
use crate::syntax::is_first_on_line;

impl RoutineResolver<'_, '_, '_> {
    /// The receiver of a message, and whether it is `super`.
    fn receiver(&mut self, receiver: &ast::Expr) -> (Expr, bool) {
        if !is_super(receiver) {
            return (self.expr(receiver), false);
        }
        if !self.in_class {
            self.super_outside(receiver.span);
        }
        self.reach_receiver();
        let moments = (self.walk.moment + 1, self.walk.moment + 1);
        (
            Expr {
                node: Node::Receiver,
                moments,
            },
            true,
        )
    }

    #[inline(never)]
    fn super_outside(&mut self, span: Span) {
        let message = "`super` means nothing outside of a class";
        self.context.report(
            Diagnostic::error("E0206", span, message)
                .labelled("no class around it")
                .helping("name the object that the message is for"),
        );
    }

    #[inline(never)]
    pub(super) fn send(&mut self, receiver: &ast::Expr, message: &ast::Message) -> Node {
        let start = receiver.span.start.min(message.span.start);
        self.check_selector(message);
        let (receiver, to_super) = self.receiver(receiver);
        let message = self.message(start, message);
        Node::Send(Box::new(Send {
            receiver,
            to_super,
            message,
        }))
    }

    /// The messages of a cascade are never inlined: with several messages to one receiver there is
    /// nothing to gain, and each counts as a send.
    #[inline(never)]
    pub(super) fn cascade(&mut self, receiver: &ast::Expr, messages: &[ast::Message]) -> Node {
        let start = receiver.span.start;
        let (receiver, to_super) = self.receiver(receiver);
        let messages = messages
            .iter()
            .map(|message| {
                self.check_selector(message);
                self.message(start, message)
            })
            .collect();
        Node::Cascade(Box::new(Cascade {
            receiver,
            to_super,
            messages,
        }))
    }

    fn message(&mut self, start: u32, message: &ast::Message) -> Message {
        self.note_message(message, false);
        Message {
            selector: message.selector.clone(),
            arguments: message
                .arguments
                .iter()
                .map(|argument| self.expr(argument))
                .collect(),
            span: Span {
                start,
                end: message.span.end,
            },
            selector_span: message.selector_span,
        }
    }

    /// Notes for the session what happens to the value of a message outside of classes.
    #[inline(never)]
    pub(super) fn note_message(&mut self, message: &ast::Message, inlined: bool) {
        if let Some(session) = self.context.session.as_mut().filter(|_| !self.in_class) {
            session.note_message(message, inlined);
        }
    }

    #[inline(never)]
    fn check_selector(&mut self, message: &ast::Message) {
        let (selector, message_span) = (&message.selector, message.selector_span);
        if self.context.world.is_open || self.context.world.understands(selector) {
            return;
        }
        if RESERVED.contains(&selector.as_str()) && !self.context.of_package {
            let message = format!("`{selector}` is not a message");
            return self.context.report(
                Diagnostic::error("E0113", message_span, message)
                    .labelled("two expressions without anything between them")
                    .helping(format!("is a period missing before `{selector}`?")),
            );
        }
        if let Some(next) = self.new_statement(message) {
            let (selector, message_span) = (self.context.text(next), next);
            let before = self.context.source.get(..message_span.start as usize);
            let end = before.map_or(message_span.start, |text| text.trim_end().len() as u32);
            let end = Span {
                start: end.saturating_sub(1),
                end,
            };
            return self.context.report(
                Diagnostic::error("E0113", end, "a period is missing behind the statement")
                    .labelled("the statement ends here")
                    .showing(message_span, "the next one begins here")
                    .helping(format!(
                        "`{selector}` is a variable here; statements are separated by `.`"
                    )),
            );
        }
        let help = self.help_for_selector(message);
        if selector.starts_with(|first: char| first.is_ascii_uppercase()) {
            let text = format!("`{selector}` is read as a message");
            return self.context.report(
                Diagnostic::warning("W0390", message_span, text)
                    .labelled("selectors begin with a lower-case letter")
                    .helping(help),
            );
        }
        let text = format!("no class implements `{selector}`");
        self.context.report(
            Diagnostic::warning("W0303", message.selector_span, text)
                .labelled("no class understands this")
                .helping(help),
        );
    }

    /// The beginning of another statement that is read as a unary message: a variable, and a period is missing before
    /// it. The message itself may be it, or a message in an argument that begins a line.
    fn new_statement(&self, message: &ast::Message) -> Option<Span> {
        if self.context.of_package {
            return None;
        }
        if message.arguments.is_empty() {
            return (!self.is_unknown(&message.selector)).then_some(message.selector_span);
        }
        message.arguments.iter().find_map(|argument| {
            let mut expr = argument;
            while let ExprKind::Send { receiver, message } = &expr.kind {
                let (name, span) = (&message.selector, message.selector_span);
                if message.arguments.is_empty()
                    && is_first_on_line(self.context.source, span.start as usize)
                    && !self.is_unknown(name)
                {
                    return Some(span);
                }
                expr = receiver;
            }
            None
        })
    }

    fn help_for_selector(&self, message: &ast::Message) -> String {
        let selector = &message.selector;
        let world = self.context.world;
        if let Some(help) = foreign::message(selector) {
            return help.to_owned();
        }
        let parts: Vec<&str> = selector.split_inclusive(':').collect();
        let split = (1..parts.len()).find_map(|at| {
            let halves = (parts[..at].concat(), parts[at..].concat());
            (world.understands(&halves.0) && world.understands(&halves.1)).then_some(halves)
        });
        if let Some((first, second)) = split {
            return format!(
                "if `{first}` and `{second}` are two messages, put the inner one into parentheses: `{} (… {} …)`",
                first
                    .replace(':', ": … ")
                    .trim_end()
                    .trim_end_matches('…')
                    .trim_end(),
                second
                    .replace(':', ": … ")
                    .trim_end()
                    .trim_end_matches('…')
                    .trim_end(),
            );
        }
        if selector.starts_with(char::is_uppercase) {
            return format!("is a period missing before `{selector}`?");
        }
        match world.nearest_selector(selector) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "the receiver will get `doesNotUnderstand:`".to_owned(),
        }
    }

    #[inline(never)]
    pub(super) fn block(&mut self, block: &ast::Block, span: Span) -> Node {
        let id = self.open_function();
        self.open_names();
        self.check_arguments(block);
        self.walk.enter_region();
        let parameters = block
            .parameters
            .iter()
            .map(|name| self.declare(name, Role::Argument))
            .collect();
        let body = self.body(&block.body);
        self.walk.regions.pop();
        self.close_names();
        self.close_function(parameters, body, span);
        Node::Block(id)
    }
}

pub(in crate::resolve) fn is_super(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "super")
}
