//! From a receiver's class and a selector to the code that answers: the class table, the global cache in
//! front of it, and the inline caches in the code.
#![allow(unsafe_code)]

use super::caches::{CacheRecords, Pair};
use super::foreseen::Foreseen;
use super::sends::form_of;
use crate::bytecode::{Cache, Op, SEND_WORDS, Word, with_op};
use crate::class::{ClassId, Known, MethodId};
use crate::code::Target;
use crate::dialect::Dialect;
use crate::heap::Contents;
use crate::primitives::Args;
use crate::value::{SymbolId, Value};
use crate::vm::Vm;

const CACHE_BITS: u32 = 12;
const CACHE_ENTRIES: usize = 1 << CACHE_BITS;

/// One lookup that was made; a key of 0 is none.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    target: *const Target,
}

const NO_ENTRY: Entry = Entry {
    key: 0,
    target: std::ptr::null(),
};

/// Direct-mapped cache of lookups by class and selector.
pub(crate) struct LookupCache {
    entries: Box<[Entry; CACHE_ENTRIES]>,
    is_empty: bool,
}

impl Default for LookupCache {
    fn default() -> LookupCache {
        LookupCache {
            entries: Box::new([NO_ENTRY; CACHE_ENTRIES]),
            is_empty: true,
        }
    }
}

impl LookupCache {
    /// No class has the number 0, so no key is 0.
    #[inline(always)]
    fn key(class: ClassId, selector: SymbolId) -> u64 {
        u64::from(class.0) << 32 | u64::from(selector.0)
    }

    #[inline(always)]
    fn index(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - CACHE_BITS)) as usize
    }

    #[inline(always)]
    pub(super) fn get(&self, class: ClassId, selector: SymbolId) -> Option<*const Target> {
        let key = LookupCache::key(class, selector);
        let entry = &self.entries[LookupCache::index(key)];
        (entry.key == key).then_some(entry.target)
    }

    fn put(&mut self, class: ClassId, selector: SymbolId, target: *const Target) {
        self.is_empty = false;
        let key = LookupCache::key(class, selector);
        self.entries[LookupCache::index(key)] = Entry { key, target };
    }

    fn clear(&mut self) {
        if !self.is_empty {
            self.entries.fill(NO_ENTRY);
            self.is_empty = true;
        }
    }
}

/// Empties the inline cache of a send, and takes back the form that it gave the send.
pub(crate) fn empty_cache(send: &mut [u64]) {
    if let [word, cache, target] = send {
        if Word(*word).op().is_some_and(Op::is_formed_send) {
            *word = with_op(*word, Op::Send);
        }
        *cache = Cache(*cache).with_class(0).0;
        *target = 0;
    }
}

/// Whether the cache of a send in the form `op` holds this class: a copy of the loop without optimisations does not look there.
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
        let mut at = Some(class);
        while let Some(id) = at {
            let class = self.class(id);
            if let Some(method) = class.methods.get(selector) {
                return Some(method);
            }
            at = class.superclass;
        }
        None
    }

    /// Lookup through the global cache, linking what is found.
    pub(crate) fn target_for(
        &mut self,
        class: ClassId,
        selector: SymbolId,
    ) -> Option<*const Target> {
        let cached = self.config.optimisations.caches;
        if cached && let Some(target) = self.lookup_cache.get(class, selector) {
            return Some(target);
        }
        let found = self.lookup(class, selector);
        if let Some(lookups) = &mut self.lookups {
            lookups.note(class, selector, found, true);
        }
        let method = found?;
        let id = self.link(method);
        let target: *const Target = &*self.targets[id.0 as usize];
        if cached {
            self.lookup_cache.put(class, selector, target);
        }
        Some(target)
    }

    /// Forgets all cached lookups, as after a change of a class.
    pub(crate) fn flush_caches(&mut self) {
        self.lookup_cache.clear();
        for send in self.filled_caches.drain(..) {
            // SAFETY: the address of a send in linked code, which is never freed.
            empty_cache(unsafe { std::slice::from_raw_parts_mut(send, SEND_WORDS) });
        }
        self.cache_records = CacheRecords::default();
        self.searched.clear();
    }

    /// What the send at the saved instruction pointer leads to, for a receiver of that class. Fills the inline cache.
    /// If nothing understands the message, puts a Message in its place and answers the method for
    /// `doesNotUnderstand:`.
    #[inline(never)]
    pub(super) fn find_target(&mut self, window: *mut Value, class: u32) -> *const Target {
        // SAFETY: `ip` is at a verified send-shaped instruction.
        let word = unsafe { Word(*self.ip) };
        let site = self.sites[word.imm() as usize];
        let class = ClassId(class);
        let start = if word.op() == Some(Op::SuperSend) {
            let holder = self.method(site.method).holder;
            self.class(holder).superclass
        } else {
            Some(class)
        };
        // Linking may collect: receiver and arguments are roots meanwhile.
        let count = word.op().map_or(0, |op| op.argument_count(word.c()));
        self.window = Some(self.window_at(window, count));
        let found = start.and_then(|start| self.target_for(start, site.selector));
        if let Some(target) = found
            && self.config.optimisations.caches
        {
            self.fill_cache(class, site.selector, count, target);
        }
        self.window = None;
        if let Some(target) = found {
            return target;
        }
        self.not_understood(window, site.selector, count)
    }

    /// Notes in the send at the saved instruction pointer where it led to.
    fn fill_cache(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        count: usize,
        target: *const Target,
    ) {
        // SAFETY: `ip` is at a verified send, and its words are this machine's own; targets live as long as it, and records
        // until the caches are emptied.
        unsafe {
            let send = self.ip.cast_mut();
            let op = Word(*send).op().unwrap_or(Op::Send);
            let (cache, leads_to) = (send.add(1), send.add(2));
            let held = Cache(*cache).class();
            if op == Op::SendGlobal || knows(op, held, *leads_to, class) {
                return;
            }
            if held == 0 {
                self.filled_caches.push(send);
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
            let record = self.cache_records.keep_foreseen(foreseen);
            return (Op::SendBoolean, class.0, record);
        }
        // SAFETY: targets live as long as the machine.
        let method = unsafe { &*target };
        if let Some(foreseen) = self.foresee_numbers(class, method) {
            let record = self.cache_records.keep_foreseen(foreseen);
            return (Op::SendNumber, class.0, record);
        }
        let form = form_of(method.activation, class.0);
        (form, class.0, target as u64)
    }

    /// The same for one that has met this class and meets another. A third one leaves it a selector.
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
        (form, held, self.cache_records.keep_pair(pair))
    }

    fn window_at(&mut self, window: *mut Value, count: usize) -> Args {
        // SAFETY: the window holds receiver and arguments; it stays in place during a collection.
        let base = unsafe { window.offset_from(self.stack.base().cast()) } as usize;
        Args { base, count }
    }

    /// A Message, counted.
    fn make_message(&mut self, selector: SymbolId, arguments: Value) -> Value {
        self.handles.push(arguments);
        let message = self.make(Known::Message.into(), Contents::Slots(2));
        let arguments = self.handles.pop().unwrap_or(Value::NIL);
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
        self.window = Some(args);
        let arguments = (1..=count)
            .map(|i| self.stack_value(base + i))
            .collect::<Vec<_>>();
        let array = self.make_array(&arguments);
        let is_som = self.config.dialect == Dialect::Som;
        let (said, wanted, count) = if is_som {
            let wanted = self.selectors.does_not_understand_arguments;
            ([Value::symbol(selector), array], wanted, 2)
        } else {
            let message = self.make_message(selector, array);
            ([message, Value::NIL], self.selectors.does_not_understand, 1)
        };
        self.window = None;
        if self.stack.len() <= base + count {
            self.grow_stack(base + count + 1);
        }
        for (index, &value) in said.iter().take(count).enumerate() {
            self.stack.set_value(base + 1 + index, value);
        }
        let selector = wanted;
        let class = self.class_of(self.stack_value(base));
        // Linking may collect: receiver and what is said are roots meanwhile.
        self.window = Some(Args { base, count });
        let target = self.machine_target(class, selector);
        self.window = None;
        target
    }

    /// What a message leads to that the machine sends on its own. A root class without such a method is served by Object's.
    pub(super) fn machine_target(&mut self, class: ClassId, selector: SymbolId) -> *const Target {
        let found = self.target_for(class, selector);
        match found.or_else(|| self.target_for(Known::Object.into(), selector)) {
            Some(target) => target,
            None => self.missing_method(class, selector),
        }
    }
}
