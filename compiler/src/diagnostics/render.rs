//! Diagnostics as text for people: source line, caret, label, note and remedy.
//!
//! This module decides only the layout. It prints nothing; the command prints.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tally_vm::{printable, printable_lines};

use super::{Diagnostic, Severity, floor_boundary};
use tally_vm::bytecode::Span;

/// The diagnostics one below the other, in the order given, with an empty line between two.
pub fn render(
    diagnostics: &[Diagnostic],
    source_name: &str,
    source_text: &str,
    color: bool,
) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let window = Window::around(source_text, diagnostic);
        let diagnostic = shown(diagnostic);
        let source_name = printable(source_name);
        text.push_str(&renderer.render(&[group(&diagnostic, &source_name, &window)]));
        text.push('\n');
    }
    text
}

/// Characters of a sentence that are shown. A name in it can be as long as the source text.
const MOST_WORDS: usize = 300;
/// Bytes that carets mark on a line at most. The layout shows all marked bytes.
const MOST_MARKED: usize = 100;

/// Bytes of a line that the layout gets behind the marked ones. It shows fewer.
const MOST_BEHIND: usize = 4096;

/// The diagnostic with words that can be shown.
fn shown(diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    let Diagnostic {
        message,
        label,
        secondary,
        notes,
        help,
        ..
    } = &mut shown;
    let labels = secondary.iter_mut().map(|secondary| &mut secondary.label);
    let words = [message, label].into_iter().chain(labels).chain(notes);
    for text in words.chain(help) {
        let mut short = printable_lines(text).into_owned();
        if let Some((end, _)) = short.char_indices().nth(MOST_WORDS) {
            short.truncate(end);
            short.push('…');
        }
        *text = short;
    }
    shown
}

/// Source text with its control characters replaced by visible ones of the same length. The layout would print the
/// originals.
fn without_controls(text: &str) -> Cow<'_, str> {
    let is_passed = |c| matches!(c, '\u{80}'..='\u{9F}');
    match text.contains(is_passed) {
        true => Cow::Owned(text.replace(is_passed, "¿")),
        false => Cow::Borrowed(text),
    }
}

/// The lines of a text that a diagnostic shows. Handing only them to the layout keeps a diagnostic in a
/// text of many megabytes as cheap as one in a small text.
struct Window<'s> {
    text: Cow<'s, str>,
    start: usize,
    first_line: usize,
}

impl<'s> Window<'s> {
    fn around(source: &'s str, diagnostic: &Diagnostic) -> Window<'s> {
        let spans =
            || std::iter::once(diagnostic.span).chain(diagnostic.secondary.iter().map(|s| s.span));
        let first = spans().map(|span| span.start as usize).min().unwrap_or(0);
        let last = spans().map(|span| span.end as usize).max().unwrap_or(first);
        let first = floor_boundary(source, first);
        let last = floor_boundary(source, last.max(first));
        let start = source[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let behind = &source[last..floor_boundary(source, last + MOST_BEHIND)];
        let end = last + behind.find('\n').unwrap_or(behind.len());
        let first_line = source[..start]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count()
            + 1;
        Window {
            text: without_controls(&source[start..end]),
            start,
            first_line,
        }
    }

    /// Clips a span to this window and moves its ends to character boundaries, because the layout cuts the text there.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let place =
            |offset: u32| floor_boundary(&self.text, (offset as usize).saturating_sub(self.start));
        let start = place(span.start);
        let end = place(span.end).max(start);
        let most = floor_boundary(&self.text, start + MOST_MARKED);
        match end > most && !self.text[start..most].contains('\n') {
            true => start..most,
            false => start..end,
        }
    }
}

fn group<'a>(
    diagnostic: &'a Diagnostic,
    source_name: &'a str,
    window: &'a Window<'_>,
) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut primary = AnnotationKind::Primary.span(window.range(diagnostic.span));
    if !diagnostic.label.is_empty() {
        primary = primary.label(diagnostic.label.as_str());
    }
    let context = diagnostic.secondary.iter().map(|secondary| {
        AnnotationKind::Context
            .span(window.range(secondary.span))
            .label(secondary.label.as_str())
    });
    let snippet = Snippet::source(window.text.as_ref())
        .line_start(window.first_line)
        .path(source_name)
        .annotation(primary)
        .annotations(context);
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code);
    let mut group = title.element(snippet);
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}
