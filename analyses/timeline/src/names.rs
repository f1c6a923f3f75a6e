//! Features by their numbers, so that a request holds no text.

use std::collections::HashMap;

use crate::sink::SinkError;

/// The most features of a timeline.
const MOST_FEATURES: usize = 100_000;

/// The number of a feature, in the order of first use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureId(pub(crate) u32);

/// The features of a timeline.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    features: Vec<(u32, u32)>,
    pairs: HashMap<(u32, u32), FeatureId>,
}

impl Names {
    /// The feature of a class and a selector. The script has no selector.
    pub(crate) fn feature(&mut self, class: &str, selector: &str) -> Result<FeatureId, SinkError> {
        let pair = (self.text(class), self.text(selector));
        if let Some(id) = self.pairs.get(&pair) {
            return Ok(*id);
        }
        if self.features.len() >= MOST_FEATURES {
            return Err(SinkError::TooMuch("features"));
        }
        let id = FeatureId(self.features.len() as u32);
        self.features.push(pair);
        self.pairs.insert(pair, id);
        Ok(id)
    }

    /// The number of a class or place; nothing if there are too many of them.
    pub(crate) fn number(&mut self, text: &str) -> Option<u32> {
        let has_room = self.texts.len() < 2 * MOST_FEATURES || self.numbers.contains_key(text);
        (has_room && !text.is_empty()).then(|| self.text(text))
    }

    /// The class or place with this number.
    pub(crate) fn named(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }

    /// How many features there are.
    pub(crate) fn count(&self) -> usize {
        self.features.len()
    }

    /// Class and selector of a feature.
    pub fn parts(&self, id: FeatureId) -> (&str, &str) {
        let text = |number: u32| self.texts.get(number as usize).map_or("", String::as_str);
        let pair = self.features.get(id.0 as usize);
        pair.map_or(("", ""), |&(class, selector)| (text(class), text(selector)))
    }

    /// `Class>>selector`, or `script`.
    pub fn full(&self, id: FeatureId) -> String {
        match self.parts(id) {
            (class, "") => class.to_string(),
            (class, selector) => format!("{class}>>{selector}"),
        }
    }
}
