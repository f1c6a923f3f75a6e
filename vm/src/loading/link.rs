//! Linking: from a method's symbolic code to the words that the loop executes, and from literals to their objects.
//! Definitions are made by the loader.

use std::sync::Arc;

use crate::base::{ClassId, Dialect, Known, MethodId, Stop, TargetId, Value};
use crate::bytecode::{
    Code, GlobalRef, Immediate, Literal, Op, Quick, Word, empty_code, instructions,
};
use crate::code::{Activation, CodeWords, LinkedSite, Target};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::primitives::{FOR_TESTS, Primitive};

impl Vm {
    /// The method's target, linked at the first request.
    pub(crate) fn link(&mut self, id: MethodId) -> TargetId {
        if let Some(linked) = self.code.linked(id) {
            if self.code.targets[linked.0 as usize].is_shared {
                self.code.targets.make_own(linked, &self.code.literals);
            }
            return linked;
        }
        let cell = &self.method(id).code;
        let (mut code, verified) = (cell.get().clone(), cell.verified().clone());
        if let Err(message) = verified {
            // The compiler made code that the loop must not run: the run ends at the next poll point.
            self.run.internal_error = Some(message);
            self.stop_at_next_poll(Stop::Failed);
            code = Arc::new(Code {
                argument_count: code.argument_count,
                register_count: code.argument_count + 1,
                ..empty_code(&code.selector)
            });
        }
        let first_block = self.code.targets.len() as u32 + 1;
        let sites = self.code.sites.len() as u32;
        for (index, site) in code.sites.iter().enumerate() {
            let selector = self.image.symbols.intern(&site.selector);
            self.code.sites.push(LinkedSite {
                selector,
                method: id,
                index: index as u32,
            });
        }
        let unit = self.method(id).unit;
        let globals: Vec<u32> = code
            .globals
            .iter()
            .map(|global| self.global_in(unit, global))
            .collect();
        let literals = self.code.literals.len() as u32;
        for literal in &code.literals {
            let value = self.make_literal(literal);
            self.code.literals.push(value);
        }
        let linker = Linker {
            ivars: self.ivar_slots(id),
            globals,
            literals,
            sites,
            first_block,
        };
        let words = linker.link(&code.words);
        let target = self.push_target(id, &code, None, words);
        for (index, block) in code.blocks.iter().enumerate() {
            let words = linker.link(&block.words);
            self.push_target(id, &code, Some(index), words);
        }
        self.code.links.insert(id, target);
        self.set_activation(id, target, &code);
        self.give_accessor_frame(target.0 as usize);
        target
    }

    fn push_target(
        &mut self,
        method: MethodId,
        code: &Code,
        block: Option<usize>,
        words: Vec<u64>,
    ) -> TargetId {
        let id = TargetId(self.code.targets.len() as u32);
        let body = block.and_then(|index| code.blocks.get(index));
        let words = CodeWords::from(words);
        let argument_count = body.map_or(code.argument_count, |b| b.argument_count);
        self.code.targets.push(Target {
            entry: words.start(),
            register_count: u32::from(body.map_or(code.register_count, |b| b.register_count)),
            id,
            distance_to_counts: 0,
            slot: 0,
            activation: Activation::Frame,
            argument_count,
            block_class: crate::base::block_class(self.config.dialect, argument_count),
            is_block: body.is_some(),
            returns_home: body.is_some_and(|b| b.returns_home),
            receiver: body.and_then(|b| b.receiver),
            is_quick: false,
            quick_steps: 0,
            value: Value::NIL,
            primitive: None,
            method,
            words,
            liveness: None,
            literal: None,
            is_shared: false,
        });
        if self.observers.recorder.is_none() {
            self.refresh_recorder();
        }
        id
    }

    /// The slots of the instance variables that the method names. `None` stands for a variable that its class has lost
    /// since: it reads as nil, and assignments to it have no effect.
    fn ivar_slots(&self, id: MethodId) -> Vec<Option<u32>> {
        let method = self.method(id);
        let ivars = &self.class(method.holder).ivars;
        let slot = |name: &String| ivars.iter().position(|n| n == name).map(|at| at as u32);
        method.code.get().ivars.iter().map(slot).collect()
    }

    fn set_activation(&mut self, method: MethodId, target: TargetId, code: &Code) {
        if self.image.wrappers.contains_key(&method) {
            let row = self.code.targets.change(target.0 as usize);
            // The work of a wrapper is no activation and no poll point.
            row.is_quick = true;
            row.activation = Activation::Wrapper;
            return;
        }
        let slots = self.ivar_slots(method);
        let slot = |index: u32| slots.get(index as usize).copied().flatten();
        let index = target.0 as usize;
        let (activation, value) = match code.quick {
            Some(Quick::ReturnSelf) => (Activation::QuickSelf, Value::NIL),
            Some(Quick::ReturnLiteral(literal)) => {
                let value = self.quick_literal(code, literal);
                (Activation::QuickValue, value)
            }
            Some(Quick::ReturnIvar(name)) => (
                slot(name).map_or(Activation::QuickValue, Activation::QuickLoad),
                Value::NIL,
            ),
            Some(Quick::StoreIvar(name)) => (
                slot(name).map_or(Activation::QuickSelf, Activation::QuickStore),
                Value::NIL,
            ),
            None => match self.primitive_of(code) {
                Some((number, row)) => {
                    self.code.targets.change(index).primitive =
                        row.entry().map(|entry| (entry, number as u32));
                    if row.name == "blockValue" {
                        (
                            Activation::BlockValue(code.argument_count as u8),
                            Value::NIL,
                        )
                    } else {
                        (Activation::Primitive, Value::NIL)
                    }
                }
                None => (Activation::Frame, Value::NIL),
            },
        };
        // Copies find the object among the literals.
        let literal = value.is_object().then(|| {
            self.code.literals.push(value);
            self.code.literals.len() - 1
        });
        let row = self.code.targets.change(index);
        row.literal = literal;
        row.is_quick = code.quick.is_some();
        if row.is_quick {
            row.quick_steps = instructions(&code.words).map(|one| one.steps()).sum();
        }
        row.activation = activation;
        if let Activation::QuickLoad(slot) = activation {
            row.slot = slot;
        }
        row.value = value;
        // Making the value may have collected: then the collector treats the target as visited.
        self.code.settled.targets = self.code.settled.targets.min(index);
    }

    fn primitive_of(&self, code: &Code) -> Option<(usize, &'static Primitive)> {
        let name = code.primitive.as_deref()?;
        let found = crate::primitives::find(name)?;
        let is_bound = self.config.tells_addresses || !FOR_TESTS.contains(&found.1.name);
        // SOM's primitives rely on facts of its frames and classes.
        let is_som = self.config.dialect == Dialect::Som;
        let is_at_home = crate::primitives::is_of_som(name) == is_som;
        (is_bound && is_at_home).then_some(found)
    }

    fn quick_literal(&mut self, code: &Code, literal: u32) -> Value {
        match code.literals.get(literal as usize) {
            Some(literal) => self.make_literal(literal),
            None => Value::NIL,
        }
    }

    /// Writes the slots of renumbered instance variables into code that is linked already. The
    /// words keep their places, so frames that run the code go on with the new slots.
    pub(crate) fn relink_methods_of(&mut self, holder: ClassId) {
        let concerned: Vec<MethodId> = (0..self.image.methods.len() as u32)
            .map(MethodId)
            .filter(|&id| self.method(id).holder == holder && self.code.linked(id).is_some())
            .collect();
        for id in concerned {
            let slots = self.ivar_slots(id);
            let first = self.link(id);
            let code = self.method(id).code.get().clone();
            let bodies = std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words));
            for (offset, original) in bodies.enumerate() {
                let words = &mut self.code.targets.change(first.0 as usize + offset).words;
                for found in instructions(original) {
                    if found.op.info().imm == Immediate::Ivar {
                        words[found.pc] = ivar_word(found.word, &slots);
                    }
                }
            }
            self.set_activation(id, first, &code);
        }
        // Sends have taken forms that fit the methods as they were.
        self.flush_caches();
    }

    /// The object of a literal.
    pub(crate) fn make_literal(&mut self, literal: &Literal) -> Value {
        match literal {
            Literal::Nil => Value::NIL,
            Literal::True => Value::TRUE,
            Literal::False => Value::FALSE,
            Literal::Integer(n) => match Value::try_int(*n) {
                Some(value) => value,
                None => self.make_integer(&(*n).into()),
            },
            Literal::LargeInteger(digits) => {
                let (negative, magnitude) = match digits.strip_prefix('-') {
                    Some(magnitude) => (true, magnitude),
                    None => (false, digits.as_str()),
                };
                self.run.computed.read(negative, magnitude.as_bytes(), 10);
                self.make_computed()
            }
            Literal::Float(float) => self.make_float(*float),
            Literal::Character(code) => Value::character(*code),
            Literal::Symbol(text) => self.symbol(text),
            _ => self.make_literal_object(literal),
        }
    }

    /// An object whose first slots are a numerator and a denominator.
    fn make_ratio(&mut self, class: Known, slots: usize, parts: [&String; 2]) -> Value {
        let start = self.run.handles.len();
        for part in parts {
            let value = self.make_literal(&Literal::LargeInteger(part.clone()));
            self.run.handles.push(value);
        }
        let object = self.make(class.into(), Contents::Slots(slots));
        for slot in 0..2 {
            let value = self.run.handles[start + slot];
            self.heap.set_slot(object, slot, value);
        }
        self.run.handles.truncate(start);
        object
    }

    /// Literals that are objects with slots or bytes. They were there before the run: uncounted.
    fn make_literal_object(&mut self, literal: &Literal) -> Value {
        let before = self.allocations_now();
        let value = match literal {
            Literal::String(text) => self.make_string(text),
            Literal::ByteArray(bytes) => self.make_bytes(Known::ByteArray.into(), bytes),
            Literal::Array(elements) => {
                let start = self.run.handles.len();
                for element in elements {
                    let value = self.make_literal(element);
                    self.run.handles.push(value);
                }
                let values = self.run.handles[start..].to_vec();
                let array = self.make_array(&values);
                self.run.handles.truncate(start);
                array
            }
            Literal::Fraction(numerator, denominator) => {
                self.make_ratio(Known::Fraction, 2, [numerator, denominator])
            }
            Literal::ScaledDecimal(numerator, denominator, scale) => {
                let parts = [numerator, denominator];
                let object = self.make_ratio(Known::ScaledDecimal, 3, parts);
                self.heap.set_slot(object, 2, Value::int(i64::from(*scale)));
                object
            }
            Literal::Binding(name) => {
                let id = self.global(&GlobalRef::Global(name.clone())) as usize;
                let key = self.symbol(name);
                let association = self.make(Known::Association.into(), Contents::Slots(2));
                let value = self.image.globals[id].value;
                self.heap.set_slot(association, 0, key);
                self.heap.set_slot(association, 1, value);
                association
            }
            _ => Value::NIL,
        };
        self.forget_allocations_since(before);
        value
    }
}

/// A linked access to an instance variable. One that the class has lost reads as nil and is not stored.
fn ivar_word(word: Word, slots: &[Option<u32>]) -> u64 {
    match slots.get(word.imm() as usize).copied().flatten() {
        Some(slot) => crate::bytecode::with_jump(word.0, slot),
        None if word.op() == Some(Op::LoadIvar) => {
            Word::new(Op::LoadNil, word.a(), 0, word.c(), 0).0
        }
        None => Word::new(Op::Move, word.a(), word.a(), word.c(), 0).0,
    }
}

/// Rewrites the immediates of a method's code from its own tables to the machine's.
struct Linker {
    ivars: Vec<Option<u32>>,
    globals: Vec<u32>,
    literals: u32,
    sites: u32,
    first_block: u32,
}

impl Linker {
    fn link(&self, words: &[u64]) -> Vec<u64> {
        let mut linked = words.to_vec();
        for found in instructions(words) {
            let (pc, imm) = (found.pc, found.immediate());
            let new = match found.op.info().imm {
                Immediate::Ivar => {
                    linked[pc] = ivar_word(found.word, &self.ivars);
                    continue;
                }
                Immediate::Literal => self.literals + imm,
                Immediate::Global => self.globals.get(imm as usize).copied().unwrap_or(0),
                Immediate::Site => self.sites + imm,
                Immediate::Block => self.first_block + imm,
                Immediate::Jump => (i64::from(imm) - pc as i64) as i32 as u32,
                Immediate::Nil
                | Immediate::Int32
                | Immediate::WidePair
                | Immediate::Slot
                | Immediate::Frame
                | Immediate::Definition => continue,
            };
            linked[pc] = found.with_immediate(new);
            debug_assert!(found.end() <= words.len());
        }
        linked
    }
}
