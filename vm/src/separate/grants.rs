//! Who waits for which locks. Those that have waited longest come first; at the same moment the lower number.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::engine::{ProcessorId, RequestId};
use super::ties::Rank;

/// What waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// The client's scope with this serial.
    Scope(u64),
    /// A request outside of all scopes, which locks its supplier for itself.
    Request(RequestId),
}

/// The place of one that waits: since when, its rank, and the order in which it came.
pub(super) type Place = (u64, Rank, u64);

/// One that waits.
#[derive(Clone, Debug)]
pub(super) struct Applicant {
    pub(super) client: ProcessorId,
    pub(super) what: Waiting,
    pub(super) suppliers: Vec<ProcessorId>,
    /// How often its suppliers, or all processors, had been unlocked when its condition was false. Until that changes it would
    /// be false again.
    pub(super) seen: Option<Vec<u64>>,
}

impl Applicant {
    /// Whether its condition was false when it had the locks.
    pub(super) fn has_failed(&self) -> bool {
        self.seen.is_some()
    }
}

/// All that wait for locks. Only those are looked at that are new or that wait for a lock that came back.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    /// New ones that are not entered below: most get their locks at once, if they are the only ones.
    unseen: Vec<(Place, Applicant)>,
    applicants: BTreeMap<Place, Applicant>,
    /// The places of those that wait for a processor.
    of_supplier: HashMap<ProcessorId, BTreeSet<Place>>,
    /// The place of the scope that a processor waits with.
    of_client: HashMap<ProcessorId, Place>,
    /// Those that were never looked at.
    new: BTreeSet<Place>,
    /// Those whose conditions were false.
    failed: BTreeSet<Place>,
    /// Processors that came back, and the last place in their queue that was looked at since.
    back: HashMap<ProcessorId, Option<Place>>,
    /// The places of those that had the processors last, and how many had come back before.
    had: HashMap<ProcessorId, (Place, u64)>,
    /// How many processors have come back so far.
    returns: u64,
    added: u64,
}

impl Grants {
    /// The number of one that wants locks now. It keeps it when its condition is false.
    pub(super) fn arrival(&mut self) -> u64 {
        self.added += 1;
        self.added
    }

    pub(super) fn add(&mut self, applicant: Applicant, place: Place) {
        self.unseen.push((place, applicant));
    }

    /// Enters those that nothing but `unseen` knows.
    pub(super) fn enter_unseen(&mut self) {
        for (place, applicant) in std::mem::take(&mut self.unseen) {
            self.new.insert(place.clone());
            self.enter(place, applicant);
        }
    }

    fn enter(&mut self, place: Place, applicant: Applicant) {
        for &supplier in &applicant.suppliers {
            let waiting = self.of_supplier.entry(supplier).or_default();
            waiting.insert(place.clone());
        }
        if let Waiting::Scope(_) = applicant.what {
            self.of_client.insert(applicant.client, place.clone());
        }
        if applicant.has_failed() {
            self.failed.insert(place.clone());
        }
        self.applicants.insert(place, applicant);
    }

    /// All that wait for the processor.
    pub(super) fn of_supplier(&self, supplier: ProcessorId) -> impl Iterator<Item = &Applicant> {
        let entered = self.of_supplier.get(&supplier).into_iter().flatten();
        let entered = entered.filter_map(|place| self.applicants.get(place));
        let unseen = self.unseen.iter().map(|(_, one)| one);
        entered.chain(unseen.filter(move |one| one.suppliers.contains(&supplier)))
    }

    /// The processor was unlocked.
    pub(super) fn came_back(&mut self, supplier: ProcessorId) {
        self.returns += 1;
        if self.of_supplier.contains_key(&supplier) {
            self.back.insert(supplier, None);
        }
    }

    /// Any processor was unlocked: all conditions that were false are to be evaluated again.
    pub(super) fn recheck_all(&mut self) {
        self.new.extend(self.failed.iter().cloned());
    }

    /// All that were entered, the earliest first.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Place, &Applicant)> {
        self.applicants.iter()
    }

    /// A condition was false, and the locks of its processors are given back. Those before the scope that had them were looked at before. They
    /// are looked at again if another processor has come back since: they may have lacked that one alone.
    pub(super) fn given_back(&mut self, suppliers: &[ProcessorId]) {
        for supplier in suppliers {
            if self.of_supplier.contains_key(supplier) {
                let last = self.had.get(supplier);
                let last = last.filter(|(_, returns)| *returns == self.returns);
                let last = last.map(|(place, _)| place.clone());
                self.back.insert(*supplier, last);
            }
        }
        self.returns += suppliers.len() as u64;
    }

    /// What the client's scope waits for.
    pub(super) fn of_client(&self, client: ProcessorId) -> Option<&Applicant> {
        let is_its =
            |one: &&Applicant| one.client == client && matches!(one.what, Waiting::Scope(_));
        let entered = self.of_client.get(&client);
        let entered = entered.and_then(|place| self.applicants.get(place));
        entered.or_else(|| self.unseen.iter().map(|(_, one)| one).find(is_its))
    }

    /// Takes out the first whose suppliers are all free.
    pub(super) fn next(
        &mut self,
        is_free: impl Fn(ProcessorId) -> bool + Copy,
        unlocks: impl Fn(&[ProcessorId]) -> Vec<u64>,
    ) -> Option<Applicant> {
        let can_have = |applicant: &Applicant| {
            let seen = applicant.seen.as_ref();
            let is_worth_it = seen.is_none_or(|seen| unlocks(&applicant.suppliers) != *seen);
            is_worth_it && applicant.suppliers.iter().all(|id| is_free(*id))
        };
        let is_only_one = self.unseen.len() == 1 && self.back.is_empty() && self.new.is_empty();
        if let Some((place, applicant)) = self.unseen.pop_if(|_| is_only_one) {
            if can_have(&applicant) {
                self.note_holder(&place, &applicant);
                return Some(applicant);
            }
            self.enter(place, applicant);
            return None;
        }
        self.enter_unseen();
        loop {
            let place = self.next_place(is_free)?;
            if can_have(self.applicants.get(&place)?) {
                return self.take(&place);
            }
        }
    }

    /// The scope has its processors.
    fn note_holder(&mut self, place: &Place, applicant: &Applicant) {
        if let Waiting::Scope(_) = applicant.what {
            for supplier in &applicant.suppliers {
                self.had.insert(*supplier, (place.clone(), self.returns));
            }
        }
    }

    /// The first place that was not looked at since something changed for it.
    fn next_place(&mut self, is_free: impl Fn(ProcessorId) -> bool) -> Option<Place> {
        self.back.retain(|supplier, _| is_free(*supplier));
        let waiting = |(supplier, last): (&ProcessorId, &Option<Place>)| {
            let all = self.of_supplier.get(supplier)?;
            let next = match last {
                Some(last) => all.range(last.clone()..).find(|place| *place != last),
                None => all.first(),
            };
            Some(next?.clone())
        };
        let first = self.back.iter().filter_map(waiting).min();
        let place = match (first, self.new.first()) {
            (Some(place), Some(new)) => place.min(new.clone()),
            (Some(place), None) => place,
            (None, Some(new)) => new.clone(),
            (None, None) => {
                self.back.clear();
                return None;
            }
        };
        self.new.remove(&place);
        let suppliers = &self.applicants.get(&place)?.suppliers;
        for supplier in suppliers {
            if let Some(last) = self.back.get_mut(supplier) {
                *last = Some(place.clone());
            }
        }
        Some(place)
    }

    pub(super) fn take(&mut self, place: &Place) -> Option<Applicant> {
        let applicant = self.applicants.remove(place)?;
        self.new.remove(place);
        self.failed.remove(place);
        self.note_holder(place, &applicant);
        for supplier in &applicant.suppliers {
            if let Some(waiting) = self.of_supplier.get_mut(supplier) {
                waiting.remove(place);
                if waiting.is_empty() {
                    self.of_supplier.remove(supplier);
                    self.back.remove(supplier);
                }
            }
        }
        if let Waiting::Scope(_) = applicant.what {
            self.of_client.remove(&applicant.client);
        }
        Some(applicant)
    }

    /// Whether no processor waits for locks.
    pub(super) fn is_empty(&self) -> bool {
        self.applicants.is_empty() && self.unseen.is_empty()
    }
}
