//! Compiles the library: every `.st` file in the folders beside this one, superclasses first, then by
//! name. Diagnostics of the library are errors of the build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tally_compiler::environment::UnitEnvironment;
use tally_compiler::{Compiled, compile_all, render};
use tally_vm::bytecode::{Definition, Unit};

/// Globals that the library's own scripts define.
const GLOBALS: &[&str] = &["Smalltalk", "Transcript", "Processor"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    files.sort();
    let digest = digest(&files);
    let mut environment = UnitEnvironment::new();
    GLOBALS
        .iter()
        .for_each(|name| environment.add_global(*name));
    let pairs: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, s)| (n.as_str(), s.as_str()))
        .collect();
    let compiled = compile_all(&pairs, &environment);
    let mut units = Vec::new();
    let mut broken = false;
    for ((name, source), Compiled { unit, diagnostics }) in files.iter().zip(compiled) {
        if !diagnostics.is_empty() {
            let text = render::render(&diagnostics, name, source, false);
            text.lines()
                .for_each(|line| println!("cargo::warning={line}"));
        }
        broken |= unit.is_none();
        units.extend(unit);
    }
    if broken {
        println!("cargo::error=the library does not compile");
        return Err("the library does not compile".into());
    }
    let bytes = tally_vm::pack_library(&superclasses_first(units), digest)?;
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("library.bin"),
        bytes,
    )?;
    Ok(())
}

fn collect(
    root: &Path,
    folder: &Path,
    files: &mut Vec<(String, String)>,
) -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|e| e == "st") {
            println!("cargo::rerun-if-changed={}", path.display());
            let name = path
                .strip_prefix(root)?
                .to_string_lossy()
                .replace('\\', "/");
            let source = fs::read_to_string(&path)?.replace("\r\n", "\n");
            files.push((format!("<library>/{name}"), source));
        }
    }
    Ok(())
}

/// FNV-1a over names and texts.
fn digest(files: &[(String, String)]) -> u64 {
    let bytes = files
        .iter()
        .flat_map(|(name, source)| name.bytes().chain(source.bytes()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Orders units by the depth of the classes they define; units without a class come last.
fn superclasses_first(units: Vec<Unit>) -> Vec<Unit> {
    let mut above: BTreeMap<String, Option<String>> = BTreeMap::new();
    for unit in &units {
        for definition in &unit.definitions {
            if let Definition::Class(class) = definition {
                above.insert(class.name.clone(), class.superclass.clone());
            }
        }
    }
    let depth = |unit: &Unit| {
        let class = unit
            .definitions
            .iter()
            .find_map(|definition| match definition {
                Definition::Class(class) => Some(class.name.clone()),
                _ => None,
            });
        let mut depth = 0;
        let mut at = class?;
        while let Some(Some(superclass)) = above.get(&at) {
            depth += 1;
            at = superclass.clone();
            if depth > above.len() {
                break;
            }
        }
        Some(depth)
    };
    let mut units = units;
    units.sort_by_key(|unit| depth(unit).unwrap_or(usize::MAX));
    units
}
