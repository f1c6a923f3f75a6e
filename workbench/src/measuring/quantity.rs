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
}

impl Count {
    /// All of them, with the names that a command line has for them.
    pub const NAMED: [(&'static str, Count); 8] = [
        ("sends", Count::Sends),
        ("own", Count::Own),
        ("calls", Count::Calls),
        ("allocations", Count::Allocations),
        ("bytes", Count::Bytes),
        ("primitives", Count::Primitives),
        ("called", Count::Called),
        ("work", Count::Work),
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
        }
    }

    fn of_run(self, run: &MeasuredRun) -> u64 {
        let cost = &run.cost;
        match self {
            Count::Sends | Count::Own => cost.sends,
            Count::Calls => cost.activations,
            Count::Allocations => cost.allocations.objects,
            Count::Bytes => cost.allocations.bytes,
            Count::Primitives => cost.primitive_count(),
            Count::Called => cost.called,
            Count::Work => cost.work,
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
            return true;
        };
        let mut methods = measurement.methods.iter();
        methods.any(|method| is_match(pattern, &method.name))
    }

    /// The error if no version has it.
    pub fn unknown(&self) -> Error {
        let name = self.method.as_deref().unwrap_or_default();
        let why = format!(
            "nothing that ran is called {name} (--method takes Class>>selector, or a pattern with *)"
        );
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
    /// came to its end.
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
            let number = self.of_run(measurement, run);
            let why = || format!("methods have no count of {}", self.count.noun());
            let number = number.ok_or_else(why)?;
            // A suite may have a test twice.
            let sum = numbers.entry(&run.name).or_default();
            *sum = sum.saturating_add(number);
        }
        Ok(numbers)
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
            return Some(self.count.of_run(run));
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
