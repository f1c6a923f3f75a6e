//! Copies of a whole machine (`Vm::fork`), and going back to one (`Vm::reset`).

use super::Vm;
use crate::base::{ClassId, Known, MethodId};
use crate::code::LinkedCode;
use crate::world::{Host, MemoryHost};

impl Vm {
    /// A copy of the machine in its present state, at a poll point or outside a run: objects, code,
    /// processes, counters. No change of one shows in the other; the copy gets the given outside world.
    pub fn fork(&mut self, host: Box<dyn Host>) -> Vm {
        if !self.heap.is_settled() {
            self.settle_objects();
        }
        let top = match self.has_frames() {
            true => Some((self.frame_index(), self.registers.ip)),
            false => None,
        };
        let mut code = self.code.fork();
        self.own_code(&mut code);
        let recorder = self.observers.recorder.as_ref();
        let recorder = recorder.map(|r| Box::new(r.fork(&self.code.targets, &mut code.targets)));
        let moved = |ip| self.code.targets.moved(ip, &code.targets);
        let registers = self
            .registers
            .fork(top.map_or(std::ptr::null(), |(_, ip)| moved(ip)));
        let running = self.running.fork(top, moved);
        let processes = self.processes.fork(moved);
        let mut copy = Vm {
            registers,
            heap: self.heap.for_copy(),
            running,
            counters: self.counters.fork(),
            code,
            run: self.run.fork(),
            processes,
            choices: self.choices.fork(),
            separate: self.separate.clone(),
            actors: self.actors.clone(),
            image: self.image.fork(),
            observers: self.observers.fork(recorder),
            world: self.world.fork(host),
            compilers: self.compilers.fork(),
            config: self.config,
            trial: None,
            watching: None,
        };
        copy.refresh_recorder();
        if let Some((frame, _)) = top {
            copy.set_frame(frame);
            copy.set_stack_limit_index(self.stack_limit_index());
            copy.set_tick_limit();
        }
        // The copy's words still refer to this machine's objects; the heap's copy rewrites them.
        copy.with_roots(|copied, roots| self.heap.copy_objects(copied, roots));
        copy.watch_allocations();
        copy
    }

    /// Prepares the objects for copies. They stay where they are until another one is made.
    pub(super) fn settle_objects(&mut self) {
        self.collect_garbage();
        self.heap.settle();
        self.code.targets.alive_in_blocks = self.methods_alive_in_blocks();
    }

    /// The methods of the blocks in the heap. Such blocks can run without a lookup.
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

    /// A copy shares all code until it runs it. Code that it can run without a lookup becomes its own at once.
    fn own_code(&self, copy: &mut LinkedCode) {
        let has_processes = self.has_frames() || self.processes.table.iter().any(Option::is_some);
        if has_processes || self.observers.recorder.is_some() {
            copy.targets.make_all_own(&copy.literals);
        }
        for &method in &self.code.targets.alive_in_blocks {
            if let Some(linked) = copy.linked(method) {
                copy.targets.make_own(linked, &copy.literals);
            }
        }
    }

    /// Links the methods that a copy of this machine has linked since it was made. So further copies need not link
    /// them. No program can see that change.
    pub fn link_as(&mut self, copy: &Vm) {
        let both = self.image.methods.len().min(copy.image.methods.len());
        for index in 0..both {
            let id = MethodId(index as u32);
            if self.code.linked(id).is_none() && copy.code.linked(id).is_some() {
                self.link(id);
            }
        }
    }

    /// Goes back to the state that `saved` was forked in, keeping the outside world. `saved` stays as it was.
    pub fn reset(&mut self, saved: &mut Vm) {
        let placeholder: Box<dyn Host> = Box::<MemoryHost>::default();
        let host = std::mem::replace(&mut self.world.host, placeholder);
        *self = saved.fork(host);
    }
}
