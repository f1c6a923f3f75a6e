//! The parts of a timeline one by one, in the order in which the engine decided them: processors and requests before the first
//! event that names them. A run in memory and a trace give the same parts.

use std::collections::HashMap;

use tally_vm::{Event, EventKind, Timeline};

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
    /// A processor; their numbers count from 0. `class` is the class of the first request that it serves for another processor; empty
    /// if that is not known.
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

/// Gives a sink the parts of a run.
///
/// # Errors
/// Those of the sink.
pub fn feed(timeline: &Timeline, sink: &mut impl Sink) -> Accepted {
    let mut run = Feed::new(timeline);
    run.made(0, 0, sink)?;
    for event in &timeline.events {
        if event.kind == EventKind::Created {
            run.made(event.processor, event.time, sink)?;
        }
        run.describe(event.request, sink)?;
        if let EventKind::Blocks { on } = event.kind {
            run.describe_obstacle(on, sink)?;
        }
        sink.event(event)?;
    }
    Ok(())
}

struct Feed<'t> {
    timeline: &'t Timeline,
    processors: u32,
    is_described: Vec<bool>,
    /// The processors by their paths.
    numbers: HashMap<&'t [u32], u32>,
    /// The class of the first request for each processor.
    classes: HashMap<u32, &'t str>,
}

impl<'t> Feed<'t> {
    fn new(timeline: &'t Timeline) -> Feed<'t> {
        let mut classes = HashMap::new();
        for request in timeline.requests.iter().skip(1) {
            if !request.is_local {
                classes.entry(request.supplier).or_insert(&*request.class);
            }
        }
        Feed {
            timeline,
            processors: 0,
            is_described: vec![false; timeline.requests.len()],
            numbers: HashMap::new(),
            classes,
        }
    }

    /// Describes the processors up to this one.
    fn made(&mut self, last: u32, time: u64, sink: &mut impl Sink) -> Accepted {
        while self.processors <= last {
            let number = self.processors;
            let row = self.timeline.processors.get(number as usize);
            let path = row.map_or(&[][..], |row| &row.path);
            self.numbers.insert(path, number);
            let origin = match path.split_last() {
                Some((&ordinal, creator)) => Origin {
                    creator: self.numbers.get(creator).copied().unwrap_or(0),
                    ordinal,
                    time,
                },
                None => Origin::default(),
            };
            let class = self.classes.get(&number).copied().unwrap_or_default();
            sink.processor(number, origin, class)?;
            self.processors += 1;
        }
        Ok(())
    }

    fn describe_obstacle(&self, number: u32, sink: &mut impl Sink) -> Accepted {
        let obstacle = self.timeline.obstacles.get(number as usize);
        obstacle.map_or(Ok(()), |obstacle| {
            let described = Obstacle {
                kind: obstacle.kind,
                object: &obstacle.object,
                site: obstacle.site.as_deref(),
            };
            sink.obstacle(number, &described)
        })
    }

    fn describe(&mut self, number: u32, sink: &mut impl Sink) -> Accepted {
        let place = number as usize;
        let Some(request) = self.timeline.requests.get(place) else {
            return Ok(());
        };
        if std::mem::replace(&mut self.is_described[place], true) {
            return Ok(());
        }
        let described = Described {
            class: &request.class,
            selector: &request.selector,
            client: request.client,
            supplier: request.supplier,
            sender: request.sender,
            waits: request.waits,
            is_local: request.is_local,
            is_callback: request.is_callback,
            site: request.site.as_deref(),
        };
        sink.request(number, &described)
    }
}
