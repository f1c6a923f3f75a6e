//! The trace of a run while it runs: its parts are written as they come, into the file that the user named or into a temporary one.

use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tally_timeline::trace::{Ending, Head, Writer};
use tally_timeline::{Feed, SinkError};
use tally_vm::{Timeline, Vm};
use tally_workbench::files::replace::GrowingFile;
use tempfile::SpooledTempFile;

use super::source::Source;
use crate::exit::Exit;
use crate::failure::Failure;

/// A trace that no user has named is in memory up to this size, and then in a temporary file.
const MOST_IN_MEMORY: usize = 64 << 20;

/// What a trace is written to and read from.
pub(super) trait Storage: Read + Write + Seek + Send {}

impl<S: Read + Write + Seek + Send> Storage for S {}

/// A run that is being recorded.
pub(super) struct Recording {
    name: String,
    growing: Option<GrowingFile>,
    shared: Arc<Mutex<Recorder>>,
}

struct Recorder {
    feed: Feed,
    /// Absent once something has failed, and in the end.
    writer: Option<Writer<Box<dyn Storage>>>,
    failure: Option<SinkError>,
    end: u64,
}

impl Recording {
    /// Lets the machine record what happens, into the file if one is named.
    pub(super) fn begin(
        vm: &mut Vm,
        head: &Head,
        file: Option<&Path>,
    ) -> Result<Recording, Failure> {
        let name = file.map_or("a temporary file".into(), |file| file.display().to_string());
        let failed = |error| Failure::io("write", &name, &error);
        let (growing, storage): (_, Box<dyn Storage>) = match file {
            Some(file) => {
                let (growing, file) = GrowingFile::begin(file).map_err(failed)?;
                (Some(growing), Box::new(file))
            }
            None => (None, Box::new(SpooledTempFile::new(MOST_IN_MEMORY))),
        };
        let shared = Arc::new(Mutex::new(Recorder {
            feed: Feed::default(),
            writer: Some(Writer::new(storage, head).map_err(failed)?),
            failure: None,
            end: 0,
        }));
        let receiver = Arc::clone(&shared);
        vm.record_timeline_to(move |part| {
            let mut recorder = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            recorder.add(&part);
        });
        Ok(Recording {
            name,
            growing,
            shared,
        })
    }

    /// The trace of the run, which has ended in this way. Nothing if the program made no processor and no process.
    pub(super) fn end(self, vm: &mut Vm, ending: Ending) -> Result<Option<Source>, Failure> {
        if !vm.end_timeline() {
            return Ok(None);
        }
        let failed = |error| Failure::io("write", &self.name, &error);
        let mut recorder = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = recorder.failure.take() {
            return Err(refused(error, &self.name));
        }
        let end = recorder.end;
        let Some(writer) = recorder.writer.take() else {
            return Ok(None);
        };
        let (_, storage) = writer.finish(ending, end).map_err(failed)?;
        if let Some(growing) = self.growing {
            growing.complete().map_err(failed)?;
        }
        Source::new(self.name.clone(), storage).map(Some)
    }
}

impl Recorder {
    fn add(&mut self, part: &Timeline) {
        self.end = part.end;
        let Some(writer) = &mut self.writer else {
            return;
        };
        if let Err(error) = self.feed.add(part, writer) {
            self.failure = Some(error);
            self.writer = None;
        }
    }
}

/// Why a trace ends before its run.
fn refused(error: SinkError, name: &str) -> Failure {
    match error {
        SinkError::Io(error) => Failure::io("write", name, &error),
        SinkError::TooMuch(_) => Failure::new(Exit::Limit, error.to_string()),
        SinkError::Undescribed(_) => Failure::new(Exit::Internal, error.to_string()),
    }
}
