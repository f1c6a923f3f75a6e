//! Processes and semaphores: who waits for what, and who can run. Switches are in `interpreter`.

use super::Machine;
use super::process::{Process, Status};
use crate::oracle::object::Data;
use crate::oracle::value::{ObjectId, Value};

/// Slot of a Process that holds its number, nil once it has ended.
const NUMBER: usize = 0;
/// Slot of a Process that holds the next one in a semaphore's list.
const NEXT: usize = 1;
/// Slots of a Semaphore.
const SIGNALS: usize = 0;
const FIRST: usize = 1;
const LAST: usize = 2;

impl Machine {
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

    /// A process that has ended has no number.
    pub(crate) fn note_end(&mut self, number: usize) {
        self.processes[number].status = Status::Ended;
        if let Some(object) = self.processes[number].object {
            self.set_slot(Value::Object(object), NUMBER, Value::Nil);
        }
    }

    /// Ends a process: at once if it has not begun, else when it runs next.
    pub(crate) fn terminate_other(&mut self, number: usize) {
        if self.processes[number].block.is_some() {
            self.ready.retain(|one| *one != number);
            return self.note_end(number);
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
