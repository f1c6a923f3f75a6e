//! How well work stands for time and for instructions of the processor, program by program: the tables of docs/WORK.md.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tally_study::results::ProxyRow;
use tally_study::{Judged, judge};
use tally_workbench::loading::MachineSettings;

use crate::counting::{VALGRIND, total};
use crate::measure::Command;
use crate::root;

/// The folders of the programs, and what they are called together.
const GROUPS: [(&str, &str); 4] = [
    ("the basket", "basket"),
    ("held-out programs", ""),
    ("blind programs", "blind"),
    ("counter-examples", "counterexamples"),
];

/// The programs of the examples' own folder that are held out. The others there are shown to people.
const HELD_OUT: [&str; 6] = [
    "bank",
    "constraints",
    "json",
    "queens",
    "scheduler",
    "textindex",
];

/// The functions of the machine in which a program runs, as callgrind names them. Loading and compiling are outside.
const INSIDE: &str = "*Vm*execute";

/// A program, measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// The group that it belongs to.
    pub group: &'static str,
    /// Work in hundredths of a nanosecond.
    pub work: f64,
    /// The least processor time of its runs without counting, in milliseconds.
    pub milliseconds: f64,
    /// Instructions of the processor in a run without counting, in millions, if they were measured.
    pub instructions: Option<f64>,
}

/// The programs of all groups.
///
/// # Errors
/// A sentence, if a folder cannot be read.
pub fn programs() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let mut programs = Vec::new();
    for (group, folder) in GROUPS {
        let folder = root().join("examples").join(folder);
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = files.filter(|file| is_in(group, file)).collect();
        files.sort();
        programs.extend(files.into_iter().map(|file| (group, file)));
    }
    Ok(programs)
}

fn is_in(group: &str, file: &Path) -> bool {
    let is_program = file.extension().is_some_and(|ending| ending == "st");
    is_program && (group != "held-out programs" || HELD_OUT.contains(&name(file).as_str()))
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
    group: &'static str,
    file: &Path,
    rounds: u32,
    with_instructions: bool,
) -> Result<Measured, String> {
    let sample = Sample { tally, file };
    let vector = sample.run("vector")?;
    let work = vector["cost"]["work"].as_f64().unwrap_or(0.0);
    let mut seconds = f64::INFINITY;
    for _ in 0..rounds {
        let run = sample.run("uncounted")?;
        seconds = seconds.min(run["seconds"].as_f64().unwrap_or(f64::INFINITY));
    }
    let instructions = match with_instructions {
        true => Some(sample.instructions()? as f64 / 1e6),
        false => None,
    };
    Ok(Measured {
        name: name(file),
        group,
        work,
        milliseconds: 1e3 * seconds,
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
    fn request(&self, form: &str) -> Result<PathBuf, String> {
        let request = json!({"run": {
            "files": [self.file],
            "form": form,
            "package": "",
            "machine": MachineSettings::default(),
        }});
        let place = temporary("request");
        let written = std::fs::write(&place, request.to_string());
        written.map_err(|error| format!("{}: {error}", place.display()))?;
        Ok(place)
    }

    fn run(&self, form: &str) -> Result<Value, String> {
        let place = self.request(form)?;
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
        let (place, log) = (self.request("uncounted")?, temporary("callgrind"));
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

/// How well work stands for time, and for instructions where all programs of a group have them, over each group and over
/// all programs.
pub fn rows(measured: &[Measured]) -> Vec<ProxyRow> {
    type Figure = fn(&Measured) -> Option<f64>;
    let figures: [(&str, Figure); 2] = [
        ("time", |of| Some(of.milliseconds)),
        ("instructions", |of| of.instructions),
    ];
    let groups = GROUPS.iter().map(|(group, _)| *group).chain(["all"]);
    let mut rows = Vec::new();
    for (figure, of) in figures {
        for group in groups.clone() {
            let members = measured
                .iter()
                .filter(|of| group == "all" || of.group == group);
            let judged = members.map(|member| {
                Some(Judged {
                    name: member.name.clone(),
                    amount: member.work,
                    time: of(member)?,
                })
            });
            let judged: Option<Vec<Judged>> = judged.collect();
            rows.extend(judged.and_then(|judged| judge(group, figure, &judged)));
        }
    }
    rows
}
