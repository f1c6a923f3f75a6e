//! Texts of canonical bytes, for people.

use super::{Parsed, RecordContents, Reference, Vm};
use crate::base::{ClassId, Known, Value};

/// Texts of canonical bytes.
struct Texts<'t> {
    vm: &'t Vm,
    parsed: &'t Parsed,
}

/// Objects inside objects that a text shows, and elements of each.
const MOST_DEPTH: u32 = 2;
const MOST_ELEMENTS: usize = 12;

impl Vm {
    /// The contents as a text.
    pub(in crate::machine) fn canonical_text(&self, bytes: &[u8]) -> String {
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
