//! `--advise`: tries what might make the program faster, and shows what does.

use tally_timeline::trace::Ending;
use tally_timeline::{
    Advice, AdviceSetting, Candidate, Candidates, Trial, document, running_shares,
};
use tally_vm::{Costs, LockScheduler, Recheck, Simulation};

use super::assumptions::{self, Base, Rule, Setting};
use super::copies::Copies;
use super::options::{Format, TimelineArguments, ViewName};
use super::outputs::{Outputs, spelled};
use super::path;
use crate::arguments::costs_over;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The costs under which candidates are tried as well, if communication costs nothing: then it is free to ask back.
const PRESET: &str = "threads";

/// Runs the program, tries candidates, and shows those that help.
pub(super) fn run(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<tally_timeline::Window>,
) -> Result<Exit, Failure> {
    refuse(arguments, outputs)?;
    let mut program = arguments.load(outputs.of_program())?;
    let permissions = arguments.machine.settings().permissions();
    let copies = Copies::of(&mut program, permissions);
    let setting = Setting {
        arguments,
        outputs,
        segment,
    };
    let mut base = assumptions::base(&setting, &copies, &[])?;
    output::write_kept(base.output(), outputs.of_program())?;
    let candidates = candidates(&mut base, &arguments.simulation.simulation())?;
    let ending = base.source.ending();
    if ending != Ending::Finished && candidates.is_empty() {
        console::warning("nothing is tried, because the run does not finish: mend that first");
        return base.ended().map(|()| Exit::Success);
    }
    let (first, _) = tried(String::new(), &setting, &copies, &candidates)?;
    let mut settings = vec![first];
    if arguments.simulation.costs.unwrap_or_default() == Costs::default() {
        let mut with_costs = arguments.clone();
        let costs = costs_over(Costs::default(), PRESET);
        with_costs.simulation.costs = costs.ok();
        let setting = Setting {
            arguments: &with_costs,
            ..setting
        };
        let (second, other) = tried(PRESET.to_string(), &setting, &copies, &candidates)?;
        match other == ending {
            true => settings.push(second),
            false => {
                let word = other.word();
                console::warning(&format!(
                    "with --costs {PRESET} the run ends by '{word}', so nothing is compared there"
                ));
            }
        }
    }
    let advice = Advice::new(candidates, &settings, ending);
    show(arguments, outputs, &base, &advice)?;
    base.ended().map(|()| Exit::Success)
}

fn refuse(arguments: &TimelineArguments, outputs: &Outputs) -> Result<(), Failure> {
    arguments.refuse_writes()?;
    let why = match outputs.of_one_run() {
        _ if outputs.has(Format::Html) => "a page shows one run, and --advise runs several",
        Some(_) => "a file would hold one run, and --advise runs several",
        None if !arguments.rules.is_empty() => "--advise tries rules of its own; leave --if out",
        None if arguments.view != ViewName::Summary => {
            "--advise has a view of its own; leave --view out"
        }
        None if arguments.simulation.has_list() => {
            "--advise compares with one run; give one number of CPUs"
        }
        None => return Ok(()),
    };
    Err(Failure::new(Exit::Usage, why))
}

/// What is worth a try after this run. If it did not finish, that comes first.
fn candidates(base: &mut Base, machine: &Simulation) -> Result<Vec<Candidate>, Failure> {
    let mut seen = Candidates::default();
    base.source.replay(&mut seen)?;
    match base.source.ending() {
        Ending::Finished => {}
        Ending::Deadlock => return Ok(seen.rules_against_deadlock()),
        _ => return Ok(Vec::new()),
    }
    let findings = path::path(&mut base.source, &base.figures)?;
    let shares = running_shares(findings.path());
    let named = shares
        .into_iter()
        .map(|(feature, ticks)| (findings.feature(feature), ticks));
    let known = named.filter(|(name, _)| base.names.features.contains(name));
    let shares: Vec<(String, u64)> = known.collect();
    let mut others = Vec::new();
    if machine.cpus.is_some() {
        others.push("cpus max");
    }
    if machine.scheduler == LockScheduler::Central {
        others.push("scheduler parallel");
    }
    if machine.recheck == Recheck::Unlock {
        others.push("recheck touched");
    }
    Ok(seen.rules(&shares, &others))
}

/// Tries all candidates on the machine. Answers how the run without a rule ended there, too. Rules about what that run does not have are
/// refused.
fn tried(
    name: String,
    setting: &Setting<'_>,
    copies: &Copies<'_>,
    candidates: &[Candidate],
) -> Result<(AdviceSetting, Ending), Failure> {
    let simulation = setting.arguments.simulation.simulation();
    let rules = candidates.iter();
    let rules: Vec<_> = rules
        .map(|candidate| Rule::parse(&candidate.rule, &simulation))
        .collect();
    let known: Vec<Rule> = rules.iter().flatten().cloned().collect();
    let mut base = assumptions::base(setting, copies, &known)?;
    let rules = rules
        .into_iter()
        .map(|rule| rule.and_then(|rule| base.resolved(rule)));
    let rules: Vec<_> = rules.collect();
    let known: Vec<Rule> = rules.iter().flatten().cloned().collect();
    let tried = assumptions::try_rules(setting, copies, &mut base, &known)?;
    let mut trials = tried.trials.into_iter();
    let all = rules.iter().zip(candidates);
    let trials = all.filter_map(|(rule, candidate)| match rule {
        Ok(_) => trials.next(),
        Err(why) => Some(Trial::refused(&candidate.rule, why)),
    });
    let setting = AdviceSetting {
        name,
        before: tried.before,
        trials: trials.collect(),
    };
    Ok((setting, base.source.ending()))
}

fn show(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    base: &Base,
    advice: &Advice,
) -> Result<(), Failure> {
    outputs.write_texts(|format, page| {
        let (head, ending) = (base.source.head(), base.source.ending());
        spelled(
            format,
            || advice.text(page, arguments.limit()),
            || advice.table(),
            || output::json(&document(head, ending, &base.figures).with_advice(advice)),
        )
    })
}
