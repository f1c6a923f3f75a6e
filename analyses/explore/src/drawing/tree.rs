//! The tree of computations from left to right: a row for each leaf.

use tally_presentation::escape::markup;
use tally_presentation::width::clipped;
use tally_presentation::{counted, grouped};

use super::{Picture, text_width};
use crate::tree::{Tree, TreeNode};

/// Points of a row, above the first row, and beside the picture.
const ROW: f64 = 34.0;
const TOP: f64 = 84.0;
const EDGE: f64 = 24.0;
/// The most columns of a choice, and of a result.
const CHOICE: usize = 34;
const RESULT: usize = 60;

/// The layout: where each node is.
struct Layout {
    rows: Vec<f64>,
    columns: Vec<f64>,
    leaves: usize,
}

impl Tree {
    /// The tree as a picture.
    pub fn svg(&self, title: &str) -> String {
        let layout = self.layout();
        let last = layout.columns.last().copied().unwrap_or(0.0);
        let results = self.nodes.iter().filter_map(|node| node.result.as_ref());
        let results = results.map(|text| text_width(&clipped(text, RESULT)));
        let room = results.fold(60.0, f64::max) + 2.0 * EDGE;
        let size = (last + room, TOP + layout.leaves as f64 * ROW + EDGE);
        let mut picture = Picture::new(title, size);
        picture.words("note", (20.0, 46.0), &markup(&self.note()));
        for (place, node) in self.nodes.iter().enumerate() {
            self.draw_edges(place, node, &layout, &mut picture);
        }
        for (place, node) in self.nodes.iter().enumerate() {
            draw_node(node, layout.at(place, node), &mut picture);
        }
        picture.finish()
    }

    fn note(&self) -> String {
        let count = self.nodes.len() as u64;
        let merged = self.merged() as u64;
        let mut note = match self.is_partial {
            true => format!(
                "{} on the paths to the results; the whole tree is too large to draw.",
                counted(count, "node", "nodes")
            ),
            false => format!("{}.", counted(count, "node", "nodes")),
        };
        if merged > 0 {
            let verb = if merged == 1 { "repeats" } else { "repeat" };
            let states = if merged == 1 { "a state" } else { "states" };
            note.push_str(&format!(
                " {} {verb} {states} that another node has: a dotted line leads there.",
                grouped(merged)
            ));
        }
        note
    }

    /// A leaf has a row of its own. Other nodes are in the row of their first child, so that the picture begins at its top.
    fn layout(&self) -> Layout {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut widths = vec![0.0f64];
        for (place, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(place);
            }
            if widths.len() <= node.depth {
                widths.resize(node.depth + 1, 0.0);
            }
            let wide = text_width(&clipped(&node.choice, CHOICE));
            widths[node.depth] = widths[node.depth].max(wide);
        }
        let mut rows = vec![0.0; self.nodes.len()];
        let mut leaves = 0;
        let mut stack: Vec<(usize, bool)> = vec![(0, false)];
        while let Some((place, is_done)) = stack.pop() {
            match &children[place][..] {
                [] => {
                    rows[place] = leaves as f64;
                    leaves += 1;
                }
                [first, ..] if is_done => rows[place] = rows[*first],
                below => {
                    stack.push((place, true));
                    stack.extend(below.iter().rev().map(|child| (*child, false)));
                }
            }
        }
        let mut x = EDGE;
        let columns = widths.iter().map(|width| {
            x += if *width > 0.0 { width + 40.0 } else { 0.0 };
            x
        });
        Layout {
            columns: columns.collect(),
            rows,
            leaves,
        }
    }

    fn draw_edges(&self, place: usize, node: &TreeNode, layout: &Layout, picture: &mut Picture) {
        let (x, y) = layout.at(place, node);
        if let Some(parent) = node.parent {
            let (from, above) = layout.at(parent, &self.nodes[parent]);
            let bend = from + 22.0;
            let shape = match y > above {
                true => format!(
                    "M{from:.1} {above:.1}V{:.1}L{bend:.1} {y:.1}H{x:.1}",
                    y - 10.0
                ),
                false => format!("M{from:.1} {above:.1}H{x:.1}"),
            };
            picture.path("", &shape, "");
            let words = markup(&clipped(&node.choice, CHOICE));
            picture.words("note", (bend + 4.0, y - 5.0), &words);
        }
        if let Some(first) = node.merged {
            let (to, height) = layout.at(first, &self.nodes[first]);
            let side = x.max(to) + 46.0;
            let shape = format!(
                "M{x:.1} {y:.1}C{side:.1} {y:.1} {side:.1} {height:.1} {to:.1} {height:.1}"
            );
            let title = format!("{} ≡ {}", node.name, self.nodes[first].name);
            picture.path("merged", &shape, &title);
        }
    }
}

fn draw_node(node: &TreeNode, (x, y): (f64, f64), picture: &mut Picture) {
    let class = match (node.merged, &node.result) {
        (Some(_), _) => "merged",
        (None, Some(_)) if node.is_failure => "failed",
        (None, Some(_)) => "filled",
        (None, None) => "",
    };
    picture.circle(class, (x, y), &node.name);
    if let (Some(result), None) = (&node.result, node.merged) {
        let words = markup(&clipped(result, RESULT));
        picture.words("", (x + 11.0, y + 4.0), &words);
    }
}

impl Layout {
    fn at(&self, place: usize, node: &TreeNode) -> (f64, f64) {
        (self.columns[node.depth], TOP + self.rows[place] * ROW)
    }
}
