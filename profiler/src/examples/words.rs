//! Small made-up profiles for the tests of reports. Trees, calls and methods are consistent; the lists of sites are
//! incomplete.

#![allow(
    dead_code,
    reason = "the tests of each crate use the part of this that they need"
)]

use std::collections::BTreeMap;

use tally_profiler::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, MethodProfile, Profile, Site,
};

/// A context: its depth, its method and the number of a block in it or 0, calls, own sends.
type Row = (usize, u32, u32, u64, u64);

const METHODS: &[(&str, usize)] = &[
    ("report.st", 1),
    ("WordCounter>>occurrencesOf:", 10),
    ("OrderedCollection>>inject:into:", 100),
    ("OrderedCollection>>do:", 120),
    ("WordCounter>>add:", 5),
    ("OrderedCollection>>add:", 140),
    ("Object>>printString", 12),
    ("Integer>>fib", 20),
];

/// Words that are counted.
pub(crate) fn words() -> Profile {
    let rows: &[Row] = &[
        (1, 0, 0, 1, 40),
        (2, 1, 0, 8, 16),
        (3, 2, 0, 8, 400),
        (4, 1, 1, 200, 250),
        (2, 3, 0, 2, 60),
        (3, 0, 1, 20, 80),
        (4, 4, 0, 20, 40),
        (5, 5, 0, 20, 90),
        (3, 0, 2, 8, 4),
        (4, 6, 0, 8, 3),
        (2, 6, 0, 1, 1),
        (2, 7, 0, 1, 2),
        (3, 7, 0, 2, 4),
        (1, 4, 1, 1, 10),
    ];
    profile(rows)
}

/// As [`words`], as it was when profiles held no trees.
pub(crate) fn flat() -> Profile {
    Profile {
        contexts: Vec::new(),
        calls: Vec::new(),
        sites: Vec::new(),
        allocations: Vec::new(),
        ..words()
    }
}

/// A tree of the given number of contexts, each the only child of the one before.
pub(crate) fn chain(length: usize) -> Profile {
    let rows: Vec<Row> = (1..=length)
        .map(|depth| (depth, 1 + (depth % 7) as u32, 0, 1, 1))
        .collect();
    profile(&rows)
}

/// A tree in which each context is a child of the run or of one before it, as `parents` says.
pub(crate) fn random(parents: &[(u8, u8, u16)]) -> Profile {
    let mut rows: Vec<Row> = vec![(1, 0, 0, 1, 1)];
    for &(up, method, own) in parents {
        let last = rows.last().map_or(0, |row| row.0);
        let depth = (last + 1).saturating_sub(usize::from(up)).max(1);
        rows.push((
            depth,
            u32::from(method) % METHODS.len() as u32,
            u32::from(up % 3),
            1,
            u64::from(own),
        ));
    }
    profile(&rows)
}

fn profile(rows: &[Row]) -> Profile {
    let contexts = contexts(rows);
    let allocations = contexts.iter().map(|c| c.allocations);
    let allocations = allocations.fold(Allocated::default(), sum);
    let of_kind = |kind| {
        let found = contexts.iter().filter(move |c| c.kind == kind);
        found.map(|context| context.calls).sum()
    };
    let source = "counter := WordCounter new.\n20 timesRepeat: [ words do: [ :each | counter add: each ] ].\n\
                  words do: [ :each | (counter occurrencesOf: each) printString ].\n";
    let mut methods = methods(&contexts);
    methods[0].source = source.to_string();
    Profile {
        model: 1,
        library: "00000000000000aa".to_string(),
        program: format!("{:016x}", tally_profiler::fnv1a([source])),
        files: vec!["report.st".to_string()],
        seed: 1,
        cost: CostVector {
            sends: contexts[0].total,
            activations: of_kind(ContextKind::Method),
            blocks: of_kind(ContextKind::Block),
            allocations,
            ..CostVector::default()
        },
        methods,
        calls: calls(&contexts),
        sites: sites(),
        allocations: rows_of_allocations(&contexts),
        contexts,
        ..Profile::default()
    }
}

fn sum(a: Allocated, b: Allocated) -> Allocated {
    Allocated {
        objects: a.objects + b.objects,
        bytes: a.bytes + b.bytes,
    }
}

fn contexts(rows: &[Row]) -> Vec<Context> {
    let context = |parent, kind, method, block, calls, own| Context {
        parent,
        kind,
        method,
        block,
        calls,
        own,
        total: own,
        // Any numbers will do that differ from those of sends.
        allocations: Allocated {
            objects: own % 7,
            bytes: (own % 7) * 16,
        },
        ..Context::default()
    };
    let mut contexts = vec![context(None, ContextKind::Run, None, 0, 1, 0)];
    let mut path = vec![0];
    for &(depth, method, block, calls, own) in rows {
        path.truncate(depth);
        let kind = match block {
            0 => ContextKind::Method,
            _ => ContextKind::Block,
        };
        let parent = path[path.len() - 1];
        path.push(contexts.len() as u32);
        contexts.push(context(Some(parent), kind, Some(method), block, calls, own));
    }
    for index in (1..contexts.len()).rev() {
        let (parent, total) = (contexts[index].parent, contexts[index].total);
        contexts[parent.unwrap_or(0) as usize].total += total;
    }
    contexts
}

/// Whether a context further up belongs to what `is_same` says.
fn is_below(contexts: &[Context], index: usize, is_same: impl Fn(usize) -> bool) -> bool {
    let mut above = contexts[index].parent;
    while let Some(up) = above {
        if is_same(up as usize) {
            return true;
        }
        above = contexts[up as usize].parent;
    }
    false
}

fn methods(contexts: &[Context]) -> Vec<MethodProfile> {
    let method = |(number, &(name, line)): (usize, &(&str, usize))| {
        let (class, selector) = name.split_once(">>").unwrap_or(("", ""));
        let is_library = matches!(class, "OrderedCollection" | "Object" | "Integer");
        let of_it = |context: &&Context| context.method == Some(number as u32);
        let count = |kind: ContextKind| {
            let found = contexts
                .iter()
                .filter(of_it)
                .filter(move |c| c.kind == kind);
            found.map(|context| context.calls).sum()
        };
        let is_own = |index: usize| contexts[index].method == Some(number as u32);
        let outermost =
            (0..contexts.len()).filter(|&i| is_own(i) && !is_below(contexts, i, is_own));
        MethodProfile {
            name: name.to_string(),
            class: class.to_string(),
            selector: selector.to_string(),
            package: if is_library { "Kernel" } else { "Words" }.to_string(),
            category: String::new(),
            file: if is_library {
                "<library>/x.st"
            } else {
                "report.st"
            }
            .to_string(),
            line,
            digest: format!("{number:016x}"),
            calls: count(ContextKind::Method),
            block_calls: count(ContextKind::Block),
            own: contexts.iter().filter(of_it).map(|c| c.own).sum(),
            total: outermost.map(|i| contexts[i].total).sum(),
            cumulative: 0,
            code: None,
            allocations: contexts
                .iter()
                .filter(of_it)
                .map(|c| c.allocations)
                .fold(Allocated::default(), sum),
            is_library,
            source: String::new(),
            ..MethodProfile::default()
        }
    };
    METHODS.iter().enumerate().map(method).collect()
}

fn calls(contexts: &[Context]) -> Vec<Call> {
    let caller = |index: usize| {
        let above = contexts[index].parent.map_or(0, |above| above as usize);
        contexts[above].method
    };
    let mut edges: BTreeMap<(Option<u32>, u32), Call> = BTreeMap::new();
    for (index, context) in contexts.iter().enumerate() {
        let Some(callee) = context.method else {
            continue;
        };
        let key = (caller(index), callee);
        let same = |other: usize| contexts[other].method == Some(callee) && caller(other) == key.0;
        let edge = edges.entry(key).or_insert(Call {
            caller: key.0,
            callee,
            calls: 0,
            block_calls: 0,
            total: 0,
            ..Call::default()
        });
        match context.kind {
            ContextKind::Block => edge.block_calls += context.calls,
            _ => edge.calls += context.calls,
        }
        if !is_below(contexts, index, same) {
            edge.total += context.total;
        }
    }
    edges.into_values().collect()
}

fn sites() -> Vec<Site> {
    let site = |line, column, selector: &str, sends, calls, total| Site {
        method: 0,
        line,
        column,
        selector: selector.to_string(),
        is_super: false,
        sends,
        calls,
        total,
        ..Site::default()
    };
    vec![
        site(1, 24, "new", 1, 0, 0),
        site(2, 25, "do:", 1, 1, 184),
        site(2, 47, "add:", 20, 20, 130),
        site(3, 7, "do:", 1, 1, 40),
        site(3, 30, "occurrencesOf:", 8, 8, 666),
        site(3, 51, "printString", 8, 8, 3),
    ]
}

fn rows_of_allocations(contexts: &[Context]) -> Vec<Allocation> {
    let with_some = contexts
        .iter()
        .enumerate()
        .filter(|(_, c)| c.allocations.objects > 0);
    let row = |(index, context): (usize, &Context)| Allocation {
        context: index as u32,
        class: "Array".to_string(),
        site: None,
        objects: context.allocations.objects,
        bytes: context.allocations.bytes,
    };
    with_some.map(row).collect()
}
