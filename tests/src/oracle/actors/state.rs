//! The transition rule: states with all their events' past, the choices that a delivery allows, and the next states.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::language::Program;
pub use super::turn::{Behaviour, Fault, Message, Name};
use super::turn::{Taker, turn};

/// Which pending messages can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// All.
    Any,
    /// The first of each pair of target and sender.
    Fifo,
    /// All whose target has no pending message that was sent earlier in the order of causality.
    Causal,
}

/// The n-th event of an actor, counted from 1. The script has one event.
pub type EventName = (Name, u32);

/// Events and all before them: the last one of each actor.
type Past = BTreeMap<Name, u32>;

fn holds(past: &Past, event: &EventName) -> bool {
    past.get(&event.0).is_some_and(|last| *last >= event.1)
}

/// A message sent and not yet processed.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) target: Name,
    pub(super) message: Message,
    /// The event that sent it.
    pub(super) sender: EventName,
    /// Its number among the messages of that event.
    pub(super) nth: u32,
    /// The event that sent it and all events before that in the order of causality.
    past: Rc<Past>,
}

impl Pending {
    /// Whether the message was sent before another one, in the order of causality.
    pub(super) fn is_before(&self, other: &Pending) -> bool {
        match self.sender == other.sender {
            true => self.nth < other.nth,
            false => other.knows(self),
        }
    }

    /// Whether its receiver will know another message: the event that sent that one is its own, or before its own.
    pub(super) fn knows(&self, other: &Pending) -> bool {
        holds(&self.past, &other.sender)
    }
}

/// An actor of a state.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) behaviour: Behaviour,
    /// How many actors it has made.
    pub(super) created: u32,
    /// How many messages it has processed.
    done: u32,
    /// Its events and all events before them in the order of causality.
    past: Rc<Past>,
}

impl Actor {
    /// Whether what the actor sends from now on is sent after this message.
    pub(super) fn knows(&self, pending: &Pending) -> bool {
        holds(&self.past, &pending.sender)
    }

    /// Whether it has processed no message.
    pub(super) fn is_new(&self) -> bool {
        self.done == 0
    }
}

/// The numbers that each actor wrote.
pub type Outputs = BTreeMap<Name, Vec<i64>>;

/// What was written, and the actor that failed and why.
pub type Ending = (Outputs, Option<(Name, Fault)>);

/// A turn that failed: it ends the computation. What it sent, made and wrote before stays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The actor.
    pub actor: Name,
    /// Its behaviour.
    pub behaviour: Behaviour,
    /// The message.
    pub message: Message,
    /// Why.
    pub fault: Fault,
}

/// Bx and Px of the paper, and what was written.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) actors: BTreeMap<Name, Rc<Actor>>,
    /// The oldest first.
    pub(super) pending: Vec<Rc<Pending>>,
    pub(super) outputs: Outputs,
    pub(super) failure: Option<Failure>,
    /// How many messages were sent to actors that were disposed, or were pending when these were.
    pub(super) dead_letters: usize,
}

/// An event: one message processed. All of it is its identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Which event of which actor.
    pub place: EventName,
    /// The event that sent the message.
    pub sender: EventName,
    /// The message's number among those of that event.
    pub nth: u32,
    /// The behaviour that processed the message.
    pub behaviour: Behaviour,
    /// The message.
    pub message: Message,
    /// How many messages it sent.
    pub sends: u64,
    /// The actors that it made.
    pub spawns: Vec<Name>,
    /// Whether the actor took a replacement or changed a variable.
    pub is_replaced: bool,
    /// Whether the actor was disposed.
    pub is_disposed: bool,
    /// The local time.
    pub local: u64,
}

impl State {
    pub(super) fn start(program: &Program) -> State {
        let name = |number: &usize| Name::default().child(*number as u32 + 1);
        let script = (Name::default(), 1);
        let past = Rc::new(Past::from([script.clone()]));
        let actors = program.actors.iter().enumerate();
        let actors = actors.map(|(number, actor)| {
            let behaviour = Behaviour {
                class: actor.class,
                integers: actor.integers.clone(),
                addresses: actor.addresses.iter().map(name).collect(),
            };
            (name(&number), fresh(behaviour, &past))
        });
        let pending = program
            .messages
            .iter()
            .zip(1..)
            .map(|(first, nth)| Pending {
                target: name(&first.target),
                message: Message {
                    selector: first.selector,
                    integers: first.integers.clone(),
                    addresses: first.addresses.iter().map(name).collect(),
                },
                sender: script.clone(),
                nth,
                past: past.clone(),
            });
        State {
            actors: actors.collect(),
            pending: pending.map(Rc::new).collect(),
            outputs: Outputs::new(),
            failure: None,
            dead_letters: 0,
        }
    }

    /// The ending, if the state is one.
    pub(super) fn ending(&self) -> Option<Ending> {
        let failure = self.failure.as_ref();
        let failure = failure.map(|failure| (failure.actor.clone(), failure.fault));
        let is_end = failure.is_some() || self.pending.is_empty();
        is_end.then(|| (self.outputs.clone(), failure))
    }

    /// The pending messages that can be taken, by their age. A failure is an end.
    pub(super) fn choices(&self, delivery: Delivery) -> Vec<usize> {
        if self.failure.is_some() {
            return Vec::new();
        }
        let waits = |later: &Pending| {
            let mut rivals = self.pending.iter().filter(|p| p.target == later.target);
            rivals.any(|earlier| match delivery {
                Delivery::Any => false,
                Delivery::Fifo => {
                    earlier.sender.0 == later.sender.0
                        && (earlier.sender.1, earlier.nth) < (later.sender.1, later.nth)
                }
                Delivery::Causal => earlier.is_before(later),
            })
        };
        let all = 0..self.pending.len();
        all.filter(|index| !waits(&self.pending[*index])).collect()
    }

    /// The state after a pending message is processed, and the event.
    pub(super) fn realise(&self, program: &Program, index: usize) -> (State, Event) {
        let mut next = self.clone();
        let taken = next.pending.remove(index);
        let actor = &self.actors[&taken.target];
        let place = (taken.target.clone(), actor.done + 1);
        let taker = Taker {
            name: &taken.target,
            created: actor.created,
            behaviour: &actor.behaviour,
        };
        let effect = turn(program, &taker, &taken.message);
        let event = Event {
            place,
            sender: taken.sender.clone(),
            nth: taken.nth,
            behaviour: actor.behaviour.clone(),
            message: taken.message.clone(),
            sends: effect.sends.len() as u64,
            spawns: effect.spawns.iter().map(|spawn| spawn.0.clone()).collect(),
            is_replaced: effect.is_replaced,
            is_disposed: effect.next.is_none(),
            local: effect.local,
        };
        next.failure = effect.fault.map(|fault| Failure {
            actor: taken.target.clone(),
            behaviour: actor.behaviour.clone(),
            message: taken.message.clone(),
            fault,
        });
        next.apply(effect, &taken, &event.place);
        (next, event)
    }

    fn apply(&mut self, effect: super::turn::Effect, taken: &Pending, place: &EventName) {
        let Some(actor) = self.actors.get_mut(&taken.target) else {
            return;
        };
        let actor = Rc::make_mut(actor);
        let mut past = (*actor.past).clone();
        for (name, last) in &*taken.past {
            let known = past.entry(name.clone()).or_default();
            *known = last.max(known).to_owned();
        }
        past.insert(place.0.clone(), place.1);
        let past = Rc::new(past);
        actor.past = past.clone();
        actor.done += 1;
        actor.created += effect.spawns.len() as u32;
        match effect.next {
            Some(behaviour) => actor.behaviour = behaviour,
            None => drop(self.actors.remove(&taken.target)),
        }
        for (name, behaviour) in effect.spawns {
            self.actors.insert(name, fresh(behaviour, &past));
        }
        if !effect.outputs.is_empty() {
            let outputs = self.outputs.entry(taken.target.clone()).or_default();
            outputs.extend(effect.outputs);
        }
        let sends = effect.sends.into_iter().zip(1..);
        let sent = sends.map(|((target, message), nth)| Pending {
            target,
            message,
            sender: place.clone(),
            nth,
            past: past.clone(),
        });
        self.pending.extend(sent.map(Rc::new));
        let before = self.pending.len();
        let actors = &self.actors;
        self.pending.retain(|p| actors.contains_key(&p.target));
        self.dead_letters += before - self.pending.len();
    }
}

fn fresh(behaviour: Behaviour, past: &Rc<Past>) -> Rc<Actor> {
    Rc::new(Actor {
        behaviour,
        created: 0,
        done: 0,
        past: past.clone(),
    })
}
