//! The machine of the costs: by name, and what options change of it.

use std::path::Path;

use tally_explore::{COSTS, Departure, Machine};
use tally_workbench::project::settings::Settings;

use super::options::ExploreArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;

/// A cost and its value.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    name: String,
    value: u64,
}

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
    for Setting { name, value } in &arguments.set {
        machine.set(name, *value);
    }
    Ok(machine)
}

fn named(name: Option<&str>) -> Result<Machine, Failure> {
    let name = match name {
        None => return Ok(Machine::default()),
        Some("unit") => return Ok(Machine::uniform(1)),
        Some(name) => name,
    };
    let settings = Settings::find(Path::new("."), &*front())?.unwrap_or_default();
    if let Some((_, machine)) = settings.machines.iter().find(|(other, _)| other == name) {
        return Ok(*machine);
    }
    let names = settings.machines.iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = std::iter::once("unit").chain(names).collect();
    let why = format!(
        "there is no machine {name}; there are {}; others are tables [machine.NAME] in tally.toml",
        names.join(", ")
    );
    Err(Failure::new(Exit::Usage, why))
}

/// `latency=5`
pub(super) fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    known(name)?;
    if name == "departure" {
        let value = Departure::named(value).ok_or("departure is end or exact")?;
        let value = u64::from(value == Departure::Exact);
        return Ok(Setting {
            name: name.to_string(),
            value,
        });
    }
    let value = number(value).ok_or_else(|| format!("{name} is a number of ticks"))?;
    Ok(Setting {
        name: name.to_string(),
        value,
    })
}

/// `latency=0..1000`
pub(super) fn varied(text: &str) -> Result<Varied, String> {
    let (name, range) = text.split_once('=').unwrap_or((text, ""));
    known(name)?;
    let place = COSTS.iter().position(|(cost, _)| *cost == name);
    let parameter = place.and_then(|place| COSTS[place].1);
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

/// Larger numbers could overflow in sums.
const MOST: u64 = 1 << 40;

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number <= MOST)
}

fn known(name: &str) -> Result<(), String> {
    match COSTS.iter().any(|(cost, _)| *cost == name) {
        true => Ok(()),
        false => {
            let names: Vec<&str> = COSTS.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            Err(format!("there is no cost '{name}'; there are {names}"))
        }
    }
}
