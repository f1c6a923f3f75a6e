//! Processors: their creation, their time, and the failures of their requests.

use super::Vm;
use super::membrane::EXPORT_SLOT;
use crate::base::{ClassId, MethodId, ProcessId, Value};
use crate::processes::ReadyQueue;
use crate::separate::{Engine, Kept, Library, ProcessorId, ROOT, SCRIPT, Separate};
use crate::world::Failure;

impl Vm {
    /// A new processor that handles the class; answers the reference to the class.
    pub(crate) fn new_processor(&mut self, class: Value) -> Value {
        if self.separate.engine.is_none() {
            self.begin_virtual_time();
        }
        if let Some(other) = self.processor_in_place_of(class) {
            return match other == self.separate.running {
                true => class,
                false => self.new_reference(class, other),
            };
        }
        let engine = self.separate.engine.as_ref();
        let cost = engine.map_or(0, |engine| engine.costs().create);
        self.charge_time(cost);
        let (creator, time) = (self.separate.running, self.virtual_time());
        let handled = self.class_of_class_object(class).unwrap_or(ClassId(0));
        let Some(engine) = &mut self.separate.engine else {
            return Value::NIL;
        };
        let id = engine.create(creator, handled, time);
        self.note_processor_of(class, id);
        self.check_memory();
        self.new_reference(class, id)
    }

    /// The engine begins: the script has run up to this moment. From now on the program's clock is a virtual one.
    fn begin_virtual_time(&mut self) {
        let now = self.clock_units();
        self.separate.ordinary = None;
        self.begin_log();
        let Separate {
            simulation,
            is_recorded,
            ..
        } = self.separate;
        if !self.processes.sleepers.is_empty() {
            // They wake by virtual time from here on.
            let (clock, units) = (self.clock(), self.units_in_microsecond());
            for sleeper in &mut self.processes.sleepers {
                let left = sleeper.wake.saturating_sub(clock);
                sleeper.wake = left.saturating_mul(units).saturating_add(now);
            }
        }
        let mut engine = Engine::new(now, simulation, is_recorded);
        engine.guided = self.separate.guided.clone().map(Box::new);
        self.separate.engine = Some(Box::new(engine));
        self.separate.library = self.library_of_processors();
        self.find_shared_variables();
        self.begin_script_turn();
    }

    /// The run is recorded from here on, if it is to be given away and was not recorded before.
    fn begin_log(&mut self) {
        // Only a virtual clock says the same in every run how long processes still sleep.
        let is_same = self.config.virtual_clock || self.processes.sleepers.is_empty();
        if self.separate.stream.is_open() && !self.separate.is_recorded && is_same {
            self.separate.is_recorded = true;
            self.processes_wait_already();
        }
    }

    fn library_of_processors(&mut self) -> Option<Library> {
        let class = self.find_class("SeparateProcessor")?;
        Some(Library {
            class,
            serve: self.symbol("serve").as_symbol()?,
            is_expanded: self.symbol("isExpanded").as_symbol()?,
        })
    }

    /// Another script is to begin: the root processor is the running one. Answers the processes that executed requests.
    pub(crate) fn restart_virtual_time(&mut self) -> Vec<ProcessId> {
        if self.separate.engine.is_none() {
            return Vec::new();
        }
        self.change_processor(ROOT);
        self.separate.put_off.clear();
        let simulation = self.separate.simulation;
        let engine = self.separate.engine.as_mut();
        engine.map_or(Vec::new(), |engine| engine.restart(simulation))
    }

    /// The running process is the script's, and has the root processor's turn.
    pub(crate) fn begin_script_turn(&mut self) {
        self.begin_turn_clock();
        self.script_begins();
        if let Some(engine) = &mut self.separate.engine {
            engine.serves(ROOT, self.running.id);
            engine.request_mut(SCRIPT).process = Some(self.running.id);
        }
    }

    /// Each processor has processes of its own that are ready.
    pub(crate) fn change_processor(&mut self, id: ProcessorId) {
        let before = std::mem::replace(&mut self.separate.running, id);
        if before != id {
            self.change_hashes(before, id);
            let next = self.separate.take_kept(id);
            let is_empty = self.processes.ready.longest_waiting().is_none();
            let ready = match (is_empty, next.ready) {
                // An empty queue serves the next processor too.
                (true, None) => None,
                (true, Some(ready)) => {
                    self.processes.ready = *ready;
                    None
                }
                (false, next) => {
                    let next = next.map_or_else(ReadyQueue::default, |ready| *ready);
                    let ready = std::mem::replace(&mut self.processes.ready, next);
                    Some(Box::new(ready))
                }
            };
            let kept = Kept {
                ready,
                sleepers: std::mem::replace(&mut self.processes.sleepers, next.sleepers),
            };
            self.separate.keep(before, kept);
        }
    }

    /// Each processor has a sequence of identity hashes of its own, so that they do not depend on who runs ahead.
    fn change_hashes(&mut self, before: ProcessorId, id: ProcessorId) {
        if let Some(engine) = &mut self.separate.engine {
            let next = *engine.hashes(id);
            *engine.hashes(before) = self.heap.exchange_hash_state(next);
        }
    }

    /// The process can run, as soon as its processor lets it.
    pub(crate) fn push_ready(&mut self, id: ProcessId, priority: i64) {
        let owner = self.separate.owner(id);
        if owner == self.separate.running {
            self.processes.ready.push(id, priority);
            return;
        }
        let ready = &mut self.separate.kept_mut(owner).ready;
        ready.get_or_insert_default().push(id, priority);
        let time = self.virtual_time();
        if let Some(engine) = &mut self.separate.engine {
            engine.signalled(owner, time, self.separate.running);
        }
    }

    /// The ready processes among which the process stands if it is ready.
    fn ready_with(&mut self, id: ProcessId) -> &mut ReadyQueue {
        match self.separate.owner(id) {
            owner if owner == self.separate.running => &mut self.processes.ready,
            owner => self.separate.kept_mut(owner).ready.get_or_insert_default(),
        }
    }

    /// The process does not sleep any longer.
    pub(crate) fn forget_sleeper(&mut self, id: ProcessId) {
        let sleepers = match self.separate.owner(id) {
            owner if owner == self.separate.running => &mut self.processes.sleepers,
            owner => &mut self.separate.kept_mut(owner).sleepers,
        };
        sleepers.retain(|one| one.process != id);
    }

    /// Whether the process can run.
    pub(crate) fn is_ready(&mut self, id: ProcessId) -> bool {
        self.ready_with(id).contains(id)
    }

    /// The process cannot run any more.
    pub(crate) fn forget_ready(&mut self, id: ProcessId) {
        self.ready_with(id).remove(id);
    }

    /// A process that can run gets this priority.
    pub(crate) fn set_ready_priority(&mut self, id: ProcessId, priority: i64) {
        self.ready_with(id).set_priority(id, priority);
    }

    /// The request of the running process fails by this exception with this text. False if no client waits for it.
    pub(crate) fn fail_request(&mut self, failure: Value, text: Value) -> bool {
        let (id, process) = (self.separate.running, self.running.id);
        let Some(engine) = &mut self.separate.engine else {
            return false;
        };
        let Some(number) = engine.request_of(id, process) else {
            return false;
        };
        let request = engine.request_mut(number);
        let waits = request.waits || !request.future.is_nil();
        if waits {
            request.failure = failure;
            self.keep_text(failure, text);
        }
        waits
    }

    /// The command that the running process executes fails by an error with this text. Its processor keeps the error until the
    /// client waits for an answer or unlocks it. False if the process executes no command.
    pub(crate) fn fail_command(
        &mut self,
        text: &str,
        help: Option<String>,
        from_frame: Option<usize>,
    ) -> bool {
        let (id, process) = (self.separate.running, self.running.id);
        let engine = self.separate.engine.as_ref();
        let request = engine.and_then(|engine| {
            let request = engine.request_of(id, process)?;
            // The client of a callback does not hold the processor, so it is no part of a scope.
            (request != SCRIPT && !engine.request(request).is_callback).then_some(request)
        });
        let Some(request) = request else {
            return false;
        };
        let failure = self.failure(text, help, from_frame);
        if let Some(engine) = &mut self.separate.engine {
            engine.fail_command(request, failure);
        }
        true
    }

    /// Reports the commands whose failures no client got to know.
    pub(crate) fn tell_unasked_failures(&mut self) {
        let engine = self.separate.engine.as_mut();
        let failures = engine.map_or(Vec::new(), |engine| std::mem::take(&mut engine.unasked));
        for failure in failures {
            self.tell_failure(failure);
        }
    }

    /// What a client is to signal whose request was not served because a command before it had failed.
    pub(crate) fn describe_refusal(&mut self, failure: &Failure) -> Value {
        let class = self.find_class("SeparateFailure");
        let class = class.map_or(Value::NIL, |class| self.class_object(class));
        let text = format!("a command before this request failed: {}", failure.message);
        let before = self.allocations_now();
        self.run.handles.push(class);
        let text = self.make_string(&text);
        let class = self.run.handles.pop().unwrap_or(Value::NIL);
        let described = self.make_array(&[class, text]);
        self.forget_allocations_since(before);
        described
    }

    /// An exception without a text of its own keeps this one: its client cannot ask for it.
    fn keep_text(&mut self, exception: Value, text: Value) {
        let class = self.class_of(exception);
        let place = self.field(class, "messageText");
        let slots = self.heap.slots(exception);
        if let Some(place) = place.filter(|place| slots.get(*place) == Some(&Value::NIL)) {
            self.heap.set_slot(exception, place, text);
        }
    }

    /// The place of the instance variable with this name.
    pub(super) fn field(&self, class: ClassId, name: &str) -> Option<usize> {
        let names = &self.class(class).ivars;
        names.iter().position(|one| &**one == name)
    }

    /// What a client is to signal for the exception of its request: an Array of the class, of the text or nil, and of the
    /// numbers and values of the fields that its class adds to those of all exceptions.
    pub(crate) fn describe_failure(&mut self, exception: Value, supplier: ProcessorId) -> Value {
        const FIELDS: usize = 4;
        let class = self.class_of(exception);
        let text = self.field(class, "messageText");
        let slots = self.heap.slots(exception).to_vec();
        let text = text.and_then(|place| self.text_of(*slots.get(place)?));
        let before = self.allocations_now();
        let first = self.run.handles.len();
        self.run.handles.extend(slots.iter().skip(FIELDS));
        let text = text.map_or(Value::NIL, |text| self.make_string(&text));
        self.run.handles.push(text);
        let count = slots.len().saturating_sub(FIELDS);
        for index in first..first + count {
            let value = self.run.handles[index];
            self.run.handles[index] = self.carry(value, supplier, self.separate.running);
        }
        let text = self.run.handles.pop().unwrap_or(Value::NIL);
        let class = self.class_object(class);
        let mut parts = vec![class, text];
        for (number, value) in (FIELDS + 1..).zip(self.run.handles.drain(first..)) {
            parts.extend([Value::int(number as i64), value]);
        }
        let described = self.make_array(&parts);
        self.forget_allocations_since(before);
        described
    }

    /// How a reference prints: `separate Account #1.2/7`.
    pub(crate) fn name_of_reference(&self, value: Value) -> Option<String> {
        let (owner, target) = self.referred(value)?;
        let engine = self.separate.engine.as_ref()?;
        let path: Vec<String> = engine.path(owner).iter().map(u32::to_string).collect();
        let class = &self.class(self.class_of(target)).name;
        let export = self.heap.slots(value).get(EXPORT_SLOT);
        let export = export.and_then(|slot| slot.as_int());
        let export = export.unwrap_or(0);
        Some(format!("separate {class} #{}/{export}", path.join(".")))
    }

    /// A number that follows from the path of the reference's owner and its number there (FNV-1a over these).
    pub(crate) fn hash_of_reference(&self, value: Value) -> Option<u32> {
        let (owner, _) = self.referred(value)?;
        let engine = self.separate.engine.as_ref()?;
        let export = self.heap.slots(value).get(EXPORT_SLOT)?.as_int()? as u32;
        let parts = engine.path(owner).iter().chain([&export]);
        let hash = parts.fold(0x811c_9dc5_u32, |hash, part| {
            (hash ^ part).wrapping_mul(0x0100_0193)
        });
        Some(hash & 0x3fff_ffff)
    }

    /// Lets a processor run ahead of the others by this number of ticks. No result depends on it.
    pub fn run_ahead(&mut self, ticks: u64) {
        self.separate.ahead = ticks;
    }

    /// Where the program's own code stands that sends a request, if that is recorded: the innermost frame that is not the
    /// library's.
    pub(crate) fn site_of_request(&mut self) -> Option<(MethodId, u32)> {
        /// Frames of the library that are looked through.
        const MOST_FRAMES: usize = 32;
        if !self.separate.is_recorded {
            return None;
        }
        let mut walk = self.walk_frames();
        for _ in 0..MOST_FRAMES {
            let view = walk.next(self)?;
            if let Some(site) = self.own_site(&view) {
                return Some(site);
            }
        }
        None
    }
}
