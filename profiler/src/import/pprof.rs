//! Profiles of pprof: a protocol buffer, packed by gzip or not. A sample is a stack of locations, the innermost first, with
//! a value for each type. A location has a line for each function that was inlined there, the innermost first.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _};

use flate2::read::MultiGzDecoder;

use super::function::Function;
use super::stacks::{ROOT, Stacks};
use super::{ImportError, chosen};
use crate::profile::Profile;
use crate::recording::{MAX_CONTENT, MAX_MEMORY};
use crate::unit::Unit;

/// About the bytes of an entry of a table.
const ENTRY: usize = 160;

/// The first bytes of files packed by gzip.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Whether a file begins as files of this format do. Files that are not packed are known by their names.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&GZIP)
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], event: Option<&str>) -> Result<Profile, ImportError> {
    let unpacked;
    let content = match begins(bytes) {
        true => {
            unpacked = unpack(bytes)?;
            &unpacked
        }
        false => bytes,
    };
    let tables = Tables::read(content)?;
    let events = tables.events()?;
    let event = chosen(&events, event)?;
    tables.profile(event, &events[event], bytes)
}

fn damaged(why: &str) -> ImportError {
    ImportError::whole(format!("damaged: {why}"))
}

/// The content of a file packed by gzip, of all its members. It has a bound.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, ImportError> {
    let mut content = Vec::new();
    let mut bounded = MultiGzDecoder::new(bytes).take(MAX_CONTENT as u64 + 1);
    bounded
        .read_to_end(&mut content)
        .map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => damaged("its end is missing"),
            _ => damaged("it cannot be unpacked, or its checksum is wrong"),
        })?;
    match content.len() > MAX_CONTENT {
        true => Err(ImportError::whole(format!(
            "it unpacks to more than {} MiB",
            MAX_CONTENT >> 20
        ))),
        false => Ok(content),
    }
}

/// A field of a message.
enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The fields of a message.
struct Message<'b>(&'b [u8]);

impl<'b> Message<'b> {
    fn varint(&mut self) -> Result<u64, ImportError> {
        let mut value: u64 = 0;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7f);
            if index == 9 && bits > 1 {
                break;
            }
            value |= bits << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = &self.0[index + 1..];
                return Ok(value);
            }
        }
        Err(damaged("a number is cut, or exceeds 64 bits"))
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], ImportError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        match self.0.split_at_checked(length) {
            Some((taken, rest)) => {
                self.0 = rest;
                Ok(taken)
            }
            None => Err(damaged("its end is missing")),
        }
    }

    /// The next field and its number.
    fn next(&mut self) -> Result<Option<(u64, Field<'b>)>, ImportError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let field = match key & 7 {
            0 => Field::Number(self.varint()?),
            1 => Field::Bytes(self.take(8)?),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Bytes(self.take(4)?),
            _ => return Err(damaged("a field of an unknown kind")),
        };
        Ok(Some((key >> 3, field)))
    }
}

/// The numbers of a repeated field, packed or one by one.
fn numbers(field: &Field<'_>, into: &mut Vec<u64>) -> Result<(), ImportError> {
    match field {
        Field::Number(number) => into.push(*number),
        Field::Bytes(bytes) => {
            let mut message = Message(bytes);
            while !message.0.is_empty() {
                into.push(message.varint()?);
            }
        }
    }
    Ok(())
}

/// The first of a message's numbers by field, as far as these are small.
fn members<const N: usize>(bytes: &[u8]) -> Result<[u64; N], ImportError> {
    let mut found = [0; N];
    let mut message = Message(bytes);
    while let Some((number, field)) = message.next()? {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if let (Field::Number(value), Some(slot)) = (field, found.get_mut(place)) {
            *slot = value;
        }
    }
    Ok(found)
}

/// The tables of a file.
#[derive(Default)]
struct Tables<'b> {
    /// Type and unit of each value, as texts by number.
    types: Vec<[u64; 2]>,
    samples: Vec<&'b [u8]>,
    /// By number, the functions and lines of a location, the innermost first.
    locations: HashMap<u64, Vec<[u64; 2]>>,
    /// By number, where the mapping of a location has its file.
    mappings: HashMap<u64, u64>,
    mapping_of: HashMap<u64, u64>,
    /// By number, name and file as texts, and the first line.
    functions: HashMap<u64, [u64; 3]>,
    texts: Vec<String>,
}

impl<'b> Tables<'b> {
    fn read(content: &'b [u8]) -> Result<Tables<'b>, ImportError> {
        let mut tables = Tables::default();
        let mut message = Message(content);
        let mut entries = 0;
        while let Some((number, field)) = message.next()? {
            let Field::Bytes(bytes) = field else { continue };
            entries += 1;
            if entries > MAX_MEMORY / ENTRY {
                return Err(ImportError::too_much_memory());
            }
            match number {
                1 => {
                    let [_, kind, unit] = members(bytes)?;
                    tables.types.push([kind, unit]);
                }
                2 => tables.samples.push(bytes),
                3 => {
                    let [_, id, _, _, _, file] = members(bytes)?;
                    tables.mappings.insert(id, file);
                }
                4 => tables.location(bytes)?,
                5 => {
                    let [_, id, name, _, file, line] = members(bytes)?;
                    tables.functions.insert(id, [name, file, line]);
                }
                6 => tables
                    .texts
                    .push(String::from_utf8_lossy(bytes).into_owned()),
                _ => {}
            }
        }
        Ok(tables)
    }

    fn location(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let [_, id, mapping] = members(bytes)?;
        let mut lines = Vec::new();
        let mut message = Message(bytes);
        while let Some((number, field)) = message.next()? {
            if let (4, Field::Bytes(bytes)) = (number, field) {
                let [_, function, line] = members(bytes)?;
                lines.push([function, line]);
            }
        }
        self.mapping_of.insert(id, mapping);
        self.locations.insert(id, lines);
        Ok(())
    }

    fn text(&self, number: u64) -> Result<&str, ImportError> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let text = self.texts.get(place).map(String::as_str);
        text.ok_or_else(|| damaged("a text is missing"))
    }

    /// The names of the values: the unit where it says what is counted, else the type.
    fn events(&self) -> Result<Vec<String>, ImportError> {
        let mut events: Vec<String> = Vec::new();
        for [kind, unit] in &self.types {
            let (kind, unit) = (self.text(*kind)?, self.text(*unit)?);
            let name = match unit {
                "count" | "" => kind.to_string(),
                unit if unit == kind => unit.to_string(),
                unit => format!("{unit} ({kind})"),
            };
            events.push(name);
        }
        match events.is_empty() {
            true => Err(ImportError::whole(
                "it has no types of values: no profile of pprof",
            )),
            false => Ok(events),
        }
    }

    /// The functions of a location as numbers of the stacks, the outermost first.
    fn frames(&self, stacks: &mut Stacks, location: u64) -> Result<Vec<u32>, ImportError> {
        let missing = || damaged("a location is missing");
        let lines = self.locations.get(&location).ok_or_else(missing)?;
        let mapping = self.mapping_of.get(&location);
        let object = mapping.and_then(|mapping| self.mappings.get(mapping));
        let object = object.map_or(Ok(""), |text| self.text(*text))?;
        let mut frames = Vec::with_capacity(lines.len());
        for [function, _] in lines.iter().rev() {
            let known = self.functions.get(function);
            let [name, file, line] = known.ok_or_else(|| damaged("a function is missing"))?;
            let function = Function::new(self.text(*name)?, self.text(*file)?, object);
            frames.push(stacks.number(function, usize::try_from(*line).unwrap_or(0))?);
        }
        if frames.is_empty() {
            frames.push(stacks.number(Function::new("", "", object), 0)?);
        }
        Ok(frames)
    }

    fn profile(&self, event: usize, name: &str, bytes: &[u8]) -> Result<Profile, ImportError> {
        let mut stacks = Stacks::new();
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        for sample in &self.samples {
            let (mut locations, mut values) = (Vec::new(), Vec::new());
            let mut message = Message(sample);
            while let Some((number, field)) = message.next()? {
                match number {
                    1 => numbers(&field, &mut locations)?,
                    2 => numbers(&field, &mut values)?,
                    _ => {}
                }
            }
            let value = values.get(event).copied();
            let value = value.ok_or_else(|| damaged("a sample lacks a value"))?;
            // The values of two profiles' difference may be negative.
            if i64::try_from(value).is_err() {
                return Err(ImportError::whole("a sample has a negative value"));
            }
            let mut place = ROOT;
            for location in locations.iter().rev() {
                if !known.contains_key(location) {
                    known.insert(*location, self.frames(&mut stacks, *location)?);
                }
                for frame in &known[location] {
                    place = stacks.below(place, *frame)?;
                }
            }
            if !stacks.add(place, value) {
                return Err(ImportError::too_large());
            }
        }
        stacks.profile(Unit::imported(name, "pprof", false), bytes)
    }
}
