//! Tables that the copies of a machine share until one copy changes its table. Most copies never do, because programs
//! define classes and methods while they are loaded.

use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::sync::Arc;

/// A value with shared owners. A change clones the value first if it has another owner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// A value with one owner.
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }

    /// Whether both are the same value, which no owner has changed since they had one owner.
    pub(crate) fn is_same(&self, other: &Shared<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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

/// A table that grows. Rows from before a copy are shared; later rows are its own.
#[derive(Clone, Debug)]
pub(crate) struct Grown<T> {
    front: Shared<Vec<T>>,
    back: Vec<T>,
}

impl<T> Default for Grown<T> {
    fn default() -> Grown<T> {
        Grown {
            front: Shared::new(Vec::new()),
            back: Vec::new(),
        }
    }
}

impl<T: Clone> Grown<T> {
    /// A copy that shares all that there is.
    pub(crate) fn copy(&mut self) -> Grown<T> {
        if !self.back.is_empty() {
            self.front.append(&mut self.back);
        }
        self.clone()
    }

    /// Whether no row was added or changed since one was made as a copy of the other.
    pub(crate) fn is_same(&self, other: &Grown<T>) -> bool {
        self.front.is_same(&other.front) && self.back.is_empty() && other.back.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.front.len() + self.back.len()
    }

    pub(crate) fn push(&mut self, item: T) {
        self.back.push(item);
    }

    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.back.extend(items);
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.back.reserve(more);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.front.iter().chain(&self.back)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.front.iter_mut().chain(&mut self.back)
    }
}

impl<T> Index<usize> for Grown<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        match self.front.get(index) {
            Some(item) => item,
            None => &self.back[index - self.front.len()],
        }
    }
}

impl<T: Clone> IndexMut<usize> for Grown<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        let shared = self.front.len();
        match index < shared {
            true => &mut self.front[index],
            false => &mut self.back[index - shared],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_grow_and_change_apart() {
        let mut first: Grown<u32> = Grown::default();
        (0..5).for_each(|n| first.push(n));
        let mut second = first.copy();
        second.extend([5]);
        first[1] = 10;
        second[2] = 20;
        second[5] = 50;
        let mut third = second.copy();
        third.iter_mut().for_each(|n| *n += 1);
        let all = |table: &Grown<u32>| table.iter().copied().collect::<Vec<_>>();
        assert_eq!(all(&first), [0, 10, 2, 3, 4]);
        assert_eq!(all(&second), [0, 1, 20, 3, 4, 50]);
        assert_eq!(all(&third), [1, 2, 21, 4, 5, 51]);
        assert_eq!((first.len(), third[5]), (5, 51));
    }
}
