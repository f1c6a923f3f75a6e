//! The log of a program that has made no processor: each process that was resumed stands for a processor, and its life for a request. There is
//! one CPU. Time is in ticks; while all processes sleep, it goes on up to the first that wakes. The machine states what happens to processes in the order in
//! which it happens, so times never go back.

use std::sync::Arc;

use hashbrown::HashMap;

use super::engine::ProcessorId;
use super::events::{Described, Event, EventKind, Runs};
use super::log::Log;
use crate::base::{ClassId, ProcessId, SymbolId};

/// The most names of processes.
const MOST_NAMES: usize = 10_000;

/// Stands for no lane.
const NONE: u32 = u32::MAX;

/// A process that is about to run for the first time, with what it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    pub(crate) process: ProcessId,
    pub(crate) class: ClassId,
    pub(crate) selector: SymbolId,
    pub(crate) runs: Runs,
    /// Where it was resumed.
    pub(crate) site: Option<(crate::base::MethodId, u32)>,
}

impl Beginning {
    /// The request that stands for the life of the process in a lane. Another lane has made that, unless it is the script's.
    fn life(&self, lane: u32, creator: Option<u32>) -> Described {
        Described {
            class: self.class,
            selector: self.selector,
            client: ProcessorId(creator.unwrap_or(lane)),
            supplier: ProcessorId(lane),
            sender: creator,
            waits: false,
            is_local: false,
            is_callback: false,
            site: self.site,
            runs: self.runs,
        }
    }
}

/// A lane: the numbers of the creations that led to it, and how many lanes it has made.
#[derive(Clone, Debug)]
struct Lane {
    path: Arc<[u32]>,
    children: u32,
    has_begun: bool,
    has_ended: bool,
}

/// The lanes of processes, and their events.
#[derive(Clone, Debug)]
pub(crate) struct Ordinary {
    log: Log,
    lanes: Vec<Lane>,
    /// The lanes by the numbers of the processes.
    of_process: Vec<u32>,
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
        let script = Beginning {
            process: ProcessId(0),
            class: ClassId(0),
            selector: SymbolId(0),
            runs: Runs::Message,
            site: None,
        };
        log.describe(0, script.life(0, None));
        log.begin(0);
        Ordinary {
            log,
            lanes: vec![Lane {
                path: Arc::from([]),
                children: 0,
                has_begun: true,
                has_ended: false,
            }],
            of_process: Vec::new(),
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
        self.assign(process, 0);
        if self.running != 0 {
            // The script before may have been left while it waited.
            self.note(ticks, 0, EventKind::Wakes);
        }
        self.running = 0;
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

    /// Notes what happens to a lane when this number of ticks is executed. Its request has the same number.
    fn note(&mut self, ticks: u64, lane: u32, kind: EventKind) {
        let event = Event {
            time: self.time(ticks),
            processor: lane,
            kind,
            request: lane,
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

    /// The running process makes the process ready, which waits.
    pub(crate) fn frees(&mut self, process: ProcessId, ticks: u64) {
        let by = self.running;
        self.happens(process, ticks, EventKind::Freed { by });
    }

    /// The running process resumes the process, which has never run.
    pub(crate) fn begins(&mut self, beginning: Beginning, ticks: u64) {
        self.catch_up(ticks);
        let (creator, lane) = (self.running, self.lanes.len() as u32);
        let parent = &mut self.lanes[creator as usize];
        parent.children += 1;
        let path = parent.path.iter().copied().chain([parent.children]);
        let path = path.collect();
        self.lanes.push(Lane {
            path,
            children: 0,
            has_begun: false,
            has_ended: false,
        });
        self.assign(beginning.process, lane);
        self.log.describe(lane, beginning.life(lane, Some(creator)));
        let time = self.time(ticks);
        let mut note = |processor, kind, request| {
            self.log.release(Event {
                time,
                processor,
                kind,
                request,
            });
        };
        note(lane, EventKind::Created, creator);
        let called = EventKind::Called {
            supplier: lane,
            waits: false,
        };
        note(creator, called, lane);
        note(lane, EventKind::Freed { by: creator }, lane);
    }

    /// The process runs from here on.
    pub(crate) fn goes_on(&mut self, process: ProcessId, ticks: u64) {
        let Some(lane) = self.lane(process) else {
            return;
        };
        self.catch_up(ticks);
        self.running = lane;
        if !std::mem::replace(&mut self.lanes[lane as usize].has_begun, true) {
            self.note(ticks, lane, EventKind::Synchronizes);
            self.note(ticks, lane, EventKind::Executes);
        }
    }

    /// The running process leaves.
    pub(crate) fn leaves(&mut self, ticks: u64) {
        self.catch_up(ticks);
    }

    /// The process has ended. The script's lane stays: other scripts may follow.
    pub(crate) fn ends(&mut self, process: ProcessId, ticks: u64) {
        self.catch_up(ticks);
        let Some(lane) = self.lane(process).filter(|lane| *lane != 0) else {
            return;
        };
        self.lanes[lane as usize].has_ended = true;
        self.note(ticks, lane, EventKind::Returns);
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

    /// Whether a process was resumed.
    pub(crate) fn has_lanes(&self) -> bool {
        self.lanes.len() > 1
    }

    pub(crate) fn path(&self, lane: ProcessorId) -> &[u32] {
        let lane = self.lanes.get(lane.0 as usize);
        lane.map_or(&[], |lane| &lane.path)
    }

    /// What the running process has executed and is not noted yet, when this number of ticks is executed; and the moment.
    pub(crate) fn unfinished(&self, ticks: u64) -> (Option<Event>, u64) {
        let (ran, time) = (ticks.saturating_sub(self.noted), self.time(ticks));
        let event = Event {
            time,
            processor: self.running,
            kind: EventKind::Ran(ran),
            request: self.running,
        };
        ((ran > 0).then_some(event), time)
    }

    /// Bytes of all that is kept.
    pub(crate) fn bytes(&self) -> usize {
        self.log.bytes()
            + self.lanes.capacity() * size_of::<Lane>()
            + self.of_process.capacity() * size_of::<u32>()
    }
}
