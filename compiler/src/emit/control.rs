//! The inlined control messages: conditionals, `and:` and `or:`, loops. Each one passes the mode of its value on to its
//! sides. So a condition made of `and:` and `or:` becomes a chain of jumps, and the side that has an answer returns it.

use tally_vm::bytecode::{Literal, Op, Word};

use super::assembler::{Decision, Register};
use super::function::{FunctionEmitter, Mode};
use crate::resolve::tree::{Count, If, IfNil, Logic, Scope, While};

impl FunctionEmitter<'_> {
    #[inline(never)]
    pub(super) fn conditional(&mut self, node: &If, mode: Mode) {
        if matches!(mode, Mode::Effect) {
            return self.conditional_for_effect(node);
        }
        let (otherwise, end) = (self.asm.label(), self.asm.label());
        self.expr(
            &node.condition,
            Mode::Branch(false, otherwise, Decision::ONE),
        );
        self.side(node.when_true.as_ref(), mode);
        self.asm.jump(Op::Jump, end, 0);
        self.asm.place(otherwise);
        self.side(node.when_false.as_ref(), mode);
        self.asm.place(end);
    }

    /// Without a value, a missing side needs no code.
    #[inline(never)]
    fn conditional_for_effect(&mut self, node: &If) {
        let end = self.asm.label();
        let both = node.when_true.is_some() && node.when_false.is_some();
        let otherwise = if both { self.asm.label() } else { end };
        let skipped_if = node.when_true.is_none();
        self.expr(
            &node.condition,
            Mode::Branch(skipped_if, otherwise, Decision::ONE),
        );
        if let Some(side) = node.when_true.as_ref().or(node.when_false.as_ref()) {
            self.scope(side, Mode::Effect);
        }
        if let (true, Some(side)) = (both, node.when_false.as_ref()) {
            self.asm.jump(Op::Jump, end, 0);
            self.asm.place(otherwise);
            self.scope(side, Mode::Effect);
        }
        self.asm.place(end);
    }

    fn side(&mut self, side: Option<&Scope>, mode: Mode) {
        match side {
            Some(scope) => self.scope(scope, mode),
            None => self.nothing(mode),
        }
    }

    /// The argument of the not-nil block is the receiver's register, which is a variable's own only if
    /// the block does not assign that variable.
    #[inline(never)]
    pub(super) fn nil_test(&mut self, node: &IfNil, mode: Mode) {
        let (not_nil, end) = (self.asm.label(), self.asm.label());
        let inside = node
            .when_not_nil
            .as_ref()
            .and_then(|(_, scope)| scope.moments());
        let receiver = self.operand_before(&node.receiver, inside.as_slice());
        let byte = self.asm.read(receiver, 0);
        self.asm
            .jump_if(Op::JumpNotNil, byte, not_nil, Decision::ONE);
        self.side(node.when_nil.as_ref(), mode);
        self.asm.jump(Op::Jump, end, 0);
        self.asm.place(not_nil);
        match &node.when_not_nil {
            Some((argument, scope)) => {
                if let Some(argument) = argument {
                    self.settle(*argument, receiver);
                }
                self.scope(scope, mode);
            }
            None => self.deliver(receiver, mode),
        }
        self.asm.place(end);
    }

    /// The jump of a left side that decides has the decisions of the messages around it too.
    #[inline(never)]
    pub(super) fn logic(&mut self, node: &Logic, mode: Mode) {
        let decided = node.decided_by;
        match mode {
            Mode::Branch(wanted, label, outer) | Mode::Again(wanted, label, outer) => {
                let is_same = wanted == decided;
                let steps = if is_same { outer.jumps } else { outer.goes_on };
                let Some(jumps) = steps.checked_add(1) else {
                    return self.logic_apart(node, mode);
                };
                let decision = Decision { jumps, goes_on: 1 };
                if is_same {
                    let jump = match mode {
                        Mode::Again(..) => Mode::Again(wanted, label, decision),
                        _ => Mode::Branch(wanted, label, decision),
                    };
                    self.expr(&node.left, jump);
                    return self.scope(&node.right, mode);
                }
                let end = self.asm.label();
                self.expr(&node.left, Mode::Branch(decided, end, decision));
                self.scope(&node.right, mode);
                self.asm.place(end);
            }
            Mode::Effect => {
                let end = self.asm.label();
                self.expr(&node.left, Mode::Branch(decided, end, Decision::ONE));
                self.scope(&node.right, mode);
                self.asm.place(end);
            }
            Mode::Into(_) | Mode::Assign(_) | Mode::Result | Mode::Answer(_) => {
                let (is_decided, end) = (self.asm.label(), self.asm.label());
                self.expr(&node.left, Mode::Branch(decided, is_decided, Decision::ONE));
                self.scope(&node.right, mode);
                self.asm.jump(Op::Jump, end, 0);
                self.asm.place(is_decided);
                self.boolean(decided, mode);
                self.asm.place(end);
            }
        }
    }

    /// As [`Self::logic`], where one jump would have more decisions than its byte holds: the value gets a register.
    fn logic_apart(&mut self, node: &Logic, mode: Mode) {
        let register = self.asm.free();
        self.logic(node, Mode::Into(register));
        self.asm.next = register + 1;
        self.deliver(register, mode);
    }

    /// Each evaluation of a body counts one repetition. A loop without a body counts each time that
    /// its condition makes it go on.
    #[inline(never)]
    pub(super) fn while_loop(&mut self, node: &While, mode: Mode) {
        if self.asm.is_dead() {
            return;
        }
        let top = self.asm.label();
        let Some(body) = &node.body else {
            self.asm.place_ahead(top);
            self.scope(
                &node.condition,
                Mode::Again(node.goes_on, top, Decision::ONE),
            );
            return self.nothing(mode);
        };
        let condition = self.asm.label();
        self.asm.jump(Op::Jump, condition, 0);
        self.asm.place_ahead(top);
        self.scope(body, Mode::Effect);
        self.asm.place(condition);
        self.scope(
            &node.condition,
            Mode::Again(node.goes_on, top, Decision::ONE),
        );
        self.nothing(mode);
    }

    /// The first evaluation of the body counts like the others, so the loop is entered by a `Loop`.
    #[inline(never)]
    pub(super) fn repeat(&mut self, body: &Scope) {
        if self.asm.is_dead() {
            return;
        }
        let top = self.asm.label();
        self.asm.jump(Op::Loop, top, 0);
        self.asm.place(top);
        self.scope(body, Mode::Effect);
        self.asm.jump(Op::Loop, top, 0);
    }

    #[inline(never)]
    pub(super) fn count(&mut self, node: &Count, mode: Mode) {
        if self.asm.is_dead() {
            return;
        }
        let inside = node.body.moments();
        let inside = inside.as_slice();
        // The value is the receiver: the start, or the limit of `timesRepeat:`.
        let mut answer = None;
        let (index, limit) = match &node.start {
            Some(start) => {
                let index = self.asm.allocate();
                self.expr(start, Mode::Into(index));
                if !matches!(mode, Mode::Effect) {
                    let register = self.asm.allocate();
                    self.asm.copy(register, index);
                    answer = Some(register);
                }
                (index, self.operand_before(&node.limit, inside))
            }
            None => {
                let limit = self.operand_before(&node.limit, inside);
                answer = Some(limit);
                (self.literal_register(&Literal::Integer(1)), limit)
            }
        };
        if let Some(variable) = node.index {
            self.settle(variable, index);
        }
        let step = self.literal_register(&node.step);
        if self.asm.is_dead() {
            // The start or the limit returns.
            return;
        }
        self.counted_body(node, index, limit, step);
        match answer {
            Some(register) => self.deliver(register, mode),
            None => self.nothing(mode),
        }
    }

    /// The step and the test stand together behind the body: on integers they are one.
    #[inline(never)]
    fn counted_body(&mut self, node: &Count, index: Register, limit: Register, step: Register) {
        let (step_op, test_op) = if node.downwards {
            (Op::LoopStepDown, Op::LoopTestDown)
        } else {
            (Op::LoopStepUp, Op::LoopTestUp)
        };
        let (top, test) = (self.asm.label(), self.asm.label());
        let near_index = self.asm.within_reach(index, 0);
        let near_limit = self.asm.within_reach(limit, 1);
        let near_step = self.asm.within_reach(step, 2);
        let passing = self.asm.passing();
        let base = self.asm.window(1);
        let byte = |register: Register| u8::try_from(register).unwrap_or_default();
        let (a, b, c) = (byte(near_index), byte(near_limit), byte(near_step));

        self.asm.copy(near_index, index);
        self.asm.copy(near_limit, limit);
        self.asm.jump(Op::Jump, test, 0);
        self.asm.place_ahead(top);
        self.asm.copy(index, near_index);
        self.scope(&node.body, Mode::Effect);
        self.asm.copy(near_index, index);
        self.asm.copy(near_limit, limit);
        self.asm.copy(near_step, step);
        let site = self.loop_site(node, "+");
        self.asm
            .send(Word::new(step_op, a, b, c, site), base, (near_index, 0));
        self.asm.place(test);
        let site = self.loop_site(node, if node.downwards { ">=" } else { "<=" });
        self.asm
            .send(Word::new(test_op, a, b, 0, site), base, (passing, 0));
        self.asm
            .jump_if(Op::LoopTrue, byte(passing), top, Decision::ONE);
    }
}
