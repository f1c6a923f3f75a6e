//! Timelines: what happened in virtual time, given away in parts while the program runs, or kept as a whole.

use super::Vm;
use crate::base::MethodId;
use crate::separate::{Described, Part, Stream, Timeline, TimelineProcessor, TimelineRequest};

impl Vm {
    /// Keeps what happens for [`Vm::timeline`], if the program has made no processor yet.
    pub fn record_timeline(&mut self) {
        self.separate.is_recorded = true;
    }

    /// Gives away what happens in parts, as soon as there is enough for a part, if the program has made no processor yet. Copies of
    /// the machine keep what happens to them.
    pub fn record_timeline_to(&mut self, receiver: impl FnMut(Timeline) + Send + 'static) {
        self.record_timeline();
        self.separate.stream = Stream::to(receiver);
    }

    /// Gives away the last part; the run has ended. False if the program made no processor.
    pub fn end_timeline(&mut self) -> bool {
        let Some(last) = self.timeline() else {
            return false;
        };
        let stream = std::mem::take(&mut self.separate.stream);
        self.separate.is_recorded = false;
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
        let part = self.resolved(part, end);
        self.separate.stream.give(part);
    }

    /// What has happened in virtual time, if that was recorded, without the parts that were given away. Nothing if the program made
    /// no processor.
    pub fn timeline(&self) -> Option<Timeline> {
        let engine = self.separate.engine.as_ref()?;
        let unfinished = engine.unfinished(
            self.separate.running,
            (self.virtual_time(), self.executed()),
        );
        let end = unfinished.map_or(engine.now(), |event| event.time);
        Some(self.resolved(engine.log().last_part(unfinished), end))
    }

    /// The part with names in place of numbers.
    fn resolved(&self, part: Part, end: u64) -> Timeline {
        let requests = part.requests.iter().map(|request| self.request(request));
        let engine = self.separate.engine.as_ref();
        let processors = part.processors.iter().filter_map(|&id| {
            let engine = engine?;
            let class = &self.class(engine.class(id)).name;
            Some(TimelineProcessor {
                path: engine.path(id).to_vec(),
                class: match engine.path(id) {
                    [] => String::new(),
                    _ => class.to_string(),
                },
            })
        });
        Timeline {
            processors: processors.collect(),
            requests: requests.collect(),
            events: part.events,
            end,
        }
    }

    fn request(&self, request: &Described) -> TimelineRequest {
        TimelineRequest {
            class: self.class(request.class).name.to_string(),
            selector: self.symbol_text(request.selector).to_string(),
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
    fn site(&self, method: MethodId, offset: u32) -> String {
        let place = self.source_place(method, offset);
        format!("{}:{}:{}", place.file, place.line, place.column)
    }
}
