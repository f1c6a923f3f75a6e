//! Where the result of `tally explore` goes, and in which forms.

use std::path::{Path, PathBuf};

use tally_explore::{Diagram, Tree};
use tally_presentation::Page;
use tally_workbench::Error;
use tally_workbench::exploring::Schedule;

use super::options::{ExploreArguments, Format, ViewName};
use super::{Explored, extras};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// What a file holds, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Report,
    States,
    Json,
    Csv,
    TreeSvg,
    TreeDot,
    DiagramSvg,
    Page,
    Schedule,
}

const KINDS: [(&str, Kind); 9] = [
    ("txt", Kind::Report),
    ("states.txt", Kind::States),
    ("json", Kind::Json),
    ("csv", Kind::Csv),
    ("svg", Kind::TreeSvg),
    ("dot", Kind::TreeDot),
    ("tdd.svg", Kind::DiagramSvg),
    ("html", Kind::Page),
    ("schedule", Kind::Schedule),
];

/// Where the result goes.
pub(super) struct Outputs {
    standard: Option<Kind>,
    files: Vec<(PathBuf, Kind)>,
}

impl Outputs {
    /// The outputs that the options name. Mistakes fail here, before anything runs.
    pub(super) fn new(arguments: &ExploreArguments) -> Result<Outputs, Failure> {
        let by_view = match (arguments.format, arguments.view) {
            (Some(Format::Json), _) => Kind::Json,
            (Some(Format::Csv), _) | (_, ViewName::Computations) => Kind::Csv,
            (_, ViewName::States) => Kind::States,
            (_, ViewName::Summary) => Kind::Report,
        };
        let mut outputs = Outputs {
            standard: arguments.outputs.is_empty().then_some(by_view),
            files: Vec::new(),
        };
        let endings = KINDS.map(|(ending, _)| ending);
        for file in &arguments.outputs {
            output::refuse_without_folder(file)?;
            let ending = output::ending(file, &endings)?;
            let Some(kind) = KINDS.iter().find(|(one, _)| Some(*one) == ending) else {
                outputs.standard = Some(by_view);
                continue;
            };
            outputs.add(file, kind.1, &arguments.files)?;
        }
        if arguments.format.is_some() && outputs.standard.is_none() {
            let why = "--format is for standard output; the names of files decide their formats";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(outputs)
    }

    fn add(&mut self, file: &Path, kind: Kind, inputs: &[String]) -> Result<(), Failure> {
        let place = output::place(file);
        let name = file.display();
        if self
            .files
            .iter()
            .any(|(other, _)| output::place(other) == place)
        {
            return Err(Failure::new(
                Exit::Usage,
                format!("{name} would be written twice"),
            ));
        }
        if inputs
            .iter()
            .any(|input| output::place(Path::new(input)) == place)
        {
            let why = format!("{name} would be written over what is read");
            return Err(Failure::new(Exit::Usage, why));
        }
        self.files.push((file.to_path_buf(), kind));
        Ok(())
    }

    /// Writes everything.
    pub(super) fn write(
        &self,
        arguments: &ExploreArguments,
        explored: &mut Explored,
    ) -> Result<(), Failure> {
        let mut failed = Ok(());
        for (file, kind) in &self.files {
            match text(*kind, arguments, explored, Page::default()) {
                Ok(text) => output::write(&text, Some(file))?,
                Err(failure) => {
                    console::warning(&format!("{}: {}", file.display(), failure.message()));
                    failed = failed.and(Err(Failure::silent(failure.exit())));
                }
            }
        }
        if let Some(kind) = self.standard {
            let text = text(kind, arguments, explored, console::results_page())?;
            output::write(&text, None)?;
        } else {
            let report = explored.report().text(&explored.program, Page::default());
            let verdict: Vec<&str> = report.lines().take(2).collect();
            console::write(&format!("{}\n", verdict.join("\n")));
        }
        failed
    }
}

fn text(
    kind: Kind,
    arguments: &ExploreArguments,
    explored: &mut Explored,
    page: Page,
) -> Result<String, Failure> {
    let title = arguments.files.first().map_or("", String::as_str);
    Ok(match kind {
        Kind::Report => report(arguments, explored, page),
        Kind::Json => explored.report().json(),
        Kind::Csv if explored.computations.is_none() => return Err(uncounted()),
        Kind::Csv => explored.report().csv(),
        Kind::States => {
            let tree = tree(explored)?;
            let Explored { program, space, .. } = explored;
            let text = space.notation(&tree, program).map_err(Error::from)?;
            tally_vm::printable_lines(&text).into_owned()
        }
        Kind::TreeSvg => tree(explored)?.svg(title),
        Kind::TreeDot => tree(explored)?.dot(),
        Kind::DiagramSvg => diagram(arguments, explored)?.svg(title),
        Kind::Page => extras::page(arguments, explored)?,
        Kind::Schedule => schedule(arguments, explored)?,
    })
}

fn uncounted() -> Failure {
    let why = "computations were not counted (--max-computations)";
    Failure::new(Exit::Limit, why)
}

/// The report for people.
pub(super) fn report(arguments: &ExploreArguments, explored: &Explored, page: Page) -> String {
    let mut text = explored.report().text(&explored.program, page);
    extras::push_place(explored, page, &mut text);
    extras::push_variation(arguments, explored, page, &mut text);
    extras::push_processors(arguments, explored, page, &mut text);
    text
}

pub(super) fn tree(explored: &Explored) -> Result<Tree, Failure> {
    let tree = explored.space.tree(&explored.findings, &explored.program);
    tree.ok_or_else(|| {
        let why = "the states took too much memory to be kept, so there is no tree";
        Failure::new(Exit::Limit, why)
    })
}

/// The diagram of the requested computation.
pub(super) fn diagram(
    arguments: &ExploreArguments,
    explored: &Explored,
) -> Result<Diagram, Failure> {
    let Some(computations) = &explored.computations else {
        return Err(uncounted());
    };
    let number = match arguments.computation {
        Some(number) => number as usize - 1,
        None => explored.prices.deepest().unwrap_or(0),
    };
    let machine = &explored.prices.machine;
    let found = computations.diagram(number, &explored.space, machine, &explored.program);
    found.ok_or_else(|| {
        let (count, number) = (computations.len(), number + 1);
        let why = format!("there is no computation {number}; there are {count}");
        Failure::new(Exit::Usage, why)
    })
}

/// The schedule of the computation that is named. Otherwise the shortest schedule that fails, or one to the first result.
fn schedule(arguments: &ExploreArguments, explored: &mut Explored) -> Result<String, Failure> {
    let Explored {
        program,
        space,
        findings,
        computations,
        ..
    } = explored;
    let (steps, ending) = if let Some(number) = arguments.computation {
        let number = number as usize - 1;
        let all = computations.as_ref().ok_or_else(uncounted)?;
        let steps = all.schedule(number, space, program).unwrap_or_default();
        let outcome = findings.outcome_of(number);
        (
            steps,
            outcome.map_or(String::new(), |outcome| outcome.text()),
        )
    } else if let Some(failure) = findings.failures.first() {
        let ending = format!("{} fails: {}", failure.actor, failure.text);
        (failure.schedule.clone(), ending)
    } else if let Some(livelock) = &findings.livelock {
        let mut steps = livelock.stem.clone();
        steps.extend(livelock.cycle.iter().cloned());
        (steps, "a cycle".to_string())
    } else if let Some(outcome) = findings.outcomes.first() {
        let steps = space.schedule_to(outcome, program).map_err(Error::from)?;
        (steps, outcome.text())
    } else {
        let why = "no computation has ended, so there is no schedule";
        return Err(Failure::new(Exit::Nothing, why));
    };
    let schedule = Schedule {
        program: program.digest(),
        delivery: space.delivery(),
        steps,
        ending,
    };
    Ok(schedule.json())
}
