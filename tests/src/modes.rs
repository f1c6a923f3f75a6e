//! The modes of running a program. No mode may change its output or its counts (counting model, 3: identities).

use tally_vm::Optimisations;

/// One way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// What messages call it.
    pub name: &'static str,
    /// What the machine may do to be faster.
    pub optimisations: Optimisations,
    /// Whether own, total and calls are recorded.
    pub profile: bool,
    /// Whether the whole cost vector is maintained.
    pub everything: bool,
    /// Whether every allocation collects.
    pub gc_stress: bool,
    /// Bytes of the nursery, when not the usual.
    pub nursery: Option<usize>,
}

/// As the command runs a program without options.
pub const PLAIN: Mode = Mode {
    name: "plain",
    optimisations: Optimisations::ALL,
    profile: false,
    everything: false,
    gc_stress: false,
    nursery: None,
};

/// With the profile and the whole cost vector.
pub const PROFILE: Mode = Mode {
    name: "profile",
    profile: true,
    everything: true,
    ..PLAIN
};

/// With the profile alone.
pub const RECORDING: Mode = Mode {
    name: "recording",
    profile: true,
    ..PLAIN
};

/// Slow, simple, and right by definition.
pub const REFERENCE: Mode = Mode {
    name: "reference",
    optimisations: Optimisations::NONE,
    ..PROFILE
};

/// Each optimisation off singly.
pub const SINGLY: [Mode; 3] = [
    Mode {
        name: "without caches",
        optimisations: Optimisations {
            caches: false,
            ..Optimisations::ALL
        },
        ..PROFILE
    },
    Mode {
        name: "without short cuts",
        optimisations: Optimisations {
            shortcuts: false,
            ..Optimisations::ALL
        },
        ..PROFILE
    },
    Mode {
        name: "without quick methods",
        optimisations: Optimisations {
            quick: false,
            ..Optimisations::ALL
        },
        ..PROFILE
    },
];

/// In a heap of twice its live data: full collections whenever the old space has doubled, and a nursery so
/// small that everything moves often.
pub const SMALL_HEAP: Mode = Mode {
    name: "small heap",
    nursery: Some(1 << 16),
    ..PROFILE
};

/// A collection at every allocation.
pub const GC_STRESS: Mode = Mode {
    name: "gc stress",
    gc_stress: true,
    ..PROFILE
};

/// All modes but `GC_STRESS`, the plain one first.
pub fn all() -> Vec<Mode> {
    let mut modes = vec![PLAIN, PROFILE, RECORDING, REFERENCE];
    modes.extend(SINGLY);
    modes.push(SMALL_HEAP);
    modes
}
