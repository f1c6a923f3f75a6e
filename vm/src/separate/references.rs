//! The references that were made: one for each object that has crossed the border of its processor.

use hashbrown::HashMap;

use crate::base::Value;

/// One for each object that has crossed.
#[derive(Default)]
pub(crate) struct References {
    all: Vec<Value>,
    /// Places in the list, by the words of the objects. Valid until the collector moves objects.
    places: HashMap<u64, usize>,
    /// Collections that had happened when the places were noted.
    collections: u64,
}

impl Clone for References {
    /// Objects of a copied machine stand elsewhere, so the places are not valid in it.
    fn clone(&self) -> References {
        References {
            all: self.all.clone(),
            places: HashMap::new(),
            collections: u64::MAX,
        }
    }
}

impl References {
    /// Objects have got other places.
    pub(crate) fn forget_places(&mut self) {
        self.collections = u64::MAX;
    }

    /// Shows all references to the collector.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.all.iter_mut().for_each(visit);
    }

    /// The reference to the object, if there is one. `target` answers the object of a reference. It is called after a
    /// collection, of which this is the number.
    pub(crate) fn find(
        &mut self,
        object: Value,
        collections: u64,
        target: impl Fn(Value) -> Option<Value>,
    ) -> Option<Value> {
        if self.collections != collections {
            self.collections = collections;
            let words = self
                .all
                .iter()
                .map(|&one| target(one).map_or(0, Value::bits));
            self.places = words.zip(0..).collect();
        }
        let place = *self.places.get(&object.bits())?;
        self.all.get(place).copied()
    }

    /// Adds the reference to the object, which has none. Follows a search for it without a collection in between.
    pub(crate) fn add(&mut self, object: Value, reference: Value) {
        self.places.insert(object.bits(), self.all.len());
        self.all.push(reference);
    }
}
