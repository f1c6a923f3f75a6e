//! Translation between values and Rust's types: strings, floats, arrays. It concerns representation only and no
//! operation of the language. Integers are in `integers`.

use super::Vm;
use crate::base::{ClassId, Known, Value};
use crate::heap::Contents;

impl Vm {
    /// A new String or, if a character needs it, WideString.
    pub fn make_string(&mut self, text: &str) -> Value {
        let codes: Vec<u32> = text.chars().map(u32::from).collect();
        self.make_string_of_codes(&codes)
    }

    /// A new String or WideString with these code points.
    pub(crate) fn make_string_of_codes(&mut self, codes: &[u32]) -> Value {
        if codes.iter().all(|&code| code < 256) {
            let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
            self.make_byte_string(&bytes)
        } else {
            // The model counts one byte a character, for every width.
            self.count_bytes(codes.len());
            let class = Known::WideString.into();
            let string = self.make_uncounted(class, Contents::Bytes(4 * codes.len()));
            let bytes = self.heap.bytes_mut(string);
            for (place, code) in bytes.chunks_exact_mut(4).zip(codes) {
                place.copy_from_slice(&code.to_le_bytes());
            }
            string
        }
    }

    /// A new String with one character for each byte.
    pub(crate) fn make_byte_string(&mut self, bytes: &[u8]) -> Value {
        self.make_bytes(Known::String.into(), bytes)
    }

    /// A new byte object, counted.
    pub(crate) fn make_bytes(&mut self, class: ClassId, bytes: &[u8]) -> Value {
        let object = self.make(class, Contents::Bytes(bytes.len()));
        self.heap.bytes_mut(object).copy_from_slice(bytes);
        object
    }

    /// Counts an object of that many bytes that is made by other means.
    pub(crate) fn count_bytes(&mut self, bytes: usize) {
        self.heap.allocations.objects += 1;
        self.heap.allocations.bytes += crate::machine::model_bytes(Contents::Bytes(bytes));
    }

    /// The code points of a String, WideString or Symbol, subclasses included.
    pub(crate) fn codes_of(&self, value: Value) -> Option<Vec<u32>> {
        if let Some(id) = value.as_symbol() {
            return Some(self.image.symbols.text(id).chars().map(u32::from).collect());
        }
        if let Some(bytes) = self.narrow_bytes(value) {
            return Some(bytes.iter().map(|&b| u32::from(b)).collect());
        }
        let bytes = self.wide_bytes(value)?;
        let code = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Some(bytes.chunks_exact(4).map(code).collect())
    }

    /// The text of a String, WideString or Symbol. A code that is no Unicode scalar becomes U+FFFD.
    pub fn text_of(&self, value: Value) -> Option<String> {
        let to_char = |code: &u32| char::from_u32(*code).unwrap_or('\u{FFFD}');
        Some(self.codes_of(value)?.iter().map(to_char).collect())
    }

    /// The bytes of a String whose characters take one byte each (not of a Symbol).
    pub(crate) fn narrow_bytes(&self, value: Value) -> Option<&[u8]> {
        let is_narrow = value.is_object()
            && (self.is_a(value, Known::String)
                || (self.is_string_object(value) && !self.is_wide(value)));
        is_narrow.then(|| self.heap.bytes(value))
    }

    /// The bytes of a WideString, four a character, little end first.
    pub(crate) fn wide_bytes(&self, value: Value) -> Option<&[u8]> {
        (value.is_object() && self.is_wide(value)).then(|| self.heap.bytes(value))
    }

    fn is_string_object(&self, value: Value) -> bool {
        self.inherits(self.class_of(value), Known::String.into())
    }

    fn is_wide(&self, value: Value) -> bool {
        self.is_a(value, Known::WideString)
            || self.inherits(self.class_of(value), Known::WideString.into())
    }

    /// A new Array, counted, with these elements.
    pub fn make_array(&mut self, elements: &[Value]) -> Value {
        let start = self.run.handles.len();
        self.run.handles.extend_from_slice(elements);
        let array = self.make(Known::Array.into(), Contents::Slots(elements.len()));
        for index in 0..elements.len() {
            let element = self.run.handles[start + index];
            self.heap.set_slot(array, index, element);
        }
        self.run.handles.truncate(start);
        array
    }

    /// A new Float.
    #[inline(always)]
    pub fn make_float(&mut self, float: f64) -> Value {
        let object = self.make_unwatched(Known::Float.into(), Contents::Bytes(8));
        // Handlers come here on their way to the next one: no local may have an address.
        if let Some(word) = self.heap.limbs_mut(object).first_mut() {
            *word = float.to_bits().to_le();
        }
        object
    }

    /// The number in a Float.
    #[inline(always)]
    pub fn float_of(&self, value: Value) -> Option<f64> {
        if !value.is_object() || !self.is_a(value, Known::Float) {
            return None;
        }
        Some(f64::from_bits(self.heap.word_of_bytes(value)))
    }
}
