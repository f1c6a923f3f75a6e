//! Exported timelines, and readers of their formats that share no code with the writers.

use std::collections::HashMap;
use std::fs::File;
use std::io::Cursor;

use tally_timeline::exports::{About, EXPORTS, ExportFormat};
use tally_timeline::trace::{Ending, Trace};
use tally_timeline::{Extent, Figures, SinkError, State};
use tally_vm::Timeline;

use super::{head, overview, traced};

pub(crate) fn format(name: &str) -> &'static ExportFormat {
    EXPORTS
        .iter()
        .find(|format| format.name == name)
        .expect(name)
}

/// The bytes of this part of a trace in a format.
pub(crate) fn export(bytes: &[u8], extent: Extent, name: &str) -> Result<Vec<u8>, SinkError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("export");
    let file = File::create_new(&path).expect("a file");
    let head = head();
    let about = About {
        head: &head,
        ending: Ending::Deadlock,
        extent,
    };
    let mut exporter = format(name).exporter(about, file, &path)?;
    let mut trace = Trace::open(Cursor::new(bytes)).expect("a trace");
    let replayed = match extent.is_segment {
        true => trace.replay_segment(extent.window, &mut exporter),
        false => trace.replay(&mut exporter),
    };
    if let Err(error) = replayed {
        return Err(exporter
            .failure()
            .unwrap_or_else(|| SinkError::Io(std::io::Error::other(error))));
    }
    exporter.finish()?;
    Ok(std::fs::read(&path).expect("a file"))
}

/// The same of a timeline, with the figures of its report.
pub(crate) fn exported(timeline: &Timeline, extent: Extent, name: &str) -> Vec<u8> {
    export(&traced(timeline), extent, name).expect("an export")
}

/// What the report shows of this part.
pub(crate) fn report(timeline: &Timeline, extent: Extent) -> Figures {
    let bytes = traced(timeline);
    let mut trace = Trace::open(Cursor::new(&bytes[..])).expect("a trace");
    let mut all = overview(extent);
    match extent.is_segment {
        true => trace.replay_segment(extent.window, &mut all),
        false => trace.replay(&mut all),
    }
    .expect("sound blocks");
    all.finish()
}

/// A bar that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) lane: u64,
    pub(crate) name: String,
    pub(crate) request: Option<u64>,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// A place at which a flow passes: its number, the moment and the lane.
pub(crate) type Passage = (u64, u64, u64);

/// What was read of a format with slices.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    pub(crate) bars: Vec<Bar>,
    pub(crate) states: Vec<Bar>,
    /// Calls, and where they are taken up.
    pub(crate) flows: Vec<Passage>,
    /// By the name of the counter.
    pub(crate) levels: Vec<(String, u64, u64)>,
    pub(crate) lanes: Vec<String>,
}

/// A state's word, as the formats have it.
pub(crate) const WORDS: [(&str, State); 8] = [
    ("running", State::Running),
    ("ready", State::Ready),
    ("answer", State::Answer),
    ("lock", State::Lock),
    ("condition", State::Condition),
    ("asleep", State::Asleep),
    ("overhead", State::Overhead),
    ("blocked", State::Blocked),
];

// --- Perfetto -------------------------------------------------------------------------------------

/// A field of a message.
#[derive(Clone, Copy, Debug)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return value;
        }
    }
    unreachable!("a number ends")
}

/// The fields of a message, by their numbers.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                fields.push((key >> 3, Field::Number(varint(&mut bytes))));
                continue;
            }
            1 => 8,
            2 => varint(&mut bytes) as usize,
            other => panic!("kind {other} of a field"),
        };
        let (content, rest) = bytes.split_at(length);
        bytes = rest;
        let field = match key & 7 {
            1 => Field::Number(u64::from_le_bytes(content.try_into().expect("8 bytes"))),
            _ => Field::Bytes(content),
        };
        fields.push((key >> 3, field));
    }
    fields
}

fn number(fields: &[(u64, Field<'_>)], wanted: u64) -> Option<u64> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Number(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn bytes<'a>(fields: &[(u64, Field<'a>)], wanted: u64) -> Option<&'a [u8]> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Bytes(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("a text")
}

/// The track above all lanes.
const ROOT: u64 = 1;

/// What is known of a trace of Perfetto while it is read.
#[derive(Default)]
struct Perfetto {
    read: Slices,
    /// Tracks with their names and the tracks above.
    tracks: HashMap<u64, (String, u64)>,
    /// The tracks of lanes.
    order: Vec<u64>,
    names: HashMap<u64, String>,
    open: HashMap<u64, Vec<Bar>>,
}

/// Reads a trace of Perfetto. Its moments are thousandths of ticks.
pub(crate) fn read_perfetto(trace: &[u8]) -> Slices {
    let mut all = Perfetto::default();
    for (number_of_field, packet) in fields(trace) {
        assert_eq!(number_of_field, 1, "a trace consists of packets");
        let Field::Bytes(packet) = packet else {
            panic!("a packet is a message")
        };
        let packet = fields(packet);
        assert_eq!(number(&packet, 10), Some(1), "the sequence");
        if let Some(track) = bytes(&packet, 60) {
            all.track(&fields(track));
        }
        if let Some(interned) = bytes(&packet, 12).map(fields) {
            let name = fields(bytes(&interned, 2).expect("a name"));
            let text = text(bytes(&name, 2).expect("a text"));
            let known = all.names.insert(number(&name, 1).expect("a number"), text);
            assert_eq!(known, None, "a name is interned once");
        }
        if let Some(event) = bytes(&packet, 11) {
            let time = number(&packet, 8).expect("a moment");
            assert_eq!(time % 1000, 0, "a tick is a microsecond");
            all.event(&fields(event), time / 1000);
        }
    }
    assert!(all.open.values().all(Vec::is_empty), "all slices end");
    all.read
}

/// The number of the request that an event is about.
fn request(event: &[(u64, Field<'_>)]) -> Option<u64> {
    let notes = event.iter().filter(|(field, _)| *field == 4);
    let notes = notes.filter_map(|(_, note)| match note {
        Field::Bytes(note) => Some(fields(note)),
        Field::Number(_) => None,
    });
    let mut requests = notes.filter(|note| bytes(note, 10) == Some(b"request"));
    requests.find_map(|note| number(&note, 3))
}

impl Perfetto {
    fn track(&mut self, track: &[(u64, Field<'_>)]) {
        let name = text(bytes(track, 2).expect("a name"));
        let uuid = number(track, 1).expect("an uuid");
        let parent = number(track, 5).unwrap_or(0);
        if parent == ROOT && bytes(track, 8).is_none() {
            self.order.push(uuid);
            self.read.lanes.push(name.clone());
        }
        let known = self.tracks.insert(uuid, (name, parent));
        assert_eq!(known, None, "a track is described once");
    }

    fn place(&self, uuid: u64) -> Option<usize> {
        self.order.iter().position(|one| *one == uuid)
    }

    fn event(&mut self, event: &[(u64, Field<'_>)], time: u64) {
        let uuid = number(event, 11).expect("a track");
        let (track, parent) = self.tracks[&uuid].clone();
        let lane = self.place(uuid).or(self.place(parent)).unwrap_or(0) as u64;
        if let Some(flow) = number(event, 47) {
            self.read.flows.push((flow - 1, time, lane));
        }
        match number(event, 9).expect("a type") {
            1 => {
                let name = self.names[&number(event, 10).expect("a name")].clone();
                self.open.entry(uuid).or_default().push(Bar {
                    lane,
                    name,
                    request: request(event),
                    from: time,
                    to: 0,
                });
            }
            2 => {
                let bar = self.open.get_mut(&uuid).and_then(Vec::pop);
                let bar = bar.expect("an end has a begin");
                assert!(bar.from <= time);
                let bar = Bar { to: time, ..bar };
                match self.place(uuid) {
                    Some(_) => self.read.bars.push(bar),
                    None => self.read.states.push(bar),
                }
            }
            3 => {}
            4 => {
                let value = number(event, 30).expect("a value");
                self.read.levels.push((track, time, value));
            }
            other => panic!("type {other}"),
        }
    }
}

// --- Chrome ---------------------------------------------------------------------------------------

/// Reads trace events of Chrome.
pub(crate) fn read_chrome(trace: &[u8]) -> Slices {
    let mut read = Slices::default();
    let mut open: HashMap<u64, Vec<Bar>> = HashMap::new();
    let document: serde_json::Value = serde_json::from_slice(trace).expect("JSON");
    for event in document["traceEvents"].as_array().expect("events") {
        let number = |name: &str| event[name].as_u64();
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_string();
        let (name, phase) = (text(&event["name"]), text(&event["ph"]));
        let (pid, lane) = (
            number("pid").expect("a value"),
            number("tid").expect("a value") - 1,
        );
        let time = number("ts").expect("a moment");
        let bar = |to| Bar {
            lane,
            name: name.clone(),
            request: event["args"]["request"].as_u64(),
            from: time,
            to,
        };
        match phase.as_str() {
            "M" if name == "thread_name" && pid == 1 => {
                read.lanes.push(text(&event["args"]["name"]));
            }
            "M" => {}
            "B" => open.entry(lane).or_default().push(bar(0)),
            "E" => {
                let bar = open.get_mut(&lane).and_then(Vec::pop);
                let bar = bar.expect("an end has a begin");
                assert!(bar.from <= time);
                read.bars.push(Bar { to: time, ..bar });
            }
            "X" => read
                .states
                .push(bar(time + number("dur").expect("a length"))),
            "C" => {
                let value = event["args"]["number"].as_u64().expect("a number");
                read.levels.push((name, time, value));
            }
            "s" | "f" if name == "calls" => {
                read.flows
                    .push((number("id").expect("a value"), time, lane));
            }
            "s" | "f" | "i" => {}
            other => panic!("phase {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "all slices end");
    read
}
