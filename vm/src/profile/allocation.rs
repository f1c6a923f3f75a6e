//! Where objects are allocated: which class, in which context, at which instruction. While that is recorded the
//! nursery looks full to objects that the model counts, so that they come by here; otherwise it costs
//! nothing, and numbers and cells never come by. What an allocation adds to the heap's counters is what is noted, so the two
//! cannot differ.

use hashbrown::HashMap;

use crate::class::ClassId;
use crate::heap::Allocations;
use crate::machine::Vm;

/// A context, an instruction and a class: the edge of the allocating frame, the address in its code, the class's number.
pub(super) type Place = (u32, usize, u32);

/// Places whose rows are found without a search.
const RECENT: usize = 1024;

/// What was allocated, by context, instruction and class.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllocationSites {
    rows: Vec<(Place, Allocations)>,
    /// The row of each place.
    numbers: HashMap<Place, u32>,
    /// By what is mixed from a place: the row of the last such place, which may be another's.
    recent: Vec<u32>,
    /// The heap's counters when they were last looked at.
    pub(super) noted: Allocations,
}

impl AllocationSites {
    /// Objects and bytes by place.
    pub(super) fn rows(&self) -> impl Iterator<Item = (Place, Allocations)> {
        self.rows.iter().copied()
    }

    /// Forgets what was allocated.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.numbers.clear();
        self.recent.clear();
    }

    /// The same with other addresses.
    pub(super) fn moved(&self, address: impl Fn(u32, usize) -> usize) -> AllocationSites {
        let mut moved = AllocationSites {
            noted: self.noted,
            ..AllocationSites::default()
        };
        for ((edge, at, class), row) in self.rows() {
            *moved.row((edge, address(edge, at), class)) = row;
        }
        moved
    }

    /// What was allocated at this place.
    fn row(&mut self, place: Place) -> &mut Allocations {
        let (edge, at, class) = place;
        // Instructions are of eight bytes.
        let mixed = (at / 8)
            .wrapping_add(edge as usize * 31)
            .wrapping_add(class as usize * 127);
        let index = mixed % RECENT;
        let number = self
            .recent
            .get(index)
            .map_or(usize::MAX, |&number| number as usize);
        let number = match self.rows.get(number) {
            Some((known, _)) if *known == place => number,
            _ => self.find_row(place, index),
        };
        &mut self.rows[number].1
    }

    #[inline(never)]
    fn find_row(&mut self, place: Place, index: usize) -> usize {
        let rows = &mut self.rows;
        let number = *self.numbers.entry(place).or_insert_with(|| {
            rows.push((place, Allocations::default()));
            rows.len() as u32 - 1
        });
        if self.recent.is_empty() {
            self.recent = vec![u32::MAX; RECENT];
        }
        self.recent[index] = number;
        number as usize
    }
}

impl Vm {
    /// Notes the object that is about to be made, if it was counted.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_allocation(&mut self, class: ClassId) {
        if !self.has_frames() || self.running.silence.is_some() {
            return;
        }
        let frame = self.frame_index();
        let (frame, at) = self.behind_wrappers(frame, self.registers.ip);
        let number = self.frame_code(frame);
        let (now, at) = (self.heap.allocations, at as usize);
        let Some(recorder) = &mut self.observers.recorder else {
            return;
        };
        let noted = std::mem::replace(&mut recorder.allocations.noted, now);
        let objects = now.objects.wrapping_sub(noted.objects);
        let bytes = now.bytes.wrapping_sub(noted.bytes);
        if objects == 0 {
            return;
        }
        let row = recorder.allocations.row((number, at, class.0));
        row.objects = row.objects.wrapping_add(objects);
        row.bytes = row.bytes.wrapping_add(bytes);
    }

    /// What allocations read now, before something that does not count. [`Vm::forget_allocations_since`] has to follow.
    pub(crate) fn allocations_now(&mut self) -> Allocations {
        self.counters.uncounted_sections += 1;
        self.watch_allocations();
        self.heap.allocations
    }

    /// Takes the allocations since that reading for uncounted.
    pub(crate) fn forget_allocations_since(&mut self, reading: Allocations) {
        self.counters.uncounted_sections = self.counters.uncounted_sections.saturating_sub(1);
        self.heap.allocations = reading;
        self.watch_allocations();
    }

    /// Lets the heap tell of allocations from its present counters on, or not, as the recorder wants it.
    pub(crate) fn watch_allocations(&mut self) {
        let Some(recorder) = &mut self.observers.recorder else {
            self.heap.watch(false);
            return;
        };
        recorder.allocations.noted = self.heap.allocations;
        let watches = recorder.detail.sites && self.counters.uncounted_sections == 0;
        self.heap.watch(watches);
    }
}
