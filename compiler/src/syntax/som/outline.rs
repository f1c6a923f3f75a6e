//! Groups the tokens of a class: its head, the fields and methods of both sides.
//!
//! The brackets are balanced, so the end of every body is known before its inside is read. The generated parser reads
//! bodies one by one. So an error in one method does not spoil another method.

use hashbrown::HashSet;

use super::grammar::read;
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    ClassDefinition, Expr, ExprKind, Literal, Member, Message, Method, Name, PlacedMethod, Pragma,
    Span, Statement,
};
use crate::syntax::builder::{Builder, Parsed, Part, name};
use crate::syntax::findings::MOST_ERRORS;
use crate::syntax::lines::is_first_on_line;
use crate::syntax::token::{Entry, Lexeme, Token, token_at};
use crate::syntax::{brackets, unit};

/// The beginning of a class.
pub(super) struct Head {
    pub(super) name: Name,
    pub(super) superclass: Name,
}

/// The name of the class and of its superclass, and the index of the bracket behind them.
pub(super) fn header(lexemes: &[Lexeme<'_>]) -> Result<(Head, usize), Box<Diagnostic>> {
    let Some(Token::Identifier(class)) = token_at(lexemes, 0) else {
        return Err(bad_header(lexemes, 0, "expected the name of the class"));
    };
    let at = lexemes[0].span;
    if token_at(lexemes, 1) != Some(Token::Binary("=")) {
        return Err(bad_header(lexemes, 1, "expected `=`"));
    }
    let (superclass, open) = match token_at(lexemes, 2) {
        Some(Token::Identifier(word)) => {
            let span = lexemes[2].span;
            (name(word, span.start, span.end), 3)
        }
        _ => (name("Object", at.start, at.end), 2),
    };
    if token_at(lexemes, open) != Some(Token::LeftParen) {
        let label = if open == 2 {
            "expected the superclass or `(`"
        } else {
            "expected `(`"
        };
        return Err(bad_header(lexemes, open, label));
    }
    let name = name(class, at.start, at.end);
    Ok((Head { name, superclass }, open))
}

fn bad_header(lexemes: &[Lexeme<'_>], index: usize, label: &str) -> Box<Diagnostic> {
    let end = lexemes.last().map_or(0, |lexeme| lexeme.span.end);
    let span = lexemes
        .get(index)
        .map_or(Span { start: end, end }, |lexeme| lexeme.span);
    Box::new(
        Diagnostic::error("E0140", span, "this is not the head of a class")
            .labelled(label)
            .helping(
                "a class is written `Name = Superclass ( … )`, or `Name = ( … )` below Object",
            ),
    )
}

/// The pattern of a method: how many tokens it takes, the `=` behind it excluded.
fn pattern_length(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    match token_at(lexemes, 0)? {
        Token::Identifier(_) => Some(1),
        Token::Keyword(_) => {
            let mut length = 0;
            while matches!(token_at(lexemes, length), Some(Token::Keyword(_)))
                && matches!(token_at(lexemes, length + 1), Some(Token::Identifier(_)))
            {
                length += 2;
            }
            (length > 0).then_some(length)
        }
        first if first.operator().is_some() => {
            matches!(token_at(lexemes, 1), Some(Token::Identifier(_))).then_some(2)
        }
        _ => None,
    }
}

/// Whether a method begins with these tokens: a pattern, `=`, and a bracket or `primitive`.
pub(crate) fn opens_method(lexemes: &[Lexeme<'_>]) -> bool {
    pattern_length(lexemes).is_some_and(|length| {
        token_at(lexemes, length) == Some(Token::Binary("="))
            && matches!(
                token_at(lexemes, length + 1),
                Some(Token::LeftParen | Token::Identifier("primitive"))
            )
    })
}

/// Reads a class from its tokens, whose brackets are balanced.
pub(super) fn class(
    source: &str,
    lexemes: &[Lexeme<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ClassDefinition> {
    let (head, open) = match header(lexemes) {
        Ok(head) => head,
        Err(error) => {
            // Behind an unreadable head, only the diagnostics of single tokens are certain.
            let is_consequence = lexemes
                .first()
                .is_some_and(|first| first.token == Token::Erroneous);
            if !is_consequence || diagnostics.is_empty() {
                diagnostics.push(*error);
            }
            return None;
        }
    };
    let mut outline = Outline {
        source,
        lexemes,
        partners: brackets::partners(lexemes),
        builder: Builder::default(),
        class: head.name.text.clone(),
        class_side: false,
        seen: HashSet::new(),
    };
    let close = outline.partners[open];
    let members = outline.members(open + 1, close);
    outline.check_end(close, diagnostics);
    diagnostics.append(&mut outline.builder.diagnostics);
    let span = Span {
        start: head.name.span.start,
        end: lexemes[open].span.end,
    };
    Some(ClassDefinition {
        name: head.name,
        superclass: head.superclass,
        members,
        span,
        ..ClassDefinition::default()
    })
}

struct Outline<'s, 't> {
    source: &'t str,
    lexemes: &'t [Lexeme<'s>],
    partners: Vec<usize>,
    builder: Builder,
    class: String,
    class_side: bool,
    /// The methods so far, by side and selector.
    seen: HashSet<(bool, String)>,
}

impl<'s> Outline<'s, '_> {
    fn token(&self, index: usize) -> Option<Token<'s>> {
        token_at(self.lexemes, index)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        crate::diagnostics::bounds::keep(&mut self.builder.diagnostics, diagnostic);
    }

    /// The index behind the token, or behind the brackets that it opens.
    fn behind(&self, index: usize) -> usize {
        match self.token(index).and_then(Token::closer) {
            Some(_) => self.partners[index] + 1,
            None => index + 1,
        }
    }

    fn gives_up(&self) -> bool {
        let errors = self.builder.diagnostics.iter().filter(|d| d.is_error());
        errors.count() > MOST_ERRORS
    }

    /// Both sides of the class.
    fn members(&mut self, start: usize, end: usize) -> Vec<Member> {
        let mut members = Vec::new();
        let mut index = self.fields(start, end, &mut members);
        while index < end && !self.gives_up() {
            if self.token(index) == Some(Token::Separator) {
                if self.class_side {
                    self.second_separator(index);
                }
                self.class_side = true;
                index = self.fields(index + 1, end, &mut members);
            } else {
                index = self.method(index, end, &mut members);
            }
        }
        members
    }

    fn second_separator(&mut self, index: usize) {
        self.report(
            Diagnostic::error(
                "E0142",
                self.lexemes[index].span,
                "a class has two sides only",
            )
            .labelled("the class side began above")
            .helping("remove this line"),
        );
    }

    /// `| a b |` at the beginning of a side; answers the index behind them.
    fn fields(&mut self, start: usize, end: usize, members: &mut Vec<Member>) -> usize {
        if self.token(start) == Some(Token::DoubleBar) && !opens_method(&self.lexemes[start..end]) {
            return start + 1;
        }
        if self.token(start) != Some(Token::Bar) || opens_method(&self.lexemes[start..end]) {
            return start;
        }
        let mut names = Vec::new();
        let mut index = start + 1;
        while let Some(Token::Identifier(word)) = self.token(index)
            && index < end
        {
            let span = self.lexemes[index].span;
            names.push(self.builder.som_declared(word, span.start, span.end));
            index += 1;
        }
        members.push(if self.class_side {
            Member::ClassInstanceVariables(names)
        } else {
            Member::InstanceVariables(names)
        });
        if index < end && self.token(index) == Some(Token::Bar) {
            return index + 1;
        }
        let at = self.lexemes[index.min(end)].span;
        self.report(
            Diagnostic::error("E0119", at, "the fields are not closed")
                .labelled("expected a name or `|`")
                .showing(self.lexemes[start].span, "they begin here")
                .helping("fields are written `| a b |`"),
        );
        self.next_member(index, end)
    }

    /// The next place at or behind `index` where reading can go on.
    fn next_member(&self, index: usize, end: usize) -> usize {
        let mut next = index;
        while next < end {
            let line = is_first_on_line(self.source, self.lexemes[next].span.start as usize);
            if self.token(next) == Some(Token::Separator)
                || (line && opens_method(&self.lexemes[next..end]))
            {
                return next;
            }
            next = self.behind(next);
        }
        end
    }

    /// The method that begins at `index`; answers the index behind it.
    fn method(&mut self, index: usize, end: usize, members: &mut Vec<Member>) -> usize {
        let rest = &self.lexemes[index..end];
        let Some(length) = pattern_length(rest) else {
            return self.no_method(index, end);
        };
        let equals = index + length;
        if equals >= end || self.token(equals) != Some(Token::Binary("=")) {
            return self.no_body(index, equals, end, "expected `=` behind this pattern");
        }
        let body = equals + 1;
        match self.token(body) {
            Some(Token::LeftParen) if body < end => {
                let close = self.partners[body];
                let method = self.method_with_body(index, length, body, close);
                self.add(method, members);
                close + 1
            }
            Some(Token::Identifier("primitive")) if body < end => {
                let method = self.primitive(index, length, body);
                self.add(method, members);
                body + 1
            }
            _ => self.no_body(
                index,
                equals,
                end,
                "expected `(` or `primitive` behind its `=`",
            ),
        }
    }

    /// A class may define a method twice; the first counts, as it is the first that a lookup meets.
    fn add(&mut self, method: Method, members: &mut Vec<Member>) {
        let class_side = self.class_side;
        let selector = &method.selector.text;
        if !self.seen.insert((class_side, selector.clone())) {
            return;
        }
        members.push(if class_side {
            let span = method.span;
            Member::Placed(PlacedMethod {
                class: Name {
                    text: self.class.clone(),
                    span,
                },
                class_side,
                method,
            })
        } else {
            Member::Method(method)
        });
    }

    fn span(&self, start: usize, last: usize) -> Span {
        Span {
            start: self.lexemes[start].span.start,
            end: self.lexemes[last].span.end,
        }
    }

    /// The selector and the arguments of a pattern.
    fn pattern(&mut self, index: usize, length: usize) -> (Name, Vec<Name>) {
        let mut selector = String::new();
        let mut parameters = Vec::new();
        let lexemes = self.lexemes;
        for (position, lexeme) in lexemes[index..index + length].iter().enumerate() {
            let span = lexeme.span;
            match lexeme.token {
                Token::Keyword(word) => selector.push_str(word),
                Token::Identifier(word) if position == 0 => selector.push_str(word),
                Token::Identifier(word) => {
                    parameters.push(self.builder.som_declared(word, span.start, span.end));
                }
                token => selector.push_str(token.operator().unwrap_or_default()),
            }
        }
        let span = lexemes[index].span;
        (name(&selector, span.start, span.end), parameters)
    }

    fn method_with_body(
        &mut self,
        index: usize,
        length: usize,
        open: usize,
        close: usize,
    ) -> Method {
        let (selector, parameters) = self.pattern(index, length);
        let span = self.span(index, close);
        let body = &self.lexemes[open + 1..close];
        let parts = match unit::parse(read, self.source, Entry::SomBody, body, &mut self.builder) {
            Some(Parsed::Sequence(parts)) => parts,
            _ => vec![Part::Statement(Statement::Expression(
                self.builder.error(span.start, span.end),
            ))],
        };
        self.builder.som_method(selector, parameters, parts, span)
    }

    /// `pattern = primitive`: the machine binds it by class and selector. If the primitive declines, a message to the
    /// library decides.
    fn primitive(&mut self, index: usize, length: usize, last: usize) -> Method {
        let (selector, parameters) = self.pattern(index, length);
        let side = if self.class_side { " class" } else { "" };
        let binding = format!("som:{}{side}>>{}", self.class, selector.text);
        let at = self.lexemes[last].span;
        let mut method =
            self.builder
                .som_method(selector, parameters, Vec::new(), self.span(index, last));
        method.pragmas.push(Pragma {
            selector: "primitive:".to_owned(),
            arguments: vec![Literal::String(binding)],
            span: at,
        });
        method.body.statements.push(Statement::Return {
            value: failure(&method.selector, at),
            span: at,
        });
        method
    }

    /// Reports tokens that are no method and skips them.
    fn no_method(&mut self, index: usize, end: usize) -> usize {
        let next = self.next_member(self.behind(index), end);
        let lexeme = self.lexemes[index];
        if lexeme.synthetic || lexeme.token == Token::Erroneous {
            return next;
        }
        let argument =
            matches!(lexeme.token, Token::Keyword(_)) || lexeme.token.operator().is_some();
        let (code, span, message, label, help) = if argument {
            (
                "E0120",
                self.lexemes[(index + 1).min(end)].span,
                "this cannot stand in a message pattern",
                "expected the argument's name",
                "a pattern is `name`, `+ argument` or `at: argument put: argument`",
            )
        } else {
            let help = match lexeme.token {
                Token::Period => "methods are not separated by periods; remove it",
                _ => "a method is written `pattern = ( statements )`",
            };
            let span = self.span(index, self.behind(index) - 1);
            let label = "expected a method, `----` or `)`";
            ("E0121", span, "this is no part of a class", label, help)
        };
        let error = Diagnostic::error(code, span, message).labelled(label);
        self.report(error.helping(help));
        next
    }

    /// Reports a pattern without a body and skips to the next method.
    fn no_body(&mut self, index: usize, equals: usize, end: usize, label: &str) -> usize {
        let first = self.lexemes[index];
        let next = self.next_member(equals.min(end), end);
        if first.synthetic || self.token(equals) == Some(Token::Erroneous) {
            return next;
        }
        let span = self.span(index, equals - 1);
        if matches!(first.token, Token::Bar | Token::DoubleBar) {
            self.report(
                Diagnostic::error("E0121", span, "this is no part of a class")
                    .labelled("expected a method, `----` or `)`")
                    .helping("fields stand once, at the beginning of their side"),
            );
            return next;
        }
        self.report(
            Diagnostic::error("E0124", span, "a method without a body")
                .labelled(label)
                .helping("a method is written `pattern = ( statements )` or `pattern = primitive`"),
        );
        next
    }

    /// Nothing stands behind the class; most often a bracket too many closed it.
    fn check_end(&mut self, close: usize, diagnostics: &mut Vec<Diagnostic>) {
        let Some(next) = self.lexemes.get(close + 1).copied() else {
            return;
        };
        let closer = self.lexemes[close];
        if closer.synthetic || next.synthetic {
            return;
        }
        // The bracket at the very end that then has no partner is a consequence.
        diagnostics.retain(|one| one.code != "E0102" || one.span.start < closer.span.start);
        let help =
            if opens_method(&self.lexemes[close + 1..]) || matches!(next.token, Token::Separator) {
                "remove one `)` if the class goes on"
            } else {
                "a file holds one class; remove what follows it"
            };
        self.report(
            Diagnostic::error("E0143", next.span, "the text goes on behind the class")
                .labelled("no part of any class")
                .showing(closer.span, "the class ends here")
                .helping(help),
        );
    }
}

/// `self primitiveFailed: #selector`
fn failure(selector: &Name, at: Span) -> Expr {
    let argument = Expr::new(
        ExprKind::Literal(Literal::Symbol(selector.text.clone())),
        at,
    );
    let receiver = Box::new(Expr::new(ExprKind::Variable("self".to_owned()), at));
    let message = Message {
        selector: "primitiveFailed:".to_owned(),
        selector_span: at,
        span: at,
        arguments: vec![argument],
    };
    Expr::new(ExprKind::Send { receiver, message }, at)
}
