//! Fingerprints of 128 bits. The parts of a state are hashed one by one, and their sum is the state's fingerprint: it does not depend on
//! their order. There is no seed, so fingerprints are the same everywhere.

/// The fingerprint of a part, or of a state.
pub(crate) type Fingerprint = u128;

/// Odd constants without pattern: the digits of π.
const LANES: [u64; 4] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
];

/// Both halves of a product of 128 bits, folded into one.
fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The fingerprint of a list of numbers. The first number says what kind of part it is.
pub(crate) fn of_words(words: impl IntoIterator<Item = u32>) -> Fingerprint {
    let (mut low, mut high) = (LANES[0], LANES[1]);
    let mut length = 0;
    for word in words {
        low = folded(low ^ u64::from(word), LANES[2]).wrapping_add(LANES[1]);
        high = folded(high ^ (u64::from(word) << 17), LANES[3]).wrapping_add(LANES[0]);
        length += 1;
    }
    low = folded(low ^ length, LANES[1]);
    high = folded(high ^ length, LANES[2]);
    (u128::from(high) << 64) | u128::from(low)
}

/// The fingerprint of a list that is continued by a part.
pub(crate) fn chained(list: Fingerprint, part: Fingerprint) -> Fingerprint {
    let (low, high) = (list as u64, (list >> 64) as u64);
    let first = folded(low ^ LANES[3], part as u64 ^ LANES[0]).wrapping_add(high);
    let second = folded(high ^ LANES[2], (part >> 64) as u64 ^ LANES[1]).wrapping_add(low);
    (u128::from(second) << 64) | u128::from(first)
}

/// A fingerprint as a number to hash with.
pub(crate) fn short(fingerprint: Fingerprint) -> u64 {
    (fingerprint as u64) ^ ((fingerprint >> 64) as u64).rotate_left(32)
}

/// Hashes small numbers for tables in memory.
pub(crate) fn of_pair(left: u32, right: u32) -> u64 {
    folded(
        (u64::from(left) << 32 | u64::from(right)) ^ LANES[2],
        LANES[0],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_length_and_position_matter_within_a_part() {
        let one = of_words([1, 2, 3]);
        assert_ne!(one, of_words([1, 3, 2]));
        assert_ne!(one, of_words([1, 2, 3, 0]));
        let (x, y) = (of_words([4]), of_words([5]));
        let lists = [[x, y], [y, x], [x, x], [y, y]];
        let lists = lists.map(|list| list.into_iter().fold(0, chained));
        for (place, list) in lists.iter().enumerate() {
            assert!(!lists[..place].contains(list));
        }
    }
}
