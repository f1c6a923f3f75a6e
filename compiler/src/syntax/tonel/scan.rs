//! Finds metadata in a text, and blanks them out. It skips strings, comments and characters, because their contents may
//! look like metadata. It reads nothing else of the text.

use super::ston::{self, Map};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::Span;

/// The word that a definition begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Class,
    Trait,
    Extension,
    Package,
}

const KEYWORDS: [(&str, Keyword); 4] = [
    ("Class", Keyword::Class),
    ("Trait", Keyword::Trait),
    ("Extension", Keyword::Extension),
    ("Package", Keyword::Package),
];

/// A definition with its metadata.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) keyword: Keyword,
    /// The start of its word.
    pub(super) start: usize,
    /// The metadata; `None` if they could not be read, which was reported.
    pub(super) map: Option<Map>,
    /// The comment directly in front.
    pub(super) comment: Option<String>,
    /// From the word to the brace that closes the metadata.
    pub(super) span: Span,
}

/// The metadata in front of a method.
#[derive(Debug)]
pub(super) struct Category {
    pub(super) span: Span,
    pub(super) name: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) definitions: Vec<Found>,
    pub(super) categories: Vec<Category>,
    /// Whether the text begins with a definition, as the files of packages do.
    pub(super) of_package: bool,
    /// The text with blanks in place of metadata. Its length is the text's own.
    pub(super) blanked: String,
    /// Whether a definition's metadata could not be read.
    pub(super) unreadable: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The keyword of a definition whose brace stands at `brace`, and its offset. It has to stand at the beginning of a
/// line; no expression has a brace behind a name.
pub(super) fn keyword_before(source: &str, brace: usize) -> Option<(Keyword, usize)> {
    let before = source[..brace].trim_end();
    let (word, keyword) = KEYWORDS.iter().find(|(word, _)| before.ends_with(word))?;
    let start = before.len() - word.len();
    let first = start == 0 || super::is_first(source, start) || source[..start] == *"\u{feff}";
    first.then_some((*keyword, start))
}

/// Whether the text has nothing in it but blanks and comments.
pub(super) fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(comment) = rest.strip_prefix('"') {
        match comment.find('"') {
            Some(end) => rest = comment[end + 1..].trim_start(),
            None => return false,
        }
    }
    rest.is_empty()
}

pub(super) fn scan(source: &str) -> Scanned {
    let mut scanner = Scanner {
        source,
        position: 0,
        depth: 0,
        comment: None,
        blanks: Vec::new(),
        line_ends: Vec::new(),
        scanned: Scanned::default(),
    };
    scanner.run();
    let Scanner {
        blanks,
        line_ends,
        mut scanned,
        ..
    } = scanner;
    let first = scanned.definitions.first();
    scanned.of_package = first.is_some_and(|first| is_blank(&source[..first.start]));
    scanned.blanked = blanked(source, &blanks);
    if scanned.of_package {
        scanned.blanked = with_returns(scanned.blanked, &line_ends);
    }
    scanned
}

/// The text with carriage returns in place of the line feeds at these offsets. Authors of packages end a line in a
/// literal with a carriage return, which `String cr` equals. Files have line feeds instead.
fn with_returns(text: String, line_feeds: &[usize]) -> String {
    let mut bytes = text.into_bytes();
    for &at in line_feeds {
        bytes[at] = b'\r';
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The text with blanks in these ranges. Lines and offsets do not change.
fn blanked(source: &str, ranges: &[(usize, usize)]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut reached = 0;
    for &(start, end) in ranges {
        text.push_str(&source[reached..start]);
        for byte in source.as_bytes()[start..end].iter() {
            text.push(if *byte == b'\n' { '\n' } else { ' ' });
        }
        reached = end;
    }
    text.push_str(&source[reached..]);
    text
}

struct Scanner<'s> {
    source: &'s str,
    position: usize,
    /// How many brackets are open.
    depth: usize,
    /// The last comment and the place behind it.
    comment: Option<(usize, usize)>,
    /// The ranges to blank out, in order.
    blanks: Vec<(usize, usize)>,
    /// Where line feeds stand in the literals of methods.
    line_ends: Vec<usize>,
    scanned: Scanned,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.source.as_bytes().get(self.position).copied() {
            let start = self.position;
            self.position += 1;
            match byte {
                b'"' => {
                    self.skip_quoted('"');
                    // A doubled quote makes two comments, which touch each other, of one.
                    self.comment = match self.comment {
                        Some((first, end)) if end == start => Some((first, self.position)),
                        _ => Some((start, self.position)),
                    };
                }
                b'\'' => {
                    self.skip_quoted('\'');
                    self.line_ends(start);
                }
                b'$' => {
                    let next = self.source[self.position..].chars().next();
                    self.position += next.map_or(0, char::len_utf8);
                    self.line_ends(start);
                }
                b'(' | b'[' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b'{' => self.brace(start),
                _ => {}
            }
        }
    }

    /// Goes behind the next quote; to the end, if there is none.
    fn skip_quoted(&mut self, quote: char) {
        let rest = &self.source[self.position..];
        self.position += rest.find(quote).map_or(rest.len(), |found| found + 1);
    }

    /// Notes the line feeds from `start` on to here, inside a literal of a method.
    fn line_ends(&mut self, start: usize) {
        if self.depth > 0 {
            let literal = &self.source[start..self.position];
            self.line_ends
                .extend(literal.match_indices('\n').map(|(at, _)| start + at));
        }
    }

    fn brace(&mut self, brace: usize) {
        if let Some((keyword, start)) = keyword_before(self.source, brace) {
            return self.definition(keyword, start, brace);
        }
        let empty = || self.depth == 0 && self.source[brace + 1..].trim_start().starts_with('}');
        let is_first = super::is_first(self.source, brace);
        if is_first && (ston::opens_map(self.source, brace) || empty()) {
            return self.category(brace);
        }
        self.depth += 1;
    }

    fn definition(&mut self, keyword: Keyword, start: usize, brace: usize) {
        let comment = self
            .comment
            .filter(|(_, end)| self.source[*end..start].trim().is_empty())
            .map(|(first, end)| comment_text(&self.source[first..end]));
        let map = self.map(start, brace);
        self.scanned.unreadable |= map.is_none();
        self.depth = 0;
        self.scanned.definitions.push(Found {
            keyword,
            start,
            map,
            comment,
            span: Span {
                start: start as u32,
                end: self.position as u32,
            },
        });
    }

    fn category(&mut self, brace: usize) {
        let map = self.map(brace, brace);
        let category = map.as_ref().and_then(|map| {
            map.get("category")
                .or_else(|| map.get("protocol"))
                .and_then(|value| value.text())
                .map(str::to_owned)
        });
        if map.is_some() {
            self.scanned.categories.push(Category {
                span: Span {
                    start: brace as u32,
                    end: self.position as u32,
                },
                name: category,
            });
        }
    }

    /// Reads metadata and notes that they are to be blanked out from `start` on.
    fn map(&mut self, start: usize, brace: usize) -> Option<Map> {
        let (map, reached) = ston::map(self.source, brace);
        let map = match map {
            Ok(map) => {
                self.position = reached;
                Some(map)
            }
            Err(diagnostic) => {
                self.scanned.diagnostics.push(*diagnostic);
                self.position = end_of_unreadable(self.source, brace, reached);
                None
            }
        };
        self.blanks.push((start, self.position));
        map
    }
}

/// The end of metadata that became unreadable at `reached`. It is the next line that begins with neither a blank nor a
/// closing bracket, or the location behind such a bracket.
fn end_of_unreadable(source: &str, brace: usize, reached: usize) -> usize {
    let reached = reached.max(brace + 1).min(source.len());
    let line_end = |from: usize| source[from..].find('\n').map(|found| from + found + 1);
    let rest_of_line = &source[reached..line_end(reached).unwrap_or(source.len())];
    // Metadata of one line end on it.
    if !source[brace..reached].contains('\n')
        && let Some(close) = rest_of_line.rfind('}')
    {
        return reached + close + 1;
    }
    let mut position = reached;
    while let Some(next) = line_end(position) {
        let line = &source[next..];
        if line.starts_with('}') {
            return next + 1;
        }
        if !line.starts_with([' ', '\t', '\r', '\n', ']']) {
            return next;
        }
        position = next;
    }
    source.len()
}

/// What stands between the quotes, without the line breaks that Tonel puts there.
fn comment_text(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let inner = inner
        .strip_prefix("\r\n")
        .or_else(|| inner.strip_prefix('\n'))
        .unwrap_or(inner);
    let inner = inner.strip_suffix('\n').unwrap_or(inner);
    inner
        .strip_suffix('\r')
        .unwrap_or(inner)
        .replace("\"\"", "\"")
}
