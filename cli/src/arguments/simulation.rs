//! Options for the simulated machine on which processors run.

use clap::Args;
use tally_vm::{Clock, Costs, Jitter, LockScheduler, Recheck, Simulation, Ties, Vm};

/// CPUs, what communication costs, and who goes first.
#[derive(Clone, Debug, Args)]
pub(crate) struct SimulationArguments {
    /// Simulated CPUs of programs with processors: a number, or max for as many as there are processors [default: max]
    #[arg(long, value_name = "N", value_parser = cpus)]
    pub(crate) cpus: Option<Cpus>,
    /// What communication between processors costs, in ticks: latency=20,switch=5, or a preset: ideal, threads, cluster
    #[arg(long, value_name = "COSTS", value_parser = costs)]
    pub(crate) costs: Option<Costs>,
    /// Who gives locks, and when conditions are evaluated again: scheduler=central,recheck=unlock
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(crate) policy: Option<Policy>,
    /// Let a processor give up its CPU after N ticks if others wait
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) slice: Option<u64>,
    /// Which of two goes first at the same moment: lower, reverse, or shuffle:SEED [default: lower]
    #[arg(long, hide_short_help = true, value_name = "ORDER", value_parser = ties)]
    pub(crate) ties: Option<Ties>,
    /// Take each request up 0 to N ticks later, at random: N:SEED
    #[arg(long, hide_short_help = true, value_name = "N:SEED", value_parser = jitter)]
    pub(crate) jitter: Option<Jitter>,
    /// Let clocks advance by ticks or by work [default: ticks]
    #[arg(long, value_name = "UNIT", value_parser = clock)]
    pub(crate) clock: Option<Clock>,
    /// Make a request outside of a scope an error of its client, as in SCOOP
    #[arg(long)]
    pub(crate) strict_control: bool,
}

/// How many CPUs are simulated.
#[derive(Clone, Debug)]
pub(crate) struct Cpus(Vec<Option<u64>>);

impl Cpus {
    /// The first number; absent for as many as there are processors.
    pub(crate) fn first(&self) -> Option<u64> {
        self.0.first().copied().flatten()
    }
}

/// Who gives locks, and when conditions are evaluated again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policy {
    scheduler: LockScheduler,
    recheck: Recheck,
}

impl SimulationArguments {
    /// The simulated machine.
    pub(crate) fn simulation(&self) -> Simulation {
        let policy = self.policy.unwrap_or_default();
        Simulation {
            cpus: self.cpus().first().copied().flatten(),
            costs: self.costs.unwrap_or_default(),
            scheduler: policy.scheduler,
            recheck: policy.recheck,
            slice: self.slice,
            ties: self.ties.unwrap_or_default(),
            jitter: self.jitter,
            clock: self.clock.unwrap_or_default(),
            strict_control: self.strict_control,
        }
    }

    /// The numbers of CPUs that are given; absent for as many as there are processors.
    pub(crate) fn cpus(&self) -> &[Option<u64>] {
        self.cpus.as_ref().map_or(&[], |cpus| &cpus.0)
    }

    /// Whether several numbers of CPUs are given.
    pub(crate) fn has_list(&self) -> bool {
        self.cpus().len() > 1
    }

    /// Lets the machine simulate it.
    pub(crate) fn set(&self, vm: &mut Vm) {
        vm.simulate(self.simulation());
    }

    /// The first of the options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            (self.cpus.is_some(), "--cpus"),
            (self.costs.is_some(), "--costs"),
            (self.policy.is_some(), "--policy"),
            (self.slice.is_some(), "--slice"),
            (self.ties.is_some(), "--ties"),
            (self.jitter.is_some(), "--jitter"),
            (self.clock.is_some(), "--clock"),
            (self.strict_control, "--strict-control"),
        ];
        let mut given = options.iter().filter(|(is_given, _)| *is_given);
        given.next().map(|(_, name)| *name)
    }
}

/// What differs from the usual machine beside CPUs and costs, as names and values.
pub(crate) fn settings(simulation: &Simulation) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut add = |name: &str, value: String| settings.push((name.to_string(), value));
    if simulation.scheduler == LockScheduler::Central {
        add("scheduler", "central".to_string());
    }
    if simulation.recheck == Recheck::Unlock {
        add("recheck", "unlock".to_string());
    }
    if let Some(slice) = simulation.slice {
        add("slice", slice.to_string());
    }
    match simulation.ties {
        Ties::Lower => {}
        Ties::Higher => add("ties", "reverse".to_string()),
        Ties::Shuffled(seed) => add("ties", format!("shuffle:{seed}")),
    }
    if let Some(Jitter { most, seed }) = simulation.jitter {
        add("jitter", format!("{most}:{seed}"));
    }
    if simulation.clock == Clock::Work {
        add("clock", "work".to_string());
    }
    if simulation.strict_control {
        add("control", "strict".to_string());
    }
    settings
}

pub(crate) fn cpus(text: &str) -> Result<Cpus, String> {
    if text.contains(',') {
        return Err(
            "a number from 1 on, or max, is expected; tally timeline takes a list".to_string(),
        );
    }
    cpus_list(text)
}

/// A number of CPUs, or a list of numbers.
pub(crate) fn cpus_list(text: &str) -> Result<Cpus, String> {
    let mut list = Vec::new();
    for part in text.split(',') {
        let number = part.parse().ok().filter(|number| *number > 0);
        if number.is_none() && part != "max" {
            return Err("a number from 1 on, or max, is expected".to_string());
        }
        if list.contains(&number) {
            return Err(format!("{part} is given twice"));
        }
        list.push(number);
    }
    Ok(Cpus(list))
}

fn costs(text: &str) -> Result<Costs, String> {
    costs_over(Costs::default(), text)
}

/// These costs with those that the text names, or the costs of a preset.
pub(crate) fn costs_over(mut costs: Costs, text: &str) -> Result<Costs, String> {
    let preset: Option<&[(&str, u64)]> = match text {
        "ideal" => Some(&[]),
        "threads" => Some(&[("call", 2), ("receive", 2), ("latency", 10), ("switch", 20)]),
        "cluster" => Some(&[("latency", 1000), ("word", 1)]),
        _ => None,
    };
    if let Some(preset) = preset {
        costs = Costs::default();
        for &(name, number) in preset {
            costs.set(name, number);
        }
        return Ok(costs);
    }
    for (name, number) in pairs(text)? {
        let names = costs.named().map(|(name, _)| name);
        if !names.contains(&name) {
            let names = names.join(", ");
            return Err(format!("there is no cost '{name}'; there are {names}"));
        }
        let number = number.parse();
        costs.set(
            name,
            number.map_err(|_| format!("{name} is a number of ticks"))?,
        );
    }
    Ok(costs)
}

fn policy(text: &str) -> Result<Policy, String> {
    let mut policy = Policy::default();
    for pair in pairs(text)? {
        match pair {
            ("scheduler", value) => policy.scheduler = scheduler(value)?,
            ("recheck", value) => policy.recheck = recheck(value)?,
            (name, _) => {
                return Err(format!(
                    "there is no policy '{name}'; there are scheduler, recheck"
                ));
            }
        }
    }
    Ok(policy)
}

pub(crate) fn scheduler(text: &str) -> Result<LockScheduler, String> {
    match text {
        "parallel" => Ok(LockScheduler::Parallel),
        "central" => Ok(LockScheduler::Central),
        _ => Err("scheduler is parallel or central".to_string()),
    }
}

pub(crate) fn recheck(text: &str) -> Result<Recheck, String> {
    match text {
        "touched" => Ok(Recheck::Touched),
        "unlock" => Ok(Recheck::Unlock),
        _ => Err("recheck is touched or unlock".to_string()),
    }
}

/// `name=value,name=value`, each name once.
fn pairs(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if pairs.iter().any(|(other, _)| *other == name) {
            return Err(format!("{name} is given twice"));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

pub(crate) fn ties(text: &str) -> Result<Ties, String> {
    let shuffled = || text.strip_prefix("shuffle:")?.parse().ok();
    match text {
        "lower" => Ok(Ties::Lower),
        "reverse" => Ok(Ties::Higher),
        _ => shuffled()
            .map(Ties::Shuffled)
            .ok_or_else(|| "lower, reverse or shuffle:SEED with a number is expected".to_string()),
    }
}

fn jitter(text: &str) -> Result<Jitter, String> {
    let parts = text.split_once(':');
    let numbers = parts.and_then(|(most, seed)| Some((most.parse().ok()?, seed.parse().ok()?)));
    let numbers = numbers.filter(|(most, _)| *most < u64::MAX);
    let why = || "two numbers are expected, N:SEED".to_string();
    numbers
        .map(|(most, seed)| Jitter { most, seed })
        .ok_or_else(why)
}

fn clock(text: &str) -> Result<Clock, String> {
    match text {
        "ticks" => Ok(Clock::Ticks),
        "work" => Ok(Clock::Work),
        _ => Err("ticks or work is expected".to_string()),
    }
}
