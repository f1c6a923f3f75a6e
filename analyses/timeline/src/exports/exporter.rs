//! Follows a timeline and gives what is drawn to a pen, within the part that is shown.

use tally_vm::{Event, EventKind};

use crate::endings::Circumstances;
use crate::following::{Follower, Lane, Observer, Wait};
use crate::measured::{Extent, Measured};
use crate::names::FeatureId;
use crate::obstacles::Obstacle;
use crate::origins::Origins;
use crate::sink::{Accepted, Described, Origin, Resumed, Sink, SinkError};
use crate::states::{Cause, State};
use crate::trace::{Ending, Head};

use super::About;
use super::levels::{Queues, Running, inside};
use super::pen::{Drawn, Level, Pen, SliceKind};
use super::slices::{Slices, slice};

/// Gives a timeline to a pen.
pub struct Exporter {
    head: Head,
    ending: Ending,
    follower: Follower,
    origins: Origins,
    /// Features that the pen knows.
    features: usize,
    slices: Slices,
    queues: Queues,
    /// Whether what is under way at the begin was taken up, and its queues are drawn.
    is_resumed: bool,
    is_open: bool,
    part: Part,
}

/// What the follower reports, within the part.
struct Part {
    extent: Extent,
    pen: Box<dyn Pen>,
    failure: Option<SinkError>,
    running: Running,
    ticks: u64,
    /// By lane: its last state, which may go on, and the wait that ends with the next state.
    lanes: Vec<(Option<Stay>, Option<Wait>)>,
}

/// A stay of a processor in a state.
#[derive(Clone, Copy)]
struct Stay {
    state: State,
    from: u64,
    to: u64,
    wait: Option<Wait>,
}

impl Exporter {
    pub(super) fn new(about: About<'_>, pen: Box<dyn Pen>) -> Exporter {
        let circumstances = Circumstances::of(about.head);
        Exporter {
            head: about.head.clone(),
            ending: about.ending,
            follower: Follower::explaining(about.extent.window, circumstances),
            origins: Origins::default(),
            features: 0,
            slices: Slices::new(about.extent.window.from),
            queues: Queues::default(),
            is_resumed: false,
            is_open: false,
            part: Part {
                extent: about.extent,
                pen,
                failure: None,
                running: Running::default(),
                ticks: 0,
                lanes: Vec::new(),
            },
        }
    }

    /// Writes the rest, after the last part. Answers what was left out, in sentences.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> Result<Vec<String>, SinkError> {
        let extent = self.part.extent;
        let end = extent.end.max(extent.window.from);
        self.resume();
        self.open()?;
        self.follower
            .finish(extent.end, extent.is_segment, &mut self.part);
        self.know_features()?;
        self.part.close()?;
        self.slices.close(end, &mut *self.part.pen)?;
        let drawn = Drawn {
            about: About {
                head: &self.head,
                ending: self.ending,
                extent,
            },
            names: &self.follower.names,
            ticks: self.part.ticks,
        };
        let left_out = self.part.pen.finish(&drawn)?;
        match self.part.failure {
            Some(error) => Err(error),
            None => Ok(left_out),
        }
    }

    /// Why the format could not be written, if it could not. Then the timeline itself is not to blame.
    pub fn failure(&mut self) -> Option<SinkError> {
        self.part.failure.take()
    }

    /// Keeps the error of the pen, and stops the replay.
    fn kept(&mut self, done: Accepted) -> Accepted {
        self.part.note(done);
        match self.part.failure {
            Some(_) => Err(SinkError::TooMuch("bytes to write")),
            None => Ok(()),
        }
    }

    /// Gives the pen the features that it does not know.
    fn know_features(&mut self) -> Accepted {
        while self.features < self.follower.names.count() {
            let id = FeatureId(self.features as u32);
            let name = self.follower.names.full(id);
            self.part.pen.feature(id, &name)?;
            self.features += 1;
        }
        Ok(())
    }

    /// Takes up what is under way before the first event.
    fn resume(&mut self) {
        if std::mem::replace(&mut self.is_resumed, true) {
            return;
        }
        let extent = self.part.extent;
        let is_in = |number, row: &Measured| extent.has(number, row);
        self.slices.resume(&self.follower, is_in);
        for row in self.follower.rows.values() {
            if row.called.is_some() && row.synchronizes.is_none() && row.returns.is_none() {
                self.queues.enters(row.supplier);
            }
        }
        for (number, lane) in (0..).zip(&self.follower.lanes) {
            self.part.running.enter(number, lane);
        }
    }

    /// Draws the queues where the part begins.
    fn open(&mut self) -> Accepted {
        if std::mem::replace(&mut self.is_open, true) {
            return Ok(());
        }
        let from = self.part.extent.window.from;
        let pen = &mut *self.part.pen;
        for (number, length) in self.queues.lengths() {
            pen.level(Level::Queue(number), from, length)?;
        }
        Ok(())
    }

    /// Slices and queues that change with the event, which the follower does not know yet. Nothing is drawn before and behind the part.
    fn draw(&mut self, event: &Event) -> Accepted {
        let (time, number) = (event.time, event.request);
        let extent = self.part.extent;
        let Some(row) = self.follower.rows.get(&number) else {
            return Ok(());
        };
        if time > extent.window.to {
            return Ok(());
        }
        let at = (time >= extent.window.from).then_some(time);
        let pen = &mut *self.part.pen;
        let length = self.queues.event(event.kind, row);
        if let (Some(length), Some(at)) = (length, at) {
            pen.level(Level::Queue(row.supplier), at, length)?;
        }
        let is_in = match row.begins() {
            // The request begins with this event.
            None => extent.is_segment || at.is_some(),
            Some(_) => extent.has(number, row),
        };
        match is_in {
            true => edges(&mut self.slices, event, at, row, pen),
            false => Ok(()),
        }
    }
}

/// Slices that begin or end with the event, which is drawn if there is a moment to draw it at.
fn edges(
    slices: &mut Slices,
    event: &Event,
    at: Option<u64>,
    row: &Measured,
    pen: &mut dyn Pen,
) -> Accepted {
    let (lane, number) = (event.processor, event.request);
    let of = |kind| slice(kind, number, row);
    let mut call = of(SliceKind::Call);
    call.called = call.called.or(Some(event.time));
    match event.kind {
        // Only damaged traces send a request twice.
        EventKind::Called { .. } if row.called.is_some() => Ok(()),
        EventKind::Joins if row.joined.is_some() => Ok(()),
        EventKind::Called { waits: true, .. } | EventKind::Joins => {
            slices.begin(lane, at, call, pen)
        }
        EventKind::Called { .. } => match at {
            Some(at) => pen.sends(at, &call),
            None => Ok(()),
        },
        EventKind::Answered => slices.end(lane, at, (SliceKind::Call, number), pen),
        EventKind::Synchronizes if row.synchronizes.is_none() => {
            slices.begin(lane, at, of(SliceKind::Request), pen)?;
            slices.begin(lane, at, of(SliceKind::Step), pen)
        }
        EventKind::Executes => slices.end(lane, at, (SliceKind::Step, number), pen),
        EventKind::Returns => {
            slices.end(lane, at, (SliceKind::Step, number), pen)?;
            slices.end(lane, at, (SliceKind::Request, number), pen)
        }
        _ => Ok(()),
    }
}

impl Sink for Exporter {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        self.follower.processor(number, origin)?;
        self.origins.push(origin);
        self.slices.processor();
        self.queues.processor();
        self.part.lanes.push((None, None));
        let name = self.origins.name(number);
        let done = self.part.pen.processor(number, &name, class, origin);
        self.kept(done)
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.follower.request(number, request)?;
        let done = self.know_features();
        self.kept(done)
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.follower.obstacle(number, obstacle)?;
        let done = self.know_features();
        self.kept(done)
    }

    fn event(&mut self, event: &Event) -> Accepted {
        self.resume();
        if event.time >= self.part.extent.window.from {
            let done = self.open();
            self.kept(done)?;
        }
        let done = self.draw(event);
        self.kept(done)?;
        let lane = event.processor;
        if let Some(before) = self.follower.lanes.get(lane as usize) {
            self.part.running.leave(lane, before);
        }
        self.follower.event(event, &mut self.part);
        if let Some(after) = self.follower.lanes.get(lane as usize) {
            self.part.running.enter(lane, after);
        }
        let done = self.part.draw_running(event.time);
        self.kept(done)
    }

    fn resume_request(&mut self, request: Resumed<'_>) -> Accepted {
        self.follower.resume_request(&request)?;
        let done = self.know_features();
        self.kept(done)
    }

    fn resume_lane(&mut self, processor: u32, lane: Lane) -> Accepted {
        self.follower.resume_lane(processor, lane)
    }
}

impl Part {
    fn note(&mut self, done: Accepted) {
        if let Err(error) = done {
            self.failure.get_or_insert(error);
        }
    }

    fn draw_running(&mut self, time: u64) -> Accepted {
        while let Some((moment, value)) = self.running.next(time) {
            self.pen.level(Level::Running, moment, value)?;
        }
        Ok(())
    }

    /// The follower has reported all.
    fn close(&mut self) -> Accepted {
        self.running.close();
        self.draw_running(u64::MAX)?;
        for number in 0..self.lanes.len() {
            if let Some(stay) = self.lanes[number].0.take() {
                self.draw_stay(number as u32, &stay)?;
            }
        }
        Ok(())
    }

    fn draw_stay(&mut self, lane: u32, stay: &Stay) -> Accepted {
        let wait = stay.wait.as_ref();
        self.pen.state(lane, stay.state, stay.from, stay.to, wait)
    }
}

impl Observer for Part {
    fn ended(&mut self, number: u32, request: &Measured) {
        if let Some(part) = self.extent.part_of(number, request) {
            let done = self.pen.request(number, &part);
            self.note(done);
        }
    }

    fn spent(&mut self, processor: u32, state: State, from: u64, to: u64) {
        let window = self.extent.window;
        if window.overlap(from, to) == 0 {
            return;
        }
        let (from, to) = (inside(window, from), inside(window, to));
        if state == State::Running {
            self.running.ran(from, to);
            self.ticks = self.ticks.saturating_add(to - from);
        }
        let Some((last, wait)) = self.lanes.get_mut(processor as usize) else {
            return;
        };
        let is_wait = matches!(state, State::Lock | State::Condition | State::Blocked);
        let stay = Stay {
            state,
            from,
            to,
            wait: wait.take().filter(|_| is_wait),
        };
        let goes_on = |last: &Stay| {
            let (one, other) = (last.wait, stay.wait);
            (last.state, last.to) == (state, from) && one.is_none() && other.is_none()
        };
        match last {
            Some(last) if goes_on(last) => last.to = to,
            _ => {
                if let Some(stay) = last.replace(stay) {
                    let done = self.draw_stay(processor, &stay);
                    self.note(done);
                }
            }
        }
    }

    fn waited(&mut self, wait: Wait) {
        let window = self.extent.window;
        if window.overlap(wait.from, wait.to) == 0 {
            return;
        }
        // A wait that ends behind the segment has not ended in it.
        let by = wait.by.filter(|_| wait.to <= window.to);
        let part = Wait {
            by,
            from: inside(window, wait.from),
            to: inside(window, wait.to),
            ..wait
        };
        let is_of_lane = !matches!(wait.cause, Cause::Queue | Cause::Answer);
        if is_of_lane && let Some((_, last)) = self.lanes.get_mut(wait.client as usize) {
            *last = Some(part);
        }
        let done = self.pen.wait(&part);
        self.note(done);
    }
}
