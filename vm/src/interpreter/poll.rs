//! Poll points, limits, and the switching of processes.

use super::{Exit, Next};
use crate::process::{ProcessId, Stack, Status};
use crate::value::Value;
use crate::vm::{Limit, Stop, Vm};

impl Vm {
    /// What is due at a poll point at which ticks have reached the limit.
    #[cold]
    #[inline(never)]
    pub(super) fn poll(&mut self) -> Next {
        if self.sampler.is_some() {
            self.take_sample();
        }
        if std::mem::take(&mut self.collection_is_wanted) {
            self.collect_nursery();
        }
        if std::mem::take(&mut self.memory_is_short) {
            self.keep_to_limit(0);
        }
        if let Some(stop) = self.pending_stop {
            return Next::Exit(Exit::Stop(stop));
        }
        if let Some(silence) = &self.silence {
            // Overhead counts against no limit, and silent code is not preempted; but it must end.
            let most = self.config.max_ticks.unwrap_or(u64::MAX);
            if silence.ticks_taken(self.ticks) < most {
                self.tick_limit = silence.end_after(most);
                return Next::Continue;
            }
            return Next::Exit(Exit::Stop(Stop::Limit(Limit::Ticks)));
        }
        if let Some(max) = self.config.max_ticks
            && self.total_ticks() >= max
        {
            return Next::Exit(Exit::Stop(Stop::Limit(Limit::Ticks)));
        }
        self.wake_sleepers();
        let slice_over = self.slice_end.is_some_and(|end| self.ticks >= end);
        if self.higher_priority_ready() {
            // The preempted process goes on first among its equals.
            let me = self.current;
            self.ready.push_first(me, self.current_priority);
            return self.switch();
        }
        if slice_over {
            let me = self.current;
            self.ready.push(me, self.current_priority);
            return self.switch();
        }
        self.set_tick_limit();
        Next::Continue
    }

    /// Ticks of all processes since the run began.
    pub fn total_ticks(&self) -> u64 {
        self.ticks
            .wrapping_add(self.other_ticks)
            .wrapping_sub(self.preset_ticks)
    }

    fn higher_priority_ready(&self) -> bool {
        let highest = self.ready.highest_priority();
        highest.is_some_and(|priority| priority > self.current_priority)
    }

    /// Sets the tick at which a poll point has something to do.
    pub(crate) fn set_tick_limit(&mut self) {
        let mut limit = u64::MAX;
        if let Some(max) = self.config.max_ticks {
            let own = max
                .saturating_sub(self.other_ticks)
                .saturating_add(self.preset_ticks);
            limit = limit.min(own);
        }
        if let Some(end) = self.slice_end {
            limit = limit.min(end);
        }
        if let Some(look) = self.next_look() {
            limit = limit.min(look);
        }
        if self.sampler.is_some() {
            limit = limit.min(self.ticks.saturating_add(crate::sampling::LOOK_EVERY));
        }
        let is_due = self.pending_stop.is_some() || self.memory_is_short;
        if is_due || self.collection_is_wanted || self.higher_priority_ready() {
            limit = 0;
        }
        self.tick_limit = limit;
    }

    /// Lets the scheduler choose among the ready processes of the highest priority, and goes on with its choice. The
    /// running process was put where it belongs by the caller (ready, waiting or nowhere).
    pub(super) fn switch(&mut self) -> Next {
        self.wake_sleepers();
        if self.ready.longest_waiting().is_none() {
            self.wait_for_sleeper();
        }
        let Some(first) = self.ready.longest_waiting() else {
            return Next::Exit(Exit::Stop(Stop::Deadlock));
        };
        let chosen = if self.scheduler.takes_first() {
            first
        } else {
            let candidates = self.ready.of_highest_priority();
            let choice = self.scheduler.choose(&candidates) % candidates.len();
            candidates[choice]
        };
        self.ready.remove(chosen);
        let mut interruption = Value::NIL;
        if chosen != self.current {
            self.switch_out();
            if let Some(Some(process)) = self.processes.get_mut(chosen.0 as usize) {
                interruption = std::mem::replace(&mut process.interruption, Value::NIL);
            }
            self.switch_in(chosen);
        }
        self.current_waits_on = Value::NIL;
        self.slice_end = self
            .scheduler
            .slice()
            .map(|ticks| self.ticks.saturating_add(ticks));
        self.set_tick_limit();
        match self.pending_termination.iter().position(|&id| id == chosen) {
            Some(at) => {
                self.pending_termination.remove(at);
                self.unwind(crate::process::Unwinding {
                    target: 0,
                    goal: crate::process::Goal::Terminate,
                    value: Value::NIL,
                })
            }
            None => match self.block_body(interruption, 0) {
                // The process goes on where it was when the block is done; nobody waits for its answer.
                Some(body) => {
                    let distance = self.delivery_distance();
                    self.deliver(body, distance, &[interruption], None, self.ip)
                }
                None => Next::Continue,
            },
        }
    }

    /// Puts the running process's state into its row. Does nothing when it has ended.
    fn switch_out(&mut self) {
        self.leave_silence();
        self.other_ticks = self.other_ticks.wrapping_add(self.ticks);
        self.other_loops = self.other_loops.wrapping_add(self.loops);
        if self.current_ended {
            self.forget_silence();
            return;
        }
        let (fp, stack_limit) = (self.frame_index(), self.stack_limit_index());
        // What is exchanged with an empty row is empty then.
        let mut row = self.spare_row.take().unwrap_or_default();
        std::mem::swap(&mut row.stack, &mut self.stack);
        std::mem::swap(&mut row.marks, &mut self.marks);
        row.silence = self.silence.take();
        std::mem::swap(&mut row.interrupted, &mut self.interrupted);
        row.fp = fp;
        row.ip = self.ip;
        row.stack_limit = stack_limit;
        row.ticks = self.ticks;
        row.loops = self.loops;
        row.status = self.current_status;
        row.priority = self.current_priority;
        row.object = self.current_object;
        row.waits_on = std::mem::replace(&mut self.current_waits_on, Value::NIL);
        row.interruption = Value::NIL;
        row.is_fresh = true;
        row.started = true;
        row.depth_exceeded_at = self.depth_exceeded_at.take();
        self.bytes_of_processes += row.bytes();
        self.processes[self.current.0 as usize] = Some(row);
        if !self.current_is_fresh {
            self.note_fresh_process(self.current);
        }
    }

    /// Takes a process's state out of its row and makes it the running one.
    pub(crate) fn switch_in(&mut self, id: ProcessId) {
        let Some(mut row) = self.processes.get_mut(id.0 as usize).and_then(Option::take) else {
            return;
        };
        self.bytes_of_processes -= row.bytes();
        std::mem::swap(&mut self.stack, &mut row.stack);
        std::mem::swap(&mut self.marks, &mut row.marks);
        if row.stack.len() > 0 {
            // Of a process that has ended.
            row.stack = Stack::new(0);
            row.marks = Vec::new();
        }
        self.silence = row.silence.take();
        std::mem::swap(&mut self.interrupted, &mut row.interrupted);
        self.current_is_fresh = row.is_fresh;
        self.current = id;
        self.current_ended = false;
        self.current_status = Status::Runnable;
        self.current_priority = row.priority;
        self.current_object = row.object;
        self.ip = row.ip;
        self.ticks = row.ticks;
        self.loops = row.loops;
        self.depth_exceeded_at = row.depth_exceeded_at;
        self.other_ticks = self.other_ticks.wrapping_sub(self.ticks);
        self.other_loops = self.other_loops.wrapping_sub(self.loops);
        self.enter_silence();
        let (fp, limit, started) = (row.fp, row.stack_limit, row.started);
        self.spare_row = Some(row);
        self.set_frame(fp);
        if started {
            // Its frames are those that the limit was worked out for.
            self.set_stack_limit_index(limit);
        } else {
            self.set_stack_limit_from_depth();
            self.note_first_entry(fp);
        }
    }

    /// The running process has come to its end; the run is over if it was the script's.
    pub(super) fn end_process(&mut self, value: Value) -> Next {
        self.current_ended = true;
        self.current_status = Status::Ended;
        if self.current_object.is_object() {
            // A Process object without a number has ended.
            self.heap.set_slot(self.current_object, 0, Value::NIL);
        }
        if self.current == self.main {
            self.result = value;
            let stop = if self.failed {
                Stop::Failed
            } else {
                Stop::Finished
            };
            return Next::Exit(Exit::Stop(stop));
        }
        self.switch()
    }
}
