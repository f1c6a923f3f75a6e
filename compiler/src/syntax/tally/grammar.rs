//! The parser that is generated from `grammar.lalrpop`. Lints are off, because generated code has its own style.

use lalrpop_util::ParseError;

use crate::syntax::builder::{Builder, Parsed};
use crate::syntax::token::Token;
use crate::syntax::unit::Tokens;

#[allow(
    clippy::all,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    rust_2018_idioms
)]
#[allow(unused)]
mod generated {
    lalrpop_util::lalrpop_mod!(generated, "/syntax/tally/grammar.rs");
    pub(super) use generated::UnitParser;
}

pub(super) fn read<'s>(
    builder: &mut Builder,
    tokens: &mut Tokens<'_, 's>,
) -> Result<Parsed, ParseError<u32, Token<'s>, ()>> {
    generated::UnitParser::new().parse(builder, tokens)
}
