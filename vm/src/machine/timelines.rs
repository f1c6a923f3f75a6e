//! Timelines: what happened in virtual time, given away in parts while the program runs, or kept as a whole.

use std::sync::Arc;

use super::Vm;
use crate::base::MethodId;
use crate::separate::{
    Described, Log, Part, ProcessorId, Stream, Timeline, TimelineProcessor, TimelineReader,
    TimelineRequest,
};

impl Vm {
    /// Keeps what happens from now on for [`Vm::timeline`]: to processors, and to processes until the program makes a processor. Time is
    /// the virtual one.
    pub fn record_timeline(&mut self) {
        self.separate.is_recorded = true;
        self.config.virtual_clock = true;
        match &mut self.separate.engine {
            Some(engine) => engine.record_anew(),
            None => self.separate.ordinary = Some(Box::default()),
        }
    }

    /// The same, but what happens to processors is given away in parts, as soon as there is enough for a part. Copies of the machine
    /// keep what happens to them.
    pub fn record_timeline_to(&mut self, receiver: impl FnMut(Timeline) + Send + 'static) {
        self.record_timeline();
        self.separate.stream = Stream::to(receiver);
    }

    /// Gives away what happens to processors, as soon as the program makes one. A program that makes none runs as if nothing were recorded.
    pub fn record_processors_to(&mut self, receiver: impl FnMut(Timeline) + Send + 'static) {
        self.separate.stream = Stream::to(receiver);
    }

    /// Lets this machine and its copies make trials: a block is evaluated in a copy, whose timeline goes to the reader.
    pub fn read_timelines_with(&mut self, reader: Arc<dyn TimelineReader>) {
        self.separate.reader = Some(reader);
    }

    /// Gives away the last part, or the only one of processes; the run has ended. False if nothing was recorded: the program made no
    /// processor, resumed no process, and made no actor.
    pub fn end_timeline(&mut self) -> bool {
        let is_recorded = self.separate.is_recorded;
        let Some(last) = self.timeline().filter(|_| is_recorded) else {
            return false;
        };
        let stream = std::mem::take(&mut self.separate.stream);
        self.separate.is_recorded = false;
        self.separate.ordinary = None;
        stream.end(last);
        true
    }

    /// Gives away a part, if there is enough for one.
    pub(crate) fn stream_timeline(&mut self) {
        if !self.separate.stream.is_open() {
            return;
        }
        let engine = self.separate.engine.as_mut();
        let Some(engine) = engine.filter(|engine| engine.log().has_part()) else {
            return;
        };
        let part = engine.log_mut().take_part();
        let end = engine.now();
        if let Some(engine) = &self.separate.engine {
            let part = self.resolved(part, engine.log(), end);
            self.separate.stream.give(part);
        }
    }

    /// What has happened in virtual time, if that was recorded, without the parts that were given away. Nothing if the program made
    /// no processor, resumed no process, and made no actor.
    pub fn timeline(&self) -> Option<Timeline> {
        let separate = &self.separate;
        let (log, (unfinished, end)) = match (&separate.engine, &separate.ordinary) {
            (Some(engine), _) => {
                let now = (self.virtual_time(), self.executed());
                let unfinished = engine.unfinished(separate.running, now);
                let end = unfinished.map_or(engine.now(), |event| event.time);
                (engine.log(), (unfinished, end))
            }
            (None, Some(lanes)) if lanes.has_lanes() => (lanes.log(), self.unfinished_lane(lanes)),
            _ => return None,
        };
        Some(self.resolved(log.last_part(unfinished), log, end))
    }

    /// The part with names in place of numbers.
    fn resolved(&self, part: Part, log: &Log, end: u64) -> Timeline {
        let requests = part.requests.iter().map(|request| self.request(request));
        let processors = part.processors.iter();
        let processors = processors.map(|&id| self.shown_processor(id));
        let before = &log.obstacles()[..part.obstacles_before];
        Timeline {
            processors: processors.collect(),
            requests: requests.collect(),
            obstacles: self.shown_obstacles(before, &part.obstacles),
            events: part.events,
            end,
        }
    }

    /// A processor, or the lane of a process or an actor: its class is that of what the process runs, or of the actor's first behaviour.
    fn shown_processor(&self, id: ProcessorId) -> TimelineProcessor {
        let (path, class) = match (&self.separate.engine, &self.separate.ordinary) {
            (Some(engine), _) => {
                let class = self.class(engine.class(id));
                (engine.path(id), class.name.to_string())
            }
            (None, Some(lanes)) => {
                let work = lanes.stands_for(id);
                let work = work.map(|work| (work.class, work.selector, work.runs));
                let names = work.map(|work| self.names_of_request(work));
                (lanes.path(id), names.unwrap_or_default().0)
            }
            (None, None) => (&[][..], String::new()),
        };
        TimelineProcessor {
            path: path.to_vec(),
            class: if path.is_empty() {
                String::new()
            } else {
                class
            },
        }
    }

    fn request(&self, request: &Described) -> TimelineRequest {
        let named = (request.class, request.selector, request.runs);
        let (class, selector) = self.names_of_request(named);
        TimelineRequest {
            class,
            selector,
            client: request.client.0,
            supplier: request.supplier.0,
            sender: request.sender,
            waits: request.waits,
            is_local: request.is_local,
            is_callback: request.is_callback,
            site: request
                .site
                .map(|(method, offset)| self.site(method, offset)),
        }
    }

    /// File, line and column.
    pub(super) fn site(&self, method: MethodId, offset: u32) -> String {
        let place = self.source_place(method, offset);
        format!("{}:{}:{}", place.file, place.line, place.column)
    }
}
