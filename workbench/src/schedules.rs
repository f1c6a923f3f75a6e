//! Every schedule of a program with processors. Copies of the machine that has loaded it run, each under another order of what processors do.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tally_explore::{Footprint, Schedules, Thread};
use tally_vm::{
    GuideProblem, MODEL_VERSION, Outcome, StepCandidate, StepGuide, Timing, Touched, Vm,
};

use crate::error::{Error, ErrorKind};
use crate::loading::{self, Program};
use crate::outside::kept::Kept;
use crate::outside::permissions::Permissions;

/// The most steps of a schedule that are kept in words.
const MOST_STEPS: usize = 10_000;

/// How to explore.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// What decides how far processors come before others.
    pub timing: Timing,
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
}

/// What some schedules write, and how they end.
#[derive(Clone, Debug)]
pub struct ScheduleResult {
    /// How they end.
    pub ending: ScheduleEnding,
    /// What they write to standard output.
    pub output: String,
    /// What the first of them writes to standard error.
    pub errors: String,
    /// How many of them there are.
    pub schedules: u64,
    /// The shortest and the longest, in ticks, if time is exact.
    pub makespans: Option<(u64, u64)>,
    /// The first of the schedules.
    pub schedule: TakenSchedule,
}

/// The steps of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenSchedule {
    /// The processors that were chosen where several could go on, by their paths.
    pub choices: Vec<Vec<u32>>,
    /// Those steps in words, at most 10,000.
    pub steps: Vec<String>,
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
    /// Schedules with the smallest and the largest makespan, and these, if time is exact.
    pub extremes: Option<[(u64, TakenSchedule); 2]>,
    /// Why there may be more, if that is so.
    pub limit: Option<String>,
}

/// The format of files with schedules of processors, and its version.
const SCHEMA: &str = "tally.processor-schedule/1";

/// A schedule of processors as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessorSchedule {
    schema: String,
    model: u32,
    /// A digest of the program's source texts, in 16 hexadecimal digits.
    program: String,
    timing: String,
    ending: String,
    /// The processors that go on where several could, by their paths.
    choices: Vec<Vec<u32>>,
    /// The same in words.
    steps: Vec<String>,
}

impl ProcessorSchedule {
    /// The schedule of a program with this digest.
    pub fn new(
        program: u64,
        timing: Timing,
        ending: &str,
        taken: &TakenSchedule,
    ) -> ProcessorSchedule {
        ProcessorSchedule {
            schema: SCHEMA.to_string(),
            model: MODEL_VERSION,
            program: format!("{program:016x}"),
            timing: timing_name(timing).to_string(),
            ending: ending.to_string(),
            choices: taken.choices.clone(),
            steps: taken.steps.clone(),
        }
    }

    /// The schedule as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Whether the text claims to be a schedule of processors.
    pub fn is_one(text: &str) -> bool {
        text.contains("\"tally.processor-schedule/")
    }

    /// The schedule in a text.
    ///
    /// # Errors
    ///
    /// The text, named `name`, is no schedule.
    pub fn read(text: &str, name: &str) -> Result<ProcessorSchedule, Error> {
        let broken =
            |why: String| Error::new(ErrorKind::Usage, format!("{name} is no schedule: {why}"));
        let found: ProcessorSchedule =
            serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        if found.schema != SCHEMA {
            let why = format!("its schema is {}, and {SCHEMA} is known", found.schema);
            return Err(broken(why));
        }
        if found.model != MODEL_VERSION {
            let made = found.model;
            let why =
                format!("{name} was made with model {made}, and this is model {MODEL_VERSION}");
            return Err(Error::new(ErrorKind::Incomparable, why));
        }
        if !["any", "exact"].contains(&found.timing.as_str()) {
            return Err(broken(format!("there is no timing {}", found.timing)));
        }
        Ok(found)
    }

    /// Whether it is one of the program with this digest.
    pub fn is_of(&self, program: u64) -> bool {
        self.program == format!("{program:016x}")
    }

    /// Lets the machine follow it.
    pub fn guide(&self, vm: &mut Vm) {
        let timing = match self.timing.as_str() {
            "exact" => Timing::Exact,
            _ => Timing::Any,
        };
        let follower = Follower {
            choices: self.choices.clone().into(),
            impossible: None,
        };
        vm.guide_processors(timing, Arc::new(Mutex::new(follower)));
    }
}

/// The name of a timing on command lines and in files.
pub fn timing_name(timing: Timing) -> &'static str {
    match timing {
        Timing::Any => "any",
        Timing::Exact => "exact",
    }
}

/// Follows a schedule. Behind its end the first candidate goes on.
struct Follower {
    choices: VecDeque<Vec<u32>>,
    impossible: Option<String>,
}

impl StepGuide for Follower {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        if candidates.len() < 2 {
            return Some(0);
        }
        let Some(wanted) = self.choices.pop_front() else {
            return Some(0);
        };
        let place = candidates.iter().position(|one| *one.path == *wanted);
        if place.is_none() {
            let parts: Vec<String> = wanted.iter().map(u32::to_string).collect();
            self.impossible = Some(match parts.is_empty() {
                true => "script".to_string(),
                false => format!("#{}", parts.join(".")),
            });
        }
        place
    }

    fn touched(&mut self, _: &[(Touched, Arc<[u32]>)]) {}

    fn problem(&self) -> Option<GuideProblem> {
        match (&self.impossible, self.choices.len()) {
            (Some(name), _) => Some(GuideProblem::Impossible(name.clone())),
            (None, 0) => None,
            (None, left) => Some(GuideProblem::Unused(left)),
        }
    }
}

impl ScheduleFindings {
    /// Whether a schedule fails or ends in a deadlock.
    pub fn is_failed(&self) -> bool {
        let mut results = self.results.iter();
        results.any(|one| {
            matches!(
                one.ending,
                ScheduleEnding::Failed | ScheduleEnding::Deadlock
            )
        })
    }
}

/// The search as the guide of a machine.
struct Guide {
    schedules: Schedules,
    timing: Timing,
    numbers: HashMap<Arc<[u32]>, u32>,
    paths: Vec<Arc<[u32]>>,
    /// The steps of the run, from the states on in which several processors could go on.
    taken: Vec<StepCandidate>,
}

impl Guide {
    fn number(&mut self, path: &Arc<[u32]>) -> u32 {
        let next = self.paths.len() as u32;
        let number = *self.numbers.entry(Arc::clone(path)).or_insert(next);
        if number == next {
            self.paths.push(Arc::clone(path));
        }
        number
    }
}

impl StepGuide for Guide {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        let threads: Vec<Thread> = candidates
            .iter()
            .map(|one| self.number(&one.path))
            .collect();
        let moment = match self.timing {
            Timing::Any => 0,
            Timing::Exact => candidates
                .first()
                .map_or(0, |one| one.moment.0 << 3 | u64::from(one.moment.1)),
        };
        let chosen = self.schedules.choose(&threads, moment)?;
        let place = threads.iter().position(|thread| *thread == chosen)?;
        if candidates.len() > 1 {
            self.taken.push(candidates[place].clone());
        }
        Some(place)
    }

    fn touched(&mut self, things: &[(Touched, Arc<[u32]>)]) {
        /// Kinds of things of a processor have numbers of their own.
        const KINDS: u32 = 8;
        let mut footprint = Footprint::default();
        for (what, path) in things {
            let number = self.number(path) * KINDS + *what as u32;
            match what.is_open() {
                true => footprint.racing.push(number),
                false => footprint.ordering.push(number),
            }
        }
        self.schedules.did(footprint);
    }
}

/// A run of one schedule.
struct Ran {
    ending: ScheduleEnding,
    output: String,
    errors: String,
    moment: u64,
    schedule: TakenSchedule,
}

/// Executes every schedule of the program, which has been loaded and has not run. `watch` gets their number so far; it answers whether
/// to go on. None if the program made no processor: then nothing but one run was tried.
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
    let guide = Arc::new(Mutex::new(Guide {
        schedules: Schedules::new(),
        timing: options.timing,
        numbers: HashMap::new(),
        paths: Vec::new(),
        taken: Vec::new(),
    }));
    let mut findings = ScheduleFindings::default();
    let mut places: BTreeMap<(ScheduleEnding, String), usize> = BTreeMap::new();
    loop {
        let ran = run(program, permissions, options, &guide)?;
        let mut guide = guide.lock().unwrap_or_else(PoisonError::into_inner);
        match ran {
            None => return Ok(None),
            Some(ran) if !guide.schedules.is_abandoned() => {
                add(&mut findings, &mut places, ran, options.timing);
            }
            Some(_) => {}
        }
        let has_more = guide.schedules.end_run();
        findings.schedules = guide.schedules.traces();
        findings.redundant = guide.schedules.redundant();
        findings.steps = guide.schedules.executed();
        if guide.schedules.is_confused() {
            let why = "two runs with the same order of steps differ: something decides that is no choice of a schedule, as clocks, random numbers or files do";
            return Err(Error::new(ErrorKind::Nondeterministic, why));
        }
        if !has_more {
            return Ok(Some(findings));
        }
        if findings.schedules >= options.most_schedules {
            findings.limit = Some(format!("the limit of {} schedules", options.most_schedules));
            return Ok(Some(findings));
        }
        if !watch(findings.schedules) {
            findings.limit = Some("an interrupt".to_string());
            return Ok(Some(findings));
        }
    }
}

fn run(
    program: &mut Program,
    permissions: &Permissions,
    options: &ScheduleOptions,
    guide: &Arc<Mutex<Guide>>,
) -> Result<Option<Ran>, Error> {
    guide
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .taken
        .clear();
    let (keeper, host) = Kept::host(permissions, &Arc::default());
    let mut vm = program.vm.fork(Box::new(host));
    let shared: Arc<Mutex<dyn StepGuide>> = Arc::clone(guide) as Arc<Mutex<dyn StepGuide>>;
    vm.guide_processors(options.timing, shared);
    vm.limit_ticks(options.most_ticks);
    let outcome = program
        .package_units
        .run(&mut vm, &program.units, &mut |_| {});
    vm.end_guided();
    if !vm.has_processors() {
        return Ok(None);
    }
    let mut locked = guide.lock().unwrap_or_else(PoisonError::into_inner);
    let moment = vm.last_moment();
    let taken = std::mem::take(&mut locked.taken);
    if options.timing == Timing::Any && vm.has_read_clock() {
        let why =
            "the program reads a clock, so its durations are not open: --timing exact explores it";
        return Err(Error::new(ErrorKind::Nondeterministic, why));
    }
    let kept = keeper.take();
    let text = |wanted: bool| -> String {
        let pieces = kept.pieces().filter(|(is_output, _)| *is_output == wanted);
        pieces.map(|(_, text)| text.into_owned()).collect()
    };
    let ending = match outcome {
        _ if locked.schedules.is_abandoned() => ScheduleEnding::Finished,
        Outcome::Finished => ScheduleEnding::Finished,
        Outcome::Exited(code) => ScheduleEnding::Exited(code),
        Outcome::Failed => ScheduleEnding::Failed,
        Outcome::Deadlock => ScheduleEnding::Deadlock,
        other => {
            loading::ended(&other)?;
            ScheduleEnding::Failed
        }
    };
    let steps = taken.iter().take(MOST_STEPS);
    let steps = steps.map(|step| vm.text_of_step(step));
    Ok(Some(Ran {
        ending,
        output: text(true),
        errors: text(false),
        moment,
        schedule: TakenSchedule {
            steps: steps.collect(),
            choices: taken.iter().map(|step| step.path.to_vec()).collect(),
        },
    }))
}

fn add(
    findings: &mut ScheduleFindings,
    places: &mut BTreeMap<(ScheduleEnding, String), usize>,
    ran: Ran,
    timing: Timing,
) {
    let makespan = (timing == Timing::Exact).then_some(ran.moment);
    if let Some(moment) = makespan {
        let extremes = findings.extremes.get_or_insert_with(|| {
            [
                (moment, ran.schedule.clone()),
                (moment, ran.schedule.clone()),
            ]
        });
        if moment < extremes[0].0 {
            extremes[0] = (moment, ran.schedule.clone());
        }
        if moment > extremes[1].0 {
            extremes[1] = (moment, ran.schedule.clone());
        }
    }
    let key = (ran.ending, ran.output);
    let place = *places.entry(key.clone()).or_insert(findings.results.len());
    if place == findings.results.len() {
        findings.results.push(ScheduleResult {
            ending: key.0,
            output: key.1,
            errors: ran.errors,
            schedules: 0,
            makespans: None,
            schedule: ran.schedule,
        });
    }
    let result = &mut findings.results[place];
    result.schedules += 1;
    if let Some(moment) = makespan {
        let (least, most) = result.makespans.unwrap_or((moment, moment));
        result.makespans = Some((least.min(moment), most.max(moment)));
    }
}
