//! Where the parts of a timeline are from: a run, or a trace.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _};
use std::path::Path;

use tally_profiler::Description;
use tally_timeline::trace::{self, Ending, Head, Trace, TraceError, Writer};
use tally_timeline::{Sink, SinkError, Window, feed};
use tally_vm::{MODEL_VERSION, Simulation, Timeline};

use crate::arguments::settings;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

/// The ending of the names of traces.
pub(super) const TRACE: &str = "timeline";

/// A timeline.
pub(super) struct Source {
    head: Head,
    ending: Ending,
    end: u64,
    parts: Parts,
}

enum Parts {
    Run(Timeline),
    /// The name of a file, and the trace in it.
    Trace(String, Trace<BufReader<File>>),
}

/// Whether a file holds a trace, by its name or its first bytes.
pub(super) fn is_trace(file: &str) -> bool {
    let ending = Path::new(file).extension();
    if ending.is_some_and(|ending| ending == TRACE) {
        return true;
    }
    let is_file = std::fs::metadata(file).is_ok_and(|facts| facts.is_file());
    let mut bytes = Vec::new();
    is_file
        && File::open(file)
            .and_then(|file| file.take(8).read_to_end(&mut bytes))
            .is_ok()
        && trace::is_trace(&bytes)
}

/// The head of a trace of this run.
pub(super) fn head(about: &Description, simulation: &Simulation, model: u32) -> Head {
    let costs = simulation.costs.named().into_iter();
    let costs = costs.filter(|(_, cost)| *cost > 0);
    Head {
        model,
        program: about.program,
        files: about.files.clone(),
        cpus: simulation.cpus,
        costs: costs.map(|(name, cost)| (name.to_string(), cost)).collect(),
        settings: settings(simulation),
    }
}

impl Source {
    /// A run that has ended.
    pub(super) fn run(timeline: Timeline, head: Head, ending: Ending) -> Source {
        Source {
            head,
            ending,
            end: timeline.end,
            parts: Parts::Run(timeline),
        }
    }

    /// The trace in a file.
    pub(super) fn open(file: &str) -> Result<Source, Failure> {
        let input = File::open(file).map_err(|error| Failure::io("read", file, &error))?;
        let facts = input.metadata();
        if facts.is_ok_and(|facts| facts.is_dir()) {
            return Err(Failure::io("read", file, &ErrorKind::IsADirectory.into()));
        }
        let trace = Trace::open(BufReader::new(input)).map_err(|error| unread(file, error))?;
        let model = trace.head().model;
        if model != MODEL_VERSION {
            let why = format!(
                "{file} was recorded by version {model} of the counting model, and this tally counts by version {MODEL_VERSION}"
            );
            return Err(Failure::new(Exit::Incomparable, why));
        }
        Ok(Source {
            head: trace.head().clone(),
            ending: trace.ending(),
            end: trace.end(),
            parts: Parts::Trace(file.to_string(), trace),
        })
    }

    /// Warns of a trace whose end is missing.
    pub(super) fn warn_of_cut(&self, file: &str) {
        let Parts::Trace(_, trace) = &self.parts else {
            return;
        };
        if let Some(cut) = trace.cut() {
            console::warning(&format!(
                "the end of {file} is missing: it is whole up to tick {}, byte {}",
                cut.time, cut.bytes
            ));
        }
    }

    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    pub(super) fn ending(&self) -> Ending {
        self.ending
    }

    /// The last moment.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Gives all parts to a sink.
    pub(super) fn replay(&mut self, sink: &mut impl Sink) -> Result<(), Failure> {
        match &mut self.parts {
            Parts::Run(timeline) => feed(timeline, sink).map_err(refused),
            Parts::Trace(file, trace) => trace.replay(sink).map_err(|error| unread(file, error)),
        }
    }

    /// Gives the parts of a segment to a sink, and of a run all others too.
    pub(super) fn replay_segment(
        &mut self,
        segment: Window,
        sink: &mut impl Sink,
    ) -> Result<(), Failure> {
        match &mut self.parts {
            Parts::Run(timeline) => feed(timeline, sink).map_err(refused),
            Parts::Trace(file, trace) => {
                let done = trace.replay_segment(segment, sink);
                done.map_err(|error| unread(file, error))
            }
        }
    }

    /// The trace of a run as bytes.
    pub(super) fn traced(&mut self) -> Result<Vec<u8>, Failure> {
        let failed = |error| Failure::io("write", "a trace", &error);
        let mut writer = Writer::new(Vec::new(), &self.head).map_err(failed)?;
        self.replay(&mut writer)?;
        let (_, bytes) = writer.finish(self.ending, self.end).map_err(failed)?;
        Ok(bytes)
    }
}

/// A timeline that has more of something than there may be.
fn refused(error: SinkError) -> Failure {
    match error {
        SinkError::TooMuch(_) => Failure::new(Exit::Limit, error.to_string()),
        SinkError::Undescribed(_) | SinkError::Io(_) => {
            Failure::new(Exit::Internal, error.to_string())
        }
    }
}

fn unread(file: &str, error: TraceError) -> Failure {
    match error {
        TraceError::Io(error) => Failure::io("read", file, &error),
        error => Failure::new(Exit::Io, format!("{file}: {error}")),
    }
}
