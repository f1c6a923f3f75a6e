//! Causal delivery: which sends come before an actor's next turn, and before the send of a pending message.
//!
//! Only pending messages matter. Those of one sender are ordered by age, and a past that contains one contains all older ones of the same
//! sender. A number for each sender is therefore enough. The order is that of the paper: of whole turns, and within a turn that of its sends.
//!
//! Actors have a past because two states with the same messages differ if an actor's next message comes behind one of these in one state
//! only. An actor without a turn needs no past: the sender of its first message knows of its creation. States are kept apart that
//! differ only in the order in which one turn sent to several targets, although they have the same future.

use crate::fingerprint::{Fingerprint, chained, of_words};
use crate::names::{ActorId, SCRIPT};
use crate::state::State;
use crate::tables::{NONE, Tables};

/// How many pending messages of each sender were sent before, for the senders that have some, in order.
pub(crate) type Past = Vec<(u32, u32)>;

/// Kinds of parts, for fingerprints.
const OF_ACTOR: u32 = 5;
const OF_MESSAGE: u32 = 6;

/// The pasts of a state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pasts {
    /// Of each actor.
    pub(crate) actors: Vec<Past>,
    /// Of each pending message. Messages of the same turn have the same.
    pub(crate) messages: Vec<Past>,
}

impl Pasts {
    /// At the start, after the script has sent some messages.
    pub(crate) fn start(actors: usize, messages: u32) -> Pasts {
        let all = vec![(SCRIPT.0, messages)];
        Pasts {
            actors: vec![Past::new(); actors],
            messages: vec![all; messages as usize],
        }
    }

    /// Whether no message to the same target was sent before the message in a place.
    pub(crate) fn can_arrive(&self, place: usize, state: &State, tables: &Tables) -> bool {
        let target = tables.target(state.pending[place]);
        let own = sender(state.pending[place], tables);
        let past = &self.messages[place];
        let count = |sender: u32| {
            let mut known = past.iter().filter(|(of, _)| *of == sender);
            known.next().map_or(0, |(_, count)| *count)
        };
        (0..state.pending.len()).all(|other| {
            if other == place || tables.target(state.pending[other]) != target {
                return true;
            }
            let of = sender(state.pending[other], tables);
            let is_before = match of == own {
                true => other < place,
                false => rank(other, state, tables) < count(of),
            };
            !is_before
        })
    }

    /// Without the message in a place, which is still in the state. Its receiver knows the message's past.
    pub(crate) fn receive(
        &mut self,
        place: usize,
        position: usize,
        state: &State,
        tables: &Tables,
    ) {
        let past = self.remove(place, state, tables);
        join(&mut self.actors[position], &past);
    }

    /// Without the message in a place, which is still in the state. Answers the past of that message.
    pub(crate) fn remove(&mut self, place: usize, state: &State, tables: &Tables) -> Past {
        let of = sender(state.pending[place], tables);
        let rank = rank(place, state, tables);
        for past in self.actors.iter_mut().chain(&mut self.messages) {
            for (known, count) in past.iter_mut() {
                if *known == of && *count > rank {
                    *count -= 1;
                }
            }
            past.retain(|(_, count)| *count > 0);
        }
        self.messages.remove(place)
    }

    /// After a turn of the actor at a position, which created actors and sent messages.
    pub(crate) fn act(
        &mut self,
        actor: ActorId,
        position: usize,
        is_disposed: bool,
        (created, sent): (usize, usize),
    ) {
        let past = &mut self.actors[position];
        // The actor knows of all that it sent before, so that its new messages come behind these.
        if sent > 0 {
            match past.iter_mut().find(|(of, _)| *of == actor.0) {
                Some((_, count)) => *count += sent as u32,
                None => past.push((actor.0, sent as u32)),
            }
            past.sort_unstable();
        }
        let past = past.clone();
        if is_disposed {
            self.actors.remove(position);
        }
        let actors = self.actors.len() + created;
        self.actors.resize(actors, Past::new());
        let messages = self.messages.len() + sent;
        self.messages.resize(messages, past);
    }

    /// Adds the fingerprints of the pasts of actors.
    pub(crate) fn add_actors(
        &self,
        state: &State,
        tables: &Tables,
        add: &mut impl FnMut(Fingerprint),
    ) {
        for (local, past) in state.actors.iter().zip(&self.actors) {
            if !past.is_empty() {
                let head = [OF_ACTOR, tables.actor(*local).0];
                add(of_words(head.into_iter().chain(flat(past, NONE))));
            }
        }
    }

    /// Adds the fingerprint of each pending message with its past.
    pub(crate) fn add_messages(
        &self,
        state: &State,
        tables: &Tables,
        add: &mut impl FnMut(Fingerprint),
    ) {
        let mut lists: Vec<(u32, bool, Fingerprint)> = Vec::new();
        for (place, past) in self.messages.iter().enumerate() {
            let pending = state.pending[place];
            let of = sender(pending, tables);
            let known = lists.iter().position(|(other, ..)| *other == of);
            let number = known.unwrap_or_else(|| {
                let seed = of_words([OF_MESSAGE]);
                lists.push((of, self.is_anonymous(of, state, tables), seed));
                lists.len() - 1
            });
            let (_, is_anonymous, list) = &mut lists[number];
            let (fingerprint, own) = match is_anonymous {
                true => (tables.anonymous[pending as usize], of),
                false => (tables.pendings.fingerprints[pending as usize], NONE),
            };
            *list = chained(chained(*list, fingerprint), of_words(flat(past, own)));
            add(*list);
        }
    }

    /// Whether the name of a sender does not matter: it sends no more, and no other past has its messages.
    fn is_anonymous(&self, of: u32, state: &State, tables: &Tables) -> bool {
        let has = |past: &Past| past.iter().any(|(known, _)| *known == of);
        let mut alive = state.actors.iter();
        let mut messages = state.pending.iter().zip(&self.messages);
        !alive.any(|local| tables.actor(*local).0 == of)
            && !self.actors.iter().any(has)
            && !messages.any(|(pending, past)| sender(*pending, tables) != of && has(past))
    }
}

/// A past as a list of numbers. The sender `own` has no name.
fn flat(past: &Past, own: u32) -> impl Iterator<Item = u32> {
    let name = move |of: u32| if of == own { NONE } else { of };
    let named = past.iter().filter(move |(of, _)| *of != own);
    let own_count = past.iter().filter(move |(of, _)| *of == own);
    let pairs = own_count.chain(named);
    pairs.flat_map(move |(of, count)| [name(*of), *count])
}

/// The larger one of two pasts, for each sender.
fn join(past: &mut Past, other: &Past) {
    for (of, count) in other {
        match past.iter_mut().find(|(known, _)| known == of) {
            Some((_, known)) => *known = (*known).max(*count),
            None => past.push((*of, *count)),
        }
    }
    past.sort_unstable();
}

/// Who sent a pending message.
fn sender(pending: u32, tables: &Tables) -> u32 {
    let sender = tables.pendings.values[pending as usize].sender;
    sender.map_or(NONE, |sender| sender.0)
}

/// How many pending messages of the same sender are older.
fn rank(place: usize, state: &State, tables: &Tables) -> u32 {
    let of = sender(state.pending[place], tables);
    let older = state.pending[..place].iter();
    older.filter(|other| sender(**other, tables) == of).count() as u32
}
