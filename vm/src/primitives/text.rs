//! The characters of Strings, WideStrings and Symbols. They are read from the heap without copying, and written into
//! new objects. The primitives on text share this module; it defines no primitive.

use std::ops::Range;

use crate::base::{Known, Value, hash_bytes, hash_codes};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

/// A string's characters. Borrowed from the machine, so gone at the next allocation.
pub(super) enum Text<'a> {
    /// One byte a character.
    Narrow(&'a [u8]),
    /// Four bytes a character, little end first.
    Wide(&'a [u8]),
    /// A symbol beyond ASCII, whose text is UTF-8 and has to be decoded to be indexed.
    Codes(Vec<u32>),
}

/// A string's characters on their way into a new object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// All of them fit into a byte.
    Narrow(Vec<u8>),
    /// Code points, wide or not.
    Codes(Vec<u32>),
}

/// A character inside [`Text`]: algorithms are written once for both widths.
pub(super) trait Letter: Copy + Eq + Ord + Into<u32> {
    /// The position of the first such letter.
    fn find(letters: &[Self], wanted: Self) -> Option<usize> {
        letters.iter().position(|&letter| letter == wanted)
    }

    /// The positions of the occurrences of a part that is not empty; none overlaps another. In linear time (Knuth, Morris and
    /// Pratt, "Fast pattern matching in strings", 1977).
    fn find_all(letters: &[Self], part: &[Self]) -> impl Iterator<Item = usize> {
        let borders = borders(part);
        let mut matched = 0;
        letters
            .iter()
            .enumerate()
            .filter_map(move |(index, letter)| {
                matched = longer(part, &borders, matched, *letter);
                (matched == part.len()).then(|| {
                    matched = 0;
                    index + 1 - part.len()
                })
            })
    }

    /// The position of the first CR or LF.
    fn find_line_end(letters: &[Self]) -> Option<usize> {
        let is_end = |&letter: &Self| matches!(letter.into(), 10 | 13);
        letters.iter().position(is_end)
    }
}

impl Letter for u32 {}

impl Letter for u8 {
    fn find(letters: &[u8], wanted: u8) -> Option<usize> {
        memchr::memchr(wanted, letters)
    }

    fn find_all(letters: &[u8], part: &[u8]) -> impl Iterator<Item = usize> {
        memchr::memmem::find_iter(letters, part)
    }

    fn find_line_end(letters: &[u8]) -> Option<usize> {
        memchr::memchr2(10, 13, letters)
    }
}

/// For each beginning of a part, the length of the longest shorter beginning that it ends with.
fn borders<T: Letter>(part: &[T]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(part.len());
    let mut matched = 0;
    for (index, letter) in part.iter().enumerate() {
        if index > 0 {
            matched = longer(part, &borders, matched, *letter);
        }
        borders.push(matched);
    }
    borders
}

/// How much of a part is matched with one letter more.
fn longer<T: Letter>(part: &[T], borders: &[usize], mut matched: usize, letter: T) -> usize {
    while part.get(matched) != Some(&letter) {
        match matched.checked_sub(1).and_then(|last| borders.get(last)) {
            Some(&border) => matched = border,
            None => return 0,
        }
    }
    matched + 1
}

/// The characters of a String, WideString or Symbol, subclasses included.
#[inline(always)]
pub(super) fn text(vm: &Vm, value: Value) -> Option<Text<'_>> {
    if value.is_object() && vm.is_a(value, Known::String) {
        return Some(Text::Narrow(vm.heap.bytes(value)));
    }
    unusual_text(vm, value)
}

/// The characters of an object that is no plain String.
#[inline(never)]
fn unusual_text(vm: &Vm, value: Value) -> Option<Text<'_>> {
    if let Some(id) = value.as_symbol() {
        let symbol = vm.image.symbols.text(id);
        return Some(match symbol.is_ascii() {
            true => Text::Narrow(symbol.as_bytes()),
            false => Text::Codes(symbol.chars().map(u32::from).collect()),
        });
    }
    match vm.narrow_bytes(value) {
        Some(bytes) => Some(Text::Narrow(bytes)),
        None => Some(Text::Wide(vm.wide_bytes(value)?)),
    }
}

/// The characters of the receiver and of the first argument, when both are strings.
pub(super) fn two_texts(vm: &Vm, args: Args) -> Option<(Text<'_>, Text<'_>)> {
    Some((text(vm, args.receiver(vm))?, text(vm, args.at(vm, 0))?))
}

impl Text<'_> {
    /// How many characters there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Text::Narrow(bytes) => bytes.len(),
            Text::Wide(bytes) => bytes.len() / 4,
            Text::Codes(codes) => codes.len(),
        }
    }

    /// The code point at a position that counts from 0.
    pub(super) fn code(&self, index: usize) -> Option<u32> {
        match self {
            Text::Narrow(bytes) => bytes.get(index).map(|&byte| u32::from(byte)),
            Text::Wide(bytes) => {
                let start = index.checked_mul(4)?;
                let word = bytes.get(start..start.checked_add(4)?)?;
                Some(u32::from_le_bytes(word.try_into().ok()?))
            }
            Text::Codes(codes) => codes.get(index).copied(),
        }
    }

    /// The code points, one by one.
    pub(super) fn codes(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter_map(|index| self.code(index))
    }

    /// The bytes, if there is one for each character.
    pub(super) fn narrow(&self) -> Option<&[u8]> {
        match self {
            Text::Narrow(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn to_codes(&self) -> Vec<u32> {
        self.codes().collect()
    }

    /// The text as a Rust string. A code that is no Unicode scalar becomes U+FFFD.
    pub(super) fn to_text(&self) -> String {
        match self.narrow() {
            Some(bytes) if bytes.is_ascii() => String::from_utf8_lossy(bytes).into_owned(),
            _ => self
                .codes()
                .map(|code| char::from_u32(code).unwrap_or('\u{FFFD}'))
                .collect(),
        }
    }

    /// A copy that outlives the machine's next allocation.
    pub(super) fn to_letters(&self) -> Letters {
        match self {
            Text::Narrow(bytes) => Letters::Narrow(bytes.to_vec()),
            _ => Letters::Codes(self.to_codes()),
        }
    }

    /// A copy of the characters in a range; what lies outside is left out.
    pub(super) fn part(&self, range: Range<usize>) -> Letters {
        match self {
            Text::Narrow(bytes) => Letters::Narrow(bytes.get(range).unwrap_or(&[]).to_vec()),
            _ => Letters::Codes(range.filter_map(|index| self.code(index)).collect()),
        }
    }

    /// The hash: of the characters alone, so that it is the same for every width and for symbols.
    pub(super) fn hash(&self) -> Value {
        hash_value(self.hash_number())
    }

    pub(super) fn hash_number(&self) -> u32 {
        match self {
            Text::Narrow(bytes) => hash_bytes(bytes),
            _ => hash_codes(&self.to_codes()),
        }
    }

    pub(super) fn same(&self, other: &Text<'_>) -> bool {
        match (self, other) {
            (Text::Narrow(a), Text::Narrow(b)) | (Text::Wide(a), Text::Wide(b)) => a == b,
            _ => self.len() == other.len() && self.codes().eq(other.codes()),
        }
    }
}

/// A set of characters for many tests: a bit for each of the first 256, the others in a sorted list.
pub(super) struct CharacterSet {
    bits: [u64; 4],
    others: Vec<u32>,
}

impl CharacterSet {
    /// The characters that separate words, as [`super::character::is_separator`] defines them.
    pub(super) const SEPARATORS: CharacterSet =
        CharacterSet::of_low(1 << 32 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13);
    /// CR and LF.
    pub(super) const LINE_ENDS: CharacterSet = CharacterSet::of_low(1 << 10 | 1 << 13);

    const fn of_low(bits: u64) -> CharacterSet {
        CharacterSet {
            bits: [bits, 0, 0, 0],
            others: Vec::new(),
        }
    }

    /// The characters of a text.
    pub(super) fn of(text: &Text<'_>) -> CharacterSet {
        let mut set = CharacterSet::of_low(0);
        match text {
            Text::Narrow(bytes) => bytes.iter().for_each(|&byte| set.add(u32::from(byte))),
            _ => text.codes().for_each(|code| set.add(code)),
        }
        set.others.sort_unstable();
        set.others.dedup();
        set
    }

    fn add(&mut self, code: u32) {
        match self.bits.get_mut(code as usize / 64) {
            Some(word) => *word |= 1 << (code % 64),
            None => self.others.push(code),
        }
    }

    /// Whether a character of one byte is in it.
    #[inline(always)]
    pub(super) fn has_byte(&self, byte: u8) -> bool {
        self.bits[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
    }

    /// Whether a character is in it.
    pub(super) fn has(&self, code: u32) -> bool {
        match u8::try_from(code) {
            Ok(byte) => self.has_byte(byte),
            Err(_) => self.others.binary_search(&code).is_ok(),
        }
    }
}

impl Letters {
    /// How many characters there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Letters::Narrow(bytes) => bytes.len(),
            Letters::Codes(codes) => codes.len(),
        }
    }

    /// A copy of the characters in a range; what lies outside is left out.
    fn part(&self, range: Range<usize>) -> Letters {
        match self {
            Letters::Narrow(bytes) => Letters::Narrow(bytes.get(range).unwrap_or(&[]).to_vec()),
            Letters::Codes(codes) => Letters::Codes(codes.get(range).unwrap_or(&[]).to_vec()),
        }
    }

    /// A new String or, if a character needs it, WideString; `None` when there is no room for it.
    pub(super) fn make(&self, vm: &mut Vm) -> Option<Value> {
        let is_narrow = matches!(self, Letters::Narrow(_));
        if !vm.has_room_for(room_for_text(self.len(), is_narrow)) {
            return None;
        }
        Some(match self {
            Letters::Narrow(bytes) => vm.make_byte_string(bytes),
            Letters::Codes(codes) => vm.make_string_of_codes(codes),
        })
    }

    pub(super) fn to_text(&self) -> String {
        match self {
            Letters::Narrow(bytes) => Text::Narrow(bytes).to_text(),
            Letters::Codes(codes) => codes
                .iter()
                .map(|&c| char::from_u32(c).unwrap_or('\u{FFFD}'))
                .collect(),
        }
    }
}

/// The memory for a string of that many characters: the string and the letters that it is made from.
pub(super) fn room_for_text(length: usize, is_narrow: bool) -> Contents {
    Contents::Bytes(length.saturating_mul(if is_narrow { 2 } else { 8 }))
}

/// A new String of the characters in a range of a plain String, the receiver; `None` when there is no room for it.
pub(super) fn copy_of_part(vm: &mut Vm, args: Args, range: Range<usize>) -> Option<Value> {
    let contents = Contents::Bytes(range.len());
    let copy = vm
        .has_room_for(contents)
        .then(|| vm.make(Known::String.into(), contents))?;
    let source = args.receiver(vm);
    vm.narrow_bytes(source)?;
    vm.heap
        .copy_bytes(source, range.start, copy, 0, range.len())
        .then_some(copy)
}

/// Writes the characters of a narrow text into a narrow String from a position on, and answers how many there were.
pub(super) fn put_narrow(vm: &mut Vm, source: Value, target: Value, at: usize) -> Option<usize> {
    if let Some(id) = source.as_symbol() {
        let symbol = vm.image.symbols.text(id);
        let letters = symbol.is_ascii().then_some(symbol.as_bytes())?;
        let end = at.checked_add(letters.len())?;
        vm.heap
            .bytes_mut(target)
            .get_mut(at..end)?
            .copy_from_slice(letters);
        return Some(letters.len());
    }
    let length = vm.narrow_bytes(source)?.len();
    vm.heap
        .copy_bytes(source, 0, target, at, length)
        .then_some(length)
}

/// A new Array with a new string for each piece.
pub(super) fn make_strings(vm: &mut Vm, pieces: &[Letters]) -> Option<Value> {
    let contents = Contents::Slots(pieces.len());
    if !vm.has_room_for(contents) {
        return None;
    }
    let start = vm.run.handles.len();
    for piece in pieces {
        let Some(string) = piece.make(vm) else {
            vm.run.handles.truncate(start);
            return None;
        };
        vm.run.handles.push(string);
    }
    let array = vm.make(Known::Array.into(), contents);
    for index in 0..pieces.len() {
        if let Some(&string) = vm.run.handles.get(start + index) {
            vm.heap.set_slot(array, index, string);
        }
    }
    vm.run.handles.truncate(start);
    Some(array)
}

/// A new Array with a new String for each range of the receiver's text; `None` when there is no room for them.
pub(super) fn make_parts(vm: &mut Vm, args: Args, ranges: Vec<Range<usize>>) -> Option<Value> {
    let contents = Contents::Slots(ranges.len());
    if !vm.can_make(ranges.len()) || !vm.has_room_for(contents) {
        return None;
    }
    let start = vm.run.handles.len();
    // Text that is not plain is decoded once, because the copy does not move in a collection.
    let letters = match vm.narrow_bytes(args.receiver(vm)) {
        Some(_) => None,
        None => Some(text(vm, args.receiver(vm))?.to_letters()),
    };
    let count = ranges.len();
    for range in ranges {
        let part = match &letters {
            None => copy_of_part(vm, args, range),
            Some(letters) => letters.part(range).make(vm),
        };
        let Some(part) = part else {
            vm.run.handles.truncate(start);
            return None;
        };
        vm.run.handles.push(part);
    }
    let array = vm.make(Known::Array.into(), contents);
    for index in 0..count {
        if let Some(&string) = vm.run.handles.get(start + index) {
            vm.heap.set_slot(array, index, string);
        }
    }
    vm.run.handles.truncate(start);
    Some(array)
}

/// A hash as the language has it.
pub(super) fn hash_value(hash: u32) -> Value {
    Value::int(i64::from(hash))
}

/// Stores a character into the receiver, and makes the string wide in place if necessary. Answers `None` for a symbol,
/// another object, or a string that is too short. Also for an instance of a subclass of String that would have to
/// change its class.
pub(super) fn put_character(vm: &mut Vm, args: Args, index: usize, code: u32) -> Option<()> {
    let string = args.receiver(vm);
    if let Some(bytes) = vm.narrow_bytes(string) {
        if index >= bytes.len() {
            return None;
        }
        if let Ok(byte) = u8::try_from(code) {
            *vm.heap.bytes_mut(string).get_mut(index)? = byte;
            return Some(());
        }
        widen(vm, args)?;
    }
    put_wide(vm, args.receiver(vm), index, code)
}

/// Stores a character into a WideString.
pub(super) fn put_wide(vm: &mut Vm, string: Value, index: usize, code: u32) -> Option<()> {
    vm.wide_bytes(string)?;
    let start = index.checked_mul(4)?;
    let place = vm
        .heap
        .bytes_mut(string)
        .get_mut(start..start.checked_add(4)?)?;
    place.copy_from_slice(&code.to_le_bytes());
    Some(())
}

/// Puts a WideString with the same characters in the receiver's place, everywhere. The model does
/// not count it. Values that were read before are void.
pub(super) fn widen(vm: &mut Vm, args: Args) -> Option<()> {
    let string = args.receiver(vm);
    if !string.is_object() || !vm.is_a(string, Known::String) {
        return None;
    }
    if widen_in_place(vm, string) {
        return Some(());
    }
    let codes: Vec<u8> = vm
        .heap
        .bytes(string)
        .iter()
        .flat_map(|&byte| [byte, 0, 0, 0])
        .collect();
    let contents = Contents::Bytes(codes.len());
    if !vm.has_room_for(contents) {
        return None;
    }
    let wide = vm.make_uncounted(Known::WideString.into(), contents);
    vm.heap.bytes_mut(wide).copy_from_slice(&codes);
    let string = args.receiver(vm);
    vm.heap.copy_hash(string, wide);
    vm.become_forward(string, wide);
    Some(())
}

/// Makes a String wide without a new object, if it can grow in place. A new string can.
fn widen_in_place(vm: &mut Vm, string: Value) -> bool {
    let length = vm.heap.bytes(string).len();
    let Some(bytes) = length.checked_mul(4) else {
        return false;
    };
    if !vm
        .heap
        .grow_in_place(string, Known::WideString as u32, bytes)
    {
        return false;
    }
    let bytes = vm.heap.bytes_mut(string);
    // From the end, so that no character is overwritten before it was moved.
    for index in (0..length).rev() {
        let code = [bytes[index], 0, 0, 0];
        bytes[4 * index..][..4].copy_from_slice(&code);
    }
    true
}

/// The position, counted from 0, that an argument gives by an index from 1 on.
pub(super) fn position(vm: &Vm, args: Args, argument: usize) -> Option<usize> {
    let index = args.at(vm, argument).as_int()?;
    usize::try_from(index).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::machine;
    use super::*;

    #[test]
    fn widening_keeps_identity_characters_and_counts() {
        let mut vm = machine();
        let string = vm.make_string("né");
        let holder = vm.make_array(&[string]);
        let hash = vm.heap.identity_hash(string);
        let before = vm.heap.allocations;
        vm.run.handles.push(holder);
        vm.running.stack.set_value(0, string);
        widen(&mut vm, Args { base: 0, count: 0 }).expect("a narrow String");
        let wide = vm.heap.slot(vm.run.handles[0], 0);
        assert!(vm.wide_bytes(wide).is_some());
        assert_eq!(vm.text_of(wide).as_deref(), Some("né"));
        assert_eq!(vm.heap.identity_hash(wide), hash);
        assert_eq!(vm.heap.allocations, before);
    }

    #[test]
    fn a_string_that_was_just_made_grows_where_it_lies() {
        for text in ["", "n", "né", "née", "characters of some number"] {
            let mut vm = machine();
            let string = vm.make_string(text);
            assert!(widen_in_place(&mut vm, string));
            assert_eq!(vm.text_of(string).as_deref(), Some(text));
            assert_eq!(
                vm.wide_bytes(string).map(<[u8]>::len),
                Some(4 * text.chars().count())
            );
            let next = vm.make_string("next");
            vm.run.handles.extend([string, next]);
            vm.collect_garbage();
            assert_eq!(vm.text_of(vm.run.handles[0]).as_deref(), Some(text));
            assert_eq!(vm.text_of(vm.run.handles[1]).as_deref(), Some("next"));
        }
    }

    #[test]
    fn a_string_in_the_midst_grows_only_within_its_words() {
        let mut vm = machine();
        let (short, long) = (vm.make_string("né"), vm.make_string("née"));
        vm.make_string("behind");
        assert!(widen_in_place(&mut vm, short) && !widen_in_place(&mut vm, long));
        assert_eq!(vm.text_of(short).as_deref(), Some("né"));
        assert_eq!(vm.text_of(long).as_deref(), Some("née"));
    }

    #[test]
    fn only_strings_are_widened() {
        let mut vm = machine();
        let symbol = vm.symbol("abc");
        for value in [symbol, Value::NIL, Value::int(1)] {
            vm.running.stack.set_value(0, value);
            assert_eq!(widen(&mut vm, Args { base: 0, count: 0 }), None);
        }
    }
}
