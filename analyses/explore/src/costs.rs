//! What computations cost: Work, the sum of all weights, and Depth, the weight of the heaviest path with the ways of messages. Both as
//! numbers on a machine and, on machines without a gap, as forms over all parameters.

use crate::computations::{Computation, Computations};
use crate::machine::{Form, Forms, Machine};
use crate::space::Space;
use crate::tables::{NONE, Tables, Turn};
use crate::unfolding::{Event, Life, Unfolding};

/// When an event happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// When its message is there and its actor is ready.
    pub(crate) start: u64,
    /// When it ends.
    pub(crate) end: u64,
    /// Whether the message is there later than the actor is ready.
    pub(crate) waits_for_message: bool,
}

/// The moments of all events on a machine. An event has one moment in all computations.
#[derive(Debug, Clone)]
pub(crate) struct Moments<'s> {
    tables: &'s Tables,
    unfolding: &'s Unfolding,
    machine: Machine,
    pub(crate) events: Vec<Moment>,
}

impl<'s> Moments<'s> {
    /// The moments of the events of an unfolding.
    pub(crate) fn new(
        tables: &'s Tables,
        unfolding: &'s Unfolding,
        machine: &Machine,
    ) -> Moments<'s> {
        let mut moments = Moments {
            tables,
            unfolding,
            machine: *machine,
            events: Vec::with_capacity(unfolding.events.len()),
        };
        for event in &unfolding.events {
            let arrives = moments.arrival(event);
            let is_ready = moments.ready(event.before);
            let start = arrives.max(is_ready);
            let turn = moments.turn(event);
            moments.events.push(Moment {
                start,
                end: start + machine.times(&tables.effects[turn.effect as usize]).weight,
                waits_for_message: arrives > is_ready,
            });
        }
        moments
    }

    pub(crate) fn turn(&self, event: &Event) -> &'s Turn {
        &self.tables.turns[event.turn as usize]
    }

    /// When the message of an event is there.
    pub(crate) fn arrival(&self, event: &Event) -> u64 {
        let Some(sender) = self.unfolding.events.get(event.origin.by as usize) else {
            return 0;
        };
        let effect = &self.tables.effects[self.turn(sender).effect as usize];
        let leaves = self.machine.times(effect).sends[event.origin.nth as usize];
        self.events[event.origin.by as usize].start + leaves + self.machine.latency
    }

    /// When an actor is ready at a point of its lifeline.
    pub(crate) fn ready(&self, life: Life) -> u64 {
        match life {
            Life::After(event) => self.events[event as usize].end,
            Life::Created { by: NONE, .. } => 0,
            Life::Created { by, nth } => self.start_up(by, nth) + self.machine.new_receiving,
        }
    }

    /// When the start-up of the n-th actor begins that an event creates.
    pub(crate) fn start_up(&self, by: u32, nth: u32) -> u64 {
        let creator = &self.unfolding.events[by as usize];
        let effect = &self.tables.effects[self.turn(creator).effect as usize];
        let leaves = self.machine.times(effect).news[nth as usize];
        self.events[by as usize].start + leaves + self.machine.latency
    }

    /// Work and Depth of a computation.
    pub(crate) fn cost(&self, computation: &Computation) -> Cost {
        let mut cost = Cost::default();
        for number in computation.events(self.unfolding) {
            let event = &self.unfolding.events[number as usize];
            let Moment { start, end, .. } = self.events[number as usize];
            let created = self.turn(event).created.len() as u32;
            cost.work += end - start + u64::from(created) * self.machine.new_receiving;
            let start_ups = (0..created).map(|nth| self.ready(Life::Created { by: number, nth }));
            cost.depth = start_ups.fold(cost.depth.max(end), u64::max);
        }
        cost
    }
}

/// The costs of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
pub struct Cost {
    /// Work: the time on one processor.
    #[serde(rename = "cost")]
    pub work: u64,
    /// Depth: the time with a processor for each actor.
    pub depth: u64,
}

/// The costs of a computation as forms, for machines whose times are sums of parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostForms {
    /// Work.
    pub work: Form,
    /// Depth: the largest of these forms. None if there are too many.
    pub depth: Option<Forms>,
}

/// The ends of events as forms. None has too many forms.
pub(crate) struct FormsOfEvents<'s> {
    tables: &'s Tables,
    unfolding: &'s Unfolding,
    ends: Vec<Option<Forms>>,
}

impl<'s> FormsOfEvents<'s> {
    pub(crate) fn new(tables: &'s Tables, unfolding: &'s Unfolding) -> FormsOfEvents<'s> {
        let mut forms = FormsOfEvents {
            tables,
            unfolding,
            ends: Vec::with_capacity(unfolding.events.len()),
        };
        for event in &unfolding.events {
            let end = forms.end(event);
            forms.ends.push(end);
        }
        forms
    }

    fn weight(&self, event: &Event) -> Form {
        let turn = &self.tables.turns[event.turn as usize];
        Form::of(&self.tables.effects[turn.effect as usize])
    }

    fn end(&self, event: &Event) -> Option<Forms> {
        let weight = self.weight(event);
        let mut forms = Forms::default();
        if event.origin.by != NONE {
            let sent = self.ends[event.origin.by as usize].as_ref()?;
            for form in sent.all() {
                forms.add(form.sent().plus(&weight)).then_some(())?;
            }
        }
        for form in self.ready(event.before)? {
            forms.add(form.plus(&weight)).then_some(())?;
        }
        Some(forms)
    }

    fn ready(&self, life: Life) -> Option<Vec<Form>> {
        match life {
            Life::After(event) => self.ends[event as usize]
                .as_ref()
                .map(|ends| ends.0.clone()),
            Life::Created { by: NONE, .. } => Some(vec![Form::default()]),
            Life::Created { by, .. } => {
                let created = self.ends[by as usize].as_ref()?.all().iter();
                let ready = created.map(|form| form.sent().plus(&Form::start_up()));
                Some(ready.collect())
            }
        }
    }

    /// Work and Depth of a computation.
    pub(crate) fn cost(&self, computation: &Computation) -> CostForms {
        let events = computation.events(self.unfolding);
        let mut work = Form::default();
        for number in &events {
            let event = &self.unfolding.events[*number as usize];
            work = work.plus(&self.weight(event));
            for _ in &*self.tables.turns[event.turn as usize].created {
                work = work.plus(&Form::start_up());
            }
        }
        CostForms {
            work,
            depth: self.depth(&events),
        }
    }

    fn depth(&self, events: &[u32]) -> Option<Forms> {
        let mut depth = Forms::default();
        for number in events {
            let event = &self.unfolding.events[*number as usize];
            for form in self.ends[*number as usize].as_ref()?.all() {
                depth.add(*form).then_some(())?;
            }
            if !self.tables.turns[event.turn as usize].created.is_empty() {
                let life = Life::Created {
                    by: *number,
                    nth: 0,
                };
                for form in self.ready(life)? {
                    depth.add(form).then_some(())?;
                }
            }
        }
        Some(depth)
    }
}

impl Computations {
    /// The costs of each computation on a machine, in the order of the computations.
    pub fn costs(&self, space: &Space, machine: &Machine) -> Vec<Cost> {
        let moments = Moments::new(&space.tables, &self.unfolding, machine);
        let costs = self.all.iter().map(|computation| moments.cost(computation));
        costs.collect()
    }

    /// The costs of each computation as forms over the parameters, in the order of the computations.
    pub fn forms(&self, space: &Space) -> Vec<CostForms> {
        let forms = FormsOfEvents::new(&space.tables, &self.unfolding);
        let costs = self.all.iter().map(|computation| forms.cost(computation));
        costs.collect()
    }
}
