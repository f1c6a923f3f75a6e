//! The heaviest path: from the run down, always to the heaviest child, with the branches on the way.

use std::fmt::Write as _;

use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, share};

use super::{
    LIBRARY, Missing, TreeCut, about_library, calls_cell, calls_heading, headline, proxy,
    reservations,
};
use crate::profile::Profile;
use crate::tree::{Measure, Tree};

/// Branches that are named at each step of the path.
const NAMED_BRANCHES: usize = 3;

/// The heaviest path. It ends where a context's own sends outweigh each of its callees, or where all callees are too
/// light for a line.
pub fn hot_report(
    profile: &Profile,
    measure: Measure,
    cut: TreeCut,
    page: Page,
) -> Result<String, Missing> {
    let tree = Tree::new(profile, measure).ok_or(Missing::Tree)?;
    measure.check(profile, tree.whole())?;
    let path = path(&tree, cut);
    let mut text = page.wrapped(&headline(profile)) + "\n\n";
    text.push_str(&table(profile, &tree, &path, cut).render_on(page));
    let mut foot = conclusion(&tree, &path, measure.noun_in(profile));
    foot.push_str(&reservations(profile));
    foot.push('\n');
    let has_library = path.iter().any(|&context| tree.is_library(context));
    foot.push_str(about_library(has_library));
    foot.push_str(&proxy(profile, measure == Measure::Work));
    Ok(text + &page.wrapped(&foot))
}

/// The contexts of the path, the run left out.
fn path(tree: &Tree<'_>, cut: TreeCut) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = 0;
    while let Some(&next) = tree.children(at).first() {
        let weight = tree.total(next);
        let is_outweighed = at != 0 && tree.own(at) >= weight;
        let is_too_deep = cut.depth.is_some_and(|most| path.len() >= most);
        if is_outweighed || is_too_deep || weight == 0 || !cut.is_enough(weight, tree.whole()) {
            break;
        }
        path.push(next);
        at = next;
    }
    path
}

fn table(profile: &Profile, tree: &Tree<'_>, path: &[usize], cut: TreeCut) -> Layout {
    use Align::{Flexible, Right};
    let mut layout = Layout::new(&[Right, Right, Right, Right, Flexible]);
    layout.row(["total", "share", "own", calls_heading(profile), ""]);
    for (step, &context) in path.iter().enumerate() {
        let is_library = tree.is_library(context);
        let lead = if is_library { LIBRARY } else { "  " };
        let tint = match is_library {
            _ if step + 1 == path.len() => Tint::Hot,
            true => Tint::Dim,
            false => Tint::Strong,
        };
        layout.row([
            Cell::from(grouped(tree.total(context))),
            Cell::from(share(tree.total(context), tree.whole())),
            Cell::from(grouped(tree.own(context))),
            calls_cell(profile, tree.context(context).calls),
            Cell {
                lead: lead.to_string(),
                tint,
                ..Cell::from(tree.name(context))
            },
        ]);
        let next = path.get(step + 1).copied();
        branches(profile, tree, context, next, cut, &mut layout);
    }
    layout
}

/// Rows for the callees of a context beside the next one of the path.
fn branches(
    profile: &Profile,
    tree: &Tree<'_>,
    context: usize,
    next: Option<usize>,
    cut: TreeCut,
    layout: &mut Layout,
) {
    let others: Vec<usize> = tree
        .children(context)
        .iter()
        .copied()
        .filter(|&c| Some(c) != next)
        .collect();
    let is_named = |context: &usize| cut.is_enough(tree.total(*context), tree.whole());
    let named = others
        .iter()
        .filter(|c| is_named(c))
        .count()
        .min(NAMED_BRANCHES);
    for &other in &others[..named] {
        let lead = if tree.is_library(other) {
            "     ├ · "
        } else {
            "     ├ "
        };
        layout.row([
            Cell::from(grouped(tree.total(other))),
            Cell::from(share(tree.total(other), tree.whole())),
            Cell::default(),
            calls_cell(profile, tree.context(other).calls),
            Cell {
                lead: lead.to_string(),
                ..Cell::from(tree.name(other)).tinted(Tint::Dim)
            },
        ]);
    }
    let rest = &others[named..];
    let weight = rest
        .iter()
        .fold(0u64, |sum, &c| sum.saturating_add(tree.total(c)));
    if weight > 0 && cut.is_enough(weight, tree.whole()) {
        layout.row([
            Cell::from(grouped(weight)),
            Cell::from(share(weight, tree.whole())),
            Cell::default(),
            Cell::default(),
            Cell {
                lead: "     ├ ".to_string(),
                ..Cell::from(format!("… {} more", grouped(rest.len() as u64))).tinted(Tint::Dim)
            },
        ]);
    }
}

/// The sentence about the path's end.
fn conclusion(tree: &Tree<'_>, path: &[usize], noun: &str) -> String {
    let mut text = String::new();
    let Some(&end) = path.last() else {
        return text;
    };
    let name = tally_presentation::printable(&tree.name(end)).into_owned();
    let _ = write!(
        text,
        "\nIt ends in {name} with {} of all {noun}, its own there",
        share(tree.own(end), tree.whole())
    );
    let above = path
        .iter()
        .rev()
        .find(|&&context| !tree.is_library(context));
    match above {
        Some(&own) if own != end => {
            let own = tally_presentation::printable(&tree.name(own)).into_owned();
            let _ = writeln!(
                text,
                ".\nThe last of the program's own on the path is {own}."
            );
        }
        _ => text.push_str(".\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{chain, flat, words};

    fn report(profile: &Profile) -> Result<String, Missing> {
        hot_report(profile, Measure::Sends, TreeCut::default(), Page::default())
    }

    #[test]
    fn the_path_goes_down_to_what_weighs_most_by_itself() {
        let text = report(&words()).unwrap();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert!(lines[1].ends_with("  report.st"), "{text}");
        assert!(
            text.contains("It ends in OrderedCollection>>inject:into: with 40.0% of all sends"),
            "{text}"
        );
        assert!(
            text.contains("own on the path is WordCounter>>occurrencesOf:."),
            "{text}"
        );
        assert!(text.contains("├ · OrderedCollection>>do:"), "{text}");
    }

    #[test]
    fn a_path_of_any_length_is_followed_as_far_as_it_weighs_something() {
        let text = report(&chain(20_000)).unwrap();
        assert!(text.lines().count() > 19_000);
        assert_eq!(report(&flat()), Err(Missing::Tree));
    }
}
