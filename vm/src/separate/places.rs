//! The places of objects in a list, by the words of the objects. They are valid until the collector moves objects.

use hashbrown::HashMap;

use crate::base::Value;

#[derive(Debug, Default)]
pub(super) struct Places {
    by_word: HashMap<u64, usize>,
    /// Collections that had happened when the places were noted.
    collections: u64,
}

impl Clone for Places {
    /// Objects of a copied machine stand elsewhere, so the places are not valid in it.
    fn clone(&self) -> Places {
        Places {
            by_word: HashMap::new(),
            collections: u64::MAX,
        }
    }
}

impl Places {
    /// The place of the object after this number of collections, if it has one. `all` has the words of the objects in the list. It is
    /// read if the places are not valid.
    pub(super) fn find(
        &mut self,
        object: Value,
        collections: u64,
        all: impl Iterator<Item = u64>,
    ) -> Option<usize> {
        if self.collections != collections {
            self.collections = collections;
            self.by_word = all.zip(0..).collect();
        }
        self.by_word.get(&object.bits()).copied()
    }

    /// The object, which had no place, has this one. Follows a search for it without a collection in between.
    pub(super) fn add(&mut self, object: Value, place: usize) {
        self.by_word.insert(object.bits(), place);
    }

    /// Objects have got other places.
    pub(super) fn forget(&mut self) {
        self.collections = u64::MAX;
    }
}
