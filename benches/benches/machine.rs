//! Criterion benchmarks of the running machine: start, sends, loops, blocks, collections, exceptions. They show the
//! effect of a change; `targets` checks the targets.

mod scripts;

use std::error::Error;

use criterion::Criterion;
use tally_benches::machine;

/// Name and script, each a few milliseconds of work.
const SCRIPTS: &[(&str, &str)] = &[
    (
        "fib",
        "Integer extend [ fib [ ^self < 2 ifTrue: [self] ifFalse: [(self - 1) fib + (self - 2) fib] ] ]
         20 fib",
    ),
    (
        "sieve",
        "| flags count |
         count := 0.
         flags := Array new: 20000.
         1 to: 20000 do: [:i | flags at: i put: true].
         2 to: 20000 do: [:i |
             (flags at: i) ifTrue: [
                 | k |
                 count := count + 1.
                 k := i + i.
                 [k <= 20000] whileTrue: [flags at: k put: false. k := k + i]]].
         count",
    ),
    ("blocks", "(1 to: 20000) inject: 0 into: [:sum :each | sum + each]"),
    (
        "dictionary",
        "| d sum |
         d := Dictionary new.
         1 to: 5000 do: [:i | d at: i put: i].
         sum := 0.
         1 to: 5000 do: [:i | sum := sum + (d at: i ifAbsent: [0])].
         sum",
    ),
    (
        "strings",
        "| s |
         s := WriteStream on: String new.
         1 to: 2000 do: [:i | s nextPutAll: i printString].
         s contents size",
    ),
    ("exceptions", "1 to: 500 do: [:i | [Error signal: 'x'] on: Error do: [:e | e return: i]]"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("machine/start", |bencher| {
        bencher.iter_with_large_drop(machine)
    });
    scripts::measure(&mut criterion, "machine", SCRIPTS)?;
    criterion.final_summary();
    Ok(())
}
