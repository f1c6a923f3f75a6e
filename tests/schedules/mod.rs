//! Schedules of programs with processors. The results that the exploration finds are those of a model, and whatever a random order leads to is among them.
//! There are as many schedules as closed forms say. Makespans are compared with those of other ways to decide what happens at the same moment.

mod forms;
mod model;
mod plans;
mod polls;
mod process_model;
mod processes;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_vm::{Outcome, Simulation, StepCandidate, StepDone, StepGuide, Ties, Timing};
use tally_workbench::loading::{MachineSettings, Program, Sources};
use tally_workbench::schedules::{
    ScheduleEnding, ScheduleFindings, ScheduleOptions, Subject, explore_schedules,
};
use tally_workbench::{Front, ProgramOutput, Quiet};

use crate::checks::{Checked, trials_of};

/// How many random programs are explored.
const CASES: u64 = 75;
/// How many random orders of each are executed.
const ORDERS: u64 = 60;
/// A program with more schedules is passed over.
const MOST_SCHEDULES: u64 = 800;

pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        ("schedules/random", random),
        ("schedules/moments", moments),
        ("schedules/philosophers", forms::philosophers),
        ("schedules/together", forms::together),
        ("schedules/rounds", forms::rounds),
        ("schedules/model", plans::as_in_model),
        ("schedules/rules", plans::rules),
        ("schedules/arrivals", forms::arrivals),
        ("schedules/apart", forms::apart),
        ("schedules/processes", processes::as_in_model),
        ("schedules/process_forms", processes::forms),
        ("schedules/process_rules", processes::rules),
        ("schedules/process_polls", polls::poll_is_visible),
    ])
}

fn loaded(text: &str) -> Result<Program, String> {
    let sources = Sources {
        folder: Path::new(""),
        files: &[],
        expression: Some(text),
        arguments: &[],
    };
    let front: Front = Arc::new(Quiet);
    let settings = MachineSettings::default();
    let loaded = Program::load(&sources, &settings, ProgramOutput::Nowhere, &front);
    loaded.map_err(|error| format!("{error}\n{text}"))
}

fn explored(text: &str, timing: Timing) -> Result<ScheduleFindings, String> {
    explored_as(text, Subject::Processors(timing))
}

fn explored_as(text: &str, subject: Subject) -> Result<ScheduleFindings, String> {
    explored_within(text, subject, None)
}

/// What is found among schedules with at most this number of preemptions.
fn explored_within(
    text: &str,
    subject: Subject,
    most_preemptions: Option<u32>,
) -> Result<ScheduleFindings, String> {
    let options = ScheduleOptions {
        most_preemptions,
        subject,
        most_schedules: MOST_SCHEDULES,
        most_ticks: 1_000_000,
    };
    let mut program = loaded(text)?;
    let permissions = MachineSettings::default().permissions();
    let found = explore_schedules(&mut program, &permissions, &options, &mut |_| true);
    let found = found.map_err(|error| format!("{error}\n{text}"))?;
    found.ok_or(format!("no processor and no process\n{text}"))
}

/// The ending and the output of a run.
type Seen = (ScheduleEnding, String);

fn results(found: &ScheduleFindings) -> BTreeSet<Seen> {
    let all = found.results.iter();
    all.map(|one| (one.ending, one.output.clone())).collect()
}

struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Takes any candidate.
struct Anyone(Dice);

impl StepGuide for Anyone {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        Some(self.0.below(candidates.len()))
    }

    fn did(&mut self, _: &StepDone) {}
}

/// Takes the candidate that goes before the others, by numbers that are drawn. Now and then that one comes last from there on: so some wait for long
/// (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010).
struct Ranked {
    dice: Dice,
    ranks: HashMap<Arc<[u32]>, usize>,
}

impl StepGuide for Ranked {
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize> {
        for one in candidates {
            let rank = 1 + self.dice.below(1 << 20);
            self.ranks.entry(Arc::clone(&one.path)).or_insert(rank);
        }
        let rank = |place: &usize| self.ranks[&candidates[*place].path];
        let place = (0..candidates.len()).max_by_key(rank)?;
        if self.dice.below(10) == 0 {
            self.ranks.insert(Arc::clone(&candidates[place].path), 0);
        }
        Some(place)
    }

    fn did(&mut self, _: &StepDone) {}
}

fn seen(outcome: &Outcome, host: &TestHost) -> Result<Seen, String> {
    let ending = match outcome {
        Outcome::Finished => ScheduleEnding::Finished,
        Outcome::Failed => ScheduleEnding::Failed,
        Outcome::Deadlock => ScheduleEnding::Deadlock,
        other => return Err(format!("{other:?}")),
    };
    Ok((ending, host.out()))
}

/// A run in a random order.
fn in_any_order(program: &mut Program, seed: u64) -> Result<Seen, String> {
    let host = TestHost::new();
    let mut vm = program.vm.fork(Box::new(host.clone()));
    let dice = Dice::new(seed);
    let guide: Arc<Mutex<dyn StepGuide>> = match seed % 2 {
        0 => Arc::new(Mutex::new(Anyone(dice))),
        _ => Arc::new(Mutex::new(Ranked {
            dice,
            ranks: HashMap::new(),
        })),
    };
    vm.guide_processors(Timing::Any, guide);
    let outcome = program
        .package_units
        .run(&mut vm, &program.units, &mut |_| {});
    seen(&outcome, &host)
}

const CLASSES: &str = "\
Object subclass: Server [
    | log | 
    initialize [ log := '' ]
    note: aText [ log := log , aText ]
    note: aText for: aClient [ log := log , aText. aClient got: aText. log := log , aClient seen ]
    asked: aText [ log := log , aText. ^log size ]
    log [ ^log ]
    isLong [ ^log size > 1 ]
]
Object subclass: Client [
    | s t other seen |
    initialize [ seen := '' ]
    s: aServer t: anotherServer [ s := aServer. t := anotherServer ]
    got: aText [ seen := seen , aText ]
    seen [ ^seen ]
    in: a note: aText [ <separate> a note: aText ]
    in: a note: aText and: anotherText [ <separate> a note: aText. a note: anotherText ]
    in: a ask: aText [ <separate> (a asked: aText) > 2 ifTrue: [a note: '!'] ]
    in: a back: aText [ <separate> a note: aText for: self. a note: seen ]
    in: a and: b note: aText [ <separate> a note: aText. b note: aText ]
    hold: a note: aText [ <separate> a note: aText. self in: other note: aText ]
    whenLong: a note: aText [ <separate> self require: [a isLong]. a note: aText ]
    show: aText [ Transcript show: aText ]
";

/// A statement of a client, with the servers in one of two orders.
fn statement(dice: &mut Dice, letter: char) -> String {
    let (one, other) = match dice.below(2) {
        0 => ("s", "t"),
        _ => ("t", "s"),
    };
    match dice.below(16) {
        0 | 1 => format!("self in: {one} note: '{letter}'"),
        2 => format!("self in: {one} note: '{letter}' and: '+'"),
        3 | 4 => format!("self in: {one} ask: '{letter}'"),
        5 | 6 => format!("self in: {one} and: {other} note: '{letter}'"),
        7 | 8 => format!("other := {other}. self hold: {one} note: '{letter}'"),
        9 => format!("self whenLong: {one} note: '{letter}'"),
        10 => format!("self show: '{letter}'"),
        11 => format!("{one} note: '{letter}'"),
        12 => format!("self show: ({one} asked: '{letter}') printString"),
        13 => format!(
            "[:future | {other} note: '{letter}'. self show: future value printString] value: ({one} future asked: '{letter}')"
        ),
        14 => format!("self in: {one} back: '{letter}'"),
        _ => format!("3 timesRepeat: []. self in: {one} note: '{letter}'"),
    }
}

/// Two servers keep what clients write; in the end the script shows that, which may come before the clients have come to their ends.
fn generated(seed: u64, clients: usize) -> String {
    let dice = &mut Dice::new(seed);
    let mut text = CLASSES.to_string();
    for client in 1..=clients {
        let _ = writeln!(text, "    run{client} [");
        for step in 0..1 + dice.below(2) {
            let letter = char::from(b'a' + (client * 2 + step) as u8);
            let _ = writeln!(text, "        {}.", statement(dice, letter));
        }
        text.push_str("    ]\n");
    }
    text.push_str("]\nObject subclass: Shower [ show: s and: t [ <separate> Transcript show: s log; show: '/'; show: t log ] ]\n");
    text.push_str("| s t all |\ns := Server separate new. t := Server separate new.\n");
    let _ = writeln!(
        text,
        "all := (1 to: {clients}) collect: [:i | Client separate new]."
    );
    text.push_str("all do: [:each | each s: s t: t].\n");
    for client in 1..=clients {
        let _ = writeln!(text, "(all at: {client}) run{client}.");
    }
    text.push_str("Shower new show: s and: t.\nTranscript flush.\n");
    text
}

/// All random orders of random programs lead to results that the exploration knows.
fn random() -> Checked {
    let (mut whole, mut several, mut deadlocks, mut redundant, mut schedules) = (0, 0, 0, 0, 0);
    for case in 0..CASES {
        let text = generated(case, 2 + usize::from(case % 4 == 0));
        let found = explored(&text, Timing::Any)?;
        if found.limit.is_some() {
            continue;
        }
        let known = results(&found);
        let mut program = loaded(&text)?;
        for order in 0..ORDERS {
            let one = in_any_order(&mut program, case * ORDERS + order)?;
            if !known.contains(&one) {
                return Err(format!("{text}\nnot found: {one:?}\nof {known:?}"));
            }
        }
        whole += 1;
        several += usize::from(known.len() > 1);
        let stuck = |one: &Seen| one.0 == ScheduleEnding::Deadlock;
        deadlocks += usize::from(known.iter().any(stuck));
        redundant += found.redundant;
        schedules += found.schedules;
    }
    match whole > 35 && several > 20 && deadlocks > 3 {
        true => Ok(()),
        false => Err(format!(
            "{whole} explored, {several} with several results, {deadlocks} with deadlocks, {schedules} schedules, {redundant} redundant"
        )),
    }
}

/// The same program as a block of an assertion has as many schedules, and the same makespans.
fn is_same_in_copies(text: &str, found: &ScheduleFindings, spans: (u64, u64)) -> Checked {
    let start = text.find("| s t all |").unwrap_or(0);
    let (definitions, statements) = text.split_at(start);
    let tried = format!("{definitions}(CountedSchedules of: [ {statements} nil ]) printNl.\n");
    let mut program = loaded(&tried)?;
    let host = TestHost::new();
    let mut vm = program.vm.fork(Box::new(host.clone()));
    let outcome = program
        .package_units
        .run(&mut vm, &program.units, &mut |_| {});
    let (many, (least, most)) = (found.schedules, spans);
    let several = if many == 1 { "schedule" } else { "schedules" };
    let expected =
        format!("a CountedSchedules of {many} {several}, spans from {least} to {most}\n");
    match outcome == Outcome::Finished && host.out() == expected {
        true => Ok(()),
        false => Err(format!("{text}\n{outcome:?}: {}not {expected}", host.out())),
    }
}

/// With exact times the results and makespans of all other ways to decide ties are known. In assertions the programs have the same schedules.
fn moments() -> Checked {
    let mut several = 0;
    for case in 0..CASES {
        let text = generated(case, 2 + usize::from(case % 4 == 0));
        let found = explored(&text, Timing::Exact)?;
        if found.limit.is_some() {
            continue;
        }
        let known = results(&found);
        let makespans = found.extremes.as_ref().ok_or("no makespan")?;
        let (least, most) = (makespans.least.0, makespans.most.0);
        several += usize::from(found.schedules > 1);
        if found
            .results
            .iter()
            .all(|one| one.ending == ScheduleEnding::Finished)
        {
            is_same_in_copies(&text, &found, (least, most))?;
        }
        let mut program = loaded(&text)?;
        let shuffled = (0..10).map(Ties::Shuffled);
        for ties in [Ties::Lower, Ties::Higher].into_iter().chain(shuffled) {
            let host = TestHost::new();
            let mut vm = program.vm.fork(Box::new(host.clone()));
            vm.simulate(Simulation {
                ties,
                ..Simulation::default()
            });
            let outcome = program
                .package_units
                .run(&mut vm, &program.units, &mut |_| {});
            let one = seen(&outcome, &host)?;
            let moment = vm.last_moment();
            if !known.contains(&one) || moment < least || moment > most {
                return Err(format!(
                    "{text}\n{ties:?}: {one:?} at {moment}\nof {known:?}, {least} to {most}"
                ));
            }
        }
    }
    match several > 4 {
        true => Ok(()),
        false => Err(format!("only {several} programs with several schedules")),
    }
}
