//! What a program does without: definitions of packages that do not compile, and classes whose `initialize` failed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tally_compiler::diagnostic::line_column;
use tally_compiler::{LeftOut, LeftOutKind};
use tally_presentation::grouped;

use super::reading::Source;

/// A definition that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The kind of the definition.
    pub kind: LeftOutKind,
    /// It in words: `the class Foo`.
    pub what: String,
    /// The code of the error.
    pub code: &'static str,
    /// The file.
    pub file: String,
    /// The line of the error, from 1.
    pub line: usize,
}

impl Absent {
    pub(super) fn of(source: &Source, left_out: LeftOut) -> Absent {
        let LeftOut {
            kind,
            name,
            code,
            span,
        } = left_out;
        let what = match kind {
            LeftOutKind::Class => format!("the class {name}"),
            LeftOutKind::Extension => format!("an extension of {name}"),
            LeftOutKind::Method => name,
            LeftOutKind::Statements => "the statements of the file".to_string(),
            LeftOutKind::Text => "a piece of text".to_string(),
        };
        Absent {
            kind,
            what,
            code,
            file: source.name.clone(),
            line: line_column(&source.text, span.start).0,
        }
    }

    /// `E0208 the class Foo (Foo.class.st:3)`
    pub fn line(&self) -> String {
        format!("{} {} ({}:{})", self.code, self.what, self.file, self.line)
    }
}

/// How many definitions of which kinds are left out, with their codes: `left out: 2 classes, 1 method (2 × E0208, 1 × E0113)`.
/// The answer is `None` if none is.
pub fn summary(absent: &[Absent]) -> Option<String> {
    if absent.is_empty() {
        return None;
    }
    let mut kinds: BTreeMap<LeftOutKind, u64> = BTreeMap::new();
    let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
    for one in absent {
        *kinds.entry(one.kind).or_default() += 1;
        *codes.entry(one.code).or_default() += 1;
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| {
            let (one, many) = match kind {
                LeftOutKind::Class => ("class", "classes"),
                LeftOutKind::Extension => ("extension", "extensions"),
                LeftOutKind::Method => ("method", "methods"),
                LeftOutKind::Statements => ("file's statements", "files' statements"),
                LeftOutKind::Text => ("piece of text", "pieces of text"),
            };
            format!("{} {}", grouped(count), if count == 1 { one } else { many })
        })
        .collect();
    let codes: Vec<String> = codes
        .into_iter()
        .map(|(code, count)| format!("{} × {code}", grouped(count)))
        .collect();
    let mut text = format!("left out: {}", kinds.join(", "));
    let _ = write!(text, " ({})", codes.join(", "));
    Some(text)
}
