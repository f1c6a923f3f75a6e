//! A difference as a text for people: the sums, then the tests, methods and classes that differ.

use std::fmt::Write as _;

use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, percent, printable, signed};
use tally_profiler::{Costs, Ending};

use super::{Difference, LoneRun, MethodDifference, MethodSide, RunDifference, WorkPart};
use crate::matching::Fate;

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Those whose counts differ, and methods that changed.
    #[default]
    Changed,
    /// Those that send more.
    Worse,
    /// Those that send fewer.
    Better,
    /// All.
    All,
}

impl Show {
    /// The choices with the names that people give them.
    pub const ALL: [(&'static str, Show); 4] = [
        ("changed", Show::Changed),
        ("worse", Show::Worse),
        ("better", Show::Better),
        ("all", Show::All),
    ];

    /// Whether a row is shown that differs by so much and may be worth showing for another reason.
    pub(crate) fn shows(self, difference: i128, is_changed: bool) -> bool {
        match self {
            Show::Changed => is_changed || difference != 0,
            Show::Worse => difference > 0,
            Show::Better => difference < 0,
            Show::All => true,
        }
    }

    /// Whether a method is shown: by its own sends, or by its total where they are the same.
    pub(crate) fn shows_method(self, method: &MethodDifference) -> bool {
        self.shows(method.leading_difference(), is_changed(method))
    }
}

fn is_changed(method: &MethodDifference) -> bool {
    method.before != method.after || method.fate.is_change()
}

/// The report: costs, tests, methods, classes; at most `limit` rows of each.
pub fn difference_report(
    difference: &Difference,
    show: Show,
    limit: Option<usize>,
    page: Page,
) -> String {
    let limit = limit.unwrap_or(usize::MAX);
    let mut text = page.wrapped(&format!("{}\n", headline(difference)));
    for reason in &difference.incomparable {
        let reason = format!("Not comparable, strictly speaking: {reason}.\n");
        text.push_str(&page.wrapped(&reason));
    }
    for note in &difference.notes {
        text.push_str(&page.wrapped(&format!("Note: {note}.\n")));
    }
    if !difference.runs.is_empty() {
        let _ = write!(text, "\n{}", cost_table(difference, page));
    }
    push_tests(&mut text, difference, show, limit, page);
    push_methods(&mut text, difference, show, limit, page);
    push_classes(&mut text, difference, show, limit, page);
    if difference.is_work_against_sends() {
        text.push_str(&work_report(&difference.work_parts, page));
    }
    for opposed in difference.opposed() {
        text.push_str(&page.wrapped(&format!("\nCareful: {opposed}.\n")));
    }
    let proxy = format!("\n{}", difference.proxy());
    text.push_str(&page.wrapped(&proxy));
    text
}

/// The difference of the sums, in a line.
pub(crate) fn headline(difference: &Difference) -> String {
    let (before, after) = (difference.before.sends, difference.after.sends);
    let change = match percent(before, after) {
        _ if before == after => "the same".to_string(),
        Some(share) => format!("{}, {share}", signed(difference.sends_difference())),
        None => signed(difference.sends_difference()),
    };
    let unit = &difference.unit.name;
    let sends = match before == after {
        true => format!("{} {unit} on both sides", grouped(before)),
        false => format!("{} → {} {unit} ({change})", grouped(before), grouped(after)),
    };
    let is_test = difference.runs.iter().any(|run| !run.name.is_empty());
    let lone = difference.added_runs.len() + difference.removed_runs.len();
    let mut costs = sends;
    if difference.is_work_against_sends() {
        costs.push_str(&format!("; {}", work_line(difference)));
    }
    let processors = difference
        .before
        .processors
        .zip(difference.after.processors);
    if let Some((before, after)) = processors.filter(|(before, after)| before.span != after.span) {
        costs.push_str(&format!(
            "; {}",
            change_line("span", before.span, after.span)
        ));
    }
    if !is_test && lone == 0 {
        return format!("{costs}.");
    }
    let differing = difference.runs.iter().filter(|run| run.differs());
    let mut text = format!(
        "{} of {} tests differ: {costs}",
        differing.count(),
        difference.runs.len()
    );
    for (runs, word) in [
        (&difference.added_runs, "added"),
        (&difference.removed_runs, "removed"),
    ] {
        if !runs.is_empty() {
            let _ = write!(text, "; {} {word}", runs.len());
        }
    }
    text.push('.');
    text
}

/// The work of both sides, in a few words.
fn work_line(difference: &Difference) -> String {
    change_line("work", difference.before.work, difference.after.work)
}

/// A count of both sides, in a few words.
fn change_line(name: &str, before: u64, after: u64) -> String {
    let change = signed(i128::from(after) - i128::from(before));
    let share = percent(before, after).map_or(String::new(), |share| format!(", {share}"));
    format!(
        "{name} {} → {} ({change}{share})",
        grouped(before),
        grouped(after)
    )
}

/// The parts of the difference of work, by counts; empty if there are none.
pub fn work_report(parts: &[WorkPart], page: Page) -> String {
    if parts.is_empty() {
        return String::new();
    }
    use Align::{Flexible, Right};
    let mut layout = Layout::new(&[Right, Flexible, Right]);
    for WorkPart {
        name,
        before,
        after,
        part,
    } in parts
    {
        let tint = if *part > 0 { Tint::Hot } else { Tint::Strong };
        layout.row([
            Cell {
                lead: "  ".to_string(),
                ..Cell::from(signed(*part)).tinted(tint)
            },
            Cell::from(*name),
            both(*before, *after).into(),
        ]);
    }
    let sum = signed(parts.iter().map(|part| part.part).sum());
    format!("\nWork by counts ({sum}):\n{}", layout.render_on(page))
}

fn cost_table(difference: &Difference, page: Page) -> String {
    use Align::{Left, Right};
    let mut layout = Layout::new(&[Left, Right, Right, Right, Right]);
    layout.row(heading(["", "before", "after", "difference", ""]));
    for (name, before, after) in difference.before.beside(&difference.after) {
        // Costs that were not counted are 0 on both sides.
        if (before, after) == (0, 0) && name != "sends" {
            continue;
        }
        let name = match (name, difference.unit.is_tally()) {
            ("sends", _) => difference.unit.name.as_str(),
            ("activations", false) => "calls",
            (name, _) => name,
        };
        layout.row([
            Cell::from(name),
            grouped(before).into(),
            grouped(after).into(),
            change_cell(before, after),
            percent(before, after)
                .filter(|_| before != after)
                .unwrap_or_default()
                .into(),
        ]);
    }
    layout.render_on(page)
}

fn heading<const N: usize>(names: [&str; N]) -> [Cell; N] {
    names.map(|name| Cell::from(name).tinted(Tint::Dim))
}

fn change_cell(before: u64, after: u64) -> Cell {
    let difference = i128::from(after) - i128::from(before);
    let tint = match difference.signum() {
        0 => Tint::Dim,
        1 => Tint::Hot,
        _ => Tint::Strong,
    };
    Cell::from(signed(difference)).tinted(tint)
}

/// A count of both sides in one cell.
pub(crate) fn both(before: u64, after: u64) -> String {
    if before == after {
        return grouped(before);
    }
    format!("{} → {}", grouped(before), grouped(after))
}

fn allocates(before: &MethodSide, after: &MethodSide) -> bool {
    before.objects > 0 || after.objects > 0
}

/// The objects that a method or class allocated; nothing where there are none, or they were not counted.
fn if_allocated(before: &MethodSide, after: &MethodSide) -> Cell {
    match allocates(before, after) {
        true => both(before.objects, after.objects).into(),
        false => Cell::default(),
    }
}

/// The activations of a method or class; nothing where they are not known.
fn calls_cell(is_known: bool, before: &MethodSide, after: &MethodSide) -> Cell {
    match is_known {
        true => both(before.calls, after.calls).into(),
        false => Cell::default(),
    }
}

fn push_more(text: &mut String, hidden: usize, what: &str) {
    if hidden > 0 {
        let _ = writeln!(text, "… {} more {what}", grouped(hidden as u64));
    }
}

fn push_tests(text: &mut String, difference: &Difference, show: Show, limit: usize, page: Page) {
    let is_test = difference.runs.iter().any(|run| !run.name.is_empty());
    let runs = difference.runs.iter();
    let shown: Vec<_> = runs
        .filter(|run| show.shows(run.leading_difference(), run.differs()))
        .collect();
    if is_test && !shown.is_empty() {
        use Align::{Flexible, Left, Right};
        let mut layout = Layout::new(&[Flexible, Right, Right, Right, Right, Right, Left]);
        let has_work = shown.iter().any(|run| has_other_work(run));
        layout.row(heading([
            "test",
            "sends",
            "difference",
            "",
            if has_work { "work" } else { "" },
            "objects",
            "",
        ]));
        for run in shown.iter().take(limit) {
            let (before, after) = (&run.before, &run.after);
            layout.row([
                Cell::from(run.name.clone()),
                both(before.sends, after.sends).into(),
                change_cell(before.sends, after.sends),
                percent(before.sends, after.sends)
                    .unwrap_or_default()
                    .into(),
                match has_other_work(run) {
                    true => change_cell(before.work, after.work),
                    false => Cell::default(),
                },
                both(before.objects, after.objects).into(),
                remarks(run).into(),
            ]);
        }
        let _ = write!(text, "\n{}", layout.render_on(page));
        push_more(text, shown.len().saturating_sub(limit), "tests");
    }
    push_lone(text, &difference.added_runs, "Added", limit, page);
    push_lone(text, &difference.removed_runs, "Removed", limit, page);
}

fn has_other_work(run: &RunDifference) -> bool {
    run.work_difference().is_some_and(|work| work != 0)
}

/// How a test ended, and its span and what it explores if that differs.
fn remarks(run: &RunDifference) -> String {
    let span = other_span(run).map(|(before, after)| change_line("span", before, after));
    let mut remarks = vec![endings(run.endings).to_string()];
    remarks.extend(span);
    remarks.extend(explored(run));
    remarks.retain(|remark| !remark.is_empty());
    remarks.join("; ")
}

/// What explorations count differently, and the outcomes that appeared or vanished.
pub(crate) fn explored(run: &RunDifference) -> Vec<String> {
    /// Outcomes of each kind that are named.
    const MOST_NAMED: usize = 3;
    let both = run.before.explorations.zip(run.after.explorations);
    let pairs = both.map(|(before, after)| before.named().into_iter().zip(after.named()));
    let pairs = pairs.into_iter().flatten();
    let differing = pairs.filter(|((_, before), (_, after))| before != after);
    let mut texts: Vec<String> = differing
        .map(|((name, before), (_, after))| change_line(name, before, after))
        .collect();
    for (outcomes, word) in [
        (&run.outcomes.appeared, "new"),
        (&run.outcomes.vanished, "no longer"),
    ] {
        if outcomes.is_empty() {
            continue;
        }
        let named = outcomes.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(|outcome| printable(outcome)).collect();
        let more = match outcomes.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        texts.push(format!("{word}: {}{more}", named.join(" | ")));
    }
    texts
}

/// The span on both sides, if it differs.
pub(crate) fn other_span(run: &RunDifference) -> Option<(u64, u64)> {
    let (before, after) = run.before.processors.zip(run.after.processors)?;
    (before.span != after.span).then_some((before.span, after.span))
}

/// How a test ended on both sides, if it did not pass on both.
pub(crate) fn endings((before, after): (Ending, Ending)) -> &'static str {
    use Ending::{Counted, Failed, Finished, Limit};
    match (before, after) {
        (Finished, Finished) => "",
        (Counted, Counted) => "fails by counts on both sides",
        (Finished, Counted) => "fails by counts now",
        (Counted, Finished) => "failed by counts before",
        (Finished | Counted, Failed | Limit) => "fails now",
        (Failed | Limit, Finished | Counted) => "failed before",
        (Failed | Limit, Failed | Limit) => "fails on both sides",
    }
}

fn push_lone(text: &mut String, runs: &[LoneRun], word: &str, limit: usize, page: Page) {
    if runs.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{word}, and in no sum:");
    let mut layout = Layout::new(&[Align::Flexible, Align::Right, Align::Left]);
    for run in runs.iter().take(limit) {
        let Costs { sends, .. } = run.cost;
        let ending = match run.ending {
            Ending::Finished => "sends",
            Ending::Counted => "sends, failed by counts",
            Ending::Failed | Ending::Limit => "sends, failed",
        };
        let name = super::run_name(&run.name);
        layout.row([format!("  {name}"), grouped(sends), ending.to_string()]);
    }
    text.push_str(&layout.render_on(page));
    push_more(text, runs.len().saturating_sub(limit), "tests");
}

/// The fate of a method, with its old name.
pub(crate) fn fate_text(fate: Fate, old_name: Option<&str>) -> String {
    match old_name {
        Some(old) => format!("{} from {old}", fate.word()),
        None => fate.word().to_string(),
    }
}

fn push_no_method(text: &mut String, difference: &Difference, show: Show) {
    let count = grouped(difference.methods.len() as u64);
    let what = match (show, difference.unit.is_tally()) {
        (Show::Changed | Show::All, _) => "differs",
        (Show::Worse, true) => "sends more",
        (Show::Better, true) => "sends fewer",
        (Show::Worse, false) => "costs more",
        (Show::Better, false) => "costs less",
    };
    let subject = difference.unit.subject();
    let _ = writeln!(text, "\nNo {subject} {what} ({count} compared).");
}

fn name_cell(method: &MethodDifference) -> Cell {
    let name = Cell::from(method.name.clone());
    if method.is_library {
        Cell {
            lead: tally_profiler::LIBRARY.to_string(),
            ..name.tinted(Tint::Dim)
        }
    } else {
        Cell {
            lead: "  ".to_string(),
            ..name
        }
    }
}

fn push_methods(text: &mut String, difference: &Difference, show: Show, limit: usize, page: Page) {
    use Align::{Flexible, Left, Right};
    let methods = difference.methods.iter();
    let shown: Vec<_> = methods.filter(|method| show.shows_method(method)).collect();
    if shown.is_empty() {
        return push_no_method(text, difference, show);
    }
    let mut layout = Layout::new(&[
        Flexible, Right, Right, Right, Right, Right, Right, Right, Right, Left,
    ]);
    let other_work = |m: &MethodDifference| m.work_difference().filter(|work| *work != 0);
    let has_work = shown.iter().any(|m| other_work(m).is_some());
    let has_objects = shown.iter().any(|m| allocates(&m.before, &m.after));
    let has_calls = difference.unit.calls;
    layout.row(heading([
        difference.unit.subject(),
        if has_calls { "calls" } else { "" },
        "own",
        "difference",
        "",
        "total",
        "difference",
        if has_work { "work" } else { "" },
        if has_objects { "objects" } else { "" },
        "",
    ]));
    for method in shown.iter().take(limit) {
        let (before, after) = (&method.before, &method.after);
        layout.row([
            name_cell(method),
            calls_cell(has_calls, before, after),
            both(before.own, after.own).into(),
            change_cell(before.own, after.own),
            percent(before.own, after.own).unwrap_or_default().into(),
            both(before.total, after.total).into(),
            change_cell(before.total, after.total),
            match other_work(method) {
                Some(_) => change_cell(before.work, after.work),
                None => Cell::default(),
            },
            if_allocated(before, after),
            fate_text(method.fate, method.old_name.as_deref()).into(),
        ]);
    }
    let _ = write!(text, "\n{}", layout.render_on(page));
    let subject = format!("{}s", difference.unit.subject());
    push_more(text, shown.len().saturating_sub(limit), &subject);
    let same = difference
        .methods
        .iter()
        .filter(|method| !is_changed(method));
    let same = grouped(same.count() as u64);
    let _ = writeln!(text, "{same} {subject} are the same on both sides.");
    let has_library = shown.iter().take(limit).any(|method| method.is_library);
    text.push_str(tally_profiler::about_library(has_library));
}

fn push_classes(text: &mut String, difference: &Difference, show: Show, limit: usize, page: Page) {
    use Align::{Flexible, Right};
    let differs = |before: &MethodSide, after: &MethodSide| before != after;
    let classes = difference.classes.iter().filter(|class| {
        let (own, total) = (class.own_difference(), class.total_difference());
        let difference = if own == 0 { total } else { own };
        show.shows(difference, differs(&class.before, &class.after))
    });
    let shown: Vec<_> = classes.collect();
    if shown.is_empty() {
        return;
    }
    let has_objects = shown.iter().any(|c| allocates(&c.before, &c.after));
    let mut layout = Layout::new(&[Flexible, Right, Right, Right, Right, Right]);
    let has_calls = difference.unit.calls;
    let (class, classes) = match difference.unit.is_tally() {
        true => ("class", "classes"),
        false => ("module", "modules"),
    };
    layout.row(heading([
        class,
        if has_calls { "calls" } else { "" },
        "own",
        "difference",
        "",
        if has_objects { "objects" } else { "" },
    ]));
    for class in shown.iter().take(limit) {
        let (before, after) = (&class.before, &class.after);
        let lead = if class.is_library {
            tally_profiler::LIBRARY
        } else {
            "  "
        };
        let name = Cell {
            lead: lead.to_string(),
            ..Cell::from(class.name.clone())
        };
        layout.row([
            name,
            calls_cell(has_calls, before, after),
            both(before.own, after.own).into(),
            change_cell(before.own, after.own),
            percent(before.own, after.own).unwrap_or_default().into(),
            if_allocated(before, after),
        ]);
    }
    let _ = write!(text, "\n{}", layout.render_on(page));
    push_more(text, shown.len().saturating_sub(limit), classes);
}
