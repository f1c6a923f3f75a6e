//! Hand-made profiles for the tests of formats; they satisfy all identities.

use crate::profile::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Limits, MethodProfile, Profile,
    Site,
};

fn allocated(objects: u64, bytes: u64) -> Allocated {
    Allocated { objects, bytes }
}

fn method(name: &str, line: usize, calls: u64, own: u64, total: u64) -> MethodProfile {
    let (class, selector) = name.split_once(">>").unwrap_or(("", ""));
    MethodProfile {
        name: name.to_string(),
        class: class.to_string(),
        selector: selector.to_string(),
        package: String::new(),
        category: String::new(),
        file: "a.st".to_string(),
        line,
        digest: format!("{line:016x}"),
        calls,
        block_calls: 0,
        own,
        total,
        cumulative: total,
        code: None,
        allocations: Allocated::default(),
        is_library: false,
        source: String::new(),
        ..MethodProfile::default()
    }
}

fn context(parent: Option<u32>, method: Option<u32>, calls: u64, own: u64, total: u64) -> Context {
    Context {
        parent,
        kind: match method {
            Some(_) => ContextKind::Method,
            None => ContextKind::Run,
        },
        method,
        block: 0,
        calls,
        own,
        total,
        allocations: Allocated::default(),
        ..Context::default()
    }
}

fn call(caller: Option<u32>, callee: u32, calls: u64, total: u64) -> Call {
    Call {
        caller,
        callee,
        calls,
        block_calls: 0,
        total,
        ..Call::default()
    }
}

fn site(method: u32, line: usize, selector: &str, sends: u64, calls: u64, total: u64) -> Site {
    Site {
        method,
        line,
        column: 5,
        selector: selector.to_string(),
        is_super: false,
        sends,
        calls,
        total,
        ..Site::default()
    }
}

fn profile(sends: u64, methods: Vec<MethodProfile>, contexts: Vec<Context>) -> Profile {
    Profile {
        model: 1,
        library: "00000000000000aa".to_string(),
        program: "00000000000000bb".to_string(),
        files: vec!["a.st".to_string()],
        seed: 1,
        limits: Limits {
            depth: 10_000,
            ..Limits::default()
        },
        cost: CostVector {
            sends,
            activations: methods.iter().map(|method| method.calls).sum(),
            ..CostVector::default()
        },
        methods,
        contexts,
        ..Profile::default()
    }
}

/// A script that calls a method twice from a block and once by itself.
pub(crate) fn example() -> Profile {
    let methods = vec![
        MethodProfile {
            block_calls: 2,
            allocations: allocated(1, 32),
            source: "A new each: [ :x | … ]".to_string(),
            ..method("a.st", 1, 1, 8, 15)
        },
        method("A>>each:", 10, 1, 2, 11),
        MethodProfile {
            allocations: allocated(2, 48),
            ..method("A>>leaf", 19, 5, 5, 5)
        },
    ];
    let contexts = vec![
        context(None, None, 0, 0, 15),
        Context {
            allocations: allocated(1, 32),
            ..context(Some(0), Some(0), 1, 3, 15)
        },
        context(Some(1), Some(1), 1, 2, 11),
        Context {
            kind: ContextKind::Block,
            block: 1,
            ..context(Some(2), Some(0), 2, 5, 9)
        },
        Context {
            allocations: allocated(2, 48),
            ..context(Some(3), Some(2), 4, 4, 4)
        },
        context(Some(1), Some(2), 1, 1, 1),
    ];
    let mut made = profile(15, methods, contexts);
    made.cost.blocks = 2;
    made.cost.allocations = allocated(3, 80);
    made.cost.primitives.insert("new".to_string(), 2);
    made.calls = vec![
        call(None, 0, 1, 15),
        call(Some(0), 1, 1, 11),
        call(Some(0), 2, 5, 5),
        Call {
            block_calls: 2,
            ..call(Some(1), 0, 0, 9)
        },
    ];
    made.sites = vec![
        site(0, 1, "each:", 1, 1, 11),
        site(0, 1, "leaf", 4, 4, 4),
        site(0, 2, "+", 2, 0, 0),
        site(0, 3, "leaf", 1, 1, 1),
        site(1, 11, "value:", 2, 2, 9),
        site(2, 20, "new", 5, 0, 0),
    ];
    made.allocations = vec![
        Allocation {
            context: 1,
            class: "BlockClosure".to_string(),
            site: None,
            objects: 1,
            bytes: 32,
        },
        Allocation {
            context: 4,
            class: "Array".to_string(),
            site: Some(5),
            objects: 2,
            bytes: 48,
        },
    ];
    made
}

/// A profile of this many methods, each called by the one before; each sends one message.
pub(crate) fn chain(depth: u32) -> Profile {
    let total = |index: u32| u64::from(depth - index);
    let one = |index: u32| {
        method(
            &format!("A>>m{index}"),
            1 + index as usize,
            1,
            1,
            total(index),
        )
    };
    let node = |index: u32| context(Some(index), Some(index), 1, 1, total(index));
    let run = context(None, None, 0, 0, u64::from(depth));
    let contexts = std::iter::once(run).chain((0..depth).map(node));
    let mut made = profile(
        u64::from(depth),
        (0..depth).map(one).collect(),
        contexts.collect(),
    );
    let caller = |index: u32| index.checked_sub(1);
    made.calls = (0..depth)
        .map(|index| call(caller(index), index, 1, total(index)))
        .collect();
    made
}
