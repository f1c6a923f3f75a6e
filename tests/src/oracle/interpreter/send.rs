//! Sends: counting, lookup, activation, and messages that are not understood.

use std::rc::Rc;

use crate::oracle::code::{FrameKind, MessageNode, Method, Node, Quick};
use crate::oracle::count::weight;
use crate::oracle::machine::frame::After;
use crate::oracle::machine::{Ending, Machine};
use crate::oracle::names::{Name, name};
use crate::oracle::object::open_scope;
use crate::oracle::primitives::answer::{Answer, Request, Row};
use crate::oracle::primitives::charge::Bill;
use crate::oracle::primitives::find;
use crate::oracle::value::{ClassId, Value};

/// Activations that dealing with the depth limit may add.
const DEPTH_RESERVE: u64 = 2_000;

impl Machine {
    /// Sends a message whose receiver and arguments are on top.
    pub(super) fn send(&mut self, message: &Rc<MessageNode>) {
        let arguments = self.pop_many(message.arguments.len());
        let receiver = self.pop();
        let node = self.top().node;
        if !self.is_silent() {
            self.counts().sends += 1;
            self.tree.send(node, message);
        }
        self.site = message.offset + 1;
        if !message.to_super {
            let class = self.class_of(receiver);
            return self.dispatch(class, message.selector, receiver, arguments, After::Push);
        }
        let holder = self.top().method.holder;
        match self.world.class(holder).superclass {
            Some(above) => {
                self.dispatch(above, message.selector, receiver, arguments, After::Push);
            }
            None => self.not_understood(message.selector, receiver, arguments, After::Push),
        }
    }

    /// Finds the method, from that class upwards, and activates it. Nothing is counted for the message itself.
    pub(super) fn dispatch(
        &mut self,
        start: ClassId,
        selector: Name,
        receiver: Value,
        arguments: Vec<Value>,
        after: After,
    ) {
        match self.world.lookup(start, selector) {
            Some(method) => self.activate(&method, receiver, arguments, after),
            None => self.not_understood(selector, receiver, arguments, after),
        }
    }

    /// Delivers `doesNotUnderstand:` with a Message, which counts as an allocation as its Array does.
    fn not_understood(
        &mut self,
        selector: Name,
        receiver: Value,
        arguments: Vec<Value>,
        after: After,
    ) {
        let array = self.make_array(&arguments);
        let message = self.make_instance(self.known.message, 0);
        self.set_slot(message, 0, Value::Symbol(selector));
        self.set_slot(message, 1, array);
        let class = self.class_of(receiver);
        match self.world.lookup(class, name("doesNotUnderstand:")) {
            Some(method) => self.activate(&method, receiver, vec![message], after),
            None => self.unsupported("no method understands doesNotUnderstand:"),
        }
    }

    /// Runs a method: its primitive if that succeeds, else its body.
    pub(super) fn activate(
        &mut self,
        method: &Rc<Method>,
        receiver: Value,
        arguments: Vec<Value>,
        after: After,
    ) {
        if let Some(named) = &method.primitive {
            let Some(row) = find(named) else {
                return self.unsupported(&format!("primitive {named}"));
            };
            let mut all = Vec::with_capacity(arguments.len() + 1);
            all.push(receiver);
            all.extend_from_slice(&arguments);
            match self.call(row, &all) {
                Answer::Value(value) => return self.give(after, value),
                Answer::Request(request) => return self.carry_out_request(request, after),
                Answer::Declined => {}
            }
        }
        let routine = self.world.routine(method);
        if let Some(quick) = &routine.quick {
            // The step of a body's one statement; an empty body has none.
            let is_empty = matches!(&*routine.body, Node::Statements(all) if all.is_empty());
            self.count_steps(u64::from(!is_empty));
            return self.run_quick(quick, receiver, &arguments, after);
        }
        if self.is_too_deep() {
            return self.too_deep(receiver, after);
        }
        let scope = open_scope(None, &arguments, routine.slots);
        self.enter_method(method, &routine.body, receiver, arguments, scope, after);
        let (number, process) = (self.top().number, self.current);
        self.poll();
        if method.frame == FrameKind::Silent {
            self.begin_silence(process, number);
        }
    }

    /// Tries a primitive, counts its success and charges its work.
    fn call(&mut self, &(name, charge, function): &Row, operands: &[Value]) -> Answer {
        if self.is_silent() {
            return function(self, operands);
        }
        let is_simple = charge.simple.holds(self, operands);
        self.charge((charge.operands)(self, operands));
        let answer = function(self, operands);
        let value = match &answer {
            Answer::Value(value) => *value,
            Answer::Request(_) => Value::Nil,
            Answer::Declined => return answer,
        };
        self.charge((charge.success)(self, operands, value));
        *self.counts().primitives.entry(name).or_default() += 1;
        if !is_simple {
            self.counts().called += 1;
            let node = self.running_node();
            self.tree
                .charge(node, self.site, weight("called primitives"));
        }
        answer
    }

    /// Charges work to the running process, and to the activation and the send that do it.
    pub(super) fn charge(&mut self, bill: Bill) {
        if self.is_silent() {
            return;
        }
        let node = self.running_node();
        for (counter, units) in bill {
            self.counts().charge(counter, units);
            self.tree.charge(node, self.site, weight(counter) * units);
        }
    }

    /// The node of the topmost activation, or of the one that went last.
    pub(super) fn running_node(&self) -> u32 {
        self.frames.last().map_or(self.left, |frame| frame.node)
    }

    /// A quick method is no activation and no poll point.
    fn run_quick(&mut self, quick: &Quick, receiver: Value, arguments: &[Value], after: After) {
        let value = match quick {
            Quick::Receiver => receiver,
            Quick::Value(node) => {
                self.evaluate(node);
                self.pop()
            }
            Quick::Load(slot) => self.slot(receiver, *slot),
            Quick::Store(slot) => {
                self.set_slot(receiver, *slot, arguments[0]);
                receiver
            }
        };
        self.give(after, value);
    }

    fn is_too_deep(&mut self) -> bool {
        let reserve = if self.depth_exceeded {
            DEPTH_RESERVE
        } else {
            0
        };
        self.frames.len() as u64 + 1 > self.max_depth + reserve
    }

    /// The depth limit: `recursionTooDeep` is delivered in the place of the activation.
    fn too_deep(&mut self, receiver: Value, after: After) {
        if self.depth_exceeded {
            self.ending = Some(Ending::Limit);
            return;
        }
        self.depth_exceeded = true;
        let class = self.class_of(receiver);
        self.dispatch(class, name("recursionTooDeep"), receiver, Vec::new(), after);
    }

    /// Evaluates a block on behalf of a primitive.
    pub(super) fn evaluate_block(&mut self, block: Value, arguments: &[Value], after: After) {
        if matches!(after, After::Push) && self.is_too_deep() {
            return self.too_deep(block, after);
        }
        if let Value::Object(id) = block {
            self.enter_block(id, arguments, after);
            self.poll();
        }
    }

    fn carry_out_request(&mut self, request: Request, after: After) {
        match request {
            Request::Block(block, arguments) => self.evaluate_block(block, &arguments, after),
            Request::Perform(start, selector, receiver, arguments) => {
                self.dispatch(start, selector, receiver, arguments, after);
            }
            Request::Invoke(method, receiver, arguments) => {
                self.activate(&method, receiver, arguments, after);
            }
            Request::Measure(block, everything) => {
                // What the block's own entry costs is machinery.
                if let Value::Object(id) = block {
                    self.enter_block(id, &[], After::Discard);
                    let before = Box::new(self.counts().clone());
                    self.top().after = After::Measure(before, everything);
                    self.poll();
                }
            }
            Request::Unwind(unwinding) => self.unwind(unwinding),
            Request::Switch(answer) => {
                self.give(after, answer);
                self.give_way();
            }
            Request::Stop(ending) => self.ending = Some(ending),
        }
    }
}
