//! The turns of a program, by a machine that stands still behind the script.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tally_explore::{
    Becomes, Effect, Place, Program as Explored, Start, StartActor, StartMessage, Step, TurnEnding,
};
use tally_vm::{
    ActorsAtStart, AskedTurn, Canonical, Failure, TurnDone, TurnFault, TurnMachine, TurnStep,
};

use super::texts::Numbered;
use crate::error::{Error, ErrorKind};

/// A program of actors.
pub struct ActorProgram {
    machine: Box<dyn TurnMachine>,
    contents: Numbered<Vec<u8>>,
    texts: Numbered<String>,
    /// Errors with their places, by the numbers of their messages.
    failures: Vec<(u32, Failure)>,
    options: TurnOptions,
    /// A digest of the program's source texts.
    digest: u64,
    /// Whether a turn has drawn identity hashes.
    draws_hashes: bool,
}

/// How turns are executed.
#[derive(Clone, Debug, Default)]
pub struct TurnOptions {
    /// The most ticks that a turn may take.
    pub most_ticks: Option<u64>,
    /// Whether every turn is executed twice, and both must do the same.
    pub is_checked: bool,
    /// The local time of every turn, in the place of its own.
    pub local: Option<u64>,
    /// A flag that stops a turn.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Why an exploration ends with a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnError {
    /// What the turn did.
    pub fault: TurnFault,
    /// Which turn: behaviour and message.
    pub turn: String,
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.turn, self.fault)
    }
}

impl From<TurnError> for Error {
    fn from(error: TurnError) -> Error {
        let hint = match error.fault {
            TurnFault::Endless => " (--max-ticks-per-turn)",
            _ => "",
        };
        Error::new(kind(&error.fault), format!("{error}{hint}"))
    }
}

/// The kind of error that a fault is.
pub(crate) fn kind(fault: &TurnFault) -> ErrorKind {
    match fault {
        TurnFault::Uncontrolled(_) => ErrorKind::Nondeterministic,
        TurnFault::Unkept(_) => ErrorKind::Failed,
        TurnFault::Endless | TurnFault::Stopped(_) => ErrorKind::Limit,
        TurnFault::Interrupted => ErrorKind::Interrupted,
    }
}

impl ActorProgram {
    /// The program that a machine has left when its script ended, and what it begins with. The digest is one of its source texts.
    ///
    /// # Errors
    ///
    /// There is no actor, or no message.
    pub fn of(
        machine: Box<dyn TurnMachine>,
        at_start: ActorsAtStart,
        digest: u64,
        options: &TurnOptions,
    ) -> Result<(ActorProgram, Start), Error> {
        if at_start.actors.is_empty() {
            let why = "the program made no actor: `Account spawn` makes one, for a subclass Account of Actor; nor did it make a processor, as `Account separate new` does, or a process, as `[…] fork` does";
            return Err(Error::new(ErrorKind::Nothing, why));
        }
        if at_start.messages.is_empty() {
            let why = "the script sends no message to an actor: `anAddress tell start` sends one";
            return Err(Error::new(ErrorKind::Nothing, why));
        }
        let mut explored = ActorProgram {
            machine,
            contents: Numbered::default(),
            texts: Numbered::default(),
            failures: Vec::new(),
            options: options.clone(),
            digest,
            draws_hashes: false,
        };
        let actors = at_start.actors.into_iter();
        let actors = actors.map(|Canonical { bytes, addresses }| StartActor {
            behaviour: explored.contents.number(bytes),
            slots: addresses,
        });
        let actors = actors.collect();
        let messages = at_start.messages.into_iter();
        let messages = messages.map(|(to, Canonical { bytes, addresses })| StartMessage {
            to,
            message: explored.contents.number(bytes),
            slots: addresses,
        });
        let messages = messages.collect();
        Ok((explored, Start { actors, messages }))
    }

    /// A digest of the program's source texts.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// A digest of the program's source texts, and of all behaviours and messages so far.
    pub fn identity(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.digest.to_le_bytes());
        for bytes in self.contents.values() {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// What is to be said of the turns: a turn has drawn identity hashes.
    pub fn warning(&self) -> Option<&'static str> {
        self.draws_hashes.then_some(
            "turns draw identity hashes, which are others in a run: results that depend on them can differ from those of tally run",
        )
    }

    /// The error with this message, where it was first seen.
    pub fn failure(&self, message: &str) -> Option<&Failure> {
        let mut failures = self.failures.iter();
        let found = failures.find(|(number, _)| {
            self.texts
                .value(*number)
                .is_some_and(|text| text == message)
        });
        found.map(|(_, failure)| failure)
    }

    fn done(&mut self, asked: (u32, u32), names: &[u32]) -> Result<TurnDone, TurnFault> {
        let bytes = |number| self.contents.value(number).map_or(&[][..], Vec::as_slice);
        let asked = AskedTurn {
            behaviour: bytes(asked.0),
            message: bytes(asked.1),
            names,
            most_ticks: self.options.most_ticks,
            stop: self.options.stop.as_deref(),
        };
        let done = self.machine.turn(&asked)?;
        self.draws_hashes |= done.draws_hashes;
        if self.options.is_checked {
            let again = self.machine.turn(&asked)?;
            if done != again {
                let what = "something that differs when it is executed again";
                return Err(TurnFault::Uncontrolled(what.to_string()));
            }
        }
        Ok(done)
    }

    fn effect(&mut self, done: TurnDone, known: u32) -> Effect {
        let place = |number: u32| match number.checked_sub(known) {
            Some(new) => Place::New(new),
            None => Place::Known(number),
        };
        let places = |addresses: Vec<u32>| addresses.into_iter().map(place).collect();
        let most = self.options.local.unwrap_or(done.local);
        let mut steps = Vec::new();
        for step in done.steps {
            steps.push(match step {
                TurnStep::Creates(behaviour, at) => Step::New {
                    behaviour: self.contents.number(behaviour.bytes),
                    slots: places(behaviour.addresses),
                    at: at.min(most),
                },
                TurnStep::Sends(to, message, at) => Step::Send {
                    to: place(to),
                    message: self.contents.number(message.bytes),
                    slots: places(message.addresses),
                    at: at.min(most),
                },
            });
        }
        for line in done.output.lines() {
            let text = self.texts.number(line.to_string());
            steps.push(Step::Output { text });
        }
        let becomes = match done.next {
            Some((behaviour, is_replaced)) => Becomes::Behaviour {
                behaviour: self.contents.number(behaviour.bytes),
                slots: places(behaviour.addresses),
                is_replaced,
            },
            None => Becomes::Disposed,
        };
        let ending = done.failure.map_or(TurnEnding::Done, |failure| {
            let number = self.texts.number(failure.message.clone());
            if self.failures.iter().all(|(other, _)| *other != number) {
                self.failures.push((number, failure));
            }
            TurnEnding::Failed(number)
        });
        Effect {
            steps,
            becomes,
            ending,
            local: self.options.local.unwrap_or(done.local),
        }
    }
}

impl Explored for ActorProgram {
    type Error = TurnError;

    fn turn(&mut self, behaviour: u32, message: u32, names: &[u32]) -> Result<Effect, TurnError> {
        let done = self.done((behaviour, message), names);
        let done = done.map_err(|fault| TurnError {
            fault,
            turn: format!(
                "{} ← {}",
                self.behaviour_text(behaviour),
                self.message_text(message)
            ),
        })?;
        Ok(self.effect(done, names.len() as u32))
    }

    fn behaviour_text(&self, behaviour: u32) -> String {
        let bytes = self.contents.value(behaviour);
        bytes.map_or(String::new(), |bytes| self.machine.text(bytes))
    }

    fn message_text(&self, message: u32) -> String {
        self.behaviour_text(message)
    }

    fn output_text(&self, output: u32) -> String {
        self.texts.value(output).cloned().unwrap_or_default()
    }
}
