//! Tokens and their locations: lexers make them, parsers read them. All dialects share them.

use super::ast::Span;
use crate::diagnostics::Diagnostic;

/// Which production of the grammar the tokens behind it are to be read with. It stands in the token
/// stream because the generated parser has one start symbol only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Temporaries and statements.
    Sequence,
    /// A method with its body in brackets.
    Method,
    /// A method with its class in front.
    Placed,
    /// A method as a browser shows it: the body without brackets.
    Browser,
    /// A pragma.
    Pragma,
    /// Instance variables between bars.
    Variables,
    /// `Foo class [ | a | ]`
    ClassSide,
    /// `Name := expression.`
    ClassVariable,
    /// The body of a SOM method, without the parentheses around it.
    SomBody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    /// Selects a production; never in a text.
    Start(Entry),
    /// A word, pseudo variables included.
    Identifier(&'s str),
    /// `Smalltalk.Foo`
    Scoped(&'s str),
    /// `at:`; in a literal array also `at:put:`.
    Keyword(&'s str),
    /// A binary selector that has no token of its own.
    Binary(&'s str),
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `>>`
    ShiftRight,
    /// `|`
    Bar,
    /// `||`
    DoubleBar,
    /// `!`, also several: a binary selector, or a separator at the top level.
    Bang(&'s str),
    /// A number as it is spelled.
    Number(&'s str),
    /// `$a`
    Character(char),
    /// A string with its quotes.
    String(&'s str),
    /// A symbol without its hash; with its quotes if it has them.
    Symbol(&'s str),
    /// `:=`
    Assign,
    /// `^`
    Caret,
    /// `.`
    Period,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `#(`
    HashParen,
    /// `#[`
    HashBracket,
    /// `#{`
    HashBrace,
    /// `----`, also longer: what stands between the sides of a SOM class.
    Separator,
    /// Stands for an expression in which an error was reported.
    Erroneous,
}

impl<'s> Token<'s> {
    /// The closing bracket, if this is an opening one.
    pub(crate) fn closer(self) -> Option<Token<'s>> {
        match self {
            Token::LeftParen | Token::HashParen => Some(Token::RightParen),
            Token::LeftBracket | Token::HashBracket => Some(Token::RightBracket),
            Token::LeftBrace | Token::HashBrace => Some(Token::RightBrace),
            _ => None,
        }
    }

    pub(crate) fn is_closer(self) -> bool {
        matches!(
            self,
            Token::RightParen | Token::RightBracket | Token::RightBrace
        )
    }

    /// The binary selector that it spells.
    pub(crate) fn operator(self) -> Option<&'s str> {
        match self {
            Token::Binary(text) | Token::Bang(text) => Some(text),
            Token::Less => Some("<"),
            Token::Greater => Some(">"),
            Token::ShiftRight => Some(">>"),
            Token::Bar => Some("|"),
            Token::DoubleBar => Some("||"),
            _ => None,
        }
    }

    /// Whether an operand of a binary message can end with it.
    pub(crate) fn ends_operand(self) -> bool {
        self.is_closer() || self.is_word_or_literal()
    }

    /// Whether an operand of a binary message can start with it.
    pub(crate) fn starts_operand(self) -> bool {
        self.closer().is_some() || self.is_word_or_literal()
    }

    fn is_word_or_literal(self) -> bool {
        matches!(
            self,
            Token::Identifier(_)
                | Token::Scoped(_)
                | Token::Number(_)
                | Token::Character(_)
                | Token::String(_)
                | Token::Symbol(_)
                | Token::Erroneous
        )
    }
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lexeme<'s> {
    /// The token.
    pub token: Token<'s>,
    /// Its location.
    pub span: Span,
    /// Whether the parser made it up to mend the text; errors at it are consequences.
    pub synthetic: bool,
}

/// The lexer's result.
#[derive(Debug, Default)]
pub(crate) struct Lexed<'s> {
    /// The tokens.
    pub lexemes: Vec<Lexeme<'s>>,
    /// The diagnostics of single tokens.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a string or a comment swallowed the rest of the text, so that brackets may be missing.
    pub truncated: bool,
}

impl<'s> Lexed<'s> {
    /// Adds a token that stands in the text.
    pub(crate) fn push(&mut self, token: Token<'s>, span: Span) {
        self.lexemes.push(Lexeme {
            token,
            span,
            synthetic: false,
        });
    }
}

/// The token at an index, if the index is in range.
pub(crate) fn token_at<'s>(lexemes: &[Lexeme<'s>], index: usize) -> Option<Token<'s>> {
    lexemes.get(index).map(|lexeme| lexeme.token)
}

/// How many of the tokens are a message pattern.
pub(crate) fn pattern_length(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    let named = |index| matches!(token_at(lexemes, index), Some(Token::Identifier(_)));
    match token_at(lexemes, 0)? {
        Token::Identifier(_) => Some(1),
        Token::Keyword(_) => {
            let mut length = 0;
            while matches!(token_at(lexemes, length), Some(Token::Keyword(_))) && named(length + 1)
            {
                length += 2;
            }
            (length > 0).then_some(length)
        }
        operator if operator.operator().is_some() && named(1) => Some(2),
        _ => None,
    }
}
