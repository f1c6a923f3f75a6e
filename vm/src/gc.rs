//! The machine's side of collecting: where the roots are. A frame's registers are roots where they are
//! live, see `liveness`; the frame kinds that the machine reads keep receiver and arguments besides.

use crate::class::Class;
use crate::code::Target;
use crate::frames::{FrameWalk, in_stub};
use crate::heap::Contents;
use crate::liveness::Liveness;
use crate::primitives::Args;
use crate::process::{Mark, Process, Stack};
use crate::value::Value;
use crate::vm::{Global, Limit, Request, Stop, Vm};

/// Everything beside the heap that refers to objects.
struct RootSet<'a> {
    stack: &'a mut Stack,
    marks: &'a mut Vec<Mark>,
    frame: Option<usize>,
    ip: *const u64,
    window: Option<Args>,
    processes: &'a mut Vec<Option<Process>>,
    #[allow(clippy::vec_box)] // see `Vm::targets`
    targets: &'a mut Vec<Box<Target>>,
    globals: &'a mut Vec<Global>,
    literals: &'a mut Vec<Value>,
    classes: &'a mut Vec<Class>,
    handles: &'a mut Vec<Value>,
    single: [&'a mut Value; 2],
}

impl RootSet<'_> {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.globals.iter_mut().for_each(|g| visit(&mut g.value));
        self.literals.iter_mut().for_each(&mut *visit);
        self.classes.iter_mut().for_each(|c| visit(&mut c.object));
        self.handles.iter_mut().for_each(&mut *visit);
        self.single.iter_mut().for_each(|v| visit(v));
        self.targets.iter_mut().for_each(|t| visit(&mut t.value));
        if let Some(frame) = self.frame {
            // A word that is shown twice would be copied twice by a full collection: the window's
            // words may be live registers of the top frame, so those are left to the window.
            let window = self
                .window
                .map_or(0..0, |args| args.base..args.base + args.count + 1);
            visit_stack(
                self.stack,
                self.marks,
                frame,
                self.ip,
                self.targets,
                &window,
                visit,
            );
            for index in window {
                visit_word(self.stack, index, visit);
            }
        }
        for process in self.processes.iter_mut().flatten() {
            visit(&mut process.object);
            let Process {
                stack,
                marks,
                fp,
                ip,
                ..
            } = process;
            visit_stack(stack, marks, *fp, *ip, self.targets, &(0..0), visit);
        }
    }
}

fn visit_word(stack: &mut Stack, index: usize, visit: &mut dyn FnMut(&mut Value)) {
    let mut value = stack.value(index);
    visit(&mut value);
    stack.set_value(index, value);
}

fn visit_stack(
    stack: &mut Stack,
    marks: &mut [Mark],
    frame: usize,
    ip: *const u64,
    targets: &mut [Box<Target>],
    window: &std::ops::Range<usize>,
    visit: &mut dyn FnMut(&mut Value),
) {
    for mark in marks.iter_mut() {
        if let Some(unwinding) = &mut mark.unwinding {
            visit(&mut unwinding.value);
        }
    }
    let mut walk = FrameWalk::new(frame, ip);
    while let Some(view) = walk.step(stack, marks) {
        let target = &mut targets[view.target.0 as usize];
        let pinned = match view.mark.and_then(|index| marks.get(index)) {
            Some(Mark {
                frame_kind: Some(_),
                ..
            }) => usize::from(target.argument_count) + 1,
            _ => 0,
        };
        for register in 0..pinned {
            visit_word(stack, view.frame + register, visit);
        }
        if in_stub(view.ip) {
            // Only the awaited answer is still to come; `Return` of register 0 reads it after that.
            if view.is_top && pinned == 0 {
                visit_word(stack, view.frame, visit);
            }
            continue;
        }
        let Target {
            liveness,
            words,
            register_count,
            entry,
            ..
        } = &mut **target;
        let live =
            liveness.get_or_insert_with(|| Box::new(Liveness::of(words, *register_count as usize)));
        let pc = (view.ip as usize - *entry as usize) / 8;
        live.live_before(pc, |register| {
            let awaited = view.awaiting == Some(register as u16) && !view.is_top;
            let shown_apart = window.contains(&(view.frame + register));
            if register >= pinned && !awaited && !shown_apart {
                visit_word(stack, view.frame + register, visit);
            }
        });
    }
}

impl Vm {
    /// Collects what is due before an object with these contents is made.
    pub(crate) fn collect_if_due(&mut self, contents: Contents) {
        self.with_roots(|heap, roots| heap.collect_if_due(contents, roots));
    }

    /// Collects everything now.
    pub fn collect_garbage(&mut self) {
        self.with_roots(|heap, roots| heap.collect_full(roots));
    }

    /// Runs something with the heap and a function that shows it every root of this machine.
    pub(crate) fn with_roots<T>(
        &mut self,
        run: impl FnOnce(&mut crate::heap::Heap, &mut crate::heap::Roots<'_>) -> T,
    ) -> T {
        let frame = self.has_frames().then(|| self.frame_index());
        let request_value = match &mut self.request {
            Request::Switch { answer } => answer,
            Request::Unwind(unwinding) => &mut unwinding.value,
            _ => &mut self.no_value,
        };
        let mut set = RootSet {
            stack: &mut self.stack,
            marks: &mut self.marks,
            frame,
            ip: self.ip,
            window: self.window,
            processes: &mut self.processes,
            targets: &mut self.targets,
            globals: &mut self.globals,
            literals: &mut self.literals,
            classes: &mut self.classes,
            handles: &mut self.handles,
            single: [&mut self.result, request_value],
        };
        let current_object = &mut self.current_object;
        run(&mut self.heap, &mut |visit| {
            set.visit(visit);
            visit(current_object);
        })
    }

    /// Notes when the machine holds more than it may; the next poll point ends the run.
    pub(crate) fn check_memory(&mut self) {
        if let Some(limit) = self.config.max_memory
            && self.memory_in_use() > limit
        {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
        }
    }

    /// Ends the run at the next poll point.
    pub(crate) fn stop_at_next_poll(&mut self, stop: Stop) {
        self.pending_stop.get_or_insert(stop);
        self.tick_limit = 0;
    }
}
