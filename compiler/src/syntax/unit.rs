//! Reads one unit, such as a method, with the generated parser and recovers from errors.
//!
//! After an error, an erroneous expression replaces the statement around it, and the unit is read again. So every
//! statement can have its own error. [`super::explain`] words the errors.

use std::cell::Cell;

use lalrpop_util::ParseError;

use super::ast::Span;
use super::brackets;
use super::builder::{Builder, Parsed};
use super::explain::{self, Situation};
use super::token::{Entry, Lexeme, Token, pattern_length};

/// Tokens with their places, as a generated parser takes them.
pub(crate) type Tokens<'t, 's> = dyn Iterator<Item = Result<(u32, Token<'s>, u32), ()>> + 't;
/// The generated parser of a dialect.
pub(crate) type Grammar =
    for<'s> fn(&mut Builder, &mut Tokens<'_, 's>) -> Result<Parsed, ParseError<u32, Token<'s>, ()>>;

/// The most errors of a unit. After them the rest is not read.
const MOST_ERRORS: usize = 25;

/// Where a unit could not be read further.
struct Failure {
    /// The index of the token; the number of tokens at the end.
    index: usize,
    expected: Vec<String>,
}

/// Reads the tokens of a unit. The answer is `None` when nothing of it could be saved.
pub(crate) fn parse(
    grammar: Grammar,
    source: &str,
    entry: Entry,
    lexemes: &[Lexeme<'_>],
    builder: &mut Builder,
) -> Option<Parsed> {
    let reported = builder.diagnostics.len();
    let failure = match attempt(grammar, entry, lexemes, builder) {
        Ok(parsed) => return Some(parsed),
        Err(failure) => failure,
    };
    let mut found = Vec::new();
    let mut mended = lexemes.to_vec();
    let mut failure = Some(failure);
    let mut parsed = None;
    while let Some(Failure { index, expected }) = failure.take() {
        // The actions will report these diagnostics again when the mended unit is read.
        builder.diagnostics.truncate(reported);
        let situation = Situation::new(source, entry, &mended, index, expected);
        if !situation.is_consequence() {
            found.push(explain::explain(&situation));
        }
        let enclosing = situation.enclosing;
        if found.len() == MOST_ERRORS || !mend(entry, &mut mended, &enclosing, index) {
            break;
        }
        match attempt(grammar, entry, &mended, builder) {
            Ok(unit) => parsed = Some(unit),
            Err(next) => failure = Some(next),
        }
    }
    builder.diagnostics.append(&mut found);
    parsed
}

fn attempt(
    grammar: Grammar,
    entry: Entry,
    lexemes: &[Lexeme<'_>],
    builder: &mut Builder,
) -> Result<Parsed, Failure> {
    let read = Cell::new(0);
    let start = lexemes.first().map_or(0, |lexeme| lexeme.span.start);
    // A SOM body has a grammar of its own and so needs no production to be selected.
    let selects = (entry != Entry::SomBody).then_some(Ok((start, Token::Start(entry), start)));
    let tokens = lexemes.iter().map(|lexeme| {
        read.set(read.get() + 1);
        Ok((lexeme.span.start, lexeme.token, lexeme.span.end))
    });
    let parsed = grammar(builder, &mut selects.into_iter().chain(tokens));
    parsed.map_err(|error| match error {
        ParseError::UnrecognizedEof { expected, .. } => Failure {
            index: lexemes.len(),
            expected,
        },
        ParseError::UnrecognizedToken { expected, .. } => Failure {
            index: read.get() - 1,
            expected,
        },
        ParseError::InvalidToken { .. }
        | ParseError::ExtraToken { .. }
        | ParseError::User { .. } => {
            // The tokens are complete and the actions answer no errors; nothing of this happens.
            Failure {
                index: read.get().saturating_sub(1),
                expected: Vec::new(),
            }
        }
    })
}

/// Replaces the statement round the token at `index`; answers whether that was possible.
fn mend(entry: Entry, lexemes: &mut Vec<Lexeme<'_>>, enclosing: &[usize], index: usize) -> bool {
    let Some((start, end)) = statement_around(entry, lexemes, enclosing, index) else {
        return false;
    };
    let already = lexemes[start..end]
        .iter()
        .all(|lexeme| lexeme.token == Token::Erroneous);
    if already && end > start {
        return false;
    }
    let at = lexemes
        .get(start)
        .or(lexemes.last())
        .map_or(0, |lexeme| lexeme.span.start);
    let until = lexemes[start..end]
        .last()
        .map_or(at, |lexeme| lexeme.span.end);
    let span = Span {
        start: at,
        end: until.max(at),
    };
    let erroneous = Lexeme {
        token: Token::Erroneous,
        span,
        synthetic: true,
    };
    lexemes.splice(start..end, [erroneous]);
    true
}

/// The tokens that an error at `index` makes unreadable: the whole parenthesis or literal around it, else the
/// statement.
fn statement_around(
    entry: Entry,
    lexemes: &[Lexeme<'_>],
    enclosing: &[usize],
    index: usize,
) -> Option<(usize, usize)> {
    let partners = brackets::partners(lexemes);
    let (first, limit) = match enclosing.last() {
        Some(open) => (open + 1, partners[*open]),
        None => (top_start(entry, lexemes)?, lexemes.len()),
    };
    let statements = match enclosing.last().map(|open| lexemes[*open].token) {
        None | Some(Token::LeftBrace) => true,
        Some(Token::LeftBracket) => !explain::in_literal(lexemes, enclosing),
        Some(_) => false,
    };
    if !statements {
        return Some((first, limit));
    }
    if index < first {
        return None;
    }
    let mut start = first;
    let mut end = first;
    while end < limit && !(end >= index && lexemes[end].token == Token::Period) {
        let period = lexemes[end].token == Token::Period;
        end = if lexemes[end].token.closer().is_some() {
            partners[end] + 1
        } else {
            end + 1
        };
        if period {
            start = end;
        }
    }
    let declared = behind_declarations(&lexemes[..limit], start);
    Some((if declared <= index { declared } else { start }, end))
}

/// Where the statements of a unit begin that are not in brackets of their own.
fn top_start(entry: Entry, lexemes: &[Lexeme<'_>]) -> Option<usize> {
    match entry {
        Entry::Sequence | Entry::SomBody => Some(0),
        Entry::ClassVariable => Some(2),
        Entry::Browser => pattern_length(lexemes),
        Entry::Method | Entry::Placed | Entry::Pragma | Entry::Variables | Entry::ClassSide => None,
    }
}

/// The index behind block parameters, temporaries and pragmas that begin at `start`.
fn behind_declarations(lexemes: &[Lexeme<'_>], start: usize) -> usize {
    let token = |index: usize| lexemes.get(index).map(|lexeme| lexeme.token);
    let mut index = start;
    while token(index) == Some(Token::Colon)
        && matches!(token(index + 1), Some(Token::Identifier(_)))
    {
        index += 2;
    }
    if index > start {
        match token(index) {
            Some(Token::Bar) => index += 1,
            // The second bar opens temporaries.
            Some(Token::DoubleBar) => {}
            _ => return start,
        }
    }
    loop {
        let next = match token(index) {
            Some(Token::Bar | Token::DoubleBar) => behind_names(lexemes, index),
            Some(Token::Less) => lexemes[index..]
                .iter()
                .position(|lexeme| lexeme.token == Token::Greater)
                .map(|position| index + position + 1),
            _ => None,
        };
        match next {
            Some(next) => index = next,
            None => return index,
        }
    }
}

fn behind_names(lexemes: &[Lexeme<'_>], bar: usize) -> Option<usize> {
    let names = lexemes[bar + 1..]
        .iter()
        .take_while(|lexeme| matches!(lexeme.token, Token::Identifier(_)))
        .count();
    let close = bar + 1 + names;
    if lexemes
        .get(close)
        .is_some_and(|lexeme| lexeme.token == Token::Bar)
    {
        return Some(close + 1);
    }
    (lexemes[bar].token == Token::DoubleBar).then_some(bar + 1)
}
