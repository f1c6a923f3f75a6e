//! The tagged word that every variable, slot and register holds.
//!
//! ```text
//! bits 1..0 = 00   SmallInteger, 62 bits, in bits 63..2
//!             01   pointer to an object's header, plus 1
//!             10   immediate: kind in bits 7..2, payload in bits 63..8;
//!                  kinds are nil, false, true, characters, symbols, frame tokens
//!             11   never a value (kept free for immediate floats; used as a marker by `Answer`)
//! ```

use std::fmt;

/// A tagged word. Comparing two values compares identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Value(u64);

const POINTER_TAG: u64 = 1;

const KIND_MASK: u64 = 0xFF;

const CHARACTER_KIND: u64 = 0x0E;

const SYMBOL_KIND: u64 = 0x12;

const FRAME_KIND: u64 = 0x16;

/// Index of a symbol in the machine's symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

impl Value {
    /// nil
    pub const NIL: Value = Value(0x02);
    /// false
    pub const FALSE: Value = Value(0x06);
    /// true
    pub const TRUE: Value = Value(0x0A);
    /// The least SmallInteger, −2⁶¹.
    pub const MIN_INT: i64 = -(1 << 61);
    /// The greatest SmallInteger, 2⁶¹ − 1.
    pub const MAX_INT: i64 = (1 << 61) - 1;

    /// The SmallInteger `n`; the caller knows that it fits.
    pub fn int(n: i64) -> Value {
        debug_assert!((Value::MIN_INT..=Value::MAX_INT).contains(&n));
        Value((n << 2) as u64)
    }

    /// The SmallInteger `n` if it fits into 62 bits.
    pub fn try_int(n: i64) -> Option<Value> {
        (Value::MIN_INT..=Value::MAX_INT)
            .contains(&n)
            .then_some(Value((n << 2) as u64))
    }

    /// A boolean.
    #[inline(always)]
    pub fn bool(b: bool) -> Value {
        Value(0x06 + 4 * u64::from(b))
    }

    /// The character with this code point.
    pub fn character(code: u32) -> Value {
        Value(u64::from(code) << 8 | CHARACTER_KIND)
    }

    /// A symbol.
    pub fn symbol(id: SymbolId) -> Value {
        Value(u64::from(id.0) << 8 | SYMBOL_KIND)
    }

    /// The greatest serial that a frame token holds.
    pub(crate) const MAX_FRAME_SERIAL: u64 = (1 << 56) - 1;

    /// The token for the marked frame with this serial. It is no number, and no number can become a token: only the
    /// machine makes tokens.
    pub(crate) fn frame(serial: u64) -> Value {
        debug_assert!(serial <= Value::MAX_FRAME_SERIAL);
        Value(serial << 8 | FRAME_KIND)
    }

    /// The serial, if it is a frame token.
    pub(crate) fn as_frame(self) -> Option<u64> {
        (self.0 & KIND_MASK == FRAME_KIND).then_some(self.0 >> 8)
    }

    #[inline(always)]
    pub(crate) fn from_bits(bits: u64) -> Value {
        Value(bits)
    }

    /// The word.
    #[inline(always)]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// A reference to the object whose header is at `header`.
    #[inline(always)]
    pub(crate) fn from_pointer(header: *mut u64) -> Value {
        Value(header as u64 | POINTER_TAG)
    }

    /// The address of the object's header. Meaningful for objects only.
    #[inline(always)]
    pub(crate) fn pointer(self) -> *mut u64 {
        debug_assert!(self.is_object());
        (self.0 - POINTER_TAG) as *mut u64
    }

    /// Whether it is a SmallInteger.
    #[inline(always)]
    pub fn is_int(self) -> bool {
        self.0 & 3 == 0
    }

    /// Whether it refers to an object in the heap.
    #[inline(always)]
    pub fn is_object(self) -> bool {
        self.0 & 3 == POINTER_TAG
    }

    /// The integer, if it is a SmallInteger.
    #[inline(always)]
    pub fn as_int(self) -> Option<i64> {
        self.is_int().then_some((self.0 as i64) >> 2)
    }

    /// The integer of a word that is known to be a SmallInteger.
    #[inline(always)]
    pub(crate) fn int_unchecked(self) -> i64 {
        debug_assert!(self.is_int());
        (self.0 as i64) >> 2
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::TRUE => Some(true),
            Value::FALSE => Some(false),
            _ => None,
        }
    }

    /// The code point, if it is a character.
    pub fn as_character(self) -> Option<u32> {
        (self.0 & KIND_MASK == CHARACTER_KIND).then_some((self.0 >> 8) as u32)
    }

    /// The symbol, if it is one.
    pub fn as_symbol(self) -> Option<SymbolId> {
        (self.0 & KIND_MASK == SYMBOL_KIND).then_some(SymbolId((self.0 >> 8) as u32))
    }

    /// Whether it is nil.
    pub fn is_nil(self) -> bool {
        self == Value::NIL
    }

    /// 0 nil, 1 false, 2 true, 3 character, 4 symbol, 5 frame token; for words with tag 10.
    #[inline(always)]
    pub(crate) fn immediate_kind(self) -> usize {
        ((self.0 & KIND_MASK) >> 2) as usize
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::NIL => f.write_str("nil"),
            Value::TRUE => f.write_str("true"),
            Value::FALSE => f.write_str("false"),
            v => {
                if let Some(n) = v.as_int() {
                    write!(f, "{n}")
                } else if let Some(c) = v.as_character() {
                    write!(f, "${}", char::from_u32(c).unwrap_or('\u{FFFD}'))
                } else if let Some(s) = v.as_symbol() {
                    write!(f, "#<{}>", s.0)
                } else if let Some(serial) = v.as_frame() {
                    write!(f, "<frame {serial}>")
                } else {
                    write!(f, "@{:x}", v.0)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_value_over_the_whole_range() {
        for n in [0, 1, -1, Value::MIN_INT, Value::MAX_INT] {
            assert_eq!(Value::int(n).as_int(), Some(n));
        }
        assert_eq!(Value::try_int(Value::MAX_INT + 1), None);
        assert_eq!(Value::try_int(Value::MIN_INT - 1), None);
    }

    #[test]
    fn kinds_are_told_apart() {
        let all = [
            Value::NIL,
            Value::TRUE,
            Value::FALSE,
            Value::int(0),
            Value::character(0),
            Value::symbol(SymbolId(0)),
            Value::frame(0),
        ];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(a == b, i == j);
            }
        }
        assert_eq!(Value::character(0x1F600).as_character(), Some(0x1F600));
        assert_eq!(Value::bool(true), Value::TRUE);
        for serial in [0, 1, Value::MAX_FRAME_SERIAL] {
            let token = Value::frame(serial);
            assert_eq!(token.as_frame(), Some(serial));
            assert_eq!(token.immediate_kind(), 5);
            assert!(!token.is_int() && !token.is_object());
            assert_eq!((token.as_character(), token.as_symbol()), (None, None));
            assert_eq!((token.as_bool(), token.is_nil()), (None, false));
        }
        for other in &all[..all.len() - 1] {
            assert_eq!(other.as_frame(), None);
        }
        assert_eq!(Value::bool(false), Value::FALSE);
    }
}
