//! Criterion benchmarks of the compiler, in bytes of source text a second: the sources of the standard
//! library, parsed only and compiled.

use std::error::Error;
use std::path::Path;
use std::{fs, io};

use criterion::{Criterion, Throughput};
use tally_benches::root;
use tally_compiler::environment::UnitEnvironment;
use tally_compiler::{compile_all, parser};

/// Globals that the library's own scripts define.
const GLOBALS: &[&str] = &["Smalltalk", "Transcript", "Processor"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut sources = Vec::new();
    collect(&root().join("stdlib"), &mut sources)?;
    sources.sort();
    let pairs: Vec<(&str, &str)> = sources
        .iter()
        .map(|(n, s)| (n.as_str(), s.as_str()))
        .collect();
    let mut environment = UnitEnvironment::new();
    GLOBALS
        .iter()
        .for_each(|name| environment.add_global(*name));
    if compile_all(&pairs, &environment)
        .iter()
        .any(|compiled| compiled.unit.is_none())
    {
        return Err("the library does not compile".into());
    }
    let bytes: usize = pairs.iter().map(|(_, source)| source.len()).sum();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("compiler");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("parse_library", |bencher| {
        let parse = || {
            pairs
                .iter()
                .map(|(_, source)| parser::parse(source))
                .collect::<Vec<_>>()
        };
        bencher.iter_with_large_drop(parse);
    });
    group.bench_function("compile_library", |bencher| {
        bencher.iter_with_large_drop(|| compile_all(&pairs, &environment));
    });
    group.finish();
    criterion.final_summary();
    Ok(())
}

fn collect(folder: &Path, sources: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "st") {
            sources.push((
                path.to_string_lossy().into_owned(),
                fs::read_to_string(&path)?,
            ));
        }
    }
    Ok(())
}
