//! Compares the simulator with the machine over a program, and makes a program that shows a difference small.

use std::collections::BTreeMap;

use super::compare::differences;
use super::generate;
use super::language::Program;
use super::laws;
use super::observe::Machines;
use super::print::source;
use super::record::{Circumstances, Ending};
use super::shrink::shrink;
use super::simulate::{Stop, simulate};

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Programs by what they came to.
    pub programs: BTreeMap<String, usize>,
    /// Events that were equal.
    pub events: usize,
    /// The first difference, with its program.
    pub fault: Option<String>,
}

/// What a program came to.
enum Verdict {
    Agrees(Ending, usize),
    Beyond(&'static str),
    Faulty(String),
}

/// Programs of one case at most: those that cannot be judged are passed over.
const ATTEMPTS: u64 = 16;

/// Compares one program for each of the cases.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn compare(cases: impl Iterator<Item = u64>) -> Result<Compared, String> {
    let mut machines = Machines::new()?;
    let mut compared = Compared::default();
    for case in cases {
        for attempt in 0..ATTEMPTS {
            let seed = case * ATTEMPTS + attempt;
            let program = generate::program(seed);
            let circumstances = circumstances(case);
            let verdict = check(&mut machines, &program, circumstances);
            let (name, is_done) = match verdict {
                Verdict::Agrees(ending, events) => {
                    compared.events += events;
                    (format!("{ending:?}").to_lowercase(), true)
                }
                Verdict::Beyond(why) => (format!("passed over: {why}"), false),
                Verdict::Faulty(_) => {
                    let text = report(&mut machines, seed, &program, circumstances);
                    compared.fault = Some(text);
                    return Ok(compared);
                }
            };
            *compared.programs.entry(name).or_default() += 1;
            if is_done {
                break;
            }
        }
    }
    Ok(compared)
}

/// All numbers of CPUs with all latencies.
fn circumstances(case: u64) -> Circumstances {
    let cpus = [None, Some(1), Some(2), Some(3)];
    Circumstances {
        cpus: cpus[(case % 4) as usize],
        latency: [0, 3][(case / 4 % 2) as usize],
    }
}

fn check(machines: &mut Machines, program: &Program, circumstances: Circumstances) -> Verdict {
    let simulated = match simulate(program, circumstances) {
        Ok(record) => record,
        Err(Stop::Beyond(why)) => return Verdict::Beyond(why),
        Err(Stop::Broken(law)) => return Verdict::Faulty(format!("simulator: {law}")),
    };
    let run = match machines.run(&source(program), circumstances) {
        Ok(run) => run,
        Err(why) => return Verdict::Faulty(why),
    };
    if let Some(text) = differences(&simulated, &run.record) {
        return Verdict::Faulty(text);
    }
    let broken = laws::broken(&run, circumstances);
    if !broken.is_empty() {
        return Verdict::Faulty(broken.join("\n"));
    }
    Verdict::Agrees(simulated.ending, simulated.happenings.len())
}

/// The seed and the smallest program that shows a fault.
fn report(
    machines: &mut Machines,
    seed: u64,
    program: &Program,
    circumstances: Circumstances,
) -> String {
    let small = shrink(program, &mut |smaller| {
        let verdict = check(machines, smaller, circumstances);
        matches!(verdict, Verdict::Faulty(_))
    });
    let text = match check(machines, &small, circumstances) {
        Verdict::Faulty(text) => text,
        _ => "a second run shows no fault".to_string(),
    };
    format!("seed {seed}, {circumstances:?}\n{}\n{text}", source(&small))
}
