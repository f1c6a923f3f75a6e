//! Runs a program once for each number of CPUs, in copies of the machine that has loaded it.

use tally_timeline::{Curve, CurvePoint, Figures, Window, document, html_page};
use tally_vm::Simulation;
use tally_workbench::outside::kept::Kept;

use super::copies::{self, Copies, printed};
use super::options::{Format, TimelineArguments, ViewName};
use super::outputs::{Outputs, spelled};
use super::shown::figures;
use super::source::Source;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The numbers of CPUs if none is given.
const USUAL: [Option<u64>; 5] = [Some(1), Some(2), Some(4), Some(8), None];

/// A run.
struct Ran {
    cpus: Option<u64>,
    source: Source,
    figures: Figures,
    output: Kept,
    ended: Result<(), Failure>,
}

/// Runs the program on each number of CPUs and shows the makespans. What the first run prints is printed.
pub(super) fn run(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
) -> Result<Exit, Failure> {
    refuse(arguments, outputs)?;
    let mut program = arguments.load(outputs.of_program())?;
    let copies = Copies::of(&mut program, arguments.machine.settings().permissions());
    let given = match arguments.simulation.cpus() {
        [] => &USUAL[..],
        given => given,
    };
    let mut runs = Vec::new();
    for &cpus in given {
        let ran = ran(arguments, outputs, segment, &copies, cpus)?;
        if runs.is_empty() {
            output::write_kept(&ran.output, outputs.of_program())?;
        }
        runs.push(ran);
    }
    let makespan = |cpus| -> Result<u64, Failure> {
        match runs.iter().find(|ran| ran.cpus == cpus) {
            Some(ran) => Ok(ran.figures.extent.makespan()),
            None => {
                let ran = ran(arguments, outputs, segment, &copies, cpus)?;
                Ok(ran.figures.extent.makespan())
            }
        }
    };
    let (alone, span) = (makespan(Some(1))?, makespan(None)?);
    let curve = Curve {
        points: points(&runs),
        alone,
        span,
    };
    if let Some(last) = runs.last_mut().filter(|_| outputs.has(Format::Html)) {
        last.figures = figures(arguments, outputs, segment, &mut last.source, true)?;
        last.figures.curve = Some(curve.clone());
    }
    show(outputs, &curve, &runs)?;
    warn_of_differences(&curve);
    runs.into_iter()
        .try_for_each(|ran| ran.ended)
        .map(|()| Exit::Success)
}

/// A trace is the trace of one run.
fn refuse(arguments: &TimelineArguments, outputs: &Outputs) -> Result<(), Failure> {
    arguments.refuse_writes()?;
    let why = match (outputs.of_one_run(), arguments.view) {
        (Some(file), _) => format!(
            "{} would hold one run, and there is a run for each number of CPUs; give one number",
            file.display()
        ),
        (None, ViewName::Summary | ViewName::Curve) => return Ok(()),
        (None, _) => {
            "several numbers of CPUs are shown by --view curve; give one number for another view"
                .to_string()
        }
    };
    Err(Failure::new(Exit::Usage, why))
}

/// A trace has one number of CPUs.
pub(super) fn refused_trace(file: &str) -> Failure {
    let why = format!("{file} is a trace of one run: run the program for --view curve");
    Failure::new(Exit::Usage, why)
}

/// Runs a copy of the loaded machine.
fn ran(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
    copies: &Copies<'_>,
    cpus: Option<u64>,
) -> Result<Ran, Failure> {
    let simulation = Simulation {
        cpus,
        ..arguments.simulation.simulation()
    };
    let tell = &mut |what: String| console::warning(&what);
    let copies::Ran {
        source,
        output,
        ended,
        seen: (),
    } = copies.run(&simulation, |_| (), tell, |_| ())?;
    let Some(mut source) = source else {
        output::write_kept(&output, outputs.of_program())?;
        ended?;
        return Err(no_processor());
    };
    let figures = figures(arguments, outputs, segment, &mut source, false)?;
    Ok(Ran {
        cpus,
        source,
        figures,
        output,
        ended,
    })
}

/// Ordinary processes share one CPU, whatever number is given.
fn no_processor() -> Failure {
    let why = "the program made no processor, so there is nothing to run on several CPUs: `Account separate new` makes one";
    Failure::new(Exit::Nothing, why)
}

fn points(runs: &[Ran]) -> Vec<CurvePoint> {
    let point = |ran: &Ran| CurvePoint {
        cpus: ran.cpus,
        processors: ran.figures.processors.len() as u64,
        makespan: ran.figures.extent.makespan(),
        ticks: ran.figures.ticks,
        ending: ran.source.ending().word(),
        is_same: runs.first().is_some_and(|first| is_same(first, ran)),
    };
    runs.iter().map(point).collect()
}

/// Whether both ended alike and printed the same.
fn is_same(one: &Ran, other: &Ran) -> bool {
    let ending = one.source.ending().word() == other.source.ending().word();
    ending && printed(&one.output) == printed(&other.output)
}

fn warn_of_differences(curve: &Curve) {
    let differing = curve.points.iter().filter(|point| !point.is_same);
    let numbers: Vec<String> = differing
        .map(|point| {
            point
                .cpus
                .map_or("max".to_string(), |cpus| cpus.to_string())
        })
        .collect();
    if !numbers.is_empty() {
        let numbers = numbers.join(", ");
        console::warning(&format!(
            "the program prints or ends otherwise with these CPUs: {numbers}; only the first output is shown"
        ));
    }
}

fn show(outputs: &Outputs, curve: &Curve, runs: &[Ran]) -> Result<(), Failure> {
    outputs.write_texts(|format, page| {
        let Some(last) = runs.last() else {
            return Ok(String::new());
        };
        let (head, ending) = (last.source.head(), last.source.ending());
        if format == Format::Html {
            return Ok(html_page(head, ending, &last.figures));
        }
        spelled(
            format,
            || curve.text(page),
            || curve.table(),
            || output::json(&document(head, ending, &last.figures).with_curve(curve)),
        )
    })
}
