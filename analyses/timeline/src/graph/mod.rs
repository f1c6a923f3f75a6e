//! Why each event happened when it did. An event waits for others before it: the one before on its processor, a message that comes, a lock
//! that comes back, a CPU. It happens when the last of them has happened, so each moment of a run follows from those before.
//! What is made of that is left to a [`Weigher`].

mod causes;
pub(crate) mod concurrency;
pub(crate) mod parametric;
pub(crate) mod path;
mod points;
mod servers;
pub(crate) mod varied;

use std::collections::{HashMap, VecDeque};

use tally_vm::{Event, EventKind};

use crate::endings::Circumstances;
use crate::names::{FeatureId, Names};
use crate::obstacles::Obstacle;
use crate::sink::{Accepted, Described, Origin, Sink, SinkError};
use points::{Cpu, Place, Point, Row};
use varied::{Variation, Varied};

/// The most requests under way.
const MOST_OPEN: usize = 1 << 21;

/// How virtual time passes on the way to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Passes {
    /// A processor executes.
    Running,
    /// A processor is charged.
    Overhead,
    /// A processor sleeps.
    Asleep,
    /// A message travels.
    Travel,
    /// The central scheduler approves a request.
    Approval,
    /// The events do not say why nothing happened.
    Unknown,
}

/// A stretch of virtual time that leads to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) passes: Passes,
    /// The processor to which it leads.
    pub(crate) processor: u32,
    /// The feature that is executed there, or that is requested.
    pub(crate) feature: Option<FeatureId>,
    /// The moment of the run at which it begins.
    pub(crate) from: u64,
    pub(crate) ticks: u64,
}

/// What is kept of the ways to an event, and what is made of it.
pub(crate) trait Weigher {
    /// What is kept of a moment.
    type Value: Clone;

    /// The begin of the run.
    fn begin(&mut self) -> Self::Value;

    /// The end of a stretch that begins at the moment.
    fn after(&mut self, value: &Self::Value, stretch: Stretch) -> Self::Value;

    /// The moment of an event that waited for both. `is_other` says which of them came later in the run.
    fn both(&mut self, one: &Self::Value, other: &Self::Value, is_other: bool) -> Self::Value;

    /// Orders moments that the weigher has made later.
    fn rank(&self, _value: &Self::Value) -> u64 {
        0
    }

    /// A processor has waited from the first moment to the second, at which the value holds.
    fn waited(&mut self, _from: u64, _to: u64, _value: &Self::Value) {}

    /// A wait that began at this moment has not ended.
    fn never_ended(&mut self, _from: u64, _to: u64) {}

    /// Whether values are to be shown now, by [`Graph::tidy`].
    fn is_full(&self) -> bool {
        false
    }

    /// All values that are still needed, by their places, and the begins of waits that have not ended.
    fn tidy(&mut self, _values: Vec<&mut Self::Value>, _waits: Vec<&mut u64>) {}
}

/// Follows the events of a run.
#[derive(Debug)]
pub(crate) struct Graph<W: Weigher> {
    pub(crate) weigher: W,
    pub(crate) names: Names,
    circumstances: Circumstances,
    places: Vec<Place<W::Value>>,
    rows: HashMap<u32, Row<W::Value>>,
    /// Requests that have ended, and up to when a process may wait for their answers.
    over: VecDeque<(u64, u32)>,
    cpus: Vec<Cpu<W::Value>>,
    /// Whether processors are lanes of ordinary processes, which have one CPU.
    has_lanes: bool,
    /// When the central scheduler was free last.
    approval: Option<Point<W::Value>>,
    /// Where a condition may have failed last.
    failed_condition: Option<Point<W::Value>>,
    /// When locks came back last.
    unlocks: VecDeque<Point<W::Value>>,
    /// Moments of which one stands for all that was over then.
    past: VecDeque<Point<W::Value>>,
    /// The last moment, and its processor.
    latest: (u64, u32),
    /// Events whose causes are not known.
    pub(crate) unexplained: u64,
    /// What is assumed to be otherwise.
    varied: Option<Varied<W::Value>>,
}

impl<W: Weigher> Graph<W> {
    pub(crate) fn new(weigher: W, circumstances: Circumstances) -> Graph<W> {
        Graph {
            weigher,
            names: Names::default(),
            circumstances,
            places: Vec::new(),
            rows: HashMap::new(),
            over: VecDeque::new(),
            cpus: Vec::new(),
            has_lanes: false,
            approval: None,
            failed_condition: None,
            unlocks: VecDeque::new(),
            past: VecDeque::new(),
            latest: (0, 0),
            unexplained: 0,
            varied: None,
        }
    }

    /// The same, as if this were otherwise.
    pub(crate) fn varied(mut self, variation: Variation) -> Graph<W> {
        self.varied = Some(Varied::new(variation));
        self
    }

    /// The run ends at this moment. Answers the value of the last event, from which on nothing has happened.
    pub(crate) fn finish(&mut self, end: u64) -> W::Value {
        for place in &mut self.places {
            if let Some((from, _)) = place.waits.take() {
                self.weigher.never_ended(from, end);
            }
        }
        let last = self.places.get(self.latest.1 as usize);
        let last = match last {
            Some(place) => place.last.clone(),
            None => Point {
                time: 0,
                value: self.weigher.begin(),
            },
        };
        let stretch = |ticks| Stretch {
            passes: Passes::Unknown,
            processor: self.latest.1,
            feature: None,
            from: last.time,
            ticks,
        };
        match end.checked_sub(last.time) {
            None | Some(0) => last.value,
            Some(ticks) => self.weigher.after(&last.value, stretch(ticks)),
        }
    }

    /// The values at which the processors end.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &W::Value> {
        self.places.iter().map(|place| &place.last.value)
    }

    /// Shows the weigher what is still needed.
    fn tidy(&mut self) {
        let now = self.latest.0;
        let moment = now.saturating_sub(self.circumstances.hindsight());
        let latest = self.places.get(self.latest.1 as usize);
        self.past.extend(latest.map(|place| place.last.clone()));
        while self.past.get(1).is_some_and(|next| next.time < moment) {
            self.past.pop_front();
        }
        if let Some(past) = self.past.front().filter(|past| past.time < moment) {
            for place in &mut self.places {
                place.let_go(moment, past);
            }
        }
        self.unlocks.retain(|unlock| unlock.time >= moment);
        let mut others = vec![&mut self.approval, &mut self.failed_condition];
        others.extend(self.cpus.iter_mut().filter_map(|cpu| match cpu {
            Cpu::Left(point) => Some(point),
            Cpu::Of(_) => None,
        }));
        for point in others {
            point.take_if(|point| point.time < moment);
        }
        let (mut values, mut waits) = (Vec::new(), Vec::new());
        for place in &mut self.places {
            place.show(&mut values, &mut waits);
        }
        for row in self.rows.values_mut() {
            let points = [&mut row.called, &mut row.approved, &mut row.returned];
            values.extend(points.into_iter().flatten().map(|point| &mut point.value));
        }
        for cpu in &mut self.cpus {
            if let Cpu::Left(Some(point)) = cpu {
                values.push(&mut point.value);
            }
        }
        let points = [&mut self.approval, &mut self.failed_condition];
        let points = points
            .into_iter()
            .flatten()
            .chain(&mut self.unlocks)
            .chain(&mut self.past);
        values.extend(points.map(|point| &mut point.value));
        self.weigher.tidy(values, waits);
    }

    fn follow(&mut self, event: &Event) -> Option<()> {
        let Event {
            time,
            processor,
            request,
            ..
        } = *event;
        match event.kind {
            EventKind::Dispatched { cpu } => self.dispatched(processor, cpu, time),
            EventKind::Charged(units) => self.charged(processor, time, units),
            EventKind::Ran(ticks) => self.ran(processor, time, ticks),
            EventKind::Created => self.created(processor, time, request),
            EventKind::Called { waits, .. } => self.called(processor, time, request, waits),
            EventKind::Synchronizes => self.synchronizes(processor, time, request),
            EventKind::Locks => {
                self.settle(processor, time)?;
                self.vary_locks(processor, request, time);
                let feature = self.innermost(processor);
                let place = self.place(processor)?;
                place.wants.clear();
                place.waits = feature.map(|feature| (time, feature));
                Some(())
            }
            EventKind::Wants { supplier } => {
                self.place(processor)?.wants.push(supplier);
                Some(())
            }
            EventKind::Approved => self.approved_alone(time, request),
            EventKind::Granted => self.granted(processor, time, request),
            EventKind::Evaluated(is_true) => self.evaluated(processor, (time, request), is_true),
            EventKind::Executes => self.executes(processor, time, request),
            EventKind::Returns => self.returns(processor, time, request),
            EventKind::Joins => self.joins(processor, time, request),
            EventKind::Answered => self.answered(processor, time, request),
            EventKind::Cancelled => self.cancelled(processor, time, request),
            EventKind::Unlocked => self.unlocked(processor, time),
            EventKind::Sleeps => {
                self.settle(processor, time)?;
                self.place(processor)?.is_asleep = true;
                Some(())
            }
            EventKind::Wakes => self.wakes(processor, time),
            EventKind::Blocks { .. } => {
                self.settle(processor, time)?;
                let feature = self.innermost(processor);
                self.place(processor)?.waits = feature.map(|feature| (time, feature));
                Some(())
            }
            EventKind::Freed { by } => self.freed(processor, time, by),
        }
    }

    fn place(&mut self, processor: u32) -> Option<&mut Place<W::Value>> {
        self.places.get_mut(processor as usize)
    }

    /// The feature of the request that the processor executes.
    fn innermost(&self, processor: u32) -> Option<FeatureId> {
        let place = self.places.get(processor as usize)?;
        let row = self.rows.get(place.open.last()?)?;
        Some(row.feature)
    }

    /// Requests for whose answers no process can wait any more.
    fn forget(&mut self, now: u64) {
        while let Some((until, request)) = self.over.front().copied()
            && until < now
        {
            self.over.pop_front();
            if self.rows.get(&request).is_some_and(|row| !row.waits) {
                self.rows.remove(&request);
            }
        }
    }
}

impl<W: Weigher> Sink for Graph<W> {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        if self.places.len() != number as usize {
            return Err(SinkError::Undescribed(number));
        }
        let creator = self.places.get(origin.creator as usize);
        let point = match creator {
            Some(creator) => creator.last.clone(),
            None => Point {
                time: 0,
                value: self.weigher.begin(),
            },
        };
        self.vary_processor(number, class, &point);
        let mut place = Place::new(point);
        if number == 0 {
            place.open.push(0);
        }
        self.places.push(place);
        Ok(())
    }

    fn request(&mut self, number: u32, described: &Described<'_>) -> Accepted {
        if self.rows.contains_key(&number) {
            return Ok(());
        }
        if self.rows.len() >= MOST_OPEN {
            return Err(SinkError::TooMuch("requests under way"));
        }
        let feature = match number {
            0 => self.names.feature(crate::following::SCRIPT_NAME, "")?,
            _ => self.names.feature(described.class, described.selector)?,
        };
        let row = Row {
            feature,
            supplier: described.supplier,
            waits: described.waits,
            is_local: described.is_local,
            is_callback: described.is_callback,
            called: None,
            approved: None,
            returned: None,
            locked: Vec::new(),
        };
        self.rows.insert(number, row);
        self.vary_request(number, described);
        Ok(())
    }

    fn obstacle(&mut self, _number: u32, _obstacle: &Obstacle<'_>) -> Accepted {
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Accepted {
        if event.processor as usize >= self.places.len() {
            return Err(SinkError::Undescribed(event.processor));
        }
        self.forget(event.time);
        // Events of requests that are not described come from damaged traces alone, and lead to nothing.
        let _followed = self.follow(event);
        if event.time >= self.latest.0 {
            self.latest = (event.time, event.processor);
        }
        if self.weigher.is_full() {
            self.tidy();
        }
        Ok(())
    }
}
