//! Reads the notation of designs.

use lalrpop_util::ParseError;
use logos::Logos;
use num_bigint::BigInt;
use num_traits::One;

use crate::error::PredictError;
use crate::pmf::{Exact, Rational};

/// Lints are off, because generated code has its own style.
#[allow(
    clippy::all,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    rust_2018_idioms
)]
#[allow(unused)]
mod generated {
    lalrpop_util::lalrpop_mod!(grammar);
    pub(super) use grammar::DesignParser;
}

/// How deep parentheses can be nested.
const MOST_NESTING: usize = 1_000;
/// The most tokens of a design.
const MOST_TOKENS: usize = 1_000_000;
/// The most digits of a number, and the largest power of ten.
const MOST_DIGITS: usize = 400;

/// An expression whose names are not known yet. Places are in bytes.
#[derive(Clone, Debug)]
pub(crate) enum Raw<'t> {
    Time(Exact),
    Name(&'t str, usize),
    Sequence(Vec<Raw<'t>>),
    Alternatives(Vec<(Rational, Raw<'t>)>),
    /// The body, and the numbers of repetitions, the innermost first. They stand in a list, so that a long chain is not deep.
    Loop(Box<Raw<'t>>, Vec<(Raw<'t>, usize)>),
    Parallel(Vec<Raw<'t>>),
}

/// A definition: its name, the place of that, and what it stands for.
pub(crate) type Definition<'t> = (&'t str, usize, Raw<'t>);

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n\u{feff}]+")]
#[logos(skip(r"#[^\n]*", allow_greedy = true))]
pub(crate) enum Token<'t> {
    #[regex(r"[\p{L}_][\p{L}\p{N}_]*")]
    Name(&'t str),
    #[regex(r"'[^'\n]+'", |lex| &lex.slice()[1..lex.slice().len() - 1])]
    Quoted(&'t str),
    #[token("IntPMF")]
    #[token("DoublePMF")]
    Palladio,
    #[regex(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")]
    Number(&'t str),
    #[token("-")]
    Minus,
    #[token("=")]
    Equals,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("|")]
    Bar,
    #[token("||")]
    #[token("‖")]
    DoubleBar,
    #[token("^")]
    Power,
    #[token("/")]
    Slash,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
}

/// A message with line and column.
pub(crate) fn at(text: &str, place: usize, why: &str) -> PredictError {
    let before = text.get(..place).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |one| one.chars().count())
        + 1;
    PredictError::usage(format!("{line}:{column}: {why}"))
}

/// A number without a sign, exactly.
pub(crate) fn number(text: &str) -> Result<Rational, PredictError> {
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let power = power.parse::<i64>().ok();
    let power = power.filter(|power| power.unsigned_abs() <= MOST_DIGITS as u64);
    let all = format!("{whole}{part}");
    let value = all
        .parse::<BigInt>()
        .ok()
        .filter(|_| all.len() <= MOST_DIGITS);
    let (Some(value), Some(power)) = (value, power) else {
        let why = format!("a number has at most {MOST_DIGITS} digits");
        return Err(PredictError::limit(why));
    };
    let shift = power - part.len() as i64;
    let scale = BigInt::from(10).pow(shift.unsigned_abs() as u32);
    Ok(match shift < 0 {
        true => Rational::new(value, scale),
        false => Rational::from_integer(value * scale),
    })
}

/// The share that a number of per cent is: above 0 and at most 1. None if the text is no such number.
pub fn share_of_per_cent(text: &str) -> Option<Rational> {
    let is_number =
        matches!(Token::lexer(text).next(), Some(Ok(Token::Number(all))) if all == text);
    let value = number(text).ok().filter(|_| is_number)? / BigInt::from(100);
    (value > Rational::default() && value <= Rational::one()).then_some(value)
}

/// A quotient.
pub(crate) fn quotient(above: Rational, below: Rational) -> Result<Rational, PredictError> {
    match below == Rational::default() {
        true => Err(PredictError::usage("a number is divided by zero")),
        false => Ok(above / below),
    }
}

/// Alternatives, whose probabilities sum to 1.
pub(crate) fn alternatives(parts: Vec<(Rational, Raw<'_>)>) -> Result<Raw<'_>, PredictError> {
    let sum: Rational = parts.iter().map(|(weight, _)| weight).sum();
    if let Some((weight, _)) = parts
        .iter()
        .find(|(weight, _)| *weight < Rational::default())
    {
        let why = format!("a probability is not negative, and {weight} is");
        return Err(PredictError::usage(why));
    }
    if !sum.is_one() {
        let why = format!("probabilities of alternatives sum to 1, and these sum to {sum}");
        return Err(PredictError::usage(why));
    }
    Ok(Raw::Alternatives(parts))
}

/// One of these, or all of them.
pub(crate) fn joined<'t>(mut parts: Vec<Raw<'t>>, join: fn(Vec<Raw<'t>>) -> Raw<'t>) -> Raw<'t> {
    match (parts.len(), parts.pop()) {
        (1, Some(one)) => one,
        (_, last) => {
            parts.extend(last);
            join(parts)
        }
    }
}

/// The definitions of a design, at least one.
///
/// # Errors
///
/// The text is not in the notation.
pub(crate) fn read(text: &str) -> Result<Vec<Definition<'_>>, PredictError> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    for (token, span) in Token::lexer(text).spanned() {
        let Ok(token) = token else {
            let found: String = text[span.clone()].chars().take(1).collect();
            let why = format!("{found:?} has no meaning here");
            return Err(at(text, span.start, &why));
        };
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTING {
            let why = format!("parentheses are nested at most {MOST_NESTING} deep");
            return Err(PredictError::limit(at(text, span.start, &why).message));
        }
        if tokens.len() == MOST_TOKENS {
            let why = format!("a design has at most {MOST_TOKENS} words and signs");
            return Err(PredictError::limit(at(text, span.start, &why).message));
        }
        tokens.push(Ok((span.start, token, span.end)));
    }
    let read = generated::DesignParser::new().parse(tokens);
    read.map_err(|error| match error {
        ParseError::User {
            error: (place, error),
        } => PredictError {
            message: at(text, place, &error.message).message,
            ..error
        },
        ParseError::UnrecognizedEof { .. } | ParseError::InvalidToken { .. } => {
            at(text, text.len(), "the design ends too early")
        }
        ParseError::UnrecognizedToken {
            token: (place, _, end),
            ..
        }
        | ParseError::ExtraToken {
            token: (place, _, end),
        } => {
            let why = format!("{} cannot stand here", &text[place..end]);
            at(text, place, &why)
        }
    })
}
