//! Criterion benchmarks of allocation and of the collector: objects that die at once, objects that
//! stay, and old objects that point to young ones.

mod scripts;

use std::error::Error;

use criterion::Criterion;

const SCRIPTS: &[(&str, &str)] = &[
    ("short_lived", "1 to: 100000 do: [:i | Array new: 4]"),
    (
        "long_lived",
        "| kept |
         kept := OrderedCollection new.
         1 to: 50000 do: [:i | kept addLast: (Array with: i with: i printString)].
         kept size",
    ),
    (
        "old_to_young",
        "| slots |
         slots := Array new: 10000.
         1 to: 20 do: [:round |
             1 to: 10000 do: [:i | slots at: i put: (Array with: round with: i)]].
         slots size",
    ),
    ("large", "1 to: 50 do: [:i | Array new: 100000]"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    scripts::measure(&mut criterion, "collector", SCRIPTS)?;
    criterion.final_summary();
    Ok(())
}
