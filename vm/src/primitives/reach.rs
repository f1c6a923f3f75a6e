//! What debug builds hold of what the rows of primitives say.

use super::{Answer, Primitive, Reach};
use crate::machine::Vm;

/// The heap before a primitive is called.
pub(crate) struct Before {
    heap: Option<[u64; 4]>,
}

impl Before {
    /// Looks at the heap in debug builds only.
    #[inline(always)]
    pub(crate) fn of(vm: &Vm) -> Before {
        Before {
            heap: cfg!(debug_assertions).then(|| heap(vm)),
        }
    }

    /// Holds what has happened since against the primitive's row.
    #[inline(always)]
    pub(crate) fn check(
        &self,
        vm: &Vm,
        row: impl FnOnce() -> Option<&'static Primitive>,
        answer: Answer,
    ) {
        if cfg!(debug_assertions)
            && let Some(row) = row()
        {
            let (name, reach) = (row.name, row.reach);
            let requested = answer == Answer::REQUEST;
            assert!(
                !requested || reach >= Reach::Requests,
                "{name} is no request"
            );
            let stays = self.heap.is_none_or(|before| before == heap(vm));
            assert!(stays || reach >= Reach::Allocates, "{name} is a leaf");
        }
    }
}

/// What no leaf changes: the objects made by the model, the bytes of objects, and the collections so far.
fn heap(vm: &Vm) -> [u64; 4] {
    let heap = &vm.heap;
    let collections = heap.statistics.minor.count() + heap.statistics.full.count();
    let made = heap.allocations;
    let bytes = heap.bytes_of_objects() as u64;
    [made.objects, made.bytes, bytes, collections]
}
