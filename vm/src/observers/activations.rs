//! The recorder's data on activations.

use crate::observers::{Observers, tree};

impl Observers {
    /// Activations of methods and of blocks; `None` if the recorder missed some.
    pub(crate) fn recorded_activations(&self) -> Option<[u64; 2]> {
        let recorder = self.recorder.as_ref()?;
        let tree = &recorder.tree;
        let counted = tree
            .edges
            .iter()
            .filter(|edge| edge.context > tree::OTHER && !tree.row(edge.context).is_quick);
        let sums = counted.fold([0u64; 2], |mut sums, edge| {
            let sum = &mut sums[usize::from(tree.row(edge.context).is_block)];
            *sum = sum.wrapping_add(edge.calls);
            sums
        });
        recorder.sees_everything.then_some(sums)
    }
}
