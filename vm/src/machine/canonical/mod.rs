//! Behaviours and messages as bytes, and back. The order of the objects is that in which their references are met, breadth first, so
//! equal contents have equal bytes wherever the objects are. Objects that all turns see alike (classes, literals, what the library
//! keeps) are named by their places.

mod reader;
mod texts;
mod writer;

use super::Vm;
use crate::base::{ClassId, Known, Value};
use crate::heap::{Contents, Position, SettledExtent};

/// What a reference is to.
mod tag {
    pub(super) const NIL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INTEGER: u8 = 3;
    pub(super) const CHARACTER: u8 = 4;
    pub(super) const SYMBOL: u8 = 5;
    pub(super) const CLASS: u8 = 6;
    pub(super) const OLD: u8 = 7;
    pub(super) const LARGE: u8 = 8;
    pub(super) const ADDRESS: u8 = 9;
    pub(super) const OBJECT: u8 = 10;
}

/// A reference in canonical bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reference {
    Immediate(Value),
    Symbol(String),
    Class(ClassId),
    Outside(Position),
    Slot(u32),
    Object(u32),
}

/// An object in canonical bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) class: ClassId,
    /// Its identity hash, 0 if none was requested.
    pub(super) hash: u32,
    pub(super) contents: RecordContents,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum RecordContents {
    Slots(Vec<Reference>),
    Bytes(Vec<u8>),
}

/// Canonical bytes, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parsed {
    /// The selector of a message.
    pub(super) selector: Option<String>,
    /// The behaviour, or the arguments.
    pub(super) roots: Vec<Reference>,
    pub(super) objects: Vec<Record>,
}

impl Vm {
    /// Makes the objects of parsed bytes. Answers the roots, or none if the bytes refer to what is not there. A slot for an address stands
    /// for the value in the handle with this number.
    pub(super) fn make_parsed(
        &mut self,
        parsed: &Parsed,
        extent: SettledExtent,
        addresses: &[usize],
    ) -> Option<Vec<Value>> {
        let first = self.run.handles.len();
        for record in &parsed.objects {
            let made = match &record.contents {
                RecordContents::Slots(slots) => {
                    self.make_uncounted(record.class, Contents::Slots(slots.len()))
                }
                RecordContents::Bytes(bytes) => {
                    let made = self.make_uncounted(record.class, Contents::Bytes(bytes.len()));
                    self.heap.bytes_mut(made).copy_from_slice(bytes);
                    made
                }
            };
            self.heap.give_hash(made, record.hash);
            self.run.handles.push(made);
        }
        self.own_code_of_blocks(parsed);
        // Nothing is made from here on, so objects stay where they are.
        for (number, record) in parsed.objects.iter().enumerate() {
            let RecordContents::Slots(slots) = &record.contents else {
                continue;
            };
            for (slot, reference) in slots.iter().enumerate() {
                let value = self.referenced(reference, extent, first, addresses)?;
                self.heap
                    .set_slot(self.run.handles[first + number], slot, value);
            }
        }
        let roots = parsed.roots.iter();
        let roots = roots
            .map(|root| self.referenced(root, extent, first, addresses))
            .collect();
        self.run.handles.truncate(first);
        roots
    }

    /// Copies of a machine share code until they link it. A block runs its code without a lookup, so that is linked at once.
    fn own_code_of_blocks(&mut self, parsed: &Parsed) {
        for record in &parsed.objects {
            let RecordContents::Slots(slots) = &record.contents else {
                continue;
            };
            if Known::is_block_class(record.class)
                && let Some(Reference::Immediate(code)) = slots.first()
                && let Some(code) = code.as_int().and_then(|code| usize::try_from(code).ok())
                && let Some(target) = self.code.targets.get(code)
            {
                let method = target.method;
                self.link(method);
            }
        }
    }

    fn referenced(
        &mut self,
        reference: &Reference,
        extent: SettledExtent,
        objects: usize,
        addresses: &[usize],
    ) -> Option<Value> {
        let handle = |at: usize| self.run.handles.get(at).copied();
        match reference {
            Reference::Immediate(value) => Some(*value),
            Reference::Symbol(text) => Some(self.symbol(text)),
            Reference::Class(id) => Some(self.class_object(*id)),
            Reference::Outside(position) => self.heap.object_at(*position, extent),
            Reference::Slot(slot) => handle(*addresses.get(*slot as usize)?),
            Reference::Object(number) => handle(objects + *number as usize),
        }
    }
}
