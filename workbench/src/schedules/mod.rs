//! Every schedule of a program with processors or processes. Copies of the machine that has loaded it run, each under another order of what these do.

mod file;

pub use file::{ProcessorSchedule, ScheduleFile};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tally_vm::{GuidedRun, Limit, Outcome, SlotKind, Timing, Vm};

use crate::error::Error;
use crate::loading::{self, Program};
use crate::outside::kept::Kept;
use crate::outside::permissions::Permissions;
pub use crate::searching::Subject;
use crate::searching::{Race, Search};

/// The most steps of a schedule that are kept in words.
const MOST_STEPS: usize = 10_000;
/// The results whose schedules are kept.
const MOST_SCHEDULES: usize = 1_000;
/// The most preemptions of schedules among which a short one is looked for, and how many of these are executed.
const SHORT_PREEMPTIONS: u32 = 3;
const SHORT_SCHEDULES: u64 = 200;

/// How to explore.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// Whose schedules they are.
    pub subject: Subject,
    /// The most preemptions of a schedule of processes, if there is a bound: steps at which a process goes on although the one before could, and has not
    /// given up its turn.
    pub most_preemptions: Option<u32>,
    /// The most schedules that are executed to their ends.
    pub most_schedules: u64,
    /// The most ticks of a run.
    pub most_ticks: u64,
}

/// How a schedule ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScheduleEnding {
    /// The program came to its end.
    Finished,
    /// The program ended itself with this exit code.
    Exited(u8),
    /// An error ended it.
    Failed,
    /// Processors wait for each other, or for nothing that comes.
    Deadlock,
    /// It executes more ticks than it may.
    Endless,
}

/// What some schedules write, and how they end. Results of processes also differ in the messages of their errors.
#[derive(Clone, Debug)]
pub struct ScheduleResult {
    /// How they end.
    pub ending: ScheduleEnding,
    /// What they write to standard output.
    pub output: String,
    /// What one of them writes to standard error, the one whose schedule is kept.
    pub errors: String,
    /// How many of them there are.
    pub schedules: u64,
    /// The shortest and the longest, in ticks, if time is exact.
    pub makespans: Option<(u64, u64)>,
    /// The one of the schedules that changes the processor least often, and has fewest preemptions if it fails. Only those of the first 1,000 results are kept.
    pub schedule: Option<TakenSchedule>,
}

/// By what results differ.
type Key = (ScheduleEnding, String, String);

impl ScheduleResult {
    /// By what it differs from others. What processors say of a deadlock depends on the schedule.
    fn key(&self, subject: Subject) -> Key {
        let failures = match subject {
            Subject::Processes => messages(&self.errors),
            Subject::Processors(_) => String::new(),
        };
        (self.ending, self.output.clone(), failures)
    }

    /// Whether they fail, end in a deadlock, do not end, or end with an exit code other than 0.
    pub fn is_bad(&self) -> bool {
        !matches!(
            self.ending,
            ScheduleEnding::Finished | ScheduleEnding::Exited(0)
        )
    }
}

/// The steps of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenSchedule {
    /// Whose steps they are: paths of processors, behind which 0 and another path stand if what that one has sent reaches the other one.
    pub choices: Vec<Vec<u32>>,
    /// The variables that several processes use, if they are of processes: their steps end before these.
    pub shared: Option<Vec<SlotKind>>,
    /// The steps in words at which others could have gone on, at most 10,000.
    pub steps: Vec<String>,
}

/// How often the path of a step is another one than that of the step before.
fn changes<'p>(paths: impl Iterator<Item = &'p [u32]> + Clone) -> usize {
    let pairs = paths.clone().zip(paths.skip(1));
    pairs.filter(|(one, next)| one != next).count()
}

/// What all schedules do.
#[derive(Clone, Debug, Default)]
pub struct ScheduleFindings {
    /// In the order in which they were found first.
    pub results: Vec<ScheduleResult>,
    /// Schedules that were executed to their ends. No two of them differ only in the order of independent steps.
    pub schedules: u64,
    /// Runs that were given up, because all of their continuations were known.
    pub redundant: u64,
    /// Steps of all runs.
    pub steps: u64,
    /// The smallest and the largest makespan, with a schedule for each, if time is exact.
    pub extremes: Option<Extremes>,
    /// Accesses of processes whose order nothing decides.
    pub races: Vec<DataRace>,
    /// Why there may be more, if that is so.
    pub limit: Option<ScheduleLimit>,
}

/// Two processes access a variable, and one of them changes it. Nothing decides their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRace {
    /// The variable in words.
    pub variable: String,
    /// The two accesses.
    pub accesses: [DataAccess; 2],
}

/// An access of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataAccess {
    /// Whether it changes the variable.
    pub changes: bool,
    /// The method, and file, line and column in parentheses. Absent if no code of the program is under way.
    pub place: Option<String>,
}

impl DataRace {
    fn of((kind, accesses): &Race, vm: &Vm) -> DataRace {
        let variable = vm.text_of_kind(*kind);
        let accesses = accesses.map(|(place, changes)| DataAccess {
            changes,
            place: place.map(|place| vm.text_of_place(place)),
        });
        DataRace { variable, accesses }
    }
}

/// Makespans in ticks, with schedules.
#[derive(Clone, Debug)]
pub struct Extremes {
    /// The smallest.
    pub least: (u64, TakenSchedule),
    /// The largest.
    pub most: (u64, TakenSchedule),
}

/// What has ended an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleLimit {
    /// This number of schedules was executed.
    Schedules(u64),
    /// Who watches did not want to go on.
    Stopped,
}

impl fmt::Display for ScheduleLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleLimit::Schedules(most) => write!(f, "the limit of {most} schedules"),
            ScheduleLimit::Stopped => f.write_str("an interrupt"),
        }
    }
}

impl ScheduleFindings {
    /// Whether a schedule fails, ends in a deadlock, or ends with an exit code other than 0.
    pub fn is_failed(&self) -> bool {
        let mut bad = self.results.iter().filter(|one| one.is_bad());
        bad.any(|one| one.ending != ScheduleEnding::Endless)
    }

    /// Whether a schedule executes more ticks than it may.
    pub fn is_endless(&self) -> bool {
        let mut results = self.results.iter();
        results.any(|one| one.ending == ScheduleEnding::Endless)
    }
}

impl TakenSchedule {
    /// The schedule of a run. The machine knows the names of what it did.
    pub(crate) fn of(run: &GuidedRun, vm: &Vm) -> TakenSchedule {
        let choices = run.taken.iter().map(|(step, _)| step.path.to_vec());
        let steps = run.taken.iter().filter(|(_, is_choice)| *is_choice);
        let steps = steps.take(MOST_STEPS);
        TakenSchedule {
            choices: choices.collect(),
            shared: run.shared.clone(),
            steps: steps.map(|(step, _)| vm.text_of_step(step)).collect(),
        }
    }
}

/// A run of one schedule, and the machine behind it.
struct Ran {
    vm: Vm,
    outcome: Outcome,
    kept: Kept,
    run: GuidedRun,
}

/// Executes every schedule of the program, which has been loaded and has not run. `watch` gets their number so far; it answers whether
/// to go on. None if the program made no processor, or no process: then nothing but one run was tried.
///
/// # Errors
///
/// A schedule meets a limit, or uses what no schedule decides.
pub fn explore_schedules(
    program: &mut Program,
    permissions: &Permissions,
    options: &ScheduleOptions,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<ScheduleFindings>, Error> {
    let mut found = explored(program, permissions, options, watch)?;
    if let Some(found) = &mut found
        && found.limit != Some(ScheduleLimit::Stopped)
    {
        shorten(program, permissions, options, watch, found)?;
    }
    Ok(found)
}

/// Gives results of processes that fail a schedule with as few preemptions as there can be, if few are enough.
///
/// # Errors
///
/// Those of [`explore_schedules`].
fn shorten(
    program: &mut Program,
    permissions: &Permissions,
    options: &ScheduleOptions,
    watch: &mut dyn FnMut(u64) -> bool,
    found: &mut ScheduleFindings,
) -> Result<(), Error> {
    let mut long = BTreeMap::new();
    if (options.subject, options.most_preemptions) == (Subject::Processes, None) {
        let bad = found.results.iter_mut().filter(|one| one.is_bad());
        let bad = bad.filter(|one| one.ending != ScheduleEnding::Endless);
        long.extend(bad.map(|one| (one.key(options.subject), one)));
    }
    for preemptions in 0..=SHORT_PREEMPTIONS {
        if long.is_empty() {
            break;
        }
        let within = ScheduleOptions {
            most_preemptions: Some(preemptions),
            most_schedules: SHORT_SCHEDULES,
            ..options.clone()
        };
        let Some(short) = explored(program, permissions, &within, watch)? else {
            break;
        };
        for result in short.results {
            if let Some(one) = long.remove(&result.key(options.subject)) {
                (one.schedule, one.errors) = (result.schedule, result.errors);
            }
        }
        if short.limit == Some(ScheduleLimit::Stopped) {
            break;
        }
    }
    Ok(())
}

/// The same without short schedules.
fn explored(
    program: &mut Program,
    permissions: &Permissions,
    options: &ScheduleOptions,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<ScheduleFindings>, Error> {
    let search = Search::new(options.subject, options.most_preemptions);
    let mut found = Found::default();
    loop {
        let Some(ran) = run(program, permissions, options, &search)? else {
            return Ok(None);
        };
        if ran.run.is_new_start {
            found = Found::default();
            continue;
        }
        if ran.run.is_whole {
            found.add(&ran, options.subject)?;
        }
        let has_more = ran.run.has_more;
        let findings = &mut found.findings;
        let counts = search.counts();
        findings.schedules = counts.schedules;
        findings.redundant = counts.redundant;
        findings.steps = counts.steps;
        if has_more && findings.schedules >= options.most_schedules {
            findings.limit = Some(ScheduleLimit::Schedules(options.most_schedules));
        } else if has_more && !watch(findings.schedules) {
            findings.limit = Some(ScheduleLimit::Stopped);
        }
        if !has_more || findings.limit.is_some() {
            let races = search.races();
            findings.races = races
                .iter()
                .map(|race| DataRace::of(race, &ran.vm))
                .collect();
            findings.races.dedup();
            return Ok(Some(found.findings));
        }
    }
}

/// A run of the next schedule; none if it makes no processors.
fn run(
    program: &mut Program,
    permissions: &Permissions,
    options: &ScheduleOptions,
    search: &Search,
) -> Result<Option<Ran>, Error> {
    let (keeper, host) = Kept::host(permissions, &Arc::default());
    let mut vm = program.vm.fork(Box::new(host));
    search.begin_run(&mut vm);
    vm.limit_ticks(options.most_ticks);
    let units = &program.package_units;
    let outcome = units.run(&mut vm, &program.units, &mut |_| {});
    let is_about = match options.subject {
        Subject::Processors(_) => vm.has_processors(),
        // Programs that have actors as well are explored as such, which refuses processes.
        Subject::Processes => vm.has_watched_processes() && !vm.has_actors(),
    };
    if !is_about {
        return match outcome {
            Outcome::Limit(_) => loading::ended(&outcome).map(|()| None),
            _ => Ok(None),
        };
    }
    let run = search.finish_run(&mut vm)?;
    Ok(Some(Ran {
        vm,
        outcome,
        kept: keeper.take(),
        run,
    }))
}

impl Ran {
    fn ending(&self) -> Result<ScheduleEnding, Error> {
        match &self.outcome {
            Outcome::Finished => Ok(ScheduleEnding::Finished),
            Outcome::Exited(code) => Ok(ScheduleEnding::Exited(*code)),
            Outcome::Deadlock => Ok(ScheduleEnding::Deadlock),
            Outcome::Failed => Ok(ScheduleEnding::Failed),
            Outcome::Limit(Limit::Ticks) => Ok(ScheduleEnding::Endless),
            other => loading::ended(other).map(|()| ScheduleEnding::Failed),
        }
    }

    fn text(&self, is_wanted_output: bool) -> String {
        let pieces = self.kept.pieces();
        let pieces = pieces.filter(|(is_output, _)| *is_output == is_wanted_output);
        pieces.map(|(_, text)| text.into_owned()).collect()
    }

    fn schedule(&self) -> TakenSchedule {
        TakenSchedule::of(&self.run, &self.vm)
    }
}

/// The messages of errors, without their places.
fn messages(errors: &str) -> String {
    let lines = errors.lines();
    let messages: Vec<&str> = lines.filter(|line| line.starts_with("error: ")).collect();
    messages.join("\n")
}

/// What was found so far, and the places of results.
#[derive(Default)]
struct Found {
    findings: ScheduleFindings,
    places: BTreeMap<Key, usize>,
}

impl Found {
    fn add(&mut self, ran: &Ran, subject: Subject) -> Result<(), Error> {
        let results = &mut self.findings.results;
        let mut new = ScheduleResult {
            ending: ran.ending()?,
            output: ran.text(true),
            errors: ran.text(false),
            schedules: 0,
            makespans: None,
            schedule: None,
        };
        let place = *self.places.entry(new.key(subject)).or_insert(results.len());
        if place == results.len() {
            new.schedule = (place < MOST_SCHEDULES).then(|| ran.schedule());
            results.push(new);
        }
        let result = &mut results[place];
        if let Some(kept) = &mut result.schedule
            && changes(ran.run.taken.iter().map(|(step, _)| &*step.path))
                < changes(kept.choices.iter().map(Vec::as_slice))
        {
            *kept = ran.schedule();
            result.errors = ran.text(false);
        }
        result.schedules += 1;
        if subject == Subject::Processors(Timing::Exact) {
            let moment = ran.vm.last_moment();
            let (least, most) = result.makespans.unwrap_or((moment, moment));
            result.makespans = Some((least.min(moment), most.max(moment)));
            self.add_makespan(moment, ran);
        }
        Ok(())
    }

    fn add_makespan(&mut self, moment: u64, ran: &Ran) {
        let extremes = self.findings.extremes.get_or_insert_with(|| Extremes {
            least: (moment, ran.schedule()),
            most: (moment, ran.schedule()),
        });
        if moment < extremes.least.0 {
            extremes.least = (moment, ran.schedule());
        }
        if moment > extremes.most.0 {
            extremes.most = (moment, ran.schedule());
        }
    }
}
