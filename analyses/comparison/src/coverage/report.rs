//! Coverage for people: shares by file and class, then the code that was never executed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tally_presentation::{Align, Layout, Page, share};

use super::{Counts, Coverage, Line, Routine, Share, Shares, lines_of};

/// How far the rows of classes stand in.
const INDENT: &str = "  ";

impl Coverage {
    /// Shares of methods, blocks, lines and send sites; then, unless everything ran, the methods that never did and the lines
    /// of the others that did not, or not as a whole.
    pub fn report(&self, page: Page) -> String {
        let mut layout = Layout::new(&[
            Align::Flexible,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
        ]);
        layout.row([
            "",
            "methods",
            "",
            "blocks",
            "",
            "lines",
            "",
            "send sites",
            "",
        ]);
        let mut missing = String::new();
        for (number, file) in self.outline.files.iter().enumerate() {
            let routines: Vec<_> = self.routines_of(number).collect();
            let shares = self.shares_of(routines.iter().copied());
            if shares == Shares::default() {
                continue;
            }
            layout.row(row(&file.name, &shares));
            let classes = by_class(&routines);
            if classes.len() > 1 {
                for (class, routines) in classes {
                    let shares = self.shares_of(routines.iter().copied());
                    let name = if class.is_empty() {
                        "(top level)"
                    } else {
                        class
                    };
                    layout.row(row(&format!("{INDENT}{name}"), &shares));
                }
            }
            missing_in(&file.name, &routines, &mut missing);
        }
        layout.row(row("all", &self.shares()));
        let mut text = layout.render_on(page);
        if !missing.is_empty() {
            let _ = write!(text, "\nNot covered:\n{missing}");
        }
        text
    }
}

fn row(name: &str, shares: &Shares) -> Vec<String> {
    let mut cells = vec![name.to_string()];
    for Share { covered, all } in [shares.methods, shares.blocks, shares.lines, shares.sites] {
        cells.push(format!("{covered}/{all}"));
        cells.push(share(covered, all));
    }
    cells
}

/// In the order of the text.
pub(super) fn by_class<'c>(
    routines: &[(&'c Routine, &'c Counts)],
) -> Vec<(&'c str, Vec<(&'c Routine, &'c Counts)>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut classes: Vec<(&str, Vec<_>)> = Vec::new();
    for &(routine, counts) in routines {
        // A class and its class side share one entry.
        let class = routine
            .class
            .strip_suffix(" class")
            .unwrap_or(&routine.class);
        let place = *places.entry(class).or_insert(classes.len());
        if place == classes.len() {
            classes.push((class, Vec::new()));
        }
        classes[place].1.push((routine, counts));
    }
    classes
}

fn missing_in(file: &str, routines: &[(&Routine, &Counts)], text: &mut String) {
    let (run, never): (Vec<_>, Vec<_>) = routines
        .iter()
        .copied()
        .partition(|(routine, counts)| counts.of_method(routine) > 0);
    let lines = lines_of(run.iter().copied());
    let missing = ranges(&lines, |line| line.count == 0);
    let partial = ranges(&lines, Line::is_partial);
    if never.is_empty() && missing.is_empty() && partial.is_empty() {
        return;
    }
    let _ = writeln!(text, "{INDENT}{file}");
    for (routine, _) in never {
        let lines = range(routine.line, routine.last_line);
        let _ = writeln!(text, "{INDENT}{INDENT}{}  {lines}", routine.name);
    }
    for (what, ranges) in [("lines", missing), ("in part", partial)] {
        if !ranges.is_empty() {
            let _ = writeln!(text, "{INDENT}{INDENT}{what} {}", ranges.join(", "));
        }
    }
}

fn range(first: usize, last: usize) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

/// The lines that are so, those next to each other as one; lines of which nothing is known part none.
fn ranges(lines: &BTreeMap<usize, Line>, is_so: impl Fn(Line) -> bool) -> Vec<String> {
    let mut ranges = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (&number, &line) in lines {
        open = match (open, is_so(line)) {
            (Some((first, _)), true) => Some((first, number)),
            (None, true) => Some((number, number)),
            (Some((first, last)), false) => {
                ranges.push(range(first, last));
                None
            }
            (None, false) => None,
        };
    }
    ranges.extend(open.map(|(first, last)| range(first, last)));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_next_to_each_other_are_told_together() {
        let line = |count| Line {
            count,
            has_gap: count == 0,
        };
        let lines: BTreeMap<usize, Line> =
            [(1, 0), (3, 0), (4, 2), (9, 0), (10, 1), (12, 0), (13, 0)]
                .map(|(number, count)| (number, line(count)))
                .into();
        assert_eq!(ranges(&lines, |l| l.count == 0), ["1-3", "9", "12-13"]);
        assert_eq!(ranges(&lines, Line::is_partial), [""; 0]);
        assert_eq!(ranges(&BTreeMap::new(), |_| true), [""; 0]);
    }
}
