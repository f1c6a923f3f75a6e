//! Runs of a program under one changed assumption each, beside the run without one.

use serde::Serialize;
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

/// What a rule says about the program that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The run is that of the same program on another machine.
    Exact,
    /// The run is that of another program; output, ending and answers are compared.
    Checked,
    /// There is no run. The events of the run without a rule are followed, in their order.
    Estimate,
}

impl Label {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Label::Exact => "exact",
            Label::Checked => "checked",
            Label::Estimate => "estimate",
        }
    }
}

/// The sums of a run, in the part that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// From the begin of the part to its last moment.
    pub makespan: u64,
    /// Requests that began.
    pub requests: u64,
    /// Ticks of all processors, as their clocks count them.
    pub ticks: u64,
}

/// A run under a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The rule as it was given.
    pub rule: String,
    /// What it says.
    pub label: Label,
    /// Why it says nothing, if it is refused.
    pub refused: Option<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// Absent if the run has no such part.
    pub sums: Option<Sums>,
    /// How the run ended, in a word.
    pub ending: &'static str,
}

impl Trial {
    /// A rule that was not tried.
    pub fn refused(rule: &str, why: &str) -> Trial {
        Trial {
            rule: rule.to_string(),
            label: Label::Checked,
            refused: Some(why.to_string()),
            notes: Vec::new(),
            sums: None,
            ending: "",
        }
    }

    /// The sums, unless the rule is refused.
    pub fn valid(&self) -> Option<Sums> {
        self.sums.filter(|_| self.refused.is_none())
    }

    fn label(&self) -> &'static str {
        match self.refused {
            None => self.label.word(),
            Some(_) => "refused",
        }
    }
}

/// The runs under rules, and the run without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trials {
    /// The run without a rule.
    pub before: Sums,
    /// In the order of the rules.
    pub trials: Vec<Trial>,
}

/// A run for programs.
#[derive(Debug, Serialize)]
pub(crate) struct TrialRow {
    rule: String,
    label: &'static str,
    refused: Option<String>,
    notes: Vec<String>,
    ending: &'static str,
    before: u64,
    after: Option<u64>,
    gained: Option<i64>,
    requests: Option<u64>,
    ticks: Option<u64>,
}

/// Ticks by which the makespan is shorter.
fn gained(before: Sums, after: Sums) -> i64 {
    let difference = i128::from(before.makespan) - i128::from(after.makespan);
    i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
}

/// Why the rule is refused, and its notes.
fn remarks(trial: &Trial) -> Vec<String> {
    let refused = trial.refused.iter().map(|why| format!("refused: {why}"));
    let all = refused.chain(trial.notes.iter().cloned());
    all.map(|what| format!("{}: {what}", trial.rule)).collect()
}

impl Trials {
    /// The runs for programs.
    pub(crate) fn rows(&self) -> Vec<TrialRow> {
        let row = |trial: &Trial| {
            let after = trial.valid();
            TrialRow {
                rule: trial.rule.clone(),
                label: trial.label(),
                refused: trial.refused.clone(),
                notes: trial.notes.clone(),
                ending: trial.ending,
                before: self.before.makespan,
                after: after.map(|after| after.makespan),
                gained: after.map(|after| gained(self.before, after)),
                requests: after.map(|after| after.requests),
                ticks: after.map(|after| after.ticks),
            }
        };
        self.trials.iter().map(row).collect()
    }

    /// The runs as a table.
    pub fn table(&self) -> Table {
        let Sums {
            makespan,
            requests,
            ticks,
        } = self.before;
        let reading = format!(
            "Without a rule: makespan {makespan}, requests {requests}, ticks {ticks}. Each row is a run of the whole program under one rule; an estimate follows the events of the run without one. Gained: ticks by which the makespan is shorter."
        );
        let mut table = Table::new("if", "What would have changed", &reading)
            .words("rule")
            .words("label")
            .number("makespan", "", Style::Whole)
            .number("after", "", Style::Whole)
            .number("gained", "", Style::Whole)
            .number("requests", "", Style::Whole)
            .number("ticks", "", Style::Whole);
        for trial in &self.trials {
            let after = trial.valid();
            let whole = |number: Option<u64>| number.map_or(Value::Absent, Value::from);
            #[expect(clippy::cast_precision_loss, reason = "it is shown, not computed with")]
            let gained = after.map(|after| gained(self.before, after) as f64);
            table.row([
                Value::from(trial.rule.clone()),
                trial.label().into(),
                makespan.into(),
                whole(after.map(|after| after.makespan)),
                gained.into(),
                whole(after.map(|after| after.requests)),
                whole(after.map(|after| after.ticks)),
            ]);
        }
        for trial in &self.trials {
            for what in remarks(trial) {
                table = table.note(what);
            }
        }
        table
    }

    /// The runs as text.
    pub fn text(&self, page: Page) -> String {
        let mut text = String::new();
        self.table().push_text(page, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Label, Sums, Trial, Trials};

    fn sums(makespan: u64) -> Option<Sums> {
        Some(Sums {
            makespan,
            requests: 3,
            ticks: 9,
        })
    }

    #[test]
    fn a_refused_rule_has_a_reason_and_no_figures() {
        let trial = |rule: &str, refused: Option<&str>, makespan| Trial {
            rule: rule.to_string(),
            label: Label::Checked,
            refused: refused.map(str::to_string),
            notes: Vec::new(),
            sums: sums(makespan),
            ending: "finished",
        };
        let trials = Trials {
            before: sums(10).unwrap_or(Sums {
                makespan: 0,
                requests: 0,
                ticks: 0,
            }),
            trials: vec![
                trial("copy A", None, 7),
                trial("copy B", None, 12),
                trial("copy C", Some("it prints nothing"), 1),
            ],
        };
        let csv = trials.table().csv().replace('\r', "");
        let expected = "rule,label,makespan,after,gained,requests,ticks\n\
            copy A,checked,10,7,3,3,9\n\
            copy B,checked,10,12,-2,3,9\n\
            copy C,refused,10,,,,\n";
        assert_eq!(csv, expected);
        let rows = trials.rows();
        let gained: Vec<Option<i64>> = rows.iter().map(|row| row.gained).collect();
        assert_eq!(gained, [Some(3), Some(-2), None]);
        assert_eq!(rows[2].refused.as_deref(), Some("it prints nothing"));
    }
}
