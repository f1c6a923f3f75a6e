//! Hashes by the counting model: functions of unsigned words of 64 bits, the same on every platform and in every byte
//! order. A hash has 30 bits. So a program that adds or multiplies a few hashes stays among the SmallIntegers. The
//! primitives decide how an object is hashed.

/// Bits of a hash.
const BITS: u32 = 30;

/// An odd number without pattern, 2⁶⁴ divided by the golden ratio.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number at this place, from 0, of SplitMix64 with this seed (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
#[inline]
pub(crate) fn split_mix(seed: u64, place: u64) -> u64 {
    let mut mixed = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(ODD));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The hash of a word. Every bit of the word affects every bit of the hash.
#[inline]
pub(crate) fn mix(word: u64) -> u32 {
    (split_mix(word, 0) >> (64 - BITS)) as u32
}

/// The hash of two words in this order.
#[inline]
pub(crate) fn mix_two(first: u64, second: u64) -> u32 {
    mix(first.wrapping_mul(ODD).rotate_left(32) ^ second)
}

/// The hash of words in their order, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer {
    state: u64,
}

impl Mixer {
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        self.state = (self.state.rotate_left(5) ^ word).wrapping_mul(ODD);
    }

    /// The hash of all words and of the number of hashed things.
    #[inline]
    pub(crate) fn finish(self, count: usize) -> u32 {
        mix(self.state ^ count as u64)
    }
}

/// The hash of bytes: eight at a time make a word, the first one its lowest bits.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut mixer = Mixer::default();
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        mixer.word(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        mixer.word(packed(rest.iter().map(|&byte| u32::from(byte))));
    }
    mixer.finish(bytes.len())
}

/// The hash of code points. If each fits into a byte, it equals the hash of the bytes, so that it is the same for every
/// width. In a group of eight, bits above the lowest eight make further words.
pub(crate) fn hash_codes(codes: &[u32]) -> u32 {
    let mut mixer = Mixer::default();
    for group in codes.chunks(8) {
        mixer.word(packed(group.iter().copied()));
        for (place, &code) in group.iter().enumerate() {
            if code > 0xFF {
                mixer.word(u64::from(code >> 8) << 3 | place as u64);
            }
        }
    }
    mixer.finish(codes.len())
}

/// The lowest eight bits of up to eight numbers, the first one's lowest.
fn packed(numbers: impl Iterator<Item = u32>) -> u64 {
    let bytes = numbers.map(|number| u64::from(number & 0xFF));
    bytes
        .enumerate()
        .fold(0, |word, (place, byte)| word | byte << (8 * place))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_values_are_part_of_the_model() {
        assert_eq!(mix(0), 948_447_758);
        assert_eq!(mix(1), 608_340_859);
        assert_eq!(mix_two(1, 2), mix(ODD.rotate_left(32) ^ 2));
        assert_eq!(hash_bytes(b""), mix(0));
    }

    #[test]
    fn every_width_has_the_same_hash() {
        for length in 0..40_u8 {
            let bytes: Vec<u8> = (0..length).map(|n| n.wrapping_mul(37)).collect();
            let codes: Vec<u32> = bytes.iter().map(|&byte| u32::from(byte)).collect();
            assert_eq!(hash_bytes(&bytes), hash_codes(&codes));
        }
    }

    #[test]
    fn high_bits_and_their_places_count() {
        let texts = ["ab", "ba", "aƀ", "ƀa", "aɀ", "abababab", "ababababa", "a\0"];
        let hashes: HashSet<u32> = texts
            .iter()
            .map(|text| hash_codes(&text.chars().map(u32::from).collect::<Vec<_>>()))
            .collect();
        assert_eq!(hashes.len(), texts.len());
    }

    #[test]
    fn numbers_in_a_row_fall_into_different_places() {
        // Of 2¹⁶ balls in 2¹⁶ boxes, 63 % of the boxes get one.
        for step in [1_u64, 2, 1024, 1 << 32, 1 << 48] {
            let boxes: HashSet<u32> = (0..1 << 16)
                .map(|n: u64| mix(n.wrapping_mul(step)) & 0xFFFF)
                .collect();
            assert!(
                (40_500..42_400).contains(&boxes.len()),
                "step {step}: {}",
                boxes.len()
            );
        }
    }
}
