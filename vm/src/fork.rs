//! Copies of a whole machine (`Vm::fork`), and going back to one (`Vm::reset`).

use crate::class::{ClassId, Known, MethodId};
use crate::code::Targets;
use crate::process::{Process, Stack};
use crate::vm::Vm;

impl Vm {
    /// A copy of the machine in its present state, at a poll point or outside a run: objects, code,
    /// processes, counters. No change of one shows in the other; the copy gets the given outside world.
    pub fn fork(&mut self, host: Box<dyn crate::host::Host>) -> Vm {
        if !self.heap.is_settled() {
            self.collect_garbage();
            self.heap.settle();
            self.targets.alive_in_blocks = self.methods_alive_in_blocks();
        }
        let names = (self.symbols.clone(), self.selectors);
        let mut copy = Vm::bare(self.config, host, self.heap.for_copy(), names);
        self.copy_tables(&mut copy);
        self.copy_code(&mut copy);
        self.copy_processes(&mut copy);
        // The copy's words still refer to this machine's objects; the heap's copy rewrites them.
        copy.with_roots(|copied, roots| self.heap.copy_objects(copied, roots));
        copy.watch_allocations();
        copy
    }

    /// The methods whose blocks the heap holds. They can run without being looked up.
    fn methods_alive_in_blocks(&self) -> Vec<MethodId> {
        let is_block = |class| Known::is_block_class(ClassId(class));
        let blocks = self.heap.objects_of(is_block).into_iter();
        let codes = blocks.filter_map(|block| self.heap.slots(block).first()?.as_int());
        let mut methods: Vec<MethodId> = codes
            .filter_map(|code| self.targets.get(usize::try_from(code).ok()?))
            .map(|target| target.method)
            .collect();
        methods.sort_unstable();
        methods.dedup();
        methods
    }

    fn copy_tables(&mut self, copy: &mut Vm) {
        copy.classes = self.classes.clone();
        copy.methods = self.methods.copy();
        copy.links = self.links.copy();
        copy.class_objects = self.class_objects.clone();
        copy.implementors = self.implementors.clone();
        copy.units = self.units.copy();
        copy.globals = self.globals.clone();
        copy.references = self.references.copy();
        copy.global_ids = self.global_ids.clone();
        copy.library_globals = self.library_globals.clone();
        copy.library_classes = self.library_classes;
        copy.literals = self.literals.clone();
        copy.sites = self.sites.clone();
        copy.arguments = self.arguments.clone();
        copy.random_count = self.random_count;
        copy.clock_offset = self.clock_offset;
        copy.scheduler = self.scheduler.clone_box();
        copy.full = self.full.clone();
        copy.full_wanted = self.full_wanted;
        copy.opcode_counts = self.opcode_counts.clone();
        copy.next_serial = self.next_serial;
        copy.handles = self.handles.clone();
        copy.pending_stop = self.pending_stop;
        copy.compares_keys = self.compares_keys;
        copy.guards = self.guards.clone();
        copy.checks_slots = self.checks_slots;
        copy.failed = self.failed;
        copy.depth_exceeded = self.depth_exceeded;
        copy.result = self.result;
        copy.counter_offset = self.counter_offset;
        copy.preset_ticks = self.preset_ticks;
        copy.uncounted = self.uncounted;
        copy.library_digest = self.library_digest;
        copy.som = self.som.fork();
        copy.compiler = self.compiler.clone();
        copy.method_objects = self.method_objects.clone();
        copy.wrappers = self.wrappers.clone();
        copy.recompiled = self.recompiled.clone();
        copy.sections = self.sections.clone();
        copy.sections_own_recorder = self.sections_own_recorder;
        copy.depth_gauge = self.depth_gauge.clone();
        copy.library_sources = self.library_sources.clone();
    }

    /// The copy shares all code until it runs it. What it can run without looking it up it gets at once.
    fn copy_code(&mut self, copy: &mut Vm) {
        copy.targets = self.targets.copy();
        let has_processes = self.has_frames() || self.processes.iter().any(Option::is_some);
        if has_processes || self.recorder.is_some() {
            copy.targets.make_all_own(&copy.literals);
        }
        for &method in &self.targets.alive_in_blocks {
            if let Some(linked) = copy.linked(method) {
                copy.targets.make_own(linked, &copy.literals);
            }
        }
        self.copy_recorder(copy);
    }

    fn copy_processes(&mut self, copy: &mut Vm) {
        copy.ready = self.ready.clone();
        copy.pending_termination = self.pending_termination.clone();
        copy.main = self.main;
        copy.current = self.current;
        copy.current_ended = self.current_ended;
        copy.current_status = self.current_status;
        copy.current_priority = self.current_priority;
        copy.current_object = self.current_object;
        copy.current_waits_on = self.current_waits_on;
        copy.sleepers = self.sleepers.clone();
        copy.sleep_order = self.sleep_order;
        copy.ticks = self.ticks;
        copy.loops = self.loops;
        copy.other_ticks = self.other_ticks;
        copy.other_loops = self.other_loops;
        copy.slice_end = self.slice_end;
        copy.silence = self.silence.clone();
        copy.interrupted = self.interrupted.clone();
        copy.overhead = self.overhead;
        copy.programs_overhead = self.programs_overhead;
        copy.measurements = self.measurements.clone();
        copy.fresh_processes = self.fresh_processes.clone();
        copy.current_is_fresh = self.current_is_fresh;
        copy.depth_exceeded_at = self.depth_exceeded_at;
        copy.processes = (0..self.processes.len())
            .map(|index| {
                self.processes[index]
                    .as_ref()
                    .map(|p| Box::new(self.copy_process(p, copy)))
            })
            .collect();
        copy.bytes_of_processes = copy.processes.iter().flatten().map(|p| p.bytes()).sum();
        if !self.has_frames() {
            return;
        }
        let frame = self.frame_index();
        copy.stack = self.stack.clone();
        copy.marks = self.marks.clone();
        self.rebase(&mut copy.stack, &copy.marks, frame, self.ip, &copy.targets);
        copy.ip = self.rebased(self.ip, &copy.targets);
        copy.set_frame(frame);
        copy.set_stack_limit_index(self.stack_limit_index());
        copy.set_tick_limit();
    }

    fn copy_process(&self, process: &Process, copy: &Vm) -> Process {
        let mut stack = process.stack.clone();
        self.rebase(
            &mut stack,
            &process.marks,
            process.fp,
            process.ip,
            &copy.targets,
        );
        Process {
            stack,
            marks: process.marks.clone(),
            ip: self.rebased(process.ip, &copy.targets),
            silence: process.silence.clone(),
            interrupted: process.interrupted.clone(),
            ..*process
        }
    }

    /// Makes the return addresses on a copied stack point into the copied code.
    fn rebase(
        &self,
        stack: &mut Stack,
        marks: &[crate::process::Mark],
        frame: usize,
        ip: *const u64,
        targets: &Targets,
    ) {
        let mut walk = crate::frames::FrameWalk::new(frame, ip);
        let mut places = Vec::new();
        while let Some(view) = walk.step(stack, marks) {
            places.push(view.frame - 1);
        }
        for place in places {
            let address = stack.word(place) as *const u64;
            stack.set_word(place, self.rebased(address, targets) as u64);
        }
    }

    fn rebased(&self, ip: *const u64, targets: &Targets) -> *const u64 {
        let both = self.targets.iter().zip(targets.iter());
        both.filter_map(|(old, new)| Some(new.address_of(old.index_of(ip)?)))
            .next()
            .unwrap_or(ip)
    }

    /// Links the methods that a copy of this machine has linked since it was made, so that further copies need not.
    /// That is no change that a program could see.
    pub fn link_as(&mut self, copy: &Vm) {
        let both = self.methods.len().min(copy.methods.len());
        for index in 0..both {
            let id = crate::class::MethodId(index as u32);
            if self.linked(id).is_none() && copy.linked(id).is_some() {
                self.link(id);
            }
        }
    }

    /// Goes back to the state that `saved` was forked in, keeping the outside world. `saved` stays as it was.
    pub fn reset(&mut self, saved: &mut Vm) {
        let placeholder: Box<dyn crate::host::Host> = Box::<crate::host::MemoryHost>::default();
        let host = std::mem::replace(&mut self.host, placeholder);
        *self = saved.fork(host);
    }
}
