//! Messages that are sent and not inlined. Most selectors take the general form, whose operands stand in a window above
//! all live registers. A few selectors have their own instructions. Their operands may stand anywhere, and only the
//! slow path needs the window.

use tally_vm::Dialect;
use tally_vm::bytecode::{GlobalRef, Op, ShortCut, Site, Word};

use crate::environment::Environment;

use super::assembler::Register;
use super::function::{FunctionEmitter, Mode};
use crate::resolve::tree::{Cascade, Count, Expr, Message, Send};

/// The selectors that have instructions of their own.
pub(crate) struct ShortCuts {
    rows: Vec<&'static ShortCut>,
    at_put: AtPut,
}

/// The cases in which the instruction for `at:put:` may replace the message. The instruction answers the element.
#[derive(Clone, Copy)]
enum AtPut {
    Always,
    /// SOM's answers the array.
    ForEffect,
    Never,
}

impl AtPut {
    fn allows(self, mode: Mode) -> bool {
        match self {
            AtPut::Always => true,
            AtPut::ForEffect => matches!(mode, Mode::Effect),
            AtPut::Never => false,
        }
    }
}

impl ShortCuts {
    /// The short cuts of scripts.
    pub(crate) fn all() -> ShortCuts {
        ShortCuts {
            rows: ShortCut::all(Dialect::Smalltalk).iter().collect(),
            at_put: AtPut::Always,
        }
    }

    /// The short cuts of SOM that the library's methods allow.
    pub(crate) fn som(environment: &dyn Environment) -> ShortCuts {
        ShortCuts {
            rows: ShortCut::all(Dialect::Som)
                .iter()
                .filter(|row| environment.short_cut(row.selector))
                .collect(),
            at_put: if environment.short_cut("at:put:") {
                AtPut::ForEffect
            } else {
                AtPut::Never
            },
        }
    }

    fn find(&self, selector: &str) -> Option<&'static ShortCut> {
        self.rows
            .iter()
            .find(|row| row.selector == selector)
            .copied()
    }
}

impl FunctionEmitter<'_> {
    /// A global that may not exist.
    #[inline(never)]
    pub(super) fn late_global(&mut self, global: &GlobalRef, mode: Mode) {
        let receiver = self.receiver_register();
        let a = self.asm.read(receiver, 0);
        let base = self.asm.window(1);
        let index = self.tables.global(global);
        let to = destination(mode, base);
        self.asm
            .send(Word::new(Op::LoadGlobalChecked, a, 0, 0, index), base, to);
        self.asm.next = self.asm.next.max(base + 1);
        self.deliver_written(to.0, mode);
    }

    #[inline(never)]
    pub(super) fn send(&mut self, send: &Send, mode: Mode) {
        if self.asm.has_failed() {
            return;
        }
        let message = &send.message;
        if !send.to_super {
            let selector = message.selector.as_str();
            if let [argument] = message.arguments.as_slice()
                && let Some(special) = self.short_cuts.find(selector)
            {
                return self.special(special, &send.receiver, argument, message, mode);
            }
            if let ("at:put:", [index, value]) = (selector, message.arguments.as_slice())
                && self.short_cuts.at_put.allows(mode)
            {
                return self.at_put(&send.receiver, index, value, message, mode);
            }
        }
        let op = if send.to_super {
            Op::SuperSend
        } else {
            Op::Send
        };
        let base = self.asm.window(message.arguments.len());
        let receiver = self.windowed_receiver(&send.receiver, message, base);
        self.windowed(op, receiver, base, message, mode);
    }

    /// The receiver's register: where it stands already, or the window's base.
    fn windowed_receiver(
        &mut self,
        receiver: &Expr,
        message: &Message,
        base: Register,
    ) -> Register {
        let later: Vec<(u32, u32)> = message.arguments.iter().map(|arg| arg.moments).collect();
        self.in_place(receiver, &later).unwrap_or_else(|| {
            self.asm.next = base;
            self.expr(receiver, Mode::Into(base));
            base
        })
    }

    /// The messages go to a register that holds the receiver; all values but the last are dropped.
    #[inline(never)]
    pub(super) fn cascade(&mut self, cascade: &Cascade, mode: Mode) {
        let op = if cascade.to_super {
            Op::SuperSend
        } else {
            Op::Send
        };
        let later: Vec<(u32, u32)> = cascade
            .messages
            .iter()
            .flat_map(|message| &message.arguments)
            .map(|argument| argument.moments)
            .collect();
        let receiver = self.operand_before(&cascade.receiver, &later);
        let outside = self.asm.next;
        let last = cascade.messages.len().saturating_sub(1);
        for (position, message) in cascade.messages.iter().enumerate() {
            self.asm.next = outside;
            let base = self.asm.window(message.arguments.len());
            let mode = if position == last { mode } else { Mode::Effect };
            self.windowed(op, receiver, base, message, mode);
        }
    }

    /// Evaluates the arguments into the window, but for the last if it stands in a register, and sends.
    #[inline(never)]
    fn windowed(
        &mut self,
        op: Op,
        receiver: Register,
        base: Register,
        message: &Message,
        mode: Mode,
    ) {
        let mut last = receiver;
        for (position, argument) in message.arguments.iter().enumerate() {
            let is_last = position + 1 == message.arguments.len();
            let register = base + 1 + position as u32;
            let standing = self.in_place(argument, &[]).filter(|_| is_last);
            if standing.is_none() {
                self.asm.next = register;
                self.expr(argument, Mode::Into(register));
            }
            last = standing.unwrap_or(register);
        }
        let count = self.asm.byte(message.arguments.len(), "arguments");
        let a = self.asm.read(receiver, 0);
        let b = if count == 0 {
            a
        } else {
            self.asm.read(last, 1)
        };
        let site = self.site(message, mode);
        let to = destination(mode, base);
        self.asm.send(Word::new(op, a, b, count, site), base, to);
        self.asm.next = base + 1;
        self.deliver_written(to.0, mode);
    }

    #[inline(never)]
    fn special(
        &mut self,
        special: &ShortCut,
        receiver: &Expr,
        argument: &Expr,
        message: &Message,
        mode: Mode,
    ) {
        let left = self.operand(receiver, &[argument]);
        let literal = argument
            .small_integer::<i8>()
            .filter(|_| special.with_literal.is_some());
        let b = match literal {
            Some(value) => value as u8,
            None => {
                let right = self.operand(argument, &[]);
                self.asm.read(right, 1)
            }
        };
        let a = self.asm.read(left, 0);
        let base = self.asm.window(1);
        let site = self.site(message, mode);
        let jump = if literal.is_some() {
            special.jump_with_literal
        } else {
            special.jump
        };
        if let (Mode::Branch(wanted, label, decision), Some(op)) = (mode, jump) {
            let passing = self.asm.passing();
            self.asm.send(
                Word::new(op, a, b, u8::from(wanted), site),
                base,
                (passing, 0),
            );
            let op = if wanted { Op::JumpTrue } else { Op::JumpFalse };
            return self.asm.jump_if(op, passing as u8, label, decision);
        }
        let op = literal.and(special.with_literal).unwrap_or(special.op);
        let to = destination(mode, base);
        self.asm.send(Word::new(op, a, b, 0, site), base, to);
        self.asm.next = self.asm.next.max(base + 1);
        self.deliver_written(to.0, mode);
    }

    #[inline(never)]
    fn at_put(
        &mut self,
        receiver: &Expr,
        index: &Expr,
        value: &Expr,
        message: &Message,
        mode: Mode,
    ) {
        let array = self.operand(receiver, &[index, value]);
        let place = self.operand(index, &[value]);
        let element = self.operand(value, &[]);
        let a = self.asm.read(array, 0);
        let b = self.asm.read(place, 1);
        let c = self.asm.read(element, 2);
        let base = self.asm.window(2);
        let site = self.site(message, mode);
        let to = destination(mode, base);
        self.asm.send(Word::new(Op::AtPut, a, b, c, site), base, to);
        self.asm.next = self.asm.next.max(base + 1);
        self.deliver_written(to.0, mode);
    }

    pub(super) fn evaluate(
        &mut self,
        definition: u32,
        receiver: Option<&GlobalRef>,
        store: Option<&GlobalRef>,
    ) {
        let outside = self.asm.next;
        let base = self.asm.window(0);
        match receiver {
            Some(class) => {
                let index = self.tables.global(class);
                self.asm.load(Op::LoadGlobal, base, 0, 0, index);
            }
            None => self.asm.load(Op::LoadNil, base, 0, 0, 0),
        }
        self.asm.send(
            Word::new(Op::Evaluate, 0, 0, 0, definition),
            base,
            (base, 0),
        );
        if let Some(variable) = store {
            let index = self.tables.global(variable);
            let value = self.asm.read(base, 0);
            self.asm.plain(Op::StoreGlobal, value, 0, 0, index);
        }
        self.asm.next = outside;
    }

    fn site(&mut self, message: &Message, mode: Mode) -> u32 {
        self.tables.site(Site {
            selector: message.selector.clone(),
            span: message.span,
            selector_span: message.selector_span,
            discarded: matches!(mode, Mode::Effect),
        })
    }

    /// The site of a message that an inlined loop sends to its index if that is no number.
    pub(super) fn loop_site(&mut self, node: &Count, selector: &str) -> u32 {
        self.tables.site(Site {
            selector: selector.to_owned(),
            span: node.span,
            selector_span: node.selector_span,
            discarded: false,
        })
    }
}

/// The destination of a send's value, and the step of assigning it. A value for a different destination, or for none, stays in
/// the window. The window is free again after the send.
fn destination(mode: Mode, base: Register) -> (Register, u8) {
    mode.register().unwrap_or((base, 0))
}
