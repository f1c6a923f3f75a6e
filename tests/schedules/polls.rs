//! Small programs in every order in which processes can lose their turns at poll points. No order is left out. An exploration stops only
//! before what others can see, and has the same results. Where there is no poll point before that, it has more.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tally_tests::host::TestHost;
use tally_vm::{ProcessId, Scheduler};
use tally_workbench::schedules::Subject;

use super::process_model::ProcessPlan;
use super::processes::{RULES, explored, racing};
use super::{Dice, Seen, explored_within, loaded, results, seen};

/// Random plans.
const PLANS: u64 = 120;
/// A program of chance, or one without poll points, with more runs is left out.
const MOST_RUNS: usize = 400;
/// No other program has more.
const MOST_RUNS_OF_KNOWN: usize = 50_000;

/// Programs that control processes, with a poll point before each operation.
const CONTROLS: &[&str] = &[
    "p := [pad pause. k wait. pad pause. pad show: 'w'] fork. pad pause. p suspend. pad pause. p resume. pad pause. Processor yield. pad pause",
    "p := [pad pause. k wait. pad pause. pad show: 'w'] fork.
    pad pause. p suspend. pad pause. p resume. pad pause. k signal. pad pause. Processor yield. pad pause",
    "p := [pad pause. k wait. pad pause. s signal] fork. [pad pause. p suspend. pad pause. p resume] fork.
    pad pause. k signal. pad pause. s wait",
    "p := [pad pause. k wait. pad pause. pad show: 'w'] fork. [pad pause. p terminate. pad pause. s signal] fork.
    pad pause. k signal. pad pause. s wait. pad pause. pad show: k signals printString",
    "p := [pad pause. k wait. pad pause. s signal] newProcess. [pad pause. p resume] fork. [pad pause. p suspend] fork.
    pad pause. k signal. pad pause. s wait",
    "p := [pad pause. pad show: 'a'. pad pause. pad show: 'b'. pad pause. s signal] fork. pad pause. p suspend. pad pause. pad show: 'm'. pad pause. p resume. pad pause. s wait",
];

/// The text of one of them.
fn controlled(acts: &str) -> String {
    format!(
        "Object subclass: Pad [ pause [ ^self class ] show: text [ Transcript show: text. ^self ] ]
        Eval [ | pad k s p | pad := Pad new. k := Semaphore new. s := Semaphore new. {acts} ]"
    )
}

/// The decisions of a run: which of how many.
#[derive(Default)]
struct Decisions {
    taken: Vec<(usize, usize)>,
    place: usize,
}

impl Decisions {
    fn decide(&mut self, of: usize) -> usize {
        if self.place == self.taken.len() {
            self.taken.push((0, of));
        }
        self.place += 1;
        self.taken[self.place - 1].0
    }

    /// Goes to the next run, if there is one.
    fn advance(&mut self) -> bool {
        self.place = 0;
        while let Some((taken, of)) = self.taken.pop() {
            if taken + 1 < of {
                self.taken.push((taken + 1, of));
                return true;
            }
        }
        false
    }
}

/// Decides anew after each tick.
#[derive(Clone, Default)]
struct EachPoll(Arc<Mutex<Decisions>>);

impl EachPoll {
    fn decisions(&self) -> MutexGuard<'_, Decisions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scheduler for EachPoll {
    fn choose(&mut self, ready: &[ProcessId]) -> usize {
        match ready.len() {
            1 => 0,
            of => self.decisions().decide(of),
        }
    }

    fn slice(&mut self) -> Option<u64> {
        Some(1)
    }

    fn clone_box(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

/// The results of all runs, and how many they are. None if they are more than `most`.
fn polled(text: &str, most: usize) -> Result<Option<(BTreeSet<Seen>, usize)>, String> {
    let mut program = loaded(text)?;
    let polls = EachPoll::default();
    let mut all = BTreeSet::new();
    for runs in 1..=most {
        let host = TestHost::new();
        let mut vm = program.vm.fork(Box::new(host.clone()));
        vm.set_scheduler(Box::new(polls.clone()));
        let outcome = program
            .package_units
            .run(&mut vm, &program.units, &mut |_| {});
        all.insert(seen(&outcome, &host)?);
        if !polls.decisions().advance() {
            return Ok(Some((all, runs)));
        }
    }
    Ok(None)
}

/// How many runs and schedules programs had.
#[derive(Debug, Default)]
struct Compared {
    programs: u64,
    runs: usize,
    schedules: u64,
    /// Schedules within a bound.
    bounded: u64,
}

impl Compared {
    /// Compares the results of a program, unless it has too many runs. Those at poll points are all of them, or some.
    fn compare_if_small(&mut self, text: &str, are_all: bool) -> Result<(), String> {
        match polled(text, MOST_RUNS)? {
            Some(polled) => self.compare_with(polled, text, are_all),
            None => Ok(()),
        }
    }

    /// Compares the results of a program. Those at poll points are all of them.
    fn compare(&mut self, text: &str) -> Result<(), String> {
        let polled = polled(text, MOST_RUNS_OF_KNOWN)?;
        let polled = polled.ok_or_else(|| format!("too many runs\n{text}"))?;
        self.compare_with(polled, text, true)
    }

    fn compare_with(
        &mut self,
        (polled, runs): (BTreeSet<Seen>, usize),
        text: &str,
        are_all: bool,
    ) -> Result<(), String> {
        let found = explored(text)?;
        let visible = results(&found);
        self.programs += 1;
        self.runs += runs;
        self.schedules += found.schedules;
        self.compare_within(&visible, text)?;
        match polled == visible || !are_all && polled.is_subset(&visible) {
            true => Ok(()),
            false => Err(format!(
                "at each poll point {polled:?}\nbefore visible operations {visible:?}\n{text}"
            )),
        }
    }
}

impl Compared {
    /// With a bound on preemptions there is no reduction, and a larger bound shows more. One that no schedule reaches shows all.
    fn compare_within(&mut self, visible: &BTreeSet<Seen>, text: &str) -> Result<(), String> {
        let mut before = BTreeSet::new();
        for most in [0, 1, 2, 1_000] {
            let found = explored_within(text, Subject::Processes, Some(most))?;
            if found.limit.is_some() {
                return Ok(());
            }
            let within = results(&found);
            let is_right = match most {
                1_000 => within == *visible,
                _ => before.is_subset(&within) && within.is_subset(visible),
            };
            if !is_right {
                return Err(format!(
                    "with at most {most} preemptions {within:?}\nwith less {before:?}\nof all {visible:?}\n{text}"
                ));
            }
            self.bounded += found.schedules;
            before = within;
        }
        Ok(())
    }
}

/// A process that sleeps goes on at its time there, and at any time here.
fn has_time(text: &str) -> bool {
    text.contains("Delay") || text.contains("Timeout")
}

/// Small programs have the same results when processes can lose their turns at each poll point.
pub(super) fn poll_is_visible() -> Result<(), String> {
    let mut compared = Compared::default();
    for (processes, act) in [(2, "atOnce"), (2, "slow")] {
        compared.compare(&racing(processes, 1, act))?;
    }
    for acts in CONTROLS {
        compared.compare(&controlled(acts))?;
    }
    for (text, _) in RULES.iter().filter(|(text, _)| !has_time(text)) {
        compared.compare_if_small(text, false)?;
    }
    for seed in 0..PLANS {
        let mut dice = Dice::new(seed);
        let mut plan = ProcessPlan::drawn(&mut dice);
        // Without some of its acts it has few enough runs.
        for _ in 0..8 + seed % 6 {
            let mut smaller = plan.smaller();
            if !smaller.is_empty() {
                plan = smaller.swap_remove(dice.below(smaller.len()));
            }
        }
        compared.compare_if_small(&plan.text(), true)?;
    }
    match compared.programs > 60 && compared.runs > 4_000 && compared.bounded > 500 {
        true => Ok(()),
        false => Err(format!("{compared:?}")),
    }
}
