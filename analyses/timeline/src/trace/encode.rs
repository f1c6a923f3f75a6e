//! The records of blocks. Times, processors and requests are differences to those of the record before.

use std::collections::{HashMap, HashSet};

use tally_profiler::recording::bytes::push_number;
use tally_vm::{Event, EventKind};

use super::block::{BlockHead, Kind, MOST_CONTENT};
use crate::measured::Measured;
use crate::names::{FeatureId, Names};
use crate::obstacles;
use crate::states::{STATES, State};

/// The most bytes of a name.
const MOST_NAME: usize = 1000;
/// Room that a record and the names in it always have.
const ROOM: usize = 7168;

/// Kinds of records, in the lower five bits of their first byte. From `LATER` on a record has its length behind that byte.
pub(super) mod kinds {
    pub(in crate::trace) const NAME: u8 = 0;
    pub(in crate::trace) const REQUEST: u8 = 1;
    pub(in crate::trace) const CREATED: u8 = 2;
    pub(in crate::trace) const CALLED: u8 = 3;
    pub(in crate::trace) const SYNCHRONIZES: u8 = 4;
    pub(in crate::trace) const LOCKS: u8 = 5;
    pub(in crate::trace) const GRANTED: u8 = 6;
    pub(in crate::trace) const EVALUATED_FALSE: u8 = 7;
    pub(in crate::trace) const EVALUATED_TRUE: u8 = 8;
    pub(in crate::trace) const EXECUTES: u8 = 9;
    pub(in crate::trace) const RETURNS: u8 = 10;
    pub(in crate::trace) const ANSWERED: u8 = 11;
    pub(in crate::trace) const RAN: u8 = 12;
    pub(in crate::trace) const UNLOCKED: u8 = 13;
    pub(in crate::trace) const SLEEPS: u8 = 14;
    pub(in crate::trace) const WAKES: u8 = 15;
    pub(in crate::trace) const PROGRESS: u8 = 16;
    pub(in crate::trace) const LANE: u8 = 17;
    pub(in crate::trace) const OPEN: u8 = 18;
    pub(in crate::trace) const JOINS: u8 = 19;
    pub(in crate::trace) const CANCELLED: u8 = 20;
    pub(in crate::trace) const WANTS: u8 = 21;
    pub(in crate::trace) const CHARGED: u8 = 22;
    pub(in crate::trace) const SITE: u8 = 23;
    pub(in crate::trace) const LATER: u8 = 24;
    pub(in crate::trace) const OBSTACLE: u8 = 24;
    pub(in crate::trace) const BLOCKS: u8 = 25;
    pub(in crate::trace) const FREED: u8 = 26;
    pub(in crate::trace) const BLOCKED_BY: u8 = 27;
    pub(in crate::trace) const DISPATCHED: u8 = 28;
    pub(in crate::trace) const APPROVED: u8 = 29;
    /// The bits of the kind.
    pub(in crate::trace) const MASK: u8 = 0x1F;
    /// The three flags, whose meaning depends on the kind.
    pub(in crate::trace) const FIRST: u8 = 0x20;
    pub(in crate::trace) const SECOND: u8 = 0x40;
    pub(in crate::trace) const THIRD: u8 = 0x80;
}

use kinds::{FIRST, SECOND, THIRD};

/// The beginning of a name, up to the most bytes that traces hold.
pub(super) fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_NAME)]
}

/// Small numbers for small differences, whatever their sign.
fn push_difference(bytes: &mut Vec<u8>, value: u64, expected: u64) {
    let difference = value.wrapping_sub(expected);
    let sign = (difference.cast_signed() >> 63).cast_unsigned();
    push_number(bytes, (difference << 1) ^ sign);
}

/// A block that is being filled.
#[derive(Default)]
pub(super) struct Block {
    pub(super) content: Vec<u8>,
    records: u32,
    range: Option<Range>,
    names: HashMap<String, u64>,
    requests: HashSet<u32>,
    obstacles: HashSet<u32>,
    time: u64,
    processor: u32,
    request: u32,
    /// The request of the record before, if that describes one.
    described: Option<u32>,
}

#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
    low: u32,
    high: u32,
}

impl Block {
    /// Whether one more record may not fit.
    pub(super) fn is_full(&self) -> bool {
        self.content.len() + ROOM > MOST_CONTENT
    }

    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// The head of the block; length, checksum and the length of the previous block are not set.
    pub(super) fn head(&self, kind: Kind) -> BlockHead {
        let range = self.range.unwrap_or(Range {
            first: 0,
            last: 0,
            low: 0,
            high: 0,
        });
        BlockHead {
            kind,
            length: 0,
            previous: 0,
            records: self.records,
            first: range.first,
            last: range.last,
            low: range.low,
            high: range.high,
            checksum: 0,
        }
    }

    fn record(&mut self, first: u8) {
        self.content.push(first);
        self.records += 1;
        self.described = None;
    }

    fn name(&mut self, name: &str) -> u64 {
        let name = shortened(name);
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u64;
        self.names.insert(name.to_string(), number);
        self.record(kinds::NAME);
        push_number(&mut self.content, name.len() as u64);
        self.content.extend(name.as_bytes());
        number
    }

    fn feature(&mut self, names: &Names, id: FeatureId) -> [u64; 2] {
        let (class, selector) = names.parts(id);
        [self.name(class), self.name(selector)]
    }

    /// Describes the request, unless this block has described it.
    pub(super) fn request(&mut self, number: u32, row: &Measured, names: &Names) {
        if !self.requests.insert(number) {
            return;
        }
        let feature = self.feature(names, row.feature);
        if let Some(site) = row.site {
            let site = self.name(names.named(site));
            self.record(kinds::SITE);
            push_number(&mut self.content, site);
        }
        let flags = [
            (row.waits, FIRST),
            (row.is_local, SECOND),
            (row.is_callback, THIRD),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set);
        self.record(flags.fold(kinds::REQUEST, |byte, (_, flag)| byte | flag));
        let bytes = &mut self.content;
        push_difference(bytes, number.into(), self.request.into());
        feature.iter().for_each(|name| push_number(bytes, *name));
        push_difference(bytes, row.client.into(), self.processor.into());
        push_difference(bytes, row.supplier.into(), row.client.into());
        // A request is sent in an earlier one; 0 if there is none.
        let distance = row.sender.map_or(0, |sender| number.wrapping_sub(sender));
        push_number(bytes, distance.into());
        self.request = number;
        self.described = Some(number);
    }

    pub(super) fn event(&mut self, event: &Event, row: Option<&Measured>) {
        let described = self.described;
        let mut first = kind_of(event.kind);
        if event.processor == self.processor {
            first |= FIRST;
        }
        if event.request == self.request {
            first |= SECOND;
        }
        let as_described = row.is_some_and(|row| {
            described == Some(event.request)
                && event.kind
                    == EventKind::Called {
                        supplier: row.supplier,
                        waits: row.waits,
                    }
        });
        if as_described {
            first |= THIRD;
        }
        self.record(first);
        let start = self.content.len();
        let bytes = &mut self.content;
        push_difference(bytes, event.time, self.time);
        if first & FIRST == 0 {
            push_difference(bytes, event.processor.into(), self.processor.into());
        }
        if first & SECOND == 0 {
            push_difference(bytes, event.request.into(), self.request.into());
        }
        match event.kind {
            EventKind::Called { supplier, waits } if !as_described => {
                push_difference(bytes, supplier.into(), event.processor.into());
                bytes.push(waits.into());
            }
            EventKind::Ran(ticks) | EventKind::Charged(ticks) => push_number(bytes, ticks),
            EventKind::Wants { supplier } => {
                push_difference(bytes, supplier.into(), event.processor.into());
            }
            EventKind::Blocks { on } => push_number(bytes, on.into()),
            EventKind::Freed { by } => push_difference(bytes, by.into(), event.request.into()),
            EventKind::Dispatched { cpu } => push_number(bytes, cpu.into()),
            _ => {}
        }
        if first & kinds::MASK >= kinds::LATER {
            self.put_length(start);
        }
        (self.time, self.processor, self.request) = (event.time, event.processor, event.request);
        self.include(event.time, event.processor);
        // It is about the time before its end.
        if let EventKind::Ran(ticks) | EventKind::Charged(ticks) = event.kind {
            self.include(event.time.saturating_sub(ticks), event.processor);
        }
    }

    /// Puts the length of a record before its content, which begins here. Each reader can skip it by that.
    fn put_length(&mut self, start: usize) {
        let content = self.content.split_off(start);
        push_number(&mut self.content, content.len() as u64);
        self.content.extend(content);
    }

    /// Describes an obstacle, unless this block has described it.
    pub(super) fn obstacle(&mut self, number: u32, row: &obstacles::Row, names: &Names) {
        if !self.obstacles.insert(number) {
            return;
        }
        let object = row.object.map_or("", |object| names.parts(object).0);
        let object = self.name(object);
        let site = row.site.map(|site| self.name(names.named(site)));
        self.record(kinds::OBSTACLE);
        let start = self.content.len();
        let kind = obstacles::KINDS.iter().position(|one| *one == row.kind);
        push_number(&mut self.content, number.into());
        self.content.push(kind.unwrap_or(0) as u8);
        push_number(&mut self.content, object);
        push_number(&mut self.content, site.map_or(0, |site| site + 1));
        self.put_length(start);
    }

    /// The obstacle that the lane of the record before waits for.
    pub(super) fn blocked_by(&mut self, number: u32) {
        self.record(kinds::BLOCKED_BY);
        let start = self.content.len();
        push_number(&mut self.content, number.into());
        self.put_length(start);
    }

    fn include(&mut self, time: u64, processor: u32) {
        let range = self.range.get_or_insert(Range {
            first: time,
            last: time,
            low: processor,
            high: processor,
        });
        range.first = range.first.min(time);
        range.last = range.last.max(time);
        range.low = range.low.min(processor);
        range.high = range.high.max(processor);
    }

    /// The moments of the request that the record before describes.
    pub(super) fn progress(&mut self, row: &Measured, names: &Names) {
        let asker = row.asker.map(|asker| self.feature(names, asker));
        self.record(kinds::PROGRESS);
        let moments = [row.called, row.synchronizes, row.executes, row.returns];
        let known = moments.iter().rev();
        let known = known.fold(0, |bits, moment| bits << 1 | u8::from(moment.is_some()));
        self.content.push(known);
        for moment in moments.into_iter().flatten() {
            push_difference(&mut self.content, moment, self.time);
            self.time = moment;
        }
        let [class, selector] = asker.map_or([0, 0], |[class, selector]| [class + 1, selector]);
        push_number(&mut self.content, class);
        if class > 0 {
            push_number(&mut self.content, selector);
        }
    }

    /// What a processor does, or more of it.
    pub(super) fn lane(&mut self, processor: u32, state: State, since: u64, continues: bool) {
        self.record(kinds::LANE | if continues { FIRST } else { 0 });
        let bytes = &mut self.content;
        push_difference(bytes, processor.into(), self.processor.into());
        let place = STATES.iter().position(|one| *one == state);
        bytes.push(place.unwrap_or(0) as u8);
        push_difference(bytes, since, self.time);
        (self.processor, self.time) = (processor, since);
    }

    /// A request under way in the lane of the records before.
    pub(super) fn open(&mut self, request: u32, depth: u32, since: Option<u64>) {
        self.record(kinds::OPEN | if since.is_some() { FIRST } else { 0 });
        let bytes = &mut self.content;
        push_difference(bytes, request.into(), self.request.into());
        push_number(bytes, depth.into());
        if let Some(since) = since {
            push_difference(bytes, since, self.time);
            self.time = since;
        }
        self.request = request;
    }

    /// The moment up to which a state is known.
    pub(super) fn known_up_to(&mut self, time: u64) {
        self.include(time, 0);
    }

    /// A processor; content that begins with the number of the first. Its class is 0 if it is not known, else one more than the
    /// number of a name; a name stands behind its first number.
    pub(super) fn processor(&mut self, number: u32, origin: crate::sink::Origin, class: &str) {
        if self.content.is_empty() {
            push_number(&mut self.content, number.into());
        }
        self.records += 1;
        let bytes = &mut self.content;
        push_number(bytes, number.wrapping_sub(origin.creator).into());
        push_number(bytes, origin.ordinal.into());
        push_difference(bytes, origin.time, self.time);
        self.time = origin.time;
        self.class(shortened(class));
        self.include(origin.time, number);
    }
}

impl Block {
    fn class(&mut self, class: &str) {
        let count = self.names.len() as u64;
        let bytes = &mut self.content;
        match self.names.get(class) {
            _ if class.is_empty() => push_number(bytes, 0),
            Some(number) => push_number(bytes, number + 1),
            None => {
                push_number(bytes, count + 1);
                push_number(bytes, class.len() as u64);
                bytes.extend(class.as_bytes());
                self.names.insert(class.to_string(), count);
            }
        }
    }
}

fn kind_of(kind: EventKind) -> u8 {
    match kind {
        EventKind::Created => kinds::CREATED,
        EventKind::Called { .. } => kinds::CALLED,
        EventKind::Synchronizes => kinds::SYNCHRONIZES,
        EventKind::Locks => kinds::LOCKS,
        EventKind::Granted => kinds::GRANTED,
        EventKind::Evaluated(false) => kinds::EVALUATED_FALSE,
        EventKind::Evaluated(true) => kinds::EVALUATED_TRUE,
        EventKind::Executes => kinds::EXECUTES,
        EventKind::Returns => kinds::RETURNS,
        EventKind::Answered => kinds::ANSWERED,
        EventKind::Ran(_) => kinds::RAN,
        EventKind::Blocks { .. } => kinds::BLOCKS,
        EventKind::Freed { .. } => kinds::FREED,
        EventKind::Dispatched { .. } => kinds::DISPATCHED,
        EventKind::Approved => kinds::APPROVED,
        EventKind::Unlocked => kinds::UNLOCKED,
        EventKind::Sleeps => kinds::SLEEPS,
        EventKind::Wakes => kinds::WAKES,
        EventKind::Joins => kinds::JOINS,
        EventKind::Cancelled => kinds::CANCELLED,
        EventKind::Wants { .. } => kinds::WANTS,
        EventKind::Charged(_) => kinds::CHARGED,
    }
}
