//! The engine of a copy of the machine that evaluates a block: the block takes the script's place.

use super::calls::describe;
use super::engine::{Engine, ROOT, SCRIPT};
use super::guided::Guided;
use super::log::Log;
use super::processor::State;

impl Engine {
    /// Whether the root processor executes the script alone: no scope, and no request of others.
    pub(crate) fn is_in_script_alone(&self) -> bool {
        let work = &self.processors[ROOT.0 as usize].work;
        work.scopes.is_empty() && work.awaited.is_empty() && work.stack == [SCRIPT]
    }

    /// The script is left where it stands. Answers whether no other processor has anything to do.
    pub(crate) fn leave_script(&mut self) -> bool {
        let root = self.processor(ROOT);
        root.state = State::Idle;
        root.work.stack.clear();
        (root.work.ran, root.work.turn, root.work.intent) = (0, None, None);
        self.is_quiet() && !self.is_anything_left()
    }

    /// A guide decides from now on, and no event is kept.
    pub(crate) fn guide_from_here(&mut self, guided: Guided) {
        self.guided = Some(Box::new(guided));
        self.log = Log::new(false);
    }

    /// Keeps the events from now on, with numbers of their own.
    pub(crate) fn record_anew(&mut self) {
        let mut log = Log::new(true);
        for request in self.requests.under_way() {
            log.describe(request.number, describe(request, None));
        }
        log.begin(self.now);
        self.log = log;
    }
}
