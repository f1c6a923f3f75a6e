//! Checks compiled code against the rules of the instruction list. Operands and jumps are in range. Each register that
//! is read was written on every path. No value that is still needed lies in a window. Fused forms are followed by their
//! jumps. The checker follows the list and shares no code with the emitter, so that the two cannot share a mistake.

use std::collections::BTreeSet;

use tally_vm::bytecode::{
    BlockCode, Code, CodeKind, Definition, Immediate, Op, Operand, Quick, Shape, Unit, Word,
};

/// An instruction, unpacked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) at: usize,
    pub(crate) op: Op,
    pub(crate) word: Word,
    pub(crate) base: usize,
    pub(crate) to: usize,
}

impl Instruction {
    fn reads(&self) -> Vec<usize> {
        let info = self.op.info();
        let mut reads = Vec::new();
        let bytes = [
            (info.a, self.word.a()),
            (info.b, self.word.b()),
            (info.c, self.word.c()),
        ];
        for (operand, byte) in bytes {
            match operand {
                Operand::Read => reads.push(usize::from(byte)),
                Operand::First => {
                    let first = usize::from(byte);
                    reads.extend(first..first + usize::from(self.word.c()));
                }
                _ => {}
            }
        }
        if info.imm == Immediate::WidePair {
            reads.push((self.word.imm() >> 16) as usize);
        }
        reads.extend(
            self.op
                .in_window(self.word.c())
                .map(|offset| self.base + offset),
        );
        reads
    }

    fn write(&self) -> Option<usize> {
        let info = self.op.info();
        if info.shape == Shape::Send {
            Some(self.to)
        } else if info.imm == Immediate::WidePair {
            Some((self.word.imm() & 0xFFFF) as usize)
        } else {
            (info.a == Operand::Write).then(|| usize::from(self.word.a()))
        }
    }

    fn jump(&self) -> Option<usize> {
        (self.op.info().imm == Immediate::Jump).then(|| self.word.imm() as usize)
    }

    fn ends(&self) -> bool {
        matches!(
            self.op,
            Op::Jump | Op::Loop | Op::Return | Op::NonLocalReturn
        )
    }

    fn sense(&self) -> Option<u8> {
        (self.op.info().c == Operand::Sense).then(|| self.word.c())
    }
}

/// Unpacks words.
pub(crate) fn decode(words: &[u64]) -> Vec<Instruction> {
    let mut at = 0;
    let mut instructions = Vec::new();
    while at < words.len() {
        let word = Word(words[at]);
        let op = word.op().expect("an opcode");
        let (mut base, mut to) = (0, 0);
        if op.width() == 3 {
            base = (words[at + 1] >> 32 & 0xFFFF) as usize;
            to = (words[at + 1] >> 48) as usize;
            assert_eq!(words[at + 1] as u32, 0, "the cache is empty");
            assert_eq!(words[at + 2], 0, "the cache is empty");
        }
        instructions.push(Instruction {
            at,
            op,
            word,
            base,
            to,
        });
        at += op.width();
    }
    assert_eq!(at, words.len(), "the last instruction is whole");
    instructions
}

/// The instructions as text, one a line, jumps by number of line.
pub(crate) fn listing(words: &[u64], code: &Code) -> String {
    let instructions = decode(words);
    let line_of = |at: usize| instructions.iter().position(|i| i.at == at).unwrap_or(9999);
    let mut text = String::new();
    for (line, instruction) in instructions.iter().enumerate() {
        let info = instruction.op.info();
        text.push_str(&format!("{line} {}", info.name));
        let word = instruction.word;
        for (operand, byte) in [(info.a, word.a()), (info.b, word.b()), (info.c, word.c())] {
            match operand {
                // What an instruction counts stands in `tests/steps.rs`.
                Operand::Nil | Operand::Steps => {}
                Operand::Int8 => text.push_str(&format!(" #{}", byte as i8)),
                Operand::Count | Operand::Sense => text.push_str(&format!(" n{byte}")),
                _ => text.push_str(&format!(" r{byte}")),
            }
        }
        match info.imm {
            Immediate::Nil => {}
            Immediate::Jump => text.push_str(&format!(" ->{}", line_of(word.imm() as usize))),
            Immediate::Int32 => text.push_str(&format!(" {}", word.imm() as i32)),
            Immediate::Site => {
                text.push_str(&format!(
                    " `{}`",
                    code.sites[word.index() as usize].selector
                ));
            }
            Immediate::WidePair => {
                text.push_str(&format!(" r{} r{}", word.imm() & 0xFFFF, word.imm() >> 16));
            }
            _ => text.push_str(&format!(" {}", word.imm())),
        }
        if info.shape == Shape::Send {
            text.push_str(&format!(" @{} =r{}", instruction.base, instruction.to));
        }
        text.push('\n');
    }
    text
}

/// All code objects of a unit.
pub(crate) fn codes(unit: &Unit) -> Vec<&Code> {
    let mut codes = vec![&unit.script];
    for definition in &unit.definitions {
        match definition {
            Definition::Class(class) => codes.extend(class.methods.iter().map(|m| &m.code)),
            Definition::Extension { methods, .. } => codes.extend(methods.iter().map(|m| &m.code)),
            Definition::Evaluation { code, .. } => codes.push(code),
        }
    }
    codes
}

/// Checks all code of a unit; panics with a listing where a rule is broken.
pub(crate) fn check_unit(unit: &Unit) {
    for code in codes(unit) {
        check_code(code, unit);
    }
}

fn check_code(code: &Code, unit: &Unit) {
    let definitions = unit.definitions.len();
    let own = Function {
        words: &code.words,
        arguments: code.argument_count.into(),
        registers: code.register_count.into(),
        captures: 0,
        is_block: false,
    };
    // Nothing is known of a block that only unreachable code would make.
    let mut captures = vec![usize::MAX; code.blocks.len()];
    for words in std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words)) {
        for instruction in decode(words)
            .iter()
            .filter(|i| matches!(i.op, Op::MakeBlock | Op::AssignBlock))
        {
            captures[instruction.word.imm() as usize] = usize::from(instruction.word.c());
        }
    }
    own.check(code, definitions);
    for (block, captures) in code.blocks.iter().zip(captures) {
        let BlockCode {
            argument_count,
            register_count,
            words,
            ..
        } = block;
        let function = Function {
            words,
            arguments: (*argument_count).into(),
            registers: (*register_count).into(),
            captures,
            is_block: true,
        };
        function.check(code, definitions);
    }
    let returns = code.blocks.iter().any(|block| block.returns_home);
    let marked = code.words.first().and_then(|w| Word(*w).op()) == Some(Op::MarkFrame);
    assert!(marked || !returns, "a home has a mark");
    assert!(code.quick.is_none() || code.kind == CodeKind::Method);
    match code.quick {
        Some(Quick::ReturnLiteral(index)) => assert!((index as usize) < code.literals.len()),
        Some(Quick::ReturnIvar(index) | Quick::StoreIvar(index)) => {
            assert!((index as usize) < code.ivars.len());
        }
        _ => {}
    }
}

struct Function<'a> {
    words: &'a [u64],
    arguments: usize,
    registers: usize,
    captures: usize,
    is_block: bool,
}

impl Function<'_> {
    fn check(&self, code: &Code, definitions: usize) {
        let instructions = decode(self.words);
        let starts: BTreeSet<usize> = instructions.iter().map(|i| i.at).collect();
        let complaint = |instruction: &Instruction, why: &str| -> String {
            let listing = listing(self.words, code);
            let line = instructions
                .iter()
                .position(|i| i.at == instruction.at)
                .unwrap_or(0);
            format!("{}: line {line}: {why}\n{listing}", code.selector)
        };
        assert!(
            self.arguments < self.registers,
            "{}: the arguments have room",
            code.selector
        );
        for (index, instruction) in instructions.iter().enumerate() {
            let require = |holds: bool, why: &str| {
                assert!(holds, "{}", complaint(instruction, why));
            };
            let top = instruction
                .reads()
                .into_iter()
                .chain(instruction.write())
                .max();
            require(
                top.is_none_or(|top| top < self.registers),
                "a register is out of range",
            );
            self.check_immediate(instruction, code, definitions, &require);
            if let Some(target) = instruction.jump() {
                require(starts.contains(&target), "a jump leads into an instruction");
                let forward = target > instruction.at;
                let is_loop = matches!(instruction.op, Op::Loop | Op::LoopTrue | Op::LoopFalse);
                require(forward || is_loop, "a plain jump leads backwards");
            }
            if instruction.op.info().shape == Shape::Send {
                let last = instruction.base + instruction.op.argument_count(instruction.word.c());
                require(
                    instruction.base >= 3,
                    "a window leaves no room for the link",
                );
                require(last < self.registers, "a window is out of range");
                if instruction.op.in_window(2).is_empty() {
                    let below = instruction.reads().iter().all(|r| r + 2 < instruction.base);
                    require(below, "an operand lies in the window");
                }
            }
            require(
                instruction.op != Op::MarkFrame || index == 0 && !self.is_block,
                "a mark is not the first instruction",
            );
            let next = instructions.get(index + 1);
            require(
                next.is_some() || instruction.ends(),
                "execution falls off the end",
            );
            if let Some(sense) = instruction.sense() {
                let wanted = if sense == 1 {
                    Op::JumpTrue
                } else {
                    Op::JumpFalse
                };
                let fits = next
                    .is_some_and(|n| n.op == wanted && usize::from(n.word.a()) == instruction.to);
                require(fits, "a fused comparison without its jump");
            }
            if matches!(instruction.op, Op::LoopStepUp | Op::LoopStepDown) {
                let test = next.copied().expect("a test");
                let word = instruction.word;
                require(
                    instruction.to == usize::from(word.a()),
                    "a step goes elsewhere",
                );
                require(
                    matches!(test.op, Op::LoopTestUp | Op::LoopTestDown)
                        && test.word.a() == word.a()
                        && test.word.b() == word.b(),
                    "a step without its test",
                );
            }
            if matches!(instruction.op, Op::LoopTestUp | Op::LoopTestDown) {
                let fits = next.is_some_and(|n| {
                    n.op == Op::LoopTrue && usize::from(n.word.a()) == instruction.to
                });
                require(fits, "a loop's test without its jump");
            }
        }
        self.check_assignment(&instructions, &complaint);
    }

    fn check_immediate(
        &self,
        instruction: &Instruction,
        code: &Code,
        definitions: usize,
        require: &dyn Fn(bool, &str),
    ) {
        let immediate = match instruction.op.info().shape {
            Shape::Plain => instruction.word.imm(),
            Shape::Send => instruction.word.index(),
        } as usize;
        let most = match instruction.op.info().imm {
            Immediate::Literal => code.literals.len(),
            Immediate::Global => code.globals.len(),
            Immediate::Ivar => code.ivars.len(),
            Immediate::Block => code.blocks.len(),
            Immediate::Site => code.sites.len(),
            Immediate::Definition => definitions,
            Immediate::Frame => 6,
            Immediate::Slot if instruction.op == Op::LoadCaptured => {
                require(
                    self.is_block && instruction.word.b() == 0,
                    "captured outside of a block",
                );
                self.captures
            }
            _ => return,
        };
        require(immediate < most, "an index is out of range");
    }

    /// On every path each register was written before it is read. A send leaves nothing of what
    /// lies above its link words, as the activation that it makes lives there.
    fn check_assignment(
        &self,
        instructions: &[Instruction],
        complaint: &dyn Fn(&Instruction, &str) -> String,
    ) {
        let index_of = |at: usize| instructions.iter().position(|i| i.at == at).unwrap_or(0);
        let mut entry: Vec<Option<BTreeSet<usize>>> = vec![None; instructions.len()];
        let mut pending = vec![0];
        entry[0] = Some((0..=self.arguments).collect());
        while let Some(index) = pending.pop() {
            let instruction = &instructions[index];
            let mut written = entry[index].clone().unwrap_or_default();
            for register in instruction.reads() {
                let why = "is read before it is written";
                assert!(
                    written.contains(&register),
                    "{}",
                    complaint(instruction, &format!("r{register} {why}"))
                );
            }
            if instruction.op.info().shape == Shape::Send {
                written.retain(|register| register + 2 < instruction.base);
            }
            written.extend(instruction.write());
            let mut follow = Vec::new();
            follow.extend(instruction.jump().map(index_of));
            if !instruction.ends() {
                follow.push(index + 1);
            }
            for next in follow {
                let merged = match &entry[next] {
                    None => written.clone(),
                    Some(before) => before.intersection(&written).copied().collect(),
                };
                if entry[next].as_ref() != Some(&merged) {
                    entry[next] = Some(merged);
                    pending.push(next);
                }
            }
        }
        for (instruction, entry) in instructions.iter().zip(&entry) {
            assert!(
                entry.is_some(),
                "{}",
                complaint(instruction, "nothing leads here")
            );
        }
    }
}
