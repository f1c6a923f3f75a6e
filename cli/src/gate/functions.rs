//! Budgets of functions, compared with the profiles of other tools. A profile that is missing or unreadable fails the gate.

use std::collections::btree_map::Entry;

use tally_comparison::{Budget, BudgetReport, BudgetScope, Functions, Measurements, check_budgets};
use tally_workbench::project::Project;

use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::saved::{self, EventArguments};
use crate::{console, output};

/// Whether a budget is for functions.
pub(super) fn is_of_function(budget: &Budget) -> bool {
    matches!(budget.scope, BudgetScope::Function(_))
}

/// Compares the project's budgets of functions with their profiles, and prints the outcome; nothing if there are no such
/// budgets.
pub(super) fn check(project: &Project, format: Format) -> Result<Option<BudgetReport>, Failure> {
    let budgets = &project.settings.budgets;
    if !budgets.iter().any(is_of_function) {
        return Ok(None);
    }
    let measured = Measurements {
        profiles: profiles(project)?,
        ..Measurements::default()
    };
    let all = check_budgets(budgets, &measured);
    // The budgets of tests are compared with the tests.
    let is_of_function = |number: &usize| budgets.get(*number).is_some_and(is_of_function);
    let report = BudgetReport {
        rows: all.rows,
        idle: all.idle.into_iter().filter(is_of_function).collect(),
        open: Vec::new(),
        tightenings: all.tightenings,
    };
    let text = format!(
        "Budgets of functions (tally.toml): {}\n{}",
        report.summary(),
        report.text()
    );
    match format {
        Format::Human => output::write(&text, None)?,
        // Standard output is for the tests.
        Format::Json => console::write(&text),
    }
    if !report.idle.is_empty() {
        let in_color = console::in_color();
        let idle = project
            .settings
            .idle_budgets(&report.idle, &measured, in_color);
        console::write(&idle);
    }
    Ok(Some(report))
}

type Profiles = std::collections::BTreeMap<(String, Option<String>), Functions>;

/// The profiles that the budgets name, each read once.
fn profiles(project: &Project) -> Result<Profiles, Failure> {
    let mut profiles = Profiles::new();
    for budget in &project.settings.budgets {
        let BudgetScope::Function(scope) = &budget.scope else {
            continue;
        };
        let key = (scope.profile.clone(), scope.event.clone());
        let Entry::Vacant(place) = profiles.entry(key) else {
            continue;
        };
        let path = project.root.join(&scope.profile).display().to_string();
        let event = EventArguments {
            event: scope.event.clone(),
        };
        let profile = saved::read(&path, &event, Exit::Incomparable, Exit::Incomparable)?;
        place.insert(Functions::of(&profile));
    }
    Ok(profiles)
}

/// The exit code that the budgets call for.
pub(super) fn verdict(report: Option<BudgetReport>) -> Result<Exit, Failure> {
    let is_kept = report.is_none_or(|report| report.is_kept());
    match is_kept {
        true => Ok(Exit::Success),
        false => Err(Failure::silent(Exit::Counted)),
    }
}
