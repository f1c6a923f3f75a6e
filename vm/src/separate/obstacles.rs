//! What processes wait for inside a processor: semaphores and the library's objects that are made of them, by numbers. Only recorded runs
//! number them. The numbers follow the order of the first waits.

use hashbrown::HashMap;

use super::places::Places;
use crate::base::{ClassId, MethodId, Value};

/// The most objects that have numbers of their own; all others of a class share one name.
const MOST_OBJECTS: usize = 10_000;
/// The most obstacles; places of later ones are not kept.
const MOST_OBSTACLES: usize = 50_000;

/// The kinds of things that processes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObstacleKind {
    /// A semaphore of the program's own.
    Semaphore,
    /// The lock of a Mutex or a RecursionLock.
    Mutex,
    /// A Monitor: that it is free, or a signal of it.
    Monitor,
    /// An object in a SharedQueue.
    SharedQueue,
    /// The process was suspended. It waits until another one resumes it.
    Suspended,
}

/// What a process waits for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Obstacle {
    pub(crate) kind: ObstacleKind,
    /// The class of the object, and its number among those of its class that were waited for, from 1. 0 stands for all that have no
    /// number.
    pub(crate) object: Option<(ClassId, u32)>,
    /// The method of the program that waits, and the byte of its unit.
    pub(crate) site: Option<(MethodId, u32)>,
}

/// The obstacles of a run by their numbers, and the objects among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    all: Vec<Obstacle>,
    numbers: HashMap<Obstacle, u32>,
    /// Objects with their numbers. They live no longer than without a recording: see [`Obstacles::keep`].
    objects: Vec<(Value, u32)>,
    /// The last numbers by classes.
    last: HashMap<ClassId, u32>,
    /// Places in `objects`.
    places: Places,
}

impl Obstacles {
    /// The number of the obstacle.
    pub(crate) fn number(&mut self, mut obstacle: Obstacle) -> u32 {
        if self.all.len() >= MOST_OBSTACLES && !self.numbers.contains_key(&obstacle) {
            obstacle.site = None;
        }
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(obstacle).or_insert(next);
        if number == next {
            self.all.push(obstacle);
        }
        number
    }

    /// The number of an object among those of its class, after this number of collections. It gets one if it has none.
    pub(crate) fn object(&mut self, object: Value, class: ClassId, collections: u64) -> u32 {
        let words = self.objects.iter().map(|(object, _)| object.bits());
        if let Some(place) = self.places.find(object, collections, words) {
            return self.objects[place].1;
        }
        if self.objects.len() >= MOST_OBJECTS {
            return 0;
        }
        let last = self.last.entry(class).or_default();
        *last += 1;
        self.places.add(object, self.objects.len());
        self.objects.push((object, *last));
        *last
    }

    /// All by their numbers.
    pub(crate) fn all(&self) -> &[Obstacle] {
        &self.all
    }

    /// The objects that have numbers.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.objects.iter().map(|(object, _)| *object).collect()
    }

    /// Forgets the objects that nothing else refers to, as far as these flags say so. The program could see otherwise that they are still there.
    pub(crate) fn keep(&mut self, are_live: &[bool]) {
        let mut flags = are_live.iter();
        self.objects
            .retain(|_| flags.next().copied().unwrap_or(true));
        self.forget_places();
    }

    /// Objects have got other places.
    pub(crate) fn forget_places(&mut self) {
        self.places.forget();
    }

    /// Shows all objects to the collector.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.objects
            .iter_mut()
            .for_each(|(object, _)| visit(object));
    }

    /// Bytes that all this takes.
    pub(super) fn bytes(&self) -> usize {
        let each = size_of::<Obstacle>() * 2 + size_of::<u32>();
        self.all.capacity() * each + self.objects.capacity() * size_of::<(Value, u32)>() * 2
    }
}

#[cfg(test)]
mod tests {
    use super::{Obstacle, ObstacleKind, Obstacles};
    use crate::base::{ClassId, Value};

    #[test]
    fn numbers_follow_first_waits_in_each_class() {
        let mut obstacles = Obstacles::default();
        let values = [1, 2, 3].map(Value::int);
        let numbers = [(0, 5), (1, 5), (2, 7), (0, 5)]
            .map(|(value, class)| obstacles.object(values[value], ClassId(class), 0));
        assert_eq!(numbers, [1, 2, 1, 1]);
        obstacles.keep(&[false, true, true]);
        assert_eq!(obstacles.objects(), values[1..]);
        // A forgotten object's number is not given again.
        assert_eq!(obstacles.object(values[0], ClassId(5), 0), 3);
    }

    #[test]
    fn equal_obstacles_are_one() {
        let mut obstacles = Obstacles::default();
        let one = Obstacle {
            kind: ObstacleKind::Mutex,
            object: Some((ClassId(1), 1)),
            site: None,
        };
        let other = Obstacle {
            object: Some((ClassId(1), 2)),
            ..one
        };
        let numbers = [one, other, one].map(|obstacle| obstacles.number(obstacle));
        assert_eq!(numbers, [0, 1, 0]);
        assert_eq!(obstacles.all(), [one, other]);
    }
}
