//! Runs every golden program and every example while it is followed send by send, in modes that share little code.
//! Following changes no count, and all modes see the same sends on the same stacks.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Options, machine};
use tally_vm::bytecode::Unit;
use tally_vm::{Cost, Followed, FollowedSend};

use crate::programs;

/// Sends that are looked at closely, in the middle of a run.
const WINDOW: u64 = 100;

/// A test for each program.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    programs::trials("following", follow_in_modes)
}

/// What following a run showed.
#[derive(Debug, PartialEq)]
struct Seen {
    digests: Vec<(u64, u64)>,
    window: Vec<u64>,
    sends: Vec<Option<FollowedSend>>,
}

fn follow_in_modes(unit: &Arc<Unit>, options: &Options) -> Result<(), String> {
    let (cost, _) = run(unit, options, &modes::PROFILE, None)?;
    let middle = cost.sends / 2;
    let mut usual = None;
    for mode in [modes::PROFILE, modes::REFERENCE, modes::SMALL_HEAP] {
        let (followed_cost, seen) = run(unit, options, &mode, Some(middle))?;
        let costs = [&cost, &followed_cost].map(|cost| (cost.sends, cost.loops, cost.allocations));
        if costs[0] != costs[1] {
            return Err(format!("{} followed: {costs:?}", mode.name));
        }
        if mode == modes::PROFILE && cost != followed_cost {
            return Err(format!("followed: {cost:?} became {followed_cost:?}"));
        }
        let ends_at = seen.digests.last().map_or(0, |(sends, _)| *sends);
        if ends_at > cost.sends || seen.window.len() != seen.sends.len() {
            return Err(format!("{ends_at} sends followed of {}", cost.sends));
        }
        match &usual {
            None => usual = Some(seen),
            Some(usual) if *usual == seen => {}
            Some(usual) => return Err(differing(usual, &seen, mode.name)),
        }
    }
    Ok(())
}

fn differing(usual: &Seen, seen: &Seen, mode: &str) -> String {
    let pairs = usual.sends.iter().zip(&seen.sends);
    let first = pairs.into_iter().find(|(a, b)| a != b);
    format!(
        "{mode} sees other sends: {} and {} digests, in the window {first:?}",
        usual.digests.len(),
        seen.digests.len()
    )
}

fn run(
    unit: &Arc<Unit>,
    options: &Options,
    mode: &Mode,
    middle: Option<u64>,
) -> Result<(Cost, Seen), String> {
    let mut vm = machine(options, mode, &TestHost::new())?;
    if let Some(middle) = middle {
        vm.follow(0, middle..middle + WINDOW);
    }
    vm.run_unit(Arc::clone(unit));
    let Followed { points, window } = vm.stop_following();
    let sends = (0..window.len()).map(|index| vm.followed_send(index));
    let seen = Seen {
        digests: points
            .iter()
            .map(|point| (point.sends, point.digest))
            .collect(),
        sends: sends.collect(),
        window,
    };
    Ok((vm.cost(), seen))
}
