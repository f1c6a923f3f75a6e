//! Everything that is shown of a timeline, added up in one pass: features, processors, waits, and lanes for a picture.

use std::collections::BTreeMap;

use tally_vm::Event;

use crate::curve::Curve;
use crate::endings::{Circumstances, Ender};
use crate::features::Feature;
use crate::findings::Findings;
use crate::following::{Follower, Lane, Observer, Wait};
use crate::lanes::Lanes;
use crate::matrix::Matrix;
use crate::measured::{Extent, Measured, Window};
use crate::names::{FeatureId, Names};
use crate::obstacles::Obstacle;
use crate::origins;
use crate::page::{Drawing, Drawn};
use crate::sink::{Accepted, Described, Origin, Resumed, Sink};
use crate::states::{CAUSES, Cause, STATES, State};

/// The most requests that are listed one by one.
const MOST_LISTED: usize = 100_000;

/// The most rows of waits; what does not fit has a row without features for each cause.
const MOST_WAITS: usize = 100_000;

/// What a processor did, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTotals {
    /// How it came about.
    pub origin: Origin,
    /// The number of the class that it was created for.
    pub(crate) class: Option<u32>,
    /// Requests that it took up.
    pub requests: u64,
    /// Ticks by state, in the order of [`STATES`].
    pub states: [u64; STATES.len()],
}

impl ProcessorTotals {
    /// Ticks in a state.
    pub fn in_state(&self, state: State) -> u64 {
        let at = STATES.iter().position(|one| *one == state);
        at.map_or(0, |at| self.states[at])
    }
}

/// Waits of one cause, by the feature that waits and the feature that is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitTotals {
    /// How many.
    pub count: u64,
    /// Their ticks.
    pub ticks: u64,
    /// The ticks of the longest.
    pub longest: u64,
}

impl WaitTotals {
    fn add(&mut self, ticks: u64) {
        self.count += 1;
        self.ticks = self.ticks.saturating_add(ticks);
        self.longest = self.longest.max(ticks);
    }

    /// Adds other waits.
    pub(crate) fn join(&mut self, other: WaitTotals) {
        self.count += other.count;
        self.ticks = self.ticks.saturating_add(other.ticks);
        self.longest = self.longest.max(other.longest);
    }
}

/// What waits: the cause, the feature that waits, the feature that is waited for.
pub type WaitKey = (Cause, Option<FeatureId>, Option<FeatureId>);

/// What a client or a scope waits for: the number of the class of the processor, and the feature, as far as they are known.
pub(crate) type WaitedFor = (Option<u32>, Option<FeatureId>);

/// What waits, the place in the program if a process does, and what ended the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndedKey {
    /// What waits.
    pub key: WaitKey,
    /// What ended the wait, if it has ended and that is known.
    pub by: Option<Ender>,
    /// The number of the text of the place that waits.
    pub(crate) place: Option<u32>,
}

/// The figures of a timeline or of a part of it.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The part.
    pub extent: Extent,
    /// The names of features.
    pub names: Names,
    /// Features, by their names.
    pub features: Vec<Feature>,
    /// Processors, by their numbers.
    pub processors: Vec<ProcessorTotals>,
    /// Waits.
    pub waits: BTreeMap<WaitKey, WaitTotals>,
    /// The same waits by what ended them, and where.
    pub ended: BTreeMap<EndedKey, WaitTotals>,
    /// Processors that wait for an obstacle at the end, and for what.
    pub stuck: Vec<(u32, EndedKey)>,
    /// Requests and waits between processors.
    pub matrix: Matrix,
    /// Ticks in which clients and scopes waited, by the number of the class of the processor that was waited for, and by the feature.
    pub(crate) waited_for: BTreeMap<WaitedFor, u64>,
    /// Ticks that all processors executed.
    pub ticks: u64,
    /// Requests that began.
    pub requests: u64,
    /// Ticks in which requests waited while they executed.
    pub waiting: u64,
    /// Requests that did not end.
    pub unfinished: u64,
    /// Requests one by one, if they are wanted.
    pub listed: Vec<(u32, Measured)>,
    /// Requests that did not fit into the list.
    pub unlisted: u64,
    /// The picture, if it is wanted.
    pub lanes: Option<Lanes>,
    /// The critical path, if it was looked for.
    pub findings: Option<Findings>,
    /// What a page draws, if it is wanted.
    pub drawn: Option<Drawn>,
    /// Runs on several numbers of CPUs, of which this is the last.
    pub curve: Option<Curve>,
}

impl Figures {
    /// Ticks of all waits of a cause.
    pub fn waited(&self, cause: Cause) -> u64 {
        let of_cause = self.waits.iter().filter(|((one, ..), _)| *one == cause);
        of_cause.fold(0, |sum, (_, totals)| sum.saturating_add(totals.ticks))
    }

    /// The name of a processor: the numbers of the creations that led to it.
    pub fn processor_name(&self, number: u32) -> String {
        let origin = |at: u32| self.processors.get(at as usize).map(|row| row.origin);
        origins::name(number, origin)
    }

    /// The place of a wait, as it is shown.
    pub fn place(&self, key: &EndedKey) -> Option<&str> {
        key.place.map(|place| self.names.named(place))
    }

    /// The class that a processor serves, as far as it is known.
    pub fn processor_class(&self, number: u32) -> &str {
        let row = self.processors.get(number as usize);
        let class = row.and_then(|row| row.class);
        class.map_or("", |class| self.names.named(class))
    }
}

/// Adds up a timeline.
pub struct Overview {
    follower: Follower,
    totals: Totals,
}

struct Totals {
    extent: Extent,
    wants_list: bool,
    features: BTreeMap<FeatureId, Feature>,
    processors: Vec<ProcessorTotals>,
    waits: BTreeMap<WaitKey, WaitTotals>,
    ended: BTreeMap<EndedKey, WaitTotals>,
    stuck: Vec<(u32, EndedKey)>,
    matrix: Matrix,
    waited_for: BTreeMap<WaitedFor, u64>,
    ticks: u64,
    requests: u64,
    waiting: u64,
    unfinished: u64,
    listed: Vec<(u32, Measured)>,
    unlisted: u64,
    lanes: Option<Lanes>,
    drawing: Option<Drawing>,
}

impl Overview {
    /// One for a part of a timeline, with a picture and a list of requests if they are wanted.
    pub fn new(extent: Extent, lanes: Option<Lanes>, wants_list: bool) -> Overview {
        Overview {
            follower: Follower::explaining(extent.window, Circumstances::default()),
            totals: Totals {
                extent,
                wants_list,
                features: BTreeMap::new(),
                processors: Vec::new(),
                waits: BTreeMap::new(),
                ended: BTreeMap::new(),
                stuck: Vec::new(),
                matrix: Matrix::default(),
                waited_for: BTreeMap::new(),
                ticks: 0,
                requests: 0,
                waiting: 0,
                unfinished: 0,
                listed: Vec::new(),
                unlisted: 0,
                lanes,
                drawing: None,
            },
        }
    }

    /// The same under these circumstances, before the first part.
    #[must_use]
    pub fn under(mut self, circumstances: Circumstances) -> Overview {
        self.follower = Follower::explaining(self.totals.extent.window, circumstances);
        self
    }

    /// The same with what a page draws, before the first part.
    #[must_use]
    pub fn drawing(mut self) -> Overview {
        self.totals.drawing = Some(Drawing::new(&self.totals.extent));
        self
    }

    /// The last moment, for a run that was under way when this began.
    #[must_use]
    pub fn ending(mut self, end: u64) -> Overview {
        self.totals.extent.end = end;
        self
    }

    /// The figures, after the last part.
    pub fn finish(mut self) -> Figures {
        let Extent {
            end, is_segment, ..
        } = self.totals.extent;
        self.follower.finish(end, is_segment, &mut self.totals);
        let (mut overtaken, mut interleaved) = Default::default();
        if let Some(endings) = self.follower.take_endings() {
            overtaken = endings.overtakings.finish();
            interleaved = endings.interleavings.finish();
        }
        let names = self.follower.names;
        let totals = self.totals;
        let named = totals.features.into_iter().map(|(id, feature)| Feature {
            name: names.full(id),
            overtaken: overtaken.remove(&id).unwrap_or(0),
            interleaved: interleaved.remove(&id).unwrap_or(0),
            ..feature
        });
        let mut features: Vec<Feature> = named.collect();
        features.sort_by(|one, other| one.name.cmp(&other.name));
        let mut listed = totals.listed;
        listed.sort_by_key(|(number, _)| *number);
        Figures {
            extent: totals.extent,
            names,
            features,
            processors: totals.processors,
            waits: totals.waits,
            ended: totals.ended,
            stuck: totals.stuck,
            matrix: totals.matrix,
            waited_for: totals.waited_for,
            ticks: totals.ticks,
            requests: totals.requests,
            waiting: totals.waiting,
            unfinished: totals.unfinished,
            listed,
            unlisted: totals.unlisted,
            lanes: totals.lanes,
            findings: None,
            curve: None,
            drawn: totals.drawing.map(Drawing::finish),
        }
    }
}

impl Sink for Overview {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        self.follower.processor(number, origin)?;
        self.totals.processors.push(ProcessorTotals {
            origin,
            class: self.follower.names.number(class),
            ..ProcessorTotals::default()
        });
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.follower.request(number, request)
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.follower.obstacle(number, obstacle)
    }

    fn event(&mut self, event: &Event) -> Accepted {
        self.follower.event(event, &mut self.totals);
        Ok(())
    }

    fn resume_request(&mut self, request: Resumed<'_>) -> Accepted {
        self.follower.resume_request(&request)
    }

    fn resume_lane(&mut self, processor: u32, lane: Lane) -> Accepted {
        self.follower.resume_lane(processor, lane)
    }
}

impl Totals {
    /// Ticks of the wait, by the class of the processor that is waited for.
    fn waited_for(&mut self, wait: &Wait, ticks: u64) {
        let row = wait.supplier;
        let row = row.and_then(|supplier| self.processors.get(supplier as usize));
        let mut key = (row.and_then(|row| row.class), wait.subject);
        if self.waited_for.len() >= MOST_WAITS && !self.waited_for.contains_key(&key) {
            key.1 = None;
        }
        let sum = self.waited_for.entry(key).or_default();
        *sum = sum.saturating_add(ticks);
    }
}

impl Observer for Totals {
    fn ended(&mut self, number: u32, request: &Measured) {
        let Some(part) = self.extent.part_of(number, request) else {
            return;
        };
        self.waiting = self.waiting.saturating_add(part.waiting);
        let is_unfinished = request.returns.is_none() && !self.extent.is_segment;
        self.unfinished += u64::from(is_unfinished);
        if let Some(drawing) = &mut self.drawing {
            drawing.ended(number, part.clone());
        }
        if number == 0 {
            return;
        }
        self.requests += u64::from(part.synchronizes.is_some());
        self.features.entry(part.feature).or_default().add(&part);
        if !part.is_local
            && part.synchronizes.is_some()
            && let Some(row) = self.processors.get_mut(part.supplier as usize)
        {
            row.requests += 1;
        }
        if !part.is_local {
            self.matrix.sent(part.client, part.supplier);
        }
        if !self.wants_list {
            return;
        }
        match self.listed.len() < MOST_LISTED {
            true => self.listed.push((number, part)),
            false => self.unlisted += 1,
        }
    }

    fn spent(&mut self, processor: u32, state: State, from: u64, to: u64) {
        let ticks = self.extent.window.overlap(from, to);
        if ticks == 0 {
            return;
        }
        if state == State::Running {
            self.ticks = self.ticks.saturating_add(ticks);
        }
        let at = STATES.iter().position(|one| *one == state);
        if let (Some(row), Some(at)) = (self.processors.get_mut(processor as usize), at) {
            row.states[at] = row.states[at].saturating_add(ticks);
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.spent(processor, state, from, to);
        }
        if let Some(drawing) = &mut self.drawing {
            drawing.spent(processor, state, from, to);
        }
    }

    fn waited(&mut self, wait: Wait) {
        let window = self.extent.window;
        if wait.to < window.from || wait.from > window.to {
            return;
        }
        let ticks = window.overlap(wait.from, wait.to);
        if ticks == 0 {
            return;
        }
        let mut key = (wait.cause, wait.waiter, wait.subject);
        if self.waits.len() >= MOST_WAITS && !self.waits.contains_key(&key) {
            key = (wait.cause, None, None);
        }
        self.waits.entry(key).or_default().add(ticks);
        // A wait that ends behind the segment has not ended in it.
        let mut ended = EndedKey {
            key,
            by: wait.by.filter(|_| wait.to <= window.to),
            place: wait.place,
        };
        if self.ended.len() >= MOST_WAITS && !self.ended.contains_key(&ended) {
            (ended.by, ended.place) = (None, None);
            ended.key = (wait.cause, None, None);
        }
        self.ended.entry(ended).or_default().add(ticks);
        self.matrix.waited(&wait, ticks);
        if matches!(wait.cause, Cause::Answer | Cause::Lock | Cause::Condition) {
            self.waited_for(&wait, ticks);
        }
        if let Some(drawing) = &mut self.drawing {
            drawing.waited(wait);
        }
    }

    fn lasts(&mut self, wait: Wait) {
        let drawing = self.drawing.take();
        self.waited(wait);
        self.drawing = drawing;
        if let Some(drawing) = &mut self.drawing {
            drawing.waited(Wait {
                lasts: true,
                ..wait
            });
        }
    }

    fn noted(&mut self, event: &Event) {
        if let Some(drawing) = &mut self.drawing {
            drawing.event(event);
        }
    }

    fn evaluated(&mut self, request: u32, time: u64, is_true: bool) {
        if let Some(drawing) = &mut self.drawing {
            drawing.evaluated(request, time, is_true);
        }
    }

    fn wants(&mut self, request: u32, supplier: u32) {
        if let Some(drawing) = &mut self.drawing {
            drawing.wants(request, supplier);
        }
    }

    fn answered(&mut self, request: u32, time: u64) {
        if let Some(drawing) = &mut self.drawing {
            drawing.answered(request, time);
        }
    }

    fn stays(&mut self, processor: u32, wait: Wait) {
        if self.stuck.len() < MOST_LISTED {
            let key = EndedKey {
                key: (wait.cause, wait.waiter, wait.subject),
                by: None,
                place: wait.place,
            };
            self.stuck.push((processor, key));
        }
    }
}

/// Finds the first activation of a method, by the numbers of requests.
pub struct FirstCall<'m> {
    follower: Follower,
    found: Found<'m>,
}

struct Found<'m> {
    method: &'m str,
    feature: Option<FeatureId>,
    first: Option<(u32, u64)>,
}

impl<'m> FirstCall<'m> {
    /// One for a method, `Class>>selector`.
    pub fn new(method: &'m str) -> FirstCall<'m> {
        FirstCall {
            follower: Follower::new(Window::WHOLE),
            found: Found {
                method,
                feature: None,
                first: None,
            },
        }
    }

    /// When it was, after the last part; nothing if it never was.
    pub fn finish(mut self, end: u64) -> Option<u64> {
        self.follower.finish(end, false, &mut self.found);
        self.found.first.map(|(_, time)| time)
    }
}

impl Sink for FirstCall<'_> {
    fn processor(&mut self, number: u32, origin: Origin, _class: &str) -> Accepted {
        self.follower.processor(number, origin)
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.follower.request(number, request)?;
        let method = self.found.method.split_once(">>");
        if number > 0
            && self.found.feature.is_none()
            && method == Some((request.class, request.selector))
        {
            let names = &mut self.follower.names;
            self.found.feature = Some(names.feature(request.class, request.selector)?);
        }
        Ok(())
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.follower.obstacle(number, obstacle)
    }

    fn event(&mut self, event: &Event) -> Accepted {
        self.follower.event(event, &mut self.found);
        Ok(())
    }
}

impl Observer for Found<'_> {
    fn ended(&mut self, number: u32, request: &Measured) {
        let Some(time) = request.synchronizes else {
            return;
        };
        let is_earlier = self.first.is_none_or(|(first, _)| number < first);
        if self.feature == Some(request.feature) && is_earlier {
            self.first = Some((number, time));
        }
    }

    fn spent(&mut self, _: u32, _: State, _: u64, _: u64) {}

    fn waited(&mut self, _: Wait) {}
}

/// Ticks of waits by cause, in words: `queue 27, lock 41`. Empty without waits.
pub(crate) fn waits_in_words(figures: &Figures) -> String {
    let waits = CAUSES.map(|cause| (cause, figures.waited(cause)));
    let told = waits.iter().filter(|(_, ticks)| *ticks > 0);
    let words: Vec<String> = told
        .map(|(cause, ticks)| format!("{} {ticks}", cause.word()))
        .collect();
    words.join(", ")
}
