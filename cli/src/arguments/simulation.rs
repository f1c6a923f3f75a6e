//! Options for the simulated machine on which processors run.

use clap::Args;
use tally_vm::{Costs, Vm};

/// CPUs and what communication costs.
#[derive(Clone, Debug, Args)]
pub(crate) struct SimulationArguments {
    /// Simulated CPUs of programs with processors: a number, or max for as many as there are processors [default: max]
    #[arg(long, value_name = "N", value_parser = cpus)]
    pub(crate) cpus: Option<Cpus>,
    /// What communication between processors costs, in ticks: latency=20
    #[arg(long, value_name = "COSTS", value_parser = costs)]
    pub(crate) costs: Option<Costs>,
}

/// How many CPUs are simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpus(Option<u64>);

impl SimulationArguments {
    /// The number of CPUs; any number if absent.
    pub(crate) fn cpus(&self) -> Option<u64> {
        self.cpus.and_then(|cpus| cpus.0)
    }

    pub(crate) fn costs(&self) -> Costs {
        self.costs.unwrap_or_default()
    }

    /// Lets the machine simulate them.
    pub(crate) fn set(&self, vm: &mut Vm) {
        vm.simulate(self.cpus(), self.costs());
    }
}

fn cpus(text: &str) -> Result<Cpus, String> {
    if text == "max" {
        return Ok(Cpus(None));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let why = || "a number from 1 on, or max, is expected".to_string();
    number.map(|number| Cpus(Some(number))).ok_or_else(why)
}

fn costs(text: &str) -> Result<Costs, String> {
    let mut costs = Costs::default();
    let mut given: Vec<&str> = Vec::new();
    for part in text.split(',') {
        let (name, number) = part.split_once('=').unwrap_or((part, ""));
        if given.contains(&name) {
            return Err(format!("{name} is given twice"));
        }
        given.push(name);
        let number = number.parse();
        match (name, number) {
            ("latency", Ok(number)) => costs.latency = number,
            ("latency", Err(_)) => return Err("latency is a number of ticks".to_string()),
            _ => return Err(format!("there is no cost '{name}'; there is latency")),
        }
    }
    Ok(costs)
}
