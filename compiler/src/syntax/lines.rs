//! The position of an offset on its line.

use super::ast::Span;

/// Whether only blanks stand before `offset` on its line.
pub(crate) fn is_first_on_line(source: &str, offset: usize) -> bool {
    let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | 0x0c);
    let before = source.as_bytes().get(..offset).unwrap_or_default();
    let before = before.iter().rev().find(|byte| !blank(byte));
    before.is_none_or(|byte| *byte == b'\n')
}

/// Whether `offset` is the first column of a line.
pub(crate) fn starts_line(source: &str, offset: usize) -> bool {
    offset == 0 || source.as_bytes()[offset - 1] == b'\n'
}

/// The blanks that the line of a span begins with.
pub(crate) fn indentation(source: &str, span: Span) -> &str {
    let before = &source[..span.start as usize];
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let text = &source[line..];
    &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
}
