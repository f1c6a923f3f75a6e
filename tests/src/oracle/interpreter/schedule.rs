//! Switches between processes, at poll points only (counting model, 1 and 6).

use crate::oracle::machine::frame::{After, Goal, Unwinding};
use crate::oracle::machine::process::{Process, Status};
use crate::oracle::machine::{Ending, Machine};
use crate::oracle::value::Value;

impl Machine {
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
            self.charge(vec![("switches", 1)]);
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
        self.note_end(me);
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
}
