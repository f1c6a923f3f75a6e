//! The programs in a checkout of SOM, with their sizes.

use std::path::{Path, PathBuf};

use crate::world::Invocation;

const AWFY: &[(&str, u32)] = &[
    ("Bounce", 1),
    ("List", 1),
    ("Permute", 1),
    ("Queens", 1),
    ("Sieve", 1),
    ("Storage", 1),
    ("Towers", 1),
    ("Mandelbrot", 1),
    ("NBody", 1),
    ("Richards", 1),
    ("DeltaBlue", 1),
    ("Json", 1),
    ("Havlak", 1),
    ("CD", 2),
];

/// Folders of *Are We Fast Yet*; they come before the core library, for some of their classes have names
/// of its classes.
const AWFY_FOLDERS: &[&str] = &[
    "Core",
    "CD",
    "DeltaBlue",
    "Havlak",
    "Json",
    "NBody",
    "Richards",
    ".",
];

const BENCHMARKS: &[(&str, u32)] = &[
    ("Richards", 1),
    ("DeltaBlue", 50),
    ("NBody", 500),
    ("NBodyBench", 1),
    ("Json", 1),
    ("JsonSmall", 1),
    ("GraphSearch", 7),
    ("PageRank", 15),
    ("Fannkuch", 5),
    ("Fibonacci", 1),
    ("Dispatch", 1),
    ("DispatchNoArg", 1),
    ("DispatchPerform", 1),
    ("DispatchPerformNoArg", 1),
    ("Bounce", 1),
    ("BubbleSort", 3),
    ("Loop", 2),
    ("Permute", 1),
    ("Queens", 1),
    ("List", 1),
    ("Recurse", 1),
    ("Storage", 1),
    ("Sieve", 1),
    ("QuickSort", 2),
    ("Sum", 2),
    ("Towers", 1),
    ("TreeSort", 1),
    ("IntegerLoop", 1),
    ("FieldLoop", 1),
    ("FieldWrite", 1),
    ("WhileLoop", 2),
    ("WhileLoopPoly", 1),
    ("WhileLoopVAt", 1),
    ("NonLocalReturn", 1),
    ("SlopStone", 1),
    ("Mandelbrot", 10),
    ("IfNil", 1),
    ("Knapsack", 1),
    ("VectorBenchmark", 1),
    ("Test", 1),
    ("TestGC", 1),
    ("GCBench", 1),
    ("Polymorphism", 1),
    ("Poly1", 1),
    ("Simple", 1),
    ("RichardsBenchmarks", 1),
    ("SomParse", 1),
    ("SomInit", 100),
    ("All", 1),
    ("ArgRead", 1),
    ("ArrayReadConst", 1),
    ("ArrayWriteConstConst", 1),
    ("BlockSend0ConstReturn", 1),
    ("Const", 1),
    ("FieldConstWrite", 1),
    ("FieldRead", 1),
    ("FieldReadIncWrite", 1),
    ("FieldReadWrite", 1),
    ("GlobalRead", 1),
    ("LocalConstWrite", 1),
    ("LocalRead", 1),
    ("LocalReadIncWrite", 1),
    ("LocalReadWrite", 1),
    ("SelfSend0", 1),
    ("SelfSend0BlockConstNonLocalReturn", 1),
];

const BENCHMARK_FOLDERS: &[&str] = &[
    "Examples/Benchmarks/Richards",
    "Examples/Benchmarks/DeltaBlue",
    "Examples/Benchmarks/NBody",
    "Examples/Benchmarks/Json",
    "Examples/Benchmarks/GraphSearch",
    "Examples/Benchmarks/LanguageFeatures",
    "Examples/Benchmarks/LanguageFeatures/DoesNotUnderstand",
    "Examples/Benchmarks/TestSuite",
    "Examples/Benchmarks/Interpreter",
    "Examples/Benchmarks/GCBenchmark",
    "Examples/Benchmarks/Polymorphism",
];

/// `SomParse` and `SomInit` load half of the project.
const PARSE_FOLDERS: &[&str] = &[
    "Examples",
    "Examples/Benchmarks/DeltaBlue",
    "Examples/Benchmarks/GraphSearch",
    "Examples/Benchmarks/Json",
    "Examples/Benchmarks/NBody",
    "TestSuite",
    "SomSom/tests",
    "SomSom/src/vmobjects",
    "SomSom/src/primitives",
    "SomSom/src/compiler",
];

fn below(root: &Path, folders: &[&str]) -> Vec<PathBuf> {
    folders.iter().map(|folder| root.join(folder)).collect()
}

fn arguments(name: &str, size: u32) -> Vec<String> {
    [name, "1", &size.to_string()].map(str::to_string).to_vec()
}

pub(crate) fn test_suite(checkout: &Path) -> Invocation {
    Invocation {
        name: "TestSuite".to_string(),
        folders: vec![checkout.join("TestSuite")],
        file: checkout.join("TestSuite/TestHarness.som"),
        arguments: Vec::new(),
    }
}

/// The tests of SOM in SOM: a machine of SOM, written in SOM.
pub(crate) fn som_in_som(checkout: &Path) -> Invocation {
    let folders = [
        "TestSuite",
        "SomSom/src/compiler",
        "SomSom/src/vm",
        "SomSom/src/vmobjects",
        "SomSom/src/interpreter",
        "SomSom/src/primitives",
        "SomSom/tests",
    ];
    Invocation {
        name: "SomSom".to_string(),
        folders: below(checkout, &folders),
        file: checkout.join("SomSom/tests/SomSomTests.som"),
        arguments: Vec::new(),
    }
}

/// The programs of *Are We Fast Yet*.
pub(crate) fn awfy(checkout: &Path) -> Vec<Invocation> {
    let root = checkout.join("Examples/AreWeFastYet");
    let program = |&(name, size): &(&str, u32)| Invocation {
        name: name.to_string(),
        folders: below(&root, AWFY_FOLDERS),
        file: root.join("Harness.som"),
        arguments: arguments(name, size),
    };
    AWFY.iter().map(program).collect()
}

/// The SOM project's own benchmarks.
pub(crate) fn benchmarks(checkout: &Path) -> Vec<Invocation> {
    let program = |&(name, size): &(&str, u32)| {
        let folders = match name {
            "SomParse" | "SomInit" => PARSE_FOLDERS,
            _ => BENCHMARK_FOLDERS,
        };
        Invocation {
            name: name.to_string(),
            folders: below(checkout, folders),
            file: checkout.join("Examples/Benchmarks/BenchmarkHarness.som"),
            arguments: arguments(name, size),
        }
    };
    BENCHMARKS.iter().map(program).collect()
}
