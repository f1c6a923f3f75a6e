//! What ended each wait. It follows from the events at the same moment: what the supplier finished, or whose locks came back.
//! Of a segment only its own events count, so a run and its trace agree.

use tally_vm::{Event, EventKind, LockScheduler, Simulation};

use crate::interleavings::Interleavings;
use crate::measured::{Measured, Window};
use crate::names::FeatureId;
use crate::overtakings::Overtakings;
use crate::trace::Head;

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ender {
    /// A request of this feature ended, its scope was unlocked, or it began to wait itself.
    Feature(FeatureId),
    /// A message arrived.
    Travel,
    /// A CPU was free.
    Cpu,
    /// The central scheduler approved the request.
    Scheduler,
}

/// The circumstances of a run that decide what can end a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The ticks that a message travels.
    pub latency: u64,
    /// Whether processors wait for CPUs.
    pub has_few_cpus: bool,
    /// Whether a central scheduler approves requests.
    pub is_central: bool,
    /// The ticks that an approval of it takes.
    pub approval: u64,
    /// The most ticks that a processor is charged before it is known why it goes on: for an unlock or for the switch of its CPU.
    pub unlock_or_switch: u64,
}

impl Circumstances {
    /// How long after a moment an event can come that waited for it and for nothing since.
    pub(crate) fn hindsight(&self) -> u64 {
        let charged = self.unlock_or_switch.saturating_add(self.approval);
        self.latency.saturating_add(charged)
    }

    /// Those of a run on the machine.
    pub fn of_simulation(simulation: &Simulation) -> Circumstances {
        let costs = &simulation.costs;
        Circumstances {
            latency: costs.latency,
            has_few_cpus: simulation.cpus.is_some(),
            is_central: simulation.scheduler == LockScheduler::Central,
            approval: costs.scheduler,
            unlock_or_switch: costs.unlock.max(costs.switch),
        }
    }

    /// Those of a run.
    pub fn of(head: &Head) -> Circumstances {
        let cost = |wanted: &str| {
            let found = head.costs.iter().find(|(name, _)| name == wanted);
            found.map_or(0, |(_, ticks)| *ticks)
        };
        let mut settings = head.settings.iter();
        Circumstances {
            latency: cost("latency"),
            has_few_cpus: head.cpus.is_some(),
            is_central: settings.any(|(name, value)| name == "scheduler" && value == "central"),
            approval: cost("scheduler"),
            unlock_or_switch: cost("unlock").max(cost("switch")),
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    /// What ended it, if that is known.
    pub by: Option<Ender>,
    /// The processor whose lock came back last.
    pub supplier: Option<u32>,
}

/// A moment, and the feature that did something then.
type Done = (u64, Option<FeatureId>);

/// A processor.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The last moment at which it could turn to another request.
    freed: Option<Done>,
    /// When it ended a request last.
    returned: Option<Done>,
    /// When its lock came back last: after an unlock, or after a condition that was false.
    lock_back: Option<Done>,
    /// The feature of the scope that has its lock.
    holder: Option<FeatureId>,
    /// It is known who has its lock, if this is the number of the present generation.
    known: u64,
    /// The processors whose locks its scope waits for, or waited for last.
    wants: Vec<u32>,
}

/// Follows who has which lock.
#[derive(Clone, Debug)]
pub(crate) struct Endings {
    window: Window,
    circumstances: Circumstances,
    places: Vec<Place>,
    /// Stands for all processors that are not described. Only damaged traces name such ones.
    stranger: Place,
    /// When any lock came back last.
    any_lock_back: Option<Done>,
    /// It grows where a segment begins in a scope, whose locks are not known.
    generation: u64,
    pub(crate) overtakings: Overtakings,
    pub(crate) interleavings: Interleavings,
}

impl Endings {
    pub(crate) fn new(window: Window, circumstances: Circumstances) -> Endings {
        Endings {
            window,
            circumstances,
            places: Vec::new(),
            stranger: Place::default(),
            any_lock_back: None,
            generation: u64::from(window.from > 0),
            overtakings: Overtakings::default(),
            interleavings: Interleavings::default(),
        }
    }

    /// There are lanes of ordinary processes. They share one CPU, whatever the run was given.
    pub(crate) fn has_lanes(&mut self) {
        self.circumstances = Circumstances {
            has_few_cpus: true,
            ..Circumstances::default()
        };
    }

    /// The place of a client or a request in the order of all; 0 if it is outside of the window.
    pub(crate) fn ordinal(&mut self, time: u64) -> u64 {
        match self.window.contains(time) {
            true => self.overtakings.ordinal(),
            false => 0,
        }
    }

    /// Processors whose locks the processor's scope waits for.
    pub(crate) fn wanted(&self, processor: u32) -> &[u32] {
        let place = self.places.get(processor as usize);
        place.map_or(&[], |place| &place.wants)
    }

    /// Whether events of the kind change anything here.
    pub(crate) fn follows(kind: EventKind) -> bool {
        !matches!(
            kind,
            EventKind::Ran(_)
                | EventKind::Charged(_)
                | EventKind::Sleeps
                | EventKind::Wakes
                | EventKind::Blocks { .. }
                | EventKind::Freed { .. }
                | EventKind::Dispatched { .. }
                | EventKind::Approved
                | EventKind::Executes
                | EventKind::Evaluated(true)
                | EventKind::Called { waits: false, .. }
        )
    }

    /// Follows an event of this request before it changes anything. `innermost` is the feature that its processor executes.
    pub(crate) fn event(
        &mut self,
        event: &Event,
        row: Option<&Measured>,
        innermost: Option<FeatureId>,
    ) -> Ended {
        let Event {
            time, processor, ..
        } = *event;
        if !self.window.contains(time) {
            return Ended::default();
        }
        match event.kind {
            EventKind::Created => self.place(processor).known = u64::MAX,
            EventKind::Unlocked => self.unlocked(processor, time),
            EventKind::Joins | EventKind::Called { waits: true, .. } => {
                self.place(processor).freed = Some((time, innermost));
            }
            EventKind::Locks => {
                let place = self.place(processor);
                place.freed = Some((time, innermost));
                place.wants.clear();
                if let Some(row) = row {
                    self.overtakings.begins(processor, row.feature);
                }
            }
            EventKind::Wants { supplier } => {
                self.place(processor).wants.push(supplier);
                self.overtakings.wants(processor, supplier);
            }
            EventKind::Granted => {
                return row.map_or_else(Ended::default, |row| self.granted(event, row));
            }
            EventKind::Evaluated(false) => self.given_back(event, row),
            _ => return row.map_or_else(Ended::default, |row| self.of_request(event, row)),
        }
        Ended::default()
    }

    fn of_request(&mut self, event: &Event, row: &Measured) -> Ended {
        let time = event.time;
        let by = match event.kind {
            EventKind::Synchronizes if !row.is_local => {
                self.alone(event.processor, row);
                self.taken_up(time, row)
            }
            EventKind::Returns if !row.is_local => {
                let place = self.place(event.processor);
                let done = Some((time, Some(row.feature)));
                (place.freed, place.returned) = (done, done);
                None
            }
            EventKind::Cancelled => {
                self.place(row.supplier).freed = Some((time, Some(row.feature)));
                None
            }
            EventKind::Answered => self.answered(event, row),
            _ => None,
        };
        Ended { by, supplier: None }
    }

    /// There is one processor more.
    pub(crate) fn processor(&mut self) {
        self.places.push(Place::default());
    }

    fn place(&mut self, processor: u32) -> &mut Place {
        let place = self.places.get_mut(processor as usize);
        place.unwrap_or(&mut self.stranger)
    }

    /// Whether it is known that no scope has the processor's lock.
    fn is_without_scope(&self, processor: u32) -> bool {
        let place = self.places.get(processor as usize);
        match place {
            Some(place) => place.holder.is_none() && place.known >= self.generation,
            None => self.generation == 0,
        }
    }

    /// The request is served outside of all scopes, if no scope has its supplier's lock.
    fn alone(&mut self, processor: u32, row: &Measured) {
        let is_alone = !row.is_callback && self.is_without_scope(processor);
        if is_alone {
            self.overtakings.passes(processor, row.ordinal);
        }
        self.interleavings.serves(row, is_alone);
    }

    /// The scope gives the lock back. A processor that ended a request at this moment was busy with that, not with the scope.
    fn unlocked(&mut self, processor: u32, time: u64) {
        let generation = self.generation;
        let place = self.place(processor);
        let last = place.returned.and_then(|(_, feature)| feature);
        let done = Some((time, place.holder.take().or(last)));
        if place.returned.is_none_or(|(moment, _)| moment != time) {
            place.freed = done;
        }
        place.lock_back = done;
        place.known = place.known.max(generation);
        self.any_lock_back = done;
    }

    /// A condition was false, so the locks of its scope come back.
    fn given_back(&mut self, event: &Event, row: Option<&Measured>) {
        let done = Some((event.time, row.map(|row| row.feature)));
        for supplier in self.wanted(event.processor).to_vec() {
            let place = self.place(supplier);
            (place.lock_back, place.holder) = (done, None);
        }
        self.overtakings.returns_to_wait(event.processor);
    }

    /// The lock that came back last let the scope go on.
    fn granted(&mut self, event: &Event, row: &Measured) -> Ended {
        let (time, processor) = (event.time, event.processor);
        let wanted = self.wanted(processor).to_vec();
        if wanted.is_empty() {
            self.generation += 1;
            return Ended::default();
        }
        let back = |place: &Place| place.lock_back.filter(|(moment, _)| *moment == time);
        let mut last = None;
        for &supplier in &wanted {
            let place = self.place(supplier);
            last = last.or(back(place).map(|(_, by)| (supplier, by)));
            place.holder = Some(row.feature);
        }
        self.overtakings.granted(processor);
        let any = self.any_lock_back.filter(|(moment, _)| *moment == time);
        let by = match (last, any) {
            (Some((_, by)), _) | (None, Some((_, by))) => by.map(Ender::Feature),
            (None, None) => self.circumstances.is_central.then_some(Ender::Scheduler),
        };
        let supplier = last.map(|(supplier, _)| supplier);
        Ended {
            by,
            supplier: supplier.or(wanted.first().copied()),
        }
    }

    fn taken_up(&self, time: u64, row: &Measured) -> Option<Ender> {
        let latency = self.circumstances.latency;
        if row
            .called
            .is_some_and(|called| called.saturating_add(latency) == time)
        {
            return Some(Ender::Travel);
        }
        let place = self.places.get(row.supplier as usize);
        let at = |done: Option<Done>, moment: u64| done.filter(|(one, _)| *one == moment);
        let freed = place.and_then(|place| at(place.freed, time));
        // A request that locks its supplier for itself travels when it has the lock.
        let unlocked = place.and_then(|place| at(place.lock_back, time.saturating_sub(latency)));
        match freed.or(unlocked) {
            Some((_, by)) => by.map(Ender::Feature),
            None if self.circumstances.is_central => Some(Ender::Scheduler),
            None => self.circumstances.has_few_cpus.then_some(Ender::Cpu),
        }
    }

    fn answered(&self, event: &Event, row: &Measured) -> Option<Ender> {
        let latency = self.circumstances.latency;
        let returns = row.returns?;
        if returns.saturating_add(latency) == event.time {
            return Some(Ender::Feature(row.feature));
        }
        // The answer has come while the client served a callback.
        let place = self.places.get(event.processor as usize);
        let served = place.and_then(|place| place.returned);
        match served.filter(|(moment, _)| *moment == event.time) {
            Some((_, by)) => by.map(Ender::Feature),
            None => self.circumstances.has_few_cpus.then_some(Ender::Cpu),
        }
    }
}
