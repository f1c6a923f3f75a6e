//! The parts of the machine that a primitive may use beside its receiver and arguments, and the checks of debug builds.

use super::{Answer, Primitive};
use crate::machine::Vm;
use crate::run::Request;

/// The parts of the machine that a primitive uses beside receiver and arguments. Debug builds check it at every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// It answers or declines by itself. It makes no object and no collection happens, so no object moves.
    Leaf,
    /// It may also make objects, and with that collect.
    Allocates,
    /// It may also request what needs frames, a different process or a different mode.
    Requests,
}

/// The heap before a primitive is called.
pub(crate) struct Before {
    heap: Option<[u64; 4]>,
}

impl Before {
    /// Reads the heap in debug builds only.
    #[inline(always)]
    pub(crate) fn of(vm: &Vm) -> Before {
        Before {
            heap: cfg!(debug_assertions).then(|| heap(vm)),
        }
    }

    /// Checks the changes of the machine since then against the row of the primitive.
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
            let only_later = row.is_ordered && matches!(vm.run.request, Request::CatchUp);
            assert!(
                !requested || only_later || reach >= Reach::Requests,
                "{name} is no request"
            );
            let stays = self.heap.is_none_or(|before| before == heap(vm));
            assert!(stays || reach >= Reach::Allocates, "{name} is a leaf");
        }
    }
}

/// The state that no leaf changes: the objects made by the model, the bytes of objects, and the collections so far.
fn heap(vm: &Vm) -> [u64; 4] {
    let heap = &vm.heap;
    let collections = heap.statistics.minor.count() + heap.statistics.full.count();
    let made = heap.allocations;
    let bytes = heap.bytes_of_objects() as u64;
    [made.objects, made.bytes, bytes, collections]
}
