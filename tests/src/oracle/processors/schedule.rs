//! CPUs, and the moments at which a processor goes on.

use super::agenda::Phase;
use super::record::What;
use super::state::{Doing, Planned, Queued, Simulator, Task};

impl Simulator<'_> {
    /// Lets a processor go on: at once if it still has its CPU, else when it is given one.
    pub(super) fn make_ready(&mut self, processor: usize) {
        if self.processors[processor].has_cpu {
            self.processors[processor].doing = Doing::Runs;
            self.plan(0, processor, Planned::Proceed(processor));
        } else {
            self.processors[processor].doing = Doing::Ready(self.now());
            self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
        }
    }

    /// Gives one free CPU to the processor that has been ready the longest, the lowest of several. What that processor does
    /// at this moment comes before the next CPU is given away.
    pub(super) fn dispatch(&mut self) {
        for processor in &mut self.processors {
            processor.has_cpu &= processor.doing == Doing::Runs;
        }
        let busy = self.processors.iter().filter(|p| p.has_cpu).count() as u64;
        if self.circumstances.cpus.is_some_and(|cpus| busy >= cpus) {
            return;
        }
        let ready = self.processors.iter().enumerate();
        let ready = ready.filter_map(|(number, processor)| match processor.doing {
            Doing::Ready(since) => Some((since, &processor.path, number)),
            _ => None,
        });
        let Some((_, _, processor)) = ready.min() else {
            return;
        };
        self.processors[processor].has_cpu = true;
        self.processors[processor].doing = Doing::Runs;
        self.plan(0, processor, Planned::Proceed(processor));
        self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
    }

    /// A processor waits. It keeps its CPU for a lock that may be granted at this moment, and for nothing else.
    pub(super) fn pause(&mut self, processor: usize, doing: Doing) {
        self.processors[processor].doing = doing;
        self.processors[processor].has_cpu &= doing == Doing::WaitsForLocks;
        self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
    }

    /// A processor has served a request. It keeps its CPU if the next is already in its queue.
    pub(super) fn look_for_work(&mut self, processor: usize) {
        self.processors[processor].doing = Doing::Idle;
        self.serve(processor);
        if self.processors[processor].doing == Doing::Idle {
            self.pause(processor, Doing::Idle);
        }
    }

    /// Executes ticks.
    pub(super) fn run_ticks(&mut self, processor: usize, count: u64) {
        let now = self.now();
        self.ticks += count;
        self.note_at(now + count, processor, None, What::RanFrom(now));
        self.plan(count, processor, Planned::Proceed(processor));
    }

    /// A request has come.
    pub(super) fn arrive(&mut self, request: usize) {
        let supplier = self.requests[request].supplier;
        if !self.requests[request].is_callback {
            let queue = &mut self.processors[supplier].queue;
            queue.push_back(Queued::Request(request));
            return self.serve(supplier);
        }
        // If the chain has ended there in the meantime, it comes before all others.
        self.processors[supplier].callbacks.push_back(request);
        self.wake_waiting(supplier);
        self.serve(supplier);
    }

    /// An unlock has come.
    pub(super) fn arrive_unlock(&mut self, supplier: usize) {
        self.processors[supplier].queue.push_back(Queued::Unlock);
        self.serve(supplier);
    }

    /// An answer has come.
    pub(super) fn arrive_reply(&mut self, request: usize, has_failed: bool) {
        let client = self.requests[request].client;
        self.replies.insert(request, has_failed);
        self.wake_waiting(client);
    }

    /// Lets a processor that waits look at what came: callbacks first, then its own answer.
    pub(super) fn wake_waiting(&mut self, processor: usize) {
        if self.processors[processor].doing == Doing::Waits && self.has_cause(processor) {
            self.make_ready(processor);
        }
    }

    /// Whether a processor that waits for an answer can do anything.
    pub(super) fn has_cause(&self, processor: usize) -> bool {
        let awaited = match self.processors[processor].tasks.last() {
            Some(Task::Await(request)) => self.replies.contains_key(request),
            _ => false,
        };
        awaited || self.next_callback(processor).is_some()
    }
}
