//! Runs of copies of the machine that has loaded the program. They find no standard input, and what they print is kept.

use std::sync::{Arc, Mutex, PoisonError};

use tally_profiler::Description;
use tally_timeline::trace::Ending;
use tally_vm::bytecode::Unit;
use tally_vm::{MODEL_VERSION, Outcome, Simulation, Vm};
use tally_workbench::loading::{self, PackageUnits, Program};
use tally_workbench::outside::kept::Kept;
use tally_workbench::outside::permissions::Permissions;

use super::recording::Recording;
use super::source::{self, Source};
use crate::failure::Failure;

/// A loaded program, of which copies run, on several threads if need be.
pub(super) struct Copies<'p> {
    vm: Mutex<&'p mut Vm>,
    units: &'p [Arc<Unit>],
    package_units: &'p PackageUnits,
    about: Description,
    permissions: Permissions,
}

/// A run of a copy.
pub(super) struct Ran<T> {
    /// Absent if the program made no processor.
    pub(super) source: Option<Source>,
    pub(super) output: Kept,
    pub(super) ended: Result<(), Failure>,
    /// What was read from the machine after the run.
    pub(super) seen: T,
}

impl<'p> Copies<'p> {
    pub(super) fn of(program: &'p mut Program, permissions: Permissions) -> Copies<'p> {
        let about = program.description(&Outcome::Finished);
        Copies {
            vm: Mutex::new(&mut program.vm),
            units: &program.units,
            package_units: &program.package_units,
            about,
            permissions,
        }
    }

    /// Runs a copy on the simulated machine. `prepare` changes it before, `see` reads it afterwards. `tell` gets what could not be loaded
    /// of packages.
    pub(super) fn run<T>(
        &self,
        simulation: &Simulation,
        prepare: impl FnOnce(&mut Vm),
        tell: &mut dyn FnMut(String),
        see: impl FnOnce(&mut Vm) -> T,
    ) -> Result<Ran<T>, Failure> {
        let (keeper, host) = Kept::host(&self.permissions, &Arc::default());
        let mut vm = {
            let mut vm = self.vm.lock().unwrap_or_else(PoisonError::into_inner);
            vm.fork(Box::new(host))
        };
        vm.simulate(*simulation);
        prepare(&mut vm);
        let head = source::head(&self.about, simulation, MODEL_VERSION);
        let recording = Recording::begin(&mut vm, &head, None)?;
        let outcome = self.package_units.run(&mut vm, self.units, tell);
        let ended = loading::ended(&outcome).map_err(Failure::from);
        let seen = see(&mut vm);
        let source = match vm.has_processors() {
            true => recording.end(&mut vm, Ending::of(&outcome))?,
            false => None,
        };
        drop(vm);
        Ok(Ran {
            source,
            output: keeper.take(),
            ended,
            seen,
        })
    }
}

/// What the run printed to standard output. Errors name processors and moments, so they are not compared.
pub(super) fn printed(output: &Kept) -> String {
    let pieces = output.pieces().filter(|(is_output, _)| *is_output);
    pieces.map(|(_, text)| text.into_owned()).collect()
}
