//! Numbers for everything that states consist of: what an actor is, pending messages, outputs and turns. A turn is executed once for each
//! behaviour, message and pattern of equal addresses, and its effect is kept.

use hashbrown::{HashMap, HashSet, HashTable};

use crate::fingerprint::{Fingerprint, chained, of_pair, of_words, short};
use crate::names::{ActorId, Names, SCRIPT};
use crate::policy::{Marks, Policy, restrict};
use crate::program::{Becomes, Effect, Place, Program, Start, Step, TurnEnding};

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// The kinds of parts, for fingerprints.
const LOCAL: u32 = 1;
const PENDING: u32 = 2;
const OUTPUT: u32 = 3;

/// What an actor is between two turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) actor: ActorId,
    pub(crate) behaviour: u32,
    pub(crate) slots: Box<[ActorId]>,
    /// How many actors it has created. It decides names only: see [`Tables::confuse_names`].
    pub(crate) created: u32,
}

/// A pending message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) target: ActorId,
    /// Who sent it, unless any order of delivery is possible.
    pub(crate) sender: Option<ActorId>,
    pub(crate) message: u32,
    pub(crate) slots: Box<[ActorId]>,
}

/// A turn of a certain actor.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// What the actor is afterwards: [`NONE`] if it is disposed.
    pub(crate) next: u32,
    /// What the created actors are.
    pub(crate) created: Box<[u32]>,
    /// The messages that it sends.
    pub(crate) sends: Box<[u32]>,
    /// The outputs that it writes.
    pub(crate) outputs: Box<[u32]>,
    /// The message of an error that ends it, or [`NONE`].
    pub(crate) failure: u32,
    /// Its effect, for costs.
    pub(crate) effect: u32,
}

impl Turn {
    /// Whether the actor takes no more messages.
    pub(crate) fn is_disposal(&self) -> bool {
        self.next == NONE && self.failure == NONE
    }
}

/// A list of outputs of one actor: the last one, and the list before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub(crate) actor: ActorId,
    pub(crate) before: u32,
    pub(crate) output: u32,
}

/// Values with their fingerprints, which stand for them. Equal values have equal numbers.
#[derive(Debug, Clone)]
pub(crate) struct Numbered<T> {
    pub(crate) values: Vec<T>,
    pub(crate) fingerprints: Vec<Fingerprint>,
    numbers: HashTable<u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered {
            values: Vec::new(),
            fingerprints: Vec::new(),
            numbers: HashTable::new(),
        }
    }
}

/// What a value's place in the table depends on besides its fingerprint.
pub(crate) trait Salted: PartialEq {
    fn salt(&self) -> u64 {
        0
    }
}

impl Salted for Pending {}

impl Salted for Local {
    fn salt(&self) -> u64 {
        of_pair(self.created, LOCAL)
    }
}

impl<T: Salted> Numbered<T> {
    fn number(&mut self, value: T, fingerprint: Fingerprint) -> u32 {
        let Numbered {
            values,
            fingerprints,
            numbers,
        } = self;
        let hash = short(fingerprint) ^ value.salt();
        let is_equal = |other: &u32| values[*other as usize] == value;
        if let Some(number) = numbers.find(hash, is_equal) {
            return *number;
        }
        let number = values.len() as u32;
        values.push(value);
        fingerprints.push(fingerprint);
        numbers.insert_unique(hash, number, |other| {
            short(fingerprints[*other as usize]) ^ values[*other as usize].salt()
        });
        number
    }
}

/// All tables of an exploration.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub(crate) names: Names,
    pub(crate) locals: Numbered<Local>,
    /// The actor of each of them.
    local_actors: Vec<ActorId>,
    pub(crate) pendings: Numbered<Pending>,
    /// The fingerprint of each pending message without its sender.
    pub(crate) anonymous: Vec<Fingerprint>,
    /// The channel of each pending message: its target and sender, as a number.
    pub(crate) channel_of: Vec<u32>,
    channels: HashMap<(u32, u32), u32>,
    pub(crate) writings: Vec<Written>,
    pub(crate) written: Vec<Fingerprint>,
    writing_numbers: HashMap<(u32, u32, u32), u32>,
    pub(crate) turns: Vec<Turn>,
    /// What the actor was and which message it took, of each turn.
    pub(crate) turn_keys: Vec<(u32, u32)>,
    turn_numbers: HashTable<(u32, u32, u32)>,
    pub(crate) effects: Vec<Effect>,
    effect_numbers: HashMap<(u32, u32, Box<[u32]>), u32>,
    /// What the user says of the order of messages.
    policy: Policy,
    /// The marks of each pending message, if there is a policy.
    marks: Vec<Marks>,
    /// Whether senders belong to pending messages.
    has_senders: bool,
    /// Whether numbers of creations are part of fingerprints.
    has_creations: bool,
    /// The fingerprints of locals, until two of them differ in their numbers of creations only.
    contents: HashSet<Fingerprint>,
    has_twins: bool,
    /// Whether results name an actor that another actor created.
    has_named: bool,
    /// Whether a turn disposes of its actor. Messages may have no target then.
    pub(crate) has_disposals: bool,
}

impl Tables {
    /// Tables of a program. Senders belong to pending messages if the delivery depends on them.
    pub(crate) fn new(
        start: &Start,
        policy: &Policy,
        has_senders: bool,
        has_creations: bool,
    ) -> Tables {
        Tables {
            policy: policy.clone(),
            marks: Vec::new(),
            names: Names::new(start.actors.len()),
            locals: Numbered::default(),
            local_actors: Vec::new(),
            pendings: Numbered::default(),
            anonymous: Vec::new(),
            channel_of: Vec::new(),
            channels: HashMap::new(),
            writings: Vec::new(),
            written: Vec::new(),
            writing_numbers: HashMap::new(),
            turns: Vec::new(),
            turn_keys: Vec::new(),
            turn_numbers: HashTable::new(),
            effects: Vec::new(),
            effect_numbers: HashMap::new(),
            has_senders,
            has_creations,
            contents: HashSet::new(),
            has_twins: false,
            has_named: false,
            has_disposals: false,
        }
    }

    /// Whether states with equal fingerprints may lead to results with different names. States that differ in numbers of creations only have
    /// the same future, except for the names of new actors. They are therefore equal at first: a server that creates a worker for each
    /// message then has finitely many states. When a created actor writes or fails, its name is part of a result. The numbers must then be
    /// part of fingerprints.
    pub(crate) fn confuse_names(&self) -> bool {
        !self.has_creations && self.has_twins && self.has_named
    }

    /// Whether numbers of creations are part of fingerprints.
    pub(crate) fn has_creations(&self) -> bool {
        self.has_creations
    }

    /// The actors and messages of the start.
    pub(crate) fn start(&mut self, start: &Start) -> (Vec<u32>, Vec<u32>) {
        let ordinals = 1..=start.actors.len() as u32;
        let ids: Vec<ActorId> = ordinals.map(|n| self.names.created(SCRIPT, n)).collect();
        let found = |slots: &[u32]| slots.iter().map(|slot| ids[*slot as usize]).collect();
        let mut actors = Vec::new();
        for (actor, id) in start.actors.iter().zip(&ids) {
            actors.push(self.local(Local {
                actor: *id,
                behaviour: actor.behaviour,
                slots: found(&actor.slots),
                created: 0,
            }));
        }
        let mut pending = Vec::new();
        for message in &start.messages {
            let to = ids[message.to as usize];
            pending.push(self.pending(to, SCRIPT, message.message, found(&message.slots)));
        }
        (actors, pending)
    }

    fn local(&mut self, local: Local) -> u32 {
        let created = if self.has_creations { local.created } else { 0 };
        let head = [LOCAL, local.actor.0, local.behaviour, created];
        let fingerprint = of_words(
            head.into_iter()
                .chain(local.slots.iter().map(|slot| slot.0)),
        );
        let actor = local.actor;
        let number = self.locals.number(local, fingerprint);
        if number as usize == self.local_actors.len() {
            self.local_actors.push(actor);
            if !self.has_creations && !self.has_twins {
                self.has_twins = !self.contents.insert(fingerprint);
            }
        }
        number
    }

    fn pending(
        &mut self,
        target: ActorId,
        sender: ActorId,
        message: u32,
        slots: Box<[ActorId]>,
    ) -> u32 {
        let sender = self.has_senders.then_some(sender);
        let channel = (target.0, sender.map_or(NONE, |sender| sender.0));
        let of_sender = |sender: u32| {
            let head = [PENDING, target.0, sender, message].into_iter();
            of_words(head.chain(slots.iter().map(|slot| slot.0)))
        };
        let (fingerprint, anonymous) = (of_sender(channel.1), of_sender(NONE));
        let pending = Pending {
            target,
            sender,
            message,
            slots,
        };
        let number = self.pendings.number(pending, fingerprint);
        if number as usize == self.channel_of.len() {
            let next = self.channels.len() as u32;
            self.anonymous.push(anonymous);
            self.channel_of
                .push(*self.channels.entry(channel).or_insert(next));
        }
        number
    }

    /// The outputs of an actor with one more.
    pub(crate) fn with_output(&mut self, actor: ActorId, before: u32, output: u32) -> u32 {
        let next = self.writings.len() as u32;
        let key = (actor.0, before, output);
        let number = *self.writing_numbers.entry(key).or_insert(next);
        if number == next {
            self.has_named |= !self.names.is_of_script(actor);
            let list = self.written.get(before as usize).copied().unwrap_or(0);
            let last = of_words([OUTPUT, actor.0, output]);
            self.written.push(chained(list, last));
            self.writings.push(Written {
                actor,
                before,
                output,
            });
        }
        number
    }

    /// The outputs of an actor after a turn.
    pub(crate) fn with_outputs(&mut self, actor: ActorId, before: u32, turn: u32) -> u32 {
        let mut list = before;
        for place in 0..self.turns[turn as usize].outputs.len() {
            let output = self.turns[turn as usize].outputs[place];
            list = self.with_output(actor, list, output);
        }
        list
    }

    /// The outputs of an actor after a turn, if they are known.
    pub(crate) fn known_outputs(&self, actor: ActorId, before: u32, turn: u32) -> Option<u32> {
        let mut outputs = self.turns[turn as usize].outputs.iter();
        outputs.try_fold(before, |list, output| {
            self.writing_numbers.get(&(actor.0, list, *output)).copied()
        })
    }

    /// The outputs of a list, in order.
    pub(crate) fn outputs(&self, mut list: u32) -> Vec<u32> {
        let mut outputs = Vec::new();
        while let Some(written) = self.writings.get(list as usize) {
            outputs.push(written.output);
            list = written.before;
        }
        outputs.reverse();
        outputs
    }

    /// The turn of an actor that takes a message, if it is known.
    pub(crate) fn known_turn(&self, local: u32, pending: u32) -> Option<u32> {
        let is_equal = |one: &(u32, u32, u32)| (one.0, one.1) == (local, pending);
        let found = self.turn_numbers.find(of_pair(local, pending), is_equal);
        found.map(|one| one.2)
    }

    /// The turn of an actor that takes a message.
    pub(crate) fn turn<P: Program>(
        &mut self,
        program: &mut P,
        local: u32,
        pending: u32,
    ) -> Result<u32, P::Error> {
        if let Some(turn) = self.known_turn(local, pending) {
            return Ok(turn);
        }
        let places = self.places(local, pending);
        let effect = self.effect(program, local, pending, &places)?;
        let turn = self.concrete(local, effect, places);
        self.mark(program);
        let number = self.turns.len() as u32;
        self.has_disposals |= turn.is_disposal();
        self.has_named |= turn.failure != NONE && !self.names.is_of_script(self.actor(local));
        self.turns.push(turn);
        self.turn_keys.push((local, pending));
        let rehash = |one: &(u32, u32, u32)| of_pair(one.0, one.1);
        let entry = (local, pending, number);
        self.turn_numbers
            .insert_unique(of_pair(local, pending), entry, rehash);
        Ok(number)
    }

    /// Marks the messages that are new.
    pub(crate) fn mark<P: Program>(&mut self, program: &P) {
        if self.policy.is_empty() {
            return;
        }
        for pending in self.marks.len() as u32..self.pendings.values.len() as u32 {
            let target = self.names.text(self.target(pending));
            let message = self.message_text(pending, program);
            self.marks.push(self.policy.marks(&target, &message));
        }
    }

    /// Leaves out the places of pending messages that others precede.
    pub(crate) fn restrict(&self, pending: &[u32], found: &mut Vec<u32>) {
        if !self.policy.is_empty() {
            let marks: Vec<Marks> = pending
                .iter()
                .map(|one| self.marks[*one as usize])
                .collect();
            restrict(&marks, found);
        }
    }

    /// The addresses that a turn knows: the actor, its slots, and those of the message.
    fn places(&self, local: u32, pending: u32) -> Vec<ActorId> {
        let local = &self.locals.values[local as usize];
        let pending = &self.pendings.values[pending as usize];
        let slots = local.slots.iter().chain(&pending.slots);
        [local.actor].iter().chain(slots).copied().collect()
    }

    fn effect<P: Program>(
        &mut self,
        program: &mut P,
        local: u32,
        pending: u32,
        places: &[ActorId],
    ) -> Result<u32, P::Error> {
        let first = |place: &ActorId| places.iter().position(|other| other == place);
        let names = places.iter().map(|place| first(place).unwrap_or(0) as u32);
        let names: Box<[u32]> = names.collect();
        let behaviour = self.locals.values[local as usize].behaviour;
        let message = self.pendings.values[pending as usize].message;
        let key = (behaviour, message, names);
        if let Some(effect) = self.effect_numbers.get(&key) {
            return Ok(*effect);
        }
        let effect = program.turn(behaviour, message, &key.2)?;
        let number = self.effects.len() as u32;
        self.effects.push(effect);
        self.effect_numbers.insert(key, number);
        Ok(number)
    }

    /// An effect with the actors of one turn.
    fn concrete(&mut self, local: u32, effect: u32, places: Vec<ActorId>) -> Turn {
        let creator = places[0];
        let before = self.locals.values[local as usize].created;
        let effect_number = effect;
        let effect = self.effects[effect as usize].clone();
        let is_new = |step: &&Step| matches!(step, Step::New { .. });
        let count = effect.steps.iter().filter(is_new).count() as u32;
        let ordinals = before + 1..=before + count;
        let new: Vec<ActorId> = ordinals.map(|n| self.names.created(creator, n)).collect();
        let found = |place: &Place| match *place {
            Place::Known(place) => places[place as usize],
            Place::New(place) => new[place as usize],
        };
        let all = |slots: &[Place]| slots.iter().map(found).collect();
        let (mut created, mut sends, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for step in &effect.steps {
            match step {
                Step::New {
                    behaviour, slots, ..
                } => created.push(self.local(Local {
                    actor: new[created.len()],
                    behaviour: *behaviour,
                    slots: all(slots),
                    created: 0,
                })),
                Step::Send {
                    to, message, slots, ..
                } => sends.push(self.pending(found(to), creator, *message, all(slots))),
                Step::Output { text } => outputs.push(*text),
            }
        }
        let next = match &effect.becomes {
            Becomes::Disposed => NONE,
            Becomes::Behaviour {
                behaviour, slots, ..
            } => self.local(Local {
                actor: creator,
                behaviour: *behaviour,
                slots: all(slots),
                created: before + count,
            }),
        };
        let failure = match effect.ending {
            TurnEnding::Done => NONE,
            TurnEnding::Failed(text) => text,
        };
        Turn {
            next,
            created: created.into(),
            sends: sends.into(),
            outputs: outputs.into(),
            failure,
            effect: effect_number,
        }
    }

    /// How many numbers there are: of actors' states, messages, turns, and lists of outputs.
    pub(crate) fn sizes(&self) -> [usize; 4] {
        [
            self.locals.values.len(),
            self.pendings.values.len(),
            self.turns.len(),
            self.writings.len(),
        ]
    }

    /// The actor that a local state belongs to.
    pub(crate) fn actor(&self, local: u32) -> ActorId {
        self.local_actors[local as usize]
    }

    /// The actor that a pending message goes to.
    pub(crate) fn target(&self, pending: u32) -> ActorId {
        self.pendings.values[pending as usize].target
    }
}
