//! What a processor has under way, and since when it waits.

use std::collections::BTreeMap;

use crate::measured::{Measured, Window};
use crate::states::State;

/// What a processor has under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Requests, the outermost first.
    pub open: Vec<Open>,
    /// What it does.
    pub state: State,
    /// Since when.
    pub since: u64,
    /// The number of the obstacle that it waits for, if its processes do.
    pub obstacle: Option<u32>,
}

/// A request that a processor has under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its number.
    pub request: u32,
    /// The begin of its wait.
    pub waits_since: Option<u64>,
    /// Waits that are under way, nested ones included.
    pub depth: u32,
}

impl Lane {
    pub(crate) fn begin(&mut self, request: u32) {
        self.open.push(Open {
            request,
            waits_since: None,
            depth: 0,
        });
    }

    /// All that is under way here waits: a callback that is served meanwhile does not belong to it.
    pub(crate) fn wait(&mut self, time: u64) {
        for open in &mut self.open {
            open.depth = open.depth.saturating_add(1);
            if open.depth == 1 {
                open.waits_since = Some(time);
            }
        }
    }

    /// Nested waits become one, which the next answer ends.
    pub(crate) fn stop_waits(&mut self) {
        for open in &mut self.open {
            open.depth = open.depth.min(1);
        }
    }

    /// What is under way goes on, as far as it is below the request.
    pub(crate) fn go_on_below(
        &mut self,
        request: Option<u32>,
        time: u64,
        window: Window,
        rows: &mut BTreeMap<u32, Measured>,
    ) {
        for open in &mut self.open {
            if Some(open.request) == request {
                break;
            }
            open.depth = open.depth.saturating_sub(1);
            if open.depth > 0 {
                continue;
            }
            let Some(since) = open.waits_since.take() else {
                continue;
            };
            // Waits of the synchronization step are part of that step.
            if let Some(row) = rows.get_mut(&open.request)
                && row.executes.is_some()
            {
                let waited = window.overlap(since, time);
                row.waiting = row.waiting.saturating_add(waited);
            }
        }
    }
}
