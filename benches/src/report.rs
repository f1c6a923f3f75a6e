//! Rows of figures with a verdict each, and their printed form.

use std::io::{self, Write};
use std::process::ExitCode;

/// The verdict on a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It was met.
    Pass,
    /// It was missed.
    Fail,
    /// It could not be measured here, for this reason.
    Skipped(String),
    /// Measuring it went wrong in this way; as bad as a target that was missed.
    Broken(String),
    /// The row has no target.
    None,
}

impl Verdict {
    /// Whether a figure meets the limit. One that is no number does not.
    pub fn of(figure: f64, limit: f64) -> Verdict {
        if figure <= limit {
            Verdict::Pass
        } else {
            Verdict::Fail
        }
    }

    fn text(&self) -> String {
        match self {
            Verdict::Pass => "pass".to_string(),
            Verdict::Fail => "FAIL".to_string(),
            Verdict::Skipped(why) => format!("skipped: {why}"),
            Verdict::Broken(why) => format!("FAIL: {why}"),
            Verdict::None => String::new(),
        }
    }
}

/// A target and what was measured.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the target is about.
    pub name: String,
    /// The figures as text, one a column; empty when there are none.
    pub figures: Vec<String>,
    /// The verdict on the figures.
    pub verdict: Verdict,
}

impl Row {
    /// A row without figures.
    pub fn without_figures(name: &str, verdict: Verdict) -> Row {
        Row {
            name: name.to_string(),
            figures: Vec::new(),
            verdict,
        }
    }
}

/// Whether every target was met; those that were skipped count as met only on request.
pub fn all_met(rows: &[Row], allow_missing: bool) -> bool {
    rows.iter().all(|row| match row.verdict {
        Verdict::Pass | Verdict::None => true,
        Verdict::Fail | Verdict::Broken(_) => false,
        Verdict::Skipped(_) => allow_missing,
    })
}

/// How a command ends that answers whether every target was met, or why nothing could be measured. It prints that.
pub fn exit_code(ended: Result<bool, String>) -> ExitCode {
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            // When even that is closed, only the exit code is left to tell.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::from(2)
        }
    }
}

/// A command that runs parts of itself in processes of their own. With this option it runs the part, which gets the other words and answers
/// what it prints. Otherwise it runs the whole.
pub fn part_or_whole(
    option: &str,
    part: impl FnOnce(&mut dyn Iterator<Item = String>) -> Result<String, String>,
    whole: impl FnOnce() -> Result<bool, String>,
) -> ExitCode {
    let mut words = std::env::args().skip(1);
    exit_code(match words.next().is_some_and(|first| first == option) {
        true => part(&mut words).and_then(|told| {
            let written = writeln!(io::stdout(), "{told}");
            written.map(|()| true).map_err(|error| error.to_string())
        }),
        false => whole(),
    })
}

/// Prints rows below a heading, names to the left and figures to the right of their columns.
///
/// # Errors
/// What the stream has to say.
pub fn print(out: &mut dyn Write, title: &str, columns: &[&str], rows: &[Row]) -> io::Result<()> {
    let names = rows.iter().map(|row| row.name.as_str()).chain([title]);
    let first = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(n, c)| width(n, c, rows))
        .collect();
    line(out, first, &widths, title, columns, "")?;
    for row in rows {
        let figures: Vec<&str> = row.figures.iter().map(String::as_str).collect();
        line(
            out,
            first,
            &widths,
            &row.name,
            &figures,
            &row.verdict.text(),
        )?;
    }
    writeln!(out)
}

/// Prints the same as a table in Markdown.
///
/// # Errors
/// What the stream has to say.
pub fn print_markdown(
    out: &mut dyn Write,
    title: &str,
    columns: &[&str],
    rows: &[Row],
) -> io::Result<()> {
    writeln!(out, "| {title} | {} | |", columns.join(" | "))?;
    writeln!(out, "| --- |{} --- |", " ---: |".repeat(columns.len()))?;
    for row in rows {
        let figures = (0..columns.len()).map(|n| row.figures.get(n).cloned().unwrap_or_default());
        let figures: Vec<String> = figures.collect();
        let (name, verdict) = (&row.name, row.verdict.text());
        writeln!(out, "| {name} | {} | {verdict} |", figures.join(" | "))?;
    }
    writeln!(out)
}

fn width(number: usize, column: &str, rows: &[Row]) -> usize {
    let figures = rows.iter().filter_map(|row| row.figures.get(number));
    figures
        .map(|text| text.chars().count())
        .chain([column.len()])
        .max()
        .unwrap_or(0)
}

fn line(
    out: &mut dyn Write,
    first: usize,
    widths: &[usize],
    name: &str,
    figures: &[&str],
    verdict: &str,
) -> io::Result<()> {
    let mut text = format!("{name:first$}");
    for (number, width) in widths.iter().enumerate() {
        let figure = figures.get(number).copied().unwrap_or_default();
        text.push_str(&format!("  {figure:>width$}"));
    }
    text.push_str("  ");
    text.push_str(verdict);
    writeln!(out, "{}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{Row, Verdict, all_met};

    #[test]
    fn a_figure_that_is_no_number_misses_its_target() {
        assert_eq!(Verdict::of(f64::NAN, 1.0), Verdict::Fail);
        assert_eq!(Verdict::of(1.0, 1.0), Verdict::Pass);
    }

    #[test]
    fn a_skipped_target_is_not_met_unless_that_is_allowed() {
        let rows = [
            Row::without_figures("a", Verdict::Pass),
            Row::without_figures("b", Verdict::Skipped("lua5.4 is not installed".to_string())),
        ];
        assert!(!all_met(&rows, false));
        assert!(all_met(&rows, true));
        assert!(!all_met(&[Row::without_figures("c", Verdict::Fail)], true));
    }
}
