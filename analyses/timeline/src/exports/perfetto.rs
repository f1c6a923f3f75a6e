//! A trace of Perfetto: a track for each processor with nested slices, and below it tracks for its states and its queue. A flow
//! leads from a call to the request that it sends, and on to the answer. A tick is a microsecond, as on the clock of the program, and Perfetto
//! counts nanoseconds.

use std::collections::HashSet;
use std::io::Write;

use crate::following::Wait;
use crate::names::FeatureId;
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::State;
use crate::trace::Head;

use super::pen::{Drawn, Edge, Level, Pen, Slice, SliceKind, label, word};
use super::protobuf::Message;

/// Nanoseconds of a tick.
const TICK: u64 = 1000;
/// The last moment that Perfetto can hold.
const MOST_TICKS: u64 = i64::MAX as u64 / TICK;

/// Fields of a packet.
const PACKET: u32 = 1;
const TIMESTAMP: u32 = 8;
const SEQUENCE: u32 = 10;
const EVENT: u32 = 11;
const INTERNED: u32 = 12;
const FLAGS: u32 = 13;
const TRACK: u32 = 60;
/// Values of the flags: names begin anew here; names of before are used.
const FIRST: u64 = 1;
const LATER: u64 = 2;

/// Fields of a track.
const UUID: u32 = 1;
const TRACK_NAME: u32 = 2;
const PARENT: u32 = 5;
const COUNTER: u32 = 8;
const ORDERING: u32 = 11;
/// Tracks below stand in the order of their numbers, or in that of their descriptions.
const BY_RANK: u64 = 3;
const RANK: u32 = 12;
/// Field of a counter: its unit; and the unit of numbers.
const UNIT: u32 = 3;
const COUNT: u64 = 2;

/// Fields of an event.
const NOTE: u32 = 4;
const TYPE: u32 = 9;
const NAME: u32 = 10;
const ON: u32 = 11;
const VALUE: u32 = 30;
const FLOW: u32 = 47;
/// Types of events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const CHANGE: u64 = 4;

/// Fields of a note, and those of an interned name.
const NOTE_NAME: u32 = 10;
const NOTE_NUMBER: u32 = 3;
const NOTE_TEXT: u32 = 6;
const NAMES: u32 = 2;
const NAME_NUMBER: u32 = 1;
const NAME_TEXT: u32 = 2;

/// The track above all, and that of the running processors.
const ROOT: u64 = 1;
const RUNNING: u64 = 2;

/// A track of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Track {
    Lane(u32),
    States(u32),
    Queue(u32),
}

impl Track {
    fn uuid(self) -> u64 {
        let (number, which) = match self {
            Track::Lane(number) => (number, 0),
            Track::States(number) => (number, 1),
            Track::Queue(number) => (number, 2),
        };
        16 + 4 * u64::from(number) + which
    }
}

/// Writes the trace.
pub(crate) struct Perfetto<W: Write> {
    out: W,
    flags: u64,
    lanes: Vec<String>,
    features: Vec<String>,
    /// Tracks below lanes that are described.
    described: HashSet<Track>,
    /// Names that are interned, by their numbers.
    named: HashSet<u64>,
}

/// What the names of events are made of. A feature has a name for each role.
#[derive(Clone, Copy, Debug)]
enum Name {
    Request(FeatureId),
    Call(FeatureId),
    Send(FeatureId),
    Answer(FeatureId),
    Step,
    State(State),
}

impl Name {
    fn number(self) -> u64 {
        let of = |id: FeatureId, role: u64| 64 + 4 * u64::from(id.0) + role;
        match self {
            Name::Request(id) => of(id, 0),
            Name::Call(id) => of(id, 1),
            Name::Send(id) => of(id, 2),
            Name::Answer(id) => of(id, 3),
            Name::Step => 1,
            Name::State(state) => {
                let place = crate::states::STATES.iter().position(|one| *one == state);
                2 + place.unwrap_or(0) as u64
            }
        }
    }
}

impl<W: Write> Perfetto<W> {
    pub(crate) fn new(head: &Head, out: W) -> Result<Perfetto<W>, SinkError> {
        let mut perfetto = Perfetto {
            out,
            flags: FIRST,
            lanes: Vec::new(),
            features: Vec::new(),
            described: HashSet::new(),
            named: HashSet::new(),
        };
        let root = Message::default()
            .number(UUID, ROOT)
            .text(TRACK_NAME, &format!("processors of {}", described(head)))
            .number(ORDERING, BY_RANK);
        perfetto.packet(Message::default().message(TRACK, &root))?;
        let running = counter(RUNNING, "running processors", ROOT);
        perfetto.packet(Message::default().message(TRACK, &running))?;
        Ok(perfetto)
    }

    fn packet(&mut self, packet: Message) -> Accepted {
        let flags = std::mem::replace(&mut self.flags, LATER);
        let packet = packet.number(SEQUENCE, 1).number(FLAGS, flags);
        let framed = Message::default().message(PACKET, &packet).into_bytes();
        self.out.write_all(&framed).map_err(SinkError::Io)
    }

    fn event(&mut self, time: u64, event: &Message) -> Accepted {
        if time > MOST_TICKS {
            return Err(SinkError::TooMuch("ticks for a trace of Perfetto"));
        }
        let packet = Message::default()
            .number(TIMESTAMP, time * TICK)
            .message(EVENT, event);
        self.packet(packet)
    }

    /// Describes the track before its first event.
    fn track(&mut self, track: Track) -> Result<u64, SinkError> {
        let (parent, message) = match track {
            Track::Lane(_) => return Ok(track.uuid()),
            Track::States(lane) => {
                let parent = Track::Lane(lane).uuid();
                (parent, named(track.uuid(), "states"))
            }
            Track::Queue(lane) => {
                let name = self.lanes.get(lane as usize).map_or("", String::as_str);
                let name = format!("queue of {name}");
                let parent = Track::Lane(lane).uuid();
                (parent, counter(track.uuid(), &name, parent))
            }
        };
        if self.described.insert(track) {
            let message = match track {
                Track::Queue(_) => message,
                Track::Lane(_) | Track::States(_) => message.number(PARENT, parent),
            };
            self.packet(Message::default().message(TRACK, &message))?;
        }
        Ok(track.uuid())
    }

    /// The number of the name, which is interned before its first use.
    fn name(&mut self, name: Name) -> Result<u64, SinkError> {
        let number = name.number();
        if !self.named.insert(number) {
            return Ok(number);
        }
        let feature = |id: FeatureId| self.features.get(id.0 as usize).map_or("", String::as_str);
        let text = match name {
            Name::Request(id) => feature(id).to_string(),
            Name::Call(id) => format!("waits for {}", feature(id)),
            Name::Send(id) => format!("sends {}", feature(id)),
            Name::Answer(id) => format!("answer of {}", feature(id)),
            Name::Step => "synchronizes".to_string(),
            Name::State(state) => word(state).to_string(),
        };
        let interned = Message::default()
            .number(NAME_NUMBER, number)
            .text(NAME_TEXT, &text);
        let interned = Message::default().message(NAMES, &interned);
        self.packet(Message::default().message(INTERNED, &interned))?;
        Ok(number)
    }

    /// An event of a lane. A flow leads through the events of a request.
    fn of_lane(
        &mut self,
        lane: u32,
        kind: u64,
        name: Name,
        flow: Option<u32>,
    ) -> Result<Message, SinkError> {
        let name = self.name(name)?;
        let event = Message::default()
            .number(TYPE, kind)
            .number(ON, Track::Lane(lane).uuid())
            .number(NAME, name);
        Ok(match flow {
            // No flow has the number 0.
            Some(request) => event.fixed(FLOW, u64::from(request) + 1),
            None => event,
        })
    }

    fn begin(&mut self, lane: u32, time: u64, slice: &Slice, is_first: bool) -> Accepted {
        let flow = (is_first && slice.is_sent).then_some(slice.request);
        let (name, flow) = match slice.kind {
            SliceKind::Request => (Name::Request(slice.feature), flow),
            SliceKind::Step => (Name::Step, None),
            SliceKind::Call => (Name::Call(slice.feature), flow),
        };
        let mut event = self.of_lane(lane, BEGIN, name, flow)?;
        event = event.message(NOTE, &number_note("request", slice.request.into()));
        if slice.is_sent {
            let (what, other) = match slice.kind {
                SliceKind::Call => ("supplier", slice.supplier),
                SliceKind::Request | SliceKind::Step => ("client", slice.client),
            };
            let other = self.lanes.get(other as usize).map_or("", String::as_str);
            event = event.message(NOTE, &text_note(what, other));
        }
        self.event(time, &event)
    }
}

fn named(uuid: u64, name: &str) -> Message {
    Message::default().number(UUID, uuid).text(TRACK_NAME, name)
}

fn counter(uuid: u64, name: &str, parent: u64) -> Message {
    let unit = Message::default().number(UNIT, COUNT);
    named(uuid, name)
        .number(PARENT, parent)
        .message(COUNTER, &unit)
}

fn number_note(name: &str, value: u64) -> Message {
    Message::default()
        .text(NOTE_NAME, name)
        .number(NOTE_NUMBER, value)
}

fn text_note(name: &str, text: &str) -> Message {
    Message::default()
        .text(NOTE_NAME, name)
        .text(NOTE_TEXT, text)
}

/// The run in a line.
pub(super) fn described(head: &Head) -> String {
    let cpus = head.cpus.map_or("max".to_string(), |cpus| cpus.to_string());
    format!("{}, cpus {cpus}", head.files.join(" "))
}

impl<W: Write> Pen for Perfetto<W> {
    fn processor(&mut self, number: u32, name: &str, class: &str, _: Origin) -> Accepted {
        let name = label(name, class);
        let track = named(Track::Lane(number).uuid(), &name)
            .number(PARENT, ROOT)
            .number(RANK, number.into());
        self.lanes.push(name);
        self.packet(Message::default().message(TRACK, &track))
    }

    fn feature(&mut self, _: FeatureId, name: &str) -> Accepted {
        self.features.push(name.to_string());
        Ok(())
    }

    fn edge(&mut self, lane: u32, time: u64, slice: &Slice, edge: Edge) -> Accepted {
        match edge {
            Edge::Begin { is_first } => self.begin(lane, time, slice, is_first),
            Edge::End { is_last } => {
                if is_last && slice.kind == SliceKind::Call {
                    let name = Name::Answer(slice.feature);
                    let answer = self.of_lane(lane, INSTANT, name, Some(slice.request))?;
                    self.event(time, &answer)?;
                }
                let end = Message::default()
                    .number(TYPE, END)
                    .number(ON, Track::Lane(lane).uuid());
                self.event(time, &end)
            }
        }
    }

    fn sends(&mut self, time: u64, slice: &Slice) -> Accepted {
        let name = Name::Send(slice.feature);
        let event = self.of_lane(slice.client, INSTANT, name, Some(slice.request))?;
        let event = event.message(NOTE, &number_note("request", slice.request.into()));
        self.event(time, &event)
    }

    fn state(
        &mut self,
        lane: u32,
        state: State,
        from: u64,
        to: u64,
        wait: Option<&Wait>,
    ) -> Accepted {
        if state == State::Idle {
            return Ok(());
        }
        let track = self.track(Track::States(lane))?;
        let name = self.name(Name::State(state))?;
        let mut event = Message::default()
            .number(TYPE, BEGIN)
            .number(ON, track)
            .number(NAME, name);
        if let Some(subject) = wait.and_then(|wait| wait.subject) {
            let subject = self.features.get(subject.0 as usize);
            let subject = subject.map_or("", String::as_str);
            event = event.message(NOTE, &text_note("for", subject));
        }
        self.event(from, &event)?;
        let end = Message::default().number(TYPE, END).number(ON, track);
        self.event(to, &end)
    }

    fn level(&mut self, level: Level, time: u64, value: u64) -> Accepted {
        let track = match level {
            Level::Running => RUNNING,
            Level::Queue(lane) => self.track(Track::Queue(lane))?,
        };
        let event = Message::default()
            .number(TYPE, CHANGE)
            .number(ON, track)
            .number(VALUE, value);
        self.event(time, &event)
    }

    fn finish(&mut self, _: &Drawn<'_>) -> Result<Vec<String>, SinkError> {
        self.out.flush().map_err(SinkError::Io)?;
        Ok(Vec::new())
    }
}
