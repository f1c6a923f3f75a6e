//! The tree of computations, the paper's C-TREE: a node for each transition. A node of a state that was found before is a leaf, and refers
//! to the state's first node.

use std::collections::{BTreeMap, BTreeSet};

use crate::cycles::Graph;
use crate::findings::Findings;
use crate::program::Program;
use crate::space::Space;

/// The most nodes. Above it, a tree has only the paths to the results.
pub const MOST_NODES: usize = 2_000;

/// A tree.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The nodes. Parents come first.
    pub nodes: Vec<TreeNode>,
    /// Whether it has only the paths to the results.
    pub is_partial: bool,
}

/// A node.
#[derive(Debug, Clone)]
pub struct TreeNode {
    /// The paper's name: `C(0,1,1)`.
    pub name: String,
    /// The place of its parent.
    pub parent: Option<usize>,
    /// The actor and the message that it takes: `a1 ← join: 7`. The root has none.
    pub choice: String,
    /// The place of the first node with its state, if this is another one.
    pub merged: Option<usize>,
    /// The result of a final state.
    pub result: Option<String>,
    /// Whether a turn failed.
    pub is_failure: bool,
    /// The choice at its parent, from 0.
    pub(crate) number: usize,
    /// Edges from the root.
    pub(crate) depth: usize,
}

impl Space {
    /// The tree. None if the states are not kept.
    pub fn tree<P: Program>(&self, findings: &Findings, program: &P) -> Option<Tree> {
        if !self.has_graph() {
            return None;
        }
        // Every transition is an edge.
        let is_partial = self.transitions() >= MOST_NODES as u64;
        let wanted = is_partial.then(|| self.on_paths(findings));
        let results = self.results(findings);
        let mut builder = Builder {
            space: self,
            program,
            graph: Graph::new(self),
            results,
            firsts: BTreeMap::new(),
            states: Vec::new(),
            tree: Tree {
                nodes: Vec::new(),
                is_partial,
            },
        };
        builder.add(None, 0, 0, String::new());
        let mut next = 0;
        while next < builder.tree.nodes.len() {
            builder.expand(next, wanted.as_ref());
            next += 1;
        }
        builder.merge();
        Some(builder.tree)
    }

    /// The states on the paths to the first state of each result.
    fn on_paths(&self, findings: &Findings) -> BTreeSet<u32> {
        let mut wanted = BTreeSet::from([0]);
        for outcome in &findings.outcomes {
            let mut next = outcome.first;
            while wanted.len() < MOST_NODES && wanted.insert(next) {
                next = self.parent(next).map_or(0, |(parent, _)| parent);
            }
        }
        wanted
    }

    /// The results of final states.
    fn results(&self, findings: &Findings) -> BTreeMap<u32, (String, bool)> {
        let text = |number: usize| {
            let outcome = &findings.outcomes[number];
            (outcome.text(), outcome.failure.is_some())
        };
        let finals = self.finals.iter().zip(&findings.results);
        finals
            .map(|(state, number)| (*state, text(*number as usize)))
            .collect()
    }
}

struct Builder<'b, P> {
    space: &'b Space,
    program: &'b P,
    graph: Graph<'b>,
    results: BTreeMap<u32, (String, bool)>,
    /// The first node of each state.
    firsts: BTreeMap<u32, usize>,
    /// The state of each node.
    states: Vec<u32>,
    tree: Tree,
}

impl<P: Program> Builder<'_, P> {
    fn add(&mut self, parent: Option<usize>, state: u32, choice: usize, text: String) {
        let place = self.tree.nodes.len();
        let (name, depth) = match parent.map(|parent| &self.tree.nodes[parent]) {
            Some(parent) => {
                let parents = parent.name.trim_end_matches(')');
                (format!("{parents},{})", choice + 1), parent.depth + 1)
            }
            None => ("C(0)".to_string(), 0),
        };
        let result = self.results.get(&state);
        self.states.push(state);
        self.tree.nodes.push(TreeNode {
            name,
            parent,
            choice: text,
            number: choice,
            merged: None,
            result: result.map(|(text, _)| text.clone()),
            is_failure: result.is_some_and(|(_, is_failure)| *is_failure),
            depth,
        });
        let is_first = match (parent, self.space.parent(state)) {
            (Some(parent), Some(found)) => found == (self.states[parent], choice as u32),
            _ => parent.is_none(),
        };
        if is_first {
            self.firsts.insert(state, place);
        }
    }

    fn expand(&mut self, place: usize, wanted: Option<&BTreeSet<u32>>) {
        let state = self.states[place];
        if self.firsts.get(&state) != Some(&place) {
            return;
        }
        self.graph.load(state);
        let tables = &self.space.tables;
        let choices = self.graph.places.iter().zip(&self.graph.successors);
        let choices = choices.enumerate().map(|(choice, (place, next))| {
            let pending = self.graph.state.pending[*place as usize];
            let target = tables.names.text(tables.target(pending));
            let message = tables.message_text(pending, self.program);
            (choice, *next, format!("{target} ← {message}"))
        });
        let choices: Vec<_> = choices.collect();
        for (choice, next, text) in choices {
            let is_found_here = self.space.parent(next) == Some((state, choice as u32));
            let is_wanted = wanted.is_none_or(|wanted| is_found_here && wanted.contains(&next));
            if is_wanted {
                self.add(Some(place), next, choice, text);
            }
        }
    }

    /// Refers nodes to the first ones of their states.
    fn merge(&mut self) {
        for (place, node) in self.tree.nodes.iter_mut().enumerate() {
            let first = self.firsts.get(&self.states[place]).copied();
            node.merged = first.filter(|first| *first != place);
        }
    }
}

impl Tree {
    /// The nodes that refer to other ones.
    pub fn merged(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| node.merged.is_some())
            .count()
    }
}
