//! Colours for an input while it is typed: comments, literals, reserved words, messages with colons and assignments. A text that is
//! not finished is coloured as far as it goes.

use std::borrow::Cow;

const RESET: &str = "\x1b[0m";
const COMMENT: &str = "\x1b[2m";
const LITERAL: &str = "\x1b[32m";
const NUMBER: &str = "\x1b[36m";
const RESERVED: &str = "\x1b[35m";
const SELECTOR: &str = "\x1b[34m";
const CLASS: &str = "\x1b[33m";
const COMMAND: &str = "\x1b[1m";

const WORDS: [&str; 6] = ["self", "super", "nil", "true", "false", "thisContext"];

/// The text with colours.
pub(super) fn highlighted(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let begin = text.trim_start();
    if let Some(command) = begin.strip_prefix(':') {
        let length = word_length(command) + 1 + (text.len() - begin.len());
        push(&mut out, COMMAND, &text[..length]);
        rest = &text[length..];
    }
    while let Some(first) = rest.chars().next() {
        let (length, color) = piece(rest, first);
        let (piece, after) = rest.split_at(length);
        push(&mut out, color, piece);
        rest = after;
    }
    Cow::Owned(out)
}

fn push(out: &mut String, color: &str, piece: &str) {
    if color.is_empty() {
        out.push_str(piece);
        return;
    }
    out.push_str(color);
    out.push_str(piece);
    out.push_str(RESET);
}

/// The length of the first piece of a text, and its colour; empty for none.
fn piece(text: &str, first: char) -> (usize, &'static str) {
    match first {
        '"' => (closed(text, '"'), COMMENT),
        '\'' => (closed(text, '\''), LITERAL),
        '$' => {
            let second = text[1..].chars().next();
            (1 + second.map_or(0, char::len_utf8), LITERAL)
        }
        '#' => (symbol(text), LITERAL),
        c if c.is_ascii_digit() => (number(text), NUMBER),
        c if is_letter(c) => word(text),
        ':' if text.starts_with(":=") => (2, RESERVED),
        '^' => (1, RESERVED),
        c => (c.len_utf8(), ""),
    }
}

/// The length of a text that begins with a quote, up to the next one. A doubled quote begins a piece of its own, of the same colour.
fn closed(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |at| at + 2)
}

fn symbol(text: &str) -> usize {
    let rest = &text[1..];
    if rest.starts_with('\'') {
        return 1 + closed(rest, '\'');
    }
    let is_part = |c: char| is_letter(c) || c.is_ascii_digit() || c == ':';
    1 + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
}

/// A number with radix, fraction or exponent. A point that no digit follows ends a statement.
fn number(text: &str) -> usize {
    let mut length = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let goes_on = match c {
            '.' => next.is_some_and(|c| c.is_ascii_digit()),
            '-' => text[..at].ends_with('e') && next.is_some_and(|c| c.is_ascii_digit()),
            c => c.is_ascii_alphanumeric() || c == '_',
        };
        if !goes_on {
            break;
        }
        length = at + c.len_utf8();
    }
    length
}

fn word(text: &str) -> (usize, &'static str) {
    let length = word_length(text);
    let (word, rest) = text.split_at(length);
    if rest.starts_with(':') && !rest.starts_with(":=") {
        return (length + 1, SELECTOR);
    }
    let color = match word {
        word if WORDS.contains(&word) => RESERVED,
        word if word.starts_with(char::is_uppercase) => CLASS,
        _ => "",
    };
    (length, color)
}

fn word_length(text: &str) -> usize {
    let is_part = |c: char| is_letter(c) || c.is_ascii_digit();
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each piece's colour as a letter before it.
    fn shown(text: &str) -> String {
        let letters = [
            (COMMENT, "<c>"),
            (LITERAL, "<l>"),
            (NUMBER, "<n>"),
            (RESERVED, "<r>"),
            (SELECTOR, "<s>"),
            (CLASS, "<C>"),
            (COMMAND, "<:>"),
            (RESET, "<>"),
        ];
        let colored = highlighted(text).into_owned();
        letters
            .iter()
            .fold(colored, |text, (color, letter)| text.replace(color, letter))
    }

    #[test]
    fn each_kind_of_token_has_its_colour() {
        for (text, expected) in [
            ("x := 3", "x <r>:=<> <n>3<>"),
            ("a at: 1.5e-3.", "a <s>at:<> <n>1.5e-3<>."),
            ("self foo. ^nil", "<r>self<> foo. <r>^<><r>nil<>"),
            ("Set new", "<C>Set<> new"),
            (
                "#foo:bar: #'a b' #(1)",
                "<l>#foo:bar:<> <l>#'a b'<> <l>#<>(<n>1<>)",
            ),
            ("'it''s' $' \"c\"", "<l>'it'<><l>'s'<> <l>$'<> <c>\"c\"<>"),
            (":cost 16r1F", "<:>:cost<> <n>16r1F<>"),
            ("[:x | x]", "[:x | x]"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn no_text_loses_a_character() {
        for text in [
            "",
            "'open",
            "\"open",
            "$",
            "#",
            "ä: é := 'ü",
            ":",
            "1.",
            "::=",
            "\u{1F600}#\u{1F600}",
        ] {
            let mut plain = highlighted(text).into_owned();
            for color in [
                COMMENT, LITERAL, NUMBER, RESERVED, SELECTOR, CLASS, COMMAND, RESET,
            ] {
                plain = plain.replace(color, "");
            }
            assert_eq!(plain, text);
        }
    }
}
