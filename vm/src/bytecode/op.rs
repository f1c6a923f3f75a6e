//! The opcodes and the facts that follow from their rows.

use super::columns::{
    Arity, Counts, Effect, Effects, Flow, Immediate, OpInfo, Operand, Shape, Standing,
};
use super::instructions::with_instructions;
use super::word::SEND_WORDS;
use std::ops::Range;

macro_rules! opcodes {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident {
            $a:ident $b:ident $c:ident $imm:ident,
            $shape:ident($arity:ident $standing:ident), $counts:ident, $flow:ident, [$($effect:ident)*]
        } => $module:ident::$handler:ident;
    )+) => {
        /// An opcode; the low byte of an instruction's first word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $( $(#[doc = $doc])+ $name, )+ }

        impl Op {
            /// All opcodes, in the order of their numbers.
            pub const ALL: &'static [Op] = &[ $( Op::$name, )+ ];

            /// The rows of the table, in the order of the opcodes' numbers.
            pub const INFO: &'static [OpInfo] = &[ $( OpInfo {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                a: Operand::$a, b: Operand::$b, c: Operand::$c,
                imm: Immediate::$imm,
                shape: opcodes!(@shape $shape),
                arity: Arity::$arity,
                standing: Standing::$standing,
                is_form: opcodes!(@is_form $shape),
                counts: Counts::$counts,
                flow: Flow::$flow,
                effects: Effects::of(&[ $( Effect::$effect, )* ]),
            }, )+ ];
        }
    };
    (@shape Plain) => { Shape::Plain };
    (@shape Send) => { Shape::Send };
    (@shape Form) => { Shape::Send };
    (@is_form Plain) => { false };
    (@is_form Send) => { false };
    (@is_form Form) => { true };
}
with_instructions!(opcodes);

impl Op {
    /// The opcode with this number.
    pub fn from_byte(byte: u8) -> Option<Op> {
        Op::ALL.get(usize::from(byte)).copied()
    }

    /// The row of the table.
    pub fn info(self) -> &'static OpInfo {
        &Op::INFO[self as usize]
    }

    /// How many words an instruction with this opcode takes.
    pub fn width(self) -> usize {
        match self.info().shape {
            Shape::Plain => 1,
            Shape::Send => SEND_WORDS,
        }
    }

    /// How many arguments the message of a send-shaped instruction has; `c` is its `c` byte.
    pub fn argument_count(self, c: u8) -> usize {
        match self.info().arity {
            Arity::Nil | Arity::Zero => 0,
            Arity::One => 1,
            Arity::Two => 2,
            Arity::C => usize::from(c),
        }
    }

    /// The operands of a send-shaped instruction that already stand in its window, counted from its base;
    /// `c` is its `c` byte. The others stand in registers, and are copied when they are needed there.
    pub fn in_window(self, c: u8) -> Range<usize> {
        match self.info().standing {
            Standing::Nil => 0..0,
            Standing::Base => 0..1,
            Standing::Inner => 1..self.argument_count(c).max(1),
        }
    }

    /// Whether it is a form that the machine gives a `Send` while it runs.
    pub fn is_formed_send(self) -> bool {
        self.info().is_form
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_agree_with_each_other() {
        for info in Op::INFO {
            let name = info.name;
            let is_send = info.shape == Shape::Send;
            assert_eq!(info.arity != Arity::Nil, is_send, "{name}: arity");
            assert!(is_send || info.standing == Standing::Nil, "{name}: window");
            assert_eq!(
                info.flow.jumps(),
                info.imm == Immediate::Jump,
                "{name}: flow"
            );
            assert!(!is_send || info.flow == Flow::Onward, "{name}: flow");
            let counts_by_c = info.arity == Arity::C;
            assert!(!counts_by_c || info.c == Operand::Count, "{name}: arity");
            assert!(!info.is_form || counts_by_c, "{name}: form");
            // A message can activate any method.
            assert!(
                !is_send || info.effects.has(Effect::Sends),
                "{name}: effects"
            );
            // A repetition of a loop is a poll point.
            let polls = info.counts == Counts::Loop;
            assert!(
                !polls || info.effects.has(Effect::Switches),
                "{name}: effects"
            );
        }
    }

    #[test]
    fn effects_bring_others_with_them() {
        let all = Effects::of(&[Effect::Sends]);
        assert!(Effect::ALL.iter().all(|&effect| all.has(effect)));
        let switches = Effects::of(&[Effect::Switches]);
        assert!(switches.has(Effect::Writes) && !switches.has(Effect::Sends));
        let none = Effects::of(&[]);
        assert!(!Effect::ALL.iter().any(|&effect| none.has(effect)));
    }
}
