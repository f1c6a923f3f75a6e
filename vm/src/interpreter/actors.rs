//! Turns of actors: the script is the first. Each message that it sends is delivered after it has ended, the oldest first, in
//! a process of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Next;
use crate::actors::{MessageOrder, Posted, Resting, Turn};
use crate::base::{Limit, Outcome, Stop, TargetId, Value};
use crate::machine::Vm;
use crate::processes::{SCRIPT_PRIORITY, Status};
use crate::run::Exit;

/// Ticks of a turn between two looks at the flag that stops it.
const TICKS_BETWEEN_LOOKS: u64 = 1 << 22;

impl Vm {
    /// Delivers the oldest message. If none is left, the run or its test goes on or ends.
    pub(super) fn deliver_next(&mut self) -> Next {
        if self.run.failed {
            return Next::Exit(Exit::Stop(Stop::Failed));
        }
        if !self.actors.may_begin_turn() {
            return Next::Exit(Exit::Stop(Stop::Finished));
        }
        match self.take_next_message() {
            Ok(Some(posted)) => return self.begin_turn_of_actor(posted),
            Ok(None) => {}
            Err(stop) => return Next::Exit(Exit::Stop(stop)),
        }
        self.tell_dead_letters();
        match self.actors.resting.take() {
            Some(Resting { process, value }) if self.go_on_with(process) => {
                self.leave_marked(value)
            }
            Some(_) => Next::Exit(Exit::Stop(Stop::Failed)),
            None => Next::Exit(Exit::Stop(Stop::Finished)),
        }
    }

    /// The message that arrives next, if one is left whose target is not disposed. A schedule may want one that is not there.
    fn take_next_message(&mut self) -> Result<Option<Posted>, Stop> {
        let takes_oldest = matches!(self.actors.ordering.order, MessageOrder::Oldest);
        if takes_oldest {
            while let Some(posted) = self.actors.pending.pop_front() {
                if !self.behaviour_at(posted.target).is_nil() {
                    return Ok(Some(posted));
                }
                self.drop_dead_letter(posted);
            }
            return Ok(None);
        }
        self.drop_dead_letters();
        if self.actors.pending.is_empty() {
            return Ok(None);
        }
        let next = self.next_message().ok_or(Stop::Failed)?;
        Ok(self.actors.pending.remove(next))
    }

    /// The actor processes the message, in a process of its own.
    fn begin_turn_of_actor(&mut self, posted: Posted) -> Next {
        // The collector sees the message there. Linking and the process can make objects.
        self.actors.pending.push_front(posted);
        let Some((receiver, serving)) = self.method_of_turns() else {
            self.report_failure("the library has no method in which actors process messages");
            return Next::Exit(Exit::Stop(Stop::Failed));
        };
        let process = self.new_process(serving, receiver, SCRIPT_PRIORITY);
        self.go_on_with(process);
        let Some(posted) = self.actors.pending.pop_front() else {
            return Next::Exit(Exit::Stop(Stop::Failed));
        };
        let Posted {
            target: address,
            selector,
            arguments,
            made,
            sending,
            request,
        } = posted;
        let behaviour = self.behaviour_at(address);
        if let Some(actor) = self.actor_of(address) {
            self.actors.takes(actor, &sending);
            self.actors.turn = Some(Turn {
                process,
                actor,
                address,
                behaviour,
                next: behaviour,
                selector,
            });
            self.turn_begins(process, actor, request);
        }
        let now = self.total_ticks();
        if let Some(noted) = &mut self.actors.noted {
            (noted.turns, noted.began) = (noted.turns.saturating_sub(1), now);
        }
        self.count_made(made);
        let window: Vec<Value> = [behaviour].into_iter().chain(arguments).collect();
        self.send_as_served(&window, selector)
    }

    /// Executes the one turn that is pending, outside of a run, in at most this number of ticks. Answers none if the flag has stopped it.
    pub(crate) fn run_turn_of_actor(
        &mut self,
        most_ticks: Option<u64>,
        stop: Option<&AtomicBool>,
    ) -> Option<Outcome> {
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let end = most_ticks.map_or(u64::MAX, |most| self.total_ticks().saturating_add(most));
        let mut next = self.deliver_next();
        loop {
            let slice = self
                .total_ticks()
                .saturating_add(TICKS_BETWEEN_LOOKS)
                .min(end);
            self.config.max_ticks = Some(slice);
            self.set_tick_limit();
            let ended = match next {
                Next::Exit(Exit::Stop(stop)) => stop,
                // The loop goes on, perhaps with other handlers.
                Next::Continue | Next::Exit(_) => {
                    self.run.under_way = true;
                    let ended = self.execute();
                    self.run.under_way = false;
                    ended
                }
            };
            if ended != Stop::Limit(Limit::Ticks) || self.total_ticks() >= end {
                return Some(self.conclude(ended));
            }
            if is_stopped() {
                return None;
            }
            next = Next::Continue;
        }
    }

    /// The class of behaviours, and its method in whose frame a message is processed.
    fn method_of_turns(&mut self) -> Option<(Value, TargetId)> {
        let library = self.library_of_actors()?;
        let object = self.class_object(library.behaviour);
        let class = self.class_of(object);
        let target = self.method_that_serves((object, class), library.turn)?;
        // Linking may have moved the class.
        Some((self.class_object(library.behaviour), target))
    }

    /// The process of the turn has ended.
    pub(super) fn end_turn_of_actor(&mut self, turn: &Turn) -> Next {
        self.set_behaviour_at(turn.address, turn.next);
        self.deliver_next()
    }

    /// Whether messages are delivered before the running frame returns: it is that of a test.
    pub(super) fn is_to_deliver(&mut self) -> bool {
        !self.actors.pending.is_empty() && self.actors.turn.is_none() && self.is_at_end_of_test()
    }

    /// The running frame answers the value as soon as no message is left.
    pub(super) fn deliver_before(&mut self, value: Value) -> Next {
        self.running.status = Status::Engaged;
        self.actors.resting = Some(Resting {
            process: self.running.id,
            value,
        });
        self.deliver_next()
    }
}
