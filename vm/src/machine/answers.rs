//! The answers of requests as texts, so that two runs can be compared. Nothing is executed and nothing is made for them.

use super::Vm;
use super::membrane::Crossing;
use crate::base::{SymbolId, Value};
use crate::heap::Contents;
use crate::separate::{AnswerKey, AnswersOfPair, GivenAnswer, RequestId};

/// Answers of a run that are kept.
const MOST_ANSWERS: usize = 1 << 20;

/// Bytes of an answer that are compared.
const MOST_BYTES: usize = 4096;

/// Characters of an answer that are kept.
const MOST_KEPT: usize = 40;

/// How deep parts of parts are looked at.
const MOST_DEEP: usize = 8;

impl Vm {
    /// The answers of requests up to here, if they are observed, by client, supplier and feature. Queries of conditions are left
    /// out, and so are answers behind the first million.
    pub fn answers(&self) -> Vec<AnswersOfPair> {
        let (Some(engine), Some(assumed)) = (&self.separate.engine, &self.separate.assumed) else {
            return Vec::new();
        };
        let pairs = assumed.answers.iter().map(|(key, answers)| {
            let &(client, supplier, class, selector) = key;
            AnswersOfPair {
                client: engine.path(client).to_vec(),
                supplier: engine.path(supplier).to_vec(),
                feature: (
                    self.class(class).name.to_string(),
                    self.symbol_text(selector).to_string(),
                ),
                answers: answers.clone(),
            }
        });
        let mut pairs: Vec<AnswersOfPair> = pairs.collect();
        pairs.sort_by(|one, other| {
            let key = |pair: &AnswersOfPair| {
                (
                    pair.client.clone(),
                    pair.supplier.clone(),
                    pair.feature.clone(),
                )
            };
            key(one).cmp(&key(other))
        });
        pairs
    }

    /// The request ends with this answer.
    pub(crate) fn observe_answer(&mut self, request: RequestId, answer: Value) {
        let (Some(engine), Some(_)) = (&self.separate.engine, &self.separate.assumed) else {
            return;
        };
        let row = engine.request(request);
        if row.is_local || row.is_in_condition {
            return;
        }
        let key = (row.client, row.supplier, row.class, row.message.selector);
        let failure = row.failure;
        self.keep_answer(key, answer, failure);
    }

    /// The client uses an answer again.
    pub(crate) fn observe_cached(&mut self, reference: Value, selector: SymbolId, answer: Value) {
        let Some((supplier, target)) = self.referred(reference) else {
            return;
        };
        let client = self.separate.running;
        let engine = self.separate.engine.as_ref();
        if engine.is_some_and(|engine| engine.is_in_condition(client)) {
            return;
        }
        let key = (client, supplier, self.class_of(target), selector);
        self.keep_answer(key, answer, Value::NIL);
    }

    fn keep_answer(&mut self, key: AnswerKey, answer: Value, failure: Value) {
        let mut text = String::new();
        match failure.is_nil() {
            true => self.push_described(answer, &mut text),
            false => {
                text = self.class(self.class_of(failure)).name.to_string();
                text.insert_str(0, "fails by ");
            }
        }
        let given = GivenAnswer {
            time: self.virtual_time(),
            digest: digest(text.as_bytes()),
            text: text.chars().take(MOST_KEPT).collect(),
        };
        if let Some(assumed) = &mut self.separate.assumed
            && assumed.answer_count < MOST_ANSWERS
        {
            assumed.answer_count += 1;
            assumed.answers.entry(key).or_default().push(given);
        }
    }

    /// Adds the value as it is compared: what crosses as itself or as a copy by its parts, other objects by their classes.
    pub(crate) fn push_described(&mut self, value: Value, text: &mut String) {
        self.push_part(value, MOST_DEEP, text);
        let end = text.floor_char_boundary(MOST_BYTES);
        text.truncate(end);
    }

    fn push_part(&mut self, value: Value, deep: usize, text: &mut String) {
        if text.len() >= MOST_BYTES {
            return;
        }
        if let Some(number) = value.as_int() {
            text.push_str(&number.to_string());
        } else if let Some(symbol) = value.as_symbol() {
            text.push('#');
            text.push_str(self.symbol_text(symbol));
        } else if let Some(float) = self.float_of(value) {
            text.push_str(&format!("{float:?}"));
        } else if let Some(string) = self.text_of(value) {
            text.push_str(&format!("'{string}'"));
        } else if !value.is_object() {
            text.push_str(&self.word_of_immediate(value));
        } else {
            self.push_object(value, deep, text);
        }
    }

    /// nil, a Boolean or a Character.
    fn word_of_immediate(&self, value: Value) -> String {
        match value {
            Value::NIL => "nil".to_string(),
            Value::TRUE => "true".to_string(),
            Value::FALSE => "false".to_string(),
            other => {
                let class = &self.class(self.class_of(other)).name;
                format!("{class} {}", other.bits())
            }
        }
    }

    fn push_object(&mut self, value: Value, deep: usize, text: &mut String) {
        if let Some(class) = self.class_of_class_object(value) {
            text.push_str(&self.class(class).display_name());
            return;
        }
        let (object, crossing) = match self.crossing(value) {
            Crossing::Home(_, target) => (target, Crossing::Reference),
            Crossing::DeepCopy(object) => (object, Crossing::Copy),
            other => (value, other),
        };
        let class = self.class_of(object);
        let name = self.class(class).name.to_string();
        if crossing == Crossing::Reference || deep == 0 || self.is_block(object) {
            text.push_str(&format!("a {name}"));
            return;
        }
        text.push_str(&name);
        if let Contents::Bytes(_) = self.heap.contents(object) {
            let number = digest(self.heap.bytes(object));
            text.push_str(&format!(" {number:x}"));
            return;
        }
        text.push('(');
        for (index, part) in self.heap.slots(object).to_vec().into_iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            if text.len() >= MOST_BYTES {
                break;
            }
            self.push_part(part, deep - 1, text);
        }
        text.push(')');
    }
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
