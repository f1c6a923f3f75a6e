//! From objects to canonical bytes.

use hashbrown::HashMap;

use super::{Vm, tag};
use crate::actors::Canonical;
use crate::base::{ActorId, ClassId, Known, SymbolId, Value};
use crate::heap::{Contents, Position, SettledExtent};
use crate::machine::membrane::Crossing;

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
    pub(in crate::machine) fn canonical(
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
