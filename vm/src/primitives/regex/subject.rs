//! The searched text in the engine's form: UTF-8, with a way from characters to bytes and back. Many calls search one
//! long text, with a few matches each. So the last text is kept until its string is written to.

use crate::base::Value;
use crate::machine::Vm;
use crate::primitives::text::{Text, text};
use crate::world::{Encoded, Prepared};

/// Characters between two known positions.
const STEP: usize = 64;

/// A text that is searched.
pub(super) struct Subject<'a> {
    pub(super) bytes: &'a [u8],
    starts: Option<&'a [usize]>,
}

/// Prepares a string, unless it is the one that was prepared last and has not been written to.
pub(super) fn prepare(vm: &mut Vm, value: Value) -> Option<()> {
    let text = text(vm, value)?;
    let is_it = |prepared: &Prepared| {
        prepared.is_narrow == text.narrow().is_some() && prepared.length == text.len()
    };
    let prepared = vm.world.regexes.prepared.as_ref();
    if vm.heap.is_unchanged(value) && prepared.is_some_and(is_it) {
        return Some(());
    }
    let prepared = Prepared::new(&text);
    vm.world.regexes.prepared = Some(prepared);
    vm.heap.note_unchanged(value);
    Some(())
}

impl Prepared {
    pub(super) fn new(text: &Text<'_>) -> Prepared {
        let is_ascii = text.narrow().is_some_and(<[u8]>::is_ascii);
        Prepared {
            is_narrow: text.narrow().is_some(),
            length: text.len(),
            encoded: (!is_ascii).then(|| Encoded::new(&text.to_text())),
        }
    }

    /// The text to be searched; it must be the one that was prepared.
    pub(super) fn subject<'a>(&'a self, text: &'a Text<'_>) -> Subject<'a> {
        match &self.encoded {
            Some(Encoded { utf8, starts }) => Subject {
                bytes: utf8,
                starts: Some(starts),
            },
            None => Subject {
                bytes: text.narrow().unwrap_or(&[]),
                starts: None,
            },
        }
    }
}

impl Encoded {
    fn new(text: &str) -> Encoded {
        let starts = text.char_indices().step_by(STEP).map(|(start, _)| start);
        Encoded {
            starts: starts.collect(),
            utf8: text.as_bytes().to_vec(),
        }
    }
}

/// Whether a byte of UTF-8 begins a character.
fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

impl Subject<'_> {
    /// The byte where the character at a position begins; the end for one behind.
    pub(super) fn byte_at(&self, position: usize) -> usize {
        let Some(starts) = self.starts else {
            return position.min(self.bytes.len());
        };
        let Some(&start) = starts.get(position / STEP) else {
            return self.bytes.len();
        };
        let mut characters = (start..self.bytes.len()).filter(|&at| begins(self.bytes[at]));
        characters.nth(position % STEP).unwrap_or(self.bytes.len())
    }

    /// The position of the character that begins at a byte, or of the end.
    pub(super) fn position_of(&self, byte: usize) -> usize {
        let Some(starts) = self.starts else {
            return byte;
        };
        let block = starts.partition_point(|&start| start <= byte);
        let Some(block) = block.checked_sub(1) else {
            return 0;
        };
        let between = self.bytes.get(starts[block]..byte).unwrap_or(&[]);
        block * STEP + between.iter().filter(|&&byte| begins(byte)).count()
    }

    /// The byte behind the character that begins at a byte; beyond the end if none does.
    pub(super) fn behind(&self, byte: usize) -> usize {
        let more = self.bytes.iter().skip(byte + 1);
        byte + 1 + more.take_while(|&&byte| !begins(byte)).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_and_positions_lead_to_each_other(
            text in prop_oneof!["[a-z\n]{0,200}", "[a-zé日😀]{0,400}"],
        ) {
            let codes: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            let wide = Text::Wide(&codes);
            let prepared = Prepared::new(&wide);
            let subject = prepared.subject(&wide);
            prop_assert_eq!(subject.bytes, text.as_bytes());
            let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
            for (position, &start) in starts.iter().enumerate() {
                prop_assert_eq!(subject.byte_at(position), start);
                prop_assert_eq!(subject.position_of(start), position);
                let next = starts.get(position + 1).copied().unwrap_or(text.len() + 1);
                prop_assert_eq!(subject.behind(start), next);
            }
            prop_assert_eq!(subject.byte_at(starts.len() + 5), text.len());
        }
    }
}
