//! The width of texts on a screen, and shortening of texts to a width.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::escape::is_obeyed;

/// Stands for what was left out.
const ELLIPSIS: char = '…';
/// Columns between two tab stops.
const TAB: usize = 4;

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A line of source text as it is shown: tabs as spaces, nothing that a terminal would obey. Answers also
/// the column on the screen at which each of its characters stands, and that behind the last.
pub fn screen_line(line: &str) -> (String, Vec<usize>) {
    let mut shown = String::with_capacity(line.len());
    let mut columns = Vec::with_capacity(line.len() + 1);
    let mut column = 0;
    for c in line.chars() {
        columns.push(column);
        match c {
            '\t' => {
                let spaces = TAB - column % TAB;
                shown.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            c => {
                let c = if is_obeyed(c) { '\u{FFFD}' } else { c };
                shown.push(c);
                column += c.width().unwrap_or(0);
            }
        }
    }
    columns.push(column);
    (shown, columns)
}

/// The text in at most the given number of columns, with its middle left out if it takes more.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if width(text) <= most {
        return Cow::Borrowed(text);
    }
    let room = most.saturating_sub(1);
    let head = taken(text.chars(), room.div_ceil(2));
    let mut tail: Vec<char> = taken(text.chars().rev(), room / 2);
    tail.reverse();
    let mut short: String = head.into_iter().collect();
    if most > 0 {
        short.push(ELLIPSIS);
    }
    short.extend(tail);
    Cow::Owned(short)
}

/// The first characters that fit into the given number of columns.
fn taken(characters: impl Iterator<Item = char>, most: usize) -> Vec<char> {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= most
    };
    characters.take_while(fits).collect()
}

/// The first `room` characters of a text, the last of them an ellipsis if there are more.
pub fn clipped(text: &str, room: usize) -> String {
    match text.char_indices().nth(room) {
        None => text.to_string(),
        Some(_) => {
            let kept = text.chars().take(room.saturating_sub(1));
            kept.chain(['…']).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        let name = "OrderedCollection>>inject:into:";
        assert_eq!(shortened(name, 31), name);
        assert_eq!(shortened(name, 20), "OrderedCol…ect:into:");
        assert_eq!(width(&shortened(name, 20)), 20);
        assert_eq!(shortened(name, 1), "…");
        assert_eq!(shortened(name, 0), "");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("数える"), 6);
        let short = shortened("数える数える", 6);
        assert_eq!(short, "数…る");
        assert!(width(&short) <= 6);
    }

    #[test]
    fn tabs_become_spaces_and_columns_follow() {
        let (shown, columns) = screen_line("\ta\t数b");
        assert_eq!(shown, "    a   数b");
        assert_eq!(columns, [0, 4, 5, 8, 10, 11]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_shortened_fits(text in "\\PC{0,40}", most in 0usize..30) {
            proptest::prop_assert!(width(&shortened(&text, most)) <= most.max(width(&text).min(most)));
        }
    }
}
