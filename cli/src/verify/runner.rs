//! Running a program, or one of its tests, in a mode: a machine of its own for each run, and what is to be seen of it afterwards.

use std::ops::Range;
use std::sync::Arc;

use tally_profiler::{CostVector, Profile};
use tally_vm::{Config, Detail, Followed, Limit, Outcome, Vm};

use super::modes::{MODES, Mode};
use super::world::{Input, World};
use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::program;
use tally_workbench::loading;
use tally_workbench::loading::Program;
use tally_workbench::outside::kept::Kept;
use tally_workbench::outside::permissions::Permissions;
use tally_workbench::project::Project;
use tally_workbench::testing::again::TestsAgain;
use tally_workbench::{ProgramOutput, outside::host::Events};

/// What is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The files' scripts, one after the other.
    Script,
    /// The test with this number.
    Test(usize),
}

/// What is to be seen of a run beside how it ended.
#[derive(Clone, Debug)]
pub(super) enum Watching {
    /// The recorder and the whole cost vector, or what every run counts, as the mode says.
    Counts,
    /// Every send.
    Sends { first: u64, window: Range<u64> },
}

/// What was to be seen of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Observed {
    /// How it ended.
    pub(super) ending: String,
    /// Whether it should have ended otherwise, and how the command ends then.
    pub(super) exit: Exit,
    /// What it printed.
    pub(super) output: String,
    /// What of it went to standard output. Errors name processors and moments.
    pub(super) printed: String,
    pub(super) cost: CostVector,
    pub(super) profile: Option<Profile>,
}

/// A run that is over.
pub(super) struct Ran {
    pub(super) vm: Vm,
    pub(super) observed: Observed,
    pub(super) followed: Followed,
}

/// Who runs it.
pub(super) struct Runner {
    program: Program,
    script_arguments: Vec<String>,
    /// The machine's configuration in the usual mode.
    pub(super) usual: Config,
    max_sends: Option<u64>,
    permissions: Permissions,
    input: Arc<Input>,
    tests: Option<TestsAgain>,
    /// Machines that have loaded the program and that tests are run in copies of, by mode; the usual one is the last.
    loaded: Vec<Option<Vm>>,
}

impl Runner {
    /// Reads and compiles the program.
    pub(super) fn new(
        files: &[String],
        expression: Option<&str>,
        script_arguments: &[String],
        machine: &MachineArguments,
        tells_addresses: bool,
    ) -> Result<Runner, Failure> {
        let program = program::load(
            files,
            expression,
            script_arguments,
            &machine.settings(),
            ProgramOutput::Error,
        )?;
        let usual = Config {
            virtual_clock: true,
            tells_addresses,
            ..loading::config(&machine.settings(), &*front())
        };
        Ok(Runner {
            program,
            script_arguments: script_arguments.to_vec(),
            usual,
            max_sends: machine.max_sends,
            permissions: machine.settings().permissions(),
            input: Arc::default(),
            tests: None,
            loaded: (0..=MODES.len()).map(|_| None).collect(),
        })
    }

    /// Finds the tests and answers their names.
    pub(super) fn find_tests(
        &mut self,
        project: &Project,
        filters: &[String],
    ) -> Result<Vec<String>, Failure> {
        let mut vm = self.load(&super::modes::USUAL)?;
        let dependencies = project.dependencies(&*front())?;
        let others = dependencies.untested_classes(&self.program.units, self.program.folder());
        let tests = TestsAgain::find(&mut vm, filters, &others, &*front())?;
        let names = tests.names();
        self.tests = Some(tests);
        self.loaded[MODES.len()] = Some(vm);
        Ok(names)
    }

    /// Runs the subject once more, in the mode.
    pub(super) fn run(
        &mut self,
        subject: Subject,
        mode: &Mode,
        watching: &Watching,
    ) -> Result<Ran, Failure> {
        match subject {
            Subject::Script => self.run_script(mode, watching),
            Subject::Test(index) => self.run_test(index, mode, watching),
        }
    }

    /// A machine in the mode, with nothing loaded yet.
    fn machine(
        &self,
        mode: &Mode,
    ) -> Result<(Vm, tally_workbench::outside::kept::Keeper), Failure> {
        let events = Arc::<Events>::default();
        let (keeper, host) = Kept::host(&self.permissions, &events);
        let config = mode.config(self.usual);
        let machine = loading::machine(config, host);
        let mut vm = machine.map_err(|why| Failure::new(Exit::Internal, why))?;
        tally_compiler::runtime::equip(&mut vm);
        vm.set_arguments(self.script_arguments.clone());
        let (keeper_of_world, host) = Kept::host(&self.permissions, &events);
        drop(keeper);
        vm.set_host(Box::new(World::new(host, &self.input)));
        vm.simulate(mode.simulation());
        Ok((vm, keeper_of_world))
    }

    fn run_script(&self, mode: &Mode, watching: &Watching) -> Result<Ran, Failure> {
        let (mut vm, keeper) = self.machine(mode)?;
        watch(&mut vm, mode, watching);
        let outcome = self.run_units(&mut vm);
        let (cost, profile, followed) = self.seen(&mut vm, mode, watching, &outcome, None);
        let exit = ended(&outcome)?;
        let kept = keeper.take();
        Ok(Ran {
            vm,
            observed: Observed {
                ending: told(&outcome),
                exit,
                output: kept.text(),
                printed: printed(&kept),
                cost,
                profile,
            },
            followed,
        })
    }

    fn run_units(&self, vm: &mut Vm) -> Outcome {
        let program = &self.program;
        program.package_units.run(vm, &program.units, &mut |_| ())
    }

    /// A machine in which the program was loaded.
    fn load(&self, mode: &Mode) -> Result<Vm, Failure> {
        let (mut vm, keeper) = self.machine(mode)?;
        let outcome = self.run_units(&mut vm);
        if !matches!(outcome, Outcome::Finished) {
            crate::console::write(&keeper.take().text());
        }
        if let Outcome::Exited(code) = outcome {
            let why = format!(
                "the files end the program, with exit code {code}, before their tests can be run"
            );
            return Err(Failure::new(Exit::Failed, why));
        }
        loading::ended(&outcome)?;
        vm.allow_ticks(None);
        Ok(vm)
    }

    fn run_test(&mut self, index: usize, mode: &Mode, watching: &Watching) -> Result<Ran, Failure> {
        let place = MODES.iter().position(|other| std::ptr::eq(other, mode));
        let place = place.unwrap_or(MODES.len());
        if self.loaded[place].is_none() {
            self.loaded[place] = Some(self.load(mode)?);
        }
        let (keeper, host) = Kept::host(&self.permissions, &Arc::default());
        let world = World::new(host, &self.input);
        let (Some(loaded), Some(tests)) = (&mut self.loaded[place], &self.tests) else {
            return Err(Failure::new(Exit::Internal, "no tests were looked for"));
        };
        let mut vm = loaded.fork(Box::new(world));
        let broken = tests.prepare(index, &mut vm)?;
        watch(&mut vm, mode, watching);
        // Not before: from here on other counters count activations.
        let before = CostVector::from(&vm.cost());
        let script = tests.script(index, &vm)?;
        let how = match broken {
            Some(how) => how,
            None => tests.run(index, &mut vm, self.max_sends)?,
        };
        let finished = Outcome::Finished;
        let (cost, profile, followed) =
            self.seen(&mut vm, mode, watching, &finished, Some((script, before)));
        let kept = keeper.take();
        Ok(Ran {
            vm,
            observed: Observed {
                exit: match how.is_bad {
                    true => Exit::Failed,
                    false => Exit::Success,
                },
                ending: how.text,
                output: kept.text(),
                printed: printed(&kept),
                cost,
                profile,
            },
            followed,
        })
    }

    /// What was watched.
    fn seen(
        &self,
        vm: &mut Vm,
        mode: &Mode,
        watching: &Watching,
        outcome: &Outcome,
        test: Option<((&'static str, tally_vm::bytecode::Span), CostVector)>,
    ) -> (CostVector, Option<Profile>, Followed) {
        let followed = match watching {
            Watching::Sends { .. } => vm.stop_following(),
            Watching::Counts => Followed::default(),
        };
        let cost = vm.cost();
        let recorded = matches!(watching, Watching::Counts) && mode.is_recorded;
        let recorded = recorded.then(|| vm.finish_profile());
        let mut about = self.program.description(outcome);
        let mut spent = CostVector::from(&cost);
        if let Some(((name, script), before)) = test {
            about.files.push(name.to_string());
            about.scripts.push(script);
            spent = since(&spent, &before);
        }
        let profile = recorded.map(|recorded| Profile::collect(vm, &recorded, &cost, about));
        (spent, profile, followed)
    }
}

/// What was printed to standard output.
fn printed(kept: &Kept) -> String {
    let pieces = kept.pieces().filter(|(is_output, _)| *is_output);
    pieces.map(|(_, text)| text.into_owned()).collect()
}

fn watch(vm: &mut Vm, mode: &Mode, watching: &Watching) {
    match watching {
        Watching::Counts if mode.is_recorded => {
            vm.watch_hashes();
            vm.count_everything();
            vm.start_profile(Detail {
                sites: true,
                ..Detail::default()
            });
        }
        Watching::Counts => {}
        Watching::Sends { first, window } => vm.follow(*first, window.clone()),
    }
}

/// What was spent since the counters stood there.
fn since(now: &CostVector, before: &CostVector) -> CostVector {
    let mut spent = now.clone();
    spent.sends = now.sends.wrapping_sub(before.sends);
    spent.loops = now.loops.wrapping_sub(before.loops);
    spent.activations = now.activations.wrapping_sub(before.activations);
    spent.blocks = now.blocks.wrapping_sub(before.blocks);
    spent.steps = now.steps.wrapping_sub(before.steps);
    spent.allocations.objects -= before.allocations.objects.min(now.allocations.objects);
    spent.allocations.bytes -= before.allocations.bytes.min(now.allocations.bytes);
    spent.called = now.called.wrapping_sub(before.called);
    spent.work = now.work.wrapping_sub(before.work);
    let named = [
        (&mut spent.primitives, &before.primitives),
        (&mut spent.counters, &before.counters),
    ];
    for (counts, before) in named {
        for (name, count) in &mut *counts {
            *count = count.wrapping_sub(before.get(name).copied().unwrap_or(0));
        }
        counts.retain(|_, count| *count > 0);
    }
    spent
}

/// How the command ends if the program always ends so. Of a run that memory ended nothing can be said.
fn ended(outcome: &Outcome) -> Result<Exit, Failure> {
    match outcome {
        Outcome::Finished | Outcome::Exited(0) => Ok(Exit::Success),
        Outcome::Exited(code) => Ok(Exit::Chosen(*code)),
        Outcome::Failed | Outcome::Deadlock => Ok(Exit::Failed),
        Outcome::Limit(
            Limit::Ticks
            | Limit::Work
            | Limit::Silence
            | Limit::Depth
            | Limit::Serials
            | Limit::VirtualTime,
        ) => Ok(Exit::Limit),
        Outcome::Limit(Limit::Memory) => {
            let why = "a run reached the limit on memory (--max-memory); when it does depends on the collector, so \
                       nothing can be said";
            Err(Failure::new(Exit::Limit, why))
        }
        Outcome::NotCompiled | Outcome::Internal(_) => {
            loading::ended(outcome)?;
            Ok(Exit::Failed)
        }
    }
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Finished => "finished".to_string(),
        Outcome::Exited(code) => format!("ended itself with exit code {code}"),
        Outcome::Failed => "failed by an unhandled error".to_string(),
        Outcome::Deadlock => "ended in a deadlock".to_string(),
        Outcome::Limit(Limit::Depth) => "reached the limit on depth (--max-depth)".to_string(),
        Outcome::Limit(Limit::VirtualTime) => "reached the end of virtual time".to_string(),
        Outcome::Limit(Limit::Serials) => "used up the numbers of frames".to_string(),
        Outcome::Limit(Limit::Silence) => "used up what silent code may take".to_string(),
        Outcome::Limit(Limit::Work) => "reached the limit on work (--max-work)".to_string(),
        Outcome::Limit(_) => "reached the limit on sends (--max-sends)".to_string(),
        Outcome::NotCompiled | Outcome::Internal(_) => "broke off".to_string(),
    }
}
