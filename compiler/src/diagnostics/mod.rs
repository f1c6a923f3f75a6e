//! Diagnostics of a source text, as data: codes, spans and words.
//!
//! [`crate::diagnostics::render`] decides how a diagnostic looks on a terminal. The stages decide which diagnostics
//! there are.

pub mod bounds;
pub mod catalogue;
pub mod render;

use tally_vm::bytecode::Span;

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program has a meaning, though probably not the one that its author intended.
    Warning,
    /// The program means nothing; it does not run.
    Error,
}

/// A second location in the same text that explains the diagnostic, such as the opening bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secondary {
    /// Its location.
    pub span: Span,
    /// A short description of the text at this location.
    pub label: String,
}

/// One finding about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code: `E00xx` lexical, `E01xx` syntax, `E02xx` names, `W03xx` warnings.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The place that a caret points to.
    pub span: Span,
    /// The words beside the caret, such as the expected token; may be empty.
    pub label: String,
    /// Other places that explain the finding.
    pub secondary: Vec<Secondary>,
    /// Facts that explain the finding.
    pub notes: Vec<String>,
    /// The likely remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without label, notes and help.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// A warning without label, notes and help.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message,
            span,
            label: String::new(),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// The same with the words beside the caret.
    pub fn labelled(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The same with a further location.
    pub fn showing(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.secondary.push(Secondary {
            span,
            label: label.into(),
        });
        self
    }

    /// The same with one more fact.
    pub fn noting(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// The same with the likely remedy.
    pub fn helping(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether the program can not run because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The line and the column of a byte offset, both from 1; a column counts characters. An offset behind
/// the text or inside a character answers the nearest place before it.
pub fn line_column(source: &str, offset: u32) -> (usize, usize) {
    let end = floor_boundary(source, offset as usize);
    let before = &source[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

/// The greatest character boundary of `source` that is not behind `offset`.
pub(crate) fn floor_boundary(source: &str, offset: usize) -> usize {
    let mut boundary = offset.min(source.len());
    while !source.is_char_boundary(boundary) {
        boundary -= 1;
    }
    boundary
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn alternatives(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
