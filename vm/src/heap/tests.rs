//! Tests of the heap: live objects survive, and their contents stay.

use super::*;
use hashbrown::HashMap;
use proptest::prelude::*;

fn make(heap: &mut Heap, roots: &mut [Value], class: u32, contents: Contents) -> Value {
    if let Some(value) = heap.try_allocate(class, contents) {
        return value;
    }
    heap.collect_if_due(contents, &mut |_, visit| {
        roots.iter_mut().for_each(&mut *visit)
    });
    heap.allocate_after_collection(class, contents)
}

/// A copy of a heap with its roots.
fn forked(heap: &mut Heap, roots: &[Value]) -> (Heap, Vec<Value>) {
    let mut before = roots.to_vec();
    heap.collect_full(&mut |_, visit| before.iter_mut().for_each(&mut *visit));
    heap.settle();
    let (mut copy, mut copied) = (heap.for_copy(), before.clone());
    heap.copy_objects(&mut copy, &mut |_, visit| {
        copied.iter_mut().for_each(&mut *visit)
    });
    (copy, copied)
}

/// Builds chains hung on a few roots, collects now and then, and compares with a model.
fn chains_survive(steps: &[(u8, u8, bool)], stress: bool) {
    let mut heap = Heap::new(1 << 16, 0, stress);
    let mut roots = vec![Value::NIL; 4];
    let mut model: Vec<Vec<i64>> = vec![Vec::new(); 4];
    for (i, &(root, size, drop_chain)) in steps.iter().enumerate() {
        let root = usize::from(root) % 4;
        if drop_chain && i % 7 == 0 {
            roots[root] = Value::NIL;
            model[root].clear();
        }
        let slots = 2 + usize::from(size) * if size == 255 { 40 } else { 1 };
        let made = make(&mut heap, &mut roots, 7, Contents::Slots(slots));
        let head = roots[root];
        heap.set_slot(made, 0, Value::int(i as i64));
        heap.set_slot(made, 1, head);
        roots[root] = made;
        model[root].push(i as i64);
    }
    for (root, expected) in roots.iter().zip(&model) {
        let mut found = Vec::new();
        let mut at = *root;
        while at.is_object() {
            found.extend(heap.slot(at, 0).as_int());
            at = heap.slot(at, 1);
        }
        found.reverse();
        assert_eq!(&found, expected);
    }
}

/// A program's actions on its objects between collections.
#[derive(Clone, Debug)]
enum Step {
    /// Make an object with that many slots and hang it on a root.
    Slots {
        root: usize,
        size: usize,
    },
    /// Make a byte object, filled with its size, and hang it on a root.
    Bytes {
        root: usize,
        size: usize,
    },
    /// Store the object of one root into a slot of that of another.
    Link {
        from: usize,
        slot: usize,
        to: usize,
    },
    /// Follow a slot of a root's object, if the slot holds an object.
    Descend {
        root: usize,
        slot: usize,
    },
    /// Copy slots from the object of one root to that of another.
    Copy {
        from: (usize, usize),
        to: (usize, usize),
        count: usize,
    },
    /// Let go of a root's object.
    Drop {
        root: usize,
    },
    Minor,
    Full,
    /// Go on with a copy of the heap.
    Fork,
}

/// Steps of a program. Most objects have one of these sizes, and some are large.
fn steps(size: impl Strategy<Value = usize> + Clone + 'static) -> impl Strategy<Value = Vec<Step>> {
    let root = 0..ROOTS;
    let slot = prop_oneof![4 => 0..200usize, 3 => 0..MOST_SLOTS];
    let place = (root.clone(), slot.clone());
    let step = prop_oneof![
        6 => (root.clone(), size.clone()).prop_map(|(root, size)| Step::Slots { root, size }),
        2 => (root.clone(), size).prop_map(|(root, size)| Step::Bytes { root, size: size * 7 }),
        12 => (place.clone(), root.clone())
            .prop_map(|((from, slot), to)| Step::Link { from, slot, to }),
        2 => place.clone().prop_map(|(root, slot)| Step::Descend { root, slot }),
        2 => (place.clone(), place, 0..300usize)
            .prop_map(|(from, to, count)| Step::Copy { from, to, count }),
        2 => root.prop_map(|root| Step::Drop { root }),
        2 => Just(Step::Minor),
        1 => Just(Step::Full),
        1 => Just(Step::Fork),
    ];
    prop::collection::vec(step, 1..few(400))
}

fn few_large() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 0..6usize, 4 => 6..200usize, 1 => 3990..4200usize]
}

fn many_large() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 0..6usize, 2 => 6..200usize, 4 => 4090..MOST_SLOTS]
}

/// Fewer under Miri, which needs microseconds for each slot of each object.
const fn few(usual: usize) -> usize {
    if cfg!(miri) { usual / 20 } else { usual }
}

const MOST_SLOTS: usize = if cfg!(miri) { 4400 } else { 9000 };
const ROOTS: usize = 6;

/// An object of the model, which is never collected.
enum Modelled {
    Slots(Vec<Option<usize>>),
    Bytes(usize),
}

/// Does the same steps on a heap and on a model of it, and compares all objects that the roots reach.
fn graphs_survive(steps: &[Step], stress: bool) {
    let mut heap = Heap::new(1 << 16, 0, stress);
    let mut roots = vec![Value::NIL; ROOTS];
    let mut model: Vec<Modelled> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; ROOTS];
    for step in steps {
        if let Step::Minor | Step::Full = step {
            check_remembered(&mut heap);
        }
        match *step {
            Step::Slots { root, size } => {
                roots[root] = make(&mut heap, &mut roots, 7, Contents::Slots(size));
                places[root] = Some(model.len());
                model.push(Modelled::Slots(vec![None; size]));
            }
            Step::Bytes { root, size } => {
                let made = make(&mut heap, &mut roots, 8, Contents::Bytes(size));
                heap.bytes_mut(made).fill(size as u8);
                roots[root] = made;
                places[root] = Some(model.len());
                model.push(Modelled::Bytes(size));
            }
            Step::Link { from, slot, to } => {
                let place = places[from].and_then(|index| model.get_mut(index));
                if let Some(Modelled::Slots(slots)) = place
                    && slot < slots.len()
                {
                    slots[slot] = places[to];
                    heap.set_slot(roots[from], slot, roots[to]);
                }
            }
            Step::Descend { root, slot } => {
                let place = places[root].and_then(|index| model.get(index));
                if let Some(Modelled::Slots(slots)) = place
                    && let Some(&Some(next)) = slots.get(slot)
                {
                    places[root] = Some(next);
                    roots[root] = heap.slot(roots[root], slot);
                }
            }
            Step::Copy { from, to, count } => {
                let slots_of = |root: usize| {
                    places[root].and_then(|index| match &model[index] {
                        Modelled::Slots(slots) => Some((index, slots.len())),
                        Modelled::Bytes(_) => None,
                    })
                };
                if let (Some(source), Some(target)) = (slots_of(from.0), slots_of(to.0))
                    && from.1 + count <= source.1
                    && to.1 + count <= target.1
                {
                    let mut copied = Vec::new();
                    if let Modelled::Slots(slots) = &model[source.0] {
                        copied.extend_from_slice(&slots[from.1..from.1 + count]);
                    }
                    if let Modelled::Slots(slots) = &mut model[target.0] {
                        slots[to.1..to.1 + count].copy_from_slice(&copied);
                    }
                    heap.copy_slots(roots[from.0], from.1, roots[to.0], to.1, count);
                }
            }
            Step::Drop { root } => {
                places[root] = None;
                roots[root] = Value::NIL;
            }
            Step::Fork => {
                (heap, roots) = forked(&mut heap, &roots);
            }
            Step::Minor => {
                heap.collect_minor(&mut |_, visit| roots.iter_mut().for_each(&mut *visit))
            }
            Step::Full => heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit)),
        }
    }
    compare(&heap, &roots, &model, &places);
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    compare(&heap, &roots, &model, &places);
    let live: usize = compare(&heap, &roots, &model, &places);
    assert_eq!(
        heap.bytes_of_objects() - heap.large_words * WORD,
        live * WORD
    );
    let (copy, copied) = forked(&mut heap, &roots);
    compare(&copy, &copied, &model, &places);
    compare(&heap, &roots, &model, &places);
}

/// Every old object that refers to a young one is remembered, a large one with the right card. No object is remembered
/// twice.
fn check_remembered(heap: &mut Heap) {
    let mut soiled = std::collections::HashSet::new();
    let remembered = heap.remembered.clone();
    for &header in &remembered {
        // SAFETY: remembered objects are old and complete.
        unsafe {
            heap.visit_soiled(header, |_, first, count| {
                (0..count).for_each(|index| {
                    assert!(soiled.insert(first.add(index)), "shown twice");
                });
                true
            });
        }
    }
    for object in heap.objects_of(|_| true) {
        if heap.in_nursery(object.pointer()) {
            continue;
        }
        for (index, &value) in heap.slots(object).iter().enumerate() {
            // SAFETY: the slot is one of the object's.
            let slot = unsafe { object.pointer().add(1 + index) };
            assert!(!heap.is_young(value) || soiled.contains(&slot));
        }
    }
}

/// Walks heap and model side by side; answers how many words the objects take that are not large.
fn compare(heap: &Heap, roots: &[Value], model: &[Modelled], places: &[Option<usize>]) -> usize {
    let mut met: HashMap<usize, Value> = HashMap::new();
    let mut words = 0;
    let mut open: Vec<(Value, Option<usize>)> =
        roots.iter().copied().zip(places.iter().copied()).collect();
    while let Some((value, place)) = open.pop() {
        let Some(index) = place else {
            assert_eq!(value, Value::NIL);
            continue;
        };
        if let Some(&before) = met.get(&index) {
            assert_eq!(before, value);
            continue;
        }
        met.insert(index, value);
        let contents = match &model[index] {
            Modelled::Slots(slots) => {
                assert_eq!(heap.class_of_object(value), 7);
                assert_eq!(heap.slots(value).len(), slots.len());
                open.extend(heap.slots(value).iter().copied().zip(slots.iter().copied()));
                Contents::Slots(slots.len())
            }
            Modelled::Bytes(size) => {
                assert_eq!(heap.class_of_object(value), 8);
                assert_eq!(heap.bytes(value).len(), *size);
                assert!(heap.bytes(value).iter().all(|&byte| byte == *size as u8));
                Contents::Bytes(*size)
            }
        };
        if contents.words() < LARGE_WORDS {
            words += contents.words() + 1;
        }
    }
    let distinct: std::collections::HashSet<_> = met.values().collect();
    assert_eq!(distinct.len(), met.len());
    words
}

proptest! {
    #[test]
    fn graphs_stay_what_they_are(steps in steps(few_large())) {
        graphs_survive(&steps, false);
    }

    #[test]
    fn graphs_of_large_objects_stay_what_they_are(steps in steps(many_large())) {
        graphs_survive(&steps, false);
    }

    #[test]
    fn graphs_of_large_objects_stay_what_they_are_under_stress(steps in steps(many_large())) {
        graphs_survive(&steps[..steps.len().min(60)], true);
    }

    #[test]
    fn graphs_stay_what_they_are_under_stress(steps in steps(few_large())) {
        graphs_survive(&steps[..steps.len().min(120)], true);
    }

    #[test]
    fn live_objects_survive(steps in prop::collection::vec(any::<(u8, u8, bool)>(), 1..few(1500))) {
        chains_survive(&steps, false);
    }

    #[test]
    fn live_objects_survive_stress(steps in prop::collection::vec(any::<(u8, u8, bool)>(), 1..few(200))) {
        chains_survive(&steps, true);
    }
}

#[test]
fn an_old_object_keeps_a_young_one_alive() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots = [heap.try_allocate(1, Contents::Slots(1)).expect("room")];
    heap.collect_minor(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    let young = heap.try_allocate(2, Contents::Bytes(5)).expect("room");
    heap.bytes_mut(young).copy_from_slice(b"hello");
    heap.set_slot(roots[0], 0, young);
    heap.collect_minor(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    assert_eq!(heap.bytes(heap.slot(roots[0], 0)), b"hello");
}

#[test]
fn large_objects_are_freed_when_unreachable() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots = [heap.allocate_after_collection(1, Contents::Slots(10_000))];
    heap.allocate_after_collection(1, Contents::Bytes(100_000));
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    assert_eq!(heap.large.len(), 1);
    assert_eq!(heap.contents(roots[0]), Contents::Slots(10_000));
}

/// The number of slots in old objects that the next collection of the nursery visits.
fn slots_to_look_at(heap: &mut Heap) -> usize {
    let mut slots = 0;
    for header in heap.remembered.clone() {
        // SAFETY: remembered objects are old and complete.
        unsafe {
            heap.visit_soiled(header, |_, _, count| {
                slots += count;
                true
            });
        }
    }
    slots
}

/// Slots of a large object.
const MANY_SLOTS: usize = if cfg!(miri) { 10_000 } else { 1_000_000 };

#[test]
fn a_store_into_a_large_object_lets_few_of_its_slots_be_looked_at() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots = [heap.allocate_after_collection(1, Contents::Slots(MANY_SLOTS))];
    for round in 0..3 {
        for index in [0, 1, MANY_SLOTS / 2 - 1, MANY_SLOTS - 1] {
            let young = heap.try_allocate(2, Contents::Slots(1)).expect("room");
            heap.set_slot(young, 0, Value::int(round + index as i64));
            heap.set_slot(roots[0], index, young);
        }
        assert!(slots_to_look_at(&mut heap) < 50);
        heap.collect_minor(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
        assert_eq!(slots_to_look_at(&mut heap), 0);
    }
    for index in [0, 1, MANY_SLOTS / 2 - 1, MANY_SLOTS - 1] {
        let kept = heap.slot(heap.slot(roots[0], index), 0);
        assert_eq!(kept, Value::int(2 + index as i64));
    }
}

#[test]
fn copying_slots_soils_only_what_has_become_young() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots = [Value::NIL; 2];
    for root in &mut roots {
        *root = heap.allocate_after_collection(1, Contents::Slots(MANY_SLOTS));
    }
    heap.copy_slots(roots[0], 0, roots[1], 0, MANY_SLOTS);
    assert_eq!(slots_to_look_at(&mut heap), 0);
    let young = heap.try_allocate(2, Contents::Slots(0)).expect("room");
    heap.set_slot(roots[0], 7_000, young);
    heap.copy_slots(roots[0], 5, roots[1], 0, MANY_SLOTS - 5);
    assert!(slots_to_look_at(&mut heap) < 20);
    heap.collect_minor(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    assert_eq!(heap.slot(roots[1], 6_995), heap.slot(roots[0], 7_000));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn large_objects_do_not_each_cost_a_full_collection() {
    let mut heap = Heap::new(1 << 16, 2 << 20, false);
    let mut roots = [Value::NIL; 3];
    let mut bytes = 0;
    for index in 0..600 {
        let contents = Contents::Slots(4_100 + 500 * (index % 200));
        let made = make(&mut heap, &mut roots, 1, contents);
        roots[index % 3] = made;
        bytes += Heap::bytes_for(contents);
    }
    let full = heap.statistics.full.count() as usize;
    assert!(full > 0 && full <= bytes / (64 << 20), "{full} of {bytes}");
}

#[test]
fn hashes_are_stable_and_distinct() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots: Vec<Value> = (0..100)
        .filter_map(|_| heap.try_allocate(1, Contents::Slots(0)))
        .collect();
    let before: Vec<u32> = roots.iter().map(|&r| heap.identity_hash(r)).collect();
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    let after: Vec<u32> = roots.iter().map(|&r| heap.identity_hash(r)).collect();
    assert_eq!(before, after);
    let distinct: std::collections::HashSet<_> = before.iter().collect();
    assert_eq!(distinct.len(), 100);
}

#[test]
fn a_fork_shares_nothing() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let object = heap.try_allocate(3, Contents::Slots(2)).expect("room");
    heap.set_slot(object, 0, object);
    let mut roots = [object];
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    let object = roots[0];
    let (mut copy, copied) = forked(&mut heap, &roots);
    let root = copied[0];
    assert_ne!(root, object);
    assert_eq!(copy.slot(root, 0), root);
    copy.set_slot(root, 1, Value::int(5));
    assert_eq!(heap.slot(object, 1), Value::NIL);
}

#[test]
fn weak_slots_lose_what_nothing_else_refers_to() {
    let mut heap = Heap::new(1 << 16, 0, false);
    let mut roots = vec![Value::NIL; 2];
    let holder = make(&mut heap, &mut roots, 7, Contents::Slots(5));
    roots[0] = holder;
    for (slot, size) in [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, LARGE_WORDS + 1),
        (4, LARGE_WORDS + 1),
    ] {
        let made = make(&mut heap, &mut roots, 8, Contents::Slots(size));
        let holder = roots[0];
        heap.set_slot(holder, slot, made);
    }
    let keeper = make(&mut heap, &mut roots, 9, Contents::Slots(2));
    roots[1] = keeper;
    for (slot, kept) in [(0, 2), (1, 4)] {
        let (holder, keeper) = (roots[0], roots[1]);
        let value = heap.slot(holder, kept);
        heap.set_slot(keeper, slot, value);
    }
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    let holders = [(roots[0], 1)];
    heap.clear_weak(&holders, &mut |_, visit| {
        roots.iter_mut().for_each(&mut *visit)
    });
    heap.collect_full(&mut |_, visit| roots.iter_mut().for_each(&mut *visit));
    let left: Vec<bool> = (0..5)
        .map(|slot| heap.slot(roots[0], slot).is_object())
        .collect();
    assert_eq!(left, [true, false, true, false, true]);
    assert_eq!(heap.slot(roots[0], 2), heap.slot(roots[1], 0));
    assert_eq!(heap.slot(roots[0], 4), heap.slot(roots[1], 1));
}
