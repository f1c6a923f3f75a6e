//! Turns the recorder on and off, also in the middle of a run. The numbers in the meta words of all frames then change
//! their meaning, so they are rewritten.

use crate::base::ProcessId;
use crate::code::{Targets, send_before};
use crate::machine::Vm;
use crate::observers::{Counts, Detail, Recorded, Recorder, Spent, tree};
use crate::processes::{CODE_BITS, FrameWalk, Mark, Process, SilentFrames, Stack, code_of_meta};

/// A frame as the recorder has to know it.
struct OpenFrame {
    frame: usize,
    /// The send that made it, or null.
    site: *const u64,
    is_silent: bool,
}

/// The frames of a stack, the topmost first.
fn frames(
    stack: &Stack,
    marks: &[Mark],
    (top, ip): (usize, *const u64),
    mut silent: SilentFrames<'_>,
) -> Vec<OpenFrame> {
    let mut walk = FrameWalk::new(top, ip);
    let mut found = Vec::new();
    while let Some(view) = walk.step(stack, marks) {
        let mark = view.mark.and_then(|index| marks.get(index));
        let was_sent = mark.is_none_or(Mark::was_sent);
        let site = match was_sent {
            true => send_before(stack.word(view.frame - 1) as *const u64),
            false => std::ptr::null(),
        };
        found.push(OpenFrame {
            frame: view.frame,
            site,
            is_silent: silent.has(view.frame),
        });
    }
    found
}

/// Puts a new number into a frame's meta word.
fn renumber(stack: &mut Stack, frame: usize, number: u32) {
    let meta = stack.word(frame - 2) & !CODE_BITS;
    stack.set_word(frame - 2, meta | u64::from(number));
}

impl Recorder {
    /// Gives the frames of a process the numbers of edges. They count as entered at this reading of its counter, and not
    /// as called.
    fn adopt(
        &mut self,
        targets: &mut Targets,
        stack: &mut Stack,
        frames: &[OpenFrame],
        entered_at: Option<Spent>,
    ) {
        let mut caller = tree::RUN;
        // The caller of a wrapper counts as the caller of the original.
        let mut counted = None;
        for open in frames.iter().rev() {
            let code = code_of_meta(stack.word(open.frame - 2));
            let target = targets.note_in(code as usize);
            let (from, site) = match open.is_silent {
                true => {
                    counted = counted.or(Some((caller, open.site)));
                    (caller, open.site)
                }
                false => counted.take().unwrap_or((caller, open.site)),
            };
            caller = self.edge(from, site, target, open.is_silent);
            if let Some(spent) = entered_at {
                self.tree.edges[caller as usize].enter(spent);
            }
            renumber(stack, open.frame, caller);
        }
    }

    /// Gives the frames of a process the numbers of their codes back.
    fn release(&self, stack: &mut Stack, frames: &[OpenFrame]) {
        for open in frames {
            let number = code_of_meta(stack.word(open.frame - 2));
            renumber(stack, open.frame, self.tree.edges[number as usize].target);
        }
    }
}

/// Closes the frames of a process in a copy of the counts.
fn close(counts: &mut Counts, stack: &Stack, frames: &[OpenFrame], spent: Spent) {
    for open in frames {
        let number = code_of_meta(stack.word(open.frame - 2));
        counts.leave(number, spent);
    }
}

impl Process {
    pub(super) fn sends(&self) -> u64 {
        self.ticks.wrapping_sub(self.loops)
    }

    fn open_frames(&self) -> Vec<OpenFrame> {
        let silent = SilentFrames::new(self.silence.as_deref(), &self.interrupted);
        frames(&self.stack, &self.marks, (self.fp, self.ip), silent)
    }
}

impl Vm {
    fn open_frames(&mut self) -> Vec<OpenFrame> {
        if !self.has_frames() {
            return Vec::new();
        }
        let frame = self.frame_index();
        let silent = SilentFrames::new(self.running.silence.as_deref(), &self.running.interrupted);
        frames(
            &self.running.stack,
            &self.running.marks,
            (frame, self.registers.ip),
            silent,
        )
    }

    /// Turns the recorder on; does nothing if it is on. Frames on the stacks count from now on, but not as called. In
    /// the middle of a run, the loop has to be left for a different copy of it.
    pub fn start_profile(&mut self, detail: Detail) {
        if self.observers.recorder.is_some() {
            return;
        }
        let mut recorder = Box::new(Recorder::new(detail));
        recorder.sees_everything = !self.has_frames();
        let spent = self.counted_spent();
        let open = self.open_frames();
        recorder.adopt(
            &mut self.code.targets,
            &mut self.running.stack,
            &open,
            Some(spent),
        );
        for process in self.processes.table.iter_mut().flatten() {
            let open = process.open_frames();
            let entered_at = process.started.then(|| process.spent());
            recorder.adopt(
                &mut self.code.targets,
                &mut process.stack,
                &open,
                entered_at,
            );
        }
        self.observers.recorder = Some(recorder);
        self.refresh_recorder();
        self.watch_allocations();
    }

    /// The recorder's counts so far, with all open frames closed; nothing if it is off.
    pub fn counts_so_far(&mut self) -> Option<Counts> {
        let spent = self.counted_spent();
        let open = self.open_frames();
        let recorder = self.observers.recorder.as_ref()?;
        let mut counts = Counts::of(recorder);
        close(&mut counts, &self.running.stack, &open, spent);
        for process in self.processes.table.iter().flatten().filter(|p| p.started) {
            close(
                &mut counts,
                &process.stack,
                &process.open_frames(),
                process.spent(),
            );
        }
        Some(counts)
    }

    /// The recorder's counts since an earlier reading.
    pub fn recorded_since(&mut self, earlier: Option<&Counts>) -> Recorded {
        match (self.counts_so_far(), &self.observers.recorder) {
            (Some(counts), Some(recorder)) => Recorded::new(self, recorder, &counts.since(earlier)),
            _ => Recorded::default(),
        }
    }

    /// Closes all open frames, turns the recorder off and answers its counts.
    pub fn finish_profile(&mut self) -> Recorded {
        let recorded = self.recorded_since(None);
        let open = self.open_frames();
        let Some(recorder) = self.observers.recorder.take() else {
            return recorded;
        };
        recorder.release(&mut self.running.stack, &open);
        for process in self.processes.table.iter_mut().flatten() {
            let open = process.open_frames();
            recorder.release(&mut process.stack, &open);
        }
        for target in self.code.targets.own_from(0) {
            target.set_counts(&mut []);
        }
        self.refresh_recorder();
        self.watch_allocations();
        recorded
    }

    /// A process goes without having been unwound: its frames are left now.
    pub(super) fn record_end_of(&mut self, id: ProcessId, process: &Process) {
        self.extents_end(id, process.sends());
        let Some(recorder) = self.observers.recorder.as_mut().filter(|_| process.started) else {
            return;
        };
        for open in process.open_frames() {
            let edge = code_of_meta(process.stack.word(open.frame - 2));
            recorder.tree.edges[edge as usize].leave(process.spent());
        }
    }

    /// The same for the running process.
    pub(super) fn record_end_of_running(&mut self) {
        let spent = self.counted_spent();
        self.extents_end(self.running.id, spent.sends);
        let open = self.open_frames();
        let Some(recorder) = self.observers.recorder.as_mut() else {
            return;
        };
        for open in open {
            let edge = code_of_meta(self.running.stack.word(open.frame - 2));
            recorder.tree.edges[edge as usize].leave(spent);
        }
    }

    /// Whether the recorder is on.
    pub fn is_profiling(&self) -> bool {
        self.observers.recorder.is_some()
    }
}
