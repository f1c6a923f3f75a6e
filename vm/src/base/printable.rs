//! Texts that are safe to show on a terminal. Names, messages and sources come from files of unknown authors. Such a
//! text must not move the cursor, change colours or reverse the direction of writing. Only this module decides which
//! characters do that.

use std::borrow::Cow;

/// Stands for a character that a terminal would obey.
const SHOWN: char = '\u{FFFD}';

/// Whether a terminal would obey a character instead of showing it: control characters, and characters that reverse the
/// direction of writing.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}')
}

/// The text without characters that a terminal would obey. It is one line.
pub fn printable(text: &str) -> Cow<'_, str> {
    shown(text, is_obeyed)
}

/// The text without characters that a terminal would obey, except ends of lines and tabs.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    shown(text, |c| is_obeyed(c) && !matches!(c, '\n' | '\t'))
}

fn shown(text: &str, is_obeyed: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |c| if is_obeyed(c) { SHOWN } else { c };
    Cow::Owned(text.chars().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}"), "a\u{FFFD}[31mb\u{FFFD}");
        assert_eq!(printable("a\nb\u{9b}"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(printable("täglich"), "täglich");
        assert_eq!(printable_lines("a\tb\r\nc\u{7}"), "a\tb\u{FFFD}\nc\u{FFFD}");
    }
}
