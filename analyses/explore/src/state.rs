//! A state of an exploration: what each actor is, the pending messages, and what was written. States are lists of numbers of
//! [`Tables`]. This file has their choices, their successors and their fingerprints.

use crate::causal::Pasts;
use crate::fingerprint::{Fingerprint, chained, of_words};
use crate::names::ActorId;
use crate::program::Program;
use crate::tables::{NONE, Tables};

/// The order in which messages may arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// Any order.
    Any,
    /// Messages of one sender to one target arrive in the order in which they were sent.
    #[default]
    Fifo,
    /// Messages to one target arrive in an order that agrees with the causal order of their sends.
    Causal,
}

impl Delivery {
    /// The delivery with this name.
    pub fn named(name: &str) -> Option<Delivery> {
        let mut all = [Delivery::Any, Delivery::Fifo, Delivery::Causal].into_iter();
        all.find(|one| one.name() == name)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Delivery::Any => "any",
            Delivery::Fifo => "fifo",
            Delivery::Causal => "causal",
        }
    }

    /// Whether the senders of pending messages decide the future.
    pub(crate) fn has_senders(self) -> bool {
        self != Delivery::Any
    }
}

/// The kind of a failure, for fingerprints. Other kinds are in `tables` and `causal`.
const FAILED: u32 = 4;

/// A state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct State {
    /// What each actor is that is not disposed, as numbers of `Tables::locals`.
    pub(crate) actors: Vec<u32>,
    /// The pending messages from the oldest on, as numbers of `Tables::pendings`.
    pub(crate) pending: Vec<u32>,
    /// The outputs of each actor that has some, as numbers of `Tables::writings`.
    pub(crate) outputs: Vec<u32>,
    /// The actor whose turn failed, and the text of the error.
    pub(crate) failed: Option<(ActorId, u32)>,
    /// The past of each actor and message, if the delivery is causal.
    pub(crate) pasts: Option<Pasts>,
}

/// A turn with what is written after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The turn, as a number of `Tables::turns`.
    pub(crate) turn: u32,
    /// What the actor has written then, as a number of `Tables::writings`.
    pub(crate) written: u32,
}

/// Memory that is used again for each state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// When a message, channel or actor was last seen.
    seen: Vec<u32>,
    /// The fingerprint of each channel.
    chains: Vec<Fingerprint>,
    is_alive: Vec<u32>,
    now: u32,
}

impl Scratch {
    fn begin(&mut self, tables: &Tables) {
        if self.now == u32::MAX {
            self.seen.fill(0);
            self.is_alive.fill(0);
            self.now = 0;
        }
        self.now += 1;
        let messages = tables.pendings.values.len();
        if self.seen.len() < messages {
            self.seen.resize(messages, 0);
            self.chains.resize(messages, 0);
        }
        if self.is_alive.len() < tables.names.count() {
            self.is_alive.resize(tables.names.count(), 0);
        }
    }

    /// Whether the number is seen for the first time since the beginning.
    fn is_first(&mut self, number: u32) -> bool {
        let when = &mut self.seen[number as usize];
        let is_first = *when != self.now;
        *when = self.now;
        is_first
    }

    /// The fingerprint of a channel with one more message. The name of a sender that is disposed does not matter: it sends no more.
    fn continued(&mut self, pending: u32, tables: &Tables) -> Fingerprint {
        let place = pending as usize;
        let channel = tables.channel_of[place];
        let sender = tables.pendings.values[place].sender;
        let is_alive = sender.is_some_and(|of| self.is_alive[of.0 as usize] == self.now);
        let part = match is_alive {
            true => tables.pendings.fingerprints[place],
            false => tables.anonymous[place],
        };
        let list = match self.is_first(channel) {
            true => part,
            false => chained(self.chains[channel as usize], part),
        };
        self.chains[channel as usize] = list;
        list
    }
}

impl State {
    /// The state at the start.
    pub(crate) fn start(actors: Vec<u32>, pending: Vec<u32>, delivery: Delivery) -> State {
        let is_causal = delivery == Delivery::Causal;
        State {
            pasts: is_causal.then(|| Pasts::start(actors.len(), pending.len() as u32)),
            actors,
            pending,
            ..State::default()
        }
    }

    /// Becomes a copy of another state, in the memory that it has.
    pub(crate) fn copy(&mut self, other: &State) {
        self.actors.clone_from(&other.actors);
        self.pending.clone_from(&other.pending);
        self.outputs.clone_from(&other.outputs);
        self.failed = other.failed;
        self.pasts.clone_from(&other.pasts);
    }

    /// The positions in `pending` of the messages that the delivery lets arrive next, from the oldest on. Of equal messages there is one.
    pub(crate) fn choices(
        &self,
        delivery: Delivery,
        tables: &Tables,
        scratch: &mut Scratch,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        if self.failed.is_some() {
            return;
        }
        scratch.begin(tables);
        for (place, pending) in self.pending.iter().enumerate() {
            let can_arrive = match (delivery, &self.pasts) {
                (Delivery::Any, _) => scratch.is_first(*pending),
                (Delivery::Causal, Some(pasts)) => pasts.can_arrive(place, self, tables),
                _ => scratch.is_first(tables.channel_of[*pending as usize]),
            };
            if can_arrive {
                found.push(place as u32);
            }
        }
        tables.restrict(&self.pending, found);
    }

    /// As [`State::choices`], but of equal messages each is there.
    pub(crate) fn arrivals(
        &self,
        delivery: Delivery,
        tables: &Tables,
        scratch: &mut Scratch,
        found: &mut Vec<u32>,
    ) {
        match delivery {
            Delivery::Any if self.failed.is_none() => {
                found.clear();
                found.extend(0..self.pending.len() as u32);
                tables.restrict(&self.pending, found);
            }
            _ => self.choices(delivery, tables, scratch, found),
        }
    }

    /// How many messages of this number are pending.
    pub(crate) fn multiplicity(&self, pending: u32) -> u32 {
        let equal = self.pending.iter().filter(|other| **other == pending);
        equal.count() as u32
    }

    /// The position of an actor in `actors`, unless it is disposed.
    pub(crate) fn position(&self, actor: ActorId, tables: &Tables) -> Option<usize> {
        let mut actors = self.actors.iter();
        actors.position(|local| tables.actor(*local) == actor)
    }

    /// The actor that takes the pending message in a place, as its local state.
    pub(crate) fn local(&self, place: u32, tables: &Tables) -> u32 {
        let target = tables.target(self.pending[place as usize]);
        let position = self.position(target, tables);
        position.map_or(NONE, |position| self.actors[position])
    }

    /// What an actor has written so far.
    pub(crate) fn written(&self, actor: ActorId, tables: &Tables) -> u32 {
        let mut lists = self.outputs.iter();
        let found = lists.find(|list| tables.writings[**list as usize].actor == actor);
        found.copied().unwrap_or(NONE)
    }

    /// The turn that takes the pending message in a place, if the tables know all of it.
    pub(crate) fn known(&self, place: u32, tables: &Tables) -> Option<Taken> {
        let local = self.local(place, tables);
        let turn = tables.known_turn(local, self.pending[place as usize])?;
        let mut written = NONE;
        if !tables.turns[turn as usize].outputs.is_empty() {
            let actor = tables.actor(local);
            written = tables.known_outputs(actor, self.written(actor, tables), turn)?;
        }
        Some(Taken { turn, written })
    }

    /// The turn that takes the pending message in a place.
    ///
    /// # Errors
    ///
    /// Those of the program, which executes the turn if the tables do not know it.
    pub(crate) fn turn<P: Program>(
        &self,
        place: u32,
        tables: &mut Tables,
        program: &mut P,
    ) -> Result<Taken, P::Error> {
        let local = self.local(place, tables);
        let turn = tables.turn(program, local, self.pending[place as usize])?;
        let mut written = NONE;
        if !tables.turns[turn as usize].outputs.is_empty() {
            let actor = tables.actor(local);
            written = tables.with_outputs(actor, self.written(actor, tables), turn);
        }
        Ok(Taken { turn, written })
    }

    /// Takes the pending message in a place. Answers how many messages were lost because their target is disposed.
    pub(crate) fn take(&mut self, place: u32, taken: Taken, tables: &Tables) -> u32 {
        let actor = tables.target(self.pending[place as usize]);
        let Some(position) = self.position(actor, tables) else {
            return 0;
        };
        let turn = &tables.turns[taken.turn as usize];
        if let Some(mut pasts) = self.pasts.take() {
            pasts.receive(place as usize, position, self, tables);
            self.pasts = Some(pasts);
        }
        self.pending.remove(place as usize);
        self.write(actor, taken.written, tables);
        let is_disposed = turn.is_disposal();
        let mut lost = 0;
        match turn {
            turn if turn.failure != NONE => self.failed = Some((actor, turn.failure)),
            _ if is_disposed => lost += self.dispose(actor, position, tables),
            turn => self.actors[position] = turn.next,
        }
        self.actors.extend_from_slice(&turn.created);
        let before = self.pending.len();
        for sent in &turn.sends {
            match self.position(tables.target(*sent), tables) {
                Some(_) => self.pending.push(*sent),
                None => lost += 1,
            }
        }
        if let Some(pasts) = &mut self.pasts {
            let sent = self.pending.len() - before;
            pasts.act(actor, position, is_disposed, (turn.created.len(), sent));
        }
        lost
    }

    /// Removes an actor and the messages to it. Answers how many these were.
    fn dispose(&mut self, actor: ActorId, position: usize, tables: &Tables) -> u32 {
        self.actors.remove(position);
        let mut lost = 0;
        let mut place = 0;
        while place < self.pending.len() {
            if tables.target(self.pending[place]) == actor {
                if let Some(mut pasts) = self.pasts.take() {
                    pasts.remove(place, self, tables);
                    self.pasts = Some(pasts);
                }
                self.pending.remove(place);
                lost += 1;
            } else {
                place += 1;
            }
        }
        lost
    }

    fn write(&mut self, actor: ActorId, written: u32, tables: &Tables) {
        if written == NONE {
            return;
        }
        let mut lists = self.outputs.iter();
        match lists.position(|list| tables.writings[*list as usize].actor == actor) {
            Some(place) => self.outputs[place] = written,
            None => self.outputs.push(written),
        }
    }

    /// The fingerprint after a turn that changes nothing but its actor, new actors and messages, when messages have no order. The state has
    /// the fingerprint `before`. None if the turn does more.
    pub(crate) fn simple_next(
        &self,
        before: Fingerprint,
        place: u32,
        taken: Taken,
        tables: &Tables,
    ) -> Option<Fingerprint> {
        let turn = &tables.turns[taken.turn as usize];
        if turn.next == NONE || turn.failure != NONE || !turn.outputs.is_empty() {
            return None;
        }
        let is_lost = |sent: &u32| {
            let target = tables.target(*sent);
            let mut created = turn.created.iter();
            let is_new = created.any(|local| tables.actor(*local) == target);
            !is_new && self.position(target, tables).is_none()
        };
        if tables.has_disposals && turn.sends.iter().any(is_lost) {
            return None;
        }
        let locals = &tables.locals.fingerprints;
        let messages = &tables.pendings.fingerprints;
        let taken = messages[self.pending[place as usize] as usize];
        let mut sum = before.wrapping_sub(taken);
        sum = sum.wrapping_sub(locals[self.local(place, tables) as usize]);
        sum = sum.wrapping_add(locals[turn.next as usize]);
        let created = turn.created.iter().map(|local| locals[*local as usize]);
        let sent = turn.sends.iter().map(|sent| messages[*sent as usize]);
        Some(created.chain(sent).fold(sum, Fingerprint::wrapping_add))
    }

    /// The fingerprint. Equal states have equal ones, whatever the order of their parts.
    pub(crate) fn fingerprint(
        &self,
        delivery: Delivery,
        tables: &Tables,
        scratch: &mut Scratch,
    ) -> Fingerprint {
        let mut sum: Fingerprint = 0;
        let mut add = |part: Fingerprint| sum = sum.wrapping_add(part);
        for local in &self.actors {
            add(tables.locals.fingerprints[*local as usize]);
        }
        for list in &self.outputs {
            add(tables.written[*list as usize]);
        }
        if let Some((actor, text)) = self.failed {
            add(of_words([FAILED, actor.0, text]));
        }
        self.add_parts(delivery, tables, scratch, &mut add);
        if let Some(pasts) = &self.pasts {
            pasts.add_actors(self, tables, &mut add);
        }
        sum
    }

    /// Adds the fingerprint of each pending message, in order.
    fn add_parts(
        &self,
        delivery: Delivery,
        tables: &Tables,
        scratch: &mut Scratch,
        add: &mut impl FnMut(Fingerprint),
    ) {
        let messages = self.pending.iter();
        match (delivery, &self.pasts) {
            (Delivery::Any, _) => {
                messages.for_each(|one| add(tables.pendings.fingerprints[*one as usize]));
            }
            (Delivery::Causal, Some(pasts)) => pasts.add_messages(self, tables, add),
            _ => {
                scratch.begin(tables);
                for local in &self.actors {
                    scratch.is_alive[tables.actor(*local).0 as usize] = scratch.now;
                }
                messages.for_each(|one| add(scratch.continued(*one, tables)));
            }
        }
    }

    /// The fingerprint of each pending message, in order.
    pub(crate) fn parts(&self, delivery: Delivery, tables: &Tables) -> Vec<Fingerprint> {
        let mut parts = Vec::new();
        let mut add = |part| parts.push(part);
        self.add_parts(delivery, tables, &mut Scratch::default(), &mut add);
        parts
    }
}
