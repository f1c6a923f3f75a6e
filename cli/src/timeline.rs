//! `tally timeline`: runs a program with processors, processes or actors in virtual time, or reads a trace of such a run, and reports what waited for what.

mod advice;
mod assumptions;
mod copies;
mod curve;
mod listing;
mod options;
mod outputs;
mod path;
mod recording;
mod shown;
pub(crate) mod source;

use tally_timeline::Window;
use tally_timeline::trace::Ending;
use tally_vm::{Clock, MODEL_VERSION, Outcome, Vm};

use crate::arguments::refused_schedule;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
pub(crate) use options::TimelineArguments;
use options::{Format, ViewName};
use outputs::{Outputs, spelled};
use recording::Recording;
use shown::{extent, figures_of};
use source::Source;

pub(crate) fn timeline(arguments: &TimelineArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let segment = arguments.segment()?;
    if arguments.per_processor && arguments.view != ViewName::Matrix {
        let why = "--per-processor is for --view matrix";
        return Err(Failure::new(Exit::Usage, why));
    }
    if let Some(traces) = listing::traces(&arguments.files) {
        return list(arguments, &outputs, &traces);
    }
    let trace = arguments.files.iter().find(|file| source::is_trace(file));
    if let Some(file) = trace {
        if arguments.files.len() > 1 {
            return Err(no_place(file, "other files"));
        }
        refuse_running(arguments, file)?;
        let mut source = Source::open(file)?;
        source.warn_of_cut();
        outputs.refuse_trace(file)?;
        outputs.refuse_over(&arguments.files)?;
        if arguments.view == ViewName::Curve {
            return Err(curve::refused_trace(file));
        }
        let options = [
            (arguments.advise, "--advise"),
            (!arguments.rules.is_empty(), "--if"),
        ];
        if let Some((_, option)) = options.iter().find(|(is_given, _)| *is_given) {
            return Err(assumptions::refused_trace(file, option));
        }
        show(arguments, &outputs, segment, &mut source)?;
        return Ok(Exit::Success);
    }
    outputs.refuse_over(&arguments.files)?;
    if arguments.advise {
        return advice::run(arguments, &outputs, segment);
    }
    if !arguments.rules.is_empty() {
        return assumptions::run(arguments, &outputs, segment);
    }
    match arguments.simulation.has_list() || arguments.view == ViewName::Curve {
        true => curve::run(arguments, &outputs, segment),
        false => run(arguments, &outputs, segment),
    }
}

/// Lists traces. If one cannot be read, the command fails when the others have been shown.
fn list(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    traces: &[String],
) -> Result<Exit, Failure> {
    refuse_part(arguments, outputs, traces)?;
    let (listing, failed) = listing::listing(traces);
    outputs.write_texts(|format, page| {
        spelled(
            format,
            || listing.text(page),
            || listing.table(),
            || output::json(&listing.document()),
        )
    })?;
    failed.map_or(Ok(Exit::Success), Err)
}

/// A list is of whole traces, and has no page.
fn refuse_part(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    traces: &[String],
) -> Result<(), Failure> {
    let first = traces.first().map_or("", String::as_str);
    refuse_running(arguments, first)?;
    let is_part = arguments.from.is_some() || arguments.to.is_some();
    let options = [
        (is_part || arguments.from_call.is_some(), "a part of them"),
        (arguments.view != ViewName::Summary, "--view"),
        (!arguments.rules.is_empty(), "--if"),
        (arguments.advise, "--advise"),
        (outputs.has(Format::Html), "a page"),
        (outputs.of_one_run().is_some(), "a file for one run"),
    ];
    match options.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, what)) => {
            let why = format!("several traces are listed, so there is no place for {what}");
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// Traces are shown alone.
fn refuse_running(arguments: &TimelineArguments, file: &str) -> Result<(), Failure> {
    let options = [
        (arguments.evaluate.is_some(), "-e"),
        (!arguments.arguments.is_empty(), "arguments"),
        (arguments.messages.delivery.is_some(), "--delivery"),
        (arguments.messages.schedule.is_some(), "--schedule"),
    ];
    let given = options.iter().find(|(is_given, _)| *is_given);
    match given
        .map(|(_, what)| *what)
        .or(arguments.simulation.given())
    {
        None => Ok(()),
        Some(what) => Err(no_place(file, what)),
    }
}

fn no_place(file: &str, what: &str) -> Failure {
    let why = format!("{file} is a trace: nothing is run, so there is no place for {what}");
    Failure::new(Exit::Usage, why)
}

fn run(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
) -> Result<Exit, Failure> {
    let mut program = arguments.load(outputs.of_program())?;
    let simulation = &arguments.simulation;
    simulation.set(&mut program.vm);
    let about = program.description(&Outcome::Finished);
    let head = source::head(&about, &simulation.simulation(), MODEL_VERSION);
    let recording = Recording::begin(&mut program.vm, &head, outputs.trace())?;
    let outcome = program.run();
    let ended = refused_schedule(&program.vm).and(program.ended(&outcome).map_err(Failure::from));
    if let Err(refused) = refuse_clock(arguments, &program.vm) {
        ended?;
        return Err(refused);
    }
    let Some(mut source) = recording.end(&mut program.vm, Ending::of(&outcome))? else {
        ended?;
        return Err(no_processor());
    };
    show(arguments, outputs, segment, &mut source)?;
    ended.map(|()| Exit::Success)
}

fn no_processor() -> Failure {
    let why = "the program made no processor, no process and no actor: `Account separate new` makes a processor, `[ … ] fork` a process, `Account spawn` an actor";
    Failure::new(Exit::Nothing, why)
}

/// Lanes of ordinary processes are in ticks.
fn refuse_clock(arguments: &TimelineArguments, vm: &Vm) -> Result<(), Failure> {
    let clock = arguments.simulation.simulation().clock;
    if vm.has_processors() || clock != Clock::Work {
        return Ok(());
    }
    let why = "--clock work is for programs with processors: other processes are shown in ticks";
    Err(Failure::new(Exit::Usage, why))
}

fn show(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
    source: &mut Source,
) -> Result<(), Failure> {
    let extent = extent(arguments, segment, source)?;
    if outputs.has_texts() {
        let is_page = outputs.has(Format::Html);
        let figures = figures_of(arguments, outputs, extent, source, is_page)?;
        outputs.write(arguments, source, &figures)?;
    }
    outputs.export(source, extent)
}
