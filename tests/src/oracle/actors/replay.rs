//! Schedules of the engine, followed by the interpreter.

use tally_explore::ScheduleStep;

use super::engine::text;
use super::language::Program;
use super::numbers::{End, end};
use super::state::{Delivery, State};

/// Where a schedule ends, by its names alone. An error says which step is impossible.
pub fn replay(
    program: &Program,
    delivery: Delivery,
    schedule: &[ScheduleStep],
) -> Result<End, String> {
    let has_root = program.actors.len() == 1;
    let mut state = State::start(program);
    for (number, step) in schedule.iter().enumerate() {
        let is_step = |index: &usize| {
            let pending = &state.pending[*index];
            let addresses = pending.message.addresses.iter();
            let addresses: Vec<String> = addresses.map(|name| name.of_paper(has_root)).collect();
            let message = text(
                pending.message.selector,
                &pending.message.integers,
                &addresses,
            );
            let sender = &pending.sender;
            let is_script = sender.0.0.is_empty();
            let sender = (!is_script).then(|| (sender.0.of_paper(has_root), sender.1));
            let target = pending.target.of_paper(has_root);
            (target, message, sender)
                == (
                    step.target.clone(),
                    step.message.clone(),
                    step.sender.clone(),
                )
        };
        // Equal messages of one event have the same future.
        let choice = state.choices(delivery).into_iter().find(is_step);
        let choice = choice.ok_or_else(|| format!("step {number}, {step}, is impossible"))?;
        state = state.realise(program, choice).0;
    }
    let ending = state.ending().ok_or("the schedule ends too early")?;
    Ok(end(&ending, has_root))
}
