//! Compiles the libraries: every `.st` file in the folders beside this one, and every `.som` file, which
//! make the library of SOM; superclasses first, then by name. Diagnostics of a library are errors of the
//! build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::{ClassShape, Environment, UnitEnvironment};
use tally_compiler::library::{compile_extension, compile_library};
use tally_compiler::{Compiled, render, som};
use tally_vm::bytecode::{Definition, Unit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    compile_smalltalk(&root)?;
    compile_som(&root)
}

fn compile_smalltalk(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    // The files of dialects extend the library; without the dialect nothing of them is there.
    let (dialects, files): (Vec<_>, Vec<_>) = sources(root, "st")?
        .into_iter()
        .partition(|(name, _)| name.starts_with(DIALECTS));
    let digest = digest(&files);
    println!("cargo::rustc-env=TALLY_LIBRARY_DIGEST={digest:016x}");
    let pairs: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, s)| (n.as_str(), s.as_str()))
        .collect();
    let compiled = compile_library(&pairs);
    let mut units = Vec::new();
    let mut broken = false;
    for (
        (name, source),
        Compiled {
            unit, diagnostics, ..
        },
    ) in files.iter().zip(compiled)
    {
        warn(&diagnostics, name, source);
        broken |= unit.is_none();
        units.extend(unit);
    }
    if broken {
        println!("cargo::error=the library does not compile");
        return Err("the library does not compile".into());
    }
    embed_dialect(root, "gst", &dialects, &units)?;
    write("library.bin", &superclasses_first(units), digest)
}

/// Where the extensions of the library for dialects are.
const DIALECTS: &str = "<library>/dialects/";

/// Writes the table of a dialect's files, which are compiled when a machine for the dialect starts. That they compile is
/// found out here.
fn embed_dialect(
    root: &Path,
    dialect: &str,
    files: &[(String, String)],
    library: &[Unit],
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = format!("{DIALECTS}{dialect}/");
    let files: Vec<(&str, &str)> = files
        .iter()
        .filter(|(name, _)| name.starts_with(&folder))
        .map(|(n, s)| (n.as_str(), s.as_str()))
        .collect();
    let mut broken = false;
    for ((name, source), compiled) in files.iter().zip(compile_extension(library, &files)) {
        warn(&compiled.diagnostics, name, source);
        broken |= compiled.unit.is_none();
    }
    if broken {
        println!("cargo::error=the library of {dialect} does not compile");
        return Err("the library of a dialect does not compile".into());
    }
    let mut table = String::from("&[\n");
    for (name, _) in &files {
        let path = root.join(name.trim_start_matches("<library>/"));
        table.push_str(&format!("    ({name:?}, include_str!({path:?})),\n"));
    }
    table.push_str("]\n");
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join(format!("{dialect}.rs")),
        table,
    )?;
    Ok(())
}

/// The world of SOM's library: all of its classes, of which only the kernel is there from the start. The others
/// come when they are needed, so code that names them has to ask.
struct SomWorld(UnitEnvironment);

impl Environment for SomWorld {
    fn is_global(&self, name: &str) -> bool {
        name == "system" || tally_vm::SOM_KERNEL.contains(&name)
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        // What is known is taken to be there; superclasses are of the kernel all.
        self.0
            .class(name)
            .filter(|_| tally_vm::SOM_KERNEL.contains(&name))
    }

    fn understands(&self, selector: &str) -> bool {
        self.0.understands(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.0.selectors()
    }
}

fn compile_som(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut waiting = sources(root, "som")?;
    let digest = digest(&waiting);
    let mut world = SomWorld(UnitEnvironment::new());
    let mut units = Vec::new();
    // A class can be compiled when its superclass was.
    while !waiting.is_empty() {
        let mut left = Vec::new();
        let count = waiting.len();
        for (name, source) in waiting {
            let superclass = match som::header(&source) {
                Ok(header) => header.superclass,
                Err(diagnostics) => {
                    warn(&diagnostics, &name, &source);
                    return Err(format!("{name} does not compile").into());
                }
            };
            if superclass.is_some_and(|above| world.class(&above).is_none()) {
                left.push((name, source));
                continue;
            }
            let Compiled {
                unit, diagnostics, ..
            } = som::compile(&name, &source, &world);
            warn(&diagnostics, &name, &source);
            let unit = unit.ok_or_else(|| format!("{name} does not compile"))?;
            world.0.add_unit(&unit);
            units.push(unit);
        }
        if left.len() == count {
            return Err(format!("{} has no superclass", left[0].0).into());
        }
        waiting = left;
    }
    // What their scripts do is known: they define one class each.
    write("som.bin", &superclasses_first(units), digest)
}

fn warn(diagnostics: &[Diagnostic], name: &str, source: &str) {
    if !diagnostics.is_empty() {
        let text = render::render(diagnostics, name, source, false);
        text.lines()
            .for_each(|line| println!("cargo::warning={line}"));
    }
}

fn write(name: &str, units: &[Unit], digest: u64) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = tally_vm::pack_library(units, digest)?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join(name), bytes)?;
    Ok(())
}

/// Names and texts of all files with this extension, by name.
fn sources(
    root: &Path,
    extension: &str,
) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    collect(root, root, extension, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(
    root: &Path,
    folder: &Path,
    extension: &str,
    files: &mut Vec<(String, String)>,
) -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, extension, files)?;
        } else if path.extension().is_some_and(|e| e == extension) {
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
