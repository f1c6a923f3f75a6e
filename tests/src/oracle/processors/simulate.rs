//! The simulator: what the rules of processors in virtual time say about a program of the small language.
//! It is written from the rules alone.

use std::collections::BTreeMap;

use super::agenda::Agenda;
use super::language::Program;
use super::ranks::Rank;
use super::record::{Circumstances, Ending, Record, What};
pub use super::state::Stop;
use super::state::{Doing, Feature, Future, Planned, Processor, Simulator, Task, Way};
use super::ticks;

/// Requests beyond which a program is not worth its time.
const MOST_REQUESTS: usize = 600;

/// Runs a program.
///
/// # Errors
/// Why there is no record.
pub fn simulate(program: &Program, circumstances: Circumstances) -> Result<Record, Stop> {
    let mut simulator = Simulator {
        program,
        circumstances,
        agenda: Agenda::default(),
        processors: vec![Processor::new(Vec::new(), program.nodes[0].class)],
        requests: Vec::new(),
        chains: 1,
        frames: Vec::new(),
        scopes: Vec::new(),
        claims: BTreeMap::new(),
        approval: None,
        cpus: Vec::new(),
        unlocks: 0,
        replies: BTreeMap::new(),
        happenings: Vec::new(),
        shown: Vec::new(),
        end: 0,
        ticks: 0,
        has_detached: false,
        has_failed: false,
        stop: None,
    };
    simulator.start();
    while let Some(planned) = simulator.agenda.next() {
        simulator.happen(planned);
        if simulator.requests.len() > MOST_REQUESTS {
            return Err(Stop::Beyond("too many requests"));
        }
        if let Some(stop) = simulator.stop {
            return Err(stop);
        }
    }
    let is_quiet = simulator.processors.iter().all(|processor| {
        processor.doing == Doing::Idle && processor.queue.is_empty() && processor.serving.is_empty()
    });
    // The last arrival counts, even if it only stands in a queue for ever.
    simulator.end = simulator.end.max(simulator.now());
    let ending = match is_quiet && simulator.claims.is_empty() {
        true if simulator.has_failed => Ending::Failed,
        true => Ending::Finished,
        false => Ending::Deadlock,
    };
    Ok(Record::new(
        simulator.happenings,
        simulator.end,
        ending,
        simulator.ticks,
        output(simulator.shown),
    ))
}

/// R18: what was written, in the order of moments, and of ranks at the same moment.
fn output(mut shown: Vec<(u64, Rank, u8)>) -> String {
    shown.sort_by(|(time, rank, _), (other, other_rank, _)| (time, rank).cmp(&(other, other_rank)));
    shown
        .iter()
        .map(|(_, _, digit)| digit.to_string())
        .collect()
}

impl Simulator<'_> {
    fn happen(&mut self, planned: Planned) {
        match planned {
            Planned::Proceed(processor) => self.proceed(processor),
            Planned::Arrive(request) => self.arrive(request),
            Planned::Reply {
                request,
                has_failed,
            } => self.arrive_reply(request, has_failed),
            Planned::Unlock(processor) => self.arrive_unlock(processor),
            Planned::Wake(processor) => {
                self.note(processor, self.current(processor), What::Wakes);
                self.make_ready(processor);
            }
            Planned::Grant => self.grant(),
            Planned::Approve => self.approve(),
            Planned::Expire(processor) => self.expire(processor),
            Planned::Dispatch => self.dispatch(),
        }
    }

    /// The script: it makes the processors, then its own object, then fills all fields, then starts its own object.
    fn start(&mut self) {
        let request = self.request(0, 0, Feature::Script);
        let nodes = &self.program.nodes;
        let mut tasks = vec![Task::Finish {
            request,
            has_failed: false,
        }];
        tasks.extend([Task::Activate(0, [0; 2]), Task::Ticks(1)]);
        for (number, node) in nodes.iter().enumerate().rev() {
            let fill = Feature::Fill(node.fields, node.counter);
            tasks.push(match number {
                0 => Task::Fill(0, node.fields, node.counter),
                supplier => Task::Ask {
                    supplier,
                    feature: fill,
                    way: Way::Discard,
                },
            });
            tasks.push(Task::Ticks(1));
        }
        tasks.push(Task::Ticks(1 + ticks::NEW));
        for node in nodes.iter().skip(1).rev() {
            tasks.push(Task::Create {
                frame: None,
                class: node.class,
            });
            tasks.push(Task::Charge(self.circumstances.costs.create));
            tasks.push(Task::Ticks(1));
        }
        self.processors[0].tasks = tasks;
        self.processors[0].serving.push(request);
        self.make_ready(0);
    }

    /// Lets a processor do what it has to do, until it needs time.
    pub(super) fn proceed(&mut self, processor: usize) {
        while self.processors[processor].doing == Doing::Runs {
            if self.is_slice_over(processor) {
                return self.look_at_others(processor);
            }
            self.processors[processor].is_given = false;
            let Some(task) = self.processors[processor].tasks.pop() else {
                return self.look_for_work(processor);
            };
            match task {
                Task::Ticks(0) | Task::Charge(0) | Task::Loop(0) => {}
                Task::Loop(count) => return self.run_loop(processor, count),
                Task::Ticks(count) => return self.run_ticks(processor, count),
                Task::Charge(units) => return self.charge(processor, units),
                task => self.carry_out(processor, task),
            }
        }
    }

    pub(super) fn push(&mut self, processor: usize, tasks: impl IntoIterator<Item = Task>) {
        let mut tasks: Vec<Task> = tasks.into_iter().collect();
        tasks.reverse();
        self.processors[processor].tasks.extend(tasks);
    }

    pub(super) fn carry_out(&mut self, me: usize, task: Task) {
        match task {
            Task::Ticks(_) | Task::Loop(_) | Task::Charge(_) | Task::Guard | Task::WentRound => {}
            Task::Take(request) => self.take(me, request),
            Task::Begin(request) => self.begin_request(me, request),
            Task::Statements(frame, selector, index) => {
                self.statements(me, frame, selector, index);
            }
            Task::Perform(frame, statement) => self.perform(me, frame, statement),
            Task::Sent { frame, send, way } => self.sent(me, frame, send, way),
            Task::Await(request) => self.go_on_waiting(me, request),
            Task::Join(frame) => self.join(me, frame),
            Task::Resolve(frame) => self.frames[frame].future = Future::Known(false),
            Task::Create { frame, class } => self.create(me, frame, class),
            Task::Ask {
                supplier,
                feature,
                way,
            } => self.ask(me, supplier, feature, way),
            Task::Send {
                supplier,
                feature,
                way,
            } => self.send(me, supplier, feature, way),
            Task::FillTemporary {
                frame,
                fields,
                counter,
            } => self.fill_temporary(me, frame, fields, counter),
            Task::Fill(object, fields, counter) => self.fill(object, fields, counter),
            Task::Activate(selector, parameters) => self.activate(me, selector, parameters, None),
            Task::End(frame, selector) => self.end_of(me, frame, selector),
            Task::Granted(scope) => self.granted(me, scope),
            Task::Locked(scope) => self.locked(me, scope),
            Task::Judge(scope) => self.judge(me, scope),
            Task::Close(scope) => self.close(scope),
            Task::ReturnLocally(request) => self.note(me, Some(request), What::Returns),
            Task::Sleep(time) => self.sleep(me, time),
            Task::Show(digit) => self.show(me, digit),
            Task::Raise => self.raise(me),
            Task::Unlock => {
                let charge = Task::Charge(self.circumstances.costs.unlock);
                self.push(me, [charge, Task::Unlocked]);
            }
            Task::Unlocked => self.unlock(me),
            Task::Finish {
                request,
                has_failed,
            } => self.finish(me, request, has_failed),
        }
    }

    /// The innermost request of a processor; a local activation of a scope is one.
    pub(super) fn current(&self, me: usize) -> Option<usize> {
        let mut tasks = self.processors[me].tasks.iter().rev();
        tasks.find_map(|task| match task {
            Task::ReturnLocally(request) | Task::Finish { request, .. } => Some(*request),
            _ => None,
        })
    }
}
