//! How a handler reads its instruction: each operand by a load of its own, which costs less than shifting
//! it out of the whole word. Nothing is checked here: the verifier has seen the code.
#![allow(unsafe_code)]

use crate::base::Value;
use crate::bytecode::Word;
use crate::code::Target;

/// A part of the instruction as a number of its own width; `$shift` is its place in the word.
macro_rules! part {
    ($(#[$doc:meta])* $name:ident: $type:ty, word $word:literal, bit $shift:literal) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) unsafe fn $name(ip: *const u64) -> $type {
            // SAFETY: by the caller's promise `ip` is at an instruction that has such a part.
            unsafe {
                if cfg!(target_endian = "little") {
                    *ip.add($word).cast::<u8>().add($shift / 8).cast::<$type>()
                } else {
                    (*ip.add($word) >> $shift) as $type
                }
            }
        }
    };
}

part!(/// The opcode's byte.
    opcode: u8, word 0, bit 0);
part!(/// Operand `a`.
    a: u8, word 0, bit 8);
part!(/// Operand `b`.
    b: u8, word 0, bit 16);
part!(/// Operand `c`.
    c: u8, word 0, bit 24);
part!(/// The immediate.
    imm: u32, word 0, bit 32);
part!(/// The class that the inline cache holds, 0 for none.
    cached_class: u32, word 1, bit 0);
part!(/// First register of the window.
    base: u16, word 1, bit 32);
part!(/// Where the answer goes.
    destination: u16, word 1, bit 48);

/// The whole first word.
#[inline(always)]
pub(super) unsafe fn word(ip: *const u64) -> Word {
    // SAFETY: by the caller's promise.
    unsafe { Word(*ip) }
}

/// What the inline cache holds in place of a target, in the forms of sends that have a record there.
#[inline(always)]
pub(super) unsafe fn cached_record<'a, R>(ip: *const u64) -> &'a R {
    // SAFETY: by the caller's promise; records live until the inline caches are emptied, which no handler does while it has one.
    unsafe { &*(*ip.add(2) as *const R) }
}

/// The target that the inline cache holds, if its class is not 0.
#[inline(always)]
pub(super) unsafe fn cached_target(ip: *const u64) -> *const Target {
    // SAFETY: by the caller's promise.
    unsafe { *ip.add(2) as *const Target }
}

/// Where a jump leads to.
#[inline(always)]
pub(super) unsafe fn jump_target(ip: *const u64) -> *const u64 {
    // SAFETY: the verifier has seen that an instruction starts there.
    unsafe { ip.offset(imm(ip) as i32 as isize) }
}

/// Operand `b` as an integer.
#[inline(always)]
pub(super) unsafe fn b_as_integer(ip: *const u64) -> Value {
    // SAFETY: by the caller's promise.
    unsafe { Value::int(i64::from(b(ip) as i8)) }
}

/// A register.
#[inline(always)]
pub(super) unsafe fn get(fp: *mut Value, register: impl Into<usize>) -> Value {
    // SAFETY: the verifier has seen that the register lies inside the frame.
    unsafe { *fp.add(register.into()) }
}

/// Writes a register.
#[inline(always)]
pub(super) unsafe fn set(fp: *mut Value, register: impl Into<usize>, value: Value) {
    // SAFETY: as for `get`.
    unsafe { *fp.add(register.into()) = value }
}
