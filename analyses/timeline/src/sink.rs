//! The parts of a timeline one by one, in their order: processors, requests and obstacles before the first event that names
//! them. A run and a trace give the same parts.

use std::collections::HashMap;

use tally_vm::{Event, EventKind, Timeline, TimelineObstacle, TimelineProcessor, TimelineRequest};

use crate::following::Lane;
use crate::measured::Measured;
use crate::obstacles::Obstacle;

/// How a processor came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the processor that created it; its own number for the processor of the script.
    pub creator: u32,
    /// The number of the creation there, from 1; 0 for the processor of the script.
    pub ordinal: u32,
    /// When, in ticks.
    pub time: u64,
}

/// A request as its client made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Described<'t> {
    /// The class of the receiver.
    pub class: &'t str,
    /// The selector of the message.
    pub selector: &'t str,
    /// The number of the processor that sent it.
    pub client: u32,
    /// The number of the processor that serves it.
    pub supplier: u32,
    /// The number of the request in which it was sent.
    pub sender: Option<u32>,
    /// Whether the client waits for the answer.
    pub waits: bool,
    /// Whether it is an activation of the client's own.
    pub is_local: bool,
    /// Whether the supplier serves it while it waits itself.
    pub is_callback: bool,
    /// File, line and column of the program's own code that sends it, if that is known.
    pub site: Option<&'t str>,
}

impl Described<'_> {
    /// Whether it is a request of this feature: class and selector.
    pub(crate) fn is_feature(&self, feature: &str) -> bool {
        let selector = feature.strip_prefix(self.class);
        let selector = selector.and_then(|rest| rest.strip_prefix(">>"));
        !self.selector.is_empty() && selector == Some(self.selector)
    }
}

/// Why the parts of a timeline are not accepted.
#[derive(Debug)]
pub enum SinkError {
    /// There is more of something than there may be.
    TooMuch(&'static str),
    /// An event names a processor that was not described, or a processor is described out of order.
    Undescribed(u32),
    /// They could not be written.
    Io(std::io::Error),
}

impl std::fmt::Display for SinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SinkError::TooMuch(what) => write!(f, "the timeline has too many {what}"),
            SinkError::Undescribed(number) => {
                write!(f, "processor {number} is not described before its events")
            }
            SinkError::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for SinkError {}

/// The result of accepting a part.
pub type Accepted = Result<(), SinkError>;

/// A receiver of the parts of a timeline.
pub trait Sink {
    /// A processor; their numbers count from 0. `class` is the class that it was created for; empty if that is not known.
    ///
    /// # Errors
    /// There are too many, or this is not the next number.
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted;

    /// A request, before its first event. It may come again.
    ///
    /// # Errors
    /// There are too many.
    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted;

    /// What a process waits for, before the first event that names it. It may come again.
    ///
    /// # Errors
    /// There are too many.
    fn obstacle(&mut self, _number: u32, _obstacle: &Obstacle<'_>) -> Accepted {
        Ok(())
    }

    /// An event.
    ///
    /// # Errors
    /// Its processor is not described.
    fn event(&mut self, event: &Event) -> Accepted;

    /// A request that is under way where a segment begins.
    ///
    /// # Errors
    /// There are too many.
    fn resume_request(&mut self, _request: Resumed<'_>) -> Accepted {
        Ok(())
    }

    /// What a processor does where a segment begins.
    ///
    /// # Errors
    /// The processor is not described.
    fn resume_lane(&mut self, _processor: u32, _lane: Lane) -> Accepted {
        Ok(())
    }
}

/// A request that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumed<'t> {
    /// Its number.
    pub number: u32,
    /// The request.
    pub described: Described<'t>,
    /// Class and selector of the feature that sent it.
    pub sender: Option<(&'t str, &'t str)>,
    /// Its moments. The features in it are not set.
    pub progress: Measured,
}

/// Gives a sink a whole run.
///
/// # Errors
/// Those of the sink.
pub fn feed(timeline: &Timeline, sink: &mut impl Sink) -> Accepted {
    Feed::default().add(timeline, sink)
}

/// Gives a sink the parts of a run, one after the other.
#[derive(Debug, Default)]
pub struct Feed {
    /// Processors, requests and obstacles that the sink knows.
    processors: u32,
    requests: u32,
    obstacles: u32,
    /// The processors by their paths.
    numbers: HashMap<Vec<u32>, u32>,
}

impl Feed {
    /// Gives the sink the next part.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn add(&mut self, part: &Timeline, sink: &mut impl Sink) -> Accepted {
        let mut processors = part.processors.iter();
        let mut requests = part.requests.iter();
        let mut obstacles = part.obstacles.iter();
        for event in &part.events {
            while self.processors <= event.processor
                && let Some(processor) = processors.next()
            {
                self.processor(processor, event.time, sink)?;
            }
            while self.requests <= event.request
                && let Some(request) = requests.next()
            {
                sink.request(self.requests, &described(request))?;
                self.requests += 1;
            }
            if let EventKind::Blocks { on } = event.kind {
                while self.obstacles <= on
                    && let Some(obstacle) = obstacles.next()
                {
                    sink.obstacle(self.obstacles, &named(obstacle))?;
                    self.obstacles += 1;
                }
            }
            sink.event(event)?;
        }
        Ok(())
    }

    fn processor(
        &mut self,
        processor: &TimelineProcessor,
        time: u64,
        sink: &mut impl Sink,
    ) -> Accepted {
        let number = self.processors;
        self.processors += 1;
        let origin = match processor.path.split_last() {
            Some((&ordinal, creator)) => Origin {
                creator: self.numbers.get(creator).copied().unwrap_or(0),
                ordinal,
                time,
            },
            None => Origin::default(),
        };
        self.numbers.insert(processor.path.clone(), number);
        sink.processor(number, origin, &processor.class)
    }
}

fn named(obstacle: &TimelineObstacle) -> Obstacle<'_> {
    Obstacle {
        kind: obstacle.kind,
        object: &obstacle.object,
        site: obstacle.site.as_deref(),
    }
}

fn described(request: &TimelineRequest) -> Described<'_> {
    Described {
        class: &request.class,
        selector: &request.selector,
        client: request.client,
        supplier: request.supplier,
        sender: request.sender,
        waits: request.waits,
        is_local: request.is_local,
        is_callback: request.is_callback,
        site: request.site.as_deref(),
    }
}
