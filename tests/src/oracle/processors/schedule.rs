//! CPUs, and the moments at which a processor goes on.

use super::agenda::Phase;
use super::record::{Circumstances, What};
use super::state::{Doing, Planned, Processor, Queued, Simulator, Task};

impl Simulator<'_> {
    /// Lets a processor go on: at once if it still has its CPU, else when it is given one.
    pub(super) fn make_ready(&mut self, processor: usize) {
        if self.processors[processor].has_cpu {
            self.processors[processor].doing = Doing::Runs;
            self.plan(0, processor, Planned::Proceed(processor));
        } else {
            self.processors[processor].doing = Doing::Ready(self.now(), false);
            self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
        }
    }

    /// Gives one free CPU to the processor that has been ready the longest, the lowest of several. What that processor does
    /// at this moment comes before the next CPU is given away.
    pub(super) fn dispatch(&mut self) {
        for processor in &mut self.processors {
            processor.has_cpu &= matches!(processor.doing, Doing::Runs | Doing::Expires);
        }
        let busy = self.processors.iter().filter(|p| p.has_cpu).count() as u64;
        if self.circumstances.cpus.is_some_and(|cpus| busy >= cpus) {
            return;
        }
        let ready =
            (0..self.processors.len()).filter_map(|number| match self.processors[number].doing {
                Doing::Ready(since, has_given_up) => {
                    Some((since, has_given_up, self.rank(number, since), number))
                }
                _ => None,
            });
        let Some((_, _, _, processor)) = ready.min() else {
            return;
        };
        let is_switch = self.takes_cpu_of_another(processor);
        let now = self.now();
        let row = &mut self.processors[processor];
        (row.has_cpu, row.since, row.doing) = (true, now, Doing::Runs);
        (row.is_given, row.has_ticked) = (true, false);
        let cost = match is_switch {
            true => self.circumstances.costs.switch,
            false => 0,
        };
        match cost {
            0 => self.plan(0, processor, Planned::Proceed(processor)),
            cost => self.charge(processor, cost),
        }
        self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
    }

    /// Chooses the CPU of the processor, if CPUs have numbers. Answers whether it had another processor before.
    fn takes_cpu_of_another(&mut self, processor: usize) -> bool {
        let Some(count) = self.circumstances.cpus else {
            return false;
        };
        let holders = self.processors.iter().filter(|other| other.has_cpu);
        let used: Vec<usize> = holders.filter_map(|other| other.cpu).collect();
        let own = self.processors[processor].cpu;
        let cpu = match own.filter(|cpu| !used.contains(cpu)) {
            Some(own) => own,
            None if (self.cpus.len() as u64) < count => {
                self.cpus.push(processor);
                self.cpus.len() - 1
            }
            None => {
                let mut free = (0..self.cpus.len()).filter(|cpu| !used.contains(cpu));
                free.next().unwrap_or_default()
            }
        };
        self.processors[processor].cpu = Some(cpu);
        std::mem::replace(&mut self.cpus[cpu], processor) != processor
    }

    /// Whether the processor has to look now whether another one waits for its CPU.
    pub(super) fn is_slice_over(&self, processor: usize) -> bool {
        let Circumstances {
            slice: Some(slice),
            cpus: Some(_),
            ..
        } = self.circumstances
        else {
            return false;
        };
        let row = &self.processors[processor];
        let looks = match row.tasks.last() {
            Some(Task::Ticks(count)) => *count > 0 && row.has_ticked,
            Some(Task::Take(_) | Task::Granted(_) | Task::Unlock | Task::WentRound) => true,
            Some(Task::Await(_)) => self.has_cause(processor),
            _ => false,
        };
        looks && !row.is_given && self.now() >= row.since + slice
    }

    pub(super) fn look_at_others(&mut self, processor: usize) {
        self.processors[processor].doing = Doing::Expires;
        self.plan_in(Phase::Expire, 0, processor, Planned::Expire(processor));
    }

    /// The processor gives up its CPU if another one waits for one. Else a new slice begins.
    pub(super) fn expire(&mut self, processor: usize) {
        let now = self.now();
        let is_ready = |other: &Processor| matches!(other.doing, Doing::Ready(..));
        let is_wanted = self.processors.iter().any(is_ready);
        let row = &mut self.processors[processor];
        if is_wanted {
            (row.has_cpu, row.doing) = (false, Doing::Ready(now, true));
            self.agenda.plan_phase(Phase::Dispatch, Planned::Dispatch);
            return;
        }
        (row.since, row.doing) = (now, Doing::Runs);
        (row.is_given, row.has_ticked) = (true, false);
        self.proceed(processor);
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

    /// Goes round a loop that often.
    pub(super) fn run_loop(&mut self, processor: usize, count: u64) {
        let first = self.ticks_of_slice(processor, count);
        self.push(processor, [Task::WentRound, Task::Loop(count - first)]);
        self.run_ticks(processor, first);
    }

    /// How many of the ticks are executed before the end of the slice.
    fn ticks_of_slice(&self, processor: usize, count: u64) -> u64 {
        let now = self.now();
        let slice = self
            .circumstances
            .slice
            .filter(|_| self.circumstances.cpus.is_some());
        slice.map_or(count, |slice| {
            let end = self.processors[processor].since + slice;
            end.saturating_sub(now).clamp(1, count)
        })
    }

    /// Executes ticks, up to the end of the slice if there is one.
    pub(super) fn run_ticks(&mut self, processor: usize, count: u64) {
        let now = self.now();
        let first = self.ticks_of_slice(processor, count);
        self.push(processor, [Task::Ticks(count - first)]);
        let count = first;
        self.ticks += count;
        self.processors[processor].has_ticked = true;
        self.note_at(now + count, processor, None, What::RanFrom(now));
        self.plan(count, processor, Planned::Proceed(processor));
    }

    /// Time passes in which the processor is charged.
    pub(super) fn charge(&mut self, processor: usize, units: u64) {
        let now = self.now();
        self.note_at(now + units, processor, None, What::ChargedFrom(now));
        self.plan(units, processor, Planned::Proceed(processor));
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
