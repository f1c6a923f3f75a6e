//! Schedules of processors and processes as files: `tally.processor-schedule/1`. Those of actors are in `exploring`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use tally_vm::{
    GuideProblem, MODEL_VERSION, SlotKind, StepCandidate, StepDone, StepGuide, Timing, Vm,
    processor_name,
};

use super::TakenSchedule;
use crate::error::Error;
use crate::exploring::{Schedule, broken_schedule, check_schedule};

/// The format and its version.
const SCHEMA: &str = "tally.processor-schedule/1";
/// How the schemas of all versions begin.
const SCHEMAS: &str = "tally.processor-schedule/";

/// A schedule in a file.
#[derive(Clone, Debug)]
pub enum ScheduleFile {
    /// Of actors.
    Actors(Schedule),
    /// Of processors or processes.
    Processors(ProcessorSchedule),
}

impl ScheduleFile {
    /// The schedule in a text.
    ///
    /// # Errors
    ///
    /// The text, named `name`, is no schedule.
    pub fn read(text: &str, name: &str) -> Result<ScheduleFile, Error> {
        /// What all schedules have.
        #[derive(Deserialize)]
        #[serde(expecting = "an object with a schema")]
        struct Head {
            schema: String,
        }
        let head: Head = serde_json::from_str(text).map_err(|error| {
            let why = match text.trim().is_empty() {
                true => "it is empty".to_string(),
                false => error.to_string(),
            };
            broken_schedule(name, &why)
        })?;
        match head.schema.starts_with(SCHEMAS) {
            true => ProcessorSchedule::read(text, name).map(ScheduleFile::Processors),
            false => Schedule::read(text, name).map(ScheduleFile::Actors),
        }
    }
}

/// A schedule of processors or processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorSchedule {
    /// A digest of the program's source texts.
    pub program: u64,
    /// What decides how far processors come before others.
    pub timing: Timing,
    /// How the run ends.
    pub ending: String,
    /// The limit of ticks that it meets, if that is its end.
    pub most_ticks: Option<u64>,
    /// The steps.
    pub taken: TakenSchedule,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(expecting = "an object")]
struct Document {
    schema: String,
    model: u32,
    /// In 16 hexadecimal digits.
    program: String,
    timing: String,
    ending: String,
    /// The limit of ticks that it meets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    most_ticks: Option<u64>,
    /// Whose steps they are, by their paths.
    choices: Vec<Vec<u32>>,
    /// If they are of processes, the variables before which steps end: class and variable, by numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared: Option<Vec<SlotKind>>,
    /// The same in words.
    steps: Vec<String>,
}

impl ProcessorSchedule {
    /// The schedule as JSON.
    pub fn json(&self) -> String {
        let document = Document {
            schema: SCHEMA.to_string(),
            model: MODEL_VERSION,
            program: format!("{:016x}", self.program),
            timing: self.timing.name().to_string(),
            ending: self.ending.clone(),
            most_ticks: self.most_ticks,
            choices: self.taken.choices.clone(),
            shared: self.taken.shared.clone(),
            steps: self.taken.steps.clone(),
        };
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    fn read(text: &str, name: &str) -> Result<ProcessorSchedule, Error> {
        let document: Document = serde_json::from_str(text)
            .map_err(|error| broken_schedule(name, &error.to_string()))?;
        let (found, program) = (&document.schema, &document.program);
        let program = check_schedule((found, SCHEMA), document.model, program, name)?;
        let timing = Timing::named(&document.timing).ok_or_else(|| {
            broken_schedule(name, &format!("there is no timing {}", document.timing))
        })?;
        Ok(ProcessorSchedule {
            program,
            timing,
            ending: document.ending,
            most_ticks: document.most_ticks,
            taken: TakenSchedule {
                choices: document.choices,
                shared: document.shared,
                steps: document.steps,
            },
        })
    }

    /// Lets the machine follow it.
    pub fn guide(&self, vm: &mut Vm) {
        let follower = Follower {
            choices: self.taken.choices.clone().into(),
            shared: self.taken.shared.clone().unwrap_or_default(),
            impossible: None,
        };
        if let Some(ticks) = self.most_ticks {
            vm.limit_ticks(ticks);
        }
        // Where processors were made before, their steps are the only ones.
        let is_of_processes = self.taken.shared.is_some() && !vm.has_processors();
        let guide = Arc::new(Mutex::new(follower));
        match is_of_processes {
            true => vm.guide_processes(guide),
            false => vm.guide_processors(self.timing, guide),
        }
    }
}

/// Follows a schedule. Behind its end the first candidate goes on.
struct Follower {
    choices: VecDeque<Vec<u32>>,
    shared: Vec<SlotKind>,
    impossible: Option<String>,
}

impl StepGuide for Follower {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        let Some(wanted) = self.choices.pop_front() else {
            return Some(0);
        };
        let place = candidates.iter().position(|one| *one.path == *wanted);
        if place.is_none() {
            self.impossible = Some(processor_name(&wanted));
        }
        place
    }

    fn did(&mut self, _: &StepDone) {}

    fn shared(&self) -> Vec<SlotKind> {
        self.shared.clone()
    }

    fn problem(&self) -> Option<GuideProblem> {
        match &self.impossible {
            Some(name) => Some(GuideProblem::Impossible(name.clone())),
            None => (!self.choices.is_empty()).then_some(GuideProblem::Unused),
        }
    }
}
