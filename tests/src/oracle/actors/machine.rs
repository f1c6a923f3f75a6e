//! Programs of `language` as Smalltalk, executed by the machine.

use std::sync::Arc;

use tally_explore::{Delivery, Start};
use tally_vm::{MessageOrder, Outcome};
use tally_workbench::exploring::{ActorProgram, Schedule, TurnOptions};
use tally_workbench::loading::{MachineSettings, Program as Loaded, Sources};
use tally_workbench::{ProgramOutput, Quiet};

use super::explored::Explored;
use super::language::Program;
use super::numbers::{Costs, End, Numbers};
use super::print::source;

/// Whether the script can say what the actors know at their begin: an actor knows those that are spawned before it.
pub fn is_sayable(program: &Program) -> bool {
    let mut actors = program.actors.iter().enumerate();
    actors.all(|(number, actor)| actor.addresses.iter().all(|other| *other < number))
}

fn loaded(program: &Program) -> Result<Loaded, String> {
    let text = source(program);
    let sources = Sources {
        folder: std::path::Path::new(""),
        files: &[],
        expression: Some(&text),
        arguments: &[],
    };
    let front: tally_workbench::Front = Arc::new(Quiet);
    let settings = MachineSettings::default();
    let loaded = Loaded::load(&sources, &settings, ProgramOutput::Nowhere, &front);
    loaded.map_err(|error| format!("{error}\n{text}"))
}

/// The program for the engine. With `is_checked` each turn is executed twice.
///
/// # Errors
/// It does not compile, or cannot be explored.
pub fn executed(program: &Program, is_checked: bool) -> Result<(ActorProgram, Start), String> {
    let options = TurnOptions {
        is_checked,
        ..TurnOptions::default()
    };
    let actors = loaded(program)?.actors(&options);
    actors.map_err(|error| format!("{error}\n{}", source(program)))
}

/// Runs the program with the messages in the order of each schedule. Answers what is wrong with the ends.
pub fn wrong_ends(program: &Program, explored: &Explored) -> Vec<String> {
    let mut wrong = Vec::new();
    for (end, steps) in &explored.schedules {
        let schedule = Schedule {
            program: 0,
            delivery: Delivery::default(),
            steps: steps.clone(),
            ending: String::new(),
        };
        let mut run = match loaded(program) {
            Ok(run) => run,
            Err(why) => return vec![why],
        };
        let order = MessageOrder::Named(schedule.messages().into());
        run.vm.set_message_order(order);
        run.vm.keep_failures();
        let outcome = run.run();
        let expected = match end.1 {
            Some(_) => Outcome::Failed,
            None => Outcome::Finished,
        };
        if outcome != expected || run.vm.impossible_message().is_some() {
            wrong.push(format!(
                "{end:?}: {outcome:?}, {:?}\n{}",
                run.vm.impossible_message(),
                source(program)
            ));
        }
    }
    wrong
}

/// Numbers with one word for all errors: the texts of the machine are longer.
pub fn without_texts(mut numbers: Numbers) -> Numbers {
    let plain = |(written, failure): End| {
        let failure = failure.map(|(actor, _)| (actor, "fails".to_string()));
        (written, failure)
    };
    let mut ends = std::collections::BTreeMap::new();
    for (end, (states, counted)) in numbers.ends {
        let entry: &mut (u64, Option<(u64, u128)>) = ends.entry(plain(end)).or_default();
        entry.0 += states;
        entry.1 = match (entry.1, counted) {
            (Some((a, b)), Some((c, d))) => Some((a + c, b + d)),
            (one, other) => one.or(other),
        };
    }
    numbers.ends = ends;
    numbers.costs = numbers.costs.map(|costs| {
        costs.map(|costs| {
            let mut all = Costs::new();
            for ((end, work, depth), count) in costs {
                *all.entry((plain(end), work, depth)).or_default() += count;
            }
            all
        })
    });
    numbers
}
