//! Counted evaluations: pieces of a run with all numbers that an assertion about counts may need. Beside the profile
//! (`section`) these are the cost vector, sends by selector, allocations by class, and the depth of activations. The
//! profile's own sends add up to the vector's sends, and so do the sends by selector.

#![allow(unsafe_code)]

use super::section::Ended;
use crate::base::{ClassId, MethodId, Value};
use crate::code::Target;
use crate::counting::{CostCounts, others_work, weight};
use crate::machine::Vm;
use crate::observers::{CountedPiece, Counting, Counts, Recorder, tree};

/// Place of the blocks in the cost vector.
const BLOCKS: usize = 3;

/// Place of the work in the cost vector.
const WORK: usize = 9;

/// The part of the vector's work that primitives did.
fn inside_primitives(vector: &CostCounts) -> u64 {
    let [
        sends,
        loops,
        activations,
        blocks,
        _,
        objects,
        _,
        steps,
        called,
        work,
    ] = *vector;
    let others = [steps, sends, loops, activations, blocks, called, objects];
    work.saturating_sub(others_work(others))
}

impl Recorder {
    /// Counts sites for the time of an evaluation, in a profile that does not count them.
    fn lend_sites(&mut self) {
        self.sites_lent += 1;
        self.detail.sites = true;
        for index in 1..self.codes.len() {
            // SAFETY: targets live as long as the machine, and no other reference to a target is in use here.
            let target = unsafe { &mut *self.codes[index] };
            self.make_room_for_sites(target);
        }
    }

    /// Ends a loan; after the last one nothing shows that sites were counted.
    fn take_sites_back(&mut self) {
        self.sites_lent -= 1;
        if self.sites_lent == 0 {
            self.detail.sites = false;
            self.allocations.clear();
        }
    }
}

impl Vm {
    /// Everything is counted from here on. The recorder is on.
    pub(super) fn begin_counting(&mut self) -> Counting {
        if let Some(recorder) = &mut self.observers.recorder
            && (recorder.sites_lent > 0 || !recorder.detail.sites)
        {
            recorder.lend_sites();
        }
        self.watch_allocations();
        self.counters.full_wanted += 1;
        self.run.mode_changed = true;
        Counting::default()
    }

    /// Ends what [`Vm::begin_counting`] began, if it did.
    pub(super) fn end_counting(&mut self, was_counting: bool) {
        if !was_counting {
            return;
        }
        if let Some(recorder) = &mut self.observers.recorder
            && recorder.sites_lent > 0
        {
            recorder.take_sites_back();
            if recorder.sites_lent == 0 {
                for target in self.code.targets.own_from(0) {
                    target.set_counts(&mut []);
                }
                recorder.sites.clear();
                recorder.charges.clear();
            }
        }
        self.watch_allocations();
        self.counters.full_wanted = self.counters.full_wanted.saturating_sub(1);
        self.observers.depth_gauge = None;
        self.run.mode_changed = true;
    }

    /// Notes the depth of a frame that is entered at `window` from the frame at `caller`, if depths are recorded.
    #[inline]
    pub(crate) fn note_depth(
        &mut self,
        caller: *const Value,
        window: *const Value,
        callee: &Target,
    ) {
        if self.observers.depth_gauge.is_some()
            && self.running.silence.is_none()
            && !callee.is_quick
        {
            self.gauge_depth(caller, window);
        }
    }

    #[cold]
    #[inline(never)]
    fn gauge_depth(&mut self, caller: *const Value, window: *const Value) {
        let start = self.running.stack.base() as usize;
        let process = self.running.id;
        if let Some(gauge) = &mut self.observers.depth_gauge
            && gauge.process == process
        {
            let place = |frame: *const Value| (frame as usize).wrapping_sub(start) / 8;
            gauge.enter(place(caller), place(window));
        }
    }

    /// The counts of a counted evaluation that has ended.
    pub(super) fn counted_piece(&self, section: u64, ended: Ended) -> Option<CountedPiece> {
        let recorder = self.observers.recorder.as_ref()?;
        let mut vector = ended.vector?;
        // The block's own activation is part of the machinery.
        vector[BLOCKS] = vector[BLOCKS].saturating_sub(1);
        vector[WORK] = vector[WORK].saturating_sub(weight::BLOCK);
        let gauge = self.observers.depth_gauge.as_ref();
        let gauge = gauge.filter(|gauge| gauge.section == section);
        let mut counted = CountedPiece {
            counts: vector,
            inside: inside_primitives(&vector),
            depth: gauge.map_or(0, |gauge| gauge.most as u64),
            is_complete: ended.piece.is_complete,
            ..CountedPiece::default()
        };
        for (method, tally) in ended.piece.tallies {
            counted.methods.entry(method).or_default().tally = tally;
        }
        for (site, sends) in ended.counts.sends_by_site(self) {
            let code = self.method(site.method).code.get();
            if let Some(source) = code.sites.get(site.index as usize) {
                let key = (source.selector.clone(), site.method);
                let sum = counted.selectors.entry(key).or_default();
                *sum = sum.wrapping_add(sends);
            }
        }
        add_allocations(&mut counted, &recorder.tree, &ended.counts, &ended.is_part);
        Some(counted)
    }
}

/// Adds up the allocations in contexts of the evaluation, by class and by method.
fn add_allocations(
    counted: &mut CountedPiece,
    tree: &tree::Tree,
    counts: &Counts,
    is_part: &[bool],
) {
    for (&(edge, _, class), row) in counts.allocations() {
        let context = tree.edges[edge as usize].context;
        if !is_part[context as usize] {
            continue;
        }
        let method = MethodId(tree.row(context).method);
        let of_method = &mut counted.methods.entry(method).or_default().allocations;
        let of_class = counted.classes.entry(ClassId(class)).or_default();
        for sum in [of_method, of_class] {
            sum.objects = sum.objects.wrapping_add(row.objects);
            sum.bytes = sum.bytes.wrapping_add(row.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::ProcessId;
    use crate::observers::DepthGauge;

    #[test]
    fn frames_above_the_caller_have_gone() {
        let mut gauge = DepthGauge::new(1, ProcessId(0));
        for (caller, frame) in [(10, 14), (14, 20), (20, 25), (14, 22), (14, 18), (18, 21)] {
            gauge.enter(caller, frame);
        }
        assert_eq!(gauge.open, [14, 18, 21]);
        assert_eq!(gauge.most, 3);
    }
}
