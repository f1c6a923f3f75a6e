//! Cuts a file-out into chunks. A chunk ends with `!`, and `!!` stands for one `!` in it. This module knows no
//! Smalltalk but the form of a preamble.

use crate::syntax::lines::is_first_on_line;

/// The text between two bangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Where its text begins and ends, without blanks around it.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The offset behind its bang.
    pub(super) next: usize,
}

impl Chunk {
    pub(super) fn is_blank(self) -> bool {
        self.start >= self.end
    }
}

/// The chunk that begins at an offset.
pub(super) fn chunk(source: &str, from: usize) -> Chunk {
    let bytes = source.as_bytes();
    let mut bang = from;
    while let Some(found) = source[bang..].find('!') {
        bang += found;
        if bytes.get(bang + 1) != Some(&b'!') {
            return trimmed(source, from, bang, bang + 1);
        }
        bang += 2;
    }
    trimmed(source, from, source.len(), source.len())
}

fn trimmed(source: &str, from: usize, end: usize, next: usize) -> Chunk {
    let text = &source[from..end];
    let start = end - text.trim_start_matches(is_blank).len();
    let end = start + source[start..end].trim_end_matches(is_blank).len();
    Chunk { start, end, next }
}

/// Whether a character between chunks means nothing.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{feff}' | '\0')
}

/// The messages of preambles that methods or a comment follow.
const PREAMBLES: [&str; 4] = ["methodsFor:", "methodsFor!", "methods!", "commentStamp:"];

/// Whether a text is a file-out: whether a preamble begins one of its lines, or a string and a bang begin the text.
pub fn is_in(source: &str) -> bool {
    begins_with_origin(source)
        || source
            .match_indices('!')
            .any(|(bang, _)| begins_line(source, bang) && is_preamble(&source[bang + 1..]))
}

/// The bang of the first preamble from an offset on that begins a line.
pub(crate) fn next_preamble(source: &str, from: usize) -> Option<usize> {
    let mut bangs = source[from..].match_indices('!').map(|(at, _)| from + at);
    bangs.find(|&bang| begins_line(source, bang) && is_preamble(&source[bang + 1..]))
}

/// Files of some systems end lines with carriage returns.
fn begins_line(source: &str, offset: usize) -> bool {
    let before = source[..offset].trim_end_matches([' ', '\t']);
    before.ends_with(['\r', '!', '\u{feff}']) || is_first_on_line(source, offset)
}

/// Whether `Foo methodsFor: …` or a like message of a class begins a text.
fn is_preamble(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let Some(behind) = text
        .find(|c| !is_part(c))
        .filter(|length| *length > 0)
        .map(|length| &text[length..])
    else {
        return false;
    };
    let Some(mut message) = behind.strip_prefix(' ') else {
        return false;
    };
    for side in ["class ", "classSide ", "classTrait "] {
        message = message.strip_prefix(side).unwrap_or(message);
    }
    PREAMBLES.iter().any(|known| message.starts_with(known))
}

/// Whether `'From Pharo …'!` begins a text: what file-outs say of their origin.
fn begins_with_origin(source: &str) -> bool {
    let text = source.trim_start_matches(is_blank);
    let Some(origin) = text.strip_prefix("'From ") else {
        return false;
    };
    let behind = origin.find(['\'', '\n']).map(|end| &origin[end..]);
    behind.is_some_and(|behind| behind.starts_with("'!") && !behind.starts_with("'!!"))
}
