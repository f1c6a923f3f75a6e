//! `tally test`: finds the tests that files define, runs each in a machine of its own, and reports. How a test ends is
//! decided by the library's TestCase; what that means for the exit code, in `summary`.

mod chosen;
mod counts;
mod ended;
mod found;
mod human;
mod report;
mod select;
mod summary;
mod worker;

use std::collections::BTreeSet;

use tally_vm::{Detail, Outcome};

pub(crate) use self::chosen::Chosen;
pub(crate) use self::counts::CountsMode;
pub(crate) use self::report::ReportTo;
pub(crate) use self::select::Shard;

use self::counts::{Compared, Counts, Profiles, run_of};
use self::ended::TestReport;
use self::found::{Test, discover};
use self::report::{CountsLine, Head, Reported, Tail};
use self::select::{Selection, failed_last, files_and_filters, order, remember_failed};
use self::summary::{Summary, exit, summary};
use self::worker::{Ended, Recording, Resources, Running, run_all};
use crate::arguments::{Format, TestArguments};
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::permissions::Permissions;
use crate::program::Program;
use crate::workspace::Workspace;
use crate::{output, som};

/// The name of the scripts that ask for tests.
pub(crate) const NAME: &str = "<test runner>";
/// What a test may send, loop repetitions included, unless the user says otherwise: a minute or two.
const MOST_SENDS: u64 = 10_000_000_000;

pub(crate) fn test(arguments: TestArguments) -> Result<Exit, Failure> {
    let (files, mut filters) = files_and_filters(&arguments.files, false);
    filters.extend(arguments.filters.iter().cloned());
    som::refuse(&files, "test")?;
    let where_to = output_of_programs(arguments.format);
    let root =
        std::env::current_dir().map_err(|e| Failure::io("find", "the current folder", &e))?;
    let workspace = Workspace::of(&root);
    let counts = Counts::open(&root, arguments.counts)?;
    let mut program = load(&files, &arguments, where_to)?;
    let found = discover(&mut program.vm)?;
    let names: BTreeSet<String> = found.iter().map(Test::name).collect();
    let selection = Selection {
        filters: &filters,
        only: arguments
            .failed
            .then(|| failed_last(&workspace))
            .transpose()?,
        shard: arguments.shard,
    };
    let tests = selection.of(found);
    if tests.is_empty() {
        return Err(Failure::new(Exit::Nothing, why_none(!names.is_empty())));
    }
    if arguments.list {
        return list(&tests, arguments.format);
    }
    let session = Session {
        arguments: &arguments,
        where_to,
        tests: &tests,
    };
    let ran = session.run(&mut program, counts.wants_profiles())?;
    let outcomes = ran
        .tests
        .iter()
        .map(|ended| (ended.report.name.as_str(), ended.report.verdict.is_bad()));
    remember_failed(&workspace, outcomes);
    let compared = session.hold_against(&counts, &ran, &mut program, names, &workspace)?;
    session.report(&ran, &compared)
}

/// Standard output carries the report alone when a program is to read it.
fn output_of_programs(format: Format) -> ProgramOutput {
    match format {
        Format::Human => ProgramOutput::Standard,
        Format::Json => ProgramOutput::Error,
    }
}

fn load(
    files: &[String],
    arguments: &TestArguments,
    where_to: ProgramOutput,
) -> Result<Program, Failure> {
    let scripts = arguments.arguments.clone();
    let mut program = Program::load(files, None, scripts, &arguments.machine, where_to)?;
    let outcome = program.run();
    program.ended(&outcome)?;
    Ok(program)
}

fn why_none(has_tests: bool) -> &'static str {
    match has_tests {
        true => "no test matches the filters",
        false => {
            "the files define no tests: no subclass of TestCase has a method whose name begins with test"
        }
    }
}

fn list(tests: &[Test], format: Format) -> Result<Exit, Failure> {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let text = match format {
        Format::Human => names.join("\n") + "\n",
        Format::Json => {
            output::json(&serde_json::json!({ "schema": "tally.tests/1", "tests": names }))?
        }
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}

/// One run of chosen tests.
struct Session<'s> {
    arguments: &'s TestArguments,
    where_to: ProgramOutput,
    tests: &'s [Test],
}

/// What came of it.
struct Ran {
    tests: Vec<Ended>,
    is_clean: bool,
}

impl Session<'_> {
    fn running(&self, program: &Program, is_recorded: bool) -> Running {
        let arguments = self.arguments;
        Running {
            permissions: Permissions::from_options(&arguments.machine),
            jobs: arguments.jobs.unwrap_or_else(cores),
            max_sends: arguments.machine.max_sends.unwrap_or(MOST_SENDS),
            checks_laziness: arguments.check_lazy && !is_recorded,
            recording: is_recorded.then(|| Recording {
                detail: Detail::default(),
                about: program.description(&Outcome::Finished),
            }),
        }
    }

    fn run(&self, program: &mut Program, is_recorded: bool) -> Result<Ran, Failure> {
        let arguments = self.arguments;
        let running = self.running(program, is_recorded);
        self.begin()?;
        let widths = self.tests.iter().map(|test| test.name().chars().count());
        let width = widths.max().unwrap_or(0);
        let resources = Resources::default();
        let mut ended = Vec::new();
        let order = order(self.tests.len(), arguments.shuffle);
        run_all(
            &mut program.vm,
            self.tests,
            &order,
            &running,
            &resources,
            |index, one| {
                if let Some(made) = resources.take_output(&self.tests[index]) {
                    made.write(self.where_to)?;
                }
                self.tell(&one, width)?;
                let goes_on = !(arguments.fail_fast && one.report.verdict.is_bad());
                ended.push(one);
                Ok(goes_on)
            },
        )?;
        let is_clean = resources.finish(&running.permissions, self.where_to)?;
        Ok(Ran {
            tests: ended,
            is_clean,
        })
    }

    /// Runs some of the tests once more, with the recorder on and without telling, to know what their methods do.
    fn run_again(
        &self,
        program: &mut Program,
        names: &BTreeSet<String>,
    ) -> Result<Profiles, Failure> {
        let running = self.running(program, true);
        let chosen =
            (0..self.tests.len()).filter(|&index| names.contains(&self.tests[index].name()));
        let order: Vec<usize> = chosen.collect();
        let resources = Resources::default();
        let mut profiles = Profiles::default();
        run_all(
            &mut program.vm,
            self.tests,
            &order,
            &running,
            &resources,
            |index, ended| {
                profiles.add(&self.tests[index], &ended);
                Ok(true)
            },
        )?;
        Ok(profiles)
    }

    /// What the counts of the tests mean for the project's snapshot, of which `names` are all tests.
    fn hold_against(
        &self,
        counts: &Counts,
        ran: &Ran,
        program: &mut Program,
        names: BTreeSet<String>,
        workspace: &Workspace,
    ) -> Result<Compared, Failure> {
        if counts.mode == CountsMode::Ignore {
            return Ok(Compared::default());
        }
        let mut profiles = self.run_again(program, &counts.to_explain(&ran.tests))?;
        for (test, ended) in self.tests.iter().zip(&ran.tests) {
            profiles.add(test, ended);
        }
        let run = run_of(&program.vm, &ran.tests, &profiles, Some(names));
        if counts.mode == CountsMode::Check {
            return Ok(counts.check(&run, &profiles, workspace));
        }
        let reason = self.arguments.reason.clone();
        counts.update(
            &run,
            &profiles,
            workspace,
            reason,
            self.arguments.accept_model,
        )
    }

    fn begin(&self) -> Result<(), Failure> {
        match self.arguments.format {
            Format::Human => Ok(()),
            Format::Json => {
                let head = Head {
                    schema: "tally.test/1",
                    tests: self.tests.len(),
                };
                output::write(&output::json_line(&head)?, None)
            }
        }
    }

    fn tell(&self, ended: &Ended, width: usize) -> Result<(), Failure> {
        ended.output.write(self.where_to)?;
        let text = match self.arguments.format {
            Format::Human => human::line(ended, width, self.arguments.timing),
            Format::Json => output::json_line(&ended.report)?,
        };
        output::write(&text, None)
    }

    fn report(&self, ran: &Ran, compared: &Compared) -> Result<Exit, Failure> {
        let reports: Vec<&TestReport> = ran.tests.iter().map(|ended| &ended.report).collect();
        let mut summary = summary(&reports);
        summary.not_run = self.tests.len() - reports.len();
        let text = match self.arguments.format {
            Format::Human => human::end(&reports, &summary) + &compared.text,
            Format::Json => {
                let counts = compared.difference.as_ref();
                let counts = counts.map(|counts| output::json_line(&CountsLine { counts }));
                counts.transpose()?.unwrap_or_default()
                    + &output::json_line(&Tail { summary: &summary })?
            }
        };
        output::write(&text, None)?;
        self.write_reports(ran, &summary)?;
        if ran.tests.iter().any(|ended| ended.is_internal) {
            return Ok(Exit::Internal);
        }
        Ok(match exit(&summary) {
            Exit::Success if !ran.is_clean => Exit::Failed,
            Exit::Success => compared.exit.unwrap_or(Exit::Success),
            exit => exit,
        })
    }

    fn write_reports(&self, ran: &Ran, summary: &Summary) -> Result<(), Failure> {
        if self.arguments.reports.is_empty() {
            return Ok(());
        }
        let outputs: Vec<String> = ran.tests.iter().map(|ended| ended.output.text()).collect();
        let with_time = self.arguments.timing;
        let tests: Vec<Reported<'_>> = ran
            .tests
            .iter()
            .zip(&outputs)
            .map(|(ended, output)| Reported {
                report: &ended.report,
                output,
                time: with_time.then_some(ended.time),
            })
            .collect();
        let mut reports = self.arguments.reports.iter();
        reports.try_for_each(|report| report.write(&tests, summary))
    }
}

/// How many tests are run at once if nobody says.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
