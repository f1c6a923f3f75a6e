//! The objects that primitives read and change, for machines whose accesses are watched. What a primitive does to its receiver and arguments is stated here;
//! what it does in the order of virtual time (`ordered` in its row) is seen by all.

use std::sync::OnceLock;

use super::control::process_number;
use super::numbered;
use crate::base::{ProcessId, Value};
use crate::bytecode::GlobalKey;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::processes::Status;
use crate::run::Args;
use crate::separate::PutOff;
use crate::watching::Parked;

/// What a primitive uses of its receiver and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uses {
    /// Nothing that changes.
    Nothing,
    /// An element of the receiver, with the number in the first argument; it is changed if there is a second one.
    Element,
    /// A variable of the receiver, with the number in the first argument; it is changed if there is a second one.
    Variable,
    /// Receiver and arguments are read.
    Reads,
    /// The receiver is changed, the arguments are read.
    Changes,
    /// Receiver and arguments and what their variables refer to are read.
    ReadsInside,
    /// The same is changed.
    ChangesInside,
    /// The arguments are read.
    Arguments,
    /// All can see it.
    Shows,
    /// Receiver and argument, or the elements of both, become each other.
    Becomes,
    /// A class or a method is changed.
    Defines,
    /// The global with the name that is the first argument is read, or changed if there is a second one.
    Global,
    /// The receiver is a semaphore, and the process takes a signal of it or waits for one.
    Waits,
    /// It is a semaphore, and gets a signal.
    Signals,
    /// It is a process, which is looked at.
    Looks,
    /// It is a process, whose work can end.
    Controls,
    /// It is a process, which is suspended.
    Suspends,
    /// It is a process, which goes on or gets another priority. No other process sees that if it has not begun.
    Begins,
    /// The run ends.
    Exits,
    /// A clock is read.
    Clock,
}

/// Families of primitives whose operands never change.
const UNCHANGING: &[&str] = &[
    "actor",
    "behavior",
    "block",
    "character",
    "class",
    "context",
    "counter",
    "counting",
    "float",
    "frame",
    "future",
    "integer",
    "metaclass",
    "method",
    "perform",
    "process",
    "profile",
    "random",
    "regex",
    "semaphore",
    "separate",
    "symbol",
    "system",
    "trait",
    "wrapper",
];

/// Primitives that change classes or methods.
const DEFINING: &[&str] = &[
    "behaviorAddClassVar",
    "behaviorAddMethod",
    "behaviorCompile",
    "behaviorRemoveClassVar",
    "behaviorRemoveSelector",
    "behaviorSetCategory",
    "behaviorSetComment",
    "behaviorSetInstVars",
    "behaviorUseTraits",
    "classDefine",
    "classRemove",
    "classRename",
    "traitDefine",
    "wrapperInstall",
    "wrapperUninstall",
];

/// Primitives that look at all globals, symbols or instances.
const SHOWING: &[&str] = &[
    "behaviorAllInstances",
    "behaviorClassVarNames",
    "symbolIfThere",
    "systemGlobalNames",
    "systemGlobalRemove",
    "systemIncludesGlobal",
    "weakArraysClear",
];

/// What the primitive with this name uses.
fn uses(name: &str) -> Uses {
    match name {
        "semaphoreWait" => Uses::Waits,
        "semaphoreSignal" => Uses::Signals,
        "processStatus" | "processPriority" => Uses::Looks,
        "processInterrupt" | "processTerminate" => Uses::Controls,
        "processSuspend" => Uses::Suspends,
        "processResume" | "processSetPriority" => Uses::Begins,
        "systemExit" => Uses::Exits,
        "systemCalendarMicroseconds" | "systemMicrosecondClock" | "systemMillisecondClock" => {
            Uses::Clock
        }
        "objectBasicAt" | "objectBasicAtPut" => Uses::Element,
        "objectInstVarAt" | "objectInstVarAtPut" => Uses::Variable,
        "objectClass" | "objectSame" | "objectNotSame" | "objectIdentityHash" | "objectAddress"
        | "objectRespondsTo" | "objectBasicSize" => Uses::Nothing,
        "objectShallowCopy" => Uses::Reads,
        "indexedReplace" | "stringAtPut" => Uses::Changes,
        "hashedAt"
        | "hashedIncludes"
        | "hashedScan"
        | "hashIndexNext"
        | "hashIndexScan"
        | "hashIndexScanIdentical"
        | "streamAtEnd"
        | "streamPeek" => Uses::ReadsInside,
        _ if DEFINING.contains(&name) => Uses::Defines,
        _ if SHOWING.contains(&name) => Uses::Shows,
        "systemGlobalAt" | "systemGlobalAtPut" => Uses::Global,
        "blockValueWithArguments" | "performWithArguments" | "performInSuperclass" => {
            Uses::Arguments
        }
        "symbolFromString" => Uses::Reads,
        _ if name.starts_with("objectBecome") || name.starts_with("arrayElements") => Uses::Becomes,
        _ if name.starts_with("hash") || name.starts_with("stream") => Uses::ChangesInside,
        _ if ["indexed", "bytes", "string", "std", "file"]
            .iter()
            .any(|family| name.starts_with(family)) =>
        {
            Uses::Reads
        }
        _ if UNCHANGING.iter().any(|family| name.starts_with(family)) => Uses::Nothing,
        _ => Uses::ChangesInside,
    }
}

/// What the primitive with this number uses.
fn uses_of(number: u32) -> Uses {
    static TABLE: OnceLock<Vec<Uses>> = OnceLock::new();
    let table = TABLE.get_or_init(|| numbered().iter().map(|row| uses(row.name)).collect());
    table.get(number as usize).copied().unwrap_or(Uses::Shows)
}

/// Before what a process stops that is to call the primitive with this number.
pub(crate) fn stop_before(number: u32, call: PutOff) -> Parked {
    match uses_of(number) {
        Uses::Waits => Parked::Waits(call),
        Uses::Controls | Uses::Suspends | Uses::Begins => Parked::Late(call),
        Uses::Exits => Parked::Exits(call),
        _ => Parked::Calls(call),
    }
}

impl Vm {
    fn global_named(&self, name: Value) -> Option<u32> {
        let text = self.symbol_text(name.as_symbol()?);
        self.image.global_ids.get(&GlobalKey::Global(text)).copied()
    }

    /// Whether the guide decides when the primitive with this number is called, because other processes can see what it uses. If not, that is noted.
    #[cold]
    pub(super) fn stops_before_primitive(&mut self, number: u32, args: Args) -> bool {
        let uses = uses_of(number);
        if uses != Uses::Exits
            && numbered()
                .get(number as usize)
                .is_some_and(|row| row.is_ordered)
        {
            self.watch_shown();
        }
        let receiver = args.receiver(self);
        let writes = args.count > 1;
        match uses {
            Uses::Nothing => {}
            Uses::Element if receiver.is_object() => {
                let fixed = self.class(self.class_of(receiver)).ivars.len();
                self.watch_numbered(receiver, fixed, args.at(self, 0), writes);
            }
            Uses::Variable => self.watch_numbered(receiver, 0, args.at(self, 0), writes),
            Uses::Element => {}
            Uses::Reads => self.watch_operands(args, false, false),
            Uses::Changes => {
                self.watch_operands(args, false, false);
                self.watch_object(receiver, true);
            }
            Uses::ReadsInside => self.watch_operands(args, true, false),
            Uses::ChangesInside => self.watch_operands(args, true, true),
            Uses::Arguments => {
                for index in 0..args.count {
                    self.watch_object(args.at(self, index), false);
                }
            }
            Uses::Shows => self.watch_shown(),
            Uses::Becomes => {
                self.watch_shown();
                self.watch_operands(args, true, true);
            }
            Uses::Defines => {
                self.watch_shown();
                self.watch_definition();
            }
            Uses::Global => {
                if let Some(id) = self.global_named(args.at(self, 0)) {
                    self.watch_global(id, writes);
                }
            }
            _ => self.watch_process(uses, receiver),
        }
        self.takes_stop()
    }

    /// A primitive of processes, semaphores, clocks or the run is about to be called.
    fn watch_process(&mut self, uses: Uses, receiver: Value) {
        match uses {
            Uses::Waits | Uses::Signals if self.is_semaphore(receiver) => {
                let signals = self.signals_of(receiver);
                match uses == Uses::Waits {
                    true => self.watch_wait(receiver, signals),
                    false => self.watch_signalling(receiver, signals),
                }
            }
            Uses::Looks | Uses::Controls | Uses::Suspends | Uses::Begins
                if receiver.is_object() =>
            {
                let process = process_number(self, receiver);
                let is_own = process == Some(self.running.id);
                // If no other process changes one, no other one sees when that begins or suspends itself.
                let is_unseen = match uses {
                    Uses::Suspends => is_own && !self.controls_are_seen(),
                    Uses::Begins if !self.controls_are_seen() => {
                        is_own || process.is_some_and(|id| self.has_not_begun(id))
                    }
                    _ => is_own,
                };
                if !is_unseen {
                    self.watch_control(receiver, uses != Uses::Looks);
                }
            }
            Uses::Exits => self.watch_end(),
            Uses::Clock => self.watch_clock(),
            _ => {}
        }
    }

    /// Whether the process was made, and was not resumed so far.
    fn has_not_begun(&self, id: ProcessId) -> bool {
        let row = self.processes.table.get(id.0 as usize);
        let row = row.and_then(Option::as_ref);
        row.is_some_and(|process| !process.started && process.status == Status::Waiting)
    }

    fn watch_numbered(&mut self, object: Value, before: usize, number: Value, writes: bool) {
        let number = number.as_int().and_then(|one| usize::try_from(one).ok());
        if let Some(number) = number.filter(|one| *one > 0) {
            self.watch_slot(object, before + number - 1, writes);
        }
    }

    fn watch_operands(&mut self, args: Args, goes_inside: bool, writes: bool) {
        let operands = [args.receiver(self)]
            .into_iter()
            .chain((0..args.count).map(|index| args.at(self, index)));
        for operand in operands.collect::<Vec<Value>>() {
            self.watch_object(operand, writes);
            if goes_inside
                && operand.is_object()
                && let Contents::Slots(_) = self.heap.contents(operand)
            {
                let fixed = self.class(self.class_of(operand)).ivars.len();
                // What an Array holds are its elements.
                let count = if fixed == 0 { usize::MAX } else { fixed };
                let inside: Vec<Value> = self
                    .heap
                    .slots(operand)
                    .iter()
                    .take(count)
                    .copied()
                    .collect();
                for object in inside {
                    self.watch_object(object, writes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_those_of_primitives() {
        let is_known = |name: &&str| numbered().iter().any(|row| *row.name == **name);
        for name in DEFINING.iter().chain(SHOWING) {
            assert!(is_known(name), "{name}");
        }
        for family in UNCHANGING {
            let mut rows = numbered().iter();
            assert!(rows.any(|row| row.name.starts_with(family)), "{family}");
        }
        assert_eq!(uses("semaphoreWait"), Uses::Waits);
        assert_eq!(uses("stdoutWrite"), Uses::Reads);
        assert_eq!(uses("integerAdd"), Uses::Nothing);
    }
}
