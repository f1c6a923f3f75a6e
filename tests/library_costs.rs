//! `docs/LIBRARY-COSTS.md`: what calls of the library cost as functions of the size, learnt anew. A change of the library that changes a function shows here.
//!
//! `TALLY_UPDATE=1` writes the document.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;

use libtest_mimic::Trial;
use tally_predict::{Service, Sizes};
use tally_tests::root;
use tally_workbench::learning::{Learner, Subject};
use tally_workbench::loading::{MachineSettings, Program, Sources};
use tally_workbench::{Front, ProgramOutput, Quiet};

use crate::checks::trials_of;

/// The ticks of a run far above the first sizes. So few keep the test short.
const EFFORT: u64 = 4_000;
/// The fewest calls of the document.
const FEWEST: usize = 150;
/// How many learn side by side.
const THREADS: usize = 2;

/// The test of the document.
pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[(
        "documents/costs_of_the_library_are_those_that_are_learnt",
        costs_are_those_that_are_learnt,
    )])
}

const HEAD: &str = "# Costs of the library\n
What calls of the library cost, as functions of a size n. Each function was found by `tally predict`, and has all counts of the sizes from 1 on that were run, exactly. \
The last column has the largest size that was run to check it. [Predictions](PREDICT.md) defines the notation, and says how functions are found.\n
`it` is made before the counting begins. Blocks of the calls do as little as they can, so what a block does of its own has to be added for each evaluation. Sends, bytes and work are those of \
[the counting model](COUNTING.md). Work of primitives, of large objects and of hashing can depend on more than the size.\n
This document is generated: `TALLY_UPDATE=1 cargo test -p tally-tests --test suite -- costs_of_the_library` learns all functions anew from `tests/golden/costs/library.txt`. Without \
the variable the test fails if a function has changed.\n";

/// A call, and the area in which it stands.
struct Call {
    area: String,
    name: String,
    subject: Subject,
}

fn calls() -> Result<Vec<Call>, String> {
    let file = root().join("tests/golden/costs/library.txt");
    let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let (mut all, mut area) = (Vec::new(), String::new());
    for line in text.lines() {
        match line.strip_prefix("## ") {
            Some(name) => area = name.to_string(),
            None if line.starts_with('#') => {}
            None => {
                let parts: Vec<&str> = line.split('\t').collect();
                let [name, given, expression] = parts[..] else {
                    return Err(format!("three parts are expected: {line}"));
                };
                all.push(Call {
                    area: area.clone(),
                    name: name.to_string(),
                    subject: Subject {
                        given: (!given.is_empty()).then(|| given.to_string()),
                        expression: expression.to_string(),
                        service: None,
                    },
                });
            }
        }
    }
    Ok(all)
}

/// What a call costs.
fn learnt(call: &Call) -> Result<Service, String> {
    let front: Front = Arc::new(Quiet);
    let sources = Sources {
        folder: Path::new(""),
        files: &[],
        expression: None,
        arguments: &[],
    };
    let settings = MachineSettings::default();
    let program = Program::load(&sources, &settings, ProgramOutput::Nowhere, &front);
    let program = program.map_err(|error| error.message().to_string())?;
    let sizes = Sizes {
        effort: EFFORT,
        ..Sizes::default()
    };
    let mut learner = Learner::new(program, settings.permissions(), call.subject.clone(), None);
    let found = learner.learn(&sizes);
    found.map_err(|error| format!("{}: {}", call.name, error.message()))
}

fn costs_are_those_that_are_learnt() -> Result<(), String> {
    let calls = calls()?;
    let next = Mutex::new((0..calls.len()).collect::<Vec<_>>());
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(place) = next.lock().ok().and_then(|mut all| all.pop()) {
                    let row = learnt(&calls[place]);
                    if let Ok(mut found) = found.lock() {
                        found.insert(place, row);
                    }
                }
            });
        }
    });
    let found = found.into_inner().map_err(|error| error.to_string())?;
    let mistakes: Vec<&str> = found
        .values()
        .filter_map(|row| row.as_ref().err().map(String::as_str))
        .collect();
    if !mistakes.is_empty() {
        return Err(mistakes.join("\n"));
    }
    let mut text = HEAD.to_string();
    let (mut area, mut exact) = ("", 0);
    for (call, (_, service)) in calls.iter().zip(found) {
        let service = service?;
        if call.area != area {
            area = &call.area;
            let _ = write!(
                text,
                "\n## {area}\n\n| call | code | `it` | sends | bytes | work | up to |\n| --- | --- | --- | --- | --- | --- | --- |\n"
            );
        }
        exact += usize::from(service.functions[0].is_exact());
        text.push_str(&row(call, &service));
    }
    if exact < FEWEST {
        return Err(format!("only {exact} calls have exact functions"));
    }
    is_up_to_date(&root().join("docs/LIBRARY-COSTS.md"), &text)
}

fn row(call: &Call, service: &Service) -> String {
    let code = |text: &str| format!("`{}`", text.replace('|', "\\|"));
    let given = call.subject.given.as_deref().map(code).unwrap_or_default();
    let cost = |of: &str| {
        let function = service.function(of);
        let found = function.and_then(|one| {
            let from = one.from().map(|from| format!(", from {from} on"));
            Some(format!(
                "{}{}",
                code(&one.text()?),
                from.unwrap_or_default()
            ))
        });
        let is_exact = function.is_some_and(|one| one.is_exact());
        match found {
            Some(text) if is_exact => text,
            Some(text) => format!("about {text}"),
            None => "no function".to_string(),
        }
    };
    let table = &service.functions[0].table;
    let ran = service.functions.iter().flat_map(|one| &one.checked);
    let largest = ran.chain(table.points.keys()).max();
    let largest = largest.map(|at| at[0].to_string()).unwrap_or_default();
    format!(
        "| {} | {} | {given} | {} | {} | {} | {largest} |\n",
        call.name.replace('|', "\\|"),
        code(&call.subject.expression),
        cost("sends"),
        cost("bytes"),
        cost("work")
    )
}

fn is_up_to_date(file: &PathBuf, text: &str) -> Result<(), String> {
    if std::env::var_os("TALLY_UPDATE").is_some() {
        return fs::write(file, text).map_err(|error| error.to_string());
    }
    let known = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let lines = known.lines().zip(text.lines());
    let mut other = lines.filter(|(known, now)| known != now);
    match other.next() {
        Some((known, now)) => Err(format!(
            "costs have changed; TALLY_UPDATE=1 writes them anew\nwas: {known}\nnow: {now}"
        )),
        None if known.lines().count() != text.lines().count() => {
            Err("calls came or went; TALLY_UPDATE=1 writes them anew".to_string())
        }
        None => Ok(()),
    }
}
