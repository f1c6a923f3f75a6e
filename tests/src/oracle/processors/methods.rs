//! What a processor does within a request: methods with their scopes and conditions, statements, and failures.

use super::language::{Condition, End, Name, Send, Statement};
use super::record::What;
use super::state::{
    Claim, Doing, Feature, Frame, Future, Planned, Scope, Simulator, Stop, Task, Way,
};
use super::ticks;

impl Simulator<'_> {
    /// Activates a method of the program, for a request or by a send of the processor's own.
    pub(super) fn activate(
        &mut self,
        me: usize,
        selector: usize,
        parameters: [usize; 2],
        by: Option<usize>,
    ) {
        let program = self.program;
        let method = &program.classes[self.processors[me].class][selector];
        let frame = self.frames.len();
        self.frames.push(Frame {
            me,
            parameters,
            temporary: me,
            future: Future::Missing,
        });
        if method.is_scope {
            return self.enter(me, frame, selector, by);
        }
        if by.is_some() {
            self.note(me, by, What::Executes);
        }
        self.push(me, [Task::Statements(frame, selector, 0)]);
    }

    /// R7: all separate arguments are locked at once, but for those that the chain holds.
    pub(super) fn enter(&mut self, me: usize, frame: usize, selector: usize, by: Option<usize>) {
        let request = by.unwrap_or_else(|| {
            let parameters = self.frames[frame].parameters;
            let request = self.request(me, me, Feature::Made(selector, parameters));
            self.note(me, Some(request), What::Synchronizes);
            self.push(me, [Task::ReturnLocally(request)]);
            request
        });
        let chain = self.requests[request].chain;
        let arity = self.program.selectors[selector].arity;
        let mut wanted = self.frames[frame].parameters[..arity].to_vec();
        wanted.retain(|processor| *processor != me && !self.holds(chain, *processor));
        wanted.sort_unstable();
        wanted.dedup();
        let scope = self.scopes.len();
        let is_free = wanted.is_empty();
        self.scopes.push(Scope {
            request,
            owner: me,
            frame,
            selector,
            wanted,
            seen: None,
            has_required: false,
            has_begun: false,
        });
        self.push(me, [Task::Close(scope)]);
        if is_free {
            self.push(me, [Task::Locked(scope)]);
            return;
        }
        self.note(me, Some(request), What::Locks);
        self.claim(me, Claim::Scope(scope));
        self.pause(me, Doing::WaitsForLocks);
    }

    pub(super) fn condition(&self, scope: usize) -> Option<Condition> {
        let Scope {
            owner, selector, ..
        } = self.scopes[scope];
        self.program.classes[self.processors[owner].class][selector].condition
    }

    /// The locks that were waited for are there.
    pub(super) fn granted(&mut self, me: usize, scope: usize) {
        let locks = self.scopes[scope].wanted.len() as u64;
        let charge = self.circumstances.costs.lock * locks;
        self.push(me, [Task::Charge(charge), Task::Locked(scope)]);
    }

    /// The locks are there: the condition is evaluated, if there is one. The send of `require:` counts once.
    pub(super) fn locked(&mut self, me: usize, scope: usize) {
        let Some(condition) = self.condition(scope) else {
            return self.enter_body(me, scope);
        };
        let is_first = !self.scopes[scope].has_required;
        self.scopes[scope].has_required = true;
        let query = Task::Sent {
            frame: self.scopes[scope].frame,
            send: condition.query,
            way: Way::Keep,
        };
        let (first, send, comparison) = (u64::from(is_first), Task::Ticks(1), Task::Ticks(1));
        self.push(
            me,
            [
                Task::Ticks(first),
                Task::Charge(self.circumstances.costs.evaluate),
                send,
                query,
                comparison,
                Task::Judge(scope),
            ],
        );
    }

    pub(super) fn judge(&mut self, me: usize, scope: usize) {
        let limit = self.condition(scope).map_or(0, |condition| condition.limit);
        let is_true = self.processors[me].answer > limit;
        let request = self.scopes[scope].request;
        self.note(me, Some(request), What::Evaluated(is_true));
        if is_true {
            return self.enter_body(me, scope);
        }
        if self.scopes[scope].wanted.is_empty() {
            self.stop = Some(Stop::Beyond("a condition without locks is false"));
            return;
        }
        self.give_back(scope);
        self.pause(me, Doing::WaitsForLocks);
    }

    pub(super) fn enter_body(&mut self, me: usize, scope: usize) {
        self.begin(scope);
        let Scope {
            frame, selector, ..
        } = self.scopes[scope];
        self.push(me, [Task::Statements(frame, selector, 0)]);
    }

    pub(super) fn statements(&mut self, me: usize, frame: usize, selector: usize, index: usize) {
        let method = &self.program.classes[self.processors[me].class][selector];
        match method.body.get(index) {
            None => self.push(me, [Task::End(frame, selector)]),
            Some(statement) => self.push(
                me,
                [
                    Task::Perform(frame, *statement),
                    Task::Statements(frame, selector, index + 1),
                ],
            ),
        }
    }

    pub(super) fn perform(&mut self, me: usize, frame: usize, statement: Statement) {
        let sent = |send, way| Task::Sent { frame, send, way };
        match statement {
            Statement::Repeat(count) => self.push(me, [Task::Loop(count)]),
            Statement::Add(number) => {
                // The field is stored after the tick; other processors cannot see the difference.
                self.processors[me].counter += number;
                self.push(me, [Task::Ticks(1)]);
            }
            Statement::Discard(send) => self.push(me, [Task::Ticks(1), sent(send, Way::Discard)]),
            Statement::Keep(send) => self.push(me, [Task::Ticks(1), sent(send, Way::Keep)]),
            Statement::Guard(send) => {
                let before = Task::Ticks(ticks::GUARD + 1);
                self.push(me, [before, sent(send, Way::Keep), Task::Guard]);
            }
            Statement::Await(send, false) => {
                self.push(me, [Task::Ticks(2), sent(send, Way::Await)]);
            }
            Statement::Await(send, true) => {
                let before = Task::Ticks(ticks::GUARD + 2);
                self.push(me, [before, sent(send, Way::Await), Task::Guard]);
            }
            Statement::Future(send) => {
                self.push(me, [Task::Ticks(2), sent(send, Way::Future(frame))]);
            }
            Statement::Value(false) => self.push(me, [Task::Ticks(1), Task::Join(frame)]),
            Statement::Value(true) => {
                let before = Task::Ticks(ticks::GUARD + 1);
                self.push(me, [before, Task::Join(frame), Task::Guard]);
            }
            Statement::Make {
                class,
                fields,
                counter,
            } => {
                let create = Task::Create {
                    frame: Some(frame),
                    class,
                };
                let fill = Task::FillTemporary {
                    frame,
                    fields,
                    counter,
                };
                let charge = Task::Charge(self.circumstances.costs.create);
                self.push(me, [Task::Ticks(1), charge, create, Task::Ticks(1), fill]);
            }
            Statement::Sleep(0) => {
                // A delay that is over at once lets no other process of the processor run, and is no interaction.
                self.push(me, [Task::Ticks(ticks::DELAY)]);
            }
            Statement::Sleep(milliseconds) => {
                let time = milliseconds * ticks::MILLISECOND;
                self.push(me, [Task::Ticks(ticks::DELAY), Task::Sleep(time)]);
            }
            Statement::Show(digit) => self.push(me, [Task::Ticks(1), Task::Show(digit)]),
        }
    }

    /// A send after its tick.
    pub(super) fn sent(&mut self, me: usize, frame: usize, send: Send, way: Way) {
        let receiver = self.value(frame, send.receiver);
        let parameters = send.arguments.map(|argument| self.value(frame, argument));
        if receiver == me {
            return self.sent_to_me(me, send.name, parameters, way);
        }
        let feature = match send.name {
            Name::Counter => Feature::Counter,
            Name::Nothing => Feature::Nothing,
            Name::Made(selector) => Feature::Made(selector, parameters),
        };
        self.ask(me, receiver, feature, way);
    }

    /// R5: `await` changes nothing for own objects, and `future` answers a future that has its value.
    fn sent_to_me(&mut self, me: usize, name: Name, parameters: [usize; 2], way: Way) {
        if let Way::Future(frame) = way {
            let after = Task::Ticks(ticks::OWN_FUTURE_ENDS);
            self.push(me, [after, Task::Resolve(frame)]);
        }
        match name {
            Name::Counter => self.processors[me].answer = self.processors[me].counter,
            Name::Nothing => {}
            Name::Made(selector) => self.push(me, [Task::Activate(selector, parameters)]),
        }
        if let Way::Future(_) = way {
            self.push(me, [Task::Ticks(ticks::OWN_FUTURE_BEGINS)]);
        }
    }

    pub(super) fn end_of(&mut self, me: usize, frame: usize, selector: usize) {
        match self.program.classes[self.processors[me].class][selector].end {
            End::Command => {}
            End::Counter => self.processors[me].answer = self.processors[me].counter,
            End::Divide => {
                let cost = match self.is_guarded(me) {
                    true => ticks::FAILURE_HANDLED,
                    false => ticks::FAILURE_UNHANDLED,
                };
                self.handle_failure(me, 1 + cost);
            }
            End::Fail(send) => {
                let sent = Task::Sent {
                    frame,
                    send,
                    way: Way::Keep,
                };
                self.push(me, [Task::Ticks(1), sent]);
            }
        }
    }

    pub(super) fn sleep(&mut self, me: usize, time: u64) {
        self.note(me, self.current(me), What::Sleeps);
        self.plan(time, me, Planned::Wake(me));
        self.pause(me, Doing::Sleeps);
    }
}

impl Simulator<'_> {
    /// Whether there is a handler in the request that a processor executes.
    pub(super) fn is_guarded(&self, me: usize) -> bool {
        let tasks = self.processors[me].tasks.iter().rev();
        let mut ends = tasks.filter_map(|task| match task {
            Task::Guard => Some(true),
            Task::Finish { .. } => Some(false),
            _ => None,
        });
        ends.next().unwrap_or(false)
    }

    /// Ticks of the library that follow a failure. Some of them are repetitions of loops, and which is not known here: under slices
    /// that would matter.
    pub(super) fn handle_failure(&mut self, me: usize, ticks: u64) {
        if self.circumstances.slice.is_some() && self.circumstances.cpus.is_some() {
            self.stop = Some(Stop::Beyond("a failure under slices"));
        }
        self.push(me, [Task::Ticks(ticks), Task::Raise]);
    }

    /// R12: everything is left up to the handler, or up to the end of the request.
    pub(super) fn raise(&mut self, me: usize) {
        while let Some(task) = self.processors[me].tasks.pop() {
            match task {
                Task::Guard => return,
                Task::Finish { request, .. } => {
                    return self.push(
                        me,
                        [Task::Finish {
                            request,
                            has_failed: true,
                        }],
                    );
                }
                Task::Close(_) | Task::ReturnLocally(_) => self.carry_out(me, task),
                _ => {}
            }
        }
    }
}
