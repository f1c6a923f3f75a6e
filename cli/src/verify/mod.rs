//! `tally verify`: runs a program, or each of its tests, again in other modes of the machine, in which every recording must be
//! equal, and with other hashes, seeds and clocks, where a difference is worth knowing. What runs are compared by is in
//! `difference`, the modes are in `modes`.

mod arguments;
mod difference;
mod modes;
mod report;
mod runner;
mod world;

pub(crate) use self::arguments::VerifyArguments;

use self::arguments::DenyVerified;
use self::difference::{differences, differences_of_orders, first_send};
use self::modes::{MODES, Meaning, Mode, ModeName, USUAL};
use self::report::{Compared, EqualHashes, Report, Verified};
use self::runner::{Observed, Runner, Subject, Watching};
use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::progress::Progress;
use crate::{console, output};
use tally_workbench::loading::som::refuse;
use tally_workbench::project::Project;

/// A run that makes more objects is not made with a collection at each: that would take too long.
const MOST_OBJECTS_UNDER_STRESS: u64 = 50_000;

pub(crate) fn verify(arguments: VerifyArguments) -> Result<Exit, Failure> {
    let project = Project::here(&*front())?;
    let files = match arguments.files.is_empty() && arguments.tests {
        true => project.files(Vec::new(), &*front())?.0,
        false => project.with_dependencies(arguments.files.clone(), &*front())?,
    };
    refuse(&files, "verify")?;
    if !arguments.machine.allow_write.is_empty() {
        let why = "verify runs a program many times, so it may not write files (--allow-write)";
        return Err(Failure::new(Exit::Usage, why));
    }
    let mut runner = Runner::new(
        &files,
        arguments.evaluate.as_deref(),
        &arguments.arguments,
        &arguments.machine,
        arguments.tell_addresses,
    )?;
    let subjects = subjects(&mut runner, &project, &arguments)?;
    let modes = wanted_modes(&arguments)?;
    let mut report = Report {
        schema: "tally.verify/1",
        failures: 0,
        findings: 0,
        runs: Vec::new(),
    };
    let mut exit = Exit::Success;
    for (subject, name) in subjects {
        let (verified, ended) = verify_one(&mut runner, subject, name, &modes, &arguments)?;
        report.failures += verified.failures();
        report.findings += verified.findings().len();
        if exit == Exit::Success {
            exit = ended;
        }
        if arguments.format == Format::Human {
            output::write(&verified.text(), None)?;
        }
        report.runs.push(verified);
    }
    let text = match arguments.format {
        Format::Human => report.summary(),
        Format::Json => output::json(&report)?,
    };
    output::write(&text, None)?;
    let denies_findings = arguments.deny.contains(&DenyVerified::Findings);
    if report.failures > 0 || (denies_findings && report.findings > 0) {
        return Ok(Exit::Nondeterministic);
    }
    Ok(exit)
}

/// What is to be run, with names.
fn subjects(
    runner: &mut Runner,
    project: &Project,
    arguments: &VerifyArguments,
) -> Result<Vec<(Subject, String)>, Failure> {
    if !arguments.tests {
        return Ok(vec![(Subject::Script, String::new())]);
    }
    let names = runner.find_tests(project, &arguments.filters)?;
    if names.is_empty() {
        let why = match arguments.filters.is_empty() {
            true => "the files define no tests",
            false => "no test matches the filters",
        };
        return Err(Failure::new(Exit::Nothing, why));
    }
    let numbered = names.into_iter().enumerate();
    Ok(numbered
        .map(|(index, name)| (Subject::Test(index), name))
        .collect())
}

/// The modes that the user names; without any, all that can show a difference.
fn wanted_modes(arguments: &VerifyArguments) -> Result<Vec<&'static Mode>, Failure> {
    if arguments.same_output
        && !arguments.modes.is_empty()
        && !arguments.modes.contains(&ModeName::Schedule)
    {
        let why = "--same-output is about the mode schedule; name it too";
        return Err(Failure::new(Exit::Usage, why));
    }
    let is_wanted = |mode: &&Mode| match arguments.modes.as_slice() {
        // With virtual time the clock is reproducible.
        [] => mode.name != ModeName::Clock || !arguments.machine.virtual_clock,
        named => named.contains(&mode.name),
    };
    Ok(MODES.iter().filter(is_wanted).collect())
}

/// Runs a subject in all modes. Answers also how the command ends if it is the same in all of them.
fn verify_one(
    runner: &mut Runner,
    subject: Subject,
    name: String,
    modes: &[&'static Mode],
    arguments: &VerifyArguments,
) -> Result<(Verified, Exit), Failure> {
    let progress = Progress::new(modes.len() + 1);
    progress.step(format!("{name} {}", USUAL.text));
    let ran = runner.run(subject, &USUAL, &Watching::Counts)?;
    let crowd = ran.vm.crowd();
    let overhead = Some(ran.vm.programs_overhead()).filter(|&sends| sends > 0);
    let usual = ran.observed;
    if subject == Subject::Script && usual.exit != Exit::Success {
        progress.suspended(|| console::write(&usual.output));
    }
    let has_processors = ran.vm.has_processors();
    let mut compared = Vec::new();
    for mode in modes {
        if mode.name == ModeName::Schedule && !has_processors {
            if arguments.modes.contains(&ModeName::Schedule) {
                let why = "it makes no processor".to_string();
                compared.push(Compared::skipped(mode, why));
            }
            continue;
        }
        progress.done();
        progress.step(format!("{name} {}", mode.text));
        let result = compare(runner, subject, &usual, mode)?;
        compared.push(match arguments.same_output {
            true => result.with_same_output(),
            false => result,
        });
    }
    drop(progress);
    let verified = Verified {
        name,
        ending: usual.ending,
        sends: usual.cost.sends,
        equal_hashes: crowd.map(EqualHashes::from),
        overhead,
        modes: compared,
    };
    Ok((verified, usual.exit))
}

fn compare(
    runner: &mut Runner,
    subject: Subject,
    usual: &Observed,
    mode: &'static Mode,
) -> Result<Compared, Failure> {
    let objects = usual.cost.allocations.objects;
    if mode.name == ModeName::GcStress && objects > MOST_OBJECTS_UNDER_STRESS {
        let why = format!("it makes {objects} objects; the small heap stands in for it");
        return Ok(Compared::skipped(mode, why));
    }
    let other = runner.run(subject, mode, &Watching::Counts)?.observed;
    if let Meaning::Schedule { .. } = mode.meaning {
        return Ok(match differences_of_orders(usual, &other) {
            found if found.is_empty() => Compared::equal(mode),
            found => Compared::different(mode, found, None),
        });
    }
    let found = differences(usual, &other, mode);
    if found.is_empty() {
        return Ok(Compared::equal(mode));
    }
    let first = first_send(runner, subject, mode)?;
    Ok(Compared::different(mode, found, first))
}
