//! Compares the results of the exploration with those of the model. There are random plans, and small ones. Each of the small ones shows a rule.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use tally_vm::Timing;
use tally_workbench::schedules::ScheduleEnding;

use super::model::{Act, Ending, Plan};
use super::{Dice, explored, results};
use crate::checks::Checked;

/// How many random plans are compared with the model, and the most states of one.
const PLANS: u64 = 120;
const MOST_STATES: usize = 60_000;

/// Whether the exploration of a plan finds the endings of the model, no more and no less. Nothing if it meets a limit.
fn is_as_in_model(plan: &Plan) -> Result<Option<BTreeSet<Ending>>, String> {
    let text = plan.text();
    let found = explored(&text, Timing::Any)?;
    let (None, Some(expected)) = (found.limit, plan.endings(MOST_STATES)) else {
        return Ok(None);
    };
    let mut seen: BTreeSet<Ending> = BTreeSet::new();
    for (ending, output) in results(&found) {
        let is_at_end = match ending {
            ScheduleEnding::Finished => true,
            ScheduleEnding::Deadlock => false,
            other => return Err(format!("{other:?}\n{text}")),
        };
        seen.insert((output, is_at_end));
    }
    let missing: Vec<_> = expected.difference(&seen).collect();
    let more: Vec<_> = seen.difference(&expected).collect();
    match seen == expected {
        true => Ok(Some(seen)),
        false => Err(format!("missing {missing:?}\ntoo many {more:?}\n{text}")),
    }
}

/// Nested scopes, and scopes on both servers; futures and conditions.
fn plan(seed: u64) -> Plan {
    let dice = &mut Dice::new(seed);
    let clients = 2 + usize::from(dice.below(4) == 0);
    let mut letters = 'a'..='z';
    let clients = (0..clients)
        .map(|_| {
            let mut acts = Vec::new();
            for _ in 0..1 + dice.below(2) {
                outermost(dice, &mut letters, &mut acts);
            }
            acts
        })
        .collect();
    Plan {
        clients,
        is_shown_together: dice.below(2) == 0,
    }
}

fn outermost(dice: &mut Dice, letters: &mut RangeInclusive<char>, acts: &mut Vec<Act>) {
    let Some(letter) = letters.next() else {
        return;
    };
    let (one, other) = match dice.below(2) {
        0 => (0, 1),
        _ => (1, 0),
    };
    let scope = |servers: Vec<usize>, length: Option<usize>, acts: Vec<Act>| Act::Scope {
        servers,
        length,
        acts,
    };
    let note = Act::Note(one, letter);
    match dice.below(11) {
        0 | 1 => acts.push(scope(vec![one], None, vec![note])),
        2 => {
            let both = vec![note, Act::Note(other, letter)];
            acts.push(scope(vec![one, other], None, both));
        }
        3 | 4 => {
            let inner = scope(vec![other], None, vec![Act::Note(other, letter)]);
            acts.push(scope(vec![one], None, vec![inner, note]));
        }
        5 => acts.push(scope(vec![one], None, vec![Act::Ask(one, letter)])),
        6 => acts.push(scope(vec![one], Some(1), vec![note])),
        7 => acts.push(note),
        8 => acts.push(Act::Ask(one, letter)),
        9 => acts.push(Act::Show(letter)),
        _ => acts.extend([
            Act::Future(one, letter),
            Act::Note(other, letter),
            Act::Value(letter),
        ]),
    }
}

/// Random plans have the endings of the model.
pub(super) fn as_in_model() -> Checked {
    let (mut whole, mut several, mut deadlocks) = (0, 0, 0);
    for seed in 0..PLANS {
        let Some(endings) = is_as_in_model(&plan(seed))? else {
            continue;
        };
        whole += 1;
        several += usize::from(endings.len() > 1);
        deadlocks += usize::from(endings.iter().any(|ending| !ending.1));
    }
    match whole > 60 && several > 50 && deadlocks > 3 {
        true => Ok(()),
        false => Err(format!(
            "{whole} compared, {several} with several endings, {deadlocks} with deadlocks"
        )),
    }
}

/// A rule, with a small plan that shows it, and the number of endings.
type Rule = (&'static str, Vec<Vec<Act>>, bool, usize);

fn known_rules() -> [Rule; 4] {
    let scope = |servers: &[usize], acts: Vec<Act>| Act::Scope {
        servers: servers.to_vec(),
        length: None,
        acts,
    };
    let (s, t) = (0, 1);
    let nested = |letter: char| scope(&[s], vec![scope(&[t], vec![Act::Note(t, letter)])]);
    let future = scope(&[t], vec![Act::Future(t, 'd'), scope(&[s], Vec::new())]);
    [
        (
            "a scope of two locks competes with each step that took one of them",
            vec![vec![nested('a')]],
            true,
            2,
        ),
        (
            "the same behind another scope",
            vec![
                vec![
                    scope(&[t], Vec::new()),
                    scope(&[t, s], vec![Act::Note(s, 'c')]),
                ],
                vec![nested('e')],
            ],
            false,
            4,
        ),
        (
            "what is held off competes also in a run that is given up",
            vec![
                vec![nested('b')],
                vec![nested('c'), future, Act::Value('d')],
            ],
            false,
            27,
        ),
        (
            "what is sent in a scope does not overtake a command outside of it",
            vec![vec![scope(
                &[s],
                vec![Act::Note(t, 'a'), Act::Note(s, 'b')],
            )]],
            false,
            3,
        ),
    ]
}

/// Small plans that show a rule each.
pub(super) fn rules() -> Checked {
    for (rule, clients, is_shown_together, expected) in known_rules() {
        let plan = Plan {
            clients,
            is_shown_together,
        };
        let endings = is_as_in_model(&plan)?.ok_or("a limit")?;
        if endings.len() != expected {
            return Err(format!(
                "{rule}: {} endings\n{}",
                endings.len(),
                plan.text()
            ));
        }
    }
    Ok(())
}
