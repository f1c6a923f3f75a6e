//! Actors, as far as the machine knows them beside their objects: names, messages that were not delivered yet, and the turn
//! that is under way. The script is the root turn. A turn delivers one message (docs/COUNTING.md, *Actors*).

mod explored;
mod explorer;
mod order;

use std::collections::VecDeque;

use crate::base::{ActorId, ClassId, ProcessId, SymbolId, Value};
use crate::separate::Made;

pub use explored::{ActorsAtStart, AskedTurn, Canonical, TurnDone, TurnFault, TurnStep};
pub(crate) use explored::{Noted, TurnHost};
pub(crate) use explorer::Explorer;
pub use explorer::{
    ActorExplorer, ExplorationRequest, ExplorationTotals, ExploredFigures, TurnMachine,
};
pub(crate) use order::{Candidate, Ordering, Sending};
pub use order::{MessageDelivery, MessageOrder, NamedMessage};

/// The script, which creates the first actors.
pub(crate) const ROOT: ActorId = ActorId(0);

/// Where an actor comes from, which gives it its name.
#[derive(Clone, Copy, Debug)]
struct Origin {
    creator: ActorId,
    /// The how-manieth creation of its creator it was, from 1; 0 for the root.
    ordinal: u32,
    /// How many actors it has created itself.
    created: u32,
    /// Turns that it has begun.
    turns: u32,
    /// Messages that it has sent in the last of them.
    sent: u32,
}

/// A message that was sent and not delivered.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    /// The address that it was sent to.
    pub(crate) target: Value,
    pub(crate) selector: SymbolId,
    /// Copies, which belong to the receiver.
    pub(crate) arguments: Vec<Value>,
    /// What was made for these copies.
    pub(crate) made: Made,
    pub(crate) sending: Sending,
    /// The number of its request in the log of a recorded run.
    pub(crate) request: Option<u32>,
}

/// The turn of an actor that processes a message.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) process: ProcessId,
    pub(crate) actor: ActorId,
    pub(crate) address: Value,
    /// The behaviour that processes the message.
    pub(crate) behaviour: Value,
    /// The behaviour from the next turn on; nil if the actor is disposed.
    pub(crate) next: Value,
    pub(crate) selector: SymbolId,
}

/// A process whose frame answers the value as soon as no message is left.
#[derive(Clone, Debug)]
pub(crate) struct Resting {
    pub(crate) process: ProcessId,
    pub(crate) value: Value,
}

/// What the machine uses of the library for actors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library {
    /// The class of behaviours, Actor.
    pub(crate) behaviour: ClassId,
    pub(crate) address: ClassId,
    pub(crate) envelope: ClassId,
    /// Classes whose instances never travel.
    pub(crate) staying: [ClassId; 3],
    /// The selector of the class method of Actor in whose frame a message is processed.
    pub(crate) turn: SymbolId,
}

impl Library {
    /// The class of frames as objects.
    pub(crate) fn context(self) -> ClassId {
        self.staying[1]
    }
}

/// The actors of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actors {
    /// Absent until the program uses actors.
    pub(crate) library: Option<Library>,
    /// Empty until the program makes its first actor.
    origins: Vec<Origin>,
    /// The oldest first.
    pub(crate) pending: VecDeque<Posted>,
    pub(crate) turn: Option<Turn>,
    /// A test that has come to its end, while messages are delivered.
    pub(crate) resting: Option<Resting>,
    /// Messages of this run whose receivers were disposed.
    pub(crate) dead_letters: u64,
    /// Why the last primitive of actors has declined.
    pub(crate) problem: Option<String>,
    /// Explores programs for assertions.
    pub(crate) explorer: Explorer,
    /// What assertions have explored.
    pub(crate) explored: ExplorationTotals,
    /// Who decides which message arrives next.
    pub(crate) ordering: Ordering,
    /// Present if turns begin only as an exploration wants them.
    pub(crate) noted: Option<Box<Noted>>,
}

impl Actors {
    /// Whether another turn may begin.
    pub(crate) fn may_begin_turn(&self) -> bool {
        self.noted.as_ref().is_none_or(|noted| noted.turns > 0)
    }

    /// Forgets all actors, and makes this number of actors of the script.
    pub(crate) fn begin_with(&mut self, actors: usize) {
        self.origins.clear();
        for _ in 0..actors {
            self.create(ROOT);
        }
    }

    /// How many actors there are.
    pub(crate) fn count(&self) -> usize {
        self.origins.len().saturating_sub(1)
    }

    /// Whether the program has made an actor.
    pub(crate) fn are_any(&self) -> bool {
        !self.origins.is_empty()
    }

    /// A new actor of this creator.
    pub(crate) fn create(&mut self, creator: ActorId) -> ActorId {
        if self.origins.is_empty() {
            self.origins.push(Origin {
                creator: ROOT,
                ordinal: 0,
                created: 0,
                turns: 0,
                sent: 0,
            });
        }
        let id = ActorId(self.origins.len() as u32);
        if let Some(origin) = self.origins.get_mut(creator.0 as usize) {
            origin.created += 1;
            let ordinal = origin.created;
            self.origins.push(Origin {
                creator,
                ordinal,
                created: 0,
                turns: 0,
                sent: 0,
            });
        }
        id
    }

    /// The actor, or the script, sends a message.
    pub(crate) fn sends(&mut self, sender: ActorId) -> Sending {
        let Some(origin) = self.origins.get_mut(sender.0 as usize) else {
            return Sending::default();
        };
        origin.sent += 1;
        self.ordering.sends(sender, origin.turns, origin.sent)
    }

    /// The actor begins a turn with a message.
    pub(crate) fn takes(&mut self, target: ActorId, sending: &Sending) {
        if let Some(origin) = self.origins.get_mut(target.0 as usize) {
            origin.turns += 1;
            origin.sent = 0;
        }
        self.ordering.arrives(target, sending);
    }

    /// `r` for the root, else `a` and the ordinals of the creations that led to the actor: `a12` is the second actor that `a1`
    /// has created. From the first ordinal of two digits on, a point precedes each: `a1.12.3`. If the script has created one actor, that
    /// one is the root, as in document 002.
    pub(crate) fn name(&self, id: ActorId) -> String {
        let mut path = Vec::new();
        let mut next = id;
        while let Some(origin) = self.origins.get(next.0 as usize)
            && origin.ordinal > 0
        {
            path.push(origin.ordinal);
            next = origin.creator;
        }
        let has_root = self.origins.first().is_some_and(|root| root.created == 1);
        if has_root {
            path.pop();
        }
        if path.is_empty() {
            return "r".to_string();
        }
        let mut name = "a".to_string();
        let mut is_long = false;
        for ordinal in path.iter().rev() {
            is_long |= *ordinal > 9;
            if is_long {
                name.push('.');
            }
            name.push_str(&ordinal.to_string());
        }
        name
    }

    /// Forgets the messages and the turn of a run that has ended. Actors stay.
    pub(crate) fn forget_run(&mut self) {
        self.pending.clear();
        self.turn = None;
        self.resting = None;
        self.dead_letters = 0;
        self.problem = None;
    }

    /// Bytes that names and messages take.
    pub(crate) fn bytes(&self) -> usize {
        /// Arguments that a message has room for on average.
        const ARGUMENTS: usize = 4;
        let message = size_of::<Posted>() + ARGUMENTS * size_of::<Value>();
        self.origins.capacity() * size_of::<Origin>() + self.pending.len() * message
    }

    /// Shows all values to the collector.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        for posted in &mut self.pending {
            visit(&mut posted.target);
            posted.arguments.iter_mut().for_each(&mut *visit);
        }
        if let Some(turn) = &mut self.turn {
            visit(&mut turn.address);
            visit(&mut turn.behaviour);
            visit(&mut turn.next);
        }
        if let Some(resting) = &mut self.resting {
            visit(&mut resting.value);
        }
        if let Some(noted) = &mut self.noted {
            noted.visit(visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ActorId, Actors, ROOT};

    #[test]
    fn names_are_paths_of_creations_and_never_equal() {
        let mut actors = Actors::default();
        let first = actors.create(ROOT);
        assert_eq!(actors.name(first), "r");
        actors.create(ROOT);
        assert_eq!(actors.name(ROOT), "r");
        assert_eq!(actors.name(first), "a1");
        let children: Vec<ActorId> = (0..12).map(|_| actors.create(first)).collect();
        assert_eq!(actors.name(children[1]), "a12");
        assert_eq!(actors.name(children[11]), "a1.12");
        let grandchild = actors.create(children[11]);
        assert_eq!(actors.name(grandchild), "a1.12.1");
        let others: Vec<ActorId> = (0..111).map(|_| actors.create(first)).collect();
        assert_eq!(actors.name(others[110]), "a1.123");
    }
}
