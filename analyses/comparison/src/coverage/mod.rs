//! Coverage: the methods, blocks, lines and send sites of a program's own files that were executed, from a profile's
//! counters.
//!
//! The definitions:
//! - A *method* is covered when it was activated. Quick methods and methods whose primitive succeeds are never activated
//!   (counting model, 1); they are covered when a send looked them up, and their count is the number of recordings with such
//!   a send.
//! - A *block* is covered when it was evaluated, if it is a real one. Blocks that the compiler inlines (`ifTrue: […]`) are
//!   known by the sends in them. An inlined block without a send leaves no trace, and is not listed.
//! - A *send site* is covered when its message was sent. Inlined control messages are no sends.
//! - A *line* counts if a method or a real block begins on it or a message is sent from it; it is covered when one of these
//!   happened. A line without any of them, such as `^result` or `a := b`, is neither covered nor uncovered.
//!
//! Statements at top level and first values of class variables run when the program is loaded, not in a test. They are
//! left out.

mod html;
mod json;
mod lcov;
mod outline;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tally_vm::{ContextKind, Detail, Lookup, Recorded, Vm};

pub use json::COVERAGE_SCHEMA;
use outline::{Outline, Routine};

/// The executed code of a program, added up over any number of recordings.
#[derive(Clone, Debug)]
pub struct Coverage {
    outline: Arc<Outline>,
    /// By routine.
    counts: Vec<Counts>,
    recordings: u64,
}

/// The code of a program that was executed for the first time; to be added to another process's [`Coverage`] of the same
/// program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Executed {
    /// Routines, by their numbers.
    counts: Vec<(usize, Counts)>,
    recordings: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    activations: u64,
    /// Recordings in which a send looked it up.
    found: u64,
    blocks: Vec<u64>,
    sites: Vec<u64>,
}

/// How many there are of something, and how many were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Those that were executed.
    pub covered: u64,
    /// All of them.
    pub all: u64,
}

/// Shares of a file, a class or a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Methods.
    pub methods: Share,
    /// Real blocks.
    pub blocks: Share,
    /// Lines with something that is counted.
    pub lines: Share,
    /// Send sites.
    pub sites: Share,
}

/// The counters of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    /// The greatest count on it.
    count: u64,
    /// Whether something on it never happened.
    has_gap: bool,
}

impl Share {
    fn add(&mut self, count: u64) {
        self.all += 1;
        self.covered += u64::from(count > 0);
    }
}

impl Shares {
    fn add_lines(&mut self, lines: &BTreeMap<usize, Line>) {
        lines.values().for_each(|line| self.lines.add(line.count));
    }
}

impl Line {
    fn add(&mut self, count: u64) {
        self.count = self.count.max(count);
        self.has_gap |= count == 0;
    }

    fn is_partial(self) -> bool {
        self.count > 0 && self.has_gap
    }
}

/// Makes the machine count what coverage is made of, from now until [`Coverage::take`].
pub fn watch(vm: &mut Vm) {
    vm.count_everything();
    vm.record_lookups();
    vm.start_profile(Detail {
        sites: true,
        ..Detail::default()
    });
}

impl Coverage {
    /// Empty coverage of the definitions of these files in a machine that has loaded them: the methods of all classes in
    /// them, tests included.
    pub fn new(vm: &Vm, files: &[&str]) -> Coverage {
        let outline = Outline::new(vm, files);
        let none = |routine: &Routine| Counts {
            activations: 0,
            found: 0,
            blocks: vec![0; routine.blocks.len()],
            sites: vec![0; routine.sites.len()],
        };
        Coverage {
            counts: outline.routines.iter().map(none).collect(),
            outline: Arc::new(outline),
            recordings: 0,
        }
    }

    /// Ends the recording that [`watch`] has begun in the machine, or in the machine's original, and adds its counts.
    pub fn take(&mut self, vm: &mut Vm) {
        let recorded = vm.finish_profile();
        let lookups = vm.take_lookups();
        self.add(&recorded, &lookups);
    }

    /// Adds a recording with sites, and the lookups that were made meanwhile. The machine is the one that the files were
    /// loaded by, or a copy of it; methods that it got later are left out.
    pub fn add(&mut self, recorded: &Recorded, lookups: &[Lookup]) {
        self.recordings = self.recordings.saturating_add(1);
        for context in &recorded.contexts {
            match context.kind {
                ContextKind::Method(method) => {
                    if let Some(counts) = self.counts_of(method) {
                        counts.activations = counts.activations.saturating_add(context.calls);
                    }
                }
                ContextKind::Block(method, number) => {
                    let counts = self.counts_of(method);
                    let place = (number as usize).wrapping_sub(1);
                    if let Some(count) = counts.and_then(|c| c.blocks.get_mut(place)) {
                        *count = count.saturating_add(context.calls);
                    }
                }
                ContextKind::Run | ContextKind::Other => {}
            }
        }
        for (site, sends) in &recorded.sites {
            let Some(number) = self.outline.number_of(site.method) else {
                continue;
            };
            let place = self.outline.routines[number].place_of_site(site.index);
            if let Some(count) = place.and_then(|p| self.counts[number].sites.get_mut(p)) {
                *count = count.saturating_add(*sends);
            }
        }
        self.add_lookups(lookups);
    }

    fn add_lookups(&mut self, lookups: &[Lookup]) {
        let sent = lookups.iter().filter(|lookup| lookup.is_sent);
        let found = sent.filter_map(|lookup| lookup.found);
        let mut numbers: Vec<usize> = found.filter_map(|id| self.outline.number_of(id)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let counts = &mut self.counts[number];
            counts.found = counts.found.saturating_add(1);
        }
    }

    fn counts_of(&mut self, method: tally_vm::MethodId) -> Option<&mut Counts> {
        let number = self.outline.number_of(method)?;
        self.counts.get_mut(number)
    }

    /// Adds what another one has that began as a clone of the same; of anything else, nothing.
    pub fn merge(&mut self, other: &Coverage) {
        if !Arc::ptr_eq(&self.outline, &other.outline) {
            return;
        }
        self.recordings = self.recordings.saturating_add(other.recordings);
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.add(theirs);
        }
    }

    /// Takes out what was executed. Nothing is left.
    pub fn take_executed(&mut self) -> Executed {
        let counts = self.counts.iter_mut().enumerate();
        let taken = counts.filter_map(|(number, counts)| Some((number, counts.take()?)));
        Executed {
            counts: taken.collect(),
            recordings: std::mem::take(&mut self.recordings),
        }
    }

    /// Adds what was taken out of another one that began as a clone of the same.
    pub fn add_executed(&mut self, executed: &Executed) {
        self.recordings = self.recordings.saturating_add(executed.recordings);
        for (number, theirs) in &executed.counts {
            if let Some(mine) = self.counts.get_mut(*number) {
                mine.add(theirs);
            }
        }
    }

    /// Shares of the whole program.
    pub fn shares(&self) -> Shares {
        let mut sum = Shares::default();
        for file in 0..self.outline.files.len() {
            let shares = self.shares_of(self.routines_of(file));
            sum = sum.plus(&shares);
        }
        sum
    }

    /// The file's routines, in the order of the text.
    fn routines_of(&self, file: usize) -> impl Iterator<Item = (&Routine, &Counts)> + Clone {
        let range = self.outline.files[file].routines.clone();
        let routines = self.outline.routines[range.clone()].iter();
        routines.zip(&self.counts[range])
    }

    fn shares_of<'c>(
        &self,
        routines: impl Iterator<Item = (&'c Routine, &'c Counts)> + Clone,
    ) -> Shares {
        let mut shares = Shares::default();
        for (routine, counts) in routines.clone() {
            shares.methods.add(counts.of_method(routine));
            counts.blocks.iter().for_each(|&c| shares.blocks.add(c));
            counts.sites.iter().for_each(|&c| shares.sites.add(c));
        }
        shares.add_lines(&lines_of(routines));
        shares
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.activations = self.activations.saturating_add(other.activations);
        self.found = self.found.saturating_add(other.found);
        add_up(&mut self.blocks, &other.blocks);
        add_up(&mut self.sites, &other.sites);
    }

    /// What they are, unless that is nothing; then they are nothing.
    fn take(&mut self) -> Option<Counts> {
        let counted = self.blocks.iter().chain(&self.sites);
        let is_nothing =
            self.activations == 0 && self.found == 0 && counted.copied().all(|count| count == 0);
        if is_nothing {
            return None;
        }
        let nothing = Counts {
            activations: 0,
            found: 0,
            blocks: vec![0; self.blocks.len()],
            sites: vec![0; self.sites.len()],
        };
        Some(std::mem::replace(self, nothing))
    }

    /// How often the method was entered, as far as that is counted.
    fn of_method(&self, routine: &Routine) -> u64 {
        match routine.may_need_no_frame {
            true => self.activations.max(self.found),
            false => self.activations,
        }
    }
}

impl Shares {
    fn plus(&self, other: &Shares) -> Shares {
        let sum = |a: Share, b: Share| Share {
            covered: a.covered + b.covered,
            all: a.all + b.all,
        };
        Shares {
            methods: sum(self.methods, other.methods),
            blocks: sum(self.blocks, other.blocks),
            lines: sum(self.lines, other.lines),
            sites: sum(self.sites, other.sites),
        }
    }
}

fn add_up(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}

/// The lines of which something is known.
fn lines_of<'c>(
    routines: impl Iterator<Item = (&'c Routine, &'c Counts)>,
) -> BTreeMap<usize, Line> {
    let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
    for (routine, counts) in routines {
        let count = counts.of_method(routine);
        lines.entry(routine.line).or_default().add(count);
        for (block, &count) in routine.blocks.iter().zip(&counts.blocks) {
            lines.entry(block.line).or_default().add(count);
        }
        for (site, &count) in routine.sites.iter().zip(&counts.sites) {
            lines.entry(site.line).or_default().add(count);
        }
    }
    lines
}
