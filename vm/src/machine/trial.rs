//! A copy of the machine that evaluates a block on a simulated machine of its own, and what is learnt of it.

use std::sync::{Arc, Mutex, PoisonError};

use super::Vm;
use crate::base::{Limit, Outcome};
use crate::separate::{
    Clock, ScheduleSearch, Simulation, TimelineFigures, TimelineReader, TimelineReading,
};

/// The most failures of a block that are shown.
const MOST_SHOWN: usize = 3;

/// A copy that goes on before the machine does.
pub(crate) struct Trial {
    pub(crate) copy: Vm,
    /// The place of the block among the copy's handles.
    pub(crate) block: usize,
    /// The CPUs of its simulated machine.
    pub(crate) cpus: Option<u64>,
    /// What happens in the block, as soon as it is evaluated.
    pub(crate) watch: Option<Watch>,
    /// The schedules under which the block is evaluated, if it is not only the one that the machine itself follows.
    pub(crate) every: Option<EverySchedule>,
    /// The ticks that were executed before it.
    pub(crate) ticks_before: u64,
}

/// A search for every schedule of a block, and what it has found.
pub(crate) struct EverySchedule {
    pub(crate) search: Box<dyn ScheduleSearch>,
    /// The copy as it stands before it evaluates the block, once it has come there.
    pub(crate) start: Option<Vm>,
    pub(crate) found: SpansFound,
}

/// What the schedules of a block take.
#[derive(Default)]
pub(crate) struct SpansFound {
    /// How many were executed.
    pub(crate) schedules: u64,
    /// The smallest and the greatest makespan.
    pub(crate) spans: Option<(u64, u64)>,
    /// Whether there are no more.
    pub(crate) is_complete: bool,
    /// The steps of the greatest one at which others could have gone on, in lines.
    pub(crate) steps: String,
    pub(crate) deadlock: Option<String>,
    pub(crate) failure: Option<String>,
}

/// What a trial has shown.
pub(crate) struct Tried {
    pub(crate) figures: TimelineFigures,
    /// Who waits for whom, if no processor can go on.
    pub(crate) deadlock: Option<String>,
    /// What failed, if something did.
    pub(crate) failure: Option<String>,
}

/// Reads the timeline of a trial, or only the moment of its end.
pub(crate) struct Watch {
    shared: Option<Arc<Mutex<Shared>>>,
    /// When the block began, in units of the clock and in ticks.
    from: (u64, u64),
}

struct Shared {
    reading: Option<Box<dyn TimelineReading>>,
    end: u64,
}

impl Vm {
    /// The moment of the last event, in units of the clock.
    fn last_event(&self) -> u64 {
        let engine = self.separate.engine.as_ref();
        engine.map_or_else(|| self.clock_units(), |engine| engine.now())
    }
}

impl Watch {
    /// Reads what happens to the copy from this moment on, which is about to evaluate the block.
    pub(crate) fn begin(
        copy: &mut Vm,
        reader: &dyn TimelineReader,
        simulation: &Simulation,
    ) -> Watch {
        let from = copy.last_event();
        let shared = Arc::new(Mutex::new(Shared {
            reading: Some(reader.begin(from, simulation)),
            end: from,
        }));
        let receiver = Arc::clone(&shared);
        copy.record_timeline_to(move |part| {
            let mut shared = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            shared.end = part.end;
            if let Some(reading) = &mut shared.reading {
                reading.add(&part);
            }
        });
        Watch {
            shared: Some(shared),
            from: (from, copy.total_ticks()),
        }
    }

    /// Reads nothing but when the copy ends.
    pub(crate) fn of_end(copy: &Vm) -> Watch {
        Watch {
            shared: None,
            from: (copy.last_event(), copy.total_ticks()),
        }
    }

    /// The figures, after the copy has ended.
    fn finish(self, copy: &mut Vm) -> Result<TimelineFigures, String> {
        let ticks = copy.total_ticks().saturating_sub(self.from.1);
        let Some(shared) = self.shared else {
            let makespan = match copy.has_processors() {
                true => copy.last_event().saturating_sub(self.from.0),
                false => ticks,
            };
            return Ok(TimelineFigures {
                makespan,
                ticks,
                ..TimelineFigures::default()
            });
        };
        // Lanes of ordinary processes are in ticks, whatever the clock of processors counts.
        let is_in_ticks = copy.separate.simulation.clock == Clock::Ticks;
        let is_read = copy.has_processors() || is_in_ticks;
        if !copy.end_timeline() || !is_read {
            return Ok(TimelineFigures {
                makespan: ticks,
                ticks,
                ..TimelineFigures::default()
            });
        }
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let end = shared.end;
        let reading = shared.reading.take();
        reading.map_or(Ok(TimelineFigures::default()), |one| one.finish(end))
    }
}

impl Trial {
    /// What the trial has shown, which ended in this way.
    pub(crate) fn conclude(&mut self, outcome: &Outcome) -> Tried {
        let failures = self.copy.take_failures();
        let unhandled = failures.iter().filter(|failure| failure.is_unhandled);
        let mut told: Vec<String> = unhandled
            .take(MOST_SHOWN)
            .map(|failure| {
                let place = failure.trace.innermost_own();
                let place = place.and_then(|at| failure.trace.frames[at].place.as_ref());
                match place {
                    Some(place) => format!(
                        "{} ({}:{}:{})",
                        failure.message, place.file, place.line, place.column
                    ),
                    None => failure.message.clone(),
                }
            })
            .collect();
        if let Outcome::Exited(code) = outcome {
            told.push(format!("it ended the run with exit code {code}"));
        }
        let figures = match self.watch.take() {
            Some(watch) => watch.finish(&mut self.copy),
            None => {
                let why = "processors that were made before it cannot go on";
                told.insert(0, why.to_string());
                Ok(TimelineFigures::default())
            }
        };
        let figures = figures.unwrap_or_else(|why| {
            told.insert(0, why);
            TimelineFigures::default()
        });
        if told.is_empty() {
            told.extend(reason(outcome).map(str::to_string));
        }
        let is_well = *outcome == Outcome::Finished && told.is_empty();
        let told = (!is_well).then(|| told.join("\n"));
        let is_stuck = *outcome == Outcome::Deadlock && figures != TimelineFigures::default();
        Tried {
            figures,
            deadlock: told.clone().filter(|_| is_stuck),
            failure: told.filter(|_| !is_stuck),
        }
    }
}

/// Why a trial did not come to its end, if no failure says it.
fn reason(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Finished => None,
        Outcome::Deadlock => Some("no process can go on"),
        Outcome::Limit(Limit::Depth) => Some("activations or requests nest too deep"),
        _ => Some("it did not come to its end"),
    }
}
