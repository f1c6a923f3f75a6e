//! Executes programs. The matcher goes back to the last choice when it can go on no further. It keeps its choices on a
//! stack of its own, so deep patterns and long texts do not need the machine's. Each executed instruction is a step.

use regex_automata::util::look::LookMatcher;

use super::program::{Instruction, Program};
use super::tree::Bounds;
use super::{Groups, Mode, OutOfSteps};

/// What is done when the matcher goes back.
enum Pending {
    /// Goes on at a place and a position.
    Branch(u32, usize),
    /// Puts an old value into a slot.
    Undo(u32, usize),
}

/// The greatest number of pending items: 32 MB.
const MOST_PENDING: usize = 1 << 21;

/// The value of a slot that holds nothing.
const NONE: usize = usize::MAX;

/// The state of a search.
pub(super) struct Matcher<'a> {
    program: &'a Program,
    /// The text in UTF-8.
    text: &'a [u8],
    /// Whether a match must go to the end of the text.
    is_whole: bool,
    slots: Vec<usize>,
    pending: Vec<Pending>,
    steps: u64,
    most_steps: u64,
}

/// What follows an instruction.
enum Next {
    /// The instruction at a place, at a position.
    At(usize, usize),
    Back,
    Matched,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(program: &'a Program, text: &'a [u8], mode: Mode, most_steps: u64) -> Self {
        Matcher {
            program,
            text,
            is_whole: mode == Mode::Whole,
            slots: Vec::new(),
            pending: Vec::new(),
            steps: 0,
            most_steps,
        }
    }

    /// How many steps there were.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// The first match that begins at the position or behind it.
    pub(super) fn search(&mut self, from: usize) -> Result<Option<Groups>, OutOfSteps> {
        let mut at = from;
        loop {
            if let Some(groups) = self.match_at(at)? {
                return Ok(Some(groups));
            }
            match character(self.text, at) {
                Some((_, length)) => at += length,
                None => return Ok(None),
            }
        }
    }

    /// The match that begins at the position.
    pub(super) fn match_at(&mut self, at: usize) -> Result<Option<Groups>, OutOfSteps> {
        self.slots.clear();
        self.slots.resize(self.program.slots, NONE);
        self.pending.clear();
        let (mut place, mut at) = (0, at);
        loop {
            self.take_step()?;
            (place, at) = match self.execute(place, at) {
                Next::At(place, at) => (place, at),
                Next::Matched => return Ok(Some(self.groups())),
                Next::Back => match self.go_back() {
                    Some(branch) => branch,
                    None => return Ok(None),
                },
            };
        }
    }

    fn take_step(&mut self) -> Result<(), OutOfSteps> {
        if self.steps >= self.most_steps || self.pending.len() > MOST_PENDING {
            return Err(OutOfSteps);
        }
        self.steps += 1;
        Ok(())
    }

    fn execute(&mut self, place: usize, at: usize) -> Next {
        let next = Next::At(place + 1, at);
        let program = self.program;
        match program.code[place] {
            Instruction::One(class) => match character(self.text, at) {
                Some((c, length)) if program.classes[class].has(c) => {
                    Next::At(place + 1, at + length)
                }
                _ => Next::Back,
            },
            Instruction::Check(look) => match LookMatcher::new().matches(look, self.text, at) {
                true => next,
                false => Next::Back,
            },
            Instruction::Split(first, second) => {
                self.branch(second, at);
                Next::At(first, at)
            }
            Instruction::Jump(target) => Next::At(target, at),
            Instruction::Save(slot) => {
                self.put(slot, at);
                next
            }
            Instruction::Zero(slot) => {
                self.put(slot, 0);
                next
            }
            Instruction::Increment(slot) => {
                self.put(slot, self.slots[slot] + 1);
                next
            }
            Instruction::Count(slot, bounds, end) => self.count(slot, bounds, end, (place, at)),
            Instruction::Look(slot, otherwise) => {
                let height = self.pending.len();
                if let Some(place) = otherwise {
                    self.branch(place, at);
                }
                self.put(slot, height);
                self.put(slot + 1, at);
                next
            }
            Instruction::Back(count) => match back(self.text, at, count) {
                Some(at) => Next::At(place + 1, at),
                None => Next::Back,
            },
            Instruction::Found(slot) => {
                self.drop_branches(self.slots[slot]);
                Next::At(place + 1, self.slots[slot + 1])
            }
            Instruction::Refuse(slot) => {
                self.drop_branches(self.slots[slot]);
                Next::Back
            }
            Instruction::Match if self.is_whole && at < self.text.len() => Next::Back,
            Instruction::Match => Next::Matched,
        }
    }

    fn count(
        &mut self,
        slot: usize,
        bounds: Bounds,
        end: usize,
        (place, at): (usize, usize),
    ) -> Next {
        let count = self.slots[slot];
        if count < bounds.least as usize {
            return Next::At(place + 1, at);
        }
        if bounds.most.is_some_and(|most| count >= most as usize) {
            return Next::At(end, at);
        }
        let (first, second) = match bounds.is_greedy {
            true => (place + 1, end),
            false => (end, place + 1),
        };
        self.branch(second, at);
        Next::At(first, at)
    }

    fn branch(&mut self, place: usize, at: usize) {
        self.pending.push(Pending::Branch(place as u32, at));
    }

    fn put(&mut self, slot: usize, value: usize) {
        let old = std::mem::replace(&mut self.slots[slot], value);
        self.pending.push(Pending::Undo(slot as u32, old));
    }

    fn go_back(&mut self) -> Option<(usize, usize)> {
        loop {
            match self.pending.pop()? {
                Pending::Branch(place, at) => return Some((place as usize, at)),
                Pending::Undo(slot, old) => self.slots[slot as usize] = old,
            }
        }
    }

    /// Drops the choices above a height. Slots can still be put back.
    fn drop_branches(&mut self, height: usize) {
        let mut kept = height;
        for index in height..self.pending.len() {
            if let Pending::Undo(..) = self.pending[index] {
                self.pending.swap(kept, index);
                kept += 1;
            }
        }
        self.pending.truncate(kept);
    }

    fn groups(&self) -> Groups {
        let range = |slots: &[usize]| match slots {
            &[start, end] if start != NONE && end != NONE => Some(start..end),
            _ => None,
        };
        let slots = self.slots.chunks_exact(2).take(self.program.groups);
        slots.map(range).collect()
    }
}

/// The character at a position, and its bytes.
fn character(text: &[u8], at: usize) -> Option<(char, usize)> {
    let first = *text.get(at)?;
    let length = match first {
        0..0x80 => return Some((char::from(first), 1)),
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let bytes = text.get(at..at + length)?;
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    Some((c, length))
}

/// The position that many characters before this one.
fn back(text: &[u8], at: usize, count: usize) -> Option<usize> {
    let mut at = at;
    for _ in 0..count {
        at -= 1 + text
            .get(..at)?
            .iter()
            .rev()
            .position(|&byte| byte & 0xC0 != 0x80)?;
    }
    Some(at)
}
