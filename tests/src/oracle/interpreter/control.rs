//! The inlined control messages. None of them is a send; each evaluation of a loop's body is a repetition, which is
//! a tick and a poll point (counting model, 1).

use crate::oracle::code::{Inside, N, Node};
use crate::oracle::count::weight;
use crate::oracle::machine::Machine;
use crate::oracle::machine::frame::{After, Loop, Phase, Task};
use crate::oracle::names::{Name, name};
use crate::oracle::object::open_scope;
use crate::oracle::value::{LEAST_SMALL, MOST_SMALL, Value};

impl Machine {
    /// Evaluates the inside of an inlined block, its argument set if it takes one.
    fn enter_inside(&mut self, inside: &Inside, argument: Option<Value>) {
        if let Some(slots) = inside.slots {
            let first = argument.filter(|_| inside.takes_argument);
            let frame = self.top();
            let outer = frame.scope.clone();
            let scope = open_scope(Some(outer.clone()), first.as_slice(), slots);
            frame.tasks.push(Task::Restore(outer));
            frame.scope = scope;
        }
        self.task(Task::Evaluate(inside.body.clone()));
    }

    /// An assignment, a decision, a block or brace array made, a return (counting model, 2).
    pub(super) fn count_steps(&mut self, steps: u64) {
        if !self.is_silent() {
            self.counts().steps += steps;
            let node = self.running_node();
            self.tree.charge(node, 0, weight("steps") * steps);
        }
    }

    /// A repetition of a loop: its tick. The poll point follows.
    fn count_repetition(&mut self) {
        if !self.is_silent() {
            self.counts().loops += 1;
            let node = self.running_node();
            self.tree.charge(node, 0, weight("loop repetitions"));
        }
    }

    /// Delivers `mustBeBoolean`, whose answer stands in the place of the condition. On the second try Object's method
    /// answers, which signals.
    fn must_be_boolean(&mut self, value: Value, again: bool) {
        let class = if again {
            self.known.object
        } else {
            self.class_of(value)
        };
        self.dispatch(class, name("mustBeBoolean"), value, Vec::new(), After::Push);
    }

    /// The condition of a conditional, or the left side of `and:` or `or:`, is on top.
    pub(super) fn branch(&mut self, node: N, again: bool) {
        let value = self.pop();
        let Some(condition) = value.as_bool() else {
            self.task(Task::Branch(node, true));
            return self.must_be_boolean(value, again);
        };
        self.count_steps(1);
        match &*node {
            Node::If(_, when_true, when_false) => {
                match if condition { when_true } else { when_false } {
                    Some(inside) => self.enter_inside(inside, None),
                    None => self.push(Value::Nil),
                }
            }
            Node::Logic(_, decides, right) => {
                if condition == *decides {
                    self.push(Value::bool(condition));
                } else {
                    self.enter_inside(right, None);
                }
            }
            _ => {}
        }
    }

    pub(super) fn nil_test(&mut self, node: &N) {
        let Node::IfNil(_, when_nil, when_not) = &**node else {
            return;
        };
        let value = self.pop();
        self.count_steps(1);
        let side = if value == Value::Nil {
            when_nil
        } else {
            when_not
        };
        match side {
            Some(inside) => self.enter_inside(inside, Some(value)),
            None => self.push(value),
        }
    }

    /// Evaluates the condition of a loop.
    pub(super) fn while_begin(&mut self, node: N) {
        if let Node::While(condition, ..) = &*node.clone() {
            self.task(Task::WhileTest(node, false));
            self.enter_inside(condition, None);
        }
    }

    pub(super) fn while_test(&mut self, node: N, again: bool) {
        let Node::While(_, goes_on, body) = &*node.clone() else {
            return;
        };
        let value = self.pop();
        match value.as_bool() {
            None => {
                self.task(Task::WhileTest(node, true));
                self.must_be_boolean(value, again);
            }
            Some(condition) if condition == *goes_on => {
                self.count_steps(1);
                self.count_repetition();
                self.task(Task::WhileAgain(node));
                if let Some(body) = body {
                    self.task(Task::Drop);
                    self.enter_inside(body, None);
                }
                self.poll();
            }
            Some(_) => {
                self.count_steps(1);
                self.push(Value::Nil);
            }
        }
    }

    pub(super) fn repeat(&mut self, node: N) {
        if let Node::Repeat(body) = &*node.clone() {
            self.count_repetition();
            self.task(Task::RepeatAgain(node));
            self.task(Task::Drop);
            self.enter_inside(body, None);
            self.poll();
        }
    }

    /// Start, limit and step are on top.
    pub(super) fn count_begin(&mut self, node: N) {
        let Node::Count(count) = &*node else { return };
        let values = self.pop_many(3);
        let (start, limit, step) = (values[0], values[1], values[2]);
        let answer = if count.start.is_some() { start } else { limit };
        let downwards = count.downwards;
        self.loop_on(Loop {
            node,
            index: start,
            limit,
            step,
            downwards,
            answer,
            phase: Phase::Test,
        });
    }

    pub(super) fn loop_on(&mut self, mut state: Loop) {
        match state.phase {
            Phase::Test => {
                let selector = name(if state.downwards { ">=" } else { "<=" });
                let (index, limit) = (state.index, state.limit);
                state.phase = Phase::Decide { again: false };
                self.task(Task::Loop(Box::new(state)));
                self.compute(selector, index, limit, limit);
            }
            Phase::Decide { again } => {
                let value = self.pop();
                match value.as_bool() {
                    None => {
                        state.phase = Phase::Decide { again: true };
                        self.task(Task::Loop(Box::new(state)));
                        self.must_be_boolean(value, again);
                    }
                    Some(true) => {
                        self.count_steps(1);
                        self.evaluate_body(state);
                    }
                    Some(false) => {
                        self.count_steps(1);
                        self.push(state.answer);
                    }
                }
            }
            Phase::Step => {
                let (index, step, limit) = (state.index, state.step, state.limit);
                state.phase = Phase::Stepped;
                self.task(Task::Loop(Box::new(state)));
                self.compute(name("+"), index, step, limit);
            }
            Phase::Stepped => {
                state.index = self.pop();
                state.phase = Phase::Test;
                self.loop_on(state);
            }
        }
    }

    fn evaluate_body(&mut self, mut state: Loop) {
        let node = state.node.clone();
        let Node::Count(count) = &*node else { return };
        self.count_repetition();
        let index = state.index;
        state.phase = Phase::Step;
        self.task(Task::Loop(Box::new(state)));
        self.task(Task::Drop);
        self.enter_inside(&count.body, Some(index));
        self.poll();
    }

    /// What a loop computes with its index is part of the loop: no send. With SmallIntegers throughout it is no
    /// primitive either; with anything else it is the primitive or the method that the message would lead to.
    fn compute(&mut self, selector: Name, index: Value, other: Value, limit: Value) {
        if let (Some(x), Some(y), Some(_)) = (index.as_small(), other.as_small(), limit.as_small())
        {
            let class = self.known.small;
            let method = self.world.lookup(class, selector);
            let is_original = method.is_some_and(|method| method.primitive.is_some());
            let sum = x + y;
            let answer = match &*selector.text() {
                "<=" => Some(Value::bool(x <= y)),
                ">=" => Some(Value::bool(x >= y)),
                _ if (LEAST_SMALL..=MOST_SMALL).contains(&sum) => Some(Value::Small(sum)),
                _ => None,
            };
            if let Some(answer) = answer.filter(|_| is_original) {
                return self.push(answer);
            }
        }
        let class = self.class_of(index);
        self.dispatch(class, selector, index, vec![other], After::Push);
    }
}
