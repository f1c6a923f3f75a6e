//! Regular expressions: their dialect, and what finds matches. An expression that looks around itself is matched by a
//! matcher of this room, which answers the number of its steps. A crate matches all others, in linear time.

mod decision;
mod dialect;
#[cfg(test)]
mod differential;
mod matcher;
mod program;
mod tree;

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use decision::Decider;
use matcher::Matcher;
use program::{Program, Unfit};
use tree::Node;

pub(crate) use dialect::SyntaxError;

/// The bytes where groups begin and end, the whole first; `None` for a group that took no part.
pub(crate) type Groups = Vec<Option<Range<usize>>>;

/// Where a match may begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It begins at the start or behind it.
    Search,
    /// It begins at the start.
    Prefix,
    /// It begins at the start and ends at the end of the text.
    Whole,
}

/// A search ended because it took the greatest number of steps.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutOfSteps;

/// Bytes that the engine may take for an expression, about.
const MOST_BYTES: usize = 4 << 20;

/// The longest expression, in characters.
pub(crate) const LONGEST: usize = 10_000;

/// A regular expression that is ready for matching.
#[derive(Debug)]
pub(crate) struct Regex {
    /// Groups that capture, the whole among them.
    pub(crate) groups: usize,
    /// Nodes of its tree.
    nodes: u64,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    /// The expression as it is, and the expression made so that a match goes to the end of the text.
    Linear(Box<Linear>, Box<Linear>),
    Backtracking(Program),
}

/// An expression that is matched in linear time.
#[derive(Debug)]
struct Linear {
    engine: meta::Regex,
    pattern: String,
    ignores_case: bool,
    /// Made when something is charged for the first time.
    decider: OnceLock<Option<Decider>>,
}

impl Regex {
    pub(crate) fn new(source: &str, ignores_case: bool) -> Result<Regex, SyntaxError> {
        if source.chars().count() > LONGEST {
            return Err(refused("the regular expression is too long"));
        }
        let tree = dialect::translate(source)?;
        let engine = match tree.looks_around() {
            true => Engine::backtracking(&tree, ignores_case),
            false => Engine::linear(&tree, ignores_case),
        };
        Ok(Regex {
            groups: tree.groups() + 1,
            nodes: tree.count(),
            engine: engine?,
        })
    }

    /// Units of work that each character takes; `None` if a search counts its steps.
    pub(crate) fn steps_a_character(&self) -> Option<u64> {
        matches!(self.engine, Engine::Linear(..)).then_some(self.nodes)
    }

    /// The byte behind the last one that a search in linear time from `at` on has to look at, but no more than `most` bytes;
    /// `None` where it is unknown.
    pub(crate) fn looks_to(
        &self,
        text: &[u8],
        at: usize,
        most: usize,
        mode: Mode,
    ) -> Option<usize> {
        let Engine::Linear(any, whole) = &self.engine else {
            return None;
        };
        let linear = if mode == Mode::Whole { whole } else { any };
        let syntax = || syntax_of(linear.ignores_case);
        let decider = linear
            .decider
            .get_or_init(|| Decider::new(&linear.pattern, syntax()));
        decider
            .as_ref()?
            .looks_to(text, at, most, mode != Mode::Search)
    }

    /// Steps that suffice for a search through that many bytes which never goes back.
    pub(crate) fn steps_ahead(&self, bytes: usize) -> u64 {
        match &self.engine {
            Engine::Linear(..) => 0,
            Engine::Backtracking(program) => {
                (bytes as u64 + 1).saturating_mul(program.code.len() as u64)
            }
        }
    }

    /// The first match in a part of a text in UTF-8, and the steps that were counted. What surrounds the part is
    /// looked at where conditions require it.
    pub(crate) fn find(
        &self,
        text: &[u8],
        part: Range<usize>,
        mode: Mode,
        most_steps: u64,
    ) -> (Result<Option<Groups>, OutOfSteps>, u64) {
        match &self.engine {
            Engine::Linear(any, whole) => {
                let engine = if mode == Mode::Whole { whole } else { any };
                let mut found = find_linear(&engine.engine, text, part, mode);
                if let Some(groups) = &mut found {
                    // The engine forgets groups at the end that can take no part, as in `(a){0}`.
                    groups.resize(self.groups, None);
                }
                (Ok(found), 0)
            }
            Engine::Backtracking(program) => {
                let mut matcher = Matcher::new(program, text, mode, most_steps);
                let found = match mode {
                    Mode::Search => matcher.search(part.start),
                    Mode::Prefix | Mode::Whole => matcher.match_at(part.start),
                };
                (found, matcher.steps())
            }
        }
    }
}

impl Engine {
    fn linear(tree: &Node, ignores_case: bool) -> Result<Engine, SyntaxError> {
        let build = |pattern: String| {
            let limits = meta::Config::new()
                .nfa_size_limit(Some(MOST_BYTES))
                .hybrid_cache_capacity(MOST_BYTES);
            let built = meta::Builder::new()
                .syntax(syntax_of(ignores_case))
                .configure(limits)
                .build(&pattern);
            let engine = built.map_err(|_| refused(TOO_COMPLEX))?;
            Ok(Box::new(Linear {
                engine,
                pattern,
                ignores_case,
                decider: OnceLock::new(),
            }))
        };
        let whole = build(format!("(?:{tree})\\z"))?;
        Ok(Engine::Linear(build(tree.to_string())?, whole))
    }

    fn backtracking(tree: &Node, ignores_case: bool) -> Result<Engine, SyntaxError> {
        match Program::new(tree, ignores_case) {
            Ok(program) => Ok(Engine::Backtracking(program)),
            Err(Unfit::TooComplex) => Err(refused(TOO_COMPLEX)),
            Err(Unfit::LengthsDiffer) => {
                Err(refused("the matches of a look behind differ in length"))
            }
        }
    }
}

/// How the crate reads patterns.
fn syntax_of(ignores_case: bool) -> syntax::Config {
    syntax::Config::new()
        .case_insensitive(ignores_case)
        .multi_line(true)
        .crlf(true)
}

const TOO_COMPLEX: &str = "the regular expression is too complex";

fn refused(message: &str) -> SyntaxError {
    SyntaxError {
        message: message.to_string(),
        position: 1,
    }
}

fn find_linear(
    engine: &meta::Regex,
    text: &[u8],
    part: Range<usize>,
    mode: Mode,
) -> Option<Groups> {
    let anchored = match mode {
        Mode::Search => Anchored::No,
        Mode::Prefix | Mode::Whole => Anchored::Yes,
    };
    let input = Input::new(text).range(part).anchored(anchored);
    let mut captures = engine.create_captures();
    engine.search_captures(&input, &mut captures);
    let groups = || {
        captures
            .iter()
            .map(|group| group.map(Range::from))
            .collect()
    };
    captures.is_match().then(groups)
}
