//! Puts the diagnostics of a text in order.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::MOST_KEPT;

/// The most errors of a text. After them the rest is not read, and no more are reported.
pub const MOST_ERRORS: usize = 100;

/// Sorts by the order of the text. Keeps one diagnostic for each location and code, and one about depth.
pub(crate) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    diagnostics.dedup_by(|second, first| first.code == second.code && first.span == second.span);
    let mut deep = false;
    diagnostics
        .retain(|diagnostic| diagnostic.code != "E0191" || !std::mem::replace(&mut deep, true));
    limited(diagnostics)
}

/// Cuts the list off: after thousands of errors, the later ones are consequences of the first ones.
fn limited(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let last = diagnostics
        .iter()
        .enumerate()
        .filter(|(_, d)| d.is_error())
        .nth(MOST_ERRORS);
    if let Some((index, first_hidden)) = last {
        let rest = diagnostics.len() - index;
        let diagnostic = Diagnostic::error("E0193", first_hidden.span, "too many errors").labelled(
            match rest < MOST_KEPT / 2 {
                true => format!("{rest} more from here on"),
                false => "thousands more from here on".to_string(),
            },
        );
        diagnostics.truncate(index);
        diagnostics.push(diagnostic);
    }
    diagnostics
}
