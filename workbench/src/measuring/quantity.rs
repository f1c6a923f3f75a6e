//! The one number of a version that is followed through its history: of all that runs, of a test, or of a method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tally_comparison::{MeasuredRun, Measurement, MethodCounts};
use tally_profiler::is_match;

use crate::error::{Error, ErrorKind};

/// Which number is followed. Without a test and a method it is that of all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantity {
    /// The test that is followed, as `Class>>selector`, or as the selector alone.
    pub test: Option<String>,
    /// The method that is followed, as `Class>>selector`, or a pattern with `*`.
    pub method: Option<String>,
    /// The number. For a method, sends are its total.
    pub count: Count,
}

/// Numbers that can be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Count {
    /// Messages sent.
    #[default]
    Sends,
    /// Messages that a method sends itself.
    Own,
    /// Activations of a method, or of all.
    Calls,
    /// Objects made.
    Allocations,
    /// Bytes of these objects.
    Bytes,
    /// Primitives that succeeded.
    Primitives,
    /// Primitives that succeeded and are not simple.
    Called,
    /// The weighted sum of all counts.
    Work,
    /// The makespan on as many CPUs as there are processors. Only what uses processors has it, as the counts below.
    Span,
    /// What all processors executed.
    Ticks,
    /// How long requests waited while they executed.
    Waiting,
    /// States of explorations. Only what explores programs of actors has it, as the counts below.
    States,
    /// Computations of explorations.
    Computations,
    /// The largest Work.
    Cost,
    /// The largest Depth.
    Depth,
}

/// What a run must do to have some counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Processors,
    Explorations,
}

impl Needs {
    fn is_in(self, run: &MeasuredRun) -> bool {
        match self {
            Needs::Processors => run.processors.is_some(),
            Needs::Explorations => run.explorations.is_some(),
        }
    }

    /// What is not done, behind a subject.
    fn missing(self) -> &'static str {
        match self {
            Needs::Processors => "uses no processors",
            Needs::Explorations => "explores nothing",
        }
    }

    /// The same of all runs.
    fn missing_in_all(self) -> &'static str {
        match self {
            Needs::Processors => "nothing that ran uses processors",
            Needs::Explorations => "nothing that ran explores anything",
        }
    }
}

impl Count {
    /// All of them, with the names that a command line has for them.
    pub const NAMED: [(&'static str, Count); 15] = [
        ("sends", Count::Sends),
        ("own", Count::Own),
        ("calls", Count::Calls),
        ("allocations", Count::Allocations),
        ("bytes", Count::Bytes),
        ("primitives", Count::Primitives),
        ("called", Count::Called),
        ("work", Count::Work),
        ("span", Count::Span),
        ("ticks", Count::Ticks),
        ("waiting", Count::Waiting),
        ("states", Count::States),
        ("computations", Count::Computations),
        ("cost", Count::Cost),
        ("depth", Count::Depth),
    ];

    /// What is counted, in words.
    pub fn noun(self) -> &'static str {
        match self {
            Count::Sends => "sends",
            Count::Own => "own sends",
            Count::Calls => "calls",
            Count::Allocations => "allocations",
            Count::Bytes => "bytes",
            Count::Primitives => "primitives",
            Count::Called => "called primitives",
            Count::Work => "units of work",
            Count::Span => "ticks of span",
            Count::Ticks => "ticks",
            Count::Waiting => "ticks of waiting",
            Count::States => "states",
            Count::Computations => "computations",
            Count::Cost => "ticks of Work",
            Count::Depth => "ticks of Depth",
        }
    }

    /// What a run must do to have it, if not all runs have it.
    fn needs(self) -> Option<Needs> {
        match self {
            Count::Span | Count::Ticks | Count::Waiting => Some(Needs::Processors),
            Count::States | Count::Computations | Count::Cost | Count::Depth => {
                Some(Needs::Explorations)
            }
            _ => None,
        }
    }

    /// The number of a run; none if the run does not do what the count needs.
    fn of_run(self, run: &MeasuredRun) -> Option<u64> {
        let (cost, processors) = (&run.cost, run.processors.as_ref());
        let explorations = run.explorations.as_ref();
        match self {
            Count::Sends | Count::Own => Some(cost.sends),
            Count::Calls => Some(cost.activations),
            Count::Allocations => Some(cost.allocations.objects),
            Count::Bytes => Some(cost.allocations.bytes),
            Count::Primitives => Some(cost.primitive_count()),
            Count::Called => Some(cost.called),
            Count::Work => Some(cost.work),
            Count::Span => processors.map(|costs| costs.span),
            Count::Ticks => processors.map(|costs| costs.ticks),
            Count::Waiting => processors.map(|costs| costs.waiting),
            Count::States => explorations.map(|costs| costs.states),
            Count::Computations => explorations.map(|costs| costs.computations),
            Count::Cost => explorations.map(|costs| costs.cost),
            Count::Depth => explorations.map(|costs| costs.depth),
        }
    }

    fn of_method(self, counts: &MethodCounts) -> Option<u64> {
        match self {
            Count::Sends => Some(counts.total),
            Count::Own => Some(counts.own),
            Count::Calls => Some(counts.calls),
            Count::Allocations => Some(counts.allocations.objects),
            Count::Bytes => Some(counts.allocations.bytes),
            Count::Work => Some(counts.total_work),
            Count::Primitives | Count::Called => None,
            Count::Span | Count::Ticks | Count::Waiting => None,
            Count::States | Count::Computations | Count::Cost | Count::Depth => None,
        }
    }
}

impl Quantity {
    /// What is followed, in words.
    pub fn summary(&self) -> String {
        let noun = self.count.noun();
        match (&self.test, &self.method) {
            (Some(test), _) => format!("{noun} of {test}"),
            (None, Some(method)) => format!("{noun} of {method}"),
            (None, None) => noun.to_string(),
        }
    }

    /// Whether the version has what is followed.
    pub fn is_in(&self, measurement: &Measurement) -> bool {
        let Some(pattern) = &self.method else {
            let mut runs = measurement.runs.iter();
            let needs = self.count.needs();
            return needs.is_none_or(|needs| runs.any(|run| needs.is_in(run)));
        };
        let mut methods = measurement.methods.iter();
        methods.any(|method| is_match(pattern, &method.name))
    }

    /// The error if no version has it.
    pub fn unknown(&self) -> Error {
        let why = match &self.method {
            Some(name) => format!(
                "nothing that ran is called {name} (--method takes Class>>selector, or a pattern with *)"
            ),
            None => {
                let missing = self
                    .count
                    .needs()
                    .map_or("nothing ran", Needs::missing_in_all);
                format!("{missing}, so there are no {}", self.count.noun())
            }
        };
        Error::new(ErrorKind::Nothing, why)
    }

    /// The number, or why the version has none. If a test did not come to its end, there is none for all tests.
    ///
    /// # Errors
    /// Why it has none, as a sentence.
    pub fn of_all(&self, measurement: &Measurement) -> Result<u64, String> {
        let runs = measurement.runs.iter();
        let early = runs.filter(|run| !run.ending.is_complete()).count();
        match early {
            1.. if self.test.is_none() => Err(format!(
                "{early} of {} tests do not pass; follow one that does (--test)",
                measurement.runs.len()
            )),
            _ => Ok(sum(self.by_run(measurement)?.into_values())),
        }
    }

    /// The number of each run that came to its end, by the name of the run. A test whose assertion about counts does not hold
    /// came to its end. Runs without processors have no counts of these, and are left out.
    ///
    /// # Errors
    /// Why there is no number, as a sentence.
    pub fn by_run<'m>(
        &self,
        measurement: &'m Measurement,
    ) -> Result<BTreeMap<&'m str, u64>, String> {
        let test = self.test_in(measurement)?;
        let is_meant = |run: &&MeasuredRun| test.is_none_or(|test| run.name == test);
        let runs = measurement.runs.iter().filter(is_meant);
        let complete: Vec<&MeasuredRun> = runs.filter(|run| run.ending.is_complete()).collect();
        if complete.is_empty() {
            return Err(match &self.test {
                Some(test) => format!("{test} does not pass"),
                None => "nothing came to its end".to_string(),
            });
        }
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for run in complete {
            let number = match self.of_run(measurement, run) {
                Some(number) => number,
                None if self.method.is_some() => return Err(self.absence()),
                None => continue,
            };
            // A suite may have a test twice.
            let sum = numbers.entry(&run.name).or_default();
            *sum = sum.saturating_add(number);
        }
        match numbers.is_empty() {
            true => Err(self.absence()),
            false => Ok(numbers),
        }
    }

    /// Why no run has the number.
    fn absence(&self) -> String {
        let noun = self.count.noun();
        match (&self.test, &self.method) {
            (_, Some(_)) => format!("methods have no count of {noun}"),
            (Some(test), None) => {
                let missing = self.count.needs().map_or("was not counted", Needs::missing);
                format!("{test} {missing}, so it has no {noun}")
            }
            (None, None) => {
                let missing = self
                    .count
                    .needs()
                    .map_or("nothing ran", Needs::missing_in_all);
                format!("{missing}, so there are no {noun}")
            }
        }
    }

    /// The name of the run of the test that is followed. The test's class may be left out if one test alone has the name.
    ///
    /// # Errors
    /// Why the version has no such test, as a sentence.
    pub fn test_in<'m>(&self, measurement: &'m Measurement) -> Result<Option<&'m str>, String> {
        let Some(test) = &self.test else {
            return Ok(None);
        };
        let names = || measurement.runs.iter().map(|run| run.name.as_str());
        if let Some(name) = names().find(|name| name == test) {
            return Ok(Some(name));
        }
        fn label(name: &str) -> &str {
            name.split_once(">>").map_or("", |(_, label)| label)
        }
        let mut named: Vec<&str> = names().filter(|name| label(name) == test).collect();
        named.sort_unstable();
        named.dedup();
        match named.as_slice() {
            [one] => Ok(Some(one)),
            [] => {
                let near = tally_compiler::nearest(test, names());
                let near = near.or_else(|| tally_compiler::nearest(test, names().map(label)));
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                Err(format!("there is no test {test}{hint}"))
            }
            several => Err(format!(
                "{test} is the name of several tests: {}",
                several.join(", ")
            )),
        }
    }

    /// The number of a run, if its kind is counted by methods or no method is followed. A method that did not run has 0.
    fn of_run(&self, measurement: &Measurement, run: &MeasuredRun) -> Option<u64> {
        let Some(pattern) = &self.method else {
            return self.count.of_run(run);
        };
        let is_meant = |counts: &&MethodCounts| {
            let method = measurement.methods.get(counts.method as usize);
            method.is_some_and(|method| is_match(pattern, &method.name))
        };
        let counts = run.methods.iter().filter(is_meant);
        let numbers: Option<Vec<u64>> = counts.map(|counts| self.count.of_method(counts)).collect();
        Some(sum(numbers?))
    }
}

/// The sum of numbers that may come from a file.
pub fn sum(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}
