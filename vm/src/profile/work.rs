//! Work (counting model, 2.2) by context and site, as far as the full loop counts it. An edge's work is the difference of
//! its process's counters, as its sends are. So contexts get all work, whatever charges it. The work that primitives were
//! charged is noted again at the send that called them.

use crate::base::Value;
use crate::counting::weight;
use crate::machine::Vm;
use crate::observers::Spent;
use crate::processes::Process;

/// Work of a process that is no other process's: its sends, which are steps as well, and loop repetitions.
#[inline(always)]
fn ticked(sends: u64, loops: u64) -> u64 {
    let sends = sends.wrapping_mul(weight::SENT);
    sends.wrapping_add(loops.wrapping_mul(weight::LOOP))
}

impl Vm {
    /// The shared work since the running process was switched in, and its share before.
    #[inline(always)]
    fn own_shared_work(&self) -> u64 {
        let objects = self.heap.allocations.objects;
        let shared = self.counters.full.shared_work(objects);
        shared.wrapping_sub(self.counters.other_work)
    }

    /// What the running process has spent when its counter reads `ticks`. Its work is counted if `is_full`.
    #[inline(always)]
    pub(crate) fn spent_at(&self, ticks: u64, is_full: bool) -> Spent {
        let loops = self.registers.loops;
        let sends = ticks.wrapping_sub(loops);
        let work = match is_full {
            true => ticked(sends, loops).wrapping_add(self.own_shared_work()),
            false => 0,
        };
        Spent { sends, work }
    }

    /// What the running process has spent, silent code included.
    pub(super) fn spent(&self) -> Spent {
        self.spent_at(self.registers.ticks, true)
    }

    /// What the running process has spent by the model: silent code is left out.
    pub(super) fn counted_spent(&self) -> Spent {
        let (sends, loops) = (self.counted_sends(), self.counted_loops());
        let objects = self.counted_allocations().objects;
        let shared = self.counted_in_full().shared_work(objects);
        let shared = shared.wrapping_sub(self.counters.other_work);
        let work = ticked(sends, loops).wrapping_add(shared);
        Spent { sends, work }
    }

    /// The shared work of the running process, for its row.
    pub(crate) fn shared_work_of_leaving(&self) -> u64 {
        self.own_shared_work()
    }

    /// A process with this shared work goes on.
    pub(crate) fn resume_shared_work(&mut self, own: u64) {
        self.counters.other_work = 0;
        self.counters.other_work = self.own_shared_work().wrapping_sub(own);
    }

    /// Notes the work that the primitive of the send at `ip` was charged, of the frame at `fp`, since `before`.
    #[inline(always)]
    pub(crate) fn note_charges(&mut self, before: u64, ip: *const u64, fp: *const Value) {
        let is_recorded = !self.registers.edges.is_null() && self.running.silence.is_none();
        let amount = self.counters.full.charged().wrapping_sub(before);
        if is_recorded && amount > 0 {
            self.record_charges(amount, ip, fp);
        }
    }

    #[inline(never)]
    fn record_charges(&mut self, amount: u64, ip: *const u64, fp: *const Value) {
        let frame =
            (fp as usize).wrapping_sub(self.running.stack.base() as usize) / size_of::<u64>();
        let (frame, ip) = self.behind_wrappers(frame, ip);
        let number = self.running.frame_code(frame) as usize;
        let Some(recorder) = &mut self.observers.recorder else {
            return;
        };
        let edge = &mut recorder.tree.edges[number];
        edge.charged = edge.charged.wrapping_add(amount);
        let code = edge.target as usize;
        let target = self.code.targets.get(code);
        if let Some(index) = target.and_then(|target| target.index_of(ip))
            && let Some(row) = recorder.charges.get_mut(code)
            && let Some(charges) = row.get_mut(index)
        {
            *charges = charges.wrapping_add(amount);
        }
    }

    /// The running process has ended and was charged since `before`: its last frame has gone, and takes that over.
    pub(crate) fn note_charges_after_end(&mut self, before: u64) {
        let amount = self.counters.full.charged().wrapping_sub(before);
        let frame = self.frame_index();
        let number = self.running.frame_code(frame) as usize;
        if let Some(recorder) = &mut self.observers.recorder {
            let edge = &mut recorder.tree.edges[number];
            edge.work = edge.work.wrapping_add(amount);
        }
    }
}

impl Process {
    /// What the process has spent, which does not run.
    pub(super) fn spent(&self) -> Spent {
        let sends = self.sends();
        let work = ticked(sends, self.loops).wrapping_add(self.work);
        Spent { sends, work }
    }
}
