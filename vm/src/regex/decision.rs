//! How far into a text a search in linear time has to look until its match is decided. A match can be decided far behind its
//! end: `.*x|a` finds an `a` at once, and looks for an `x` to the end of the line. What a search is charged follows from this.

use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::MOST_BYTES;

/// A deterministic automaton of an expression. It is made state by state, while it reads.
#[derive(Debug)]
pub(super) struct Decider(DFA);

impl Decider {
    /// That of a pattern; `None` if it would take too much memory.
    pub(super) fn new(pattern: &str, syntax: syntax::Config) -> Option<Decider> {
        let limits = thompson::Config::new()
            .nfa_size_limit(Some(MOST_BYTES))
            .which_captures(thompson::WhichCaptures::None);
        let automaton = DFA::config()
            .match_kind(MatchKind::LeftmostFirst)
            .unicode_word_boundary(true)
            .cache_capacity(MOST_BYTES);
        let built = DFA::builder()
            .syntax(syntax)
            .thompson(limits)
            .configure(automaton)
            .build(pattern);
        built.ok().map(Decider)
    }

    /// The byte behind the last one that a search from `at` on has to look at, but no more than `most` bytes. It is unknown
    /// where an expression has the boundary of a word, and stands beside a character that is not ASCII.
    pub(super) fn looks_to(
        &self,
        text: &[u8],
        at: usize,
        most: usize,
        is_anchored: bool,
    ) -> Option<usize> {
        let anchored = if is_anchored {
            Anchored::Yes
        } else {
            Anchored::No
        };
        let input = Input::new(text).range(at..).anchored(anchored);
        let mut cache = self.0.create_cache();
        let mut state = self.0.start_state_forward(&mut cache, &input).ok()?;
        let end = text.len().min(at.saturating_add(most));
        for place in at..end {
            let had_matched = state.is_match();
            state = self
                .0
                .next_state(&mut cache, state, *text.get(place)?)
                .ok()?;
            if state.is_dead() {
                // The automaton finds a match a byte late, so nothing was left to look for before this byte.
                return Some(place + usize::from(!had_matched));
            }
            if state.is_quit() {
                return None;
            }
        }
        Some(end)
    }
}
