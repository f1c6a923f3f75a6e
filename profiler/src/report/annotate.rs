//! Source text with counts in its margin: the sends of each line, the sends below these, and their work. If a line sends several
//! messages, a second line lists each message.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tally_presentation::width::{screen_line, width};
use tally_presentation::{Page, Tint, counted, grouped, printable, share};

use super::{Missing, WORK_PROXY, headline, reservations};
use crate::profile::Profile;

/// A text to annotate: a file, or a part of one that begins at a line of its own.
#[derive(Clone, Copy, Debug)]
pub struct Annotated<'t> {
    /// The title above it.
    pub title: &'t str,
    /// The file that it is from, as the profile names it.
    pub file: &'t str,
    /// Number of its first line in that file, from 1.
    pub first_line: usize,
    /// The text.
    pub text: &'t str,
    /// The index of the method to which the counts are restricted; `None` for all methods of the file.
    pub method: Option<usize>,
}

/// Lines without counts between lines with counts that are shown all the same.
const CONTEXT: usize = 3;
/// Lines in a row that are not left out although nothing was counted on them.
const SHORT_GAP: usize = 9;

/// The texts with the sends of each of their lines. Unless `whole`, long stretches without sends and texts without sends
/// are left out.
pub fn annotate(
    profile: &Profile,
    texts: &[Annotated<'_>],
    whole: bool,
    page: Page,
) -> Result<String, Missing> {
    if profile.sites.is_empty() && profile.cost.sends > 0 {
        return Err(Missing::Sites);
    }
    let mut report = page.wrapped(&headline(profile)) + "\n";
    let (mut sum, mut lost, mut left_out) = (0u64, 0u64, 0u64);
    for text in texts {
        let counts = Counts::of(profile, text);
        if counts.is_empty() && !whole && text.method.is_none() {
            left_out += 1;
            continue;
        }
        let margins = Margins::new(&counts, profile.has_work());
        let _ = writeln!(
            report,
            "\n{}\n{}",
            page.tinted(&printable(text.title), Tint::Strong),
            margins.heading()
        );
        let mut listing = Listing {
            counts: &counts,
            margins,
            sends: profile.cost.sends,
            page,
            text: &mut report,
        };
        lost = lost.saturating_add(listing.write(text, whole));
        sum = sum.saturating_add(counts.sum());
    }
    let mut foot = foot(profile, sum, lost, left_out) + &reservations(profile) + LEGEND;
    if profile.has_work() {
        foot.push_str(WORK_LEGEND);
        foot.push_str(WORK_PROXY);
    }
    Ok(report + &page.wrapped(&foot))
}

const LEGEND: &str = "\ncalls: of the method that begins there; sends: executed on the line; below: sends that these caused,\n\
    those of a block also with the message that has it evaluated.\n\
    ^n under a line: sends of the message above it, ↓n: sends that they caused.\n";

const WORK_LEGEND: &str =
    "work: of the sends on the line, and of the primitives that they called.\n";

fn foot(profile: &Profile, sum: u64, lost: u64, left_out: u64) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n{} of the run's {} sends are on these lines ({}).",
        grouped(sum.saturating_sub(lost)),
        grouped(profile.cost.sends),
        share(sum.saturating_sub(lost), profile.cost.sends)
    );
    if lost > 0 {
        let _ = writeln!(
            text,
            "{} sends are on lines that the text does not have: it is not the text that was run.",
            grouped(lost)
        );
    }
    if left_out > 0 {
        let files = counted(left_out, "file", "files");
        let _ = writeln!(
            text,
            "Left out: {files} in which nothing was sent; --all shows everything."
        );
    }
    text
}

/// Sends at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    sends: u64,
    below: u64,
    work: u64,
}

impl Sent {
    fn add(&mut self, other: Sent) {
        self.sends = self.sends.saturating_add(other.sends);
        self.below = self.below.saturating_add(other.below);
        self.work = self.work.saturating_add(other.work);
    }
}

/// The counts of a text, by line.
#[derive(Default)]
struct Counts {
    /// By line and column.
    sites: BTreeMap<(usize, usize), Sent>,
    lines: BTreeMap<usize, Sent>,
    /// Activations of the methods that begin on a line.
    calls: BTreeMap<usize, u64>,
}

impl Counts {
    fn of(profile: &Profile, text: &Annotated<'_>) -> Counts {
        let mut counts = Counts::default();
        let is_meant = |index: usize| match text.method {
            Some(method) => method == index,
            None => profile
                .methods
                .get(index)
                .is_some_and(|m| m.file == text.file),
        };
        for site in &profile.sites {
            if is_meant(site.method as usize) {
                let sent = Sent {
                    sends: site.sends,
                    below: site.total,
                    work: site.work,
                };
                counts.lines.entry(site.line).or_default().add(sent);
                let place = (site.line, site.column);
                counts.sites.entry(place).or_default().add(sent);
            }
        }
        for (index, method) in profile.methods.iter().enumerate() {
            if is_meant(index) && method.calls > 0 {
                let calls = counts.calls.entry(method.line).or_default();
                *calls = calls.saturating_add(method.calls);
            }
        }
        counts
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn sum(&self) -> u64 {
        let sends = self.lines.values().map(|sent| sent.sends);
        sends.fold(0, u64::saturating_add)
    }

    /// Whether the line is near one on which something was counted.
    fn is_near(&self, line: usize) -> bool {
        let near = line.saturating_sub(CONTEXT)..=line.saturating_add(CONTEXT);
        self.lines.range(near.clone()).next().is_some() || self.calls.range(near).next().is_some()
    }
}

/// Columns that the counts of a text take.
#[derive(Clone, Copy)]
struct Margins {
    calls: usize,
    sends: usize,
    below: usize,
    /// Absent if work was not counted.
    work: Option<usize>,
    line: usize,
}

impl Margins {
    fn new(counts: &Counts, has_work: bool) -> Margins {
        let most = |numbers: &mut dyn Iterator<Item = u64>, title: &str| {
            let digits = grouped(numbers.max().unwrap_or(0)).len();
            digits.max(title.len())
        };
        let last = counts.lines.keys().next_back().copied().unwrap_or(0);
        Margins {
            calls: most(&mut counts.calls.values().copied(), "calls"),
            sends: most(&mut counts.lines.values().map(|sent| sent.sends), "sends"),
            below: most(&mut counts.lines.values().map(|sent| sent.below), "below"),
            work: has_work.then(|| most(&mut counts.lines.values().map(|sent| sent.work), "work")),
            line: last.to_string().len().max(3),
        }
    }

    fn heading(self) -> String {
        let counts = self.counts(["sends", "below", "work"]);
        format!("{:>calls$}  {counts}", "calls", calls = self.calls)
    }

    /// The counts of a line beside its calls, in their columns.
    fn counts<T: std::fmt::Display>(self, [sends, below, work]: [T; 3]) -> String {
        let (of_sends, of_below) = (self.sends, self.below);
        let text = format!("{sends:>of_sends$}  {below:>of_below$}");
        match self.work {
            Some(of_work) => format!("{text}  {work:>of_work$}"),
            None => text,
        }
    }

    /// Columns up to the line that separates counts and text.
    fn width(self) -> usize {
        let work = self.work.map_or(0, |work| work + 2);
        self.calls + self.sends + self.below + work + self.line + 7
    }
}

/// A text that is being written with its counts.
struct Listing<'a> {
    counts: &'a Counts,
    margins: Margins,
    /// Sends of the run.
    sends: u64,
    page: Page,
    text: &'a mut String,
}

impl Listing<'_> {
    /// Answers how many sends were counted on lines that are not there.
    fn write(&mut self, text: &Annotated<'_>, whole: bool) -> u64 {
        let lines: Vec<&str> = text.text.lines().collect();
        let numbers = text.first_line..text.first_line.saturating_add(lines.len());
        let mut at = 0;
        while at < lines.len() {
            let gap = if whole {
                0
            } else {
                self.gap(text.first_line, at, lines.len())
            };
            if gap > SHORT_GAP {
                self.gap_row(gap);
                at += gap;
                continue;
            }
            // A short gap is shown as a whole.
            let end = at + gap.max(1);
            for (line, shown) in (at..end).zip(&lines[at..end]) {
                self.row(text.first_line.saturating_add(line), shown);
            }
            at = end;
        }
        let is_lost = |line: &usize| !numbers.contains(line);
        let lost = self.counts.lines.iter().filter(|(line, _)| is_lost(line));
        lost.fold(0, |sum, (_, sent)| sum.saturating_add(sent.sends))
    }

    /// How many lines from this one on are not near any count.
    fn gap(&self, first_line: usize, at: usize, count: usize) -> usize {
        let is_far = |line: &usize| !self.counts.is_near(first_line.saturating_add(*line));
        (at..count).take_while(is_far).count()
    }

    fn gap_row(&mut self, gap: usize) {
        let text = format!("⋮ {gap} lines without a send");
        let shown = self.page.tinted(&text, Tint::Dim).into_owned();
        let _ = writeln!(
            self.text,
            "{:>width$}{shown}",
            "",
            width = self.margins.width()
        );
    }

    fn row(&mut self, number: usize, line: &str) {
        let Margins {
            calls,
            line: digits,
            ..
        } = self.margins;
        let sent = self.counts.lines.get(&number).copied();
        let called = self
            .counts
            .calls
            .get(&number)
            .copied()
            .map(grouped)
            .unwrap_or_default();
        let count =
            |count: fn(Sent) -> u64| sent.map(|sent| grouped(count(sent))).unwrap_or_default();
        let counts = [count(|s| s.sends), count(|s| s.below), count(|s| s.work)];
        let sent_text = self.margins.counts(counts);
        let tint = self.tint(sent);
        let (shown, columns) = screen_line(line);
        let row = format!(
            "{called:>calls$}  {} {}{} │ {shown}",
            self.page.tinted(&sent_text, tint),
            self.heat(sent),
            self.page.tinted(&format!("{number:>digits$}"), Tint::Dim),
        );
        self.text.push_str(row.trim_end());
        self.text.push('\n');
        self.marks(number, &columns);
    }

    fn tint(&self, sent: Option<Sent>) -> Tint {
        match sent {
            Some(sent) if u128::from(sent.sends) * 20 >= u128::from(self.sends) => Tint::Hot,
            _ => Tint::Plain,
        }
    }

    /// A block as high as the line's share of all sends; that of half of them is full.
    fn heat(&self, sent: Option<Sent>) -> char {
        const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let sends = sent.map_or(0, |sent| sent.sends);
        if self.sends == 0 {
            return ' ';
        }
        let height = u128::from(sends) * 16 / u128::from(self.sends);
        HEIGHTS[usize::try_from(height).unwrap_or(8).min(8)]
    }

    /// Lines under a line that sends several messages: each count under its message.
    fn marks(&mut self, number: usize, columns: &[usize]) {
        let sites = self.counts.sites.range((number, 0)..=(number, usize::MAX));
        let marks: Vec<(usize, String)> = sites
            .map(|(&(_, column), &sent)| {
                let index = column.saturating_sub(1).min(columns.len() - 1);
                (columns[index], mark(sent))
            })
            .collect();
        if marks.len() < 2 {
            return;
        }
        for row in rows(&marks) {
            let margin = self.margins.width();
            let shown = self.page.tinted(&row, Tint::Dim).into_owned();
            let _ = writeln!(self.text, "{:>margin$}│ {shown}", "");
        }
    }
}

fn mark(sent: Sent) -> String {
    match sent.below {
        0 => format!("^{}", grouped(sent.sends)),
        below => format!("^{} ↓{}", grouped(sent.sends), grouped(below)),
    }
}

/// Marks at their columns, in as many rows as they need not to touch each other.
fn rows(marks: &[(usize, String)]) -> Vec<String> {
    let mut rows: Vec<(String, usize)> = Vec::new();
    for (column, mark) in marks {
        let free = rows
            .iter()
            .position(|(_, used)| *used == 0 || *used < *column);
        let row = free.unwrap_or_else(|| {
            rows.push((String::new(), 0));
            rows.len() - 1
        });
        let (text, used) = &mut rows[row];
        text.extend(std::iter::repeat_n(' ', column.saturating_sub(*used)));
        text.push_str(mark);
        *used = column + width(mark);
    }
    rows.into_iter().map(|(text, _)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{flat, words};

    fn file(text: &str) -> Annotated<'_> {
        Annotated {
            title: "report.st",
            file: "report.st",
            first_line: 1,
            text,
            method: None,
        }
    }

    #[test]
    fn counts_stand_before_lines_and_under_messages() {
        let profile = words();
        let source = profile.methods[0].source.clone();
        let text = annotate(&profile, &[file(&source)], false, Page::default()).unwrap();
        let expected = "\
report.st
calls  sends  below
    1      1      0    1 │ counter := WordCounter new.
          21    314    2 │ 20 timesRepeat: [ words do: [ :each | counter add: each ] ].
                         │                         ^1 ↓184               ^20 ↓130
          17    709    3 │ words do: [ :each | (counter occurrencesOf: each) printString ].
                         │       ^1 ↓40                 ^8 ↓666              ^8 ↓3
";
        assert!(
            text.contains("39 of the run's 1,000 sends are on these lines (3.9%)."),
            "{text}"
        );
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn lines_have_work_if_it_was_counted() {
        let profile = crate::json::tests::example();
        let text = Annotated {
            file: "a.st",
            ..file("one\ntwo\nthree\n")
        };
        let text = annotate(&profile, &[text], false, Page::default()).unwrap();
        assert!(text.contains("calls  sends  below  work\n"), "{text}");
        assert!(
            text.contains("    2      3      0   315 ▄  1 │ one"),
            "{text}"
        );
        assert!(text.contains("1 is 1/100 ns"), "{text}");
    }

    #[test]
    fn marks_do_not_touch_each_other() {
        let marks = [
            (0, "^1,000".to_string()),
            (3, "^5".to_string()),
            (7, "^6".to_string()),
        ];
        assert_eq!(rows(&marks), ["^1,000 ^6", "   ^5"]);
    }

    #[test]
    fn a_text_that_was_not_run_is_noticed_and_long_gaps_are_left_out() {
        let profile = words();
        let text = annotate(&profile, &[file("a\n")], false, Page::default()).unwrap();
        assert!(
            text.contains("38 sends are on lines that the text does not have"),
            "{text}"
        );
        let long = "\n".repeat(40);
        let text = annotate(&profile, &[file(&long)], false, Page::default()).unwrap();
        assert!(text.contains("⋮ "), "{text}");
        let whole = annotate(&profile, &[file(&long)], true, Page::default()).unwrap();
        assert!(!whole.contains("⋮"), "{whole}");
        let none = annotate(&flat(), &[file(&long)], true, Page::default());
        assert_eq!(none, Err(Missing::Sites));
    }
}
