//! Schedules by name: a path through the states as a run whose events are known.
//!
//! A state stands for all runs that lead to it. A run may have the pending messages in another order than the state, and other names for
//! actors. A walk knows which message of the run is which message of the state.

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use crate::computations::Computations;
use crate::matching::{kept, matching};
use crate::names::{ActorId, SCRIPT};
use crate::program::Program;
use crate::space::Space;
use crate::state::{Scratch, State};
use crate::tables::{NONE, Tables};
use crate::unfolding::{Event, Prefix, Unfolding};

/// A message that an actor takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleStep {
    /// The actor that takes it.
    pub target: String,
    /// The message with its arguments.
    pub message: String,
    /// Who sent it, and in which of its turns. The script has no turn.
    pub sender: Option<(String, u32)>,
    /// Which of the messages of that turn, or of the script, it is, from 1.
    pub nth: u32,
}

impl Serialize for ScheduleStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = if self.sender.is_some() { 5 } else { 3 };
        let mut members = serializer.serialize_struct("ScheduleStep", count)?;
        members.serialize_field("target", &self.target)?;
        members.serialize_field("message", &self.message)?;
        if let Some((sender, turn)) = &self.sender {
            members.serialize_field("sender", sender)?;
            members.serialize_field("turn", turn)?;
        }
        members.serialize_field("nth", &self.nth)?;
        members.end()
    }
}

impl std::fmt::Display for ScheduleStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ← {}", self.target, self.message)?;
        match &self.sender {
            Some((sender, turn)) => write!(f, " of {sender}#{turn}"),
            None => Ok(()),
        }
    }
}

/// A run along a path.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    pub(crate) prefix: Prefix,
    pub(crate) unfolding: Unfolding,
    /// The state of the path, as it follows from the state before.
    state: State,
    /// For each pending message of that state, its place in the run.
    own: Vec<usize>,
    scratch: Scratch,
    places: Vec<u32>,
}

impl Walk {
    /// At the start.
    pub(crate) fn new(space: &Space) -> Walk {
        Walk {
            prefix: Prefix::new(space.start.clone()),
            unfolding: Unfolding::default(),
            state: space.start.clone(),
            own: (0..space.start.pending.len()).collect(),
            scratch: Scratch::default(),
            places: Vec::new(),
        }
    }

    /// Follows a choice of a state of the path. Answers the event, or None if there is no such choice.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub(crate) fn follow<P: Program>(
        &mut self,
        space: &mut Space,
        program: &mut P,
        state: &State,
        choice: u32,
    ) -> Result<Option<u32>, P::Error> {
        let (delivery, tables) = (space.delivery, &mut space.tables);
        let same = matching(&self.state, state, delivery, tables);
        let own = same.pending.iter().map(|place| self.own[*place]);
        self.own = own.collect();
        state.choices(delivery, tables, &mut self.scratch, &mut self.places);
        let Some(place) = self.places.get(choice as usize).copied() else {
            return Ok(None);
        };
        let taken = state.turn(place, tables, program)?;
        let own = self.own[place as usize] as u32;
        let own_taken = self.prefix.state.turn(own, tables, program)?;
        let turn = &tables.turns[taken.turn as usize];
        let own_turn = &tables.turns[own_taken.turn as usize];
        let theirs = kept(state, place, turn, tables);
        let own_kept = kept(&self.prefix.state, own, own_turn, tables);
        let found = theirs.iter().map(|old| {
            let own = self.own[*old];
            own_kept.iter().position(|other| *other == own).unwrap_or(0)
        });
        self.own = found.collect();
        self.state.copy(state);
        self.state.take(place, taken, tables);
        self.own.extend(theirs.len()..self.state.pending.len());
        let event = self
            .prefix
            .take(own, &mut self.unfolding, tables, program)?;
        Ok((event != NONE).then_some(event))
    }
}

impl Space {
    /// The schedule along choices from the start, for as long as there are such choices. States need not be kept for it.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub(crate) fn schedule<P: Program>(
        &mut self,
        program: &mut P,
        choices: &[u32],
    ) -> Result<(Walk, Vec<u32>), P::Error> {
        let mut walk = Walk::new(self);
        let mut events = Vec::new();
        for choice in choices {
            let state = walk.state.clone();
            match walk.follow(self, program, &state, *choice)? {
                Some(event) => events.push(event),
                None => break,
            }
        }
        Ok((walk, events))
    }
}

impl Computations {
    /// A schedule of a computation, by its number from 0: each turn behind its causes.
    pub fn schedule<P: Program>(
        &self,
        number: usize,
        space: &Space,
        program: &P,
    ) -> Option<Vec<ScheduleStep>> {
        let events = self.all.get(number)?.events(&self.unfolding);
        let events = events
            .iter()
            .map(|event| &self.unfolding.events[*event as usize]);
        let steps = events.map(|event| step(event, &self.unfolding, &space.tables, program));
        Some(steps.collect())
    }
}

/// An event as a step of a schedule.
pub(crate) fn step<P: Program>(
    event: &Event,
    unfolding: &Unfolding,
    tables: &Tables,
    program: &P,
) -> ScheduleStep {
    let sender = unfolding.events.get(event.origin.by as usize);
    let sender = sender.map(|sender| (tables.names.text(sender.actor), sender.ordinal));
    ScheduleStep {
        target: tables.names.text(event.actor),
        message: tables.message_text(event.pending, program),
        sender,
        nth: event.origin.nth + 1,
    }
}

/// A text with the names of actors for its slots.
pub(crate) fn filled(text: &str, slots: &[ActorId], tables: &Tables) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, behind) = rest.split_at(start);
        filled.push_str(before);
        let digits = behind[1..].find('}').map(|end| &behind[1..=end]);
        let slot = digits.and_then(|digits| digits.parse::<usize>().ok());
        match (slot.and_then(|slot| slots.get(slot)), digits) {
            (Some(actor), Some(digits)) => {
                filled.push_str(&tables.names.text(*actor));
                rest = &behind[digits.len() + 2..];
            }
            _ => {
                filled.push('{');
                rest = &behind[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

impl Tables {
    /// A message with its arguments.
    pub(crate) fn message_text<P: Program>(&self, pending: u32, program: &P) -> String {
        let pending = &self.pendings.values[pending as usize];
        filled(&program.message_text(pending.message), &pending.slots, self)
    }

    /// A behaviour with its variables.
    pub(crate) fn behaviour_text<P: Program>(&self, local: u32, program: &P) -> String {
        let local = &self.locals.values[local as usize];
        filled(&program.behaviour_text(local.behaviour), &local.slots, self)
    }

    /// The sender of a message as the paper writes it: the script has no event.
    pub(crate) fn sender_text(&self, sender: Option<&Event>) -> String {
        match sender {
            Some(sender) => format!("{}^{}", self.names.text(sender.actor), sender.ordinal),
            None => self.names.text(SCRIPT),
        }
    }
}
