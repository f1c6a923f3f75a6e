//! Compares the machine's processors in virtual time with the simulator in `src/oracle/processors`: the time of every
//! event of random programs, and the laws of their records. Some run in all modes and from copies too.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use libtest_mimic::Trial;
use tally_tests::oracle::processors::check::{Compared, compare};

use crate::checks::{Checked, none, trial};

/// How many random programs are compared, if `TALLY_PROCESSORS_CASES` does not say it.
const CASES: u64 = 10_000;

/// Programs are compared by as many threads.
const THREADS: u64 = 2;

static COMPARED: Mutex<(BTreeMap<String, usize>, usize, usize)> =
    Mutex::new((BTreeMap::new(), 0, 0));

/// What the test has compared, in words.
pub(crate) fn summary() -> String {
    let (programs, events, variants) = COMPARED.lock().map(|sums| sums.clone()).unwrap_or_default();
    let programs: Vec<String> = programs
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    format!(
        "processors: {events} events compared; {}; {variants} runs in other modes and from copies",
        programs.join(", ")
    )
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("oracle/processors", random)]
}

/// A number in the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn random() -> Checked {
    let cases = number("TALLY_PROCESSORS_CASES").unwrap_or(CASES);
    let first = number("TALLY_PROCESSORS_FIRST").unwrap_or(0);
    let part = |thread: u64| (first..first + cases).filter(move |n| n % THREADS == thread);
    let results = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || compare(part(thread))))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Result<Compared, String>>| {
            let failed = |_| Err("a thread failed".to_string());
            thread.join().unwrap_or_else(failed)
        };
        threads.into_iter().map(join).collect::<Vec<_>>()
    });
    let mut wrong = Vec::new();
    for result in results {
        let compared = result?;
        wrong.extend(compared.fault);
        if let Ok(mut sums) = COMPARED.lock() {
            sums.1 += compared.events;
            sums.2 += compared.variants;
            for (name, count) in compared.programs {
                *sums.0.entry(name).or_default() += count;
            }
        }
    }
    none(&wrong)
}
