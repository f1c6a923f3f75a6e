//! What a run made, changed or removed itself: reading that is no input.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::outside::permissions::real_place;

/// The most changes of a run that are tracked.
const MOST_PLACES: usize = 100_000;

/// The places that a run has changed, and whether something was there before it did.
#[derive(Debug, Default)]
pub(super) struct Own(BTreeMap<PathBuf, bool>);

impl Own {
    /// Whether what stands under a path is the run's own work.
    pub(super) fn has(&self, path: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Ok(whole) = std::path::absolute(path) else {
            return false;
        };
        // If a file on the way blocks a path, the place of that file decides.
        let place = whole.ancestors().find_map(|above| real_place(above).ok());
        place.is_some_and(|place| place.ancestors().any(|above| self.0.contains_key(above)))
    }

    /// Notes a change; answers whether there is room for it.
    pub(super) fn add(&mut self, place: &Path, was_there: bool) -> bool {
        if self.0.len() >= MOST_PLACES && !self.0.contains_key(place) {
            return false;
        }
        self.0.entry(place.to_path_buf()).or_insert(was_there);
        true
    }

    /// The names that a folder held before the run began to change it, from those that it holds now.
    pub(super) fn names_before(&self, path: &str, names: &[String]) -> Vec<String> {
        let place = match self.0.is_empty() {
            true => None,
            false => real_place(Path::new(path)).ok(),
        };
        let Some(place) = place else {
            return names.to_vec();
        };
        let mut before: BTreeSet<String> = names.iter().cloned().collect();
        let below = self.0.range(place.clone()..);
        for (changed, was_there) in below.take_while(|(changed, _)| changed.starts_with(&place)) {
            let name = changed.file_name().and_then(|name| name.to_str());
            let (Some(name), true) = (name, changed.parent() == Some(&place)) else {
                continue;
            };
            match was_there {
                true => before.insert(name.to_string()),
                false => before.remove(name),
            };
        }
        before.into_iter().collect()
    }
}
