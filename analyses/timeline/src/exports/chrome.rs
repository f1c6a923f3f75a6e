//! Trace events of Chrome, as JSON: an event a line. A processor is a thread of the process 1 with nested slices, and a thread of
//! the process 2 with its states. Moments are microseconds in this format, and a tick is one.

use std::io::Write;

use serde::Serialize;

use crate::following::Wait;
use crate::names::FeatureId;
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::State;

use super::pen::{Drawn, Edge, Level, Pen, Slice, SliceKind, label, word};
use super::perfetto::described;

/// The processes that stand for requests and for states.
const REQUESTS: u32 = 1;
const STATES: u32 = 2;

/// Writes the events.
pub(crate) struct Chrome<W: Write> {
    out: W,
    is_first: bool,
    lanes: Vec<String>,
    features: Vec<String>,
}

/// An event.
#[derive(Serialize)]
struct TraceEvent<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'a str,
    ph: &'a str,
    ts: u64,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    /// A flow is bound to the slice around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'a str>,
    /// An instant is one of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'a str>,
    #[serde(skip_serializing_if = "Arguments::is_empty")]
    args: Arguments<'a>,
}

#[derive(Default, Serialize)]
struct Arguments<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supplier: Option<&'a str>,
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
}

impl Arguments<'_> {
    fn is_empty(&self) -> bool {
        let texts = [self.name, self.client, self.supplier, self.subject];
        let is_none = self.sort_index.is_none() && self.request.is_none() && self.number.is_none();
        is_none && texts.iter().all(Option::is_none)
    }
}

fn event<'a>(name: &'a str, ph: &'a str, ts: u64, pid: u32, lane: u32) -> TraceEvent<'a> {
    TraceEvent {
        name,
        cat: "",
        ph,
        ts,
        pid,
        // No thread has the number 0.
        tid: u64::from(lane) + 1,
        dur: None,
        id: None,
        bp: None,
        s: None,
        args: Arguments::default(),
    }
}

impl<W: Write> Chrome<W> {
    pub(crate) fn new(mut out: W) -> Result<Chrome<W>, SinkError> {
        let begun = out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
        begun.map_err(SinkError::Io)?;
        let mut chrome = Chrome {
            out,
            is_first: true,
            lanes: Vec::new(),
            features: Vec::new(),
        };
        for (pid, name) in [(REQUESTS, "requests"), (STATES, "states")] {
            let mut named = event("process_name", "M", 0, pid, 0);
            named.args.name = Some(name);
            push(&mut chrome.out, &mut chrome.is_first, &named)?;
        }
        Ok(chrome)
    }

    fn feature_name(&self, id: FeatureId) -> &str {
        self.features.get(id.0 as usize).map_or("", String::as_str)
    }

    fn lane_name(&self, lane: u32) -> &str {
        self.lanes.get(lane as usize).map_or("", String::as_str)
    }

    /// A call and the answer are a flow each: from the client to the supplier, and back.
    fn flow(&mut self, (cat, ph): (&str, &str), lane: u32, time: u64, request: u32) -> Accepted {
        let mut flow = event(cat, ph, time, REQUESTS, lane);
        (flow.cat, flow.id) = (cat, Some(request));
        flow.bp = (ph == "f").then_some("e");
        push(&mut self.out, &mut self.is_first, &flow)
    }
}

fn push(out: &mut impl Write, is_first: &mut bool, event: &TraceEvent<'_>) -> Accepted {
    let between: &[u8] = match std::mem::replace(is_first, false) {
        true => b"",
        false => b",\n",
    };
    let failed = |error: serde_json::Error| SinkError::Io(error.into());
    out.write_all(between).map_err(SinkError::Io)?;
    serde_json::to_writer(out, event).map_err(failed)
}

impl<W: Write> Pen for Chrome<W> {
    fn processor(&mut self, number: u32, name: &str, class: &str, _: Origin) -> Accepted {
        let name = label(name, class);
        for pid in [REQUESTS, STATES] {
            let mut named = event("thread_name", "M", 0, pid, number);
            named.args.name = Some(&name);
            push(&mut self.out, &mut self.is_first, &named)?;
            let mut sorted = event("thread_sort_index", "M", 0, pid, number);
            sorted.args.sort_index = Some(number);
            push(&mut self.out, &mut self.is_first, &sorted)?;
        }
        self.lanes.push(name);
        Ok(())
    }

    fn feature(&mut self, _: FeatureId, name: &str) -> Accepted {
        self.features.push(name.to_string());
        Ok(())
    }

    fn edge(&mut self, lane: u32, time: u64, slice: &Slice, edge: Edge) -> Accepted {
        let request = slice.request;
        let is_crossing = slice.is_sent && slice.kind != SliceKind::Step;
        match edge {
            Edge::Begin { is_first } => {
                let name = self.feature_name(slice.feature);
                let (name, cat) = match slice.kind {
                    SliceKind::Request => (name.to_string(), "request"),
                    SliceKind::Step => ("synchronizes".to_string(), "step"),
                    SliceKind::Call => (format!("waits for {name}"), "call"),
                };
                let mut begin = event(&name, "B", time, REQUESTS, lane);
                (begin.cat, begin.args.request) = (cat, Some(request));
                match slice.kind {
                    SliceKind::Request if slice.is_sent => {
                        begin.args.client = Some(self.lane_name(slice.client));
                    }
                    SliceKind::Call => begin.args.supplier = Some(self.lane_name(slice.supplier)),
                    SliceKind::Request | SliceKind::Step => {}
                }
                // A process is named before the first slice, so another event stands before this one.
                let mut line = Vec::new();
                push(&mut line, &mut false, &begin)?;
                self.out.write_all(&line).map_err(SinkError::Io)?;
                match slice.kind {
                    SliceKind::Request if is_first && is_crossing => {
                        self.flow(("calls", "f"), lane, time, request)
                    }
                    SliceKind::Call if is_first && slice.called == Some(time) => {
                        self.flow(("calls", "s"), lane, time, request)
                    }
                    _ => Ok(()),
                }
            }
            Edge::End { is_last } => {
                match slice.kind {
                    SliceKind::Request if is_last && is_crossing => {
                        self.flow(("answers", "s"), lane, time, request)?;
                    }
                    SliceKind::Call if is_last => {
                        self.flow(("answers", "f"), lane, time, request)?;
                    }
                    _ => {}
                }
                let end = event("", "E", time, REQUESTS, lane);
                push(&mut self.out, &mut self.is_first, &end)
            }
        }
    }

    fn sends(&mut self, time: u64, slice: &Slice) -> Accepted {
        let name = format!("sends {}", self.feature_name(slice.feature));
        let mut sends = event(&name, "i", time, REQUESTS, slice.client);
        (sends.cat, sends.s) = ("send", Some("t"));
        sends.args.request = Some(slice.request);
        push(&mut self.out, &mut self.is_first, &sends)?;
        self.flow(("calls", "s"), slice.client, time, slice.request)
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
        let mut stay = event(word(state), "X", from, STATES, lane);
        (stay.cat, stay.dur) = ("state", Some(to - from));
        let subject = wait.and_then(|wait| wait.subject);
        let subject = subject.and_then(|id| self.features.get(id.0 as usize));
        stay.args.subject = subject.map(String::as_str);
        push(&mut self.out, &mut self.is_first, &stay)
    }

    fn level(&mut self, level: Level, time: u64, value: u64) -> Accepted {
        let (name, lane) = match level {
            Level::Running => ("running processors".to_string(), 0),
            Level::Queue(lane) => (format!("queue of {}", self.lane_name(lane)), lane),
        };
        let mut change = event(&name, "C", time, REQUESTS, lane);
        change.args.number = Some(value);
        push(&mut self.out, &mut self.is_first, &change)
    }

    fn finish(&mut self, drawn: &Drawn<'_>) -> Result<Vec<String>, SinkError> {
        #[derive(Serialize)]
        struct Other<'a> {
            program: String,
            ending: &'a str,
            makespan: u64,
            ticks: u64,
        }
        let other = Other {
            program: described(drawn.about.head),
            ending: drawn.about.ending.word(),
            makespan: drawn.about.extent.makespan(),
            ticks: drawn.ticks,
        };
        let failed = |error: serde_json::Error| SinkError::Io(error.into());
        self.out
            .write_all(b"\n],\"otherData\":")
            .map_err(SinkError::Io)?;
        serde_json::to_writer(&mut self.out, &other).map_err(failed)?;
        self.out.write_all(b"}\n").map_err(SinkError::Io)?;
        self.out.flush().map_err(SinkError::Io)?;
        Ok(Vec::new())
    }
}
