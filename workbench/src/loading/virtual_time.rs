//! What a run takes in virtual time: its timeline is read while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tally_profiler::ProcessorCosts;
use tally_timeline::TrialReader;
use tally_vm::{Timeline, TimelineFigures, TimelineReading, Vm};

/// The timeline of a run, as far as it was read.
pub(crate) struct VirtualTime(Arc<Mutex<Progress>>);

struct Progress {
    reading: Box<dyn TimelineReading>,
    /// The last moment; none as long as nothing has happened.
    end: Option<u64>,
}

impl VirtualTime {
    /// A timeline that this reading adds up.
    pub(crate) fn read_by(reading: Box<dyn TimelineReading>) -> VirtualTime {
        VirtualTime(Arc::new(Mutex::new(Progress { reading, end: None })))
    }

    /// What takes in the parts.
    pub(crate) fn receiver(&self) -> impl FnMut(Timeline) + Send + 'static {
        let progress = Arc::clone(&self.0);
        move |part| {
            let mut progress = locked(&progress);
            progress.end = Some(part.end);
            progress.reading.add(&part);
        }
    }

    /// The figures after the run; none if nothing has happened, or too much.
    pub(crate) fn figures(self) -> Option<TimelineFigures> {
        let progress = Arc::into_inner(self.0)?;
        let progress = progress
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        progress.reading.finish(progress.end?).ok()
    }

    /// Reads what processors of the machine do, as soon as its program makes one.
    pub(crate) fn of_processors(vm: &mut Vm) -> VirtualTime {
        let time = VirtualTime::read_by(TrialReader::whole(&vm.simulation()));
        vm.record_processors_to(time.receiver());
        time
    }

    /// The costs of the processors of the machine, whose program has ended; none if it made none.
    pub(crate) fn costs(self, vm: &mut Vm) -> Option<ProcessorCosts> {
        if !vm.end_timeline() {
            return None;
        }
        let figures = self.figures()?;
        Some(ProcessorCosts {
            span: figures.makespan,
            ticks: figures.ticks,
            waiting: figures.waiting,
        })
    }
}

fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
