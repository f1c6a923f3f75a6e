//! Processes: running, ready and waiting. They switch at poll points only (counting model, 1 and 6).

use super::count::Counts;
use super::machine::{After, Ending, Frame, Machine};
use super::unwind::{Goal, Unwinding};
use super::value::{Data, ObjectId, Value};

/// Whether a process can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Runnable,
    Waiting,
    Ended,
}

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) frames: Vec<Frame>,
    pub(crate) counts: Counts,
    pub(crate) priority: i64,
    pub(crate) status: Status,
    /// Its Process object; made on first use.
    pub(crate) object: Option<ObjectId>,
    /// The block that it is to evaluate, as long as it has not begun.
    pub(crate) block: Option<ObjectId>,
    /// The semaphore in whose list it is.
    pub(crate) waits_on: Option<Value>,
    /// A block to be evaluated before it goes on.
    pub(crate) interruption: Option<Value>,
    pub(crate) is_to_end: bool,
    /// The frame whose doings are silent.
    pub(crate) silence: Option<u64>,
    depth_exceeded: bool,
}

/// Slot of a Process that holds its number, nil once it has ended.
const NUMBER: usize = 0;
/// Slot of a Process that holds the next one in a semaphore's list.
const NEXT: usize = 1;
/// Slots of a Semaphore.
const SIGNALS: usize = 0;
const FIRST: usize = 1;
const LAST: usize = 2;

impl Process {
    pub(crate) fn new(priority: i64) -> Process {
        Process {
            frames: Vec::new(),
            counts: Counts::default(),
            priority,
            status: Status::Runnable,
            object: None,
            block: None,
            waits_on: None,
            interruption: None,
            is_to_end: false,
            silence: None,
            depth_exceeded: false,
        }
    }

    fn ticks(&self) -> u64 {
        self.counts.sends + self.counts.loops
    }
}

impl Machine {
    /// The running process's counts.
    pub(crate) fn counts(&mut self) -> &mut Counts {
        &mut self.processes[self.current].counts
    }

    /// Where the running process's counter starts.
    pub(crate) fn preset_of_current(&self) -> u64 {
        if self.current == 0 { self.preset } else { 0 }
    }

    /// The counts of all processes together.
    pub(crate) fn all_counts(&self) -> Counts {
        let mut sum = Counts::default();
        self.processes
            .iter()
            .for_each(|process| sum.add(&process.counts));
        sum
    }

    /// A poll point: limits and switches take effect here.
    pub(super) fn poll(&mut self) {
        if self.is_silent() || self.ending.is_some() {
            return;
        }
        if let Some(most) = self.max_ticks {
            let ticks: u64 = self.processes.iter().map(Process::ticks).sum();
            if ticks >= most {
                self.ending = Some(Ending::Limit);
                return;
            }
        }
        let me = self.current;
        let mine = self.processes[me].priority;
        let highest = self
            .ready
            .iter()
            .map(|&one| self.processes[one].priority)
            .max();
        if highest.is_some_and(|priority| priority > mine) {
            // Who is preempted goes on first among his equals.
            self.ready.insert(0, me);
            self.switch();
        } else if self
            .slice_end
            .is_some_and(|end| self.processes[me].ticks() >= end)
        {
            self.ready.push(me);
            self.switch();
        }
    }

    /// The running process lets another run; it goes on later if it can.
    pub(super) fn give_way(&mut self) {
        let me = self.current;
        if self.processes[me].status == Status::Runnable && !self.ready.contains(&me) {
            self.ready.push(me);
        }
        self.switch();
    }

    /// The process of the highest priority that has waited longest.
    fn next_to_run(&self) -> Option<usize> {
        let priority = |&&place: &&usize| self.processes[self.ready[place]].priority;
        let places: Vec<usize> = (0..self.ready.len()).collect();
        let highest = places.iter().map(|place| priority(&place)).max()?;
        places
            .iter()
            .find(|place| priority(place) == highest)
            .copied()
    }

    fn switch(&mut self) {
        self.site = 0;
        let Some(place) = self.next_to_run() else {
            self.ending = Some(Ending::Deadlock);
            return;
        };
        let chosen = self.ready.remove(place);
        if chosen != self.current {
            let me = self.current;
            self.processes[me].frames = std::mem::take(&mut self.frames);
            self.processes[me].depth_exceeded = self.depth_exceeded;
            self.current = chosen;
            self.frames = std::mem::take(&mut self.processes[chosen].frames);
            self.depth_exceeded = self.processes[chosen].depth_exceeded;
        }
        let process = &mut self.processes[chosen];
        process.waits_on = None;
        let ticks = process.ticks();
        self.slice_end = self.slice.map(|slice| ticks + slice);
        let interruption = process.interruption.take();
        if let Some(block) = process.block.take() {
            self.enter_block(block, &[], After::Bottom);
        }
        if std::mem::take(&mut self.processes[chosen].is_to_end) {
            return self.unwind(Unwinding {
                target: 0,
                goal: Goal::Terminate,
                value: Value::Nil,
            });
        }
        if let Some(block) = interruption {
            self.evaluate_block(block, &[], After::Discard);
        }
    }

    /// The running process has come to its end; the run has, if it was the script's.
    pub(super) fn end_process(&mut self, value: Value) {
        let me = self.current;
        self.processes[me].status = Status::Ended;
        if let Some(object) = self.processes[me].object {
            self.set_slot(Value::Object(object), NUMBER, Value::Nil);
        }
        if me == 0 {
            self.result = value;
            self.ending = Some(if self.hit_depth {
                Ending::Limit
            } else if self.failed {
                Ending::Failed
            } else {
                Ending::Finished
            });
            return;
        }
        self.switch();
    }

    fn process_fields(&self) -> usize {
        self.world.class(self.known.process).fields.len()
    }

    /// The running process's object; the script's own is not counted as an allocation.
    pub(crate) fn active_process(&mut self) -> Value {
        let me = self.current;
        if let Some(object) = self.processes[me].object {
            return Value::Object(object);
        }
        let class = self.known.process;
        let fields = self.process_fields();
        let object = self.new_object(class, fields, Data::Process(me));
        self.set_slot(object, NUMBER, Value::Small(me as i64));
        if let Value::Object(id) = object {
            self.processes[me].object = Some(id);
        }
        object
    }

    /// A suspended process that will evaluate the block.
    pub(crate) fn new_process(&mut self, block: ObjectId, priority: i64) -> Value {
        let number = self.processes.len();
        let object = self.make_instance(self.known.process, 0);
        self.set_slot(object, NUMBER, Value::Small(number as i64));
        let mut process = Process::new(priority);
        process.status = Status::Waiting;
        process.block = Some(block);
        if let Value::Object(id) = object {
            self.world.objects[id.0 as usize].data = Data::Process(number);
            process.object = Some(id);
        }
        self.processes.push(process);
        object
    }

    /// The number of a process that has not ended.
    pub(crate) fn process_of(&self, value: Value) -> Option<usize> {
        let Value::Object(id) = value else {
            return None;
        };
        match self.world.objects[id.0 as usize].data {
            Data::Process(number) if self.processes[number].status != Status::Ended => Some(number),
            _ => None,
        }
    }

    /// Lets a process run when its turn comes, whatever it waits for.
    pub(crate) fn make_ready(&mut self, number: usize) {
        let process = &mut self.processes[number];
        process.status = Status::Runnable;
        let semaphore = process.waits_on.take();
        let object = process.object;
        if let (Some(semaphore), Some(object)) = (semaphore, object) {
            self.unlink(semaphore, Value::Object(object));
        }
        if !self.ready.contains(&number) {
            self.ready.push(number);
        }
    }

    /// Takes a process out of the list of those that wait for a semaphore.
    fn unlink(&mut self, semaphore: Value, process: Value) {
        let mut before = Value::Nil;
        let mut at = self.slot(semaphore, FIRST);
        while at != Value::Nil {
            let next = self.slot(at, NEXT);
            if at == process {
                if before == Value::Nil {
                    self.set_slot(semaphore, FIRST, next);
                } else {
                    self.set_slot(before, NEXT, next);
                }
                if next == Value::Nil {
                    self.set_slot(semaphore, LAST, before);
                }
                self.set_slot(at, NEXT, Value::Nil);
                return;
            }
            (before, at) = (at, next);
        }
    }

    /// Ends a process: at once if it has not begun, else when it runs next.
    pub(crate) fn terminate_other(&mut self, number: usize) {
        if self.processes[number].block.is_some() {
            self.processes[number].status = Status::Ended;
            self.ready.retain(|one| *one != number);
            if let Some(object) = self.processes[number].object {
                self.set_slot(Value::Object(object), NUMBER, Value::Nil);
            }
            return;
        }
        self.make_ready(number);
        self.processes[number].is_to_end = true;
    }

    /// Takes a signal; if there is none, the running process waits in the semaphore's list and the answer is true.
    pub(crate) fn must_wait(&mut self, semaphore: Value) -> bool {
        let signals = self.slot(semaphore, SIGNALS).as_small().unwrap_or(0);
        if signals > 0 {
            self.set_slot(semaphore, SIGNALS, Value::Small(signals - 1));
            return false;
        }
        let process = self.active_process();
        self.set_slot(process, NEXT, Value::Nil);
        let last = self.slot(semaphore, LAST);
        if last == Value::Nil {
            self.set_slot(semaphore, FIRST, process);
        } else {
            self.set_slot(last, NEXT, process);
        }
        self.set_slot(semaphore, LAST, process);
        let me = self.current;
        self.processes[me].waits_on = Some(semaphore);
        self.processes[me].status = Status::Waiting;
        true
    }

    /// Lets the process that waits longest go on, or keeps the signal.
    pub(crate) fn signal_semaphore(&mut self, semaphore: Value) {
        loop {
            let first = self.slot(semaphore, FIRST);
            if first == Value::Nil {
                let signals = self.slot(semaphore, SIGNALS).as_small().unwrap_or(0);
                return self.set_slot(semaphore, SIGNALS, Value::Small(signals + 1));
            }
            let next = self.slot(first, NEXT);
            self.set_slot(semaphore, FIRST, next);
            if next == Value::Nil {
                self.set_slot(semaphore, LAST, Value::Nil);
            }
            let waiting = self
                .process_of(first)
                .filter(|&number| self.processes[number].status == Status::Waiting);
            if let Some(number) = waiting {
                self.processes[number].waits_on = None;
                self.processes[number].status = Status::Runnable;
                self.ready.push(number);
                return;
            }
        }
    }
}
