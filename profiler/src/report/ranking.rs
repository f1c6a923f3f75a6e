//! Methods ranked by cost, as a table with shares and bars.

use std::fmt::Write as _;

use tally_presentation::{Align, Layout, Page, grouped, share};

use super::{
    Missing, Sums, about_library, bar, calls_cell, calls_heading, columns, headline, name_cell,
    name_heading, proxy, reservations,
};
use crate::inlined::inlined_report;
use crate::profile::{MethodProfile, Profile};
use crate::rank::{Order, ranked};
use crate::tree::Measure;

/// The ranking of a profile as a table: the first `limit` methods, or all of them.
pub fn profile_report(profile: &Profile, order: Order, limit: Option<usize>) -> String {
    ranking(profile, order, limit, Page::default())
}

/// As [`profile_report`], for a page, and only if the profile holds the numbers of this order.
pub fn ranking_report(
    profile: &Profile,
    order: Order,
    limit: Option<usize>,
    page: Page,
) -> Result<String, Missing> {
    check_known(profile, order)?;
    Ok(ranking(profile, order, limit, page))
}

/// Fails if the profile lacks the number of this order.
pub(super) fn check_known(profile: &Profile, order: Order) -> Result<(), Missing> {
    match (is_known(profile, order), order) {
        (true, _) => Ok(()),
        (false, Order::Calls) => Err(Missing::Activations),
        (false, Order::Work | Order::TotalWork) => Err(Missing::Work),
        (false, _) => Err(Missing::Allocations),
    }
}

/// Whether the profile has this number for each method. Allocations outside all methods belong to none.
fn is_known(profile: &Profile, order: Order) -> bool {
    let is_some = |method: &MethodProfile| method.allocations.objects > 0;
    let is_counted = profile.unit.is_tally() && profile.cost.allocations.objects == 0;
    if order == Order::Calls && !profile.unit.calls {
        return false;
    }
    match order.measure() {
        Measure::Sends => true,
        Measure::Work => profile.has_work(),
        Measure::Objects | Measure::Bytes => is_counted || profile.methods.iter().any(is_some),
    }
}

fn ranking(profile: &Profile, order: Order, limit: Option<usize>, page: Page) -> String {
    let methods = ranked(profile, order);
    let shown = limit.unwrap_or(methods.len()).min(methods.len());
    let (shown, hidden) = methods.split_at(shown);
    let mut text = page.wrapped(&headline(profile)) + "\n\n";
    text.push_str(&table(profile, order, shown).render_on(page));
    text.push_str(&rest(profile, hidden, order));
    if let Some(inlined) = &profile.inlined {
        text.push('\n');
        text.push_str(&inlined_report(Some(inlined)));
    }
    let mut foot = reservations(profile);
    foot.push('\n');
    foot.push_str(&legend(profile, order));
    foot.push_str(about_library(shown.iter().any(|m| m.is_library)));
    foot.push_str(&proxy(profile, shows_work(profile, order)));
    text + &page.wrapped(&foot)
}

/// Whether a ranking in this order shows work. A ranking by sends shows it beside them.
pub(super) fn shows_work(profile: &Profile, order: Order) -> bool {
    let is_beside = matches!(order.measure(), Measure::Sends | Measure::Work);
    is_beside && profile.has_work()
}

fn table(profile: &Profile, order: Order, methods: &[&MethodProfile]) -> Layout {
    use Align::{Flexible, Left, Right};
    let whole = order.whole(profile);
    let columns = columns(profile, order.measure());
    let mut aligned = vec![Right; columns.len() + 2];
    aligned.insert(0, Flexible);
    aligned.push(Left);
    let mut layout = Layout::new(&aligned);
    let of = format!("of {}", order.name());
    let mut heads = vec![name_heading(profile), calls_heading(profile)];
    heads.extend(columns.iter().map(|(heading, _)| heading));
    heads.extend(["share", &of]);
    layout.row(heads);
    for method in methods {
        let sums = Sums::from(*method);
        let key = order.key(method);
        let mut cells = vec![name_cell(method), calls_cell(profile, method.calls)];
        cells.extend(
            columns
                .iter()
                .map(|(_, count)| grouped(count(&sums)).into()),
        );
        cells.extend([share(key, whole).into(), bar(key, whole).into()]);
        layout.row(cells);
    }
    layout
}

/// A line about the methods that are not shown.
fn rest(profile: &Profile, hidden: &[&MethodProfile], order: Order) -> String {
    if hidden.is_empty() {
        return String::new();
    }
    let sum = |count: fn(&MethodProfile) -> u64| {
        let counts = hidden.iter().map(|method| count(method));
        grouped(counts.fold(0, u64::saturating_add))
    };
    let what = match order {
        Order::Total | Order::Own | Order::Calls => {
            format!("{} own {}", sum(|m| m.own), profile.unit.name)
        }
        Order::Objects => format!("{} objects", sum(|m| m.allocations.objects)),
        Order::Bytes => format!("{} bytes", sum(|m| m.allocations.bytes)),
        Order::Work | Order::TotalWork => format!("{} work of their own", sum(|m| m.own_work)),
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "… {} more {}s with {what}",
        grouped(hidden.len() as u64),
        profile.unit.subject()
    );
    text
}

fn legend(profile: &Profile, order: Order) -> String {
    let unit = &profile.unit;
    if !unit.is_tally() {
        let name = &unit.name;
        return format!("own: {name} in the function; total: with all that it calls.\n");
    }
    let text = match order.measure() {
        Measure::Work => {
            "calls: activations; work: in the method, its blocks and the primitives that they call; total work: with all that they cause.\n"
        }
        Measure::Sends if profile.has_work() => {
            "calls: activations; own: sends in the method and its blocks; total: with all that they cause.\nwork: in the method, its blocks and the primitives that they call.\n"
        }
        Measure::Sends => {
            "calls: activations; own: sends in the method and its blocks; total: with all that they cause.\n"
        }
        Measure::Objects | Measure::Bytes => {
            "calls: activations; objects, bytes: allocated in the method and its blocks, not in what they call.\n"
        }
    };
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{flat, words};
    use crate::json::tests::example;

    #[test]
    fn methods_are_ranked_with_shares_and_the_rest_is_summed_up() {
        let text = profile_report(&words(), Order::Own, Some(3));
        let expected = "\
report.st: 1,000 sends, 71 activations, 229 blocks, 0 loop repetitions, 48 objects (768 bytes)

  method                           calls  own  total  share  of own
· OrderedCollection>>inject:into:      8  400    650  40.0%  ████
  WordCounter>>occurrencesOf:          8  266    666  26.6%  ██▋
  report.st                            1  124    990  12.4%  █▏
… 5 more methods with 210 own sends

calls: activations; own: sends in the method and its blocks; total: with all that they cause.
· marks methods of the library.
Sends are exact, and a proxy: work inside primitives, the collector and I/O is not in them.
";
        assert_eq!(text, expected);
    }

    #[test]
    fn allocations_are_ranked_if_they_were_counted() {
        let page = Page::default();
        let text = ranking_report(&words(), Order::Bytes, Some(2), page).unwrap();
        assert!(text.contains("objects  bytes"), "{text}");
        assert!(
            text.contains("bytes\n\ncalls: activations; objects"),
            "{text}"
        );
        let mut flat = flat();
        assert!(ranking_report(&flat, Order::Total, None, page).is_ok());
        for method in &mut flat.methods {
            method.allocations = Default::default();
        }
        assert_eq!(
            ranking_report(&flat, Order::Objects, None, page),
            Err(Missing::Allocations)
        );
    }

    #[test]
    fn work_is_ranked_and_shown_beside_sends_if_it_was_counted() {
        let page = Page::default();
        let text = ranking_report(&example(), Order::Work, None, page).unwrap();
        let rows: Vec<&str> = text.lines().skip(2).take(3).collect();
        let expected = [
            "  method  calls   work  total work  share  of work",
            "  A>>b        1  1,000       1,000  58.8%  █████▉",
            "  a.st        1    700       1,700  41.2%  ████",
        ];
        assert_eq!(rows, expected, "{text}");
        assert!(text.contains("1 is 1/100 ns"), "{text}");
        let beside = ranking_report(&example(), Order::Total, None, page).unwrap();
        assert!(beside.contains("own  total   work   share"), "{beside}");
        let none = ranking_report(&words(), Order::TotalWork, None, page);
        assert_eq!(none, Err(Missing::Work));
    }

    #[test]
    fn a_row_fits_into_the_page() {
        let page = Page {
            width: Some(60),
            color: false,
        };
        let text = ranking_report(&words(), Order::Total, None, page).unwrap();
        let rows = text.lines().skip(2).take_while(|line| !line.is_empty());
        for row in rows {
            assert!(tally_presentation::width(row) <= 60, "{row}");
        }
        assert!(text.contains("Ordered"), "{text}");
    }
}
