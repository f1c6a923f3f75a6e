//! Profiles of pieces of a run, which the program itself requests. A piece holds the counts below one context since an
//! earlier reading. Recursion does not fold across the location where a piece begins. So the profile of a piece looks
//! as if the piece were the whole run.

use hashbrown::HashMap;

use crate::base::MethodId;
use crate::machine::Vm;
use crate::observers::{
    CountedPiece, Counts, Detail, EdgeCounts, Piece, Recorder, Section, Tally, tree,
};

impl Vm {
    /// Begins to record a piece of the run and answers its number. If the recording needs a different copy of the loop,
    /// `mode_changed` is set.
    pub(crate) fn begin_section(&mut self, is_counting: bool) -> u64 {
        if !self.is_profiling() {
            self.start_profile(Detail::default());
            self.observers.sections_own_recorder = true;
            self.run.mode_changed = true;
        }
        let counting = is_counting.then(|| self.begin_counting());
        let number = self.fresh_serial();
        if let Some(earlier) = self.counts_so_far() {
            self.observers.sections.push(Section {
                number,
                earlier,
                root: None,
                counting,
            });
        }
        number
    }

    /// Notes that the activations below the frame are the piece of the run.
    pub(crate) fn enter_section(&mut self, number: u64, frame: usize) {
        let edge = self.running.frame_code(frame) as usize;
        let now = self.counters_now();
        let section = self
            .observers
            .sections
            .iter_mut()
            .find(|s| s.number == number);
        if let (Some(section), Some(recorder)) = (section, &mut self.observers.recorder) {
            let root = recorder.tree.edges[edge].context;
            recorder.tree.begin_anew_below(root);
            section.root = Some(root);
            if let Some(counting) = &mut section.counting {
                counting.start = now;
                self.observers.depth_gauge =
                    Some(crate::observers::DepthGauge::new(number, self.running.id));
            }
        }
    }

    /// Drops the open pieces: a new run begins, and their ends will not come.
    pub(crate) fn abandon_sections(&mut self) {
        for section in std::mem::take(&mut self.observers.sections) {
            self.end_counting(section.counting.is_some());
        }
        if std::mem::take(&mut self.observers.sections_own_recorder) {
            self.finish_profile();
        }
    }

    /// Ends a piece and answers its counts. With the last piece the recorder goes off, if it was turned on for pieces.
    pub(crate) fn end_section(&mut self, number: u64) -> Piece {
        let found = self.finish_section(number, |_, piece, _, _| piece);
        found.unwrap_or_default()
    }

    /// As [`Vm::end_section`], of a counted evaluation; nothing if it was not evaluated, or in the midst of silent code.
    pub(crate) fn end_counted_section(&mut self, number: u64) -> Option<CountedPiece> {
        self.finish_section(number, |vm, piece, section, (counts, root)| {
            let counting = section.counting.as_ref()?;
            vm.counted_piece(piece, counting, number, &counts, root)
        })?
    }

    fn finish_section<R>(
        &mut self,
        number: u64,
        tell: impl FnOnce(&Vm, Piece, &Section, (Counts, u32)) -> R,
    ) -> Option<R> {
        let place = self
            .observers
            .sections
            .iter()
            .position(|s| s.number == number)?;
        let section = self.observers.sections.remove(place);
        let counts = self.counts_so_far();
        let told = match (counts, &self.observers.recorder, section.root) {
            (Some(counts), Some(recorder), Some(root)) => {
                let counts = counts.since(Some(&section.earlier));
                let piece = piece(recorder, &counts, root);
                Some(tell(self, piece, &section, (counts, root)))
            }
            _ => None,
        };
        self.end_counting(section.counting.is_some());
        if self.observers.sections.is_empty()
            && std::mem::take(&mut self.observers.sections_own_recorder)
        {
            self.finish_profile();
            self.run.mode_changed = true;
        }
        told
    }
}

/// Counts of one context.
#[derive(Clone, Copy, Default)]
struct Row {
    calls: u64,
    own: u64,
    total: u64,
}

/// The counts below a context.
fn piece(recorder: &Recorder, counts: &Counts, root: u32) -> Piece {
    let tree = &recorder.tree;
    let is_below = below(tree, root);
    let mut rows = vec![Row::default(); tree.contexts.len()];
    let mut piece = Piece {
        is_complete: !tree.is_full,
        ..Piece::default()
    };
    for (number, edge) in tree.edges.iter().enumerate().skip(1) {
        let EdgeCounts { calls, total, .. } = counts.of_edge(number);
        let (from, to) = (tree.from[number] as usize, edge.context as usize);
        if !is_below[to] {
            continue;
        }
        rows[to].calls = rows[to].calls.wrapping_add(calls);
        rows[to].own = rows[to].own.wrapping_add(total);
        if is_below[from] {
            rows[from].own = rows[from].own.wrapping_sub(total);
        }
        let callee = tree.row(edge.context);
        let caller = is_below[from].then(|| MethodId(tree.row(tree.from[number]).method));
        if calls > 0 {
            let sums = piece.calls.entry((caller, MethodId(callee.method)));
            let sum = &mut sums.or_default()[usize::from(callee.is_block)];
            *sum = sum.wrapping_add(calls);
        }
    }
    // Contexts come after their parents.
    for context in (0..rows.len()).rev().filter(|&context| is_below[context]) {
        rows[context].total = rows[context].total.wrapping_add(rows[context].own);
        let parent = tree.contexts[context].parent as usize;
        rows[parent].total = rows[parent].total.wrapping_add(rows[context].total);
    }
    Tallying {
        tree,
        rows: &rows,
        is_below: &is_below,
        piece: &mut piece,
    }
    .walk(root);
    piece.tallies.retain(|_, tally| *tally != Tally::default());
    piece
}

/// By context: whether it is below the root, and not the root itself. Contexts that are no activations are not shown.
pub(super) fn below(tree: &tree::Tree, root: u32) -> Vec<bool> {
    let mut is_below = vec![false; tree.contexts.len()];
    for (number, row) in (0u32..).zip(&tree.contexts) {
        let is_inside = row.parent == root || is_below[row.parent as usize];
        is_below[number as usize] = number > tree::OTHER && !row.is_quick && is_inside;
    }
    is_below
}

/// Adds contexts up by methods and calls. Recursive activations count once in a total.
struct Tallying<'a> {
    tree: &'a tree::Tree,
    rows: &'a [Row],
    is_below: &'a [bool],
    piece: &'a mut Piece,
}

impl Tallying<'_> {
    fn walk(&mut self, root: u32) {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, row) in (0u32..).zip(&self.tree.contexts) {
            if self.is_below[number as usize] {
                children.entry(row.parent).or_default().push(number);
            }
        }
        let mut on_path: HashMap<(Option<u32>, u32), u32> = HashMap::new();
        // Contexts to be entered, and to be left.
        let mut waiting: Vec<(u32, bool)> = Vec::new();
        let below_root = children.remove(&root).unwrap_or_default();
        waiting.extend(below_root.into_iter().map(|child| (child, true)));
        while let Some((context, enters)) = waiting.pop() {
            let row = self.tree.row(context);
            let caller = (row.parent != root).then(|| self.tree.row(row.parent).method);
            let keys = [(Some(u32::MAX), row.method), (caller, row.method)];
            if !enters {
                for key in keys {
                    on_path.entry(key).and_modify(|depth| *depth -= 1);
                }
                continue;
            }
            let is_first = keys.map(|key| {
                let depth = on_path.entry(key).or_default();
                *depth += 1;
                *depth == 1
            });
            self.add(context, caller, is_first);
            waiting.push((context, false));
            let below = children.remove(&context).unwrap_or_default();
            waiting.extend(below.into_iter().map(|child| (child, true)));
        }
    }

    fn add(&mut self, context: u32, caller: Option<u32>, [of_method, of_call]: [bool; 2]) {
        let (row, counts) = (self.tree.row(context), &self.rows[context as usize]);
        let method = MethodId(row.method);
        let tally = self.piece.tallies.entry(method).or_default();
        let calls = match row.is_block {
            true => &mut tally.block_calls,
            false => &mut tally.calls,
        };
        *calls = calls.wrapping_add(counts.calls);
        tally.own = tally.own.wrapping_add(counts.own);
        if of_method {
            tally.total = tally.total.wrapping_add(counts.total);
        }
        let call = (caller.map(MethodId), method);
        if let Some([_, _, total]) = self.piece.calls.get_mut(&call).filter(|_| of_call) {
            *total = total.wrapping_add(counts.total);
        }
    }
}
