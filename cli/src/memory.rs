//! The process's allocator. What the machine's heap takes is not its business: that comes from the system
//! directly.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};

#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// mimalloc's number for the delay, in milliseconds, after which free memory goes back to the system.
const PURGE_DELAY: c_int = 15;

unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
}

/// Lets free memory go back to the system as good as at once, so that a limit on memory is not spent on
/// what nobody uses. That costs some time, so it is done only when there is a limit.
pub(crate) fn give_back_at_once() {
    // SAFETY: the function is the allocator's own, which is linked in above, and takes any number.
    unsafe { mi_option_set(PURGE_DELAY, 1) }
}
