//! Compares the simulator with the machine over a program, and makes a program that shows a difference small.

use std::collections::BTreeMap;

use super::chance;
use super::compare::differences;
use super::generate;
use super::language::Program;
use super::laws;
use super::observe::Machines;
use super::print::source;
use super::record::{Circumstances, Ending};
use super::shrink::shrink;
use super::simulate::{Stop, simulate};
use super::variants::Variants;

use crate::modes;
use crate::observe::Options;

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Programs by what they came to.
    pub programs: BTreeMap<String, usize>,
    /// Events that were equal.
    pub events: usize,
    /// Runs in other modes and from copies that were equal.
    pub variants: usize,
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

/// Every case whose number this divides also runs in the other modes and from copies.
const ONE_IN_VARIANTS: u64 = 29;

/// Compares one program for each of the cases.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn compare(cases: impl Iterator<Item = u64>) -> Result<Compared, String> {
    let mut bench = Bench {
        plain: Machines::new(&Options::default(), &modes::PLAIN)?,
        variants: Variants::new()?,
    };
    let mut compared = Compared::default();
    for case in cases {
        for attempt in 0..ATTEMPTS {
            let seed = case * ATTEMPTS + attempt;
            let program = generate::program(seed);
            let circumstances = chance::circumstances(case);
            let has_variants = case % ONE_IN_VARIANTS == 0;
            let verdict = bench.check(&program, circumstances, has_variants);
            let (name, is_done) = match verdict {
                Verdict::Agrees(ending, events) => {
                    compared.events += events;
                    (format!("{ending:?}").to_lowercase(), true)
                }
                Verdict::Beyond(why) => (format!("passed over: {why}"), false),
                Verdict::Faulty(_) => {
                    let text = bench.report(&program, circumstances, has_variants);
                    compared.fault = Some(format!("seed {seed}, {text}"));
                    return Ok(compared);
                }
            };
            *compared.programs.entry(name).or_default() += 1;
            if is_done {
                break;
            }
        }
    }
    compared.variants = bench.variants.runs;
    Ok(compared)
}

/// What programs run on.
struct Bench {
    plain: Machines,
    variants: Variants,
}

impl Bench {
    fn check(
        &mut self,
        program: &Program,
        circumstances: Circumstances,
        has_variants: bool,
    ) -> Verdict {
        let simulated = match simulate(program, circumstances) {
            Ok(record) => record,
            Err(Stop::Beyond(why)) => return Verdict::Beyond(why),
            Err(Stop::Broken(law)) => return Verdict::Faulty(format!("simulator: {law}")),
        };
        let text = source(program);
        let run = match self.plain.run(&text, circumstances) {
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
        if has_variants {
            let (plain, variants) = (&mut self.plain, &mut self.variants);
            if let Some(text) = variants.difference(plain, &text, circumstances, &run) {
                return Verdict::Faulty(text);
            }
        }
        Verdict::Agrees(simulated.ending, simulated.happenings.len())
    }

    /// The smallest program that shows a fault, and the fault.
    fn report(
        &mut self,
        program: &Program,
        circumstances: Circumstances,
        has_variants: bool,
    ) -> String {
        let small = shrink(program, &mut |smaller| {
            let verdict = self.check(smaller, circumstances, has_variants);
            matches!(verdict, Verdict::Faulty(_))
        });
        let text = match self.check(&small, circumstances, has_variants) {
            Verdict::Faulty(text) => text,
            _ => "a second run shows no fault".to_string(),
        };
        format!("{circumstances:?}\n{}\n{text}", source(&small))
    }
}
