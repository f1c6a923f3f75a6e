//! What code of the library costs in the programs of the small language. These are measurements of the library's
//! Smalltalk, which the rules of processors do not give. None depends on a depth.

/// `new`, after its send.
pub(super) const NEW: u64 = 2;
/// `on:do:` and the evaluation of its receiver.
pub(super) const GUARD: u64 = 2;
/// From `1 / 0` to the unwinding for a handler in the same request.
pub(super) const FAILURE_HANDLED: u64 = 30;
/// From `1 / 0` to the end of the request, if no handler is in it.
pub(super) const FAILURE_UNHANDLED: u64 = 37;
/// From a failed answer to the unwinding for a handler in the client's request.
pub(super) const FAILED_ANSWER_HANDLED: u64 = 21;
/// From a failed answer to the end of the client's request, if no handler is in it.
pub(super) const FAILED_ANSWER_UNHANDLED: u64 = 28;
/// `future` of an own object, from the message that it is sent to the method.
pub(super) const OWN_FUTURE_BEGINS: u64 = 6;
/// From the end of that method to the future.
pub(super) const OWN_FUTURE_ENDS: u64 = 5;
/// `value`, after its send, of a future whose answer was there before.
pub(super) const KNOWN_VALUE: u64 = 1;
/// The same of a failure, to the beginning of the handling.
pub(super) const KNOWN_FAILURE: u64 = 2;
/// A delay, from its creation to the beginning of the sleep.
pub(super) const DELAY: u64 = 8;
/// A millisecond of a clock that makes a million units a second.
pub(super) const MILLISECOND: u64 = 1_000;
