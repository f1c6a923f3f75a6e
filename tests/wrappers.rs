//! Compares the two forms of a profile (counting model, 4). Each example and each golden program of counting runs once as
//! it is and once with a counting wrapper on every method of its own classes. Wrappers must change neither output nor
//! counts of these methods, and must report the same counts as the machine's own recorder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Failed, Trial};
use tally_compiler::ast::{Item, Statement};
use tally_profiler::{ContextKind, Profile};
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Observed, Options, compile, observe};
use tally_tests::{example_programs, files_below, root};
use tally_vm::bytecode::Unit;
use tally_vm::{Outcome, Tally};

use crate::programs;

/// Stands before the wrappers' counts in a program's output.
const MARK: &str = "=== counted by wrappers";
/// Programs that say themselves what wrappers are there, or whose end depends on the sends of their script.
const LEFT_OUT: &[&str] = &[
    "a_wrapped_method_counts_as_without_the_wrapper",
    "a_wrapped_method_that_is_left_early_counts_the_same",
    "delivering_to_a_quick_method_is_no_poll_point",
    "both_forms_of_a_profile_say_the_same",
    "wrapper_code_is_silent",
];

static METHODS: AtomicUsize = AtomicUsize::new(0);

/// What was compared so far, in words.
pub(crate) fn summary() -> String {
    let methods = METHODS.load(Ordering::Relaxed);
    format!("wrapped methods compared with the recorder: {methods}")
}

pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let examples = example_programs()?;
    let counting = files_below(&root().join("tests/golden/counting"), "st")?;
    let mut trials = Vec::new();
    for path in examples.into_iter().chain(counting) {
        let name = stem(&path);
        let source = std::fs::read_to_string(&path)?.replace("\r\n", "\n");
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        if let Some(wrapped) = wrapped(&source) {
            trials.push(trial(name, path, source, wrapped));
        }
    }
    if trials.len() < 20 {
        return Err("most programs are not wrapped".into());
    }
    Ok(trials)
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn trial(name: String, path: PathBuf, source: String, wrapped: String) -> Trial {
    Trial::test(format!("wrappers/{name}"), move || {
        let program = Program {
            options: programs::options(&path, &source)?,
            plain: unit(&name, &source)?,
            wrapped: unit(&name, &wrapped)?,
        };
        for mode in [modes::PROFILE, modes::RECORDING, modes::REFERENCE] {
            let checked = program.check(&mode);
            checked.map_err(|why| format!("{}: {why}", mode.name))?;
        }
        Ok(())
    })
}

fn unit(name: &str, source: &str) -> Result<Arc<Unit>, Failed> {
    let compiled = compile(&format!("{name}.st"), source)?;
    let unit = compiled.unit.ok_or("the program does not compile")?;
    Ok(Arc::new(unit))
}

/// The program with statements in front that put a wrapper on every method of its classes, and statements at the end that
/// print the wrappers' counts. `None` if it has no classes, or statements before their definitions.
fn wrapped(source: &str) -> Option<String> {
    let (file, _) = tally_compiler::parser::parse(source);
    let first = file.items.iter().position(is_statement)?;
    let (definitions, statements) = file.items.split_at(first);
    let mut classes: Vec<&str> = definitions.iter().filter_map(class_of).collect();
    if classes.is_empty() || !statements.iter().all(is_statement) {
        return None;
    }
    classes.sort_unstable();
    classes.dedup();
    let Item::Statement(statement) = &statements[0] else {
        return None;
    };
    let mut start = match statement {
        Statement::Expression(expression) => expression.span.start as usize,
        Statement::Return { .. } => return None,
    };
    // An expression's span leaves its parentheses out.
    while let Some(before) = source[..start].trim_end().strip_suffix('(') {
        start = before.len();
    }
    let list = classes.join(". ");
    let (before, after) = source.split_at(start);
    Some(format!(
        "{before}Smalltalk at: #WrappersOfTest put: (Compteur onClasses: {{{list}}}).
(Smalltalk at: #WrappersOfTest) install.
{after}.
(Smalltalk at: #WrappersOfTest) uninstall.
Transcript cr; showCr: '{MARK}'.
(Smalltalk at: #WrappersOfTest) wrappers do: [:each |
    Transcript show: each methodClass printString; show: '>>'; show: each selector; space;
        show: each calls printString; space; show: each total printString; space;
        show: each cumulative printString; cr].
"
    ))
}

fn is_statement(item: &Item) -> bool {
    matches!(item, Item::Statement(_))
}

fn class_of(item: &Item) -> Option<&str> {
    match item {
        Item::Class(class) if !class.is_trait => Some(&class.name.text),
        _ => None,
    }
}

/// A program as it is and wrapped.
struct Program {
    options: Options,
    plain: Arc<Unit>,
    wrapped: Arc<Unit>,
}

impl Program {
    fn check(&self, mode: &Mode) -> Result<(), String> {
        let plain = observe(&self.plain, &self.options, mode)?;
        if plain.outcome != Outcome::Finished {
            return Ok(());
        }
        let wrapped = observe(&self.wrapped, &self.options, mode)?;
        let Some((out, said)) = wrapped.out.split_once(&format!("\n{MARK}\n")) else {
            return Err(format!("it ended differently: {}", wrapped.error));
        };
        if out != plain.out {
            return Err(format!("it wrote\n{out}\ninstead of\n{}", plain.out));
        }
        same_tallies(&plain, &wrapped, said)?;
        compare(said, &wrapped)
    }
}

/// The counts of the wrapped methods are what they are without wrappers.
fn same_tallies(plain: &Observed, wrapped: &Observed, said: &str) -> Result<(), String> {
    for line in said.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        let (first, second) = (tally(plain, name), tally(wrapped, name));
        if first != second {
            return Err(format!("{name}: {second:?} instead of {first:?}"));
        }
    }
    Ok(())
}

fn tally(observed: &Observed, name: &str) -> Tally {
    observed.tallies.get(name).copied().unwrap_or_default()
}

/// The wrappers' counts are the recorder's counts. A wrapper sees no block that runs outside its method's activations.
fn compare(said: &str, observed: &Observed) -> Result<(), String> {
    let profile = observed.profile.as_ref().ok_or("nothing was recorded")?;
    let totals = totals_of_activations(profile);
    for line in said.lines() {
        let words: Vec<&str> = line.rsplitn(4, ' ').collect();
        let [cumulative, total, calls, name] = words[..] else {
            return Err(format!("'{line}' says nothing"));
        };
        let tally = tally(observed, name);
        let total_of_activations = totals.get(name).copied().unwrap_or(0);
        let expected = [tally.calls, total_of_activations, tally.cumulative];
        let expected = expected.map(|count| count.to_string());
        if [calls, total, cumulative] != expected {
            return Err(format!("'{line}', but the recorder says {expected:?}"));
        }
        METHODS.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Sends below the outermost activations of each method, blocks left out.
fn totals_of_activations(profile: &Profile) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for context in &profile.contexts {
        let (ContextKind::Method, Some(method)) = (context.kind, context.method) else {
            continue;
        };
        let mut above = context.parent;
        let mut is_outermost = true;
        while let Some(at) = above {
            let row = &profile.contexts[at as usize];
            is_outermost &= row.kind != ContextKind::Method || row.method != Some(method);
            above = row.parent;
        }
        if is_outermost {
            let name = profile.methods[method as usize].name.clone();
            *totals.entry(name).or_default() += context.total;
        }
    }
    totals
}
