//! What is drawn of a timeline, in the words that all formats share.

use crate::following::Wait;
use crate::measured::Measured;
use crate::names::{FeatureId, Names};
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::State;

use super::About;

/// A bar in the lane of a processor. The bars of a lane are nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) kind: SliceKind,
    /// The number of the request.
    pub(crate) request: u32,
    /// The feature of the request.
    pub(crate) feature: FeatureId,
    /// The processor that sent the request.
    pub(crate) client: u32,
    /// The processor that serves it.
    pub(crate) supplier: u32,
    /// When it was sent.
    pub(crate) called: Option<u64>,
    /// Whether it crosses from one processor to another.
    pub(crate) is_sent: bool,
}

/// What a bar stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SliceKind {
    /// The request in the lane of its supplier, from taking it up to its end.
    Request,
    /// Its step of synchronization.
    Step,
    /// The wait of the client for its answer.
    Call,
}

/// An end of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// It begins. `is_first` unless a part of it was drawn before, or it began before the part of the timeline that is drawn.
    Begin { is_first: bool },
    /// It ends. `is_last` unless another part of it follows, or it lasts beyond what is drawn.
    End { is_last: bool },
}

/// A number that changes in the course of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Processors that execute.
    Running,
    /// Requests in the queue of a processor.
    Queue(u32),
}

/// What is known when all is drawn.
pub(crate) struct Drawn<'a> {
    pub(crate) about: About<'a>,
    pub(crate) names: &'a Names,
    /// Ticks that were executed.
    pub(crate) ticks: u64,
}

/// A writer of a format. All moments are in the part of the timeline that is drawn.
pub(crate) trait Pen {
    /// A processor, before anything else of it. `name` is the way of creations that led to it.
    fn processor(&mut self, _number: u32, _name: &str, _class: &str, _origin: Origin) -> Accepted {
        Ok(())
    }

    /// A feature, or the object of a wait, before its first use. Their numbers count from 0.
    fn feature(&mut self, _id: FeatureId, _name: &str) -> Accepted {
        Ok(())
    }

    /// A slice begins or ends, in the order of the edges in its lane.
    fn edge(&mut self, _lane: u32, _time: u64, _slice: &Slice, _edge: Edge) -> Accepted {
        Ok(())
    }

    /// The client sends a request and does not wait for it.
    fn sends(&mut self, _time: u64, _slice: &Slice) -> Accepted {
        Ok(())
    }

    /// The processor was in the state, because of the wait if that is known.
    fn state(
        &mut self,
        _lane: u32,
        _state: State,
        _from: u64,
        _to: u64,
        _wait: Option<&Wait>,
    ) -> Accepted {
        Ok(())
    }

    /// The level has this value from here on.
    fn level(&mut self, _level: Level, _time: u64, _value: u64) -> Accepted {
        Ok(())
    }

    /// A request that has ended, or did not end at all: as the report counts it.
    fn request(&mut self, _number: u32, _request: &Measured) -> Accepted {
        Ok(())
    }

    /// A wait, as the report counts it.
    fn wait(&mut self, _wait: &Wait) -> Accepted {
        Ok(())
    }

    /// All is drawn. Answers what was left out, in sentences.
    fn finish(&mut self, drawn: &Drawn<'_>) -> Result<Vec<String>, SinkError>;
}

/// The word for a state.
pub(crate) fn word(state: State) -> &'static str {
    let words = crate::report::SHOWN_STATES;
    let found = words.iter().find(|(_, one)| *one == state);
    found.map_or("", |(word, _)| word)
}

/// The name of a lane: its way, and the class that it serves.
pub(crate) fn label(name: &str, class: &str) -> String {
    match class {
        "" => name.to_string(),
        class => format!("{name} {class}"),
    }
}
