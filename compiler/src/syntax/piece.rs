//! A part of a source text that is read as a text of its own, such as a method of a file-out. Places in the part are
//! mapped back to places in the source.

use super::ast::Span;
use super::token::{Lexed, Token};
use crate::diagnostics::Diagnostic;

/// The text of a part and its location.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) text: String,
    start: u32,
    /// The offsets in the text of the characters that the source has twice.
    doubled: Vec<u32>,
}

impl Piece {
    /// The text between two offsets of a source.
    pub(crate) fn new(source: &str, start: usize, end: usize) -> Piece {
        Piece {
            text: source.get(start..end).unwrap_or_default().to_owned(),
            start: start as u32,
            doubled: Vec::new(),
        }
    }

    /// The same in a file-out, where `!!` stands for one `!`.
    pub(crate) fn chunk(source: &str, start: usize, end: usize) -> Piece {
        let mut piece = Piece::new(source, start, end);
        if !piece.text.contains("!!") {
            return piece;
        }
        let spelled = std::mem::take(&mut piece.text);
        let mut parts = spelled.split("!!");
        piece.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            piece.doubled.push(piece.text.len() as u32);
            piece.text.push('!');
            piece.text.push_str(part);
        }
        piece
    }

    /// The place in the source of an offset in the text.
    fn place(&self, offset: u32) -> u32 {
        let before = self.doubled.partition_point(|doubled| *doubled < offset);
        self.start + offset + before as u32
    }

    fn place_of(&self, span: Span) -> Span {
        Span {
            start: self.place(span.start),
            end: self.place(span.end),
        }
    }

    /// Moves tokens and diagnostics of the text to their places in the source.
    pub(crate) fn located<'s>(&self, mut lexed: Lexed<'s>) -> Lexed<'s> {
        for lexeme in &mut lexed.lexemes {
            lexeme.span = self.place_of(lexeme.span);
        }
        for diagnostic in &mut lexed.diagnostics {
            self.locate(diagnostic);
        }
        lexed
    }

    fn locate(&self, diagnostic: &mut Diagnostic) {
        diagnostic.span = self.place_of(diagnostic.span);
        for secondary in &mut diagnostic.secondary {
            secondary.span = self.place_of(secondary.span);
        }
    }

    /// The text with carriage returns in place of the line feeds in its literals; none if there are no such line feeds.
    /// Authors of packages end a line in a literal with a carriage return. Files have line feeds instead.
    pub(crate) fn with_returns(&self, lexed: &Lexed<'_>) -> Option<Piece> {
        let is_literal = |token: Token<'_>| {
            matches!(
                token,
                Token::String(_) | Token::Symbol(_) | Token::Character(_)
            )
        };
        let mut bytes = self.text.clone().into_bytes();
        let mut is_changed = false;
        for lexeme in lexed.lexemes.iter().filter(|one| is_literal(one.token)) {
            let literal = bytes.get_mut(lexeme.span.start as usize..lexeme.span.end as usize);
            for byte in literal.into_iter().flatten().filter(|byte| **byte == b'\n') {
                *byte = b'\r';
                is_changed = true;
            }
        }
        is_changed.then(|| Piece {
            text: String::from_utf8(bytes).unwrap_or_default(),
            start: self.start,
            doubled: self.doubled.clone(),
        })
    }
}
