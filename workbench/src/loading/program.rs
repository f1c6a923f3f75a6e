//! A program that was loaded: its machine, its units, and what a run of it did.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tally_compiler::Notation;
use tally_explore::Start;
use tally_profiler::{Description, Ending, Input, Limits, definitions};
use tally_vm::bytecode::Unit;
use tally_vm::{Cost, Limit, LoadError, Outcome, Vm, budget};

use super::absent::Absent;
use super::compiling::{How, Prepared, compile, run_text};
use super::machine::{MachineSettings, config, machine};
use super::outcome::ended;
use super::reading::{Source, read_all};
use super::running::PackageUnits;
use super::{som, statements};
use crate::embedder::{Front, ProgramOutput};
use crate::error::{Error, ErrorKind};
use crate::exploring::{ActorProgram, TurnOptions, kind};
use crate::outside::host::{CommandHost, Events};
use crate::revisions::git;

/// The name under which an expression of the command line appears.
pub const EXPRESSION: &str = "<command line>";
/// The global that holds an expression's value while it is printed.
const RESULT: &str = "TallyResult";
const PRINTING: &str = "<printing the result>";

/// What is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'s> {
    /// The folder in which relative names begin; empty for the current one.
    pub folder: &'s Path,
    /// Files and folders, in the order in which they run.
    pub files: &'s [String],
    /// Statements that are evaluated behind them.
    pub expression: Option<&'s str>,
    /// Arguments for the script.
    pub arguments: &'s [String],
}

/// A machine and the program that it is to run.
pub struct Program {
    /// Its machine.
    pub vm: Vm,
    /// What runs, in order.
    pub units: Vec<Arc<Unit>>,
    /// What is left out of the packages.
    pub absent: Vec<Absent>,
    /// What failed in the packages as they were loaded.
    pub failures: Vec<String>,
    /// Which units are of packages.
    pub package_units: PackageUnits,
    notation: Notation,
    sources: Vec<Source>,
    arguments: Vec<String>,
    limits: Limits,
    seed: i64,
    events: Arc<Events>,
    /// What a program of SOM loads while it runs.
    loaded: Option<som::Loaded>,
    /// Where relative names of files begin.
    folder: PathBuf,
    front: Front,
}

impl Program {
    /// Sets a machine up, and reads and compiles the sources; nothing runs yet.
    pub fn load(
        what: &Sources<'_>,
        options: &MachineSettings,
        output: ProgramOutput,
        front: &Front,
    ) -> Result<Program, Error> {
        Program::load_in(Notation::Tally, what, options, output, front)
    }

    /// The same for sources in a notation.
    pub fn load_in(
        notation: Notation,
        what: &Sources<'_>,
        options: &MachineSettings,
        output: ProgramOutput,
        front: &Front,
    ) -> Result<Program, Error> {
        if what.files.first().is_some_and(|file| som::is_program(file)) {
            return Program::load_som(what, options, output, front);
        }
        let config = config(options, &**front);
        let (mut sources, packages) = read_all(what.folder, what.files, &**front)?;
        let expression = what.expression;
        sources.extend(expression.map(|text| Source::script(EXPRESSION, text.to_string())));
        let events = Arc::<Events>::default();
        let host = CommandHost::new(front, output, options.permissions(), Arc::clone(&events));
        let arguments = what.arguments.to_vec();
        let mut vm = machine(config, host).map_err(|why| Error::new(ErrorKind::Internal, why))?;
        check_memory(options)?;
        tally_compiler::runtime::equip(&mut vm);
        vm.set_arguments(arguments.clone());
        let how = How {
            tells_warnings: output != ProgramOutput::Nowhere,
            strict: options.strict,
        };
        let prepared = match notation {
            Notation::Tally => compile(sources, &packages, &vm, how, &**front)?,
            // Each statement is compiled when those before it have run.
            Notation::Gst => {
                statements::equip(&mut vm)?;
                Prepared {
                    sources,
                    ..Prepared::default()
                }
            }
        };
        let Prepared {
            sources,
            units,
            absent,
            mut package_units,
        } = prepared;
        package_units.strict = options.strict;
        let limits = Limits {
            sends: options.max_sends,
            memory: options.max_memory.map(|bytes| bytes as u64),
            depth: config.max_depth,
        };
        Ok(Program {
            vm,
            units,
            absent,
            failures: Vec::new(),
            package_units,
            notation,
            sources,
            arguments,
            limits,
            seed: options.seed,
            events,
            loaded: None,
            folder: what.folder.to_path_buf(),
            front: Arc::clone(front),
        })
    }

    /// A program of SOM: a machine that is ready to run it, and what it will have loaded.
    fn load_som(
        what: &Sources<'_>,
        options: &MachineSettings,
        output: ProgramOutput,
        front: &Front,
    ) -> Result<Program, Error> {
        let class_path = options.class_path.as_deref().unwrap_or("");
        let (file, program) = som::named(what, class_path)?;
        let events = Arc::<Events>::default();
        let host = CommandHost::new(front, output, options.permissions(), Arc::clone(&events));
        let config = config(options, &**front);
        let machine = program.machine(config, Box::new(host), front.in_color());
        let (vm, loaded) = machine.map_err(|error| match error {
            LoadError::NotCompiled(diagnostics) => {
                front.show(&diagnostics);
                Error::told(ErrorKind::Source, "a class does not compile")
            }
            LoadError::Failed(why) => Error::new(ErrorKind::Source, why),
        })?;
        check_memory(options)?;
        let start = program.start();
        let source = Source::script(file, start.source.to_string());
        let limits = Limits {
            sends: options.max_sends,
            memory: options.max_memory.map(|bytes| bytes as u64),
            depth: config.max_depth,
        };
        Ok(Program {
            vm,
            units: vec![Arc::new(start)],
            absent: Vec::new(),
            failures: Vec::new(),
            package_units: PackageUnits::default(),
            notation: Notation::Tally,
            sources: vec![source],
            arguments: program.arguments.clone(),
            limits,
            seed: options.seed,
            events,
            loaded: Some(loaded),
            folder: what.folder.to_path_buf(),
            front: Arc::clone(front),
        })
    }

    /// Runs the scripts, one after the other, as long as they come to their ends.
    pub fn run(&mut self) -> Outcome {
        if self.notation == Notation::Gst {
            return statements::run(&mut self.vm, self.notation, &self.sources, &*self.front);
        }
        let (front, failures) = (&self.front, &mut self.failures);
        let mut failed = |what: String| {
            front.warn(&format!("{what}; the rest of the package is loaded"));
            failures.push(what);
        };
        let outcome = self
            .package_units
            .run(&mut self.vm, &self.units, &mut failed);
        if outcome != Outcome::Finished {
            self.hint(&outcome);
        }
        outcome
    }

    /// The same, but messages of the last script to actors are held back.
    ///
    /// # Errors
    ///
    /// A script before the last one made actors, or the program is in another notation.
    fn run_holding_messages(&mut self) -> Result<Outcome, Error> {
        let Some((last, before)) = self.units.split_last() else {
            return Ok(Outcome::Finished);
        };
        if self.notation == Notation::Gst || self.loaded.is_some() {
            let why = "programs of actors are explored in Tally's own notation only";
            return Err(Error::new(ErrorKind::Usage, why));
        }
        let (last, before) = (Arc::clone(last), before.to_vec());
        let all = std::mem::replace(&mut self.units, before);
        let outcome = self.run();
        self.units = all;
        if outcome != Outcome::Finished {
            return Ok(outcome);
        }
        if self.vm.actors_made() > 0 {
            let why = "actors of an earlier script have taken their messages: let the last script make all of them";
            return Err(Error::new(ErrorKind::Usage, why));
        }
        self.vm.hold_messages();
        Ok(self.vm.run_unit(last))
    }

    /// Runs the scripts. Those before the last are run as always. The messages of the last one are held back. Answers the program of
    /// actors that is left, and what it begins with.
    ///
    /// # Errors
    ///
    /// A script fails, the program has no actors, or they cannot be explored.
    pub fn actors(mut self, options: &TurnOptions) -> Result<(ActorProgram, Start), Error> {
        let outcome = self.run_holding_messages()?;
        self.ended_with_hint(&outcome)?;
        let digest = self.description(&outcome).program;
        let at_start = self.vm.actors_at_start();
        let at_start = at_start.map_err(|fault| Error::new(kind(&fault), fault.to_string()))?;
        ActorProgram::of(Box::new(self.vm), at_start, digest, options)
    }

    /// How many definitions the program does without, and how many classes are not initialised.
    pub fn lacks(&self) -> usize {
        self.absent.len() + self.failures.len()
    }

    /// What the way in which the program's run ended means. Output that was lost is a failure even
    /// if the program never noticed.
    pub fn ended(&self, outcome: &Outcome) -> Result<(), Error> {
        ended(outcome)?;
        match self.events.output_failure.get() {
            Some(error) => Err(Error::io("write", "standard output", error)),
            None => Ok(()),
        }
    }

    /// Forgets what the last input did, so that hints are about the next one.
    pub fn begin_input(&self) {
        self.events.first_denied().take();
    }

    /// Whether what the program printed last did not end a line. From now on it did.
    pub fn take_open_line(&self) -> bool {
        self.events.line_is_open.swap(false, Ordering::Relaxed)
    }

    /// As [`Program::ended`], with a hint where there is one.
    pub fn ended_with_hint(&self, outcome: &Outcome) -> Result<(), Error> {
        self.hint(outcome);
        self.ended(outcome)
    }

    /// Reads and compiles more files, for the world as it is now. Answers their units.
    pub fn load_more(&mut self, files: &[String]) -> Result<Vec<Arc<Unit>>, Error> {
        som::refuse(files, "repl")?;
        let front = &*self.front;
        let (sources, packages) = read_all(&self.folder, files, front)?;
        let how = How {
            tells_warnings: true,
            strict: self.package_units.strict,
        };
        Ok(compile(sources, &packages, &self.vm, how, front)?.units)
    }

    /// Shows the remedy for a failure that only an option of the command can cure.
    fn hint(&self, outcome: &Outcome) {
        if *outcome == Outcome::Failed
            && let Some(denied) = &*self.events.first_denied()
        {
            self.front.show(&format!("help: {}\n", denied.help()));
        }
    }

    /// The seed of its random choices.
    pub fn seed(&self) -> i64 {
        self.seed
    }

    /// Compiles and runs a text that the command made itself. What it costs is not the program's.
    pub fn run_text(&mut self, name: &str, text: &str) -> Result<Outcome, Error> {
        run_text(&mut self.vm, name, text)
    }

    /// The `printString` of the last script's value. Read the cost first: this changes it.
    pub fn print_result(&mut self) -> Result<String, Error> {
        let value = self.vm.result();
        self.vm.set_global(RESULT, value);
        let outcome = self.run_text(PRINTING, &format!("{RESULT} printString"))?;
        self.ended(&outcome)?;
        let text = self.vm.text_of(self.vm.result());
        text.ok_or_else(|| Error::new(ErrorKind::Failed, "printString did not answer a string"))
    }

    /// What a profile says about this run beside its counts.
    pub fn description(&self, outcome: &Outcome) -> Description {
        let loaded = self.loaded.as_ref().map_or(Vec::new(), |l| l.files());
        let texts = self.sources.iter().map(|source| source.text.as_str());
        let texts = texts.chain(loaded.iter().map(|(_, text)| text.as_str()));
        let is_repeatable = self.events.inputs().unrepeatable().is_none();
        Description {
            program: tally_profiler::fnv1a(texts),
            files: self
                .sources
                .iter()
                .map(|source| source.name.clone())
                .collect(),
            scripts: self.units.iter().map(|unit| unit.script.span).collect(),
            arguments: self.arguments.clone(),
            seed: self.seed,
            limits: self.limits.clone(),
            ending: match outcome {
                Outcome::Finished | Outcome::Exited(_) => Ending::Finished,
                Outcome::Limit(_) => Ending::Limit,
                Outcome::Failed
                | Outcome::Deadlock
                | Outcome::NotCompiled
                | Outcome::Internal(_) => Ending::Failed,
            },
            reproducible: is_repeatable && *outcome != Outcome::Limit(Limit::Memory),
            definitions: None,
            inputs: None,
            revision: None,
        }
    }

    /// The same, and on what this run depends: everything that was loaded and read, and the revision that the files are of.
    pub fn whole_description(&self, outcome: &Outcome) -> Description {
        let mut files = self
            .sources
            .iter()
            .map(|source| self.folder.join(&source.name));
        let file = files.find(|file| file.try_exists().unwrap_or(true));
        Description {
            definitions: Some(definitions(&self.units)),
            inputs: Some(self.inputs()),
            revision: file.as_deref().and_then(git::state_of),
            ..self.description(outcome)
        }
    }

    /// What the program has read from outside so far.
    pub fn inputs(&self) -> Vec<Input> {
        self.events.inputs().all()
    }

    /// The folder in which the names of its files begin.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The texts that were read, with their names, in the order in which they run.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let pair = |source| {
            let Source { name, text, .. }: &Source = source;
            (name.as_str(), text.as_str())
        };
        self.sources.iter().map(pair)
    }

    /// What the run has cost so far.
    pub fn cost(&self) -> Cost {
        self.vm.cost()
    }
}

/// Fails if the machine with its library takes more than the program may have. Collections of garbage check the limit from there
/// on.
fn check_memory(options: &MachineSettings) -> Result<(), Error> {
    let is_over = || budget::limit().is_some_and(|limit| budget::held() > limit);
    if options.max_memory.is_some() && is_over() {
        let why = "the limit on memory was reached (--max-memory) before the program began";
        return Err(Error::new(ErrorKind::Memory, why));
    }
    Ok(())
}
