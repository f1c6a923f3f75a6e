//! Processors none of whose processes can run: all sleep, or wait for semaphores.

use super::causes::Carrier;
use super::engine::{Engine, ProcessorId, Turn};
use super::events::EventKind;
use super::happenings::Happening;
use super::processor::State;

impl Engine {
    /// No process of the processor can run. The first of them wakes after this number of ticks, if one sleeps.
    pub(super) fn rest(&mut self, id: ProcessorId, ticks: Option<u64>) {
        let request = self.innermost(id);
        let kind = match self.processor(id).obstacle {
            Some(on) => EventKind::Blocks { on },
            None => EventKind::Sleeps,
        };
        self.note(id, request, kind);
        self.processor(id).state = State::Resting;
        self.release_cpu(id);
        let ticks = match self.processor(id).is_signalled {
            true => Some(0),
            false => ticks,
        };
        if let Some(ticks) = ticks {
            self.plan_own(self.now.saturating_add(ticks), id, Happening::Awake(id));
        }
    }

    /// The processes of the processor, none of which can run or sleeps, wait for the obstacle with this number.
    pub(crate) fn blocks_on(&mut self, id: ProcessorId, obstacle: Option<u32>) {
        self.processor(id).obstacle = obstacle;
    }

    /// Another processor has made a process of this one ready at this moment.
    pub(crate) fn signalled(&mut self, id: ProcessorId, time: u64, by: ProcessorId) {
        let signaller = self.request(self.innermost(by)).number;
        if !self.processor(id).is_signalled {
            self.processor(id).signaller = signaller;
        }
        if !std::mem::replace(&mut self.processor(id).is_signalled, true) {
            self.causes(|causes| causes.add(Carrier::Signal(id), Carrier::Next(by)));
            self.plan(time, id, Happening::Awake(id));
        }
    }

    /// The processor goes on if it still rests.
    pub(super) fn awake(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state != State::Resting {
            return None;
        }
        let request = self.innermost(id);
        let processor = self.processor(id);
        let kind = match processor.obstacle.take() {
            Some(_) => EventKind::Freed {
                by: processor.signaller,
            },
            None => EventKind::Wakes,
        };
        self.note(id, request, kind);
        self.processor(id).state = State::Busy;
        self.need_cpu(id, Turn::Onward)
    }
}
