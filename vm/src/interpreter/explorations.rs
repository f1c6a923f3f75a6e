//! Explorations for assertions: a copy of the machine evaluates a block and stands still behind it, and an explorer gets it. Nothing of
//! the copy reaches the machine but what the explorer says.

use super::Next;
use crate::actors::{ExplorationRequest, ExploredFigures};
use crate::base::{Limit, Outcome, SymbolId, TargetId, Value};
use crate::machine::Vm;
use crate::processes::SCRIPT_PRIORITY;
use crate::run::Args;

impl Vm {
    /// Explores the block in the window's first argument. Where that cannot be, the answer is a String that says why.
    pub(super) fn explore_block(&mut self, args: Args, names: [Option<SymbolId>; 2]) -> Next {
        let text = |name: Option<SymbolId>| {
            let text = name.map(|name| self.symbol_text(name).to_string());
            text.unwrap_or_default()
        };
        let [delivery, costs] = names.map(text);
        let explored = self.explored(args, &ExplorationRequest { delivery, costs });
        let before = self.allocations_now();
        let answer = match explored {
            Ok(figures) => {
                self.actors.explored.add(&figures);
                self.describe_explored(&figures)
            }
            Err(why) => self.make_string(&why),
        };
        self.forget_allocations_since(before);
        self.answer_send(answer)
    }

    fn explored(
        &mut self,
        args: Args,
        request: &ExplorationRequest,
    ) -> Result<ExploredFigures, String> {
        let explorer = self.actors.explorer.0.clone();
        let explorer = explorer.ok_or("this machine has no explorer")?;
        if self.actors.noted.is_some() || self.is_in_turn() {
            return Err("assertions about schedules do not nest".to_string());
        }
        if self.actors.are_any() {
            let why = "the block of an assertion about schedules makes all actors itself";
            return Err(why.to_string());
        }
        let block = self.running.stack_value(args.base + 1);
        let host = self.world.host_of_trial();
        self.run.handles.push(block);
        let mut copy = self.fork(host);
        self.run.handles.pop();
        let block = copy.run.handles.pop().unwrap_or(Value::NIL);
        copy.evaluate_and_hold(block)?;
        let start = copy.actors_at_start().map_err(|fault| fault.to_string())?;
        if start.messages.is_empty() {
            return Err("the block sends no message to an actor".to_string());
        }
        explorer.explore(Box::new(copy), start, request)
    }

    /// Evaluates the block in the place of the script. Messages to actors wait behind it.
    fn evaluate_and_hold(&mut self, block: Value) -> Result<(), String> {
        self.keep_failures();
        self.run.failed = false;
        self.take_failures();
        let target = self.heap.slot(block, 0).as_int().unwrap_or(0) as u32;
        // Nothing is made before the process holds the block.
        self.drop_stopped_run();
        let process = self.new_process(TargetId(target), block, SCRIPT_PRIORITY);
        self.hold_messages();
        self.start_main(process);
        self.run.under_way = true;
        let stop = self.execute();
        self.run.under_way = false;
        let outcome = self.conclude(stop);
        let failures = self.take_failures().into_iter();
        let messages: Vec<String> = failures
            .filter(|failure| failure.is_unhandled)
            .map(|failure| failure.message)
            .collect();
        match outcome {
            Outcome::Finished => Ok(()),
            Outcome::Limit(limit) if limit != Limit::Depth => {
                Err(format!("the block reaches {limit} in its copy"))
            }
            _ => Err(format!(
                "the block failed in its copy: {}",
                messages.join("; ")
            )),
        }
    }

    /// An Array of states, transitions, computations, Work, Depth, an Array of the results, each an Array of Strings, what failed, and a
    /// schedule to each result. What is not known is nil.
    fn describe_explored(&mut self, figures: &ExploredFigures) -> Value {
        let first = self.run.handles.len();
        for number in [
            Some(figures.states),
            Some(figures.transitions),
            figures.computations,
            figures.cost,
            figures.depth,
        ] {
            match number {
                Some(number) => self.push_number(number),
                None => self.push_text(None),
            }
        }
        let rows = self.run.handles.len();
        for result in &figures.results {
            let row = self.run.handles.len();
            for line in result {
                self.push_text(Some(line));
            }
            self.gather(row);
        }
        self.gather(rows);
        self.push_text(figures.failure.as_deref());
        let schedules = self.run.handles.len();
        for schedule in &figures.schedules {
            self.push_text(Some(schedule));
        }
        self.gather(schedules);
        self.gather(first);
        self.run.handles.pop().unwrap_or(Value::NIL)
    }
}
