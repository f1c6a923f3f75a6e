//! The one table of short cuts. It names the messages that have their own instructions, and the receivers for which the
//! loop needs no lookup. The compiler's choice of instructions and the machine's guards derive from it.

use super::Op;
use crate::base::Dialect;

/// The receivers for which a message is short-cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// SmallIntegers.
    Integers,
    /// SmallIntegers and Floats.
    Numbers,
    /// SmallIntegers, Floats, Strings and Characters.
    Comparable,
    /// SmallIntegers, Floats and Strings: SOM has no Characters.
    NumbersAndStrings,
    /// Arrays and Strings.
    Indexable,
    /// Arrays.
    Arrays,
    /// Every object.
    All,
}

/// A message with instructions of its own.
#[derive(Clone, Copy, Debug)]
pub struct ShortCut {
    /// The message.
    pub selector: &'static str,
    /// The instruction on registers.
    pub op: Op,
    /// The same with a literal operand.
    pub with_literal: Option<Op>,
    /// The same, ending in a jump.
    pub jump: Option<Op>,
    /// The same with both.
    pub jump_with_literal: Option<Op>,
    /// For which receivers.
    pub receivers: Receivers,
}

impl ShortCut {
    /// The short cuts of a dialect.
    pub fn all(dialect: Dialect) -> &'static [ShortCut] {
        match dialect {
            Dialect::Smalltalk => &SMALLTALK,
            Dialect::Som => &SOM,
        }
    }

    /// The one for a selector.
    pub fn of(dialect: Dialect, selector: &str) -> Option<&'static ShortCut> {
        let mut all = ShortCut::all(dialect).iter();
        all.find(|row| row.selector == selector)
    }

    /// All its instructions.
    pub fn instructions(&self) -> impl Iterator<Item = Op> {
        let others = [self.with_literal, self.jump, self.jump_with_literal];
        std::iter::once(self.op).chain(others.into_iter().flatten())
    }
}

const fn plain(selector: &'static str, op: Op, receivers: Receivers) -> ShortCut {
    ShortCut {
        selector,
        op,
        with_literal: None,
        jump: None,
        jump_with_literal: None,
        receivers,
    }
}

const fn with_literal(selector: &'static str, op: Op, literal: Op) -> ShortCut {
    ShortCut {
        with_literal: Some(literal),
        ..plain(selector, op, Receivers::Numbers)
    }
}

const fn comparison(selector: &'static str, op: Op, literal: Op, jump: Op, both: Op) -> ShortCut {
    ShortCut {
        jump: Some(jump),
        jump_with_literal: Some(both),
        ..with_literal(selector, op, literal)
    }
}

const fn equality(receivers: Receivers) -> ShortCut {
    ShortCut {
        receivers,
        ..comparison(
            "=",
            Op::Equal,
            Op::EqualInt,
            Op::EqualJump,
            Op::EqualIntJump,
        )
    }
}

const fn identity(selector: &'static str, op: Op, jump: Op) -> ShortCut {
    ShortCut {
        jump: Some(jump),
        ..plain(selector, op, Receivers::All)
    }
}

#[rustfmt::skip]
static SMALLTALK: [ShortCut; 19] = [
    with_literal("+", Op::Add, Op::AddInt),
    with_literal("-", Op::Subtract, Op::SubtractInt),
    plain("*", Op::Multiply, Receivers::Numbers),
    plain("/", Op::Divide, Receivers::Numbers),
    plain("//", Op::FloorDivide, Receivers::Integers),
    plain("\\\\", Op::Modulo, Receivers::Integers),
    plain("bitAnd:", Op::BitAnd, Receivers::Integers),
    plain("bitOr:", Op::BitOr, Receivers::Integers),
    plain("bitShift:", Op::BitShift, Receivers::Integers),
    comparison("<", Op::Less, Op::LessInt, Op::LessJump, Op::LessIntJump),
    comparison("<=", Op::LessEqual, Op::LessEqualInt, Op::LessEqualJump, Op::LessEqualIntJump),
    comparison(">", Op::Greater, Op::GreaterInt, Op::GreaterJump, Op::GreaterIntJump),
    comparison(">=", Op::GreaterEqual, Op::GreaterEqualInt, Op::GreaterEqualJump, Op::GreaterEqualIntJump),
    equality(Receivers::Comparable),
    comparison("~=", Op::NotEqual, Op::NotEqualInt, Op::NotEqualJump, Op::NotEqualIntJump),
    identity("==", Op::Same, Op::SameJump),
    identity("~~", Op::NotSame, Op::NotSameJump),
    plain("at:", Op::At, Receivers::Indexable),
    plain("at:put:", Op::AtPut, Receivers::Indexable),
];

/// SOM's selectors have different meanings. `/` divides integers without a remainder, and the instruction does the
/// exact cases. `~=` compares identities.
#[rustfmt::skip]
static SOM: [ShortCut; 16] = [
    with_literal("+", Op::Add, Op::AddInt),
    with_literal("-", Op::Subtract, Op::SubtractInt),
    plain("*", Op::Multiply, Receivers::Numbers),
    plain("/", Op::Divide, Receivers::Numbers),
    plain("%", Op::Modulo, Receivers::Integers),
    plain("&", Op::BitAnd, Receivers::Integers),
    comparison("<", Op::Less, Op::LessInt, Op::LessJump, Op::LessIntJump),
    comparison("<=", Op::LessEqual, Op::LessEqualInt, Op::LessEqualJump, Op::LessEqualIntJump),
    comparison(">", Op::Greater, Op::GreaterInt, Op::GreaterJump, Op::GreaterIntJump),
    comparison(">=", Op::GreaterEqual, Op::GreaterEqualInt, Op::GreaterEqualJump, Op::GreaterEqualIntJump),
    equality(Receivers::NumbersAndStrings),
    comparison("<>", Op::NotEqual, Op::NotEqualInt, Op::NotEqualJump, Op::NotEqualIntJump),
    identity("==", Op::Same, Op::SameJump),
    identity("~=", Op::NotSame, Op::NotSameJump),
    plain("at:", Op::At, Receivers::Arrays),
    plain("at:put:", Op::AtPut, Receivers::Arrays),
];
