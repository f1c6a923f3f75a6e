//! R1, R3 to R6, R11, R12: requests, from the call to the answer.

use super::language::{End, Operand};
use super::ranks::delay;
use super::record::What;
use super::state::{Claim, Doing, Feature, Future, Planned, Processor, Simulator, Stop, Task, Way};
use super::ticks;

impl Simulator<'_> {
    pub(super) fn take(&mut self, me: usize, request: usize) {
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
        let row = &mut self.processors[me];
        let number = row.taken_up;
        row.taken_up += 1;
        let jitter = self.circumstances.jitter;
        let delay = jitter.map_or(0, |jitter| delay(jitter, &row.path, number));
        let charge = self.circumstances.costs.receive + delay;
        self.push(me, [Task::Charge(charge), Task::Begin(request)]);
    }

    pub(super) fn begin_request(&mut self, me: usize, request: usize) {
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

    /// What the client is charged goes before all that follows.
    pub(super) fn ask(&mut self, me: usize, supplier: usize, feature: Feature, way: Way) {
        let costs = self.circumstances.costs;
        let words = 1 + match feature {
            Feature::Fill(..) => 4,
            _ => self.arguments(&feature).len() as u64,
        };
        let paid = self.now() + costs.call + costs.word * words;
        let end = paid.max(self.processors[me].next_send);
        self.processors[me].next_send = end + costs.gap;
        let send = Task::Send {
            supplier,
            feature,
            way,
        };
        self.push(me, [Task::Charge(end - self.now()), send]);
    }

    /// R4 and R11 decide whether the client waits; R6 and R11 decide by which way the request comes to its supplier.
    pub(super) fn send(&mut self, me: usize, supplier: usize, feature: Feature, way: Way) {
        let chain = self.chain_of(me);
        let is_needed = match way {
            Way::Keep => self.is_query(supplier, &feature),
            Way::Await => true,
            Way::Discard | Way::Future(_) => false,
        };
        let waits = is_needed || self.passes_locks(me, chain, &feature);
        let request = self.request(me, supplier, feature);
        self.look_for_clients_of_futures(chain, supplier);
        let is_callback = self.is_waiting_member(chain, supplier);
        let is_held = self.holds(chain, supplier);
        let belongs = waits || is_callback;
        if !belongs {
            self.requests[request].chain = self.chains;
            self.chains += 1;
        }
        self.has_detached |= is_callback && !waits;
        self.requests[request].waits = waits;
        self.requests[request].is_callback = is_callback;
        self.requests[request].during = self.course_of(me);
        if !waits {
            self.requests[request].course = is_callback.then_some(request);
        }
        if let Way::Future(frame) = way {
            self.requests[request].future = Some(frame);
            self.frames[frame].future = Future::Open(request);
        }
        let path = self.processors[supplier].path.clone();
        self.note(me, Some(request), What::Called(path, waits));
        if is_callback || is_held {
            let latency = self.circumstances.costs.latency;
            self.plan(latency, me, Planned::Arrive(request));
        } else {
            self.claim(me, Claim::Single(request));
        }
        if waits {
            self.push(me, [Task::Await(request)]);
        }
    }

    pub(super) fn is_query(&self, supplier: usize, feature: &Feature) -> bool {
        match feature {
            Feature::New | Feature::Counter => true,
            Feature::Script | Feature::Fill(..) | Feature::Nothing => false,
            Feature::Made(selector, _) => {
                let class = self.processors[supplier].class;
                self.program.classes[class][*selector].end != End::Command
            }
        }
    }

    pub(super) fn arguments(&self, feature: &Feature) -> Vec<usize> {
        match feature {
            Feature::Fill(fields, _) => fields.to_vec(),
            Feature::Made(selector, parameters) => {
                parameters[..self.program.selectors[*selector].arity].to_vec()
            }
            _ => Vec::new(),
        }
    }

    /// R11: an argument is the client's own object, or belongs to a processor locked by its chain.
    pub(super) fn passes_locks(&self, me: usize, chain: usize, feature: &Feature) -> bool {
        let arguments = self.arguments(feature);
        let passes = |argument: &usize| *argument == me || self.holds(chain, *argument);
        arguments.iter().any(passes)
    }

    /// R11: callbacks are served one at a time. While one without a waiting client is under way, only those that were sent in
    /// its course are served.
    pub(super) fn next_callback(&self, me: usize) -> Option<usize> {
        let row = &self.processors[me];
        let mut serving = row
            .serving
            .iter()
            .rev()
            .map(|request| &self.requests[*request]);
        let under_way = serving.find(|request| request.is_callback && !request.waits);
        let course = under_way.map(|request| request.course);
        let mut waiting = row.callbacks.iter();
        waiting.position(|one| course.is_none_or(|course| self.requests[*one].during == course))
    }

    /// A processor that waits serves callbacks first. It goes on when its answer has come.
    pub(super) fn go_on_waiting(&mut self, me: usize, request: usize) {
        if let Some(place) = self.next_callback(me)
            && let Some(callback) = self.processors[me].callbacks.remove(place)
        {
            self.push(me, [Task::Await(request)]);
            return self.take(me, callback);
        }
        let Some(has_failed) = self.replies.remove(&request) else {
            self.push(me, [Task::Await(request)]);
            return self.pause(me, Doing::Waits);
        };
        self.note(me, Some(request), What::Answered);
        self.processors[me].answer = self.requests[request].answer;
        if let Some(frame) = self.requests[request].future {
            self.frames[frame].future = Future::Known(has_failed);
            if self.requests[request].waits {
                // Locks were passed. The failure is signalled by `value`.
                return;
            }
        }
        if has_failed {
            self.fail_at_client(me);
        }
    }

    fn fail_at_client(&mut self, me: usize) {
        let cost = match self.is_guarded(me) {
            true => ticks::FAILED_ANSWER_HANDLED,
            false => ticks::FAILED_ANSWER_UNHANDLED,
        };
        self.handle_failure(me, cost);
    }

    /// R5: only the first value of a future waits.
    pub(super) fn join(&mut self, me: usize, frame: usize) {
        match self.frames[frame].future {
            Future::Missing => {}
            Future::Known(false) => self.push(me, [Task::Ticks(ticks::KNOWN_VALUE)]),
            Future::Known(true) => {
                self.fail_at_client(me);
                self.push(me, [Task::Ticks(ticks::KNOWN_FAILURE)]);
            }
            Future::Open(request) => {
                self.note(me, Some(request), What::Joins);
                self.push(me, [Task::Await(request)]);
            }
        }
    }

    /// R12: a request behind a failed command is not served. The first whose answer is needed reports the failure to its
    /// client, and those behind it are served again.
    pub(super) fn cancel(&mut self, me: usize, request: usize) {
        self.note(me, Some(request), What::Cancelled);
        if self.needs_answer(request) {
            self.processors[me].is_dirty = false;
            self.reply(me, request, true);
        }
    }

    fn needs_answer(&self, request: usize) -> bool {
        self.requests[request].waits || self.requests[request].future.is_some()
    }

    fn reply(&mut self, me: usize, request: usize, has_failed: bool) {
        self.requests[request].answer = self.processors[me].answer;
        let latency = self.circumstances.costs.latency;
        let reply = Planned::Reply {
            request,
            has_failed,
        };
        self.plan(latency, me, reply);
    }

    /// R12: a command has failed, and no client waits. A callback is in no scope of its own: its failure is reported at once.
    fn soil(&mut self, me: usize, request: usize) {
        if self.requests[request].is_callback {
            self.has_failed = true;
            return;
        }
        if self.processors[me].lock.is_none() {
            self.stop = Some(Stop::Beyond("a command without a lock has failed"));
        }
        self.processors[me].is_dirty = true;
    }

    /// The answer travels back. A processor without further requests goes on to the next in its queue.
    pub(super) fn finish(&mut self, me: usize, request: usize, has_failed: bool) {
        self.note(me, Some(request), What::Returns);
        self.processors[me].serving.pop();
        if self.requests[request].is_single
            && let Some(lock) = &mut self.processors[me].lock
        {
            lock.is_open = false;
        }
        let Feature::Script = self.requests[request].feature else {
            if self.needs_answer(request) {
                self.reply(me, request, has_failed);
            } else if has_failed {
                self.soil(me, request);
            }
            return;
        };
        self.has_failed |= has_failed;
    }

    pub(super) fn create(&mut self, me: usize, frame: Option<usize>, class: usize) {
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
            way: Way::Keep,
        };
        self.push(me, [Task::Ticks(1), new]);
    }

    pub(super) fn fill(&mut self, object: usize, fields: [usize; 3], counter: i64) {
        self.processors[object].fields = fields;
        self.processors[object].counter = counter;
    }

    pub(super) fn fill_temporary(
        &mut self,
        me: usize,
        frame: usize,
        fields: [Operand; 3],
        counter: i64,
    ) {
        let fields = fields.map(|field| self.value(frame, field));
        let supplier = self.frames[frame].temporary;
        self.ask(me, supplier, Feature::Fill(fields, counter), Way::Discard);
    }
}
