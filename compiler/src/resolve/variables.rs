//! Notes on a routine's variables, taken while its text is walked. At the end the notes answer two questions: does the
//! variable need a cell, and must it start as nil?
//!
//! A *moment* is a step of the walk, which follows the order of evaluation. A *region* is a piece of text that is
//! evaluated as a whole or not at all: a routine, a real block, one side of an inlined conditional. The *loops* of a
//! location are the numbers of the inlined loops around it, outermost first.

use super::tree::{FunctionId, Variable, VariableId};
use crate::syntax::ast::Span;

/// The kind of a variable in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An argument of a method, a block or an inlined block: never assigned.
    Argument,
    /// A temporary that was declared.
    Temporary,
    /// A variable of a script that an assignment made.
    Undeclared,
}

/// The notes on a variable so far.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) role: Role,
    pub(crate) owner: FunctionId,
    region: u32,
    loops: usize,
    occurred: bool,
    pub(crate) is_read: bool,
    starts_nil: bool,
    assigned_in_block: bool,
    assignments: Vec<Occurrence>,
    captures: Vec<Occurrence>,
}

#[derive(Debug)]
struct Occurrence {
    moment: u32,
    /// The loops around it that are not around the declaration.
    loops: Vec<u32>,
}

/// The location that the walk has reached.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) moment: u32,
    /// The open regions, innermost last.
    pub(crate) regions: Vec<u32>,
    /// The open loops, innermost last.
    pub(crate) loops: Vec<u32>,
    opened: u32,
}

impl Walk {
    /// Takes a new moment.
    pub(crate) fn step(&mut self) -> u32 {
        self.moment += 1;
        self.moment
    }

    /// Enters a region; leave it by popping `regions`.
    pub(crate) fn enter_region(&mut self) {
        self.opened += 1;
        self.regions.push(self.opened);
    }

    /// Enters an inlined loop; leave it by popping `loops`.
    pub(crate) fn enter_loop(&mut self) {
        self.opened += 1;
        self.loops.push(self.opened);
    }

    fn region(&self) -> u32 {
        self.regions.last().copied().unwrap_or(0)
    }
}

impl Notes {
    /// A variable that is declared at this place.
    pub(crate) fn new(name: &str, span: Span, role: Role, owner: FunctionId, walk: &Walk) -> Notes {
        // A script's variable belongs to the whole script, for every location of its first assignment.
        let outermost = role == Role::Undeclared;
        Notes {
            name: name.to_owned(),
            span,
            role,
            owner,
            region: if outermost { 0 } else { walk.region() },
            loops: if outermost { 0 } else { walk.loops.len() },
            occurred: false,
            is_read: false,
            starts_nil: false,
            assigned_in_block: false,
            assignments: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// Notes that the variable is read; `captured` if that happens in a real block inside its owner.
    pub(crate) fn read(&mut self, captured: bool, walk: &Walk) {
        self.is_read = true;
        if !self.occurred {
            self.occurred = true;
            self.starts_nil = self.role != Role::Argument;
        }
        if captured {
            let occurrence = self.occurrence(walk.moment, walk);
            self.captures.push(occurrence);
        }
    }

    /// Notes that the variable is assigned, once the value has been walked.
    pub(crate) fn assign(&mut self, captured: bool, walk: &mut Walk) {
        let moment = walk.step();
        if !self.occurred {
            self.occurred = true;
            self.starts_nil = walk.region() != self.region;
        }
        let occurrence = self.occurrence(moment, walk);
        self.assignments.push(occurrence);
        if captured {
            self.assigned_in_block = true;
            let occurrence = self.occurrence(moment, walk);
            self.captures.push(occurrence);
        }
    }

    fn occurrence(&self, moment: u32, walk: &Walk) -> Occurrence {
        Occurrence {
            moment,
            loops: walk.loops.get(self.loops..).unwrap_or_default().to_vec(),
        }
    }

    /// Whether the variable is neither read nor assigned.
    pub(crate) fn is_unused(&self) -> bool {
        !self.occurred
    }

    /// Copying is enough if the variable cannot change once a block has captured it. That has three conditions: no real
    /// block assigns it, all assignments come before the first capture in the text, and no loop leads from a capture
    /// back to an assignment.
    fn needs_cell(&self) -> bool {
        let Some(first) = self.captures.iter().map(|capture| capture.moment).min() else {
            return false;
        };
        self.assigned_in_block
            || self.assignments.iter().any(|assignment| {
                assignment.moment > first
                    || self
                        .captures
                        .iter()
                        .any(|capture| shares_loop(capture, assignment))
            })
    }

    /// The settled variable.
    pub(crate) fn settle(&self) -> Variable {
        let in_cell = self.needs_cell();
        Variable {
            in_cell,
            starts_nil: self.starts_nil || in_cell,
            assigned_at: self
                .assignments
                .iter()
                .map(|occurrence| occurrence.moment)
                .collect(),
        }
    }
}

/// Both lie in a loop that the declaration lies outside of: then they share the outermost such loop.
fn shares_loop(one: &Occurrence, other: &Occurrence) -> bool {
    one.loops
        .first()
        .is_some_and(|first| other.loops.first() == Some(first))
}

/// Index of a variable in a routine's notes.
pub(crate) fn index(id: VariableId) -> usize {
    id.0 as usize
}
