//! The engine: processors, requests, locks and CPUs in virtual time. It knows no frames and no objects.
//!
//! A processor's turn lasts up to its next interaction. The machine executes the turn ahead of the others. By
//! [`Engine::intend`] it states what the processor wants to do then, and when. The engine lets it do so when that moment is
//! the earliest of all.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::approvals::Approval;
use super::calls::describe;
use super::causes::Carrier;
use super::cpus::Cpus;
use super::events::EventKind;
use super::grants::Grants;
use super::guided::Guided;
use super::happenings::{Agenda, Happening};
pub(crate) use super::ids::{ProcessorId, RequestId};
use super::log::Log;
use super::paths::Path;
use super::processor::{MaybeWork, Processor, Queued, State, Work};
use super::requests::{Made, Message, Request, Requests};
use super::simulation::{Recheck, Simulation};
use super::table::Processors;
use super::ties::Rank;
use crate::base::{ClassId, ProcessId, SymbolId, Value};
use crate::world::Failure;

/// The processor that runs the script.
pub(crate) const ROOT: ProcessorId = ProcessorId(0);

/// The request that stands for the script.
pub(crate) const SCRIPT: RequestId = RequestId(0);

/// Virtual time ends here: half of what its counter holds, so that sums of two moments exist.
const END_OF_TIME: u64 = u64::MAX / 2;

/// The most work without a processor that is kept for the next one.
const MOST_SPARE: usize = 64;

/// What a processor does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It begins the request.
    Begin(RequestId),
    /// It goes on with the answer of the request.
    Answer(RequestId),
    /// It has sent the request, and goes on.
    Sent(RequestId),
    /// It has the locks of the scope with this serial.
    Locked(u64),
    /// One of its processes goes on.
    Onward,
    /// Nothing is left to happen elsewhere.
    Settled,
    /// It is unlocked, which the machine has no part in.
    Unlock,
    /// The others have caught up with it.
    CaughtUp,
}

/// What a client gets from its request.
pub(crate) struct Answered {
    pub(crate) answer: Value,
    /// What was made so that the answer could cross.
    pub(crate) made: Made,
    /// The exception by which it failed, as its supplier sees it; nil if it did not.
    pub(crate) failure: Value,
    pub(crate) supplier: ProcessorId,
    /// The failure of a command before it, because of which it was not served.
    pub(crate) refusal: Option<Box<Failure>>,
    /// The Future that stands for the answer, or nil.
    pub(crate) future: Value,
    /// Whether the client waited for its value.
    pub(crate) is_joined: bool,
}

/// What a processor wants to do at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Send the request and wait for the answer.
    Call(RequestId),
    /// Send the request, and decide only then whether to wait for the answer.
    Send(RequestId),
    /// The same, because the processor is far ahead of the others.
    SendAhead(RequestId),
    /// Wait for the answer of a request that was sent before.
    Join(RequestId),
    /// Wait for the locks of the scope with this serial.
    Lock(u64),
    /// Give back the locks of the scope with this serial, and wait for them again: its condition was false.
    Retry(u64),
    /// End the request.
    Finish(RequestId),
    /// Go on when nothing is left to happen elsewhere.
    Settle,
    /// Let the others catch up.
    Look,
    /// Give up the CPU if another one waits for it: the slice is over.
    Yield,
    /// Let nothing run for this number of ticks, or until another processor makes a process of it ready.
    Rest(Option<u64>),
}

/// The state of all processors.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(super) now: u64,
    pub(super) simulation: Simulation,
    pub(super) cpus: Cpus,
    pub(super) agenda: Agenda,
    pub(super) processors: Processors,
    /// Work of processors that have none now.
    spare: Vec<MaybeWork>,
    pub(super) requests: Requests,
    /// The number of the last chain that began.
    pub(super) chains: u32,
    /// Callbacks under way for which no client waits, by their chains. There the members of a chain run at the same time.
    pub(super) loose: HashMap<u32, u32>,
    pub(super) grants: Grants,
    /// What the central scheduler does, if it does something.
    pub(super) approval: Option<Approval>,
    /// How often processors were unlocked.
    pub(super) unlocks: u64,
    pub(super) log: Log,
    /// Failures of commands that no client will ask for.
    pub(crate) unasked: Vec<Failure>,
    /// Processors that wait for each other, as far as that was not told.
    pub(crate) circles: Vec<Vec<ProcessorId>>,
    /// The processors of those that were reported.
    pub(crate) reported: HashSet<ProcessorId>,
    /// Present if a guide decides what happens next.
    pub(crate) guided: Option<Box<Guided>>,
}

impl Engine {
    /// One processor, which has run the script up to this moment. The events are kept or not.
    pub(crate) fn new(now: u64, simulation: Simulation, is_kept: bool) -> Engine {
        let root = Processor::new(Path::new(Arc::from([])), ClassId(0));
        let script = Request::new(ROOT, ROOT, (ClassId(0), Message::named(SymbolId(0))));
        let mut log = Log::new(is_kept);
        log.describe(script.number, describe(&script, None));
        log.begin(now);
        let mut requests = Requests::default();
        requests.add(script);
        let mut engine = Engine {
            now,
            simulation,
            cpus: Cpus::new(simulation.cpus),
            agenda: Agenda::default(),
            processors: Processors::default(),
            spare: Vec::new(),
            requests,
            chains: 0,
            loose: HashMap::new(),
            grants: Grants::default(),
            approval: None,
            unlocks: 0,
            log,
            unasked: Vec::new(),
            circles: Vec::new(),
            reported: HashSet::new(),
            guided: None,
        };
        engine.processors.push(root);
        engine.start_script();
        engine
    }

    /// The root processor has a CPU and begins a script. No other one runs.
    fn start_script(&mut self) {
        for processor in self.processors.iter_mut() {
            (processor.cpu, processor.has_cpu) = (None, false);
        }
        self.processor(ROOT).start();
        self.take_cpu(ROOT);
    }

    /// Another script begins on the root processor. What an earlier one left unfinished is dropped. Answers the processes of
    /// requests that were under way.
    pub(crate) fn restart(&mut self, simulation: Simulation) -> Vec<ProcessId> {
        self.simulation = simulation;
        self.cpus = Cpus::new(simulation.cpus);
        self.reported.clear();
        if self.is_quiet() {
            // Futures can wait for answers that have come.
            self.start_script();
            return Vec::new();
        }
        (self.agenda, self.grants) = (Agenda::default(), Grants::default());
        self.approval = None;
        self.loose.clear();
        for processor in self.processors.iter_mut() {
            processor.forget_requests();
        }
        self.start_script();
        self.requests.release_all_but_first()
    }

    /// The virtual time.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// What has happened, if it is kept.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// The same, for taking out a part.
    pub(crate) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    /// Bytes that all this takes, without the queues.
    pub(crate) fn bytes(&self) -> usize {
        self.processors.bytes() + self.requests.bytes() + self.log.bytes()
    }

    /// How many processors there are.
    pub(crate) fn processor_count(&self) -> usize {
        self.processors.len()
    }

    pub(crate) fn request(&self, id: RequestId) -> &Request {
        self.requests.get(id)
    }

    pub(crate) fn request_mut(&mut self, id: RequestId) -> &mut Request {
        self.requests.get_mut(id)
    }

    /// The process has the processor's turn.
    pub(crate) fn serves(&mut self, id: ProcessorId, process: ProcessId) {
        match self.processor(id).work.stack.last() {
            Some(&request) => self.request_mut(request).last = Some(process),
            None => self.processor(id).last = Some(process),
        }
    }

    /// The process that had the last turn in the processor's innermost request, or while it was idle.
    pub(crate) fn last_process(&self, id: ProcessorId) -> Option<ProcessId> {
        let processor = &self.processors[id.0 as usize];
        match processor.work.stack.last() {
            Some(&request) => self.request(request).last,
            None => processor.last,
        }
    }

    /// The request of the processor that ends with the process.
    pub(crate) fn request_of(&self, id: ProcessorId, process: ProcessId) -> Option<RequestId> {
        let mut stack = self.processors[id.0 as usize].work.stack.iter().rev();
        let is_its = |request: &&RequestId| {
            let request = self.request(**request);
            request.process == Some(process) && !request.is_local
        };
        stack.find(is_its).copied()
    }

    pub(super) fn processor(&mut self, id: ProcessorId) -> &mut Processor {
        &mut self.processors[id.0 as usize]
    }

    /// The work of the processor, which gets more.
    pub(super) fn work(&mut self, id: ProcessorId) -> &mut Work {
        self.processors[id.0 as usize].work_or(&mut self.spare)
    }

    /// The request that the processor executes.
    pub(crate) fn innermost(&self, id: ProcessorId) -> RequestId {
        let processor = &self.processors[id.0 as usize];
        processor.work.stack.last().copied().unwrap_or(SCRIPT)
    }

    /// Whether no processor executes, waits or has requests in its queue.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut all = self.processors.iter();
        all.all(|one| {
            matches!(one.state, State::Idle | State::Settling)
                && one.work.queue.is_empty()
                && one.work.callbacks.is_empty()
        }) && self.grants.is_empty()
    }

    /// Whether anything is still to happen.
    pub(crate) fn is_anything_left(&self) -> bool {
        !self.agenda.is_empty()
    }

    /// The rank of the processor at the moment.
    pub(super) fn rank(&self, id: ProcessorId, moment: u64) -> Rank {
        let path = &self.processors[id.0 as usize].path;
        self.simulation.ties.rank(path, moment)
    }

    /// Notes that something happens which comes from this processor.
    pub(super) fn plan(&mut self, time: u64, origin: ProcessorId, happening: Happening) {
        let number = self.processor(origin).next_planned();
        let rank = self.rank(origin, time);
        self.agenda.push(time, rank, number, happening);
    }

    /// The same for what follows from what the processor executes, maybe ahead of the others.
    pub(super) fn plan_own(&mut self, time: u64, origin: ProcessorId, happening: Happening) {
        let number = self.processor(origin).next_own();
        let rank = self.rank(origin, time);
        self.agenda.push(time, rank, number, happening);
    }

    // --- what the machine states ----------------------------------------------------------------

    /// A new processor for objects of the class, which the running one creates at this moment.
    pub(crate) fn create(
        &mut self,
        creator: ProcessorId,
        class: ClassId,
        time: u64,
    ) -> ProcessorId {
        let id = ProcessorId(self.processors.len() as u32);
        let path = self.processor(creator).next_child();
        self.processors.push(Processor::new(path, class));
        self.note_in(
            creator,
            time,
            id,
            self.innermost(creator),
            EventKind::Created,
        );
        id
    }

    /// The processor ends its turn at this moment, which may lie ahead of the others' time, after this number of ticks.
    pub(crate) fn intend(&mut self, id: ProcessorId, (time, ticks): (u64, u64), intent: Intent) {
        self.processor(id).has_run(ticks);
        // Others that only catch up do not end a stretch of ticks, nor does a scope whose locks its chain has already.
        if !matches!(
            intent,
            Intent::Look | Intent::Yield | Intent::Send(_) | Intent::SendAhead(_) | Intent::Lock(_)
        ) {
            self.note_ran(id, time);
        }
        self.processor(id).work.intent = Some(intent);
        let happening = match intent {
            Intent::Look | Intent::SendAhead(_) => Happening::CatchUp(id),
            _ => Happening::Interact(id),
        };
        self.plan_own(time, id, happening);
    }

    /// Lets happen what happens, up to the next turn. Nothing if nothing is left to happen.
    pub(crate) fn next(&mut self) -> Option<(ProcessorId, Turn)> {
        loop {
            let popped = match self.guided {
                None => self.agenda.pop(),
                Some(_) => self.pop_guided(),
            };
            let Some((key, happening)) = popped else {
                self.settle()?;
                continue;
            };
            debug_assert!(key.time >= self.now, "time goes forward");
            self.log.release_before(&key);
            self.now = key.time.min(END_OF_TIME);
            if self.is_over() {
                return None;
            }
            let turn = match happening {
                Happening::Arrive(id) => self.arrive(id),
                Happening::ArriveAlone(id) => self.arrive_alone(id),
                Happening::Queue(id) => self.queue_alone(id),
                Happening::Close(id) => {
                    self.close_lock(id);
                    None
                }
                Happening::Unlock(id) => {
                    self.work(id).queue.push_back(Queued::Unlock);
                    self.serve(id)
                }
                Happening::Reply(id) => self.reply(id),
                Happening::Interact(id) | Happening::CatchUp(id) => self.interact(id),
                Happening::Serve(id) => self.serve(id),
                Happening::Awake(id) => self.awake(id),
                Happening::Grant => self.grant(),
                Happening::Pause(id) => self.pause(id),
                Happening::Expire(id) => self.expire(id),
                Happening::Dispatch => self.dispatch(),
                Happening::Take(id) => self.take_own_cpu(id),
                Happening::Switched(id) => self.take_up(id),
                Happening::Unlocked(id) => self.unlocked(id),
                Happening::Approve => self.approve(),
                Happening::Approved => {
                    self.end_approval();
                    None
                }
            };
            match turn {
                Some((id, Turn::Unlock)) => self.charge_unlock(id),
                Some(_) => return turn,
                None => {}
            }
        }
    }

    /// Whether virtual time has come to its end.
    pub(crate) fn is_over(&self) -> bool {
        self.now >= END_OF_TIME
    }

    /// The processor takes up its next request, if it is idle.
    pub(super) fn serve(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state != State::Idle {
            return None;
        }
        let Some(turn) = self.next_turn(id) else {
            self.release_cpu(id);
            let spare = self.processor(id).take_empty_work();
            self.spare
                .extend(spare.filter(|_| self.spare.len() < MOST_SPARE));
            return None;
        };
        self.processor(id).state = State::Busy;
        self.need_cpu(id, turn)
    }

    /// What the processor does next: it takes a request out of its queue. Unlocks before it take effect, each in a turn of its own
    /// if they are charged. A callback goes before all others.
    fn next_turn(&mut self, id: ProcessorId) -> Option<Turn> {
        loop {
            let processor = self.processor(id);
            if processor.work.queue.is_empty() && processor.work.callbacks.is_empty() {
                return None;
            }
            if processor.work.queue.front() != Some(&Queued::Unlock)
                && let Some(callback) = processor.work.callbacks.pop_front()
            {
                return Some(Turn::Begin(callback));
            }
            match processor.work.queue.pop_front()? {
                Queued::Unlock => {
                    self.causes(|causes| causes.take_marker(id));
                    if self.simulation.costs.unlock > 0 {
                        return Some(Turn::Unlock);
                    }
                    self.unlock(id);
                }
                Queued::Request(request) if self.processor(id).failure.is_some() => {
                    self.cancel(id, request);
                }
                Queued::Request(request) => return Some(Turn::Begin(request)),
            }
        }
    }

    fn unlock(&mut self, id: ProcessorId) {
        let processor = self.processor(id);
        processor.lock = None;
        processor.unlocks += 1;
        let failure = processor.failure.take();
        self.unlocks += 1;
        self.touch_lock(id);
        self.causes(|causes| causes.set(Carrier::Lock(id), Carrier::Next(id)));
        self.grants.came_back(id);
        if self.simulation.recheck == Recheck::Unlock {
            self.grants.recheck_all();
        }
        self.unasked.extend(failure.map(|failure| *failure));
        self.note(id, SCRIPT, EventKind::Unlocked);
        self.plan_grant(id);
    }

    fn unlocked(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        self.unlock(id);
        self.processor(id).state = State::Idle;
        self.serve(id)
    }

    /// The moment has come up to which the processor ran ahead.
    pub(super) fn interact(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        match self.processor(id).work.intent.take()? {
            Intent::Call(request) => return self.call(id, request),
            Intent::Send(request) => return self.send(id, request, false),
            Intent::SendAhead(request) => return self.send(id, request, true),
            Intent::Join(request) => return self.join(id, request),
            Intent::Lock(scope) => return self.lock(id, scope),
            Intent::Retry(scope) => self.retry(id, scope),
            Intent::Finish(request) => return self.finish(id, request),
            Intent::Look => return Some((id, Turn::CaughtUp)),
            Intent::Yield => self.end_slice(id, Turn::CaughtUp),
            Intent::Settle => {
                self.processor(id).state = State::Settling;
                self.release_cpu(id);
            }
            Intent::Rest(ticks) => self.rest(id, ticks),
        }
        None
    }

    /// The processor that waits for the others goes on, if there is one. All CPUs are free.
    fn settle(&mut self) -> Option<()> {
        let place = self
            .processors
            .iter()
            .position(|one| one.state == State::Settling)?;
        let id = ProcessorId(place as u32);
        let processor = self.processor(id);
        (processor.state, processor.work.turn) = (State::Busy, Some(Turn::Settled));
        self.causes(|causes| causes.add_all(id));
        self.want_cpu(id, false);
        Some(())
    }

    /// The machine begins the turn. The request is under way from here on.
    pub(crate) fn begins(&mut self, id: ProcessorId, turn: Turn) {
        match turn {
            Turn::Begin(request) => {
                self.note(id, request, EventKind::Synchronizes);
                self.causes(|causes| causes.add(Carrier::Next(id), Carrier::Request(request)));
                self.request_mut(request).synchronizes = true;
                self.processor(id).work.stack.push(request);
            }
            Turn::Answer(request) => {
                self.processor(id).work.awaited.pop();
                self.note(id, request, EventKind::Answered);
                self.causes(|causes| causes.add(Carrier::Next(id), Carrier::Answer(request)));
            }
            Turn::Onward => self.processor(id).is_signalled = false,
            Turn::Locked(_) | Turn::Sent(_) | Turn::Settled | Turn::CaughtUp | Turn::Unlock => {}
        }
    }

    /// Shows the values of all requests to the collector.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.requests.visit(visit);
        for processor in self.processors.iter_mut() {
            for scope in &mut processor.work.scopes {
                visit(&mut scope.condition);
            }
        }
    }
}
