//! The requests of primitives to the loop, and the ways to leave the loop.

use crate::base::{ClassId, MethodId, Stop, SymbolId, Value};

/// Work for the loop that a primitive requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Request {
    None,
    /// Evaluate the block in the primitive's window, its arguments following it.
    EvaluateBlock {
        count: usize,
    },
    /// Send the selector to the receiver in the window, arguments following it, uncounted.
    Perform {
        selector: SymbolId,
        count: usize,
        start: Option<ClassId>,
    },
    /// Run the method with the receiver in the window, arguments following it, uncounted.
    Invoke {
        method: MethodId,
        count: usize,
    },
    /// Run the method for which a wrapper stands with the receiver in the window, arguments following it, uncounted.
    RunOriginal {
        method: MethodId,
        count: usize,
    },
    /// Evaluate the block in the window, counted, as a piece of the run that is recorded.
    EvaluateSection {
        /// Arguments of the block.
        count: usize,
        section: u64,
    },
    /// Begin the method or block anew that sent the message.
    Restart,
    /// Answer the class with this name, defined from the class path if necessary.
    LoadClass {
        name: SymbolId,
    },
    /// Unwind to the marked frame.
    Unwind(crate::processes::Unwinding),
    /// Answer the value, then switch to a different process.
    Switch {
        answer: Value,
    },
    /// Answer the value, then go on in a different copy of the loop.
    AnswerInNewMode {
        answer: Value,
    },
    /// Let the client signal that its request with this selector is outside of a scope.
    RefuseUncontrolled {
        selector: SymbolId,
    },
    /// Let the other processors catch up, then call the primitive again.
    CatchUp,
    /// The run ends.
    Stop(Stop),
    /// End the turn of the running processor.
    Interact(crate::separate::Intent),
    /// Evaluate the block in the window's first argument as the condition of the running frame.
    Require,
    /// Let a copy of the machine evaluate the block in the window's first argument, and answer what that took.
    Try {
        /// The CPUs that are simulated; any number if absent.
        cpus: Option<u64>,
    },
    /// Let copies of the machine evaluate the block in the window's first argument under every schedule, and answer how long they take.
    TryEverySchedule,
    /// Let a copy of the machine evaluate the block in the window's first argument, and answer what an exploration of its actors finds.
    Explore {
        /// The order in which messages may arrive.
        delivery: Option<crate::base::SymbolId>,
        /// The machine that prices messages.
        costs: Option<crate::base::SymbolId>,
    },
    /// Evaluate the block in the window's first argument and answer its cost.
    Measure(crate::counting::Measure),
}

/// Why a copy of the loop was left.
pub(crate) enum Exit {
    /// A different copy of the loop has to go on.
    Mode,
    /// A copy of the machine goes on first.
    Trial,
    /// The run is over.
    Stop(Stop),
}

/// Where receiver and arguments of a primitive stand on the stack of the running process. They stay
/// there, and follow the collector, until the primitive has answered.
#[derive(Clone, Copy)]
pub(crate) struct Args {
    pub(crate) base: usize,
    pub(crate) count: usize,
}
