//! Timelines of programs, read from the report in JSON.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::support::{Ran, Sandbox};

/// A report, as far as the document uses it. All moments are in ticks.
#[derive(Debug, Deserialize)]
pub(crate) struct Timeline {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) makespan: u64,
    pub(crate) ticks: u64,
    pub(crate) processors: Vec<Processor>,
    pub(crate) features: Vec<Feature>,
    pub(crate) requests: Vec<Request>,
    /// Runs under rules.
    #[serde(rename = "if", default)]
    pub(crate) trials: Vec<Trial>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Processor {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) created: u64,
    pub(crate) states: States,
}

#[derive(Debug, Deserialize)]
pub(crate) struct States {
    pub(crate) idle: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Feature {
    pub(crate) name: String,
    pub(crate) requests: u64,
    pub(crate) evaluations: Spread,
    pub(crate) queue: Spread,
    pub(crate) synchronization: Spread,
    pub(crate) execution: Spread,
    pub(crate) waiting: Spread,
    pub(crate) useful: Spread,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Spread {
    pub(crate) sum: u64,
}

/// A request. A moment that did not come is `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) feature: String,
    /// Indices of processors.
    pub(crate) client: usize,
    pub(crate) supplier: usize,
    pub(crate) waits: bool,
    pub(crate) is_local: bool,
    pub(crate) called: Option<u64>,
    pub(crate) synchronizes: Option<u64>,
    pub(crate) executes: Option<u64>,
    pub(crate) returns: Option<u64>,
    pub(crate) waiting: u64,
    pub(crate) evaluations: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Trial {
    pub(crate) label: String,
    pub(crate) after: u64,
    pub(crate) requests: u64,
    pub(crate) ticks: u64,
}

impl Request {
    /// From the call to the moment at which the supplier takes it up; 0 for an activation of the client's own.
    pub(crate) fn queue(&self) -> u64 {
        match (self.is_local, self.called, self.synchronizes) {
            (false, Some(called), Some(taken)) => taken - called,
            _ => 0,
        }
    }

    /// From there to the begin of the feature.
    pub(crate) fn synchronization(&self) -> u64 {
        length(self.synchronizes, self.executes)
    }

    /// From the begin of the feature to its end.
    pub(crate) fn execution(&self) -> u64 {
        length(self.executes, self.returns)
    }
}

fn length(from: Option<u64>, to: Option<u64>) -> u64 {
    match (from, to) {
        (Some(from), Some(to)) => to - from,
        _ => 0,
    }
}

impl Timeline {
    /// The timeline of a program that ends well. Options may end with `--` and arguments of the program.
    pub(crate) fn of(text: &str, options: &[&str]) -> Timeline {
        Timeline::read(run(text, options).exits(0))
    }

    /// The timeline of a program that stands still.
    pub(crate) fn of_deadlock(text: &str) -> Timeline {
        Timeline::read(run(text, &[]).exits(1))
    }

    fn read(ran: &Ran) -> Timeline {
        serde_json::from_str(ran.output()).unwrap_or_else(|error| panic!("{error}: {ran}"))
    }

    pub(crate) fn feature(&self, name: &str) -> &Feature {
        let mut features = self.features.iter();
        let found = features.find(|feature| feature.name == name);
        found.unwrap_or_else(|| panic!("no request of {name}"))
    }

    /// The requests of a feature, in the order of their calls.
    pub(crate) fn requests_of(&self, feature: &str) -> Vec<&Request> {
        let requests = self.requests.iter();
        requests
            .filter(|request| request.feature == feature)
            .collect()
    }
}

fn run(text: &str, options: &[&str]) -> Ran {
    let sandbox = Sandbox::new("timeline-study");
    sandbox.write("p.st", text);
    sandbox.tally(&[&["timeline", "p.st", "--format", "json"], options].concat())
}

/// The picture of a run that `tally timeline -o` draws. The program's name is in its title.
pub(crate) fn picture(name: &str, text: &str, options: &[&str]) -> String {
    let sandbox = Sandbox::new("timeline-study");
    sandbox.write(name, text);
    let command = [&["timeline", name, "-o", "p.svg"], options].concat();
    sandbox.tally(&command).exits(0);
    sandbox.read("p.svg")
}

/// A program in `examples/processors`.
pub(crate) fn example(name: &str) -> String {
    read("../examples/processors", name)
}

/// A program beside the document's figures.
pub(crate) fn program(name: &str) -> String {
    read("../docs/TIMELINE-STUDY", name)
}

fn read(folder: &str, name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}
