//! The interpreter: activations with their remaining tasks, so that a program's depth does not use the host's stack; one
//! process after the other.

use std::collections::HashMap;
use std::rc::Rc;

use tally_compiler::ast::Literal;

use super::control::Loop;
use super::count::{Counts, ROOT, Tree};
use super::names::Name;
use super::node::{MessageNode, N, Node};
use super::process::Process;
use super::unwind::Unwinding;
use super::value::{Closure, Data, ObjectId, Scope, Value, open_scope};
use super::world::{ClassId, Method, World};

/// Steps after which a run is given up: the program is too long for this interpreter.
pub(crate) const MOST_STEPS: u64 = 40_000_000;

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script came to its end.
    Finished,
    /// There was an unhandled error, whether or not the script came to its end.
    Failed,
    /// The limit of ticks, or of depth.
    Limit,
    /// No process can run.
    Deadlock,
    /// The program ended the run itself.
    Exited,
    /// This interpreter does not know something that the program needs.
    Unsupported(String),
}

/// The use of an activation's answer.
#[derive(Clone, Debug)]
pub(crate) enum After {
    /// The activation below gets it.
    Push,
    /// It is dropped.
    Discard,
    /// The activation below gets the sends since then, or the whole vector.
    Measure(Box<Counts>, bool),
    /// The process ends.
    Bottom,
}

/// A remaining task of an activation; the next task is the last in the list.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Evaluate(N),
    /// The rest of some statements.
    Statements(N, usize),
    /// The rest of a brace array, whose last element is on top; the array.
    Brace(N, usize, Value),
    Drop,
    Push(Value),
    Store(N),
    /// The message to be sent once its arguments are there.
    Send(Rc<MessageNode>),
    /// The message of a cascade that comes next; the receiver is on top.
    Cascade(N, usize),
    Return,
    Restore(Scope),
    Branch(N, bool),
    NilTest(N),
    WhileTest(N, bool),
    WhileAgain(N),
    RepeatAgain(N),
    CountBegin(N),
    Loop(Box<Loop>),
    StoreClassVariable(ClassId, Name),
    ResumeUnwinding,
}

/// An activation of a method or a block.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// No other activation has it.
    pub(crate) number: u64,
    pub(crate) method: Rc<Method>,
    /// The block, if it is one's.
    pub(crate) block: Option<ObjectId>,
    pub(crate) receiver: Value,
    pub(crate) arguments: Vec<Value>,
    pub(crate) scope: Scope,
    /// The activation that `^` returns from.
    pub(crate) home: u64,
    pub(crate) tasks: Vec<Task>,
    pub(crate) values: Vec<Value>,
    /// Its node of the calling-context tree.
    pub(crate) node: u32,
    pub(crate) after: After,
    pub(crate) unwinding: Option<Unwinding>,
}

/// Classes that the interpreter itself makes instances of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) undefined: ClassId,
    pub(crate) yes: ClassId,
    pub(crate) no: ClassId,
    pub(crate) small: ClassId,
    pub(crate) large_positive: ClassId,
    pub(crate) large_negative: ClassId,
    pub(crate) float: ClassId,
    pub(crate) character: ClassId,
    pub(crate) symbol: ClassId,
    pub(crate) string: ClassId,
    pub(crate) wide_string: ClassId,
    pub(crate) array: ClassId,
    pub(crate) bytes: ClassId,
    pub(crate) block: ClassId,
    pub(crate) message: ClassId,
    pub(crate) process: ClassId,
    pub(crate) semaphore: ClassId,
    pub(crate) fraction: ClassId,
    pub(crate) scaled: ClassId,
    pub(crate) method: ClassId,
    pub(crate) object: ClassId,
}

impl Known {
    pub(crate) fn of(world: &World) -> Result<Known, String> {
        let class = |text: &str| world.find_class(text).ok_or(format!("no class {text}"));
        Ok(Known {
            undefined: class("UndefinedObject")?,
            yes: class("True")?,
            no: class("False")?,
            small: class("SmallInteger")?,
            large_positive: class("LargePositiveInteger")?,
            large_negative: class("LargeNegativeInteger")?,
            float: class("Float")?,
            character: class("Character")?,
            symbol: class("Symbol")?,
            string: class("String")?,
            wide_string: class("WideString")?,
            array: class("Array")?,
            bytes: class("ByteArray")?,
            block: class("BlockClosure")?,
            message: class("Message")?,
            process: class("Process")?,
            semaphore: class("Semaphore")?,
            fraction: class("Fraction")?,
            scaled: class("ScaledDecimal")?,
            method: class("CompiledMethod")?,
            object: class("Object")?,
        })
    }
}

/// The interpreter's whole state.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) world: World,
    pub(crate) known: Known,
    pub(crate) literals: HashMap<u64, Value>,
    pub(crate) hash_state: u32,
    pub(crate) out: String,
    pub(crate) tree: Tree,
    /// The send that is being carried out, by 1 + its place in the file; 0 if none is.
    pub(crate) site: u32,
    /// The running process's frames.
    pub(crate) frames: Vec<Frame>,
    /// All processes; the running one's frames are not there.
    pub(crate) processes: Vec<Process>,
    pub(crate) current: usize,
    /// Who can run, in the order of their coming.
    pub(crate) ready: Vec<usize>,
    pub(crate) next_frame: u64,
    pub(crate) max_ticks: Option<u64>,
    pub(crate) max_depth: u64,
    pub(crate) slice: Option<u64>,
    /// Ticks of the running process at which its slice ends.
    pub(crate) slice_end: Option<u64>,
    /// Where the script's counter starts.
    pub(crate) preset: u64,
    pub(crate) counter_offset: u64,
    pub(crate) arguments: Vec<String>,
    pub(crate) failed: bool,
    pub(crate) depth_exceeded: bool,
    /// Whether an unhandled error was that of the depth limit.
    pub(crate) hit_depth: bool,
    /// What the script's process answered.
    pub(crate) result: Value,
    pub(crate) ending: Option<Ending>,
}

impl Machine {
    pub(crate) fn new(world: World) -> Result<Machine, String> {
        let known = Known::of(&world)?;
        Ok(Machine {
            world,
            known,
            literals: HashMap::new(),
            hash_state: 1,
            out: String::new(),
            tree: Tree::default(),
            site: 0,
            frames: Vec::new(),
            processes: Vec::new(),
            current: 0,
            ready: Vec::new(),
            next_frame: 1,
            max_ticks: None,
            max_depth: 250_000,
            slice: None,
            slice_end: None,
            preset: 0,
            counter_offset: 0,
            arguments: Vec::new(),
            failed: false,
            depth_exceeded: false,
            hit_depth: false,
            result: Value::Nil,
            ending: None,
        })
    }

    /// Runs a piece of a script in a process of its own until it ends.
    pub(crate) fn run(&mut self, piece: &Rc<Method>, receiver: Value) -> Ending {
        self.processes = vec![Process::new(40)];
        self.current = 0;
        self.ready.clear();
        self.frames.clear();
        self.ending = None;
        self.slice_end = self.slice;
        let routine = self.world.routine(piece);
        let scope = open_scope(None, &[], routine.slots);
        self.enter_method(
            piece,
            &routine.body,
            receiver,
            Vec::new(),
            scope,
            After::Bottom,
        );
        let mut steps = 0;
        while self.ending.is_none() {
            self.step();
            steps += 1;
            if steps > MOST_STEPS {
                self.unsupported("too long");
            }
        }
        self.ending.take().unwrap_or(Ending::Finished)
    }

    pub(crate) fn unsupported(&mut self, what: &str) {
        if !matches!(self.ending, Some(Ending::Unsupported(_))) {
            self.ending = Some(Ending::Unsupported(what.to_string()));
        }
    }

    /// Does the next thing of the topmost activation.
    fn step(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return self.unsupported("no activation");
        };
        self.site = 0;
        match frame.tasks.pop() {
            Some(task) => self.carry_out(task),
            None => {
                let value = frame.values.pop().unwrap_or(Value::Nil);
                self.leave(value);
            }
        }
    }

    pub(crate) fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.top().values.push(value);
    }

    pub(crate) fn pop(&mut self) -> Value {
        self.top().values.pop().unwrap_or(Value::Nil)
    }

    pub(crate) fn task(&mut self, task: Task) {
        self.top().tasks.push(task);
    }

    /// Takes the topmost values, the first of them first.
    pub(crate) fn pop_many(&mut self, count: usize) -> Vec<Value> {
        let values = &mut self.top().values;
        values.split_off(values.len() - count)
    }

    fn carry_out(&mut self, task: Task) {
        match task {
            Task::Evaluate(node) => self.evaluate(&node),
            Task::Statements(node, index) => self.next_statement(node, index),
            Task::Brace(node, index, array) => {
                let element = self.pop();
                self.set_slot(array, index, element);
                self.next_element(node, index + 1, array);
            }
            Task::Drop => {
                self.pop();
            }
            Task::Push(value) => self.push(value),
            Task::Store(node) => self.store(&node),
            Task::Send(message) => self.send(&message),
            Task::Cascade(node, index) => self.next_of_cascade(node, index),
            Task::Return => {
                let value = self.pop();
                self.return_home(value);
            }
            Task::Restore(scope) => self.top().scope = scope,
            Task::Branch(node, again) => self.branch(node, again),
            Task::NilTest(node) => self.nil_test(&node),
            Task::WhileTest(node, again) => self.while_test(node, again),
            Task::WhileAgain(node) => self.while_begin(node),
            Task::RepeatAgain(node) => self.repeat(node),
            Task::CountBegin(node) => self.count_begin(node),
            Task::Loop(state) => self.loop_on(*state),
            Task::StoreClassVariable(class, variable) => {
                let value = self.pop();
                self.world.class_variables.insert((class, variable), value);
            }
            Task::ResumeUnwinding => self.resume_unwinding(),
        }
    }

    pub(crate) fn evaluate(&mut self, node: &N) {
        match &**node {
            Node::Constant(value) => self.push(*value),
            Node::Literal(number, literal) => {
                let value = self.literal_object(*number, literal);
                self.push(value);
            }
            Node::Receiver => {
                let receiver = self.top().receiver;
                self.push(receiver);
            }
            Node::Context => self.unsupported("thisContext"),
            Node::Local(place) => {
                let scope = self.scope_at(place.up);
                let value = scope.variables.borrow()[place.slot];
                self.push(value);
            }
            Node::Field(slot) => {
                let receiver = self.top().receiver;
                let value = self.slot(receiver, *slot);
                self.push(value);
            }
            Node::Global(name) => {
                let value = self.world.globals.get(name).copied().unwrap_or(Value::Nil);
                self.push(value);
            }
            Node::ClassVariable(class, name) => {
                let found = self.world.class_variables.get(&(*class, *name)).copied();
                self.push(found.unwrap_or(Value::Nil));
            }
            Node::SetLocal(_, value)
            | Node::SetField(_, value)
            | Node::SetGlobal(_, value)
            | Node::SetClassVariable(_, _, value) => {
                self.task(Task::Store(node.clone()));
                self.evaluate(value);
            }
            Node::Send(receiver, message) => {
                self.task(Task::Send(message.clone()));
                for argument in message.arguments.iter().rev() {
                    self.task(Task::Evaluate(argument.clone()));
                }
                self.evaluate(receiver);
            }
            Node::Cascade(receiver, _) => {
                self.task(Task::Cascade(node.clone(), 0));
                self.evaluate(receiver);
            }
            Node::Block(code) => {
                let frame = self.top();
                let closure = Closure {
                    code: code.clone(),
                    scope: frame.scope.clone(),
                    receiver: frame.receiver,
                    home: frame.home,
                    method: frame.method.clone(),
                };
                let class = self.known.block;
                self.count_allocation(32);
                let block = self.new_object(class, 0, Data::Block(Rc::new(closure)));
                self.push(block);
            }
            // The array is made before its elements are evaluated.
            Node::Brace(elements) => {
                let array = self.make_array(&vec![Value::Nil; elements.len()]);
                self.next_element(node.clone(), 0, array);
            }
            Node::Statements(_) => self.next_statement(node.clone(), 0),
            Node::Return(value) => {
                self.task(Task::Return);
                self.evaluate(value);
            }
            Node::If(condition, ..) | Node::Logic(condition, ..) => {
                self.task(Task::Branch(node.clone(), false));
                self.evaluate(condition);
            }
            Node::IfNil(receiver, ..) => {
                self.task(Task::NilTest(node.clone()));
                self.evaluate(receiver);
            }
            Node::While(..) => self.while_begin(node.clone()),
            Node::Repeat(_) => self.repeat(node.clone()),
            Node::Count(count) => {
                self.task(Task::CountBegin(node.clone()));
                self.task(Task::Evaluate(count.step.clone()));
                self.task(Task::Evaluate(count.limit.clone()));
                match &count.start {
                    Some(start) => self.evaluate(start),
                    None => self.push(Value::Small(1)),
                }
            }
            Node::Define(item) => self.define(item),
            Node::Evaluate(piece, into) => {
                if let Some((class, variable)) = into {
                    self.task(Task::Push(Value::Nil));
                    self.task(Task::StoreClassVariable(*class, *variable));
                }
                let receiver = match into {
                    Some((class, _)) => Value::Object(self.world.class(*class).object),
                    None => Value::Nil,
                };
                self.activate(&piece.clone(), receiver, Vec::new(), After::Push);
            }
        }
    }

    fn scope_at(&mut self, up: usize) -> Scope {
        let mut scope = self.top().scope.clone();
        for _ in 0..up {
            if let Some(outer) = scope.outer.clone() {
                scope = outer;
            }
        }
        scope
    }

    fn next_statement(&mut self, node: N, index: usize) {
        let Node::Statements(statements) = &*node else {
            return;
        };
        let Some(statement) = statements.get(index) else {
            return self.push(Value::Nil);
        };
        let statement = statement.clone();
        if index + 1 < statements.len() {
            self.task(Task::Statements(node, index + 1));
            self.task(Task::Drop);
        }
        self.evaluate(&statement);
    }

    fn next_element(&mut self, node: N, index: usize, array: Value) {
        let Node::Brace(elements) = &*node else {
            return;
        };
        match elements.get(index) {
            Some(element) => {
                let element = element.clone();
                self.task(Task::Brace(node, index, array));
                self.evaluate(&element);
            }
            None => self.push(array),
        }
    }

    /// Assigns the value on top, and leaves it there.
    fn store(&mut self, node: &N) {
        let value = self.pop();
        self.push(value);
        match &**node {
            Node::SetLocal(place, _) => {
                let scope = self.scope_at(place.up);
                scope.variables.borrow_mut()[place.slot] = value;
            }
            Node::SetField(slot, _) => {
                let receiver = self.top().receiver;
                self.set_slot(receiver, *slot, value);
            }
            Node::SetGlobal(name, _) => {
                self.world.globals.insert(*name, value);
            }
            Node::SetClassVariable(class, name, _) => {
                self.world.class_variables.insert((*class, *name), value);
            }
            _ => {}
        }
    }

    fn next_of_cascade(&mut self, node: N, index: usize) {
        let Node::Cascade(_, messages) = &*node else {
            return;
        };
        let Some(message) = messages.get(index).cloned() else {
            return;
        };
        let receiver = self.pop();
        if index + 1 < messages.len() {
            // The receiver stays for the messages to come, below the answer that is dropped.
            self.push(receiver);
            self.task(Task::Cascade(node.clone(), index + 1));
            self.task(Task::Drop);
        }
        self.push(receiver);
        self.task(Task::Send(message.clone()));
        for argument in message.arguments.iter().rev() {
            self.task(Task::Evaluate(argument.clone()));
        }
    }

    fn define(&mut self, item: &tally_compiler::ast::Item) {
        let method = self.top().method.clone();
        match self.world.define(item, &method.file) {
            Ok(values) => {
                self.push(Value::Nil);
                for (class, variable, value) in values.into_iter().rev() {
                    let span = value.span;
                    let meta = self.world.class(class).other_side;
                    let body = tally_compiler::ast::Body {
                        temporaries: Vec::new(),
                        statements: vec![tally_compiler::ast::Statement::Return { value, span }],
                    };
                    let routine = self.world.resolve_body(Some(meta), &body, &[]);
                    let piece = World::new_piece(meta, span, &method.file, routine);
                    let node = Rc::new(Node::Evaluate(piece, Some((class, variable))));
                    self.task(Task::Drop);
                    self.task(Task::Evaluate(node));
                }
            }
            Err(why) => self.unsupported(&why),
        }
    }

    /// The object of a literal, made at its first use; not counted.
    fn literal_object(&mut self, number: u64, literal: &Literal) -> Value {
        if let Some(value) = self.literals.get(&number) {
            return *value;
        }
        let value = self.make_literal(literal);
        self.literals.insert(number, value);
        value
    }

    /// Adds an activation of a method whose scope is open. It is counted.
    pub(crate) fn enter_method(
        &mut self,
        method: &Rc<Method>,
        body: &N,
        receiver: Value,
        arguments: Vec<Value>,
        scope: Scope,
        after: After,
    ) {
        let number = self.next_frame;
        self.next_frame += 1;
        let node = self.count_entry(method, 0);
        let tasks = method_tasks(body, receiver);
        self.frames.push(Frame {
            number,
            method: method.clone(),
            block: None,
            receiver,
            arguments,
            scope,
            home: number,
            tasks,
            values: Vec::new(),
            node,
            after,
            unwinding: None,
        });
    }

    /// Adds an activation of a block. It is counted.
    pub(crate) fn enter_block(&mut self, block: ObjectId, arguments: &[Value], after: After) {
        let Data::Block(closure) = &self.world.objects[block.0 as usize].data else {
            return;
        };
        let closure = closure.clone();
        let number = self.next_frame;
        self.next_frame += 1;
        let node = self.count_entry(&closure.method, closure.code.offset + 1);
        let code = &closure.code;
        let scope = open_scope(Some(closure.scope.clone()), arguments, code.slots);
        self.frames.push(Frame {
            number,
            method: closure.method.clone(),
            block: Some(block),
            receiver: closure.receiver,
            arguments: arguments.to_vec(),
            scope,
            home: closure.home,
            tasks: vec![Task::Evaluate(code.body.clone())],
            values: Vec::new(),
            node,
            after,
            unwinding: None,
        });
    }

    /// Counts an activation and answers its node.
    fn count_entry(&mut self, method: &Rc<Method>, block: u32) -> u32 {
        let parent = self.frames.last().map_or(ROOT, |frame| frame.node);
        if self.is_silent() {
            return parent;
        }
        let site = self.site;
        let counts = self.counts();
        if block > 0 {
            counts.blocks += 1;
        } else {
            counts.activations += 1;
        }
        self.tree.enter(parent, method, block, site)
    }

    /// The topmost activation goes, with this answer.
    pub(crate) fn leave(&mut self, value: Value) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.end_silence(frame.number);
        self.give(frame.after, value);
    }

    /// Gives an answer where it belongs.
    pub(crate) fn give(&mut self, after: After, value: Value) {
        match after {
            After::Push => self.push(value),
            After::Discard => {}
            After::Measure(before, everything) => {
                let answer = self.measured(&before, everything);
                self.push(answer);
            }
            After::Bottom => self.end_process(value),
        }
    }
}

/// What an activation of a method begins with: its body, then its receiver as the answer.
pub(crate) fn method_tasks(body: &N, receiver: Value) -> Vec<Task> {
    vec![
        Task::Push(receiver),
        Task::Drop,
        Task::Evaluate(body.clone()),
    ]
}
