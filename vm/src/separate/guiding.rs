//! The engine in runs in which a guide decides what happens next.

use std::sync::{Arc, PoisonError};

use super::engine::{Engine, Intent, ProcessorId, ROOT, RequestId, SCRIPT};
use super::guided::{Guided, StepCandidate, StepKind, Timing, Touched};
use super::happenings::{Entry, Happening, Key};
use super::simulation::Recheck;

/// Whether others can see when it happens.
fn is_step(happening: Happening) -> bool {
    !matches!(
        happening,
        Happening::Grant
            | Happening::Pause(_)
            | Happening::Expire(_)
            | Happening::Dispatch
            | Happening::Take(_)
            | Happening::Switched(_)
            | Happening::Unlocked(_)
            | Happening::Serve(_)
    )
}

impl Engine {
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
        let all = self.agenda.all();
        let first = all
            .iter()
            .min()
            .map(|entry| (entry.key.time, entry.key.phase));
        let timing = guided.timing;
        let is_possible = |entry: &&Entry| {
            timing == Timing::Any || Some((entry.key.time, entry.key.phase)) == first
        };
        let follows = all
            .iter()
            .filter(is_possible)
            .filter(|entry| !is_step(entry.happening));
        if let Some(entry) = follows.min().cloned() {
            return Some(self.take_guided(guided, &entry));
        }
        self.end_step(guided);
        // What a processor has planned happens in the order of its own numbers.
        let mut steps: Vec<Entry> = Vec::new();
        let mut sorted: Vec<&Entry> = all.iter().filter(is_possible).collect();
        sorted.sort();
        for entry in sorted {
            if steps
                .iter()
                .all(|one| !one.key.origin.is_of_same(&entry.key.origin))
            {
                steps.push(entry.clone());
            }
        }
        let candidates: Vec<StepCandidate> =
            steps.iter().map(|step| self.candidate(step)).collect();
        if candidates.is_empty() {
            return None;
        }
        let chosen = {
            let mut guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
            guide.choose(&candidates)
        };
        let Some(entry) = chosen.and_then(|place| steps.get(place)) else {
            guided.is_over = true;
            return None;
        };
        guided.is_under_way = true;
        if let Some(origin) = self.origin(entry) {
            guided.touch(Touched::Turn, origin);
        }
        Some(self.take_guided(guided, entry))
    }

    /// The step that is under way is over.
    fn end_step(&mut self, guided: &mut Guided) {
        if std::mem::take(&mut guided.is_under_way) {
            let things = guided.touched.iter();
            let things =
                things.map(|(what, id)| (*what, self.processors[id.0 as usize].path.parts()));
            let things: Vec<_> = things.collect();
            let mut guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
            guide.touched(&things);
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
    fn origin(&self, entry: &Entry) -> Option<ProcessorId> {
        let mut all = (0..).zip(self.processors.iter());
        all.find(|(_, one)| entry.key.origin.is_of(&one.path))
            .map(|(number, _)| ProcessorId(number))
    }

    fn take_guided(&mut self, guided: &mut Guided, entry: &Entry) -> (Key, Happening) {
        self.agenda.remove(entry);
        self.touch_by_happening(guided, entry.happening);
        let mut key = entry.key.clone();
        if guided.timing == Timing::Any {
            // Each step has a moment of its own.
            key.time = self.now + u64::from(is_step(entry.happening));
        }
        (key, entry.happening)
    }

    fn touch_by_happening(&self, guided: &mut Guided, happening: Happening) {
        match happening {
            Happening::Arrive(request) => {
                let row = self.request(request);
                let end = if row.is_callback {
                    Touched::Answers
                } else {
                    Touched::Queue
                };
                guided.touch(end, row.supplier);
            }
            Happening::ArriveAlone(request) => {
                guided.touch(Touched::Queue, self.request(request).supplier);
            }
            Happening::Queue(request) => {
                let supplier = self.request(request).supplier;
                guided.touch(Touched::Wishes, supplier);
            }
            Happening::Reply(request) => {
                guided.touch(Touched::Answers, self.request(request).client)
            }
            Happening::Close(id) => guided.touch(Touched::Wishes, id),
            Happening::Unlock(id) => guided.touch(Touched::Queue, id),
            Happening::Interact(id) | Happening::CatchUp(id) => self.touch_by_intent(guided, id),
            Happening::Unlocked(id)
            | Happening::Serve(id)
            | Happening::Awake(id)
            | Happening::Pause(id)
            | Happening::Expire(id)
            | Happening::Take(id)
            | Happening::Switched(id) => guided.touch(Touched::Turn, id),
            Happening::Approve | Happening::Approved => guided.touch(Touched::Shared, ROOT),
            Happening::Grant | Happening::Dispatch => {}
        }
    }

    fn touch_by_intent(&self, guided: &mut Guided, id: ProcessorId) {
        guided.touch(Touched::Turn, id);
        let work = &self.processors[id.0 as usize].work;
        match work.intent {
            Some(Intent::Lock(serial) | Intent::Retry(serial)) => {
                let mut scopes = work.scopes.iter();
                let scope = scopes.find(|scope| scope.serial == serial);
                for supplier in scope.map_or(&[][..], |scope| &scope.suppliers) {
                    guided.touch(Touched::Wishes, *supplier);
                }
            }
            Some(Intent::Look) => {
                guided.shows = Some(id);
                guided.touch(Touched::Shared, ROOT);
            }
            _ => {}
        }
    }

    /// The turn of this processor belongs to the step.
    pub(super) fn touch_turn(&mut self, id: ProcessorId) {
        if let Some(guided) = &mut self.guided {
            guided.touch(Touched::Turn, id);
        }
    }

    /// The lock of the processor comes back. Who waits for it and for other locks, too, or for a condition, competes with those that want these.
    pub(super) fn touch_lock(&mut self, id: ProcessorId) {
        let Some(guided) = &mut self.guided else {
            return;
        };
        if self.simulation.recheck == Recheck::Unlock {
            guided.touch(Touched::Shared, ROOT);
        }
        for applicant in self.grants.of_supplier(id) {
            if applicant.suppliers.len() > 1 || applicant.has_failed() {
                for supplier in &applicant.suppliers {
                    guided.touch(Touched::Wishes, *supplier);
                }
            }
        }
    }

    /// Whether the processor has to let the others catch up before it does what they can see: the guide decides when it does.
    pub(crate) fn is_to_show(&mut self, id: ProcessorId) -> bool {
        match &mut self.guided {
            None => false,
            Some(guided) => guided.shows.take() != Some(id),
        }
    }

    fn candidate(&self, entry: &Entry) -> StepCandidate {
        let path = |id: ProcessorId| self.processors[id.0 as usize].path.parts();
        let of_request = |request: RequestId| {
            let row = self.request(request);
            // The script is a request without names.
            (request != SCRIPT).then_some((row.class, row.message.selector))
        };
        let (kind, other, request) = match entry.happening {
            Happening::Interact(id) | Happening::CatchUp(id) => {
                let intent = self.processors[id.0 as usize].work.intent;
                match intent {
                    Some(
                        Intent::Call(request) | Intent::Send(request) | Intent::SendAhead(request),
                    ) => {
                        let supplier = self.request(request).supplier;
                        (StepKind::Calls, Some(supplier), of_request(request))
                    }
                    Some(Intent::Join(request)) => (StepKind::Joins, None, of_request(request)),
                    Some(Intent::Lock(_)) => (StepKind::Locks, None, None),
                    Some(Intent::Retry(_)) => (StepKind::Retries, None, None),
                    Some(Intent::Finish(request)) => (StepKind::Returns, None, of_request(request)),
                    Some(Intent::Look | Intent::Yield) => (StepKind::Shows, None, None),
                    Some(Intent::Settle | Intent::Rest(_)) | None => (StepKind::Rests, None, None),
                }
            }
            Happening::Queue(request) => {
                let supplier = self.request(request).supplier;
                (StepKind::Locks, Some(supplier), of_request(request))
            }
            Happening::Arrive(request) | Happening::ArriveAlone(request) => {
                let supplier = self.request(request).supplier;
                (StepKind::Arrives, Some(supplier), of_request(request))
            }
            Happening::Reply(request) => {
                let client = self.request(request).client;
                (StepKind::Answers, Some(client), of_request(request))
            }
            Happening::Close(id) | Happening::Unlock(id) => (StepKind::Unlocks, Some(id), None),
            Happening::Awake(_) => (StepKind::Wakes, None, None),
            _ => (StepKind::Approves, None, None),
        };
        StepCandidate {
            path: self.origin(entry).map_or_else(|| Arc::from([]), path),
            kind,
            other: other.map(path),
            request,
            moment: (entry.key.time, entry.key.phase),
        }
    }
}
