//! `tally bisect`: the first commit at which a count is another than before, found by measuring few of the commits between, and
//! why it is.

mod report;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use tally_comparison::explanation::{Explained, explain, explain_work};
use tally_comparison::{Measurement, WorkPart, work_parts};

use self::report::Report;
use crate::arguments::Format;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::hidden;
use crate::output;
use crate::progress::Progress;
use crate::quantity::QuantityArguments;
use crate::subject::SubjectArguments;
use tally_workbench::Error;
use tally_workbench::measuring::{Count, Measuring, Quantity, Subject};
use tally_workbench::revisions::git::Revision;
use tally_workbench::revisions::line::commits_from;
use tally_workbench::revisions::search::{Found, search};
use tally_workbench::revisions::{Repository, Version};

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally bisect [OPTIONS] <GOOD> <BAD> [--test <TEST> | --method <METHOD>] [-- <ARGS>...]",
    after_help = "Commits are those that lead from GOOD to BAD along first parents. At most ⌈log₂ n⌉ + 2 of n are run, and one more \
for each that has no such count because its sources do not load or its test does not pass.\n\
Counts need not rise or fall steadily: what is found is a commit at which the count differs from what it was at GOOD, while \
at the nearest commit before it that can be measured it does not. There may be others."
)]
pub(crate) struct BisectArguments {
    /// The commit at which the count is as it should be
    #[arg(value_name = "GOOD")]
    good: String,
    /// The commit at which it is not
    #[arg(value_name = "BAD")]
    bad: String,
    #[command(flatten)]
    quantity: QuantityArguments,
    /// Look for the first commit at which the count is above N, not for the first at which it is another
    #[arg(long, value_name = "N", help_heading = "What is followed")]
    above: Option<u64>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    subject: SubjectArguments,
}

/// The commits of a search and what is known of them.
struct Search<'s> {
    arguments: &'s BisectArguments,
    quantity: &'s Quantity,
    /// Measures everything. The results may be kept already.
    whole: &'s Measuring<'s>,
    /// Measures no more than is needed.
    narrow: &'s Measuring<'s>,
    commits: Vec<Revision>,
    runs: Cell<usize>,
    measured: BTreeMap<usize, Measurement>,
    /// Why commits have no count, by their places.
    broken: BTreeMap<usize, Broken>,
}

/// A commit without a count.
struct Broken {
    why: String,
    /// The exit code that it would call for by itself.
    exit: Exit,
}

pub(crate) fn bisect(arguments: &BisectArguments) -> Result<Exit, Failure> {
    let repository = Repository::here()?;
    let commits = commits_from(&repository, &arguments.good, &arguments.bad)?;
    let subject = arguments.subject.subject();
    let quantity = arguments.quantity.quantity();
    let narrow_subject = narrowed(&subject, &quantity);
    let (worker, front, here) = (hidden::measuring()?, front(), Path::new(""));
    let of = |subject| Measuring::new(subject, Some(&repository), here, &worker, &front);
    let whole = of(&subject)?;
    let narrow = of(&narrow_subject)?;
    let mut search = Search {
        arguments,
        quantity: &quantity,
        whole: &whole,
        narrow: &narrow,
        commits,
        runs: Cell::new(0),
        measured: BTreeMap::new(),
        broken: BTreeMap::new(),
    };
    let found = search.find()?;
    search.check_quantity()?;
    let report = search.report(found)?;
    let text = match arguments.format {
        Format::Human => report.text(console::results_page()),
        Format::Json => output::json(&report)?,
    };
    output::write(&text, None)?;
    Ok(report.exit())
}

/// What has to run for the count that is followed.
fn narrowed(subject: &Subject, quantity: &Quantity) -> Subject {
    let mut subject = subject.clone();
    if let Some(test) = &quantity.test {
        subject.filters = vec![test.clone()];
    }
    subject
}

impl Search<'_> {
    fn find(&mut self) -> Result<Found<u64>, Failure> {
        let above = self.arguments.above;
        let is_new = |first: u64, count: u64| match above {
            Some(bound) => count > bound,
            None => count != first,
        };
        if let (Some(bound), Some(first)) = (above, self.count(0)?)
            && first > bound
        {
            let noun = self.quantity.summary();
            let why = format!(
                "at {} it is above {bound} already: {first} {noun}",
                self.arguments.good
            );
            return Err(Failure::new(Exit::Usage, why));
        }
        let progress = Progress::new(1);
        let count = self.commits.len();
        let ask = |place: usize| {
            let Revision { short, subject, .. } = &self.commits[place];
            progress.step(format!("{short} {subject}"));
            self.count(place)
        };
        search(count, ask, is_new)
    }

    /// The count at a place; none if it cannot be measured.
    fn count(&mut self, place: usize) -> Result<Option<u64>, Failure> {
        if !self.measured.contains_key(&place) && !self.broken.contains_key(&place) {
            match self.measure(place) {
                Ok(measurement) => {
                    self.measured.insert(place, measurement);
                }
                Err(error) => {
                    let exit = Exit::from(error.kind());
                    let why = error.of_version()?;
                    let why = match &self.quantity.test {
                        Some(test) if exit == Exit::Nothing => format!("there is no test {test}"),
                        _ => why,
                    };
                    let broken = Broken { why, exit };
                    self.broken.insert(place, broken);
                }
            }
        }
        let Some(measurement) = self.measured.get(&place) else {
            return Ok(None);
        };
        match self.quantity.of_all(measurement) {
            Ok(count) => Ok(Some(count)),
            Err(why) => {
                let exit = Exit::Nothing;
                self.broken.insert(place, Broken { why, exit });
                Ok(None)
            }
        }
    }

    fn measure(&self, place: usize) -> Result<Measurement, Error> {
        let revision = &self.commits[place];
        if let Some(known) = self.whole.remembered(revision)? {
            return Ok(known);
        }
        let version = Version::Revision(revision.clone());
        let measured = self.narrow.measure(&version);
        // What could not be measured was tried.
        let ran = measured.as_ref().map_or(true, |measured| measured.ran);
        self.runs.set(self.runs.get() + usize::from(ran));
        measured.map(|measured| measured.measurement)
    }

    fn report(&self, found: Found<u64>) -> Result<Report, Failure> {
        match found {
            Found::NoCount { place } => Err(self.no_count(place)),
            Found::NoStep { first, last } => Ok(Report::of(self, first, last)),
            Found::Step(step) => Ok(Report::step(self, &step)),
        }
    }

    /// Refuses to follow what none of the commits has.
    fn check_quantity(&self) -> Result<(), Failure> {
        let quantity = self.quantity;
        let is_known = self.measured.values().any(|one| quantity.is_in(one));
        match is_known || self.measured.is_empty() {
            true => Ok(()),
            false => Err(quantity.unknown().into()),
        }
    }

    /// How many commits were measured and have no such count.
    fn measured_in_vain(&self) -> usize {
        let measured = self.measured.keys();
        measured
            .filter(|place| self.broken.contains_key(place))
            .count()
    }

    /// The explanation of the difference between two places, if it is one of sends or of work.
    fn explained(&self, before: usize, after: usize) -> Option<Explained> {
        let Quantity {
            test,
            method,
            count,
        } = self.quantity;
        let (old, new) = (self.measured.get(&before)?, self.measured.get(&after)?);
        let explanation = match count {
            Count::Work => explain_work(old, new)?,
            _ => explain(old, new),
        };
        match (test, method, count) {
            (Some(_), _, Count::Sends | Count::Work) => {
                let test = self.quantity.test_in(new).ok().flatten()?;
                explanation.of_run(test).cloned()
            }
            (None, Some(method), Count::Sends | Count::Work) => {
                Some(explanation.of_method(method)?.total.clone())
            }
            (None, Some(method), Count::Own) => Some(explanation.of_method(method)?.own.clone()),
            (None, None, Count::Sends | Count::Work) => Some(explanation.whole),
            _ => None,
        }
    }

    /// The parts of the difference of work between two places, if work is followed.
    fn work_parts(&self, before: usize, after: usize) -> Vec<WorkPart> {
        let measured = (self.measured.get(&before), self.measured.get(&after));
        let Quantity { method, count, .. } = self.quantity;
        let ((Some(old), Some(new)), None, Count::Work) = (measured, method, count) else {
            return Vec::new();
        };
        let test = self.quantity.test_in(new).ok().flatten();
        work_parts(old, new, test)
    }

    /// The failure of an end that has no count.
    fn no_count(&self, place: usize) -> Failure {
        let name = match place {
            0 => &self.arguments.good,
            _ => &self.arguments.bad,
        };
        match self.broken.get(&place) {
            Some(broken) => Failure::new(broken.exit, format!("{name}: {}", broken.why)),
            None => Failure::new(Exit::Internal, format!("{name} was not measured")),
        }
    }
}
