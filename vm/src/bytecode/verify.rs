//! The verifier: checks all that the loop trusts, before a method first runs. Opcodes exist, registers lie inside the
//! frame, jumps lead to instructions, and indices lie inside their tables. Control does not run off the end. Every
//! register is written on every path before it is read.

use crate::bytecode::{
    Access, BlockCode, Code, FrameKind, Immediate, Instruction, Jumps, LINK_WORDS, Op, Operand,
    Shape,
};

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
        let instructions = self.instructions()?;
        let starts: Vec<usize> = instructions.iter().map(|found| found.pc).collect();
        for &instruction in &instructions {
            self.instruction(instruction, &starts)
                .map_err(|e| format!("word {}: {e}", instruction.pc))?;
        }
        if self.registers <= self.arguments {
            return Err("no room for receiver and arguments".to_string());
        }
        self.definite_assignment()
    }

    fn instructions(&self) -> Result<Vec<Instruction>, String> {
        let mut found = Vec::new();
        let mut pc = 0;
        while pc < self.words.len() {
            let instruction = Instruction::at(self.words, pc);
            let instruction = instruction.ok_or(format!("word {pc}: no such opcode"))?;
            found.push(instruction);
            pc = instruction.end();
        }
        if pc != self.words.len() || found.is_empty() {
            return Err("the last instruction is cut off".to_string());
        }
        Ok(found)
    }

    fn instruction(&self, instruction: Instruction, starts: &[usize]) -> Result<(), String> {
        let Instruction {
            pc,
            op,
            word,
            cache,
        } = instruction;
        let info = op.info();
        let mut outside = None;
        instruction.registers(|register, _| {
            if register >= self.registers {
                outside = Some(register);
            }
        });
        if let Some(register) = outside {
            return Err(format!("register {register} is outside the frame"));
        }
        if info.shape == Shape::Send {
            let base = cache.base();
            if base < LINK_WORDS + 1 || base + op.argument_count(word.c()) >= self.registers {
                return Err(format!("window at {base} does not fit"));
            }
            if op.is_formed_send() {
                return Err("only a linked send has a form".to_string());
            }
            if cache.class() != 0 || self.words[pc + 2] != 0 {
                return Err("the inline cache is not empty".to_string());
            }
        }
        if info.flow.falls_through() && instruction.end() >= self.words.len() {
            return Err("control runs off the end".to_string());
        }
        self.immediate(info.imm, instruction.immediate(), starts)?;
        self.companions(instruction)
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
    fn companions(&self, instruction: Instruction) -> Result<(), String> {
        let Instruction { op, word, .. } = instruction;
        let destination = instruction.cache.destination();
        let behind = Instruction::at(self.words, instruction.end());
        if op.info().c == Operand::Sense {
            let wanted = if word.c() == 0 {
                Op::JumpFalse
            } else {
                Op::JumpTrue
            };
            let follows = behind
                .is_some_and(|jump| jump.op == wanted && u16::from(jump.word.a()) == destination);
            if !follows {
                return Err("the fused jump does not follow".to_string());
            }
        }
        let test = match op {
            Op::LoopStepUp => Op::LoopTestUp,
            Op::LoopStepDown => Op::LoopTestDown,
            _ => return Ok(()),
        };
        let follows = behind.is_some_and(|found| {
            let jump = Instruction::at(self.words, found.end());
            found.op == test
                && jump.is_some_and(|jump| jump.op == Op::LoopTrue)
                && found.word.a() == word.a()
                && found.word.b() == word.b()
                && destination == u16::from(word.a())
        });
        if follows {
            Ok(())
        } else {
            Err("the fused loop test does not follow".to_string())
        }
    }

    /// Forward analysis: the set of registers written on all paths.
    fn definite_assignment(&self) -> Result<(), String> {
        let groups = self.registers.div_ceil(64);
        let mut before: Vec<Option<Vec<u64>>> = vec![None; self.words.len()];
        let mut entry = vec![0u64; groups];
        (0..=self.arguments).for_each(|r| entry[r / 64] |= 1 << (r % 64));
        before[0] = Some(entry);
        let mut pending = vec![0usize];
        while let Some(pc) = pending.pop() {
            let (Some(mut state), Some(instruction)) =
                (before[pc].clone(), Instruction::at(self.words, pc))
            else {
                continue;
            };
            let mut unwritten = None;
            instruction.registers(|register, access| {
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
            self.clobber_window(instruction, &mut state);
            instruction.registers(|register, access| {
                if access == Access::Write {
                    state[register / 64] |= 1 << (register % 64);
                }
            });
            for next in instruction.successors(Jumps::Absolute) {
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
        Ok(())
    }

    /// A send leaves its link words, its window and all above it undefined.
    fn clobber_window(&self, instruction: Instruction, state: &mut [u64]) {
        if instruction.op.info().shape == Shape::Send {
            let base = instruction.cache.base();
            for register in base.saturating_sub(LINK_WORDS)..self.registers {
                state[register / 64] &= !(1 << (register % 64));
            }
        }
    }
}
