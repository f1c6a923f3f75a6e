//! What a run shows, without anything that depends on the host: processors by path, requests by client and number.

/// A request: the path of its client, and its number among the requests of that client.
pub type RequestKey = (Vec<u32>, usize);

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Happening {
    /// When.
    pub time: u64,
    /// To which processor.
    pub processor: Vec<u32>,
    /// The request that it is about, where this is known.
    pub request: Option<RequestKey>,
    /// What.
    pub what: What,
}

/// Kinds of happenings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The processor was created.
    Created,
    /// The processor sent the request to this processor, and waits for the answer or not.
    Called(Vec<u32>, bool),
    /// The request was taken up.
    Synchronizes,
    /// It waits for locks.
    Locks,
    /// It has them.
    Granted,
    /// Its condition was evaluated.
    Evaluated(bool),
    /// Its feature begins.
    Executes,
    /// Its feature has ended.
    Returns,
    /// The client has the answer.
    Answered,
    /// The processor is free for others.
    Unlocked,
    /// The request sleeps.
    Sleeps,
    /// The delay is over.
    Wakes,
    /// The client begins to wait for the answer of a future.
    Joins,
    /// The request is not served, because a command before it has failed.
    Cancelled,
    /// The processor executed ticks from this moment to the time of the happening, without a pause.
    RanFrom(u64),
    /// The processor was charged from this moment to the time of the happening, without a pause.
    ChargedFrom(u64),
}

impl What {
    /// The begin of a stretch of ticks or of charges.
    pub fn begin(&self) -> Option<u64> {
        match self {
            What::RanFrom(from) | What::ChargedFrom(from) => Some(*from),
            _ => None,
        }
    }

    fn is_charge(&self) -> bool {
        matches!(self, What::ChargedFrom(_))
    }
}

/// The circumstances of a run.
pub use tally_vm::Simulation as Circumstances;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is quiet.
    Finished,
    /// A request waits for ever.
    Deadlock,
    /// All is quiet, and a failure was reported.
    Failed,
    /// In another way, in words.
    Other(String),
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What happened, sorted.
    pub happenings: Vec<Happening>,
    /// The last moment.
    pub end: u64,
    /// How it ended.
    pub ending: Ending,
    /// All ticks.
    pub ticks: u64,
    /// What was written.
    pub output: String,
}

impl Record {
    /// A run whose happenings are in any order. Stretches of ticks of a processor that touch each other become one, and so do
    /// stretches of charges.
    pub fn new(
        mut happenings: Vec<Happening>,
        end: u64,
        ending: Ending,
        ticks: u64,
        output: String,
    ) -> Record {
        let (mut stretches, others): (Vec<_>, Vec<_>) = happenings
            .drain(..)
            .partition(|happening| happening.what.begin().is_some());
        let place = |one: &Happening| (one.processor.clone(), one.what.is_charge(), one.time);
        stretches.sort_by_key(place);
        let mut joined: Vec<Happening> = Vec::new();
        for next in stretches {
            match joined.last_mut() {
                Some(last)
                    if last.processor == next.processor
                        && last.what.is_charge() == next.what.is_charge()
                        && Some(last.time) == next.what.begin() =>
                {
                    last.time = next.time;
                }
                _ => joined.push(next),
            }
        }
        joined.extend(others);
        joined.sort();
        Record {
            happenings: joined,
            end,
            ending,
            ticks,
            output,
        }
    }
}
