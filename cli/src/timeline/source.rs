//! The trace that is shown.

use std::fs::{File, TryLockError};
use std::io::{BufReader, ErrorKind, Read as _};
use std::path::Path;

use tally_profiler::Description;
use tally_timeline::trace::{self, Cut, Ending, Head, Trace, TraceError};
use tally_timeline::{Extent, Listed, Sink, Window};
use tally_vm::{MODEL_VERSION, Simulation};

use super::recording::Storage;
use crate::arguments::settings;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

/// The ending of the names of traces.
pub(crate) const TRACE: &str = "timeline";

/// A trace that can be read: that of a file, or of the run that has just ended.
pub(crate) struct Source {
    /// How messages name it.
    name: String,
    trace: Trace<BufReader<Box<dyn Storage>>>,
}

/// Whether a file holds a trace, by its name or its first bytes.
pub(crate) fn is_trace(file: &str) -> bool {
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

/// Whether another process is writing a file: it has locked the file then. For a reader that is no hindrance.
fn is_growing(file: &str) -> bool {
    let locked = File::open(file).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
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
    /// The trace in a file.
    pub(crate) fn open(file: &str) -> Result<Source, Failure> {
        let source = Source::of_any_model(file)?;
        let model = source.head().model;
        if model != MODEL_VERSION {
            let why = format!(
                "{file} was recorded by version {model} of the counting model, and this tally counts by version {MODEL_VERSION}"
            );
            return Err(Failure::new(Exit::Incomparable, why));
        }
        Ok(source)
    }

    /// The trace in a file, whatever its ticks mean.
    pub(super) fn of_any_model(file: &str) -> Result<Source, Failure> {
        let input = File::open(file).map_err(|error| Failure::io("read", file, &error))?;
        let facts = input.metadata();
        if facts.is_ok_and(|facts| facts.is_dir()) {
            return Err(Failure::io("read", file, &ErrorKind::IsADirectory.into()));
        }
        Source::new(file.to_string(), Box::new(input))
    }

    /// The trace that is stored there.
    pub(super) fn new(name: String, storage: Box<dyn Storage>) -> Result<Source, Failure> {
        let trace = Trace::open(BufReader::new(storage)).map_err(|error| unread(&name, error))?;
        Ok(Source { name, trace })
    }

    /// Warns of a trace whose end is missing, or not written yet.
    pub(crate) fn warn_of_cut(&self) {
        let Some(Cut { time, bytes }) = self.trace.cut() else {
            return;
        };
        console::warning(&match is_growing(&self.name) {
            true => format!(
                "{} is still being written: it was read up to tick {time}, byte {bytes}",
                self.name
            ),
            false => format!(
                "the end of {} is missing: it is whole up to tick {time}, byte {bytes}",
                self.name
            ),
        });
    }

    /// The trace in a list.
    pub(super) fn listed(&self) -> Listed {
        let cut = self.trace.cut();
        Listed {
            name: self.name.clone(),
            head: self.head().clone(),
            first: self.trace.start(),
            last: self.end(),
            ending: self.ending(),
            records: self.trace.records(),
            cut,
            is_growing: cut.is_some() && is_growing(&self.name),
        }
    }

    pub(crate) fn head(&self) -> &Head {
        self.trace.head()
    }

    pub(crate) fn ending(&self) -> Ending {
        self.trace.ending()
    }

    /// The last moment.
    pub(crate) fn end(&self) -> u64 {
        self.trace.end()
    }

    /// Gives all parts to a sink.
    pub(crate) fn replay(&mut self, sink: &mut impl Sink) -> Result<(), Failure> {
        let done = self.trace.replay(sink);
        done.map_err(|error| unread(&self.name, error))
    }

    /// Gives to a sink what belongs to this part of the run, and perhaps more.
    pub(super) fn replay_part(
        &mut self,
        extent: Extent,
        sink: &mut impl Sink,
    ) -> Result<(), Failure> {
        match extent.is_segment {
            true => self.replay_segment(extent.window, sink),
            false => self.replay(sink),
        }
    }

    /// Gives the parts of a segment to a sink.
    fn replay_segment(&mut self, segment: Window, sink: &mut impl Sink) -> Result<(), Failure> {
        let done = self.trace.replay_segment(segment, sink);
        done.map_err(|error| unread(&self.name, error))
    }
}

fn unread(file: &str, error: TraceError) -> Failure {
    match error {
        TraceError::Io(error) => Failure::io("read", file, &error),
        TraceError::TooLarge(_) => Failure::new(Exit::Limit, format!("{file}: {error}")),
        error => Failure::new(Exit::Io, format!("{file}: {error}")),
    }
}
