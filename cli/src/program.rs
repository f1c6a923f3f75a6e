//! Source files to a machine that runs them: reading, compiling all before anything runs, running in
//! order, and what the ways to end mean for the exit code.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tally_compiler::bounds;
use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::{ClassShape, MachineEnvironment, UnitEnvironment};
use tally_compiler::load_order::{Package, PackageUnit, load_order};
use tally_compiler::render::render;
use tally_compiler::{Compiled, compile_all};
use tally_presentation::grouped;
use tally_profiler::{Description, Ending, Input, Limits, definitions};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Cost, Limit, LoadError, Optimisations, Outcome, Vm};

use crate::arguments::MachineArguments;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::host::{CommandHost, Events, ProgramOutput};
use crate::permissions::Permissions;
use crate::{package, som};

/// The name under which an expression of the command line appears.
pub(crate) const EXPRESSION: &str = "<command line>";
const STANDARD_INPUT: &str = "<standard input>";
/// The global that holds an expression's value while it is printed.
const RESULT: &str = "TallyResult";
/// Diagnostics of each kind that are shown for a file; nobody reads the hundredth.
const SHOWN_ERRORS: usize = 50;
const SHOWN_WARNINGS: usize = 20;
const PRINTING: &str = "<printing the result>";

/// A source text and its name.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The package that it is a part of; index into the packages.
    package: Option<usize>,
}

impl Source {
    /// A source that is no part of a package.
    pub(crate) fn script(name: &str, text: String) -> Source {
        Source {
            name: name.to_owned(),
            text,
            package: None,
        }
    }
}

/// Sources in the order in which they are to run, and their units.
#[derive(Default)]
struct Prepared {
    sources: Vec<Source>,
    units: Vec<Arc<Unit>>,
}

/// A machine and the program that it is to run.
pub(crate) struct Program {
    pub(crate) vm: Vm,
    pub(crate) units: Vec<Arc<Unit>>,
    sources: Vec<Source>,
    arguments: Vec<String>,
    limits: Limits,
    seed: i64,
    events: Arc<Events>,
    /// What a program of SOM loads while it runs.
    loaded: Option<tally_som::Loaded>,
}

impl Program {
    /// Sets a machine up, and reads and compiles the sources; nothing runs yet.
    pub(crate) fn load(
        files: &[String],
        expression: Option<&str>,
        arguments: Vec<String>,
        options: &MachineArguments,
        output: ProgramOutput,
    ) -> Result<Program, Failure> {
        if files.first().is_some_and(|file| som::is_program(file)) {
            return som::load(files, expression, arguments, options, output);
        }
        let config = config(options);
        let (mut sources, packages) = read_all(files)?;
        sources.extend(expression.map(|text| Source::script(EXPRESSION, text.to_string())));
        let events = Arc::<Events>::default();
        let permissions = Permissions::from_options(options);
        let host = CommandHost::new(output, permissions, Arc::clone(&events));
        let mut vm = machine(config, host).map_err(|why| Failure::new(Exit::Internal, why))?;
        tally_compiler::runtime::equip(&mut vm);
        vm.set_arguments(arguments.clone());
        let tells_warnings = output != ProgramOutput::Nowhere;
        let Prepared { sources, units } = compile(sources, &packages, &vm, tells_warnings)?;
        let limits = Limits {
            sends: options.max_sends,
            memory: options.max_memory.map(|bytes| bytes as u64),
            depth: config.max_depth,
        };
        Ok(Program {
            vm,
            units,
            sources,
            arguments,
            limits,
            seed: options.seed,
            events,
            loaded: None,
        })
    }

    /// A program of SOM: a machine that is ready to run it, and what it will have loaded.
    pub(crate) fn of_som(
        file: &str,
        program: &tally_som::Program,
        options: &MachineArguments,
        output: ProgramOutput,
    ) -> Result<Program, Failure> {
        let events = Arc::<Events>::default();
        let permissions = Permissions::from_options(options);
        let host = CommandHost::new(output, permissions, Arc::clone(&events));
        let config = config(options);
        let machine = program.machine(config, Box::new(host), console::in_color());
        let (vm, loaded) = machine.map_err(|error| match error {
            LoadError::NotCompiled(diagnostics) => {
                console::write(&diagnostics);
                Failure::silent(Exit::Source)
            }
            LoadError::Failed(why) => Failure::new(Exit::Source, why),
        })?;
        let start = program.start();
        let source = Source::script(file, start.source.clone());
        let limits = Limits {
            sends: options.max_sends,
            memory: options.max_memory.map(|bytes| bytes as u64),
            depth: config.max_depth,
        };
        Ok(Program {
            vm,
            units: vec![Arc::new(start)],
            sources: vec![source],
            arguments: program.arguments.clone(),
            limits,
            seed: options.seed,
            events,
            loaded: Some(loaded),
        })
    }

    /// Runs the scripts, one after the other, as long as they come to their ends.
    pub(crate) fn run(&mut self) -> Outcome {
        for unit in &self.units {
            let outcome = self.vm.run_unit(Arc::clone(unit));
            if outcome != Outcome::Finished {
                self.hint(&outcome);
                return outcome;
            }
        }
        Outcome::Finished
    }

    /// What the way in which the program's run ended means. Output that was lost is a failure even
    /// if the program never noticed.
    pub(crate) fn ended(&self, outcome: &Outcome) -> Result<(), Failure> {
        ended(outcome)?;
        match self.events.output_failure.get() {
            Some(error) => Err(Failure::io("write", "standard output", error)),
            None => Ok(()),
        }
    }

    /// Forgets what the last input did, so that hints are about the next one.
    pub(crate) fn begin_input(&self) {
        self.events.first_denied().take();
    }

    /// Whether what the program printed last did not end a line. From now on it did.
    pub(crate) fn take_open_line(&self) -> bool {
        self.events.line_is_open.swap(false, Ordering::Relaxed)
    }

    /// As [`Program::ended`], with a hint where there is one.
    pub(crate) fn ended_with_hint(&self, outcome: &Outcome) -> Result<(), Failure> {
        self.hint(outcome);
        self.ended(outcome)
    }

    /// Reads and compiles more files, for the world as it is now. Answers their units.
    pub(crate) fn load_more(&mut self, files: &[String]) -> Result<Vec<Arc<Unit>>, Failure> {
        som::refuse(files, "repl")?;
        let (sources, packages) = read_all(files)?;
        Ok(compile(sources, &packages, &self.vm, true)?.units)
    }

    /// Tells the remedy for a failure that only an option of the command can cure.
    fn hint(&self, outcome: &Outcome) {
        if *outcome == Outcome::Failed
            && let Some(denied) = &*self.events.first_denied()
        {
            console::write(&format!("help: {}\n", denied.help()));
        }
    }

    /// Compiles and runs a text that the command made itself. What it costs is not the program's.
    pub(crate) fn run_text(&mut self, name: &str, text: &str) -> Result<Outcome, Failure> {
        run_text(&mut self.vm, name, text)
    }

    /// The `printString` of the last script's value. To be asked for after the cost was taken.
    pub(crate) fn print_result(&mut self) -> Result<String, Failure> {
        let value = self.vm.result();
        self.vm.set_global(RESULT, value);
        let outcome = self.run_text(PRINTING, &format!("{RESULT} printString"))?;
        self.ended(&outcome)?;
        let text = self.vm.text_of(self.vm.result());
        text.ok_or_else(|| Failure::new(Exit::Failed, "printString did not answer a string"))
    }

    /// What a profile says about this run beside its counts.
    pub(crate) fn description(&self, outcome: &Outcome) -> Description {
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
    pub(crate) fn whole_description(&self, outcome: &Outcome) -> Description {
        let files = self.sources.iter().map(|source| Path::new(&source.name));
        let file = files
            .into_iter()
            .find(|file| file.try_exists().unwrap_or(true));
        Description {
            definitions: Some(definitions(&self.units)),
            inputs: Some(self.inputs()),
            revision: file.and_then(git::state_of),
            ..self.description(outcome)
        }
    }

    /// What the program has read from outside so far.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        self.events.inputs().all()
    }

    /// The texts that were read, with their names, in the order in which they run.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let pair = |source| {
            let Source { name, text, .. }: &Source = source;
            (name.as_str(), text.as_str())
        };
        self.sources.iter().map(pair)
    }

    /// What the run has cost so far.
    pub(crate) fn cost(&self) -> Cost {
        self.vm.cost()
    }
}

/// What there is to say of code of a program that was executed silently, if any was.
pub(crate) fn note_of_silence(overhead: u64) -> Option<String> {
    let sends = match overhead {
        0 => return None,
        1 => "1 silent send is".to_string(),
        more => format!("{} silent sends are", grouped(more)),
    };
    Some(format!(
        "{sends} in no count: a method wrapper made them, or the library on the program's behalf"
    ))
}

/// Compiles and runs a text that the command made itself.
pub(crate) fn run_text(vm: &mut Vm, name: &str, text: &str) -> Result<Outcome, Failure> {
    let unit = compile_text(vm, name, text)?;
    Ok(vm.run_unit(Arc::new(unit)))
}

/// Compiles a text that the command made itself, for the world as it is now.
pub(crate) fn compile_text(vm: &Vm, name: &str, text: &str) -> Result<Unit, Failure> {
    let compiled = tally_compiler::compile(name, text, &MachineEnvironment(vm));
    compiled.unit.ok_or_else(|| {
        let why = render(&compiled.diagnostics, name, text, false);
        Failure::new(Exit::Internal, format!("text made by the command:\n{why}"))
    })
}

/// What the way in which a run ended means: nothing, or a failure.
pub(crate) fn ended(outcome: &Outcome) -> Result<(), Failure> {
    let reached;
    let (exit, message) = match outcome {
        Outcome::Finished | Outcome::Exited(0) => return Ok(()),
        // The script asked for this code itself and has nothing more to say.
        Outcome::Exited(code) => return Err(Failure::silent(Exit::Chosen(*code))),
        // The machine has written message and trace.
        Outcome::Failed => return Err(Failure::silent(Exit::Failed)),
        // So have the compiler's diagnostics.
        Outcome::NotCompiled => return Err(Failure::silent(Exit::Source)),
        Outcome::Limit(Limit::Ticks) => (
            Exit::Limit,
            "the limit on sends and loop repetitions was reached (--max-sends)",
        ),
        Outcome::Limit(Limit::Memory) => {
            reached = crate::memory::limit_reached();
            (Exit::Limit, reached.as_str())
        }
        Outcome::Limit(Limit::Depth) => (
            Exit::Limit,
            "the limit on the depth of activations was reached (--max-depth)",
        ),
        Outcome::Limit(Limit::Serials) => (Exit::Limit, "the numbers of frames are used up"),
        Outcome::Deadlock => (Exit::Failed, "deadlock: every process waits for another"),
        Outcome::Internal(why) => (Exit::Internal, why.as_str()),
    };
    Err(Failure::new(exit, message))
}

/// A machine with the library, whose code counts what the configuration says.
pub(crate) fn machine(config: Config, host: CommandHost) -> Result<Vm, String> {
    if !config.count_inlined {
        return tally_stdlib::machine(config, Box::new(host));
    }
    let plain = tally_stdlib::machine(Config::default(), Box::<tally_vm::MemoryHost>::default())?;
    let library = tally_compiler::library::library_counting_inlined(&plain)?;
    tally_stdlib::machine_with(library, config, Box::new(host))
}

/// The configuration that the options ask for. The limits on memory and on sources hold for the process, so they are set
/// here.
pub(crate) fn config(options: &MachineArguments) -> Config {
    let defaults = Config::default();
    if let Some(bytes) = options.max_memory {
        crate::memory::keep_to(bytes);
    }
    if let Some(bytes) = options.max_source {
        bounds::set_most_source_bytes(bytes);
    }
    Config {
        gc_stress: options.gc_stress,
        max_ticks: options.max_sends,
        max_depth: options.max_depth.unwrap_or(defaults.max_depth),
        seed: options.seed,
        virtual_clock: options.virtual_clock,
        nursery_bytes: options.nursery.unwrap_or(defaults.nursery_bytes),
        count_inlined: options.count_inlined,
        optimisations: Optimisations {
            caches: !(options.reference || options.no_caches),
            shortcuts: !(options.reference || options.no_shortcuts),
            quick: !(options.reference || options.no_quick),
        },
        ..defaults
    }
}

/// Compiles all sources together, prints what there is to say about any of them, and answers the
/// units in the order in which they run if nothing is an error.
fn compile(
    sources: Vec<Source>,
    packages: &[Package],
    vm: &Vm,
    tells_warnings: bool,
) -> Result<Prepared, Failure> {
    let pairs: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_str()))
        .collect();
    let compiled = compile_all(&pairs, &MachineEnvironment(vm));
    let mut units = Vec::new();
    for (source, Compiled { unit, diagnostics }) in sources.iter().zip(compiled) {
        if tells_warnings || unit.is_none() {
            print_diagnostics(source, diagnostics);
        }
        units.extend(unit.map(Arc::new));
    }
    if units.len() < sources.len() {
        return Err(Failure::silent(Exit::Source));
    }
    let mut waiting = sources.into_iter().zip(units).peekable();
    let mut prepared = Prepared::default();
    while let Some((source, unit)) = waiting.next() {
        if source.package.is_none() {
            prepared.sources.push(source);
            prepared.units.push(unit);
            continue;
        }
        let mut loaded = vec![(source, unit)];
        while let Some(next) = waiting.next_if(|(source, _)| source.package.is_some()) {
            loaded.push(next);
        }
        load_packages(loaded, packages, &mut prepared)?;
    }
    Ok(prepared)
}

/// Puts packages that stand side by side on the command line into the order in which they are loaded. Behind
/// them the classes are initialised that ask for it, package by package.
fn load_packages(
    loaded: Vec<(Source, Arc<Unit>)>,
    packages: &[Package],
    prepared: &mut Prepared,
) -> Result<(), Failure> {
    let parts: Vec<PackageUnit<'_>> = loaded
        .iter()
        .filter_map(|(source, unit)| {
            let package = source.package?;
            Some(PackageUnit { package, unit })
        })
        .collect();
    let order = load_order(packages, &parts);
    let mut initialisers = Vec::new();
    for (package, classes) in order.initialised {
        if !classes.is_empty() {
            initialisers.push(initialiser(&packages[package].name, &classes)?);
        }
    }
    let mut loaded: Vec<Option<(Source, Arc<Unit>)>> = loaded.into_iter().map(Some).collect();
    let ordered = order
        .units
        .into_iter()
        .filter_map(|index| loaded[index].take());
    for (source, unit) in ordered.chain(initialisers) {
        prepared.sources.push(source);
        prepared.units.push(unit);
    }
    Ok(())
}

/// The pseudo-method that sends `initialize` to classes of a package.
fn initialiser(package: &str, classes: &[String]) -> Result<(Source, Arc<Unit>), Failure> {
    let mut world = UnitEnvironment::new();
    let mut text = String::new();
    for class in classes {
        world.add_class(class, ClassShape::default());
        text.push_str(class);
        text.push_str(" initialize.\n");
    }
    world.add_selector("initialize");
    let compiled = tally_compiler::compile(package, &text, &world);
    let unit = compiled.unit.ok_or_else(|| {
        let why = render(&compiled.diagnostics, package, &text, false);
        Failure::new(Exit::Internal, format!("text made by the command:\n{why}"))
    })?;
    Ok((Source::script(package, text), Arc::new(unit)))
}

/// Reads and compiles all sources together, as for a run, and answers what there is to say about each.
pub(crate) fn diagnose(files: &[String]) -> Result<Vec<(Source, Vec<Diagnostic>)>, Failure> {
    let (sources, _) = read_all(files)?;
    let vm = tally_stdlib::machine(Config::default(), Box::<tally_vm::MemoryHost>::default())
        .map_err(|why| Failure::new(Exit::Internal, why))?;
    let pairs: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_str()))
        .collect();
    let compiled = compile_all(&pairs, &MachineEnvironment(&vm));
    let diagnostics = compiled.into_iter().map(|one| one.diagnostics);
    Ok(sources.into_iter().zip(diagnostics).collect())
}

/// The texts of files and folders, in the order in which they run.
pub(crate) fn read_texts(files: &[String]) -> Result<Vec<Source>, Failure> {
    Ok(compiled(files, Config::default(), true)?.sources)
}

/// Files and folders, compiled to code with an instruction for each evaluation of an inlined message: their texts and units, in
/// the order in which they run.
pub(crate) fn read_counting_inlined(
    files: &[String],
) -> Result<(Vec<Source>, Vec<Arc<Unit>>), Failure> {
    let config = Config {
        count_inlined: true,
        ..Config::default()
    };
    let Prepared { sources, units } = compiled(files, config, false)?;
    Ok((sources, units))
}

fn compiled(files: &[String], config: Config, tells_warnings: bool) -> Result<Prepared, Failure> {
    if files.is_empty() {
        return Ok(Prepared::default());
    }
    let (sources, packages) = read_all(files)?;
    let vm = tally_stdlib::machine(config, Box::<tally_vm::MemoryHost>::default())
        .map_err(|why| Failure::new(Exit::Internal, why))?;
    compile(sources, &packages, &vm, tells_warnings)
}

/// Prints what the compiler has to say about a source that is to run.
///
/// Of packages, which are often somebody else's, only what does not work is told, not what looks odd.
pub(crate) fn print_diagnostics(source: &Source, mut diagnostics: Vec<Diagnostic>) {
    if source.package.is_some() {
        diagnostics.retain(|one| one.is_error() || one.code.starts_with("W031"));
    }
    print_all_diagnostics(source, diagnostics);
}

/// Prints what the compiler has to say about a source, but not without end.
pub(crate) fn print_all_diagnostics(source: &Source, diagnostics: Vec<Diagnostic>) {
    let (mut errors, mut warnings) = (0, 0);
    let is_shown = |diagnostic: &Diagnostic| {
        let count = if diagnostic.is_error() {
            &mut errors
        } else {
            &mut warnings
        };
        *count += 1;
        *count
            <= if diagnostic.is_error() {
                SHOWN_ERRORS
            } else {
                SHOWN_WARNINGS
            }
    };
    let shown: Vec<Diagnostic> = diagnostics.into_iter().filter(is_shown).collect();
    if shown.is_empty() {
        return;
    }
    console::write(&render(
        &shown,
        &source.name,
        &source.text,
        console::in_color(),
    ));
    if errors > SHOWN_ERRORS {
        console::error(&format!(
            "{}: {} more errors",
            source.name,
            errors - SHOWN_ERRORS
        ));
    }
    if warnings > SHOWN_WARNINGS {
        let hidden = warnings - SHOWN_WARNINGS;
        console::warning(&format!("{}: {hidden} more warnings", source.name));
    }
}

/// Reads all files, those of folders too, so that every one that cannot be read is named at once.
fn read_all(arguments: &[String]) -> Result<(Vec<Source>, Vec<Package>), Failure> {
    let mut reading = Reading::default();
    for (number, argument) in arguments.iter().enumerate() {
        reading.argument(number, argument);
    }
    match reading.failed {
        Some(exit) => Err(Failure::silent(exit)),
        None => Ok((reading.sources, reading.packages)),
    }
}

#[derive(Default)]
struct Reading {
    sources: Vec<Source>,
    packages: Vec<Package>,
    failed: Option<Exit>,
}

impl Reading {
    fn argument(&mut self, number: usize, argument: &str) {
        if !Path::new(argument).is_dir() {
            return self.file(number, argument);
        }
        match package::find(argument) {
            Ok(folders) => {
                for folder in folders {
                    let before = self.sources.len();
                    folder.files.iter().for_each(|file| self.read(file));
                    self.package(number, &folder.name, before);
                }
            }
            Err(failure) => self.failed = Some(failure.report()),
        }
    }

    /// A single file in Tonel is a package of one file.
    fn file(&mut self, number: usize, file: &str) {
        let before = self.sources.len();
        self.read(file);
        let read = self.sources.get(before);
        if read.is_some_and(|source| tally_compiler::is_tonel(&source.text)) {
            self.package(number, file, before);
        }
    }

    /// Makes a package of the sources from `first` on.
    fn package(&mut self, argument: usize, name: &str, first: usize) {
        for source in &mut self.sources[first..] {
            source.package = Some(self.packages.len());
        }
        self.packages.push(Package {
            name: name.to_owned(),
            argument,
        });
    }

    fn read(&mut self, file: &str) {
        match read(file) {
            Ok(source) => self.sources.push(source),
            Err(failure) => self.failed = Some(failure.report()),
        }
    }
}

/// The bytes of a source, and no more than show that it is too long.
fn read_most(source: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = bounds::most_source_bytes() as u64 + 1;
    source.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(file: &str) -> Result<Source, Failure> {
    let (name, bytes) = match file {
        "-" => (STANDARD_INPUT, read_most(std::io::stdin())),
        file => (file, std::fs::File::open(file).and_then(read_most)),
    };
    let bytes = bytes.map_err(|error| Failure::io("read", name, &error))?;
    if bounds::too_long(bytes.len() as u64).is_some() {
        let most = bounds::most_source_bytes();
        let why = format!("{name} is too long: a text has at most {most} bytes (--max-source)");
        return Err(Failure::new(Exit::Source, why));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::script(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            let why = format!("{name} is not UTF-8: invalid byte at offset {at}, line {line}");
            Err(Failure::new(Exit::Source, why))
        }
    }
}
