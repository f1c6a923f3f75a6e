//! A follower of a run: its digests and notes of sends.

use std::collections::VecDeque;
use std::ops::Range;

use crate::base::TargetId;
use crate::world::Trace;

/// Sends between two kept digests at first.
pub(crate) const FIRST_STEP: u64 = 1 << 10;

/// When there are more points every other is dropped.
const MOST_POINTS: usize = 1 << 16;

/// A value that a program can read and that the counting model does not fix.
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

/// A digest of all sends up to some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Sends so far.
    pub sends: u64,
    /// Digest of the sends: sending code and its location, called code, class of the receiver, process.
    pub digest: u64,
}

/// The notes on a run: digests, comparable with the digests of a different machine's run.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Digests at regular points, with the points at the first send of the range and at the end.
    pub points: Vec<Point>,
    /// Digests after each send of the window that the run reached.
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

/// A use of such a value by a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How many sends had been executed.
    pub sends: u64,
    /// The value that was read.
    pub question: Question,
    /// Class of the object that it was about.
    pub about: String,
    /// The stack; its innermost frame executes the send that read the value.
    pub trace: Trace,
}

/// A frame by its numbers. It is described only when a description is needed, because descriptions are slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawFrame {
    pub(crate) code: TargetId,
    pub(crate) ip: *const u64,
    pub(crate) is_top: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RawTrace {
    /// Innermost first.
    pub(crate) inner: Vec<RawFrame>,
    /// The outermost, if there are more.
    pub(crate) outer: VecDeque<RawFrame>,
    pub(crate) hidden: usize,
}

pub(crate) struct RawSend {
    pub(crate) digest: u64,
    pub(crate) site: Option<u32>,
    pub(crate) receiver: u32,
    pub(crate) trace: RawTrace,
}

pub(crate) struct RawQuestion {
    pub(crate) sends: u64,
    pub(crate) question: Question,
    pub(crate) about: u32,
    pub(crate) trace: RawTrace,
}

/// The follower of a run.
pub(crate) struct Follower {
    /// Points before this one are not kept.
    pub(crate) first: u64,
    pub(crate) step: u64,
    pub(crate) window: Range<u64>,
    pub(crate) sends: u64,
    pub(crate) digest: u64,
    /// The next send is the machine's own, part of an inlined loop.
    pub(crate) skips_one: bool,
    /// The digests of the codes' names, by code number; 0 where none was needed yet.
    pub(crate) codes: Vec<u64>,
    /// The same of classes.
    pub(crate) classes: Vec<u64>,
    pub(crate) points: Vec<Point>,
    pub(crate) seen: Vec<RawSend>,
    /// The last of each kind before the window.
    pub(crate) asked_before: [Option<RawQuestion>; QUESTIONS],
    pub(crate) asked: Vec<RawQuestion>,
}

impl Follower {
    pub(crate) fn add(&mut self, word: u64) {
        self.digest = mixed(self.digest.rotate_left(7) ^ word);
        self.sends += 1;
        let is_point = self.sends.is_multiple_of(self.step) || self.sends == self.first;
        if is_point && self.sends >= self.first {
            self.add_point();
        }
    }

    pub(crate) fn add_point(&mut self) {
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
    pub(crate) fn looks_closely(&self) -> bool {
        self.window.contains(&self.sends)
    }
}

pub(crate) fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    word ^ (word >> 29)
}
