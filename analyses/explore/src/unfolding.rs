//! Events with their causes. An event is a turn at a point of its actor's lifeline that takes a message of another event. Equal causes
//! are the same event, whatever happens elsewhere, so that a computation is a set of events.

use hashbrown::HashMap;

use crate::fingerprint::{Fingerprint, of_words};
use crate::matching::kept;
use crate::names::ActorId;
use crate::program::Program;
use crate::state::State;
use crate::tables::{NONE, Tables, Turn};

/// The kind of events, for fingerprints.
const EVENT: u32 = 7;

/// A point of a lifeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Life {
    /// Its beginning, with the event that created the actor as its n-th. The script is [`NONE`].
    Created { by: u32, nth: u32 },
    /// After an event.
    After(u32),
}

/// A message of an event, as its n-th from 0. The script is [`NONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) by: u32,
    pub(crate) nth: u32,
}

/// An event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    pub(crate) actor: ActorId,
    /// Its position on the lifeline, from 1.
    pub(crate) ordinal: u32,
    pub(crate) before: Life,
    pub(crate) origin: Origin,
    /// What the actor was, what it took, and the turn, as numbers of [`Tables`].
    pub(crate) local: u32,
    pub(crate) pending: u32,
    pub(crate) turn: u32,
}

/// Events by their numbers. The causes of an event have lower numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unfolding {
    pub(crate) events: Vec<Event>,
    numbers: HashMap<(Life, Origin), u32>,
}

/// The events that happened, and the state that they lead to.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    pub(crate) state: State,
    /// The point of each actor of the state on its lifeline.
    lives: Vec<Life>,
    /// The origin of each pending message of the state.
    origins: Vec<Origin>,
    /// The last events of disposed actors.
    ends: Vec<u32>,
    /// The sum over the events.
    pub(crate) fingerprint: Fingerprint,
}

impl Prefix {
    /// No event, in a state at the start.
    pub(crate) fn new(state: State) -> Prefix {
        let by = NONE;
        let actors = 0..state.actors.len() as u32;
        let messages = 0..state.pending.len() as u32;
        Prefix {
            lives: actors.map(|nth| Life::Created { by, nth }).collect(),
            origins: messages.map(|nth| Origin { by, nth }).collect(),
            ends: Vec::new(),
            fingerprint: 0,
            state,
        }
    }

    /// Takes the message in a place. Answers the event.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub(crate) fn take<P: Program>(
        &mut self,
        place: u32,
        unfolding: &mut Unfolding,
        tables: &mut Tables,
        program: &mut P,
    ) -> Result<u32, P::Error> {
        let pending = self.state.pending[place as usize];
        let actor = tables.target(pending);
        let taken = self.state.turn(place, tables, program)?;
        let Some(position) = self.state.position(actor, tables) else {
            return Ok(NONE);
        };
        let event = unfolding.event(Event {
            actor,
            ordinal: 0,
            before: self.lives[position],
            origin: self.origins[place as usize],
            local: self.state.actors[position],
            pending,
            turn: taken.turn,
        });
        self.fingerprint = self.fingerprint.wrapping_add(of_words([EVENT, event]));
        let turn = &tables.turns[taken.turn as usize];
        let kept = kept(&self.state, place, turn, tables);
        self.origins = kept.iter().map(|old| self.origins[*old]).collect();
        self.state.take(place, taken, tables);
        self.follow(event, position, turn, tables);
        Ok(event)
    }

    /// Lifelines, and origins of new messages, after a turn.
    fn follow(&mut self, event: u32, position: usize, turn: &Turn, tables: &Tables) {
        self.lives[position] = Life::After(event);
        if turn.is_disposal() {
            self.lives.remove(position);
            self.ends.push(event);
        }
        let created = 0..turn.created.len() as u32;
        let created = created.map(|nth| Life::Created { by: event, nth });
        self.lives.extend(created);
        for (nth, sent) in (0..).zip(&turn.sends) {
            if self.state.position(tables.target(*sent), tables).is_some() {
                self.origins.push(Origin { by: event, nth });
            }
        }
    }

    /// The actors, and how many messages each has taken.
    pub(crate) fn actors(&self, unfolding: &Unfolding) -> impl Iterator<Item = (u32, u32)> {
        let lives = self.state.actors.iter().zip(&self.lives);
        lives.map(|(local, life)| match life {
            Life::Created { .. } => (*local, 0),
            Life::After(event) => (*local, unfolding.events[*event as usize].ordinal),
        })
    }

    /// The pending messages and their origins.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (u32, Origin)> {
        let messages = self.state.pending.iter().zip(&self.origins);
        messages.map(|(pending, origin)| (*pending, *origin))
    }

    /// The events in the order of their numbers.
    pub(crate) fn events(&self, unfolding: &Unfolding) -> Vec<u32> {
        let mut events = Vec::new();
        let alive = self.lives.iter().copied();
        let ended = self.ends.iter().map(|event| Life::After(*event));
        for mut life in alive.chain(ended) {
            while let Life::After(event) = life {
                events.push(event);
                life = unfolding.events[event as usize].before;
            }
        }
        events.sort_unstable();
        events
    }
}

impl Unfolding {
    /// The number of an event with these causes.
    fn event(&mut self, event: Event) -> u32 {
        let next = self.events.len() as u32;
        let causes = (event.before, event.origin);
        let number = *self.numbers.entry(causes).or_insert(next);
        if number == next {
            let ordinal = match event.before {
                Life::Created { .. } => 1,
                Life::After(before) => self.events[before as usize].ordinal + 1,
            };
            self.events.push(Event { ordinal, ..event });
        }
        number
    }
}
