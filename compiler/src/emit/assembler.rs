//! Words, labels and registers of one function. Registers are allocated like a stack; the highest one decides the size
//! of the frame. The assembler does not know what the instructions are for.
//!
//! Operands are bytes. So a function with many variables is emitted a second time in *wide* form. Then some low
//! registers stay free as scratch, and no variable lives there. `MoveWide` moves operands beyond the reach of a byte to
//! and from the scratch registers.

use tally_vm::bytecode::{
    Instruction, Jumps, LINK_WORDS, Op, Word, cache_word, instructions, with_jump,
};

pub(super) type Register = u32;

/// A target of jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

/// The steps of a jump on a condition, by where execution goes on. One jump decides several messages if the condition is
/// made of `and:` and `or:`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) jumps: u8,
    pub(super) goes_on: u8,
}

impl Decision {
    /// The decision of one message.
    pub(super) const ONE: Decision = Decision {
        jumps: 1,
        goes_on: 1,
    };
}

/// A limit of the format that a function exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) what: &'static str,
    pub(super) most: u32,
}

/// Why emission has to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The function needs the wide form.
    NeedsWide,
    /// The function exceeds a limit.
    Limit(Limit),
}

/// Registers that a frame may have.
const MOST_REGISTERS: u32 = 60_000;
/// The first register that a byte does not reach.
const BEYOND: Register = 256;
/// Scratch registers of the wide form, for the operands of one instruction.
const SCRATCH: u32 = 6;
/// Values that one block may capture.
const MOST_CAPTURES: u32 = 200;

#[derive(Debug)]
struct LabelState {
    place: Option<u32>,
    used: bool,
    /// Whether an earlier instruction assumed that a jump would use it.
    ahead: bool,
}

/// The state of the function.
#[derive(Debug)]
pub(super) struct Assembler {
    words: Vec<u64>,
    labels: Vec<LabelState>,
    /// Jumps with their target labels.
    jumps: Vec<(usize, Label)>,
    /// Nothing reaches the next word.
    dead: bool,
    /// The first free register; everything below may be live.
    pub(super) next: Register,
    high: Register,
    /// The first scratch register of the wide form.
    scratch: Option<Register>,
    obstacle: Option<Obstacle>,
}

impl Assembler {
    /// An empty function; `wide` has the number of values that a single block of it captures at most.
    pub(super) fn new(wide: Option<u32>) -> Assembler {
        let mut assembler = Assembler {
            words: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            dead: false,
            next: 0,
            high: 1,
            scratch: wide.map(|captures| BEYOND - SCRATCH - captures.min(MOST_CAPTURES)),
            obstacle: None,
        };
        if wide.is_some() {
            assembler.note(BEYOND - 1);
        }
        assembler
    }

    /// The words and the number of registers.
    pub(super) fn finish(mut self) -> Result<(Vec<u64>, u16), Obstacle> {
        if let Some(obstacle) = self.obstacle {
            return Err(obstacle);
        }
        for (word, label) in &self.jumps {
            let place = self.labels[label.0].place.unwrap_or_default();
            self.words[*word] = with_jump(self.words[*word], place);
        }
        if self.labels.iter().any(|label| label.ahead && !label.used) {
            self.words = without_unreachable(&self.words);
        }
        let limit = Limit {
            what: "registers",
            most: MOST_REGISTERS,
        };
        let registers = u16::try_from(self.high).map_err(|_| Obstacle::Limit(limit))?;
        Ok((self.words, registers))
    }

    /// Whether the next word can not be reached, so that there is no need for it.
    pub(super) fn is_dead(&self) -> bool {
        self.dead
    }

    pub(super) fn has_failed(&self) -> bool {
        self.obstacle.is_some()
    }

    pub(super) fn exceed(&mut self, what: &'static str, most: u32) {
        self.hinder(Obstacle::Limit(Limit { what, most }));
    }

    /// A limit is worse than the need for the wide form; else the first obstacle stays.
    fn hinder(&mut self, obstacle: Obstacle) {
        if self.obstacle.is_none() || self.obstacle == Some(Obstacle::NeedsWide) {
            self.obstacle = Some(obstacle);
        }
    }

    /// A number as a byte, or the limit that it exceeds.
    pub(super) fn byte(&mut self, number: usize, what: &'static str) -> u8 {
        u8::try_from(number).unwrap_or_else(|_| {
            self.exceed(what, u32::from(u8::MAX));
            0
        })
    }

    // Registers.

    fn note(&mut self, register: Register) {
        self.high = self.high.max(register + 1);
        if self.high > MOST_REGISTERS {
            self.exceed("registers", MOST_REGISTERS);
        }
    }

    /// Sets the first registers of an activation apart: receiver and arguments.
    pub(super) fn reserve(&mut self, count: u32) {
        self.next = count;
        self.note(count.saturating_sub(1));
    }

    /// The register that `allocate` would return.
    pub(super) fn free(&mut self) -> Register {
        if self.is_scratch(self.next) {
            self.next = BEYOND;
        }
        self.note(self.next);
        self.next
    }

    pub(super) fn allocate(&mut self) -> Register {
        let register = self.free();
        self.next = register + 1;
        register
    }

    pub(super) fn is_scratch(&self, register: Register) -> bool {
        self.scratch
            .is_some_and(|scratch| (scratch..BEYOND).contains(&register))
    }

    /// The base of a window above everything live, with room for the link below and the arguments above.
    pub(super) fn window(&mut self, arguments: usize) -> Register {
        let links = LINK_WORDS as u32;
        let arguments = u32::try_from(arguments).unwrap_or(MOST_REGISTERS);
        let mut base = self.next + links;
        if let Some(scratch) = self.scratch
            && self.next < BEYOND
            && base.saturating_add(arguments) >= scratch
        {
            base = BEYOND + links;
        }
        self.note(base.saturating_add(arguments).min(MOST_REGISTERS));
        base
    }

    /// Registers in a row for `count` captured values; in the wide form they are scratch.
    pub(super) fn group(&mut self, count: usize) -> Register {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count > MOST_CAPTURES {
            self.exceed("variables captured", MOST_CAPTURES);
            return 0;
        }
        let first = self.scratch.unwrap_or(self.next);
        self.note(first + count);
        first
    }

    // Operands.

    fn low(&mut self, register: Register) -> Option<u8> {
        let byte = u8::try_from(register).ok();
        if byte.is_none() && self.scratch.is_none() {
            self.hinder(Obstacle::NeedsWide);
            return Some(0);
        }
        byte
    }

    fn scratch(&self, which: u32) -> Register {
        BEYOND - SCRATCH + which
    }

    /// The register's byte, its value moved to the scratch register `which` if a byte does not reach it.
    pub(super) fn read(&mut self, register: Register, which: u32) -> u8 {
        self.low(register).unwrap_or_else(|| {
            let scratch = self.scratch(which);
            self.move_wide(scratch, register, 0);
            scratch as u8
        })
    }

    /// The byte to write the register by; `written` has to follow.
    pub(super) fn write(&mut self, register: Register) -> u8 {
        self.low(register).unwrap_or(self.scratch(0) as u8)
    }

    /// Moves a written value to its register, if it was written to scratch.
    pub(super) fn written(&mut self, register: Register) {
        if register >= BEYOND && self.scratch.is_some() {
            self.move_wide(register, self.scratch(0), 0);
        }
    }

    /// The register itself if a byte reaches it, else the scratch register `which`.
    pub(super) fn within_reach(&mut self, register: Register, which: u32) -> Register {
        self.low(register).map_or(self.scratch(which), |_| register)
    }

    // Words.

    fn push(&mut self, word: u64) {
        if !self.dead {
            self.words.push(word);
        }
    }

    /// An instruction of one word.
    pub(super) fn plain(&mut self, op: Op, a: u8, b: u8, c: u8, immediate: u32) {
        self.push(Word::new(op, a, b, c, immediate).0);
    }

    /// An instruction of one word that writes a register.
    pub(super) fn load(&mut self, op: Op, to: Register, b: u8, c: u8, immediate: u32) {
        let a = self.write(to);
        self.plain(op, a, b, c, immediate);
        self.written(to);
    }

    /// A send-shaped instruction that puts its answer into a register, `steps` being the step of assigning it.
    pub(super) fn send(&mut self, word: Word, base: Register, (to, steps): (Register, u8)) {
        let wide = |register: Register| u16::try_from(register).unwrap_or_default();
        let word = if steps == 0 { word } else { word.assigning() };
        self.push(word.0);
        self.push(cache_word(wide(base), wide(to)));
        self.push(0);
    }

    /// Copies a register.
    pub(super) fn copy(&mut self, to: Register, from: Register) {
        if to != from {
            self.move_register(to, from, 0);
        }
    }

    /// Copies a register for an assignment of the source, which is a step even if it assigns a variable to itself.
    pub(super) fn assign(&mut self, to: Register, from: Register) {
        self.move_register(to, from, 1);
    }

    fn move_register(&mut self, to: Register, from: Register, steps: u8) {
        match (u8::try_from(to), u8::try_from(from)) {
            (Ok(to), Ok(from)) => self.plain(Op::Move, to, from, steps, 0),
            _ => self.move_wide(to, from, steps),
        }
    }

    fn move_wide(&mut self, to: Register, from: Register, steps: u8) {
        if self.scratch.is_none() {
            self.hinder(Obstacle::NeedsWide);
        }
        self.plain(Op::MoveWide, 0, 0, steps, (to & 0xFFFF) | from << 16);
    }

    /// Leaves the function: only a jump reaches the next word.
    pub(super) fn leave(&mut self, op: Op, register: Register, steps: u8) {
        let a = self.read(register, 0);
        self.plain(op, a, 0, steps, 0);
        self.dead = true;
    }

    // Jumps.

    /// A label that is placed later.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(LabelState {
            place: None,
            used: false,
            ahead: false,
        });
        Label(self.labels.len() - 1)
    }

    /// Places a label here; a jump to it makes this place reachable.
    pub(super) fn place(&mut self, label: Label) {
        self.dead &= !self.labels[label.0].used;
        self.labels[label.0].place = Some(self.words.len() as u32);
    }

    /// Places a label that only later jumps reach.
    pub(super) fn place_ahead(&mut self, label: Label) {
        self.dead = false;
        self.labels[label.0].ahead = true;
        self.place(label);
    }

    /// A jump that is always taken, and the steps of taking it.
    pub(super) fn jump(&mut self, op: Op, label: Label, steps: u8) {
        let decision = Decision {
            jumps: steps,
            goes_on: 0,
        };
        self.jump_if(op, 0, label, decision);
        self.dead = true;
    }

    /// A jump that tests a register.
    pub(super) fn jump_if(&mut self, op: Op, byte: u8, label: Label, decision: Decision) {
        if self.dead {
            return;
        }
        self.labels[label.0].used = true;
        self.jumps.push((self.words.len(), label));
        self.plain(op, byte, decision.jumps, decision.goes_on, 0);
    }

    /// A register that serves one jump directly behind the instruction that writes it.
    pub(super) fn passing(&mut self) -> Register {
        let free = self.free();
        self.within_reach(free, 3)
    }
}

/// The words without unreachable ones, such as the body of a loop whose condition always returns.
fn without_unreachable(words: &[u64]) -> Vec<u64> {
    let reached = reachable(words);
    let mut moved = vec![0_u32; words.len()];
    let mut kept = 0;
    for (place, is_reached) in moved.iter_mut().zip(&reached) {
        *place = kept;
        kept += u32::from(*is_reached);
    }
    let mut result = Vec::with_capacity(kept as usize);
    for instruction in instructions(words).filter(|found| reached[found.pc]) {
        let start = result.len();
        result.extend_from_slice(&words[instruction.pc..instruction.end()]);
        if let Some(target) = instruction.target(Jumps::Absolute) {
            result[start] = with_jump(instruction.word.0, moved[target]);
        }
    }
    result
}

/// Which words belong to instructions that some path from the first one reaches.
fn reachable(words: &[u64]) -> Vec<bool> {
    let mut reached = vec![false; words.len()];
    let mut pending = vec![0];
    while let Some(at) = pending.pop() {
        let Some(instruction) = Instruction::at(words, at).filter(|_| !reached[at]) else {
            continue;
        };
        reached[at..instruction.end()].fill(true);
        pending.extend(instruction.successors(Jumps::Absolute));
    }
    reached
}
