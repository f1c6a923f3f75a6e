//! The machine of the costs: by name, and what options change of it.

use std::path::Path;

use tally_explore::{COSTS, Departure, MOST_TICKS, Machine};
use tally_workbench::project::settings::Settings;

use super::options::ExploreArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;

/// What `--set` changes.
#[derive(Clone, Debug)]
pub(super) enum Setting {
    /// A cost by its name, and its ticks.
    Cost(String, u64),
    Departure(Departure),
}

/// The name of [`Setting::Departure`].
const DEPARTURE: &str = "departure";

/// A cost and the values for which Depth is requested.
#[derive(Clone, Debug)]
pub(super) struct Varied {
    pub(super) name: String,
    pub(super) parameter: usize,
    pub(super) range: (u64, u64),
}

/// The machine that the options name.
pub(super) fn machine(arguments: &ExploreArguments) -> Result<Machine, Failure> {
    let mut machine = named(arguments.machine_name.as_deref())?;
    for setting in &arguments.set {
        match setting {
            Setting::Cost(name, ticks) => machine.set(name, *ticks),
            Setting::Departure(departure) => machine.departure = *departure,
        }
    }
    Ok(machine)
}

fn named(name: Option<&str>) -> Result<Machine, Failure> {
    let Some(name) = name else {
        return Ok(Machine::default());
    };
    if let Ok(machine) = Machine::named(name, &[]) {
        return Ok(machine);
    }
    let settings = Settings::find(Path::new("."), &*front())?.unwrap_or_default();
    let machine = Machine::named(name, &settings.machines);
    machine.map_err(|why| Failure::new(Exit::Usage, why))
}

/// `latency=5`
pub(super) fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    known(name)?;
    if name == DEPARTURE {
        let departure = Departure::named(value).ok_or("departure is end or exact")?;
        return Ok(Setting::Departure(departure));
    }
    let ticks = number(value).ok_or_else(|| format!("{name} is a number of ticks"))?;
    Ok(Setting::Cost(name.to_string(), ticks))
}

/// `latency=0..1000`
pub(super) fn varied(text: &str) -> Result<Varied, String> {
    let (name, range) = text.split_once('=').unwrap_or((text, ""));
    known(name)?;
    let cost = COSTS.iter().find(|(cost, _)| *cost == name);
    let parameter = cost.and_then(|(_, parameter)| *parameter);
    let parameter =
        parameter.ok_or_else(|| format!("{name} is no part of a sum, so it cannot vary"))?;
    let range = range.split_once("..");
    let range = range.and_then(|(from, to)| Some((number(from)?, number(to)?)));
    let range = range.filter(|(from, to)| from <= to);
    let range = range.ok_or_else(|| format!("a range is expected: {name}=0..1000"))?;
    Ok(Varied {
        name: name.to_string(),
        parameter,
        range,
    })
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number <= MOST_TICKS)
}

fn known(name: &str) -> Result<(), String> {
    let names = COSTS.iter().map(|(name, _)| *name);
    let names: Vec<&str> = names.chain([DEPARTURE]).collect();
    if names.contains(&name) {
        return Ok(());
    }
    let names = names.join(", ");
    Err(format!("there is no cost '{name}'; there are {names}"))
}
