//! The events of a run outside the loop: allocations, the lives of processes, reads of values that the counting
//! model does not fix, lookups, growing tables. Machine, primitives and loading report each event here and nowhere
//! else. Each function names the observers of its event. The events of the loop itself are in `interpreter/events.rs`.
//!
//! The calls are static. No fast path leads here: an observer that is off costs nothing there.

use crate::base::{ClassId, MethodId, ProcessId, SymbolId, Value};
use crate::machine::Vm;
use crate::observers::{LOOK_EVERY, Question};
use crate::processes::Process;

/// An event in the life of a process.
#[derive(Clone, Copy)]
pub(crate) enum ProcessEvent<'a> {
    /// The running process leaves. Its status says whether it is ready, waits or has ended.
    Leaves,
    /// The process that runs now begins with the frame at this index.
    Begins(usize),
    /// The process that runs now has run before.
    GoesOn,
    /// This process, which does not run, is dropped without being unwound.
    Dropped(ProcessId, &'a Process),
    /// The running process is dropped without being unwound.
    RunningDropped,
}

impl Vm {
    /// An object of this class is about to be made, by the slow path of a watched heap. The recorder notes it.
    pub(crate) fn allocating(&mut self, class: ClassId) {
        self.note_allocation(class);
    }

    /// The recorder counts beginnings as entries, and a dropped process as having left its frames. So do the extents. Measurements with forks
    /// are charged when a process leaves. The log of a recorded run keeps who runs when.
    pub(crate) fn process_event(&mut self, event: ProcessEvent<'_>) {
        match event {
            ProcessEvent::Begins(frame) => {
                self.enter_or_leave_part();
                self.enter_or_leave_sections();
                self.note_first_entry(frame);
                self.process_goes_on();
            }
            ProcessEvent::GoesOn => {
                self.enter_or_leave_part();
                self.enter_or_leave_sections();
                self.process_goes_on();
            }
            ProcessEvent::Leaves => {
                self.process_leaves();
                self.charge_measurements();
            }
            ProcessEvent::Dropped(id, process) => {
                self.process_ends(id);
                self.record_end_of(id, process);
            }
            ProcessEvent::RunningDropped => {
                self.process_ends(self.running.id);
                self.record_end_of_running();
            }
        }
    }

    /// The running process uses a value that the counting model does not fix: the clock, a seed, an identity hash, an
    /// address. The follower notes it.
    #[inline]
    pub(crate) fn asked(&mut self, question: Question, about: Value) {
        if self.observers.follower.is_some() {
            self.keep_question(question, about);
        }
        self.note_reading(question);
    }

    /// A message was looked up after the caches missed. The log of lookups notes it.
    pub(crate) fn looked_up(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        found: Option<MethodId>,
    ) {
        if let Some(lookups) = &mut self.observers.lookups {
            lookups.note(class, selector, found, true);
        }
    }

    /// A hashed collection grows. The search for crowds needs its keys, each with its hash.
    pub(crate) fn table_grows(&mut self, keys: impl FnOnce(&Vm) -> Vec<(u32, ClassId)>) {
        if self.observers.crowds.is_some() {
            let keys = keys(self);
            self.note_crowd(keys);
        }
    }

    /// The tick at which the sampler needs a poll point, if it is on.
    pub(crate) fn next_sample_look(&self) -> Option<u64> {
        let ticks = self.registers.ticks;
        let sampler = self.observers.sampler.as_ref();
        sampler.map(|_| ticks.saturating_add(LOOK_EVERY))
    }
}
