//! What is simulated: the number of CPUs, what communication costs, and who goes first. docs/TIMELINE.md defines each.

/// Charges of the cost model, in units of the clock (LogP's and LogGP's parameters, and the costs of locks). All are 0 by default.
/// They are overhead: they are no sends and no work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// The client pays it for a processor that it creates.
    pub create: u64,
    /// The client pays it for each request that it sends.
    pub call: u64,
    /// The client pays it for each word of a request.
    pub word: u64,
    /// Two requests of a processor are sent at least this long apart.
    pub gap: u64,
    /// From the sending of a request, an answer or an unlock to its arrival.
    pub latency: u64,
    /// The supplier pays it for each request that it takes up.
    pub receive: u64,
    /// The requester pays it for each lock of a scope that it is granted.
    pub lock: u64,
    /// The requester pays it before each evaluation of a condition.
    pub evaluate: u64,
    /// A processor pays it when it is unlocked.
    pub unlock: u64,
    /// A CPU pays it that gets another processor than it had before.
    pub switch: u64,
    /// The central scheduler needs it for an approval.
    pub scheduler: u64,
}

impl Costs {
    /// Names and values.
    pub fn named(&self) -> [(&'static str, u64); 11] {
        let mut copy = *self;
        copy.places().map(|(name, cost)| (name, *cost))
    }

    /// Sets the cost with this name; false if there is none.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let mut places = self.places().into_iter();
        let found = places.find(|(one, _)| *one == name);
        found.map(|(_, cost)| *cost = value).is_some()
    }

    fn places(&mut self) -> [(&'static str, &mut u64); 11] {
        [
            ("create", &mut self.create),
            ("call", &mut self.call),
            ("word", &mut self.word),
            ("gap", &mut self.gap),
            ("latency", &mut self.latency),
            ("receive", &mut self.receive),
            ("lock", &mut self.lock),
            ("evaluate", &mut self.evaluate),
            ("unlock", &mut self.unlock),
            ("switch", &mut self.switch),
            ("scheduler", &mut self.scheduler),
        ]
    }
}

/// Who gives locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockScheduler {
    /// All that can have their locks get them at once.
    #[default]
    Parallel,
    /// One request at a time, its condition included.
    Central,
}

/// When a condition that was false is evaluated again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recheck {
    /// When one of its processors was unlocked.
    #[default]
    Touched,
    /// When any processor was unlocked.
    Unlock,
}

/// Which of two goes first at the same moment, in the same phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The lower path.
    #[default]
    Lower,
    /// The higher path.
    Higher,
    /// It follows from this seed, the moment and the path.
    Shuffled(u64),
}

/// Random delays before requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter {
    /// The longest, in units of the clock.
    pub most: u64,
    /// What they follow from.
    pub seed: u64,
}

/// The unit of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// A send or a repetition of an inlined loop.
    #[default]
    Ticks,
    /// Work of the counting model.
    Work,
}

/// The machine that is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simulation {
    /// CPUs; any number if absent.
    pub cpus: Option<u64>,
    /// What communication costs.
    pub costs: Costs,
    /// Who gives locks.
    pub scheduler: LockScheduler,
    /// When a condition is evaluated again.
    pub recheck: Recheck,
    /// How long a processor keeps its CPU while others wait for one.
    pub slice: Option<u64>,
    /// Which of two goes first.
    pub ties: Ties,
    /// Random delays.
    pub jitter: Option<Jitter>,
    /// The unit of time.
    pub clock: Clock,
    /// Whether a request outside of a scope is an error of its client (R6).
    pub strict_control: bool,
}
