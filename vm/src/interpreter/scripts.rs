//! Runs units: a process for each script, one after the other, and the outcome of the run.

use std::sync::Arc;

use crate::base::{Known, Limit, Outcome, ProcessId, Stop, TargetId, Value};
use crate::bytecode::{INLINED, Unit};
use crate::code::Target;
use crate::counting::{Cost, Family, FullCounters};
use crate::machine::Vm;
use crate::processes::{
    Contexts, INITIAL_STACK_WORDS, Mark, MarkKind, Process, SCRIPT_PRIORITY, Status,
};
use crate::profile::ProcessEvent;
use crate::run::Request;

/// Ticks between two calls of the condition of [`Vm::run_unit_while`]: a few thousandths of a second.
const TICKS_BETWEEN_QUESTIONS: u64 = 1 << 18;

impl Vm {
    /// Runs a unit's script to its end, in a process of its own. Answers how it ended; the value of its
    /// last statement is then [`Vm::result`].
    pub fn run_unit(&mut self, unit: Arc<Unit>) -> Outcome {
        self.prepare_unit(unit);
        self.finish()
    }

    /// As [`Vm::run_unit`], but goes on behind definitions that the machine refuses. Answers why it refused them.
    pub fn run_forgiving(&mut self, unit: Arc<Unit>) -> (Outcome, Vec<String>) {
        self.run.refused = Some(Vec::new());
        let outcome = self.run_unit(unit);
        (outcome, self.run.refused.take().unwrap_or_default())
    }

    /// The value of the last script's last statement.
    pub fn result(&self) -> Value {
        self.run.result
    }

    /// As [`Vm::run_unit`] with its own limits on ticks and work. Calls the condition now and then; the answer is `None` if the
    /// condition stopped the run.
    pub fn run_unit_while(
        &mut self,
        unit: Arc<Unit>,
        most_ticks: Option<u64>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        self.prepare_unit(unit);
        self.counters.granted_at = self.work();
        let start = self.ticks_with_trials();
        let end = most_ticks.map_or(u64::MAX, |most| start.saturating_add(most));
        loop {
            let next = self.ticks_with_trials();
            let next = next.saturating_add(TICKS_BETWEEN_QUESTIONS).min(end);
            if let Some(outcome) = self.run_until(next.saturating_sub(self.run.tried_ticks)) {
                return Some(outcome);
            }
            if self.ticks_with_trials() >= end {
                let _ = self.world.host.flush();
                return Some(Outcome::Limit(Limit::Ticks));
            }
            if !goes_on() {
                let _ = self.world.host.flush();
                return None;
            }
        }
    }

    fn finish(&mut self) -> Outcome {
        self.run.under_way = true;
        let stop = self.execute();
        self.run.under_way = false;
        self.conclude(stop)
    }

    pub(super) fn conclude(&mut self, stop: Stop) -> Outcome {
        let _ = self.world.host.flush();
        if let Some(message) = self.run.internal_error.take() {
            return Outcome::Internal(message);
        }
        self.outcome(stop)
    }

    fn outcome(&self, stop: Stop) -> Outcome {
        match stop {
            Stop::Finished if self.run.failed => Outcome::Failed,
            // No poll point came behind what passed the limit.
            Stop::Finished => match self.exceeds_work() {
                Some(limit) => Outcome::Limit(limit),
                None => Outcome::Finished,
            },
            Stop::Failed if self.run.depth_exceeded => Outcome::Limit(Limit::Depth),
            Stop::Failed => Outcome::Failed,
            Stop::Limit(limit) => Outcome::Limit(limit),
            Stop::Deadlock => Outcome::Deadlock,
            Stop::Exit(code) => Outcome::Exited(code),
            Stop::NotCompiled => Outcome::NotCompiled,
        }
    }

    /// Stops at a poll point for a visitor, as soon as that many ticks have passed; `None` when
    /// the run ended before.
    pub fn run_until(&mut self, ticks: u64) -> Option<Outcome> {
        let (saved, tried) = (self.config.max_ticks, self.run.tried_ticks);
        self.config.max_ticks = Some(ticks);
        self.set_tick_limit();
        self.run.under_way = true;
        let stop = self.execute();
        self.run.under_way = false;
        let tried = self.run.tried_ticks - tried;
        self.config.max_ticks = saved.map(|most| most.saturating_sub(tried));
        self.set_tick_limit();
        match stop {
            Stop::Limit(Limit::Ticks) => None,
            stop => {
                self.run.stopped = Some(stop);
                Some(self.resume())
            }
        }
    }

    /// Goes on after [`Vm::prepare_unit`] or [`Vm::run_until`] to the end of the script.
    pub fn resume(&mut self) -> Outcome {
        match self.run.stopped.take() {
            Some(stop) => self.conclude(stop),
            None => self.finish(),
        }
    }

    /// As [`Vm::run_unit`], but stops before the first instruction.
    pub fn prepare_unit(&mut self, unit: Arc<Unit>) {
        self.drop_stopped_run();
        let code = Arc::new(unit.script.clone());
        let number = self.image.add_unit(unit);
        let method = self
            .image
            .add_loose_method(number, Known::UndefinedObject.into(), code);
        let target = self.link(method);
        let main = self.new_process(target, Value::NIL, SCRIPT_PRIORITY);
        self.start_main(main);
    }

    /// Drops the processes of a run that did not end: the stopped process, and the script's own process if it is a
    /// different one. Neither is unwound. Other processes stay.
    pub(crate) fn drop_stopped_run(&mut self) {
        self.trial = None;
        self.run.failed = false;
        self.run.failed_at = None;
        self.run.depth_exceeded = false;
        self.run.pending_stop = None;
        self.run.internal_error = None;
        self.run.stopped = None;
        self.run.exit = None;
        self.run.window = None;
        self.run.request = Request::None;
        self.run.handles.clear();
        self.actors.forget_run();
        self.abandon_sections();
        if !self.running.ended {
            self.process_event(ProcessEvent::RunningDropped);
            self.forget_silence();
            self.running.ended = true;
            self.running.status = Status::Ended;
            self.running.depth_exceeded_at = None;
            self.running.family = Family::NONE;
            let marks = std::mem::take(&mut self.running.marks);
            self.running.contexts = Contexts::default();
            self.drop_process(&marks, self.running.object);
        }
        self.take_process(self.processes.main);
        for process in self.restart_virtual_time() {
            self.take_process(process);
        }
    }

    /// Drops a process that is not running, if it is there still.
    fn take_process(&mut self, id: ProcessId) {
        let process = self.processes.table.get_mut(id.0 as usize);
        if let Some(process) = process.and_then(Option::take) {
            self.process_event(ProcessEvent::Dropped(id, &process));
            self.processes.ready.remove(id);
            self.processes
                .pending_termination
                .retain(|other| *other != id);
            self.processes.fresh.retain(|other| *other != id);
            self.forget_sleeper(id);
            self.processes.bytes -= process.bytes();
            self.drop_process(&process.marks, process.object);
        }
    }

    /// Drops the machine's notes on a process that goes without having been unwound.
    fn drop_process(&mut self, marks: &[Mark], object: Value) {
        for mark in marks.iter().rev() {
            if let MarkKind::Measuring(measure) = mark.kind {
                self.abandon_measurement(mark.serial, measure);
            }
        }
        if object.is_object() {
            // A Process object without a number has ended.
            self.heap.set_slot(object, 0, Value::NIL);
        }
    }

    /// How many processes were made so far.
    pub fn processes_made(&self) -> usize {
        self.processes.table.len()
    }

    /// Ends, between two runs, every process that was made after the first `first`. Their code does not run any more,
    /// not even pending `ensure:` blocks.
    pub fn end_processes_after(&mut self, first: usize) {
        for index in first..self.processes.table.len() {
            self.take_process(ProcessId(index as u32));
        }
    }

    /// Grants the next run a number of ticks, independent of the ticks used before; any number if `None`.
    pub fn allow_ticks(&mut self, ticks: Option<u64>) {
        let used = self.total_ticks();
        self.config.max_ticks = ticks.map(|ticks| used.saturating_add(ticks));
        self.set_tick_limit();
    }

    pub(super) fn start_main(&mut self, main: ProcessId) {
        self.processes.main = main;
        self.run.result = Value::NIL;
        self.processes.ready.remove(main);
        self.running.ended = true;
        self.counters.other_ticks = self.counters.other_ticks.wrapping_add(self.registers.ticks);
        self.counters.other_loops = self.counters.other_loops.wrapping_add(self.registers.loops);
        self.registers.ticks = 0;
        self.registers.loops = 0;
        if self.counters.other_ticks == 0
            && let Some(Some(process)) = self.processes.table.get_mut(main.0 as usize)
        {
            // The first script of a run starts at the preset number, which `switch_in` takes over.
            process.ticks = self.counters.preset_ticks;
            self.counters.other_ticks = self.counters.preset_ticks;
        }
        self.switch_in(main);
        self.begin_script_turn();
        self.running.slice_end = self.choices.slice_end(self.registers.ticks);
        self.set_tick_limit();
    }

    /// Starts counting anew, as a run does after the library was loaded.
    pub fn reset_counters(&mut self) {
        self.registers.ticks = self.counters.preset_ticks;
        self.registers.loops = 0;
        self.counters.other_ticks = 0;
        self.counters.other_loops = 0;
        self.heap.allocations = Default::default();
        self.counters.full.activations = 0;
        self.counters.full.blocks = 0;
        self.counters.full.steps = 0;
        self.counters.full.primitives.fill(0);
        self.counters.granted_at = 0;
        self.counters.full.called = 0;
        self.counters.full.work = Default::default();
        self.counters.full.inlined.fill(0);
    }

    /// Starts the next script's counter at this number instead of 0.
    pub fn preset_counter(&mut self, sends: u64) {
        self.counters.preset_ticks = sends;
    }

    /// A process that will run `target` with this receiver (the block itself, for a block).
    pub(crate) fn new_process(
        &mut self,
        target: TargetId,
        receiver: Value,
        priority: i64,
    ) -> ProcessId {
        let row: &Target = self.code.target(target);
        let words = (row.register_count as usize + 8).max(INITIAL_STACK_WORDS);
        let entry = row.entry;
        let mut stack = self.processes.new_stack(words);
        let frame = 2;
        let code = self.code_for_process(target);
        stack.set_word(frame - 2, u64::from(code) | 1 << 32);
        stack.set_value(frame, receiver);
        let serial = self.fresh_serial();
        let bottom = Mark {
            frame,
            serial,
            kind: MarkKind::Bottom,
            frame_kind: None,
            delivery: None,
            unwinding: None,
        };
        let id = ProcessId(self.processes.table.len() as u32);
        self.separate.adopt(id);
        self.note_fresh_process(id);
        let process = Process {
            stack,
            marks: vec![bottom],
            contexts: Contexts::default(),
            fp: frame,
            ip: entry,
            stack_limit: 0,
            ticks: 0,
            loops: 0,
            work: 0,
            status: Status::Runnable,
            priority,
            object: Value::NIL,
            waits_on: Value::NIL,
            interruption: Value::NIL,
            is_fresh: true,
            started: false,
            depth_exceeded_at: None,
            family: self.counters.families.of_fork(self.running.family),
            silence: None,
            interrupted: Vec::new(),
        };
        self.processes.bytes += process.bytes();
        self.processes.table.push(Some(Box::new(process)));
        id
    }

    /// The cost of the run so far. Activations and blocks need a profile or full counting. Instructions and primitives
    /// need full counting, see [`Vm::count_everything`].
    pub fn cost(&self) -> Cost {
        let mut cost = self.cost_without_names();
        let rows = crate::primitives::numbered();
        let counts = self.counted_in_full().primitives.iter();
        let mut primitives: Vec<(&'static str, u64)> = rows
            .iter()
            .zip(counts)
            .filter(|(_, count)| **count > 0)
            .map(|(row, count)| (row.name, *count))
            .collect();
        primitives.sort_unstable();
        cost.primitives = primitives;
        // The recorder has counted everything, while the vector's own counters may have begun later.
        if let Some([activations, blocks]) = self.observers.recorded_activations() {
            cost.activations = activations;
            cost.blocks = blocks;
        }
        cost
    }

    /// The cost of the running process, in which only sends and loops are those of it alone.
    pub(crate) fn process_cost(&self) -> Cost {
        let all = self.cost_without_names();
        let sends = self.counted_sends();
        Cost {
            sends,
            loops: self.counted_loops(),
            steps: self.steps(self.counted_in_full(), sends),
            ..all
        }
    }

    /// Sends and the other steps; 0 if these were not counted.
    fn steps(&self, full: &FullCounters, sends: u64) -> u64 {
        match self.counts_fully() {
            true => full.steps.wrapping_add(sends),
            false => 0,
        }
    }

    /// The same without the names of primitives, as the vector's own counters have it.
    fn cost_without_names(&self) -> Cost {
        let full = self.counted_in_full();
        let sends = self.sends().wrapping_sub(self.counters.preset_ticks);
        Cost {
            sends,
            loops: self.loops(),
            activations: full.activations,
            blocks: full.blocks,
            allocations: self.counted_allocations(),
            steps: self.steps(full, sends),
            called: full.called,
            counters: full.work,
            primitives: Vec::new(),
        }
    }

    /// The work of the run so far, in hundredths of a nanosecond (counting model, 2.2). Needs full counting.
    pub fn work(&self) -> u64 {
        self.cost_without_names().work()
    }

    /// Whether evaluations of inlined control messages are counted.
    pub fn counts_inlined(&self) -> bool {
        self.config.count_inlined
    }

    /// Evaluations of inlined control messages so far, by selector, in a fixed order; selectors without an evaluation
    /// are left out. Sends are counted separately. Always empty unless
    /// [`Config::count_inlined`](crate::base::Config::count_inlined) was set when the code was compiled.
    pub fn inlined(&self) -> Vec<(&'static str, u64)> {
        let counted = INLINED.into_iter().zip(self.counted_inlined());
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Maintains the whole cost vector from now on.
    pub fn count_everything(&mut self) {
        self.counters.full_wanted += 1;
    }

    /// Ends what [`Vm::count_everything`] began.
    pub fn count_less(&mut self) {
        self.counters.full_wanted = self.counters.full_wanted.saturating_sub(1);
    }

    /// Counts executions by opcode from now on.
    pub fn count_opcodes(&mut self) {
        self.counters.opcode_counts = Some(Box::default());
    }

    /// Executions by opcode, for the executed opcodes.
    pub fn opcode_counts(&self) -> Vec<(&'static str, u64)> {
        let counts = self.counters.opcode_counts.as_ref();
        counts.map_or(Vec::new(), |counts| counts.by_opcode())
    }

    /// Executions of one opcode directly after a second one: first, second, count.
    pub fn opcode_pairs(&self) -> Vec<(&'static str, &'static str, u64)> {
        let counts = self.counters.opcode_counts.as_ref();
        counts.map_or(Vec::new(), |counts| counts.by_pair())
    }

    /// Frames that the machine has walked over to learn how deep a stack is. A statistic for tests; no count.
    #[doc(hidden)]
    pub fn frames_counted(&self) -> u64 {
        self.processes.frames_counted
    }

    /// Turns counting off altogether. For measuring what counting costs; counts are wrong afterwards.
    #[doc(hidden)]
    pub fn stop_counting(&mut self) {
        self.counters.uncounted = true;
    }

    /// Whether the loop checks that objects have the slots that code uses. The loop without counts cannot check, so a
    /// slower copy replaces it.
    pub fn checks_slots(&self) -> bool {
        self.code.checks_slots
    }
}
