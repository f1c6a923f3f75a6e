//! The machine's side of collecting: finds the roots. A frame's registers are roots where they are live, see
//! `liveness`. Register 0 is always a root: a context needs the receiver of any frame, or the block that it runs. Frames
//! of the kinds that the machine reads keep their arguments as well. In SOM all frames keep them, because any frame may
//! start again.
//!
//! A collection of the nursery looks only at roots that can refer to young objects. These are frames and processes that
//! have run since the last collection, and new literals and targets. The collection sets a bit in the meta word of each
//! frame that it has seen. A new frame's word lacks the bit, so the topmost frame with the bit is the deepest that can
//! have run since. The machine's code pays nothing for that.

#![allow(unsafe_code)]

use super::Vm;
use crate::actors::Actors;
use crate::base::{Dialect, ProcessId, Stop, Value};
use crate::bytecode::Liveness;
use crate::code::{CodeTable, Settled, Targets};
use crate::heap::{Contents, Scope};
use crate::image::Global;
use crate::processes::{Contexts, FrameView, FrameWalk, Mark, Process, SEEN, Stack, in_stub};
use crate::run::Request;
use crate::separate::Separate;
use crate::watching::Watching;

/// In SOM only frames with at most this number of arguments may start again. Frames with more use the registers of arguments
/// for other values as well.
pub(crate) const MOST_KEPT_ARGUMENTS: usize = 40;

/// The number of fresh processes that starts a collection of the nursery before it is full.
const MANY_PROCESSES: usize = 2048;

/// Everything beside the heap that refers to objects.
struct RootSet<'a> {
    running: Option<RunningStack<'a>>,
    processes: &'a mut Vec<Option<Box<Process>>>,
    fresh_processes: &'a mut Vec<ProcessId>,
    current_is_fresh: &'a mut bool,
    settled: &'a mut Settled,
    targets: &'a mut Targets,
    codes: CodeTable,
    keeps_arguments: bool,
    globals: &'a mut Vec<Global>,
    literals: &'a mut Vec<Value>,
    class_objects: &'a mut Vec<Value>,
    handles: &'a mut Vec<Value>,
    separate: &'a mut Separate,
    actors: &'a mut Actors,
    watching: Option<&'a mut Watching>,
    single: [&'a mut Value; 4],
}

/// The stack of the running process, and the window of the primitive that runs on top of it.
struct RunningStack<'a> {
    stack: &'a mut Stack,
    marks: &'a mut Vec<Mark>,
    contexts: &'a mut Contexts,
    frame: usize,
    ip: *const u64,
    window: std::ops::Range<usize>,
}

impl RootSet<'_> {
    fn visit(&mut self, scope: Scope, visit: &mut dyn FnMut(&mut Value)) {
        // Literals and targets are never changed, so those that the last collection has seen are old.
        let settled = match scope {
            Scope::All => Settled::default(),
            Scope::Young { .. } => *self.settled,
        };
        self.globals.iter_mut().for_each(|g| visit(&mut g.value));
        self.literals[settled.literals..]
            .iter_mut()
            .for_each(&mut *visit);
        self.class_objects.iter_mut().for_each(&mut *visit);
        self.handles.iter_mut().for_each(&mut *visit);
        self.separate.visit(visit);
        self.actors.visit(visit);
        if let Some(watching) = &mut self.watching {
            watching.visit(visit);
        }
        self.single.iter_mut().for_each(|v| visit(v));
        self.targets
            .own_from(settled.targets)
            .for_each(|t| visit(&mut t.value));
        if let Some(running) = &mut self.running {
            // A word that is shown twice would be copied twice by a collection. The window's words may be live
            // registers of the top frame, so the top frame leaves them to the window.
            let mut roots = StackRoots {
                stack: running.stack,
                marks: running.marks,
                codes: self.codes,
                keeps_arguments: self.keeps_arguments,
                window: running.window.clone(),
                scope,
            };
            roots.visit(running.frame, running.ip, visit);
            for index in running.window.clone() {
                roots.visit_word(index, visit);
            }
            running.contexts.visit(visit);
        }
        match scope {
            Scope::All => {
                for process in self.processes.iter_mut().flatten() {
                    visit_process(process, self.codes, self.keeps_arguments, scope, visit);
                }
            }
            Scope::Young { .. } => {
                for id in self.fresh_processes.drain(..) {
                    if let Some(Some(process)) = self.processes.get_mut(id.0 as usize) {
                        process.is_fresh = false;
                        visit_process(process, self.codes, self.keeps_arguments, scope, visit);
                    }
                }
                *self.current_is_fresh = false;
                *self.settled = Settled {
                    literals: self.literals.len(),
                    targets: self.targets.len(),
                };
            }
        }
    }
}

fn visit_process(
    process: &mut Process,
    codes: CodeTable,
    keeps_arguments: bool,
    scope: Scope,
    visit: &mut dyn FnMut(&mut Value),
) {
    visit(&mut process.object);
    visit(&mut process.waits_on);
    visit(&mut process.interruption);
    process.contexts.visit(visit);
    let mut roots = StackRoots {
        stack: &mut process.stack,
        marks: &mut process.marks,
        codes,
        keeps_arguments,
        window: 0..0,
        scope,
    };
    roots.visit(process.fp, process.ip, visit);
}

/// The roots on one stack.
struct StackRoots<'a> {
    stack: &'a mut Stack,
    marks: &'a mut [Mark],
    codes: CodeTable,
    /// Whether every frame may start again, so that its first receiver and arguments are roots.
    keeps_arguments: bool,
    /// Words that are shown apart.
    window: std::ops::Range<usize>,
    scope: Scope,
}

impl StackRoots<'_> {
    /// Shows the live values of the frames from the top down. A collection of the nursery ends with the first frame
    /// that an earlier collection has seen. That frame may have run since; the frames below it have not.
    fn visit(&mut self, frame: usize, ip: *const u64, visit: &mut dyn FnMut(&mut Value)) {
        let mut walk = FrameWalk::new(frame, ip);
        while let Some(view) = walk.step(self.stack, self.marks) {
            self.visit_frame(&view, visit);
            if let Scope::Young { .. } = self.scope {
                let meta = self.stack.word(view.frame - 2);
                if meta & SEEN != 0 {
                    break;
                }
                self.stack.set_word(view.frame - 2, meta | SEEN);
            }
        }
    }

    fn visit_frame(&mut self, view: &FrameView, visit: &mut dyn FnMut(&mut Value)) {
        // SAFETY: the frame is one of this machine's.
        let arguments = usize::from(unsafe { &*self.codes.get(view.code) }.argument_count);
        let mut is_pinned = self.keeps_arguments && arguments <= MOST_KEPT_ARGUMENTS;
        if let Some(mark) = view.mark.and_then(|index| self.marks.get_mut(index)) {
            is_pinned |= mark.keeps_arguments();
            if let Some(unwinding) = &mut mark.unwinding {
                visit(&mut unwinding.value);
            }
        }
        let pinned = if is_pinned { arguments + 1 } else { 1 };
        for register in 0..pinned {
            self.visit_word(view.frame + register, visit);
        }
        if in_stub(view.ip) {
            // Only the awaited answer is still to come; `Return` of register 0 reads it after that.
            return;
        }
        // SAFETY: the frame is one of this machine's, and no other reference to its code is in use here.
        let target = unsafe { &mut *self.codes.get(view.code) };
        let found = target.index_of(view.ip);
        debug_assert!(found.is_some(), "a frame stands outside its code");
        let Some(pc) = found else { return };
        let liveness = match &mut target.liveness {
            Some(liveness) => liveness,
            none => none.insert(Box::new(Liveness::of(
                &target.words,
                target.register_count as usize,
            ))),
        };
        let (stack, window, scope) = (&mut *self.stack, &self.window, self.scope);
        liveness.live_before(pc, |register| {
            let awaited = view.awaiting == Some(register as u16) && !view.is_top;
            let index = view.frame + register;
            if register >= pinned && !awaited && !window.contains(&index) {
                visit_word(stack, index, scope, visit);
            }
        });
    }

    fn visit_word(&mut self, index: usize, visit: &mut dyn FnMut(&mut Value)) {
        visit_word(self.stack, index, self.scope, visit);
    }
}

#[inline(always)]
fn visit_word(stack: &mut Stack, index: usize, scope: Scope, visit: &mut dyn FnMut(&mut Value)) {
    let mut value = stack.value(index);
    if scope.wants(value) {
        visit(&mut value);
        stack.set_value(index, value);
    }
}

/// Takes the collector's bit off all frames of a stack.
fn forget_seen(stack: &mut Stack, marks: &[Mark], frame: usize, ip: *const u64) {
    let mut walk = FrameWalk::new(frame, ip);
    while let Some(view) = walk.step(stack, marks) {
        let meta = stack.word(view.frame - 2);
        stack.set_word(view.frame - 2, meta & !SEEN);
    }
}

impl Vm {
    /// Collects before an object with these contents is made, if a collection is due.
    pub(crate) fn collect_if_due(&mut self, contents: Contents) {
        let before = self.heap.statistics.full.count();
        self.with_roots(|heap, roots| heap.collect_if_due(contents, roots));
        if self.heap.statistics.full.count() > before {
            self.trim_stack();
            self.world.regexes.forget_text();
        }
    }

    /// Collects everything now.
    pub fn collect_garbage(&mut self) {
        self.with_roots(|heap, roots| heap.collect_full(roots));
        self.trim_stack();
        self.world.regexes.forget_text();
    }

    /// Collects the nursery now.
    pub(crate) fn collect_nursery(&mut self) {
        self.with_roots(|heap, roots| heap.collect_minor(roots));
    }

    /// Requests a collection of the nursery at the next poll point, so that no collection has too many roots to visit.
    pub(crate) fn want_collection(&mut self) {
        self.run.collection_is_wanted = true;
        self.registers.tick_limit = 0;
    }

    /// Notes that the next collection has to visit the process's stack.
    pub(crate) fn note_fresh_process(&mut self, id: ProcessId) {
        self.processes.fresh.push(id);
        if self.processes.fresh.len() >= MANY_PROCESSES {
            self.want_collection();
        }
    }

    /// Gives back memory of the running process's stack that is no longer needed.
    fn trim_stack(&mut self) {
        if self.has_frames() {
            let frame = self.frame_index();
            let window = self.run.window.map_or(0, |args| args.base + args.count + 1);
            let top = frame + self.running_code(frame).register_count as usize;
            let before = self.running.stack.len();
            self.running.stack.trim(top.max(window));
            if self.running.stack.len() < before {
                self.set_stack_limit_from_depth();
            }
        }
    }

    /// Runs something with the heap and a function that shows it every root of this machine.
    pub(crate) fn with_roots<T>(
        &mut self,
        run: impl FnOnce(&mut crate::heap::Heap, &mut crate::heap::Roots<'_>) -> T,
    ) -> T {
        let frame = self.has_frames().then(|| self.frame_index());
        let request_value = match &mut self.run.request {
            Request::Switch { answer } | Request::AnswerInNewMode { answer } => answer,
            Request::Unwind(unwinding) => &mut unwinding.value,
            _ => &mut self.run.no_value,
        };
        let window = self
            .run
            .window
            .map_or(0..0, |args| args.base..args.base + args.count + 1);
        let ip = self.registers.ip;
        let (stack, marks) = (&mut self.running.stack, &mut self.running.marks);
        let contexts = &mut self.running.contexts;
        let mut set = RootSet {
            running: frame.map(|frame| RunningStack {
                stack,
                marks,
                contexts,
                frame,
                ip,
                window,
            }),
            processes: &mut self.processes.table,
            fresh_processes: &mut self.processes.fresh,
            current_is_fresh: &mut self.running.is_fresh,
            settled: &mut self.code.settled,
            targets: &mut self.code.targets,
            codes: self.registers.codes,
            keeps_arguments: self.config.dialect == Dialect::Som,
            globals: &mut self.image.globals,
            literals: &mut self.code.literals,
            class_objects: &mut self.image.class_objects,
            handles: &mut self.run.handles,
            separate: &mut self.separate,
            actors: &mut self.actors,
            watching: self.watching.as_deref_mut(),
            single: [
                &mut self.run.result,
                request_value,
                &mut self.running.object,
                &mut self.running.waits_on,
            ],
        };
        run(&mut self.heap, &mut |scope, visit| set.visit(scope, visit))
    }

    /// Forgets the progress of collections after references were changed elsewhere: any root may refer to a young
    /// object now.
    pub(crate) fn unsettle(&mut self) {
        self.code.settled = Settled::default();
        if self.has_frames() {
            let frame = self.frame_index();
            forget_seen(
                &mut self.running.stack,
                &self.running.marks,
                frame,
                self.registers.ip,
            );
        }
        for (index, process) in self.processes.table.iter_mut().enumerate() {
            let Some(process) = process else { continue };
            let (frame, ip) = (process.fp, process.ip);
            forget_seen(&mut process.stack, &process.marks, frame, ip);
            if !std::mem::replace(&mut process.is_fresh, true) {
                self.processes.fresh.push(ProcessId(index as u32));
            }
        }
    }

    /// Ends the run at the next poll point.
    pub(crate) fn stop_at_next_poll(&mut self, stop: Stop) {
        self.run.pending_stop.get_or_insert(stop);
        self.registers.tick_limit = 0;
    }
}
