//! The ways in which a program is run again: one row each, with what is otherwise in it and what a difference means.

use clap::ValueEnum;
use tally_vm::{Config, Jitter, Optimisations, Question, Simulation, Ties};

/// The names of the modes on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    // The same once more
    Again,
    // Without recorder, counting what every run counts
    Plain,
    // A nursery of 64 KiB, an old space of at most one and a half times its live data
    SmallHeap,
    // A nursery of 8 MiB
    LargeHeap,
    // A collection at every allocation
    GcStress,
    // Without lookup caches
    NoCaches,
    // Without short cuts for arithmetic, comparison and access
    NoShortcuts,
    // A frame for quick methods too
    NoQuick,
    // Without any optimisation
    Reference,
    // Another sequence of identity hashes
    Hashes,
    // Another seed of Random
    Seed,
    // A clock that started at another time and runs faster
    Clock,
    // Processors in other orders: --ties, --jitter, --cpus, --slice. Outputs and endings are compared
    Schedule,
}

/// What is wrong if a run in a mode differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The machine does not keep to the counting model, or the program could see what it should not.
    Failure,
    /// The program's counts depend on a request to the outside.
    Finding {
        /// What such a program is called.
        word: &'static str,
        /// The request.
        question: Question,
    },
    /// The program's output or its end depends on the order in which its processors run.
    Schedule {
        /// The option of `tally run` that changes the order.
        option: &'static str,
    },
}

impl Meaning {
    /// The word for it in reports.
    pub(super) fn word(self) -> &'static str {
        match self {
            Meaning::Failure => "failure",
            Meaning::Finding { word, .. } => word,
            Meaning::Schedule { .. } => "schedule-sensitive",
        }
    }

    /// The option that changes the order of processors, if the mode is about that.
    pub(super) fn option(self) -> Option<&'static str> {
        match self {
            Meaning::Schedule { option } => Some(option),
            _ => None,
        }
    }
}

/// A way to run a program again.
pub(super) struct Mode {
    pub(super) name: ModeName,
    /// What people call it.
    pub(super) text: &'static str,
    pub(super) meaning: Meaning,
    /// What is otherwise in it.
    change: fn(&mut Config),
    /// What is otherwise in the machine on which processors run.
    simulate: fn(&mut Simulation),
    /// Whether the recorder is on and the whole cost vector is maintained.
    pub(super) is_recorded: bool,
}

const HASH_SENSITIVE: Meaning = Meaning::Finding {
    word: "hash-sensitive",
    question: Question::IdentityHash,
};
const SEED_SENSITIVE: Meaning = Meaning::Finding {
    word: "seed-sensitive",
    question: Question::Seed,
};
const CLOCK_SENSITIVE: Meaning = Meaning::Finding {
    word: "clock-sensitive",
    question: Question::Clock,
};

const fn must_be_equal(name: ModeName, text: &'static str, change: fn(&mut Config)) -> Mode {
    Mode {
        name,
        text,
        meaning: Meaning::Failure,
        change,
        simulate: |_| (),
        is_recorded: true,
    }
}

const fn may_differ(
    name: ModeName,
    text: &'static str,
    meaning: Meaning,
    change: fn(&mut Config),
) -> Mode {
    Mode {
        meaning,
        ..must_be_equal(name, text, change)
    }
}

/// Processors run in another order, which the text names as options of `tally run`.
const fn scheduled(
    option: &'static str,
    text: &'static str,
    simulate: fn(&mut Simulation),
) -> Mode {
    Mode {
        meaning: Meaning::Schedule { option },
        simulate,
        is_recorded: false,
        ..must_be_equal(ModeName::Schedule, text, |_| ())
    }
}

/// The usual mode, with which all others are compared.
pub(super) const USUAL: Mode = must_be_equal(ModeName::Again, "usual", |_| ());

/// Microseconds that a tick takes by the other clock: no divisor of anything that people wait for.
const OTHER_TICK: u64 = 977;
/// Microseconds by which the other clock starts later: something more than 500 days.
const OTHER_START: u64 = 43_210_987_654_321;

/// All modes, in the order in which they are tried.
pub(super) static MODES: &[Mode] = &[
    must_be_equal(ModeName::Again, "again", |_| ()),
    Mode {
        is_recorded: false,
        ..must_be_equal(ModeName::Plain, "plain", |_| ())
    },
    must_be_equal(ModeName::SmallHeap, "small heap", |config| {
        config.nursery_bytes = 1 << 16;
        config.least_old_bytes = 0;
    }),
    must_be_equal(ModeName::LargeHeap, "large heap", |config| {
        config.nursery_bytes = 8 << 20;
        config.least_old_bytes = 64 << 20;
    }),
    must_be_equal(ModeName::GcStress, "gc stress", |config| {
        config.gc_stress = true;
    }),
    must_be_equal(ModeName::NoCaches, "no caches", |config| {
        config.optimisations.caches = false;
    }),
    must_be_equal(ModeName::NoShortcuts, "no short cuts", |config| {
        config.optimisations.shortcuts = false;
    }),
    must_be_equal(ModeName::NoQuick, "no quick methods", |config| {
        config.optimisations.quick = false;
    }),
    must_be_equal(ModeName::Reference, "reference", |config| {
        config.optimisations = Optimisations::NONE;
    }),
    may_differ(ModeName::Hashes, "other hashes", HASH_SENSITIVE, |config| {
        config.hash_seed = config.hash_seed.wrapping_mul(2_654_435_761) ^ 0x2_A5A5;
    }),
    may_differ(ModeName::Hashes, "third hashes", HASH_SENSITIVE, |config| {
        config.hash_seed = config.hash_seed.wrapping_mul(40_503) ^ 0x1_5A5A;
    }),
    may_differ(ModeName::Seed, "other seed", SEED_SENSITIVE, |config| {
        config.seed = config.seed.wrapping_add(7_919);
    }),
    may_differ(ModeName::Clock, "other clock", CLOCK_SENSITIVE, |config| {
        config.virtual_tick = OTHER_TICK;
        config.virtual_start = OTHER_START;
    }),
    scheduled("--ties", "--ties reverse", |machine| {
        machine.ties = Ties::Higher;
    }),
    scheduled("--ties", "--ties shuffle:1", |machine| {
        machine.ties = Ties::Shuffled(1);
    }),
    scheduled("--ties", "--ties shuffle:2", |machine| {
        machine.ties = Ties::Shuffled(2);
    }),
    scheduled("--jitter", "--jitter 10:1", |machine| {
        machine.jitter = Some(Jitter { most: 10, seed: 1 });
    }),
    scheduled("--jitter", "--jitter 100:2", |machine| {
        machine.jitter = Some(Jitter { most: 100, seed: 2 });
    }),
    scheduled("--jitter", "--jitter 1000:3", |machine| {
        machine.jitter = Some(Jitter {
            most: 1000,
            seed: 3,
        });
    }),
    scheduled("--cpus", "--cpus 1", |machine| machine.cpus = Some(1)),
    scheduled("--cpus", "--cpus 2", |machine| machine.cpus = Some(2)),
    scheduled("--slice", "--cpus 1 --slice 10", |machine| {
        machine.cpus = Some(1);
        machine.slice = Some(10);
    }),
    scheduled("--slice", "--cpus 2 --slice 25", |machine| {
        machine.cpus = Some(2);
        machine.slice = Some(25);
    }),
];

impl Mode {
    /// The machine's configuration in this mode.
    pub(super) fn config(&self, usual: Config) -> Config {
        let mut config = usual;
        (self.change)(&mut config);
        config
    }

    /// The machine on which processors run in this mode.
    pub(super) fn simulation(&self) -> Simulation {
        let mut simulation = Simulation::default();
        (self.simulate)(&mut simulation);
        simulation
    }
}
