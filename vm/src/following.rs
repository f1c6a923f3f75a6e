//! Following a run send by send, so that two runs of one program can be held against each other: a digest of all that was
//! sent up to regular points, and within a window every single send with the stack that it was executed on. Only the copies of the
//! loop that maintain the whole cost vector ask for it; no count changes by it. Which runs are compared is not decided here.

use std::collections::VecDeque;
use std::ops::Range;

use crate::bytecode::Instruction;
use crate::code::TargetId;
use crate::frames::FrameView;
use crate::trace::Trace;
use crate::value::{SymbolId, Value};
use crate::vm::Vm;

/// Sends between two points whose digests are kept, at first.
const FIRST_STEP: u64 = 1 << 10;
/// When there are more points every other is dropped.
const MOST_POINTS: usize = 1 << 16;
/// The longest window.
const MOST_SENDS: u64 = 1 << 10;
/// Frames that are kept at each end of a stack.
const KEPT: usize = 64;
/// Questions to the outside that are kept within a window.
const MOST_QUESTIONS: usize = 1 << 12;

/// What a program can ask for that the counting model does not fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// The identity hash of an object.
    IdentityHash,
    /// The seed of a new Random.
    Seed,
    /// The time.
    Clock,
    /// Where an object lies in memory.
    Address,
}

/// How many kinds of questions there are.
const QUESTIONS: usize = Question::Address as usize + 1;

/// A digest of all that was sent up to some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Sends so far.
    pub sends: u64,
    /// What they were: which code sent from where in it, to an instance of which class, in which process.
    pub digest: u64,
}

/// What was seen of a run: digests, comparable with those of another machine's run.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Digests at regular points, those at the first of the range and at the end included.
    pub points: Vec<Point>,
    /// Digests after each send of the window, as far as the run came.
    pub window: Vec<u64>,
}

/// A send and where it was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedSend {
    /// Its number in the run, from 1.
    pub number: u64,
    /// The message.
    pub selector: String,
    /// Class of its receiver.
    pub receiver: String,
    /// The stack; its innermost frame executes the send.
    pub trace: Trace,
}

/// A question that a program asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How many sends had been executed.
    pub sends: u64,
    /// What was asked for.
    pub question: Question,
    /// Class of the object that it was about.
    pub about: String,
    /// The stack; its innermost frame executes the send that asked.
    pub trace: Trace,
}

/// A frame, to be described when somebody wants to know.
#[derive(Clone, Copy, Debug)]
struct RawFrame {
    code: TargetId,
    ip: *const u64,
    is_top: bool,
}

#[derive(Clone, Debug)]
struct RawTrace {
    /// Innermost first.
    inner: Vec<RawFrame>,
    /// The outermost, if there are more.
    outer: VecDeque<RawFrame>,
    hidden: usize,
}

struct RawSend {
    digest: u64,
    site: Option<u32>,
    receiver: u32,
    trace: RawTrace,
}

struct RawQuestion {
    sends: u64,
    question: Question,
    about: u32,
    trace: RawTrace,
}

/// Who follows a run.
pub(crate) struct Follower {
    /// Points before this one are not kept.
    first: u64,
    step: u64,
    window: Range<u64>,
    sends: u64,
    digest: u64,
    /// The next send is the machine's own, part of an inlined loop.
    skips_one: bool,
    /// What codes are called, by their numbers; 0 where nobody asked.
    codes: Vec<u64>,
    /// The same of classes.
    classes: Vec<u64>,
    points: Vec<Point>,
    seen: Vec<RawSend>,
    /// The last of each kind before the window.
    asked_before: [Option<RawQuestion>; QUESTIONS],
    asked: Vec<RawQuestion>,
}

impl Follower {
    fn add(&mut self, word: u64) {
        self.digest = mixed(self.digest.rotate_left(7) ^ word);
        self.sends += 1;
        let is_point = self.sends.is_multiple_of(self.step) || self.sends == self.first;
        if is_point && self.sends >= self.first {
            self.add_point();
        }
    }

    fn add_point(&mut self) {
        self.points.push(Point {
            sends: self.sends,
            digest: self.digest,
        });
        if self.points.len() > MOST_POINTS {
            self.step *= 2;
            let (first, step) = (self.first, self.step);
            let stays = |point: &Point| point.sends == first || point.sends.is_multiple_of(step);
            self.points.retain(stays);
        }
    }

    /// Whether the send that comes next is in the window.
    fn looks_closely(&self) -> bool {
        self.window.contains(&self.sends)
    }
}

fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    word ^ (word >> 29)
}

fn text_digest(parts: &[&str]) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    digest | 1
}

impl Vm {
    /// Follows the run from now on: digests from the send with this number on, and each send of the window, of which at most a
    /// thousand are looked at. To be ended by [`Vm::stop_following`].
    pub fn follow(&mut self, first: u64, window: Range<u64>) {
        let end = window.end.min(window.start.saturating_add(MOST_SENDS));
        self.count_everything();
        self.follower = Some(Box::new(Follower {
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

    /// Follows no longer. What was seen is kept.
    pub fn stop_following(&mut self) -> Followed {
        let Some(follower) = &mut self.follower else {
            return Followed::default();
        };
        follower.add_point();
        let followed = Followed {
            points: std::mem::take(&mut follower.points),
            window: follower.seen.iter().map(|send| send.digest).collect(),
        };
        self.followed = self.follower.take();
        self.count_less();
        followed
    }

    /// A send of the window by its place there, of the run that was followed last.
    pub fn followed_send(&self, index: usize) -> Option<FollowedSend> {
        let follower = self.followed.as_ref()?;
        let raw = follower.seen.get(index)?;
        Some(FollowedSend {
            number: follower.window.start + index as u64 + 1,
            selector: self.selector_at(raw.site),
            receiver: self.class_name(raw.receiver),
            trace: self.described(&raw.trace),
        })
    }

    /// The last question of that kind that was asked before a send of the window.
    pub fn asked_before(&self, question: Question, index: usize) -> Option<Asked> {
        let follower = self.followed.as_ref()?;
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
        let site = site.and_then(|site| self.sites.get(site as usize));
        let selector: Option<SymbolId> = site.map(|site| site.selector);
        selector.map_or(String::new(), |id| self.symbols.text(id).to_string())
    }

    fn class_name(&self, class: u32) -> String {
        let class = self.classes.get(class as usize);
        class.map_or(String::new(), |class| class.display_name())
    }

    fn described(&self, raw: &RawTrace) -> Trace {
        let frames = raw.inner.iter().chain(&raw.outer);
        let frames = frames.map(|frame| {
            let target = self.target(frame.code);
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
        let Some(mut follower) = self.follower.take() else {
            return;
        };
        if !std::mem::take(&mut follower.skips_one) && self.silence.is_none() {
            let frame = self.frame_index();
            let target = self.running_code(frame);
            let pc = target.index_of(self.ip).unwrap_or(usize::MAX);
            let code = target.id;
            let class = self.class_number(receiver);
            let mut word = self.code_digest(&mut follower.codes, code);
            word = mixed(word ^ pc as u64);
            word = mixed(word ^ self.class_digest(&mut follower.classes, class));
            word ^= u64::from(self.current.0);
            let looks_closely = follower.looks_closely();
            follower.add(word);
            if looks_closely {
                let trace = self.raw_trace();
                let send = Instruction::at(&self.target(code).words, pc);
                follower.seen.push(RawSend {
                    digest: follower.digest,
                    site: send.and_then(Instruction::site),
                    receiver: class,
                    trace,
                });
            }
        }
        self.follower = Some(follower);
    }

    /// The send that comes is no send.
    #[cold]
    pub(crate) fn follow_no_send(&mut self) {
        if let Some(follower) = &mut self.follower {
            follower.skips_one = true;
        }
    }

    /// The running process asks for something that the counting model does not fix.
    #[inline]
    pub(crate) fn note_asked(&mut self, question: Question, about: Value) {
        if self.follower.is_some() {
            self.keep_question(question, about);
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_question(&mut self, question: Question, about: Value) {
        let Some(mut follower) = self.follower.take() else {
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
        self.follower = Some(follower);
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
            code: self.code_of(view).id,
            ip: view.ip,
            is_top: view.is_top,
        }
    }

    /// What is the same in every machine about a code: the names that lead to it.
    fn code_digest(&self, known: &mut Vec<u64>, code: TargetId) -> u64 {
        let index = code.0 as usize;
        if known.len() <= index {
            known.resize(self.targets.len().max(index + 1), 0);
        }
        if known[index] == 0 {
            let target = self.target(code);
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
        let codes = self.targets[..=code.0 as usize].iter().rev();
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
