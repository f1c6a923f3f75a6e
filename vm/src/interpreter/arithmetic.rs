//! The short cuts of arithmetic, comparison and indexed access beyond two small integers. Each accepts a subset of the
//! operands of the corresponding primitive, and answers the same.

use crate::base::{Dialect, Known, Value};
use crate::bytecode::{Op, Word};
use crate::code::UNKNOWN;
use crate::machine::Vm;

/// `a / b` of tagged integers, if it is exact.
#[inline(always)]
pub(super) fn divide(a: i64, b: i64) -> Option<i64> {
    if b == 0 || a % b != 0 {
        return None;
    }
    (a / b).checked_mul(4)
}

/// `a // b` of tagged integers.
#[inline(always)]
pub(super) fn floor_divide(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let (quotient, remainder) = (a / b, a % b);
    let floor = quotient - i64::from(remainder != 0 && (remainder < 0) != (b < 0));
    floor.checked_mul(4)
}

/// `a \\ b` of tagged integers.
#[inline(always)]
pub(super) fn modulo(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let remainder = a % b;
    let wraps = remainder != 0 && (remainder < 0) != (b < 0);
    Some(if wraps { remainder + b } else { remainder })
}

/// `a bitShift: b` of tagged integers.
#[inline(always)]
pub(super) fn shift(a: i64, b: i64) -> Option<i64> {
    let by = b >> 2;
    if by < 0 {
        return Some((a >> (-by).min(63)) & !3);
    }
    if by >= 62 {
        return (a == 0).then_some(0);
    }
    let shifted = a << by;
    (shifted >> by == a).then_some(shifted)
}

fn is_large(class: u32) -> bool {
    class == Known::LargePositiveInteger as u32 || class == Known::LargeNegativeInteger as u32
}

/// The entry of a short cut without a primitive.
const NO_PRIMITIVE: u32 = u32::MAX - 1;

/// Kinds of receivers that short cuts distinguish.
pub(super) struct Kind;

impl Kind {
    pub(super) const SMALL_INTEGER: usize = 0;
    pub(super) const FLOAT: usize = 1;
    pub(super) const OTHER: usize = 2;
    /// A Character that is compared, a String whose element is read or stored.
    pub(super) const TEXT: usize = 3;
}

impl Vm {
    /// Whether the primitive behind a short cut with this opcode is known. `kind` is the receiver's, an index of
    /// [`Kind`].
    #[inline(always)]
    pub(super) fn knows_short_cut(&self, op: u8, kind: usize) -> bool {
        self.code.short_cut_primitives.0[usize::from(op)][kind] != UNKNOWN
    }

    /// Counts that primitive, which is known.
    #[inline(always)]
    pub(super) fn count_short_cut(&mut self, op: u8, kind: usize) {
        let number = self.code.short_cut_primitives.0[usize::from(op)][kind];
        if let Some(count) = self.counters.full.primitives.get_mut(number as usize) {
            *count += 1;
        }
    }

    /// The kind of a receiver that may be anything.
    #[inline(always)]
    pub(super) fn kind_of(&self, receiver: Value) -> usize {
        match self.class_number(receiver) {
            class if class == Known::SmallInteger as u32 => Kind::SMALL_INTEGER,
            // SOM has one class of integers.
            class if self.config.dialect == Dialect::Som && is_large(class) => Kind::SMALL_INTEGER,
            class if class == Known::Float as u32 => Kind::FLOAT,
            _ => Kind::OTHER,
        }
    }

    /// Finds the primitive behind the short cut at this instruction, with such a receiver, if there is one.
    #[cold]
    #[inline(never)]
    pub(super) fn learn_short_cut(&mut self, word: Word, receiver: Value) {
        let kind = match word.op() {
            Some(Op::At | Op::AtPut) if self.is_a(receiver, Known::String) => Kind::TEXT,
            Some(Op::Equal | Op::EqualInt | Op::EqualJump | Op::EqualIntJump)
                if receiver.as_character().is_some() =>
            {
                Kind::TEXT
            }
            _ => self.kind_of(receiver),
        };
        let number = self
            .primitive_behind(word, receiver)
            .unwrap_or(NO_PRIMITIVE);
        self.code.short_cut_primitives.0[usize::from(word.0 as u8)][kind] = number;
    }

    #[cold]
    fn primitive_behind(&self, word: Word, receiver: Value) -> Option<u32> {
        let selector = self.code.sites.get(word.index() as usize)?.selector;
        let method = self.lookup(self.class_of(receiver), selector)?;
        let code = self.method(method).code.get();
        let (number, _) = crate::primitives::find(code.primitive.as_deref()?)?;
        u32::try_from(number).ok()
    }

    /// The two floats of a comparison: floats, or small integers that a float holds exactly.
    #[inline(always)]
    pub(super) fn floats_to_compare(&self, left: Value, right: Value) -> Option<(f64, f64)> {
        const EXACT: i64 = 1 << 53;
        let exact = |value: Value| value.as_int().filter(|n| (-EXACT..=EXACT).contains(n));
        let left = self.float_of(left)?;
        let right = self
            .float_of(right)
            .or_else(|| Some(exact(right)? as f64))?;
        Some((left, right))
    }

    /// Whether both are floats with the same bits (counting model, 2: `==` on Floats).
    #[inline(never)]
    pub(super) fn same_float(&self, left: Value, right: Value) -> bool {
        if !left.is_object() || !right.is_object() {
            return false;
        }
        match (self.float_of(left), self.float_of(right)) {
            (Some(a), Some(b)) => a.to_bits() == b.to_bits(),
            (None, None) if self.config.dialect == Dialect::Som => {
                self.same_large_integer(left, right)
            }
            _ => false,
        }
    }

    /// Whether two Strings have the same characters; `None` if one is no String of the plainest kind.
    #[inline(always)]
    pub(super) fn same_strings(&self, left: Value, right: Value) -> Option<bool> {
        let both = left.is_object()
            && right.is_object()
            && self.is_a(left, Known::String)
            && self.is_a(right, Known::String);
        both.then(|| left == right || self.heap.bytes(left) == self.heap.bytes(right))
    }

    /// `anArray at: index`
    #[inline(always)]
    pub(super) fn array_at(&self, object: Value, index: Value) -> Option<Value> {
        if !object.is_object() || !self.is_a(object, Known::Array) {
            return None;
        }
        let index = (index.as_int()? as usize).wrapping_sub(1);
        self.heap.elements(object).get(index).copied()
    }

    /// `anArray at: index put: value`; whether the array has to be remembered, if it was done.
    #[inline(always)]
    pub(super) fn array_at_put(
        &mut self,
        object: Value,
        index: Value,
        value: Value,
    ) -> Option<bool> {
        if !object.is_object() || !self.is_a(object, Known::Array) {
            return None;
        }
        let slot = (index.as_int()? as usize).wrapping_sub(1);
        let inside = slot < self.heap.elements(object).len();
        inside.then(|| self.heap.store(object, slot, value))
    }

    /// `aString at: index`, of a String of the plainest kind.
    #[inline(always)]
    pub(super) fn string_at(&self, object: Value, index: Value) -> Option<Value> {
        if !self.is_plain_string(object) {
            return None;
        }
        let index = (index.as_int()? as usize).wrapping_sub(1);
        let byte = *self.heap.bytes(object).get(index)?;
        Some(Value::character(u32::from(byte)))
    }

    /// `aString at: index put: aCharacter`, of a String of the plainest kind that stays so; whether it was done.
    #[inline(always)]
    pub(super) fn string_at_put(&mut self, object: Value, index: Value, value: Value) -> bool {
        let (Some(index), Some(code)) = (index.as_int(), value.as_character()) else {
            return false;
        };
        if !self.is_plain_string(object) {
            return false;
        }
        let index = (index as usize).wrapping_sub(1);
        match (
            u8::try_from(code),
            self.heap.bytes_mut(object).get_mut(index),
        ) {
            (Ok(byte), Some(place)) => {
                *place = byte;
                true
            }
            _ => false,
        }
    }

    /// Whether it is a String whose elements short cuts may reach. SOM's have no `at:`.
    #[inline(always)]
    fn is_plain_string(&self, object: Value) -> bool {
        object.is_object()
            && self.is_a(object, Known::String)
            && self.config.dialect == Dialect::Smalltalk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_floors() {
        for (a, b) in [
            (7i64, 2),
            (-7, 2),
            (7, -2),
            (-7, -2),
            (6, 3),
            (-6, 3),
            (0, 5),
        ] {
            let floor = (a as f64 / b as f64).floor() as i64;
            assert_eq!(floor_divide(a << 2, b << 2), Some(floor << 2), "{a} // {b}");
            assert_eq!(
                modulo(a << 2, b << 2),
                Some((a - floor * b) << 2),
                "{a} \\\\ {b}"
            );
        }
        assert_eq!(divide(6 << 2, 3 << 2), Some(2 << 2));
        assert_eq!(divide(7 << 2, 3 << 2), None);
        assert_eq!(divide(7 << 2, 0), None);
        assert_eq!(divide(i64::MIN, -1 << 2), None);
    }

    #[test]
    fn shifts_are_exact_or_declined() {
        assert_eq!(shift(1 << 2, 3 << 2), Some(8 << 2));
        assert_eq!(shift(-8 << 2, -1 << 2), Some(-4 << 2));
        assert_eq!(shift(-1 << 2, -100 << 2), Some(-1 << 2));
        assert_eq!(shift(5 << 2, -100 << 2), Some(0));
        assert_eq!(shift(1 << 2, 61 << 2), None);
        assert_eq!(shift(1 << 2, 60 << 2), Some(1 << 62));
        assert_eq!(shift(0, 400 << 2), Some(0));
    }
}
