//! Emits one function of a routine: its entry, scopes, statements, variables and blocks.
//!
//! A function's registers are a stack: the receiver or the block, arguments, then variables and temporary values. An
//! expression writes its destination last, after it has read all its operands. So the destination may be a variable
//! that the expression mentions, or the first free register, which its parts use before.
//!
//! As in the resolver, the function for one kind of node is never inlined into the walk. Inlining would make the stack
//! frame of each level larger.

use hashbrown::HashMap;
use tally_vm::bytecode::{CodeKind, FrameKind, Literal, Op};

use super::assembler::{Assembler, Decision, Label, Limit, Obstacle, Register};
use super::index;
use super::sends::ShortCuts;
use super::tables::Tables;
use crate::resolve::tree::{
    Captured, Counted, Expr, Function, FunctionId, Node, Routine, Scope, Statement, Target,
    VariableId,
};

/// The destination of an expression's value. A destination that the source names has a step: an assignment, a return.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    /// Nothing.
    Effect,
    /// It goes to a register.
    Into(Register),
    /// It is assigned to the variable in the register.
    Assign(Register),
    /// It is the answer of the function, whose source has no `^` there.
    Result,
    /// It is answered by a `^`: by `Return` or `NonLocalReturn`.
    Answer(Op),
    /// If it is this boolean, execution continues at the label, else behind.
    Branch(bool, Label, Decision),
    /// As `Branch`, for the jump that makes a loop go on.
    Again(bool, Label, Decision),
}

impl Mode {
    /// The register that the value goes to, and the steps of putting it there.
    pub(super) fn register(self) -> Option<(Register, u8)> {
        match self {
            Mode::Into(to) => Some((to, 0)),
            Mode::Assign(to) => Some((to, 1)),
            _ => None,
        }
    }
}

/// A function's code.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) argument_count: u16,
    pub(super) register_count: u16,
    pub(super) words: Vec<u64>,
}

/// Emits a function; a second time in wide form if it turns out to need that.
pub(super) fn emit(
    routine: &Routine,
    index: usize,
    tables: &mut Tables,
    short_cuts: &ShortCuts,
) -> Result<Body, Limit> {
    let sites = tables.sites.len();
    match attempt(routine, index, tables, short_cuts, None) {
        Err(Obstacle::NeedsWide) => {
            tables.sites.truncate(sites);
            let captures = routine
                .functions
                .iter()
                .map(|function| function.captures.len())
                .max();
            let captures = u32::try_from(captures.unwrap_or_default()).unwrap_or(u32::MAX);
            let again = attempt(routine, index, tables, short_cuts, Some(captures));
            again.map_err(|obstacle| match obstacle {
                Obstacle::Limit(limit) => limit,
                Obstacle::NeedsWide => Limit {
                    what: "registers",
                    most: 256,
                },
            })
        }
        Err(Obstacle::Limit(limit)) => Err(limit),
        Ok(body) => Ok(body),
    }
}

fn attempt(
    routine: &Routine,
    index: usize,
    tables: &mut Tables,
    short_cuts: &ShortCuts,
    wide: Option<u32>,
) -> Result<Body, Obstacle> {
    let function = &routine.functions[index];
    let mut emitter = FunctionEmitter {
        routine,
        id: FunctionId(index as u32),
        function,
        tables,
        short_cuts,
        asm: Assembler::new(wide),
        registers: HashMap::new(),
        receiver: None,
    };
    emitter.entry();
    emitter.function_body();
    let arguments = function.parameters.len();
    if arguments > 255 {
        emitter.asm.exceed("arguments", 255);
    }
    let (words, register_count) = emitter.asm.finish()?;
    Ok(Body {
        argument_count: arguments as u16,
        register_count,
        words,
    })
}

/// The state of the function that is being emitted.
pub(super) struct FunctionEmitter<'r> {
    pub(super) routine: &'r Routine,
    id: FunctionId,
    function: &'r Function,
    pub(super) tables: &'r mut Tables,
    pub(super) short_cuts: &'r ShortCuts,
    pub(super) asm: Assembler,
    /// The places of the function's own variables.
    registers: HashMap<VariableId, Register>,
    /// The receiver's register, if it is in one.
    receiver: Option<Register>,
}

impl FunctionEmitter<'_> {
    fn is_block(&self) -> bool {
        self.id.0 != 0
    }

    /// What every activation begins with.
    fn entry(&mut self) {
        if !self.is_block() {
            let home = self.function.returns_home.then_some(FrameKind::Home);
            if let Some(kind) = self.routine.frame.or(home) {
                // The machine reads receiver and arguments of a frame that a pragma marks.
                let read = match kind {
                    FrameKind::Home => 0,
                    _ => u8::try_from(self.function.parameters.len() + 1).unwrap_or(u8::MAX),
                };
                self.asm.plain(Op::MarkFrame, 0, 0, read, kind as u32);
                if let FrameKind::Scope | FrameKind::Condition = kind {
                    self.asm.plain(Op::EnterScope, 0, 0, 0, 0);
                }
            }
            self.receiver = Some(0);
        }
        let function = self.function;
        self.asm.reserve(1 + function.parameters.len() as u32);
        for (parameter, register) in function.parameters.iter().zip(1..) {
            let mut register = register;
            if self.asm.is_scratch(register) {
                let moved = self.asm.allocate();
                self.asm.copy(moved, register);
                register = moved;
            }
            self.registers.insert(*parameter, register);
        }
        if self.is_block() && function.receiver_uses > 1 {
            let register = self.asm.allocate();
            self.load_captured(Captured::Receiver, register, 0);
            self.receiver = Some(register);
        }
    }

    fn function_body(&mut self) {
        let body = &self.function.body;
        // A block and a script answer their last statement's value, a method its receiver.
        if self.is_block() || self.routine.kind == CodeKind::Script {
            return self.scope(body, Mode::Result);
        }
        self.scope(body, Mode::Effect);
        self.asm.leave(Op::Return, 0, 0);
    }

    /// The instruction by which `^` leaves.
    fn return_op(&self) -> Op {
        if self.is_block() {
            Op::NonLocalReturn
        } else {
            Op::Return
        }
    }

    // Scopes and statements.

    /// A scope; the mode decides where its last statement's value goes.
    pub(super) fn scope(&mut self, scope: &Scope, mode: Mode) {
        let outside = self.asm.next;
        self.begin(&scope.temporaries);
        match scope.statements.split_last() {
            None => self.nothing(mode),
            Some((last, before)) => {
                for statement in before {
                    self.statement(statement, Mode::Effect);
                }
                self.statement(last, mode);
            }
        }
        self.asm.next = outside;
    }

    /// Gives registers to variables that begin to exist here.
    fn begin(&mut self, variables: &[VariableId]) {
        for id in variables {
            let register = self.asm.allocate();
            self.registers.insert(*id, register);
            let variable = &self.routine.variables[index(*id)];
            if variable.starts_nil {
                self.asm.load(Op::LoadNil, register, 0, 0, 0);
            }
            if variable.in_cell {
                let value = self.asm.read(register, 1);
                self.asm.load(Op::MakeCell, register, value, 0, 0);
            }
        }
    }

    fn statement(&mut self, statement: &Statement, mode: Mode) {
        if self.asm.is_dead() || self.asm.has_failed() {
            return;
        }
        match statement {
            Statement::Expression(expr) => self.expr(expr, mode),
            Statement::Return(value) => {
                self.tables.answers_others |= !matches!(value.node, Node::Receiver);
                let answer = Mode::Answer(self.return_op());
                self.expr(value, answer);
            }
            Statement::Declare(variables) => {
                self.begin(variables);
                self.nothing(mode);
            }
            Statement::Define(definition) => {
                self.asm.plain(Op::Define, 0, 0, 0, *definition);
                self.nothing(mode);
            }
            Statement::Evaluate {
                definition,
                receiver,
                store,
            } => {
                self.evaluate(*definition, receiver.as_ref(), store.as_ref());
                self.nothing(mode);
            }
        }
    }

    // Values.

    /// Evaluates an expression; the mode decides where its value goes.
    pub(super) fn expr(&mut self, expr: &Expr, mode: Mode) {
        let outside = self.asm.next;
        match &expr.node {
            Node::Literal(Literal::True) => self.boolean(true, mode),
            Node::Literal(Literal::False) => self.boolean(false, mode),
            Node::Literal(literal) => self.value(mode, |this, to, steps| {
                this.load_literal(literal, to, steps)
            }),
            Node::Receiver => match self.receiver {
                Some(register) => self.deliver(register, mode),
                None => self.value(mode, |this, to, steps| {
                    this.load_captured(Captured::Receiver, to, steps);
                }),
            },
            // The machine finds the receiver: in register 0, or among the values that the block captures.
            Node::Context => self.value(mode, |this, to, steps| {
                this.asm.load(Op::MakeContext, to, 0, steps, 0);
            }),
            Node::Local(id) => match self.home_register(*id) {
                Some(register) => self.deliver(register, mode),
                None => self.value(mode, |this, to, steps| this.load_local(*id, to, steps)),
            },
            Node::InstanceVariable(name) => self.value(mode, |this, to, steps| {
                let receiver = this.receiver_register();
                let receiver = this.asm.read(receiver, 1);
                let index = this.tables.ivar(name);
                this.asm.load(Op::LoadIvar, to, receiver, steps, index);
            }),
            Node::Global(global) => self.value(mode, |this, to, steps| {
                let index = this.tables.global(global);
                this.asm.load(Op::LoadGlobal, to, 0, steps, index);
            }),
            Node::LateGlobal(global) => self.late_global(global, mode),
            Node::Assign(target, value) => self.assign(target, value, mode),
            Node::Send(send) => self.send(send, mode),
            Node::Cascade(cascade) => self.cascade(cascade, mode),
            Node::Block(id) => self.block(*id, mode),
            Node::Brace(elements) => self.brace(elements, mode),
            Node::If(node) => self.conditional(node, mode),
            Node::IfNil(node) => self.nil_test(node, mode),
            Node::Logic(node) => self.logic(node, mode),
            Node::While(node) => self.while_loop(node, mode),
            Node::Repeat(body) => self.repeat(body),
            Node::Count(node) => self.count(node, mode),
            Node::Counted(node) => self.counted(node, mode),
        }
        self.asm.next = outside;
    }

    /// A part of an inlined control message, and the instruction that counts the message.
    #[inline(never)]
    fn counted(&mut self, node: &Counted, mode: Mode) {
        if node.is_before {
            self.asm.plain(Op::CountInlined, 0, 0, 0, node.message);
            return self.expr(&node.part, mode);
        }
        let register = self.operand_before(&node.part, &[]);
        self.asm.plain(Op::CountInlined, 0, 0, 0, node.message);
        self.deliver(register, mode);
    }

    /// Emits a value that `load` can put into any register, with the steps that this has. Mode `Effect` drops the value, so
    /// `load` is not called.
    fn value(&mut self, mode: Mode, load: impl FnOnce(&mut Self, Register, u8)) {
        if matches!(mode, Mode::Effect) {
            return;
        }
        if let Some((to, steps)) = mode.register() {
            return load(self, to, steps);
        }
        let to = self.asm.free();
        load(self, to, 0);
        self.asm.next = to + 1;
        self.deliver(to, mode);
    }

    /// Moves a value from its register to the destination that the mode names.
    #[inline(never)]
    pub(super) fn deliver(&mut self, register: Register, mode: Mode) {
        match mode {
            Mode::Effect => {}
            Mode::Into(to) => self.asm.copy(to, register),
            Mode::Assign(to) => self.asm.assign(to, register),
            Mode::Result => self.asm.leave(Op::Return, register, 0),
            Mode::Answer(op) => self.asm.leave(op, register, 1),
            Mode::Branch(wanted, label, decision) => {
                let op = if wanted { Op::JumpTrue } else { Op::JumpFalse };
                let byte = self.asm.read(register, 0);
                self.asm.jump_if(op, byte, label, decision);
            }
            Mode::Again(wanted, label, decision) => {
                let op = if wanted { Op::LoopTrue } else { Op::LoopFalse };
                let byte = self.asm.read(register, 0);
                self.asm.jump_if(op, byte, label, decision);
            }
        }
    }

    /// As `deliver`, for a value that its instruction has put into the register that the mode names, if it names one.
    pub(super) fn deliver_written(&mut self, register: Register, mode: Mode) {
        if mode.register().is_none() {
            self.deliver(register, mode);
        }
    }

    /// The value nil.
    pub(super) fn nothing(&mut self, mode: Mode) {
        self.value(mode, |this, to, steps| {
            this.asm.load(Op::LoadNil, to, 0, steps, 0);
        });
    }

    /// A boolean that is known here: a jump on it is always or never taken. A jump that is never taken has a decision too.
    pub(super) fn boolean(&mut self, value: bool, mode: Mode) {
        match mode {
            Mode::Branch(wanted, label, decision) if wanted == value => {
                self.asm.jump(Op::Jump, label, decision.jumps);
            }
            Mode::Again(wanted, label, decision) if wanted == value => {
                self.asm.jump(Op::Loop, label, decision.jumps);
            }
            Mode::Branch(_, _, decision) | Mode::Again(_, _, decision) => {
                let behind = self.asm.label();
                self.asm.jump(Op::Jump, behind, decision.goes_on);
                self.asm.place(behind);
            }
            _ => {
                let op = if value { Op::LoadTrue } else { Op::LoadFalse };
                self.value(mode, |this, to, steps| this.asm.load(op, to, 0, steps, 0));
            }
        }
    }

    /// A register that holds the expression's value. It is the variable's own register if the expression is a variable
    /// that no expression in `later` assigns. Otherwise it is a new one. `later` is evaluated before the value is used.
    pub(super) fn operand(&mut self, expr: &Expr, later: &[&Expr]) -> Register {
        let moments: Vec<(u32, u32)> = later.iter().map(|expr| expr.moments).collect();
        self.operand_before(expr, &moments)
    }

    /// As `operand`. `later` holds the moments of the expressions that are evaluated before the value is used.
    pub(super) fn operand_before(&mut self, expr: &Expr, later: &[(u32, u32)]) -> Register {
        self.in_place(expr, later).unwrap_or_else(|| {
            let register = self.asm.free();
            self.expr(expr, Mode::Into(register));
            self.asm.next = register + 1;
            register
        })
    }

    /// The register that holds the expression's value already and still holds it after `later` has been evaluated.
    pub(super) fn in_place(&self, expr: &Expr, later: &[(u32, u32)]) -> Option<Register> {
        match &expr.node {
            Node::Receiver => self.receiver,
            Node::Local(id) => self.home_register(*id).filter(|_| {
                let variable = &self.routine.variables[index(*id)];
                !later
                    .iter()
                    .any(|moments| variable.is_assigned_in(*moments))
            }),
            _ => None,
        }
    }

    #[inline(never)]
    fn load_literal(&mut self, literal: &Literal, to: Register, steps: u8) {
        let small = match literal {
            Literal::Nil => return self.asm.load(Op::LoadNil, to, 0, steps, 0),
            Literal::True => return self.asm.load(Op::LoadTrue, to, 0, steps, 0),
            Literal::False => return self.asm.load(Op::LoadFalse, to, 0, steps, 0),
            Literal::Integer(value) => i32::try_from(*value).ok(),
            _ => None,
        };
        match small {
            Some(value) => self.asm.load(Op::LoadInt, to, 0, steps, value as u32),
            None => {
                let index = self.tables.literal(literal);
                self.asm.load(Op::LoadLiteral, to, 0, steps, index);
            }
        }
    }

    /// Puts a literal into a new register.
    pub(super) fn literal_register(&mut self, literal: &Literal) -> Register {
        let register = self.asm.allocate();
        self.load_literal(literal, register, 0);
        register
    }

    // Variables.

    /// The register of a variable of this function. `None` if the register holds a cell and not the value.
    fn home_register(&self, id: VariableId) -> Option<Register> {
        if self.routine.variables[index(id)].in_cell {
            return None;
        }
        self.registers.get(&id).copied()
    }

    /// Gives a register to a variable.
    pub(super) fn settle(&mut self, id: VariableId, register: Register) {
        self.registers.insert(id, register);
    }

    /// The register with the receiver, which is loaded if necessary.
    pub(super) fn receiver_register(&mut self) -> Register {
        self.receiver.unwrap_or_else(|| {
            let register = self.asm.allocate();
            self.load_captured(Captured::Receiver, register, 0);
            register
        })
    }

    /// The register with the variable's cell, which is loaded if necessary.
    fn cell_register(&mut self, id: VariableId) -> Register {
        match self.registers.get(&id) {
            Some(register) => *register,
            None => {
                let register = self.asm.allocate();
                self.load_captured(Captured::Variable(id), register, 0);
                register
            }
        }
    }

    /// Loads a variable that is captured or in a cell.
    #[inline(never)]
    fn load_local(&mut self, id: VariableId, to: Register, steps: u8) {
        if self.routine.variables[index(id)].in_cell {
            let cell = self.cell_register(id);
            let cell = self.asm.read(cell, 1);
            self.asm.load(Op::LoadCell, to, cell, steps, 0);
        } else {
            self.load_captured(Captured::Variable(id), to, steps);
        }
    }

    #[inline(never)]
    pub(super) fn load_captured(&mut self, what: Captured, to: Register, steps: u8) {
        let slot = self
            .function
            .captures
            .iter()
            .position(|captured| *captured == what);
        debug_assert!(slot.is_some(), "the resolver lists what a block captures");
        self.asm.load(
            Op::LoadCaptured,
            to,
            0,
            steps,
            slot.unwrap_or_default() as u32,
        );
    }

    #[inline(never)]
    fn assign(&mut self, target: &Target, value: &Expr, mode: Mode) {
        if let Target::Local(id) = target
            && let Some(register) = self.home_register(*id)
        {
            self.expr(value, Mode::Assign(register));
            return self.deliver(register, mode);
        }
        let register = self.operand(value, &[]);
        match target {
            Target::Local(id) => {
                let cell = self.cell_register(*id);
                let (a, b) = (self.asm.read(register, 0), self.asm.read(cell, 1));
                self.asm.plain(Op::StoreCell, a, b, 1, 0);
            }
            Target::InstanceVariable(name) => {
                let receiver = self.receiver_register();
                let (a, b) = (self.asm.read(register, 0), self.asm.read(receiver, 1));
                let index = self.tables.ivar(name);
                self.asm.plain(Op::StoreIvar, a, b, 1, index);
            }
            Target::Global(global) => {
                let index = self.tables.global(global);
                let a = self.asm.read(register, 0);
                self.asm.plain(Op::StoreGlobal, a, 0, 1, index);
            }
        }
        self.deliver(register, mode);
    }

    /// The register with a value that a block captures, if it is in one.
    pub(super) fn place_of(&self, captured: Captured) -> Option<Register> {
        match captured {
            Captured::Receiver => self.receiver,
            Captured::Variable(id) => self.registers.get(&id).copied(),
        }
    }
}
