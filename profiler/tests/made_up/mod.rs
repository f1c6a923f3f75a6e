//! Made-up profiles of any size, whose counts add up like the counts of a run. The tree is pseudo-random and fixed by its
//! seed; all other numbers are derived from the tree.

#![allow(
    dead_code,
    reason = "each test binary uses the part of this that it needs"
)]

use std::collections::{BTreeMap, HashMap};

use tally_profiler::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Limits, MethodProfile, Profile,
    Site,
};

/// Numbers that look random and are not.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

const CLASSES: &[&str] = &[
    "OrderedCollection",
    "Parser",
    "Account",
    "Dictionary",
    "Token",
    "JsonReader",
    "Planner",
    "Constraint class",
    "Interval",
    "ReadStream",
    "Graph",
    "Vertex",
];
const SELECTORS: &[&str] = &[
    "at:put:",
    "do:",
    "next",
    "inject:into:",
    "accept:",
    "removeFirst",
    "value",
    "printOn:",
    "=",
    "collect:",
    "isEmpty",
    "detect:ifNone:",
    "+",
];
const SENDS: &[&str] = &["size", "at:put:", "value", "+", "printOn:", "isEmpty"];

/// Grows a profile with this many methods and about this many contexts.
pub(crate) fn profile(methods: usize, contexts: usize) -> Profile {
    let mut dice = Dice(methods as u64);
    let mut profile = empty("examples/planner.st");
    profile.methods = (0..methods).map(method).collect();
    grow(&mut profile, contexts, &mut dice);
    derive_counts(&mut profile);
    derive_calls(&mut profile);
    scatter_sites(&mut profile);
    derive_allocations(&mut profile);
    profile
}

/// A profile of a run that did nothing.
pub(crate) fn empty(file: &str) -> Profile {
    Profile {
        model: 1,
        library: "00000000000000aa".to_string(),
        program: "00000000000000bb".to_string(),
        files: vec![file.to_string()],
        seed: 1,
        limits: Limits {
            depth: 10_000,
            ..Limits::default()
        },
        ..Profile::default()
    }
}

fn method(number: usize) -> MethodProfile {
    let is_script = number == 0;
    let is_library = number % 3 == 2;
    let class = match number / (CLASSES.len() * SELECTORS.len()) {
        0 => CLASSES[number % CLASSES.len()].to_string(),
        more => format!("{}{more}", CLASSES[number % CLASSES.len()]),
    };
    let selector = SELECTORS[number / CLASSES.len() % SELECTORS.len()].to_string();
    let file = match (is_script, is_library) {
        (true, _) => "examples/planner.st".to_string(),
        (_, true) => format!("<library>/collections/{class}.st"),
        _ => format!("planner/{class}.st"),
    };
    MethodProfile {
        name: match is_script {
            true => file.clone(),
            false => format!("{class}>>{selector}"),
        },
        package: match (is_script, is_library) {
            (true, _) => String::new(),
            (_, true) => format!("Collections-{}", number % 5),
            _ => format!("Planner-{}", number % 7),
        },
        category: "running".to_string(),
        line: 10 + number % 90,
        digest: format!("{number:016x}"),
        source: source(&selector),
        class: if is_script { String::new() } else { class },
        selector: if is_script { String::new() } else { selector },
        file,
        is_library,
        calls: 0,
        block_calls: 0,
        own: 0,
        total: 0,
        cumulative: 0,
        code: None,
        allocations: Allocated::default(),
        ..MethodProfile::default()
    }
}

fn source(selector: &str) -> String {
    let mut text = format!("{selector} [\n\t\"What it is for.\"\n\t| all |\n");
    for send in SENDS {
        text.push_str(&format!("\tall := self {send} all.\n"));
    }
    text + "\t^all\n]\n"
}

fn grow(profile: &mut Profile, contexts: usize, dice: &mut Dice) {
    let methods = profile.methods.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new()];
    let mut made: Vec<(u32, bool, u64)> = vec![(0, false, 0)];
    while made.len() < contexts {
        // Mostly below something recent, so that the tree is deep as well as wide.
        let recent = made.len().min(60);
        let parent = match made.len() {
            1 => 0,
            _ if dice.roll(3) == 0 => 1 + dice.roll(made.len() - 1),
            _ => (made.len() - 1 - dice.roll(recent)).max(1),
        };
        let method = match made.len() {
            1 => 0,
            number if number < methods => number,
            _ => dice.roll(methods),
        };
        let is_block = made.len() > 1 && dice.roll(4) == 0;
        let own = 1 + (dice.roll(1000) * dice.roll(1000) / 100) as u64;
        children[parent].push(made.len());
        children.push(Vec::new());
        made.push((method as u32, is_block, own));
    }
    let mut pending = vec![(0_usize, None)];
    while let Some((node, parent)) = pending.pop() {
        let (method, is_block, own) = made[node];
        let index = profile.contexts.len() as u32;
        profile.contexts.push(Context {
            parent,
            kind: match (node, is_block) {
                (0, _) => ContextKind::Run,
                (_, true) => ContextKind::Block,
                (_, false) => ContextKind::Method,
            },
            method: (node > 0).then_some(method),
            block: u32::from(is_block),
            calls: u64::from(node > 0) * (1 + own / 7),
            own,
            total: own,
            allocations: Allocated {
                objects: own / 3,
                bytes: own / 3 * 24,
            },
            ..Context::default()
        });
        pending.extend(children[node].iter().map(|child| (*child, Some(index))));
    }
    for index in (1..profile.contexts.len()).rev() {
        if let Some(parent) = profile.contexts[index].parent {
            profile.contexts[parent as usize].total += profile.contexts[index].total;
        }
    }
}

/// Walks the tree with a stack of contexts, and calls `enter` with each context's index and its caller's method.
fn walk(profile: &Profile, mut enter: impl FnMut(usize, &[usize])) {
    let mut stack: Vec<usize> = Vec::new();
    for (index, context) in profile.contexts.iter().enumerate() {
        while let Some(top) = stack.last() {
            if Some(*top as u32) == context.parent {
                break;
            }
            stack.pop();
        }
        enter(index, &stack);
        stack.push(index);
    }
}

fn derive_counts(profile: &mut Profile) {
    let mut methods = std::mem::take(&mut profile.methods);
    let contexts = &profile.contexts;
    walk(profile, |index, stack| {
        let context = &contexts[index];
        let Some(number) = context.method else { return };
        let method = &mut methods[number as usize];
        match context.kind {
            ContextKind::Block => method.block_calls += context.calls,
            _ => method.calls += context.calls,
        }
        method.own += context.own;
        method.cumulative += context.total;
        method.allocations.objects += context.allocations.objects;
        method.allocations.bytes += context.allocations.bytes;
        if stack
            .iter()
            .all(|above| contexts[*above].method != Some(number))
        {
            method.total += context.total;
        }
    });
    let sum = |count: fn(&MethodProfile) -> u64| methods.iter().map(count).sum::<u64>();
    profile.cost = CostVector {
        sends: sum(|m| m.own),
        loops: 12_345,
        activations: sum(|m| m.calls),
        blocks: sum(|m| m.block_calls),
        allocations: Allocated {
            objects: sum(|m| m.allocations.objects),
            bytes: sum(|m| m.allocations.bytes),
        },
        instructions: sum(|m| m.own) * 4,
        primitives: [("intAdd", 70_120), ("arrayAt", 9_120), ("basicNew", 314)]
            .map(|(name, count)| (name.to_string(), count))
            .into(),
        called: 314,
        counters: [("moved".to_string(), 25_000)].into(),
        work: 40_000_000,
    };
    profile.methods = methods;
}

fn derive_calls(profile: &mut Profile) {
    let mut edges: BTreeMap<(Option<u32>, u32), Call> = BTreeMap::new();
    let contexts = &profile.contexts;
    walk(profile, |index, stack| {
        let context = &contexts[index];
        let Some(callee) = context.method else { return };
        let caller = stack.last().and_then(|above| contexts[*above].method);
        let call = edges.entry((caller, callee)).or_insert(Call {
            caller,
            callee,
            calls: 0,
            block_calls: 0,
            total: 0,
            ..Call::default()
        });
        match context.kind {
            ContextKind::Block => call.block_calls += context.calls,
            _ => call.calls += context.calls,
        }
        let is_same = |pair: &[usize]| {
            contexts[pair[0]].method == caller && contexts[pair[1]].method == Some(callee)
        };
        if !stack.windows(2).any(is_same) {
            call.total += context.total;
        }
    });
    profile.calls = edges.into_values().collect();
}

fn scatter_sites(profile: &mut Profile) {
    for (number, method) in profile.methods.iter().enumerate() {
        let mut left = method.own;
        for (line, selector) in SENDS.iter().enumerate() {
            let sends = if line + 1 == SENDS.len() {
                left
            } else {
                left / 3
            };
            left -= sends;
            if sends == 0 {
                continue;
            }
            profile.sites.push(Site {
                method: number as u32,
                line: method.line + 3 + line,
                column: 14,
                selector: (*selector).to_string(),
                is_super: false,
                sends,
                calls: sends / 2,
                total: sends * 2,
                ..Site::default()
            });
        }
    }
}

fn derive_allocations(profile: &mut Profile) {
    let first_site: HashMap<u32, u32> = profile
        .sites
        .iter()
        .enumerate()
        .rev()
        .map(|(index, site)| (site.method, index as u32))
        .collect();
    for (index, context) in profile.contexts.iter().enumerate() {
        if context.allocations.objects == 0 {
            continue;
        }
        profile.allocations.push(Allocation {
            context: index as u32,
            class: ["Array", "Point", "BlockClosure"][index % 3].to_string(),
            site: context.method.and_then(|m| first_site.get(&m).copied()),
            objects: context.allocations.objects,
            bytes: context.allocations.bytes,
        });
    }
}

/// Names that would be markup if a report let them.
pub(crate) const HOSTILE: &[&str] = &[
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror=\"window.broken = 2\">",
    "<!--",
    "\"><svg onload='window.broken = 3'>",
    "&lt;b&gt; ${window.broken = 4} \u{2028}\u{2029}\u{0}\u{1b}",
    "{{script}} {{data}}",
];

/// A profile whose every text is hostile.
pub(crate) fn hostile() -> Profile {
    let mut profile = profile(12, 60);
    profile.files = HOSTILE.iter().map(|text| (*text).to_string()).collect();
    profile.arguments = profile.files.clone();
    for (number, method) in profile.methods.iter_mut().enumerate() {
        let text = HOSTILE[number % HOSTILE.len()];
        let texts = [
            &mut method.name,
            &mut method.class,
            &mut method.selector,
            &mut method.package,
            &mut method.category,
            &mut method.file,
            &mut method.source,
        ];
        for place in texts {
            *place = format!("{text}{number}");
        }
        method.digest = text.to_string();
    }
    for (number, site) in profile.sites.iter_mut().enumerate() {
        site.selector = HOSTILE[number % HOSTILE.len()].to_string();
        (site.line, site.column) = (site.line - 3, 1);
    }
    for (number, allocation) in profile.allocations.iter_mut().enumerate() {
        allocation.class = HOSTILE[number % HOSTILE.len()].to_string();
    }
    for text in HOSTILE {
        profile.cost.primitives.insert((*text).to_string(), 1);
    }
    profile.inlined = Some(profile.cost.primitives.clone());
    profile
}
