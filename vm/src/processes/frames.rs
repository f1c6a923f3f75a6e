//! Walks the frames of a stack from the top down. Only this module knows the link from a frame to the frame below it.

#![allow(unsafe_code)]

use super::process::{Mark, MarkKind, Stack, code_of_meta, mark_of_meta};
use crate::code::{cache_of, send_before};

/// Code of the machine's own that frames return to.
static STUBS: [u64; 2] = [
    crate::bytecode::Op::ResumeUnwind as u64,
    crate::bytecode::Op::Return as u64, // of register 0
];

/// Return address of an `ensure:` block that runs during an unwinding.
pub(crate) fn resume_unwind_stub() -> *const u64 {
    &STUBS[0]
}

/// Return address of `cannotReturn:`. Its answer becomes the block's answer.
pub(crate) fn return_stub() -> *const u64 {
    &STUBS[1]
}

/// Whether the address is in one of the stubs.
pub(crate) fn in_stub(ip: *const u64) -> bool {
    STUBS.as_ptr_range().contains(&ip)
}

/// A frame as a walk meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameView {
    /// Base, in words from the start of the stack.
    pub(crate) frame: usize,
    /// Number of the code that it runs, see [`CodeTable`](crate::code::CodeTable).
    pub(crate) code: u32,
    /// Index of its mark.
    pub(crate) mark: Option<usize>,
    /// For the top frame the instruction to be executed; for others the one behind the send.
    pub(crate) ip: *const u64,
    /// Whether it is the top frame.
    pub(crate) is_top: bool,
    /// Register that awaits the answer of the frame above.
    pub(crate) awaiting: Option<u16>,
}

/// A walk over the frames of one stack.
pub(crate) struct FrameWalk {
    next: Option<(usize, *const u64, Option<u16>)>,
    is_top: bool,
}

impl FrameWalk {
    /// Starts at the frame with this base, which is about to execute at `ip`.
    pub(crate) fn new(frame: usize, ip: *const u64) -> FrameWalk {
        FrameWalk {
            next: Some((frame, ip, None)),
            is_top: true,
        }
    }

    /// The next frame down.
    pub(crate) fn step(&mut self, stack: &Stack, marks: &[Mark]) -> Option<FrameView> {
        let (frame, ip, awaiting) = self.next.take()?;
        let meta = stack.word(frame - 2);
        let mark = mark_of_meta(meta).checked_sub(1);
        let view = FrameView {
            frame,
            code: code_of_meta(meta),
            mark,
            ip,
            is_top: self.is_top,
            awaiting,
        };
        self.is_top = false;
        let return_address = stack.word(frame - 1) as *const u64;
        let found = mark.and_then(|index| marks.get(index));
        self.next = match found {
            Some(Mark {
                kind: MarkKind::Bottom,
                ..
            }) => None,
            Some(Mark {
                delivery: Some(delivery),
                ..
            }) => Some((
                frame - delivery.distance,
                return_address,
                delivery.destination,
            )),
            _ => {
                // SAFETY: the frame was made by a send-shaped instruction of linked code, and its
                // return address is behind it.
                let cache = unsafe { cache_of(send_before(return_address)) };
                let below = frame - cache.base();
                Some((below, return_address, Some(cache.destination())))
            }
        };
        Some(view)
    }
}

impl Stack {
    /// Changes the return addresses below a frame by `moved`.
    pub(crate) fn move_code(
        &mut self,
        marks: &[Mark],
        (frame, ip): (usize, *const u64),
        moved: impl Fn(*const u64) -> *const u64,
    ) {
        let mut walk = FrameWalk::new(frame, ip);
        let mut places = Vec::new();
        while let Some(view) = walk.step(self, marks) {
            places.push(view.frame - 1);
        }
        for place in places {
            let address = self.word(place) as *const u64;
            self.set_word(place, moved(address) as u64);
        }
    }
}
