//! Every schedule of a program with processors, or with processes: the verdict, results with schedules, makespans.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use tally_presentation::page::{Page, push_title};
use tally_presentation::{Align, Layout, grouped, printable};
use tally_vm::{Outcome, Timing};
use tally_workbench::loading::Program;
use tally_workbench::schedules::{
    DataRace, Extremes, ProcessorSchedule, ScheduleEnding, ScheduleFindings, ScheduleLimit,
    ScheduleOptions, ScheduleResult, Subject, TakenSchedule, explore_schedules,
};
use tally_workbench::workers::Interrupts;

use super::options::{ByName, ExploreArguments, Format, TimingName, refuse_without_states};
use super::progress::interrupted;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The most steps of a schedule that the report shows.
const MOST_STEPS: usize = 60;
/// The most results that it shows.
const MOST_RESULTS: usize = 20;
/// The most data races that it shows.
const MOST_RACES: usize = 10;

/// What a program mentions that makes processors.
const OF_PROCESSORS: &[&str] = &["separate"];
/// What a program mentions that makes processes.
const OF_PROCESSES: &[&str] = &["fork", "newProcess"];

/// Explores the program if it makes processors or processes. None if it makes none.
pub(super) fn explore(
    arguments: &ExploreArguments,
    program: &mut Program,
) -> Result<Option<Exit>, Failure> {
    let timing = match arguments.timing {
        None | Some(TimingName::Any) => Timing::Any,
        Some(TimingName::Exact) => Timing::Exact,
    };
    if arguments.preemptions.is_none()
        && mentions(program, OF_PROCESSORS)
        && let Some(exit) = explore_as(arguments, program, Subject::Processors(timing))?
    {
        return Ok(Some(exit));
    }
    refuse_timing(arguments)?;
    let explored = match mentions(program, OF_PROCESSES) {
        true => explore_as(arguments, program, Subject::Processes)?,
        false => None,
    };
    if explored.is_none() && arguments.preemptions.is_some() {
        let why = "--preemptions is for programs with processes: `[…] fork` makes one";
        return Err(Failure::new(Exit::Usage, why));
    }
    Ok(explored)
}

fn mentions(program: &Program, words: &[&str]) -> bool {
    let mut units = program.units.iter();
    units.any(|unit| words.iter().any(|word| unit.source.contains(word)))
}

fn explore_as(
    arguments: &ExploreArguments,
    program: &mut Program,
    subject: Subject,
) -> Result<Option<Exit>, Failure> {
    let interrupts = Interrupts::noted_in(Arc::<AtomicBool>::default())?;
    let options = ScheduleOptions {
        subject,
        most_preemptions: arguments.preemptions,
        most_schedules: arguments.max_schedules,
        most_ticks: arguments.max_ticks_per_turn,
    };
    let permissions = arguments.machine.settings().permissions();
    let found = explore_schedules(program, &permissions, &options, &mut |_| !interrupts.came())?;
    interrupts.end_at_once();
    let Some(found) = found else {
        return Ok(None);
    };
    refuse_options(arguments, subject)?;
    let report = Report {
        found: &found,
        subject,
        preemptions: arguments.preemptions,
    };
    match arguments.format {
        Some(Format::Json) => output::write(&output::json(&report.document())?, None)?,
        _ => output::write(&report.text(console::results_page()), None)?,
    }
    write_schedules(arguments, program, &report)?;
    if found.is_failed() {
        return Err(Failure::silent(Exit::Failed));
    }
    match found.limit {
        None if found.is_endless() => Err(Failure::silent(Exit::Limit)),
        None => Ok(Some(Exit::Success)),
        Some(ScheduleLimit::Stopped) => Err(interrupted()),
        Some(ScheduleLimit::Schedules(_)) => Err(Failure::silent(Exit::Limit)),
    }
}

fn is_schedule(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "schedule")
}

/// Writes a schedule: of the first result that fails, or else with the largest makespan, or else the first.
fn write_schedules(
    arguments: &ExploreArguments,
    program: &Program,
    report: &Report<'_>,
) -> Result<(), Failure> {
    let results = &report.found.results;
    let of = |one: &ScheduleResult| Some((one.schedule.clone()?, one.ending));
    let longest = report.found.extremes.as_ref();
    let longest = longest.map(|extremes| (extremes.most.1.clone(), ScheduleEnding::Finished));
    let bad = results.iter().find(|one| one.is_bad()).and_then(of);
    let chosen = bad.or(longest).or_else(|| results.first().and_then(of));
    let Some((taken, end)) = chosen else {
        return Ok(());
    };
    let schedule = ProcessorSchedule {
        program: program.description(&Outcome::Finished).program,
        timing: report.timing(),
        ending: ending(end),
        most_ticks: (end == ScheduleEnding::Endless).then_some(arguments.max_ticks_per_turn),
        taken,
    };
    for file in &arguments.outputs {
        output::write(&schedule.json(), Some(file))?;
    }
    Ok(())
}

fn refuse_timing(arguments: &ExploreArguments) -> Result<(), Failure> {
    match arguments.timing {
        None => Ok(()),
        Some(_) => {
            let why = "--timing is for programs with processors: `Account separate new` makes one";
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// What is for actors only.
fn refuse_options(arguments: &ExploreArguments, subject: Subject) -> Result<(), Failure> {
    let options = [
        (arguments.delivery.is_some(), "--delivery"),
        (arguments.by != ByName::States, "--by"),
        (arguments.max_computations.is_some(), "--max-computations"),
        (arguments.no_memo, "--no-memo"),
        (
            arguments.outputs.iter().any(|file| !is_schedule(file)),
            "-o, but for *.schedule,",
        ),
    ];
    let why = match subject {
        Subject::Processors(_) => "is for programs of actors, and this one has processors",
        Subject::Processes => "is for programs of actors, and this one has processes",
    };
    refuse_without_states(arguments, &options, why)
}

struct Report<'f> {
    found: &'f ScheduleFindings,
    subject: Subject,
    /// The bound of the schedules, if there is one.
    preemptions: Option<u32>,
}

/// How a schedule ends, in words.
fn ending(ending: ScheduleEnding) -> String {
    match ending {
        ScheduleEnding::Finished => "ends".to_string(),
        ScheduleEnding::Exited(code) => format!("ends with exit code {code}"),
        ScheduleEnding::Failed => "fails".to_string(),
        ScheduleEnding::Deadlock => "deadlock".to_string(),
        ScheduleEnding::Endless => "does not end".to_string(),
    }
}

/// The output in a line, of which this number of characters is shown at most.
const MOST_SHOWN: usize = 1_000;

/// The output in a line.
fn shown(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() {
        return "(no output)".to_string();
    }
    let mut line = printable(&text.replace('\n', " | ")).into_owned();
    if let Some((end, _)) = line.char_indices().nth(MOST_SHOWN) {
        let left = line[end..].chars().count();
        line.truncate(end);
        line.push_str(&format!("… and {} more characters", grouped(left as u64)));
    }
    line
}

impl Report<'_> {
    fn timing(&self) -> Timing {
        match self.subject {
            Subject::Processors(timing) => timing,
            Subject::Processes => Timing::Any,
        }
    }

    fn verdict(&self) -> String {
        let results = &self.found.results;
        let bad = |is_wanted: fn(ScheduleEnding) -> bool| {
            let wanted = results.iter().filter(|one| is_wanted(one.ending));
            wanted.map(|one| one.schedules).sum::<u64>()
        };
        let deadlocks = bad(|ending| ending == ScheduleEnding::Deadlock);
        let failures = bad(|ending| ending == ScheduleEnding::Failed);
        let exits = bad(|ending| matches!(ending, ScheduleEnding::Exited(code) if code != 0));
        let endless = bad(|ending| ending == ScheduleEnding::Endless);
        let mut parts = Vec::new();
        if deadlocks > 0 {
            let several = "schedules end in a deadlock";
            parts.push(counted(deadlocks, "1 schedule ends in a deadlock", several));
        }
        if failures > 0 {
            parts.push(counted(failures, "1 schedule fails", "schedules fail"));
        }
        if exits > 0 {
            let (one, several) = (
                "1 schedule ends with an exit code that is not 0",
                "schedules end with exit codes that are not 0",
            );
            parts.push(counted(exits, one, several));
        }
        if endless > 0 {
            let (one, several) = (
                "1 schedule meets the limit of ticks",
                "schedules meet the limit of ticks",
            );
            parts.push(counted(endless, one, several));
        }
        match (&self.found.limit, parts.is_empty()) {
            (None, false) => format!("{}.", parts.join(", and ")),
            (Some(limit), false) => {
                let parts = parts.join(", and ");
                format!("{parts}. There may be more: {limit} ended the exploration.")
            }
            (None, true) => match self.bound() {
                None => "No schedule fails, and none ends in a deadlock.".to_string(),
                Some(bound) => {
                    format!("No schedule {bound} fails, and none of them ends in a deadlock.")
                }
            },
            (Some(limit), true) => {
                format!("Unknown: {limit} ended the exploration. No schedule failed so far.")
            }
        }
    }

    /// The bound in words.
    fn bound(&self) -> Option<String> {
        self.preemptions.map(|most| match most {
            0 => "without preemptions".to_string(),
            1 => "with at most 1 preemption".to_string(),
            many => format!("with at most {} preemptions", grouped(many.into())),
        })
    }

    fn text(&self, page: Page) -> String {
        let found = self.found;
        let mut text = page.wrapped(&format!("{}\n", self.verdict()));
        let results = match (found.results.len(), self.preemptions) {
            (1, None) => "There is one result.".to_string(),
            (1, Some(_)) => "There is at least one result.".to_string(),
            (many, None) => format!("There are {many} results."),
            (many, Some(_)) => format!("There are at least {many} results."),
        };
        text.push_str(&page.wrapped(&format!("{results}\n")));
        self.push_results(page, &mut text);
        push_title("Schedules", page, &mut text);
        let how = match self.subject {
            Subject::Processes => "whatever time each process takes",
            Subject::Processors(Timing::Any) => "whatever time each processor takes",
            Subject::Processors(Timing::Exact) => {
                "with durations in ticks: only steps of the same moment change their order"
            }
        };
        let bound = self.bound().map(|bound| format!(" {bound}"));
        let line = format!(
            "{}{}, {how}. {}. {} steps were executed.\n",
            counted(found.schedules, "1 schedule", "schedules"),
            bound.unwrap_or_default(),
            counted(
                found.redundant,
                "1 run was redundant",
                "runs were redundant"
            ),
            grouped(found.steps)
        );
        text.push_str(&page.wrapped(&line));
        if let Some(Extremes { least, most }) = &found.extremes {
            let line = match least.0 == most.0 {
                true => format!("The makespan is {} in each of them.\n", grouped(least.0)),
                false => format!("The makespan is {}.\n", span((least.0, most.0))),
            };
            text.push_str(&page.wrapped(&line));
        }
        self.push_races(page, &mut text);
        self.push_bad(page, &mut text);
        self.push_extremes(page, &mut text);
        text
    }

    /// The results, those that fail first.
    fn push_results(&self, page: Page, text: &mut String) {
        let found = self.found;
        push_title("Results", page, text);
        let is_exact = self.timing() == Timing::Exact;
        let mut layout = Layout::new(&[Align::Flexible, Align::Left, Align::Right, Align::Right]);
        layout.row([
            "result",
            "",
            "schedules",
            if is_exact { "makespan" } else { "" },
        ]);
        let (bad, good): (Vec<_>, Vec<_>) = found.results.iter().partition(|one| one.is_bad());
        for result in bad.into_iter().chain(good).take(MOST_RESULTS) {
            layout.row([
                shown(&result.output),
                ending(result.ending),
                grouped(result.schedules),
                result.makespans.map(span).unwrap_or_default(),
            ]);
        }
        text.push_str(&layout.render_on(page));
        let more = found.results.len().saturating_sub(MOST_RESULTS);
        if more > 0 {
            text.push_str(&format!("{more} more results.\n"));
        }
    }

    /// The accesses whose order nothing decides, harmless or not.
    fn push_races(&self, page: Page, text: &mut String) {
        let races = &self.found.races;
        if races.is_empty() {
            return;
        }
        push_title("Data races", page, text);
        text.push_str("Two processes use a variable, and nothing decides their order:\n");
        for race in races.iter().take(MOST_RACES) {
            let [one, other] = race.accesses.each_ref().map(|access| {
                let place = access.place.as_deref().unwrap_or("the library");
                let verb = if access.changes { "changed" } else { "read" };
                format!("{verb} in {place}")
            });
            let line = format!("- {}: {one}, {other}\n", race.variable);
            text.push_str(&page.wrapped(&line));
        }
        let more = races.len().saturating_sub(MOST_RACES);
        if more > 0 {
            text.push_str(&format!("{more} more data races.\n"));
        }
    }

    /// A schedule for each result that fails.
    fn push_bad(&self, page: Page, text: &mut String) {
        for result in self.found.results.iter().filter(|one| one.is_bad()).take(3) {
            push_title(
                &format!("A schedule that ends so: {}", ending(result.ending)),
                page,
                text,
            );
            if let Some(schedule) = &result.schedule {
                push_steps(schedule, text);
            }
            text.push_str(result.errors.trim_end());
            text.push('\n');
        }
    }

    fn push_extremes(&self, page: Page, text: &mut String) {
        let Some(Extremes { least, most }) = &self.found.extremes else {
            return;
        };
        if least.0 == most.0 {
            return;
        }
        for (word, (moment, schedule)) in [("shortest", least), ("longest", most)] {
            let title = format!("A schedule with the {word} makespan, {}", grouped(*moment));
            push_title(&title, page, text);
            push_steps(schedule, text);
        }
    }

    fn document(&self) -> Document<'_> {
        let found = self.found;
        Document {
            schema: "tally.schedules/1",
            of: match self.subject {
                Subject::Processors(_) => "processors",
                Subject::Processes => "processes",
            },
            timing: self.timing().name(),
            preemptions: self.preemptions,
            limit: found.limit.map(|limit| limit.to_string()),
            schedules: found.schedules,
            redundant: found.redundant,
            steps: found.steps,
            makespan: found
                .extremes
                .as_ref()
                .map(|extremes| [extremes.least.0, extremes.most.0]),
            races: found.races.iter().map(RaceRow::of).collect(),
            results: found
                .results
                .iter()
                .map(|one| ResultRow {
                    ending: ending(one.ending),
                    output: &one.output,
                    errors: &one.errors,
                    schedules: one.schedules,
                    makespan: one.makespans.map(|(least, most)| [least, most]),
                    schedule: one.schedule.as_ref().map_or(&[], |taken| &taken.steps),
                })
                .collect(),
        }
    }
}

fn counted(count: u64, one: &str, several: &str) -> String {
    match count {
        1 => one.to_string(),
        many => format!("{} {several}", grouped(many)),
    }
}

fn span((least, most): (u64, u64)) -> String {
    match least == most {
        true => grouped(least),
        false => format!("{} to {}", grouped(least), grouped(most)),
    }
}

fn push_steps(schedule: &TakenSchedule, text: &mut String) {
    let line = match schedule.steps.len() {
        0 => "Nothing else could have happened at any step of it.\n".to_string(),
        choices => format!(
            "{} of its {} steps, those at which something else could have happened:\n",
            grouped(choices as u64),
            grouped(schedule.choices.len() as u64)
        ),
    };
    text.push_str(&line);
    for step in schedule.steps.iter().take(MOST_STEPS) {
        text.push_str(&format!("  {step}\n"));
    }
    let more = schedule.steps.len().saturating_sub(MOST_STEPS);
    if more > 0 {
        text.push_str(&format!("  … {more} more\n"));
    }
}

#[derive(Serialize)]
struct Document<'f> {
    schema: &'static str,
    /// `processors` or `processes`.
    of: &'static str,
    timing: &'static str,
    /// The most preemptions of the schedules; absent if there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    /// Why there may be more schedules; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    schedules: u64,
    redundant: u64,
    steps: u64,
    /// The smallest and the largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    makespan: Option<[u64; 2]>,
    /// What processes access in an order that nothing decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    races: Vec<RaceRow<'f>>,
    results: Vec<ResultRow<'f>>,
}

#[derive(Serialize)]
struct RaceRow<'f> {
    variable: &'f str,
    accesses: [AccessRow<'f>; 2],
}

impl RaceRow<'_> {
    fn of(race: &DataRace) -> RaceRow<'_> {
        RaceRow {
            variable: &race.variable,
            accesses: race.accesses.each_ref().map(|access| AccessRow {
                changes: access.changes,
                place: access.place.as_deref(),
            }),
        }
    }
}

#[derive(Serialize)]
struct AccessRow<'f> {
    changes: bool,
    place: Option<&'f str>,
}

#[derive(Serialize)]
struct ResultRow<'f> {
    ending: String,
    output: &'f str,
    errors: &'f str,
    schedules: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    makespan: Option<[u64; 2]>,
    schedule: &'f [String],
}
