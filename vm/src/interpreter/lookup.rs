//! From a receiver's class and a selector to the code that answers: the class table, the global cache in
//! front of it, and the inline caches in the code.
#![allow(unsafe_code)]

use crate::bytecode::{Op, Word};
use crate::class::{ClassId, Known, MethodId};
use crate::code::Target;
use crate::dialect::Dialect;
use crate::heap::Contents;
use crate::primitives::Args;
use crate::value::{SymbolId, Value};
use crate::vm::Vm;

const CACHE_ENTRIES: usize = 1 << 11;

/// Direct-mapped cache of lookups by class and selector.
pub(crate) struct LookupCache {
    entries: Vec<(u32, u32, *const Target)>,
    is_empty: bool,
}

impl Default for LookupCache {
    fn default() -> LookupCache {
        LookupCache {
            entries: vec![(0, 0, std::ptr::null()); CACHE_ENTRIES],
            is_empty: true,
        }
    }
}

impl LookupCache {
    fn index(class: ClassId, selector: SymbolId) -> usize {
        let mixed = class.0.wrapping_mul(0x9E37_79B1) ^ selector.0.wrapping_mul(0x85EB_CA6B);
        (mixed >> 12) as usize % CACHE_ENTRIES
    }

    fn get(&self, class: ClassId, selector: SymbolId) -> Option<*const Target> {
        let (c, s, target) = self.entries[LookupCache::index(class, selector)];
        (c == class.0 && s == selector.0).then_some(target)
    }

    fn put(&mut self, class: ClassId, selector: SymbolId, target: *const Target) {
        self.is_empty = false;
        self.entries[LookupCache::index(class, selector)] = (class.0, selector.0, target);
    }

    fn clear(&mut self) {
        if !self.is_empty {
            self.entries.fill((0, 0, std::ptr::null()));
            self.is_empty = true;
        }
    }
}

impl Vm {
    /// The method that instances of `class` answer `selector` with.
    pub fn lookup(&self, class: ClassId, selector: SymbolId) -> Option<MethodId> {
        let mut at = Some(class);
        while let Some(id) = at {
            let class = self.class(id);
            if let Some(&method) = class.methods.get(&selector) {
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
        let method = self.lookup(class, selector)?;
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
        for cache in self.filled_caches.drain(..) {
            // SAFETY: the address of a class word in linked code, which is never freed.
            unsafe { *cache &= !0xFFFF_FFFF };
        }
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
        self.window = None;
        if let Some(target) = found {
            if self.config.optimisations.caches {
                // SAFETY: the cache words follow the instruction.
                unsafe {
                    let cache = self.ip.add(1).cast_mut();
                    if *cache as u32 == 0 {
                        self.filled_caches.push(cache);
                    }
                    *cache = *cache & !0xFFFF_FFFF | u64::from(class.0);
                    *cache.add(1) = target as u64;
                }
            }
            return target;
        }
        self.not_understood(window, site.selector, count)
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
        let found = self.target_for(class, selector);
        self.window = None;
        match found {
            Some(target) => target,
            // A root class without `doesNotUnderstand:`: Object's serves.
            None => match self.target_for(Known::Object.into(), selector) {
                Some(target) => target,
                None => self.missing_method_target(),
            },
        }
    }
}
