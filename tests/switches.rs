//! The machine's cost of a process switch does not depend on the depth of the processes' stacks. The cost is counted in
//! visited frames, never in time. All modes count the same meanwhile.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Extent, Observed, Options, compile, conclude, machine};

use crate::checks::trial;

/// Two processes take turns, one of them at some depth. Arguments: the depth, the turns.
const TURNS: &str = "
Object subclass: Diver [
    down: n do: aBlock [ ^n = 0 ifTrue: [aBlock value] ifFalse: [self down: n - 1 do: aBlock. 1] ] ]
| ping pong done depth turns |
depth := (Smalltalk arguments at: 1) asNumber. turns := (Smalltalk arguments at: 2) asNumber.
ping := Semaphore new. pong := Semaphore new. done := Semaphore new.
[Diver new down: depth do: [turns timesRepeat: [ping wait. pong signal]]. done signal] fork.
[turns timesRepeat: [ping signal. pong wait]. done signal] fork.
2 timesRepeat: [done wait].
(Compteur sends > 0) printNl";

/// Processes hand a turn round in a ring, at depths of their own, and yield in between.
const RING: &str = "
Object subclass: Diver [
    down: n do: aBlock [ ^n = 0 ifTrue: [aBlock value] ifFalse: [self down: n - 1 do: aBlock. 1] ] ]
| doors turns done |
doors := (1 to: 5) collect: [:i | Semaphore new].
turns := (Smalltalk arguments at: 2) asNumber. done := Semaphore new.
1 to: 5 do: [:i |
    [Diver new down: (Smalltalk arguments at: 1) asNumber // i do: [
        turns timesRepeat: [(doors at: i) wait. Processor yield. (doors at: i \\\\ 5 + 1) signal]].
    done signal] fork].
(doors at: 1) signal.
5 timesRepeat: [done wait].
turns printNl";

pub(crate) fn trials() -> Vec<Trial> {
    let programs = [("turns", TURNS), ("ring", RING)];
    let test = |(name, source): (&'static str, &'static str)| {
        trial(format!("switches/{name}"), move || look(source))
    };
    programs.into_iter().map(test).collect()
}

fn look(source: &str) -> Result<(), String> {
    let mut plain: Option<Observed> = None;
    for mode in modes::all() {
        let (seen, few) = run(source, 3_000, 20, &mode)?;
        let (_, many) = run(source, 3_000, 220, &mode)?;
        // Growing and trimming a stack walks over frames now and then; a switch at this depth would walk over thousands.
        if many > few + 20_000 {
            return Err(format!(
                "{}: 200 turns more walked over {} frames more",
                mode.name,
                many - few
            ));
        }
        let first = plain.get_or_insert_with(|| seen.clone());
        let differences = first.differences(&seen, Extent::Cheap);
        if !differences.is_empty() {
            return Err(format!("{}: {}", mode.name, differences.join("; ")));
        }
    }
    Ok(())
}

/// What a run showed, and over how many frames the machine has walked.
fn run(source: &str, depth: u32, turns: u32, mode: &Mode) -> Result<(Observed, u64), String> {
    let unit = compile("switches.st", source)?.unit;
    let unit = Arc::new(unit.ok_or("it does not compile")?);
    let options = Options {
        arguments: vec![depth.to_string(), turns.to_string()],
        ..Options::default()
    };
    let host = TestHost::new();
    let mut vm = machine(&options, mode, &host)?;
    let outcome = vm.run_unit(unit);
    let frames = vm.frames_counted();
    Ok((conclude(&mut vm, &host, outcome), frames))
}
