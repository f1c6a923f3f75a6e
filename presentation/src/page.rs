//! The properties of the page that a text is written for: the width of its lines, and whether it has colours. There is no
//! locale.

use std::borrow::Cow;

use crate::escape::printable;
use crate::width::width;

/// Where a text is shown. The default is nowhere in particular: lines as long as they need to be, without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Columns that a line has, if there is an end to it.
    pub width: Option<usize>,
    /// Whether there are colours.
    pub color: bool,
}

impl Page {
    /// Sentences with their lines broken between words where they would not fit.
    pub fn wrapped(self, text: &str) -> String {
        let Some(most) = self.width else {
            return text.to_string();
        };
        let mut wrapped = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let mut used = 0;
            for word in line.split_inclusive(' ') {
                let taken = width(word.trim_end());
                if used > 0 && used + taken > most {
                    wrapped.truncate(wrapped.trim_end_matches(' ').len());
                    wrapped.push('\n');
                    used = 0;
                }
                wrapped.push_str(word);
                used += width(word.trim_end_matches('\n'));
            }
        }
        wrapped
    }

    /// The text as it looks in that tint.
    pub fn tinted<'t>(self, text: &'t str, tint: Tint) -> Cow<'t, str> {
        let code = match tint {
            _ if !self.color || text.is_empty() => return Cow::Borrowed(text),
            Tint::Plain => return Cow::Borrowed(text),
            Tint::Dim => "2",
            Tint::Strong => "1",
            Tint::Hot => "1;33",
        };
        Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
    }
}

/// The emphasis of a text. A tint never carries information alone, because pages may have no colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tint {
    /// As everything else.
    #[default]
    Plain,
    /// What one looks at last.
    Dim,
    /// What one looks at first.
    Strong,
    /// What costs much.
    Hot,
}

/// Adds the title of a part, after an empty line unless it is the first.
pub fn push_title(title: &str, page: Page, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    push_strong(title, page, text);
}

/// Adds words that stand out.
pub fn push_strong(words: &str, page: Page, text: &mut String) {
    for line in page.wrapped(&printable(words)).lines() {
        text.push_str(&page.tinted(line, Tint::Strong));
        text.push('\n');
    }
}

/// A sentence of a list; its further lines stand in line with the first.
pub fn push_item(sentence: &str, page: Page, text: &mut String) {
    let narrower = Page {
        width: page.width.map(|width| width.saturating_sub(2)),
        ..page
    };
    let wrapped = narrower.wrapped(&printable(sentence));
    for (number, line) in wrapped.lines().enumerate() {
        text.push_str(if number == 0 { "- " } else { "  " });
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        let page = Page {
            width: Some(10),
            color: false,
        };
        let text = "one two three\n\nfour averyverylongword x\n";
        let wrapped = "one two\nthree\n\nfour\naveryverylongword\nx\n";
        assert_eq!(page.wrapped(text), wrapped);
        assert_eq!(Page::default().wrapped(text), text);
    }
}
