//! What of a profile is shown to people: a ranking, the tree, callers or callees, the heaviest path. How each looks is the
//! profiler's business; here are the options that choose, and what it means when there is nothing to show.

use clap::{Args, ValueEnum};
use tally_presentation::Page;
use tally_profiler::{
    Direction, Grouping, Measure, MethodProfile, Missing, Order, Profile, TreeCut, folded,
    group_report, hot_report, methods_named, neighbour_report, ranking_report, tree_report,
};

use crate::exit::Exit;
use crate::failure::Failure;

/// Methods whose callers or callees are shown at once.
const MOST_METHODS: usize = 10;

/// The order of methods in a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    // Sends below the method, its own included
    #[default]
    Total,
    // Sends in the method and its blocks
    Own,
    // Activations
    Calls,
    // Objects allocated in the method and its blocks
    Objects,
    // Their bytes
    Bytes,
    // Work in the method, its blocks and the primitives that they call
    Work,
    // Work below the method, its own included
    TotalWork,
}

/// The rows of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    // Methods
    #[default]
    Method,
    // Classes
    Class,
    // Packages
    Package,
}

/// Whether methods of the library are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Library {
    // As all others
    #[default]
    Show,
    // As a part of the program's methods that called them
    Fold,
}

/// The view and its extent.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What the report shows")]
pub(crate) struct ViewArguments {
    /// The order of a ranking, and the weight of trees
    #[arg(long, value_enum, default_value_t, value_name = "ORDER")]
    sort: Sort,
    /// Rank methods, classes or packages
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    by: By,
    /// Show methods of the library, or add their counts to the program's methods that called them
    #[arg(
        long,
        hide_short_help = true,
        value_enum,
        default_value_t,
        value_name = "HOW"
    )]
    library: Library,
    /// Show N lines of a ranking; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
    /// Show the calling-context tree
    #[arg(long, group = "view")]
    tree: bool,
    /// Show the heaviest path from the run down, and its branches
    #[arg(long, group = "view")]
    hot: bool,
    /// Show the callers of METHOD: 'Class>>selector', a class, a selector, or a pattern with *
    #[arg(long, value_name = "METHOD", group = "view")]
    callers: Option<String>,
    /// Show the callees of METHOD
    #[arg(long, value_name = "METHOD", group = "view")]
    callees: Option<String>,
    /// Omit methods below PERCENT of all, in --tree and --hot
    #[arg(long, hide_short_help = true, value_name = "PERCENT", value_parser = thousandths, default_value = "1")]
    min_share: u32,
    /// Omit methods more than N calls below the run, in --tree and --hot
    #[arg(long, hide_short_help = true, value_name = "N")]
    depth: Option<usize>,
}

impl ViewArguments {
    /// The number of lines of a ranking.
    pub(crate) fn limit(&self) -> Option<usize> {
        (self.limit > 0).then_some(self.limit)
    }

    /// The order of methods in a ranking.
    pub(crate) fn sort(&self) -> Sort {
        self.sort
    }

    /// What trees and pictures weigh.
    pub(crate) fn measure(&self) -> Measure {
        order(self.sort).measure()
    }

    /// Whether it shows counts that only sites have.
    pub(crate) fn needs_sites(&self) -> bool {
        matches!(
            self.sort,
            Sort::Objects | Sort::Bytes | Sort::Work | Sort::TotalWork
        )
    }
}

/// The last line of a report of a folded profile.
const FOLDED: &str = "Methods of the library are folded: what they did is own to the method of the program that called them.\n";

/// The report that the options choose.
pub(crate) fn report(
    profile: &Profile,
    view: &ViewArguments,
    page: Page,
) -> Result<String, Failure> {
    match view.library {
        Library::Show => shown(profile, view, page),
        Library::Fold if profile.contexts.is_empty() => Err(missing(Missing::Tree)),
        Library::Fold => {
            let folded = folded(profile, |method| !method.is_library);
            Ok(shown(&folded, view, page)? + FOLDED)
        }
    }
}

fn shown(profile: &Profile, view: &ViewArguments, page: Page) -> Result<String, Failure> {
    let order = order(view.sort);
    let limit = view.limit();
    let cut = TreeCut {
        least_share: view.min_share,
        depth: view.depth,
    };
    let report = match view {
        ViewArguments { tree: true, .. } => tree_report(profile, order.measure(), cut, page),
        ViewArguments { hot: true, .. } => hot_report(profile, order.measure(), cut, page),
        ViewArguments {
            callers: Some(method),
            ..
        } => neighbours(profile, Direction::Callers, method, limit, page)?,
        ViewArguments {
            callees: Some(method),
            ..
        } => neighbours(profile, Direction::Callees, method, limit, page)?,
        ViewArguments { by: By::Method, .. } => ranking_report(profile, order, limit, page),
        ViewArguments { by: By::Class, .. } => {
            group_report(profile, Grouping::Class, order, limit, page)
        }
        ViewArguments {
            by: By::Package, ..
        } => group_report(profile, Grouping::Package, order, limit, page),
    };
    report.map_err(missing)
}

/// Refuses a view of counts that the profile lacks.
pub(crate) fn missing(what: Missing) -> Failure {
    Failure::new(Exit::Usage, what.to_string())
}

fn neighbours(
    profile: &Profile,
    direction: Direction,
    name: &str,
    limit: Option<usize>,
    page: Page,
) -> Result<Result<String, Missing>, Failure> {
    let mut methods = named(profile, name)?;
    let total = |&method: &usize| std::cmp::Reverse(profile.methods[method].total);
    methods.sort_by_key(total);
    let more = methods.len().saturating_sub(MOST_METHODS);
    methods.truncate(MOST_METHODS);
    let report = neighbour_report(profile, direction, &methods, limit, page);
    Ok(report.map(|mut text| {
        if more > 0 {
            text.push_str(&format!(
                "{more} more methods match {name}; those with the greatest totals are shown.\n"
            ));
        }
        text
    }))
}

/// The methods that a text names, by their indices; if there are none, that is a failure with a hint.
pub(crate) fn named(profile: &Profile, name: &str) -> Result<Vec<usize>, Failure> {
    let found = methods_named(profile, name);
    if found.is_empty() {
        Err(Failure::new(Exit::Nothing, unknown(profile, name)))
    } else {
        Ok(found)
    }
}

fn unknown(profile: &Profile, name: &str) -> String {
    let names = |part: fn(&MethodProfile) -> &str| profile.methods.iter().map(part);
    let near = tally_compiler::nearest(name, names(|m| &m.name))
        .or_else(|| tally_compiler::nearest(name, names(|m| &m.selector)))
        .or_else(|| tally_compiler::nearest(name, names(|m| &m.class)));
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("no method that ran is named '{name}'{hint}")
}

fn order(sort: Sort) -> Order {
    match sort {
        Sort::Total => Order::Total,
        Sort::Own => Order::Own,
        Sort::Calls => Order::Calls,
        Sort::Objects => Order::Objects,
        Sort::Bytes => Order::Bytes,
        Sort::Work => Order::Work,
        Sort::TotalWork => Order::TotalWork,
    }
}

/// A percentage in thousandths of a percent.
fn thousandths(text: &str) -> Result<u32, String> {
    let number: f64 = text
        .trim_end_matches('%')
        .parse()
        .map_err(|_| "expected a percentage, such as 0.5".to_string())?;
    if (0.0..=100.0).contains(&number) {
        Ok((number * 1000.0).round() as u32)
    } else {
        Err("expected a percentage from 0 to 100".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read() {
        assert_eq!(thousandths("1"), Ok(1000));
        assert_eq!(thousandths("0.25%"), Ok(250));
        for wrong in ["", "x", "-1", "101", "NaN", "inf"] {
            assert!(thousandths(wrong).is_err(), "{wrong}");
        }
    }
}
