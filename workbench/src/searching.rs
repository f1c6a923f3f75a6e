//! The search for every schedule of processors or processes as the guide of machines.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tally_explore::{Footprint, Schedules, Thread};
use tally_vm::{
    GuidedRun, MethodId, ScheduleSearch, ScheduleSearcher, SlotKind, StepCandidate, StepDone,
    StepGuide, StepKind, Timing, Touch, Touched, Vm, Wish,
};

use crate::error::{Error, ErrorKind};

/// The search as the guide of a machine.
struct Guide {
    schedules: Schedules,
    subject: Subject,
    /// Numbers of threads, by the paths of their steps.
    threads: HashMap<Arc<[u32]>, Thread>,
    /// Numbers of what steps compete for.
    things: HashMap<(Touched, Arc<[u32]>), u32>,
    /// The steps of the run, and whether others could go on.
    taken: Vec<(StepCandidate, bool)>,
    wishes: Wishes,
    /// Variables that several processes use.
    shared: HashSet<SlotKind>,
    /// The kinds of those of the things that are variables.
    kinds: HashMap<u32, SlotKind>,
    /// Races of all runs.
    races: BTreeSet<Race>,
}

/// An access of a variable: where it is, and whether it changes the variable.
pub(crate) type RacingAccess = (Option<(MethodId, u32)>, bool);

/// Accesses of a variable of this kind by two processes, of which one changes it, in an order that nothing decides. The smaller one is the first.
pub(crate) type Race = (SlotKind, [RacingAccess; 2]);

/// The most steps of a schedule of processes.
const MOST_STEPS: u32 = 50_000;

/// The most races that are kept.
const MOST_RACES: usize = 1_000;

/// How locks are wanted.
#[derive(Default)]
struct Wishes {
    /// By some for whom the moment from which on they want it can matter.
    in_time: HashSet<Arc<[u32]>>,
    /// Together with others.
    combined: HashSet<Arc<[u32]>>,
    /// Whether the run has shown more than was known.
    have_changed: bool,
}

/// The access of a variable, if the touch is one.
fn access(touch: &Touch) -> Option<(SlotKind, bool)> {
    match (touch.what, &*touch.path) {
        (Touched::Slot, &[.., class, slot]) => Some(((class, slot), touch.changes)),
        _ => None,
    }
}

/// The number of a key, which is the next one if it has none.
fn number<K: Eq + Hash>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}

impl StepGuide for Guide {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        let numbered = candidates
            .iter()
            .map(|one| number(&mut self.threads, Arc::clone(&one.path)));
        let threads: Vec<Thread> = numbered.collect();
        let of = |is_wanted: fn(&StepCandidate) -> bool| -> Vec<Thread> {
            let all = threads.iter().zip(candidates);
            let those = all.filter(|(_, one)| is_wanted(one));
            those.map(|(thread, _)| *thread).collect()
        };
        let mut able = of(|one| !one.is_held_off && one.kind != StepKind::Ends);
        let mut held_off = of(|one| one.is_held_off);
        let ends = of(|one| one.kind == StepKind::Ends);
        let is_at_end = able.is_empty() && held_off.is_empty();
        if able.is_empty() && !ends.is_empty() {
            // Those that wait for ever do so before the run ends.
            able = std::mem::take(&mut held_off);
        }
        able.extend(&ends);
        if self.schedules.is_bounded() {
            self.put_last_first(&mut able, &threads, candidates);
        }
        let moment = match self.subject {
            Subject::Processors(Timing::Any) | Subject::Processes => None,
            Subject::Processors(Timing::Exact) => candidates.first().map(|one| one.moment),
        };
        let thread = self.schedules.choose(&able, &held_off, &ends, moment)?;
        let place = threads.iter().position(|one| *one == thread)?;
        let is_control = |one: &StepCandidate| one.kind == StepKind::Controls;
        if is_at_end || candidates.get(place).is_some_and(is_control) {
            // Each of them keeps the others from ending the run. And who is kept from going on never shows for what it competes.
            self.schedules.try_all();
        }
        let possible = if able.is_empty() { &held_off } else { &able };
        let taken = candidates.get(place).cloned();
        self.taken
            .extend(taken.map(|step| (step, possible.len() > 1)));
        Some(place)
    }

    fn did(&mut self, step: &StepDone) {
        let mut footprint = Footprint {
            follows: step.follows.clone(),
            ..Footprint::default()
        };
        for path in &step.signals {
            let thing = number(&mut self.things, (Touched::Lock, Arc::clone(path)));
            footprint.signals.push(thing);
        }
        for (path, begin) in &step.takes {
            let thing = number(&mut self.things, (Touched::Lock, Arc::clone(path)));
            footprint.takes.push((thing, *begin));
        }
        if let Some((taken, _)) = self.taken.last_mut() {
            taken.access = step.touched.iter().find_map(access);
        }
        for touch in &step.touched {
            let thing = number(&mut self.things, (touch.what, Arc::clone(&touch.path)));
            if let Some((kind, _)) = access(touch) {
                self.kinds.insert(thing, kind);
            }
            match touch.changes {
                true => {
                    footprint.changes.push(thing);
                    if step.can_be_held_off && touch.what == Touched::Lock {
                        footprint.held_off_by.push(thing);
                    }
                }
                false => footprint.reads.push(thing),
            }
        }
        self.schedules.did(footprint);
    }

    fn shared(&self) -> Vec<SlotKind> {
        self.shared.iter().copied().collect()
    }

    fn most_steps(&self) -> Option<u32> {
        Some(MOST_STEPS)
    }

    fn shares(&mut self, kind: SlotKind) {
        self.wishes.have_changed |= self.shared.insert(kind);
    }

    fn holds_off(&self, suppliers: &[Arc<[u32]>]) -> bool {
        let Wishes {
            in_time, combined, ..
        } = &self.wishes;
        // If a lock is wanted both ways, the moment matters to all.
        in_time.is_disjoint(combined) && !suppliers.iter().any(|path| in_time.contains(path))
    }

    fn wants(&mut self, supplier: &Arc<[u32]>, wish: Wish) {
        let wishes = &mut self.wishes;
        let wanted = match wish {
            Wish::InTime => &mut wishes.in_time,
            Wish::Combined => &mut wishes.combined,
        };
        wishes.have_changed |= wanted.insert(Arc::clone(supplier));
    }
}

/// The guide, of which a machine has a reference during its run.
type SharedGuide = Arc<Mutex<Guide>>;

/// A search for every schedule of what can be run again and again.
pub(crate) struct Search {
    guide: SharedGuide,
    subject: Subject,
}

/// Whose schedules are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Processors, of which this decides how far they come before others.
    Processors(Timing),
    /// Processes.
    Processes,
}

/// What the runs of a search were.
pub(crate) struct SearchCounts {
    /// Those that were executed to their ends.
    pub(crate) schedules: u64,
    /// Those that were given up.
    pub(crate) redundant: u64,
    /// The steps of all.
    pub(crate) steps: u64,
}

impl Search {
    pub(crate) fn new(subject: Subject, most_preemptions: Option<u32>) -> Search {
        let guide = Guide {
            schedules: most_preemptions.map_or_else(Schedules::new, Schedules::within),
            subject,
            threads: HashMap::new(),
            things: HashMap::new(),
            taken: Vec::new(),
            wishes: Wishes::default(),
            shared: HashSet::new(),
            kinds: HashMap::new(),
            races: BTreeSet::new(),
        };
        Search {
            guide: Arc::new(Mutex::new(guide)),
            subject,
        }
    }

    fn unlocked(&self) -> MutexGuard<'_, Guide> {
        self.guide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose schedules it finds.
    pub(crate) fn subject(&self) -> Subject {
        self.subject
    }

    /// Lets the machine execute the next schedule.
    pub(crate) fn begin_run(&self, vm: &mut Vm) {
        let guide = Arc::clone(&self.guide) as _;
        match self.subject {
            Subject::Processors(timing) => vm.guide_processors(timing, guide),
            Subject::Processes => vm.guide_processes(guide),
        }
    }

    /// The machine has run.
    ///
    /// # Errors
    ///
    /// It has used what no schedule decides.
    pub(crate) fn finish_run(&self, vm: &mut Vm) -> Result<GuidedRun, Error> {
        vm.end_guided();
        vm.end_watched();
        let refused = match self.subject {
            Subject::Processors(Timing::Exact) => None,
            Subject::Processors(Timing::Any) => Some(
                "the program reads a clock, so its durations are not open: --timing exact explores it",
            ),
            Subject::Processes => Some("the program reads a clock, so its durations are not open"),
        };
        if let Some(why) = refused.filter(|_| vm.has_read_clock()) {
            return Err(Error::new(ErrorKind::Nondeterministic, why));
        }
        if let Some(what) = vm.refused_while_watched() {
            let why = format!("the program cannot be explored: {what}");
            return Err(Error::new(ErrorKind::Nondeterministic, why));
        }
        let run = self.unlocked().end_run();
        run.map_err(|why| Error::new(ErrorKind::Nondeterministic, why))
    }

    /// The races of its runs.
    pub(crate) fn races(&self) -> Vec<Race> {
        self.unlocked().races.iter().copied().collect()
    }

    /// What its runs were.
    pub(crate) fn counts(&self) -> SearchCounts {
        let schedules = &self.unlocked().schedules;
        SearchCounts {
            schedules: schedules.traces(),
            redundant: schedules.redundant(),
            steps: schedules.executed(),
        }
    }
}

/// Searches schedules for assertions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScheduleSearches;

impl ScheduleSearcher for ScheduleSearches {
    fn begin(&self, timing: Timing) -> Box<dyn ScheduleSearch> {
        Box::new(Search::new(Subject::Processors(timing), None))
    }
}

impl ScheduleSearch for Search {
    fn guide(&self) -> Arc<Mutex<dyn StepGuide>> {
        Arc::clone(&self.guide) as _
    }

    fn end_run(&mut self) -> Result<GuidedRun, String> {
        self.unlocked().end_run()
    }
}

impl Guide {
    /// A process that is about to end the run, or to change another process, has not given up its turn, although it stands behind the others.
    fn put_last_first(&self, able: &mut [Thread], threads: &[Thread], all: &[StepCandidate]) {
        let Some((last, _)) = self.taken.last() else {
            return;
        };
        let mut numbered = threads.iter().zip(all);
        let found = numbered.find(|(_, one)| one.path == last.path);
        if let Some((thread, one)) = found
            && matches!(one.kind, StepKind::Ends | StepKind::Controls)
            && let Some(place) = able.iter().position(|other| other == thread)
        {
            able[..=place].rotate_right(1);
        }
    }

    /// Adds the races of the run.
    fn note_races(&mut self, run: &GuidedRun) {
        if self.subject != Subject::Processes || self.races.len() >= MOST_RACES {
            return;
        }
        for order in self.schedules.open_orders() {
            let place = |step: usize| run.taken.get(step).and_then(|(one, _)| one.place);
            if let Some(kind) = self.kinds.get(&order.thing) {
                let [early, late] = order.steps.map(place);
                let mut accesses = [(early, order.change[0]), (late, order.change[1])];
                accesses.sort_unstable();
                self.races.insert((*kind, accesses));
            }
        }
    }

    /// The run is over.
    fn end_run(&mut self) -> Result<GuidedRun, String> {
        let mut run = GuidedRun {
            is_new_start: std::mem::take(&mut self.wishes.have_changed),
            is_whole: !self.schedules.is_abandoned(),
            has_more: true,
            taken: std::mem::take(&mut self.taken),
            shared: (self.subject == Subject::Processes).then(|| self.shared()),
        };
        if run.is_new_start {
            // What was explored so far was explored with too little knowledge.
            self.schedules = self.schedules.begun_again();
            self.races.clear();
            return Ok(run);
        }
        run.has_more = self.schedules.end_run();
        self.note_races(&run);
        if self.schedules.is_confused() {
            let why = "two runs with the same order of steps differ: something decides that is no choice of a schedule, as clocks, random numbers or files do";
            return Err(why.to_string());
        }
        Ok(run)
    }
}
