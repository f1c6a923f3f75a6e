//! Advice: candidates that were tried, ranked by what they gained.

use serde::Serialize;
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::assumptions::{Sums, Trial};
use crate::candidates::Candidate;

/// A machine on which all candidates were tried: what is said of it, the run without a rule there, and the trials in the order of the
/// candidates.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Empty for the machine that the options name.
    pub name: String,
    /// The run without a rule.
    pub before: Sums,
    /// The runs under the rules.
    pub trials: Vec<Trial>,
}

/// A candidate that makes the run shorter on one of the machines.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Advised {
    rule: String,
    label: &'static str,
    evidence: String,
    place: Option<String>,
    edit: &'static str,
    is_change: bool,
    gains: Vec<Gain>,
}

/// What was gained on a machine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Gain {
    machine: String,
    before: u64,
    after: u64,
}

impl Gain {
    /// The part of the makespan that is saved.
    fn share(&self) -> f64 {
        (self.before as f64 - self.after as f64) / self.before.max(1) as f64
    }
}

/// What was tried, and what of it helps.
#[derive(Clone, Debug)]
pub struct Advice {
    /// How many rules were tried.
    tried: usize,
    /// The greatest gain first; other ways of working together before fewer ticks.
    advised: Vec<Advised>,
    machines: Vec<String>,
    /// Rules that were refused, and why.
    refused: Vec<(String, String)>,
}

impl Advised {
    fn share(&self) -> f64 {
        self.gains.iter().map(Gain::share).sum()
    }
}

const NOTHING: &str = "No other way of working together that was tried makes the run shorter.";

impl Advice {
    /// The candidates with their trials on each machine.
    pub fn new(candidates: Vec<Candidate>, settings: &[Setting]) -> Advice {
        let tried = candidates.len();
        let mut refused = Vec::new();
        let mut advised = Vec::new();
        for (at, candidate) in candidates.into_iter().enumerate() {
            let trials: Vec<&Trial> = settings
                .iter()
                .filter_map(|one| one.trials.get(at))
                .collect();
            if let Some(why) = trials.iter().find_map(|trial| trial.refused.clone()) {
                refused.push((candidate.rule, why));
                continue;
            }
            let gains = settings.iter().zip(&trials).filter_map(|(setting, trial)| {
                Some(Gain {
                    machine: setting.name.clone(),
                    before: setting.before.makespan,
                    after: trial.valid()?.makespan,
                })
            });
            let gains: Vec<Gain> = gains.collect();
            let helps = gains.iter().any(|gain| gain.after < gain.before);
            let harms = gains.iter().map(Gain::share).sum::<f64>() <= 0.0;
            if !helps || harms {
                continue;
            }
            advised.push(Advised {
                rule: candidate.rule,
                label: trials.first().map_or("", |trial| trial.label.word()),
                evidence: candidate.evidence,
                place: candidate.place,
                edit: candidate.edit,
                is_change: candidate.is_change,
                gains,
            });
        }
        advised.sort_by(|one, other| {
            let kinds = other.is_change.cmp(&one.is_change);
            kinds.then(other.share().total_cmp(&one.share()))
        });
        Advice {
            tried,
            advised,
            machines: settings.iter().map(|one| one.name.clone()).collect(),
            refused,
        }
    }

    /// What helps, for programs.
    pub(crate) fn rows(&self) -> Vec<Advised> {
        self.advised.clone()
    }

    /// The rules with their makespans, as a table.
    pub fn table(&self) -> Table {
        let (tried, refused) = (self.tried, self.refused.len());
        let reading = format!(
            "{tried} rules were tried by running the program under them; {refused} were refused, because output, ending or answers differ."
        );
        let mut table = Table::new("advice", "Advice", &reading)
            .words("rule")
            .words("label")
            .words("place");
        for machine in &self.machines {
            let costs = match machine.as_str() {
                "" => String::new(),
                name => format!(" ({name})"),
            };
            table = table
                .number(&format!("before{costs}"), "", Style::Whole)
                .number(&format!("after{costs}"), "", Style::Whole);
        }
        for advised in &self.advised {
            let mut cells = vec![
                Value::from(advised.rule.clone()),
                Value::from(advised.label),
                advised.place.clone().unwrap_or_default().into(),
            ];
            for gain in &advised.gains {
                cells.extend([gain.before.into(), gain.after.into()]);
            }
            table.row(cells);
        }
        if !self.advised.iter().any(|one| one.is_change) {
            table = table.note(NOTHING.to_string());
        }
        table
    }

    /// What helps, in words: at most `limit` changes, and what they rest on.
    pub fn text(&self, page: Page, limit: Option<usize>) -> String {
        let mut text = String::new();
        let shown = limit.unwrap_or(usize::MAX);
        let (tried, refused) = (self.tried, self.refused.len());
        text.push_str(&page.wrapped(&format!(
            "{tried} rules tried, {refused} refused, {} help.\n",
            self.advised.len()
        )));
        if !self.advised.iter().any(|one| one.is_change) {
            text.push_str(&page.wrapped(&format!("{NOTHING}\n")));
        }
        for (number, advised) in self.advised.iter().take(shown).enumerate() {
            let place = advised.place.as_ref();
            let place = place.map_or(String::new(), |place| format!("   at {place}\n"));
            let gains = advised.gains.iter().map(|gain| {
                let machine = match gain.machine.as_str() {
                    "" => String::new(),
                    name => format!(" with --costs {name}"),
                };
                format!("{} → {}{machine}", gain.before, gain.after)
            });
            let gains: Vec<String> = gains.collect();
            text.push_str(&format!(
                "\n{}. {}\n{place}   {}\n   makespan {}\n   tried as: {} ({})\n",
                number + 1,
                advised.evidence,
                advised.edit,
                gains.join("; "),
                advised.rule,
                advised.label
            ));
        }
        let more = self.advised.len().saturating_sub(shown);
        if more > 0 {
            text.push_str(&format!(
                "\n{more} more; --limit N shows N of them, 0 all.\n"
            ));
        }
        if !self.refused.is_empty() {
            text.push_str("\nrefused, because something differs:\n");
        }
        for (rule, why) in self.refused.iter().take(shown) {
            text.push_str(&format!("   {rule}: {why}\n"));
        }
        text
    }
}
