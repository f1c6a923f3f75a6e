//! The counts (counting model, 1 to 3): the cost vector, and the calling-context tree with one node for each path of
//! activations, recursion not folded. All numbers of methods and of pairs of caller and callee are derived from the tree
//! after the run.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::LazyLock;

use super::code::{Code, MessageNode, Method, SourceFile};
use super::names::Name;

/// The weights of the model, by the names in the tables of docs/COUNTING.md. There is none if the file cannot be read.
static WEIGHTS: LazyLock<HashMap<String, u64>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(crate::root().join("docs/COUNTING.md")).unwrap_or_default();
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let name = cells.next()?.trim_matches('`').to_string();
        let weight = cells.next()?.trim_end_matches(" |").parse().ok()?;
        Some((name, weight))
    });
    rows.collect()
});

/// The work of a unit, in hundredths of a nanosecond.
pub(crate) fn weight(name: &str) -> u64 {
    WEIGHTS.get(name).copied().unwrap_or_default()
}

/// Counts of a process, or of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered.
    pub activations: u64,
    /// Blocks entered.
    pub blocks: u64,
    /// Objects made.
    pub objects: u64,
    /// Their bytes by the model.
    pub bytes: u64,
    /// Assignments, decisions, blocks and brace arrays made, returns: the steps that are no sends.
    pub steps: u64,
    /// Primitives that succeeded, by name.
    pub primitives: BTreeMap<&'static str, u64>,
    /// Primitives that succeeded and are not simple.
    pub called: u64,
    /// Work inside primitives, by counter. A counter that was charged nothing is absent.
    pub work: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// Σ weight × counter.
    pub(crate) fn weighted(&self) -> u64 {
        let others = [
            ("steps", self.sends + self.steps),
            ("sends", self.sends),
            ("loop repetitions", self.loops),
            ("activations", self.activations),
            ("blocks", self.blocks),
            ("called primitives", self.called),
            ("objects", self.objects),
        ];
        let counters = self.work.iter().map(|(&name, &units)| (name, units));
        let all = others.into_iter().chain(counters);
        all.map(|(name, units)| weight(name) * units).sum()
    }

    /// Charges units of work.
    pub(crate) fn charge(&mut self, counter: &'static str, units: u64) {
        if units > 0 {
            *self.work.entry(counter).or_default() += units;
        }
    }

    /// Adds another process's counts.
    pub(crate) fn add(&mut self, other: &Counts) {
        self.sends += other.sends;
        self.loops += other.loops;
        self.activations += other.activations;
        self.blocks += other.blocks;
        self.objects += other.objects;
        self.bytes += other.bytes;
        self.steps += other.steps;
        self.called += other.called;
        for (&counter, &units) in &other.work {
            self.charge(counter, units);
        }
        for (name, count) in &other.primitives {
            *self.primitives.entry(name).or_default() += count;
        }
    }
}

/// The numbers of a method, as a profile has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodCounts {
    /// Activations of the method.
    pub calls: u64,
    /// Activations of blocks in it.
    pub block_calls: u64,
    /// Sends executed in it and its blocks.
    pub own: u64,
    /// Sends below its outermost activations.
    pub total: u64,
    /// Sends below each of its activations.
    pub cumulative: u64,
    /// Objects made in it and its blocks.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The work done in it and its blocks.
    pub own_work: u64,
    /// Work below its outermost activations.
    pub total_work: u64,
}

/// The numbers of a pair of caller and callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeCounts {
    /// Activations of the callee.
    pub calls: u64,
    /// Activations of blocks in it.
    pub block_calls: u64,
    /// Sends below those that have none of the same pair below them on their stack.
    pub total: u64,
    /// The same of work.
    pub total_work: u64,
}

/// A method as the report names it: `Class>>selector` or a file, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    /// `Class>>selector`, or file and line.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there.
    pub line: usize,
    /// Its text; empty if it is no method.
    pub text: String,
}

/// A place that sends were executed at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SitePlace {
    /// The method.
    pub method: MethodName,
    /// Line in its file, from 1.
    pub line: usize,
    /// Column of the selector, from 1.
    pub column: usize,
    /// The message.
    pub selector: String,
    /// Whether it is sent to `super`.
    pub is_super: bool,
}

/// The numbers of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// How often the message was sent.
    pub sends: u64,
    /// Activations that this led to.
    pub calls: u64,
    /// Sends below those, where the code that holds the site was not on the stack already.
    pub total: u64,
    /// The work of its sends and of the primitives that they called.
    pub work: u64,
    /// As `total`, of work.
    pub total_work: u64,
}

impl SiteCounts {
    /// Adds the counts of another site.
    pub(crate) fn add(&mut self, other: &SiteCounts) {
        self.sends += other.sends;
        self.calls += other.calls;
        self.total += other.total;
        self.work += other.work;
        self.total_work += other.total_work;
    }
}

/// What a node is the first of on the way from the root.
#[derive(Clone, Copy, Debug, Default)]
struct Outermost {
    /// Of its method.
    method: bool,
    /// Of its method or its block.
    code: bool,
    /// Of its method below its caller.
    pair: bool,
}

#[derive(Clone, Debug)]
struct TreeNode {
    parent: u32,
    /// Index of the method; the root has none.
    method: Option<u32>,
    /// The block, by its place in the file; 0 for a method.
    block: u32,
    /// The send that led here, by its place in the file; 0 if none did.
    site: u32,
    calls: u64,
    own: u64,
    objects: u64,
    bytes: u64,
    work: u64,
}

/// The counts of a site.
#[derive(Clone, Copy, Debug)]
struct SiteRow {
    sends: u64,
    /// The work of the primitives that they called.
    charged: u64,
    selector: Name,
    to_super: bool,
}

/// The calling-context tree. Parents stand before their children; activations from different sends are separate nodes.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<TreeNode>,
    children: HashMap<(u32, u32, u32, u32), u32>,
    methods: Vec<Rc<Method>>,
    numbers: HashMap<Name, u32>,
    sites: HashMap<(u32, u32), SiteRow>,
}

/// The root: the run.
pub(crate) const ROOT: u32 = 0;

impl Default for Tree {
    fn default() -> Tree {
        let root = TreeNode {
            parent: ROOT,
            method: None,
            block: 0,
            site: 0,
            calls: 0,
            own: 0,
            objects: 0,
            bytes: 0,
            work: 0,
        };
        Tree {
            nodes: vec![root],
            children: HashMap::new(),
            methods: Vec::new(),
            numbers: HashMap::new(),
            sites: HashMap::new(),
        }
    }
}

impl Tree {
    fn number(&mut self, method: &Rc<Method>) -> u32 {
        if let Some(&number) = self.numbers.get(&method.key) {
            return number;
        }
        let number = self.methods.len() as u32;
        self.methods.push(method.clone());
        self.numbers.insert(method.key, number);
        number
    }

    /// Notes an activation below a node, and answers its own node.
    pub(crate) fn enter(&mut self, parent: u32, method: &Rc<Method>, block: u32, site: u32) -> u32 {
        let method = self.number(method);
        let next = self.nodes.len() as u32;
        let node = *self
            .children
            .entry((parent, method, block, site))
            .or_insert(next);
        if node == next {
            self.nodes.push(TreeNode {
                parent,
                method: Some(method),
                block,
                site,
                ..self.nodes[ROOT as usize].clone()
            });
        }
        let entered = if block > 0 { "blocks" } else { "activations" };
        self.nodes[node as usize].calls += 1;
        self.nodes[node as usize].work += weight(entered);
        node
    }

    /// Notes a send in a node.
    pub(crate) fn send(&mut self, node: u32, message: &MessageNode) {
        let node = &mut self.nodes[node as usize];
        node.own += 1;
        node.work += weight("sends") + weight("steps");
        if let Some(method) = node.method {
            let row = self
                .sites
                .entry((method, message.offset))
                .or_insert(SiteRow {
                    sends: 0,
                    charged: 0,
                    selector: message.selector,
                    to_super: message.to_super,
                });
            row.sends += 1;
        }
    }

    /// Notes that an object was made in a node.
    pub(crate) fn allocate(&mut self, node: u32, bytes: u64) {
        let node = &mut self.nodes[node as usize];
        node.objects += 1;
        node.bytes += bytes;
        node.work += weight("objects");
    }

    /// Notes work in a node, which the send at that site caused; 0 if none did.
    pub(crate) fn charge(&mut self, node: u32, site: u32, work: u64) {
        let node = &mut self.nodes[node as usize];
        node.work += work;
        let place = node.method.zip(site.checked_sub(1));
        if let Some(row) = place.and_then(|place| self.sites.get_mut(&place)) {
            row.charged += work;
        }
    }

    /// Sends or work below each node, its own included.
    fn totals(&self, own: fn(&TreeNode) -> u64) -> Vec<u64> {
        let mut totals: Vec<u64> = self.nodes.iter().map(own).collect();
        for index in (1..self.nodes.len()).rev() {
            totals[self.nodes[index].parent as usize] += totals[index];
        }
        totals
    }

    /// What each node is the first of on the way from the root.
    fn outermost(&self) -> Vec<Outermost> {
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            below[node.parent as usize].push(index as u32);
        }
        let mut methods: HashMap<u32, u32> = HashMap::new();
        let mut codes: HashMap<(u32, u32), u32> = HashMap::new();
        let mut pairs: HashMap<(Option<u32>, u32), u32> = HashMap::new();
        let mut found = vec![Outermost::default(); self.nodes.len()];
        // A node is met twice: when the walk enters it, and when it leaves.
        let mut walk = vec![(ROOT, false)];
        while let Some((index, leaves)) = walk.pop() {
            let node = &self.nodes[index as usize];
            let caller = self.nodes[node.parent as usize].method;
            if let Some(method) = node.method {
                let open = methods.entry(method).or_default();
                let same = codes.entry((method, node.block)).or_default();
                let paired = pairs.entry((caller, method)).or_default();
                if leaves {
                    *open -= 1;
                    *same -= 1;
                    *paired -= 1;
                    continue;
                }
                found[index as usize] = Outermost {
                    method: *open == 0,
                    code: *same == 0,
                    pair: *paired == 0,
                };
                *open += 1;
                *same += 1;
                *paired += 1;
                walk.push((index, true));
            }
            walk.extend(below[index as usize].iter().map(|&child| (child, false)));
        }
        found
    }

    /// The report.
    pub(crate) fn attribution(&self) -> Attribution {
        let names: Vec<MethodName> = self.methods.iter().map(|m| method_name(m)).collect();
        let totals = self.totals(|node| node.own);
        let works = self.totals(|node| node.work);
        let outermost = self.outermost();
        let mut found = Attribution::default();
        let mut led_to: HashMap<(u32, u32), SiteCounts> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(method) = node.method else { continue };
            let name = &names[method as usize];
            let counts = found.methods.entry(name.clone()).or_default();
            let caller = self.nodes[node.parent as usize].method;
            let pair = (caller.map(|one| names[one as usize].clone()), name.clone());
            let edge = found.edges.entry(pair).or_default();
            let (calls, edge_calls) = if node.block > 0 {
                (&mut counts.block_calls, &mut edge.block_calls)
            } else {
                counts.cumulative += totals[index];
                (&mut counts.calls, &mut edge.calls)
            };
            *calls += node.calls;
            *edge_calls += node.calls;
            counts.own += node.own;
            counts.objects += node.objects;
            counts.bytes += node.bytes;
            counts.own_work += node.work;
            let first = outermost[index];
            if first.method {
                counts.total += totals[index];
                counts.total_work += works[index];
            }
            if first.pair {
                edge.total += totals[index];
                edge.total_work += works[index];
            }
            if let (Some(caller), true) = (caller, node.site > 0) {
                let led = led_to.entry((caller, node.site)).or_default();
                led.calls += node.calls;
                if outermost[node.parent as usize].code {
                    led.total += totals[index];
                    led.total_work += works[index];
                }
            }
        }
        found.sites = self.site_counts(&names, &led_to);
        found.total = totals[ROOT as usize];
        found
    }

    /// The numbers of the sites; `led_to` has those of the activations that a site led to.
    fn site_counts(
        &self,
        names: &[MethodName],
        led_to: &HashMap<(u32, u32), SiteCounts>,
    ) -> BTreeMap<SitePlace, SiteCounts> {
        let mut sites: BTreeMap<SitePlace, SiteCounts> = BTreeMap::new();
        for (&(method, offset), row) in &self.sites {
            let (line, column) = self.methods[method as usize].file.place(offset);
            let place = SitePlace {
                method: names[method as usize].clone(),
                line,
                column,
                selector: row.selector.text().to_string(),
                is_super: row.to_super,
            };
            let led = led_to.get(&(method, offset + 1));
            let led = led.copied().unwrap_or_default();
            let sum = sites.entry(place).or_default();
            sum.add(&SiteCounts {
                sends: row.sends,
                work: row.sends * (weight("sends") + weight("steps")) + row.charged,
                ..led
            });
        }
        sites
    }
}

fn method_name(method: &Method) -> MethodName {
    let file: &SourceFile = &method.file;
    let line = file.place(method.span.start).0;
    let (name, text) = match method.code {
        Code::Method(_) => (method.name.to_string(), file.slice(method.span).to_string()),
        Code::Resolved => (format!("{}:{line}", file.name), String::new()),
    };
    MethodName {
        name,
        file: file.name.clone(),
        line,
        text,
    }
}

/// What was counted for methods, for pairs of caller and callee, and for send sites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// By method.
    pub methods: BTreeMap<MethodName, MethodCounts>,
    /// By caller, absent for the bottom of a process, and callee.
    pub edges: BTreeMap<(Option<MethodName>, MethodName), EdgeCounts>,
    /// Sends by site.
    pub sites: BTreeMap<SitePlace, SiteCounts>,
    /// Sends below the run.
    pub total: u64,
}
