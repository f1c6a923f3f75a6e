//! The loop that executes bytecode, and the one place where a send happens.
//!
//! The loop is generic over a [`Mode`], so that what a mode does not do costs it nothing. It keeps
//! instruction pointer and frame pointer in locals and the tick counter in the machine's first word; every call of a slow path saves them
//! to the machine before (`save!`) and takes them back after (`load!`), because a slow path may collect,
//! grow the stack or switch processes. While an instruction executes, the saved instruction pointer is
//! that instruction's: the collector finds the live registers from it.
//!
//! What makes the `unsafe` here sound: code was verified when it was linked (`verify`), so registers are
//! inside their frame, jumps inside their code, indices inside their tables, and operand registers were
//! written before they are read; `reserve` has made room for a frame's registers before it is entered.
#![allow(unsafe_code)]

mod arithmetic;
mod deliver;
mod lookup;
mod poll;
mod requests;
mod unwind;

use crate::bytecode::{FrameKind, Op, SEND_WORDS, Word};
use crate::class::Known;
use crate::code::{Activation, Target};
use crate::primitives::{Answer, Args};
use crate::value::Value;
use crate::vm::{Stop, Vm};

pub(crate) use arithmetic::ShortCutPrimitives;
pub(crate) use lookup::LookupCache;
pub(crate) use unwind::{frame_token, mark_of_token};

/// What a copy of the loop does beside executing.
pub(crate) trait Mode {
    /// Count sends and loop repetitions.
    const COUNT: bool;
    /// Maintain the whole cost vector, and the recorder if there is one.
    const FULL: bool;
    /// Look at `Config::optimisations` before each short cut.
    const CHECKED: bool;
}

/// Counts sends and loop repetitions.
pub(crate) struct Plain;
/// Maintains the whole cost vector and the profile.
pub(crate) struct Full;
/// As `Full`, with some or all optimisations off.
pub(crate) struct Checked;
/// Counts nothing; benchmarks measure the price of counting against it.
pub(crate) struct Uncounted;

impl Mode for Plain {
    const COUNT: bool = true;
    const FULL: bool = false;
    const CHECKED: bool = false;
}

impl Mode for Full {
    const COUNT: bool = true;
    const FULL: bool = true;
    const CHECKED: bool = false;
}

impl Mode for Checked {
    const COUNT: bool = true;
    const FULL: bool = true;
    const CHECKED: bool = true;
}

impl Mode for Uncounted {
    const COUNT: bool = false;
    const FULL: bool = false;
    const CHECKED: bool = false;
}

/// Why a copy of the loop was left.
pub(crate) enum Exit {
    /// Another copy is to go on.
    Mode,
    /// The run is over.
    Stop(Stop),
}

/// What a slow path wants of the loop.
pub(crate) enum Next {
    /// Go on with the saved state.
    Continue,
    /// Leave the loop.
    Exit(Exit),
}

impl Vm {
    /// Executes from the saved state until the run is over.
    pub(crate) fn execute(&mut self) -> Stop {
        loop {
            let exit = match self.mode() {
                ModeName::Plain => self.run::<Plain>(),
                ModeName::Full => self.run::<Full>(),
                ModeName::Checked => self.run::<Checked>(),
                ModeName::Uncounted => self.run::<Uncounted>(),
            };
            if let Exit::Stop(stop) = exit {
                return stop;
            }
        }
    }

    pub(crate) fn mode(&self) -> ModeName {
        if self.uncounted {
            ModeName::Uncounted
        } else if !self.shortcuts_valid
            || self.config.optimisations != crate::vm::Optimisations::ALL
        {
            ModeName::Checked
        } else if self.full_wanted > 0 || self.recorder.is_some() || self.opcode_counts.is_some() {
            ModeName::Full
        } else {
            ModeName::Plain
        }
    }

    fn run<M: Mode>(&mut self) -> Exit {
        let mut ip = self.ip;
        let mut fp = self.fp;

        // SAFETY (for all blocks below): see the module's head. Registers are below the verified
        // register count of a frame that `reserve` made room for; code words are inside their box.
        macro_rules! reg {
            ($index:expr) => {
                *fp.add($index as usize)
            };
        }
        macro_rules! save {
            () => {
                self.ip = ip;
                self.fp = fp;
            };
        }
        macro_rules! load {
            () => {
                ip = self.ip;
                fp = self.fp;
            };
        }
        macro_rules! shortcuts {
            () => {
                !M::CHECKED || (self.config.optimisations.shortcuts && self.shortcuts_valid)
            };
        }
        // A loop's own arithmetic on small integers is part of the inlining in every mode, as long as
        // the methods that stand behind it are the library's.
        macro_rules! loop_arithmetic {
            () => {
                !M::CHECKED || self.shortcuts_valid
            };
        }
        macro_rules! count_send {
            () => {
                if M::COUNT {
                    self.ticks = self.ticks.wrapping_add(1);
                }
            };
        }
        // A short cut has done what a primitive would have done: a send, and that primitive.
        macro_rules! count_short_cut {
            ($word:expr, $receiver:expr) => {
                count_send!();
                if M::FULL {
                    self.count_short_cut($word, $receiver);
                }
            };
        }
        // Before a loop's own arithmetic goes the way of a send, which it is not.
        macro_rules! uncount_send {
            () => {
                if M::COUNT {
                    self.ticks = self.ticks.wrapping_sub(1);
                }
            };
        }
        macro_rules! poll {
            () => {
                if self.ticks >= self.tick_limit {
                    save!();
                    if let Next::Exit(exit) = self.poll() {
                        return exit;
                    }
                    load!();
                }
            };
        }
        // The answer of a send-shaped instruction at `ip`.
        macro_rules! answer {
            ($value:expr) => {{
                let value: Value = $value;
                let cache = *ip.add(1);
                reg!(cache >> 48) = value;
                ip = ip.add(SEND_WORDS);
                continue;
            }};
        }
        macro_rules! window {
            () => {
                fp.add((*ip.add(1) >> 32) as usize & 0xFFFF)
            };
        }
        // Copies the operands to the window and leaves the match towards the send below it.
        macro_rules! send_operands {
            ($receiver:expr $(, $argument:expr)*) => {{
                let window = window!();
                let operands = [$receiver $(, $argument)*];
                for (index, operand) in operands.into_iter().enumerate() {
                    *window.add(index) = operand;
                }
            }};
        }
        macro_rules! immediate_int {
            ($word:expr) => {
                Value::int(i64::from($word.b() as i8))
            };
        }
        macro_rules! arithmetic {
            ($word:expr, $right:expr, $op:expr, |$a:ident, $b:ident| $fast:expr) => {{
                let (left, right): (Value, Value) = (reg!($word.a()), $right);
                if shortcuts!() {
                    if (left.bits() | right.bits()) & 3 == 0 {
                        let ($a, $b) = (left.bits() as i64, right.bits() as i64);
                        if let Some(result) = $fast {
                            count_short_cut!($word, left);
                            answer!(Value::from_bits(result as u64));
                        }
                    } else {
                        save!();
                        if let Some(result) = self.float_arithmetic($op, left, right) {
                            // The float's place may have changed; its class has not.
                            count_short_cut!($word, result);
                            answer!(result);
                        }
                    }
                }
                send_operands!(left, right);
            }};
        }
        macro_rules! compare {
            ($word:expr, $right:expr, $operator:tt, $rest:ident, |$result:ident| $then:expr) => {{
                let (left, right): (Value, Value) = (reg!($word.a()), $right);
                if shortcuts!() {
                    if (left.bits() | right.bits()) & 3 == 0 {
                        count_short_cut!($word, left);
                        let $result = (left.bits() as i64) $operator (right.bits() as i64);
                        $then
                    } else if let Some($result) =
                        self.$rest(left, right, |a, b| a $operator b)
                    {
                        count_short_cut!($word, left);
                        $then
                    }
                }
                send_operands!(left, right);
            }};
        }
        // Fused with the conditional jump that follows.
        macro_rules! jump_if {
            ($word:expr, $result:expr) => {{
                if $result == ($word.c() != 0) {
                    ip = ip.add(SEND_WORDS);
                    ip = ip.offset(Word(*ip).imm() as i32 as isize);
                } else {
                    ip = ip.add(SEND_WORDS + 1);
                }
                continue;
            }};
        }
        macro_rules! repeat_loop {
            ($distance:expr) => {{
                ip = ip.offset($distance as i32 as isize);
                if M::COUNT {
                    self.ticks = self.ticks.wrapping_add(1);
                    self.loops = self.loops.wrapping_add(1);
                }
                poll!();
                continue;
            }};
        }
        macro_rules! not_boolean {
            ($register:expr) => {{
                save!();
                if let Next::Exit(exit) = self.deliver_must_be_boolean($register) {
                    return exit;
                }
                load!();
                continue;
            }};
        }
        // The step, the test and the jump of an inlined `to:do:` at once, for integers.
        macro_rules! loop_step {
            ($word:expr, $operator:tt) => {{
                let (index, limit, step): (Value, Value, Value) =
                    (reg!($word.a()), reg!($word.b()), reg!($word.c()));
                if loop_arithmetic!() && (index.bits() | limit.bits() | step.bits()) & 3 == 0 {
                    let sum = (index.bits() as i64).checked_add(step.bits() as i64);
                    if let Some(next) = sum {
                        reg!($word.a()) = Value::from_bits(next as u64);
                        ip = ip.add(2 * SEND_WORDS);
                        if next $operator limit.bits() as i64 {
                            repeat_loop!(Word(*ip).imm());
                        }
                        ip = ip.add(1);
                        continue;
                    }
                }
                uncount_send!();
                send_operands!(index, step);
            }};
        }

        loop {
            // SAFETY: see above.
            unsafe {
                let word = Word(*ip);
                if M::FULL {
                    self.full.instructions += 1;
                    if let Some(counts) = &mut self.opcode_counts {
                        counts[usize::from(word.0 as u8)] += 1;
                    }
                }
                // SAFETY: the verifier has seen that the byte is an opcode.
                let op: Op = std::mem::transmute::<u8, Op>(word.0 as u8);
                match op {
                    Op::Move => {
                        reg!(word.a()) = reg!(word.b());
                        ip = ip.add(1);
                        continue;
                    }
                    Op::MoveWide => {
                        let pair = word.imm();
                        reg!(pair & 0xFFFF) = reg!(pair >> 16);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadInt => {
                        reg!(word.a()) = Value::int(i64::from(word.imm() as i32));
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadNil => {
                        reg!(word.a()) = Value::NIL;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadTrue => {
                        reg!(word.a()) = Value::TRUE;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadFalse => {
                        reg!(word.a()) = Value::FALSE;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadLiteral => {
                        reg!(word.a()) = *self.literals.get_unchecked(word.imm() as usize);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadGlobal => {
                        reg!(word.a()) = self.globals.get_unchecked(word.imm() as usize).value;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::StoreGlobal => {
                        let value = reg!(word.a());
                        let global = self.globals.get_unchecked_mut(word.imm() as usize);
                        global.value = value;
                        global.defined = true;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadIvar => {
                        let object = reg!(word.b());
                        reg!(word.a()) = self.heap.slot(object, word.imm() as usize);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::StoreIvar => {
                        let (value, object) = (reg!(word.a()), reg!(word.b()));
                        self.heap.set_slot(object, word.imm() as usize, value);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadCaptured => {
                        let block = reg!(word.b());
                        let slot = BLOCK_HEAD_SLOTS + word.imm() as usize;
                        reg!(word.a()) = self.heap.slot(block, slot);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::MakeCell => {
                        save!();
                        let cell = self.make_cell();
                        let content = reg!(word.b());
                        self.heap.set_slot(cell, 0, content);
                        reg!(word.a()) = cell;
                        ip = ip.add(1);
                        continue;
                    }
                    Op::LoadCell => {
                        let cell = reg!(word.b());
                        reg!(word.a()) = self.heap.slot(cell, 0);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::StoreCell => {
                        let (value, cell) = (reg!(word.a()), reg!(word.b()));
                        self.heap.set_slot(cell, 0, value);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::MakeBlock => {
                        save!();
                        reg!(word.a()) = self.make_block(word);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::NewArray => {
                        save!();
                        reg!(word.a()) = self.make_slots(Known::Array, word.imm() as usize);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::StoreElement => {
                        let (value, array) = (reg!(word.a()), reg!(word.b()));
                        self.heap.set_slot(array, word.imm() as usize, value);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::Jump => {
                        ip = ip.offset(word.imm() as i32 as isize);
                        continue;
                    }
                    Op::JumpTrue => match reg!(word.a()) {
                        Value::TRUE => {
                            ip = ip.offset(word.imm() as i32 as isize);
                            continue;
                        }
                        Value::FALSE => {
                            ip = ip.add(1);
                            continue;
                        }
                        _ => not_boolean!(word.a()),
                    },
                    Op::JumpFalse => match reg!(word.a()) {
                        Value::FALSE => {
                            ip = ip.offset(word.imm() as i32 as isize);
                            continue;
                        }
                        Value::TRUE => {
                            ip = ip.add(1);
                            continue;
                        }
                        _ => not_boolean!(word.a()),
                    },
                    Op::JumpNil => {
                        if reg!(word.a()) == Value::NIL {
                            ip = ip.offset(word.imm() as i32 as isize);
                        } else {
                            ip = ip.add(1);
                        }
                        continue;
                    }
                    Op::JumpNotNil => {
                        if reg!(word.a()) != Value::NIL {
                            ip = ip.offset(word.imm() as i32 as isize);
                        } else {
                            ip = ip.add(1);
                        }
                        continue;
                    }
                    Op::Loop => repeat_loop!(word.imm()),
                    Op::LoopTrue => match reg!(word.a()) {
                        Value::TRUE => repeat_loop!(word.imm()),
                        Value::FALSE => {
                            ip = ip.add(1);
                            continue;
                        }
                        _ => not_boolean!(word.a()),
                    },
                    Op::LoopFalse => match reg!(word.a()) {
                        Value::FALSE => repeat_loop!(word.imm()),
                        Value::TRUE => {
                            ip = ip.add(1);
                            continue;
                        }
                        _ => not_boolean!(word.a()),
                    },
                    Op::Return => {
                        let value = reg!(word.a());
                        let meta = (*fp.sub(2)).bits();
                        if M::FULL {
                            self.record_exit(meta, self.ticks);
                        }
                        if meta >> 32 != 0 {
                            save!();
                            if let Next::Exit(exit) = self.return_from_marked(value) {
                                return exit;
                            }
                            load!();
                            continue;
                        }
                        ip = (*fp.sub(1)).bits() as *const u64;
                        let cache = *ip.sub(2);
                        fp = fp.sub((cache >> 32) as usize & 0xFFFF);
                        reg!(cache >> 48) = value;
                        continue;
                    }
                    Op::NonLocalReturn => {
                        save!();
                        if let Next::Exit(exit) = self.non_local_return(word.a()) {
                            return exit;
                        }
                        load!();
                        continue;
                    }
                    Op::ResumeUnwind => {
                        save!();
                        if let Next::Exit(exit) = self.resume_unwinding() {
                            return exit;
                        }
                        load!();
                        continue;
                    }
                    Op::MarkFrame => {
                        save!();
                        let kind = FrameKind::from_number(word.imm()).unwrap_or(FrameKind::Home);
                        self.mark_frame(kind);
                        ip = ip.add(1);
                        continue;
                    }
                    Op::Define => {
                        save!();
                        if let Next::Exit(exit) = self.define(word.imm()) {
                            return exit;
                        }
                        ip = ip.add(1);
                        continue;
                    }
                    Op::Evaluate => {
                        save!();
                        let window = window!();
                        if let Next::Exit(exit) = self.evaluate(word.imm(), window) {
                            return exit;
                        }
                        load!();
                        continue;
                    }
                    Op::LoadGlobalChecked => {
                        let global = self.globals.get_unchecked(word.imm() as usize);
                        if global.defined {
                            answer!(global.value);
                        }
                        save!();
                        if let Next::Exit(exit) = self.unknown_global(word) {
                            return exit;
                        }
                        load!();
                        continue;
                    }
                    Op::Send | Op::SuperSend => {}

                    Op::Add => arithmetic!(word, reg!(word.b()), op, |a, b| a.checked_add(b)),
                    Op::Subtract => arithmetic!(word, reg!(word.b()), op, |a, b| a.checked_sub(b)),
                    Op::Multiply => {
                        arithmetic!(word, reg!(word.b()), op, |a, b| (a >> 2).checked_mul(b))
                    }
                    Op::Divide => {
                        arithmetic!(word, reg!(word.b()), op, |a, b| arithmetic::divide(a, b))
                    }
                    Op::FloorDivide => {
                        arithmetic!(word, reg!(word.b()), op, |a, b| arithmetic::floor_divide(
                            a, b
                        ))
                    }
                    Op::Modulo => {
                        arithmetic!(word, reg!(word.b()), op, |a, b| arithmetic::modulo(a, b))
                    }
                    Op::BitAnd => arithmetic!(word, reg!(word.b()), op, |a, b| Some(a & b)),
                    Op::BitOr => arithmetic!(word, reg!(word.b()), op, |a, b| Some(a | b)),
                    Op::BitShift => {
                        arithmetic!(word, reg!(word.b()), op, |a, b| arithmetic::shift(a, b))
                    }
                    Op::AddInt => {
                        arithmetic!(word, immediate_int!(word), op, |a, b| a.checked_add(b))
                    }
                    Op::SubtractInt => {
                        arithmetic!(word, immediate_int!(word), op, |a, b| a.checked_sub(b))
                    }

                    Op::Less => {
                        compare!(word, reg!(word.b()), <, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::LessEqual => {
                        compare!(word, reg!(word.b()), <=, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::Greater => {
                        compare!(word, reg!(word.b()), >, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::GreaterEqual => {
                        compare!(word, reg!(word.b()), >=, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::Equal => {
                        compare!(word, reg!(word.b()), ==, equality, |r| answer!(Value::bool(r)))
                    }
                    Op::NotEqual => {
                        compare!(word, reg!(word.b()), !=, equality, |r| answer!(Value::bool(r)))
                    }
                    Op::LessInt => {
                        compare!(word, immediate_int!(word), <, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::LessEqualInt => {
                        compare!(word, immediate_int!(word), <=, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::GreaterInt => {
                        compare!(word, immediate_int!(word), >, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::GreaterEqualInt => {
                        compare!(word, immediate_int!(word), >=, float_order, |r| answer!(Value::bool(r)))
                    }
                    Op::EqualInt => {
                        compare!(word, immediate_int!(word), ==, equality, |r| answer!(Value::bool(r)))
                    }
                    Op::NotEqualInt => {
                        compare!(word, immediate_int!(word), !=, equality, |r| answer!(Value::bool(r)))
                    }
                    Op::LessJump => {
                        compare!(word, reg!(word.b()), <, float_order, |r| jump_if!(word, r))
                    }
                    Op::LessEqualJump => {
                        compare!(word, reg!(word.b()), <=, float_order, |r| jump_if!(word, r))
                    }
                    Op::GreaterJump => {
                        compare!(word, reg!(word.b()), >, float_order, |r| jump_if!(word, r))
                    }
                    Op::GreaterEqualJump => {
                        compare!(word, reg!(word.b()), >=, float_order, |r| jump_if!(word, r))
                    }
                    Op::EqualJump => {
                        compare!(word, reg!(word.b()), ==, equality, |r| jump_if!(word, r))
                    }
                    Op::NotEqualJump => {
                        compare!(word, reg!(word.b()), !=, equality, |r| jump_if!(word, r))
                    }
                    Op::LessIntJump => {
                        compare!(word, immediate_int!(word), <, float_order, |r| jump_if!(word, r))
                    }
                    Op::LessEqualIntJump => {
                        compare!(word, immediate_int!(word), <=, float_order, |r| jump_if!(word, r))
                    }
                    Op::GreaterIntJump => {
                        compare!(word, immediate_int!(word), >, float_order, |r| jump_if!(word, r))
                    }
                    Op::GreaterEqualIntJump => {
                        compare!(word, immediate_int!(word), >=, float_order, |r| jump_if!(word, r))
                    }
                    Op::EqualIntJump => {
                        compare!(word, immediate_int!(word), ==, equality, |r| jump_if!(word, r))
                    }
                    Op::NotEqualIntJump => {
                        compare!(word, immediate_int!(word), !=, equality, |r| jump_if!(word, r))
                    }
                    Op::Same | Op::NotSame | Op::SameJump | Op::NotSameJump => {
                        let (left, right): (Value, Value) = (reg!(word.a()), reg!(word.b()));
                        if shortcuts!() {
                            count_short_cut!(word, left);
                            let both = left.is_object() && right.is_object();
                            let same = left == right || (both && self.same_float(left, right));
                            match op {
                                Op::Same => answer!(Value::bool(same)),
                                Op::NotSame => answer!(Value::bool(!same)),
                                Op::SameJump => jump_if!(word, same),
                                _ => jump_if!(word, !same),
                            }
                        }
                        send_operands!(left, right);
                    }
                    Op::At => {
                        let (object, index): (Value, Value) = (reg!(word.a()), reg!(word.b()));
                        if shortcuts!()
                            && let Some(element) = self.array_at(object, index)
                        {
                            count_short_cut!(word, object);
                            answer!(element);
                        }
                        send_operands!(object, index);
                    }
                    Op::AtPut => {
                        let (object, index, value): (Value, Value, Value) =
                            (reg!(word.a()), reg!(word.b()), reg!(word.c()));
                        if shortcuts!() && self.array_at_put(object, index, value) {
                            count_short_cut!(word, object);
                            answer!(value);
                        }
                        send_operands!(object, index, value);
                    }
                    Op::LoopTestUp => {
                        let (index, limit): (Value, Value) = (reg!(word.a()), reg!(word.b()));
                        if loop_arithmetic!() && (index.bits() | limit.bits()) & 3 == 0 {
                            answer!(Value::bool(index.bits() as i64 <= limit.bits() as i64));
                        }
                        uncount_send!();
                        send_operands!(index, limit);
                    }
                    Op::LoopTestDown => {
                        let (index, limit): (Value, Value) = (reg!(word.a()), reg!(word.b()));
                        if loop_arithmetic!() && (index.bits() | limit.bits()) & 3 == 0 {
                            answer!(Value::bool(index.bits() as i64 >= limit.bits() as i64));
                        }
                        uncount_send!();
                        send_operands!(index, limit);
                    }
                    Op::LoopStepUp => loop_step!(word, <=),
                    Op::LoopStepDown => loop_step!(word, >=),
                }

                // The one place where a send happens: receiver and arguments stand in the
                // window. Short cuts that succeeded have counted their own.
                count_send!();
                let cache = *ip.add(1);
                let window = fp.add((cache >> 32) as usize & 0xFFFF);
                let class = self.class_number(*window);
                let mut target: *const Target =
                    if cache as u32 == class && (!M::CHECKED || self.config.optimisations.caches) {
                        *ip.add(2) as *const Target
                    } else {
                        save!();
                        self.find_target(window, class)
                    };
                loop {
                    let callee = &*target;
                    let activation =
                        if M::CHECKED && !self.config.optimisations.quick && callee.is_quick {
                            Activation::Frame
                        } else {
                            callee.activation
                        };
                    // Most sends push a frame; one comparison for them, a table for the rest.
                    if activation != Activation::Frame {
                        match activation {
                            Activation::Frame => {}
                            Activation::QuickSelf => {
                                reg!(cache >> 48) = *window;
                                ip = ip.add(SEND_WORDS);
                                break;
                            }
                            Activation::QuickValue => {
                                reg!(cache >> 48) = callee.value;
                                ip = ip.add(SEND_WORDS);
                                break;
                            }
                            Activation::QuickLoad(slot) => {
                                reg!(cache >> 48) = self.heap.slot(*window, slot as usize);
                                ip = ip.add(SEND_WORDS);
                                break;
                            }
                            Activation::QuickStore(slot) => {
                                self.heap.set_slot(*window, slot as usize, *window.add(1));
                                reg!(cache >> 48) = *window;
                                ip = ip.add(SEND_WORDS);
                                break;
                            }
                            Activation::BlockValue(count) => {
                                if let Some(body) = self.block_body(*window, usize::from(count)) {
                                    if M::FULL
                                        && let Some((_, number)) = callee.primitive
                                    {
                                        self.full.primitives[number as usize] += 1;
                                    }
                                    target = body;
                                    continue;
                                }
                            }
                            Activation::Primitive => {
                                save!();
                                let base = window.offset_from(self.stack.base().cast()) as usize;
                                let args = Args {
                                    base,
                                    count: usize::from(callee.argument_count),
                                };
                                let answer = self.call_primitive::<M>(callee, args);
                                if let Some(value) = answer.value() {
                                    reg!(cache >> 48) = value;
                                    ip = ip.add(SEND_WORDS);
                                    break;
                                }
                                if answer == Answer::REQUEST {
                                    if let Next::Exit(exit) = self.carry_out_request(args) {
                                        return exit;
                                    }
                                    load!();
                                    break;
                                }
                            }
                        }
                    }
                    // A frame, for a method or block that has code to run.
                    if window.add(callee.register_count as usize) > self.stack_limit {
                        save!();
                        let offset = window.offset_from(fp);
                        target = self.reserve(offset as usize, callee);
                        load!();
                        let window = fp.offset(offset);
                        enter_frame(window, &*target, ip.add(SEND_WORDS));
                        fp = window;
                    } else {
                        enter_frame(window, callee, ip.add(SEND_WORDS));
                        fp = window;
                    }
                    let callee = &*target;
                    ip = callee.entry;
                    if M::FULL {
                        self.record_entry(callee, self.ticks);
                    }
                    if !M::CHECKED || !callee.is_quick {
                        poll!();
                    }
                    break;
                }
            }
        }
    }

    #[inline(always)]
    fn call_primitive<M: Mode>(&mut self, callee: &Target, args: Args) -> Answer {
        let Some((function, number)) = callee.primitive else {
            return Answer::DECLINE;
        };
        self.window = Some(args);
        let answer = function(self, args);
        self.window = None;
        if M::FULL && answer != Answer::DECLINE {
            self.full.primitives[number as usize] += 1;
        }
        answer
    }
}

/// The names of the loop's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeName {
    Plain,
    Full,
    Checked,
    Uncounted,
}

/// Slots of a block before its captured values: code number, home mark index, home serial.
pub(crate) const BLOCK_HEAD_SLOTS: usize = 3;

/// Writes a frame's link words.
///
/// # Safety
/// `window` is at least two words above the stack's start.
#[inline(always)]
unsafe fn enter_frame(window: *mut Value, callee: &Target, return_address: *const u64) {
    // SAFETY: by the caller's promise.
    unsafe {
        *window.sub(2) = Value::from_bits(u64::from(callee.id.0));
        *window.sub(1) = Value::from_bits(return_address as u64);
    }
}
