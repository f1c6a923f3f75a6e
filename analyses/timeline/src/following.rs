//! Follows a timeline event by event. The state is that of the requests and processors that are under way, so memory does not
//! grow with the length of the run.

use std::collections::BTreeMap;

use tally_vm::{Event, EventKind};

use crate::endings::{Circumstances, Ended, Ender, Endings};
pub use crate::lane::{Lane, Open};
use crate::measured::{Measured, Window};
use crate::names::{FeatureId, Names};
use crate::obstacles::{Obstacle, Obstacles};
use crate::sink::{Accepted, Described, Origin, Resumed, SinkError};
use crate::states::{Cause, State};

/// The most processors of a timeline.
pub(crate) const MOST_PROCESSORS: usize = 1 << 20;
/// The most requests that are under way at once.
pub(crate) const MOST_OPEN: usize = 1 << 21;

/// The number of the request that stands for the script.
const SCRIPT: u32 = 0;
/// The name of its feature.
pub(crate) const SCRIPT_NAME: &str = "script";

/// A wait that has ended, or that lasts to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wait {
    /// Why.
    pub cause: Cause,
    /// The feature that waits, or that sent the waiting request.
    pub waiter: Option<FeatureId>,
    /// The feature that is waited for, or the name of the object.
    pub subject: Option<FeatureId>,
    /// The number of the text of the place that waits, if a process does.
    pub place: Option<u32>,
    /// The processor that waits, or that sent the waiting request.
    pub client: u32,
    /// The processor that is waited for, if that is known.
    pub supplier: Option<u32>,
    /// What ended it, if that is known.
    pub by: Option<Ender>,
    /// Its begin.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// Whether it lasts to the end of what is shown.
    pub lasts: bool,
}

/// A receiver of what becomes known.
pub(crate) trait Observer {
    /// The request has ended, or did not end at all.
    fn ended(&mut self, number: u32, request: &Measured);
    /// The processor was in the state between these moments.
    fn spent(&mut self, processor: u32, state: State, from: u64, to: u64);
    /// Something waited.
    fn waited(&mut self, wait: Wait);
    /// Something waits to the end, perhaps only from there on.
    fn lasts(&mut self, wait: Wait) {
        self.waited(wait);
    }
    /// An event, before anything that follows from it.
    fn noted(&mut self, _event: &Event) {}
    /// The processor waits for an obstacle at the end.
    fn stays(&mut self, _processor: u32, _wait: Wait) {}
    /// The condition of a request was evaluated.
    fn evaluated(&mut self, _request: u32, _time: u64, _is_true: bool) {}
    /// The scope of a request locks a processor.
    fn wants(&mut self, _request: u32, _supplier: u32) {}
    /// The client of a request has its answer.
    fn answered(&mut self, _request: u32, _time: u64) {}
}

/// Receives nothing.
pub(crate) struct Ignore;

impl Observer for Ignore {
    fn ended(&mut self, _: u32, _: &Measured) {}
    fn spent(&mut self, _: u32, _: State, _: u64, _: u64) {}
    fn waited(&mut self, _: Wait) {}
}

/// Requests under way, and what the processors do.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    window: Window,
    endings: Option<Endings>,
    pub(crate) names: Names,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) rows: BTreeMap<u32, Measured>,
    pub(crate) obstacles: Obstacles,
}

impl Follower {
    /// One that adds up waiting times and evaluations of the window.
    pub(crate) fn new(window: Window) -> Follower {
        Follower {
            window,
            endings: None,
            names: Names::default(),
            lanes: Vec::new(),
            rows: BTreeMap::new(),
            obstacles: Obstacles::default(),
        }
    }

    /// One that also finds what ended each wait.
    pub(crate) fn explaining(window: Window, circumstances: Circumstances) -> Follower {
        Follower {
            endings: Some(Endings::new(window, circumstances)),
            ..Follower::new(window)
        }
    }

    /// What ended the waits, after the last event.
    pub(crate) fn take_endings(&mut self) -> Option<Endings> {
        self.endings.take()
    }

    /// The feature that the processor executes.
    fn innermost(&self, processor: u32) -> Option<FeatureId> {
        let lane = self.lanes.get(processor as usize)?;
        let row = self.rows.get(&lane.open.last()?.request);
        row.map(|row| row.feature)
    }

    pub(crate) fn processor(&mut self, number: u32, origin: Origin) -> Accepted {
        if number as usize != self.lanes.len() {
            return Err(SinkError::Undescribed(number));
        }
        if self.lanes.len() >= MOST_PROCESSORS {
            return Err(SinkError::TooMuch("processors"));
        }
        let is_script = number == 0;
        self.lanes.push(Lane {
            open: Vec::new(),
            state: if is_script { State::Ready } else { State::Idle },
            since: origin.time,
            obstacle: None,
        });
        if let Some(endings) = &mut self.endings {
            endings.processor();
        }
        Ok(())
    }

    pub(crate) fn request(&mut self, number: u32, described: &Described<'_>) -> Accepted {
        if self.rows.contains_key(&number) {
            return Ok(());
        }
        let asker = described.sender.and_then(|sender| self.rows.get(&sender));
        let asker = asker.map(|row| row.feature);
        let mut row = self.row(number, described)?;
        row.asker = asker;
        if number == SCRIPT {
            (row.synchronizes, row.executes) = (Some(0), Some(0));
            if let Some(lane) = self.lanes.first_mut() {
                lane.begin(SCRIPT);
            }
        }
        self.rows.insert(number, row);
        Ok(())
    }

    fn row(&mut self, number: u32, described: &Described<'_>) -> Result<Measured, SinkError> {
        if self.rows.len() >= MOST_OPEN {
            return Err(SinkError::TooMuch("requests under way"));
        }
        let site = described.site.and_then(|site| self.names.number(site));
        let feature = match number {
            SCRIPT => self.names.feature(SCRIPT_NAME, "")?,
            _ => self.names.feature(described.class, described.selector)?,
        };
        Ok(Measured {
            feature,
            sender: described.sender,
            client: described.client,
            supplier: described.supplier,
            waits: described.waits,
            is_local: described.is_local,
            is_callback: described.is_callback,
            site,
            ..Measured::default()
        })
    }

    pub(crate) fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.obstacles.add(number, obstacle, &mut self.names)
    }

    /// Takes up a request where a segment begins. What was added up before does not count.
    pub(crate) fn resume_request(&mut self, resumed: &Resumed<'_>) -> Accepted {
        let row = self.row(resumed.number, &resumed.described)?;
        let asker = match resumed.sender {
            Some((class, selector)) => Some(self.names.feature(class, selector)?),
            None => None,
        };
        let past = &resumed.progress;
        let row = Measured {
            asker,
            called: past.called,
            synchronizes: past.synchronizes,
            executes: past.executes,
            returns: past.returns,
            ..row
        };
        self.rows.insert(resumed.number, row);
        Ok(())
    }

    pub(crate) fn resume_lane(&mut self, processor: u32, lane: Lane) -> Accepted {
        let place = self.lanes.get_mut(processor as usize);
        *place.ok_or(SinkError::Undescribed(processor))? = lane;
        Ok(())
    }

    /// Follows an event.
    pub(crate) fn event(&mut self, event: &Event, to: &mut impl Observer) {
        to.noted(event);
        let ended = self.ended(event);
        self.follow(event, ended, to);
    }

    /// What ends with the event. Most events end nothing, and are passed over.
    fn ended(&mut self, event: &Event) -> Ended {
        if self.endings.is_none() || !Endings::follows(event.kind) {
            return Ended::default();
        }
        let innermost = match event.kind {
            EventKind::Joins | EventKind::Called { .. } | EventKind::Locks => {
                self.innermost(event.processor)
            }
            _ => None,
        };
        let row = self.rows.get(&event.request);
        let endings = self.endings.as_mut();
        endings.map_or_else(Ended::default, |all| all.event(event, row, innermost))
    }

    fn follow(&mut self, event: &Event, ended: Ended, to: &mut impl Observer) {
        let (number, time) = (event.request, event.time);
        let Some(lane) = self.lanes.get_mut(event.processor as usize) else {
            return;
        };
        let mut at = At::new(event, lane, to);
        match event.kind {
            EventKind::Ran(ticks) => return at.ran(ticks, State::Running),
            EventKind::Sleeps => return at.turn(State::Asleep),
            EventKind::Blocks { on } => return at.blocks(on),
            EventKind::Wakes => return self.goes_on(event, None, to),
            EventKind::Freed { by } => return self.goes_on(event, Some(by), to),
            EventKind::Locks => return at.turn(State::Lock),
            EventKind::Charged(ticks) => return at.ran(ticks, State::Overhead),
            EventKind::Joins => return self.joins(event, to),
            _ => {}
        }
        let Some(row) = self.rows.get_mut(&number) else {
            return;
        };
        match event.kind {
            EventKind::Called { waits, .. } => {
                row.called = Some(time);
                row.ordinal = self.endings.as_mut().map_or(0, |all| all.ordinal(time));
                if waits {
                    at.lane.wait(time);
                    at.turn(State::Answer);
                }
            }
            EventKind::Synchronizes => at.synchronizes(number, row, ended),
            EventKind::Granted => at.granted(row, ended),
            EventKind::Evaluated(is_true) => {
                row.evaluations += u64::from(self.window.contains(time));
                at.evaluated(number, is_true);
            }
            EventKind::Executes => {
                row.executes = Some(time);
                if row.is_local {
                    at.lane
                        .go_on_below(Some(number), time, self.window, &mut self.rows);
                }
            }
            EventKind::Returns => self.returns(event, to),
            EventKind::Answered => self.answered(event, ended, to),
            EventKind::Cancelled => self.cancelled(event, to),
            EventKind::Wants { supplier } => to.wants(number, supplier),
            EventKind::Ran(_)
            | EventKind::Joins
            | EventKind::Sleeps
            | EventKind::Wakes
            | EventKind::Blocks { .. }
            | EventKind::Freed { .. }
            | EventKind::Dispatched { .. }
            | EventKind::Approved
            | EventKind::Locks
            | EventKind::Created
            | EventKind::Charged(_)
            | EventKind::Unlocked => {}
        }
    }

    /// The processor is ready. It may have waited for an obstacle up to here.
    fn goes_on(&mut self, event: &Event, by: Option<u32>, to: &mut impl Observer) {
        let row = self.rows.get(&event.request);
        if by.is_some()
            && row.is_some_and(|row| row.synchronizes.is_none())
            && let Some(endings) = &mut self.endings
        {
            // What is free to run before it is taken up is an ordinary process.
            endings.has_lanes();
        }
        let lane = &mut self.lanes[event.processor as usize];
        if lane.state == State::Blocked {
            let by = by.and_then(|by| self.rows.get(&by));
            let by = by.map(|row| Ender::Feature(row.feature));
            let wait = self
                .obstacles
                .wait(event.processor, lane, &self.rows, event.time);
            to.waited(Wait { by, ..wait });
            lane.go_on_below(None, event.time, self.window, &mut self.rows);
            lane.obstacle = None;
        }
        At::new(event, lane, to).turn(State::Ready);
    }

    fn returns(&mut self, event: &Event, to: &mut impl Observer) {
        let Some(row) = self.rows.get_mut(&event.request) else {
            return;
        };
        let lane = &mut self.lanes[event.processor as usize];
        lane.open.retain(|open| open.request != event.request);
        if row.returns.is_some() {
            return;
        }
        row.returns = Some(event.time);
        to.ended(event.request, row);
        if !row.is_local {
            // A process of the request may have a scope of its own still, which waits for no answer.
            let state = match lane.open.iter().any(|open| open.depth > 0) {
                true => State::Answer,
                false => State::Idle,
            };
            At::new(event, lane, to).turn(state);
        }
        if row.is_local || !row.waits {
            self.rows.remove(&event.request);
        }
    }

    /// The client of a future waits from here on. The request may have ended long ago.
    fn joins(&mut self, event: &Event, to: &mut impl Observer) {
        if let Some(row) = self.rows.get_mut(&event.request) {
            (row.waits, row.joined) = (true, Some(event.time));
        }
        let lane = &mut self.lanes[event.processor as usize];
        lane.wait(event.time);
        At::new(event, lane, to).turn(State::Answer);
    }

    /// The request is not served. It counts as sent and never begun.
    fn cancelled(&mut self, event: &Event, to: &mut impl Observer) {
        let Some(row) = self.rows.get_mut(&event.request) else {
            return;
        };
        let from = row.called.unwrap_or(event.time);
        to.waited(row.wait(Cause::Queue, None, from, event.time));
        row.returns = Some(event.time);
        to.ended(event.request, row);
        if !row.waits {
            self.rows.remove(&event.request);
        }
    }

    fn answered(&mut self, event: &Event, ended: Ended, to: &mut impl Observer) {
        if let Some(row) = self.rows.get(&event.request) {
            let from = row.joined.or(row.called).unwrap_or(event.time);
            to.waited(row.wait(Cause::Answer, ended.by, from, event.time));
            to.answered(event.request, event.time);
            if row.returns.is_some() {
                self.rows.remove(&event.request);
            }
        }
        let lane = &mut self.lanes[event.processor as usize];
        lane.go_on_below(None, event.time, self.window, &mut self.rows);
        At::new(event, lane, to).turn(State::Ready);
    }

    /// The timeline ends at this moment: what is under way then does not end. In a segment, waits count up to its end.
    pub(crate) fn finish(&mut self, end: u64, is_segment: bool, to: &mut impl Observer) {
        let endings = self.endings.as_ref();
        let wanted = |number| endings.and_then(|all| all.wanted(number).first().copied());
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            let cause = match lane.state {
                State::Lock => Some(Cause::Lock),
                State::Condition => Some(Cause::Condition),
                _ => None,
            };
            let waiter = lane
                .open
                .last()
                .and_then(|open| self.rows.get(&open.request));
            if let Some(cause) = cause {
                to.lasts(Wait {
                    cause,
                    waiter: waiter.map(|row| row.feature),
                    client: number as u32,
                    supplier: wanted(number as u32),
                    from: lane.since,
                    to: end,
                    ..Wait::default()
                });
            }
            if lane.state == State::Blocked {
                let wait = self.obstacles.wait(number as u32, lane, &self.rows, end);
                to.lasts(wait);
                if !is_segment {
                    to.stays(number as u32, wait);
                }
            }
            if is_segment {
                lane.stop_waits();
                lane.go_on_below(None, end, self.window, &mut self.rows);
            }
            let mut at = At {
                processor: number as u32,
                lane,
                time: end,
                to,
            };
            at.turn(State::Idle);
        }
        for (number, row) in &self.rows {
            row.unfinished_waits(end, to);
            if row.returns.is_none() {
                to.ended(*number, row);
            }
        }
    }
}

impl Measured {
    /// Waits for it that last to the end.
    fn unfinished_waits(&self, end: u64, to: &mut impl Observer) {
        let Some(called) = self.called else { return };
        let is_queued = self.synchronizes.is_none();
        let causes = [(Cause::Queue, is_queued), (Cause::Answer, self.waits)];
        for (cause, _) in causes.into_iter().filter(|(_, lasts)| *lasts) {
            to.lasts(self.wait(cause, None, called, end));
        }
    }

    /// A wait in its queue, or for its answer.
    fn wait(&self, cause: Cause, by: Option<Ender>, from: u64, to: u64) -> Wait {
        Wait {
            cause,
            waiter: self.asker,
            subject: Some(self.feature),
            place: None,
            client: self.client,
            supplier: Some(self.supplier),
            by,
            from,
            to,
            lasts: false,
        }
    }
}

/// A processor at a moment.
struct At<'f, O: Observer> {
    processor: u32,
    lane: &'f mut Lane,
    time: u64,
    to: &'f mut O,
}

impl<'f, O: Observer> At<'f, O> {
    fn new(event: &Event, lane: &'f mut Lane, to: &'f mut O) -> At<'f, O> {
        At {
            processor: event.processor,
            lane,
            time: event.time,
            to,
        }
    }

    /// The processor has been in its state up to this moment, and is in another one from here on.
    fn turn(&mut self, state: State) {
        self.spend(self.time);
        self.lane.state = state;
    }

    fn spend(&mut self, until: u64) {
        if until > self.lane.since {
            let Lane { state, since, .. } = *self.lane;
            self.to.spent(self.processor, state, since, until);
            self.lane.since = until;
        }
    }

    fn ran(&mut self, ticks: u64, state: State) {
        self.spend(self.time.saturating_sub(ticks));
        self.lane.state = state;
        self.spend(self.time);
        self.lane.state = State::Ready;
    }

    /// All its processes wait for the obstacle.
    fn blocks(&mut self, on: u32) {
        self.lane.wait(self.time);
        self.lane.obstacle = Some(on);
        self.turn(State::Blocked);
    }

    fn synchronizes(&mut self, number: u32, row: &mut Measured, ended: Ended) {
        if row.synchronizes.is_some() {
            return;
        }
        row.synchronizes = Some(self.time);
        if row.is_local {
            // Its step of synchronization is waiting time of what is around it.
            self.lane.wait(self.time);
        } else {
            let from = row.called.unwrap_or(self.time);
            let wait = row.wait(Cause::Queue, ended.by, from, self.time);
            self.to.waited(wait);
            self.turn(State::Ready);
        }
        self.lane.begin(number);
    }

    fn evaluated(&mut self, number: u32, is_true: bool) {
        self.to.evaluated(number, self.time, is_true);
        if !is_true {
            self.turn(State::Condition);
        }
    }

    fn granted(&mut self, row: &Measured, ended: Ended) {
        let cause = match self.lane.state {
            State::Condition => Cause::Condition,
            _ => Cause::Lock,
        };
        self.to.waited(Wait {
            cause,
            waiter: Some(row.feature),
            client: self.processor,
            supplier: ended.supplier,
            by: ended.by,
            from: self.lane.since.min(self.time),
            to: self.time,
            ..Wait::default()
        });
        self.turn(State::Ready);
    }
}
