//! How processors came about.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

/// The name of the processor with this path: `script`, or `#2.1` for the first processor that the script's second one has made. A 0 and all
/// behind it stand for what the processor has sent to another one.
pub fn processor_name(path: &[u32]) -> String {
    let path = path.split(|part| *part == 0).next().unwrap_or_default();
    if path.is_empty() {
        return "script".to_string();
    }
    let parts: Vec<String> = path.iter().map(u32::to_string).collect();
    format!("#{}", parts.join("."))
}

/// How a processor came about: its creator's path and the number of the creation there, from 1 on. A lower one goes first,
/// component by component, a prefix first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    parts: Arc<[u32]>,
    /// The begin of the path, so that most comparisons are those of two numbers: unequal ones have the order of the paths.
    begin: u64,
    /// Whether that is all of it.
    is_whole: bool,
}

/// A path without its parts, if they are in `begin`: a small one that is cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShortPath {
    begin: u64,
    /// Absent if all parts are in `begin`.
    parts: Option<Arc<[u32]>>,
}

impl Path {
    pub(super) fn new(parts: Arc<[u32]>) -> Path {
        let (begin, is_whole) = begin(&parts);
        Path {
            parts,
            begin,
            is_whole,
        }
    }

    pub(super) fn parts(&self) -> Arc<[u32]> {
        Arc::clone(&self.parts)
    }

    pub(super) fn short(&self) -> ShortPath {
        let parts = (!self.is_whole).then(|| Arc::clone(&self.parts));
        ShortPath {
            begin: self.begin,
            parts,
        }
    }
}

impl Deref for Path {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.parts
    }
}

impl PartialOrd for ShortPath {
    fn partial_cmp(&self, other: &ShortPath) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortPath {
    /// Of two with the same begin, a whole one is the other or a prefix of it.
    fn cmp(&self, other: &ShortPath) -> Ordering {
        let begins = self.begin.cmp(&other.begin);
        begins.then_with(|| self.parts.cmp(&other.parts))
    }
}

/// The first eight bytes of the parts' codes, and whether these are all. A code is that of UTF-8 in its first byte: as many ones
/// as bytes follow, and a zero. So the order of codes is that of numbers, no code is a prefix of another one, and none begins with
/// the byte 0.
fn begin(parts: &[u32]) -> (u64, bool) {
    let (mut begin, mut length) = (0, 0);
    for &part in parts {
        let following = match part {
            0..0x80 => 0,
            0x80..0x4000 => 1,
            0x4000..0x20_0000 => 2,
            0x20_0000..0x1000_0000 => 3,
            _ => 4,
        };
        let ones = !(0xff_u8 >> following);
        let code = u64::from(ones) << (8 * following) | u64::from(part);
        let place = 64 - 8 * (length + following + 1);
        length += following + 1;
        if place < 0 {
            return (begin | code >> -place, false);
        }
        begin |= code << place;
    }
    (begin, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Path;

    fn part() -> impl Strategy<Value = u32> {
        prop_oneof![
            1u32..4,
            126u32..130,
            0x3ffe_u32..0x4002,
            0x1f_fffe_u32..0x20_0002,
            0x0fff_fffe_u32..0x1000_0002,
            any::<u32>().prop_map(|part| part.max(1)),
        ]
    }

    fn path() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(part(), 0..10)
    }

    fn check(one: &[u32], other: &[u32]) {
        let short = |parts: &[u32]| Path::new(parts.into()).short();
        assert_eq!(short(one).cmp(&short(other)), one.cmp(other));
    }

    proptest! {
        #[test]
        fn short_paths_have_the_order_of_paths(one in path(), other in path(), common in 0usize..10) {
            check(&one, &other);
            let begin = &one[..common.min(one.len())];
            check(&[begin, &other].concat(), &one);
            check(begin, &one);
        }
    }
}
