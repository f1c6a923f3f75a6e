//! The report for people.

use super::arguments::TestArguments;
use crate::console;
use tally_presentation::grouped;
use tally_vm::{printable, printable_lines};

use tally_workbench::testing::outcome::{TestReport, Verdict};
use tally_workbench::testing::summary::{Summary, summary_line};
use tally_workbench::testing::worker::Ended;

/// Tests that the summary names as those with the most sends.
const NAMED: usize = 3;
/// The lines of a test's output that are shown, from its end.
const SHOWN_LINES: usize = 100;

/// What is said of a test as soon as it has ended.
pub(super) fn line(ended: &Ended, width: usize, how: &TestArguments) -> String {
    let report = &ended.report;
    if how.quiet && !report.verdict.is_bad() {
        return String::new();
    }
    let name = printable(&report.name);
    let mut text = format!("{name:width$}  {}", shown(report.verdict));
    if let Some(sends) = report.sends.filter(|_| how.verbose) {
        text.push_str(&format!("  {} sends", grouped(sends)));
    }
    if how.timing {
        text.push_str(&format!("  {:.1} ms", ended.time.as_secs_f64() * 1e3));
    }
    text.push('\n');
    if how.verbose {
        for section in &report.sections {
            let (name, sends) = (printable(&section.name), section.cost.counts.sends);
            text.push_str(&format!("    {name}  {} sends\n", grouped(sends)));
        }
    }
    if !report.verdict.is_bad() {
        for note in &report.notes {
            text.push_str(&shown_note(note));
        }
    }
    text
}

/// What is said in the end.
pub(super) fn end(tests: &[Ended], summary: &Summary, how: &TestArguments) -> String {
    let mut text = String::new();
    for ended in tests {
        let test = &ended.report;
        if test.verdict.is_bad() || (test.verdict == Verdict::Skip && !how.quiet) {
            text.push_str(&details(test));
        }
        // The output of other tests is not shown, and --verbose has shown all of it.
        if test.verdict.is_bad() && !how.verbose {
            text.push_str(&printed(&ended.output.text()));
        }
    }
    text.push_str(&format!("\n{}\n", summary_line(summary)));
    if summary.vacuous > 0 {
        text.push_str("A test that asserts nothing is not counted as passed.\n");
    }
    if !how.quiet {
        text.push_str(&most_sends(tests));
    }
    text
}

/// The tests with the most sends, if there are more tests than are named.
fn most_sends(tests: &[Ended]) -> String {
    let sends = tests.iter().filter_map(|ended| {
        let report = &ended.report;
        Some((report.sends?, report.name.as_str()))
    });
    let mut sends: Vec<(u64, &str)> = sends.collect();
    if sends.len() <= NAMED {
        return String::new();
    }
    sends.sort_by_key(|&(sends, name)| (std::cmp::Reverse(sends), name));
    let named = sends.iter().take(NAMED);
    let named = named.map(|(sends, name)| format!("{} {}", printable(name), grouped(*sends)));
    format!("most sends: {}\n", named.collect::<Vec<_>>().join(", "))
}

/// What a test has printed, its last lines.
fn printed(output: &str) -> String {
    let output = printable_lines(output.trim_end());
    if output.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = output.lines().collect();
    let hidden = lines.len().saturating_sub(SHOWN_LINES);
    let mut text = "    output:\n".to_string();
    if hidden > 0 {
        text.push_str(&format!(
            "    | … {} lines, which --verbose shows\n",
            grouped(hidden as u64)
        ));
    }
    for line in &lines[hidden..] {
        text.push_str(format!("    | {line}").trim_end());
        text.push('\n');
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
    if let Some(help) = &test.help {
        let help = printable_lines(help);
        text.push_str(&format!("    = help: {help}\n"));
    }
    text
}
