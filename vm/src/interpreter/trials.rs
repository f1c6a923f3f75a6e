//! Trials: a primitive lets a copy of the machine evaluate a block to its end, on a simulated machine of its own. The machine itself goes on with what the
//! copy has shown; nothing else of the copy reaches it.

use super::Next;
use crate::base::{Limit, Outcome, Stop, TargetId, Value};
use crate::machine::{EverySchedule, Trial, Tried, Vm, Watch};
use crate::processes::SCRIPT_PRIORITY;
use crate::run::{Args, Exit};
use crate::separate::{ROOT, Timing, TrialPhase};

impl Vm {
    /// A copy of this machine is to evaluate the block in the window's first argument on this number of CPUs, before this machine goes on. Where that
    /// cannot be, the answer is a String that says why.
    pub(super) fn begin_trial(
        &mut self,
        args: Args,
        cpus: Option<u64>,
        every: Option<EverySchedule>,
    ) -> Next {
        self.run.has_wanted_trials = true;
        if let Some(why) = self.refusal_of_trial() {
            return self.refuse_trial(why);
        }
        let block = self.running.stack_value(args.base + 1);
        let host = self.world.host_of_trial();
        self.run.handles.push(block);
        let mut copy = self.fork(host);
        self.run.handles.pop();
        let block = copy.run.handles.len() - 1;
        copy.keep_failures();
        copy.run.failed = false;
        copy.separate.trial = TrialPhase::Settling;
        let mut trial = Trial {
            copy,
            block,
            cpus,
            watch: None,
            every,
            ticks_before: self.total_ticks(),
        };
        let engine = trial.copy.separate.engine.as_ref();
        let is_quiet = engine.is_none_or(|engine| !engine.is_anything_left());
        let next = match is_quiet {
            true => Next::Exit(Exit::Stop(Stop::Finished)),
            false => trial.copy.settle(Value::NIL),
        };
        if let Next::Exit(Exit::Stop(stop)) = next {
            trial.settled(stop);
        }
        self.trial = Some(Box::new(trial));
        Next::Exit(Exit::Trial)
    }

    /// Answers why there is no trial. The text does not count as an allocation.
    pub(super) fn refuse_trial(&mut self, why: &str) -> Next {
        let before = self.allocations_now();
        let text = self.make_string(why);
        self.forget_allocations_since(before);
        self.answer_send(text)
    }

    /// Why this machine cannot make a trial now.
    fn refusal_of_trial(&self) -> Option<&'static str> {
        if self.separate.trial != TrialPhase::None {
            return Some(
                "assertions about processors do not nest: a block that is being tried makes another one",
            );
        }
        if self.separate.guided.is_some() {
            return Some(
                "assertions about processors measure times of a simulated machine, and a schedule that is followed has none",
            );
        }
        if self.separate.reader.is_none() {
            return Some("this machine has no reader of timelines");
        }
        let engine = self.separate.engine.as_ref();
        let is_alone = engine
            .is_none_or(|engine| self.separate.running == ROOT && engine.is_in_script_alone());
        (!is_alone).then_some(
            "assertions about processors are made by the test itself, outside of scopes and requests",
        )
    }

    /// Lets the trial go on, which comes before this machine. Answers why this machine stops, if it does: the ticks of the copy count against its
    /// limit.
    pub(super) fn go_on_with_trial(&mut self) -> Option<Stop> {
        let mut trial = self.trial.take()?;
        let described = loop {
            let Some(outcome) = trial.go_on(self.config.max_ticks) else {
                self.trial = Some(trial);
                return Some(Stop::Limit(Limit::Ticks));
            };
            self.charge_trial(&trial);
            match outcome {
                // The depth was that of the copy's own process, which has failed.
                Outcome::Limit(limit) if limit != Limit::Depth => return Some(Stop::Limit(limit)),
                Outcome::Internal(message) => {
                    self.run.internal_error = Some(message);
                    return Some(Stop::Failed);
                }
                _ => {}
            }
            let tried = trial.conclude(&outcome);
            if trial.every.is_none() {
                break self.describe_tried(&tried);
            }
            if let Some(found) = trial.end_schedule(tried) {
                break self.describe_spans(&found);
            }
        };
        self.answer_send(described);
        self.set_tick_limit();
        None
    }

    /// What the trial has executed counts against the limit of this machine.
    fn charge_trial(&mut self, trial: &Trial) {
        let spent = trial.copy.total_ticks().saturating_sub(trial.ticks_before);
        self.run.tried_ticks = self.run.tried_ticks.saturating_add(spent);
        let most = self.config.max_ticks;
        self.config.max_ticks = most.map(|most| most.saturating_sub(spent));
    }

    /// An Array of makespan, ticks, waiting, evaluations, Arrays of class names and ticks waited for them, a text about what took the time, and who stands
    /// still and what failed, or nil. It does not count as an allocation.
    fn describe_tried(&mut self, tried: &Tried) -> Value {
        let before = self.allocations_now();
        let first = self.run.handles.len();
        let figures = &tried.figures;
        for number in [
            figures.makespan,
            figures.ticks,
            figures.waiting,
            figures.evaluations,
        ] {
            self.push_number(number);
        }
        let rows = self.run.handles.len();
        for (name, ticks) in &figures.waited_for {
            let row = self.run.handles.len();
            self.push_text(Some(name));
            self.push_number(*ticks);
            self.gather(row);
        }
        self.gather(rows);
        self.push_text(Some(&figures.explanation));
        self.push_text(tried.deadlock.as_deref());
        self.push_text(tried.failure.as_deref());
        self.gather(first);
        self.forget_allocations_since(before);
        self.run.handles.pop().unwrap_or(Value::NIL)
    }

    pub(super) fn push_number(&mut self, number: u64) {
        let number = self.make_integer_i128(i128::from(number));
        self.run.handles.push(number);
    }

    pub(super) fn push_text(&mut self, text: Option<&str>) {
        let text = text.map_or(Value::NIL, |text| self.make_string(text));
        self.run.handles.push(text);
    }

    /// An Array of the handles from this one on takes their place.
    pub(super) fn gather(&mut self, first: usize) {
        let values = self.run.handles[first..].to_vec();
        let array = self.make_array(&values);
        self.run.handles.truncate(first);
        self.run.handles.push(array);
    }

    /// Whether the program wanted a trial, that is, an assertion about spans.
    pub fn has_wanted_trials(&self) -> bool {
        self.run.has_wanted_trials
    }

    /// Ticks that this machine and its trials have executed.
    pub(super) fn ticks_with_trials(&self) -> u64 {
        let own = self.total_ticks();
        let trial = self.trial.as_ref();
        let under_way = trial.map_or(0, |trial| trial.copy.total_ticks().saturating_sub(own));
        let all = own.saturating_add(self.run.tried_ticks);
        all.saturating_add(under_way)
    }
}

impl Trial {
    /// Executes up to this number of ticks of the whole run. Answers how it ended, if it has.
    fn go_on(&mut self, most_ticks: Option<u64>) -> Option<Outcome> {
        loop {
            let copy = &mut self.copy;
            copy.config.max_ticks = most_ticks;
            let stop = match copy.run.stopped.take() {
                Some(stop) => stop,
                None => {
                    copy.set_tick_limit();
                    copy.execute()
                }
            };
            match stop {
                Stop::Limit(Limit::Ticks) => return None,
                _ if copy.separate.trial == TrialPhase::Settling => self.settled(stop),
                stop => return Some(copy.conclude(stop)),
            }
        }
    }

    /// What had begun before the block has come to its end, or to a halt. The copy evaluates the block from here on, in a process that takes the place
    /// of the script's.
    fn settled(&mut self, stop: Stop) {
        let copy = &mut self.copy;
        copy.separate.trial = TrialPhase::Evaluating;
        let engine = copy.separate.engine.as_mut();
        let is_quiet = engine.is_none_or(|engine| engine.leave_script());
        if stop != Stop::Finished || !is_quiet {
            // Nothing is evaluated: `conclude` finds no watch.
            let stop = if stop == Stop::Finished {
                Stop::Deadlock
            } else {
                stop
            };
            copy.run.stopped = Some(stop);
            return;
        }
        copy.take_failures();
        copy.separate.simulation.cpus = self.cpus;
        let block = copy.run.handles.get(self.block).copied();
        copy.drop_stopped_run();
        self.block = copy.run.handles.len();
        copy.run.handles.push(block.unwrap_or(Value::NIL));
        match &mut self.every {
            Some(every) => every.start_from(copy),
            None => {
                let simulation = copy.separate.simulation;
                let reader = copy.separate.reader.clone();
                self.watch = reader.map(|reader| Watch::begin(copy, &*reader, &simulation));
            }
        }
        self.evaluate_block();
    }

    /// The copy evaluates the block, under the next schedule if there are several.
    pub(super) fn evaluate_block(&mut self) {
        let copy = &mut self.copy;
        if let Some(every) = &self.every {
            copy.guide_processors(Timing::Exact, every.search.guide());
            self.watch = Some(Watch::of_end(copy));
        }
        let block = copy.run.handles.get(self.block).copied();
        let block = block.unwrap_or(Value::NIL);
        let target = copy.heap.slot(block, 0).int_unchecked() as u32;
        let process = copy.new_process(TargetId(target), block, SCRIPT_PRIORITY);
        copy.start_main(process);
    }
}
