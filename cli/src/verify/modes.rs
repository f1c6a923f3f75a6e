//! The ways in which a program is run again: one row each, with what is otherwise in it and what a difference means.

use clap::ValueEnum;
use tally_vm::{Config, Optimisations, Question};

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
}

/// A way to run a program again.
pub(super) struct Mode {
    pub(super) name: ModeName,
    /// What people call it.
    pub(super) text: &'static str,
    pub(super) meaning: Meaning,
    /// What is otherwise in it.
    change: fn(&mut Config),
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
];

impl Mode {
    /// The machine's configuration in this mode.
    pub(super) fn config(&self, usual: Config) -> Config {
        let mut config = usual;
        (self.change)(&mut config);
        config
    }
}
