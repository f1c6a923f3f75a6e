//! Records where objects are allocated: class, context and instruction. While allocations are recorded, the nursery
//! looks full to counted objects, so that their allocations take the slow path through this module. Otherwise recording
//! costs nothing. Numbers and cells never take this path. Each note is a difference of the heap's counters, so notes
//! and counters cannot differ.

use crate::base::ClassId;
use crate::heap::Allocations;
use crate::machine::Vm;

impl Vm {
    /// Notes the object that is about to be made, if it was counted.
    #[cold]
    #[inline(never)]
    pub(super) fn note_allocation(&mut self, class: ClassId) {
        if !self.has_frames() || self.running.silence.is_some() {
            return;
        }
        let frame = self.frame_index();
        let (frame, at) = self.behind_wrappers(frame, self.registers.ip);
        let number = self.running.frame_code(frame);
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

    /// Notes what was counted since the last note, as objects of this class.
    pub(crate) fn note_allocations_of(&mut self, class: ClassId) {
        let recorder = self.observers.recorder.as_ref();
        let is_watched = recorder.is_some_and(|recorder| recorder.detail.sites);
        if is_watched && self.counters.uncounted_sections == 0 {
            self.note_allocation(class);
        }
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

    /// Sets whether the heap reports allocations, as the recorder requires; counting starts from the present counters.
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
