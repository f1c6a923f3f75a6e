//! The budgets of `tally.toml`: those with names are made known to the tests, the others are held against what the tests
//! cost. What a budget means is the profiler's business.

use std::collections::{BTreeMap, BTreeSet};

use crate::loading;
use tally_comparison::{
    Budget, BudgetReport, BudgetScope, Measurements, MethodCosts, check_budgets,
};
use tally_profiler::{CostName, LimitKind};
use tally_vm::Vm;

use super::NAME;
use super::observed::counts_of;
use super::worker::Ended;
use crate::error::Error;
use crate::project::Project;

/// Makes the budgets that have names known to the program's tests.
pub fn make_known(project: &Project, vm: &mut Vm) -> Result<(), Error> {
    let texts: Vec<String> = project
        .settings
        .named()
        .map(|(name, budget)| definition(name, budget))
        .collect();
    if texts.is_empty() {
        return Ok(());
    }
    let outcome = loading::run_text(vm, NAME, &texts.join(".\n"))?;
    loading::ended(&outcome)
}

fn definition(name: &str, budget: &Budget) -> String {
    let limits: Vec<String> = budget
        .limits
        .iter()
        .map(|limit| {
            let kind = match limit.kind {
                LimitKind::Exact => "exact",
                LimitKind::Max => "max",
                LimitKind::Ratchet => "ratchet",
            };
            format!("#{} #{kind} {}", limit.cost.name(), limit.value)
        })
        .collect();
    let name = name.replace('\'', "''");
    let cpus = budget
        .cpus
        .map_or("nil".to_string(), |cpus| cpus.to_string());
    format!(
        "CountedBudget name: '{name}' limits: #({}) cpus: {cpus}",
        limits.join(" ")
    )
}

/// Whether tests have to be recorded, as a budget is for methods.
pub fn wants_profiles(project: &Project) -> bool {
    let mut budgets = project.settings.budgets.iter();
    budgets.any(|budget| matches!(budget.scope, BudgetScope::Method(_)))
}

/// What all tests together did in each method.
#[derive(Default)]
pub struct Methods(BTreeMap<String, MethodCosts>);

impl Methods {
    /// Adds what one test did.
    pub fn add(&mut self, methods: &[(String, MethodCosts)]) {
        for (name, method) in methods {
            let costs = self.0.entry(name.clone()).or_default();
            costs.calls = costs.calls.saturating_add(method.calls);
            costs.own = costs.own.saturating_add(method.own);
            costs.total = costs.total.saturating_add(method.total);
        }
    }
}

/// Holds a run, of which `known` are all tests if the whole project was loaded, against the project's budgets.
pub fn held_against(
    project: &Project,
    ran: &[Ended],
    methods: &Methods,
    known: Option<BTreeSet<String>>,
) -> (BudgetReport, Measurements) {
    let counted = ran.iter().filter_map(|ended| {
        let counts = counts_of(ended)?;
        Some((ended.report.name.clone(), counts))
    });
    let tests: BTreeMap<_, _> = counted.collect();
    let on_cpus = ran.iter().flat_map(|ended| {
        let costs = ended.on_cpus.iter();
        costs.map(|(cpus, counts)| ((ended.report.name.clone(), *cpus), *counts))
    });
    let well: BTreeSet<&str> = ran
        .iter()
        .filter(|ended| !ended.report.verdict.is_bad())
        .map(|ended| ended.report.name.as_str())
        .collect();
    let all_ended_well =
        |known: &BTreeSet<String>| known.iter().all(|name| well.contains(name.as_str()));
    let mut measured = Measurements {
        is_complete: known.as_ref().is_some_and(all_ended_well),
        tests,
        on_cpus: on_cpus.collect(),
        known,
        methods: methods.0.clone(),
        named: BTreeMap::new(),
        profiles: BTreeMap::new(),
    };
    for ended in ran.iter().filter(|ended| !ended.report.verdict.is_bad()) {
        for (budget, counts) in &ended.uses {
            let uses = measured.named.entry(budget.clone()).or_default();
            let most = uses.entry(ended.report.name.clone()).or_default();
            for cost in CostName::every() {
                most.set(cost, most.get(cost).max(counts.get(cost)));
            }
        }
    }
    (
        check_budgets(&project.settings.budgets, &measured),
        measured,
    )
}
