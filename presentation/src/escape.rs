//! Escaping: one function per format. Names, messages and sources come from files of unknown origin. Such text must not
//! control a terminal, become markup or reverse the direction of writing. CSV has its escaping in [`csv`](crate::csv).

use std::borrow::Cow;

/// Stands for a character that is not shown.
const SHOWN: char = '\u{FFFD}';

/// Whether a terminal would obey a character instead of showing it. The machine, which imports no crate, holds the same
/// rule for its traces; a test of the workspace compares the two.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}')
}

/// The text for a terminal, in one line.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |c| if is_obeyed(c) { SHOWN } else { c };
    Cow::Owned(text.chars().map(shown).collect())
}

/// The text between the tags or in an attribute of HTML, SVG or XML, in one line.
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().map(in_one_line) {
        match c {
            '"' => escaped.push_str("&quot;"),
            // XML has no such characters.
            '\u{FFFE}' | '\u{FFFF}' => escaped.push(SHOWN),
            c => push_without_tags(c, &mut escaped),
        }
    }
    escaped
}

/// A sentence or a cell as markup, not broken between a number and what belongs to it.
pub fn written(text: &str) -> String {
    let mut written = markup(text);
    for (broken, whole) in [(" %", "\u{a0}%"), ("≤ ", "≤\u{a0}"), ("≥ ", "≥\u{a0}")] {
        written = written.replace(broken, whole);
    }
    written
}

/// The text in a line or a cell of Markdown.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().map(in_one_line) {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // A backslash does not keep a name behind it from being mentioned.
            '@' => escaped.push_str("&#64;"),
            c => push_without_tags(c, &mut escaped),
        }
    }
    escaped
}

/// The text as code in a line or a cell of Markdown: no bar of it ends the cell, no backtick the code.
pub fn markdown_code(text: &str) -> String {
    let text: String = text.chars().map(in_one_line).collect();
    let text = text.replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    match longest {
        0 => format!("`{text}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {text} {fence}")
        }
    }
}

/// JSON in a script element: without a character that markup begins with. Such characters occur in strings only, where an
/// escape means the same.
pub fn embedded_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            _ => text.push(c),
        }
    }
    text
}

fn push_without_tags(c: char, escaped: &mut String) {
    match c {
        '&' => escaped.push_str("&amp;"),
        '<' => escaped.push_str("&lt;"),
        '>' => escaped.push_str("&gt;"),
        c => escaped.push(c),
    }
}

/// The character, or what stands for it in one line of text that is shown.
fn in_one_line(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if is_obeyed(c) => SHOWN,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "A_b|<i a=\"&\">[x](y)*@z\u{1b}\u{9b}\u{202e}\u{ffff}\n";

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}"), "a\u{FFFD}[31mb\u{FFFD}");
        assert_eq!(printable("täglich"), "täglich");
    }

    #[test]
    fn no_text_is_markup_or_obeyed() {
        assert_eq!(
            markup(ODD),
            "A_b|&lt;i a=&quot;&amp;&quot;&gt;[x](y)*@z\u{fffd}\u{fffd}\u{fffd}\u{fffd} "
        );
    }

    #[test]
    fn no_text_is_markdown_or_obeyed() {
        assert_eq!(
            markdown("A_b|<i>[x](y)*@z\u{1b}\n"),
            "A\\_b\\|&lt;i&gt;\\[x\\](y)\\*&#64;z\u{fffd} "
        );
    }

    #[test]
    fn no_text_ends_its_code_or_cell() {
        assert_eq!(markdown_code("A>>b|c\n"), "`A>>b\\|c `");
        assert_eq!(markdown_code("a``b"), "``` a``b ```");
    }

    #[test]
    fn json_in_a_page_holds_no_tag() {
        let text = embedded_json("\"</script>&\u{2028}\"");
        assert_eq!(text, "\"\\u003c/script\\u003e\\u0026\\u2028\"");
    }
}
