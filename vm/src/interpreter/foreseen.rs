//! Methods with foreseen outcomes: a few facts about the operands decide what they answer and how many messages they
//! send. Two kinds of receivers have such methods:
//!
//! - Numbers, by their order: `> other = ( ^(self >= other) and: [ self <> other ] )` in SOM compares the receiver with
//!   the argument and does nothing else.
//! - Booleans, of which there are two: `&& other = ( ^self and: other )`.
//!
//! When an inline cache takes in such a method, its code is followed once for each case. A send then takes the answer
//! of its case and counts the sends of this case. Only copies of the loop that count nothing but sends do that. The
//! other copies enter such a method like any other.

use crate::base::{ClassId, Dialect, Known, MethodId, SymbolId, Value};
use crate::bytecode::{Instruction, Literal, Op, Quick};
use crate::code::{Activation, CASES, Foreseen, Outcome, Target, UNFORESEEN};
use crate::machine::Vm;

/// Methods that such a method activates, one below the other, at most.
const MOST_LEVELS: usize = 8;

/// Instructions that each of them executes at most.
const MOST_INSTRUCTIONS: usize = 32;

/// How two numbers are ordered; the number of the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    Equal,
    Greater,
    /// One of them is no number.
    Unordered,
}

impl Order {
    const ALL: [Order; 4] = [Order::Less, Order::Equal, Order::Greater, Order::Unordered];

    fn reversed(self) -> Order {
        match self {
            Order::Less => Order::Greater,
            Order::Greater => Order::Less,
            other => other,
        }
    }
}

#[inline(always)]
pub(super) fn case_of_integers(left: Value, right: Value) -> usize {
    let (left, right) = (left.bits() as i64, right.bits() as i64);
    usize::from(left >= right) + usize::from(left > right)
}

pub(super) fn case_of_floats(left: f64, right: f64) -> usize {
    let order = match left.partial_cmp(&right) {
        Some(std::cmp::Ordering::Less) => Order::Less,
        Some(std::cmp::Ordering::Equal) => Order::Equal,
        Some(std::cmp::Ordering::Greater) => Order::Greater,
        None => Order::Unordered,
    };
    order as usize
}

/// The case of two booleans. A single boolean stands for both. `None` if one is no boolean.
#[inline(always)]
pub(super) fn case_of_booleans(receiver: Value, argument: Value) -> Option<usize> {
    const STEP: u64 = Value::TRUE.bits() - Value::FALSE.bits();
    let over = |value: Value| value.bits().wrapping_sub(Value::FALSE.bits());
    let (receiver, argument) = (over(receiver), over(argument));
    let are_booleans = (receiver | argument) & !STEP == 0;
    are_booleans.then(|| ((2 * receiver + argument) / STEP) as usize)
}

/// The case of a boolean and something else.
pub(super) fn case_of_boolean(receiver: bool) -> usize {
    4 + usize::from(receiver)
}

/// A register's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Nothing that is known.
    Unknown,
    /// The first and the second of two numbers.
    Left,
    Right,
    Truth(bool),
}

/// The numbers of a case: their class, if it is one, and their order.
type Numbers = Option<(ClassId, Order)>;

/// The result of following a method.
struct Followed {
    answer: bool,
    sends: u64,
    words: usize,
}

impl Followed {
    fn at_once(answer: bool) -> Followed {
        Followed {
            answer,
            sends: 0,
            words: 0,
        }
    }
}

impl Vm {
    /// What can be foreseen of a message to a number with this method, if anything can.
    pub(super) fn foresee_numbers(&self, class: ClassId, target: &Target) -> Option<Foreseen> {
        let is_number = class == Known::SmallInteger.into() || class == Known::Float.into();
        let takes_frame = target.activation == Activation::Frame && target.argument_count == 1;
        if !is_number || !takes_frame || !self.may_foresee() {
            return None;
        }
        let mut foreseen = Foreseen {
            targets: [target, target],
            outcomes: [UNFORESEEN; CASES],
            words: 0,
        };
        for order in Order::ALL {
            let numbers = Some((class, order));
            let followed = self.foresee(target.method, &[Held::Left, Held::Right], numbers, 0)?;
            foreseen.note(order as usize, &followed);
        }
        Some(foreseen)
    }

    /// What can be foreseen of a message to `true` and `false`, if anything can that saves a frame.
    pub(super) fn foresee_booleans(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        count: usize,
    ) -> Option<Foreseen> {
        let is_boolean = class == Known::True.into() || class == Known::False.into();
        if !is_boolean || count > 1 || !self.may_foresee() {
            return None;
        }
        let mut foreseen = Foreseen {
            targets: [std::ptr::null(); 2],
            outcomes: [UNFORESEEN; CASES],
            words: 0,
        };
        let seen = [
            (Value::FALSE, Held::Truth(false)),
            (Value::TRUE, Held::Truth(true)),
            (Value::NIL, Held::Unknown),
        ];
        for receiver in [false, true] {
            let class = if receiver { Known::True } else { Known::False };
            foreseen.targets[usize::from(receiver)] = self.target_for(class.into(), selector)?;
            for (argument, held) in seen {
                let operands = [Held::Truth(receiver), held];
                let case = case_of_booleans(Value::bool(receiver), argument)
                    .unwrap_or(case_of_boolean(receiver));
                if let Some(seen) = self.foresee_answer(selector, &operands[..=count], None, 0) {
                    foreseen.note(case, &seen);
                }
            }
        }
        // Without a frame to save there is a form that takes less.
        (foreseen.words > 0).then_some(foreseen)
    }

    /// Whether methods may be foreseen at all. An observer of lookups would miss the lookups of a foreseen method.
    fn may_foresee(&self) -> bool {
        self.observers.lookups.is_none()
    }

    /// Follows the methods that a message to this receiver, with these arguments behind it, activates.
    fn foresee_answer(
        &self,
        selector: SymbolId,
        operands: &[Held],
        numbers: Numbers,
        level: usize,
    ) -> Option<Followed> {
        let class = match (*operands.first()?, numbers) {
            (Held::Truth(true), _) => Known::True.into(),
            (Held::Truth(false), _) => Known::False.into(),
            (Held::Left, Some((class, _))) => class,
            // Both are of one class only if that has to be checked.
            (Held::Right, Some((class, _))) if class == Known::SmallInteger.into() => class,
            _ => return None,
        };
        let method = self.lookup(class, selector)?;
        if self.image.wrappers.contains_key(&method) {
            return None;
        }
        let code = self.method(method).code.get();
        match (code.quick, operands[0]) {
            (Some(Quick::ReturnSelf), Held::Truth(truth)) => Some(Followed::at_once(truth)),
            (Some(Quick::ReturnLiteral(literal)), _) => {
                match code.literals.get(literal as usize)? {
                    Literal::True => Some(Followed::at_once(true)),
                    Literal::False => Some(Followed::at_once(false)),
                    _ => None,
                }
            }
            _ => self.foresee(method, operands, numbers, level),
        }
    }

    /// Follows the method's code. An instruction that is not known to be harmless ends the walk.
    fn foresee(
        &self,
        method: MethodId,
        operands: &[Held],
        numbers: Numbers,
        level: usize,
    ) -> Option<Followed> {
        let code = self.method(method).code.get();
        let takes_frame = code.primitive.is_none()
            && code.quick.is_none()
            && usize::from(code.argument_count) + 1 == operands.len();
        if !takes_frame || level == MOST_LEVELS || self.image.wrappers.contains_key(&method) {
            return None;
        }
        let mut registers = vec![Held::Unknown; usize::from(code.register_count)];
        registers
            .get_mut(..operands.len())?
            .copy_from_slice(operands);
        let (mut pc, mut sends, mut words) = (0, 0, registers.len());
        for _ in 0..MOST_INSTRUCTIONS {
            let found = Instruction::at(&code.words, pc)?;
            let Instruction {
                op, word, cache, ..
            } = found;
            let register = |number: u8| registers.get(usize::from(number)).copied();
            let (a, behind) = (usize::from(word.a()), found.end());
            match op {
                Op::Move => {
                    let held = register(word.b())?;
                    *registers.get_mut(a)? = held;
                }
                Op::LoadTrue | Op::LoadFalse => {
                    *registers.get_mut(a)? = Held::Truth(op == Op::LoadTrue);
                }
                Op::Jump => {}
                Op::JumpTrue | Op::JumpFalse | Op::Return => {
                    let Held::Truth(truth) = register(word.a())? else {
                        return None;
                    };
                    if op == Op::Return {
                        return Some(Followed {
                            answer: truth,
                            sends,
                            words,
                        });
                    }
                    if truth != (op == Op::JumpTrue) {
                        pc = behind;
                        continue;
                    }
                }
                _ => {
                    let selector = &code.sites.get(found.site()? as usize)?.selector;
                    let selector = self.image.symbols.find(selector)?;
                    let pair = [register(word.a())?, register(word.b())?];
                    let followed = match op {
                        Op::Send => {
                            let operands = pair.get(..=usize::from(word.c()))?;
                            self.foresee_answer(selector, operands, numbers, level + 1)?
                        }
                        _ => Followed::at_once(self.compare(op, selector, pair, numbers?)?),
                    };
                    words = words.max(cache.base() + followed.words);
                    sends += 1 + followed.sends;
                    let destination = usize::from(cache.destination());
                    *registers.get_mut(destination)? = Held::Truth(followed.answer);
                }
            }
            let jumps = matches!(op, Op::Jump | Op::JumpTrue | Op::JumpFalse);
            pc = if jumps { word.imm() as usize } else { behind };
        }
        None
    }

    /// The answer of an instruction that compares, if a primitive stands behind it.
    fn compare(
        &self,
        op: Op,
        selector: SymbolId,
        operands: [Held; 2],
        (class, order): (ClassId, Order),
    ) -> Option<bool> {
        use Order::{Equal, Greater, Less};
        let are_integers = class == Known::SmallInteger.into();
        let order = match operands {
            [Held::Left, Held::Right] => order,
            [Held::Right, Held::Left] if are_integers => order.reversed(),
            _ => return None,
        };
        let method = self.lookup(class, selector)?;
        let row = self.method(method);
        // A primitive of SOM has its method's name; elsewhere a program can bind any other.
        let is_librarys =
            self.config.dialect == Dialect::Som || row.unit < self.library_unit_count();
        let is_primitive = row.code.get().primitive.is_some();
        if !is_librarys || !is_primitive || self.image.wrappers.contains_key(&method) {
            return None;
        }
        Some(match op {
            Op::Less | Op::LessJump => order == Less,
            Op::LessEqual | Op::LessEqualJump => matches!(order, Less | Equal),
            Op::Greater | Op::GreaterJump => order == Greater,
            Op::GreaterEqual | Op::GreaterEqualJump => matches!(order, Greater | Equal),
            Op::Equal | Op::EqualJump => order == Equal,
            Op::NotEqual | Op::NotEqualJump => order != Equal,
            // Floats that are equal need not be identical.
            Op::Same | Op::SameJump if are_integers => order == Equal,
            Op::NotSame | Op::NotSameJump if are_integers => order != Equal,
            _ => return None,
        })
    }
}

impl Foreseen {
    fn note(&mut self, case: usize, followed: &Followed) {
        self.words = self.words.max(followed.words);
        self.outcomes[case] = Outcome {
            answer: Value::bool(followed.answer),
            sends: followed.sends,
        };
    }
}
