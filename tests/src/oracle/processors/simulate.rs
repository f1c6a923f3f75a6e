//! The simulator: what the rules of processors in virtual time say about a program of the small language.
//! It is written from the rules alone.

use std::collections::BTreeMap;

use super::agenda::Agenda;
use super::language::{Condition, End, Name, Operand, Program, Send, Statement};
use super::mending::{CALLBACKS_KEEP_THE_CPU, FAILURES_LEAVE_LOCAL_SCOPES};
use super::record::{Circumstances, Ending, Record, What};
pub use super::state::Stop;
use super::state::{Claim, Doing, Feature, Frame, Planned, Processor, Scope, Simulator, Task};
use super::ticks;

/// Requests beyond which a program is not worth its time.
const MOST_REQUESTS: usize = 600;

/// Runs a program.
///
/// # Errors
/// Why there is no record.
pub fn simulate(program: &Program, circumstances: Circumstances) -> Result<Record, Stop> {
    let mut simulator = Simulator {
        program,
        circumstances,
        agenda: Agenda::default(),
        processors: vec![Processor::new(Vec::new(), program.nodes[0].class)],
        requests: Vec::new(),
        chains: 1,
        frames: Vec::new(),
        scopes: Vec::new(),
        claims: BTreeMap::new(),
        replies: BTreeMap::new(),
        happenings: Vec::new(),
        end: 0,
        ticks: 0,
        stop: None,
    };
    simulator.start();
    while let Some(planned) = simulator.agenda.next() {
        simulator.happen(planned);
        if simulator.requests.len() > MOST_REQUESTS {
            return Err(Stop::Beyond("too many requests"));
        }
        if let Some(stop) = simulator.stop {
            return Err(stop);
        }
    }
    let is_quiet = simulator.processors.iter().all(|processor| {
        processor.doing == Doing::Idle && processor.queue.is_empty() && processor.serving.is_empty()
    });
    // The last arrival counts, even if it only stands in a queue for ever.
    simulator.end = simulator.end.max(simulator.now());
    let ending = match is_quiet && simulator.claims.is_empty() {
        true => Ending::Finished,
        false => Ending::Deadlock,
    };
    Ok(Record::new(
        simulator.happenings,
        simulator.end,
        ending,
        simulator.ticks,
    ))
}

impl Simulator<'_> {
    fn happen(&mut self, planned: Planned) {
        match planned {
            Planned::Proceed(processor) => self.proceed(processor),
            Planned::Arrive(request) => self.arrive(request),
            Planned::Reply {
                request,
                has_failed,
            } => self.arrive_reply(request, has_failed),
            Planned::Unlock(processor) => self.arrive_unlock(processor),
            Planned::Wake(processor) => {
                self.note(processor, self.current(processor), What::Wakes);
                self.make_ready(processor);
            }
            Planned::Grant => self.grant(),
            Planned::Dispatch => self.dispatch(),
        }
    }

    /// The script: it makes the processors, then its own object, then fills all fields, then starts its own object.
    fn start(&mut self) {
        let request = self.request(0, 0, Feature::Script);
        let nodes = &self.program.nodes;
        let mut tasks = vec![Task::Finish {
            request,
            has_failed: false,
        }];
        tasks.extend([Task::Activate(0, [0; 2]), Task::Ticks(1)]);
        for (number, node) in nodes.iter().enumerate().rev() {
            let fill = Feature::Fill(node.fields, node.counter);
            tasks.push(match number {
                0 => Task::Fill(0, node.fields, node.counter),
                supplier => Task::Ask {
                    supplier,
                    feature: fill,
                    is_discarded: true,
                },
            });
            tasks.push(Task::Ticks(1));
        }
        tasks.push(Task::Ticks(1 + ticks::NEW));
        for node in nodes.iter().skip(1).rev() {
            tasks.push(Task::Create {
                frame: None,
                class: node.class,
            });
            tasks.push(Task::Ticks(1));
        }
        self.processors[0].tasks = tasks;
        self.processors[0].serving.push(request);
        self.make_ready(0);
    }

    /// Lets a processor do what it has to do, until it needs time.
    fn proceed(&mut self, processor: usize) {
        while self.processors[processor].doing == Doing::Runs {
            let Some(task) = self.processors[processor].tasks.pop() else {
                return self.look_for_work(processor);
            };
            if let Task::Ticks(0) = task {
                continue;
            }
            if let Task::Ticks(count) = task {
                return self.run_ticks(processor, count);
            }
            self.carry_out(processor, task);
        }
    }

    fn push(&mut self, processor: usize, tasks: impl IntoIterator<Item = Task>) {
        let mut tasks: Vec<Task> = tasks.into_iter().collect();
        tasks.reverse();
        self.processors[processor].tasks.extend(tasks);
    }

    fn carry_out(&mut self, me: usize, task: Task) {
        match task {
            Task::Ticks(_) | Task::Guard => {}
            Task::Take(request) => self.take(me, request),
            Task::Statements(frame, selector, index) => {
                self.statements(me, frame, selector, index);
            }
            Task::Perform(frame, statement) => self.perform(me, frame, statement),
            Task::Sent {
                frame,
                send,
                is_discarded,
            } => self.sent(me, frame, send, is_discarded),
            Task::Await(request) => self.go_on_waiting(me, request),
            Task::Create { frame, class } => self.create(me, frame, class),
            Task::Ask {
                supplier,
                feature,
                is_discarded,
            } => self.ask(me, supplier, feature, is_discarded),
            Task::FillTemporary {
                frame,
                fields,
                counter,
            } => self.fill_temporary(me, frame, fields, counter),
            Task::Fill(object, fields, counter) => self.fill(object, fields, counter),
            Task::Activate(selector, parameters) => self.activate(me, selector, parameters, None),
            Task::End(frame, selector) => self.end_of(me, frame, selector),
            Task::Locked(scope) => self.locked(me, scope),
            Task::Judge(scope) => self.judge(me, scope),
            Task::Close(scope) => self.close(scope),
            Task::ReturnLocally(request) => self.note(me, Some(request), What::Returns),
            Task::Sleep(time) => self.sleep(me, time),
            Task::Raise => self.raise(me),
            Task::Finish {
                request,
                has_failed,
            } => self.finish(me, request, has_failed),
        }
    }

    /// The innermost request of a processor; a local activation of a scope is one.
    fn current(&self, me: usize) -> Option<usize> {
        let mut tasks = self.processors[me].tasks.iter().rev();
        tasks.find_map(|task| match task {
            Task::ReturnLocally(request) | Task::Finish { request, .. } => Some(*request),
            _ => None,
        })
    }
}

// --- requests -----------------------------------------------------------------------------------------

impl Simulator<'_> {
    fn take(&mut self, me: usize, request: usize) {
        self.note(me, Some(request), What::Synchronizes);
        self.look_for_foreign(me, request);
        self.processors[me].serving.push(request);
        self.push(
            me,
            [Task::Finish {
                request,
                has_failed: false,
            }],
        );
        if let Feature::Made(selector, parameters) = self.requests[request].feature {
            return self.activate(me, selector, parameters, Some(request));
        }
        self.note(me, Some(request), What::Executes);
        match self.requests[request].feature {
            Feature::New => self.push(me, [Task::Ticks(ticks::NEW)]),
            Feature::Fill(fields, counter) => self.fill(me, fields, counter),
            _ => self.processors[me].answer = self.processors[me].counter,
        }
    }

    /// R4 and R11 decide whether the client waits; R6 and R11 decide by which way the request comes to its supplier.
    fn ask(&mut self, me: usize, supplier: usize, feature: Feature, is_discarded: bool) {
        let mut used = self.arguments(&feature);
        used.push(supplier);
        self.look_for_shared(me, &used);
        let chain = self.chain_of(me);
        let waits = !is_discarded && self.is_query(supplier, &feature)
            || self.passes_locks(me, chain, &feature);
        let request = self.request(me, supplier, feature);
        let is_callback = self.is_waiting_member(chain, supplier);
        let is_held = self.holds(chain, supplier);
        if !waits && !is_callback {
            self.requests[request].chain = self.chains;
            self.chains += 1;
        }
        let is_below = self.current_is_detached(me);
        self.requests[request].is_detached =
            is_callback && !waits || (is_callback || waits) && is_below;
        self.requests[request].waits = waits;
        self.requests[request].is_callback = is_callback;
        let path = self.processors[supplier].path.clone();
        self.note(me, Some(request), What::Called(path, waits));
        if is_callback || is_held {
            let latency = self.circumstances.latency;
            self.plan(latency, me, Planned::Arrive(request));
        } else {
            self.claim(me, Claim::Single(request));
        }
        if waits {
            self.push(me, [Task::Await(request)]);
            self.look_for_early_answers(me);
            self.pause(me, Doing::Waits);
        }
    }

    fn is_query(&self, supplier: usize, feature: &Feature) -> bool {
        match feature {
            Feature::New | Feature::Counter => true,
            Feature::Script | Feature::Fill(..) | Feature::Nothing => false,
            Feature::Made(selector, _) => {
                let class = self.processors[supplier].class;
                self.program.classes[class][*selector].end != End::Command
            }
        }
    }

    fn arguments(&self, feature: &Feature) -> Vec<usize> {
        match feature {
            Feature::Fill(fields, _) => fields.to_vec(),
            Feature::Made(selector, parameters) => {
                parameters[..self.program.selectors[*selector].arity].to_vec()
            }
            _ => Vec::new(),
        }
    }

    /// R11: an argument is the client's own object, or belongs to a processor locked by its chain.
    fn passes_locks(&self, me: usize, chain: usize, feature: &Feature) -> bool {
        let arguments = self.arguments(feature);
        let passes = |argument: &usize| *argument == me || self.holds(chain, *argument);
        arguments.iter().any(passes)
    }

    /// A processor that waits serves callbacks first. It goes on when its answer has come.
    fn go_on_waiting(&mut self, me: usize, request: usize) {
        if let Some(callback) = self.processors[me].callbacks.pop_front() {
            self.push(me, [Task::Take(callback), Task::Await(request)]);
            return;
        }
        let Some(has_failed) = self.replies.remove(&request) else {
            self.push(me, [Task::Await(request)]);
            return self.pause(me, Doing::Waits);
        };
        self.note(me, Some(request), What::Answered);
        self.processors[me].answer = self.requests[request].answer;
        if has_failed {
            let cost = match self.is_guarded(me) {
                true => ticks::FAILED_ANSWER_HANDLED,
                false => ticks::FAILED_ANSWER_UNHANDLED,
            };
            self.push(me, [Task::Ticks(cost), Task::Raise]);
        }
    }

    /// The answer travels back. A processor without further requests goes on to the next in its queue.
    fn finish(&mut self, me: usize, request: usize, has_failed: bool) {
        self.note(me, Some(request), What::Returns);
        self.processors[me].serving.pop();
        let Feature::Script = self.requests[request].feature else {
            if self.requests[request].waits {
                self.requests[request].answer = self.processors[me].answer;
                let latency = self.circumstances.latency;
                let reply = Planned::Reply {
                    request,
                    has_failed,
                };
                self.plan(latency, me, reply);
            } else if has_failed {
                self.stop = Some(Stop::Beyond("a command failed"));
            }
            if self.requests[request].is_callback && !CALLBACKS_KEEP_THE_CPU {
                self.pause(me, Doing::Waits);
                self.wake_waiting(me);
            }
            return;
        };
        if has_failed {
            self.stop = Some(Stop::Beyond("the script failed"));
        }
    }

    fn create(&mut self, me: usize, frame: Option<usize>, class: usize) {
        let processor = &mut self.processors[me];
        processor.created += 1;
        let mut path = processor.path.clone();
        path.push(processor.created);
        let made = self.processors.len();
        self.processors.push(Processor::new(path, class));
        self.note(made, self.current(me), What::Created);
        if let Some(frame) = frame {
            self.frames[frame].temporary = made;
        }
        let new = Task::Ask {
            supplier: made,
            feature: Feature::New,
            is_discarded: false,
        };
        self.push(me, [Task::Ticks(1), new]);
    }

    fn fill(&mut self, object: usize, fields: [usize; 3], counter: i64) {
        self.processors[object].fields = fields;
        self.processors[object].counter = counter;
    }

    fn fill_temporary(&mut self, me: usize, frame: usize, fields: [Operand; 3], counter: i64) {
        let fields = fields.map(|field| self.value(frame, field));
        let supplier = self.frames[frame].temporary;
        self.ask(me, supplier, Feature::Fill(fields, counter), true);
    }
}

// --- methods ------------------------------------------------------------------------------------------

impl Simulator<'_> {
    /// Activates a method of the program, for a request or by a send of the processor's own.
    fn activate(&mut self, me: usize, selector: usize, parameters: [usize; 2], by: Option<usize>) {
        let program = self.program;
        let method = &program.classes[self.processors[me].class][selector];
        let frame = self.frames.len();
        self.frames.push(Frame {
            me,
            parameters,
            temporary: me,
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
    fn enter(&mut self, me: usize, frame: usize, selector: usize, by: Option<usize>) {
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
        self.look_for_shared(me, &wanted);
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

    fn condition(&self, scope: usize) -> Option<Condition> {
        let Scope {
            owner, selector, ..
        } = self.scopes[scope];
        self.program.classes[self.processors[owner].class][selector].condition
    }

    /// The locks are there: the condition is evaluated, if there is one. The send of `require:` counts once.
    fn locked(&mut self, me: usize, scope: usize) {
        let Some(condition) = self.condition(scope) else {
            return self.enter_body(me, scope);
        };
        let is_first = !self.scopes[scope].has_required;
        self.scopes[scope].has_required = true;
        let query = Task::Sent {
            frame: self.scopes[scope].frame,
            send: condition.query,
            is_discarded: false,
        };
        let (first, send, comparison) = (u64::from(is_first), Task::Ticks(1), Task::Ticks(1));
        self.push(
            me,
            [
                Task::Ticks(first),
                send,
                query,
                comparison,
                Task::Judge(scope),
            ],
        );
    }

    fn judge(&mut self, me: usize, scope: usize) {
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

    fn enter_body(&mut self, me: usize, scope: usize) {
        self.begin(scope);
        let Scope {
            frame, selector, ..
        } = self.scopes[scope];
        self.push(me, [Task::Statements(frame, selector, 0)]);
    }

    fn statements(&mut self, me: usize, frame: usize, selector: usize, index: usize) {
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

    fn perform(&mut self, me: usize, frame: usize, statement: Statement) {
        let sent = |send, is_discarded| Task::Sent {
            frame,
            send,
            is_discarded,
        };
        match statement {
            Statement::Repeat(count) => self.push(me, [Task::Ticks(count)]),
            Statement::Add(number) => {
                // The field is stored after the tick; other processors cannot see the difference.
                self.processors[me].counter += number;
                self.push(me, [Task::Ticks(1)]);
            }
            Statement::Discard(send) => self.push(me, [Task::Ticks(1), sent(send, true)]),
            Statement::Keep(send) => self.push(me, [Task::Ticks(1), sent(send, false)]),
            Statement::Guard(send) => {
                let before = Task::Ticks(ticks::GUARD + 1);
                self.push(me, [before, sent(send, false), Task::Guard]);
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
                self.push(me, [Task::Ticks(1), create, Task::Ticks(1), fill]);
            }
            Statement::Sleep(milliseconds) => {
                let time = milliseconds * ticks::MILLISECOND;
                self.push(me, [Task::Ticks(ticks::DELAY), Task::Sleep(time)]);
            }
        }
    }

    /// A send after its tick.
    fn sent(&mut self, me: usize, frame: usize, send: Send, is_discarded: bool) {
        let receiver = self.value(frame, send.receiver);
        let parameters = send.arguments.map(|argument| self.value(frame, argument));
        if receiver == me {
            match send.name {
                Name::Counter => self.processors[me].answer = self.processors[me].counter,
                Name::Nothing => {}
                Name::Made(selector) => self.activate(me, selector, parameters, None),
            }
            return;
        }
        let feature = match send.name {
            Name::Counter => Feature::Counter,
            Name::Nothing => Feature::Nothing,
            Name::Made(selector) => Feature::Made(selector, parameters),
        };
        self.ask(me, receiver, feature, is_discarded);
    }

    fn end_of(&mut self, me: usize, frame: usize, selector: usize) {
        match self.program.classes[self.processors[me].class][selector].end {
            End::Command => {}
            End::Counter => self.processors[me].answer = self.processors[me].counter,
            End::Divide => {
                let cost = match self.is_guarded(me) {
                    true => ticks::FAILURE_HANDLED,
                    false => ticks::FAILURE_UNHANDLED,
                };
                self.push(me, [Task::Ticks(1 + cost), Task::Raise]);
            }
            End::Fail(send) => {
                let sent = Task::Sent {
                    frame,
                    send,
                    is_discarded: false,
                };
                self.push(me, [Task::Ticks(1), sent]);
            }
        }
    }

    fn sleep(&mut self, me: usize, time: u64) {
        self.note(me, self.current(me), What::Sleeps);
        self.plan(time, me, Planned::Wake(me));
        self.pause(me, Doing::Sleeps);
    }
}

// --- failures -----------------------------------------------------------------------------------------

impl Simulator<'_> {
    /// Whether there is a handler in the request that a processor executes.
    fn is_guarded(&self, me: usize) -> bool {
        let tasks = self.processors[me].tasks.iter().rev();
        let mut ends = tasks.filter_map(|task| match task {
            Task::Guard => Some(true),
            Task::Finish { .. } => Some(false),
            _ => None,
        });
        ends.next().unwrap_or(false)
    }

    /// R12: everything is left up to the handler, or up to the end of the request.
    fn raise(&mut self, me: usize) {
        let mut leaves_scope = false;
        while let Some(task) = self.processors[me].tasks.pop() {
            match task {
                Task::Guard => return,
                Task::Finish { .. } if leaves_scope && !FAILURES_LEAVE_LOCAL_SCOPES => {
                    self.stop = Some(Stop::Beyond("a failure leaves a local scope"));
                    return;
                }
                Task::Finish { request, .. } => {
                    return self.push(
                        me,
                        [Task::Finish {
                            request,
                            has_failed: true,
                        }],
                    );
                }
                Task::Close(_) => self.carry_out(me, task),
                Task::ReturnLocally(_) => {
                    leaves_scope = true;
                    self.carry_out(me, task);
                }
                _ => {}
            }
        }
    }
}
