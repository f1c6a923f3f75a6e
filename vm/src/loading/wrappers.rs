//! Method wrappers (counting model, 4): takes a method's place in its class and gives it back. The class gets a method
//! of the machine's own, which sends `run:with:in:` to the wrapper. `interpreter::wrapping` enters this method and the
//! original after it.

use std::sync::Arc;

use crate::base::{ClassId, MethodId, SymbolId, Value};
use crate::bytecode::{Code, LINK_WORDS, Literal, Op, Site, Word, cache_word, empty_code};
use crate::code::Target;
use crate::image::{CodeCell, Method, Wrapping};
use crate::machine::Vm;

/// The message that a wrapper gets in place of the wrapped one.
const RUN: &str = "run:with:in:";

/// Methods of more arguments cannot be wrapped: the registers of the method in their place are bytes.
const MOST_ARGUMENTS: u16 = 200;

/// The slot of a CompiledMethod, which a wrapper is, that holds the number of its method.
const NUMBER_SLOT: usize = 0;

/// The slot of a wrapper that holds the number of the method in the original's place.
const WRAPPING_SLOT: usize = 1;

impl Vm {
    /// Puts the wrapper into the place of the class's own method for the selector. `None` if there is none or it cannot be
    /// wrapped.
    pub(crate) fn wrap(
        &mut self,
        wrapper: Value,
        class: ClassId,
        selector: SymbolId,
    ) -> Option<()> {
        let row = self.class(class);
        let is_traits = row.is_trait || self.class(row.other_side).is_trait;
        let original = row.methods.get(selector)?;
        let arguments = self.method(original).code.get().argument_count;
        if is_traits || arguments > MOST_ARGUMENTS || self.wraps(wrapper) {
            return None;
        }
        let known = self.wrapping_of(wrapper);
        let suits = |id: &MethodId| {
            let method = self.method(*id);
            method.holder == class
                && method.selector == selector
                && self.image.wrappers[id].original == original
        };
        let wrapping = match known.filter(suits) {
            Some(known) => known,
            None => self.make_wrapping(wrapper, original),
        };
        self.put_into_class(wrapping);
        let numbers = [(NUMBER_SLOT, original), (WRAPPING_SLOT, wrapping)];
        for (slot, MethodId(number)) in numbers {
            let wrapper = self.code.literals[self.image.wrappers[&wrapping].literal];
            self.heap
                .set_slot(wrapper, slot, Value::int(i64::from(number)));
        }
        Some(())
    }

    /// Gives the wrapper's method its place back; false if the wrapper replaces no method.
    pub(crate) fn unwrap(&mut self, wrapper: Value) -> bool {
        let Some(wrapping) = self.wrapping_of(wrapper) else {
            return false;
        };
        let original = self.image.wrappers[&wrapping].original;
        let Some(first) = self.image.class_method_like(wrapping) else {
            return false;
        };
        if first == wrapping {
            self.put_into_class(original);
            return true;
        }
        let above = self.image.chain(first).find(|id| {
            let row = self.image.wrappers.get(id);
            row.is_some_and(|row| row.original == wrapping)
        });
        let Some(above) = above else {
            return false;
        };
        let Some(row) = self.image.wrappers.get_mut(&above) else {
            return false;
        };
        row.original = original;
        let outer = self.code.literals[row.literal];
        debug_assert!(self.heap.has_slot(outer, NUMBER_SLOT));
        self.heap
            .set_slot(outer, NUMBER_SLOT, Value::int(i64::from(original.0)));
        true
    }

    /// Whether the wrapper stands in a method's place, alone or below other wrappers.
    pub(crate) fn wraps(&self, wrapper: Value) -> bool {
        let wrapping = self.wrapping_of(wrapper);
        wrapping.is_some_and(|wrapping| {
            let first = self.image.class_method_like(wrapping);
            first.is_some_and(|first| self.image.chain(first).any(|id| id == wrapping))
        })
    }

    /// The original of a wrapper: the method that the wrapper replaces or replaced last.
    pub(crate) fn wrapped_method(&self, wrapper: Value) -> Option<MethodId> {
        let wrapping = self.wrapping_of(wrapper)?;
        Some(self.image.wrappers[&wrapping].original)
    }

    /// As [`Vm::innermost`], linked.
    pub(crate) fn innermost_target(&mut self, method: MethodId) -> *const Target {
        let id = self.link(self.image.innermost(method));
        &*self.code.targets[id.0 as usize]
    }

    /// The machine's own method that puts a wrapper in front of a method.
    fn wrapping_of(&self, wrapper: Value) -> Option<MethodId> {
        self.method_of_object(wrapper)?;
        let number = self.heap.slots(wrapper).get(WRAPPING_SLOT)?.as_int()?;
        let id = MethodId(u32::try_from(number).ok()?);
        let row = self.image.wrappers.get(&id)?;
        (self.code.literals[row.literal] == wrapper).then_some(id)
    }

    /// Puts a method into the place of the one that has its selector in its class. No user of a trait has to follow.
    fn put_into_class(&mut self, id: MethodId) {
        let method = self.method(id);
        let (holder, selector) = (method.holder, method.selector);
        let old = self.image.classes[holder.0 as usize]
            .methods
            .insert(selector, id);
        if let Some(old) = old {
            self.image.methods[old.0 as usize].current = false;
        }
        self.image.methods[id.0 as usize].current = true;
        self.guard_against(id, selector);
        self.flush_caches();
    }

    /// A method like the original that sends `run:with:in:` to the wrapper. As an object it is the wrapper.
    fn make_wrapping(&mut self, wrapper: Value, original: MethodId) -> MethodId {
        let like = self.method(original).clone();
        let code = forwarding_code(like.code.get());
        self.image.methods.push(Method {
            code: CodeCell::ready(Arc::new(code)),
            ..like
        });
        let id = MethodId(self.image.methods.len() as u32 - 1);
        self.run.handles.push(wrapper);
        // Links the original now, so that no later step has to link it half-way.
        self.link(self.image.innermost(original));
        let literal = self.code.literals.len();
        self.image
            .wrappers
            .insert(id, Wrapping { original, literal });
        self.link(id);
        let wrapper = self.run.handles.pop().unwrap_or(Value::NIL);
        // The first literal is kept free for it. The collector has to visit it even if its slot is not new.
        self.code.literals[literal] = wrapper;
        self.code.settled.literals = self.code.settled.literals.min(literal);
        self.image.method_objects.insert(id, literal);
        id
    }
}

/// Code that sends `run:with:in:` to its first literal, with its selector, its arguments and its receiver.
fn forwarding_code(like: &Code) -> Code {
    let arguments = like.argument_count;
    let array = arguments as u8 + 1;
    let wrapper = array + 1;
    let base = u16::from(wrapper) + 1 + LINK_WORDS as u16;
    let window = base as u8;
    let mut words = vec![Word::new(Op::NewArray, array, 0, 0, u32::from(arguments)).0];
    for index in 0..array - 1 {
        words.push(Word::new(Op::StoreElement, index + 1, array, 0, u32::from(index)).0);
    }
    words.extend([
        Word::new(Op::LoadLiteral, wrapper, 0, 0, 0).0,
        Word::new(Op::LoadLiteral, window + 1, 0, 0, 1).0,
        Word::new(Op::Move, window + 2, array, 0, 0).0,
        Word::new(Op::Send, wrapper, 0, 3, 0).0,
        cache_word(base, u16::from(wrapper)),
        0,
        Word::new(Op::Return, wrapper, 0, 0, 0).0,
    ]);
    let empty = empty_code(&like.selector);
    Code {
        argument_count: arguments,
        register_count: base + 4,
        words,
        literals: vec![Literal::Nil, Literal::Symbol(like.selector.clone())],
        sites: vec![Site {
            selector: RUN.to_string(),
            span: like.span,
            selector_span: like.span,
            discarded: false,
        }],
        span: like.span,
        digest: like.digest,
        pragmas: like.pragmas.clone(),
        ..empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarding_code_passes_the_verifier_for_any_number_of_arguments() {
        for argument_count in 0..=MOST_ARGUMENTS {
            let like = Code {
                argument_count,
                ..empty_code("like")
            };
            assert_eq!(crate::bytecode::verify(&forwarding_code(&like)), Ok(()));
        }
    }
}
