//! The names of processors: the numbers of the creations that led to them.

use crate::sink::Origin;

/// How each processor came about, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(Vec<Origin>);

impl Origins {
    pub(crate) fn push(&mut self, origin: Origin) {
        self.0.push(origin);
    }

    /// The name of a processor.
    pub(crate) fn name(&self, number: u32) -> String {
        name(number, |at| self.0.get(at as usize).copied())
    }
}

/// The name of a processor, by the origins of all.
pub(crate) fn name(number: u32, origin: impl Fn(u32) -> Option<Origin>) -> String {
    /// A longer way shows its end only.
    const MOST: usize = 6;
    let mut parts = Vec::new();
    let mut at = number;
    while let Some(origin) = origin(at)
        && origin.ordinal > 0
        && origin.creator < at
        && parts.len() < MOST
    {
        parts.push(origin.ordinal.to_string());
        at = origin.creator;
    }
    if at > 0 {
        parts.push("…".to_string());
    }
    parts.reverse();
    match number {
        0 => "script".to_string(),
        _ => format!("#{}", parts.join(".")),
    }
}
