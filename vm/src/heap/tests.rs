//! Tests of the heap: what lives survives, what is written is found again.

use super::*;
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

proptest! {
    #[test]
    fn live_objects_survive(steps in prop::collection::vec(any::<(u8, u8, bool)>(), 1..1500)) {
        chains_survive(&steps, false);
    }

    #[test]
    fn live_objects_survive_stress(steps in prop::collection::vec(any::<(u8, u8, bool)>(), 1..200)) {
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
    let mut root = object;
    let mut copy = heap.fork(&mut |_, visit| visit(&mut root));
    assert_ne!(root, object);
    assert_eq!(copy.slot(root, 0), root);
    copy.set_slot(root, 1, Value::int(5));
    assert_eq!(heap.slot(object, 1), Value::NIL);
}
