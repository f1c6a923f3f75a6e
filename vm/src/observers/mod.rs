//! The observers of a running machine. Nothing here changes what a program does or what is counted.

mod activations;
mod allocation_sites;
mod crowds;
mod extents;
mod follower;
mod lookups;
mod parts;
mod recorded;
mod recorder;
mod sampler;
mod sections;
pub(crate) mod tree;

use crowds::Crowds;
use lookups::Lookups;

pub use crowds::Crowd;
pub use extents::Extent;
pub(crate) use extents::Extents;
pub use follower::{Asked, Followed, FollowedSend, Point, Question};
pub(crate) use follower::{FIRST_STEP, Follower, RawFrame, RawQuestion, RawSend, RawTrace, mixed};
pub use lookups::Lookup;
pub(crate) use parts::{OpenPart, Parts, Reading};
pub(crate) use recorded::EdgeCounts;
pub use recorded::{Context, ContextKind, Counts, Edge, Made, Recorded, SendSite, Tally};
pub use recorder::Detail;
pub(crate) use recorder::{PROFILING, Recorder};
pub(crate) use sampler::{LOOK_EVERY, Sampler, Timer};
pub use sampler::{SampleCount, Samples};
pub(crate) use sections::{CountedPiece, Counting, DepthGauge, MethodCounts, Piece, Section};
pub(crate) use tree::{ContextRow, Edge as RawEdge, Spent};

/// The observers of a run; all are off unless they are turned on.
#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Pieces of the run that the program profiles.
    pub(crate) sections: Vec<Section>,
    /// Whether the recorder was turned on for them.
    pub(crate) sections_own_recorder: bool,
    /// The parts of the run that are tests, if a recording keeps them apart.
    pub(crate) parts: Option<Box<Parts>>,
    /// How deep the counted evaluation under way has come.
    pub(crate) depth_gauge: Option<DepthGauge>,
    /// The sampler of the stack, if there is one.
    pub(crate) sampler: Option<Box<Sampler>>,
    /// Lookups that are being noted, if any are.
    pub(crate) lookups: Option<Box<Lookups>>,
    /// Keys with one hash, if they are looked for.
    pub(crate) crowds: Option<Box<Crowds>>,
    /// The follower of the run, send by send, if there is one.
    pub(crate) follower: Option<Box<Follower>>,
    /// The sends below each activation, if they are measured.
    pub(crate) extents: Option<Box<Extents>>,
    /// The last follower, after it has ended.
    pub(crate) followed: Option<Box<Follower>>,
}

impl Observers {
    /// The observers of a copy of the machine. Observers that the program itself has started go on. `recorder` is this
    /// machine's recorder for the copied code. Observers from outside observe one machine only.
    pub(crate) fn fork(&self, recorder: Option<Box<Recorder>>) -> Observers {
        let Observers {
            recorder: _,
            sections,
            sections_own_recorder,
            parts: _,
            depth_gauge,
            sampler: _,
            lookups: _,
            crowds: _,
            follower: _,
            extents: _,
            followed: _,
        } = self;
        Observers {
            recorder,
            sections: sections.clone(),
            sections_own_recorder: *sections_own_recorder,
            parts: None,
            depth_gauge: depth_gauge.clone(),
            sampler: None,
            lookups: None,
            crowds: None,
            follower: None,
            extents: None,
            followed: None,
        }
    }
}
