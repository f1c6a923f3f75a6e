//! Metrics of single requests (document 000, Figure 4, definitions 1 to 5).

use tally_vm::{Event, EventKind, Timeline};

/// A request with its moments and metrics, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Class and selector of the feature that it applies: `Market>>buy:`.
    pub feature: String,
    /// The number of the processor that served it.
    pub supplier: u32,
    /// When the client sent it; absent for an activation of the processor's own.
    pub called: Option<u64>,
    /// When the supplier took it up.
    pub synchronizes: Option<u64>,
    /// When the feature began.
    pub executes: Option<u64>,
    /// When the feature ended.
    pub returns: Option<u64>,
    /// Ticks in which it waited while it executed: for answers and for locks of nested scopes. Overlaps count once.
    pub waiting: u64,
    /// How often its condition was evaluated.
    pub evaluations: u64,
}

impl Measured {
    /// Definition 1: from the call to the begin of the synchronization step; 0 for an activation of the processor's own.
    pub fn queue_time(&self) -> Option<u64> {
        let Some(called) = self.called else {
            return self.synchronizes.map(|_| 0);
        };
        Some(self.synchronizes?.saturating_sub(called))
    }

    /// Definition 2: from there to the begin of the feature.
    pub fn synchronization_time(&self) -> Option<u64> {
        Some(self.executes?.saturating_sub(self.synchronizes?))
    }

    /// Definition 3: from there to its end.
    pub fn execution_time(&self) -> Option<u64> {
        Some(self.returns?.saturating_sub(self.executes?))
    }

    /// Definition 4: the execution time without the waiting time.
    pub fn useful_time(&self) -> Option<u64> {
        Some(self.execution_time()?.saturating_sub(self.waiting))
    }
}

/// What a processor has under way.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Requests, the outermost first, each with the begin of its wait and the end of its last one.
    open: Vec<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    request: usize,
    waits_since: Option<u64>,
    /// Waits that are under way, nested ones included.
    depth: u32,
}

/// The metrics of all requests of a run, by their numbers. The first stands for the script.
pub fn measure(timeline: &Timeline) -> Vec<Measured> {
    let names = timeline.requests.iter().map(|request| Measured {
        feature: format!("{}>>{}", request.class, request.selector),
        supplier: request.supplier,
        ..Measured::default()
    });
    let mut measured: Vec<Measured> = names.collect();
    if let Some(script) = measured.first_mut() {
        script.feature = "script".to_string();
        (script.synchronizes, script.executes) = (Some(0), Some(0));
    }
    let mut lanes = vec![Lane::default(); timeline.processors.len()];
    if let Some(root) = lanes.first_mut() {
        root.begin(0);
    }
    for event in &timeline.events {
        let request = timeline.requests.get(event.request as usize);
        let is_local = request.is_some_and(|request| request.is_local);
        note(event, is_local, &mut measured, &mut lanes);
    }
    measured
}

fn note(event: &Event, is_local: bool, measured: &mut [Measured], lanes: &mut [Lane]) {
    let (request, time) = (event.request as usize, event.time);
    let (Some(row), Some(lane)) = (
        measured.get_mut(request),
        lanes.get_mut(event.processor as usize),
    ) else {
        return;
    };
    match event.kind {
        EventKind::Called { waits, .. } => {
            row.called = Some(time);
            if waits {
                lane.wait(time);
            }
        }
        EventKind::Joins => lane.wait(time),
        EventKind::Answered => lane.go_on_below(usize::MAX, time, measured),
        EventKind::Synchronizes => {
            row.synchronizes = Some(time);
            if is_local {
                // Its step of synchronization is waiting time of what is around it.
                lane.wait(time);
            }
            lane.begin(request);
        }
        EventKind::Evaluated(_) => row.evaluations += 1,
        EventKind::Executes => {
            row.executes = Some(time);
            if is_local {
                lane.go_on_below(request, time, measured);
            }
        }
        EventKind::Returns => {
            row.returns = Some(time);
            lane.open.retain(|open| open.request != request);
        }
        EventKind::Locks | EventKind::Granted => {}
        EventKind::Ran(_)
        | EventKind::Sleeps
        | EventKind::Wakes
        | EventKind::Cancelled
        | EventKind::Created
        | EventKind::Unlocked => {}
    }
}

impl Lane {
    fn begin(&mut self, request: usize) {
        self.open.push(Open {
            request,
            waits_since: None,
            depth: 0,
        });
    }

    /// All that is under way here waits: a callback that is served meanwhile does not belong to it.
    fn wait(&mut self, time: u64) {
        for open in &mut self.open {
            open.depth += 1;
            if open.depth == 1 {
                open.waits_since = Some(time);
            }
        }
    }

    /// What is under way goes on, as far as it is below the request.
    fn go_on_below(&mut self, request: usize, time: u64, measured: &mut [Measured]) {
        for open in &mut self.open {
            if open.request == request {
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
            if measured[open.request].executes.is_some() {
                measured[open.request].waiting += time.saturating_sub(since);
            }
        }
    }
}

/// Leaves out the requests that began before the first activation of the method. Answers when that was; nothing if it never
/// was.
pub fn from_call(requests: &mut Vec<Measured>, method: &str) -> Option<u64> {
    let is_its = |request: &&Measured| request.feature == method && request.synchronizes.is_some();
    let start = requests.iter().find(is_its)?.synchronizes?;
    let mut number = 0;
    requests.retain(|request| {
        number += 1;
        let begins = request.called.or(request.synchronizes);
        number == 1 || begins.is_some_and(|begins| begins >= start)
    });
    Some(start)
}

/// Ticks that all processors together executed from this moment on.
pub(crate) fn ticks_from(timeline: &Timeline, start: u64) -> u64 {
    let ticks = timeline.events.iter().map(|event| match event.kind {
        EventKind::Ran(ticks) => ticks.min(event.time.saturating_sub(start)),
        _ => 0,
    });
    ticks.sum()
}
