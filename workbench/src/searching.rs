//! The search for every schedule of processors as the guide of machines.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tally_explore::{Footprint, Schedules, Thread};
use tally_vm::{
    GuidedRun, ScheduleSearch, ScheduleSearcher, StepCandidate, StepDone, StepGuide, Timing,
    Touched, Vm, Wish,
};

use crate::error::{Error, ErrorKind};

/// The search as the guide of a machine.
struct Guide {
    schedules: Schedules,
    timing: Timing,
    /// Numbers of threads, by the paths of their steps.
    threads: HashMap<Arc<[u32]>, Thread>,
    /// Numbers of what steps compete for.
    things: HashMap<(Touched, Arc<[u32]>), u32>,
    /// The steps of the run, and whether others could go on.
    taken: Vec<(StepCandidate, bool)>,
    wishes: Wishes,
}

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
        let of = |is_held_off: bool| -> Vec<Thread> {
            let all = threads.iter().zip(candidates);
            let those = all.filter(|(_, one)| one.is_held_off == is_held_off);
            those.map(|(thread, _)| *thread).collect()
        };
        let (able, held_off) = (of(false), of(true));
        let moment = match self.timing {
            Timing::Any => None,
            Timing::Exact => candidates.first().map(|one| one.moment),
        };
        let thread = self.schedules.choose(&able, &held_off, moment)?;
        let place = threads.iter().position(|one| *one == thread)?;
        let possible = if able.is_empty() { &held_off } else { &able };
        let taken = candidates.get(place).cloned();
        self.taken
            .extend(taken.map(|step| (step, possible.len() > 1)));
        Some(place)
    }

    fn did(&mut self, step: &StepDone) {
        let mut footprint = Footprint {
            follows: step.follows.clone(),
            can_be_held_off: step.can_be_held_off,
            ..Footprint::default()
        };
        for touch in &step.touched {
            let thing = number(&mut self.things, (touch.what, Arc::clone(&touch.path)));
            match touch.changes {
                true => footprint.changes.push(thing),
                false => footprint.reads.push(thing),
            }
        }
        self.schedules.did(footprint);
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
    timing: Timing,
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
    pub(crate) fn new(timing: Timing) -> Search {
        let guide = Guide {
            schedules: Schedules::new(),
            timing,
            threads: HashMap::new(),
            things: HashMap::new(),
            taken: Vec::new(),
            wishes: Wishes::default(),
        };
        Search {
            guide: Arc::new(Mutex::new(guide)),
            timing,
        }
    }

    fn unlocked(&self) -> MutexGuard<'_, Guide> {
        self.guide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the machine execute the next schedule.
    pub(crate) fn begin_run(&self, vm: &mut Vm) {
        vm.guide_processors(self.timing, Arc::clone(&self.guide) as _);
    }

    /// The machine has run.
    ///
    /// # Errors
    ///
    /// It has used what no schedule decides.
    pub(crate) fn finish_run(&self, vm: &mut Vm) -> Result<GuidedRun, Error> {
        vm.end_guided();
        if self.timing == Timing::Any && vm.has_read_clock() {
            let why = "the program reads a clock, so its durations are not open: --timing exact explores it";
            return Err(Error::new(ErrorKind::Nondeterministic, why));
        }
        let run = self.unlocked().end_run();
        run.map_err(|why| Error::new(ErrorKind::Nondeterministic, why))
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
        Box::new(Search::new(timing))
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
    /// The run is over.
    fn end_run(&mut self) -> Result<GuidedRun, String> {
        let mut run = GuidedRun {
            is_new_start: std::mem::take(&mut self.wishes.have_changed),
            is_whole: !self.schedules.is_abandoned(),
            has_more: true,
            taken: std::mem::take(&mut self.taken),
        };
        if run.is_new_start {
            // What was explored so far was explored with too little knowledge.
            self.schedules = Schedules::new();
            return Ok(run);
        }
        run.has_more = self.schedules.end_run();
        if self.schedules.is_confused() {
            let why = "two runs with the same order of steps differ: something decides that is no choice of a schedule, as clocks, random numbers or files do";
            return Err(why.to_string());
        }
        Ok(run)
    }
}
