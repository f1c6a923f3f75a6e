//! Laws of locks: who gets them first, and whose requests a locked processor serves.

use std::collections::BTreeMap;

use tally_vm::{EventKind, LockScheduler, Timeline};

use super::record::Circumstances;

/// A scope that waits for locks.
#[derive(Default)]
struct Waiting {
    wanted: Vec<u32>,
    /// Since when.
    since: u64,
    /// Whether its condition was false before, so that it waits for a condition.
    is_again: bool,
}

/// Follows the scopes of a run.
struct Scopes<'t> {
    timeline: &'t Timeline,
    is_central: bool,
    waiting: BTreeMap<u32, Waiting>,
    /// By processor: the requests whose scopes hold it, the outermost first.
    held: BTreeMap<u32, Vec<u32>>,
    /// When requests end.
    ends: BTreeMap<u32, u64>,
    broken: Vec<String>,
}

/// The laws of locks that a run breaks.
pub(super) fn broken(timeline: &Timeline, circumstances: Circumstances) -> Vec<String> {
    let mut scopes = Scopes {
        timeline,
        is_central: circumstances.scheduler == LockScheduler::Central,
        waiting: BTreeMap::new(),
        held: BTreeMap::new(),
        ends: timeline
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Returns)
            .map(|event| (event.request, event.time))
            .collect(),
        broken: Vec::new(),
    };
    for event in &timeline.events {
        let request = event.request;
        match event.kind {
            EventKind::Locks => scopes.waits(request, event.time),
            EventKind::Wants { supplier } => scopes.wants(request, supplier),
            EventKind::Granted => scopes.granted(request),
            EventKind::Evaluated(false) => scopes.gives_back(request),
            EventKind::Unlocked => scopes.unlocked(event.processor, event.time),
            EventKind::Synchronizes => scopes.serves(event.processor, request),
            _ => {}
        }
    }
    scopes.broken
}

impl Scopes<'_> {
    fn waits(&mut self, request: u32, since: u64) {
        let waiting = self.waiting.entry(request).or_default();
        waiting.since = since;
        waiting.wanted.clear();
    }

    fn wants(&mut self, request: u32, supplier: u32) {
        let waiting = self.waiting.entry(request).or_default();
        waiting.wanted.push(supplier);
    }

    /// Of those that want the same, the first gets it, unless its condition was false. A central scheduler that waits for a condition
    /// gives its chain at once what it can.
    fn granted(&mut self, request: u32) {
        let Some(granted) = self.waiting.remove(&request) else {
            return;
        };
        let is_overtaken = |other: &Waiting| {
            other.wanted == granted.wanted && other.since < granted.since && !other.is_again
        };
        let mut holders = self.held.values().flatten();
        let is_part = self.is_central && holders.any(|one| self.timeline.is_from(request, *one));
        if self.waiting.values().any(is_overtaken) && !granted.is_again && !is_part {
            self.broken.push(format!(
                "scope {request} has its locks before an earlier one"
            ));
        }
        for supplier in granted.wanted {
            let held = self.held.entry(supplier).or_default();
            let mut others = held.iter();
            if others.any(|one| !self.timeline.is_from(request, *one)) {
                self.broken
                    .push(format!("scope {request} locks what another one holds"));
            }
            held.push(request);
        }
    }

    /// The condition was false: its locks go back at once, and it waits for them again.
    fn gives_back(&mut self, request: u32) {
        let mut wanted = Vec::new();
        for (processor, held) in &mut self.held {
            if held.pop_if(|one| *one == request).is_some() {
                wanted.push(*processor);
            }
        }
        let waiting = Waiting {
            wanted,
            is_again: true,
            ..Waiting::default()
        };
        self.waiting.insert(request, waiting);
    }

    /// The unlock behind the calls of a scope that has ended has come up.
    fn unlocked(&mut self, processor: u32, time: u64) {
        let Some(held) = self.held.get_mut(&processor) else {
            return;
        };
        let has_ended = |one: &u32| self.ends.get(one).is_some_and(|end| *end <= time);
        if let Some(place) = held.iter().rposition(has_ended) {
            held.remove(place);
        }
    }

    /// A locked processor serves only what the chain of its scope sends, and what follows from that. Callbacks come from the chain
    /// in which the processor itself waits, and go before all others.
    fn serves(&mut self, processor: u32, request: u32) {
        let held = self.held.get(&processor);
        let Some(&holder) = held.and_then(|held| held.last()) else {
            return;
        };
        let described = &self.timeline.requests[request as usize];
        if described.is_local || described.is_callback || self.timeline.is_from(request, holder) {
            return;
        }
        self.broken.push(format!(
            "processor {processor} serves {request}, which is no part of the scope {holder}"
        ));
    }
}

trait Chains {
    /// Where the chain of a request begins: at a request whose client does not wait.
    fn chain(&self, request: u32) -> u32;

    /// Whether the request was sent in the chain of the other one, or in a request that was.
    fn is_from(&self, request: u32, other: u32) -> bool;
}

impl Chains for Timeline {
    fn chain(&self, request: u32) -> u32 {
        let mut at = request;
        loop {
            let row = &self.requests[at as usize];
            match row.sender {
                Some(sender) if row.waits || row.is_callback || row.is_local => at = sender,
                _ => return at,
            }
        }
    }

    fn is_from(&self, request: u32, other: u32) -> bool {
        let chain = self.chain(other);
        let mut at = Some(request);
        while let Some(number) = at {
            if self.chain(number) == chain {
                return true;
            }
            at = self.requests[number as usize].sender;
        }
        false
    }
}
