//! Showing what the compiler finds in many sources, but not without end: the first warnings of each kind as they are, and the
//! number of the others. Errors of definitions that are left out are limited in the same way.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::render::render;
use tally_presentation::grouped;

use super::reading::Source;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// The most errors that are shown for a file: more would bury the first.
const SHOWN_ERRORS: usize = 50;
/// The most warnings of one kind that are shown.
const SHOWN_OF_A_KIND: usize = 5;
/// The most names that the line of a kind lists.
const LISTED: usize = 5;
/// From this number of findings on, their total is shown.
const MANY: usize = 10;

/// What was found so far.
#[derive(Default)]
pub struct Findings {
    errors: usize,
    warnings: usize,
    files: usize,
    kinds: BTreeMap<&'static str, Kind>,
}

/// The findings with one code.
#[derive(Default)]
struct Kind {
    count: usize,
    /// How often each text is underlined.
    texts: BTreeMap<String, usize>,
    /// Whether each of the texts is a name.
    has_other_texts: bool,
}

impl Findings {
    /// Shows the findings in a source that is to run.
    ///
    /// For packages, which often have other owners, it shows errors and what is missing, no other warnings. If the source
    /// is loaded all the same, only the first errors of each kind are shown.
    pub fn show_of_program(
        &mut self,
        source: &Source,
        mut diagnostics: Vec<Diagnostic>,
        is_loaded: bool,
        front: &dyn Embedder,
    ) {
        if source.package.is_some() {
            diagnostics.retain(|one| one.is_error() || one.code.starts_with("W031"));
        }
        self.show_limited(source, diagnostics, is_loaded, front);
    }

    /// Shows the findings in a source.
    pub fn show(&mut self, source: &Source, diagnostics: Vec<Diagnostic>, front: &dyn Embedder) {
        self.show_limited(source, diagnostics, false, front);
    }

    fn show_limited(
        &mut self,
        source: &Source,
        diagnostics: Vec<Diagnostic>,
        limits_errors: bool,
        front: &dyn Embedder,
    ) {
        self.files += usize::from(!diagnostics.is_empty());
        let mut errors = 0;
        let mut is_shown = |one: &Diagnostic| {
            if one.is_error() {
                errors += 1;
            }
            if one.is_error() && !limits_errors {
                return errors <= SHOWN_ERRORS;
            }
            self.warnings += usize::from(!one.is_error());
            let kind = self.kinds.entry(one.code).or_default();
            kind.add(underlined(source, one));
            kind.count <= SHOWN_OF_A_KIND
        };
        let shown: Vec<Diagnostic> = diagnostics
            .into_iter()
            .filter(|one| is_shown(one))
            .collect();
        self.errors += errors;
        if !shown.is_empty() {
            let (name, text) = (&source.name, &source.text);
            front.show(&render(&shown, name, text, front.in_color()));
        }
        if errors > SHOWN_ERRORS && !limits_errors {
            let why = format!("{}: {} more errors", source.name, errors - SHOWN_ERRORS);
            front.complain(&Error::new(ErrorKind::Source, why));
        }
    }

    /// Shows the number of the warnings that were not shown.
    pub fn end_of_kinds(&self, front: &dyn Embedder) {
        for (code, kind) in &self.kinds {
            if kind.count > SHOWN_OF_A_KIND {
                front.warn(&kind.line(code));
            }
        }
    }

    /// The same, and the total if that is large.
    pub fn end(&self, front: &dyn Embedder) {
        self.end_of_kinds(front);
        if self.errors + self.warnings < MANY {
            return;
        }
        let counted = |count: usize, what: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{} {what}{plural}", grouped(count as u64))
        };
        let warnings = counted(self.warnings, "warning");
        let place = counted(self.files, "file");
        if self.errors == 0 {
            return front.warn(&format!("{warnings} in {place}"));
        }
        let errors = counted(self.errors, "error");
        let total = format!("{errors} and {warnings} in {place}");
        front.complain(&Error::new(ErrorKind::Source, total));
    }
}

impl Kind {
    fn add(&mut self, text: &str) {
        self.count += 1;
        self.has_other_texts |= !is_name(text);
        // Other texts need no room: they are not listed.
        if !self.has_other_texts {
            *self.texts.entry(text.to_string()).or_default() += 1;
        }
    }

    /// `1,129 × W0313, in 14 names: Foo (800), Bar (12), …; the first 5 are shown`
    fn line(&self, code: &str) -> String {
        let mut line = format!("{} × {code}", grouped(self.count as u64));
        if !self.has_other_texts {
            let plural = if self.texts.len() == 1 { "" } else { "s" };
            let _ = write!(
                line,
                ", in {} name{plural}: ",
                grouped(self.texts.len() as u64)
            );
            let mut texts: Vec<(&String, &usize)> = self.texts.iter().collect();
            texts.sort_by_key(|(text, count)| (std::cmp::Reverse(**count), *text));
            let listed = texts.iter().take(LISTED);
            let listed: Vec<String> = listed
                .map(|(text, count)| format!("{text} ({})", grouped(**count as u64)))
                .collect();
            line.push_str(&listed.join(", "));
            if texts.len() > LISTED {
                line.push_str(", …");
            }
        }
        let _ = write!(line, "; the first {SHOWN_OF_A_KIND} are shown");
        line
    }
}

/// The text that a finding underlines.
fn underlined<'s>(source: &'s Source, one: &Diagnostic) -> &'s str {
    let range = one.span.start as usize..one.span.end as usize;
    source.text.get(range).unwrap_or_default()
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    text.starts_with(char::is_alphabetic) && text.chars().all(is_part)
}
