//! Advice: candidates that were tried, ranked by what they gained.

use serde::{Serialize, Serializer};
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::assumptions::{Sums, Trial};
use crate::candidates::{Aim, Candidate};
use crate::trace::Ending;

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
    #[serde(rename = "isChange", serialize_with = "is_change")]
    aim: Aim,
    gains: Vec<Gain>,
}

/// What was gained on a machine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Gain {
    machine: String,
    /// Absent if the run does not finish without the rule.
    before: Option<u64>,
    after: u64,
}

/// For programs: whether processors work together in another way, in a run.
fn is_change<S: Serializer>(aim: &Aim, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*aim == Aim::Together)
}

impl Gain {
    /// The part of the makespan that is saved.
    fn share(&self) -> f64 {
        let share = |before: u64| (before as f64 - self.after as f64) / before.max(1) as f64;
        self.before.map_or(1.0, share)
    }

    fn helps(&self) -> bool {
        self.before.is_none_or(|before| self.after < before)
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
    /// How the run without a rule ended, in a word.
    ending: &'static str,
    /// Rules that were refused, and why.
    refused: Vec<(String, String)>,
}

impl Advised {
    fn share(&self) -> f64 {
        self.gains.iter().map(Gain::share).sum()
    }

    /// Whether the gain is more than what an estimate may be off, and worth a line.
    fn is_clear(&self) -> bool {
        self.gains.iter().any(|gain| gain.share() >= LEAST_GAIN)
    }

    /// Whether a run at the same place gains as much as the estimate.
    fn is_as_good(&self, estimate: &Advised) -> bool {
        self.aim == Aim::Together
            && self.place == estimate.place
            && self.share() >= estimate.share()
    }
}

/// What gains a smaller part of the makespan is left out, but for other ways of working together that were run.
const LEAST_GAIN: f64 = 0.01;

const NOTHING: &str = "No other way of working together that was run makes it shorter.";

impl Advice {
    /// The candidates with their trials on each machine, and how the run without a rule ended.
    pub fn new(candidates: Vec<Candidate>, settings: &[Setting], ending: Ending) -> Advice {
        let has_finished = ending == Ending::Finished;
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
                    before: has_finished.then_some(setting.before.makespan),
                    after: trial.valid()?.makespan,
                })
            });
            let gains: Vec<Gain> = gains.collect();
            let helps = gains.iter().any(Gain::helps);
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
                aim: candidate.aim,
                gains,
            });
        }
        let runs: Vec<Advised> = advised.clone();
        advised.retain(|one| match one.aim {
            Aim::Together => true,
            Aim::Perhaps => one.is_clear() && !runs.iter().any(|run| run.is_as_good(one)),
            Aim::Sooner | Aim::More | Aim::Faster => one.is_clear(),
        });
        advised.sort_by(|one, other| {
            let ranks = one.aim.rank().cmp(&other.aim.rank());
            ranks.then(other.share().total_cmp(&one.share()))
        });
        Advice {
            tried,
            advised,
            machines: settings.iter().map(|one| one.name.clone()).collect(),
            ending: ending.word(),
            refused,
        }
    }

    /// What helps, for programs.
    pub(crate) fn rows(&self) -> Vec<Advised> {
        self.advised.clone()
    }

    /// That no run of another way of working together helps, if so. Readers shall not take estimates for such runs.
    fn nothing(&self) -> Option<String> {
        let mut aims = self.advised.iter().map(|one| one.aim);
        if aims.clone().any(|aim| aim == Aim::Together) {
            return None;
        }
        let has_estimates = aims.any(|aim| matches!(aim, Aim::Perhaps | Aim::More));
        let estimates = if has_estimates {
            " The estimates below are not runs."
        } else {
            ""
        };
        Some(format!("{NOTHING}{estimates}"))
    }

    /// The rules with their makespans, as a table.
    pub fn table(&self) -> Table {
        let (tried, refused) = (self.tried, self.refused.len());
        let reading = format!(
            "Tried: {tried}. Refused: {refused}, because output, ending or answers differ. Estimates follow the events of the run without a rule; the others are runs."
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
                let before = gain.before.map_or(Value::Absent, Value::from);
                cells.extend([before, gain.after.into()]);
            }
            table.row(cells);
        }
        if let Some(nothing) = self.nothing() {
            table = table.note(nothing);
        }
        table
    }

    /// What helps, in words: at most `limit` changes, and what they rest on.
    pub fn text(&self, page: Page, limit: Option<usize>) -> String {
        let mut text = String::new();
        let shown = limit.unwrap_or(usize::MAX);
        let (tried, refused, helpful) = (self.tried, self.refused.len(), self.advised.len());
        text.push_str(&page.wrapped(&format!(
            "{tried} {} tried, {refused} refused, {helpful} {}.\n",
            if tried == 1 { "rule" } else { "rules" },
            if helpful == 1 { "helps" } else { "help" },
        )));
        if let Some(nothing) = self.nothing() {
            text.push_str(&page.wrapped(&format!("{nothing}\n")));
        }
        for (number, advised) in self.advised.iter().take(shown).enumerate() {
            let place = advised.place.as_ref();
            let place = place.map_or(String::new(), |place| format!("   at {place}\n"));
            let gains = advised.gains.iter().map(|gain| {
                let machine = match gain.machine.as_str() {
                    "" => String::new(),
                    name => format!(" with --costs {name}"),
                };
                match gain.before {
                    Some(before) => format!("{before} → {}{machine}", gain.after),
                    None => format!("{} → {}{machine}", self.ending, gain.after),
                }
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
