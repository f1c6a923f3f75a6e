//! Behaviours and messages as bytes, and back. The order of the objects is that in which their references are met, breadth first, so
//! equal contents have equal bytes wherever the objects are. Objects that all turns see alike (classes, literals, what the library
//! keeps) are named by their places.

use hashbrown::HashMap;

use super::Vm;
use super::membrane::Crossing;
use crate::actors::{ActorId, Canonical};
use crate::base::{ClassId, Known, SymbolId, Value};
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

/// Writes canonical bytes.
struct Writer<'v> {
    vm: &'v mut Vm,
    extent: SettledExtent,
    /// Whether objects that were there in the extent are outside of actors. Of those at the start, a part belongs to actors.
    is_turn: bool,
    bytes: Vec<u8>,
    addresses: Vec<u32>,
    objects: Vec<Value>,
    numbers: HashMap<u64, u32>,
}

impl Vm {
    /// The canonical form of a behaviour, or of a message with this selector.
    ///
    /// # Errors
    ///
    /// A sentence about an object that cannot be kept.
    pub(super) fn canonical(
        &mut self,
        selector: Option<SymbolId>,
        roots: &[Value],
        extent: SettledExtent,
        is_turn: bool,
    ) -> Result<Canonical, String> {
        let mut writer = Writer {
            vm: self,
            extent,
            is_turn,
            bytes: Vec::new(),
            addresses: Vec::new(),
            objects: Vec::new(),
            numbers: HashMap::new(),
        };
        let selector = selector.map(|id| writer.vm.symbol_text(id).to_string());
        writer.text(selector.as_deref().unwrap_or(""));
        writer.number(roots.len() as u64);
        for root in roots {
            writer.reference(*root)?;
        }
        let mut next = 0;
        while let Some(&object) = writer.objects.get(next) {
            writer.object(object)?;
            next += 1;
        }
        Ok(Canonical {
            bytes: writer.bytes,
            addresses: writer.addresses,
        })
    }

    /// The objects of parsed bytes, made. Answers the roots. Addresses are those in the handles from this one on.
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

    /// The contents as a text.
    pub(super) fn canonical_text(&self, bytes: &[u8]) -> String {
        let Some(parsed) = Parsed::read(bytes) else {
            return "?".to_string();
        };
        let text = Texts {
            vm: self,
            parsed: &parsed,
        };
        match &parsed.selector {
            Some(selector) => text.message(selector),
            None => parsed
                .roots
                .first()
                .map_or(String::new(), |root| text.behaviour(root)),
        }
    }
}

impl Writer<'_> {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn tagged(&mut self, tag: u8, number: u64) {
        self.bytes.push(tag);
        self.number(number);
    }

    fn reference(&mut self, value: Value) -> Result<(), String> {
        if !value.is_object() {
            return self.immediate(value);
        }
        if let Some(ActorId(number)) = self.vm.actor_of(value) {
            return self.address(value, number.saturating_sub(1));
        }
        if let Some(class) = self.vm.class_of_class_object(value) {
            self.tagged(tag::CLASS, u64::from(class.0));
            return Ok(());
        }
        if let Some(position) = self.outside(value) {
            match position {
                Position::Old(words) => self.tagged(tag::OLD, u64::from(words)),
                Position::Large(index) => self.tagged(tag::LARGE, u64::from(index)),
            }
            return Ok(());
        }
        let next = self.objects.len() as u32;
        let number = *self.numbers.entry(value.bits()).or_insert(next);
        if number == next {
            self.objects.push(value);
        }
        self.tagged(tag::OBJECT, u64::from(number));
        Ok(())
    }

    fn immediate(&mut self, value: Value) -> Result<(), String> {
        if let Some(number) = value.as_int() {
            self.tagged(tag::INTEGER, (number << 1 ^ number >> 63) as u64);
        } else if let Some(code) = value.as_character() {
            self.tagged(tag::CHARACTER, u64::from(code));
        } else if let Some(id) = value.as_symbol() {
            let text = self.vm.symbol_text(id).to_string();
            self.bytes.push(tag::SYMBOL);
            self.text(&text);
        } else if let Some(flag) = value.as_bool() {
            self.bytes.push(if flag { tag::TRUE } else { tag::FALSE });
        } else if value.is_nil() {
            self.bytes.push(tag::NIL);
        } else {
            return Err(kept("a frame, as an exception does"));
        }
        Ok(())
    }

    fn address(&mut self, address: Value, actor: u32) -> Result<(), String> {
        if self.is_turn && self.vm.heap.position(address, self.extent).is_some() {
            return Err(
                "a turn has the address of an actor from a variable that all actors see: send it in a message instead"
                    .to_string(),
            );
        }
        let known = self.addresses.iter().position(|other| *other == actor);
        let slot = known.unwrap_or_else(|| {
            self.addresses.push(actor);
            self.addresses.len() - 1
        });
        self.tagged(tag::ADDRESS, slot as u64);
        Ok(())
    }

    /// The place of an object that belongs to no actor.
    fn outside(&mut self, value: Value) -> Option<Position> {
        let class = self.vm.class_of(value);
        if Known::is_block_class(class) {
            return None;
        }
        if !self.is_turn && self.vm.crossing(value) != Crossing::Itself {
            return None;
        }
        self.vm.heap.position(value, self.extent)
    }

    fn object(&mut self, object: Value) -> Result<(), String> {
        let class = self.vm.class_of(object);
        self.check_can_be_kept(class)?;
        if self.returns_home(object, class) {
            return Err(kept("a block with `^`"));
        }
        self.number(u64::from(class.0));
        let hash = self.vm.heap.known_hash(object);
        self.number(u64::from(hash));
        match self.vm.heap.contents(object) {
            Contents::Slots(count) => {
                self.number((count as u64) << 1);
                for value in self.vm.heap.slots(object).to_vec() {
                    self.reference(value)?;
                }
            }
            Contents::Bytes(count) => {
                self.number((count as u64) << 1 | 1);
                self.bytes.extend_from_slice(self.vm.heap.bytes(object));
            }
        }
        Ok(())
    }

    /// Whether the object is a block that returns from the frame that made it.
    fn returns_home(&self, object: Value, class: ClassId) -> bool {
        let code = Known::is_block_class(class).then(|| self.vm.heap.slots(object).first());
        let code = code
            .flatten()
            .and_then(|code| usize::try_from(code.as_int()?).ok());
        let target = code.and_then(|code| self.vm.code.targets.get(code));
        target.is_some_and(|target| target.returns_home)
    }

    fn check_can_be_kept(&self, class: ClassId) -> Result<(), String> {
        const PARTS: [Known; 4] = [
            Known::Process,
            Known::Semaphore,
            Known::CompiledMethod,
            Known::Separate,
        ];
        let context = self.vm.actors.library.map(|library| library.context());
        let mut unkept = PARTS.iter().map(|&part| part.into()).chain(context);
        if !unkept.any(|one| self.vm.inherits(class, one)) {
            return Ok(());
        }
        let name = &self.vm.class(class).name;
        Err(kept(&format!("an instance of {name}")))
    }
}

fn kept(what: &str) -> String {
    format!("an actor keeps {what}, which no exploration can store")
}

/// Reads canonical bytes.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl Parsed {
    /// The contents of canonical bytes; none if they are no such bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Parsed> {
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
}

impl Parsed {
    /// How many slots for addresses there are.
    pub(super) fn slots(&self) -> usize {
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

/// Texts of canonical bytes.
struct Texts<'t> {
    vm: &'t Vm,
    parsed: &'t Parsed,
}

/// Objects inside objects that a text shows, and elements of each.
const MOST_DEPTH: u32 = 2;
const MOST_ELEMENTS: usize = 12;

impl Texts<'_> {
    fn behaviour(&self, root: &Reference) -> String {
        let Reference::Object(number) = root else {
            return self.value(root, 0);
        };
        let Some(record) = self.parsed.objects.get(*number as usize) else {
            return String::new();
        };
        let RecordContents::Slots(slots) = &record.contents else {
            return self.value(root, 0);
        };
        let name = self.vm.class(record.class).name.to_string();
        let variables: Vec<String> = slots.iter().map(|slot| self.value(slot, 0)).collect();
        match variables.is_empty() {
            true => name,
            false => format!("{name}({})", variables.join(", ")),
        }
    }

    fn message(&self, selector: &str) -> String {
        let values = self.parsed.roots.iter().map(|root| self.value(root, 0));
        if self.parsed.roots.is_empty() {
            return selector.to_string();
        }
        let parts: Vec<&str> = match selector.contains(':') {
            true => selector.split_inclusive(':').collect(),
            false => vec![selector],
        };
        let pairs = parts.iter().zip(values);
        let pairs: Vec<String> = pairs
            .map(|(part, value)| format!("{part} {value}"))
            .collect();
        pairs.join(" ")
    }

    fn value(&self, reference: &Reference, depth: u32) -> String {
        match reference {
            Reference::Immediate(value) => immediate_text(*value),
            Reference::Symbol(text) => format!("#{text}"),
            Reference::Class(id) => self.vm.class(*id).name.to_string(),
            Reference::Outside(_) => "…".to_string(),
            Reference::Slot(slot) => format!("{{{slot}}}"),
            Reference::Object(number) => self.object(*number, depth),
        }
    }

    fn object(&self, number: u32, depth: u32) -> String {
        let Some(record) = self.parsed.objects.get(number as usize) else {
            return "…".to_string();
        };
        let name = self.vm.class(record.class).name.to_string();
        match &record.contents {
            RecordContents::Bytes(bytes) => self.bytes(record.class, bytes, &name),
            RecordContents::Slots(_) if depth >= MOST_DEPTH => format!("{name}(…)"),
            RecordContents::Slots(slots) => {
                let shown = slots.iter().take(MOST_ELEMENTS);
                let mut shown: Vec<String> =
                    shown.map(|slot| self.value(slot, depth + 1)).collect();
                if slots.len() > MOST_ELEMENTS {
                    shown.push("…".to_string());
                }
                match record.class == Known::Array.into() {
                    true => format!("#({})", shown.join(" ")),
                    false => format!("{name}({})", shown.join(", ")),
                }
            }
        }
    }

    fn bytes(&self, class: ClassId, bytes: &[u8], name: &str) -> String {
        let is = |known: Known| self.vm.inherits(class, known.into());
        if is(Known::WideString) {
            let codes = bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let text: String = codes
                .map(|code| char::from_u32(code).unwrap_or('\u{FFFD}'))
                .collect();
            return format!("'{text}'");
        }
        if is(Known::String) {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            return format!("'{text}'");
        }
        match (is(Known::Float), <[u8; 8]>::try_from(bytes)) {
            (true, Ok(bits)) => f64::from_le_bytes(bits).to_string(),
            _ => format!("{name}(…)"),
        }
    }
}

fn immediate_text(value: Value) -> String {
    if let Some(number) = value.as_int() {
        return number.to_string();
    }
    if let Some(code) = value.as_character() {
        return format!("${}", char::from_u32(code).unwrap_or('\u{FFFD}'));
    }
    match value.as_bool() {
        Some(flag) => flag.to_string(),
        None => "nil".to_string(),
    }
}
