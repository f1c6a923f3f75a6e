//! The commits from one to another, along first parents.

use super::git::{self, Revision};
use super::repository::Repository;
use crate::error::{Error, ErrorKind};

/// GOOD and what lies between it and BAD, the oldest first.
///
/// # Errors
/// If the one is not on the line of first parents of the other.
pub fn commits_from(
    repository: &Repository,
    good: &str,
    bad: &str,
) -> Result<Vec<Revision>, Error> {
    let root = &repository.root;
    let [first, last] = [good, bad].map(|name| git::revision(root, name));
    let (first, last) = (first?, last?);
    if !git::is_ancestor(root, &first.commit, &last.commit)? {
        let why = format!(
            "{good} is no ancestor of {bad}\nhelp: merge-base of the two is a place to begin: \
             tally bisect $(git merge-base {good} {bad}) {bad}"
        );
        return Err(Error::new(ErrorKind::Usage, why));
    }
    let between = git::commits_between(root, &first.commit, &last.commit)?;
    if let Some(next) = between.first() {
        let line = git::commit_of(root, &format!("{}^1", next.commit.0))?;
        if line != first.commit {
            let why = format!(
                "{good} came to {bad} by a merge, and is not on the line of its first parents\n\
                 help: {} is, the last commit before that merge",
                line.0
            );
            return Err(Error::new(ErrorKind::Usage, why));
        }
    }
    Ok([vec![first], between].concat())
}
