//! The report for people.

use crate::console;
use tally_vm::{printable, printable_lines};

use tally_workbench::testing::outcome::{TestReport, Verdict};
use tally_workbench::testing::summary::{Summary, summary_line};
use tally_workbench::testing::worker::Ended;

/// What is said of a test as soon as it has ended.
pub(super) fn line(ended: &Ended, width: usize, with_time: bool) -> String {
    let report = &ended.report;
    let name = printable(&report.name);
    let mut text = format!("{name:width$}  {}", shown(report.verdict));
    if with_time {
        text.push_str(&format!("  {:.1} ms", ended.time.as_secs_f64() * 1e3));
    }
    text.push('\n');
    if !report.verdict.is_bad() {
        for note in &report.notes {
            text.push_str(&shown_note(note));
        }
    }
    text
}

/// What is said in the end.
pub(super) fn end(reports: &[&TestReport], summary: &Summary) -> String {
    let mut text = String::new();
    for test in reports {
        if test.verdict.is_bad() || test.verdict == Verdict::Skip {
            text.push_str(&details(test));
        }
    }
    text.push_str(&format!("\n{}\n", summary_line(summary)));
    if summary.vacuous > 0 {
        text.push_str("A test that asserts nothing is not counted as passed.\n");
    }
    text
}

/// The word for a verdict as the report shows it.
fn shown(verdict: Verdict) -> String {
    match verdict {
        Verdict::Vacuous | Verdict::Skip => verdict.word().to_string(),
        _ => console::tinted(verdict.word(), !verdict.is_bad()),
    }
}

/// Which test did not pass, and why.
pub(super) fn details(test: &TestReport) -> String {
    let name = printable(&test.name);
    format!("\n{name} {}\n{}", shown(test.verdict), reason(test))
}

fn shown_note(note: &str) -> String {
    let note = printable_lines(note);
    format!("    note: {}\n", note.replace('\n', "\n    "))
}

/// Why a test did not pass, and where.
pub(super) fn reason(test: &TestReport) -> String {
    let message = test.message.as_deref().unwrap_or("");
    let message = if message.is_empty() {
        "(no message)".to_string()
    } else {
        printable_lines(message.trim_end()).replace('\n', "\n    ")
    };
    let mut text = format!("    {message}\n");
    for note in &test.notes {
        text.push_str(&shown_note(note));
    }
    if test.verdict == Verdict::Skip {
        return text;
    }
    if let Some(origin) = &test.origin {
        text.push_str(&origin.text(""));
    }
    if let Some(place) = &test.place {
        text.push_str(&place.text(if test.origin.is_some() { "from " } else { "" }));
    }
    text
}
