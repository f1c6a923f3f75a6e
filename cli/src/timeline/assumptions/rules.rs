//! The rules of `--if`: their texts, and the names in them.

use tally_compiler::nearest;
use tally_timeline::trace::Ending;
use tally_timeline::{Inventory, Label, Lacking, Variation};
use tally_vm::{Assumption, InnerLocks, Pace, Simulation, Vm};

use super::estimates;

use crate::arguments::{costs_over, cpus_list, recheck, scheduler, ties};
use crate::exit::Exit;
use crate::failure::Failure;

/// The rules whose names come first where all are shown. Those of estimates follow.
const RULES: [&str; 8] = [
    "free", "speed", "delay", "copy", "async", "cache", "merge", "together",
];

/// The rules about the machine.
const MACHINE: [&str; 5] = ["cpus", "costs", "recheck", "scheduler", "slice"];

/// The rule about the machine whose name is the last of those that are shown.
const LAST: &str = "ties";

/// Sites that an error lists.
const MOST_SITES: usize = 5;

/// One changed assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::timeline) struct Rule {
    /// As it was given.
    pub(super) text: String,
    pub(super) change: Change,
}

/// What a rule changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The simulated machine is this one.
    Machine(Box<Simulation>),
    /// The program runs in another way.
    Program(Assumption),
    /// The events of the run had other causes.
    Estimate(Variation),
}

impl Rule {
    /// The rule with this text, which changes this machine.
    ///
    /// # Errors
    /// Why there is no such rule.
    pub(in crate::timeline) fn parse(text: &str, before: &Simulation) -> Result<Rule, String> {
        let text = text.trim();
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let change = match assumption(name, rest) {
            Some(assumed) => assumed.map(Change::Program),
            None if estimates::NAMES.contains(&name) => {
                estimates::variation(name, rest).map(Change::Estimate)
            }
            None => machine(name, rest, *before).map(|machine| Change::Machine(Box::new(machine))),
        };
        Ok(Rule {
            text: text.to_string(),
            change: change?,
        })
    }

    pub(super) fn label(&self) -> Label {
        match &self.change {
            Change::Machine(_)
            | Change::Program(Assumption::Pace { .. } | Assumption::Delay { .. }) => Label::Exact,
            Change::Program(_) => Label::Checked,
            Change::Estimate(_) => Label::Estimate,
        }
    }

    /// Which answers the run may lack.
    pub(super) fn lacking(&self) -> Lacking {
        match &self.change {
            Change::Program(Assumption::Copy { .. } | Assumption::Merge { .. }) => Lacking::Some,
            Change::Machine(_) | Change::Program(_) | Change::Estimate(_) => Lacking::Nothing,
        }
    }

    /// What scopes inside the scopes of its feature wanted in a run under the rule. Answers whether the rule is another one now.
    pub(super) fn learn(&mut self, wanted: &InnerLocks) -> bool {
        let Change::Program(Assumption::Together { inner, .. }) = &mut self.change else {
            return false;
        };
        let before = inner.clone();
        for (scope, suppliers) in wanted {
            let known = inner.entry(scope.clone()).or_default();
            known.extend(suppliers.iter().cloned());
        }
        *inner != before
    }

    /// Whether the rule is to end a deadlock.
    pub(super) fn is_about_deadlocks(&self) -> bool {
        matches!(self.change, Change::Program(Assumption::Together { .. }))
    }

    /// Whether the rule makes a run finish that ended in a deadlock without it.
    pub(super) fn is_mended(&self, before: &str, after: &str) -> bool {
        self.is_about_deadlocks()
            && before == Ending::Deadlock.word()
            && after == Ending::Finished.word()
    }

    /// What is to be known of a rule that changed nothing.
    pub(super) fn of_no_use(&self) -> Option<&'static str> {
        match &self.change {
            Change::Machine(_) => None,
            Change::Program(assumption) => Some(match assumption {
                Assumption::Pace { .. } => "no request of this feature began",
                Assumption::Delay { .. } => "no request of this feature waited for a delay",
                Assumption::Together { .. } => {
                    "no scope of this feature has scopes inside that want other locks"
                }
                Assumption::Copy { .. } => "no object of this class was an argument of a request",
                Assumption::Async { .. } => "no request was sent there",
                Assumption::Cache { .. } => "no answer was used again",
                Assumption::Merge { .. } => "the second class shared no processor",
            }),
            Change::Estimate(variation) => Some(estimates::of_no_use(variation)),
        }
    }

    /// The rule with names as the run has them.
    ///
    /// # Errors
    /// What the rule names that the run does not have, and what there is.
    pub(super) fn resolved(mut self, names: &Inventory, vm: &Classes) -> Result<Rule, String> {
        let known = match &mut self.change {
            Change::Machine(_) => Ok(()),
            Change::Program(assumption) => known_names(assumption, names, vm),
            Change::Estimate(variation) => estimates::known_names(variation, names),
        };
        known.map(|()| self)
    }
}

fn known_names(assumption: &mut Assumption, names: &Inventory, vm: &Classes) -> Result<(), String> {
    match assumption {
        Assumption::Pace { feature, .. }
        | Assumption::Delay { feature, .. }
        | Assumption::Together { feature, .. }
        | Assumption::Cache { feature } => {
            let (class, selector) = feature;
            known_feature(&format!("{class}>>{selector}"), names)
        }
        Assumption::Copy { class } => known_class(class, names, vm),
        Assumption::Async { site } => known_site(site, names).map(|found| *site = found),
        Assumption::Merge { first, second } => {
            known_processor(first, names).and_then(|()| known_processor(second, names))
        }
    }
}

/// The classes of a machine, by their names.
pub(super) struct Classes(Vec<String>);

impl Classes {
    /// Those classes of the program of which rules speak that the machine knows.
    pub(super) fn of(vm: &Vm, rules: &[Rule]) -> Classes {
        let named = rules.iter().filter_map(|rule| match &rule.change {
            Change::Program(Assumption::Copy { class }) => Some(class),
            _ => None,
        });
        let known = named.filter(|class| vm.find_class(class).is_some());
        Classes(known.cloned().collect())
    }
}

/// The usage error of a rule that was given.
pub(super) fn refused(rule: &str, why: &str) -> Failure {
    Failure::new(Exit::Usage, format!("--if '{rule}': {why}"))
}

/// The rule of this name about the program, if there is one.
fn assumption(name: &str, rest: &str) -> Option<Result<Assumption, String>> {
    Some(match name {
        "free" => feature(rest).map(|feature| Assumption::Pace {
            feature,
            pace: Pace { ticks: 1, units: 0 },
        }),
        "speed" => speed(rest),
        "delay" => delay(rest),
        "together" => feature(rest).map(|feature| Assumption::Together {
            feature,
            inner: InnerLocks::new(),
        }),
        "cache" => feature(rest).map(|feature| Assumption::Cache { feature }),
        "copy" => one_word(rest, "the name of a class").map(|class| Assumption::Copy { class }),
        "async" => site(rest).map(|site| Assumption::Async { site }),
        "merge" => merge(rest),
        _ => return None,
    })
}

pub(super) fn one_word(text: &str, what: &str) -> Result<String, String> {
    match text.is_empty() || text.contains(char::is_whitespace) {
        true => Err(format!("{what} is expected")),
        false => Ok(text.to_string()),
    }
}

/// `CLASS>>selector`.
pub(super) fn feature(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(">>");
    let parts = parts.filter(|(class, selector)| !class.is_empty() && !selector.is_empty());
    let is_one = !text.contains(char::is_whitespace);
    match parts.filter(|_| is_one) {
        Some((class, selector)) => Ok((class.to_string(), selector.to_string())),
        None => Err("a feature is expected, such as Account>>deposit:".to_string()),
    }
}

/// A name, and a fraction or a whole number, which are not 0.
fn with_fraction(text: &str) -> Option<(&str, (u64, u64))> {
    let (name, factor) = text.rsplit_once(char::is_whitespace)?;
    let (above, below) = factor.split_once('/').unwrap_or((factor, "1"));
    let number = |text: &str| text.parse().ok().filter(|number: &u64| *number > 0);
    Some((name.trim(), (number(above)?, number(below)?)))
}

/// `CLASS>>selector 3/2`, or a whole number.
fn speed(text: &str) -> Result<Assumption, String> {
    let expected = "a feature and how many times as fast it is are expected: Account>>deposit: 3/2";
    let (name, (ticks, units)) = with_fraction(text).ok_or(expected)?;
    let (feature, pace) = (feature(name)?, Pace { ticks, units });
    Ok(Assumption::Pace { feature, pace })
}

/// `CLASS>>selector 1/10`, or a whole number.
fn delay(text: &str) -> Result<Assumption, String> {
    let expected = "a feature and a part of its delays are expected: Poller>>poll 1/10";
    let (name, (units, ticks)) = with_fraction(text).ok_or(expected)?;
    let (feature, pace) = (feature(name)?, Pace { ticks, units });
    Ok(Assumption::Delay { feature, pace })
}

/// `FILE:LINE:COLUMN`.
pub(super) fn site(text: &str) -> Result<String, String> {
    let mut parts = text.rsplitn(3, ':');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    let are_numbers = is_number(parts.next()) && is_number(parts.next());
    match are_numbers && parts.next().is_some_and(|file| !file.is_empty()) {
        true => Ok(text.to_string()),
        false => Err("the place of a send is expected: FILE:LINE:COLUMN".to_string()),
    }
}

/// `A with B`.
fn merge(text: &str) -> Result<Assumption, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [first, "with", second] if first != second => Ok(Assumption::Merge {
            first: first.to_string(),
            second: second.to_string(),
        }),
        _ => Err("two classes are expected: merge A with B".to_string()),
    }
}

/// The machine that a rule of this name simulates.
fn machine(name: &str, value: &str, before: Simulation) -> Result<Simulation, String> {
    let mut machine = before;
    match name {
        "cpus" => {
            let cpus = cpus_list(value).ok().filter(|_| !value.contains(','));
            let cpus = cpus.ok_or("a number from 1 on, or max, is expected")?;
            machine.cpus = cpus.first();
        }
        "costs" if value.is_empty() => return Err("costs are expected: latency=10".to_string()),
        "costs" => machine.costs = costs_over(before.costs, value)?,
        "recheck" => machine.recheck = recheck(value)?,
        "scheduler" => machine.scheduler = scheduler(value)?,
        "slice" => {
            let slice = value.parse().ok().filter(|slice| *slice > 0);
            machine.slice = Some(slice.ok_or("a number of ticks from 1 on is expected")?);
        }
        "ties" => machine.ties = ties(value)?,
        _ => {
            let all = RULES.into_iter().chain(estimates::NAMES).chain(MACHINE);
            let near = nearest(name, all.clone().chain([LAST]));
            let hint = near.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let rules = all.collect::<Vec<&str>>().join(", ");
            return Err(format!(
                "there is no rule '{name}'{hint}; there are {rules} and {LAST}"
            ));
        }
    }
    Ok(machine)
}

/// What is missing, and the nearest of those names that there are.
fn unknown<'n>(what: &str, name: &str, all: impl Iterator<Item = &'n String> + Clone) -> String {
    let near = nearest(name, all.clone().map(String::as_str));
    let hint = match near {
        Some(near) => format!("; did you mean {near}?"),
        None => {
            let first: Vec<&str> = all.take(MOST_SITES).map(String::as_str).collect();
            match first.is_empty() {
                true => "; there is none".to_string(),
                false => format!("; there are {}", first.join(", ")),
            }
        }
    };
    format!("{what} {name}{hint}")
}

pub(super) fn known_feature(name: &str, names: &Inventory) -> Result<(), String> {
    match names.features.contains(name) {
        true => Ok(()),
        false => Err(unknown(
            "the run has no requests of",
            name,
            names.features.iter(),
        )),
    }
}

fn known_class(class: &String, names: &Inventory, classes: &Classes) -> Result<(), String> {
    match classes.0.contains(class) {
        true => Ok(()),
        false => Err(unknown("there is no class", class, names.classes.iter())),
    }
}

pub(super) fn known_processor(class: &String, names: &Inventory) -> Result<(), String> {
    match names.processors.contains(class) {
        true => Ok(()),
        false => Err(unknown(
            "the run makes no processor for",
            class,
            names.processors.iter(),
        )),
    }
}

/// The site as the run has it: folders of the file may be missing.
pub(super) fn known_site(site: &str, names: &Inventory) -> Result<String, String> {
    if names.sites.contains_key(site) {
        return Ok(site.to_string());
    }
    let end = format!("/{site}");
    let mut longer = names.sites.keys().filter(|one| one.ends_with(&end));
    if let (Some(only), None) = (longer.next(), longer.next()) {
        return Ok(only.clone());
    }
    let place = |one: &str| {
        let mut parts = one.rsplitn(3, ':').map(str::to_string);
        let column = parts.next().and_then(|part| part.parse::<u32>().ok());
        let line = parts.next().and_then(|part| part.parse::<u32>().ok());
        (line.unwrap_or(0), column.unwrap_or(0))
    };
    let (line, column) = place(site);
    let mut sites: Vec<(&String, &String)> = names.sites.iter().collect();
    sites.sort_by_key(|(one, _)| {
        let (there, column_there) = place(one);
        (there.abs_diff(line), column_there.abs_diff(column))
    });
    let shown = sites.iter().take(MOST_SITES);
    let shown: Vec<String> = shown
        .map(|(site, feature)| format!("{site} ({feature})"))
        .collect();
    Err(match shown.is_empty() {
        true => "the run sends no requests from the program's own code".to_string(),
        false => format!(
            "no request is sent there; the nearest are sent at {}",
            shown.join(", ")
        ),
    })
}
