//! What is wrong with a text, its place, and how that looks. Where the text comes from does not matter here.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// What is wrong, without a full stop.
    pub(super) message: String,
    /// Where, in bytes.
    pub(super) place: Range<usize>,
    /// What stands beside the place.
    pub(super) label: String,
    /// What may have been meant.
    pub(super) help: Option<String>,
}

impl Complaint {
    pub(super) fn new(
        message: impl Into<String>,
        place: Range<usize>,
        label: impl Into<String>,
    ) -> Complaint {
        Complaint {
            message: message.into(),
            place,
            label: label.into(),
            help: None,
        }
    }

    /// The same with advice, if there is some.
    pub(super) fn helped(self, help: Option<String>) -> Complaint {
        Complaint { help, ..self }
    }
}

/// The complaints one below the other, with their lines of the text.
pub(super) fn render(complaints: &[Complaint], name: &str, text: &str, color: bool) -> String {
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let mut rendered = String::new();
    for complaint in complaints {
        if !rendered.is_empty() {
            rendered.push('\n');
        }
        let (lines, first_line, place) = lines_around(text, &complaint.place);
        let annotation = AnnotationKind::Primary
            .span(place)
            .label(complaint.label.as_str());
        let snippet = Snippet::source(lines)
            .line_start(first_line)
            .path(name)
            .annotation(annotation);
        let mut group = Level::ERROR
            .primary_title(complaint.message.as_str())
            .element(snippet);
        if let Some(help) = &complaint.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        rendered.push_str(&renderer.render(&[group]));
        rendered.push('\n');
    }
    rendered
}

/// The line in which a place begins, its number, and the place within it: a place that goes on for many lines is shown at its
/// beginning.
fn lines_around<'t>(text: &'t str, place: &Range<usize>) -> (&'t str, usize, Range<usize>) {
    let from = text.floor_char_boundary(place.start);
    let start = text[..from].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[from..]
        .find('\n')
        .map_or(text.len(), |newline| from + newline);
    let line = text[..start].matches('\n').count() + 1;
    let to = text.floor_char_boundary(place.end).clamp(from, end);
    (&text[start..end], line, from - start..to - start)
}
