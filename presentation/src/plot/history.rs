//! Counts over commits: a self-contained SVG plot, and a line of blocks for a terminal. Counts are exact, so every change
//! from one commit to the next is drawn as a step. A commit that could not be measured is a gap. Positions are integers,
//! hundredths of a point, so that the same counts give the same bytes.

use std::fmt::Write as _;

use crate::escape::markup;
use crate::number::{counted, grouped, signed};
use crate::svg::hundredths;
use crate::width::clipped;

/// Counts of one thing over commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// The title: the count and its subject.
    pub title: String,
    /// What a count is of, in the plural: sends.
    pub unit: String,
    /// The commits, the oldest first.
    pub points: Vec<SeriesPoint>,
}

/// A commit and its count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesPoint {
    /// A short name of the commit.
    pub name: String,
    /// The count; absent if it could not be measured.
    pub count: Option<u64>,
    /// The change of the count in this commit; 0 if there is none.
    pub step: i128,
    /// Why the count differs beside the step, as a sentence without its full stop.
    pub note: Option<String>,
}

/// Size of the picture, in points.
const WIDTH: u64 = 1200;
const HEIGHT: u64 = 452;
/// The part of it in which counts stand.
const TOP: u64 = 108;
const BOTTOM: u64 = 366;
const RIGHT: u64 = 1160;
/// A character of the axis, in points.
const CHARACTER: u64 = 8;
/// Lines across, about.
const LINES: u64 = 5;
/// Points from one label to the next at least.
const LABEL: u64 = 92;
/// The meaning of a dashed line.
pub const NOT_COMPARABLE: &str = "Dashed: not comparable with the count before. The tests that came to their end are others, or a commit between was not measured.";
/// Rows of labels of steps.
const LABEL_ROWS: usize = 2;
/// Commits that have a mark of their own at most; of more, only steps have.
const MARKED: usize = 240;

/// What a history adds to the style of every plot.
const STYLE: &str = include_str!("history.css");

/// Counts over commits as an SVG plot.
pub fn history_svg(series: &Series) -> String {
    let scale = Scale::of(series);
    let mut svg = head(series);
    axis(&mut svg, &scale, series);
    gaps(&mut svg, &scale, series);
    notes(&mut svg, &scale, series);
    step_labels(&mut svg, &scale, series);
    line(&mut svg, &scale, series);
    marks(&mut svg, &scale, series);
    commit_labels(&mut svg, &scale, series);
    key(&mut svg, series);
    foot(&mut svg, &scale, series);
    svg.push_str("</svg>\n");
    svg
}

/// Counts as a line of blocks, as high as the counts are between the least and the greatest; a gap where there is none.
pub fn sparkline(counts: &[Option<u64>]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let known = counts.iter().flatten();
    let (least, greatest) = (known.clone().min(), known.max());
    let (Some(least), Some(greatest)) = (least, greatest) else {
        return " ".repeat(counts.len());
    };
    let block = |count: u64| {
        let range = u128::from(greatest - least);
        let height = match range {
            0 => 3,
            range => u128::from(count - least) * 7 / range,
        };
        BLOCKS[height.min(7) as usize]
    };
    let blocks = counts.iter().map(|count| count.map_or(' ', block));
    blocks.collect()
}

impl Series {
    /// Whether a count cannot be compared with the count before it.
    fn has_incomparable(&self) -> bool {
        let known = |point: &SeriesPoint| point.count.is_some();
        let first = self.points.iter().position(known).unwrap_or(0);
        let last = self.points.iter().rposition(known).unwrap_or(0);
        let mut points = self.points.iter().skip(first).take(last - first + 1);
        points.any(|point| point.note.is_some() || point.count.is_none())
    }

    /// The commits with a step, as indices, with the steps.
    fn steps(&self) -> Vec<(usize, i128)> {
        let points = self.points.iter().enumerate();
        let steps = points.filter(|(_, point)| point.count.is_some() && point.step != 0);
        steps.map(|(index, point)| (index, point.step)).collect()
    }
}

/// The positions of commits and counts.
struct Scale {
    left: u64,
    commits: u64,
    /// The counts at the bottom and at the top.
    low: u128,
    high: u128,
    /// Between two lines across.
    line: u128,
}

impl Scale {
    fn of(series: &Series) -> Scale {
        let counts = series.points.iter().filter_map(|point| point.count);
        let least = u128::from(counts.clone().min().unwrap_or(0));
        let greatest = u128::from(counts.max().unwrap_or(0));
        // The whole axis from 0 on where that leaves room for what happens.
        let least = match (greatest - least) * 2 >= greatest {
            true => 0,
            false => least,
        };
        let line = round_step((greatest - least).div_ceil(u128::from(LINES)).max(1));
        let low = least / line * line;
        let high = (greatest / line + 1) * line;
        let widest = grouped(u64::try_from(high).unwrap_or(u64::MAX)).len() as u64;
        Scale {
            left: 28 + widest * CHARACTER,
            commits: series.points.len() as u64,
            low,
            high,
            line,
        }
    }

    /// The position of a commit, in hundredths of a point.
    fn x(&self, index: usize) -> u64 {
        let width = (RIGHT - self.left) * 100;
        match self.commits {
            0 | 1 => self.left * 100 + width / 2,
            commits => self.left * 100 + width * index as u64 / (commits - 1),
        }
    }

    /// The position of a count, in hundredths of a point.
    fn y(&self, count: u128) -> u64 {
        let height = u128::from((BOTTOM - TOP) * 100);
        let above = (count.max(self.low) - self.low) * height / (self.high - self.low).max(1);
        BOTTOM * 100 - u64::try_from(above.min(height)).unwrap_or(0)
    }
}

/// The next larger of 1, 2, 5, 10, 20, 50, …
fn round_step(least: u128) -> u128 {
    let mut power = 1;
    loop {
        for factor in [1, 2, 5] {
            if factor * power >= least {
                return factor * power;
            }
        }
        power *= 10;
    }
}

fn head(series: &Series) -> String {
    let title = markup(&clipped(&series.title, 110));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" class=\"plot\" role=\"img\" aria-label=\"{title}\">\n\
         <style>\n{}{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"title\" x=\"20\" y=\"30\">{title}</text>\n\
         <text class=\"note\" x=\"20\" y=\"50\">{}</text>\n",
        super::STYLE,
        markup(&summary(series))
    )
}

fn summary(series: &Series) -> String {
    let points = &series.points;
    let steps = series.steps();
    let up = steps
        .iter()
        .filter(|(_, difference)| *difference > 0)
        .count();
    let broken = points.iter().filter(|point| point.count.is_none()).count();
    let mut text = counted(points.len() as u64, "commit", "commits");
    let _ = match steps.len() {
        0 => write!(text, ", no step"),
        _ => write!(
            text,
            ", {}: {up} up, {} down",
            counted(steps.len() as u64, "step", "steps"),
            steps.len() - up
        ),
    };
    if broken > 0 {
        let _ = write!(text, "; {} could not be measured", grouped(broken as u64));
    }
    text
}

fn axis(svg: &mut String, scale: &Scale, series: &Series) {
    let mut count = scale.low;
    while count <= scale.high {
        let y = hundredths(scale.y(count));
        let label = grouped(u64::try_from(count).unwrap_or(u64::MAX));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{}\" x2=\"{RIGHT}\" y1=\"{y}\" y2=\"{y}\"/>\
             <text class=\"axis\" x=\"{}\" y=\"{y}\" dy=\"4\" text-anchor=\"end\">{label}</text>",
            scale.left - 6,
            scale.left - 12,
        );
        count += scale.line;
    }
    let unit = markup(&clipped(&series.unit, 40));
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{unit}</text>",
        scale.left - 12,
        TOP - 14
    );
}

/// Half the way from a commit to the next, in hundredths of a point.
fn half(scale: &Scale) -> u64 {
    match scale.commits {
        0 | 1 => 1000,
        commits => ((RIGHT - scale.left) * 100 / (commits - 1) / 2).clamp(50, 1000),
    }
}

fn gaps(svg: &mut String, scale: &Scale, series: &Series) {
    let half = half(scale);
    for (index, point) in series.points.iter().enumerate() {
        if point.count.is_some() {
            continue;
        }
        let x = scale.x(index);
        let _ = writeln!(
            svg,
            "<g><title>{}: could not be measured</title>\
             <rect class=\"gap\" x=\"{}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>",
            markup(&clipped(&point.name, 60)),
            hundredths(x - half),
            hundredths(2 * half),
            BOTTOM - TOP,
        );
        let (arm, y) = (half.min(350), BOTTOM * 100 - 700);
        let [left, right] = [x - arm, x + arm].map(hundredths);
        let [top, bottom] = [y - arm, y + arm].map(hundredths);
        let _ = writeln!(
            svg,
            "<path class=\"gap-mark\" d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\"/></g>"
        );
    }
}

/// A line down at each commit whose count is one of other tests than before.
fn notes(svg: &mut String, scale: &Scale, series: &Series) {
    for (index, point) in series.points.iter().enumerate() {
        let Some(note) = &point.note else { continue };
        let x = hundredths(scale.x(index));
        let _ = writeln!(
            svg,
            "<g><title>{}: {}</title><path class=\"other\" d=\"M{x} {TOP}L{x} {BOTTOM}\"/></g>",
            markup(&clipped(&point.name, 60)),
            markup(&clipped(note, 200)),
        );
    }
}

/// The counts from commit to commit. The line is thin over a gap, because the counts there are unknown, and where the counts are
/// of other tests.
fn line(svg: &mut String, scale: &Scale, series: &Series) {
    let place = |index: usize, count: u64| {
        let (x, y) = (scale.x(index), scale.y(count.into()));
        format!("{} {}", hundredths(x), hundredths(y))
    };
    let mut path = String::new();
    let mut last: Option<(usize, u64)> = None;
    for (index, point) in series.points.iter().enumerate() {
        let Some(count) = point.count else { continue };
        match last {
            Some((before, old)) if before + 1 < index || point.note.is_some() => {
                let _ = writeln!(
                    svg,
                    "<path class=\"first across\" d=\"M{}L{}\"/>",
                    place(before, old),
                    place(index, count)
                );
                let _ = write!(path, "M{}", place(index, count));
            }
            // A count holds until the commit that changes it.
            Some((_, old)) if old != count => {
                let _ = write!(path, "L{}L{}", place(index, old), place(index, count));
            }
            Some(_) => {
                let _ = write!(path, "L{}", place(index, count));
            }
            None => {
                let _ = write!(path, "M{}", place(index, count));
            }
        }
        last = Some((index, count));
    }
    let _ = writeln!(svg, "<path class=\"first line\" d=\"{path}\"/>");
}

fn marks(svg: &mut String, scale: &Scale, series: &Series) {
    let steps: std::collections::BTreeMap<usize, i128> = series.steps().into_iter().collect();
    for (index, point) in series.points.iter().enumerate() {
        let Some(count) = point.count else { continue };
        let step = steps.get(&index);
        if step.is_none() && series.points.len() > MARKED {
            continue;
        }
        let (x, y) = (scale.x(index), scale.y(count.into()));
        let name = markup(&clipped(&point.name, 60));
        let unit = markup(&clipped(&series.unit, 40));
        let difference = step.map_or(String::new(), |step| format!(" ({})", signed(*step)));
        let title = format!("{name}: {} {unit}{difference}", grouped(count));
        let shape = match step {
            None => format!(
                "<circle class=\"first mark\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>",
                hundredths(x),
                hundredths(y)
            ),
            Some(step) => triangle(x, y, *step > 0),
        };
        let _ = writeln!(svg, "<g><title>{title}</title>{shape}</g>");
    }
}

/// A triangle that points up or down, so that its colour need not tell.
fn triangle(x: u64, y: u64, is_up: bool) -> String {
    let (tip, base, class) = match is_up {
        true => (y - 600, y + 450, "up"),
        false => (y + 600, y - 450, "down"),
    };
    format!(
        "<path class=\"{class}\" d=\"M{} {}L{} {}L{} {}Z\"/>",
        hundredths(x),
        hundredths(tip),
        hundredths(x - 550),
        hundredths(base),
        hundredths(x + 550),
        hundredths(base)
    )
}

/// Names and differences of steps above the picture: the largest first, as many as there is room for.
fn step_labels(svg: &mut String, scale: &Scale, series: &Series) {
    let mut steps = series.steps();
    steps.sort_by_key(|(index, difference)| (std::cmp::Reverse(difference.unsigned_abs()), *index));
    let mut rows: [Vec<(u64, u64)>; LABEL_ROWS] = Default::default();
    for (index, difference) in steps {
        let name = clipped(&series.points[index].name, 12);
        let text = format!("{name} {}", signed(difference));
        let x = scale.x(index) / 100;
        let half = (text.chars().count() as u64 * 7) / 2 + 6;
        let middle = x.clamp(half + 4, WIDTH - half - 4);
        let (from, to) = (middle - half, middle + half);
        let free = rows
            .iter()
            .position(|row| row.iter().all(|(a, b)| to <= *a || from >= *b));
        let Some(row) = free else { continue };
        rows[row].push((from, to));
        let y = TOP - 22 - 16 * row as u64;
        let class = if difference > 0 { "up" } else { "down" };
        let x = hundredths(scale.x(index));
        let top = hundredths(scale.y(series.points[index].count.unwrap_or(0).into()));
        let _ = writeln!(
            svg,
            "<line class=\"lead\" x1=\"{x}\" x2=\"{x}\" y1=\"{}\" y2=\"{top}\"/>\
             <text class=\"step-label {class}\" x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
            y + 4,
            markup(&text)
        );
    }
}

/// Names of commits below the picture, the first and the last among them.
fn commit_labels(svg: &mut String, scale: &Scale, series: &Series) {
    let Some(last) = series.points.len().checked_sub(1) else {
        return;
    };
    let room = ((RIGHT - scale.left) / LABEL).max(1) as usize;
    let every = last.div_ceil(room).max(1);
    // The last one takes the place of one that is too near.
    let mut shown: Vec<usize> = (0..=last).step_by(every).collect();
    if shown.last() != Some(&last) {
        if shown.len() > 1 && shown.last().is_some_and(|near| last - near < every) {
            shown.pop();
        }
        shown.push(last);
    }
    for index in shown {
        let x = hundredths(scale.x(index));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{BOTTOM}\" y2=\"{}\"/>\
             <text class=\"note commit\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 5,
            BOTTOM + 19,
            markup(&clipped(&series.points[index].name, 12))
        );
    }
}

/// What a dashed line means, if there is one.
fn key(svg: &mut String, series: &Series) {
    let y = HEIGHT - 42;
    if series.has_incomparable() {
        let _ = writeln!(
            svg,
            "<path class=\"first across\" d=\"M20 {}L52 {0}\"/><text class=\"note\" x=\"60\" y=\"{y}\">{NOT_COMPARABLE}</text>",
            y - 4
        );
    }
}

fn foot(svg: &mut String, scale: &Scale, series: &Series) {
    let mut notes = Vec::new();
    if scale.low > 0 {
        notes.push(format!(
            "The axis begins at {}, not at 0.",
            grouped(u64::try_from(scale.low).unwrap_or(u64::MAX))
        ));
    }
    if series.points.iter().all(|point| point.count.is_none()) {
        notes.push("Nothing could be measured.".to_string());
    }
    notes.push(
        "Sends are exact, and a proxy: work inside primitives, the collector and I/O is not in them."
            .to_string(),
    );
    let y = HEIGHT - 18;
    let _ = writeln!(
        svg,
        "<text class=\"note\" x=\"20\" y=\"{y}\">{}</text>",
        markup(&notes.join(" "))
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(counts: &[Option<u64>]) -> Series {
        let mut last = None;
        let point = |(index, count): (usize, &Option<u64>)| {
            let step = count.zip(last).map_or(0, |(count, last): (u64, u64)| {
                i128::from(count) - i128::from(last)
            });
            last = count.or(last);
            SeriesPoint {
                name: format!("c{index:06x}"),
                count: *count,
                step,
                note: None,
            }
        };
        Series {
            title: "sends of the tests".to_string(),
            unit: "sends".to_string(),
            points: counts.iter().enumerate().map(point).collect(),
        }
    }

    #[test]
    fn a_line_of_blocks_has_a_block_for_each_count_and_gaps() {
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[None, None]), "  ");
        assert_eq!(sparkline(&[Some(5), Some(5)]), "▄▄");
        assert_eq!(sparkline(&[Some(0), None, Some(7), Some(14)]), "▁ ▄█");
        assert_eq!(sparkline(&[Some(0), Some(u64::MAX)]), "▁█");
    }

    #[test]
    fn counts_of_other_tests_are_marked_and_no_step() {
        let mut series = series(&[Some(10), Some(10), Some(110)]);
        series.points[2].step = 0;
        series.points[2].note = Some("1 test more with a count (+100)".to_string());
        let svg = history_svg(&series);
        assert!(svg.contains("3 commits, no step"), "{svg}");
        assert!(
            svg.contains(
                "<title>c000002: 1 test more with a count (+100)</title><path class=\"other\""
            ),
            "{svg}"
        );
        assert!(svg.contains("class=\"first across\""), "{svg}");
    }

    #[test]
    fn steps_are_marked_with_commit_and_difference_also_over_a_gap() {
        let svg = history_svg(&series(&[
            Some(10),
            Some(10),
            None,
            Some(1_210),
            Some(1_200),
        ]));
        for text in [
            "5 commits, 2 steps: 1 up, 1 down; 1 could not be measured",
            "<title>c000003: 1,210 sends (+1,200)</title>",
            "<title>c000004: 1,200 sends (-10)</title>",
            ">c000003 +1,200</text>",
            "<title>c000002: could not be measured</title>",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        // One over the gap, one in the key.
        assert_eq!(svg.matches("class=\"first across\"").count(), 2);
        assert!(svg.contains(NOT_COMPARABLE));
        let plain = history_svg(&series(&[None, Some(10), Some(20), None]));
        assert!(!plain.contains(NOT_COMPARABLE), "{plain}");
        assert_eq!(svg.matches("class=\"up\"").count(), 1);
        assert_eq!(svg.matches("class=\"down\"").count(), 1);
    }

    #[test]
    fn lines_across_are_round_and_their_numbers_in_groups() {
        let svg = history_svg(&series(&[Some(0), Some(23_000)]));
        for label in ["0", "5,000", "10,000", "15,000", "20,000", "25,000"] {
            assert!(svg.contains(&format!(">{label}</text>")), "{label}");
        }
        assert!(!svg.contains("The axis begins"));
        let svg = history_svg(&series(&[Some(1_000_003), Some(1_000_001)]));
        assert!(svg.contains("The axis begins at 1,000,001, not at 0."));
    }

    #[test]
    fn names_are_text_and_nothing_is_fetched() {
        let mut hostile = series(&[Some(1), Some(2)]);
        hostile.title = "<script>alert(1)</script>".to_string();
        hostile.unit = "</text><image href='x'/>".to_string();
        hostile.points[1].name = "\"><g onload=x>\u{0}".to_string();
        let svg = history_svg(&hostile);
        for markup in ["<script", "<image", "<g onload", "\u{0}"] {
            assert!(!svg.contains(markup), "{markup}");
        }
        let rest = svg.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains("http"));
    }

    proptest! {
        #[test]
        fn any_counts_can_be_drawn(counts in prop::collection::vec(prop::option::of(any::<u64>()), 0..300)) {
            let series = series(&counts);
            let svg = history_svg(&series);
            prop_assert_eq!(&svg, &history_svg(&series.clone()));
            prop_assert_eq!(svg.matches("class=\"gap\"").count(), counts.iter().filter(|c| c.is_none()).count());
            let marks = svg.matches("class=\"up\"").count() + svg.matches("class=\"down\"").count();
            prop_assert_eq!(marks, series.steps().len());
            prop_assert_eq!(sparkline(&counts).chars().count(), counts.len());
        }
    }
}
