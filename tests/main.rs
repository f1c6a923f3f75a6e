//! The one test binary of the workspace: golden programs, differential runs of the examples, handlers on a small stack,
//! documents, rules of the repository. It prints the number of its checks, so that a suite that ran nothing does not look
//! like a success.

mod actors;
mod ahead;
mod catalogue;
mod checks;
mod citations;
mod comments;
mod differential;
mod dispatch;
mod documents;
mod exploring;
mod extents;
mod following;
mod formats;
mod golden;
mod hashing;
mod isolation;
mod library_costs;
mod oracle;
mod ordinary;
mod processors;
mod programs;
mod recording;
mod redefinition;
mod rules;
mod schedules;
mod sizes;
mod structure;
mod sweep;
mod switches;
mod trials;
mod words;
mod workbench;
mod wrappers;

use std::io::Write;
use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let mut trials = golden::trials()?;
    trials.extend(actors::trials());
    trials.extend(ahead::trials()?);
    trials.extend(catalogue::trials());
    trials.extend(citations::trials());
    trials.extend(comments::trials()?);
    trials.extend(differential::trials()?);
    trials.extend(dispatch::trials());
    trials.extend(documents::trials());
    trials.extend(exploring::trials());
    trials.extend(isolation::trials());
    trials.extend(library_costs::trials());
    trials.extend(extents::trials()?);
    trials.extend(following::trials()?);
    trials.extend(formats::trials()?);
    trials.extend(hashing::trials());
    trials.extend(workbench::trials());
    trials.extend(recording::trials());
    trials.extend(oracle::trials()?);
    trials.extend(ordinary::trials()?);
    trials.extend(processors::trials());
    trials.extend(redefinition::trials()?);
    trials.extend(rules::trials());
    trials.extend(schedules::trials());
    trials.extend(sizes::trials());
    trials.extend(structure::trials());
    trials.extend(sweep::trials());
    trials.extend(switches::trials());
    trials.extend(trials::trials()?);
    trials.extend(words::trials());
    trials.extend(wrappers::trials()?);
    if trials.len() < 50 {
        return Err("most of the tests are gone".into());
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        let mut out = std::io::stdout();
        let (examples, samples) = (comments::checked(), catalogue::checked());
        let parts = [
            golden::summary(),
            differential::summary(),
            oracle::summary(),
            processors::summary(),
            sweep::summary(),
            wrappers::summary(),
        ];
        writeln!(out, "{}", parts.join("\n"))?;
        writeln!(
            out,
            "examples in comments: {examples} checked\nsamples of diagnostics: {samples} checked\n\
             expectations in all: {}\n",
            golden::expectations() + examples + samples
        )?;
    }
    Ok(conclusion.exit_code())
}
