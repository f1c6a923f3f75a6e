//! Equivalent states: equal keys have the same future.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Behaviour, Delivery, Fault, Message, Name, Outputs, State};

/// The messages of a target; of one sender, unless messages overtake each other.
pub(super) type Channel = (Name, Option<Name>);

/// Pending messages, named by their places in channels.
type Known = BTreeSet<(Channel, usize)>;

/// What the future depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Behaviours, numbers of actors made, and the pending messages before whatever the actor sends next.
    actors: BTreeMap<Name, (Behaviour, u32, Known)>,
    /// Actors that no message can reach.
    waiting: BTreeSet<Name>,
    /// The messages, each with the messages sent before it.
    pending: BTreeMap<Channel, Vec<(Message, Known)>>,
    outputs: Outputs,
    /// The actor that failed, and why.
    failure: Option<(Name, Fault)>,
}

impl State {
    /// The channel of a pending message.
    pub(super) fn channel(&self, index: usize, delivery: Delivery) -> Channel {
        let pending = &self.pending[index];
        let sender = (delivery != Delivery::Any).then(|| pending.sender.0.clone());
        (pending.target.clone(), sender)
    }

    /// What the future depends on. `drops` leaves the contents of actors out that no message can reach.
    pub(super) fn key(&self, delivery: Delivery, drops: bool) -> Key {
        let mut channels: BTreeMap<Channel, Vec<usize>> = BTreeMap::new();
        for index in 0..self.pending.len() {
            let channel = self.channel(index, delivery);
            channels.entry(channel).or_default().push(index);
        }
        for queue in channels.values_mut() {
            queue.sort_by_key(|index| {
                let pending = &self.pending[*index];
                match delivery {
                    Delivery::Any => (Some(&pending.message), 0, 0),
                    _ => (None, pending.sender.1, pending.nth),
                }
            });
        }
        let known = |is_known: &dyn Fn(usize) -> bool| -> Known {
            if delivery != Delivery::Causal {
                return Known::new();
            }
            let places = channels.iter().flat_map(|(channel, queue)| {
                let queue = queue.iter().enumerate();
                queue.map(move |(place, index)| (*index, (channel.clone(), place)))
            });
            let places = places.filter(|(index, _)| is_known(*index));
            places.map(|(_, place)| place).collect()
        };
        let reached = if drops {
            self.reached()
        } else {
            self.actors.keys().cloned().collect()
        };
        let (live, waiting): (Vec<_>, Vec<_>) = self
            .actors
            .iter()
            .partition(|(name, _)| reached.contains(name));
        let actors = live.into_iter().map(|(name, actor)| {
            let known = known(&|index| actor.knows(&self.pending[index]));
            (
                name.clone(),
                (actor.behaviour.clone(), actor.created, known),
            )
        });
        let message = |index: &usize| {
            let pending = &self.pending[*index];
            let known = known(&|earlier| self.pending[earlier].is_before(pending));
            (pending.message.clone(), known)
        };
        let queues = channels
            .iter()
            .map(|(channel, queue)| (channel.clone(), queue.iter().map(message).collect()));
        let failure = self.failure.as_ref();
        Key {
            actors: actors.collect(),
            waiting: waiting.into_iter().map(|(name, _)| name.clone()).collect(),
            pending: queues.collect(),
            outputs: self.outputs.clone(),
            failure: failure.map(|failure| (failure.actor.clone(), failure.fault)),
        }
    }

    /// The actors that pending messages can reach.
    fn reached(&self) -> BTreeSet<Name> {
        let mut open: Vec<&Name> = Vec::new();
        for pending in &self.pending {
            open.push(&pending.target);
            open.extend(&pending.message.addresses);
        }
        let mut reached = BTreeSet::new();
        while let Some(name) = open.pop() {
            if let Some(actor) = self.actors.get(name)
                && reached.insert(name.clone())
            {
                open.extend(&actor.behaviour.addresses);
            }
        }
        reached
    }
}
