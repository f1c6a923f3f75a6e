//! The circumstances of a case.

use tally_vm::{Costs, Jitter, LockScheduler, Recheck, Ties};

use super::generate::Dice;
use super::record::Circumstances;

/// The circumstances of a case: of every two, one has nothing but CPUs and a latency. In the other one all else is drawn.
pub(super) fn circumstances(case: u64) -> Circumstances {
    let cpus = [None, Some(1), Some(2), Some(3)];
    let bare = Circumstances {
        cpus: cpus[(case / 2 % 4) as usize],
        costs: Costs {
            latency: [0, 3][(case / 8 % 2) as usize],
            ..Costs::default()
        },
        ..Circumstances::default()
    };
    match case.is_multiple_of(2) {
        true => bare,
        false => drawn(bare, &mut Dice::new(case)),
    }
}

fn drawn(bare: Circumstances, dice: &mut Dice) -> Circumstances {
    let seed = dice.below(1000) as u64;
    let mut costs = bare.costs;
    for (name, _) in bare.costs.named() {
        if dice.percent(40) {
            costs.set(name, dice.below(41) as u64);
        }
    }
    Circumstances {
        costs,
        scheduler: dice.pick(&[LockScheduler::Parallel, LockScheduler::Central]),
        recheck: dice.pick(&[Recheck::Touched, Recheck::Unlock]),
        slice: dice.percent(40).then(|| 1 + dice.below(30) as u64),
        ties: dice.pick(&[Ties::Lower, Ties::Lower, Ties::Higher, Ties::Shuffled(seed)]),
        jitter: dice.percent(25).then(|| Jitter {
            most: dice.below(20) as u64,
            seed,
        }),
        ..bare
    }
}
