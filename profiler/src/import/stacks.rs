//! Stacks with counts, as a calling-context tree. A function that calls itself has a context for each of its places in a
//! stack. Formats of stacks do not say how often functions were called.

use std::collections::HashMap;

use super::function::{Function, Functions};
use super::{ImportError, blank};
use crate::profile::{Call, Context, ContextKind, Profile};
use crate::rank::{Order, compare};
use crate::recording::MAX_MEMORY;
use crate::unit::Unit;

/// The root of a tree.
pub(super) const ROOT: u32 = 0;

/// About the bytes of a node here and of its context in the profile.
const NODE: usize = 2 * size_of::<Context>() + 64;

/// A place in a stack.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    function: u32,
    own: u64,
}

/// The stacks of a file.
#[derive(Debug)]
pub(super) struct Stacks {
    functions: Functions,
    nodes: Vec<Node>,
    places: HashMap<(u32, u32), u32>,
}

impl Stacks {
    pub(super) fn new() -> Stacks {
        let root = Node {
            parent: ROOT,
            function: u32::MAX,
            own: 0,
        };
        Stacks {
            functions: Functions::default(),
            nodes: vec![root],
            places: HashMap::new(),
        }
    }

    /// The number of a function, whose first line may be known.
    ///
    /// # Errors
    /// The functions would take more memory than a profile may.
    pub(super) fn number(&mut self, function: Function, line: usize) -> Result<u32, ImportError> {
        let number = self.functions.number(function)?;
        self.functions.note_line(number, line);
        Ok(number)
    }

    /// The place of a function below a place.
    ///
    /// # Errors
    /// The tree would take more memory than a profile may.
    pub(super) fn below(&mut self, parent: u32, function: u32) -> Result<u32, ImportError> {
        let next = self.nodes.len() as u32;
        let place = *self.places.entry((parent, function)).or_insert(next);
        if place == next {
            if self.nodes.len() >= MAX_MEMORY / NODE {
                return Err(ImportError::too_much_memory());
            }
            self.nodes.push(Node {
                parent,
                function,
                own: 0,
            });
        }
        Ok(place)
    }

    /// Adds a count to a place; answers whether the sum has room.
    pub(super) fn add(&mut self, place: u32, count: u64) -> bool {
        let own = &mut self.nodes[place as usize].own;
        own.checked_add(count).map(|sum| *own = sum).is_some()
    }

    /// The profile in a unit.
    pub(super) fn profile(self, unit: Unit, bytes: &[u8]) -> Result<Profile, ImportError> {
        let mut own = self.nodes.iter().map(|node| node.own);
        let whole = own.try_fold(0_u64, u64::checked_add);
        let whole = whole.ok_or_else(ImportError::too_large)?;
        // No sum of a part exceeds the whole.
        let mut totals: Vec<u64> = self.nodes.iter().map(|node| node.own).collect();
        for (index, node) in self.nodes.iter().enumerate().skip(1).rev() {
            totals[node.parent as usize] += totals[index];
        }
        let mut profile = blank(unit, whole, bytes);
        let contexts = self.preorder(&totals);
        let mut walk = Walk::new(self.functions.len());
        contexts.iter().for_each(|context| walk.step(context));
        let rows = self.functions.methods().zip(walk.methods);
        let mut rows: Vec<_> = (0_u32..)
            .zip(rows)
            .map(|(number, (mut method, [own, total]))| {
                (method.own, method.total) = (own, total);
                (number, method)
            })
            .collect();
        rows.sort_by(|(_, a), (_, b)| {
            compare(Order::Total, a, b).then_with(|| a.package.cmp(&b.package))
        });
        let mut places = vec![0_u32; rows.len()];
        for (place, (number, _)) in (0_u32..).zip(&rows) {
            places[*number as usize] = place;
        }
        let placed = |number: u32| places[number as usize];
        profile.methods = rows.into_iter().map(|(_, method)| method).collect();
        let call = |((caller, callee), total): (Between, u64)| Call {
            caller: caller.map(placed),
            callee: placed(callee),
            calls: 0,
            block_calls: 0,
            total,
            ..Call::default()
        };
        profile.calls = walk.calls.into_iter().map(call).collect();
        profile.calls.sort_by_key(|call| (call.caller, call.callee));
        profile.contexts = contexts;
        for context in &mut profile.contexts {
            context.method = context.method.map(placed);
        }
        Ok(profile)
    }

    /// The contexts in preorder; the greatest child is first.
    fn preorder(&self, totals: &[u64]) -> Vec<Context> {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (number, node) in (0_u32..).zip(&self.nodes).skip(1) {
            children[node.parent as usize].push(number);
        }
        let name = |node: u32| self.functions.get(self.nodes[node as usize].function);
        for list in &mut children {
            // The last of the list is taken next.
            list.sort_by(|a, b| {
                let total = |node: &u32| totals[*node as usize];
                total(a).cmp(&total(b)).then_with(|| name(*b).cmp(name(*a)))
            });
        }
        let mut contexts = Vec::with_capacity(self.nodes.len());
        let mut waiting = vec![(ROOT, None)];
        while let Some((number, parent)) = waiting.pop() {
            let node = &self.nodes[number as usize];
            let place = contexts.len() as u32;
            contexts.push(Context {
                parent,
                kind: match number {
                    ROOT => ContextKind::Run,
                    _ => ContextKind::Method,
                },
                method: (number != ROOT).then_some(node.function),
                block: 0,
                calls: 0,
                own: node.own,
                total: totals[number as usize],
                allocations: crate::Allocated::default(),
                ..Context::default()
            });
            let below = children[number as usize].iter();
            waiting.extend(below.map(|child| (*child, Some(place))));
        }
        contexts
    }
}

/// A caller, which may be the run, and a callee.
type Between = (Option<u32>, u32);

/// A walk over contexts in preorder. Totals are those of outermost contexts.
struct Walk {
    /// The contexts above: number, function, pair of caller and callee.
    path: Vec<(u32, Option<u32>)>,
    next: u32,
    /// How many contexts of each function, and of each pair, are on the path.
    open: Vec<u32>,
    open_calls: HashMap<Between, u32>,
    /// Own and total of each function.
    methods: Vec<[u64; 2]>,
    /// The total of each pair.
    calls: HashMap<Between, u64>,
}

impl Walk {
    fn new(functions: usize) -> Walk {
        Walk {
            path: Vec::new(),
            next: 0,
            open: vec![0; functions],
            open_calls: HashMap::new(),
            methods: vec![[0; 2]; functions],
            calls: HashMap::new(),
        }
    }

    fn step(&mut self, context: &Context) {
        while self
            .path
            .last()
            .is_some_and(|(top, _)| Some(*top) != context.parent)
        {
            self.leave();
        }
        let above = self.path.last().and_then(|(_, function)| *function);
        self.path.push((self.next, context.method));
        self.next += 1;
        let Some(function) = context.method else {
            return;
        };
        let sums = &mut self.methods[function as usize];
        sums[0] += context.own;
        let open = &mut self.open[function as usize];
        if *open == 0 {
            sums[1] += context.total;
        }
        *open += 1;
        let between = (above, function);
        let sum = self.calls.entry(between).or_default();
        let open = self.open_calls.entry(between).or_default();
        if *open == 0 {
            *sum += context.total;
        }
        *open += 1;
    }

    fn leave(&mut self) {
        let Some((_, Some(function))) = self.path.pop() else {
            return;
        };
        let above = self.path.last().and_then(|(_, function)| *function);
        self.open[function as usize] -= 1;
        if let Some(open) = self.open_calls.get_mut(&(above, function)) {
            *open -= 1;
        }
    }
}
