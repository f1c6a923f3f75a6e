//! Products.

use super::{copy_biguint, to_biguint, trim};

/// From this number of limbs in the shorter factor on, num-bigint's algorithms pay.
const MANY: usize = 64;

/// Leaves `a * b` in `product`, trimmed if both are.
pub fn multiply(a: &[u64], b: &[u64], product: &mut Vec<u64>) {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if short.len() >= MANY {
        copy_biguint(&(to_biguint(a) * to_biguint(b)), product);
        return;
    }
    product.clear();
    let Some((&first, others)) = short.split_first() else {
        return;
    };
    product.reserve(long.len() + short.len());
    let mut carry = 0;
    product.extend(long.iter().map(|&limb| {
        let (low, high) = limb.carrying_mul(first, carry);
        carry = high;
        low
    }));
    product.push(carry);
    for (index, &factor) in others.iter().enumerate() {
        let carry = add_product(&mut product[index + 1..], long, factor);
        product.push(carry);
    }
    trim(product);
}

/// Adds `limbs * factor` to as many limbs of `sum` and answers the carry.
fn add_product(sum: &mut [u64], limbs: &[u64], factor: u64) -> u64 {
    let mut carry = 0;
    for (place, &limb) in sum.iter_mut().zip(limbs) {
        (*place, carry) = limb.carrying_mul_add(factor, *place, carry);
    }
    carry
}

/// Subtracts `limbs * factor` from as many limbs of `difference` and answers the borrow.
pub(super) fn subtract_product(difference: &mut [u64], limbs: &[u64], factor: u64) -> u64 {
    let mut borrow = 0;
    for (place, &limb) in difference.iter_mut().zip(limbs) {
        let (low, high) = limb.carrying_mul(factor, borrow);
        let (limb, under) = place.overflowing_sub(low);
        *place = limb;
        // Where the high limb is 2^64 - 1 the low one is 0.
        borrow = high + u64::from(under);
    }
    borrow
}

/// Leaves `limbs * factor + addend` in their place and answers the carry.
pub(super) fn multiply_in_place(limbs: &mut [u64], factor: u64, addend: u64) -> u64 {
    let mut carry = addend;
    for limb in limbs {
        (*limb, carry) = limb.carrying_mul(factor, carry);
    }
    carry
}
