//! The engine in runs in which a guide decides what happens next.

use std::sync::PoisonError;

use super::causes::{Carrier, Causes};
use super::engine::{Engine, Intent, ProcessorId, ROOT, RequestId, SCRIPT};
use super::guided::{Guided, StepCandidate, StepDone, StepKind, Timing, Touch, Touched};
use super::happenings::{Entry, Happening, Key};
use super::processor::State;
use crate::base::{ClassId, SymbolId};

/// The processor from which an entry comes. If it is a delivery, also the processor that it reaches: these have an order of their own.
type Thread = (ProcessorId, Option<ProcessorId>);

/// Whether what is sent to a processor whose lock its chain has would overtake an earlier request of the same processor, which is not in a queue yet.
fn has_queued_before(entry: &Entry, possible: &[Entry]) -> bool {
    let is_sent = matches!(entry.happening, Happening::Arrive(_) | Happening::Unlock(_));
    let mut before = possible
        .iter()
        .filter(|one| matches!(one.happening, Happening::Queue(_)) && *one < entry);
    is_sent && before.any(|one| one.key.origin.is_of_same(&entry.key.origin))
}

impl Engine {
    /// Whether the guide decides when it happens. If any duration is possible, what a processor sends arrives at once, because the guide decides
    /// when it is taken up.
    fn is_step(&self, timing: Timing, happening: Happening) -> bool {
        match happening {
            Happening::Interact(_)
            | Happening::CatchUp(_)
            | Happening::Queue(_)
            | Happening::Close(_)
            | Happening::Unlock(_)
            | Happening::Awake(_)
            | Happening::Approve
            | Happening::Approved => true,
            Happening::Arrive(request) => {
                timing == Timing::Exact && self.request(request).is_callback
            }
            Happening::Reply(_) => timing == Timing::Exact,
            Happening::ArriveAlone(_)
            | Happening::Grant
            | Happening::Pause(_)
            | Happening::Expire(_)
            | Happening::Dispatch
            | Happening::Take(_)
            | Happening::Switched(_)
            | Happening::Unlocked(_)
            | Happening::Serve(_) => false,
        }
    }

    /// What happens next, as the guide decides. Nothing if nothing is left to happen, or if the guide ends the run.
    pub(super) fn pop_guided(&mut self) -> Option<(Key, Happening)> {
        let mut guided = self.guided.take()?;
        let popped = self.pop_by(&mut guided);
        self.guided = Some(guided);
        popped
    }

    fn pop_by(&mut self, guided: &mut Guided) -> Option<(Key, Happening)> {
        if guided.is_over {
            return None;
        }
        let mut possible: Vec<Entry> = self.agenda.all();
        possible.sort();
        if guided.timing == Timing::Exact
            && let Some(first) = possible.first().map(|entry| entry.key.clone())
        {
            possible.retain(|one| (one.key.time, one.key.phase) == (first.time, first.phase));
        }
        let mut all = possible.iter();
        let follows = all.find(|one| {
            !self.is_step(guided.timing, one.happening) && !has_queued_before(one, &possible)
        });
        if let Some(entry) = follows {
            return Some(self.take_guided(guided, entry));
        }
        self.end_step(guided);
        let steps = self.steps(guided, &possible);
        let candidates: Vec<StepCandidate> = steps
            .iter()
            .map(|(thread, step)| self.candidate(guided, *thread, step))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let chosen = {
            let mut guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
            guide.choose(&candidates)
        };
        let Some((thread, entry)) = chosen.and_then(|place| steps.get(place)) else {
            guided.is_over = true;
            return None;
        };
        self.begin_step(guided, *thread, entry);
        Some(self.take_guided(guided, entry))
    }

    /// The first of each thread. What a processor has planned happens in the order of its own numbers.
    fn steps(&self, guided: &Guided, possible: &[Entry]) -> Vec<(Thread, Entry)> {
        let mut steps: Vec<(Thread, Entry)> = Vec::new();
        for entry in possible {
            let target = match entry.happening {
                Happening::Arrive(request) => Some(self.request(request).supplier),
                Happening::Reply(request) => Some(self.request(request).client),
                Happening::Unlock(id) => Some(id),
                Happening::Approve | Happening::Approved => Some(ROOT),
                _ => None,
            };
            let thread = (self.origin(entry), target);
            if steps.iter().all(|(other, _)| *other != thread) {
                steps.push((thread, entry.clone()));
            }
        }
        steps.retain(|(_, entry)| !self.comes_too_early(guided.timing, entry, possible));
        steps
    }

    /// Whether an unlock marker has to wait. A chain that may not call a processor any more knows that before. If any duration is possible, the
    /// marker comes when the processor has carried out all that was sent to it: its lock comes back when both is so.
    fn comes_too_early(&self, timing: Timing, entry: &Entry, possible: &[Entry]) -> bool {
        let Happening::Unlock(id) = entry.happening else {
            return false;
        };
        let mut closings = possible
            .iter()
            .filter(|one| one.happening == Happening::Close(id));
        let processor = &self.processors[id.0 as usize];
        let is_done = processor.state == State::Idle && processor.work.queue.is_empty();
        closings.any(|one| one.key.origin.is_of_same(&entry.key.origin))
            || has_queued_before(entry, possible)
            || timing == Timing::Any && !is_done
    }

    fn begin_step(&self, guided: &mut Guided, (origin, target): Thread, entry: &Entry) {
        let causes = &mut guided.causes;
        let carrier = match target {
            Some(target) => Carrier::Delivery(origin, target),
            None => Carrier::Next(origin),
        };
        match entry.happening {
            Happening::Unlock(supplier) => causes.deliver_marker(origin, supplier),
            Happening::Arrive(request) => causes.add(carrier, Carrier::Request(request)),
            Happening::Reply(request) => causes.add(carrier, Carrier::Answer(request)),
            Happening::Approve | Happening::Approved => causes.add(carrier, Carrier::Approval),
            Happening::Awake(id) => causes.add(carrier, Carrier::Signal(id)),
            _ => {}
        }
        guided.follows = causes.of(carrier).to_vec();
        causes.begin(carrier, guided.steps);
        match entry.happening {
            Happening::Unlock(supplier) => causes.queue_marker(supplier, carrier),
            Happening::Arrive(request) => causes.set(Carrier::Request(request), carrier),
            Happening::Reply(request) => causes.set(Carrier::Answer(request), carrier),
            Happening::Approve => causes.set(Carrier::Approval, carrier),
            _ => {}
        }
        guided.is_under_way = true;
        guided.steps += 1;
        if target.is_none() && guided.is_loose {
            guided.touch(Touched::Waiting, origin, false);
        }
    }

    /// The step that is under way is over.
    fn end_step(&mut self, guided: &mut Guided) {
        if std::mem::take(&mut guided.is_under_way) {
            let touched = guided.touched.iter();
            let touched = touched.map(|(what, id, changes)| Touch {
                what: *what,
                path: self.processors[id.0 as usize].path.parts(),
                changes: *changes,
            });
            let step = StepDone {
                follows: std::mem::take(&mut guided.follows),
                touched: touched.collect(),
                can_be_held_off: std::mem::take(&mut guided.can_be_held_off),
                ..StepDone::default()
            };
            let mut guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
            guide.did(&step);
        }
        guided.touched.clear();
    }

    /// The run is over, and so is its last step.
    pub(crate) fn end_guided(&mut self) {
        if let Some(mut guided) = self.guided.take() {
            self.end_step(&mut guided);
            self.guided = Some(guided);
        }
    }

    /// The processor that an entry comes from.
    fn origin(&self, entry: &Entry) -> ProcessorId {
        let mut all = (0..).zip(self.processors.iter());
        all.find(|(_, one)| entry.key.origin.is_of(&one.path))
            .map_or(ROOT, |(number, _)| ProcessorId(number))
    }

    fn take_guided(&mut self, guided: &mut Guided, entry: &Entry) -> (Key, Happening) {
        self.agenda.remove(entry);
        // Members of a chain compete only once they run at the same time: what was sent before that is before all that they do.
        guided.is_loose |= !self.loose.is_empty();
        self.touch_by_happening(guided, entry.happening);
        let mut key = entry.key.clone();
        if guided.timing == Timing::Any {
            // Each step has a moment of its own.
            let is_step = self.is_step(guided.timing, entry.happening);
            let time = self.now + u64::from(is_step);
            // A sleep ends when its time has come.
            key.time = match entry.happening {
                Happening::Awake(_) => time.max(key.time),
                _ => time,
            };
        }
        (key, entry.happening)
    }

    /// Notes what follows from what, if a guide decides what happens.
    pub(super) fn causes(&mut self, note: impl FnOnce(&mut Causes)) {
        if let Some(guided) = &mut self.guided {
            note(&mut guided.causes);
        }
    }

    /// Whether the processor has to let the others catch up before it does what they can see: the guide decides when it does.
    pub(crate) fn is_to_show(&mut self, id: ProcessorId) -> bool {
        match &mut self.guided {
            None => false,
            Some(guided) => guided.shows.take() != Some(id),
        }
    }

    /// What a step is, the other processors that are concerned, and the request.
    fn kind(
        &self,
        happening: Happening,
    ) -> (StepKind, Vec<ProcessorId>, Option<(ClassId, SymbolId)>) {
        let named = |request: RequestId| {
            let row = self.request(request);
            // The script is a request without names.
            (request != SCRIPT).then_some((row.class, row.message.selector))
        };
        let about = |kind: StepKind, other: Option<ProcessorId>, request: RequestId| {
            (kind, other.into_iter().collect(), named(request))
        };
        let supplier = |request: RequestId| Some(self.request(request).supplier);
        match happening {
            Happening::Interact(id) | Happening::CatchUp(id) => {
                match self.processors[id.0 as usize].work.intent {
                    Some(
                        Intent::Call(request) | Intent::Send(request) | Intent::SendAhead(request),
                    ) => about(StepKind::Calls, supplier(request), request),
                    Some(Intent::Join(request)) => about(StepKind::Joins, None, request),
                    Some(Intent::Finish(request)) => about(StepKind::Returns, None, request),
                    Some(Intent::Lock(serial)) => (StepKind::Locks, self.wanted(id, serial), None),
                    Some(Intent::Retry(serial)) => {
                        (StepKind::Retries, self.wanted(id, serial), None)
                    }
                    Some(Intent::Look | Intent::Yield) => (StepKind::Shows, Vec::new(), None),
                    Some(Intent::Settle | Intent::Rest(_)) | None => {
                        (StepKind::Rests, Vec::new(), None)
                    }
                }
            }
            Happening::Queue(request) => about(StepKind::Locks, supplier(request), request),
            Happening::Arrive(request) => about(StepKind::Arrives, supplier(request), request),
            Happening::Reply(request) => {
                let client = self.request(request).client;
                about(StepKind::Answers, Some(client), request)
            }
            Happening::Close(id) | Happening::Unlock(id) => (StepKind::Unlocks, vec![id], None),
            Happening::Awake(_) => (StepKind::Wakes, Vec::new(), None),
            _ => (StepKind::Approves, Vec::new(), None),
        }
    }

    fn candidate(&self, guided: &Guided, (origin, target): Thread, entry: &Entry) -> StepCandidate {
        let path = |id: ProcessorId| self.processors[id.0 as usize].path.parts();
        let (kind, others, request) = self.kind(entry.happening);
        let own = path(origin);
        let path_of_step = match target {
            Some(target) => [&*own, &[0], &*path(target)].concat().into(),
            None => own,
        };
        StepCandidate {
            path: path_of_step,
            class: self.processors[origin.0 as usize].class,
            kind,
            others: others.into_iter().map(path).collect(),
            request,
            is_held_off: self.is_held_off(guided, entry.happening),
            moment: (entry.key.time, entry.key.phase),
            place: None,
            access: None,
        }
    }
}
