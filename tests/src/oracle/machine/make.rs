//! Objects: making them, their cost by the model (counting model, 2), and access to their slots.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use tally_compiler::ast::Literal;

use super::Machine;
use crate::oracle::names::name;
use crate::oracle::object::{Data, Object};
use crate::oracle::value::{ClassId, LEAST_SMALL, MOST_SMALL, ObjectId, Value, simple_literal};
use crate::oracle::world::Shape;

const WORD: u64 = 8;
const HASH_MASK: u32 = (1 << 22) - 1;

/// Bytes that the model counts for the given number of bytes of content.
fn rounded(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(WORD) * WORD
}

impl Machine {
    /// Counts an object of `bytes` bytes in the running activation.
    pub(crate) fn count_allocation(&mut self, bytes: u64) {
        if self.processes.is_empty() || self.is_silent() {
            return;
        }
        let counts = self.counts();
        counts.objects += 1;
        counts.bytes += bytes;
        if let Some(node) = self.frames.last().map(|frame| frame.node) {
            self.tree.allocate(node, bytes);
        }
    }

    /// A new object that is not counted.
    pub(crate) fn new_object(&mut self, class: ClassId, slots: usize, data: Data) -> Value {
        let objects = &mut self.world.objects;
        objects.push(Object {
            class,
            hash: 0,
            slots: vec![Value::Nil; slots],
            data,
        });
        Value::Object(ObjectId(objects.len() as u32 - 1))
    }

    /// A new instance with `indexed` indexed slots beside the named ones, counted.
    pub(crate) fn make_instance(&mut self, class: ClassId, indexed: usize) -> Value {
        let slots = self.world.class(class).fields.len() + indexed;
        self.count_allocation(WORD + WORD * slots as u64);
        self.new_object(class, slots, Data::Nothing)
    }

    pub(crate) fn make_array(&mut self, values: &[Value]) -> Value {
        let class = self.known.array;
        let array = self.make_instance(class, values.len());
        if let Value::Object(id) = array {
            self.world.objects[id.0 as usize]
                .slots
                .copy_from_slice(values);
        }
        array
    }

    pub(crate) fn make_bytes(&mut self, class: ClassId, bytes: Vec<u8>) -> Value {
        self.count_allocation(WORD + rounded(bytes.len()));
        self.new_object(class, 0, Data::Bytes(bytes))
    }

    /// A string of that class or, where that does not fit, the ordinary one; one byte a character is counted whatever
    /// its width.
    pub(crate) fn make_text_of(&mut self, class: ClassId, codes: Vec<u32>) -> Value {
        self.count_allocation(WORD + rounded(codes.len()));
        let is_wide = codes.iter().any(|&code| code > 255);
        let class = match class {
            _ if is_wide => self.known.wide_string,
            class if class == self.known.wide_string || class == self.known.symbol => {
                self.known.string
            }
            class => class,
        };
        self.new_object(class, 0, Data::Text(codes))
    }

    pub(crate) fn make_text(&mut self, codes: Vec<u32>) -> Value {
        let class = self.known.string;
        self.make_text_of(class, codes)
    }

    pub(crate) fn make_string(&mut self, text: &str) -> Value {
        self.make_text(text.chars().map(u32::from).collect())
    }

    /// An integer as a value: small if it can be. Never counted.
    pub(crate) fn integer(&mut self, integer: BigInt) -> Value {
        if let Some(small) = integer.to_i64()
            && (LEAST_SMALL..=MOST_SMALL).contains(&small)
        {
            return Value::Small(small);
        }
        let class = if integer.is_negative() {
            self.known.large_negative
        } else {
            self.known.large_positive
        };
        self.new_object(class, 0, Data::Large(integer))
    }

    pub(crate) fn integer_u64(&mut self, integer: u64) -> Value {
        self.integer(BigInt::from(integer))
    }

    pub(crate) fn as_integer(&self, value: Value) -> Option<BigInt> {
        match value {
            Value::Small(small) => Some(BigInt::from(small)),
            Value::Object(id) => match &self.world.objects[id.0 as usize].data {
                Data::Large(integer) => Some(integer.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn object(&self, value: Value) -> Option<&Object> {
        match value {
            Value::Object(id) => Some(&self.world.objects[id.0 as usize]),
            _ => None,
        }
    }

    pub(crate) fn object_mut(&mut self, value: Value) -> Option<&mut Object> {
        match value {
            Value::Object(id) => Some(&mut self.world.objects[id.0 as usize]),
            _ => None,
        }
    }

    pub(crate) fn slot(&self, value: Value, index: usize) -> Value {
        let slots = self.object(value).map(|object| &object.slots);
        slots
            .and_then(|slots| slots.get(index))
            .copied()
            .unwrap_or(Value::Nil)
    }

    pub(crate) fn set_slot(&mut self, value: Value, index: usize, to: Value) {
        if let Some(slot) = self
            .object_mut(value)
            .and_then(|object| object.slots.get_mut(index))
        {
            *slot = to;
        }
    }

    pub(crate) fn class_of(&self, value: Value) -> ClassId {
        match value {
            Value::Nil => self.known.undefined,
            Value::True => self.known.yes,
            Value::False => self.known.no,
            Value::Small(_) => self.known.small,
            Value::Float(_) => self.known.float,
            Value::Character(_) => self.known.character,
            Value::Symbol(_) => self.known.symbol,
            Value::Object(id) => self.world.objects[id.0 as usize].class,
        }
    }

    /// The class that a class object stands for.
    pub(crate) fn as_class(&self, value: Value) -> Option<ClassId> {
        match self.object(value)?.data {
            Data::Class(id) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn class_object(&self, class: Option<ClassId>) -> Value {
        class.map_or(Value::Nil, |id| Value::Object(self.world.class(id).object))
    }

    /// The code points of a string or symbol.
    pub(crate) fn text_of(&self, value: Value) -> Option<Vec<u32>> {
        match value {
            Value::Symbol(name) => Some(name.text().chars().map(u32::from).collect()),
            Value::Object(id) => match &self.world.objects[id.0 as usize].data {
                Data::Text(codes) => Some(codes.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same, but nothing of an instance of another class of strings.
    pub(crate) fn plain_text_of(&self, value: Value) -> Option<Vec<u32>> {
        let class = self.class_of(value);
        let known = [self.known.symbol, self.known.string, self.known.wide_string];
        self.text_of(value).filter(|_| known.contains(&class))
    }

    pub(crate) fn string_of(&self, value: Value) -> Option<String> {
        let codes = self.text_of(value)?;
        Some(codes.into_iter().filter_map(char::from_u32).collect())
    }

    /// The elements of an Array.
    pub(crate) fn array_of(&self, value: Value) -> Option<Vec<Value>> {
        let object = self.object(value)?;
        (object.class == self.known.array).then(|| object.slots.clone())
    }

    /// What of an object is indexed: the number of named slots before its indexed ones.
    pub(crate) fn named_slots(&self, value: Value) -> Option<usize> {
        let object = self.object(value)?;
        let class = self.world.class(object.class);
        (class.shape == Shape::Pointers).then_some(class.fields.len())
    }

    /// The object's identity hash, from the machine's sequence.
    pub(crate) fn identity_hash(&mut self, id: ObjectId) -> u32 {
        let found = self.world.objects[id.0 as usize].hash;
        if found != 0 {
            return found;
        }
        loop {
            let next = self
                .hash_state
                .wrapping_mul(1_664_525)
                .wrapping_add(1_013_904_223);
            self.hash_state = next & HASH_MASK;
            if self.hash_state != 0 {
                break;
            }
        }
        self.world.objects[id.0 as usize].hash = self.hash_state;
        self.hash_state
    }

    /// The object of a literal; it is there before the program runs and not counted.
    pub(crate) fn make_literal(&mut self, literal: &Literal) -> Value {
        if let Some(value) = simple_literal(literal) {
            return value;
        }
        match literal {
            Literal::Integer(digits) => match digits.parse() {
                Ok(integer) => self.integer(integer),
                Err(_) => Value::Nil,
            },
            Literal::String(text) => {
                let codes: Vec<u32> = text.chars().map(u32::from).collect();
                let is_wide = codes.iter().any(|&code| code > 255);
                let class = if is_wide {
                    self.known.wide_string
                } else {
                    self.known.string
                };
                self.new_object(class, 0, Data::Text(codes))
            }
            Literal::ByteArray(bytes) => {
                let class = self.known.bytes;
                self.new_object(class, 0, Data::Bytes(bytes.clone()))
            }
            Literal::Array(elements) => {
                let values: Vec<Value> =
                    elements.iter().map(|one| self.make_literal(one)).collect();
                let class = self.known.array;
                let array = self.new_object(class, values.len(), Data::Nothing);
                for (index, value) in values.into_iter().enumerate() {
                    self.set_slot(array, index, value);
                }
                array
            }
            Literal::Fraction(numerator, denominator) => {
                let class = self.known.fraction;
                self.make_ratio(class, numerator, denominator, None)
            }
            Literal::ScaledDecimal(numerator, denominator, scale) => {
                let class = self.known.scaled;
                self.make_ratio(class, numerator, denominator, Some(*scale))
            }
            _ => {
                self.unsupported("a literal");
                Value::Nil
            }
        }
    }

    fn make_ratio(
        &mut self,
        class: ClassId,
        numerator: &str,
        denominator: &str,
        scale: Option<u32>,
    ) -> Value {
        let fields = self.world.class(class).fields.clone();
        let ratio = self.new_object(class, fields.len(), Data::Nothing);
        let parse = |text: &str| text.parse::<BigInt>().unwrap_or_default();
        let numerator = self.integer(parse(numerator));
        let denominator = self.integer(parse(denominator));
        let scale = scale.map(|scale| Value::Small(i64::from(scale)));
        let parts = [
            ("numerator", Some(numerator)),
            ("denominator", Some(denominator)),
            ("scale", scale),
        ];
        for (field, value) in parts {
            let slot = fields.iter().position(|one| *one == name(field));
            match (slot, value) {
                (Some(slot), Some(value)) => self.set_slot(ratio, slot, value),
                (None, None) => {}
                _ => self.unsupported("a literal's class"),
            }
        }
        ratio
    }

    /// How many arguments a block takes, if it is one.
    pub(crate) fn block_arity(&self, value: Value) -> Option<usize> {
        let Value::Object(id) = value else {
            return None;
        };
        match &self.world.objects[id.0 as usize].data {
            Data::Block(closure) => Some(closure.code.parameters),
            _ => None,
        }
    }
}
