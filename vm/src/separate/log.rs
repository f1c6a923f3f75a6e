//! The events and requests of a run, in an order and with numbers that do not depend on how far processors run ahead of the
//! others.
//!
//! What a processor does ahead of the others is held back until its moment comes. It is released before all else that happens at
//! that moment, by the rank of the processor. Requests and processors get their numbers when the first event of theirs is released.
//! What was released leaves in parts, so memory is that of requests under way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use hashbrown::HashMap;

use super::engine::{Engine, ProcessorId, RequestId};
use super::events::{Described, Event, EventKind};
use super::happenings::{AHEAD, Key};
use super::processor::State;
use super::ties::Rank;

/// Stands for a number that was not given yet.
const NONE: u32 = u32::MAX;

/// A stretch of this number of ticks without a pause is noted before its end.
const LONG_STRETCH: i64 = 1 << 16;

/// A part of a log that has this number of events is large enough to leave.
const EVENTS_OF_PART: usize = 8192;

/// A request under way.
#[derive(Clone, Debug)]
struct Row {
    described: Described,
    /// Its number in the log, or none yet.
    number: u32,
}

/// A part of a log: what was released since the part before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// Requests, in the order of their numbers.
    pub(crate) requests: Vec<Described>,
    /// Processors as the engine knows them, in the order of their numbers.
    pub(crate) processors: Vec<ProcessorId>,
    /// In their order.
    pub(crate) events: Vec<Event>,
    /// Obstacles as the machine knows them, in the order of their numbers.
    pub(crate) obstacles: Vec<u32>,
    /// How many obstacles the parts before have.
    pub(crate) obstacles_before: usize,
}

/// The events and requests of a run, if they are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// Whether anything is kept.
    is_kept: bool,
    part: Part,
    /// Events of moments to come, with the numbers of the engine: by moment, by the rank of the processor whose turn it was, and by
    /// their order there.
    held: BTreeMap<(u64, Rank, u64), Event>,
    holds: u64,
    /// By the numbers of the engine.
    requests: HashMap<u32, Row>,
    /// Requests that have ended, and when. Events of that moment may still be held.
    ended: BinaryHeap<Reverse<(u64, u32)>>,
    /// How many requests have a number.
    request_count: u32,
    /// By the numbers of the engine.
    processor_numbers: Vec<u32>,
    processor_count: u32,
    /// Obstacles as the machine knows them, in the order of their numbers, and their numbers by those of the machine.
    obstacles: Vec<u32>,
    obstacle_numbers: HashMap<u32, u32>,
}

impl Log {
    pub(super) fn new(is_kept: bool) -> Log {
        Log {
            is_kept,
            ..Log::default()
        }
    }

    /// The script has run up to this moment.
    pub(super) fn begin(&mut self, now: u64) {
        if self.is_kept {
            self.processor_number(ProcessorId(0));
            self.release(Event {
                time: now,
                processor: 0,
                kind: EventKind::Ran(now),
                request: 0,
            });
        }
    }

    /// Notes an event that is a part of what happens now.
    pub(super) fn release(&mut self, event: Event) {
        let event = self.numbered(event);
        self.part.events.push(event);
    }

    /// Notes an event of a moment to come, in the turn of the processor with this rank.
    fn hold(&mut self, rank: Rank, event: Event) {
        self.holds += 1;
        self.held.insert((event.time, rank, self.holds), event);
    }

    /// Releases what comes before the happening with this place.
    pub(super) fn release_before(&mut self, key: &Key) {
        while let Some(first) = self.held.first_entry() {
            let (time, rank, _) = first.key();
            if (*time, AHEAD, rank) > (key.time, key.phase, &key.origin) {
                break;
            }
            let event = first.remove();
            self.release(event);
        }
        while let Some(Reverse((time, number))) = self.ended.peek()
            && *time < key.time
        {
            self.requests.remove(number);
            self.ended.pop();
        }
    }

    /// Gives the event the numbers of the log.
    fn numbered(&mut self, mut event: Event) -> Event {
        event.request = self.request_number(event.request);
        event.processor = self.processor_number(ProcessorId(event.processor));
        if let EventKind::Called { supplier, .. } | EventKind::Wants { supplier } = &mut event.kind
        {
            *supplier = self.processor_number(ProcessorId(*supplier));
        }
        match &mut event.kind {
            EventKind::Blocks { on } => *on = self.obstacle_number(*on),
            // The processor had been made ready before it came to rest, by a request that has ended since.
            EventKind::Freed { by } if !self.requests.contains_key(by) => {
                event.kind = EventKind::Wakes;
            }
            EventKind::Freed { by } => *by = self.request_number(*by),
            _ => {}
        }
        event
    }

    /// The number of the obstacle; it gets one if it has none yet.
    fn obstacle_number(&mut self, number: u32) -> u32 {
        let next = self.obstacles.len() as u32;
        let given = *self.obstacle_numbers.entry(number).or_insert(next);
        if given == next {
            self.obstacles.push(number);
            self.part.obstacles.push(number);
        }
        given
    }

    /// The number of the processor; it gets one if it has none yet.
    fn processor_number(&mut self, id: ProcessorId) -> u32 {
        let place = id.0 as usize;
        if self.processor_numbers.len() <= place {
            self.processor_numbers.resize(place + 1, NONE);
        }
        if self.processor_numbers[place] == NONE {
            self.processor_numbers[place] = self.processor_count;
            self.processor_count += 1;
            self.part.processors.push(id);
        }
        self.processor_numbers[place]
    }

    /// The number of the request to which the engine gave this one; it gets one if it has none yet.
    fn request_number(&mut self, number: u32) -> u32 {
        let Some(row) = self.requests.get_mut(&number) else {
            debug_assert!(false, "an event of a request that has ended");
            return number;
        };
        if row.number != NONE {
            return row.number;
        }
        row.number = self.request_count;
        self.request_count += 1;
        let (given, mut described) = (row.number, row.described);
        for id in [&mut described.client, &mut described.supplier] {
            *id = ProcessorId(self.processor_number(*id));
        }
        let sender = described
            .sender
            .and_then(|sender| self.requests.get(&sender));
        described.sender = sender
            .map(|row| row.number)
            .filter(|number| *number != NONE);
        self.part.requests.push(described);
        given
    }

    /// Notes what is known of a new request.
    pub(super) fn describe(&mut self, number: u32, described: Described) {
        if self.is_kept {
            let row = Row {
                described,
                number: NONE,
            };
            self.requests.insert(number, row);
        }
    }

    /// What is known of a request has changed before it was sent.
    pub(super) fn describe_again(&mut self, number: u32, waits: bool, is_callback: bool) {
        if let Some(Row { described, .. }) = self.requests.get_mut(&number) {
            (described.waits, described.is_callback) = (waits, is_callback);
        }
    }

    /// The request ends at this moment: no event of it is noted any more.
    pub(super) fn forget(&mut self, number: u32, time: u64) {
        if self.is_kept {
            self.ended.push(Reverse((time, number)));
        }
    }

    /// Whether there is enough for a part.
    pub(crate) fn has_part(&self) -> bool {
        self.part.events.len() >= EVENTS_OF_PART
    }

    /// Takes out what was released since the part before.
    pub(crate) fn take_part(&mut self) -> Part {
        let next = Part {
            obstacles_before: self.obstacles.len(),
            ..Part::default()
        };
        std::mem::replace(&mut self.part, next)
    }

    /// Obstacles of all parts so far, as the machine knows them, in the order of their numbers.
    pub(crate) fn obstacles(&self) -> &[u32] {
        &self.obstacles
    }

    /// The last part, if the run ends now: what is held comes last, and then this event.
    pub(crate) fn last_part(&self, last: Option<Event>) -> Part {
        let mut log = self.clone();
        for event in std::mem::take(&mut log.held).into_values().chain(last) {
            log.release(event);
        }
        log.part
    }

    /// Bytes of all that is kept.
    pub(super) fn bytes(&self) -> usize {
        (self.part.events.capacity() + self.held.len()) * size_of::<Event>()
            + self.requests.capacity() * size_of::<(u32, Row)>()
            + self.part.requests.capacity() * size_of::<Described>()
            + self.processor_numbers.capacity() * size_of::<u32>()
            + self.obstacles.capacity() * size_of::<[u32; 4]>()
    }
}

impl Engine {
    pub(super) fn note(&mut self, processor: ProcessorId, request: RequestId, kind: EventKind) {
        self.note_at(self.now, processor, request, kind);
    }

    pub(super) fn note_at(
        &mut self,
        time: u64,
        processor: ProcessorId,
        request: RequestId,
        kind: EventKind,
    ) {
        self.note_in(processor, time, processor, request, kind);
    }

    /// Notes what happens to a processor in the turn of that or another one.
    pub(super) fn note_in(
        &mut self,
        turn: ProcessorId,
        time: u64,
        processor: ProcessorId,
        request: RequestId,
        kind: EventKind,
    ) {
        if !self.log.is_kept {
            return;
        }
        let event = Event {
            time,
            processor: processor.0,
            kind,
            request: self.request(request).number,
        };
        match time > self.now {
            true => self.log.hold(self.rank(turn, time), event),
            false => self.log.release(event),
        }
    }

    /// Notes the ticks that the processor has executed up to this moment.
    pub(super) fn note_ran(&mut self, id: ProcessorId, time: u64) {
        if self.processors[id.0 as usize].work.ran == 0 {
            return;
        }
        let ticks = std::mem::take(&mut self.processor(id).work.ran);
        if ticks > 0 {
            let kind = EventKind::Ran(ticks.unsigned_abs());
            self.note_at(time, id, self.innermost(id), kind);
        }
    }

    /// The same for a long stretch, when the processor sends a command. It has executed ticks in its turn, which the engine does not
    /// know of. So a segment of a trace, or a trace that was cut, has the ticks of processors that never pause.
    pub(super) fn note_long_stretch(&mut self, id: ProcessorId, time: u64, executed: u64) {
        let ticks = self.processors[id.0 as usize].work.ran;
        let ticks = ticks.saturating_add_unsigned(executed);
        if ticks < LONG_STRETCH {
            return;
        }
        let kind = EventKind::Ran(ticks.unsigned_abs());
        self.note_at(time, id, self.innermost(id), kind);
        self.processor(id).work.ran = 0_i64.saturating_sub_unsigned(executed);
    }

    /// What the processor has executed, which runs up to this moment: the run is stopped.
    pub(crate) fn unfinished(
        &self,
        id: ProcessorId,
        (time, executed): (u64, u64),
    ) -> Option<Event> {
        let processor = &self.processors[id.0 as usize];
        if processor.state != State::Busy || processor.work.intent.is_some() {
            return None;
        }
        let ticks = processor.work.ran.saturating_add_unsigned(executed);
        let ticks = u64::try_from(ticks).unwrap_or(0);
        let request = self.request(self.innermost(id)).number;
        (ticks > 0).then_some(Event {
            time,
            processor: id.0,
            kind: EventKind::Ran(ticks),
            request,
        })
    }
}
