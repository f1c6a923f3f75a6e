//! Poll points, limits, and the switching of processes.

use super::Next;
use crate::base::{Limit, ProcessId, Stop, Value};
use crate::counting::Work;
use crate::machine::{TICKS_BETWEEN_LOOKS, Vm};
use crate::processes::{Contexts, Goal, Stack, Status, Unwinding};
use crate::profile::ProcessEvent;
use crate::run::Exit;
use crate::separate::Intent;
use crate::watching::Parked;

impl Vm {
    /// The work at a poll point when ticks have reached the limit.
    #[cold]
    #[inline(never)]
    pub(super) fn poll(&mut self) -> Next {
        self.polled();
        if std::mem::take(&mut self.run.collection_is_wanted) {
            self.collect_nursery();
        }
        if std::mem::take(&mut self.run.memory_is_short) {
            self.keep_to_limit(0);
        }
        if let Some(stop) = self.run.pending_stop {
            return Next::Exit(Exit::Stop(stop));
        }
        if let Some(silence) = self.running.silence.as_deref() {
            // Overhead counts against no limit, and silent code is not preempted; but it must end.
            if let Some(limit) = self.limit_passed_in_silence(silence) {
                return Next::Exit(Exit::Stop(Stop::Limit(limit)));
            }
            self.registers.tick_limit = self.next_silent_look(silence);
            return self.go_on();
        }
        if let Some(max) = self.config.max_ticks
            && self.total_ticks() >= max
        {
            return Next::Exit(Exit::Stop(Stop::Limit(Limit::Ticks)));
        }
        if let Some(limit) = self.exceeds_work() {
            return Next::Exit(Exit::Stop(Stop::Limit(limit)));
        }
        if self.is_watched() {
            self.watch_poll();
            self.set_tick_limit();
            return self.go_on();
        }
        self.wake_sleepers();
        let slice_over = self
            .running
            .slice_end
            .is_some_and(|end| self.registers.ticks >= end);
        if self.higher_priority_ready() {
            // The preempted process goes on first among its equals.
            let me = self.running.id;
            self.processes.ready.push_first(me, self.running.priority);
            return self.switch();
        }
        if slice_over {
            let me = self.running.id;
            self.processes.ready.push(me, self.running.priority);
            return self.switch();
        }
        if self.is_far_ahead() {
            return self.interact(Intent::Look);
        }
        self.set_tick_limit();
        self.go_on()
    }

    /// Goes on, in a different copy of the loop if this one counts too little or too much since a silence began or ended.
    fn go_on(&self) -> Next {
        match self.run.counts_fully == self.counts_fully() {
            true => Next::Continue,
            false => Next::Exit(Exit::Mode),
        }
    }

    /// Ticks of all processes since the run began.
    pub fn total_ticks(&self) -> u64 {
        self.registers
            .ticks
            .wrapping_add(self.counters.other_ticks)
            .wrapping_sub(self.counters.preset_ticks)
    }

    fn higher_priority_ready(&self) -> bool {
        let highest = self.processes.ready.highest_priority();
        highest.is_some_and(|priority| priority > self.running.priority)
    }

    /// Sets the tick at which a poll point has something to do.
    pub(crate) fn set_tick_limit(&mut self) {
        let counts_fully = self.counts_fully();
        let is_due = self.run.pending_stop.is_some()
            || self.run.memory_is_short
            || self.run.collection_is_wanted
            || counts_fully && !self.run.counts_fully;
        if let Some(silence) = self.running.silence.as_deref() {
            let look = self.next_silent_look(silence);
            self.registers.tick_limit = if is_due { 0 } else { look };
            return;
        }
        let mut limit = u64::MAX;
        if self.run.counts_fully && !counts_fully {
            // The next silence often begins soon, so it is not worth while to leave the full loop at once.
            limit = self.registers.ticks.saturating_add(TICKS_BETWEEN_LOOKS);
        }
        if let Some(max) = self.config.max_ticks {
            let own = max
                .saturating_sub(self.counters.other_ticks)
                .saturating_add(self.counters.preset_ticks);
            limit = limit.min(own);
        }
        if let Some(end) = self.running.slice_end {
            limit = limit.min(end);
        }
        if let Some(look) = self.next_look() {
            limit = limit.min(look);
        }
        if self.separate.engine.is_some() {
            let left = self.left_of_turn();
            limit = limit.min(self.registers.ticks.saturating_add(left));
        }
        if let Some(look) = self.next_sample_look() {
            limit = limit.min(look);
        }
        // Work grows between poll points by more than ticks tell, so each one looks at it.
        if is_due
            || self.config.max_work.is_some()
            || self.is_watched()
            || self.higher_priority_ready()
        {
            limit = 0;
        }
        self.registers.tick_limit = limit;
    }

    /// Lets the scheduler choose among the ready processes of the highest priority, and goes on with the chosen
    /// process. The caller has put the running process where it belongs: ready, waiting or nowhere.
    pub(super) fn switch(&mut self) -> Next {
        self.switch_from(self.running.id)
    }

    /// As [`Vm::switch`]. If the running process can go on, it does so behind the others.
    pub(super) fn let_others_go_on(&mut self) -> Next {
        let me = self.running.id;
        if self.running.status == Status::Runnable {
            if self.is_watched() {
                self.park(Parked::Pauses, false);
            } else if !self.processes.ready.contains(me) {
                self.processes.ready.push(me, self.running.priority);
            }
        }
        self.switch()
    }

    /// As [`Vm::switch`], where `last` had the turn before. Another process is charged as a switch.
    pub(super) fn switch_from(&mut self, last: ProcessId) -> Next {
        self.wake_sleepers();
        if self.processes.ready.longest_waiting().is_none() && self.separate.engine.is_none() {
            self.wait_for_sleeper();
        }
        let chosen = match self.is_watched() {
            true => self.chosen_by_guide(),
            false => self.choices.next_process(&self.processes.ready),
        };
        let Some(chosen) = chosen else {
            if self.separate.engine.is_some() {
                return self.block_processor();
            }
            if let Some(stop) = self.stop_of_watcher() {
                return Next::Exit(Exit::Stop(stop));
            }
            return Next::Exit(Exit::Stop(Stop::Deadlock));
        };
        self.processes.ready.remove(chosen);
        let mut interruption = Value::NIL;
        if chosen != last {
            let before = self.counters.full.charged();
            self.charge_where_counted(Work::Switches, 1);
            if self.running.ended {
                self.note_charges_after_end(before);
            }
        }
        if chosen != self.running.id || self.running.ended {
            self.switch_out();
            if let Some(Some(process)) = self.processes.table.get_mut(chosen.0 as usize) {
                interruption = std::mem::replace(&mut process.interruption, Value::NIL);
            }
            self.switch_in(chosen);
        }
        self.running.waits_on = Value::NIL;
        self.running.slice_end = self.choices.slice_end(self.registers.ticks);
        self.set_tick_limit();
        if self.is_watched() {
            return self.go_on_watched(chosen, interruption);
        }
        if self.is_to_terminate(chosen) {
            return self.terminate_running();
        }
        self.begin_interruption(interruption)
    }

    /// Lets the running process evaluate the block, if it is one, before it goes on.
    pub(super) fn begin_interruption(&mut self, interruption: Value) -> Next {
        match self.block_body(interruption, 0) {
            // After the block the process continues at its old location. The answer of the block is dropped.
            Some(body) => {
                let distance = self.delivery_distance();
                self.deliver(body, distance, &[interruption], None, self.registers.ip)
            }
            None => Next::Continue,
        }
    }

    /// Whether another process has terminated this one while it did not run. Takes note that it is being done.
    pub(super) fn is_to_terminate(&mut self, id: ProcessId) -> bool {
        let pending = &mut self.processes.pending_termination;
        let place = pending.iter().position(|&other| other == id);
        place.map(|place| pending.remove(place)).is_some()
    }

    /// Ends the running process: its frames go, and their `ensure:` blocks run.
    pub(super) fn terminate_running(&mut self) -> Next {
        self.unwind(Unwinding {
            target: 0,
            goal: Goal::Terminate,
            value: Value::NIL,
        })
    }

    /// Puts the running process's state into its row. Does nothing when it has ended.
    pub(super) fn switch_out(&mut self) {
        self.process_event(ProcessEvent::Leaves);
        self.leave_silence();
        self.counters.other_ticks = self.counters.other_ticks.wrapping_add(self.registers.ticks);
        self.counters.other_loops = self.counters.other_loops.wrapping_add(self.registers.loops);
        if self.running.ended {
            self.forget_silence();
            return;
        }
        let (fp, stack_limit) = (self.frame_index(), self.stack_limit_index());
        // The exchange leaves the row empty.
        let mut row = self.processes.spare_row.take().unwrap_or_default();
        std::mem::swap(&mut row.stack, &mut self.running.stack);
        std::mem::swap(&mut row.marks, &mut self.running.marks);
        std::mem::swap(&mut row.contexts, &mut self.running.contexts);
        row.silence = self.running.silence.take();
        std::mem::swap(&mut row.interrupted, &mut self.running.interrupted);
        row.fp = fp;
        row.ip = self.registers.ip;
        row.stack_limit = stack_limit;
        row.ticks = self.registers.ticks;
        row.loops = self.registers.loops;
        row.work = self.shared_work_of_leaving();
        row.status = self.running.status;
        row.priority = self.running.priority;
        row.object = self.running.object;
        row.waits_on = std::mem::replace(&mut self.running.waits_on, Value::NIL);
        row.interruption = Value::NIL;
        row.is_fresh = true;
        row.started = true;
        row.depth_exceeded_at = self.running.depth_exceeded_at.take();
        row.family = self.running.family;
        self.processes.bytes += row.bytes();
        self.processes.table[self.running.id.0 as usize] = Some(row);
        if !self.running.is_fresh {
            self.note_fresh_process(self.running.id);
        }
    }

    /// Takes a process's state out of its row and makes it the running one.
    pub(crate) fn switch_in(&mut self, id: ProcessId) {
        let Some(mut row) = self
            .processes
            .table
            .get_mut(id.0 as usize)
            .and_then(Option::take)
        else {
            return;
        };
        self.processes.bytes -= row.bytes();
        std::mem::swap(&mut self.running.stack, &mut row.stack);
        std::mem::swap(&mut self.running.marks, &mut row.marks);
        std::mem::swap(&mut self.running.contexts, &mut row.contexts);
        if row.stack.len() > 0 {
            // Of a process that has ended.
            let stack = std::mem::replace(&mut row.stack, Stack::new(0));
            self.processes.end_stack(stack);
            row.marks = Vec::new();
            row.contexts = Contexts::default();
        }
        self.running.silence = row.silence.take();
        std::mem::swap(&mut self.running.interrupted, &mut row.interrupted);
        self.running.is_fresh = row.is_fresh;
        self.running.id = id;
        self.running.ended = false;
        self.running.status = Status::Runnable;
        self.running.priority = row.priority;
        self.running.object = row.object;
        self.registers.ip = row.ip;
        self.registers.ticks = row.ticks;
        self.registers.loops = row.loops;
        self.resume_shared_work(row.work);
        self.running.depth_exceeded_at = row.depth_exceeded_at;
        self.running.family = row.family;
        self.counters.other_ticks = self.counters.other_ticks.wrapping_sub(self.registers.ticks);
        self.counters.other_loops = self.counters.other_loops.wrapping_sub(self.registers.loops);
        self.enter_silence();
        let (fp, limit, started) = (row.fp, row.stack_limit, row.started);
        self.processes.spare_row = Some(row);
        self.set_frame(fp);
        if started {
            // The limit was computed for the frames of this process.
            self.set_stack_limit_index(limit);
            self.process_event(ProcessEvent::GoesOn);
        } else {
            self.set_stack_limit_from_depth();
            self.process_event(ProcessEvent::Begins(fp));
        }
    }

    /// The running process has ended. If it was the script's, the run is over.
    pub(super) fn end_process(&mut self, value: Value) -> Next {
        self.running.ended = true;
        self.running.status = Status::Ended;
        self.process_ends(self.running.id);
        if self.running.object.is_object() {
            // A Process object without a number has ended.
            self.heap.set_slot(self.running.object, 0, Value::NIL);
        }
        let is_main = self.running.id == self.processes.main;
        if let Some(request) = self.request_of_process() {
            if is_main {
                self.run.result = value;
            }
            return self.end_request(request, value);
        }
        if is_main {
            self.run.result = value;
            return self.deliver_next();
        }
        match self
            .actors
            .turn
            .take_if(|turn| turn.process == self.running.id)
        {
            Some(turn) => self.end_turn_of_actor(&turn),
            None => self.switch(),
        }
    }
}
