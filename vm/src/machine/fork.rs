//! Copies of a whole machine (`Vm::fork`), and going back to one (`Vm::reset`).

use super::Vm;
use super::registers::Registers;
use crate::base::{ClassId, Known, MethodId};
use crate::code::Targets;
use crate::observers::Observers;
use crate::processes::{Process, Processes, Stack};

impl Vm {
    /// A copy of the machine in its present state, at a poll point or outside a run: objects, code,
    /// processes, counters. No change of one shows in the other; the copy gets the given outside world.
    pub fn fork(&mut self, host: Box<dyn crate::world::Host>) -> Vm {
        if !self.heap.is_settled() {
            self.collect_garbage();
            self.heap.settle();
            self.code.targets.alive_in_blocks = self.methods_alive_in_blocks();
        }
        let mut copy = Vm {
            registers: Registers::default(),
            heap: self.heap.for_copy(),
            running: self.running.fork(self.has_frames()),
            counters: self.counters.fork(),
            code: self.code.fork(),
            run: self.run.fork(),
            processes: Processes::default(),
            image: self.image.fork(),
            observers: Observers::default(),
            world: self.world.fork(host),
            compilers: self.compilers.fork(),
            config: self.config,
        };
        self.own_code(&mut copy);
        copy.observers = self.observers.fork(self.copied_recorder(&mut copy));
        copy.refresh_recorder();
        copy.processes = self
            .processes
            .fork(|process| self.copy_process(process, &copy));
        self.copy_registers(&mut copy);
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
            .filter_map(|code| self.code.targets.get(usize::try_from(code).ok()?))
            .map(|target| target.method)
            .collect();
        methods.sort_unstable();
        methods.dedup();
        methods
    }

    /// The copy shares all code until it runs it. What it can run without looking it up it gets at once.
    fn own_code(&self, copy: &mut Vm) {
        let has_processes = self.has_frames() || self.processes.table.iter().any(Option::is_some);
        if has_processes || self.observers.recorder.is_some() {
            copy.code.targets.make_all_own(&copy.code.literals);
        }
        for &method in &self.code.targets.alive_in_blocks {
            if let Some(linked) = copy.linked(method) {
                copy.code.targets.make_own(linked, &copy.code.literals);
            }
        }
    }

    fn copy_registers(&mut self, copy: &mut Vm) {
        copy.registers.ticks = self.registers.ticks;
        copy.registers.loops = self.registers.loops;
        if !self.has_frames() {
            return;
        }
        let frame = self.frame_index();
        let ip = self.registers.ip;
        self.rebase(
            &mut copy.running.stack,
            &copy.running.marks,
            frame,
            ip,
            &copy.code.targets,
        );
        copy.registers.ip = self.rebased(ip, &copy.code.targets);
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
            &copy.code.targets,
        );
        Process {
            stack,
            marks: process.marks.clone(),
            ip: self.rebased(process.ip, &copy.code.targets),
            silence: process.silence.clone(),
            interrupted: process.interrupted.clone(),
            ..*process
        }
    }

    /// Makes the return addresses on a copied stack point into the copied code.
    fn rebase(
        &self,
        stack: &mut Stack,
        marks: &[crate::processes::Mark],
        frame: usize,
        ip: *const u64,
        targets: &Targets,
    ) {
        let mut walk = crate::processes::FrameWalk::new(frame, ip);
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
        let found = self
            .code
            .targets
            .iter()
            .position(|t| t.words.as_ptr_range().contains(&ip));
        match found {
            Some(index) => {
                let offset = ip as usize - self.code.targets[index].entry as usize;
                (targets[index].entry as usize + offset) as *const u64
            }
            None => ip,
        }
    }

    /// Links the methods that a copy of this machine has linked since it was made, so that further copies need not.
    /// That is no change that a program could see.
    pub fn link_as(&mut self, copy: &Vm) {
        let both = self.image.methods.len().min(copy.image.methods.len());
        for index in 0..both {
            let id = crate::base::MethodId(index as u32);
            if self.linked(id).is_none() && copy.linked(id).is_some() {
                self.link(id);
            }
        }
    }

    /// Goes back to the state that `saved` was forked in, keeping the outside world. `saved` stays as it was.
    pub fn reset(&mut self, saved: &mut Vm) {
        let placeholder: Box<dyn crate::world::Host> = Box::<crate::world::MemoryHost>::default();
        let host = std::mem::replace(&mut self.world.host, placeholder);
        *self = saved.fork(host);
    }
}
