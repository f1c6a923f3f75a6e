//! Which part of a state is which part of an equal state. Equal states may have their actors and messages in other orders. Messages
//! whose senders are disposed may have other senders.

use hashbrown::HashMap;

use crate::fingerprint::{Fingerprint, chained, of_words};
use crate::state::{Delivery, State};
use crate::tables::{Tables, Turn};

/// For each part of a state, the place of the same part in an equal state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matching {
    pub(crate) actors: Vec<usize>,
    pub(crate) pending: Vec<usize>,
}

/// For each part of the state `to`, its place in the equal state `from`.
pub(crate) fn matching(from: &State, to: &State, delivery: Delivery, tables: &Tables) -> Matching {
    if from == to {
        return Matching {
            actors: (0..to.actors.len()).collect(),
            pending: (0..to.pending.len()).collect(),
        };
    }
    let actors = to.actors.iter().map(|local| {
        let actor = tables.actor(*local);
        from.position(actor, tables).unwrap_or(0)
    });
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    for (place, key) in keys(from, delivery, tables).into_iter().enumerate().rev() {
        places.entry(key).or_default().push(place);
    }
    let keys = keys(to, delivery, tables).into_iter();
    let pending = keys.map(|key| places.get_mut(&key).and_then(Vec::pop).unwrap_or(0));
    Matching {
        actors: actors.collect(),
        pending: pending.collect(),
    }
}

/// For each pending message, what it shares only with messages that may stand for it. Messages of a channel keep together.
fn keys(state: &State, delivery: Delivery, tables: &Tables) -> Vec<Fingerprint> {
    let parts = state.parts(delivery, tables);
    if delivery == Delivery::Any {
        return parts;
    }
    // The last part of a channel, or of a sender with causal order, has all parts before it.
    let group = |pending: u32| match delivery {
        Delivery::Causal => {
            let sender = tables.pendings.values[pending as usize].sender;
            sender.map_or(0, |sender| sender.0)
        }
        _ => tables.channel_of[pending as usize],
    };
    let groups = state.pending.iter().map(|pending| group(*pending));
    let groups: Vec<u32> = groups.collect();
    let last: HashMap<u32, Fingerprint> = groups.iter().copied().zip(parts).collect();
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let keys = groups.iter().map(|group| {
        let count = counts.entry(*group).or_insert(0);
        *count += 1;
        chained(last[group], of_words([*count]))
    });
    keys.collect()
}

/// The places of the messages that stay pending when a turn takes one. They keep their order, and come before the turn's own messages.
pub(crate) fn kept(state: &State, place: u32, turn: &Turn, tables: &Tables) -> Vec<usize> {
    let actor = tables.target(state.pending[place as usize]);
    let stays = |old: &usize| {
        let is_lost = turn.is_disposal() && tables.target(state.pending[*old]) == actor;
        *old != place as usize && !is_lost
    };
    (0..state.pending.len()).filter(stays).collect()
}
