//! Trials under every schedule: the copy that is about to evaluate the block is copied for each order of what happens at the same moment.

use super::Next;
use crate::base::Value;
use crate::machine::{EverySchedule, SpansFound, Trial, Tried, Vm};
use crate::run::Args;
use crate::separate::Timing;

/// The most schedules of a block.
const MOST_SCHEDULES: u64 = 10_000;
/// The most steps of a schedule that are shown.
const MOST_STEPS: usize = 30;

impl Vm {
    /// As [`Vm::begin_trial`], for every schedule.
    pub(super) fn begin_every_schedule(&mut self, args: Args) -> Next {
        let search = self.separate.searcher.as_ref();
        let Some(search) = search.map(|searcher| searcher.begin(Timing::Exact)) else {
            return self.refuse_trial("this machine has no search for schedules");
        };
        let every = EverySchedule {
            search,
            start: None,
            found: SpansFound::default(),
        };
        self.begin_trial(args, None, Some(every))
    }

    /// An Array of the number of schedules, the least and the greatest makespan, whether all schedules were executed, the steps of the longest one, and
    /// who stands still and what failed, or nil. It does not count as an allocation.
    pub(super) fn describe_spans(&mut self, found: &SpansFound) -> Value {
        let before = self.allocations_now();
        let first = self.run.handles.len();
        let (least, most) = found.spans.unwrap_or_default();
        for number in [found.schedules, least, most] {
            self.push_number(number);
        }
        self.run.handles.push(Value::bool(found.is_complete));
        self.push_text(Some(&found.steps));
        self.push_text(found.deadlock.as_deref());
        self.push_text(found.failure.as_deref());
        self.gather(first);
        self.forget_allocations_since(before);
        self.run.handles.pop().unwrap_or(Value::NIL)
    }
}

impl EverySchedule {
    /// All schedules begin as the copy stands now. It goes on with the first one.
    pub(super) fn start_from(&mut self, copy: &mut Vm) {
        let host = copy.world.host_of_trial();
        self.start = Some(copy.fork(host));
    }
}

impl Trial {
    /// A schedule has shown this. Answers what all of them have shown, if it was the last one; else the next one begins.
    pub(super) fn end_schedule(&mut self, tried: Tried) -> Option<SpansFound> {
        self.copy.end_guided();
        let every = self.every.as_mut()?;
        let found = &mut every.found;
        let run = match every.search.end_run() {
            Ok(run) => run,
            Err(why) => {
                found.failure = Some(why);
                return Some(std::mem::take(found));
            }
        };
        if run.is_new_start {
            *found = SpansFound::default();
        } else if run.is_whole {
            found.schedules += 1;
            found.deadlock = tried.deadlock;
            found.failure = tried.failure;
            let span = tried.figures.makespan;
            let (least, most) = found.spans.unwrap_or((span, span));
            if found.spans.is_none() || span > most {
                let steps = run.taken.iter().filter(|(_, is_choice)| *is_choice);
                let steps = steps.map(|(step, _)| self.copy.text_of_step(step));
                found.steps = in_lines(steps.collect());
            }
            found.spans = Some((least.min(span), most.max(span)));
        }
        found.is_complete = !run.has_more;
        let is_bad = found.deadlock.is_some() || found.failure.is_some();
        let start = every.start.as_mut();
        match start.filter(|_| run.has_more && !is_bad && found.schedules < MOST_SCHEDULES) {
            None => Some(std::mem::take(found)),
            Some(start) => {
                let host = start.world.host_of_trial();
                self.ticks_before = start.total_ticks();
                self.copy = start.fork(host);
                self.copy.keep_failures();
                self.evaluate_block();
                None
            }
        }
    }
}

/// The first lines of these.
fn in_lines(steps: Vec<String>) -> String {
    let more = steps.len().saturating_sub(MOST_STEPS);
    let mut lines: Vec<String> = steps.into_iter().take(MOST_STEPS).collect();
    if more > 0 {
        lines.push(format!("… {more} more"));
    }
    lines.join("\n")
}
