//! Actors: their creation, their messages, and what a turn may not do.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Vm;
use crate::actors::{
    ActorExplorer, Candidate, ExplorationTotals, Explorer, Library, MessageOrder, Posted, ROOT,
    Turn,
};
use crate::base::{ActorId, ClassId, Stop, SymbolId, Value};
use crate::bytecode::Kind;
use crate::heap::Contents;

/// Slots of an address: the number of its actor, and the behaviour that processes the next message, nil if it is disposed.
const NUMBER_SLOT: usize = 0;
const BEHAVIOUR_SLOT: usize = 1;
const ADDRESS_SLOTS: usize = 2;

/// The slot of an envelope: the address that messages go to.
const TO_SLOT: usize = 0;
const ENVELOPE_SLOTS: usize = 1;

impl Vm {
    /// Whether the program has made an actor.
    pub fn has_actors(&self) -> bool {
        self.actors.library.is_some()
    }

    /// What the machine uses of the library for actors. From the first use on, turns may not store variables that others see.
    pub(crate) fn library_of_actors(&mut self) -> Option<Library> {
        if self.actors.library.is_none() {
            let envelope = self.class_of_library("Envelope")?;
            let [stream, context] = ["Stream", "Context"].map(|name| self.class_of_library(name));
            self.actors.library = Some(Library {
                behaviour: self.class_of_library("Actor")?,
                address: self.class_of_library("Address")?,
                envelope,
                staying: [stream?, context?, envelope],
                turn: self.symbol("turn").as_symbol()?,
            });
            self.find_shared_variables();
        }
        self.actors.library
    }

    /// The library's own class with this name. A program may have a class of its own by that name.
    fn class_of_library(&self, name: &str) -> Option<ClassId> {
        let ids = (0..self.image.library_classes).map(|id| ClassId(id as u32));
        ids.into_iter().find(|&id| {
            let class = self.class(id);
            !class.is_metaclass && &*class.name == name
        })
    }

    /// Whether the value is an instance of a subclass of Actor.
    pub(crate) fn is_behaviour(&mut self, value: Value) -> bool {
        let library = self.library_of_actors();
        library.is_some_and(|library| self.inherits(self.class_of(value), library.behaviour))
    }

    /// The actor with this address.
    pub(crate) fn actor_of(&self, address: Value) -> Option<ActorId> {
        self.slots_of_library(address, |library| library.address, ADDRESS_SLOTS)
            .and_then(|slots| u32::try_from(slots.first()?.as_int()?).ok())
            .map(ActorId)
    }

    /// The address that an envelope is for.
    pub(crate) fn address_on(&self, envelope: Value) -> Option<Value> {
        self.slots_of_library(envelope, |library| library.envelope, ENVELOPE_SLOTS)
            .and_then(|slots| slots.get(TO_SLOT).copied())
    }

    /// The slots of an object of this class of the library.
    fn slots_of_library(
        &self,
        object: Value,
        class: impl Fn(&Library) -> ClassId,
        count: usize,
    ) -> Option<&[Value]> {
        let wanted = class(self.actors.library.as_ref()?);
        let fits = object.is_object()
            && self.class_of(object) == wanted
            && self.heap.contents(object) == Contents::Slots(count);
        fits.then(|| self.heap.slots(object))
    }

    /// The behaviour that processes the next message to an address; nil if the actor is disposed.
    pub(crate) fn behaviour_at(&self, address: Value) -> Value {
        match self.actor_of(address) {
            Some(_) => self.heap.slot(address, BEHAVIOUR_SLOT),
            None => Value::NIL,
        }
    }

    /// From now on the actor has this behaviour; none if it is nil.
    pub(crate) fn set_behaviour_at(&mut self, address: Value, behaviour: Value) {
        if self.actor_of(address).is_some() {
            self.heap.set_slot(address, BEHAVIOUR_SLOT, behaviour);
        }
    }

    /// The turn that the running process carries out.
    pub(crate) fn running_turn(&self) -> Option<&Turn> {
        let turn = self.actors.turn.as_ref();
        turn.filter(|turn| turn.process == self.running.id && !self.running.ended)
    }

    /// Whether the running process carries out a turn of an actor.
    pub(crate) fn is_in_turn(&self) -> bool {
        self.running_turn().is_some()
    }

    /// The turn in which this behaviour processes a message.
    pub(crate) fn turn_of(&mut self, behaviour: Value) -> Option<&mut Turn> {
        let id = self.running.id;
        let turn = self.actors.turn.as_mut();
        turn.filter(|turn| turn.process == id && turn.behaviour == behaviour)
    }

    /// A new behaviour of the class, if making it is the library's business alone: `new` and `initialize` are the library's.
    pub(crate) fn plain_behaviour(&mut self, class: ClassId) -> Option<Value> {
        let meta = self.class_of(self.class_object(class));
        for (holder, selector) in [(meta, "new"), (meta, "basicNew"), (class, "initialize")] {
            let selector = self.symbol(selector).as_symbol()?;
            let method = self.lookup(holder, selector)?;
            if !self.image.is_of_library(method) {
                return None;
            }
        }
        let row = self.class(class);
        let (kind, count) = (row.kind, row.ivars.len());
        (kind == Kind::Fixed).then(|| self.make(class, Contents::Slots(count)))
    }

    /// A new actor; answers its address. It begins with this behaviour.
    ///
    /// # Errors
    /// A sentence, if the program has processors.
    pub(crate) fn spawn(&mut self, behaviour: Value) -> Result<Value, String> {
        if self.separate.engine.is_some() {
            return Err("actors and processors cannot be used in one program".to_string());
        }
        let library = self.library_of_actors();
        let address = library.map(|library| library.address);
        let address = address.ok_or("the library has no class of addresses")?;
        let creator = self.running_turn().map_or(ROOT, |turn| turn.actor);
        self.run.handles.push(behaviour);
        let made = self.make_apart(address, ADDRESS_SLOTS);
        let behaviour = self.run.handles.pop().unwrap_or(Value::NIL);
        let actor = self.actors.create(creator);
        let number = Value::int(i64::from(actor.0));
        self.heap.set_slot(made, NUMBER_SLOT, number);
        self.heap.set_slot(made, BEHAVIOUR_SLOT, behaviour);
        self.actor_is_created(actor, behaviour);
        self.note_step(true);
        if let Some(noted) = &mut self.actors.noted {
            noted.created.push(made);
        }
        self.check_memory();
        Ok(made)
    }

    /// The address of an actor with this number, which no program has made. The model does not count it.
    pub(super) fn address_with(&mut self, number: u32, behaviour: Value) -> Option<Value> {
        let class = self.library_of_actors()?.address;
        self.run.handles.push(behaviour);
        let made = self.make_apart(class, ADDRESS_SLOTS);
        let behaviour = self.run.handles.pop().unwrap_or(Value::NIL);
        let number = Value::int(i64::from(number));
        self.heap.set_slot(made, NUMBER_SLOT, number);
        self.heap.set_slot(made, BEHAVIOUR_SLOT, behaviour);
        Some(made)
    }

    /// Notes a creation, or else a message, for an exploration.
    fn note_step(&mut self, is_creation: bool) {
        if self.actors.noted.is_none() {
            return;
        }
        let now = self.total_ticks();
        if let Some(noted) = &mut self.actors.noted {
            let before = now.saturating_sub(noted.began).saturating_sub(noted.apart);
            noted.steps.push((is_creation, before));
        }
    }

    /// Notes the send of a primitive of actors, which is not of the turn's own work.
    pub(crate) fn note_apart(&mut self) {
        if let Some(noted) = &mut self.actors.noted {
            noted.apart += 1;
        }
    }

    /// An envelope for this address. The model does not count it.
    pub(crate) fn envelope_to(&mut self, address: Value) -> Option<Value> {
        let class = self.library_of_actors()?.envelope;
        self.run.handles.push(address);
        let envelope = self.make_apart(class, ENVELOPE_SLOTS);
        let address = self.run.handles.pop().unwrap_or(Value::NIL);
        self.heap.set_slot(envelope, TO_SLOT, address);
        Some(envelope)
    }

    /// An object that the model does not count.
    fn make_apart(&mut self, class: ClassId, count: usize) -> Value {
        let before = self.allocations_now();
        let made = self.make(class, Contents::Slots(count));
        self.forget_allocations_since(before);
        made
    }

    /// Sends a message to an actor: it waits until the actor processes it. The behaviour that is processing a message travels as
    /// its actor's address.
    ///
    /// # Errors
    /// A sentence that names an argument which cannot be sent.
    pub(crate) fn post(
        &mut self,
        target: Value,
        selector: SymbolId,
        arguments: Vec<Value>,
    ) -> Result<(), String> {
        let own = self
            .running_turn()
            .map(|turn| (turn.behaviour, turn.address));
        let arguments = arguments.into_iter().map(|argument| match own {
            Some((behaviour, address)) if behaviour == argument => address,
            _ => argument,
        });
        let mut values = vec![target];
        values.extend(arguments);
        let (mut values, made) = self.copy_for_actor(values)?;
        let target = values.remove(0);
        let sender = self.running_turn().map_or(ROOT, |turn| turn.actor);
        let sending = self.actors.sends(sender);
        let request = self.message_is_sent(target, selector);
        self.actors.pending.push_back(Posted {
            target,
            selector,
            arguments: values,
            made,
            sending,
            request,
        });
        self.note_step(false);
        self.check_memory();
        Ok(())
    }

    /// The message of an error, with the turn in which it happened.
    pub(super) fn with_turn(&self, message: &str) -> String {
        let Some(turn) = self.running_turn() else {
            return message.to_string();
        };
        if self.actors.noted.is_some() {
            return message.to_string();
        }
        let (name, selector) = (
            self.actors.name(turn.actor),
            self.symbol_text(turn.selector),
        );
        format!("{message}\n  {name} was processing #{selector}")
    }

    /// Reports that a turn did what it may not do. The run is to end.
    pub(crate) fn refuse_in_turn(&mut self, what: &str) -> Stop {
        self.report_failure(&format!("a turn of an actor may not {what}"));
        Stop::Failed
    }

    /// Lets this machine and its copies explore blocks for assertions.
    pub fn explore_actors_with(&mut self, explorer: Arc<dyn ActorExplorer>) {
        self.actors.explorer = Explorer(Some(explorer));
    }

    /// What assertions have explored so far.
    pub fn explored_so_far(&self) -> &ExplorationTotals {
        &self.actors.explored
    }

    /// Messages arrive in this order from now on.
    pub fn set_message_order(&mut self, order: MessageOrder) {
        self.actors.ordering.order = order;
    }

    /// How many messages of a schedule have not arrived.
    pub fn messages_left_in_schedule(&self) -> usize {
        match &self.actors.ordering.order {
            MessageOrder::Named(messages) => messages.len(),
            _ => 0,
        }
    }

    /// The message of a schedule that was not pending when it was to arrive. It has ended the run.
    pub fn impossible_message(&self) -> Option<&str> {
        self.actors.ordering.impossible.as_deref()
    }

    /// The place of the message that arrives next, if there is one that can.
    pub(crate) fn next_message(&mut self) -> Option<usize> {
        let pending = std::mem::take(&mut self.actors.pending);
        let candidates = pending.iter().map(|posted| Candidate {
            target: self.actor_of(posted.target).unwrap_or(ROOT),
            sending: &posted.sending,
        });
        let candidates: Vec<Candidate<'_>> = candidates.collect();
        let mut ordering = std::mem::take(&mut self.actors.ordering);
        let next = ordering.next(&candidates, &self.actors);
        self.actors.ordering = ordering;
        self.actors.pending = pending;
        next
    }

    /// Drops the messages whose targets are disposed.
    pub(crate) fn drop_dead_letters(&mut self) {
        let pending = std::mem::take(&mut self.actors.pending);
        let is_dead = |posted: &Posted| self.behaviour_at(posted.target).is_nil();
        if !pending.iter().any(is_dead) {
            self.actors.pending = pending;
            return;
        }
        let (dead, pending): (VecDeque<Posted>, VecDeque<Posted>) =
            pending.into_iter().partition(is_dead);
        self.actors.pending = pending;
        dead.into_iter()
            .for_each(|posted| self.drop_dead_letter(posted));
    }

    /// The target of the message is disposed.
    pub(crate) fn drop_dead_letter(&mut self, posted: Posted) {
        self.actors.dead_letters += 1;
        self.message_is_dropped(posted.target, posted.request);
    }

    /// Reports how many messages had disposed receivers, if there were any.
    pub(crate) fn tell_dead_letters(&mut self) {
        let text = match std::mem::take(&mut self.actors.dead_letters) {
            0 => return,
            1 => "warning: a message went to an actor that was disposed\n".to_string(),
            count => format!("warning: {count} messages went to actors that were disposed\n"),
        };
        let _ = self.world.host.flush();
        let _ = self.world.host.write_error(&text);
    }
}
