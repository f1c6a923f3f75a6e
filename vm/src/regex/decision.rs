//! How far into a text a search in linear time has to look until its match is decided. A match can be decided far behind its
//! end: `.*x|a` finds an `a` at once, and looks for an `x` to the end of the line. What a search is charged follows from this.

use std::sync::Mutex;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::MOST_BYTES;

/// A deterministic automaton of an expression. It is made state by state, while it reads, and keeps the states.
#[derive(Debug)]
pub(super) struct Decider {
    automaton: DFA,
    states: Mutex<Cache>,
}

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
        let automaton = built.ok()?;
        let states = Mutex::new(automaton.create_cache());
        Some(Decider { automaton, states })
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
        // What another thread has left half made is made anew.
        let mut states = self.states.lock().unwrap_or_else(|poisoned| {
            let mut states = poisoned.into_inner();
            states.reset(&self.automaton);
            states
        });
        let mut state = self
            .automaton
            .start_state_forward(&mut states, &input)
            .ok()?;
        let end = text.len().min(at.saturating_add(most));
        for place in at..end {
            let had_matched = state.is_match();
            state = self
                .automaton
                .next_state(&mut states, state, *text.get(place)?)
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
