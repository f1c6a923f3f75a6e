//! The tables of the recorder, which records activations by caller. `profile` fills them.

use super::allocation_sites::AllocationSites;
use super::tree;
use super::tree::Tree;
use crate::code::{Target, Targets};

/// Whether the machine can record at all. A build without the recorder shows the cost of a recorder that is off.
pub(crate) const PROFILING: bool = !cfg!(no_profiling);

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Count the sends of each site, and the allocations at each site. This needs the copy of the loop that maintains
    /// the whole cost vector.
    pub sites: bool,
    /// Contexts of the calling-context tree; `None` for about a million.
    pub most_contexts: Option<usize>,
}

/// The recorder's tables of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) tree: Tree,
    /// The code that each edge enters.
    pub(crate) codes: Vec<*mut Target>,
    pub(crate) detail: Detail,
    /// How often each instruction was executed as a send, by code; the code knows how far its counts are away.
    pub(crate) sites: Vec<Box<[u64]>>,
    /// The work that the primitives of each send were charged, by code and instruction.
    pub(crate) charges: Vec<Box<[u64]>>,
    pub(crate) allocations: AllocationSites,
    /// Whether it has seen every frame of the run.
    pub(crate) sees_everything: bool,
    /// Counted evaluations that need the sites while the profile does not.
    pub(crate) sites_lent: u32,
}

impl Recorder {
    pub(crate) fn new(detail: Detail) -> Recorder {
        let most = detail.most_contexts.unwrap_or(tree::MOST_CONTEXTS);
        Recorder {
            tree: Tree::new(most),
            codes: vec![std::ptr::null_mut()],
            detail,
            sites: Vec::new(),
            charges: Vec::new(),
            allocations: AllocationSites::default(),
            sees_everything: false,
            sites_lent: 0,
        }
    }

    /// The edge into a target, see [`Tree::edge`].
    pub(crate) fn edge(
        &mut self,
        parent: u32,
        site: *const u64,
        target: &mut Target,
        silent: bool,
    ) -> u32 {
        let edge = self.tree.edge(parent, site as usize, target, silent);
        if edge as usize == self.codes.len() {
            self.codes.push(&raw mut *target);
            if self.detail.sites {
                self.make_room_for_sites(target);
            }
        }
        edge
    }

    /// Whether contexts have work: the recorder has counted everything for itself.
    pub(crate) fn counts_work(&self) -> bool {
        self.detail.sites && self.sites_lent == 0
    }

    /// Gives the code counts of its own, if it has none.
    pub(crate) fn make_room_for_sites(&mut self, target: &mut Target) {
        let number = target.id.0 as usize;
        if number >= self.sites.len() {
            self.sites.resize(number + 1, Box::default());
            self.charges.resize(number + 1, Box::default());
        }
        if target.distance_to_counts == 0 {
            let nothing = vec![0; target.words.len()].into_boxed_slice();
            self.charges[number] = nothing.clone();
            self.sites[number] = nothing;
            target.set_counts(&mut self.sites[number]);
        }
    }
}

/// The same instruction in the copy of a piece of code.
fn in_copy(code: u32, address: usize, old: &Targets, new: &Targets) -> usize {
    let both = old.get(code as usize).zip(new.get(code as usize));
    both.and_then(|(old, new)| {
        let index = old.index_of(address as *const u64)?;
        Some(new.address_of(index) as usize)
    })
    .unwrap_or(address)
}

impl Recorder {
    /// A recorder for a machine whose code is a copy of this machine's.
    pub(crate) fn fork(&self, old: &Targets, new: &mut Targets) -> Recorder {
        let mut tree = self.tree.clone();
        tree.move_sites(|code, site| in_copy(code, site, old, new));
        let mut sites = self.sites.clone();
        for (target, counts) in new.own_from(0).zip(&mut sites) {
            target.set_counts(counts);
        }
        let allocations = self.allocations.moved(|edge, at| {
            let code = tree.edges[edge as usize].target;
            in_copy(code, at, old, new)
        });
        let mut codes = vec![std::ptr::null_mut()];
        for edge in &tree.edges[1..] {
            codes.push(std::ptr::from_mut(new.note_in(edge.target as usize)));
        }
        Recorder {
            tree,
            codes,
            detail: self.detail,
            sites,
            charges: self.charges.clone(),
            allocations,
            sees_everything: self.sees_everything,
            sites_lent: self.sites_lent,
        }
    }
}
