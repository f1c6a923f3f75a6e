//! The calling-context tree while it grows: contexts, and the edges by which they are entered. A frame carries the
//! number of its edge. So leaving the frame needs no stack beside the process's own.
//!
//! Recursion folds. An activation gets its own context only if it adds something new to the path from the root: its
//! method, its code, or the pair of its caller's method and its own. Otherwise it continues in the context of the
//! nearest activation of the same code, if nothing new stands between the two. So every total of new things on a path
//! (totals of methods, of calls, of sites) is exact, as in the tree that does not fold. A path is never longer than the
//! number of such things in the program.

use hashbrown::{HashMap, HashSet};

use crate::code::Target;

/// The root: the run.
pub(crate) const RUN: u32 = 0;

/// The code number for silent code, which is not part of the tree.
pub(crate) const SILENT: u32 = 1;

/// The root of what did not fit.
pub(crate) const OTHER: u32 = 2;

/// Code of a context without code.
const NO_CODE: u32 = u32::MAX;

/// Places in an edge's table of the edges that were last taken from there.
const PLACES: usize = 16;

/// The limit on contexts of a tree, unless the caller sets a different one.
pub(crate) const MOST_CONTEXTS: usize = 1 << 20;

/// The counters of a process at an entry or an exit. The work is zero where it is not counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(crate) sends: u64,
    pub(crate) work: u64,
}

/// A way into a context: the context at its start, the send, the code. It takes two lines of the processor's cache. An
/// entry needs only the first line and one word of the index.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Sends between entering and leaving, all activations added up, nested ones too; modulo 2^64.
    pub(crate) total: u64,
    /// Activations.
    pub(crate) calls: u64,
    /// The same as `total`, of work.
    pub(crate) work: u64,
    /// The work that primitives called from its activations were charged.
    pub(crate) charged: u64,
    /// Address of the send's instruction, 0 if no send led here.
    pub(crate) site: usize,
    /// Number of the code that is entered.
    pub(crate) target: u32,
    /// The context that it leads to.
    pub(crate) context: u32,
    /// Edges that were taken from the activation, by their sites' addresses.
    pub(crate) next: [u32; PLACES],
}

impl Edge {
    /// A frame is entered by the edge. Whether that is a call is for the caller to say.
    #[inline(always)]
    pub(crate) fn enter(&mut self, spent: Spent) {
        self.total = self.total.wrapping_sub(spent.sends);
        self.work = self.work.wrapping_sub(spent.work);
    }

    /// A frame that was entered by the edge is left.
    #[inline(always)]
    pub(crate) fn leave(&mut self, spent: Spent) {
        self.total = self.total.wrapping_add(spent.sends);
        self.work = self.work.wrapping_add(spent.work);
    }
}

/// The index of an edge in the table of the last taken edges.
#[inline(always)]
pub(crate) fn place_of(site: usize, target: u32) -> usize {
    (site >> 3).wrapping_add(target as usize) % PLACES
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextRow {
    pub(crate) parent: u32,
    /// Number of its code.
    pub(crate) target: u32,
    /// Number of its code's method.
    pub(crate) method: u32,
    /// Whether it is a block's.
    pub(crate) is_block: bool,
    /// Whether the model does not count its activations.
    pub(crate) is_quick: bool,
    /// The new things that it adds to the path from the root.
    pub(crate) news: News,
    /// The new things that it adds to the path since the last new beginning.
    since_anew: News,
}

/// The things that are on a path for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Its method, or a block in it.
    pub(crate) method: bool,
    /// Its code.
    pub(crate) code: bool,
    /// That its caller's method calls its method.
    pub(crate) call: bool,
}

impl News {
    fn is_none(self) -> bool {
        self == News::default()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) edges: Vec<Edge>,
    /// The context at the start of each edge.
    pub(crate) from: Vec<u32>,
    pub(crate) contexts: Vec<ContextRow>,
    /// Edges by the context at their start, site and code.
    known: HashMap<(u32, usize, u32), u32>,
    /// Contexts by the context above and code.
    children: HashMap<(u32, u32), u32>,
    /// Contexts below which paths begin anew.
    anew: HashSet<u32>,
    most_contexts: usize,
    /// Whether contexts were left out for want of room.
    pub(crate) is_full: bool,
}

impl Tree {
    pub(crate) fn new(most_contexts: usize) -> Tree {
        let root = |parent| ContextRow {
            parent,
            target: NO_CODE,
            method: NO_CODE,
            is_block: false,
            is_quick: false,
            news: News::default(),
            since_anew: News::default(),
        };
        let start = Edge {
            total: 0,
            calls: 0,
            work: 0,
            charged: 0,
            site: usize::MAX,
            target: NO_CODE,
            context: RUN,
            next: [0; PLACES],
        };
        Tree {
            edges: vec![start],
            from: vec![RUN],
            contexts: vec![root(RUN), root(RUN), root(RUN)],
            known: HashMap::new(),
            children: HashMap::new(),
            anew: HashSet::new(),
            most_contexts,
            is_full: false,
        }
    }

    /// The edge from an activation, by a send at `site` (0 for none), into a target; made if it is not known. It is the
    /// next one to be looked for at that place.
    pub(crate) fn edge(&mut self, parent: u32, site: usize, target: &Target, silent: bool) -> u32 {
        let from = self.edges[parent as usize].context;
        // When there are many contexts, all sends from one context to one code share one edge, to bound memory.
        let told_apart = self.edges.len() < 8 * self.most_contexts;
        let known_site = if told_apart { site } else { 0 };
        let key = (from, known_site, target.id.0);
        let edge = match self.known.get(&key) {
            Some(&edge) => edge,
            None => self.add_edge(key, target, silent),
        };
        if edge < u32::MAX >> 1 {
            self.edges[parent as usize].next[place_of(site, target.id.0)] = edge;
        }
        edge
    }

    fn add_edge(&mut self, key: (u32, usize, u32), target: &Target, silent: bool) -> u32 {
        let (from, site, code) = key;
        let context = if silent {
            SILENT
        } else {
            self.context(from, target)
        };
        let edge = self.edges.len() as u32;
        self.edges.push(Edge {
            total: 0,
            calls: 0,
            work: 0,
            charged: 0,
            site,
            target: code,
            context,
            next: [0; PLACES],
        });
        self.from.push(from);
        self.known.insert(key, edge);
        edge
    }

    /// The context of a target's activations below a context.
    fn context(&mut self, from: u32, target: &Target) -> u32 {
        if from == SILENT {
            return SILENT;
        }
        let is_outside = from == OTHER || (from > OTHER && self.row(from).parent == OTHER);
        let parent = if is_outside { OTHER } else { from };
        let code = target.id.0;
        if let Some(&known) = self.children.get(&(parent, code)) {
            return known;
        }
        if is_outside {
            // No path is known, so totals of methods must include their own sends here.
            let news = News {
                method: true,
                code: true,
                call: false,
            };
            return self.add_context(OTHER, target, [news, News::default()]);
        }
        let news = self.news(self.path(from), from, target);
        let since_anew = self.news(self.path_since_anew(from), from, target);
        let context = match self.fold(from, code) {
            Some(same) if since_anew.is_none() => same,
            _ if self.contexts.len() >= self.most_contexts => {
                self.is_full = true;
                self.context(OTHER, target)
            }
            _ => return self.add_context(from, target, [news, since_anew]),
        };
        self.children.insert((from, code), context);
        context
    }

    fn add_context(&mut self, parent: u32, target: &Target, news: [News; 2]) -> u32 {
        let [news, since_anew] = news;
        let context = self.contexts.len() as u32;
        self.contexts.push(ContextRow {
            parent,
            target: target.id.0,
            method: target.method.0,
            is_block: target.is_block,
            is_quick: target.is_quick,
            news,
            since_anew,
        });
        self.children.insert((parent, target.id.0), context);
        context
    }

    /// Gives the sites their new addresses. `moved` maps the number of a site's code and its old address to the new
    /// address.
    pub(crate) fn move_sites(&mut self, moved: impl Fn(u32, usize) -> usize) {
        for (edge, from) in self.edges.iter_mut().zip(&self.from).skip(1) {
            edge.site = moved(self.contexts[*from as usize].target, edge.site);
        }
        let numbered = (0..).zip(self.edges.iter().zip(&self.from)).skip(1);
        self.known = numbered
            .map(|(number, (edge, &from))| ((from, edge.site, edge.target), number))
            .collect();
        // The indices in the table of the last taken edges depend on addresses.
        self.edges
            .iter_mut()
            .for_each(|edge| edge.next = [0; PLACES]);
    }

    pub(crate) fn row(&self, context: u32) -> &ContextRow {
        &self.contexts[context as usize]
    }

    /// The contexts from one up to the root, which is left out.
    fn path(&self, from: u32) -> impl Iterator<Item = (u32, &ContextRow)> {
        let step = |&at: &u32| Some(self.row(at).parent);
        std::iter::successors(Some(from), step)
            .take_while(|&at| at > OTHER)
            .map(|at| (at, self.row(at)))
    }

    /// The contexts from one up to where the path last began anew.
    fn path_since_anew(&self, from: u32) -> impl Iterator<Item = (u32, &ContextRow)> {
        self.path(from)
            .take_while(|(at, _)| !self.anew.contains(at))
    }

    /// Lets paths begin again below a context: nothing below it folds into a context above.
    pub(crate) fn begin_anew_below(&mut self, context: u32) {
        self.anew.insert(context);
    }

    /// The new things that a target's activation below a context adds to the path, or to a part of it.
    fn news<'a>(
        &self,
        path: impl Iterator<Item = (u32, &'a ContextRow)>,
        from: u32,
        target: &Target,
    ) -> News {
        let (method, caller) = (target.method.0, self.row(from).method);
        let mut news = News {
            method: true,
            code: true,
            call: true,
        };
        for (_, row) in path {
            if row.method == method {
                news.method = false;
                news.code &= row.target != target.id.0;
                news.call &= self.row(row.parent).method != caller;
            }
        }
        news
    }

    /// The context on the path in which an activation without anything new may continue.
    fn fold(&self, from: u32, code: u32) -> Option<u32> {
        let mut path = self.path_since_anew(from);
        let nearest = path.find(|(_, row)| row.target == code || !row.since_anew.is_none());
        // Nothing folds into the first activation of a code on a path: the results of its sites are read there.
        nearest.and_then(|(at, row)| (row.target == code && !row.news.code).then_some(at))
    }
}
