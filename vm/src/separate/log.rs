//! The events and requests of a run, in an order and with numbers that do not depend on how far processors run ahead of the
//! others.
//!
//! What a processor does ahead of the others is held back until its moment comes. It is released before all else that happens at
//! that moment, by the rank of the processor. Requests and processors get their numbers when the first event of theirs is released.

use std::collections::BTreeMap;

use super::engine::ProcessorId;
use super::events::{Described, Event, EventKind};
use super::happenings::{AHEAD, Key};
use super::ties::Rank;

/// Stands for a number that was not given yet.
const NONE: u32 = u32::MAX;

/// Numbers that are given in the order in which things are released, by the numbers of the engine.
#[derive(Clone, Debug, Default)]
struct Numbers {
    given: Vec<u32>,
    /// The numbers of the engine, in the order in which they were released.
    released: Vec<u32>,
}

impl Numbers {
    /// The number of what the engine gave this number; it gets one if it has none yet.
    fn release(&mut self, number: u32) -> u32 {
        let place = number as usize;
        if self.given.len() <= place {
            self.given.resize(place + 1, NONE);
        }
        if self.given[place] == NONE {
            self.given[place] = self.released.len() as u32;
            self.released.push(number);
        }
        self.given[place]
    }

    /// The number that was given; itself if there is none.
    fn get(&self, number: u32) -> u32 {
        let given = self.given.get(number as usize).copied();
        given.filter(|given| *given != NONE).unwrap_or(number)
    }

    fn bytes(&self) -> usize {
        (self.given.capacity() + self.released.capacity()) * size_of::<u32>()
    }
}

/// The events and requests of a run, if they are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// Whether anything is kept.
    pub(super) is_kept: bool,
    events: Vec<Event>,
    /// Events of moments to come, with the numbers of the engine: by moment, by the rank of the processor whose turn it was, and by
    /// their order there.
    held: BTreeMap<(u64, Rank, u64), Event>,
    holds: u64,
    /// By the numbers of the engine.
    requests: Vec<Described>,
    request_numbers: Numbers,
    processor_numbers: Numbers,
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
            self.processor_numbers.release(0);
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
        self.events.push(event);
    }

    /// Notes an event of a moment to come, or one that is a part of what happens now, in the turn of the processor with this rank.
    pub(super) fn hold(&mut self, rank: Rank, event: Event) {
        self.holds += 1;
        self.held.insert((event.time, rank, self.holds), event);
    }

    /// Releases what comes before the happening with this place.
    pub(super) fn release_before(&mut self, key: &Key) {
        while let Some(first) = self.held.first_entry() {
            let (time, rank, _) = first.key();
            if (*time, AHEAD, rank) > (key.time, key.phase, &key.origin) {
                return;
            }
            let event = first.remove();
            self.release(event);
        }
    }

    /// Gives the event the numbers of the log.
    fn numbered(&mut self, mut event: Event) -> Event {
        event.request = self.request_numbers.release(event.request);
        event.processor = self.processor_numbers.release(event.processor);
        if let EventKind::Called { supplier, .. } | EventKind::Wants { supplier } = &mut event.kind
        {
            *supplier = self.processor_numbers.release(*supplier);
        }
        if let EventKind::Freed { by } = &mut event.kind {
            *by = self.request_numbers.release(*by);
        }
        event
    }

    /// Notes what is known of a new request.
    pub(super) fn describe(&mut self, request: Described) {
        if self.is_kept {
            self.requests.push(request);
        }
    }

    /// What is known of a request has changed before it was sent.
    pub(super) fn describe_again(&mut self, number: u32, waits: bool, is_callback: bool) {
        if let Some(request) = self.requests.get_mut(number as usize) {
            (request.waits, request.is_callback) = (waits, is_callback);
        }
    }

    /// All as it is now: what is held comes last, and then this event.
    pub(crate) fn finished(&self, last: Option<Event>) -> Finished {
        let mut log = self.clone();
        for event in std::mem::take(&mut log.held).into_values().chain(last) {
            log.release(event);
        }
        let numbers = &log.request_numbers;
        let requests = numbers.released.iter().map(|number| {
            let mut request = log.requests[*number as usize];
            request.client = ProcessorId(log.processor_numbers.get(request.client.0));
            request.supplier = ProcessorId(log.processor_numbers.get(request.supplier.0));
            request.sender = request.sender.map(|sender| numbers.get(sender));
            request
        });
        Finished {
            requests: requests.collect(),
            processors: log
                .processor_numbers
                .released
                .iter()
                .map(|number| ProcessorId(*number))
                .collect(),
            events: log.events,
        }
    }

    /// Bytes of all that is kept.
    pub(super) fn bytes(&self) -> usize {
        (self.events.capacity() + self.held.len()) * size_of::<Event>()
            + self.requests.capacity() * size_of::<Described>()
            + self.request_numbers.bytes()
            + self.processor_numbers.bytes()
    }
}

/// A log whose run has ended or stopped.
pub(crate) struct Finished {
    /// By their numbers.
    pub(crate) requests: Vec<Described>,
    /// By their numbers, as the engine knows them.
    pub(crate) processors: Vec<ProcessorId>,
    /// In their order.
    pub(crate) events: Vec<Event>,
}
