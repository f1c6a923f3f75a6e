//! Groups tokens: items of a file, members of a class body.
//!
//! The brackets are balanced, so the outline knows where every definition ends before its inside is read. Then the
//! generated parser reads each unit on its own. So an error in one method does not spoil another method.

mod class_side;
mod mistakes;

use strsim::osa_distance;

use super::grammar::read;
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    Body, ClassDefinition, Extension, File, Item, Member, Method, Name, Span, Statement,
};
use crate::syntax::brackets;
use crate::syntax::builder::{self, Builder, Parsed, symbol};
use crate::syntax::findings::MOST_ERRORS;
use crate::syntax::lines::{is_first_on_line, starts_line};
use crate::syntax::token::{Entry, Lexeme, Token, pattern_length, token_at};
use crate::syntax::unit;
pub(crate) use class_side::class_side_opener;

const SUBCLASS: &str = "subclass:";

/// Whether a method of the class side is spelled with this word behind the class's name.
pub(crate) fn is_class_side(word: &str) -> bool {
    matches!(word, "class" | "classSide" | "classTrait")
}

/// The head of a definition at the top level, and the number of its tokens without the bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Class,
    Trait,
    Extend { class_side: bool },
    Placed { class_side: bool },
    Eval,
}

/// Whether a definition begins with these tokens.
pub(crate) fn opens_definition(lexemes: &[Lexeme<'_>]) -> bool {
    header(lexemes).is_some()
}

/// The distance to the bracket that opens the body of the class, extension or `Eval` at these tokens. None of the three
/// can stand inside brackets.
pub(crate) fn class_body_opener(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    match header(lexemes)? {
        (Header::Placed { .. }, _) => None,
        (_, length) => Some(length),
    }
}

fn is_bracket(lexemes: &[Lexeme<'_>], index: usize) -> bool {
    token_at(lexemes, index) == Some(Token::LeftBracket)
}

fn header(lexemes: &[Lexeme<'_>]) -> Option<(Header, usize)> {
    let (Token::Identifier(_) | Token::Scoped(_)) = token_at(lexemes, 0)? else {
        return None;
    };
    if is_bracket(lexemes, 1) {
        return (token_at(lexemes, 0)? == Token::Identifier("Eval")).then_some((Header::Eval, 1));
    }
    if matches!(token_at(lexemes, 1)?, Token::Keyword(keyword) if is_subclass(keyword)) {
        let named = matches!(
            token_at(lexemes, 2)?,
            Token::Identifier(_) | Token::Symbol(_)
        );
        return (named && is_bracket(lexemes, 3)).then_some((Header::Class, 3));
    }
    if token_at(lexemes, 1)? == Token::Keyword("named:")
        && token_at(lexemes, 0)? == Token::Identifier("Trait")
    {
        let named = matches!(
            token_at(lexemes, 2)?,
            Token::Identifier(_) | Token::Symbol(_)
        );
        return (named && is_bracket(lexemes, 3)).then_some((Header::Trait, 3));
    }
    let side = token_at(lexemes, 1)?;
    let class_side = match side {
        Token::Identifier(word) => is_class_side(word),
        _ => false,
    };
    let next = 1 + usize::from(class_side);
    match token_at(lexemes, next)? {
        Token::Identifier("extend")
            if is_bracket(lexemes, next + 1)
                && (!class_side || side == Token::Identifier("class")) =>
        {
            Some((Header::Extend { class_side }, next + 1))
        }
        Token::ShiftRight => {
            let pattern = pattern_length(&lexemes[next + 1..])?;
            let length = next + 1 + pattern;
            is_bracket(lexemes, length).then_some((Header::Placed { class_side }, length))
        }
        _ => None,
    }
}

/// Whether a keyword is `subclass:`, perhaps misspelt. No other keyword is followed by a name and a bracket.
fn is_subclass(keyword: &str) -> bool {
    keyword == SUBCLASS || osa_distance(&keyword.to_lowercase(), SUBCLASS) <= 2
}

/// Whether a method with its body in brackets begins here; no expression looks like that.
pub(crate) fn opens_method(lexemes: &[Lexeme<'_>]) -> bool {
    pattern_length(lexemes).is_some_and(|length| is_bracket(lexemes, length))
}

/// Reads a whole file.
pub(crate) fn file(
    source: &str,
    lexemes: &[Lexeme<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> File {
    let partners = brackets::partners(lexemes);
    let mut outliner = Outliner {
        source,
        lexemes,
        partners,
        builder: Builder::default(),
        items: Vec::new(),
    };
    outliner.items(0, lexemes.len());
    diagnostics.append(&mut outliner.builder.diagnostics);
    File {
        items: outliner.items,
        ..File::default()
    }
}

struct Outliner<'s, 't> {
    source: &'t str,
    lexemes: &'t [Lexeme<'s>],
    partners: Vec<usize>,
    builder: Builder,
    items: Vec<Item>,
}

impl<'s> Outliner<'s, '_> {
    fn token(&self, index: usize) -> Option<Token<'s>> {
        token_at(self.lexemes, index)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        crate::diagnostics::bounds::keep(&mut self.builder.diagnostics, diagnostic);
    }

    /// The index behind the token, or behind the brackets if it opens some.
    fn behind(&self, index: usize) -> usize {
        match self.token(index).and_then(Token::closer) {
            Some(_) => self.partners[index] + 1,
            None => index + 1,
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let first = self
            .lexemes
            .get(start)
            .map_or(0, |lexeme| lexeme.span.start);
        let last = self.lexemes[..end]
            .last()
            .map_or(first, |lexeme| lexeme.span.end);
        Span {
            start: first,
            end: last.max(first),
        }
    }

    fn is_first_on_line(&self, index: usize) -> bool {
        is_first_on_line(self.source, self.lexemes[index].span.start as usize)
    }

    fn gives_up(&self) -> bool {
        self.builder
            .diagnostics
            .iter()
            .filter(|d| d.is_error())
            .nth(MOST_ERRORS)
            .is_some()
    }

    fn unit(&mut self, entry: Entry, start: usize, end: usize) -> Option<Parsed> {
        unit::parse(
            read,
            self.source,
            entry,
            &self.lexemes[start..end],
            &mut self.builder,
        )
    }

    fn items(&mut self, start: usize, end: usize) {
        let mut index = start;
        while index < end && !self.gives_up() {
            index = match self.token(index) {
                Some(Token::Period) => index + 1,
                Some(Token::Bang(_)) => {
                    self.check_negation(index);
                    index + 1
                }
                _ => match header(&self.lexemes[index..end]) {
                    Some((header, length)) => self.definition(header, index, index + length),
                    None => self.statement(index, end),
                },
            };
        }
    }

    /// A statement as far as its period, or as far as a definition that follows without one.
    fn statement(&mut self, start: usize, limit: usize) -> usize {
        let mut end = start;
        let mut meets_definition = false;
        while end < limit && !matches!(self.token(end), Some(Token::Period | Token::Bang(_))) {
            if end > start && self.is_first_on_line(end) && header(&self.lexemes[end..]).is_some() {
                meets_definition = true;
                break;
            }
            end = self.behind(end);
        }
        let found = self.builder.diagnostics.len();
        if let Some(Parsed::Sequence(parts)) = self.unit(Entry::Sequence, start, end) {
            let items = self.builder.items(parts);
            self.items.extend(items);
        }
        // A statement with an error is often the head of a definition, which needs no period.
        if meets_definition && self.builder.diagnostics.len() == found {
            self.missing_period(start, end);
        }
        end
    }

    /// A definition whose opening bracket is at `open`.
    fn definition(&mut self, header: Header, start: usize, open: usize) -> usize {
        let close = self.partners[open];
        let span = self.span(start, open + 1);
        match header {
            Header::Class => {
                let (superclass, name) = (self.name(start), self.name(start + 2));
                self.check_subclass(start + 1, &superclass, &name);
                let members = self.members(open + 1, close);
                self.items.push(Item::Class(ClassDefinition {
                    name,
                    superclass,
                    members,
                    span,
                    ..ClassDefinition::default()
                }));
            }
            Header::Trait => {
                let name = self.name(start + 2);
                let superclass = Name {
                    text: "nil".to_owned(),
                    span: name.span,
                };
                let members = self.members(open + 1, close);
                self.items.push(Item::Class(ClassDefinition {
                    name,
                    superclass,
                    is_trait: true,
                    members,
                    span,
                    ..ClassDefinition::default()
                }));
            }
            Header::Extend { class_side } => {
                let class = self.name(start);
                let members = self.members(open + 1, close);
                self.items.push(Item::Extend(Extension {
                    class,
                    class_side,
                    members,
                    span,
                }));
            }
            Header::Placed { .. } => {
                if let Some(Parsed::Placed(placed)) = self.unit(Entry::Placed, start, close + 1) {
                    self.items.push(Item::Method(placed));
                }
            }
            Header::Eval => {
                let body = self.eval(open + 1, close);
                self.items.push(Item::Eval {
                    body,
                    span: self.span(start, close + 1),
                });
            }
        }
        close + 1
    }

    fn eval(&mut self, start: usize, end: usize) -> Body {
        match self.unit(Entry::Sequence, start, end) {
            Some(Parsed::Sequence(parts)) => self.builder.body(parts),
            _ => Body::default(),
        }
    }

    fn name(&self, index: usize) -> Name {
        let lexeme = &self.lexemes[index];
        let text = match lexeme.token {
            Token::Identifier(text) | Token::Scoped(text) => text.to_string(),
            Token::Symbol(text) => match symbol(text) {
                crate::syntax::ast::Literal::Symbol(text) => text,
                _ => String::new(),
            },
            _ => String::new(),
        };
        Name {
            text,
            span: lexeme.span,
        }
    }

    fn members(&mut self, start: usize, end: usize) -> Vec<Member> {
        let mut members = Vec::new();
        let mut index = start;
        while index < end && !self.gives_up() {
            if let Some((side, next)) = self.class_side(index, end) {
                members.extend(side);
                index = next;
                continue;
            }
            let (entry, next) = self.member(index, end);
            if let Some(entry) = entry {
                match self.unit(entry, index, next) {
                    Some(Parsed::Member(member)) => members.push(member),
                    Some(Parsed::Method(method)) => members.push(Member::Method(method)),
                    Some(Parsed::Placed(placed)) => members.push(Member::Placed(placed)),
                    Some(Parsed::Sequence(_)) | None => {}
                }
            }
            index = next;
        }
        members
    }

    /// What kind of member begins at `index` (`None`: none, and that was reported) and where it ends.
    fn member(&mut self, index: usize, limit: usize) -> (Option<Entry>, usize) {
        let rest = &self.lexemes[index..limit];
        if opens_method(rest) {
            return self.method(index, limit, Entry::Method);
        }
        match (token_at(rest, 0), token_at(rest, 1), token_at(rest, 2)) {
            (Some(Token::Bar), ..) => self.variables(index, limit),
            (Some(Token::DoubleBar), ..) => (Some(Entry::Variables), index + 1),
            (Some(Token::Less), ..) => self.pragma(index, limit),
            (Some(Token::Identifier(_)), Some(Token::Assign), _) => {
                self.class_variable(index, limit)
            }
            (
                Some(Token::Identifier(_) | Token::Scoped(_)),
                Some(Token::Identifier("class")),
                Some(Token::LeftBracket),
            ) => (Some(Entry::ClassSide), self.behind(index + 2)),
            (
                Some(Token::Identifier(_) | Token::Scoped(_)),
                Some(Token::Identifier("class")),
                Some(Token::ShiftRight),
            )
            | (Some(Token::Identifier(_) | Token::Scoped(_)), Some(Token::ShiftRight), _) => {
                self.method(index, limit, Entry::Placed)
            }
            (Some(Token::Identifier(_) | Token::Keyword(_)), ..) => {
                self.method(index, limit, Entry::Method)
            }
            (Some(first), ..) if first.operator().is_some() => {
                self.method(index, limit, Entry::Method)
            }
            _ => (None, self.junk(index, limit)),
        }
    }

    /// A method ends with the bracket that opens its body.
    fn method(&mut self, index: usize, limit: usize, entry: Entry) -> (Option<Entry>, usize) {
        let mut open = index;
        while open < limit && !is_bracket(self.lexemes, open) {
            let other = open > index
                && self.is_first_on_line(open)
                && opens_method(&self.lexemes[open..limit]);
            if other || self.token(open) == Some(Token::Period) {
                return (None, self.bodiless(index, open, limit));
            }
            open = self.behind(open);
        }
        if open >= limit {
            return (None, self.bodiless(index, limit, limit));
        }
        (Some(entry), self.behind(open))
    }

    /// Reports a method without brackets and skips to the next line that looks like a member.
    fn bodiless(&mut self, index: usize, reached: usize, limit: usize) -> usize {
        let pattern = pattern_length(&self.lexemes[index..limit]).unwrap_or(1);
        let span = self.span(index, index + pattern.min(reached - index).max(1));
        if let Some(diagnostic) = self.foreign_method(index) {
            self.report(diagnostic);
            return self.next_member(reached, limit);
        }
        if matches!(
            self.token(index),
            Some(Token::Identifier("self" | "super" | "Transcript"))
        ) {
            self.report(
                Diagnostic::error("E0121", span, "this is no part of a class")
                    .labelled("a statement outside of a method")
                    .helping("statements belong into a method: `name [ … ]`"),
            );
            return self.next_member(reached, limit);
        }
        let is_name = |at: usize| matches!(self.token(at), Some(Token::Identifier(_)));
        // Behind a class whose bracket is missing stands the script.
        let is_unclosed = self.lexemes.get(limit).is_some_and(|end| end.synthetic);
        if is_unclosed && starts_line(self.source, span.start as usize) {
            return self.next_member(reached, limit);
        }
        if reached > index + 1 && reached < limit && (index..reached).all(is_name) {
            let names = self.span(index, reached);
            let text = self.source.get(names.start as usize..names.end as usize);
            let text = text.filter(|text| !text.contains('\n')).unwrap_or("…");
            self.report(
                Diagnostic::error("E0124", names, "a method without a body")
                    .labelled("expected `[` behind a pattern")
                    .helping(format!(
                        "instance variables stand between bars: `| {text} |`"
                    )),
            );
            return self.next_member(reached, limit);
        }
        self.report(
            Diagnostic::error("E0124", span, "a method without a body")
                .labelled("expected `[` behind this pattern")
                .helping("a method is written `pattern [ statements ]`; a class variable `Name := value.`"),
        );
        self.next_member(reached, limit)
    }

    /// The next place at or behind `index` where reading can go on: a line that begins with a member.
    fn next_member(&self, index: usize, limit: usize) -> usize {
        let mut next = index;
        while next < limit {
            let rest = &self.lexemes[next..limit];
            let plausible = opens_method(rest)
                || matches!(token_at(rest, 0), Some(Token::Less | Token::Bar))
                || header(rest).is_some();
            if plausible && self.is_first_on_line(next) {
                return next;
            }
            next = self.behind(next);
        }
        limit
    }

    fn variables(&mut self, index: usize, limit: usize) -> (Option<Entry>, usize) {
        let mut end = index + 1;
        while end < limit && matches!(self.token(end), Some(Token::Identifier(_))) {
            end += 1;
        }
        if end < limit && self.token(end) == Some(Token::Bar) {
            return (Some(Entry::Variables), end + 1);
        }
        let at = self
            .lexemes
            .get(end.min(limit))
            .map_or(self.span(index, index + 1), |l| l.span);
        self.report(
            Diagnostic::error("E0119", at, "the instance variables are not closed")
                .labelled("expected a name or `|`")
                .showing(self.lexemes[index].span, "they begin here")
                .helping("instance variables are written `| a b |`"),
        );
        (None, self.next_member(end, limit))
    }

    fn pragma(&mut self, index: usize, limit: usize) -> (Option<Entry>, usize) {
        let mut end = index + 1;
        while end < limit {
            match self.token(end) {
                Some(Token::Greater) => return (Some(Entry::Pragma), end + 1),
                Some(Token::LeftBracket | Token::Period | Token::Assign | Token::Less) => break,
                _ => end = self.behind(end),
            }
        }
        self.report(
            Diagnostic::error(
                "E0122",
                self.lexemes[index].span,
                "the pragma is not closed",
            )
            .labelled("expected `>` behind it")
            .helping("a pragma is written `<comment: 'text'>`"),
        );
        (None, self.next_member(index + 1, limit))
    }

    fn class_variable(&mut self, index: usize, limit: usize) -> (Option<Entry>, usize) {
        let mut end = index;
        while end < limit {
            if self.token(end) == Some(Token::Period) {
                return (Some(Entry::ClassVariable), end + 1);
            }
            if end > index + 1 && self.is_first_on_line(end) && self.begins_member(end, limit) {
                break;
            }
            end = self.behind(end);
        }
        let last = self.lexemes[end - 1].span;
        self.report(
            Diagnostic::error(
                "E0126",
                last,
                "a period is missing behind the class variable",
            )
            .labelled("the value ends here")
            .helping("a class variable is written `Name := value.`"),
        );
        (Some(Entry::ClassVariable), end)
    }

    fn begins_member(&self, index: usize, limit: usize) -> bool {
        let rest = &self.lexemes[index..limit];
        let second_assigns = token_at(rest, 1) == Some(Token::Assign);
        let pragma = token_at(rest, 0) == Some(Token::Less)
            && matches!(token_at(rest, 1), Some(Token::Keyword(_)));
        opens_method(rest) || header(rest).is_some() || second_assigns || pragma
    }

    fn junk(&mut self, index: usize, limit: usize) -> usize {
        let lexeme = self.lexemes[index];
        let end = self.next_member(self.behind(index), limit);
        if lexeme.synthetic || lexeme.token == Token::Erroneous {
            return end;
        }
        let span = self.span(index, self.behind(index));
        let help = match lexeme.token {
            Token::Period => "members are not separated by periods; remove it",
            Token::LeftBracket => "a method's body follows its pattern: `name [ … ]`",
            _ => "statements belong into a method: `name [ … ]`",
        };
        self.report(
            Diagnostic::error("E0121", span, "this is no part of a class")
                .labelled("expected a method, `| variables |`, `<pragma: …>` or `Name := value.`")
                .helping(help),
        );
        end
    }
}

/// Reads one method as a browser shows it.
pub(crate) fn browser_method(
    source: &str,
    lexemes: &[Lexeme<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Method {
    let mut builder = Builder::default();
    let parsed = unit::parse(read, source, Entry::Browser, lexemes, &mut builder);
    diagnostics.append(&mut builder.diagnostics);
    match parsed {
        Some(Parsed::Method(method)) => method,
        _ => empty_method(source),
    }
}

/// Reads temporaries and statements without anything around them.
pub(crate) fn body(
    source: &str,
    lexemes: &[Lexeme<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Body {
    let mut builder = Builder::default();
    let body = match unit::parse(read, source, Entry::Sequence, lexemes, &mut builder) {
        Some(Parsed::Sequence(parts)) => builder.body(parts),
        _ => Body::default(),
    };
    diagnostics.append(&mut builder.diagnostics);
    body
}

/// A placeholder for a method with an unreadable pattern.
pub(crate) fn empty_method(source: &str) -> Method {
    let error = crate::syntax::ast::Expr::new(crate::syntax::ast::ExprKind::Error, Span::default());
    let body = Body {
        temporaries: Vec::new(),
        statements: vec![Statement::Expression(error)],
    };
    Method {
        selector: Name::default(),
        parameters: Vec::new(),
        category: None,
        pragmas: Vec::new(),
        body,
        span: builder::span(0, source.len() as u32),
    }
}
