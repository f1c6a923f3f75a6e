//! How well work stands for time and for instructions of the processor, program by program: the tables of docs/WORK.md.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tally_study::data::{HELD_OUT, Role};
use tally_study::results::ProxyRow;
use tally_study::{ALL, Judged, judge};
use tally_workbench::loading::MachineSettings;

use crate::counting::{VALGRIND, total};
use crate::measure::Command;
use crate::root;

/// The folder of the programs of a role.
fn folder(role: Role) -> PathBuf {
    let examples = root().join("examples");
    match role {
        Role::Basket => examples.join("basket"),
        Role::Variant => examples.join("basket").join("variants"),
        Role::HeldOut => examples,
        Role::Blind => examples.join("blind"),
        Role::Counterexample => examples.join("counterexamples"),
    }
}

/// The functions of the machine in which a program runs, as callgrind names them. Loading and compiling are outside.
const INSIDE: &str = "*Vm*execute";

/// A program, measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Why it is measured.
    pub role: Role,
    /// Work in hundredths of a nanosecond.
    pub work: f64,
    /// The least processor time of its runs without counting, in milliseconds.
    pub milliseconds: f64,
    /// The same of a second run of its tests in a process, if it has tests.
    pub again: Option<f64>,
    /// Instructions of the processor in a run without counting, in millions, if they were measured.
    pub instructions: Option<f64>,
}

/// The programs by which work is judged.
///
/// # Errors
/// A sentence, if a folder cannot be read.
pub fn programs() -> Result<Vec<(Role, PathBuf)>, String> {
    let mut programs = Vec::new();
    for role in Role::JUDGED {
        let folder = folder(role);
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = files.filter(|file| is_of(role, file)).collect();
        files.sort();
        programs.extend(files.into_iter().map(|file| (role, file)));
    }
    Ok(programs)
}

fn is_of(role: Role, file: &Path) -> bool {
    let is_program = file.extension().is_some_and(|ending| ending == "st");
    is_program && (role != Role::HeldOut || HELD_OUT.contains(&name(file).as_str()))
}

fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Measures a program: `rounds` runs for its time, and one for its instructions where they are wanted.
///
/// # Errors
/// A sentence, if it cannot be run or fails.
pub fn measure(
    tally: &Path,
    role: Role,
    file: &Path,
    rounds: u32,
    with_instructions: bool,
) -> Result<Measured, String> {
    let sample = Sample { tally, file };
    let vector = sample.run("vector", false)?;
    let has_tests = vector["tests"].as_u64() > Some(0);
    let mut least = [f64::INFINITY; 2];
    for _ in 0..rounds {
        for (again, least) in [false, true].into_iter().zip(&mut least) {
            let run = sample.run("uncounted", again)?;
            let seconds = run["seconds"].as_f64().unwrap_or(f64::INFINITY);
            *least = least.min(1e3 * seconds);
        }
    }
    let [milliseconds, again] = least;
    let instructions = match with_instructions {
        true => Some(sample.instructions()? as f64 / 1e6),
        false => None,
    };
    Ok(Measured {
        name: name(file),
        role,
        work: vector["cost"]["work"].as_f64().unwrap_or(0.0),
        milliseconds,
        again: has_tests.then_some(again),
        instructions,
    })
}

/// A program that the command is to run and time by itself, as the study does.
struct Sample<'a> {
    tally: &'a Path,
    file: &'a Path,
}

impl Sample<'_> {
    /// Writes what is requested, and answers where.
    fn request(&self, form: &str, again: bool) -> Result<PathBuf, String> {
        let request = json!({"run": {
            "files": [self.file],
            "form": form,
            "package": "",
            "machine": MachineSettings::default(),
            "again": again,
        }});
        let place = temporary("request");
        let written = std::fs::write(&place, request.to_string());
        written.map_err(|error| format!("{}: {error}", place.display()))?;
        Ok(place)
    }

    fn run(&self, form: &str, again: bool) -> Result<Value, String> {
        let place = self.request(form, again)?;
        let ran = Command::new(self.tally, &root())
            .with(["sample"])
            .with([&place])
            .output();
        // If it cannot be removed, that changes no figure.
        let _ = std::fs::remove_file(&place);
        let mut answer: Value = serde_json::from_str(&ran?).map_err(|error| error.to_string())?;
        Ok(answer["run"].take())
    }

    /// Instructions of the processor in a run without counting.
    fn instructions(&self) -> Result<u64, String> {
        let (place, log) = (self.request("uncounted", false)?, temporary("callgrind"));
        let options = [
            "--tool=callgrind".to_string(),
            format!("--callgrind-out-file={}", log.display()),
            format!("--toggle-collect={INSIDE}"),
        ];
        let command = Command::new(Path::new(VALGRIND), &root()).with(options);
        let command = command.with([self.tally]).with(["sample"]).with([&place]);
        let ran = command.output();
        let text = std::fs::read_to_string(&log);
        for file in [&place, &log] {
            // As above.
            let _ = std::fs::remove_file(file);
        }
        ran?;
        let text = text.map_err(|error| format!("no figures from {VALGRIND}: {error}"))?;
        total(&text).ok_or_else(|| format!("no total in the figures of {VALGRIND}"))
    }
}

fn temporary(ending: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tally-work-{}.{ending}", std::process::id()))
}

/// A figure that work is to stand for, if the program has it.
type Figure = fn(&Measured) -> Option<f64>;

const FIGURES: [(&str, Figure); 3] = [
    ("time", |of| Some(of.milliseconds)),
    ("time again", |of| of.again),
    ("instructions", |of| of.instructions),
];

/// How well work stands for each figure over each group, and over all programs, where all of them have the figure.
pub fn rows(measured: &[Measured]) -> Vec<ProxyRow> {
    let groups = Role::JUDGED.map(Some).into_iter().chain([None]);
    let mut rows = Vec::new();
    for (figure, of) in FIGURES {
        for role in groups.clone() {
            let members = measured
                .iter()
                .filter(|of| role.is_none_or(|role| of.role == role));
            let judged = members.map(|member| {
                Some(Judged {
                    name: member.name.clone(),
                    amount: member.work,
                    time: of(member)?,
                })
            });
            let judged: Option<Vec<Judged>> = judged.collect();
            let group = role.map_or(ALL, Role::group);
            rows.extend(judged.and_then(|judged| judge(group, figure, &judged)));
        }
    }
    rows
}
