//! Bytecode as text: one instruction a line, its operands spelled as the instruction table describes
//! them, its immediate resolved to the name or literal that it stands for. No opcode is named here.

use std::fmt::Write as _;

use tally_vm::bytecode::{
    Code, FrameKind, GlobalRef, Immediate, Instruction, Literal, Operand, Shape, Standing,
};

/// Characters of a literal that are shown.
const LITERAL_WIDTH: usize = 60;

/// A code object and its blocks. `source` is the text that its spans refer to; when it is empty, lines
/// are left out.
pub(crate) fn listing(name: &str, code: &Code, source: &str) -> String {
    let mut text = format!("{name}  ({} registers", code.register_count);
    if code.argument_count > 0 {
        let _ = write!(text, ", {} arguments", code.argument_count);
    }
    if let Some(primitive) = &code.primitive {
        let _ = write!(text, ", primitive {primitive}");
    }
    if code.quick.is_some() {
        text.push_str(", quick");
    }
    if !source.is_empty() {
        let _ = write!(text, ", line {}", line(source, code.span.start));
    }
    text.push_str(")\n");
    instructions(&mut text, code, &code.words);
    for (number, block) in code.blocks.iter().enumerate() {
        let home = if block.returns_home {
            ", returns home"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  block {number}  ({} registers, {} arguments{home})",
            block.register_count, block.argument_count
        );
        instructions(&mut text, code, &block.words);
    }
    text.push('\n');
    text
}

fn line(source: &str, offset: u32) -> usize {
    let before = source.bytes().take(offset as usize);
    before.filter(|byte| *byte == b'\n').count() + 1
}

fn instructions(text: &mut String, code: &Code, words: &[u64]) {
    let mut pc = 0;
    while let Some(&first) = words.get(pc) {
        let Some(instruction) = Instruction::at(words, pc) else {
            let _ = writeln!(text, "  {pc:>5}  .word {first:#018x}");
            pc += 1;
            continue;
        };
        let line = format!(
            "  {pc:>5}  {:<18} {}",
            instruction.op.info().name,
            operands(instruction)
        );
        let comment = immediate(instruction, code);
        if comment.is_empty() {
            let _ = writeln!(text, "{}", line.trim_end());
        } else {
            let _ = writeln!(text, "{line:<52}  {comment}");
        }
        pc = instruction.end();
    }
}

/// The registers and numbers of an instruction; what it writes stands first.
fn operands(instruction: Instruction) -> String {
    let (info, word) = (instruction.op.info(), instruction.word);
    let mut parts = Vec::new();
    if info.shape == Shape::Send {
        parts.push(format!("r{} <-", instruction.cache.destination()));
        if info.standing != Standing::Nil {
            parts.push(format!("window r{}", instruction.cache.base()));
        }
    }
    let bytes = [(info.a, word.a()), (info.b, word.b()), (info.c, word.c())];
    for (operand, byte) in bytes {
        match operand {
            Operand::Nil => {}
            Operand::Write => parts.push(format!("r{byte} <-")),
            Operand::Read => parts.push(format!("r{byte}")),
            Operand::First => parts.push(format!("from r{byte}")),
            Operand::Count => parts.push(format!("count {byte}")),
            Operand::Int8 => parts.push(format!("{}", byte as i8)),
            Operand::Steps if byte > 0 => parts.push(format!("+{byte}")),
            Operand::Steps => {}
            Operand::Sense => parts.push((if byte == 0 { "false" } else { "true" }).to_string()),
        }
    }
    if info.shape == Shape::Send && instruction.steps() > 0 {
        parts.push("+1".to_string());
    }
    let index = instruction.immediate();
    match info.imm {
        Immediate::Int32 => parts.push(format!("{}", index as i32)),
        Immediate::WidePair => {
            parts.push(format!("r{} <- r{}", index & 0xFFFF, index >> 16));
        }
        Immediate::Slot => parts.push(format!("slot {index}")),
        Immediate::Jump => parts.push(format!("to {index}")),
        Immediate::Block => parts.push(format!("block {index}")),
        Immediate::Definition => parts.push(format!("definition {index}")),
        Immediate::Nil
        | Immediate::Literal
        | Immediate::Global
        | Immediate::Ivar
        | Immediate::Site
        | Immediate::Frame => {}
    }
    parts.join(" ")
}

/// What an index stands for.
fn immediate(instruction: Instruction, code: &Code) -> String {
    let index = instruction.immediate() as usize;
    let found = match instruction.op.info().imm {
        Immediate::Literal => code.literals.get(index).map(literal),
        Immediate::Global => code.globals.get(index).map(global),
        Immediate::Ivar => code.ivars.get(index).cloned(),
        Immediate::Site => code
            .sites
            .get(index)
            .map(|site| format!("#{}", site.selector)),
        Immediate::Frame => {
            FrameKind::from_number(instruction.immediate()).map(|kind| format!("{kind:?}"))
        }
        Immediate::Nil
        | Immediate::Int32
        | Immediate::WidePair
        | Immediate::Slot
        | Immediate::Jump
        | Immediate::Block
        | Immediate::Definition => return String::new(),
    };
    found.unwrap_or_else(|| format!("? {index}"))
}

fn global(reference: &GlobalRef) -> String {
    match reference {
        GlobalRef::Global(name) => name.clone(),
        GlobalRef::ClassVariable { class, name } => format!("{class}.{name}"),
    }
}

/// A literal as source text, cut when it is long.
fn literal(literal: &Literal) -> String {
    let mut text = String::new();
    write_literal(&mut text, literal);
    if text.chars().count() > LITERAL_WIDTH {
        text = text.chars().take(LITERAL_WIDTH).chain(['…']).collect();
    }
    text.replace('\n', "\\n")
}

fn write_literal(text: &mut String, literal: &Literal) {
    // Enough is written already; a literal array may hold millions of elements.
    if text.len() > 4 * LITERAL_WIDTH {
        return;
    }
    let _ = match literal {
        Literal::Nil => write!(text, "nil"),
        Literal::True => write!(text, "true"),
        Literal::False => write!(text, "false"),
        Literal::Integer(n) => write!(text, "{n}"),
        Literal::LargeInteger(digits) => write!(text, "{digits}"),
        Literal::Float(float) => write!(text, "{float:?}"),
        Literal::Fraction(numerator, denominator) => write!(text, "({numerator}/{denominator})"),
        Literal::ScaledDecimal(numerator, denominator, scale) => {
            write!(text, "({numerator}/{denominator})s{scale}")
        }
        Literal::Character(code) => match char::from_u32(*code) {
            Some(c) if !c.is_control() => write!(text, "${c}"),
            _ => write!(text, "$<{code}>"),
        },
        Literal::String(string) => write!(text, "'{}'", string.replace('\'', "''")),
        Literal::Symbol(symbol) => write!(text, "#{symbol}"),
        Literal::Array(elements) => {
            text.push_str("#(");
            write_elements(text, elements);
            write!(text, ")")
        }
        Literal::ByteArray(bytes) => {
            let shown: Vec<String> = bytes
                .iter()
                .take(LITERAL_WIDTH)
                .map(ToString::to_string)
                .collect();
            write!(text, "#[{}]", shown.join(" "))
        }
        Literal::Binding(name) => write!(text, "#{{{name}}}"),
    };
}

fn write_elements(text: &mut String, elements: &[Literal]) {
    for (index, element) in elements.iter().take(LITERAL_WIDTH).enumerate() {
        if index > 0 {
            text.push(' ');
        }
        write_literal(text, element);
    }
}
