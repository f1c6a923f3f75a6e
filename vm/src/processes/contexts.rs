//! The objects that stand for activations of one process. A frame with such an object has a bit in its meta word. The
//! process finds the object by the frame's base, so an activation has one object for all requests.

use std::collections::VecDeque;

use crate::base::Value;

/// The object of one frame.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// The frame's base, in words from the start of the stack.
    frame: usize,
    object: Value,
}

/// The objects of the frames that have one, the deepest frame first. Walks down from sender to sender add frames in front,
/// returns remove the last one: both take the same time at any depth.
#[derive(Clone, Default, Debug)]
pub(crate) struct Contexts {
    entries: VecDeque<Context>,
}

impl Contexts {
    /// The object that stands for the activation of a frame.
    pub(crate) fn of(&self, frame: usize) -> Option<Value> {
        let found = self.entries.binary_search_by_key(&frame, |c| c.frame);
        found.ok().map(|index| self.entries[index].object)
    }

    /// Notes the object of a frame that has none.
    pub(crate) fn add(&mut self, frame: usize, object: Value) {
        let found = self.entries.binary_search_by_key(&frame, |c| c.frame);
        if let Err(index) = found {
            self.entries.insert(index, Context { frame, object });
        }
    }

    /// Forgets the objects of all frames from this one up.
    pub(crate) fn forget_from(&mut self, frame: usize) {
        while self.entries.back().is_some_and(|c| c.frame >= frame) {
            self.entries.pop_back();
        }
    }

    /// Shows every object.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.entries.iter_mut().for_each(|c| visit(&mut c.object));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Context>()
    }
}
