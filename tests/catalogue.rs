//! Tests of the compiler's catalogue of codes: every code that a stage reports is explained, every explained code is
//! reported, and each entry's two texts show its error and its repair.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::Trial;
use tally_compiler::catalogue::{ENTRIES, Entry, Sample};
use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::UnitEnvironment;
use tally_tests::observe::compile;
use tally_tests::{files_below, root};

use crate::checks::{Checked, trial};

static CHECKED: AtomicUsize = AtomicUsize::new(0);

/// A test for the list, and one for each entry.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("catalogue/has_every_code", has_every_code)];
    for entry in ENTRIES {
        trials.push(trial(format!("catalogue/{}", entry.code), move || {
            check(entry)
        }));
    }
    trials
}

/// How many texts were checked so far.
pub(crate) fn checked() -> usize {
    CHECKED.load(Ordering::Relaxed)
}

/// Codes are string literals in the sources of the stages.
fn has_every_code() -> Checked {
    let mut reported = BTreeSet::new();
    for folder in ["compiler/src", "vm/src", "workbench/src", "cli/src"] {
        let files = files_below(&root().join(folder), "rs").map_err(|e| e.to_string())?;
        for path in files
            .iter()
            .filter(|path| !path.ends_with("compiler/src/catalogue.rs"))
        {
            let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
            reported.extend(codes(&text));
        }
    }
    let listed: Vec<&str> = ENTRIES.iter().map(|entry| entry.code).collect();
    if !listed.is_sorted_by(|a, b| a < b) {
        return Err("the entries are not in the order of their codes".to_string());
    }
    let listed: BTreeSet<String> = listed.into_iter().map(str::to_string).collect();
    let unexplained: Vec<_> = reported.difference(&listed).collect();
    let unreported: Vec<_> = listed.difference(&reported).collect();
    if unexplained.is_empty() && unreported.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the catalogue lacks {unexplained:?}, and nothing reports {unreported:?}"
    ))
}

fn codes(text: &str) -> BTreeSet<String> {
    let is_code = |word: &&str| {
        word.len() == 5
            && word.starts_with(['E', 'W'])
            && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    text.split('"')
        .filter(is_code)
        .map(str::to_string)
        .collect()
}

fn check(entry: &Entry) -> Checked {
    if let Some(found) = diagnostics(entry.wrong)? {
        CHECKED.fetch_add(1, Ordering::Relaxed);
        if !found.iter().any(|one| one.code == entry.code) {
            return Err(format!("the wrong text yields {}", words(&found)));
        }
    }
    let found = diagnostics(entry.right)?.ok_or("there is no right text")?;
    CHECKED.fetch_add(1, Ordering::Relaxed);
    if found
        .iter()
        .any(|one| one.is_error() || one.code == entry.code)
    {
        return Err(format!("the right text yields {}", words(&found)));
    }
    Ok(())
}

/// What the compiler says about a sample, if there is a text.
fn diagnostics(sample: Sample) -> Result<Option<Vec<Diagnostic>>, String> {
    let Some(text) = sample.text() else {
        return Ok(None);
    };
    let found = match sample {
        Sample::Som(_) => som_diagnostics(&text),
        _ => compile("sample.st", &text)?.diagnostics,
    };
    Ok(Some(found))
}

fn som_diagnostics(text: &str) -> Vec<Diagnostic> {
    let environment = UnitEnvironment::new();
    let compiled = tally_compiler::som::compile("Foo.som", text, &environment);
    // The sample's superclass is missing; that error is not the subject of the sample.
    let found = compiled.diagnostics.into_iter();
    found.filter(|one| one.code != "E0208").collect()
}

fn words(found: &[Diagnostic]) -> String {
    let texts: Vec<String> = found
        .iter()
        .take(5)
        .map(|one| format!("{} {}", one.code, one.message))
        .collect();
    format!("{texts:?}")
}
