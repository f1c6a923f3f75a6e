//! The events of the loop, for observers: sends, entries and exits of frames, poll points. The loop reports each event
//! here and nowhere else. The mode fixes the observers when the loop is compiled, so an absent observer costs nothing.
//! Other events of a run are in `profile/events.rs`. `profile` holds what observers do with events.
#![allow(unsafe_code)]

use super::{Carried, Mode};
use crate::base::Value;
use crate::code::Target;
use crate::machine::Vm;

/// The send at `ip`, of the frame at `fp`, is executed for this receiver.
///
/// # Safety
/// `ip` is at a send of the code that the frame runs.
#[inline(always)]
pub(super) unsafe fn sent<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    receiver: Value,
) {
    if M::FULL {
        // SAFETY: by the caller's promise.
        unsafe { vm.count_site(ip, fp, 1) };
    }
    // A call in the midst of a handler makes room on the stack, which only the slowest copy can afford.
    if M::CHECKED && vm.observers.follower.is_some() {
        vm.save(ip, fp, carried);
        vm.follow_send(receiver);
    }
}

/// The next send, at `ip`, is part of an inlined loop and does not count as a send.
///
/// # Safety
/// As for [`sent`].
#[inline(always)]
pub(super) unsafe fn not_sent<M: Mode>(vm: &mut Vm, ip: *const u64, fp: *mut Value) {
    if M::FULL {
        // SAFETY: by the caller's promise.
        unsafe { vm.count_site(ip, fp, u64::MAX) }; // one less
        vm.follow_no_send();
    }
}

/// The send at `ip` enters a frame: answers the number for its meta word, or nothing if finding that takes more than a few
/// instructions. The cost vector has counted the frame.
///
/// # Safety
/// As for [`sent`].
#[inline(always)]
pub(super) unsafe fn entered<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Option<u32> {
    if M::RECORD && (!M::FULL || !vm.registers.edges.is_null()) {
        let spent = vm.spent_at(carried.ticks, M::FULL);
        // SAFETY: by the caller's promise; the recorder is on.
        let number = unsafe { vm.enter_quickly(ip, fp, callee, spent) };
        if M::CHECKED && number.is_some() && vm.observers.extents.is_some() {
            vm.extent_begins(callee, spent.sends);
        }
        return number;
    }
    Some(callee.id.0)
}

/// The frame with this meta word is left by an ordinary return.
///
/// # Safety
/// The word is that of a frame.
#[inline(always)]
pub(super) unsafe fn left<M: Mode>(vm: &mut Vm, meta: u64, carried: Carried) {
    if M::RECORD && (!M::FULL || !vm.registers.edges.is_null()) {
        let spent = vm.spent_at(carried.ticks, M::FULL);
        // SAFETY: by the caller's promise; the recorder is on.
        unsafe { vm.exit_quickly(meta, spent) };
        if M::CHECKED && vm.observers.extents.is_some() {
            vm.extent_ends(spent.sends);
        }
    }
}

impl Vm {
    /// A frame is entered at `window` by a slow path, from the frame `caller`, by the send at `site` or by none. Answers the
    /// number for its meta word.
    pub(super) fn frame_entered(
        &mut self,
        (caller, site): (usize, *const u64),
        window: *const Value,
        callee: &Target,
    ) -> u32 {
        let code = self.code_for_entry(self.running.frame_code(caller), site, callee);
        self.depth_reached(self.registers.fp, window, callee);
        code
    }

    /// Whether each entry of a frame has to be reported by [`Vm::depth_reached`].
    #[inline(always)]
    pub(super) fn gauges_depth(&self) -> bool {
        self.observers.depth_gauge.is_some()
    }

    /// A frame is entered at `window`, from the frame at `caller`. The gauge of depths notes it.
    pub(super) fn depth_reached(
        &mut self,
        caller: *const Value,
        window: *const Value,
        callee: &Target,
    ) {
        self.note_depth(caller, window, callee);
    }

    /// A frame is left by a slow path.
    pub(super) fn frame_left(&mut self, frame: usize) {
        self.record_exit(frame);
    }

    /// The run is at a poll point that has something to do.
    pub(super) fn polled(&mut self) {
        if self.observers.sampler.is_some() {
            self.take_sample();
        }
    }
}
