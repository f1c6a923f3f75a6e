//! Integers of any size as objects.

use num_bigint::BigInt;

use super::Vm;
use crate::base::{Known, Value};
use crate::heap::Contents;
use crate::limbs;
use crate::run::{Computed, Integer};

impl Vm {
    /// Computes with the integer that a value is; `None` if it is none.
    #[inline(always)]
    pub(crate) fn with_integer<R>(
        &mut self,
        value: Value,
        compute: impl FnOnce(Integer<'_>, &mut Computed) -> R,
    ) -> Option<R> {
        let mut room = 0;
        let integer = Integer::of(&self.heap, value, &mut room)?;
        Some(compute(integer, &mut self.run.computed))
    }

    /// Computes with the integers that two values are; `None` if one is none.
    #[inline(always)]
    pub(crate) fn with_integers<R>(
        &mut self,
        a: Value,
        b: Value,
        compute: impl FnOnce(Integer<'_>, Integer<'_>, &mut Computed) -> R,
    ) -> Option<R> {
        let (mut room_of_a, mut room_of_b) = (0, 0);
        let a = Integer::of(&self.heap, a, &mut room_of_a)?;
        let b = Integer::of(&self.heap, b, &mut room_of_b)?;
        Some(compute(a, b, &mut self.run.computed))
    }

    /// An object for the integer that was computed last. Its size decides its class.
    pub(crate) fn make_computed(&mut self) -> Value {
        if let Some(small) = self.run.computed.small() {
            return small;
        }
        let class = match self.run.computed.negative {
            true => Known::LargeNegativeInteger,
            false => Known::LargePositiveInteger,
        };
        let contents = Contents::Bytes(size_of_val(self.run.computed.limbs.as_slice()));
        let object = self.make_unwatched(class.into(), contents);
        self.heap
            .limbs_mut(object)
            .copy_from_slice(&self.run.computed.limbs);
        self.run.computed.shrink();
        object
    }

    /// An object for an integer. The integer's size decides its class.
    pub fn make_integer(&mut self, integer: &BigInt) -> Value {
        self.run.computed.copy(integer);
        self.make_computed()
    }

    /// An integer that may not fit into 62 bits.
    pub(crate) fn make_integer_i128(&mut self, integer: i128) -> Value {
        if let Some(small) = i64::try_from(integer).ok().and_then(Value::try_int) {
            return small;
        }
        let magnitude = integer.unsigned_abs();
        let limbs = &mut self.run.computed.limbs;
        limbs.clear();
        limbs.extend([magnitude as u64, (magnitude >> 64) as u64]);
        limbs::trim(limbs);
        self.run.computed.negative = integer < 0;
        self.make_computed()
    }

    /// The integer in a SmallInteger or a large one.
    pub fn integer_of(&self, value: Value) -> Option<BigInt> {
        Integer::of(&self.heap, value, &mut 0).map(Integer::to_bigint)
    }

    /// Whether both are large integers and the same number: in SOM they are the same object then.
    pub(crate) fn same_large_integer(&self, left: Value, right: Value) -> bool {
        let class = self.class_number(left);
        let is_large = class == Known::LargePositiveInteger as u32
            || class == Known::LargeNegativeInteger as u32;
        is_large
            && class == self.class_number(right)
            && self.heap.limbs(left) == self.heap.limbs(right)
    }
}
