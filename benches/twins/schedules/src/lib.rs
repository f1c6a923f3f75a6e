//! What the two binaries have in common: the command line, and what a search has found.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How one execution ended.
pub struct Ended {
    pub text: String,
    pub is_well: bool,
}

/// `PROGRAM NUMBER... idle|works first|all SECONDS`
pub struct Order {
    pub program: String,
    pub numbers: Vec<usize>,
    /// Whether the first thread does the work of one of the others.
    pub takes_part: bool,
    /// Whether a wrong result is a failure, which ends the search.
    pub asserts: bool,
    pub limit: Duration,
}

impl Order {
    pub fn read() -> Order {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let [program, numbers @ .., part, mode, seconds] = words.as_slice() else {
            panic!("PROGRAM NUMBER... idle|works first|all SECONDS")
        };
        let number = |word: &String| word.parse().expect("a number");
        Order {
            program: program.clone(),
            numbers: numbers.iter().map(number).collect(),
            takes_part: part == "works",
            asserts: mode == "first",
            limit: Duration::from_secs(number(seconds) as u64),
        }
    }
}

#[derive(Clone, Default)]
pub struct Findings(Arc<Mutex<(u64, BTreeMap<String, u64>)>>);

impl Findings {
    pub fn begin(&self) {
        self.0.lock().unwrap().0 += 1;
    }

    pub fn note(&self, text: String) {
        *self.0.lock().unwrap().1.entry(text).or_default() += 1;
    }

    /// Searches, and prints the findings as JSON.
    pub fn report(&self, limit: Duration, search: impl FnOnce()) {
        let start = Instant::now();
        let failure = catch_unwind(AssertUnwindSafe(search)).err();
        let is_late = start.elapsed() > limit;
        let failure = failure.map(|any| match any.downcast::<String>() {
            Ok(text) => *text,
            Err(any) => any
                .downcast::<&str>()
                .map_or(String::new(), |text| text.to_string()),
        });
        let found = self.0.lock().unwrap();
        let mut results = String::new();
        for (text, count) in &found.1 {
            let comma = if results.is_empty() { "" } else { ", " };
            let _ = write!(results, "{comma}{text:?}: {count}");
        }
        let failure = failure.map_or("null".into(), |text| format!("{text:?}"));
        let executions = found.0;
        println!(
            "{{\"executions\": {executions}, \"late\": {is_late}, \"failure\": {failure}, \"results\": {{{results}}}}}"
        );
    }
}
