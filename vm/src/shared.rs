//! Tables that copies of a machine have in common until one of them changes its own. Most copies never do: what a program
//! defines, it defines while it is loaded.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that is cloned when it is changed while somebody else has it too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// A value that nobody else has.
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}
