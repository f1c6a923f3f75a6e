//! All states of a program, breadth first. States are numbered by their parents' numbers and by the choices there. Numbers, and
//! everything that is reported of them, therefore do not depend on the number of threads.

use std::ops::Range;

use crate::coding::{Numbers, push_number};
use crate::disk::{Disk, Spill, StorageError};
use crate::expansion::{Expander, MOST_CHOICES, SLICES, Slice, Successor, expand_known};
use crate::pages::{Paged, Texts};
use crate::policy::Policy;
use crate::program::{Program, Start};
use crate::seen::Seen;
use crate::state::{Delivery, Scratch, State};
use crate::tables::{NONE, Tables};

/// How to explore, and when to stop.
#[derive(Debug, Clone)]
pub struct Options {
    /// The order of messages.
    pub delivery: Delivery,
    /// What the user says of the order of messages.
    pub policy: Policy,
    /// The most states.
    pub max_states: u32,
    /// The most actors in a state.
    pub max_actors: u32,
    /// The most pending messages in a state. No state can have more than 65,536.
    pub max_pending: u32,
    /// The most bytes for whole states and for the transitions between them. Above it, fingerprints alone are kept: cycles are not
    /// looked for, and costs and trees are not known.
    pub max_graph: usize,
    /// Where states may be kept that find no room in memory. None if memory has to suffice.
    pub spill: Option<Spill>,
    /// The number of threads.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            delivery: Delivery::default(),
            policy: Policy::default(),
            max_states: 10_000_000,
            max_actors: 10_000,
            max_pending: 10_000,
            max_graph: 2 << 30,
            spill: None,
            threads: 1,
        }
    }
}

impl Options {
    /// The most pending messages of a state that is expanded.
    fn most_pending(&self) -> u32 {
        self.max_pending.min(MOST_CHOICES)
    }
}

/// Why an exploration stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// There are more states than allowed.
    States,
    /// A state has more actors than allowed.
    Actors,
    /// A state has more pending messages than allowed.
    Pending,
    /// The caller stopped the exploration.
    Stopped,
    /// A file of states cannot be used: see [`Space::storage_error`].
    Storage,
}

/// How far an exploration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The states that were found.
    pub states: u64,
    /// The transitions that were found.
    pub transitions: u64,
    /// The turns from the start to the states that are expanded.
    pub level: u32,
    /// The states that are not yet expanded.
    pub waiting: u64,
    /// Whether the states are in files.
    pub is_spilled: bool,
    /// How many more states there are if levels go on to shrink as the last one did. None if it did not.
    pub expected: Option<u64>,
}

/// All states of a program.
#[derive(Debug)]
pub struct Space {
    pub(crate) start: State,
    pub(crate) delivery: Delivery,
    pub(crate) policy: Policy,
    pub(crate) tables: Tables,
    pub(crate) seen: Seen,
    pub(crate) parents: Paged<u32>,
    /// The choice at the parent, which is below [`MOST_CHOICES`].
    pub(crate) choices: Paged<u16>,
    /// The first state of each level.
    pub(crate) levels: Vec<u32>,
    /// The end of the last one.
    level_end: u32,
    pub(crate) transitions: u64,
    /// Transitions that lost messages, because their target was disposed.
    pub(crate) lossy: u64,
    /// Whether two messages could arrive at one actor in either order.
    pub(crate) has_conflicts: bool,
    /// States without a successor, and their bytes.
    pub(crate) finals: Vec<u32>,
    pub(crate) final_states: Texts,
    pub(crate) vectors: Texts,
    /// The successors of each expanded state, while they are kept.
    pub(crate) edges: Option<Texts>,
    pub(crate) expanded: u32,
    pub(crate) limit: Option<Limit>,
    /// The states, if they are in files, and what went wrong there.
    pub(crate) disk: Option<Box<Disk>>,
    pub(crate) storage_error: Option<StorageError>,
    /// What the files belong to.
    pub(crate) key: String,
    /// The level at which the exploration went on, if an earlier one was interrupted.
    pub(crate) resumed: Option<u32>,
    /// The number of states at which the memory is looked at next.
    pub(crate) next_look: u32,
}

/// States that one thread expands at a time.
const SLICE: u32 = 64;

/// How many slices are expanded together. One thread hears of a request to stop after each slice.
fn slices(threads: usize) -> usize {
    if threads > 1 { SLICES * threads } else { 1 }
}

/// The states that are expanded together.
pub(crate) fn batch(threads: usize) -> u32 {
    slices(threads) as u32 * SLICE
}

impl Space {
    /// Explores a program. `watch` hears of the progress now and then, and stops the exploration by `false`. The exploration begins again if
    /// results show names that its states do not distinguish: see `Tables::confuse_names`.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub fn explore<P: Program>(
        program: &mut P,
        start: &Start,
        options: &Options,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Space, P::Error> {
        let mut space = Space::explore_with(program, start, options, false, watch)?;
        if !space.tables.confuse_names() {
            return Ok(space);
        }
        space.forget_files();
        drop(space);
        // The fingerprints of the first exploration do not distinguish enough states.
        Space::explore_with(program, start, options, true, watch)
    }

    /// Explores a program, or its beginning if the tables confuse names.
    fn explore_with<P: Program>(
        program: &mut P,
        start: &Start,
        options: &Options,
        has_creations: bool,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Space, P::Error> {
        let mut space = Space::begun(program, start, options, has_creations)?;
        let mut expanders = vec![Expander::default(); options.threads.max(1)];
        while space.limit.is_none() && space.expanded < space.found() {
            let level = space.expanded..space.found();
            space.levels.push(level.start);
            space.level_end = level.end;
            while space.limit.is_none() && space.expanded < level.end {
                if !watch(space.progress()) {
                    space.limit = Some(Limit::Stopped);
                    break;
                }
                let batch = space.read(space.expanded..level.end, expanders.len());
                space.expand(program, &mut expanders, batch, options)?;
                if space.tables.confuse_names() {
                    return Ok(space);
                }
                space.spill_if_short(level.end, options);
            }
            space.keep_within(options.max_graph, usize::MAX);
            space.end_level(options);
        }
        if space.limit.is_none() {
            space.forget_files();
        }
        Ok(space)
    }

    /// Expands the first states of a level.
    fn expand<P: Program>(
        &mut self,
        program: &mut P,
        expanders: &mut [Expander],
        level: Range<u32>,
        options: &Options,
    ) -> Result<(), P::Error> {
        let threads = expanders.len();
        let starts = level.clone().step_by(SLICE as usize).take(slices(threads));
        let slices: Vec<Range<u32>> = starts
            .map(|start| start..level.end.min(start + SLICE))
            .collect();
        let most = options.most_pending();
        let mut known = Vec::new();
        if slices.len() > threads && threads > 1 {
            known = expand_known(expanders, self, &slices, most);
        }
        let mut known = known.into_iter();
        for (place, slice) in slices.into_iter().enumerate() {
            let Range { start, end } = slice;
            let slice = match known.next().flatten() {
                Some(slice) => slice,
                None => expanders[0].expand(self, program, slice, most)?,
            };
            self.add(start, &slice, options);
            expanders[place % threads].reuse(slice);
            // A slice whose successors take much memory ends early.
            if self.limit.is_some() || self.expanded < end {
                break;
            }
        }
        Ok(())
    }

    /// The state at the start.
    pub(crate) fn start(start: &Start, options: &Options, has_creations: bool) -> Space {
        let delivery = options.delivery;
        let has_senders = delivery.has_senders();
        let mut tables = Tables::new(start, &options.policy, has_senders, has_creations);
        let (actors, pending) = tables.start(start);
        let state = State::start(actors, pending, delivery);
        let mut space = Space {
            delivery,
            seen: Seen::default(),
            parents: Paged::default(),
            choices: Paged::default(),
            levels: Vec::new(),
            level_end: 0,
            transitions: 0,
            lossy: 0,
            has_conflicts: false,
            finals: Vec::new(),
            final_states: Texts::default(),
            vectors: Texts::default(),
            edges: Some(Texts::default()),
            expanded: 0,
            limit: None,
            disk: None,
            storage_error: None,
            key: String::new(),
            resumed: None,
            next_look: 0,
            tables,
            policy: options.policy.clone(),
            start: state.clone(),
        };
        let fingerprint = state.fingerprint(delivery, &space.tables, &mut Scratch::default());
        let mut bytes = Vec::new();
        state.encode(&mut bytes);
        space.seen.insert(fingerprint);
        space.vectors.push(&bytes);
        space.parents.push(NONE);
        space.choices.push(0);
        space
    }

    /// Adds the successors of a slice of states.
    fn add(&mut self, first: u32, slice: &Slice, options: &Options) {
        let mut successors = slice.successors.iter();
        let mut bytes = Vec::new();
        for (parent, count) in (first..).zip(&slice.counts) {
            bytes.clear();
            push_number(*count, &mut bytes);
            for (choice, successor) in successors.by_ref().take(*count as usize).enumerate() {
                let state = &slice.bytes[successor.start as usize..successor.end as usize];
                match self.disk {
                    Some(_) => self.offer(parent, choice as u16, successor, state),
                    None => {
                        let number = self.number(parent, choice as u16, successor, state);
                        push_number(number, &mut bytes);
                    }
                }
            }
            if *count == 0 {
                self.add_final(parent);
            }
            if let Some(edges) = &mut self.edges {
                edges.push(&bytes);
            }
            self.expanded = parent + 1;
            self.transitions += u64::from(*count);
        }
        self.lossy += slice.lossy;
        self.has_conflicts |= slice.has_conflicts;
        self.limit = self.limit.or(self.exceeded(slice, options));
    }

    /// The number of a successor, which is a new one if it was not found before.
    fn number(&mut self, parent: u32, choice: u16, successor: &Successor, state: &[u8]) -> u32 {
        let found = match successor.number {
            NONE => self.seen.find(successor.fingerprint),
            number => Some(number),
        };
        found.unwrap_or_else(|| {
            self.vectors.push(state);
            self.parents.push(parent);
            self.choices.push(choice);
            self.seen.insert(successor.fingerprint)
        })
    }

    fn exceeded(&self, slice: &Slice, options: &Options) -> Option<Limit> {
        if self.states() > u64::from(options.max_states) {
            return Some(Limit::States);
        }
        if slice.most_actors > options.max_actors {
            return Some(Limit::Actors);
        }
        (slice.most_pending > options.most_pending()).then_some(Limit::Pending)
    }

    /// Frees what is not needed to go on, if the graph takes more bytes than the first number, or all states more than the second one.
    pub(crate) fn keep_within(&mut self, most: usize, most_of_all: usize) {
        let edges = self.edges.as_ref().map_or(0, Texts::bytes);
        if self.vectors.bytes() + edges > most || self.bytes() > most_of_all {
            self.edges = None;
        }
        if self.edges.is_none() && (self.expanded as usize) < self.vectors.len() {
            self.vectors.forget(self.expanded as usize);
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.states(),
            transitions: self.transitions,
            level: self.levels.len() as u32 - 1,
            waiting: self.states() - u64::from(self.expanded),
            is_spilled: self.disk.is_some(),
            expected: self.expected(),
        }
    }

    /// The sum of a geometric series: the sizes of the last two levels decide its ratio.
    fn expected(&self) -> Option<u64> {
        let [.., before, level] = self.levels.as_slice() else {
            return None;
        };
        let next = self.level_end;
        let (before, last) = (u64::from(level - before), u64::from(next - level));
        let shrinks_by = before.checked_sub(last).filter(|less| *less > 0)?;
        Some(last.saturating_mul(last) / shrinks_by)
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        u64::from(self.found())
    }

    /// The number of transitions. Of equal messages to one actor, one counts.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The order of messages.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Why the exploration stopped, if it did not reach its end.
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// The memory of states and transitions in bytes, without the tables of turns.
    pub fn bytes(&self) -> usize {
        let graph = self.vectors.bytes() + self.edges.as_ref().map_or(0, Texts::bytes);
        let files = self.disk.as_ref().map_or(0, |disk| disk.memory());
        self.seen.bytes() + self.parents.bytes() + self.choices.bytes() + graph + files
    }

    /// Whether whole states and transitions are kept.
    pub fn has_graph(&self) -> bool {
        self.edges.is_some()
    }

    /// Becomes a state that is kept.
    pub(crate) fn load(&self, number: u32, state: &mut State) {
        state.decode(self.vector(number));
    }

    /// A final state, by its place in `finals`.
    pub(crate) fn final_state(&self, place: usize) -> State {
        let mut state = State::default();
        state.decode(self.final_states.get(place));
        state
    }

    /// The successors of a state, by choice. None if they are not kept or the state is not expanded.
    pub(crate) fn successors(&self, number: u32, found: &mut Vec<u32>) {
        found.clear();
        let Some(edges) = self.edges.as_ref().filter(|_| number < self.expanded) else {
            return;
        };
        let mut numbers = Numbers(edges.get(number as usize));
        let count = numbers.next();
        found.extend((0..count).map(|_| numbers.next()));
    }

    /// The choices from the start to a state, on the path by which it was found.
    pub(crate) fn path(&mut self, number: u32) -> Vec<u32> {
        if let Some(disk) = &mut self.disk {
            let path = disk.path(number, NONE);
            return self.stored(path).unwrap_or_default();
        }
        let mut choices = Vec::new();
        let mut next = number;
        while let Some((parent, choice)) = self.parent(next) {
            choices.push(choice);
            next = parent;
        }
        choices.reverse();
        choices
    }

    /// The state from which a state was found, and the choice there.
    pub(crate) fn parent(&self, number: u32) -> Option<(u32, u32)> {
        let parent = self.parents.get(number as usize);
        let choice = self.choices.get(number as usize);
        (parent != NONE).then_some((parent, u32::from(choice)))
    }
}
