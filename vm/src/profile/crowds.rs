//! Different keys with one hash. Even in a good table, a search among such keys compares one after the other. The
//! machine looks for them when a hashed collection grows, and only if it was configured to.

use crate::base::ClassId;
use crate::machine::Vm;
use crate::observers::Crowd;

/// Fewer keys with one hash do no harm.
const LEAST: usize = 8;

impl Vm {
    /// Looks for keys with one hash from now on.
    pub fn watch_hashes(&mut self) {
        self.observers.crowds = Some(Box::default());
    }

    /// The largest number of keys with one hash that was found.
    pub fn crowd(&self) -> Option<Crowd> {
        let (keys, of, class) = self.observers.crowds.as_ref()?.largest?;
        Some(Crowd {
            keys,
            of,
            class: self.class(class).display_name(),
        })
    }

    /// A collection grows that holds these keys, each with its hash.
    #[cold]
    pub(super) fn note_crowd(&mut self, mut keys: Vec<(u32, ClassId)>) {
        keys.sort_unstable();
        let groups = keys.chunk_by(|a, b| a.0 == b.0);
        let Some(group) = groups.max_by_key(|group| group.len()) else {
            return;
        };
        let found = (group.len(), keys.len(), group[0].1);
        if let Some(crowds) = &mut self.observers.crowds
            && found.0 >= LEAST.max(crowds.largest.map_or(0, |largest| largest.0))
        {
            crowds.largest = Some(found);
        }
    }
}
