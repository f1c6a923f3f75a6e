//! How a handler reads its instruction. Each operand has its own load, which costs less than shifting it out of the
//! whole word. Nothing is checked here. The verifier has checked the code, and debug builds check instructions before
//! they execute (`dispatch/checks.rs`). A test compares the offsets in the words with [`Word`] and
//! [`Cache`](crate::bytecode::Cache), which define whole words.
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

/// The record in the inline cache, for the forms of sends that have a record instead of a target.
#[inline(always)]
pub(super) unsafe fn cached_record<'a, R>(ip: *const u64) -> &'a R {
    // SAFETY: by the caller's promise. Records live until the inline caches are emptied. A handler with a record does
    // not empty them.
    unsafe { &*(*ip.add(2) as *const R) }
}

/// The target that the inline cache holds, if its class is not 0.
#[inline(always)]
pub(super) unsafe fn cached_target(ip: *const u64) -> *const Target {
    // SAFETY: by the caller's promise.
    unsafe { *ip.add(2) as *const Target }
}

/// The target of a jump.
#[inline(always)]
pub(super) unsafe fn jump_target(ip: *const u64) -> *const u64 {
    // SAFETY: the verifier has checked that an instruction starts there.
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
    // SAFETY: the verifier has checked that the register lies inside the frame.
    unsafe { *fp.add(register.into()) }
}

/// Writes a register.
#[inline(always)]
pub(super) unsafe fn set(fp: *mut Value, register: impl Into<usize>, value: Value) {
    // SAFETY: as for `get`.
    unsafe { *fp.add(register.into()) = value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{Cache, Op};

    #[test]
    fn parts_are_those_of_the_whole_words() {
        let first = Word::new(Op::AtPut, 0x12, 0x9A, 0xC4, 0x89AB_CDEF);
        let second = crate::bytecode::cache_word(0x1234, 0xFEDC);
        let words = [first.0, Cache(second).with_class(0x8765_4321).0, 77];
        let (ip, cache) = (words.as_ptr(), Cache(words[1]));
        // SAFETY: there are three words.
        unsafe {
            assert_eq!(Op::from_byte(opcode(ip)), first.op());
            assert_eq!((a(ip), b(ip), c(ip)), (first.a(), first.b(), first.c()));
            assert_eq!(imm(ip), first.imm());
            assert_eq!(cached_class(ip), cache.class());
            assert_eq!(usize::from(base(ip)), cache.base());
            assert_eq!(destination(ip), cache.destination());
            assert_eq!(cached_target(ip) as usize, 77);
        }
        assert_eq!((cache.base(), cache.destination()), (0x1234, 0xFEDC));
    }
}
