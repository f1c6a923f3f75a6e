//! The memory of the process: its size, its use and its limit. One counter serves all machines and the rest of the
//! process.
//!
//! Ranges of addresses that the machine takes from the system charge the counter themselves. The Rust allocator charges
//! it if the program makes [`Counted`] its global allocator. Without [`Counted`], only large objects, old spaces and
//! deep stacks are charged.
//!
//! There are two thresholds. At the limit a machine ends its run in order, at the next poll point. Above the limit
//! stands a reserve, for the memory that a machine needs until that poll point. The handler of [`on_refusal`] ends the
//! process when the reserve is used up or the system has no more memory. Rust's collections cannot go on without
//! memory, so nothing else can be done. Without a handler a refused allocation aborts the process, as everywhere in
//! Rust. The reserve is then unlimited.
//!
//! Why the `unsafe` here is sound: every call is passed on to the inner allocator, with the caller's promises.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicIsize, AtomicU64, AtomicUsize};
use std::thread::LocalKey;

/// Bytes that a thread is granted at once, and bytes that it may give back before it updates the common counter. For
/// each thread the counter is too high by at most the sum of both, and it is never too low.
const BATCH: isize = 1 << 16;

/// The reserve is a number of bytes plus a part of the limit.
const LEAST_RESERVE: usize = 16 << 20;

const RESERVE_PART: usize = 16;

static HELD: AtomicIsize = AtomicIsize::new(0);

static PEAK: AtomicIsize = AtomicIsize::new(0);

static IN_HEAP: AtomicIsize = AtomicIsize::new(0);

static IN_STACKS: AtomicIsize = AtomicIsize::new(0);

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Where the reserve ends.
static END: AtomicIsize = AtomicIsize::new(isize::MAX);

static HANDLER: OnceLock<fn(Refusal) -> !> = OnceLock::new();

/// How many allocations are still granted; none is refused while it is 0.
static GRANTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Bytes that the common counter has granted this thread and that it has not taken.
    static GRANT: Cell<isize> = const { Cell::new(0) };
    /// Bytes that this thread may still give back before it updates the common counter. Granted bytes and returned
    /// bytes have a counter each. So each step is a subtraction and a test of the sign; every allocation pays for both.
    static BACK: Cell<isize> = const { Cell::new(BATCH) };
    /// What a thread does with its grant at its end.
    static AT_END: AtEnd = const { AtEnd };
}

struct AtEnd;

impl Drop for AtEnd {
    /// Gives back what the thread was granted and has not taken: many threads can come and go.
    fn drop(&mut self) {
        let (granted, back) = (GRANT.get(), BACK.get());
        GRANT.set(0);
        BACK.set(BATCH);
        tell(back.saturating_sub(granted).saturating_sub(BATCH));
    }
}

/// Why memory was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The process holds more than its limit and the reserve.
    Limit,
    /// The system has no more memory.
    System,
}

/// What memory is held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Heap,
    Stacks,
}

/// Bytes of memory in use, by purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of objects.
    pub heap: usize,
    /// Bytes of the stacks of processes.
    pub stacks: usize,
    /// Bytes of all else: code, classes, symbols, sources, the compiler, the recorder, readers of files.
    pub rest: usize,
}

/// Bytes that the process holds. Bytes granted to other threads count as held, at most 128 KiB a thread.
pub fn held() -> usize {
    let untold = GRANT.get() + BATCH - BACK.get();
    not_negative(HELD.load(Relaxed).saturating_sub(untold))
}

/// The greatest number of bytes that the process held since [`forget_peak`].
pub fn peak() -> usize {
    not_negative(PEAK.load(Relaxed))
}

/// Sets the peak to the present use.
pub fn forget_peak() {
    PEAK.store(HELD.load(Relaxed), Relaxed);
}

/// The bytes in use, by purpose.
pub fn usage() -> Usage {
    let heap = not_negative(IN_HEAP.load(Relaxed));
    let stacks = not_negative(IN_STACKS.load(Relaxed));
    Usage {
        heap,
        stacks,
        rest: held().saturating_sub(heap + stacks),
    }
}

/// Bytes that the process may hold; `None` if no limit was set.
pub fn limit() -> Option<usize> {
    let limit = LIMIT.load(Relaxed);
    (limit != usize::MAX).then_some(limit)
}

/// Sets the limit for all machines and the rest of the process together.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
    let end = bytes.saturating_add(LEAST_RESERVE + bytes / RESERVE_PART);
    END.store(isize::try_from(end).unwrap_or(isize::MAX), Relaxed);
}

/// Sets the handler that ends the process when memory is refused. The handler must not allocate. The first handler
/// stays.
pub fn on_refusal(handler: fn(Refusal) -> !) {
    let _ = HANDLER.set(handler);
}

/// Refuses the allocation of that number from now on, counted from 1, as if the system had no memory. For tests.
#[cfg(debug_assertions)]
pub fn refuse_allocation(number: u64) {
    GRANTED.store(number, Relaxed);
}

/// Notes that more memory is in use for a purpose, or less.
pub(crate) fn note(purpose: Purpose, bytes: isize) {
    let counter = match purpose {
        Purpose::Heap => &IN_HEAP,
        Purpose::Stacks => &IN_STACKS,
    };
    counter.fetch_add(bytes, Relaxed);
}

/// Charges bytes before the system is called for them directly.
pub(crate) fn charge(bytes: usize) {
    grant();
    tell(signed(bytes));
}

/// Takes back a charge.
pub(crate) fn discharge(bytes: usize) {
    tell(-signed(bytes));
}

/// The system has refused memory. Answers if there is no handler.
#[cold]
#[inline(never)]
pub(crate) fn refused() {
    if let Some(handler) = HANDLER.get() {
        handler(Refusal::System);
    }
}

#[cold]
#[inline(never)]
fn tell(bytes: isize) {
    let now = HELD.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if bytes > 0 {
        if now > END.load(Relaxed)
            && let Some(handler) = HANDLER.get()
        {
            // Refused bytes are not in use, and the handler prints the bytes in use.
            HELD.fetch_sub(bytes, Relaxed);
            handler(Refusal::Limit);
        }
        PEAK.fetch_max(now, Relaxed);
    }
}

/// Notes that the thread takes bytes.
#[inline(always)]
fn take(bytes: isize) {
    count_down(&GRANT, bytes);
}

/// Notes that the thread gives bytes back.
#[inline(always)]
fn give(bytes: isize) {
    count_down(&BACK, bytes);
}

#[inline(always)]
fn count_down(counter: &'static LocalKey<Cell<isize>>, bytes: isize) {
    counter.with(|counter| {
        let left = counter.get().wrapping_sub(bytes);
        counter.set(left);
        if left < 0 {
            settle();
        }
    });
}

/// Adds the thread's taken and returned bytes to the common counter, and grants the usual bytes.
#[cold]
#[inline(never)]
fn settle() {
    let (granted, back) = (GRANT.get(), BACK.get());
    // If this is refused, the thread has not taken it.
    GRANT.set(granted.max(0));
    tell(back.saturating_sub(granted));
    GRANT.set(BATCH);
    BACK.set(BATCH);
    // A list of such values may grow here, and allocates then. That is granted already.
    let _ = AT_END.try_with(|_| ());
}

/// Refuses what [`refuse_allocation`] chose.
#[inline(always)]
fn grant() {
    if cfg!(debug_assertions) && GRANTED.load(Relaxed) > 0 && GRANTED.fetch_sub(1, Relaxed) == 1 {
        refused();
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

fn not_negative(bytes: isize) -> usize {
    usize::try_from(bytes).unwrap_or(0)
}

/// An allocator that charges its allocations to the process's counter.
#[derive(Clone, Copy, Debug)]
pub struct Counted<A>(pub A);

// SAFETY: the allocator inside keeps the promises; counting neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counted<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grant();
        take(layout.size().cast_signed());
        // SAFETY: the caller's promise.
        seen(unsafe { self.0.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grant();
        take(layout.size().cast_signed());
        // SAFETY: the caller's promise.
        seen(unsafe { self.0.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        give(layout.size().cast_signed());
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grant();
        // While the content is copied both blocks are there.
        take(size.cast_signed());
        // SAFETY: the caller's promise.
        let block = seen(unsafe { self.0.realloc(block, layout, size) });
        give(layout.size().cast_signed());
        block
    }
}

/// The requested block; null is a refusal.
#[inline(always)]
fn seen(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        refused();
    }
    block
}
