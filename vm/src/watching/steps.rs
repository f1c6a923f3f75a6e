//! The steps of a watched run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::{HashMap, HashSet};

use super::threads::{SCRIPT, Threads, WatchedId};
use super::uses::{Accessed, Uses};
use crate::base::{Known, MethodId, ProcessId, Value};
use crate::processes::Unwinding;
use crate::separate::{PutOff, SlotKind, StepCandidate, StepDone, StepGuide, Touch, Touched, Wish};

/// A process with more steps than this one after the other lets the others go on first.
const MOST_IN_A_ROW: u32 = 64;

/// Stands for what processes do to others, among the variables that several processes use. No process has a variable with this number.
const CONTROLS: SlotKind = (Known::Process as u32, u32::MAX - 1);

/// Before what a process stands that its next step does.
#[derive(Clone)]
pub(crate) enum Parked {
    /// An instruction.
    Here,
    /// What comes behind a pause.
    Pauses,
    /// A call of a primitive.
    Calls(PutOff),
    /// A wait for the semaphore that is the receiver.
    Waits(PutOff),
    /// A call that can end the work of another process. Others do first all that they can do before.
    Late(PutOff),
    /// A call that ends the run.
    Exits(PutOff),
    /// The end of the script, with this value.
    Ends(Value),
    /// Its end by an error, or because it was terminated.
    Terminates(Unwinding),
}

/// A guide of processes, and their steps.
pub(crate) struct Watching {
    guide: Arc<Mutex<dyn StepGuide>>,
    threads: Threads,
    parked: HashMap<ProcessId, Parked>,
    /// The process of the step that is under way.
    step: Option<WatchedId>,
    done: StepDone,
    steps: u32,
    most_steps: Option<u32>,
    /// The process of the last step, and how many it had without another one between.
    in_a_row: (WatchedId, u32),
    /// Whether the running process may do what others can see: its step has begun, and it has not come to a poll point.
    may_show: bool,
    /// Whether it may do what can end the work of others.
    may_end: bool,
    /// Whether it has tried to do what it may not.
    is_to_stop: bool,
    /// What several processes use.
    shared: HashSet<SlotKind>,
    uses: HashMap<(u64, u32), Uses>,
    /// How many signals each semaphore had when it was used first since there are several processes.
    signals: HashMap<u64, i64>,
    /// Of each semaphore, who has waited for it, and whether someone wanted it who had just done what others can see.
    waiters: HashMap<u64, (Vec<WatchedId>, bool)>,
    /// The processes by the names of their objects.
    of_objects: HashMap<u64, WatchedId>,
    /// Those that sleep. They could wake at any time, whatever their priority.
    sleeping: Vec<ProcessId>,
    /// What of a run cannot be explored.
    refusal: Option<&'static str>,
    /// A method whose reads of its receiver's variables do not depend on what other processes do.
    pub(crate) insensitive: Option<MethodId>,
    /// Whether it has read a clock.
    pub(crate) has_read_clock: bool,
    /// Whether processes have different priorities. Then the order of all steps can matter.
    has_priorities: bool,
    /// Whether the guide has ended the run.
    pub(crate) is_over: bool,
}

/// The name of an object as a path.
fn path_of(name: u64) -> [u32; 2] {
    [(name >> 32) as u32, name as u32]
}

impl Watching {
    pub(crate) fn new(guide: Arc<Mutex<dyn StepGuide>>) -> Watching {
        let (known, most_steps) = {
            let guide = guide.lock().unwrap_or_else(PoisonError::into_inner);
            (guide.shared(), guide.most_steps())
        };
        Watching {
            guide,
            most_steps,
            threads: Threads::default(),
            parked: HashMap::new(),
            step: None,
            done: StepDone::default(),
            steps: 0,
            in_a_row: (0, 0),
            may_show: false,
            may_end: false,
            is_to_stop: false,
            shared: known.into_iter().collect(),
            uses: HashMap::new(),
            signals: HashMap::new(),
            waiters: HashMap::new(),
            of_objects: HashMap::new(),
            sleeping: Vec::new(),
            refusal: None,
            insensitive: None,
            has_read_clock: false,
            has_priorities: false,
            is_over: false,
        }
    }

    pub(crate) fn shared_guide(&self) -> &Arc<Mutex<dyn StepGuide>> {
        &self.guide
    }

    fn guide(&self) -> MutexGuard<'_, dyn StepGuide + 'static> {
        self.guide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no process was made so far.
    pub(crate) fn is_alone(&self) -> bool {
        self.threads.are_alone()
    }

    /// Whether the run has more steps than the guide follows.
    pub(crate) fn has_too_many_steps(&self) -> bool {
        self.most_steps.is_some_and(|most| self.steps > most)
    }

    /// The path of the process.
    pub(crate) fn path(&self, process: ProcessId) -> Arc<[u32]> {
        self.threads.path(self.threads.of(process))
    }

    // --- what the running process does -----------------------------------------------------------

    /// Whether it has to stop before what it was about to do.
    pub(crate) fn takes_stop(&mut self) -> bool {
        std::mem::take(&mut self.is_to_stop)
    }

    /// The process does something that others can see. Answers whether it may; if not, it has to stop.
    fn shows(&mut self) -> bool {
        let may = self.may_show || self.is_alone();
        self.is_to_stop |= !may;
        may
    }

    fn touch(&mut self, what: Touched, path: &[u32], changes: bool) {
        if !self.shows() || self.is_alone() {
            return;
        }
        let mut touched = self.done.touched.iter_mut();
        match touched.find(|one| one.what == what && *one.path == *path) {
            Some(one) => one.changes |= changes,
            None => self.done.touched.push(Touch {
                what,
                path: path.into(),
                changes,
            }),
        }
    }

    /// It accesses a variable.
    pub(crate) fn access(&mut self, process: ProcessId, accessed: Accessed, writes: bool) {
        if self.is_alone() {
            return;
        }
        let Accessed { object, slot, kind } = accessed;
        if self.shared.contains(&kind) {
            let [high, low] = path_of(object);
            self.touch(Touched::Slot, &[high, low, slot, kind.0, kind.1], writes);
            return;
        }
        let thread = self.threads.of(process);
        let uses = self.uses.entry((object, slot)).or_default();
        if uses.add(&self.threads, thread, writes) {
            self.share(kind);
        }
    }

    /// Variables of this kind are used by several processes.
    fn share(&mut self, kind: SlotKind) {
        if !self.is_alone() && self.shared.insert(kind) {
            self.guide().shares(kind);
        }
    }

    /// Whether the program is known to have processes that look at others or change them. Then nothing is held off, because it matters who waits already.
    pub(crate) fn has_controls(&self) -> bool {
        self.shared.contains(&CONTROLS)
    }

    /// It does what all can see.
    pub(crate) fn show(&mut self) {
        self.touch(Touched::Shared, &[], true);
    }

    /// It looks at the process with this object, or does what can end the work of that.
    pub(crate) fn control(&mut self, object: u64, can_end: bool) {
        self.share(CONTROLS);
        let thread = self.of_objects.get(&object).copied().unwrap_or(SCRIPT);
        let path = self.threads.path(thread);
        self.is_to_stop |= can_end && !self.may_end && !self.is_alone();
        // Before the next one others can come.
        self.may_end &= !can_end;
        self.touch(Touched::Waiting, &path, true);
        if let Some(semaphore) = self.threads.waited_for(thread) {
            // A signal lets it go on.
            self.touch(Touched::Lock, &path_of(semaphore), true);
        }
    }

    /// It has made a process, with this object.
    pub(crate) fn made(&mut self, by: ProcessId, process: ProcessId, object: u64) {
        self.threads.make(self.threads.of(by), process);
        self.of_objects.insert(object, self.threads.of(process));
    }

    /// It goes to sleep.
    pub(crate) fn sleep(&mut self, process: ProcessId) {
        self.parked.insert(process, Parked::Pauses);
        self.sleeping.push(process);
    }

    /// Those that sleep.
    pub(crate) fn sleeping(&self) -> &[ProcessId] {
        &self.sleeping
    }

    /// It does what no exploration follows, while there are other processes.
    pub(crate) fn refuse(&mut self, why: &'static str) {
        if !self.is_alone() {
            self.refusal = Some(why);
        }
    }

    /// What of the run cannot be explored.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        self.refusal
    }

    /// It accesses a variable of the semaphore, outside of its wait and signal. So all that happens to that semaphore has an order.
    pub(crate) fn observe(&mut self, semaphore: u64, writes: bool) {
        // A new one is initialised.
        let is_new = writes && !self.signals.contains_key(&semaphore);
        if self.is_alone() || is_new {
            return;
        }
        self.wants_in_time(semaphore);
        self.touch(Touched::Lock, &path_of(semaphore), writes);
    }

    /// It can matter from when on processes wait for the semaphore.
    fn wants_in_time(&mut self, semaphore: u64) {
        let path: Arc<[u32]> = path_of(semaphore)[..].into();
        self.guide().wants(&path, Wish::InTime);
    }

    /// It has made the other process ready, which goes on behind it.
    pub(crate) fn resumed(&mut self, by: ProcessId, process: ProcessId) {
        let (by, process) = (self.threads.of(by), self.threads.of(process));
        self.threads.follow(process, by);
    }

    /// From here on the order of all steps can matter.
    pub(crate) fn has_priorities(&mut self) {
        self.has_priorities = true;
    }

    /// Whether who waits for the semaphore needs it only when it has signals.
    pub(crate) fn can_be_held_off(&self, semaphore: u64) -> bool {
        let path: Arc<[u32]> = path_of(semaphore)[..].into();
        !self.has_priorities && !self.has_controls() && self.guide().holds_off(&[path])
    }

    /// It takes one of the semaphore's signals, or waits for one if there is none.
    pub(crate) fn wait(&mut self, process: ProcessId, semaphore: u64, signals: i64) {
        if self.is_alone() {
            return;
        }
        let begin = *self.signals.entry(semaphore).or_insert(signals);
        if !self.shows() {
            return;
        }
        if signals <= 0 {
            self.threads.wait(self.threads.of(process), semaphore);
        }
        let path = path_of(semaphore);
        let is_first = self.done.touched.is_empty() && self.done.signals.is_empty();
        let holds_off = self.can_be_held_off(semaphore);
        let is_open = self.is_order_open(process, semaphore, is_first);
        if is_open {
            self.wants_in_time(semaphore);
        }
        // What the step did before needs no signal, unless that were waits that concern no other process.
        let takes = holds_off && signals > 0 && self.has_only_waited();
        let holds_off = is_first && holds_off;
        self.done.can_be_held_off |= holds_off;
        // Who never gets a signal competes with those that have got one, and not with others like it.
        self.touch(Touched::Lock, &path, !holds_off || signals > 0);
        if takes {
            self.done.takes.push((path[..].into(), begin));
        }
    }

    /// Whether the step has done nothing visible but to take signals of semaphores for which no other process waits.
    fn has_only_waited(&self) -> bool {
        let has_signalled = !self.done.signals.is_empty();
        !has_signalled
            && self.done.touched.iter().all(|touch| {
                let name = match *touch.path {
                    [high, low] => u64::from(high) << 32 | u64::from(low),
                    _ => return false,
                };
                let waiters = self.waiters.get(&name);
                touch.what == Touched::Lock && waiters.is_some_and(|(all, _)| all.len() == 1)
            })
    }

    /// Whether several processes wait for the semaphore, and one of them does so right behind something that others can see: then it comes before those that see
    /// that and wait later.
    fn is_order_open(&mut self, process: ProcessId, semaphore: u64, is_first: bool) -> bool {
        let thread = self.threads.of(process);
        let (waiters, has_had_to) = self.waiters.entry(semaphore).or_default();
        if !waiters.contains(&thread) {
            waiters.push(thread);
        }
        *has_had_to |= !is_first;
        waiters.len() > 1 && *has_had_to
    }

    /// It is about to signal the semaphore. That competes with nothing, because it only makes steps possible, unless it matters from when on others wait.
    pub(crate) fn signalling(&mut self, semaphore: u64, signals: i64) {
        if self.is_alone() {
            return;
        }
        self.signals.entry(semaphore).or_insert(signals);
        if self.shows() && !self.can_be_held_off(semaphore) {
            self.touch(Touched::Lock, &path_of(semaphore), true);
        }
    }

    /// It has signalled the semaphore. If this process has waited for that, it goes on.
    pub(crate) fn signalled(&mut self, by: ProcessId, semaphore: u64, woken: Option<ProcessId>) {
        if self.is_alone() {
            return;
        }
        let path: Arc<[u32]> = path_of(semaphore)[..].into();
        let begin = self.signals.get(&semaphore).copied().unwrap_or(0);
        match (woken, self.can_be_held_off(semaphore)) {
            (Some(process), false) => self.resumed(by, process),
            // Another signal could have done the same.
            (Some(process), true) => {
                let thread = self.threads.of(process);
                self.threads.take(thread, (Arc::clone(&path), begin));
                self.done.signals.push(path);
            }
            (None, true) => self.done.signals.push(path),
            (None, false) => {}
        }
    }

    /// It is at a poll point: others could go on before the next thing that they can see.
    pub(crate) fn poll(&mut self) {
        (self.may_show, self.may_end) = (false, false);
    }

    /// It is about to end the work of others.
    pub(crate) fn end(&mut self) {
        let may_not = !self.may_end && !self.is_alone();
        self.is_to_stop |= may_not;
        if !may_not {
            self.show();
        }
    }

    // --- steps -----------------------------------------------------------------------------------

    /// The process stops before this. Answers whether it goes on before the others, if the guide has no preference.
    pub(crate) fn park(&mut self, process: ProcessId, before: Parked) -> bool {
        self.parked.insert(process, before);
        let (last, count) = self.in_a_row;
        last == self.threads.of(process) && count < MOST_IN_A_ROW
    }

    /// Before what the process stands.
    pub(crate) fn parked(&self, process: ProcessId) -> Option<&Parked> {
        self.parked.get(&process)
    }

    /// The process goes on. It is to do now before what it stands.
    pub(crate) fn take_parked(&mut self, process: ProcessId) -> Option<Parked> {
        let parked = self.parked.remove(&process);
        self.sleeping.retain(|one| *one != process);
        self.may_show = !matches!(parked, None | Some(Parked::Pauses));
        self.may_end = matches!(
            parked,
            Some(Parked::Late(_) | Parked::Exits(_) | Parked::Ends(_) | Parked::Terminates(_))
        );
        self.is_to_stop = false;
        parked
    }

    /// Shows what the parked processes refer to.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        for parked in self.parked.values_mut() {
            match parked {
                Parked::Here | Parked::Pauses => {}
                Parked::Calls(one)
                | Parked::Waits(one)
                | Parked::Late(one)
                | Parked::Exits(one) => {
                    one.values.iter_mut().for_each(&mut *visit);
                }
                Parked::Ends(value) => visit(value),
                Parked::Terminates(unwinding) => visit(&mut unwinding.value),
            }
        }
    }

    /// The step that is under way is over.
    pub(crate) fn end_step(&mut self) {
        let mut done = std::mem::take(&mut self.done);
        let Some(thread) = self.step.take() else {
            return;
        };
        let mut touch = |what: Touched, path: Arc<[u32]>| {
            done.touched.push(Touch {
                what,
                path,
                changes: true,
            });
        };
        if self.has_priorities {
            touch(Touched::Shared, [].into());
        }
        touch(Touched::Waiting, self.threads.path(thread));
        self.guide().did(&done);
    }

    /// Lets the guide choose, and begins the step of the chosen process.
    pub(crate) fn choose(
        &mut self,
        candidates: &[StepCandidate],
        processes: &[ProcessId],
    ) -> Option<ProcessId> {
        let chosen = self.guide().choose(candidates);
        let Some(process) = chosen.and_then(|place| processes.get(place)) else {
            self.is_over = true;
            return None;
        };
        let thread = self.threads.of(*process);
        let (last, count) = self.in_a_row;
        self.in_a_row = match last == thread && count < MOST_IN_A_ROW {
            true => (last, count + 1),
            false => (thread, 0),
        };
        (self.done.follows, self.done.takes) = self.threads.begin(thread, self.steps);
        self.step = Some(thread);
        self.steps += 1;
        Some(*process)
    }
}
