//! The configuration of a machine.

use super::dialect::Dialect;

/// The optimisations of a machine. They make it faster, and none of them changes a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimisations {
    /// Inline caches and the global lookup cache.
    pub caches: bool,
    /// Arithmetic, comparison and access without looking a method up.
    pub shortcuts: bool,
    /// Quick methods without a frame.
    pub quick: bool,
}

impl Optimisations {
    /// All of them.
    pub const ALL: Optimisations = Optimisations {
        caches: true,
        shortcuts: true,
        quick: true,
    };
    /// None of them: the reference mode.
    pub const NONE: Optimisations = Optimisations {
        caches: false,
        shortcuts: false,
        quick: false,
    };
}

/// How a machine is to be set up.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The language of the library and the program.
    pub dialect: Dialect,
    /// Bytes of the nursery.
    pub nursery_bytes: usize,
    /// The least number of bytes by which the old space grows between two full collections. A large heap grows by half
    /// of its live data and a bit more. 0 keeps every heap at one and a half times its live data.
    pub least_old_bytes: usize,
    /// Collect at every allocation.
    pub gc_stress: bool,
    /// Bytes that heap, stacks and symbols of this machine may take together.
    /// [`budget::set_limit`](super::budget::set_limit) limits the whole process.
    pub max_memory: Option<usize>,
    /// Ticks after which the run stops.
    pub max_ticks: Option<u64>,
    /// Work after which the run stops; see [`Vm::work`](crate::machine::Vm::work). Work is counted only where everything is.
    pub max_work: Option<u64>,
    /// Activations on one process's stack before `RecursionTooDeep` is signalled.
    pub max_depth: u64,
    /// Seed of `Random new`.
    pub seed: i64,
    /// Whether ticks drive the clock, a microsecond each, so that time is the same in every run.
    pub virtual_clock: bool,
    /// Microseconds that a tick takes in virtual time.
    pub virtual_tick: u64,
    /// Microseconds by which virtual time starts later than usual.
    pub virtual_start: u64,
    /// What may be done to be faster.
    pub optimisations: Optimisations,
    /// Start value of the identity-hash sequence.
    pub hash_seed: u32,
    /// Whether code that is compiled for this machine counts evaluations of inlined control messages.
    pub count_inlined: bool,
    /// Whether programs may read the address of an object. Tests of the search for such dependences need this.
    pub tells_addresses: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            dialect: Dialect::Smalltalk,
            nursery_bytes: 1 << 20,
            least_old_bytes: 2 << 20,
            gc_stress: false,
            max_memory: None,
            max_ticks: None,
            max_work: None,
            max_depth: 250_000,
            seed: 1,
            virtual_clock: false,
            virtual_tick: 1,
            virtual_start: 0,
            optimisations: Optimisations::ALL,
            hash_seed: 1,
            count_inlined: false,
            tells_addresses: false,
        }
    }
}
