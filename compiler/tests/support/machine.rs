//! Runs compiled code in the plainest way: no caches, no overlapping windows. A send clears all registers that an
//! activation could have overwritten, so that code that relies on one of them fails.

use std::cell::RefCell;
use std::rc::Rc;

use tally_vm::bytecode::{Code, Literal, Op, Shape};

use super::checker::{Instruction, decode};
use super::values::{Effects, Exit, Outcome, Value, goes_on};

struct Closure {
    block: usize,
    captures: Vec<Value>,
    home: u64,
}

/// Runs a method; `self` is the value 777.
pub(crate) fn run(code: &Code, arguments: &[Value], effects: &mut Effects) -> Outcome {
    let home = effects.enter_home();
    let mut registers = vec![None; code.register_count.into()];
    registers[0] = Some(Value::Other(777));
    for (register, argument) in registers[1..].iter_mut().zip(arguments) {
        *register = Some(argument.clone());
    }
    let mut machine = Machine { code, effects };
    let outcome = machine.activation(&code.words, registers, &[], home);
    effects.homes.retain(|other| *other != home);
    match outcome {
        Err(Exit::Return(target, value)) if target == home => Ok(value),
        other => other,
    }
}

struct Machine<'a> {
    code: &'a Code,
    effects: &'a mut Effects,
}

impl Machine<'_> {
    fn activation(
        &mut self,
        words: &[u64],
        mut registers: Vec<Option<Value>>,
        captures: &[Value],
        home: u64,
    ) -> Outcome {
        let instructions = decode(words);
        let mut next = 0;
        loop {
            let i = instructions[next];
            next += 1;
            let (a, b) = (usize::from(i.word.a()), usize::from(i.word.b()));
            let imm = match i.op.info().shape {
                Shape::Plain => i.word.imm(),
                Shape::Send => i.word.index(),
            };
            let read = |register: usize| registers[register].clone().expect("a written register");
            let target = || {
                instructions
                    .iter()
                    .position(|other| other.at == imm as usize)
                    .expect("a target")
            };
            let mut result = None;
            match i.op {
                Op::Move => result = Some(read(b)),
                Op::MoveWide => {
                    registers[(imm & 0xFFFF) as usize] = Some(read((imm >> 16) as usize));
                }
                Op::LoadInt => result = Some(Value::Int(i64::from(imm as i32))),
                Op::LoadNil => result = Some(Value::Nil),
                Op::LoadTrue => result = Some(Value::Bool(true)),
                Op::LoadFalse => result = Some(Value::Bool(false)),
                Op::LoadLiteral => match &self.code.literals[imm as usize] {
                    Literal::Integer(value) => result = Some(Value::Int(*value)),
                    other => panic!("{other:?}"),
                },
                Op::LoadIvar => {
                    let name = &self.code.ivars[imm as usize];
                    result = Some(self.effects.ivars.get(name).cloned().unwrap_or(Value::Nil));
                    assert!(
                        matches!(read(b), Value::Other(777)),
                        "the receiver's variable"
                    );
                }
                Op::StoreIvar => {
                    let name = self.code.ivars[imm as usize].clone();
                    assert!(
                        matches!(read(b), Value::Other(777)),
                        "the receiver's variable"
                    );
                    self.effects.ivars.insert(name, read(a));
                }
                Op::LoadCaptured => result = Some(captures[imm as usize].clone()),
                Op::MakeCell => result = Some(Value::Cell(Rc::new(RefCell::new(read(b))))),
                Op::LoadCell => result = Some(cell(&read(b)).borrow().clone()),
                Op::StoreCell => *cell(&read(b)).borrow_mut() = read(a),
                Op::MakeBlock | Op::AssignBlock => {
                    let captures = (b..b + usize::from(i.word.c())).map(read).collect();
                    let closure = Closure {
                        block: imm as usize,
                        captures,
                        home,
                    };
                    result = Some(Value::Block(Rc::new(closure)));
                }
                Op::NewArray => {
                    let elements = vec![Value::Nil; imm as usize];
                    result = Some(Value::Array(Rc::new(RefCell::new(elements))));
                }
                Op::StoreElement => match read(b) {
                    Value::Array(elements) => elements.borrow_mut()[imm as usize] = read(a),
                    other => panic!("{other:?}"),
                },
                Op::Jump => next = target(),
                Op::JumpTrue | Op::JumpFalse => {
                    let Value::Bool(value) = read(a) else {
                        panic!("not a boolean")
                    };
                    if value == (i.op == Op::JumpTrue) {
                        next = target();
                    }
                }
                Op::JumpNotNil => {
                    if !matches!(read(a), Value::Nil) {
                        next = target();
                    }
                }
                Op::JumpNil => {
                    if matches!(read(a), Value::Nil) {
                        next = target();
                    }
                }
                Op::Loop => {
                    self.effects.note("loop".into())?;
                    next = target();
                }
                Op::LoopTrue | Op::LoopFalse => {
                    let Value::Bool(value) = read(a) else {
                        panic!("not a boolean")
                    };
                    if value == (i.op == Op::LoopTrue) {
                        self.effects.note("loop".into())?;
                        next = target();
                    }
                }
                Op::Return => return Ok(read(a)),
                Op::NonLocalReturn => {
                    let lives = self.effects.homes.contains(&home);
                    return Err(if lives {
                        Exit::Return(home, read(a))
                    } else {
                        Exit::NoHome
                    });
                }
                Op::MarkFrame => {}
                Op::Define | Op::Evaluate | Op::LoadGlobal | Op::StoreGlobal => panic!("{i:?}"),
                Op::LoopTestUp | Op::LoopTestDown => {
                    let goes_on = goes_on(&read(a), &read(b), i.op == Op::LoopTestDown);
                    after_send(&mut registers, &i, Value::Bool(goes_on));
                }
                Op::LoopStepUp | Op::LoopStepDown => {
                    let sum = match (read(a), read(usize::from(i.word.c()))) {
                        (Value::Int(index), Value::Int(step)) => Value::Int(index + step),
                        (index, _) => index,
                    };
                    after_send(&mut registers, &i, sum);
                }
                _ => {
                    let (receiver, arguments) = operands(&i, &registers);
                    let selector = self.code.sites[imm as usize].selector.clone();
                    let answer = self.send(&receiver, &selector, &arguments)?;
                    after_send(&mut registers, &i, answer);
                }
            }
            if let Some(value) = result {
                registers[a] = Some(value);
            }
        }
    }

    fn send(&mut self, receiver: &Value, selector: &str, arguments: &[Value]) -> Outcome {
        let answer = self.effects.send(receiver, selector, arguments)?;
        let Value::Block(block) = receiver else {
            return Ok(answer);
        };
        let closure = block
            .clone()
            .downcast::<Closure>()
            .expect("a compiled block");
        let block = &self.code.blocks[closure.block];
        if !selector.starts_with("value") || usize::from(block.argument_count) != arguments.len() {
            return Ok(answer);
        }
        let mut registers = vec![None; block.register_count.into()];
        registers[0] = Some(receiver.clone());
        for (register, argument) in registers[1..].iter_mut().zip(arguments) {
            *register = Some(argument.clone());
        }
        self.activation(&block.words, registers, &closure.captures, closure.home)
    }
}

fn cell(value: &Value) -> Rc<RefCell<Value>> {
    match value {
        Value::Cell(cell) => cell.clone(),
        other => panic!("{other:?} is not a cell"),
    }
}

fn after_send(registers: &mut [Option<Value>], instruction: &Instruction, answer: Value) {
    for register in &mut registers[instruction.base - 2..] {
        *register = None;
    }
    registers[instruction.to] = Some(answer);
}

fn operands(i: &Instruction, registers: &[Option<Value>]) -> (Value, Vec<Value>) {
    let read = |register: usize| registers[register].clone().expect("a written register");
    if matches!(i.op, Op::Send | Op::SuperSend) {
        let count = i.word.c();
        let mut arguments: Vec<Value> = i.op.in_window(count).map(|n| read(i.base + n)).collect();
        if count > 0 {
            arguments.push(read(i.word.b().into()));
        }
        return (read(i.word.a().into()), arguments);
    }
    let second = match i.op.info().b {
        tally_vm::bytecode::Operand::Int8 => Value::Int(i64::from(i.word.b() as i8)),
        _ => read(i.word.b().into()),
    };
    let mut arguments = vec![second];
    if i.op == Op::AtPut {
        arguments.push(read(i.word.c().into()));
    }
    (read(i.word.a().into()), arguments)
}
