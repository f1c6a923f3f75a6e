//! The verifier: what the loop trusts is checked here before a method first runs. Opcodes exist,
//! registers lie inside the frame, jumps lead to instructions, indices lie inside their tables, control does not run
//! off the end, and every register is written on every path before it is read.

use crate::bytecode::{
    BlockCode, Code, FrameKind, Immediate, LINK_WORDS, Op, Operand, Shape, Word,
};
use crate::liveness::{Access, effect};

/// Checks a method or script and its blocks.
///
/// # Errors
/// A sentence that names the word at which the first violation stands.
pub fn verify(code: &Code) -> Result<(), String> {
    let body = Body {
        code,
        words: &code.words,
        arguments: usize::from(code.argument_count),
        registers: usize::from(code.register_count),
    };
    body.verify()
        .map_err(|e| format!("{}: {e}", code.selector))?;
    for (index, block) in code.blocks.iter().enumerate() {
        let BlockCode {
            argument_count,
            register_count,
            words,
            ..
        } = block;
        let body = Body {
            code,
            words,
            arguments: usize::from(*argument_count),
            registers: usize::from(*register_count),
        };
        body.verify()
            .map_err(|e| format!("{}, block {index}: {e}", code.selector))?;
    }
    Ok(())
}

struct Body<'a> {
    code: &'a Code,
    words: &'a [u64],
    arguments: usize,
    registers: usize,
}

impl Body<'_> {
    fn verify(&self) -> Result<(), String> {
        let starts = self.starts()?;
        for &pc in &starts {
            self.instruction(pc, &starts)
                .map_err(|e| format!("word {pc}: {e}"))?;
        }
        if self.registers <= self.arguments {
            return Err("no room for receiver and arguments".to_string());
        }
        self.definite_assignment(&starts)
    }

    fn starts(&self) -> Result<Vec<usize>, String> {
        let mut starts = Vec::new();
        let mut pc = 0;
        while pc < self.words.len() {
            let op = Word(self.words[pc])
                .op()
                .ok_or(format!("word {pc}: no such opcode"))?;
            starts.push(pc);
            pc += op.width();
        }
        if pc != self.words.len() || starts.is_empty() {
            return Err("the last instruction is cut off".to_string());
        }
        Ok(starts)
    }

    fn instruction(&self, pc: usize, starts: &[usize]) -> Result<(), String> {
        let word = Word(self.words[pc]);
        let Some(op) = word.op() else {
            return Err("no such opcode".to_string());
        };
        let info = op.info();
        let mut outside = None;
        effect(self.words, pc, |register, _| {
            if register >= self.registers {
                outside = Some(register);
            }
        });
        if let Some(register) = outside {
            return Err(format!("register {register} is outside the frame"));
        }
        if info.shape == Shape::Send {
            let cache = self.words[pc + 1];
            let base = (cache >> 32) as usize & 0xFFFF;
            if base < LINK_WORDS + 1 || base + op.argument_count(word.c()) >= self.registers {
                return Err(format!("window at {base} does not fit"));
            }
            if op.is_formed_send() {
                return Err("only a linked send has a form".to_string());
            }
            if cache as u32 != 0 || self.words[pc + 2] != 0 {
                return Err("the inline cache is not empty".to_string());
            }
        }
        if !self.falls_safely(pc, op) {
            return Err("control runs off the end".to_string());
        }
        self.immediate(info.imm, word.imm(), starts)?;
        self.companions(pc, op, info.c)
    }

    fn falls_safely(&self, pc: usize, op: Op) -> bool {
        matches!(op, Op::Return | Op::NonLocalReturn | Op::Jump | Op::Loop)
            || pc + op.width() < self.words.len()
    }

    fn immediate(&self, kind: Immediate, imm: u32, starts: &[usize]) -> Result<(), String> {
        let index = imm as usize;
        let fits = match kind {
            Immediate::Literal => index < self.code.literals.len(),
            Immediate::Global => index < self.code.globals.len(),
            Immediate::Ivar => index < self.code.ivars.len(),
            Immediate::Site => index < self.code.sites.len(),
            Immediate::Block => index < self.code.blocks.len(),
            Immediate::Frame => {
                let read = FrameKind::from_number(imm).map(FrameKind::reads);
                read.is_some_and(|(arguments, registers)| {
                    arguments <= self.arguments && registers <= self.registers
                })
            }
            Immediate::Jump => starts.binary_search(&index).is_ok(),
            Immediate::Nil
            | Immediate::Int32
            | Immediate::WidePair
            | Immediate::Slot
            | Immediate::Definition => true,
        };
        if fits {
            Ok(())
        } else {
            Err(format!("{kind:?} {imm} does not exist"))
        }
    }

    /// Fused instructions rely on what follows them.
    fn companions(&self, pc: usize, op: Op, c: Operand) -> Result<(), String> {
        let word = Word(self.words[pc]);
        let op_at = |at: usize| self.words.get(at).and_then(|&w| Word(w).op());
        let destination = |at: usize| self.words.get(at + 1).map_or(0, |w| w >> 48);
        if c == Operand::Sense {
            let wanted = if word.c() == 0 {
                Op::JumpFalse
            } else {
                Op::JumpTrue
            };
            let jump = pc + op.width();
            let same = self
                .words
                .get(jump)
                .is_some_and(|&w| u64::from(Word(w).a()) == destination(pc));
            if op_at(jump) != Some(wanted) || !same {
                return Err("the fused jump does not follow".to_string());
            }
        }
        let test = match op {
            Op::LoopStepUp => Op::LoopTestUp,
            Op::LoopStepDown => Op::LoopTestDown,
            _ => return Ok(()),
        };
        let (at_test, at_jump) = (pc + 3, pc + 6);
        let follows = op_at(at_test) == Some(test)
            && op_at(at_jump) == Some(Op::LoopTrue)
            && Word(self.words[at_test]).a() == word.a()
            && Word(self.words[at_test]).b() == word.b()
            && destination(pc) == u64::from(word.a());
        if follows {
            Ok(())
        } else {
            Err("the fused loop test does not follow".to_string())
        }
    }

    /// Forward analysis: the set of registers written on all paths.
    fn definite_assignment(&self, starts: &[usize]) -> Result<(), String> {
        let groups = self.registers.div_ceil(64);
        let mut before: Vec<Option<Vec<u64>>> = vec![None; self.words.len()];
        let mut entry = vec![0u64; groups];
        (0..=self.arguments).for_each(|r| entry[r / 64] |= 1 << (r % 64));
        before[0] = Some(entry);
        let mut pending = vec![0usize];
        while let Some(pc) = pending.pop() {
            let Some(mut state) = before[pc].clone() else {
                continue;
            };
            let mut unwritten = None;
            effect(self.words, pc, |register, access| {
                let known = state[register / 64] >> (register % 64) & 1 == 1;
                if access == Access::Read && !known {
                    unwritten = Some(register);
                }
            });
            if let Some(register) = unwritten {
                return Err(format!(
                    "word {pc}: register {register} is read before it is written"
                ));
            }
            self.clobber_window(pc, &mut state);
            effect(self.words, pc, |register, access| {
                if access == Access::Write {
                    state[register / 64] |= 1 << (register % 64);
                }
            });
            for next in self.successors(pc).into_iter().flatten() {
                let merged = match &before[next] {
                    None => state.clone(),
                    Some(old) => old.iter().zip(&state).map(|(a, b)| a & b).collect(),
                };
                if before[next].as_ref() != Some(&merged) {
                    before[next] = Some(merged);
                    pending.push(next);
                }
            }
        }
        debug_assert!(starts.first() == Some(&0));
        Ok(())
    }

    /// A send leaves its link words, its window and all above it undefined.
    fn clobber_window(&self, pc: usize, state: &mut [u64]) {
        let Some(op) = Word(self.words[pc]).op() else {
            return;
        };
        if op.info().shape == Shape::Send {
            let base = (self.words[pc + 1] >> 32) as usize & 0xFFFF;
            for register in base.saturating_sub(LINK_WORDS)..self.registers {
                state[register / 64] &= !(1 << (register % 64));
            }
        }
    }

    fn successors(&self, pc: usize) -> [Option<usize>; 2] {
        let word = Word(self.words[pc]);
        let Some(op) = word.op() else {
            return [None, None];
        };
        let next = Some(pc + op.width());
        match op {
            Op::Return | Op::NonLocalReturn => [None, None],
            Op::Jump | Op::Loop => [Some(word.imm() as usize), None],
            _ if op.info().imm == Immediate::Jump => [Some(word.imm() as usize), next],
            _ => [next, None],
        }
    }
}
