//! A guide from outside decides which process goes on, and gets to know what each step touches.

use std::sync::{Arc, Mutex};

use super::Vm;
use crate::base::{ClassId, Known, Limit, MethodId, Optimisations, ProcessId, Stop, Value};
use crate::bytecode::GlobalRef;
use crate::heap::Contents;
use crate::processes::{FrameView, FrameWalk, Status};
use crate::separate::{ELEMENTS, GLOBALS, SlotKind, StepCandidate, StepGuide, StepKind};
use crate::watching::{Accessed, Parked, Watching};

/// The names of variables that are no object's begin with this. Names of objects do not have it.
const GLOBAL_NAME: u64 = 1 << 61;
/// The most variables of an object that are distinguished. Of a larger one several count as one.
const MOST_SLOTS: usize = 1 << 12;

impl Vm {
    /// Lets the guide decide from here on which process goes on, at each point at which it could matter.
    ///
    /// Nothing is executed by short cuts, so that each access of an object is seen. Time does not pass for the processes: who sleeps could go on at once.
    pub fn guide_processes(&mut self, guide: Arc<Mutex<dyn StepGuide>>) {
        self.config.optimisations = Optimisations::NONE;
        self.heap.keep_names();
        let mut watching = Watching::new(guide);
        watching.insensitive = self.insensitive();
        self.watching = Some(Box::new(watching));
        self.flush_caches();
    }

    /// The library's `Mutex>>critical:`. It reads the owner, and compares it with the running process. Others never make that true or false.
    fn insensitive(&mut self) -> Option<MethodId> {
        let selector = self.symbol("critical:").as_symbol()?;
        let method = self.image.lookup(self.find_class("Mutex")?, selector)?;
        self.image.is_of_library(method).then_some(method)
    }

    /// The run is over: the guide gets to know what its last step has touched.
    pub fn end_watched(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.end_step();
        }
    }

    /// What of a watched run cannot be explored.
    pub fn refused_while_watched(&self) -> Option<&'static str> {
        self.watching.as_ref()?.refusal()
    }

    /// Whether processes were made while a guide watched them.
    pub fn has_watched_processes(&self) -> bool {
        let watching = self.watching.as_ref();
        watching.is_some_and(|watching| !watching.is_alone())
    }

    /// Whether the program has made a process in this machine.
    pub fn has_forked(&self) -> bool {
        self.processes.has_forked
    }

    /// Whether a guide decides which process goes on.
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        self.watching.is_some()
    }

    // --- what the running process does -----------------------------------------------------------

    fn watch(&mut self, accessed: Accessed, writes: bool) {
        let process = self.running.id;
        if let Some(watching) = &mut self.watching {
            watching.access(process, accessed, writes);
        }
    }

    /// It accesses the slot of the object with this number.
    pub(crate) fn watch_slot(&mut self, object: Value, slot: usize, writes: bool) {
        if !object.is_object() {
            return;
        }
        let class = self.class_number(object);
        if self.is_semaphore(object) {
            let name = self.heap.name_of(object);
            if let Some(watching) = &mut self.watching {
                watching.observe(name, writes);
            }
            return;
        }
        let (slot, kind) = match self.heap.contents(object) {
            Contents::Slots(count) => {
                let fixed = self.class(self.class_of(object)).ivars.len();
                let kind = if slot < fixed { slot as u32 } else { ELEMENTS };
                (slot / (count / MOST_SLOTS + 1), kind)
            }
            Contents::Bytes(_) => (0, ELEMENTS),
        };
        let accessed = Accessed {
            object: self.heap.name_of(object),
            slot: slot as u32,
            kind: (class, kind),
        };
        self.watch(accessed, writes);
    }

    /// It accesses all slots of the object.
    pub(crate) fn watch_object(&mut self, object: Value, writes: bool) {
        if !object.is_object() {
            return;
        }
        match self.heap.contents(object) {
            Contents::Slots(count) => {
                let step = count / MOST_SLOTS + 1;
                for slot in (0..count).step_by(step) {
                    self.watch_slot(object, slot, writes);
                }
            }
            Contents::Bytes(_) => self.watch_slot(object, 0, writes),
        }
    }

    /// It accesses the global or class variable with this number.
    pub(crate) fn watch_global(&mut self, id: u32, writes: bool) {
        let kind: SlotKind = (GLOBALS, id);
        let accessed = Accessed {
            object: GLOBAL_NAME | u64::from(id),
            slot: 0,
            kind,
        };
        self.watch(accessed, writes);
    }

    /// It does what all can see.
    pub(crate) fn watch_shown(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.show();
        }
    }

    /// Whether it has to stop before what it was about to do.
    pub(crate) fn takes_stop(&mut self) -> bool {
        self.watching.as_mut().is_some_and(|one| one.takes_stop())
    }

    /// It is about to end the work of the others.
    pub(crate) fn watch_end(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.end();
        }
    }

    /// It takes one of the semaphore's signals, or waits for one if there is none.
    pub(crate) fn watch_wait(&mut self, semaphore: Value, signals: i64) {
        let (name, me) = (self.heap.name_of(semaphore), self.running.id);
        if let Some(watching) = &mut self.watching {
            watching.wait(me, name, signals);
        }
    }

    /// It is about to signal the semaphore.
    pub(crate) fn watch_signalling(&mut self, semaphore: Value, signals: i64) {
        let name = self.heap.name_of(semaphore);
        if let Some(watching) = &mut self.watching {
            watching.signalling(name, signals);
        }
    }

    /// It has signalled the semaphore, for which this process has waited.
    #[cold]
    pub(crate) fn watch_signal(&mut self, semaphore: Value, woken: Option<ProcessId>) {
        if let Some(watching) = &mut self.watching {
            let name = self.heap.name_of(semaphore);
            watching.signalled(self.running.id, name, woken);
        }
    }

    /// It reads a clock.
    pub(crate) fn watch_clock(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.has_read_clock = true;
        }
    }

    /// It has made a process with this priority.
    #[cold]
    pub(crate) fn watch_new_process(&mut self, process: ProcessId, priority: i64, object: Value) {
        if let Some(watching) = &mut self.watching {
            let name = self.heap.name_of(object);
            watching.made(self.running.id, process, name);
            if priority != self.running.priority {
                watching.has_priorities();
            }
        }
    }

    /// It has made the process ready.
    #[cold]
    pub(crate) fn watch_resumed(&mut self, process: ProcessId) {
        let me = self.running.id;
        if let Some(watching) = &mut self.watching {
            watching.resumed(me, process);
        }
    }

    /// It changes or looks at the process with this object.
    pub(crate) fn watch_control(&mut self, object: Value, can_end: bool) {
        let name = self.heap.name_of(object);
        if let Some(watching) = &mut self.watching {
            watching.control(name, can_end);
        }
    }

    /// Whether the program is known to have processes that look at others or change them.
    pub(crate) fn controls_are_seen(&self) -> bool {
        let watching = self.watching.as_ref();
        watching.is_some_and(|watching| watching.has_controls())
    }

    /// It interrupts another process.
    #[cold]
    pub(crate) fn watch_interruption(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.refuse("it interrupts a process with a block");
        }
    }

    /// It goes to sleep, from which it could wake at once.
    pub(crate) fn watch_sleep(&mut self) {
        let me = self.running.id;
        self.running.status = Status::Waiting;
        if let Some(watching) = &mut self.watching {
            watching.sleep(me);
        }
    }

    /// It changes classes or methods.
    pub(crate) fn watch_definition(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.refuse("it changes classes or methods while there are processes");
        }
    }

    /// The priority of a process changes.
    pub(crate) fn watch_priority(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.has_priorities();
        }
    }

    // --- steps -----------------------------------------------------------------------------------

    /// The running process is at a poll point.
    pub(crate) fn watch_poll(&mut self) {
        if let Some(watching) = &mut self.watching {
            watching.poll();
        }
    }

    /// The running process stops before this. It wants to go on before others, or lets them go on first.
    pub(crate) fn park(&mut self, before: Parked, wants_on: bool) {
        let (me, priority) = (self.running.id, self.running.priority);
        let watching = self.watching.as_mut();
        let goes_first = watching.is_some_and(|watching| watching.park(me, before));
        match goes_first && wants_on {
            true => self.processes.ready.push_first(me, priority),
            false => self.processes.ready.push(me, priority),
        }
    }

    /// The process that goes on by the choice of the guide; none if none can, or if the guide ends the run.
    ///
    /// What others cannot see is done at once: no process is chosen before all stand before something that they can see.
    pub(crate) fn chosen_by_guide(&mut self) -> Option<ProcessId> {
        let mut ready = self.processes.ready.of_highest_priority();
        let watching = self.watching.as_mut()?;
        watching.end_step();
        let sleeping = watching.sleeping().iter().copied();
        let sleeping: Vec<ProcessId> = sleeping.filter(|id| !ready.contains(id)).collect();
        ready.extend(sleeping);
        if watching.has_too_many_steps() {
            return None;
        }
        let mut all = ready.iter().copied();
        if let Some(process) = all.find(|id| watching.parked(*id).is_none()) {
            return Some(process);
        }
        let candidates = ready.into_iter().map(|id| (self.candidate(id), id));
        let mut all: Vec<(StepCandidate, ProcessId)> = candidates.collect();
        if all.is_empty() {
            return None;
        }
        all.sort_by_key(|(one, _)| match one.kind {
            StepKind::Controls => 1,
            StepKind::Ends => 2,
            _ => 0,
        });
        let (candidates, processes): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        self.watching.as_mut()?.choose(&candidates, &processes)
    }

    /// Why no process goes on, if that is no deadlock.
    pub(crate) fn stop_of_watcher(&self) -> Option<Stop> {
        let watching = self.watching.as_ref()?;
        if watching.has_too_many_steps() {
            return Some(Stop::Limit(Limit::Ticks));
        }
        watching.is_over.then_some(Stop::Failed)
    }

    fn candidate(&mut self, id: ProcessId) -> StepCandidate {
        let place = self.place_of_step(id);
        let watching = self.watching.as_ref();
        let parked = watching.and_then(|watching| watching.parked(id));
        let (kind, is_held_off) = match parked {
            Some(Parked::Waits(one)) if self.is_semaphore(one.values[0]) => {
                let semaphore = one.values[0];
                let name = self.heap.name_of(semaphore);
                let can_be = watching.is_some_and(|watching| watching.can_be_held_off(name));
                (StepKind::Waits, can_be && self.signals_of(semaphore) <= 0)
            }
            Some(Parked::Late(_)) => (StepKind::Controls, false),
            Some(Parked::Exits(_) | Parked::Ends(_) | Parked::Terminates(_)) => {
                (StepKind::Ends, false)
            }
            _ => (StepKind::Goes, false),
        };
        StepCandidate {
            path: watching.map_or_else(|| [].into(), |watching| watching.path(id)),
            class: Known::Process.into(),
            kind,
            others: Vec::new(),
            request: None,
            is_held_off,
            moment: (0, 0),
            place,
            access: None,
        }
    }

    /// Where the process stands in the program's own code.
    fn place_of_step(&mut self, id: ProcessId) -> Option<(MethodId, u32)> {
        let frame = if self.has_frames() {
            self.frame_index()
        } else {
            0
        };
        let is_running = id == self.running.id && !self.running.ended;
        let (stack, marks, mut walk) = match self.processes.table.get(id.0 as usize) {
            Some(Some(row)) if row.started => {
                (&row.stack, &row.marks, FrameWalk::new(row.fp, row.ip))
            }
            None | Some(None) if is_running => {
                let walk = FrameWalk::new(frame, self.registers.ip);
                (&self.running.stack, &self.running.marks, walk)
            }
            _ => return None,
        };
        let mut views = std::iter::from_fn(|| walk.step(stack, marks));
        views.find_map(|view: FrameView| {
            let target = self.registers.code_of(&view);
            let is_own = !self.image.is_of_library(target.method);
            is_own.then(|| {
                let offset = self.offset_near(target, view.ip, view.is_top);
                (target.method, offset)
            })
        })
    }

    /// A kind of variables in words.
    pub fn text_of_kind(&self, (class, slot): SlotKind) -> String {
        if class == GLOBALS {
            return match &*self.image.references[slot as usize] {
                GlobalRef::Global(name) => name.clone(),
                GlobalRef::ClassVariable { class, name } => format!("{name} of {class}"),
            };
        }
        if class == Known::Cell as u32 {
            return "a temporary variable that blocks share".to_string();
        }
        let class = self.class(ClassId(class));
        match class.ivars.get(slot as usize) {
            _ if slot == ELEMENTS => format!("an element of {}", class.display_name()),
            Some(name) => format!("{name} of {}", class.display_name()),
            None => format!("a variable of {}", class.display_name()),
        }
    }

    /// A place of a step in words.
    pub fn text_of_place(&self, (method, offset): (MethodId, u32)) -> String {
        let place = self.source_place(method, offset);
        let name = self.method_name(method);
        format!("{name} ({}:{}:{})", place.file, place.line, place.column)
    }
}
