//! The references that were made: one for each object that has crossed the border of its processor.

use super::places::Places;
use crate::base::Value;

/// One for each object that has crossed.
#[derive(Clone, Default)]
pub(crate) struct References {
    all: Vec<Value>,
    /// Places in the list, by the objects.
    places: Places,
}

impl References {
    /// Objects have got other places.
    pub(crate) fn forget_places(&mut self) {
        self.places.forget();
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
        let targets = self.all.iter();
        let words = targets.map(|&one| target(one).map_or(0, Value::bits));
        let place = self.places.find(object, collections, words)?;
        self.all.get(place).copied()
    }

    /// Adds the reference to the object, which has none. Follows a search for it without a collection in between.
    pub(crate) fn add(&mut self, object: Value, reference: Value) {
        self.places.add(object, self.all.len());
        self.all.push(reference);
    }
}
