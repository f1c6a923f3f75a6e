//! Follows a run send by send, so that two runs of one program can be compared. At regular points it notes a digest of
//! all sends so far. Within a window it notes every send with its stack. Only the copies of the loop that maintain the
//! whole cost vector call it, and no count changes. The caller chooses the runs that are compared.

use std::collections::VecDeque;
use std::ops::Range;

use crate::base::{SymbolId, TargetId, Value};
use crate::bytecode::Instruction;
use crate::machine::Vm;
use crate::observers::{
    Asked, FIRST_STEP, Followed, FollowedSend, Follower, Question, RawFrame, RawQuestion, RawSend,
    RawTrace, mixed,
};
use crate::processes::FrameView;
use crate::world::Trace;

/// The longest window.
const MOST_SENDS: u64 = 1 << 10;

/// Frames that are kept at each end of a stack.
const KEPT: usize = 64;

/// Uses of outside values that are kept within a window.
const MOST_QUESTIONS: usize = 1 << 12;

fn text_digest(parts: &[&str]) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    digest | 1
}

impl Vm {
    /// Follows the run from now on: digests from the send with this number on, and each send of the window. The window
    /// holds at most a thousand sends. [`Vm::stop_following`] ends it.
    pub fn follow(&mut self, first: u64, window: Range<u64>) {
        let end = window.end.min(window.start.saturating_add(MOST_SENDS));
        self.count_everything();
        self.observers.follower = Some(Box::new(Follower {
            first,
            step: FIRST_STEP,
            window: window.start..end,
            sends: 0,
            digest: 0,
            skips_one: false,
            codes: Vec::new(),
            classes: Vec::new(),
            points: Vec::new(),
            seen: Vec::new(),
            asked_before: Default::default(),
            asked: Vec::new(),
        }));
    }

    /// Stops following and answers the notes.
    pub fn stop_following(&mut self) -> Followed {
        let Some(follower) = &mut self.observers.follower else {
            return Followed::default();
        };
        follower.add_point();
        let followed = Followed {
            points: std::mem::take(&mut follower.points),
            window: follower.seen.iter().map(|send| send.digest).collect(),
        };
        self.observers.followed = self.observers.follower.take();
        self.count_less();
        followed
    }

    /// A send of the window by its place there, of the run that was followed last.
    pub fn followed_send(&self, index: usize) -> Option<FollowedSend> {
        let follower = self.observers.followed.as_ref()?;
        let raw = follower.seen.get(index)?;
        Some(FollowedSend {
            number: follower.window.start + index as u64 + 1,
            selector: self.selector_at(raw.site),
            receiver: self.class_name(raw.receiver),
            trace: self.described(&raw.trace),
        })
    }

    /// The last use of that kind of value before a send of the window.
    pub fn asked_before(&self, question: Question, index: usize) -> Option<Asked> {
        let follower = self.observers.followed.as_ref()?;
        let sends = follower.window.start + index as u64;
        let is_before = |raw: &&RawQuestion| raw.question == question && raw.sends <= sends;
        let within = follower.asked.iter().rfind(is_before);
        let raw = within.or(follower.asked_before[question as usize].as_ref())?;
        Some(Asked {
            sends: raw.sends,
            question,
            about: self.class_name(raw.about),
            trace: self.described(&raw.trace),
        })
    }

    fn selector_at(&self, site: Option<u32>) -> String {
        let site = site.and_then(|site| self.code.sites.get(site as usize));
        let selector: Option<SymbolId> = site.map(|site| site.selector);
        selector.map_or(String::new(), |id| self.image.symbols.text(id).to_string())
    }

    fn class_name(&self, class: u32) -> String {
        let class = self.image.classes.get(class as usize);
        class.map_or(String::new(), |class| class.display_name())
    }

    fn described(&self, raw: &RawTrace) -> Trace {
        let frames = raw.inner.iter().chain(&raw.outer);
        let frames = frames.map(|frame| {
            let target = self.code.target(frame.code);
            self.describe_code(target, frame.ip, frame.is_top)
        });
        Trace {
            frames: frames.collect(),
            hidden: raw.hidden,
        }
    }

    /// A send instruction is executed by the running process; its state is saved.
    #[cold]
    #[inline(never)]
    pub(crate) fn follow_send(&mut self, receiver: Value) {
        let Some(mut follower) = self.observers.follower.take() else {
            return;
        };
        if !std::mem::take(&mut follower.skips_one) && self.running.silence.is_none() {
            let frame = self.frame_index();
            let target = self.running_code(frame);
            let pc = target.index_of(self.registers.ip).unwrap_or(usize::MAX);
            let code = target.id;
            let class = self.class_number(receiver);
            let mut word = self.code_digest(&mut follower.codes, code);
            word = mixed(word ^ pc as u64);
            word = mixed(word ^ self.class_digest(&mut follower.classes, class));
            word ^= u64::from(self.running.id.0);
            let looks_closely = follower.looks_closely();
            follower.add(word);
            if looks_closely {
                let trace = self.raw_trace();
                let send = Instruction::at(&self.code.target(code).words, pc);
                follower.seen.push(RawSend {
                    digest: follower.digest,
                    site: send.and_then(Instruction::site),
                    receiver: class,
                    trace,
                });
            }
        }
        self.observers.follower = Some(follower);
    }

    /// The send that comes is no send.
    #[cold]
    pub(crate) fn follow_no_send(&mut self) {
        if let Some(follower) = &mut self.observers.follower {
            follower.skips_one = true;
        }
    }

    /// Notes that the running process uses a value that the counting model does not fix.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_question(&mut self, question: Question, about: Value) {
        let Some(mut follower) = self.observers.follower.take() else {
            return;
        };
        let is_before = follower.sends <= follower.window.start;
        let is_wanted = !follower.window.is_empty()
            && follower.sends <= follower.window.end
            && follower.asked.len() < MOST_QUESTIONS;
        if is_wanted && self.has_frames() {
            let raw = RawQuestion {
                sends: follower.sends,
                question,
                about: self.class_number(about),
                trace: self.raw_trace(),
            };
            match is_before {
                true => follower.asked_before[question as usize] = Some(raw),
                false => follower.asked.push(raw),
            }
        }
        self.observers.follower = Some(follower);
    }

    /// The stack of the running process.
    fn raw_trace(&mut self) -> RawTrace {
        let mut trace = RawTrace {
            inner: Vec::new(),
            outer: VecDeque::new(),
            hidden: 0,
        };
        let mut walk = self.walk_frames();
        while let Some(view) = walk.next(self) {
            let frame = self.raw_frame(&view);
            if trace.inner.len() < KEPT {
                trace.inner.push(frame);
                continue;
            }
            if trace.outer.len() == KEPT {
                trace.outer.pop_front();
                trace.hidden += 1;
            }
            trace.outer.push_back(frame);
        }
        trace
    }

    fn raw_frame(&self, view: &FrameView) -> RawFrame {
        RawFrame {
            code: self.registers.code_of(view).id,
            ip: view.ip,
            is_top: view.is_top,
        }
    }

    /// A digest of a code that is the same in every machine: its names.
    fn code_digest(&self, known: &mut Vec<u64>, code: TargetId) -> u64 {
        let index = code.0 as usize;
        if known.len() <= index {
            known.resize(self.code.targets.len().max(index + 1), 0);
        }
        if known[index] == 0 {
            let target = self.code.target(code);
            let method = self.method(target.method);
            let place = [
                self.number_in_method(code),
                u64::from(method.code.get().span.start),
            ];
            let name = self.method_name(target.method);
            let names = text_digest(&[&name, self.unit_name(method.unit)]);
            known[index] = place.iter().fold(names, |sum, &part| mixed(sum ^ part)) | 1;
        }
        known[index]
    }

    /// Which of its method's blocks a code is, from 1; 0 for the method's own. Codes of a method stand side by side.
    fn number_in_method(&self, code: TargetId) -> u64 {
        let codes = self.code.targets[..=code.0 as usize].iter().rev();
        codes.take_while(|code| code.is_block).count() as u64
    }

    fn class_digest(&self, known: &mut Vec<u64>, class: u32) -> u64 {
        let index = class as usize;
        if known.len() <= index {
            known.resize(index + 1, 0);
        }
        if known[index] == 0 {
            known[index] = text_digest(&[&self.class_name(class)]);
        }
        known[index]
    }
}
