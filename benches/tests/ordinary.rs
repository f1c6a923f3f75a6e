//! The measured programs are correct: ordinary programs print the output stored beside them, their twins print the same,
//! and every kind of growth checks its result. Sizes are small, and nothing is timed. With `TALLY_UPDATE=1` the output is
//! stored anew.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tally_benches::growth::WORKS;
use tally_benches::ordinary::{Ordinary, PROGRAMS, Runtime};
use tally_benches::{compile, root};
use tally_vm::{Config, Host, Outcome, Vm};

/// A world that keeps its output, where the test can read it.
#[derive(Clone, Debug, Default)]
struct Written(Arc<Mutex<String>>);

impl Written {
    fn text(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Host for Written {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.push_str(text);
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.write_out(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        Ok(String::new())
    }

    fn read_file(&mut self, _path: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn milliseconds(&mut self) -> u64 {
        0
    }
}

/// A machine from which others are copied.
fn machine() -> Result<Vm, String> {
    let mut vm = tally_stdlib::machine(Config::default(), Box::new(Written::default()))?;
    tally_compiler::runtime::equip(&mut vm);
    Ok(vm)
}

/// What a program prints on a copy of a machine.
fn run(vm: &mut Vm, file: &str, arguments: &[&str]) -> Result<String, String> {
    let source = fs::read_to_string(root().join(file)).map_err(|error| error.to_string())?;
    let written = Written::default();
    let mut copy = vm.fork(Box::new(written.clone()));
    copy.set_arguments(arguments.iter().map(ToString::to_string).collect());
    let unit = compile(&copy, file, &source)?;
    match copy.run_unit(unit) {
        Outcome::Finished => Ok(written.text()),
        outcome => Err(format!("{outcome:?}\n{}", written.text())),
    }
}

fn stored(program: &Ordinary) -> PathBuf {
    root().join(format!("benches/ordinary/{}.expected", program.name))
}

/// The stored output, with the same ends of lines on all systems.
fn expected(program: &Ordinary) -> Result<String, String> {
    let text = fs::read_to_string(stored(program)).map_err(|error| error.to_string())?;
    Ok(text.replace("\r\n", "\n"))
}

fn check(program: &Ordinary, output: &str) -> Result<(), String> {
    let expected = expected(program)?;
    if output == expected {
        return Ok(());
    }
    Err(format!("it prints\n{output}instead of\n{expected}"))
}

/// Fails with all that went wrong, a paragraph each.
fn report(failures: impl Iterator<Item = (String, Result<(), String>)>) -> Result<(), String> {
    let told = |(name, result): (String, Result<(), String>)| {
        result.err().map(|why| format!("{name}: {why}\n"))
    };
    let wrong: String = failures.filter_map(told).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[test]
fn ordinary_programs_print_what_is_stored() -> Result<(), String> {
    let mut vm = machine()?;
    let is_update = std::env::var_os("TALLY_UPDATE").is_some_and(|value| value == "1");
    report(PROGRAMS.iter().map(|program| {
        let file = format!("benches/ordinary/{}.st", program.name);
        let arguments: Vec<&str> = program.small.split_whitespace().collect();
        let output = run(&mut vm, &file, &arguments);
        let checked = output.and_then(|output| {
            if is_update {
                return fs::write(stored(program), output).map_err(|error| error.to_string());
            }
            check(program, &output)
        });
        (program.name.to_string(), checked)
    }))
}

#[test]
fn twins_print_what_is_stored() -> Result<(), String> {
    let mut failures = Vec::new();
    for peer in Runtime::PEERS {
        let Some(found) = peer.find() else {
            // Only the hint is lost when standard error is closed.
            let _ = writeln!(io::stderr(), "skipped: {peer:?} is not installed");
            continue;
        };
        let is_peer = |program: &&Ordinary| program.peers.iter().any(|(each, _)| *each == peer);
        for program in PROGRAMS.iter().filter(is_peer) {
            let output = peer.run(&found, program.name, program.small).output();
            let checked = output.and_then(|output| check(program, &output));
            failures.push((format!("{}, {peer:?}", program.name), checked));
        }
    }
    report(failures.into_iter())
}

#[test]
fn every_kind_of_growth_finds_its_result() -> Result<(), String> {
    let mut vm = machine()?;
    report(WORKS.iter().map(|work| {
        let file = format!("benches/growth/{}.st", work.subject);
        let printed = run(&mut vm, &file, &[work.kind, "40", "2"]);
        (
            format!("{}, {}", work.subject, work.kind),
            printed.map(|_| ()),
        )
    }))
}

#[test]
fn every_file_belongs_to_a_program() -> io::Result<()> {
    let names: BTreeSet<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    for entry in fs::read_dir(root().join("benches/ordinary"))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        assert!(
            names.contains(&*stem),
            "{} belongs to no program",
            path.display()
        );
    }
    Ok(())
}
