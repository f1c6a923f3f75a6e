//! Classes or packages, ranked by the sum of their methods' costs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, share};

use super::ranking::{check_known, shows_work};
use super::{
    Column, LIBRARY, Missing, Sums, about_library, bar, calls_cell, calls_heading, columns,
    headline, proxy, reservations,
};
use crate::profile::{MethodProfile, Profile};
use crate::rank::Order;
use crate::tree::{Measure, Step, Tree};

/// The property that groups methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// The class that holds them; both sides of it apart.
    Class,
    /// The package that their class belongs to.
    Package,
}

/// Counts of the methods of a class or a package.
#[derive(Default)]
struct Group<'p> {
    name: &'p str,
    methods: u64,
    is_library: bool,
    calls: u64,
    sums: Sums,
}

impl Group<'_> {
    fn key(&self, order: Order) -> u64 {
        match order {
            Order::Total => self.sums.total,
            Order::Own => self.sums.own,
            Order::Calls => self.calls,
            Order::Objects => self.sums.objects,
            Order::Bytes => self.sums.bytes,
            Order::Work => self.sums.work,
            Order::TotalWork => self.sums.total_work,
        }
    }
}

/// Classes or packages as a table: the first `limit`, or all of them. Their totals come from the calling-context tree,
/// because totals of methods overlap.
pub fn group_report(
    profile: &Profile,
    grouping: Grouping,
    order: Order,
    limit: Option<usize>,
    page: Page,
) -> Result<String, Missing> {
    check_known(profile, order)?;
    let has_totals = !profile.contexts.is_empty();
    if matches!(order, Order::Total | Order::TotalWork) && !has_totals {
        return Err(Missing::Tree);
    }
    let mut groups = groups(profile, grouping);
    let key = |group: &Group<'_>| (group.key(order), group.sums.own, group.calls);
    groups.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.name.cmp(b.name)));
    let shown = limit.unwrap_or(groups.len()).min(groups.len());
    let mut text = page.wrapped(&headline(profile)) + "\n\n";
    let layout = table(profile, grouping, order, &groups[..shown]);
    text.push_str(&layout.render_on(page));
    text.push_str(&rest(profile, &groups[shown..], grouping));
    let mut foot = reservations(profile);
    foot.push_str(&legend(profile, order));
    foot.push_str(about_library(groups[..shown].iter().any(|g| g.is_library)));
    foot.push_str(&proxy(profile, shows_work(profile, order)));
    Ok(text + &page.wrapped(&foot))
}

fn legend(profile: &Profile, order: Order) -> String {
    const ONCE: &str = "with all that they cause, what they cause in each other counted once.\n";
    const WORK: &str = "work: in them, their blocks and the primitives that they call";
    let unit = &profile.unit;
    if !unit.is_tally() {
        let name = &unit.name;
        return format!(
            "\nown: {name} in its functions; total: with all that they call, counted once.\n"
        );
    }
    let sends = format!("own: sends in them and their blocks; total: {ONCE}");
    let text = match order.measure() {
        Measure::Work => format!("{WORK}; total work: {ONCE}"),
        Measure::Sends if profile.has_work() => format!("{sends}{WORK}.\n"),
        _ => sends,
    };
    format!("\ncalls: activations of its methods; {text}")
}

fn table(profile: &Profile, grouping: Grouping, order: Order, groups: &[Group<'_>]) -> Layout {
    use Align::{Flexible, Left, Right};
    let whole = order.whole(profile);
    let columns = columns(profile, order.measure());
    let what = match (grouping, profile.unit.is_tally()) {
        (Grouping::Class, true) => "  class",
        (Grouping::Package, true) => "  package",
        (Grouping::Class, false) => "  module",
        (Grouping::Package, false) => "  program or library",
    };
    let mut aligned = vec![Right; columns.len() + 3];
    aligned.insert(0, Flexible);
    aligned.push(Left);
    let mut layout = Layout::new(&aligned);
    let of = format!("of {}", order.name());
    let methods = format!("{}s", profile.unit.subject());
    let mut heads = vec![what, &methods, calls_heading(profile)];
    heads.extend(columns.iter().map(|(heading, _)| heading));
    heads.extend(["share", &of]);
    layout.row(heads);
    for group in groups {
        let cell = |(heading, count): &Column| match profile.contexts.is_empty() {
            true if heading.starts_with("total") => Cell::from("-"),
            _ => Cell::from(grouped(count(&group.sums))),
        };
        let key = group.key(order);
        let mut cells = vec![
            name_cell(group),
            Cell::from(grouped(group.methods)),
            calls_cell(profile, group.calls),
        ];
        cells.extend(columns.iter().map(cell));
        cells.extend([share(key, whole).into(), bar(key, whole).into()]);
        layout.row(cells);
    }
    layout
}

fn name_cell(group: &Group<'_>) -> Cell {
    let (lead, tint) = match group.is_library {
        true => (LIBRARY, Tint::Dim),
        false => ("  ", Tint::Plain),
    };
    Cell {
        lead: lead.to_string(),
        tint,
        ..Cell::from(group.name)
    }
}

fn rest(profile: &Profile, hidden: &[Group<'_>], grouping: Grouping) -> String {
    let mut text = String::new();
    if !hidden.is_empty() {
        let own = hidden
            .iter()
            .fold(0u64, |sum, group| sum.saturating_add(group.sums.own));
        let what = match (grouping, profile.unit.is_tally()) {
            (Grouping::Class, true) => "classes",
            (Grouping::Package, true) => "packages",
            (_, false) => "modules",
        };
        let _ = writeln!(
            text,
            "… {} more {what} with {} own {}",
            hidden.len(),
            grouped(own),
            profile.unit.name
        );
    }
    text
}

/// The group of a method. A method without a class is a group of its own; methods without a package form one group.
fn group_of(method: &MethodProfile, grouping: Grouping) -> &str {
    let name = match grouping {
        Grouping::Class => &method.class,
        Grouping::Package => &method.package,
    };
    match (name.is_empty(), grouping) {
        (false, _) => name,
        (true, Grouping::Package) if !method.class.is_empty() => "(no package)",
        (true, _) => &method.name,
    }
}

fn groups(profile: &Profile, grouping: Grouping) -> Vec<Group<'_>> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut of_method = Vec::with_capacity(profile.methods.len());
    for method in &profile.methods {
        let name = group_of(method, grouping);
        let number = *numbers.entry(name).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Group {
                name,
                is_library: true,
                ..Group::default()
            });
        }
        groups[number].add(method);
        of_method.push(number);
    }
    add_totals(profile, &of_method, &mut groups);
    groups
}

impl Group<'_> {
    fn add(&mut self, method: &MethodProfile) {
        self.methods += 1;
        self.is_library &= method.is_library;
        let counts = [
            (&mut self.calls, method.calls),
            (&mut self.sums.own, method.own),
            (&mut self.sums.objects, method.allocations.objects),
            (&mut self.sums.bytes, method.allocations.bytes),
            (&mut self.sums.work, method.own_work),
        ];
        for (sum, count) in counts {
            *sum = sum.saturating_add(count);
        }
    }
}

/// Adds the sends and the work below those contexts of a group that stand below no other context of it.
fn add_totals(profile: &Profile, of_method: &[usize], groups: &mut [Group<'_>]) {
    let measured = [Measure::Sends, Measure::Work].map(|measure| Tree::new(profile, measure));
    let [Some(tree), Some(works)] = measured else {
        return;
    };
    let group = |context: usize| {
        let method = tree.context(context).method;
        method.and_then(|m| of_method.get(m as usize).copied())
    };
    // How many contexts of each group are on the path from the run to where the walk is.
    let mut open = vec![0u32; groups.len()];
    tree.walk(|context, step| {
        let Some(number) = group(context) else {
            return;
        };
        match step {
            Step::Into if open[number] == 0 => {
                let sums = &mut groups[number].sums;
                sums.total = sums.total.saturating_add(tree.total(context));
                sums.total_work = sums.total_work.saturating_add(works.total(context));
                open[number] = 1;
            }
            Step::Into => open[number] += 1,
            Step::OutOf => open[number] -= 1,
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{flat, words};

    fn report(profile: &Profile, grouping: Grouping, order: Order) -> Result<String, Missing> {
        group_report(profile, grouping, order, None, Page::default())
    }

    #[test]
    fn classes_are_summed_up_and_their_totals_count_once() {
        let text = report(&words(), Grouping::Class, Order::Total).unwrap();
        let rows: Vec<&str> = text.lines().skip(2).take(6).collect();
        let expected = [
            "  class              methods  calls  own  total  share  of total",
            "  report.st                1      1  124    990  99.0%  █████████▉",
            "· OrderedCollection        3     30  550    927  92.7%  █████████▎",
            "  WordCounter              2     28  316    806  80.6%  ████████",
            "· Integer                  1      3    6      6   0.6%",
            "· Object                   1      9    4      4   0.4%",
        ];
        assert_eq!(rows, expected, "{text}");
        let packages = report(&words(), Grouping::Package, Order::Own).unwrap();
        assert!(packages.contains("· Kernel"), "{packages}");
    }

    #[test]
    fn groups_have_work() {
        let profile = crate::json::tests::example();
        let text = report(&profile, Grouping::Class, Order::TotalWork).unwrap();
        assert!(text.contains("700       1,700  100.0%"), "{text}");
        let none = report(&words(), Grouping::Class, Order::Work);
        assert_eq!(none, Err(Missing::Work));
    }

    #[test]
    fn without_a_tree_there_are_no_totals() {
        assert_eq!(
            report(&flat(), Grouping::Class, Order::Total),
            Err(Missing::Tree)
        );
        let text = report(&flat(), Grouping::Class, Order::Own).unwrap();
        assert!(text.contains("  -"), "{text}");
    }
}
