//! The same program in all modes: its output and counts must not differ.

use std::path::Path;

use tally_vm::{Config, Cost, Optimisations};

use crate::catalogue;
use crate::world::{Invocation, Library, config, run};

/// Programs that would take too long when garbage is collected at every allocation.
const LONG: &[&str] = &[
    "Havlak",
    "Json",
    "CD",
    "Richards",
    "DeltaBlue",
    "TestSuite",
    "List",
    "Storage",
];

fn modes() -> Vec<(&'static str, Config)> {
    let with = |optimisations| Config {
        optimisations,
        ..config()
    };
    let all = Optimisations::ALL;
    vec![
        ("reference mode", with(Optimisations::NONE)),
        (
            "no caches",
            with(Optimisations {
                caches: false,
                ..all
            }),
        ),
        (
            "no short cuts",
            with(Optimisations {
                shortcuts: false,
                ..all
            }),
        ),
        (
            "no quick methods",
            with(Optimisations {
                quick: false,
                ..all
            }),
        ),
        (
            "gc stress",
            Config {
                gc_stress: true,
                ..config()
            },
        ),
    ]
}

/// Runs *Are We Fast Yet* and the test suite in all modes with both libraries.
pub(crate) fn report(checkout: &Path) -> bool {
    let mut programs = catalogue::awfy(checkout);
    programs.push(catalogue::test_suite(checkout));
    let mut is_good = true;
    for library in [Library::Ours, Library::Theirs] {
        for program in &programs {
            is_good &= compare(program, library, checkout);
        }
    }
    is_good
}

/// What differs, the numbers that people look at first.
fn first_difference(plain: &Cost, other: &Cost) -> String {
    let numbers = |cost: &Cost| {
        [
            cost.sends,
            cost.loops,
            cost.activations,
            cost.blocks,
            cost.steps,
        ]
    };
    if numbers(plain) != numbers(other) || plain.allocations != other.allocations {
        let (a, b) = (numbers(plain), numbers(other));
        return format!(
            "{a:?} {:?}, not {b:?} {:?}",
            plain.allocations, other.allocations
        );
    }
    let mut pairs = plain.primitives.iter().zip(&other.primitives);
    match pairs.find(|(a, b)| a != b) {
        Some((a, b)) => format!("{a:?}, not {b:?}"),
        None => "what is printed".to_string(),
    }
}

fn compare(program: &Invocation, library: Library, checkout: &Path) -> bool {
    let plain = run(program, library, checkout, config());
    let mut is_good = true;
    for (mode, config) in modes() {
        if config.gc_stress && LONG.contains(&program.name.as_str()) {
            continue;
        }
        let other = run(program, library, checkout, config);
        let same = other.out == plain.out
            && other.exit_code() == plain.exit_code()
            && other.cost == plain.cost;
        if !same {
            println!("   {} with {library}, {mode}: differs", program.name);
            println!("      {}", first_difference(&plain.cost, &other.cost));
        }
        is_good &= same;
    }
    println!(
        "{} with {library}: {} sends, {}",
        program.name,
        plain.cost.sends,
        if is_good {
            "the same in all modes"
        } else {
            "NOT the same in all modes"
        }
    );
    is_good
}
