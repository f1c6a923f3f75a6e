//! The calling-context tree, drawn. Contexts that are cut off are summed up in their place.
//!
//! A context that is the only one shown below its parent stands right under it, behind an arrow and without an indent.
//! Programs delegate often, and a tree that indents each of these steps cannot be read.

use tally_presentation::width::width;
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, share};

use super::{
    LIBRARY, Missing, about_library, calls_cell, calls_heading, headline, proxy, reservations,
};
use crate::profile::Profile;
use crate::tree::{Measure, Tree};

/// The parts of a tree that are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeCut {
    /// Contexts whose share of the whole is less than this number of thousandths of a percent.
    pub least_share: u32,
    /// Contexts further below the run than this.
    pub depth: Option<usize>,
}

impl Default for TreeCut {
    fn default() -> TreeCut {
        TreeCut {
            least_share: 1000,
            depth: None,
        }
    }
}

impl TreeCut {
    /// Whether such a part of the whole is worth a line.
    pub(super) fn is_enough(self, part: u64, whole: u64) -> bool {
        u128::from(part) * 100_000 >= u128::from(self.least_share) * u128::from(whole)
    }

    /// The least share, `1%`, `0.25%`.
    pub(super) fn text(self) -> String {
        let (whole, thousandths) = (self.least_share / 1000, self.least_share % 1000);
        let fraction = format!("{thousandths:03}");
        match fraction.trim_end_matches('0') {
            "" => format!("{whole}%"),
            digits => format!("{whole}.{digits}%"),
        }
    }
}

/// The most columns for lines and arrows; a deeper context shows its depth instead.
const WIDEST_LEAD: usize = 90;

/// The name of a context's own work inside primitives.
pub(crate) const PRIMITIVES: &str = "(primitives)";

/// The tree as it is drawn.
pub fn tree_report(
    profile: &Profile,
    measure: Measure,
    cut: TreeCut,
    page: Page,
) -> Result<String, Missing> {
    let tree = Tree::new(profile, measure).ok_or(Missing::Tree)?;
    measure.check(profile, tree.whole())?;
    let mut drawing = Drawing::new(&tree, profile, cut, page);
    drawing.draw();
    let mut text = page.wrapped(&headline(profile)) + "\n\n";
    text.push_str(&drawing.layout.render_on(page));
    let mut foot = reservations(profile);
    foot.push_str(&legend(profile, measure, cut));
    foot.push_str(about_library(drawing.has_library));
    foot.push_str(&proxy(profile, measure == Measure::Work));
    Ok(text + &page.wrapped(&foot))
}

fn legend(profile: &Profile, measure: Measure, cut: TreeCut) -> String {
    let noun = measure.noun_in(profile);
    let (what, calls) = match (profile.unit.is_tally(), profile.unit.calls) {
        (true, _) => ("method, or a block in one,", ", calls"),
        (false, true) => ("function", ", calls"),
        (false, false) => ("function", ""),
    };
    let depth = cut.depth.map_or(String::new(), |depth| {
        format!(", and those more than {depth} below the run")
    });
    format!(
        "\nEach line is a {what} where it was called from: {noun} with all that it caused, {noun} of its own{calls}.\n\
         ↳ was called by the line above, which called nothing else that is shown. Of {noun}, less than {} is left out{depth};\n\
         … n (x) at the end of a line stands for n smaller ones that it called; what caused nothing is not mentioned.\n{}",
        cut.text(),
        about_primitives(measure)
    )
}

/// A sentence about the lines of primitives.
fn about_primitives(measure: Measure) -> &'static str {
    match measure {
        Measure::Work => {
            "(primitives): the part of the caller's own work that is inside primitives.\n"
        }
        _ => "",
    }
}

/// How a line is joined to the one of its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// The run has no caller.
    None,
    /// The only one that is shown.
    Only,
    /// Others follow.
    Branch,
    /// The last of several.
    Last,
}

impl Joint {
    fn sign(self) -> &'static str {
        match self {
            Joint::None => "",
            Joint::Only => "↳ ",
            Joint::Branch => "├─ ",
            Joint::Last => "└─ ",
        }
    }

    /// The text below the sign, before the lines of the children.
    fn below(self, has_branches: bool) -> &'static str {
        match self {
            Joint::None => "",
            Joint::Only if has_branches => "  ",
            Joint::Only => "",
            Joint::Branch => "│  ",
            Joint::Last => "   ",
        }
    }
}

/// A line to be drawn.
struct Line {
    what: What,
    depth: usize,
    /// The text before the joint.
    lead: String,
    joint: Joint,
}

enum What {
    Context(usize),
    /// Work of a context inside primitives.
    Primitives(u64),
    /// Contexts that are left out: their number and their total weight.
    Hidden {
        count: usize,
        total: u64,
    },
}

struct Drawing<'t, 'p> {
    tree: &'t Tree<'p>,
    profile: &'t Profile,
    cut: TreeCut,
    widest_lead: usize,
    layout: Layout,
    has_library: bool,
}

impl<'t, 'p> Drawing<'t, 'p> {
    fn new(tree: &'t Tree<'p>, profile: &'t Profile, cut: TreeCut, page: Page) -> Drawing<'t, 'p> {
        use Align::{Flexible, Right};
        let mut layout = Layout::new(&[Right, Right, Right, Right, Flexible]);
        layout.row(["total", "share", "own", calls_heading(profile), ""]);
        let half = page.width.map_or(WIDEST_LEAD, |width| width / 2);
        Drawing {
            tree,
            profile,
            cut,
            widest_lead: half.min(WIDEST_LEAD),
            layout,
            has_library: false,
        }
    }

    fn draw(&mut self) {
        let mut pending = vec![Line {
            what: What::Context(0),
            depth: 0,
            lead: String::new(),
            joint: Joint::None,
        }];
        while let Some(line) = pending.pop() {
            match line.what {
                What::Context(context) => {
                    let below = self.below(context, &line);
                    self.context_row(context, &line, &below);
                    pending.extend(below.lines.into_iter().rev());
                }
                What::Primitives(work) => self.primitives_row(work, &line),
                What::Hidden { count, total } => self.hidden_row(count, total, &line),
            }
        }
    }

    /// The lines below a context, and the contexts without a line.
    fn below(&self, context: usize, line: &Line) -> Below {
        let children = self.tree.children(context);
        let whole = self.tree.whole();
        let is_too_deep = self.cut.depth.is_some_and(|most| line.depth >= most);
        let shown = if is_too_deep {
            0
        } else {
            // The heaviest come first.
            children.partition_point(|&child| self.cut.is_enough(self.tree.total(child), whole))
        };
        let (shown, hidden) = children.split_at(shown);
        let total = hidden.iter().fold(0u64, |sum, &child| {
            sum.saturating_add(self.tree.total(child))
        });
        let mut rest = (hidden.len(), total);
        let mut whats: Vec<What> = shown.iter().map(|&child| What::Context(child)).collect();
        let work = self.tree.in_primitives(context);
        if work > 0 && !is_too_deep && self.cut.is_enough(work, whole) {
            let heavier = shown.partition_point(|&child| self.tree.total(child) >= work);
            whats.insert(heavier, What::Primitives(work));
        }
        if rest.0 > 0 && self.cut.is_enough(total, whole) && !(shown.is_empty() && is_too_deep) {
            whats.push(What::Hidden {
                count: rest.0,
                total,
            });
            rest = (0, 0);
        }
        Below {
            lines: self.joined(whats, line),
            rest,
        }
    }

    fn joined(&self, whats: Vec<What>, line: &Line) -> Vec<Line> {
        let count = whats.len();
        let lead = self.lead(line, count > 1);
        let joint = |index: usize| match index + 1 {
            1 if count == 1 => Joint::Only,
            number if number == count => Joint::Last,
            _ => Joint::Branch,
        };
        let numbered = whats.into_iter().enumerate();
        let line = |(index, what)| Line {
            what,
            depth: line.depth + 1,
            lead: lead.clone(),
            joint: joint(index),
        };
        numbered.map(line).collect()
    }

    /// The text before the joints of the lines below this one.
    fn lead(&self, line: &Line, has_branches: bool) -> String {
        let lead = format!("{}{}", line.lead, line.joint.below(has_branches));
        if width(&lead) > self.widest_lead {
            format!("(depth {}) ", line.depth + 1)
        } else {
            lead
        }
    }

    fn context_row(&mut self, context: usize, line: &Line, below: &Below) {
        let tree = self.tree;
        let is_library = tree.is_library(context);
        self.has_library |= is_library;
        let mut lead = format!("{}{}", line.lead, line.joint.sign());
        if is_library {
            lead.push_str(LIBRARY);
        }
        let name = Cell {
            lead,
            text: tree.name(context),
            tail: self.tail(below.rest),
            tint: self.tint(context, is_library),
        };
        let calls = match context {
            0 => Cell::default(),
            _ => calls_cell(self.profile, tree.context(context).calls),
        };
        self.layout.row([
            Cell::from(grouped(tree.total(context))),
            Cell::from(share(tree.total(context), tree.whole())),
            Cell::from(grouped(tree.own(context))),
            calls,
            name,
        ]);
    }

    /// The number and share of the omitted callees; nothing if they caused no sends.
    fn tail(&self, (count, total): (usize, u64)) -> String {
        match total {
            0 => String::new(),
            _ => format!(
                "  … {} ({})",
                grouped(count as u64),
                share(total, self.tree.whole())
            ),
        }
    }

    /// What sends a tenth of everything itself is worth a look.
    fn tint(&self, context: usize, is_library: bool) -> Tint {
        let is_hot = self.tree.own(context) > 0
            && u128::from(self.tree.own(context)) * 10 >= u128::from(self.tree.whole());
        match (is_hot, is_library) {
            (true, _) => Tint::Hot,
            (false, true) => Tint::Dim,
            (false, false) => Tint::Plain,
        }
    }

    fn primitives_row(&mut self, work: u64, line: &Line) {
        let name = Cell {
            lead: format!("{}{}", line.lead, line.joint.sign()),
            ..Cell::from(PRIMITIVES).tinted(Tint::Dim)
        };
        self.layout.row([
            Cell::from(grouped(work)),
            Cell::from(share(work, self.tree.whole())),
            Cell::default(),
            Cell::default(),
            name,
        ]);
    }

    fn hidden_row(&mut self, count: usize, total: u64, line: &Line) {
        let text = format!("… {} more", grouped(count as u64));
        let name = Cell {
            lead: format!("{}{}", line.lead, line.joint.sign()),
            ..Cell::from(text).tinted(Tint::Dim)
        };
        self.layout.row([
            Cell::from(grouped(total)),
            Cell::from(share(total, self.tree.whole())),
            Cell::default(),
            Cell::default(),
            name,
        ]);
    }
}

/// The lines below a line.
struct Below {
    lines: Vec<Line>,
    /// Contexts that get no line: their number and their total weight.
    rest: (usize, u64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{chain, flat, random, words};

    fn report(profile: &Profile, cut: TreeCut) -> String {
        tree_report(profile, Measure::Sends, cut, Page::default()).unwrap()
    }

    /// The lines of the drawing alone.
    fn drawing(text: &str) -> Vec<&str> {
        let lines = text.lines().skip(2);
        lines.take_while(|line| !line.is_empty()).collect()
    }

    #[test]
    fn the_tree_is_drawn_and_what_is_cut_off_is_told() {
        let text = report(&words(), TreeCut::default());
        let expected = [
            "total   share  own  calls",
            "1,000  100.0%    0         run",
            "  990   99.0%   40      1  ├─ report.st  … 2 (0.7%)",
            "  666   66.6%   16      8  │  ├─ WordCounter>>occurrencesOf:",
            "  650   65.0%  400      8  │  │  ↳ · OrderedCollection>>inject:into:",
            "  250   25.0%  250    200  │  │  ↳ [] in WordCounter>>occurrencesOf:",
            "  277   27.7%   60      2  │  └─ · OrderedCollection>>do:  … 1 (0.7%)",
            "  210   21.0%   80     20  │     ↳ [1] in report.st",
            "  130   13.0%   40     20  │     ↳ WordCounter>>add:",
            "   90    9.0%   90     20  │     ↳ · OrderedCollection>>add:",
            "   10    1.0%   10      1  └─ [] in WordCounter>>add:",
        ];
        assert_eq!(drawing(&text), expected, "{text}");
    }

    #[test]
    fn work_inside_primitives_has_a_line() {
        let profile = crate::json::tests::example();
        let page = Page::default();
        let text = tree_report(&profile, Measure::Work, TreeCut::default(), page).unwrap();
        let expected = [
            "total   share  own  calls",
            "1,700  100.0%    0         run",
            "1,700  100.0%  700      1  ↳ a.st",
            "1,000   58.8%  900      1    ├─ A>>b",
            "  100    5.9%  100      4    │  ↳ [] in A>>b",
            "   50    2.9%                └─ (primitives)",
        ];
        assert_eq!(drawing(&text), expected, "{text}");
        let none = tree_report(&words(), Measure::Work, TreeCut::default(), page);
        assert_eq!(none, Err(Missing::Work));
    }

    #[test]
    fn depth_and_least_share_cut() {
        let deep = TreeCut {
            least_share: 0,
            depth: Some(1),
        };
        let text = report(&words(), deep);
        assert_eq!(drawing(&text).len(), 4, "{text}");
        let all = TreeCut {
            least_share: 0,
            depth: None,
        };
        let text = report(&words(), all);
        assert_eq!(drawing(&text).len(), 1 + words().contexts.len(), "{text}");
        assert_eq!(
            TreeCut {
                least_share: 250,
                depth: None
            }
            .text(),
            "0.25%"
        );
    }

    #[test]
    fn a_tree_without_end_is_drawn_in_lines_that_have_one() {
        let text = report(
            &chain(20_000),
            TreeCut {
                least_share: 0,
                depth: None,
            },
        );
        assert_eq!(drawing(&text).len(), 20_002);
        assert!(text.lines().all(|line| width(line) < 200));
    }

    #[test]
    fn without_a_tree_there_is_none_to_draw() {
        let cut = TreeCut::default();
        assert_eq!(
            tree_report(&flat(), Measure::Sends, cut, Page::default()),
            Err(Missing::Tree)
        );
    }

    proptest::proptest! {
        /// The totals of a line's branches, hidden ones included, and its own sends add up to its total.
        #[test]
        fn nothing_is_lost_between_the_lines(
            rows in proptest::collection::vec((0u8..4, 0u8..8, 0u16..300), 1..60),
            least_share in 0u32..20_000,
            depth in proptest::option::of(0usize..6),
        ) {
            let profile = random(&rows);
            let tree = Tree::new(&profile, Measure::Sends).unwrap();
            let drawing = Drawing::new(&tree, &profile, TreeCut { least_share, depth }, Page::default());
            let mut pending = vec![Line { what: What::Context(0), depth: 0, lead: String::new(), joint: Joint::None }];
            while let Some(line) = pending.pop() {
                let What::Context(context) = line.what else { continue };
                let below = drawing.below(context, &line);
                let (mut count, mut total) = below.rest;
                for line in &below.lines {
                    match line.what {
                        What::Context(child) => { count += 1; total += tree.total(child); }
                        What::Primitives(_) => {}
                        What::Hidden { count: hidden, total: weight } => { count += hidden; total += weight; }
                    }
                }
                proptest::prop_assert_eq!(count, tree.children(context).len());
                proptest::prop_assert_eq!(total + tree.own(context), tree.total(context));
                pending.extend(below.lines);
            }
        }
    }
}
