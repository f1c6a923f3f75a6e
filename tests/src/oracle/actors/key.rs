//! Equivalent states: equal keys have the same future.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Actor, Behaviour, Delivery, Fault, Message, Name, Outputs, Pending, State};

/// Which states are one. By default, those with the same actors, messages and outputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sameness {
    /// The contents of actors that no message can reach do not count.
    pub drops: bool,
    /// Which sender sent a message does not count if it sends no more. What a new actor knows does not count either: its
    /// first message knows the same.
    pub forgets: bool,
    /// How many actors an actor has made does not count. It decides names alone.
    pub renames: bool,
}

/// The messages of a target; of one sender, unless messages overtake each other or the sender is forgotten.
pub(super) type Channel = (Name, Option<Name>);

/// Pending messages, named by their places in channels.
type Known = BTreeSet<(Channel, usize)>;

/// Messages in their order, each with the messages that its receiver will know.
type Queues = BTreeMap<Channel, Vec<(Message, Known)>>;

/// What the future depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Behaviours, numbers of actors made, and the pending messages before whatever the actor sends next.
    actors: BTreeMap<Name, (Behaviour, u32, Known)>,
    /// Actors that no message can reach.
    waiting: BTreeSet<Name>,
    /// The messages of senders that count.
    pending: Queues,
    /// The messages of each forgotten sender, in any order.
    forgotten: Vec<Queues>,
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

    /// What the future depends on.
    pub(super) fn key(&self, delivery: Delivery, sameness: &Sameness) -> Key {
        let keyed = Keyed {
            state: self,
            channels: self.channels(delivery),
            is_causal: delivery == Delivery::Causal,
            sameness,
        };
        let reached = if sameness.drops {
            self.reached()
        } else {
            self.actors.keys().cloned().collect()
        };
        let (live, waiting): (Vec<_>, Vec<_>) = self
            .actors
            .iter()
            .partition(|(name, _)| reached.contains(name));
        let actors = live
            .into_iter()
            .map(|(name, actor)| (name.clone(), keyed.actor(actor)));
        let mut pending = Queues::new();
        let mut forgotten: BTreeMap<Channel, Queues> = BTreeMap::new();
        for (channel, queue) in &keyed.channels {
            let own = channel
                .1
                .as_ref()
                .filter(|sender| keyed.is_forgotten(sender));
            let queue = queue.iter().map(|index| keyed.message(*index, own));
            let queue = queue.collect();
            match own {
                // Without causal order, messages of one sender to several targets have nothing to do with each other.
                Some(_) => {
                    let target = if keyed.is_causal {
                        Name::default()
                    } else {
                        channel.0.clone()
                    };
                    let queues = forgotten.entry((target, channel.1.clone())).or_default();
                    queues.insert((channel.0.clone(), None), queue);
                }
                None => drop(pending.insert(channel.clone(), queue)),
            }
        }
        let mut forgotten: Vec<Queues> = forgotten.into_values().collect();
        forgotten.sort();
        let failure = self.failure.as_ref();
        Key {
            actors: actors.collect(),
            waiting: waiting.into_iter().map(|(name, _)| name.clone()).collect(),
            pending,
            forgotten,
            outputs: self.outputs.clone(),
            failure: failure.map(|failure| (failure.actor.clone(), failure.fault)),
        }
    }

    /// The pending messages of each channel, in the order of their sends. Messages that overtake each other have the order
    /// of their contents.
    fn channels(&self, delivery: Delivery) -> BTreeMap<Channel, Vec<usize>> {
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
        channels
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

/// A state whose key is made.
struct Keyed<'s> {
    state: &'s State,
    channels: BTreeMap<Channel, Vec<usize>>,
    is_causal: bool,
    sameness: &'s Sameness,
}

impl Keyed<'_> {
    fn actor(&self, actor: &Actor) -> (Behaviour, u32, Known) {
        let created = match self.sameness.renames {
            true => 0,
            false => actor.created,
        };
        let known = match self.sameness.forgets && actor.is_new() {
            true => Known::new(),
            false => self.known(None, |pending| actor.knows(pending)),
        };
        (actor.behaviour.clone(), created, known)
    }

    /// A message, and what its receiver will know: not only earlier messages, but all of the same event. `own` is a sender
    /// without a name.
    fn message(&self, index: usize, own: Option<&Name>) -> (Message, Known) {
        let pending = &self.state.pending[index];
        let known = self.known(own, |other| pending.knows(other));
        (pending.message.clone(), known)
    }

    fn known(&self, own: Option<&Name>, is_known: impl Fn(&Pending) -> bool) -> Known {
        let mut known = Known::new();
        if self.is_causal {
            for ((target, sender), queue) in &self.channels {
                let sender = sender.clone().filter(|sender| own != Some(sender));
                let places = queue.iter().enumerate();
                let places = places.filter(|(_, index)| is_known(&self.state.pending[**index]));
                let channel = (target.clone(), sender);
                known.extend(places.map(|(place, _)| (channel.clone(), place)));
            }
        }
        known
    }

    /// Whether a sender's name does not matter: it sends no more, and nothing of another sender is after its messages.
    fn is_forgotten(&self, sender: &Name) -> bool {
        let State {
            actors, pending, ..
        } = self.state;
        let mut own = pending.iter().filter(|one| one.sender.0 == *sender);
        let is_known = |own: &Pending| {
            let mut others = pending.iter().filter(|one| one.sender.0 != *sender);
            let mut actors = actors.values().filter(|actor| !actor.is_new());
            others.any(|other| other.knows(own)) || actors.any(|actor| actor.knows(own))
        };
        let is_alive = actors.contains_key(sender);
        self.sameness.forgets && !is_alive && !(self.is_causal && own.any(|own| is_known(own)))
    }
}
