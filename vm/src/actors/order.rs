//! Which of the pending messages arrives next: the oldest, one at random among those that a delivery allows, or the next of a schedule.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::{Actors, ROOT};
use crate::base::ActorId;
use crate::base::split_mix;

/// The order in which messages may arrive (document 002, section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageDelivery {
    /// Any order.
    Any,
    /// Messages of one sender to one target in the order in which they were sent.
    #[default]
    Fifo,
    /// Messages to one target in an order that agrees with the causal order of their sends.
    Causal,
}

/// Who decides which message arrives.
#[derive(Clone, Debug, Default)]
pub enum MessageOrder {
    /// The oldest one does.
    #[default]
    Oldest,
    /// Any one that the delivery allows, by random numbers of this seed.
    Random(MessageDelivery, u64),
    /// These, one after the other. Then the oldest.
    Named(VecDeque<NamedMessage>),
}

/// A message by the names of its actors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMessage {
    /// The actor that it goes to.
    pub target: String,
    /// Who sent it, and in which of its turns, from 1. None for the script.
    pub sender: Option<(String, u32)>,
    /// Which of the messages of that turn, or of the script, it is, from 1.
    pub nth: u32,
    /// What it says, for people.
    pub text: String,
}

/// Where a message comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sending {
    pub(crate) sender: ActorId,
    /// The sender's turn, from 1; 0 for the script.
    pub(crate) turn: u32,
    /// Which of the turn's messages it is, from 1.
    pub(crate) nth: u32,
    /// Which of all messages it is, from 1.
    number: u64,
    /// The last message of each actor that the sender knew of, by its number, if the order depends on it.
    knows: HashMap<u32, u64>,
}

/// A pending message, as far as its order depends on it.
pub(crate) struct Candidate<'c> {
    pub(crate) target: ActorId,
    pub(crate) sending: &'c Sending,
}

/// The order and its progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordering {
    pub(crate) order: MessageOrder,
    /// Random choices so far.
    choices: u64,
    /// Messages so far.
    sent: u64,
    /// What each actor knows: the last message of each actor, by its number.
    knowledge: HashMap<u32, HashMap<u32, u64>>,
    /// The last message of each turn of an actor. Messages leave at the end of a turn, so a receiver knows of all of them.
    ends: HashMap<(u32, u32), u64>,
    /// The message of a schedule that is not pending when it is to arrive.
    pub(crate) impossible: Option<String>,
}

impl Ordering {
    fn is_causal(&self) -> bool {
        matches!(self.order, MessageOrder::Random(MessageDelivery::Causal, _))
    }

    /// Notes a message that an actor sends.
    pub(super) fn sends(&mut self, sender: ActorId, turn: u32, nth: u32) -> Sending {
        self.sent += 1;
        let number = self.sent;
        let knows = match self.is_causal() {
            true => {
                self.ends.insert((sender.0, turn), number);
                let known = self.knowledge.entry(sender.0).or_default();
                let before = known.clone();
                known.insert(sender.0, number);
                before
            }
            false => HashMap::new(),
        };
        Sending {
            sender,
            turn,
            nth,
            number,
            knows,
        }
    }

    /// The actor takes a message: it knows what its sender knew.
    pub(crate) fn arrives(&mut self, target: ActorId, sending: &Sending) {
        if !self.is_causal() {
            return;
        }
        let known = self.knowledge.entry(target.0).or_default();
        let last = self.ends.get(&(sending.sender.0, sending.turn));
        let own = (sending.sender.0, last.copied().unwrap_or(sending.number));
        for (actor, number) in sending.knows.iter().map(|(a, n)| (*a, *n)).chain([own]) {
            let entry = known.entry(actor).or_insert(0);
            *entry = number.max(*entry);
        }
    }

    /// The place of the message that arrives next. There is one at least.
    pub(crate) fn next(&mut self, pending: &[Candidate<'_>], names: &Actors) -> Option<usize> {
        match &mut self.order {
            MessageOrder::Oldest => Some(0),
            MessageOrder::Random(delivery, seed) => {
                let allowed = allowed(*delivery, pending);
                let number = split_mix(*seed, self.choices) % allowed.len().max(1) as u64;
                self.choices += 1;
                allowed.get(number as usize).copied()
            }
            MessageOrder::Named(messages) => {
                let Some(wanted) = messages.pop_front() else {
                    return Some(0);
                };
                let found = pending.iter().position(|one| is_named(one, &wanted, names));
                if found.is_none() {
                    self.impossible = Some(wanted.text);
                }
                found
            }
        }
    }
}

/// The places of the messages that can arrive next.
fn allowed(delivery: MessageDelivery, pending: &[Candidate<'_>]) -> Vec<usize> {
    let is_before = |other: &Candidate<'_>, one: &Candidate<'_>| {
        if other.target != one.target {
            return false;
        }
        match delivery {
            MessageDelivery::Any => false,
            MessageDelivery::Fifo => {
                other.sending.sender == one.sending.sender
                    && other.sending.number < one.sending.number
            }
            MessageDelivery::Causal => {
                let known = one.sending.knows.get(&other.sending.sender.0);
                known.is_some_and(|number| *number >= other.sending.number)
            }
        }
    };
    let all = 0..pending.len();
    all.filter(|&place| {
        let one = &pending[place];
        pending.iter().all(|other| !is_before(other, one))
    })
    .collect()
}

fn is_named(one: &Candidate<'_>, wanted: &NamedMessage, names: &Actors) -> bool {
    let Sending {
        sender, turn, nth, ..
    } = one.sending;
    let is_from = match &wanted.sender {
        None => *sender == ROOT,
        Some((name, wanted)) => *sender != ROOT && turn == wanted && names.name(*sender) == *name,
    };
    is_from && *nth == wanted.nth && names.name(one.target) == wanted.target
}
