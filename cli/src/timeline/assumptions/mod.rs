//! Runs a program again under one changed assumption each, in copies of the machine that has loaded it: `--if`.
//!
//! [`try_rules`] runs rules and answers what each would have changed. It prints nothing.

mod estimates;
mod rules;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tally_timeline::trace::Ending;
use tally_timeline::{
    Figures, Inventory, Label, Sums, Trial, Trials, Window, document, first_difference,
};
use tally_vm::{AnswersOfPair, InnerLocks, Simulation};
use tally_workbench::outside::kept::Kept;

use super::copies::{Copies, Ran, printed};
use super::options::{Format, TimelineArguments, ViewName};
use super::outputs::{Outputs, spelled};
use super::shown::figures;
use super::source::Source;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{console, output};
pub(super) use rules::Rule;
use rules::{Change, Classes};

/// Bytes of stack of a thread that runs a copy. Only what is used is ever touched.
const STACK_BYTES: usize = 256 << 20;

/// A run under a rule ends after this many times the ticks of the run without one, and this many more.
const MOST_TIMES: u64 = 10;
const MOST_MORE: u64 = 1_000_000;

/// The most runs after the first in which a rule learns what it was about.
const MOST_RUNS: usize = 32;

/// Characters of a line of the program that a reason shows.
const MOST_SHOWN: usize = 80;

/// The run without a rule.
pub(super) struct Base {
    pub(super) source: Source,
    pub(super) figures: Figures,
    /// What the run names.
    pub(super) names: Inventory,
    output: Kept,
    ended: Result<(), Failure>,
    classes: Classes,
    expected: Expected,
}

impl Base {
    /// What the program has written.
    pub(super) fn output(&self) -> &Kept {
        &self.output
    }

    /// The rule with names as the run has them, or which the run does not have.
    pub(super) fn resolved(&self, rule: Rule) -> Result<Rule, String> {
        rule.resolved(&self.names, &self.classes)
    }

    /// How the run ended.
    pub(super) fn ended(self) -> Result<(), Failure> {
        self.ended
    }
}

/// What a run under a rule is compared with.
struct Expected {
    ending: &'static str,
    printed: String,
    answers: Vec<AnswersOfPair>,
    /// The most ticks of a run under a rule.
    limit: u64,
}

/// What is run, and which part of it counts.
pub(super) struct Setting<'s> {
    pub(super) arguments: &'s TimelineArguments,
    pub(super) outputs: &'s Outputs,
    pub(super) segment: Option<Window>,
}

/// What is read from the machine after a run.
struct Seen {
    answers: Vec<AnswersOfPair>,
    merged: Vec<(Vec<u32>, Vec<u32>)>,
    inner: InnerLocks,
    uses: u64,
    ticks: u64,
    classes: Classes,
}

/// Runs the program without a rule and under each rule, and shows the differences.
pub(super) fn run(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
) -> Result<Exit, Failure> {
    refuse(arguments, outputs)?;
    let simulation = arguments.simulation.simulation();
    let rules = arguments.rules.iter();
    let rules = rules.map(|text| {
        let rule = Rule::parse(text, &simulation);
        rule.map_err(|why| rules::refused(text.trim(), &why))
    });
    let rules = rules.collect::<Result<Vec<Rule>, Failure>>()?;
    let setting = Setting {
        arguments,
        outputs,
        segment,
    };
    let mut program = arguments.load(outputs.of_program())?;
    let permissions = arguments.machine.settings().permissions();
    let copies = Copies::of(&mut program, permissions);
    let mut base = base(&setting, &copies, &rules)?;
    output::write_kept(&base.output, outputs.of_program())?;
    let trials = try_all(&setting, &copies, &mut base, &rules)?;
    show(outputs, &base, &trials)?;
    base.ended.map(|()| Exit::Success)
}

/// There is a table of its own, and there are several runs.
fn refuse(arguments: &TimelineArguments, outputs: &Outputs) -> Result<(), Failure> {
    arguments.refuse_writes()?;
    if outputs.has(Format::Html) {
        let why = "a page shows one run, and there is a run for each rule of --if";
        return Err(Failure::new(Exit::Usage, why));
    }
    let why = match outputs.of_one_run() {
        Some(file) => format!(
            "{} would hold one run, and there is a run for each rule of --if",
            file.display()
        ),
        None if arguments.view != ViewName::Summary => {
            "--if shows a table of its own; leave --view out".to_string()
        }
        None if arguments.simulation.has_list() => {
            "--if compares with one run; give one number of CPUs".to_string()
        }
        None => return Ok(()),
    };
    Err(Failure::new(Exit::Usage, why))
}

/// A trace is the trace of one run.
pub(super) fn refused_trace(file: &str, option: &str) -> Failure {
    let why = format!("{file} is a trace of one run: run the program for {option}");
    Failure::new(Exit::Usage, why)
}

/// Runs the program without a rule. The rules name the classes that are looked up in its machine.
pub(super) fn base(
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    rules: &[Rule],
) -> Result<Base, Failure> {
    let simulation = setting.arguments.simulation.simulation();
    let tell = &mut |what: String| console::warning(&what);
    let Ran {
        source,
        output,
        ended,
        seen,
    } = copies.run(
        &simulation,
        |vm| vm.assume(None),
        tell,
        |vm| Seen::of(vm, rules),
    )?;
    let Some(mut source) = source else {
        output::write_kept(&output, setting.outputs.of_program())?;
        ended?;
        return Err(no_processor());
    };
    let figures = figures(
        setting.arguments,
        setting.outputs,
        setting.segment,
        &mut source,
        false,
    )?;
    let mut names = Inventory::default();
    source.replay(&mut names)?;
    let most = seen.ticks.saturating_mul(MOST_TIMES);
    Ok(Base {
        expected: Expected {
            ending: source.ending().word(),
            printed: printed(&output),
            answers: seen.answers,
            limit: most.saturating_add(MOST_MORE),
        },
        source,
        figures,
        names,
        output,
        ended,
        classes: seen.classes,
    })
}

fn no_processor() -> Failure {
    let why = "the program made no processor, so rules would change nothing: `Account separate new` makes one";
    Failure::new(Exit::Nothing, why)
}

/// Resolves the rules, and tries them.
///
/// # Errors
/// A rule names what the run does not have, or the trace of a run cannot be kept.
fn try_all(
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    base: &mut Base,
    rules: &[Rule],
) -> Result<Trials, Failure> {
    let rules = rules.iter().map(|rule| {
        let known = base.resolved(rule.clone());
        known.map_err(|why| rules::refused(&rule.text, &why))
    });
    let rules = rules.collect::<Result<Vec<Rule>, Failure>>()?;
    try_rules(setting, copies, base, &rules)
}

/// Runs the program under each rule, on as many threads as the host has CPUs, and follows its events for estimates. The names of the rules
/// are those of the run. The trials have the order of the rules.
///
/// # Errors
/// The trace of a run cannot be kept.
pub(super) fn try_rules(
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    base: &mut Base,
    rules: &[Rule],
) -> Result<Trials, Failure> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = Progress::new(rules.len());
    let before = sums(&base.figures);
    let mut estimates = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if let Change::Estimate(variation) = &rule.change {
            progress.step(rule.text.clone());
            let trial = estimates::estimate(base, rule, variation, before);
            estimates.push((number, trial));
            progress.done();
        }
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(estimates);
    let expected = &base.expected;
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(rule) = rules.get(number) else { break };
                if rule.label() == Label::Estimate {
                    continue;
                }
                progress.step(rule.text.clone());
                let trial = trial(setting, copies, expected, rule);
                progress.done();
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((number, trial));
            }
        };
        for _ in 0..threads.min(rules.len()) {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).map_err(|error| {
                Failure::new(Exit::Limit, format!("no thread can be started: {error}"))
            })?;
        }
        Ok::<(), Failure>(())
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    let trials = done.into_iter().map(|(_, trial)| trial);
    Ok(Trials {
        before,
        trials: trials.collect::<Result<Vec<Trial>, Failure>>()?,
    })
}

/// Runs the program under the rule.
fn trial(
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    expected: &Expected,
    rule: &Rule,
) -> Result<Trial, Failure> {
    let arguments = setting.arguments;
    let mut ran = run_under(setting, copies, expected, rule)?;
    let mut learnt = rule.clone();
    for _ in 0..MOST_RUNS {
        if !learnt.learn(&ran.seen.inner) {
            break;
        }
        ran = run_under(setting, copies, expected, &learnt)?;
    }
    let ending = ran
        .source
        .as_ref()
        .map_or("", |source| source.ending().word());
    let (difference, mut notes) = (difference(expected, &ran, rule), Vec::new());
    let mut refused = without_end(expected, &ran).or(other_ending(expected, &ran, rule));
    match rule.label() {
        Label::Checked => refused = refused.or(difference),
        Label::Exact | Label::Estimate if refused.is_none() => notes.extend(difference),
        Label::Exact | Label::Estimate => {}
    }
    if rule.is_mended(expected.ending, ending) {
        let before = expected.ending;
        notes.push(format!(
            "the run without the rule ends by '{before}', so output and answers are not compared"
        ));
    }
    if ran.seen.uses == 0 {
        notes.extend(rule.of_no_use().map(str::to_string));
    }
    let mut found = None;
    if let Some(mut source) = ran.source {
        match figures(
            arguments,
            setting.outputs,
            setting.segment,
            &mut source,
            false,
        ) {
            Ok(figures) => found = Some(sums(&figures)),
            // The part that is shown has gone.
            Err(failure) if matches!(failure.exit(), Exit::Usage | Exit::Nothing) => {
                refused = refused.or(Some(failure.message().to_string()));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(Trial {
        rule: rule.text.clone(),
        label: rule.label(),
        refused,
        notes,
        sums: found,
        ending,
    })
}

/// Runs the program under the rule as it is.
fn run_under(
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    expected: &Expected,
    rule: &Rule,
) -> Result<Ran<Seen>, Failure> {
    let mut simulation: Simulation = setting.arguments.simulation.simulation();
    let mut assumption = None;
    match &rule.change {
        Change::Machine(machine) => simulation = **machine,
        Change::Program(assumed) => assumption = Some(assumed.clone()),
        Change::Estimate(_) => {}
    }
    let prepare = |vm: &mut tally_vm::Vm| {
        vm.assume(assumption);
        vm.limit_ticks(expected.limit);
    };
    copies.run(&simulation, prepare, &mut |_| (), |vm| Seen::of(vm, &[]))
}

impl Seen {
    fn of(vm: &tally_vm::Vm, rules: &[Rule]) -> Seen {
        Seen {
            answers: vm.answers(),
            merged: vm.merged_processors(),
            inner: vm.inner_locks_wanted(),
            uses: vm.assumption_uses(),
            ticks: vm.total_ticks(),
            classes: Classes::of(vm, rules),
        }
    }
}

fn sums(figures: &Figures) -> Sums {
    Sums {
        makespan: figures.extent.makespan(),
        requests: figures.requests,
        ticks: figures.ticks,
    }
}

/// Whether the run was ended because it took far more ticks than the one without a rule.
fn without_end(expected: &Expected, ran: &Ran<Seen>) -> Option<String> {
    let limit = expected.limit;
    (ran.seen.ticks >= limit).then(|| format!("the run did not end within {limit} ticks"))
}

/// Whether the run under the rule ends otherwise, or in a deadlock that the rule is to end.
fn other_ending(expected: &Expected, ran: &Ran<Seen>, rule: &Rule) -> Option<String> {
    let source = ran.source.as_ref()?;
    let (before, after) = (expected.ending, source.ending().word());
    if rule.is_mended(before, after) {
        return None;
    }
    if before != after {
        let error = first_error(&ran.output).map_or(String::new(), |error| format!(": {error}"));
        return Some(format!("the run ends by '{after}', not '{before}'{error}"));
    }
    let is_kept = rule.is_about_deadlocks() && after == Ending::Deadlock.word();
    is_kept.then(|| "the run still ends by 'deadlock'".to_string())
}

/// What differs first in the run under the rule, which ends as the one without it: its output, or an answer. Answers are compared if the
/// rule is checked.
fn difference(expected: &Expected, ran: &Ran<Seen>, rule: &Rule) -> Option<String> {
    let Some(source) = &ran.source else {
        return Some("the program makes no processor".to_string());
    };
    if rule.is_mended(expected.ending, source.ending().word()) {
        return None;
    }
    let checked = rule.label() == Label::Checked;
    different_line(&expected.printed, &printed(&ran.output)).or_else(|| {
        let seen = &ran.seen;
        let differs = || {
            first_difference(
                &expected.answers,
                &seen.answers,
                rule.lacking(),
                &seen.merged,
            )
        };
        checked.then(differs).flatten()
    })
}

/// The first line that the run printed to standard error.
fn first_error(output: &Kept) -> Option<String> {
    let mut pieces = output.pieces().filter(|(is_output, _)| !is_output);
    let (_, text) = pieces.next()?;
    Some(shortened(text.lines().next()?))
}

fn shortened(line: &str) -> String {
    line.chars().take(MOST_SHOWN).collect()
}

/// The first line in which two outputs differ.
fn different_line(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let (mut old, mut new) = (before.lines(), after.lines());
    for number in 1_u64.. {
        let shown = |line: Option<&str>| match line {
            Some(line) => format!("'{}'", shortened(line)),
            None => "nothing".to_string(),
        };
        match (old.next(), new.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let (one, other) = (shown(one), shown(other));
                return Some(format!(
                    "the program prints {other} in line {number}, not {one}"
                ));
            }
        }
    }
    Some("the program ends its last line otherwise".to_string())
}

fn show(outputs: &Outputs, base: &Base, trials: &Trials) -> Result<(), Failure> {
    outputs.write_texts(|format, page| {
        let (head, ending) = (base.source.head(), base.source.ending());
        spelled(
            format,
            || trials.text(page),
            || trials.table(),
            || output::json(&document(head, ending, &base.figures).with_trials(trials)),
        )
    })
}
