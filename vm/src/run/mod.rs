//! A run under way: the requests of primitives to the loop, the values that they hold in the meantime, and the outcome.

mod integers;
mod request;

use crate::base::{Stop, Value};
use crate::world::Failure;

pub(crate) use integers::{Computed, Division, Integer};
pub(crate) use request::{Args, Exit, Request};

/// The data that the loop and the primitives exchange, and the results of a run.
pub(crate) struct Run {
    pub(crate) request: Request,
    /// Arguments of the running primitive: extra roots.
    pub(crate) window: Option<Args>,
    /// Values that Rust code holds over an allocation.
    pub(crate) handles: Vec<Value>,
    pub(crate) computed: Computed,
    /// Stands in for a request's value when there is none.
    pub(crate) no_value: Value,
    /// Why the loop is being left.
    pub(crate) exit: Option<Exit>,
    /// A different copy of the loop has to go on, or the same with different handlers.
    pub(crate) mode_changed: bool,
    /// Whether the running copy of the loop maintains the whole cost vector.
    pub(crate) counts_fully: bool,
    /// A later collection of the nursery would have too many roots to visit, so the next poll point collects.
    pub(crate) collection_is_wanted: bool,
    /// More memory is in use than may be; the next poll point collects, or ends the run.
    pub(crate) memory_is_short: bool,
    /// Why the run ends at the next poll point.
    pub(crate) pending_stop: Option<Stop>,
    pub(crate) under_way: bool,
    pub(crate) stopped: Option<Stop>,
    pub(crate) internal_error: Option<String>,
    pub(crate) failed: bool,
    pub(crate) depth_exceeded: bool,
    /// Whether errors are kept instead of written.
    pub(crate) keeps_failures: bool,
    pub(crate) failures: Vec<Failure>,
    /// The definitions that the machine refused, if a script goes on behind them.
    pub(crate) refused: Option<Vec<String>>,
    /// The line of the outermost frame at the last unhandled error.
    pub(crate) failed_at: Option<usize>,
    pub(crate) result: Value,
    /// Ticks that trials have executed, which have ended.
    pub(crate) tried_ticks: u64,
    /// Whether the program wanted a trial.
    pub(crate) has_wanted_trials: bool,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            request: Request::None,
            window: None,
            handles: Vec::new(),
            computed: Computed::default(),
            no_value: Value::NIL,
            exit: None,
            mode_changed: false,
            counts_fully: false,
            collection_is_wanted: false,
            memory_is_short: false,
            pending_stop: None,
            under_way: false,
            stopped: None,
            internal_error: None,
            failed: false,
            depth_exceeded: false,
            keeps_failures: false,
            failures: Vec::new(),
            refused: None,
            failed_at: None,
            result: Value::NIL,
            tried_ticks: 0,
            has_wanted_trials: false,
        }
    }
}

impl Run {
    /// The run of a copy of the machine, which is at a poll point: no primitive is at work there.
    pub(crate) fn fork(&self) -> Run {
        let Run {
            request: _,
            window: _,
            handles,
            computed: _,
            no_value: _,
            exit: _,
            mode_changed: _,
            counts_fully: _,
            collection_is_wanted: _,
            memory_is_short: _,
            pending_stop,
            under_way: _,
            stopped: _,
            internal_error: _,
            failed,
            depth_exceeded,
            keeps_failures: _,
            failures: _,
            refused: _,
            failed_at: _,
            result,
            tried_ticks: _,
            has_wanted_trials: _,
        } = self;
        Run {
            handles: handles.clone(),
            pending_stop: *pending_stop,
            failed: *failed,
            depth_exceeded: *depth_exceeded,
            result: *result,
            ..Run::default()
        }
    }
}
