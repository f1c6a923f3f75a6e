//! Messages, cascades, and the blocks among their arguments.

use tally_vm::bytecode::Span;

use super::{RESERVED, RoutineResolver};
use crate::diagnostics::Diagnostic;
use crate::foreign;
use crate::resolve::tree::{Cascade, Expr, Message, Node, Send};
use crate::resolve::variables::Role;
use crate::syntax::ast::{self, ExprKind};
use crate::syntax::{indentation, is_first_on_line};

/// Characters of an expression that a help repeats.
const MOST_REPEATED: usize = 24;

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
        self.check_line(receiver, message);
        self.check_definition(receiver, message);
        let (receiver, to_super) = self.receiver(receiver);
        let message = self.message(start, message);
        Node::Send(Box::new(Send {
            receiver,
            to_super,
            message,
        }))
    }

    /// `x := x + 1 ⏎ x printNl`: the second line is read as the message `x`, which some class understands. A message
    /// on a line of its own is usually indented.
    fn check_line(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let (selector, span) = (&message.selector, message.selector_span);
        let source = self.context.source;
        let is_suspect = message.arguments.is_empty()
            && !self.context.world.is_open
            && !self.context.of_package
            && is_first_on_line(source, span.start as usize)
            && self.context.world.understands(selector)
            && self.is_variable(selector)
            && indentation(source, span) <= indentation(source, receiver.span)
            && starts_on_line(source, receiver.span)
            && goes_on(source, span);
        if !is_suspect {
            return;
        }
        let text = format!("`{selector}` is read as a message");
        self.context.report(
            Diagnostic::warning("W0324", span, text)
                .labelled("a variable has this name, and its line begins like a statement")
                .showing(receiver.span, "the receiver of the message")
                .helping("a new line ends no statement: end the one before with `.`"),
        );
    }

    /// `Object subclass: Animal.`: the name of a new class, with neither a body nor a hash.
    fn check_definition(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let named = match message.arguments.first().map(|first| &first.kind) {
            Some(ExprKind::Variable(name)) if message.selector.starts_with("subclass:") => name,
            _ => return,
        };
        let world = self.context.world;
        if self.in_class || world.is_open || !world.is_class(named) || !self.is_global(named) {
            return;
        }
        let above = self.context.text(receiver.span);
        let help = match message.selector.as_str() {
            "subclass:" => {
                format!("write `{above} subclass: {named} [ … ]`, or `{above} subclass: #{named}`")
            }
            _ => format!("write `{above} subclass: #{named} …`"),
        };
        let span = message.arguments[0].span;
        self.context.report(
            Diagnostic::error("E0133", span, format!("the class `{named}` has no body"))
                .labelled("expected `[` behind this name, or a symbol")
                .helping(help),
        );
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
                        "a new line ends no statement: without the period, `{selector}` is read as a message"
                    )),
            );
        }
        let (place, help) = self.help_for_selector(message);
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
            Diagnostic::warning("W0303", place, text)
                .labelled("no class understands this")
                .helping(help),
        );
    }

    /// Where the keyword before an argument stands, if it is not the first.
    fn keyword_at(&self, message: &ast::Message, index: usize, keyword: &str) -> Option<Span> {
        let before = message.arguments.get(index.checked_sub(1)?)?;
        let behind = message.arguments.get(index)?;
        let range = before.span.end as usize..behind.span.start as usize;
        let at = self.context.source.get(range)?.rfind(keyword)? as u32;
        let start = before.span.end + at;
        let end = start + keyword.len() as u32;
        Some(Span { start, end })
    }

    /// The beginning of another statement that is read as a unary message: a variable at the start of a line, and a
    /// period is missing before it. The message itself may be it, or a message in an argument. On the same line the
    /// message may be meant: a proxy understands what no class implements.
    fn new_statement(&self, message: &ast::Message) -> Option<Span> {
        if self.context.of_package {
            return None;
        }
        let starts_line = |span: Span| is_first_on_line(self.context.source, span.start as usize);
        if message.arguments.is_empty() {
            let span = message.selector_span;
            return (starts_line(span) && self.is_variable(&message.selector)).then_some(span);
        }
        message.arguments.iter().find_map(|argument| {
            let mut expr = argument;
            while let ExprKind::Send { receiver, message } = &expr.kind {
                let (name, span) = (&message.selector, message.selector_span);
                if message.arguments.is_empty() && starts_line(span) && self.is_variable(name) {
                    return Some(span);
                }
                expr = receiver;
            }
            None
        })
    }

    /// The part of an unknown selector that is probably wrong, and the remedy.
    fn help_for_selector(&self, message: &ast::Message) -> (Span, String) {
        let selector = &message.selector;
        let world = self.context.world;
        let parts: Vec<&str> = selector.split_inclusive(':').collect();
        let first = message.selector_span;
        if let Some(help) = foreign::message(selector) {
            let wrong = parts
                .iter()
                .position(|part| foreign::message(part).is_some());
            let place = wrong.and_then(|at| self.keyword_at(message, at, parts[at]));
            return (place.unwrap_or(first), help.to_owned());
        }
        let split = (1..parts.len()).find_map(|at| {
            let halves = (parts[..at].concat(), parts[at..].concat());
            (world.understands(&halves.0) && world.understands(&halves.1)).then_some(halves)
        });
        if let Some((first, second)) = &split {
            let help = self.help_for_split(message, first, second);
            return (message.selector_span, help);
        }
        if selector.starts_with(char::is_uppercase) {
            return (first, format!("is a period missing before `{selector}`?"));
        }
        if let Some(help) = self.help_between(message) {
            return (first, help);
        }
        if self.is_instance_variable(selector) {
            let help = format!(
                "`{selector}` is a variable of the object; to read it from another object define `{selector} [ ^{selector} ]`"
            );
            return (first, help);
        }
        let Some(near) = world.nearest_selector(selector) else {
            return (
                first,
                "the receiver will get `doesNotUnderstand:`".to_owned(),
            );
        };
        let near_parts = near.split_inclusive(':').zip(&parts);
        let wrong = near_parts.take_while(|(near, part)| near == *part).count();
        let place = parts
            .get(wrong)
            .and_then(|part| self.keyword_at(message, wrong, part));
        (place.unwrap_or(first), format!("did you mean `{near}`?"))
    }

    /// The remedy for a selector that two messages make up.
    fn help_for_split(&self, message: &ast::Message, first: &str, second: &str) -> String {
        let help = self.help_for_joined(message, first, second);
        if let Some(help) = help.or_else(|| help_for_two(first, second)) {
            return help;
        }
        let spelled = |selector: &str| {
            let spelled = selector.replace(':', ": … ");
            let spelled = spelled.trim_end().trim_end_matches('…');
            spelled.trim_end().to_owned()
        };
        format!(
            "if `{first}` and `{second}` are two messages, put the inner one into parentheses: `{} (… {} …)`",
            spelled(first),
            spelled(second),
        )
    }

    /// The remedy for `showCr: 'n: ', 3 max: 4`: the second message is for what the comma joins.
    fn help_for_joined(&self, message: &ast::Message, first: &str, second: &str) -> Option<String> {
        let index = first.matches(':').count().checked_sub(1)?;
        let ExprKind::Send {
            message: joined, ..
        } = &message.arguments.get(index)?.kind
        else {
            return None;
        };
        let operand = joined
            .arguments
            .first()
            .filter(|_| joined.selector == ",")?;
        let operand = self.context.text(operand.span);
        if operand.len() > MOST_REPEATED || operand.contains('\n') {
            return None;
        }
        let second = second.replace(':', ": … ");
        Some(format!(
            "the keywords make one message: write `, ({operand} {}) printString`",
            second.trim_end()
        ))
    }

    /// The remedy for a variable behind another expression on one line: `'I am ' name`, `10 count`.
    fn help_between(&self, message: &ast::Message) -> Option<String> {
        let selector = &message.selector;
        let start = message.selector_span.start as usize;
        if let Some(digits) = selector.strip_prefix('x')
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_ascii_hexdigit())
            && self.context.source.get(..start)?.ends_with('0')
        {
            let digits = digits.to_uppercase();
            return Some(format!("a number in base 16 is written `16r{digits}`"));
        }
        if !message.arguments.is_empty() || !self.is_variable(selector) {
            return None;
        }
        let before = self.context.source.get(..start)?.trim_end();
        let digit = |text: &str| text.ends_with(|last: char| last.is_ascii_digit());
        Some(match before {
            text if text.ends_with('\'') => {
                format!("strings are joined by a comma: `… , {selector}`")
            }
            text if digit(text) => {
                format!("is an operator missing before the variable, as in `… + {selector}`?")
            }
            _ => return None,
        })
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

/// The remedy for `add: 3 add: 4` and for `x > 2 and: x < 4 ifTrue: [ … ]`.
fn help_for_two(first: &str, second: &str) -> Option<String> {
    match (first, second) {
        ("and:" | "or:", "ifTrue:" | "ifFalse:" | "ifTrue:ifFalse:" | "ifFalse:ifTrue:") => {
            let second = second.replace(':', ": [ … ] ");
            let second = second.trim_end();
            Some(format!("write `(… {first} [ … ]) {second}`"))
        }
        _ if first == second && first.matches(':').count() == 1 => {
            Some(format!("to send it twice write `{first} …; {first} …`"))
        }
        _ => None,
    }
}

/// Whether a statement begins on the line of a span, and may go on behind it: none does behind `^`.
fn starts_on_line(source: &str, span: Span) -> bool {
    let before = source.get(..span.start as usize).unwrap_or("");
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let above = before[..line].trim_end();
    let is_answer = source[line..].trim_start().starts_with('^');
    let begins = above.is_empty() || above.ends_with(['.', '[', ']', '|', '"']);
    begins && !is_answer
}

/// Whether more of a statement stands behind a word on its line.
fn goes_on(source: &str, word: Span) -> bool {
    let behind = source.get(word.end as usize..).unwrap_or("");
    let line = behind.lines().next().unwrap_or("").trim_start();
    !(line.is_empty() || line.starts_with(['.', ']', ')', '}', ';', '"']))
}

pub(in crate::resolve) fn is_super(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "super")
}
