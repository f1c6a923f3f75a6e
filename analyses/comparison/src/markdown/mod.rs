//! A difference in Markdown, for a pull request: a line with the sums, the most important rows, and the others folded
//! away. Names come from programs and can be any text, so they are escaped.

mod explanation;

use std::fmt::Write as _;

use tally_presentation::escape::{markdown, markdown_code};
use tally_presentation::{percent, signed};

use crate::difference::{
    Difference, LoneRun, MethodDifference, RuleViolation, RunDifference, Show, WorkPart, both,
    explored, fate_text, headline, other_span,
};
use crate::explanation::Explained;
use explanation::markdown_rows;
use tally_profiler::Unit;

/// The rows that stand outside.
const TOP: usize = 5;

/// The report; at most `limit` rows of a table.
pub fn difference_markdown(
    difference: &Difference,
    explained: Option<&Explained>,
    violations: &[RuleViolation],
    show: Show,
    limit: Option<usize>,
) -> String {
    let limit = limit.unwrap_or(usize::MAX);
    let mut text = format!("**Tally: {}**\n", markdown(&headline(difference)));
    for violation in violations {
        let _ = writeln!(text, "\n❌ {}", markdown(&violation.to_string()));
    }
    for reason in &difference.incomparable {
        let reason = reason.to_string();
        let _ = writeln!(
            text,
            "\n⚠️ Not comparable, strictly speaking: {}.",
            markdown(&reason)
        );
    }
    for note in &difference.notes {
        let _ = writeln!(text, "\n⚠️ {}.", markdown(note));
    }
    for opposed in difference.opposed() {
        let _ = writeln!(text, "\n⚠️ Careful: {}.", markdown(&opposed));
    }
    if let Some(explained) = explained {
        let rows = markdown_rows(explained, &difference.unit);
        push_rows(&mut text, "why", WHY, &rows, usize::MAX);
    }
    let rows: Vec<String> = difference.work_parts.iter().map(work_row).collect();
    push_rows(&mut text, "work", WORK, &rows, usize::MAX);
    if difference.runs.iter().any(|run| !run.name.is_empty()) {
        let has_span = difference.runs.iter().any(|run| other_span(run).is_some());
        let has_explored = difference.runs.iter().any(|run| !explored(run).is_empty());
        let columns = (has_span, has_explored);
        let heading = tests_heading(columns);
        let rows = tests(difference, show, columns);
        push_rows(&mut text, "tests", &heading, &rows, limit);
    }
    let rows = methods(difference, show);
    match difference.unit.is_tally() {
        true => push_rows(&mut text, "methods", METHODS, &rows, limit),
        false => {
            let heading = functions_heading(&difference.unit);
            push_rows(&mut text, "functions", &heading, &rows, limit);
        }
    }
    let _ = write!(text, "\n<sub>{}</sub>\n", difference.proxy().trim_end());
    text
}

const WHY: &str = "| part | cause | how |\n| ---: | --- | --- |\n";
const WORK: &str = "| work | count | before and after |\n| ---: | --- | ---: |\n";
const METHODS: &str = "| method | | calls | own | difference | total | objects |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";

/// The heading of tests; the span and explorations have a column if they differ in one of them.
fn tests_heading((has_span, has_explored): (bool, bool)) -> String {
    let mut heading = "| test | sends | difference | | work |".to_string();
    let mut line = "| --- | ---: | ---: | ---: | ---: |".to_string();
    if has_span {
        heading.push_str(" span |");
        line.push_str(" ---: |");
    }
    if has_explored {
        heading.push_str(" explored |");
        line.push_str(" --- |");
    }
    format!("{heading}\n{line}\n")
}

/// The heading of functions; their calls have a column if they are known.
fn functions_heading(unit: &Unit) -> String {
    let (calls, line) = if unit.calls {
        (" calls |", " ---: |")
    } else {
        ("", "")
    };
    format!(
        "| function | |{calls} own {} | difference | total |\n| --- | --- |{line} ---: | ---: | ---: |\n",
        markdown(&unit.name)
    )
}

fn tests(
    difference: &Difference,
    show: Show,
    (has_span, has_explored): (bool, bool),
) -> Vec<String> {
    let runs = difference.runs.iter();
    let shown = runs.filter(|run| show.shows(run.leading_difference(), run.differs()));
    let row = |run: &RunDifference| {
        let (before, after) = (run.before.sends, run.after.sends);
        let span = other_span(run).map(|(before, after)| both(before, after));
        let span = has_span.then(|| format!(" {} |", span.unwrap_or_default()));
        let found = has_explored.then(|| format!(" {} |", markdown(&explored(run).join("; "))));
        format!(
            "| {} | {} | {} | {} | {} |{}{}",
            markdown_code(&run.name),
            both(before, after),
            signed(run.sends_difference()),
            percent(before, after).unwrap_or_default(),
            run.work_difference().map(signed).unwrap_or_default(),
            span.unwrap_or_default(),
            found.unwrap_or_default()
        )
    };
    let lone = |runs: &[LoneRun], word: &str| {
        let row = |run: &LoneRun| {
            let sends = tally_presentation::grouped(run.cost.sends);
            format!("| {} | {sends} | {word} | | |", markdown_code(&run.name))
        };
        runs.iter().map(row).collect::<Vec<_>>()
    };
    let mut rows: Vec<String> = shown.map(row).collect();
    rows.extend(lone(&difference.added_runs, "added"));
    rows.extend(lone(&difference.removed_runs, "removed"));
    rows
}

fn work_row(part: &WorkPart) -> String {
    format!(
        "| {} | {} | {} |",
        signed(part.part),
        part.name,
        both(part.before, part.after)
    )
}

fn methods(difference: &Difference, show: Show) -> Vec<String> {
    let shown = difference
        .methods
        .iter()
        .filter(|method| show.shows_method(method));
    let unit = &difference.unit;
    let row = |method: &MethodDifference| {
        let (before, after) = (&method.before, &method.after);
        if !unit.is_tally() {
            let calls = match unit.calls {
                true => format!(" {} |", both(before.calls, after.calls)),
                false => String::new(),
            };
            return format!(
                "| {} | {} |{calls} {} | {} | {} |",
                markdown_code(&method.name),
                method.fate.word(),
                both(before.own, after.own),
                signed(method.own_difference()),
                both(before.total, after.total),
            );
        }
        let old_name = method.old_name.as_deref().map(markdown_code);
        format!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            markdown_code(&method.name),
            fate_text(method.fate, old_name.as_deref()),
            both(before.calls, after.calls),
            both(before.own, after.own),
            signed(method.own_difference()),
            both(before.total, after.total),
            both(before.objects, after.objects),
        )
    };
    shown.map(row).collect()
}

/// A table whose first rows are seen at once.
fn push_rows(text: &mut String, what: &str, heading: &str, rows: &[String], limit: usize) {
    let hidden = rows.len().saturating_sub(limit);
    let rows = &rows[..rows.len().min(limit)];
    if rows.is_empty() {
        return;
    }
    let (first, rest) = rows.split_at(rows.len().min(TOP));
    let _ = write!(text, "\n{heading}{}\n", first.join("\n"));
    if !rest.is_empty() {
        let _ = write!(
            text,
            "\n<details><summary>{} more ({what})</summary>\n\n{heading}{}\n\n</details>\n",
            rest.len(),
            rest.join("\n")
        );
    }
    if hidden > 0 {
        let _ = writeln!(text, "\n… and {hidden} more ({what})");
    }
}
