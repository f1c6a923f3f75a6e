//! Instructions of the processor that operations execute, by callgrind where it is installed. They do not depend on what else the
//! computer does, so each operation runs once.

use std::path::Path;
use std::process::Command;

use tally_study::prices::{Measured, Point};

use super::operations::{Operation, Table};
use super::timing::Bench;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::study::temporary_folder;

/// Callgrind's words before the number of instructions.
const COLLECTED: &str = "Collected : ";

/// Callgrind is slower than the processor by this factor or so, so a run has fewer repetitions than one that is timed.
const SLOWER: u64 = 8;

/// All operations, measured in instructions.
pub(super) fn measured(table: &Table) -> Result<Measured, Failure> {
    let folder = temporary_folder()?;
    let mut bench = Bench::new()?;
    let sizes = table.operations().map(|operation| operation.sizes.len());
    let progress = Progress::new(sizes.sum());
    let mut points = Vec::new();
    for operation in table.operations() {
        bench.define(operation)?;
        let mut of_operation = Vec::new();
        for &size in &operation.sizes {
            progress.step(operation.name.as_str());
            of_operation.push(point(&mut bench, operation, size, folder.path())?);
            progress.done();
        }
        points.push(of_operation);
    }
    Ok(table.measured(points))
}

fn point(
    bench: &mut Bench,
    operation: &Operation,
    size: u64,
    folder: &Path,
) -> Result<Point, Failure> {
    let repetitions = (bench.repetitions(operation, size)? / SLOWER).max(1);
    let instructions = |repetitions| {
        let script = operation.script(size, repetitions);
        let text = format!("{}\n{script}", operation.classes);
        of_script(&text, &folder.join("operation.st"))
    };
    Ok(Point {
        size,
        counts: bench.counts(operation, size, repetitions)?,
        repetitions: repetitions as f64,
        runs: vec![[instructions(repetitions)?, instructions(0)?]],
    })
}

/// The instructions of a process that runs a script.
fn of_script(text: &str, file: &Path) -> Result<f64, Failure> {
    let named = |error| Failure::io("write", &file.display().to_string(), &error);
    std::fs::write(file, text).map_err(named)?;
    let own = std::env::current_exe();
    let own = own.map_err(|error| Failure::io("find", "this command", &error))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let ran = command.arg(own).arg("run").arg(file).output();
    let ran = ran.map_err(|error| Failure::io("run", "valgrind", &error))?;
    let messages = String::from_utf8_lossy(&ran.stderr);
    let number = messages.split_once(COLLECTED).and_then(|(_, rest)| {
        let number = rest.lines().next()?;
        number.trim().parse().ok()
    });
    match number {
        Some(number) if ran.status.success() => Ok(number),
        _ => Err(Failure::printed(Exit::Failed, messages.into_owned())),
    }
}
