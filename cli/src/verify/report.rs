//! The report of a verification, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;
use tally_vm::{Asked, Crowd, FollowedSend, Question, Trace, TraceFrame};

use super::difference::{Difference, FirstSend};
use super::modes::Mode;
use crate::console;
use tally_workbench::loading::note_of_silence;

/// Differences of two runs that people are shown.
const MOST_SHOWN: usize = 6;

/// The result of a run in one mode.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compared {
    mode: &'static str,
    /// What a difference means: `failure`, or the word for such programs.
    meaning: &'static str,
    /// The option that changes the order of processors, if the mode is about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'static str>,
    /// Whether outputs must agree in all orders of processors.
    #[serde(skip)]
    needs_same_output: bool,
    is_equal: bool,
    differences: Vec<Difference>,
    /// The first send that differs, if a send does.
    first: Option<First>,
    /// Why there was no run.
    skipped: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct First {
    usual: Option<Send>,
    other: Option<Send>,
    depends_on: Option<Dependence>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Send {
    /// Its number in the run, from 1.
    number: u64,
    selector: String,
    receiver: String,
    /// Innermost first.
    stack: Vec<Frame>,
    /// Frames in the middle of the stack that are left out.
    hidden: usize,
    #[serde(skip)]
    trace: Trace,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependence {
    /// The request of the program.
    on: &'static str,
    /// The class of the object that it was about; absent where it is about none.
    about: Option<String>,
    /// The method whose message it was.
    method: String,
    /// The innermost method of the program's own on that stack.
    own_method: Option<String>,
    stack: Vec<Frame>,
    hidden: usize,
    #[serde(skip)]
    trace: Trace,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    method: String,
    is_block: bool,
    is_library: bool,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
}

/// Keys of one collection that differ and have one hash.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EqualHashes {
    keys: usize,
    /// How many keys the collection held.
    of: usize,
    /// Class of one of them.
    class: String,
}

/// What was found about the script, or about a test.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verified {
    /// Name of the test; empty for the script.
    pub(super) name: String,
    pub(super) ending: String,
    /// Of a test, with what prepares it and what runs it.
    pub(super) sends: u64,
    /// Absent where no collection grew that holds many such keys.
    pub(super) equal_hashes: Option<EqualHashes>,
    /// Sends of silent code of the program, absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) overhead: Option<u64>,
    pub(super) modes: Vec<Compared>,
}

/// Everything.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) schema: &'static str,
    /// How many of the runs differ from the usual one that must not.
    pub(super) failures: usize,
    /// How many of the programs or tests depend on something worth knowing, each kind counted once.
    pub(super) findings: usize,
    pub(super) runs: Vec<Verified>,
}

impl From<Crowd> for EqualHashes {
    fn from(crowd: Crowd) -> EqualHashes {
        let Crowd { keys, of, class } = crowd;
        EqualHashes { keys, of, class }
    }
}

impl EqualHashes {
    const WORD: &str = "equal hashes";

    fn text(&self) -> String {
        let EqualHashes { keys, of, class } = self;
        format!(
            "  {}: {keys} of the {of} keys in a collection have the same hash; the keys are instances of {class}\n    \
             A search for one of these keys compares it with the others, one by one: see {class}>>hash.\n",
            EqualHashes::WORD
        )
    }
}

impl Compared {
    pub(super) fn equal(mode: &Mode) -> Compared {
        Compared {
            mode: mode.text,
            meaning: mode.meaning.word(),
            option: mode.meaning.option(),
            needs_same_output: false,
            is_equal: true,
            differences: Vec::new(),
            first: None,
            skipped: None,
        }
    }

    pub(super) fn different(
        mode: &Mode,
        differences: Vec<Difference>,
        first: Option<FirstSend>,
    ) -> Compared {
        Compared {
            is_equal: false,
            differences,
            first: first.map(First::from),
            ..Compared::equal(mode)
        }
    }

    pub(super) fn skipped(mode: &Mode, why: String) -> Compared {
        Compared {
            skipped: Some(why),
            ..Compared::equal(mode)
        }
    }

    /// Outputs must agree in all orders of processors.
    pub(super) fn with_same_output(self) -> Compared {
        Compared {
            needs_same_output: self.option.is_some(),
            ..self
        }
    }

    fn is_failure(&self) -> bool {
        !self.is_equal && (self.meaning == "failure" || self.needs_same_output)
    }

    fn is_finding(&self) -> bool {
        !self.is_equal && !self.is_failure()
    }

    /// What depends on the order of processors, and on which option.
    fn dependence(&self, option: &str) -> String {
        let what = |difference: &Difference| match difference.what.as_str() {
            "how it ended" => "the ending",
            _ => "the output",
        };
        let mut words: Vec<&str> = self.differences.iter().map(what).collect();
        words.sort_unstable_by(|one, other| other.cmp(one));
        let verb = if words.len() > 1 { "depend" } else { "depends" };
        let meaning = match self.is_failure() {
            true => console::tinted(self.meaning, false),
            false => self.meaning.to_string(),
        };
        let words = words.join(" and ");
        format!(
            "  {meaning}: {words} {verb} on {option}; the run with {} differs\n",
            self.mode
        )
    }

    fn text(&self) -> String {
        let mut text = match self.is_failure() {
            _ if let Some(option) = self.option => self.dependence(option),
            true => format!(
                "  {}: the run in the mode '{}' differs\n",
                console::tinted("not deterministic", false),
                self.mode
            ),
            false => format!("  {}: the run with '{}' differs\n", self.meaning, self.mode),
        };
        for Difference { what, usual, other } in self.differences.iter().take(MOST_SHOWN) {
            let _ = writeln!(text, "    {what}: {usual} → {other}");
        }
        if let Some(more @ 1..) = self.differences.len().checked_sub(MOST_SHOWN) {
            let _ = writeln!(text, "    … {more} more …");
        }
        if let Some(first) = &self.first {
            text.push_str(&first.text(self.mode));
        }
        text
    }
}

impl First {
    fn text(&self, mode: &str) -> String {
        let mut text = String::new();
        if let Some(dependence) = &self.depends_on {
            text.push_str(&dependence.text());
        }
        if self.usual.is_none() && self.other.is_none() {
            return text + "    all sends are the same\n";
        }
        for (whose, send) in [("usual", &self.usual), (mode, &self.other)] {
            match send {
                Some(send) => text.push_str(&send.text(whose)),
                None => {
                    let _ = writeln!(
                        text,
                        "    the first send that differs, {whose}: none, the run was over"
                    );
                }
            }
        }
        text
    }
}

impl From<FirstSend> for First {
    fn from(first: FirstSend) -> First {
        First {
            usual: first.usual.map(Send::from),
            other: first.other.map(Send::from),
            depends_on: first.asked.map(Dependence::from),
        }
    }
}

impl From<FollowedSend> for Send {
    fn from(send: FollowedSend) -> Send {
        Send {
            number: send.number,
            selector: send.selector,
            receiver: send.receiver,
            stack: frames(&send.trace),
            hidden: send.trace.hidden,
            trace: send.trace,
        }
    }
}

impl Send {
    fn text(&self, whose: &str) -> String {
        let Send {
            number,
            selector,
            receiver,
            trace,
            ..
        } = self;
        let head = format!(
            "    the first send that differs, {whose}: number {number}, #{selector} to an instance of {receiver}\n"
        );
        head + &indented(&trace.text(false))
    }
}

impl From<Asked> for Dependence {
    fn from(asked: Asked) -> Dependence {
        let on = match asked.question {
            Question::IdentityHash => "the identity hash",
            Question::Seed => "the seed of a new Random",
            Question::Clock => "the clock",
            Question::Address => "the address",
        };
        let is_about = matches!(asked.question, Question::IdentityHash | Question::Address);
        let frames_of = &asked.trace.frames;
        let own = asked.trace.innermost_own();
        Dependence {
            on,
            about: is_about.then_some(asked.about),
            method: frames_of.first().map_or(String::new(), name),
            own_method: own.and_then(|at| frames_of.get(at)).map(name),
            stack: frames(&asked.trace),
            hidden: asked.trace.hidden,
            trace: asked.trace,
        }
    }
}

impl Dependence {
    fn text(&self) -> String {
        let about = self.about.as_ref();
        let about = about.map_or(String::new(), |class| format!(" of an instance of {class}"));
        let mut text = format!(
            "    it depends on {}{about}, for which {} asked last",
            self.on, self.method
        );
        let own = self.own_method.as_ref().filter(|own| **own != self.method);
        if let Some(own) = own {
            let _ = write!(text, " on behalf of {own}");
        }
        let at = self.trace.innermost_own();
        let place = at.and_then(|at| self.trace.frames[at].place.as_ref());
        if let Some(place) = place {
            let _ = write!(text, " ({place})");
        }
        text + "\n"
    }
}

fn name(frame: &TraceFrame) -> String {
    match frame.is_block {
        true => format!("[] in {}", frame.method),
        false => frame.method.clone(),
    }
}

fn frames(trace: &Trace) -> Vec<Frame> {
    let frame = |frame: &TraceFrame| Frame {
        method: frame.method.clone(),
        is_block: frame.is_block,
        is_library: frame.is_library,
        file: frame.place.as_ref().map(|place| place.file.clone()),
        line: frame.place.as_ref().map(|place| place.line),
        column: frame.place.as_ref().map(|place| place.column),
    };
    trace.frames.iter().map(frame).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

impl Verified {
    /// How many of its runs differ but must not.
    pub(super) fn failures(&self) -> usize {
        self.modes.iter().filter(|mode| mode.is_failure()).count()
    }

    /// The words for what it depends on.
    pub(super) fn findings(&self) -> Vec<&'static str> {
        let mut words = Vec::new();
        for mode in self.modes.iter().filter(|mode| mode.is_finding()) {
            if !words.contains(&mode.meaning) {
                words.push(mode.meaning);
            }
        }
        words.extend(self.equal_hashes.as_ref().map(|_| EqualHashes::WORD));
        words
    }

    /// A line, and what differs.
    pub(super) fn text(&self) -> String {
        let is_broken = |mode: &Compared| mode.is_failure() && mode.option.is_none();
        let mut words = self.findings();
        let failed = self.modes.iter().find(|mode| mode.is_failure());
        words.extend(failed.map(|mode| mode.meaning));
        let made = self.modes.iter().filter(|mode| mode.skipped.is_none());
        let verdict = match words.is_empty() {
            true => format!("the same in {} runs", made.count() + 1),
            false if !self.modes.iter().any(is_broken) => words.join(", "),
            false => console::tinted("NOT DETERMINISTIC", false),
        };
        let sends = if self.sends == 1 { "send" } else { "sends" };
        let mut text = match self.name.as_str() {
            "" => format!(
                "the script  {} {sends}, {}: {verdict}\n",
                self.sends, self.ending
            ),
            name => format!("{name}  {}: {verdict}\n", self.ending),
        };
        for mode in &self.modes {
            if let Some(why) = &mode.skipped {
                let _ = writeln!(text, "  not run in the mode '{}': {why}", mode.mode);
            }
        }
        if let Some(note) = self.overhead.and_then(note_of_silence) {
            let _ = writeln!(text, "  warning: {note}");
        }
        if let Some(found) = &self.equal_hashes {
            text.push_str(&found.text());
        }
        // Two sequences of hashes find the same, and so do two seeds of an order.
        let mut told: Vec<&str> = Vec::new();
        for mode in self.modes.iter().filter(|mode| !mode.is_equal) {
            let told_by = mode.option.unwrap_or(mode.meaning);
            if is_broken(mode) || !told.contains(&told_by) {
                told.push(told_by);
                text.push_str(&mode.text());
            }
        }
        text
    }
}

impl Report {
    /// The last lines.
    pub(super) fn summary(&self) -> String {
        let counted = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        if self.failures == 0 && self.findings == 0 {
            return String::new();
        }
        format!(
            "\n{}, {}\n",
            counted(
                self.failures,
                "run differs but must not",
                "runs differ but must not"
            ),
            counted(self.findings, "finding", "findings"),
        )
    }
}
