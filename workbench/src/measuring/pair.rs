//! Two versions, measured side by side.

use std::thread;

use tally_comparison::Measurement;

use super::tests_from::give_tests;
use super::versions::Measuring;
use crate::error::{Error, ErrorKind};
use crate::revisions::{Checkout, Repository, Version};

/// The side whose tests run on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Giver {
    /// The old side.
    Old,
    /// The new side.
    New,
}

impl Measuring<'_> {
    /// What two versions cost by the tests of one of them.
    ///
    /// # Errors
    /// If one of them cannot be measured, or its tests cannot be separated from the rest.
    pub fn with_tests_of(
        &self,
        giver: Giver,
        old: &Version,
        new: &Version,
    ) -> Result<[Measurement; 2], Error> {
        let here;
        let repository = match self.repository {
            Some(repository) => repository,
            None => {
                here = Repository::here()?;
                &here
            }
        };
        let checkouts =
            [old, new].map(|version| Checkout::of_version(repository, version, &self.front));
        let [old_files, new_files] = checkouts;
        let (old_files, new_files) = (old_files?, new_files?);
        let (from, to) = match giver {
            Giver::Old => (&old_files, &new_files),
            Giver::New => (&new_files, &old_files),
        };
        give_tests(from, to, self.subject, &self.keeps_in, &self.front)?;
        let measure = |files: &Checkout, version: &Version| {
            let measured = self.measure_in(files, version, None);
            Ok(measured?.measurement)
        };
        side_by_side(|| measure(&old_files, old), || measure(&new_files, new))
    }
}

/// Does two things at once. If both fail, the error is that of the first.
///
/// # Errors
/// If one of them fails.
pub fn side_by_side<T: Send, E: From<Error> + Send>(
    one: impl FnOnce() -> Result<T, E> + Send,
    other: impl FnOnce() -> Result<T, E> + Send,
) -> Result<[T; 2], E> {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        let other = other.join();
        let other = other
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "a thread failed").into()));
        Ok([one?, other?])
    })
}
