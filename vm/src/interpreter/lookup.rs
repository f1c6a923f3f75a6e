//! From a receiver's class and a selector to the code that runs: the class table, the global cache in front of it, and
//! the inline caches in the code.

#![allow(unsafe_code)]

use super::sends::form_of;
use crate::base::{ClassId, Dialect, Known, MethodId, SymbolId, Value};
use crate::bytecode::{Cache, Op, SEND_WORDS, Word, with_op};
use crate::code::{CacheRecords, Foreseen, Pair, Target, empty_cache};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

/// Whether the cache of a send in the form `op` holds this class. A copy of the loop without optimisations does not
/// look there.
///
/// # Safety
/// `held` and `leads_to` are what the cache of a send in that form holds.
unsafe fn knows(op: Op, held: u32, leads_to: u64, class: ClassId) -> bool {
    let is_held = op.is_formed_send() && held == class.0;
    is_held
        || match op {
            // SAFETY: by the caller's promise.
            Op::SendPair | Op::SendPairValue => unsafe {
                (*(leads_to as *const Pair)).second_class == class.0
            },
            Op::SendBoolean => class == Known::True.into() || class == Known::False.into(),
            _ => false,
        }
}

impl Vm {
    /// The method that instances of `class` answer `selector` with.
    pub fn lookup(&self, class: ClassId, selector: SymbolId) -> Option<MethodId> {
        self.image.lookup(class, selector)
    }

    /// Looks up through the global cache and links the found method.
    pub(crate) fn target_for(
        &mut self,
        class: ClassId,
        selector: SymbolId,
    ) -> Option<*const Target> {
        let cached = self.config.optimisations.caches;
        if cached && let Some(target) = self.registers.lookup_cache.get(class, selector) {
            return Some(target);
        }
        let found = self.lookup(class, selector);
        self.looked_up(class, selector, found);
        let method = found?;
        let id = self.link(method);
        let target: *const Target = &*self.code.targets[id.0 as usize];
        if cached {
            self.registers.lookup_cache.put(class, selector, target);
        }
        Some(target)
    }

    /// Forgets all cached lookups, as after a change of a class.
    pub(crate) fn flush_caches(&mut self) {
        self.registers.lookup_cache.clear();
        for send in self.code.filled_caches.drain(..) {
            // SAFETY: the address of a send in linked code, which is never freed.
            empty_cache(unsafe { std::slice::from_raw_parts_mut(send, SEND_WORDS) });
        }
        self.code.cache_records = CacheRecords::default();
        self.image.searched.clear();
    }

    /// The target of the send at the saved instruction pointer, for a receiver of that class. Fills the inline cache.
    /// If no method is found, puts a Message in place of the arguments and answers the method for `doesNotUnderstand:`.
    #[inline(never)]
    pub(super) fn find_target(&mut self, window: *mut Value, class: u32) -> *const Target {
        // SAFETY: `ip` is at a verified send-shaped instruction.
        let word = unsafe { Word(*self.registers.ip) };
        let site = self.code.sites[word.index() as usize];
        let class = ClassId(class);
        let start = if word.op() == Some(Op::SuperSend) {
            let holder = self.method(site.method).holder;
            self.class(holder).superclass
        } else {
            Some(class)
        };
        // Linking may collect, so receiver and arguments are roots in the meantime.
        let count = word.op().map_or(0, |op| op.argument_count(word.c()));
        self.run.window = Some(self.window_at(window, count));
        let found = start.and_then(|start| self.target_for(start, site.selector));
        if let Some(target) = found
            && self.config.optimisations.caches
        {
            self.fill_cache(class, site.selector, count, target);
        }
        self.run.window = None;
        if let Some(target) = found {
            return target;
        }
        self.not_understood(window, site.selector, count)
    }

    /// Notes the target in the send at the saved instruction pointer.
    fn fill_cache(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        count: usize,
        target: *const Target,
    ) {
        // SAFETY: `ip` is at a verified send, and its words are this machine's own. Targets live as long as the
        // machine, and records live until the caches are emptied.
        unsafe {
            let send = self.registers.ip.cast_mut();
            let op = Word(*send).op().unwrap_or(Op::Send);
            let (cache, leads_to) = (send.add(1), send.add(2));
            let held = Cache(*cache).class();
            if op == Op::SendGlobal || knows(op, held, *leads_to, class) {
                return;
            }
            if held == 0 {
                self.code.filled_caches.push(send);
            }
            let (form, held, record) = match op {
                Op::Send => self.first_form(class, selector, count, target),
                _ if op.is_formed_send() => {
                    self.next_form(op, held, *leads_to, class, selector, target)
                }
                _ => (op, class.0, target as u64),
            };
            *send = with_op(*send, form);
            *cache = Cache(*cache).with_class(held).0;
            *leads_to = record;
        }
    }

    /// The form of a send that meets its first class, and what its cache holds: a class, and a target or a record.
    fn first_form(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        count: usize,
        target: *const Target,
    ) -> (Op, u32, u64) {
        if let Some(foreseen) = self.foresee_booleans(class, selector, count) {
            let record = self.code.cache_records.keep_foreseen(foreseen);
            return (Op::SendBoolean, class.0, record);
        }
        // SAFETY: targets live as long as the machine.
        let method = unsafe { &*target };
        if let Some(foreseen) = self.foresee_numbers(class, method) {
            let record = self.code.cache_records.keep_foreseen(foreseen);
            return (Op::SendNumber, class.0, record);
        }
        let form = form_of(method.activation, class.0);
        (form, class.0, target as u64)
    }

    /// As above, for a send that has met this class and meets a second one. After a third class the cache holds a
    /// selector.
    ///
    /// # Safety
    /// `held` and `leads_to` are what the cache of a send in the form `op` holds.
    unsafe fn next_form(
        &mut self,
        op: Op,
        held: u32,
        leads_to: u64,
        class: ClassId,
        selector: SymbolId,
        target: *const Target,
    ) -> (Op, u32, u64) {
        let first = match op {
            Op::SendBoolean | Op::SendPair | Op::SendPairValue => {
                return (Op::SendGlobal, selector.0, 0);
            }
            // SAFETY: by the caller's promise.
            Op::SendNumber => unsafe { (*(leads_to as *const Foreseen)).targets[0] },
            _ => leads_to as *const Target,
        };
        let pair = Pair {
            second_class: class.0,
            targets: [first, target],
        };
        let form = match pair.answers_values() {
            true => Op::SendPairValue,
            false => Op::SendPair,
        };
        (form, held, self.code.cache_records.keep_pair(pair))
    }

    fn window_at(&mut self, window: *mut Value, count: usize) -> Args {
        // SAFETY: the window holds receiver and arguments; it stays in place during a collection.
        let base = unsafe { window.offset_from(self.running.stack.base().cast()) } as usize;
        Args { base, count }
    }

    /// A Message, counted.
    fn make_message(&mut self, selector: SymbolId, arguments: Value) -> Value {
        self.run.handles.push(arguments);
        let message = self.make(Known::Message.into(), Contents::Slots(2));
        let arguments = self.run.handles.pop().unwrap_or(Value::NIL);
        self.heap.set_slot(message, 0, Value::symbol(selector));
        self.heap.set_slot(message, 1, arguments);
        message
    }

    /// Replaces the arguments in the window by a Message (in SOM by selector and arguments), and answers the
    /// method that takes it.
    pub(super) fn not_understood(
        &mut self,
        window: *mut Value,
        selector: SymbolId,
        count: usize,
    ) -> *const Target {
        let args = self.window_at(window, count);
        let base = args.base;
        self.run.window = Some(args);
        // A message to another processor's object is a request. What carries it is no object of the program's.
        let is_separate = self.is_a(self.running.stack_value(base), Known::Separate);
        let before = is_separate.then(|| self.allocations_now());
        let arguments = (1..=count)
            .map(|i| self.running.stack_value(base + i))
            .collect::<Vec<_>>();
        let array = self.make_array(&arguments);
        let is_som = self.config.dialect == Dialect::Som;
        let (said, wanted, count) = if is_som {
            let wanted = self.image.selectors.does_not_understand_arguments;
            ([Value::symbol(selector), array], wanted, 2)
        } else {
            let message = self.make_message(selector, array);
            (
                [message, Value::NIL],
                self.image.selectors.does_not_understand,
                1,
            )
        };
        self.run.window = None;
        if let Some(before) = before {
            self.forget_allocations_since(before);
        }
        if self.running.stack.len() <= base + count {
            self.grow_stack(base + count + 1);
        }
        for (index, &value) in said.iter().take(count).enumerate() {
            self.running.stack.set_value(base + 1 + index, value);
        }
        let selector = wanted;
        let class = self.class_of(self.running.stack_value(base));
        // Linking may collect, so receiver and arguments are roots in the meantime.
        self.run.window = Some(Args { base, count });
        let target = self.machine_target(class, selector);
        self.run.window = None;
        target
    }

    /// The target of a message that the machine sends itself. Object's method serves a root class without such a
    /// method.
    pub(super) fn machine_target(&mut self, class: ClassId, selector: SymbolId) -> *const Target {
        let found = self.target_for(class, selector);
        match found.or_else(|| self.target_for(Known::Object.into(), selector)) {
            Some(target) => target,
            None => self.missing_method(class, selector),
        }
    }
}
