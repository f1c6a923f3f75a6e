//! Numbers and texts as recordings hold them. A [`Codec`] goes over a profile's members in one order, and either writes
//! or reads each. So writing and reading cannot disagree about the order.

use std::collections::HashMap;

use super::RecordingError;

type Done = Result<(), RecordingError>;

/// Goes over the columns of a table, each with the codec's method for it: `text(m.name), number(m.calls)`.
#[macro_export]
macro_rules! columns {
    ($codec:ident, $rows:ident, $row:ident => $($method:ident($member:expr $(, $more:expr)?)),+) => {
        Ok(())$(.and_then(|()| {
            $rows.iter_mut().try_for_each(|$row| $codec.$method(&mut $member $(, $more)?))
        }))+
    };
}

/// A visitor of members: a [`Writer`] takes their values, a [`Reader`] sets them.
pub trait Codec {
    /// A number: seven bits a byte, the lowest first, the top bit set in all bytes but the last.
    fn number(&mut self, value: &mut u64) -> Done;

    /// A text, as its number in the table of texts.
    fn text(&mut self, value: &mut String) -> Done;

    /// How many rows there are, each of which takes at least `least` bytes. When reading, that many copies of a
    /// blank row.
    fn rows<T: Clone>(&mut self, rows: &mut Vec<T>, blank: &T, least: usize) -> Done;

    /// Reserves this many bytes for the data being read, beside its rows and texts.
    fn takes(&mut self, _bytes: usize) -> Done {
        Ok(())
    }

    /// A number that fits into 32 bits.
    fn index(&mut self, value: &mut u32) -> Done {
        let mut number = u64::from(*value);
        self.number(&mut number)?;
        *value = u32::try_from(number).map_err(|_| damaged("an index is too large"))?;
        Ok(())
    }

    /// A number that fits into 32 bits, plus one; 0 if there is none.
    fn optional_index(&mut self, value: &mut Option<u32>) -> Done {
        let mut number = value.map_or(0, |index| u64::from(index) + 1);
        self.number(&mut number)?;
        *value = match number.checked_sub(1).map(u32::try_from) {
            None => None,
            Some(Ok(index)) => Some(index),
            Some(Err(_)) => return Err(damaged("an index is too large")),
        };
        Ok(())
    }

    /// A number of lines or columns.
    fn size(&mut self, value: &mut usize) -> Done {
        let mut number = *value as u64;
        self.number(&mut number)?;
        *value = usize::try_from(number).map_err(|_| damaged("a number is too large"))?;
        Ok(())
    }

    /// The difference to the expected value, which is nearly always small.
    fn difference(&mut self, value: &mut u64, expected: u64) -> Done {
        let mut number = zigzag(value.wrapping_sub(expected));
        self.number(&mut number)?;
        *value = unzigzag(number).wrapping_add(expected);
        Ok(())
    }

    /// A number with a sign.
    fn signed(&mut self, value: &mut i64) -> Done {
        let mut number = value.cast_unsigned();
        self.difference(&mut number, 0)?;
        *value = number.cast_signed();
        Ok(())
    }

    /// One of a few values, as its place among them.
    fn choice<T: Copy + PartialEq>(&mut self, value: &mut T, all: &[T]) -> Done {
        let place = all.iter().position(|one| one == value);
        let mut number = place.unwrap_or(all.len()) as u64;
        self.number(&mut number)?;
        let chosen = usize::try_from(number)
            .ok()
            .and_then(|place| all.get(place));
        *value = *chosen.ok_or_else(|| damaged("an unknown kind"))?;
        Ok(())
    }

    /// Yes or no.
    fn flag(&mut self, value: &mut bool) -> Done {
        self.choice(value, &[false, true])
    }

    /// A number that may be absent.
    fn optional(&mut self, value: &mut Option<u64>) -> Done {
        let mut is_there = value.is_some();
        self.flag(&mut is_there)?;
        let mut number = value.unwrap_or_default();
        if is_there {
            self.number(&mut number)?;
        }
        *value = is_there.then_some(number);
        Ok(())
    }
}

/// The error for inconsistent bytes.
pub fn damaged(why: &str) -> RecordingError {
    RecordingError::Damaged(why.to_string())
}

/// Small numbers for small differences, whatever their sign.
fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ (difference.cast_signed() >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Texts, each once, in the order of their first use.
#[derive(Default)]
pub struct Texts {
    numbers: HashMap<String, u64>,
    in_order: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.in_order.len() as u64;
        self.numbers.insert(text.to_string(), number);
        self.in_order.push(text.to_string());
        number
    }

    /// The table: how many, how long each is in bytes, then all of them.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_number(&mut bytes, self.in_order.len() as u64);
        for text in &self.in_order {
            push_number(&mut bytes, text.len() as u64);
        }
        for text in &self.in_order {
            bytes.extend(text.as_bytes());
        }
        bytes
    }
}

/// Appends a number.
pub fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes the members of a section.
#[derive(Default)]
pub struct Writer {
    /// The section.
    pub bytes: Vec<u8>,
    /// The texts that stand in it.
    pub texts: Texts,
}

impl Codec for Writer {
    fn number(&mut self, value: &mut u64) -> Done {
        push_number(&mut self.bytes, *value);
        Ok(())
    }

    fn text(&mut self, value: &mut String) -> Done {
        let number = self.texts.number(value);
        push_number(&mut self.bytes, number);
        Ok(())
    }

    fn rows<T: Clone>(&mut self, rows: &mut Vec<T>, _blank: &T, _least: usize) -> Done {
        push_number(&mut self.bytes, rows.len() as u64);
        Ok(())
    }
}

/// Bytes that are read from the front.
#[derive(Clone, Copy)]
pub struct Input<'b>(pub &'b [u8]);

impl<'b> Input<'b> {
    /// The next number.
    pub fn number(&mut self) -> Result<u64, RecordingError> {
        let mut number: u64 = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or_else(ends_early)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged("a number has more than 64 bits"))
    }

    /// The next bytes.
    pub fn take(&mut self, length: u64) -> Result<&'b [u8], RecordingError> {
        let length = usize::try_from(length).map_err(|_| ends_early())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(ends_early)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A number of things that take at least `least` bytes each, so that no more are made than can follow.
    fn count(&mut self, least: usize) -> Result<usize, RecordingError> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.0.len() / least => Ok(count),
            _ => Err(damaged("there is more of something than can be")),
        }
    }
}

fn ends_early() -> RecordingError {
    damaged("a part of it ends early")
}

fn read_texts<'b>(
    bytes: &'b [u8],
    allowance: &mut Allowance,
) -> Result<Vec<&'b str>, RecordingError> {
    let mut input = Input(bytes);
    let count = input.count(1)?;
    allowance.take(count.saturating_mul(size_of::<&str>()))?;
    let mut lengths = input;
    for _ in 0..count {
        input.number()?;
    }
    let mut texts = Vec::with_capacity(count);
    for _ in 0..count {
        let text = input.take(lengths.number()?)?;
        texts.push(std::str::from_utf8(text).map_err(|_| damaged("a text is not UTF-8"))?);
    }
    match input.0.is_empty() {
        true => Ok(texts),
        false => Err(damaged("something follows the texts")),
    }
}

/// The memory that is left for the data being read.
struct Allowance(usize);

impl Allowance {
    fn take(&mut self, bytes: usize) -> Done {
        self.0 = self.0.checked_sub(bytes).ok_or(RecordingError::TooLarge)?;
        Ok(())
    }
}

/// Reads the members of a section.
pub struct Reader<'b> {
    /// The remainder of the section.
    pub input: Input<'b>,
    texts: Vec<&'b str>,
    allowance: Allowance,
}

impl<'b> Reader<'b> {
    /// A reader with this table of texts. The decoded data takes at most `most` bytes.
    pub fn new(texts: &'b [u8], most: usize) -> Result<Reader<'b>, RecordingError> {
        let mut allowance = Allowance(most);
        Ok(Reader {
            input: Input(&[]),
            texts: read_texts(texts, &mut allowance)?,
            allowance,
        })
    }
}

impl Codec for Reader<'_> {
    fn number(&mut self, value: &mut u64) -> Done {
        *value = self.input.number()?;
        Ok(())
    }

    fn text(&mut self, value: &mut String) -> Done {
        let number = usize::try_from(self.input.number()?).ok();
        let text = number.and_then(|number| self.texts.get(number));
        let text = text.ok_or_else(|| damaged("a text is missing"))?;
        // Allocators give no less than this.
        self.allowance.take(text.len().next_multiple_of(16))?;
        *value = (*text).to_string();
        Ok(())
    }

    fn rows<T: Clone>(&mut self, rows: &mut Vec<T>, blank: &T, least: usize) -> Done {
        let count = self.input.count(least)?;
        self.allowance.take(count.saturating_mul(size_of::<T>()))?;
        *rows = vec![blank.clone(); count];
        Ok(())
    }

    fn takes(&mut self, bytes: usize) -> Done {
        self.allowance.take(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_larger_ones_are_refused() {
        for number in [
            0,
            1,
            127,
            128,
            300,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            assert_eq!(Input(&bytes).number(), Ok(number));
            assert_eq!(Input(&bytes[..bytes.len() - 1]).number(), Err(ends_early()));
            assert_eq!(unzigzag(zigzag(number)), number);
        }
        assert_eq!([0, 1, u64::MAX].map(zigzag), [0, 2, 1]);
        let mut large = vec![0xFF; 9];
        large.push(2);
        assert!(Input(&large).number().is_err());
        assert!(Input(&[0x80; 11]).number().is_err());
    }

    #[test]
    fn a_table_of_texts_is_read_back_or_refused() {
        fn read(bytes: &[u8]) -> Result<Vec<&str>, RecordingError> {
            read_texts(bytes, &mut Allowance(1000))
        }
        let mut texts = Texts::default();
        let numbers = ["a", "", "ß", "a"].map(|text| texts.number(text));
        assert_eq!(numbers, [0, 1, 2, 0]);
        assert_eq!(read(&texts.write()).unwrap(), ["a", "", "ß"]);
        assert!(read(&[1, 1, 0xFF]).is_err());
        assert!(read(&[1, 2, b'a']).is_err());
        assert!(read(&[1, 1, b'a', b'b']).is_err());
        assert!(read(&[0xFF, 0xFF, 0x7F]).is_err());
        let many = [&[70][..], &[0; 70]].concat();
        assert_eq!(read(&many), Err(RecordingError::TooLarge));
    }

    #[test]
    fn memory_is_given_out_once() {
        let mut allowance = Allowance(1000);
        assert_eq!(allowance.take(999), Ok(()));
        assert_eq!(allowance.take(2), Err(RecordingError::TooLarge));
        assert_eq!(allowance.take(1), Ok(()));
    }
}
