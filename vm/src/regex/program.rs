//! The program that a matcher executes for a regular expression that looks around itself.

use std::collections::HashMap;

use regex_automata::util::look;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{self, Hir, HirKind};

use super::tree::{Bounds, Condition, GroupKind, Look, Node};

/// An instruction. Places are indices of instructions. Slots hold positions of groups, counts of repetitions, and the
/// state at the beginning of a look around.
#[derive(Debug)]
pub(super) enum Instruction {
    /// A character of the class with this index.
    One(usize),
    Check(look::Look),
    /// Goes on at the first place, and at the second one if that leads to no match.
    Split(usize, usize),
    Jump(usize),
    /// Puts the position into a slot.
    Save(usize),
    /// Puts 0 into a slot.
    Zero(usize),
    /// Adds 1 to a slot.
    Increment(usize),
    /// Decides by the count in a slot whether a repetition follows, which is the next instruction, or the place behind
    /// all repetitions.
    Count(usize, Bounds, usize),
    /// Begins a look around. Its state goes to this slot and the next one. If the look is negated, matching goes on at
    /// the place when what follows does not match.
    Look(usize, Option<usize>),
    /// Goes that many characters back.
    Back(usize),
    /// What is looked for is there: goes on at the position where the look began.
    Found(usize),
    /// What must not be there is there.
    Refuse(usize),
    Match,
}

/// Characters that match.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// A bit for each character of ASCII.
    ascii: u128,
    ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn has(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let after = self.ranges.partition_point(|&(low, _)| low <= c);
        let range = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        range.is_some_and(|&(_, high)| c <= high)
    }

    /// The class that the engine would make of a text.
    fn new(text: &str, ignores_case: bool) -> Option<Class> {
        let mut parser = ParserBuilder::new().case_insensitive(ignores_case).build();
        let ranges = ranges_of(&parser.parse(text).ok()?)?;
        let has = |c: char| ranges.iter().any(|&(low, high)| (low..=high).contains(&c));
        let bit = |c: u8| u128::from(has(char::from(c))) << c;
        let ascii = (0..128).fold(0, |bits, c| bits | bit(c));
        Some(Class { ascii, ranges })
    }
}

fn ranges_of(hir: &Hir) -> Option<Vec<(char, char)>> {
    match hir.kind() {
        HirKind::Literal(hir::Literal(bytes)) => {
            let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
            Some(vec![(c, c)])
        }
        HirKind::Class(hir::Class::Unicode(class)) => {
            let ranges = class.iter().map(|range| (range.start(), range.end()));
            Some(ranges.collect())
        }
        HirKind::Class(hir::Class::Bytes(class)) => {
            let ranges = class.iter();
            let ranges = ranges.map(|range| (char::from(range.start()), char::from(range.end())));
            Some(ranges.collect())
        }
        _ => None,
    }
}

/// The greatest number of ranges in all classes.
const MOST_RANGES: usize = 1 << 19;

/// Why there is no program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    TooComplex,
    /// What a look behind searches has matches of different lengths.
    LengthsDiffer,
}

/// What a matcher executes.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Instruction>,
    pub(super) classes: Vec<Class>,
    pub(super) slots: usize,
    /// Groups, the whole among them. Their slots come first, two each.
    pub(super) groups: usize,
}

impl Program {
    pub(super) fn new(tree: &Node, ignores_case: bool) -> Result<Program, Unfit> {
        let groups = tree.groups() + 1;
        let mut writer = Writer {
            program: Program {
                slots: 2 * groups,
                groups,
                ..Program::default()
            },
            ignores_case,
            known: HashMap::new(),
            ranges: 0,
            next_group: 1,
        };
        writer.program.code.push(Instruction::Save(0));
        writer.node(tree)?;
        writer.program.code.push(Instruction::Save(1));
        writer.program.code.push(Instruction::Match);
        Ok(writer.program)
    }
}

struct Writer {
    program: Program,
    ignores_case: bool,
    /// Classes by their texts.
    known: HashMap<String, usize>,
    ranges: usize,
    next_group: usize,
}

impl Writer {
    fn here(&self) -> usize {
        self.program.code.len()
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        self.program.code.push(instruction);
        self.here() - 1
    }

    /// Puts an instruction in the place of one that was not complete.
    fn complete(&mut self, place: usize, instruction: Instruction) {
        self.program.code[place] = instruction;
    }

    fn slot(&mut self) -> usize {
        self.program.slots += 1;
        self.program.slots - 1
    }

    fn node(&mut self, node: &Node) -> Result<(), Unfit> {
        match node {
            Node::Character(_) => self.class(node.to_string())?,
            Node::Class(text) => self.class(text.clone())?,
            Node::Condition(condition) => {
                self.push(Instruction::Check(look_of(*condition)));
            }
            Node::Sequence(parts) => parts.iter().try_for_each(|part| self.node(part))?,
            Node::Choice(parts) => self.choice(parts, |writer, part| writer.node(part))?,
            Node::Repeat(part, bounds) => self.repeat(part, *bounds)?,
            Node::Group(GroupKind::Plain, part) => self.node(part)?,
            Node::Group(GroupKind::Capturing, part) => {
                let slot = 2 * self.next_group;
                self.next_group += 1;
                self.push(Instruction::Save(slot));
                self.node(part)?;
                self.push(Instruction::Save(slot + 1));
            }
            Node::Group(GroupKind::Look(look), part) => self.look(*look, part)?,
        }
        Ok(())
    }

    fn class(&mut self, text: String) -> Result<(), Unfit> {
        let index = match self.known.get(&text) {
            Some(&index) => index,
            None => {
                let class = Class::new(&text, self.ignores_case).ok_or(Unfit::TooComplex)?;
                self.ranges += class.ranges.len();
                if self.ranges > MOST_RANGES {
                    return Err(Unfit::TooComplex);
                }
                self.program.classes.push(class);
                self.known.insert(text, self.program.classes.len() - 1);
                self.program.classes.len() - 1
            }
        };
        self.push(Instruction::One(index));
        Ok(())
    }

    fn choice(
        &mut self,
        parts: &[Node],
        mut write: impl FnMut(&mut Writer, &Node) -> Result<(), Unfit>,
    ) -> Result<(), Unfit> {
        let mut ends = Vec::new();
        let Some((last, others)) = parts.split_last() else {
            return Ok(());
        };
        for part in others {
            let split = self.push(Instruction::Match);
            write(self, part)?;
            ends.push(self.push(Instruction::Match));
            let next = self.here();
            self.complete(split, Instruction::Split(split + 1, next));
        }
        write(self, last)?;
        let end = self.here();
        for place in ends {
            self.complete(place, Instruction::Jump(end));
        }
        Ok(())
    }

    /// A choice between going on with the next instruction and a later place.
    fn split(&mut self, place: usize, later: usize, is_greedy: bool) {
        self.complete(
            place,
            match is_greedy {
                true => Instruction::Split(place + 1, later),
                false => Instruction::Split(later, place + 1),
            },
        );
    }

    fn repeat(&mut self, part: &Node, bounds: Bounds) -> Result<(), Unfit> {
        match (bounds.least, bounds.most) {
            (0, Some(1)) => {
                let place = self.push(Instruction::Match);
                self.node(part)?;
                let end = self.here();
                self.split(place, end, bounds.is_greedy);
            }
            (0, None) => {
                let place = self.push(Instruction::Match);
                self.node(part)?;
                self.push(Instruction::Jump(place));
                let end = self.here();
                self.split(place, end, bounds.is_greedy);
            }
            (1, None) => {
                let first = self.here();
                self.node(part)?;
                let place = self.push(Instruction::Match);
                let behind = place + 1;
                self.complete(
                    place,
                    match bounds.is_greedy {
                        true => Instruction::Split(first, behind),
                        false => Instruction::Split(behind, first),
                    },
                );
            }
            _ => {
                let slot = self.slot();
                self.push(Instruction::Zero(slot));
                let place = self.push(Instruction::Match);
                self.push(Instruction::Increment(slot));
                self.node(part)?;
                self.push(Instruction::Jump(place));
                let end = self.here();
                self.complete(place, Instruction::Count(slot, bounds, end));
            }
        }
        Ok(())
    }

    fn look(&mut self, look: Look, part: &Node) -> Result<(), Unfit> {
        let slot = self.slot();
        self.slot();
        let begin = self.push(Instruction::Match);
        match look.is_behind {
            true => self.look_behind(part)?,
            false => self.node(part)?,
        }
        self.push(match look.is_negated {
            true => Instruction::Refuse(slot),
            false => Instruction::Found(slot),
        });
        let end = self.here();
        self.complete(
            begin,
            Instruction::Look(slot, look.is_negated.then_some(end)),
        );
        Ok(())
    }

    /// Goes back as far as matches are long. Alternatives may differ in their lengths.
    fn look_behind(&mut self, part: &Node) -> Result<(), Unfit> {
        match part {
            Node::Group(GroupKind::Plain, part) => self.look_behind(part),
            Node::Choice(parts) => self.choice(parts, Writer::behind),
            part => self.behind(part),
        }
    }

    fn behind(&mut self, part: &Node) -> Result<(), Unfit> {
        let length = part.length().ok_or(Unfit::LengthsDiffer)?;
        self.push(Instruction::Back(length));
        self.node(part)
    }
}

fn look_of(condition: Condition) -> look::Look {
    match condition {
        Condition::LineStart => look::Look::StartCRLF,
        Condition::LineEnd => look::Look::EndCRLF,
        Condition::WordBoundary => look::Look::WordUnicode,
        Condition::NoWordBoundary => look::Look::WordUnicodeNegate,
        Condition::WordStart => look::Look::WordStartUnicode,
        Condition::WordEnd => look::Look::WordEndUnicode,
    }
}
