//! A profile for the Firefox Profiler: a thread for each processor, with markers for its requests and waits. A tick is a microsecond. The
//! format keeps each column of a thread together, so the markers are held in memory up to a bound.

use std::io::Write;

use fxprof_processed_profile::{
    CategoryColor, CategoryHandle, Marker, MarkerFieldFlags, MarkerFieldFormat, MarkerLocations,
    MarkerTiming, MarkerTypeHandle, ProcessHandle, Profile, ReferenceTimestamp,
    RuntimeSchemaMarkerField, RuntimeSchemaMarkerSchema, SamplingInterval, StringHandle,
    ThreadHandle, Timestamp,
};
use tally_presentation::grouped;

use crate::following::Wait;
use crate::measured::Measured;
use crate::names::FeatureId;
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::{CAUSES, Cause};

use super::About;
use super::pen::{Drawn, Pen, label};
use super::perfetto::described;

/// The most threads.
const MOST_LANES: usize = 2_000;
/// The most markers.
const MOST_MARKERS: u64 = 1_000_000;
/// Nanoseconds of a tick.
const TICK: u64 = 1000;

/// Writes the profile.
pub(crate) struct Firefox<W: Write> {
    out: W,
    profile: Profile,
    process: ProcessHandle,
    lanes: Vec<(ThreadHandle, StringHandle)>,
    lanes_left_out: u64,
    features: Vec<StringHandle>,
    causes: Vec<StringHandle>,
    types: [(MarkerTypeHandle, CategoryHandle); 2],
    unknown: StringHandle,
    /// The last moment of the part.
    end: u64,
    markers: u64,
    left_out: u64,
}

/// A marker of a request or a wait, with its fields in the order of its schema.
struct Mark {
    kind: (MarkerTypeHandle, CategoryHandle),
    name: StringHandle,
    text: StringHandle,
    fields: [Field; 5],
}

#[derive(Clone, Copy)]
enum Field {
    Text(StringHandle),
    Number(u64),
}

/// The fields of requests and of waits: whether they are texts, and their names.
const OF_REQUEST: &[(bool, &str)] = &[
    (true, "client"),
    (false, "request"),
    (false, "queue"),
    (false, "synchronization"),
    (false, "waiting"),
];
const OF_WAIT: &[(bool, &str)] = &[(true, "waiter"), (true, "for"), (false, "ticks")];

impl Marker for Mark {
    fn marker_type(&self, _: &mut Profile) -> MarkerTypeHandle {
        self.kind.0
    }

    fn name(&self, _: &mut Profile) -> StringHandle {
        self.name
    }

    fn category(&self, _: &mut Profile) -> CategoryHandle {
        self.kind.1
    }

    fn string_field_value(&self, field: u32) -> StringHandle {
        match self.fields.get(field as usize) {
            Some(Field::Text(text)) => *text,
            Some(Field::Number(_)) | None => self.text,
        }
    }

    fn number_field_value(&self, field: u32) -> f64 {
        match self.fields.get(field as usize) {
            Some(Field::Number(number)) => *number as f64,
            Some(Field::Text(_)) | None => 0.0,
        }
    }
}

fn schema(name: &str, fields: &[(bool, &str)]) -> RuntimeSchemaMarkerSchema {
    let fields = fields
        .iter()
        .map(|(is_text, key)| RuntimeSchemaMarkerField {
            key: (*key).to_string(),
            label: (*key).to_string(),
            format: match is_text {
                true => MarkerFieldFormat::String,
                false => MarkerFieldFormat::Integer,
            },
            flags: MarkerFieldFlags::SEARCHABLE,
        });
    RuntimeSchemaMarkerSchema {
        type_name: name.to_string(),
        description: None,
        locations: MarkerLocations::MARKER_CHART
            | MarkerLocations::MARKER_TABLE
            | MarkerLocations::TIMELINE_OVERVIEW,
        chart_label: Some("{marker.name}".to_string()),
        tooltip_label: None,
        table_label: Some("{marker.name}".to_string()),
        fields: fields.collect(),
        graphs: Vec::new(),
    }
}

fn moment(time: u64) -> Result<Timestamp, SinkError> {
    let nanoseconds = time.checked_mul(TICK);
    nanoseconds
        .map(Timestamp::from_nanos_since_reference)
        .ok_or(SinkError::TooMuch("ticks for a profile of Firefox"))
}

impl<W: Write> Firefox<W> {
    pub(crate) fn new(about: About<'_>, out: W) -> Firefox<W> {
        // A run has no date, so that the same run gives the same bytes.
        let start = ReferenceTimestamp::from_millis_since_unix_epoch(0.0);
        let name = described(about.head);
        let mut profile = Profile::new(&name, start, SamplingInterval::from_nanos(TICK));
        let zero = Timestamp::from_nanos_since_reference(0);
        let process = profile.add_process("processors", 1, zero);
        let causes = CAUSES.map(|cause| profile.intern_string(cause.word()));
        let unknown = profile.intern_string("–");
        let requests = profile.register_marker_type(schema("request", OF_REQUEST));
        let waits = profile.register_marker_type(schema("wait", OF_WAIT));
        let blue = profile.add_category("Requests", CategoryColor::Blue);
        let orange = profile.add_category("Waits", CategoryColor::Orange);
        Firefox {
            out,
            profile,
            process,
            lanes: Vec::new(),
            lanes_left_out: 0,
            features: Vec::new(),
            causes: causes.to_vec(),
            types: [(requests, blue), (waits, orange)],
            unknown,
            end: about.extent.end,
            markers: 0,
            left_out: 0,
        }
    }

    fn feature_name(&self, id: Option<FeatureId>) -> StringHandle {
        let name = id.and_then(|id| self.features.get(id.0 as usize));
        *name.unwrap_or(&self.unknown)
    }

    fn mark(&mut self, lane: u32, (from, to): (u64, u64), mark: Mark) -> Accepted {
        let thread = self.lanes.get(lane as usize).map(|(thread, _)| *thread);
        let Some(thread) = thread.filter(|_| self.markers < MOST_MARKERS) else {
            self.left_out += 1;
            return Ok(());
        };
        self.markers += 1;
        let timing = MarkerTiming::Interval(moment(from)?, moment(to.max(from))?);
        self.profile.add_marker(thread, timing, mark);
        Ok(())
    }
}

impl<W: Write> Pen for Firefox<W> {
    fn processor(&mut self, number: u32, name: &str, class: &str, origin: Origin) -> Accepted {
        if self.lanes.len() >= MOST_LANES {
            self.lanes_left_out += 1;
            return Ok(());
        }
        let name = label(name, class);
        let created = moment(origin.time)?;
        let thread = self
            .profile
            .add_thread(self.process, number + 1, created, number == 0);
        self.profile.set_thread_name(thread, &name);
        self.profile
            .set_thread_show_markers_in_timeline(thread, true);
        let name = self.profile.intern_string(&name);
        self.lanes.push((thread, name));
        Ok(())
    }

    fn feature(&mut self, _: FeatureId, name: &str) -> Accepted {
        let name = self.profile.intern_string(name);
        self.features.push(name);
        Ok(())
    }

    fn request(&mut self, number: u32, row: &Measured) -> Accepted {
        let Some(from) = row.synchronizes else {
            return Ok(());
        };
        let client = self.lanes.get(row.client as usize);
        let client = client.map_or(self.unknown, |(_, name)| *name);
        let mark = Mark {
            kind: self.types[0],
            name: self.feature_name(Some(row.feature)),
            text: self.unknown,
            fields: [
                Field::Text(client),
                Field::Number(number.into()),
                Field::Number(row.queue_time().unwrap_or(0)),
                Field::Number(row.synchronization_time().unwrap_or(0)),
                Field::Number(row.waiting),
            ],
        };
        let to = row.returns.unwrap_or(self.end);
        self.mark(row.supplier, (from, to), mark)
    }

    fn wait(&mut self, wait: &Wait) -> Accepted {
        let cause = CAUSES.iter().position(|one| *one == wait.cause);
        let name = cause.and_then(|place| self.causes.get(place));
        let mark = Mark {
            kind: self.types[1],
            name: *name.unwrap_or(&self.unknown),
            text: self.unknown,
            fields: [
                Field::Text(self.feature_name(wait.waiter)),
                Field::Text(self.feature_name(wait.subject)),
                Field::Number(wait.to - wait.from),
                Field::Number(0),
                Field::Number(0),
            ],
        };
        // A request waits in the queue of its supplier.
        let lane = match wait.cause {
            Cause::Queue => wait.supplier.unwrap_or(wait.client),
            _ => wait.client,
        };
        self.mark(lane, (wait.from, wait.to), mark)
    }

    fn finish(&mut self, _: &Drawn<'_>) -> Result<Vec<String>, SinkError> {
        let end = moment(self.end)?;
        for (thread, _) in &self.lanes {
            self.profile.set_thread_end_time(*thread, end);
        }
        let failed = |error: serde_json::Error| SinkError::Io(error.into());
        serde_json::to_writer(&mut self.out, &self.profile).map_err(failed)?;
        self.out.write_all(b"\n").map_err(SinkError::Io)?;
        self.out.flush().map_err(SinkError::Io)?;
        let mut left_out = Vec::new();
        if self.lanes_left_out > 0 || self.left_out > 0 {
            left_out.push(format!(
                "{} processors and {} requests and waits are left out: at most {} and {} are written",
                grouped(self.lanes_left_out),
                grouped(self.left_out),
                grouped(MOST_LANES as u64),
                grouped(MOST_MARKERS)
            ));
        }
        Ok(left_out)
    }
}
