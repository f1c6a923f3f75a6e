//! The time dependencies diagram: a vertical lifeline for each actor, and a row for each node.

use std::collections::BTreeSet;

use tally_presentation::escape::markup;
use tally_presentation::grouped;
use tally_presentation::width::clipped;

use super::{Picture, text_width};
use crate::diagram::{Diagram, Edge, EdgeKind};

/// The most nodes. The first ones are drawn.
const MOST_NODES: usize = 400;
/// The most nodes of a diagram whose edges have their times.
const WITH_TIMES: usize = 40;
const ROW: f64 = 46.0;
const TOP: f64 = 110.0;
const LEFT: f64 = 40.0;
/// The most columns of a message.
const MESSAGE: usize = 26;

impl Diagram {
    /// The diagram as a picture: start-ups are filled, creations are dotted, and the heaviest path is heavy.
    pub fn svg(&self, title: &str) -> String {
        let shown = self.nodes.len().min(MOST_NODES);
        let column = self.column();
        let cost = format!(
            "Work {}, Depth {}. Causes are above. W is the weight of a node; at an edge is the time at which it lets its end begin.",
            grouped(self.cost.work),
            grouped(self.cost.depth)
        );
        let columns = LEFT + column * self.lifelines.len() as f64 + 40.0;
        let width = columns.max(text_width(&cost) + 40.0);
        let mut picture = Picture::new(title, (width, TOP + ROW * shown as f64 + 20.0));
        picture.words("note", (20.0, 46.0), &markup(&cost));
        if shown < self.nodes.len() {
            let more = (self.nodes.len() - shown) as u64;
            let note = format!("{} more nodes follow below.", grouped(more));
            picture.words("note", (20.0, 62.0), &note);
        }
        self.draw_lifelines(shown, column, &mut picture);
        let critical: BTreeSet<(usize, usize)> = self
            .critical
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        for edge in self.edges.iter().filter(|edge| edge.to < shown) {
            let is_critical = critical.contains(&(edge.from, edge.to));
            self.draw_edge(edge, is_critical, column, &mut picture);
        }
        for edge in self.edges.iter().filter(|edge| edge.to < shown) {
            self.draw_time(edge, column, &mut picture);
        }
        for place in 0..shown {
            self.draw_node(place, column, &mut picture);
        }
        picture.finish()
    }

    fn draw_lifelines(&self, shown: usize, column: f64, picture: &mut Picture) {
        for (place, name) in self.lifelines.iter().enumerate() {
            let x = LEFT + column * place as f64;
            picture.words("middle", (x, TOP - 26.0), &markup(&clipped(name, 16)));
            let end = TOP + ROW * (shown as f64 - 0.5);
            let shape = format!("M{x:.1} {:.1}V{end:.1}", TOP - 16.0);
            picture.path("lifeline", &shape, "");
        }
    }

    /// The points of a lifeline with its messages.
    fn column(&self) -> f64 {
        let messages = self.nodes.iter().filter_map(|node| node.message.as_ref());
        let widths = messages.map(|text| text_width(&clipped(text, MESSAGE)));
        widths.fold(80.0, f64::max) + 60.0
    }

    fn at(&self, place: usize, column: f64) -> (f64, f64) {
        let x = LEFT + column * self.nodes[place].lifeline as f64;
        (x, TOP + ROW * place as f64)
    }

    fn draw_edge(&self, edge: &Edge, is_critical: bool, column: f64, picture: &mut Picture) {
        let ((x, y), (to, below)) = (self.at(edge.from, column), self.at(edge.to, column));
        let class = match (edge.kind, is_critical) {
            (EdgeKind::New, true) => "new critical",
            (EdgeKind::New, false) => "new",
            (_, true) => "critical",
            (EdgeKind::Lifeline, false) => "lifeline",
            (EdgeKind::Send, false) => "",
        };
        let time = grouped(edge.arrives);
        let title = format!("d{},{} = {time}", edge.from + 1, edge.to + 1);
        // A message to its own sender would lie on the lifeline.
        let shape = match edge.kind {
            EdgeKind::Send if x == to => {
                let side = x - 26.0;
                format!(
                    "M{x:.1} {y:.1}C{side:.1} {y:.1} {side:.1} {below:.1} {:.1} {below:.1}",
                    to - 6.0
                )
            }
            EdgeKind::Lifeline => format!("M{x:.1} {:.1}V{:.1}", y + 5.0, below - 5.0),
            _ => {
                let length = (to - x).hypot(below - y).max(1.0);
                let (dx, dy) = ((to - x) / length * 6.0, (below - y) / length * 6.0);
                format!(
                    "M{:.1} {:.1}L{:.1} {:.1}",
                    x + dx,
                    y + dy,
                    to - dx,
                    below - dy
                )
            }
        };
        match edge.kind {
            EdgeKind::Lifeline => picture.path(class, &shape, &title),
            EdgeKind::New | EdgeKind::Send => picture.arrow(class, &shape, &title),
        }
    }

    /// The time at a message, on its edge.
    fn draw_time(&self, edge: &Edge, column: f64, picture: &mut Picture) {
        let ((x, y), (to, below)) = (self.at(edge.from, column), self.at(edge.to, column));
        let is_shown = edge.kind == EdgeKind::Send && x != to;
        if self.nodes.len() <= WITH_TIMES && is_shown {
            // Near its end, where the names of nodes on other lifelines do not reach.
            let near = to - (to - x).signum() * column * 0.4;
            let height = below - (below - y) * (to - near) / (to - x);
            let middle = (near, height + 4.0);
            picture.words("note middle", middle, &grouped(edge.arrives));
        }
    }

    fn draw_node(&self, place: usize, column: f64, picture: &mut Picture) {
        let node = &self.nodes[place];
        let (x, y) = self.at(place, column);
        let class = if node.message.is_none() { "filled" } else { "" };
        let title = format!(
            "{}: {}, from {} to {}",
            place + 1,
            node.form,
            node.start,
            node.end
        );
        picture.circle(class, (x, y), &title);
        let words = match &node.message {
            Some(message) => format!("{} {}", place + 1, clipped(message, MESSAGE)),
            None => format!("{} new", place + 1),
        };
        picture.words("", (x + 10.0, y + 4.0), &markup(&words));
        let weight = format!("W {}", grouped(node.weight));
        picture.words("note", (x + 10.0, y + 18.0), &markup(&weight));
    }
}
