//! Examples in the comments of source files: lines of the form `(expression) >>> expected`. This module finds and parses
//! them; it runs nothing.

/// One example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The number of its line, from 1.
    pub line: usize,
    /// The expression, with its parentheses.
    pub expression: String,
    /// The expression of the expected value.
    pub expected: String,
}

const ARROW: &str = ">>>";

/// The examples in the comments of a source text, class comments included. A line of a comment that
/// has the arrow but not the form is an error, so that no example is passed over.
///
/// # Errors
/// Sentences that name the lines.
pub fn examples(source: &str) -> Result<Vec<Example>, Vec<String>> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for (first, comment) in comments(source) {
        for (index, line) in comment.lines().enumerate() {
            if !line.contains(ARROW) {
                continue;
            }
            let number = first + index;
            match example(number, line.trim()) {
                Ok(one) => found.push(one),
                Err(why) => errors.push(format!("{number}: {why}: {}", line.trim())),
            }
        }
    }
    if errors.is_empty() {
        Ok(found)
    } else {
        Err(errors)
    }
}

fn example(line: usize, text: &str) -> Result<Example, String> {
    if !text.starts_with('(') {
        return Err("an example begins with an expression in parentheses".to_string());
    }
    let end = closing(text).ok_or("the first parenthesis is not closed")?;
    let (expression, rest) = text.split_at(end);
    let expected = rest
        .trim_start()
        .strip_prefix(ARROW)
        .ok_or("the arrow does not follow the parentheses")?
        .trim();
    if expected.is_empty() {
        return Err("nothing stands behind the arrow".to_string());
    }
    let inner = expression[1..end - 1].trim();
    if inner.is_empty() || inner == expected {
        return Err("the example says nothing".to_string());
    }
    Ok(Example {
        line,
        expression: expression.to_string(),
        expected: expected.to_string(),
    })
}

/// The end of the parentheses that the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, piece) in pieces(text) {
        match piece {
            Piece::Other('(') => depth += 1,
            Piece::Other(')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The comments of a text, doubled quotes made single, with the numbers of the lines that they begin in.
/// What a class says of itself in `<comment: '…'>` is one too.
fn comments(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut lines = Lines {
        source,
        number: 1,
        at: 0,
    };
    for (at, piece) in pieces(source) {
        match piece {
            Piece::Comment(text) => found.push((lines.number_at(at), text.replace("\"\"", "\""))),
            Piece::String(text) if source[..at].trim_end().ends_with("<comment:") => {
                found.push((lines.number_at(at), text.replace("''", "'")));
            }
            Piece::String(_) | Piece::Other(_) => {}
        }
    }
    found
}

/// Counts lines on the way through a text.
struct Lines<'s> {
    source: &'s str,
    number: usize,
    at: usize,
}

impl Lines<'_> {
    fn number_at(&mut self, offset: usize) -> usize {
        self.number += self.source[self.at..offset].matches('\n').count();
        self.at = offset;
        self.number
    }
}

/// What matters for finding comments and parentheses.
enum Piece<'s> {
    /// A comment's inside.
    Comment(&'s str),
    /// A string's inside.
    String(&'s str),
    /// A character of anything else; characters behind `$` are left out.
    Other(char),
}

fn pieces(source: &str) -> impl Iterator<Item = (usize, Piece<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let first = source[start..].chars().next()?;
        at += first.len_utf8();
        let piece = match first {
            '"' | '\'' => {
                let inside = at;
                let end = quoted_end(source, inside, first);
                at = (end + 1).min(source.len());
                let text = &source[inside..end];
                if first == '"' {
                    Piece::Comment(text)
                } else {
                    Piece::String(text)
                }
            }
            '$' => {
                at += source[at..].chars().next().map_or(0, char::len_utf8);
                Piece::Other('$')
            }
            other => Piece::Other(other),
        };
        Some((start, piece))
    })
}

/// Where the text that began at `from` ends: at a quote that is not doubled, or at the end.
fn quoted_end(source: &str, from: usize, quote: char) -> usize {
    let mut at = from;
    while let Some(next) = source[at..].find(quote) {
        at += next;
        if !source[at + 1..].starts_with(quote) {
            return at;
        }
        at += 2;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: usize, expression: &str, expected: &str) -> Example {
        Example {
            line,
            expression: expression.to_string(),
            expected: expected.to_string(),
        }
    }

    #[test]
    fn examples_are_found_in_all_kinds_of_comments() {
        let source = "\"File.\n(1 + 2) >>> 3\"\nFoo [\n <comment: 'I am\n (''a'' size) >>> 1'>\n\
                      bar [ \"Answer (a) \"\"b\"\".\n   ($) value)   >>> '\"\"' first\" ^'\"(1) >>> 2' ] ]";
        let found = examples(source);
        let wanted = vec![
            one(2, "(1 + 2)", "3"),
            one(5, "('a' size)", "1"),
            one(7, "($) value)", "'\"' first"),
        ];
        assert_eq!(found, Ok(wanted));
    }

    #[test]
    fn what_is_malformed_is_an_error() {
        for line in [
            "3 + 4 >>> 7",
            "(3 + 4 >>> 7",
            "(3 + 4) foo >>> 7",
            "(3 + 4) >>>",
            "(7) >>> 7",
            "() >>> 7",
        ] {
            assert!(examples(&format!("\"{line}\"")).is_err(), "{line}");
        }
    }
}
