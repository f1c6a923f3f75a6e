//! The tree of computations for Graphviz.

use std::fmt::Write as _;

use tally_presentation::printable;

use crate::tree::Tree;

impl Tree {
    /// The tree as DOT.
    pub fn dot(&self) -> String {
        let mut text =
            "digraph tree {\n  node [shape=circle, label=\"\", width=0.15];\n".to_string();
        for (place, node) in self.nodes.iter().enumerate() {
            let name = quoted(&node.name);
            let result = node.result.as_ref().filter(|_| node.merged.is_none());
            let _ = match result {
                Some(result) => writeln!(
                    text,
                    "  n{place} [style=filled, fillcolor={}, tooltip={name}, xlabel={}];",
                    if node.is_failure { "red" } else { "black" },
                    quoted(result)
                ),
                None => writeln!(text, "  n{place} [tooltip={name}];"),
            };
            if let Some(parent) = node.parent {
                let _ = writeln!(
                    text,
                    "  n{parent} -> n{place} [label={}];",
                    quoted(&node.choice)
                );
            }
            if let Some(first) = node.merged {
                let dotted = "style=dotted, dir=none, constraint=false";
                let _ = writeln!(text, "  n{place} -> n{first} [{dotted}];");
            }
        }
        text.push_str("}\n");
        text
    }
}

/// A text as a string of DOT.
fn quoted(text: &str) -> String {
    let text = printable(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}
