//! Turns of actors against what all actors see: each primitive gets parts of it, in a turn of one actor, and another actor describes it
//! afterwards. If a run shows a change, an exploration must refuse the turn.

use std::sync::Arc;

use tally_explore::{Options, Space};
use tally_vm::bytecode::Unit;
use tally_vm::{Outcome, Vm};
use tally_workbench::exploring::{ActorProgram, TurnOptions};

use super::{TICKS, bindings, machine, run, unit};
use crate::host::TestHost;
use crate::modes;

const CLASSES: &str = include_str!("isolation.st");

const SCRIPT: &str = "
Breaker spawn tell send: (Smalltalk arguments at: 1) asSymbol number: (Smalltalk arguments at: 2) asInteger.
Looker spawn tell look.";

const SELECTORS: &str =
    "(Smalltalk at: #SweepPrimitives) do: [:each | Stdio stdout nextPutAll: each; lf]";

/// A machine with the classes, and what runs in its copies.
pub struct Isolation {
    machine: Vm,
    script: Arc<Unit>,
    /// Messages behind which primitives stand.
    pub selectors: Vec<String>,
    usual: String,
}

/// What a message in a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// Nothing that the other actor sees, or the run did not come to its end.
    Nothing,
    /// It changes what the other actor sees, and an exploration refuses it.
    Refused,
    /// It changes what the other actor sees, and an exploration does not notice.
    Missed,
}

impl Isolation {
    /// A machine in its usual mode.
    ///
    /// # Errors
    /// A sentence, if the library or the classes do not load.
    pub fn new() -> Result<Isolation, String> {
        let host = TestHost::new();
        let mut machine = machine(&modes::PLAIN, &host)?;
        machine.allow_ticks(None);
        run(&mut machine, "primitives.st", &bindings())?;
        run(&mut machine, "isolation.st", CLASSES)?;
        run(&mut machine, "selectors.st", SELECTORS)?;
        let selectors = host.out().lines().map(str::to_string).collect();
        let script = unit(&machine, "script.st", SCRIPT)?;
        let mut isolation = Isolation {
            machine,
            script,
            selectors,
            usual: String::new(),
        };
        let usual = isolation.ran("yourself", 0).ok_or("the usual run fails")?;
        isolation.usual = usual;
        Ok(isolation)
    }

    /// A copy in which the message is about to be sent.
    fn copy(&mut self, selector: &str, number: usize) -> (Vm, TestHost) {
        let host = TestHost::new();
        let mut copy = self.machine.fork(Box::new(host.clone()));
        copy.set_arguments(vec![selector.to_string(), number.to_string()]);
        copy.keep_failures();
        copy.allow_ticks(Some(TICKS));
        (copy, host)
    }

    /// What the second actor prints in a run that comes to its end. What the first one prints is its result.
    fn ran(&mut self, selector: &str, number: usize) -> Option<String> {
        let (mut copy, host) = self.copy(selector, number);
        let outcome = copy.run_unit(Arc::clone(&self.script));
        let out = host.out();
        let described = out.rsplit("#look\n").next().map(str::to_string);
        described.filter(|_| outcome == Outcome::Finished)
    }

    /// Sends the message in a turn.
    ///
    /// # Errors
    /// A sentence, if the exploration does not begin.
    pub fn send(&mut self, selector: &str, number: usize) -> Result<Turned, String> {
        let Some(seen) = self.ran(selector, number) else {
            return Ok(Turned::Nothing);
        };
        if seen == self.usual {
            return Ok(Turned::Nothing);
        }
        let (mut copy, _) = self.copy(selector, number);
        copy.hold_messages();
        copy.run_unit(Arc::clone(&self.script));
        let start = copy.actors_at_start().map_err(|fault| fault.to_string())?;
        let options = TurnOptions::default();
        let program = ActorProgram::of(Box::new(copy), start, 0, &options);
        let (mut program, start) = program.map_err(|error| error.to_string())?;
        let options = Options::default();
        let space = Space::explore(&mut program, &start, &options, &mut |_| true);
        let Ok(mut space) = space else {
            return Ok(Turned::Refused);
        };
        let findings = space.findings(&mut program, None);
        let is_refused = findings.is_ok_and(|findings| findings.is_failed());
        Ok(match is_refused {
            true => Turned::Refused,
            false => Turned::Missed,
        })
    }
}
