//! The length of searches in hashed collections: sets of keys of every kind that programs use, inspected in a Set's own
//! index. Bounds hold for keys whose hashes differ; `tally verify` reports keys with equal hashes.

use std::fmt::Write as _;
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::modes;
use tally_tests::observe::{Options, compile, observe};
use tally_vm::Outcome;

use crate::checks::trial;

/// How many keys a set gets. Builds for debugging are too slow for more.
const KEYS: u64 = if cfg!(debug_assertions) {
    60_000
} else {
    1_000_000
};

/// The bounds: places looked at in the mean when a key is there, when it is not, and at most.
const MEAN_OF_HITS: f64 = 2.5;
const MEAN_OF_MISSES: f64 = 4.0;
const LONGEST: f64 = 64.0;

/// Fills a Set with the keys that the first method answers, and prints five numbers. The first is the number of keys.
/// The next two are the sum and the maximum of places read by searches that find a key. The fourth is the sum of places
/// read by searches that find nothing, one from each place. The last is the number of places.
const MEASURE: &str = "
Object subclass: Pair [
    | a b |
    a [ ^a ]
    b [ ^b ]
    a: x b: y [ a := x. b := y ]
    = other [ ^other class == Pair and: [a = other a and: [b = other b]] ]
    hash [ ^a hash bitXor: b hash ]
]
Object subclass: Measure [
    | set |
    keys: n with: aBlock [
        set := Set new.
        0 to: n - 1 do: [:i | set add: (aBlock value: i)] ]
    keptAt: place in: index [
        | at |
        at := place - 1 * 4.
        ^(((index basicAt: at + 4) * 256 + (index basicAt: at + 3)) * 256 + (index basicAt: at + 2)) * 256 + (index basicAt: at + 1) ]
    print [
        | index places sum longest run misses |
        index := set instVarNamed: 'hashes'.
        places := set capacity.
        sum := 0. longest := 0. run := 0. misses := 0.
        1 to: places do: [:place | | kept steps |
            kept := self keptAt: place in: index.
            kept = 0
                ifTrue: [
                    misses := misses + (run + 1 * (run + 2) // 2).
                    run := 0]
                ifFalse: [
                    steps := (place - 1 - kept) \\\\ places + 1.
                    sum := sum + steps.
                    longest := longest max: steps.
                    run := run + 1]].
        {set size. sum. longest. misses. places} printNl ]
]
";

/// A kind of keys: its name, and what answers the key with number `i`; `W` stands for the side of a square of them, `K` for
/// a number that is drawn.
const KINDS: &[(&str, &str)] = &[
    ("integers", "[:i | i + K]"),
    ("multiples", "[:i | i * (1 bitShift: K \\\\ 40) - K]"),
    (
        "negative_and_positive",
        "[:i | i odd ifTrue: [i] ifFalse: [i negated]]",
    ),
    ("squares", "[:i | i * i + K]"),
    (
        "large_integers",
        "[:i | (i * (1 bitShift: 64 + (K \\\\ 64))) + (1 bitShift: 80)]",
    ),
    ("halves", "[:i | i * 0.5]"),
    ("floats", "[:i | (i + K) / 1000.0e0]"),
    ("fractions", "[:i | i * 1000003 + 1 / 1000003]"),
    ("points_of_a_grid", "[:i | i \\\\ W @ (i // W)]"),
    (
        "points_with_strides",
        "[:i | i \\\\ W * (1 bitShift: K \\\\ 20) @ (i // W * 1024)]",
    ),
    ("pairs", "[:i | {i \\\\ W. i // W}]"),
    (
        "triples",
        "[:i | {i \\\\ 100. i // 100 \\\\ 100. i // 10000}]",
    ),
    ("associations", "[:i | i \\\\ W -> (i // W)]"),
    ("intervals", "[:i | i to: i + 2]"),
    (
        "strings_with_a_common_prefix",
        "[:i | 'a prefix that all of them share, ', (i + K) printString]",
    ),
    (
        "strings_that_end_alike",
        "[:i | (i + K) printString, ' and the same end for all']",
    ),
    ("wide_strings", "[:i | '名前', (i + K) printString]"),
    ("symbols", "[:i | ('key', i printString) asSymbol]"),
    (
        "characters",
        "[:i | Character value: (i < 55296 ifTrue: [i] ifFalse: [i + 2048])]",
    ),
    (
        "dates",
        "[:i | Date year: 1900 + (i // 365) day: i \\\\ 365 + 1]",
    ),
    ("durations", "[:i | Duration milliSeconds: i * K]"),
    // Of pairs (a, b) and (b, a), which have one hash, only one.
    (
        "objects_that_combine_by_bitXor",
        "[:i | Pair new a: i \\\\ W b: W + (i // W); yourself]",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let test = |(number, &(name, keys)): (usize, &(&str, &'static str))| {
        // Any numbers would do; these are the same each time.
        let drawn = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let name = format!("hashing/searches_are_short/{name}");
        trial(name, move || searches_are_short(keys, drawn))
    };
    KINDS.iter().enumerate().map(test).collect()
}

fn searches_are_short(keys: &str, drawn: u64) -> Result<(), String> {
    let side = KEYS.isqrt() + 1;
    let keys = keys.replace('W', &side.to_string());
    let keys = keys.replace('K', &drawn.to_string());
    let mut program = MEASURE.to_string();
    let _ = write!(program, "Measure new keys: {KEYS} with: {keys}; print");
    let compiled = compile("hashing.st", &program)?;
    let unit = compiled.unit.ok_or(format!("{:?}", compiled.diagnostics))?;
    let seen = observe(&Arc::new(unit), &Options::default(), &modes::PLAIN)?;
    if seen.outcome != Outcome::Finished {
        return Err(seen.error);
    }
    let printed: Vec<f64> = seen
        .out
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    let &[count, sum, longest, misses, places] = printed.as_slice() else {
        return Err(seen.out);
    };
    let (hits, misses) = (sum / count, misses / places);
    let holds = count == KEYS as f64
        && hits <= MEAN_OF_HITS
        && misses <= MEAN_OF_MISSES
        && longest <= LONGEST;
    match holds {
        true => Ok(()),
        false => Err(format!(
            "{count} keys in {places} places: {hits:.2} places for a key, {misses:.2} for none, at most {longest}"
        )),
    }
}
