//! Budgets: bounds on the costs of tests and methods, set by the project. A budget is compared with a measurement and is
//! never raised to fit it. A snapshot says what is; a budget says what may be. The command decides where budgets are
//! written.

mod report;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

pub use report::{BudgetReport, Tightening};

use tally_presentation::grouped;
use tally_profiler::{CostName, LimitKind, Profile, TestCounts, Unit, is_match};

/// The subject of a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum BudgetScope {
    /// Whatever tests measure under this name.
    Named(String),
    /// Each test that a name, a class or a pattern with `*` means.
    Test(String),
    /// Each method that a name, a class, a selector or a pattern with `*` means, over all tests.
    Method(String),
    /// Each function that a name or a pattern with `*` means, in a profile of another tool.
    Function(FunctionScope),
}

/// Functions of an imported profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionScope {
    /// The functions: a name, or a pattern with `*`.
    pub pattern: String,
    /// The profile's file, as a path from the project's folder.
    pub profile: String,
    /// The event of the profile; its first if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
}

impl fmt::Display for BudgetScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BudgetScope::Named(name) => write!(f, "the budget '{name}'"),
            BudgetScope::Test(pattern) => write!(f, "the budget of tests '{pattern}'"),
            BudgetScope::Method(pattern) => write!(f, "the budget of methods '{pattern}'"),
            BudgetScope::Function(scope) => {
                let (pattern, profile) = (&scope.pattern, &scope.profile);
                write!(f, "the budget of functions '{pattern}' in {profile}")
            }
        }
    }
}

/// The cost that a limit bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum BudgetCost {
    /// A cost of a test, or of a named measurement.
    Of(CostName),
    /// A method's activations.
    Calls,
    /// The sends in a method and its blocks.
    Own,
    /// The sends below a method, its own included.
    Total,
}

impl BudgetCost {
    /// The costs of a method that can have limits.
    pub const OF_METHODS: [BudgetCost; 3] = [BudgetCost::Calls, BudgetCost::Own, BudgetCost::Total];

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            BudgetCost::Of(cost) => cost.name(),
            BudgetCost::Calls => "calls",
            BudgetCost::Own => "own",
            BudgetCost::Total => "total",
        }
    }

    /// A number of it, in words.
    fn counted(self, count: u64, unit: &str) -> String {
        let count = grouped(count);
        match self {
            BudgetCost::Of(CostName::Span) => format!("a span of {count} ticks"),
            BudgetCost::Of(CostName::Waiting) => format!("{count} ticks of waiting"),
            BudgetCost::Of(CostName::Evaluations) => format!("{count} evaluations of conditions"),
            BudgetCost::Of(CostName::Cost) => format!("Work of {count} ticks"),
            BudgetCost::Of(CostName::Depth) => format!("a Depth of {count} ticks"),
            BudgetCost::Of(cost) => format!("{count} {}", cost.name()),
            BudgetCost::Calls => format!("{count} calls"),
            BudgetCost::Own => format!("{count} own {unit}"),
            BudgetCost::Total => format!("{count} {unit} in total"),
        }
    }
}

/// A limit of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetLimit {
    /// The cost that it bounds.
    pub cost: BudgetCost,
    /// How strict it is.
    pub kind: LimitKind,
    /// The number.
    pub value: u64,
}

impl BudgetLimit {
    fn verdict(self, measured: u64) -> BudgetVerdict {
        match self.kind {
            LimitKind::Exact if measured != self.value => BudgetVerdict::Differs,
            LimitKind::Max | LimitKind::Ratchet if measured > self.value => BudgetVerdict::Exceeded,
            LimitKind::Ratchet if measured < self.value => BudgetVerdict::Loose,
            _ => BudgetVerdict::Kept,
        }
    }
}

/// Limits on what something costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// The tests or methods that it bounds.
    pub scope: BudgetScope,
    /// Its limits.
    pub limits: Vec<BudgetLimit>,
    /// The CPUs on which what uses processors is measured; as many as there are processors if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u64>,
}

impl Budget {
    /// Whether the budget may be for the test, as far as its name alone says that.
    pub fn may_mean(&self, test: &str) -> bool {
        match &self.scope {
            BudgetScope::Test(pattern) => !meant(pattern, [test].into_iter()).is_empty(),
            _ => false,
        }
    }
}

/// The costs of a method in a run of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCosts {
    /// Activations.
    pub calls: u64,
    /// Sends in it and its blocks.
    pub own: u64,
    /// Sends below it, its own included.
    pub total: u64,
}

/// The measured counts that budgets are compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measurements {
    /// Tests that came to their ends.
    pub tests: BTreeMap<String, TestCounts>,
    /// The same on numbers of CPUs, for tests that use processors.
    pub on_cpus: BTreeMap<(String, u64), TestCounts>,
    /// The names of all tests of the project, if all of it was loaded.
    pub known: Option<BTreeSet<String>>,
    /// Whether all tests of the project ran and came to their ends.
    pub is_complete: bool,
    /// The cost of methods in all tests together, by `Class>>selector`.
    pub methods: BTreeMap<String, MethodCosts>,
    /// Measurements under the names of budgets: by budget, then by the test that measured.
    pub named: BTreeMap<String, BTreeMap<String, TestCounts>>,
    /// Profiles of other tools, by file and event. Budgets of functions in other files are not judged.
    pub profiles: BTreeMap<(String, Option<String>), Functions>,
}

impl Measurements {
    /// The counts of a test on this number of CPUs.
    fn test(&self, name: &str, cpus: Option<u64>) -> Option<&TestCounts> {
        let on_cpus = cpus.and_then(|cpus| self.on_cpus.get(&(name.to_string(), cpus)));
        on_cpus.or_else(|| self.tests.get(name))
    }
}

/// The functions of an imported profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// What is counted.
    pub unit: Unit,
    /// The costs by name. Functions of one name are added up.
    pub costs: BTreeMap<String, MethodCosts>,
}

impl Functions {
    /// The functions of a profile.
    pub fn of(profile: &Profile) -> Functions {
        let mut costs: BTreeMap<String, MethodCosts> = BTreeMap::new();
        for method in &profile.methods {
            let sum = costs.entry(method.name.clone()).or_default();
            sum.calls = sum.calls.saturating_add(method.calls);
            sum.own = sum.own.saturating_add(method.own);
            sum.total = sum.total.saturating_add(method.total);
        }
        Functions {
            unit: profile.unit.clone(),
            costs,
        }
    }
}

/// The verdict on a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum BudgetVerdict {
    /// It holds.
    Kept,
    /// It holds, and could be lower.
    Loose,
    /// There is more than it allows.
    Exceeded,
    /// The count is not exactly the limit.
    Differs,
}

impl BudgetVerdict {
    /// Whether the limit is violated.
    pub fn is_bad(self) -> bool {
        matches!(self, BudgetVerdict::Exceeded | BudgetVerdict::Differs)
    }
}

/// A limit, held against something that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetRow {
    /// Index of the budget.
    pub budget: usize,
    /// The tests or methods that it bounds.
    pub scope: BudgetScope,
    /// The measured test or method.
    pub subject: String,
    /// The limit.
    #[serde(flatten)]
    pub limit: BudgetLimit,
    /// The measured count.
    pub measured: u64,
    /// What `own` and `total` count.
    #[serde(skip_serializing_if = "is_sends")]
    pub unit: String,
    /// Whether it holds.
    pub verdict: BudgetVerdict,
}

fn is_sends(unit: &str) -> bool {
    unit == Unit::default().name
}

impl fmt::Display for BudgetRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BudgetLimit { cost, kind, value } = self.limit;
        let subject = tally_presentation::printable(&self.subject);
        let counted = cost.counted(self.measured, &self.unit);
        let allowed = grouped(value);
        let expected = match kind {
            LimitKind::Exact => "exactly",
            LimitKind::Max | LimitKind::Ratchet => "at most",
        };
        write!(
            f,
            "{subject} has {counted}, {expected} {allowed} allowed by {}",
            self.scope
        )?;
        let distance = grouped(self.measured.abs_diff(value));
        match self.verdict {
            BudgetVerdict::Kept => Ok(()),
            BudgetVerdict::Loose => write!(f, "; {} would do", grouped(self.measured)),
            _ if self.measured > value => write!(f, ": {distance} more"),
            _ => write!(f, ": {distance} fewer"),
        }
    }
}

impl Budget {
    /// Holds the budget, whose index is that, against the costs of something.
    fn rows(
        &self,
        budget: usize,
        subject: &str,
        unit: &Unit,
        cost: impl Fn(BudgetCost) -> Option<u64>,
    ) -> Vec<BudgetRow> {
        let measured = |limit: &BudgetLimit| Some((*limit, cost(limit.cost)?));
        let rows = self
            .limits
            .iter()
            .filter_map(measured)
            .map(|(limit, measured)| BudgetRow {
                budget,
                scope: self.scope.clone(),
                subject: subject.to_string(),
                limit,
                measured,
                unit: unit.name.clone(),
                verdict: limit.verdict(measured),
            });
        rows.collect()
    }

    fn rows_of_counts(&self, budget: usize, subject: &str, counts: &TestCounts) -> Vec<BudgetRow> {
        self.rows(budget, subject, &Unit::default(), |cost| match cost {
            BudgetCost::Of(cost) => Some(counts.get(cost)),
            _ => None,
        })
    }

    fn rows_of_method(
        &self,
        budget: usize,
        name: &str,
        unit: &Unit,
        costs: &MethodCosts,
    ) -> Vec<BudgetRow> {
        self.rows(budget, name, unit, |cost| match cost {
            BudgetCost::Calls => unit.calls.then_some(costs.calls),
            BudgetCost::Own => Some(costs.own),
            BudgetCost::Total => Some(costs.total),
            BudgetCost::Of(_) => None,
        })
    }
}

/// Compares budgets with measurements. Budgets without measurements in this run are not judged. Methods have costs only
/// when all tests ran. A name is known to mean nothing only when every test was run.
pub fn check_budgets(budgets: &[Budget], measured: &Measurements) -> BudgetReport {
    let mut report = BudgetReport::default();
    for (number, budget) in budgets.iter().enumerate() {
        let judged = judge(number, budget, measured);
        report.add(budget, number, judged);
    }
    report
}

/// A budget, held against everything that it is for.
struct Judged {
    rows: Vec<BudgetRow>,
    /// Whether nothing is missing in the rows that the budget is for.
    is_complete: bool,
    /// Whether there is nothing that it is for.
    is_idle: bool,
    /// Whether it could not be judged at all.
    is_open: bool,
}

fn judge(number: usize, budget: &Budget, measured: &Measurements) -> Judged {
    match &budget.scope {
        BudgetScope::Test(pattern) => judge_tests(number, budget, pattern, measured),
        BudgetScope::Method(pattern) => judge_methods(number, budget, pattern, measured),
        BudgetScope::Named(name) => judge_named(number, budget, name, measured),
        BudgetScope::Function(scope) => judge_functions(number, budget, scope, measured),
    }
}

fn judge_tests(number: usize, budget: &Budget, pattern: &str, measured: &Measurements) -> Judged {
    let names = measured.tests.keys().chain(measured.known.iter().flatten());
    let meant = meant(pattern, names.map(String::as_str));
    let counted = meant
        .iter()
        .filter_map(|name| Some((name, measured.test(name, budget.cpus)?)));
    let rows: Vec<BudgetRow> = counted
        .clone()
        .flat_map(|(name, counts)| budget.rows_of_counts(number, name, counts))
        .collect();
    Judged {
        is_complete: measured.known.is_some() && counted.count() == meant.len(),
        is_idle: measured.known.is_some() && meant.is_empty(),
        is_open: rows.is_empty(),
        rows,
    }
}

fn judge_methods(number: usize, budget: &Budget, pattern: &str, measured: &Measurements) -> Judged {
    let is_complete = measured.is_complete;
    let meant = match is_complete {
        true => meant(pattern, measured.methods.keys().map(String::as_str)),
        false => BTreeSet::new(),
    };
    let counted = meant
        .iter()
        .filter_map(|name| Some((name, measured.methods.get(*name)?)));
    let rows = counted
        .flat_map(|(name, costs)| budget.rows_of_method(number, name, &Unit::default(), costs));
    Judged {
        rows: rows.collect(),
        is_complete,
        is_idle: is_complete && meant.is_empty(),
        is_open: !is_complete,
    }
}

/// A budget of functions is idle also if the profile lacks one of its counts: it would be kept whatever happens.
fn judge_functions(
    number: usize,
    budget: &Budget,
    scope: &FunctionScope,
    measured: &Measurements,
) -> Judged {
    let key = (scope.profile.clone(), scope.event.clone());
    let Some(functions) = measured.profiles.get(&key) else {
        // Only the gate reads profiles. Elsewhere nothing is said of them.
        return Judged {
            rows: Vec::new(),
            is_complete: false,
            is_idle: false,
            is_open: false,
        };
    };
    let meant = meant(&scope.pattern, functions.costs.keys().map(String::as_str));
    let counted = meant
        .iter()
        .filter_map(|name| Some((name, functions.costs.get(*name)?)));
    let rows: Vec<BudgetRow> = counted
        .flat_map(|(name, costs)| budget.rows_of_method(number, name, &functions.unit, costs))
        .collect();
    let is_whole = rows.len() == meant.len() * budget.limits.len();
    Judged {
        is_complete: true,
        is_idle: rows.is_empty() || !is_whole,
        is_open: false,
        rows,
    }
}

fn judge_named(number: usize, budget: &Budget, name: &str, measured: &Measurements) -> Judged {
    let counted = measured.named.get(name).into_iter().flatten();
    let rows = counted.flat_map(|(who, counts)| budget.rows_of_counts(number, who, counts));
    let rows: Vec<BudgetRow> = rows.collect();
    Judged {
        is_complete: measured.is_complete,
        is_idle: measured.is_complete && rows.is_empty(),
        is_open: rows.is_empty(),
        rows,
    }
}

/// The names that a text means: a whole name means that one alone; otherwise a class or a selector means all of it; otherwise it
/// is a pattern with `*`.
fn meant<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> BTreeSet<&'n str> {
    let names: BTreeSet<&str> = names.collect();
    if let Some(name) = names.get(text) {
        return BTreeSet::from([*name]);
    }
    let is_part = |name: &&&str| {
        let parts = name.split_once(">>");
        !text.is_empty() && parts.is_some_and(|(class, rest)| class == text || rest == text)
    };
    let parts: BTreeSet<&str> = names.iter().filter(is_part).copied().collect();
    if !parts.is_empty() {
        return parts;
    }
    names
        .into_iter()
        .filter(|name| is_match(text, name))
        .collect()
}
