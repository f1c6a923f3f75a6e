//! What canonical bytes say.

use super::{Parsed, Record, RecordContents, Reference, tag};
use crate::base::{ClassId, Value};
use crate::heap::Position;

/// Reads canonical bytes.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl Parsed {
    /// The contents of canonical bytes; none if they are no such bytes.
    pub(in crate::machine) fn read(bytes: &[u8]) -> Option<Parsed> {
        let mut reader = Reader { bytes };
        let mut parsed = Parsed::default();
        let selector = reader.text()?;
        parsed.selector = (!selector.is_empty()).then_some(selector);
        for _ in 0..reader.number()? {
            parsed.roots.push(reader.reference()?);
        }
        while !reader.bytes.is_empty() {
            parsed.objects.push(reader.record()?);
        }
        Some(parsed)
    }

    /// How many slots for addresses there are.
    pub(in crate::machine) fn slots(&self) -> usize {
        let records = self
            .objects
            .iter()
            .filter_map(|record| match &record.contents {
                RecordContents::Slots(slots) => Some(slots),
                RecordContents::Bytes(_) => None,
            });
        let references = self.roots.iter().chain(records.flatten());
        let slots = references.filter_map(|reference| match reference {
            Reference::Slot(slot) => Some(*slot as usize + 1),
            _ => None,
        });
        slots.max().unwrap_or(0)
    }
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.take(1)?.first()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn reference(&mut self) -> Option<Reference> {
        Some(match *self.take(1)?.first()? {
            tag::NIL => Reference::Immediate(Value::NIL),
            tag::FALSE => Reference::Immediate(Value::FALSE),
            tag::TRUE => Reference::Immediate(Value::TRUE),
            tag::INTEGER => {
                let number = self.number()?;
                let number = (number >> 1) as i64 ^ -((number & 1) as i64);
                Reference::Immediate(Value::try_int(number)?)
            }
            tag::CHARACTER => Reference::Immediate(Value::character(self.small()?)),
            tag::SYMBOL => Reference::Symbol(self.text()?),
            tag::CLASS => Reference::Class(ClassId(self.small()?)),
            tag::OLD => Reference::Outside(Position::Old(self.small()?)),
            tag::LARGE => Reference::Outside(Position::Large(self.small()?)),
            tag::ADDRESS => Reference::Slot(self.small()?),
            tag::OBJECT => Reference::Object(self.small()?),
            _ => return None,
        })
    }

    fn record(&mut self) -> Option<Record> {
        let (class, hash, size) = (ClassId(self.small()?), self.small()?, self.number()?);
        let count = usize::try_from(size >> 1).ok()?;
        let contents = match size & 1 {
            0 => {
                let slots: Option<Vec<Reference>> = (0..count).map(|_| self.reference()).collect();
                RecordContents::Slots(slots?)
            }
            _ => RecordContents::Bytes(self.take(count)?.to_vec()),
        };
        Some(Record {
            class,
            hash,
            contents,
        })
    }
}
