//! Who waits for which locks, in the order in which they were wanted.

use super::engine::{ProcessorId, RequestId};
use super::happenings::Path;

/// What waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// The client's scope with this serial.
    Scope(u64),
    /// A request outside of all scopes, which locks its supplier for itself.
    Request(RequestId),
}

/// One that waits.
#[derive(Clone, Debug)]
pub(super) struct Applicant {
    since: u64,
    path: Path,
    pub(super) client: ProcessorId,
    pub(super) what: Waiting,
    pub(super) suppliers: Vec<ProcessorId>,
    /// How often the suppliers had been unlocked when its condition was false. Until one of them is unlocked again it
    /// would be false again.
    seen: Option<Vec<u64>>,
}

/// All that wait for locks, those first that have waited longest; at the same moment the lower number.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    applicants: Vec<Applicant>,
}

impl Grants {
    pub(super) fn add(
        &mut self,
        client: ProcessorId,
        path: Path,
        what: Waiting,
        suppliers: Vec<ProcessorId>,
        since: u64,
    ) {
        let place = self
            .applicants
            .partition_point(|other| (other.since, &other.path) <= (since, &path));
        let applicant = Applicant {
            since,
            path,
            client,
            what,
            suppliers,
            seen: None,
        };
        self.applicants.insert(place, applicant);
    }

    /// The condition of the client's scope was false when its suppliers had been unlocked so often.
    pub(super) fn has_seen(&mut self, client: ProcessorId, unlocks: Vec<u64>) {
        let mut all = self.applicants.iter_mut();
        let is_its =
            |one: &&mut Applicant| one.client == client && matches!(one.what, Waiting::Scope(_));
        if let Some(found) = all.find(is_its) {
            found.seen = Some(unlocks);
        }
    }

    /// Takes out the first whose suppliers are all free.
    pub(super) fn next(
        &mut self,
        is_free: impl Fn(ProcessorId) -> bool,
        unlocks: impl Fn(ProcessorId) -> u64,
    ) -> Option<Applicant> {
        let place = self.applicants.iter().position(|one| {
            let is_new = one.seen.as_ref().is_none_or(|seen| {
                let now = one.suppliers.iter().map(|id| unlocks(*id));
                !now.eq(seen.iter().copied())
            });
            is_new && one.suppliers.iter().all(|id| is_free(*id))
        })?;
        Some(self.applicants.remove(place))
    }

    /// Whether no processor waits for locks.
    pub(super) fn is_empty(&self) -> bool {
        self.applicants.is_empty()
    }
}
