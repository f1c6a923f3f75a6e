//! The outcome of all budgets: a text for people, a table in Markdown, and the ratchets that can be tightened.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use tally_presentation::escape::markdown_code;
use tally_presentation::{grouped, signed};
use tally_profiler::LimitKind;

use super::{Budget, BudgetCost, BudgetRow, BudgetScope, BudgetVerdict, Judged};

/// A ratchet that can be lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tightening {
    /// Index of the budget.
    pub budget: usize,
    /// The subject of the limit.
    pub cost: BudgetCost,
    /// The limit before.
    pub from: u64,
    /// The largest measured number, below the limit before.
    pub to: u64,
}

/// The budgets with their outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetReport {
    /// Each limit, held against everything that it is for.
    pub rows: Vec<BudgetRow>,
    /// Indices of budgets for which there is nothing: their names are misspelt or out of date. An error, for they
    /// would be kept whatever happens.
    pub idle: Vec<usize>,
    /// Indices of budgets that could not be judged, as not everything ran that they are for.
    pub open: Vec<usize>,
    /// Ratchets that an update lowers.
    pub tightenings: Vec<Tightening>,
}

impl BudgetReport {
    pub(super) fn add(&mut self, budget: &Budget, number: usize, judged: Judged) {
        if judged.is_idle {
            self.idle.push(number);
        } else if judged.is_open {
            self.open.push(number);
        }
        if judged.is_complete {
            self.tightenings
                .extend(tightenings(budget, number, &judged.rows));
        }
        self.rows.extend(judged.rows);
    }

    /// The limits that are violated.
    pub fn violations(&self) -> impl Iterator<Item = &BudgetRow> {
        self.rows.iter().filter(|row| row.verdict.is_bad())
    }

    /// Whether no limit is violated and each budget is for something.
    pub fn is_kept(&self) -> bool {
        self.idle.is_empty() && self.violations().next().is_none()
    }

    /// The violations, and the ratchets that could be lower, a line each; empty if there are none.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for row in self.violations() {
            let _ = writeln!(text, "{row}");
        }
        for row in self
            .rows
            .iter()
            .filter(|row| row.verdict == BudgetVerdict::Loose)
        {
            let is_tightening = |t: &Tightening| t.budget == row.budget && t.cost == row.limit.cost;
            if self
                .tightenings
                .iter()
                .any(|t| is_tightening(t) && t.to == row.measured)
            {
                let _ = writeln!(text, "{row}");
            }
        }
        text
    }

    /// How many limits are what, in a line.
    pub fn summary(&self) -> String {
        let violated = self.violations().count();
        let counts = [
            (self.rows.len() - violated, "kept"),
            (violated, "exceeded or missed"),
            (self.idle.len(), "for nothing"),
            (self.open.len(), "not checked"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| format!("{} {what}", grouped(*count as u64)))
            .collect();
        match told.is_empty() {
            true => "no budgets".to_string(),
            false => told.join(", "),
        }
    }

    /// The violated limits as a table in Markdown; empty if there are none.
    pub fn markdown(&self) -> String {
        let mut rows = self.violations().peekable();
        if rows.peek().is_none() {
            return String::new();
        }
        let mut text = "| budget of | cost | measured | allowed | difference |\n| --- | --- | ---: | ---: | ---: |\n".to_string();
        for row in rows {
            let value = row.limit.value;
            let exactly = match row.limit.kind {
                LimitKind::Exact => "exactly ",
                LimitKind::Max | LimitKind::Ratchet => "",
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {exactly}{} | {} |",
                markdown_code(&subject(row)),
                row.limit.cost.name(),
                grouped(row.measured),
                grouped(value),
                signed(i128::from(row.measured) - i128::from(value)),
            );
        }
        text
    }
}

fn subject(row: &BudgetRow) -> String {
    let subject = tally_presentation::printable(&row.subject);
    match &row.scope {
        BudgetScope::Named(name) => format!("{name} ({subject})"),
        BudgetScope::Test(_) | BudgetScope::Method(_) | BudgetScope::Function(_) => {
            subject.into_owned()
        }
    }
}

/// The ratchets of a budget that can be lower, if these rows are all that it is for.
fn tightenings(budget: &Budget, number: usize, rows: &[BudgetRow]) -> Vec<Tightening> {
    let mut largest: BTreeMap<BudgetCost, u64> = BTreeMap::new();
    for row in rows {
        let largest = largest.entry(row.limit.cost).or_default();
        *largest = row.measured.max(*largest);
    }
    let ratchets = budget
        .limits
        .iter()
        .filter(|limit| limit.kind == LimitKind::Ratchet);
    let tightening = |limit: &super::BudgetLimit| {
        let to = *largest.get(&limit.cost)?;
        (to < limit.value).then_some(Tightening {
            budget: number,
            cost: limit.cost,
            from: limit.value,
            to,
        })
    };
    ratchets.filter_map(tightening).collect()
}
