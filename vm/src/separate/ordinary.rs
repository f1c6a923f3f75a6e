//! The log of a program that has made no processor. Each process that was resumed stands for a processor, and its life for a request. Each
//! actor stands for a processor, and each message to it for a request. There is one CPU. Time is in ticks; while all processes sleep, it goes on
//! up to the first that wakes. The machine states what happens in the order in which it happens, so times never go back.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use super::engine::ProcessorId;
use super::events::{Described, Event, EventKind, Runs};
use super::log::Log;
use crate::base::{ActorId, ClassId, MethodId, ProcessId, SymbolId};

/// The most names of processes.
const MOST_NAMES: usize = 10_000;

/// Stands for no lane.
const NONE: u32 = u32::MAX;

/// The lane of scripts, and what they are called.
const SCRIPT: u32 = 0;
const SCRIPT_NAME: &str = "script";

/// What a lane stands for, or executes: the message of a class, or what a process runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneWork {
    pub(crate) class: ClassId,
    pub(crate) selector: SymbolId,
    pub(crate) runs: Runs,
    /// The place of the program from which it comes.
    pub(crate) site: Option<(MethodId, u32)>,
}

impl LaneWork {
    /// What all scripts do. The first one is known without a name.
    fn script(runs: Runs) -> LaneWork {
        LaneWork {
            class: ClassId(0),
            selector: SymbolId(0),
            runs,
            site: None,
        }
    }

    /// The request for it. A request of the client has sent that, unless it is a script's.
    fn request(self, client: u32, supplier: u32, sender: Option<u32>) -> Described {
        Described {
            class: self.class,
            selector: self.selector,
            client: ProcessorId(client),
            supplier: ProcessorId(supplier),
            sender,
            waits: false,
            is_local: false,
            is_callback: false,
            site: self.site,
            runs: self.runs,
        }
    }
}

/// A lane of a process or of an actor.
#[derive(Clone, Debug)]
struct Lane {
    /// The numbers of the creations that led to it.
    path: Arc<[u32]>,
    /// How many lanes it has made.
    children: u32,
    stands_for: LaneWork,
    /// The request that it executes, or has executed last. That of a process stands for its life.
    request: u32,
    has_begun: bool,
    has_ended: bool,
    /// Whether an actor processes a message.
    is_in_turn: bool,
    /// The requests for messages that an actor has not processed yet, the oldest first.
    waiting: VecDeque<u32>,
}

impl Lane {
    fn new(path: Arc<[u32]>, stands_for: LaneWork) -> Lane {
        Lane {
            path,
            children: 0,
            stands_for,
            request: 0,
            has_begun: false,
            has_ended: false,
            is_in_turn: false,
            waiting: VecDeque::new(),
        }
    }
}

/// The lanes of processes and actors, and their events.
#[derive(Clone, Debug)]
pub(crate) struct Ordinary {
    log: Log,
    lanes: Vec<Lane>,
    /// The lanes by the numbers of the processes. A process that executes a turn has that of its actor.
    of_process: Vec<u32>,
    /// The lanes by the numbers of the actors.
    of_actor: Vec<u32>,
    /// How many requests there are.
    requests: u32,
    running: u32,
    /// The ticks that were executed before those that are not noted yet.
    noted: u64,
    /// How long all processes slept.
    idle: u64,
    /// Names of processes, and their numbers.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Default for Ordinary {
    /// One lane, which runs the script from the first tick on.
    fn default() -> Ordinary {
        let mut log = Log::new(true);
        let script = LaneWork::script(Runs::Message);
        log.describe(0, script.request(0, 0, None));
        log.begin(0);
        let lane = Lane {
            has_begun: true,
            ..Lane::new(Arc::from([]), script)
        };
        Ordinary {
            log,
            lanes: vec![lane],
            of_process: Vec::new(),
            of_actor: Vec::new(),
            requests: 1,
            running: 0,
            noted: 0,
            idle: 0,
            names: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl Ordinary {
    /// The process runs a script. All scripts of a run have the first lane.
    pub(crate) fn script(&mut self, process: ProcessId, ticks: u64) {
        self.catch_up(ticks);
        self.assign(process, SCRIPT);
        let was_left = std::mem::replace(&mut self.running, SCRIPT) != SCRIPT;
        if self.lanes[SCRIPT as usize].has_ended {
            self.lanes[SCRIPT as usize].has_ended = false;
            let name = self.name(SCRIPT_NAME.to_string());
            let runs = name.map_or(Runs::Message, Runs::Named);
            let request = self.describe(LaneWork::script(runs), SCRIPT, None);
            self.executes(SCRIPT, request, ticks);
        } else if was_left {
            // The script before may have been left while it waited.
            self.note(ticks, SCRIPT, EventKind::Wakes);
        }
    }

    /// A new request to the lane. The running lane sends it, unless the lane has no sender.
    fn describe(&mut self, work: LaneWork, lane: u32, sender: Option<u32>) -> u32 {
        let request = self.requests;
        self.requests += 1;
        let client = sender.unwrap_or(lane);
        let sender = sender.map(|sender| self.lanes[sender as usize].request);
        self.log
            .describe(request, work.request(client, lane, sender));
        request
    }

    fn assign(&mut self, process: ProcessId, lane: u32) {
        let place = process.0 as usize;
        if self.of_process.len() <= place {
            self.of_process.resize(place + 1, NONE);
        }
        self.of_process[place] = lane;
    }

    /// The lane of a process that was resumed and has not ended.
    fn lane(&self, process: ProcessId) -> Option<u32> {
        let lane = self.of_process.get(process.0 as usize).copied()?;
        (lane != NONE && !self.lanes[lane as usize].has_ended).then_some(lane)
    }

    /// Whether the process has a lane.
    pub(crate) fn knows(&self, process: ProcessId) -> bool {
        self.lane(process).is_some()
    }

    /// The moment at which this number of ticks is executed.
    fn time(&self, ticks: u64) -> u64 {
        ticks.saturating_add(self.idle)
    }

    /// Notes what happens to the request that the lane executes, when this number of ticks is executed.
    fn note(&mut self, ticks: u64, lane: u32, kind: EventKind) {
        let request = self.lanes[lane as usize].request;
        self.note_about(request, ticks, lane, kind);
    }

    fn note_about(&mut self, request: u32, ticks: u64, lane: u32, kind: EventKind) {
        let event = Event {
            time: self.time(ticks),
            processor: lane,
            kind,
            request,
        };
        self.log.release(event);
    }

    /// Notes the ticks that the running process has executed. They come before all that happens now.
    fn catch_up(&mut self, ticks: u64) {
        let ran = ticks.saturating_sub(self.noted);
        self.noted = ticks;
        if ran > 0 {
            self.note(ticks, self.running, EventKind::Ran(ran));
        }
    }

    /// Notes what happens to the process.
    pub(crate) fn happens(&mut self, process: ProcessId, ticks: u64, kind: EventKind) {
        self.catch_up(ticks);
        if let Some(lane) = self.lane(process) {
            self.note(ticks, lane, kind);
        }
    }

    /// The request that the running lane executes.
    fn running_request(&self) -> u32 {
        self.lanes[self.running as usize].request
    }

    /// The running process makes the process ready, which waits.
    pub(crate) fn frees(&mut self, process: ProcessId, ticks: u64) {
        let by = self.running_request();
        self.happens(process, ticks, EventKind::Freed { by });
    }

    /// A new lane, which the running one makes.
    fn create(&mut self, stands_for: LaneWork) -> u32 {
        let lane = self.lanes.len() as u32;
        let parent = &mut self.lanes[self.running as usize];
        parent.children += 1;
        let path = parent.path.iter().copied().chain([parent.children]);
        let path = path.collect();
        self.lanes.push(Lane::new(path, stands_for));
        lane
    }

    /// The running process resumes the process, which has never run.
    pub(crate) fn begins(&mut self, process: ProcessId, work: LaneWork, ticks: u64) {
        self.catch_up(ticks);
        let (creator, lane) = (self.running, self.create(work));
        self.assign(process, lane);
        let by = self.running_request();
        let life = self.describe(work, lane, Some(creator));
        self.lanes[lane as usize].request = life;
        self.note_about(by, ticks, lane, EventKind::Created);
        self.calls(life, lane, ticks);
        self.note(ticks, lane, EventKind::Freed { by });
    }

    /// The running lane sends the request to the lane.
    fn calls(&mut self, request: u32, lane: u32, ticks: u64) {
        let called = EventKind::Called {
            supplier: lane,
            waits: false,
        };
        self.note_about(request, ticks, self.running, called);
    }

    /// The lane takes the request up.
    fn executes(&mut self, lane: u32, request: u32, ticks: u64) {
        self.lanes[lane as usize].request = request;
        self.note(ticks, lane, EventKind::Synchronizes);
        self.note(ticks, lane, EventKind::Executes);
    }

    /// The script has come to its end, and messages to actors are left.
    pub(crate) fn script_ends(&mut self, ticks: u64) {
        self.catch_up(ticks);
        if !std::mem::replace(&mut self.lanes[SCRIPT as usize].has_ended, true) {
            self.note(ticks, SCRIPT, EventKind::Returns);
        }
    }

    // --- actors -------------------------------------------------------------------------------------

    /// The lane of an actor that was made while the run is recorded.
    fn lane_of_actor(&self, actor: ActorId) -> Option<u32> {
        let lane = self.of_actor.get(actor.0 as usize).copied();
        lane.filter(|lane| *lane != NONE)
    }

    /// The running process has made the actor.
    pub(crate) fn creates_actor(&mut self, actor: ActorId, stands_for: LaneWork, ticks: u64) {
        self.catch_up(ticks);
        let lane = self.create(stands_for);
        let place = actor.0 as usize;
        if self.of_actor.len() <= place {
            self.of_actor.resize(place + 1, NONE);
        }
        self.of_actor[place] = lane;
        let by = self.running_request();
        self.lanes[lane as usize].request = by;
        self.note_about(by, ticks, lane, EventKind::Created);
    }

    /// The running process sends a message to the actor. Answers the number of its request.
    pub(crate) fn posts(&mut self, actor: ActorId, work: LaneWork, ticks: u64) -> Option<u32> {
        let lane = self.lane_of_actor(actor)?;
        self.catch_up(ticks);
        let target = &self.lanes[lane as usize];
        let class = match target.has_ended {
            true => target.stands_for.class,
            false => work.class,
        };
        let is_first = target.waiting.is_empty() && !target.is_in_turn && !target.has_ended;
        let request = self.describe(LaneWork { class, ..work }, lane, Some(self.running));
        self.calls(request, lane, ticks);
        self.lanes[lane as usize].waiting.push_back(request);
        if is_first {
            self.frees_actor(lane, self.running_request(), ticks);
        }
        Some(request)
    }

    /// The actor can process its oldest message from here on, because of this request.
    fn frees_actor(&mut self, lane: u32, by: u32, ticks: u64) {
        if let Some(next) = self.lanes[lane as usize].waiting.front().copied() {
            self.note_about(next, ticks, lane, EventKind::Freed { by });
        }
    }

    /// The message is not waiting any more.
    fn forget_message(&mut self, lane: u32, request: u32) {
        let waiting = &mut self.lanes[lane as usize].waiting;
        if let Some(place) = waiting.iter().position(|one| *one == request) {
            waiting.remove(place);
        }
    }

    /// The process is that of a turn, in which the actor processes the message of the request.
    pub(crate) fn takes(&mut self, process: ProcessId, actor: ActorId, request: u32, ticks: u64) {
        let Some(lane) = self.lane_of_actor(actor) else {
            return;
        };
        self.catch_up(ticks);
        self.forget_message(lane, request);
        self.assign(process, lane);
        self.running = lane;
        self.lanes[lane as usize].is_in_turn = true;
        self.executes(lane, request, ticks);
    }

    /// The actor is disposed, so the message is never processed.
    pub(crate) fn drops(&mut self, actor: ActorId, request: u32, ticks: u64) {
        let Some(lane) = self.lane_of_actor(actor) else {
            return;
        };
        self.catch_up(ticks);
        self.forget_message(lane, request);
        self.note_about(request, ticks, lane, EventKind::Cancelled);
    }

    // --- processes ----------------------------------------------------------------------------------

    /// The process runs from here on.
    pub(crate) fn goes_on(&mut self, process: ProcessId, ticks: u64) {
        let Some(lane) = self.lane(process) else {
            return;
        };
        self.catch_up(ticks);
        self.running = lane;
        if !std::mem::replace(&mut self.lanes[lane as usize].has_begun, true) {
            self.executes(lane, self.lanes[lane as usize].request, ticks);
        }
    }

    /// The running process leaves.
    pub(crate) fn leaves(&mut self, ticks: u64) {
        self.catch_up(ticks);
    }

    /// The process has ended, or its actor's turn has, after which the actor may be disposed. The script's lane stays: other scripts may follow.
    pub(crate) fn ends(&mut self, process: ProcessId, is_disposed: bool, ticks: u64) {
        self.catch_up(ticks);
        let Some(lane) = self.lane(process).filter(|lane| *lane != SCRIPT) else {
            return;
        };
        self.note(ticks, lane, EventKind::Returns);
        let ending = &mut self.lanes[lane as usize];
        let (was_turn, by) = (std::mem::take(&mut ending.is_in_turn), ending.request);
        ending.has_ended = !was_turn || is_disposed;
        if was_turn {
            self.assign(process, NONE);
            if !is_disposed {
                self.frees_actor(lane, by, ticks);
            }
        }
    }

    /// All processes sleep for this time.
    pub(crate) fn rests(&mut self, ticks: u64, idle: u64) {
        self.catch_up(ticks);
        self.idle = self.idle.saturating_add(idle);
    }

    /// The number of a process's name; nothing if there are too many names.
    pub(crate) fn name(&mut self, name: String) -> Option<u32> {
        if let Some(number) = self.numbers.get(&name) {
            return Some(*number);
        }
        let number = self.names.len();
        (number < MOST_NAMES).then(|| {
            self.numbers.insert(name.clone(), number as u32);
            self.names.push(name);
            number as u32
        })
    }

    /// The name with this number.
    pub(crate) fn named(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Whether a process was resumed, or an actor made.
    pub(crate) fn has_lanes(&self) -> bool {
        self.lanes.len() > 1
    }

    pub(crate) fn path(&self, lane: ProcessorId) -> &[u32] {
        let lane = self.lanes.get(lane.0 as usize);
        lane.map_or(&[], |lane| &lane.path)
    }

    /// What the lane stands for.
    pub(crate) fn stands_for(&self, lane: ProcessorId) -> Option<LaneWork> {
        let lane = self.lanes.get(lane.0 as usize);
        lane.map(|lane| lane.stands_for)
    }

    /// What the running process has executed and is not noted yet, when this number of ticks is executed; and the moment.
    pub(crate) fn unfinished(&self, ticks: u64) -> (Option<Event>, u64) {
        let (ran, time) = (ticks.saturating_sub(self.noted), self.time(ticks));
        let event = Event {
            time,
            processor: self.running,
            kind: EventKind::Ran(ran),
            request: self.running_request(),
        };
        ((ran > 0).then_some(event), time)
    }

    /// Bytes of all that is kept.
    pub(crate) fn bytes(&self) -> usize {
        self.log.bytes()
            + self.lanes.capacity() * size_of::<Lane>()
            + (self.of_process.capacity() + self.of_actor.capacity()) * size_of::<u32>()
    }
}
