//! `tally explore`: executes every computation of a program of actors, and reports results, failures and costs.

mod counted;
mod extras;
mod files;
mod machines;
mod options;
mod outputs;
mod progress;
mod schedules;
mod versus;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tally_explore::{
    Computations, Exploration, Findings, Limit, Machine, Options, Prices, Progress, Space, Start,
    count_computations,
};
use tally_workbench::Error;
use tally_workbench::exploring::ActorProgram;
use tally_workbench::loading::Program;
use tally_workbench::workers::Interrupts;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};
pub(crate) use options::ExploreArguments;
use options::{ByName, DeadLetters};
use outputs::Outputs;
use progress::{Shown, interrupted};

/// The most beginnings of computations, unless an option says another number.
const MOST_BEGINNINGS: u64 = 100_000;

/// What is known of a program.
pub(super) struct Explored {
    pub(super) program: ActorProgram,
    pub(super) space: Space,
    pub(super) findings: Findings,
    pub(super) computations: Option<Computations>,
    pub(super) prices: Prices,
}

impl Explored {
    pub(super) fn report(&self) -> Exploration<'_> {
        Exploration {
            space: &self.space,
            findings: &self.findings,
            computations: self.computations.as_ref(),
            prices: Some(&self.prices),
        }
    }
}

pub(crate) fn explore(arguments: &ExploreArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments)?;
    let mut program = arguments.load(&arguments.files)?;
    if let Some(exit) = schedules::explore(arguments, &mut program)? {
        return Ok(exit);
    }
    if arguments.by == ByName::Computations {
        return counted::explore(arguments, program);
    }
    let machine = machines::machine(arguments)?;
    let mut explored = explored(arguments, program, &machine)?;
    if let Some(file) = &arguments.with {
        let files = [file.clone()];
        let other = self::explored(arguments, arguments.load(&files)?, &machine)?;
        output::write(&versus::text(arguments, [&explored, &other]), None)?;
        return verdict(arguments, &explored).and(verdict(arguments, &other));
    }
    let written = outputs.write(arguments, &mut explored);
    // What was found counts more than a file that cannot be made of it, but not more than one that cannot be written.
    match written {
        Err(failure) if failure.exit() == Exit::Io => Err(failure),
        written => verdict(arguments, &explored).and_then(|exit| written.map(|()| exit)),
    }
}

/// Runs the script of the program, and explores what it leaves.
fn explored(
    arguments: &ExploreArguments,
    program: Program,
    machine: &Machine,
) -> Result<Explored, Failure> {
    let stop = Arc::<AtomicBool>::default();
    let (mut program, start) = program.actors(&arguments.turns(Arc::clone(&stop)))?;
    // Signals end the script as those of a run.
    let interrupts = Interrupts::noted_in(stop)?;
    let space = states(arguments, &mut program, &start, &interrupts)?;
    interrupts.end_at_once();
    let explored = known(arguments, program, &start, space, machine)?;
    if let (Some(number), Some(all)) = (arguments.computation, &explored.computations)
        && number as usize > all.len()
    {
        let why = format!("there is no computation {number}; there are {}", all.len());
        return Err(Failure::new(Exit::Usage, why));
    }
    if let Some(warning) = explored.program.warning() {
        console::warning(warning);
    }
    Ok(explored)
}

fn states(
    arguments: &ExploreArguments,
    program: &mut ActorProgram,
    start: &Start,
    interrupts: &Interrupts,
) -> Result<Space, Failure> {
    let mut options: Options = arguments.options()?;
    options.spill = files::spill(arguments, program);
    let mut shown = Shown::new();
    let mut is_prepared = false;
    let mut watch = |progress: Progress| {
        if progress.is_spilled && !is_prepared {
            is_prepared = true;
            files::prepare();
        }
        shown.show(progress);
        !interrupts.came()
    };
    let space = Space::explore(program, start, &options, &mut watch);
    drop(shown);
    let space = space.map_err(Error::from)?;
    files::note(&space);
    Ok(space)
}

/// What follows from the states.
fn known(
    arguments: &ExploreArguments,
    mut program: ActorProgram,
    start: &Start,
    mut space: Space,
    machine: &Machine,
) -> Result<Explored, Failure> {
    let is_whole = space.limit().is_none();
    let most = arguments.max_computations.unwrap_or(MOST_BEGINNINGS);
    let computations = match is_whole {
        true => space
            .computations(&mut program, most)
            .map_err(Error::from)?,
        false => None,
    };
    let mut findings = space
        .findings(&mut program, computations.as_ref())
        .map_err(Error::from)?;
    if is_whole && findings.can_be_counted() && arguments.policy.is_empty() {
        let delivery = space.delivery();
        let counted = count_computations(&mut program, start, delivery, most, &mut |_| true);
        findings.add_counts(&counted.map_err(Error::from)?);
    }
    let prices = space.prices(computations.as_ref(), machine, arguments.frontier);
    Ok(Explored {
        program,
        space,
        findings,
        computations,
        prices,
    })
}

/// The exit code of what was found. A failure counts more than a limit.
fn verdict(arguments: &ExploreArguments, explored: &Explored) -> Result<Exit, Failure> {
    if explored.findings.is_failed() {
        return Err(Failure::silent(Exit::Failed));
    }
    if arguments.dead_letters == DeadLetters::Fail && explored.findings.lossy > 0 {
        let why = "a message goes to an actor that was disposed (--dead-letters fail)";
        return Err(Failure::new(Exit::Failed, why));
    }
    if let Some(error) = explored.space.storage_error() {
        return Err(Failure::new(Exit::Io, error.to_string()));
    }
    match explored.space.limit() {
        None => Ok(Exit::Success),
        Some(Limit::Stopped) => Err(interrupted()),
        Some(_) => Err(Failure::silent(Exit::Limit)),
    }
}
