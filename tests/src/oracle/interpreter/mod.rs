//! The interpreter: activations with their remaining tasks, so that a program's depth does not use the host's stack; one
//! process after the other. A send can lead to a switch and a switch to a send: the files here call each other.

mod activate;
mod control;
mod evaluate;
mod schedule;
mod send;
mod unwind;

use std::rc::Rc;

use super::code::Method;
use super::machine::frame::{After, Task};
use super::machine::process::Process;
use super::machine::{Ending, Machine};
use super::object::open_scope;
use super::value::Value;

/// Steps after which a run is given up: the program is too long for this interpreter.
pub(crate) const MOST_STEPS: u64 = 40_000_000;

impl Machine {
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
                self.count_steps(1);
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
}
