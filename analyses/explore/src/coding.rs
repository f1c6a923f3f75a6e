//! The bytes of states. Numbers are written in groups of seven bits.

use crate::causal::{Past, Pasts};
use crate::names::ActorId;
use crate::state::State;
use crate::tables::Tables;

/// Adds a number.
pub(crate) fn push_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Numbers from bytes, one by one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers<'b>(pub(crate) &'b [u8]);

impl Numbers<'_> {
    pub(crate) fn next(&mut self) -> u32 {
        let mut number = 0;
        let mut shift = 0;
        while let [byte, rest @ ..] = self.0 {
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if *byte < 0x80 {
                break;
            }
        }
        number
    }

    fn list(&mut self, list: &mut Vec<u32>) {
        list.clear();
        let length = self.next();
        list.extend((0..length).map(|_| self.next()));
    }

    fn past(&mut self) -> Past {
        let length = self.next();
        (0..length).map(|_| (self.next(), self.next())).collect()
    }
}

fn push_list(list: &[u32], bytes: &mut Vec<u8>) {
    push_number(list.len() as u32, bytes);
    list.iter().for_each(|number| push_number(*number, bytes));
}

/// Bits of the byte that says what a state has.
const HAS_FAILED: u32 = 1;
const HAS_PASTS: u32 = 2;

impl State {
    /// Adds the state's bytes.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let failed = u32::from(self.failed.is_some()) * HAS_FAILED;
        push_number(failed + u32::from(self.pasts.is_some()) * HAS_PASTS, bytes);
        for list in [&self.actors, &self.pending, &self.outputs] {
            push_list(list, bytes);
        }
        if let Some((actor, text)) = self.failed {
            push_number(actor.0, bytes);
            push_number(text, bytes);
        }
        let pasts = self.pasts.iter();
        for past in pasts.flat_map(|pasts| pasts.actors.iter().chain(&pasts.messages)) {
            push_number(past.len() as u32, bytes);
            for (of, count) in past {
                push_number(*of, bytes);
                push_number(*count, bytes);
            }
        }
    }

    /// Becomes the state of these bytes.
    pub(crate) fn decode(&mut self, bytes: &[u8]) {
        let mut numbers = Numbers(bytes);
        let has = numbers.next();
        for list in [&mut self.actors, &mut self.pending, &mut self.outputs] {
            numbers.list(list);
        }
        let has_failed = has & HAS_FAILED != 0;
        self.failed = has_failed.then(|| (ActorId(numbers.next()), numbers.next()));
        self.pasts = (has & HAS_PASTS != 0).then(|| Pasts {
            actors: self.actors.iter().map(|_| numbers.past()).collect(),
            messages: self.pending.iter().map(|_| numbers.past()).collect(),
        });
    }
}

impl State {
    /// Whether bytes from a file are those of a state of these tables, if the delivery is not causal.
    pub(crate) fn is_sound(bytes: &[u8], tables: &Tables, is_causal: bool) -> bool {
        let mut numbers = Checked(bytes);
        numbers
            .state(tables, is_causal)
            .is_some_and(|()| numbers.0.is_empty())
    }
}

/// Numbers from bytes that can be anything.
struct Checked<'b>(&'b [u8]);

impl Checked<'_> {
    fn next(&mut self) -> Option<u32> {
        let length = self.0.iter().position(|byte| *byte < 0x80)? + 1;
        let (number, rest) = self.0.split_at(length);
        self.0 = rest;
        (length < 5 || length == 5 && number[4] < 0x10).then(|| Numbers(number).next())
    }

    /// As many numbers as the first one says, each below this one.
    fn list(&mut self, end: usize) -> Option<u32> {
        let length = self.next()?;
        (0..length).try_for_each(|_| ((self.next()? as usize) < end).then_some(()))?;
        Some(length)
    }

    fn past(&mut self) -> Option<()> {
        let length = self.next()?;
        (0..length).try_for_each(|_| self.next().and(self.next()).map(|_| ()))
    }

    fn state(&mut self, tables: &Tables, is_causal: bool) -> Option<()> {
        let has = self.next()?;
        let [locals, pendings, _, writings] = tables.sizes();
        let (actors, pending) = (self.list(locals)?, self.list(pendings)?);
        self.list(writings)?;
        if has & HAS_FAILED != 0 {
            let actor = self.next()? as usize;
            (actor < tables.names.count()).then(|| self.next())??;
        }
        let pasts = if is_causal { actors + pending } else { 0 };
        (0..pasts).try_for_each(|_| self.past())?;
        (has & !(HAS_FAILED | HAS_PASTS) == 0 && (has & HAS_PASTS != 0) == is_causal).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_from_their_bytes() {
        let plain = State {
            actors: vec![0, 127, 128, u32::MAX],
            pending: vec![3, 3],
            outputs: vec![],
            failed: Some((ActorId(7), 300)),
            pasts: None,
        };
        let causal = State {
            failed: None,
            pasts: Some(Pasts {
                actors: vec![vec![], vec![(1, 2)], vec![(0, 1), (500, 1)], vec![]],
                messages: vec![vec![(9, 9)], vec![]],
            }),
            ..plain.clone()
        };
        let mut read = State::default();
        for state in [plain, causal] {
            let mut bytes = Vec::new();
            state.encode(&mut bytes);
            read.decode(&bytes);
            assert_eq!(read, state);
        }
    }
}
