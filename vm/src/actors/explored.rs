//! What an exploration of a program of actors gets from a machine: the actors and messages that the script leaves, and what one turn
//! does. Behaviours and messages are bytes here. Equal bytes mean equal contents.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::Value;
use crate::world::{Failure, Host};

/// The contents of a behaviour or message. They do not depend on where objects are in memory, and addresses of actors are not among
/// them: the bytes have slots for those, from 0, and equal addresses have one slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Canonical {
    /// The objects, the outermost first.
    pub bytes: Vec<u8>,
    /// The actor in each slot. Actors that a turn knows have the numbers of their places, and those that it creates follow.
    pub addresses: Vec<u32>,
}

/// What a script leaves when it ends.
#[derive(Clone, Debug, Default)]
pub struct ActorsAtStart {
    /// The behaviours of the actors, in the order of their creation. Slots hold positions in this list.
    pub actors: Vec<Canonical>,
    /// The messages, in the order in which they were sent, and the position of the actor that each goes to.
    pub messages: Vec<(u32, Canonical)>,
}

/// A turn that is to be executed.
#[derive(Clone, Copy, Debug)]
pub struct AskedTurn<'a> {
    /// The bytes of the behaviour.
    pub behaviour: &'a [u8],
    /// The bytes of the message.
    pub message: &'a [u8],
    /// Which actors are the same. The places are the actor, the slots of the behaviour, and those of the message. Each has the number
    /// of the first place with the same actor.
    pub names: &'a [u32],
    /// The most ticks that the turn may take.
    pub most_ticks: Option<u64>,
    /// A flag that stops the turn.
    pub stop: Option<&'a AtomicBool>,
}

/// What a turn does to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnStep {
    /// It creates an actor with this behaviour, after a number of ticks.
    Creates(Canonical, u64),
    /// It sends this message to an actor, after a number of ticks.
    Sends(u32, Canonical, u64),
}

/// What a turn did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDone {
    /// What it did to others, in order.
    pub steps: Vec<TurnStep>,
    /// The behaviour behind it, none if the actor is disposed. And whether that is another one: `behaveAs:` was sent, or a variable has
    /// changed. A turn that has failed leaves the behaviour as it was.
    pub next: Option<(Canonical, bool)>,
    /// What it printed.
    pub output: String,
    /// The error that has ended it.
    pub failure: Option<Failure>,
    /// Its ticks, without the sends of `spawn`, `tell`, `behaveAs:`, `dispose` and of messages; or what `turnCost:` says.
    pub local: u64,
    /// Whether it has drawn identity hashes. They are others in a run of the whole program.
    pub draws_hashes: bool,
}

/// Why what a turn does cannot be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnFault {
    /// It reads something that is different each time.
    Uncontrolled(String),
    /// An object cannot be kept between two turns.
    Unkept(String),
    /// It takes more ticks than it may.
    Endless,
    /// The caller has stopped it.
    Interrupted,
    /// The machine ended it.
    Stopped(String),
}

impl fmt::Display for TurnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TurnFault::Uncontrolled(what) => {
                write!(f, "the turn reads {what}, which no exploration can decide")
            }
            TurnFault::Unkept(what) => f.write_str(what),
            TurnFault::Endless => f.write_str("the turn takes more ticks than it may"),
            TurnFault::Interrupted => f.write_str("the turn was stopped"),
            TurnFault::Stopped(why) => f.write_str(why),
        }
    }
}

/// What the machine notes of a turn for an exploration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted {
    /// The turns that may still begin.
    pub(crate) turns: u32,
    /// Ticks of the machine when the turn began.
    pub(crate) began: u64,
    /// Sends of primitives of actors since.
    pub(crate) apart: u64,
    /// For each step, whether it is a creation, and the ticks before it.
    pub(crate) steps: Vec<(bool, u64)>,
    /// Addresses of the actors that were created, in their order.
    pub(crate) created: Vec<Value>,
    /// What it has read that depends on other turns or runs.
    pub(crate) uncontrolled: Option<&'static str>,
    /// Whether it has drawn identity hashes.
    pub(crate) draws_hashes: bool,
    /// The local time that the turn has named.
    pub(crate) cost: Option<u64>,
    /// Whether the turn has named another behaviour.
    pub(crate) is_replaced: bool,
    /// Objects that stay where they are because something refers to them.
    pub(crate) kept: Vec<Value>,
}

impl Noted {
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.created.iter_mut().for_each(&mut *visit);
        self.kept.iter_mut().for_each(visit);
    }
}

/// The world outside of a turn: what it prints is kept, and everything else is refused and noted.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnHost {
    seen: Arc<Mutex<Seen>>,
}

/// What a turn did to its host.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) output: String,
    /// What it read first.
    pub(crate) asked: Option<&'static str>,
}

impl TurnHost {
    /// What the turn did. Nothing is left afterwards.
    pub(crate) fn take(&self) -> Seen {
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask(&self, what: &'static str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.asked.get_or_insert(what);
    }

    fn refuse<T>(&self, what: &'static str) -> std::io::Result<T> {
        self.ask(what);
        Err(std::io::ErrorKind::PermissionDenied.into())
    }
}

impl Host for TurnHost {
    fn write_out(&mut self, text: &str) -> std::io::Result<()> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.output.push_str(text);
        Ok(())
    }

    fn write_error(&mut self, _text: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> std::io::Result<Option<String>> {
        self.refuse("a line of its input")
    }

    fn read_to_end(&mut self) -> std::io::Result<String> {
        self.refuse("its input")
    }

    fn read_file(&mut self, _path: &str) -> std::io::Result<Vec<u8>> {
        self.refuse("a file")
    }

    fn file_facts(&mut self, _path: &str) -> std::io::Result<crate::FileFacts> {
        self.refuse("a file")
    }

    fn file_modified(&mut self, _path: &str) -> std::io::Result<i64> {
        self.refuse("a file")
    }

    fn file_names(&mut self, _path: &str) -> std::io::Result<Vec<String>> {
        self.refuse("a folder")
    }

    fn write_file(
        &mut self,
        _path: &str,
        _bytes: &[u8],
        _writing: crate::Writing,
    ) -> std::io::Result<()> {
        self.refuse("a file")
    }

    fn create_directory(&mut self, _path: &str) -> std::io::Result<()> {
        self.refuse("a folder")
    }

    fn delete_file(&mut self, _path: &str) -> std::io::Result<()> {
        self.refuse("a file")
    }

    fn rename_file(&mut self, _old: &str, _new: &str) -> std::io::Result<()> {
        self.refuse("a file")
    }

    fn working_directory(&mut self) -> std::io::Result<String> {
        self.refuse("a folder")
    }

    fn environment(&mut self, _name: &str) -> std::io::Result<Option<String>> {
        self.refuse("its environment")
    }

    fn environment_names(&mut self) -> std::io::Result<Vec<String>> {
        self.refuse("its environment")
    }

    fn milliseconds(&mut self) -> u64 {
        self.ask("the time");
        0
    }
}
