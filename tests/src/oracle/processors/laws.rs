//! Laws that hold for the record of each run, whatever the program.

use std::collections::BTreeMap;

use tally_vm::{EventKind, Timeline, TimelineRequest};

use super::observe::Run;
use super::record::{Circumstances, What};
use super::{estimate_laws, path_laws, scope_laws, state_laws};

/// The moments of a request.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    called: Option<u64>,
    synchronizes: Option<u64>,
    executes: Option<u64>,
    returns: Option<u64>,
    joins: Option<u64>,
    answered: Option<u64>,
    cancelled: Option<u64>,
}

/// The laws that a run breaks.
pub(super) fn broken(run: &Run, circumstances: Circumstances) -> Vec<String> {
    let moments = moments(&run.timeline);
    let mut broken = Vec::new();
    broken.extend(ticks(run, circumstances));
    broken.extend(cpus(run, circumstances));
    broken.extend(gaps(run, circumstances));
    for request in 1..moments.len() {
        broken.extend(order(&moments[request], request));
        broken.extend(nesting(&run.timeline, &moments, request));
    }
    broken.extend(waiting(&run.timeline, &moments));
    broken.extend(fifo(&run.timeline, &moments));
    broken.extend(scope_laws::broken(&run.timeline, circumstances));
    broken.extend(state_laws::broken(run, circumstances));
    broken.extend(path_laws::broken(run, circumstances));
    broken.extend(estimate_laws::broken(run, circumstances));
    broken
}

fn moments(timeline: &Timeline) -> Vec<Moments> {
    let mut all = vec![Moments::default(); timeline.requests.len()];
    for event in &timeline.events {
        let moments = &mut all[event.request as usize];
        let moment = match event.kind {
            EventKind::Called { .. } => &mut moments.called,
            EventKind::Synchronizes => &mut moments.synchronizes,
            EventKind::Executes => &mut moments.executes,
            EventKind::Returns => &mut moments.returns,
            EventKind::Joins => &mut moments.joins,
            EventKind::Answered => &mut moments.answered,
            EventKind::Cancelled => &mut moments.cancelled,
            _ => continue,
        };
        *moment = Some(event.time);
    }
    all
}

/// All ticks of the run were executed by its processors. One CPU is never idle without delays.
fn ticks(run: &Run, circumstances: Circumstances) -> Option<String> {
    let record = &run.record;
    let (mut ran, mut charged) = (0, 0);
    for happening in &record.happenings {
        match happening.what {
            What::RanFrom(from) => ran += happening.time - from,
            What::ChargedFrom(from) => charged += happening.time - from,
            _ => {}
        }
    }
    if ran != record.ticks {
        return Some(format!("processors ran {ran} of {} ticks", record.ticks));
    }
    let sleeps = record.happenings.iter().any(|h| h.what == What::Sleeps);
    let costs = circumstances.costs;
    let is_bare =
        circumstances.cpus == Some(1) && costs.latency == 0 && costs.scheduler == 0 && !sleeps;
    let is_longer = is_bare && record.end != ran + charged;
    is_longer.then(|| format!("one CPU took {} for {ran} ticks and {charged}", record.end))
}

/// Never do more processors run or pay than there are CPUs.
fn cpus(run: &Run, circumstances: Circumstances) -> Option<String> {
    let cpus = circumstances.cpus?;
    let mut changes = Vec::new();
    for happening in &run.record.happenings {
        if let Some(from) = happening.what.begin() {
            changes.extend([(from, 1_i64), (happening.time, -1)]);
        }
    }
    // At one moment, the ends come first.
    changes.sort_unstable();
    let running = changes.iter().scan(0, |running, (_, change)| {
        *running += change;
        Some(*running)
    });
    let most = running.max().unwrap_or(0).unsigned_abs();
    (most > cpus).then(|| format!("{most} processors ran on {cpus} CPUs"))
}

/// Two requests of a processor are sent at least the gap apart.
fn gaps(run: &Run, circumstances: Circumstances) -> Option<String> {
    let mut last: BTreeMap<&[u32], u64> = BTreeMap::new();
    let calls = run.record.happenings.iter();
    for call in calls.filter(|one| matches!(one.what, What::Called(..))) {
        let before = last.insert(&call.processor, call.time);
        if before.is_some_and(|before| call.time < before + circumstances.costs.gap) {
            return Some(format!(
                "a request at {} follows another too soon",
                call.time
            ));
        }
    }
    None
}

/// The moments of a request follow each other.
fn order(moments: &Moments, request: usize) -> Option<String> {
    let Moments {
        called,
        synchronizes,
        executes,
        returns,
        answered,
        cancelled,
        ..
    } = *moments;
    let known: Vec<u64> = [called, cancelled, synchronizes, executes, returns, answered]
        .into_iter()
        .flatten()
        .collect();
    (!known.is_sorted()).then(|| format!("request {request} is out of order: {moments:?}"))
}

/// A request is sent while its sender is served, and answered before its sender returns.
fn nesting(timeline: &Timeline, all: &[Moments], request: usize) -> Option<String> {
    let sender = &all[timeline.requests[request].sender? as usize];
    let own = &all[request];
    let begins_early = own.called < sender.synchronizes && own.called.is_some();
    let ends_late = sender.returns.is_some() && own.answered > sender.returns;
    (begins_early || ends_late).then(|| format!("request {request} is outside its sender"))
}

/// No request waits longer than it executes.
fn waiting(timeline: &Timeline, all: &[Moments]) -> Vec<String> {
    let mut waits: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
    for (moments, request) in all.iter().zip(&timeline.requests) {
        // The client of a future waits from its own moment on.
        let begins = moments.joins.or(moments.called);
        let (Some(sender), Some(begins), Some(answered)) =
            (request.sender, begins, moments.answered)
        else {
            continue;
        };
        waits.entry(sender).or_default().push((begins, answered));
    }
    let mut broken = Vec::new();
    for (request, mut intervals) in waits {
        let Moments {
            executes: Some(executes),
            returns: Some(returns),
            ..
        } = all[request as usize]
        else {
            continue;
        };
        intervals.sort_unstable();
        let (mut covered, mut end) = (0, executes);
        for (from, to) in intervals {
            covered += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
        if covered > returns - executes {
            broken.push(format!("request {request} waits {covered} ticks"));
        }
    }
    broken
}

/// Requests of a client to a supplier are taken up in the order in which they were sent, callbacks apart. This holds among
/// those that the client sent for one request: for the next, it may belong to a chain that holds the lock. It holds in runs
/// without callbacks for which no client waits: their chains can end while they run, and their locks come back.
fn fifo(timeline: &Timeline, all: &[Moments]) -> Vec<String> {
    let is_detached = |request: &TimelineRequest| request.is_callback && !request.waits;
    if timeline.requests.iter().any(is_detached) {
        return Vec::new();
    }
    let mut last: BTreeMap<(Option<u32>, u32), Option<u64>> = BTreeMap::new();
    let mut broken = Vec::new();
    for (number, request) in timeline.requests.iter().enumerate() {
        if request.is_local || request.is_callback {
            continue;
        }
        let pair = (served(timeline, request.sender), request.supplier);
        let taken = all[number].synchronizes.or(all[number].cancelled);
        if let Some(before) = last.insert(pair, taken) {
            let overtakes = taken.is_some() && (before.is_none() || before > taken);
            if overtakes {
                broken.push(format!("request {number} overtakes one of its client"));
            }
        }
    }
    broken
}

/// The request that the client serves, around activations of its own.
fn served(timeline: &Timeline, sender: Option<u32>) -> Option<u32> {
    let mut served = sender;
    while let Some(request) = served.map(|number| &timeline.requests[number as usize]) {
        if !request.is_local {
            break;
        }
        served = request.sender;
    }
    served
}
