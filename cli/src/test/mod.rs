//! `tally test`: finds the tests that files define, runs each in a machine of its own, and reports. How a test ends is
//! decided by the library's TestCase; what that means for the exit code, in `summary`.

mod budgets;
mod changed;
mod chosen;
mod counts;
mod covered;
mod earlier;
mod ended;
mod found;
mod human;
mod junit;
mod report;
mod revision;
mod select;
mod summary;
mod worker;

use std::collections::BTreeSet;
use std::sync::Mutex;

use tally_profiler::BudgetReport;
use tally_profiler::changes::RunLookups;
use tally_profiler::coverage::Coverage;
use tally_vm::{Detail, Outcome};

pub(crate) use self::chosen::Chosen;
pub(crate) use self::counts::CountsMode;
pub(crate) use self::covered::CoverageTo;
pub(crate) use self::report::ReportTo;
pub(crate) use self::select::Shard;

use self::budgets::Methods;
use self::changed::Lookups;
use self::counts::{Compared, Counts, Profiles, remembered, run_of};
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
use crate::project::Project;
use crate::{console, output, som};

/// The name of the scripts that ask for tests.
pub(crate) const NAME: &str = "<test runner>";
/// What a test may send, loop repetitions included, unless the user says otherwise: a minute or two.
const MOST_SENDS: u64 = 10_000_000_000;

pub(crate) fn test(arguments: TestArguments) -> Result<Exit, Failure> {
    let project = Project::here()?;
    let (named, mut filters) =
        files_and_filters(&arguments.files, !project.default_files().is_empty());
    filters.extend(arguments.filters.iter().cloned());
    let (files, is_whole) = project.files(named)?;
    som::refuse(&files, "test")?;
    let counts = Counts::open(&project.root, arguments.counts)?;
    let where_to = output_of_programs(arguments.format);
    let notes_lookups = arguments.changed.is_some() || Lookups::are_wanted(&project.workspace());
    let (mut program, loading) = load(&files, &arguments, where_to, notes_lookups)?;
    budgets::make_known(&project, &mut program.vm)?;
    let found = discover(&mut program.vm)?;
    let known: BTreeSet<String> = found.iter().map(Test::name).collect();
    let selection = Selection {
        filters: &filters,
        only: arguments
            .failed
            .then(|| failed_last(&project.workspace()))
            .transpose()?,
        shard: arguments.shard,
    };
    let tests = selection.of(found);
    if tests.is_empty() {
        return Err(Failure::new(Exit::Nothing, why_none(!known.is_empty())));
    }
    if arguments.list {
        return list(&tests, arguments.format);
    }
    let session = Session {
        arguments: &arguments,
        project: &project,
        files: &files,
        where_to,
        notes_lookups,
        tests: &tests,
        known: is_whole.then_some(known),
    };
    let concerned: Vec<Test>;
    let session = match &arguments.changed {
        None => session,
        Some(revision) => {
            let names = changed::concerned(&session, &program, revision, &loading)?;
            concerned = tests
                .iter()
                .filter(|test| names.contains(&test.name()))
                .cloned()
                .collect();
            Session {
                tests: &concerned,
                ..session
            }
        }
    };
    if let (Some(revision), []) = (&arguments.changed, session.tests) {
        console::write(&format!(
            "no test is concerned by the changes since {revision}\n"
        ));
        return Ok(Exit::Success);
    }
    let ran = session.run(&mut program, &counts)?;
    remember_failed(&project.workspace(), ran.outcomes());
    let judged = session.judge(&counts, &ran, &mut program)?;
    session.report(&ran, &judged)
}

/// Standard output carries the report alone when a program is to read it.
fn output_of_programs(format: Format) -> ProgramOutput {
    match format {
        Format::Human => ProgramOutput::Standard,
        Format::Json => ProgramOutput::Error,
    }
}

/// Loads the program, and answers also what was looked up meanwhile if that is to be noted.
fn load(
    files: &[String],
    arguments: &TestArguments,
    where_to: ProgramOutput,
    notes_lookups: bool,
) -> Result<(Program, RunLookups), Failure> {
    let scripts = arguments.arguments.clone();
    let mut program = Program::load(files, None, scripts, &arguments.machine, where_to)?;
    if notes_lookups {
        program.vm.record_lookups();
    }
    let outcome = program.run();
    program.ended(&outcome)?;
    let found = program.vm.take_lookups();
    let loading = RunLookups::of(&program.vm, &found);
    Ok((program, loading))
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
    project: &'s Project,
    /// What was loaded.
    files: &'s [String],
    where_to: ProgramOutput,
    /// Whether it is noted which messages tests look up.
    notes_lookups: bool,
    tests: &'s [Test],
    /// The names of all tests of the project, if all of it was loaded.
    known: Option<BTreeSet<String>>,
}

/// What came of it.
struct Ran {
    tests: Vec<Ended>,
    /// What was recorded of methods, if anything was.
    profiles: Profiles,
    methods: Methods,
    /// What they executed, if that was asked for.
    coverage: Option<Coverage>,
    is_clean: bool,
}

impl Ran {
    /// The names of the tests, and whether each should have ended otherwise.
    fn outcomes(&self) -> impl Iterator<Item = (&str, bool)> {
        self.tests.iter().map(|ended| {
            let report = &ended.report;
            (report.name.as_str(), report.verdict.is_bad())
        })
    }
}

/// What the counts of a run mean for the project.
struct Judged {
    counts: Compared,
    budgets: BudgetReport,
    /// For people.
    text: String,
}

impl Judged {
    /// It in Markdown.
    fn markdown(&self) -> String {
        let mut text = String::new();
        if let Some(difference) = &self.counts.difference {
            text.push_str(&format!("\n### Counts\n\n{}\n\n", difference.summary()));
            text.push_str(&difference.markdown());
        }
        if !(self.budgets.rows.is_empty() && self.budgets.idle.is_empty()) {
            text.push_str(&format!("\n### Budgets\n\n{}\n\n", self.budgets.summary()));
            text.push_str(&self.budgets.markdown());
        }
        text
    }

    /// The exit code that it calls for, if all tests are well.
    fn exit(&self) -> Exit {
        match self.counts.exit {
            Some(exit) => exit,
            None if self.budgets.is_kept() => Exit::Success,
            None => Exit::Counted,
        }
    }
}

impl Session<'_> {
    fn running(&self, program: &Program, is_recorded: bool) -> Running {
        let (arguments, settings) = (self.arguments, &self.project.settings);
        let max_sends = arguments.machine.max_sends.or(settings.max_sends);
        Running {
            permissions: Permissions::from_options(&arguments.machine),
            jobs: arguments.jobs.or(settings.jobs).unwrap_or_else(cores),
            max_sends: max_sends.unwrap_or(MOST_SENDS),
            checks_laziness: arguments.check_lazy,
            notes_lookups: self.notes_lookups,
            has_named_budgets: settings.named().next().is_some(),
            coverage: None,
            recording: is_recorded.then(|| Recording {
                detail: Detail::default(),
                about: program.description(&Outcome::Finished),
            }),
        }
    }

    fn run(&self, program: &mut Program, counts: &Counts) -> Result<Ran, Failure> {
        let arguments = self.arguments;
        let wants_profiles = counts.wants_profiles() || budgets::wants_profiles(self.project);
        let mut running = self.running(program, wants_profiles);
        if !arguments.coverage.is_empty() {
            let files: Vec<&str> = program.texts().map(|(name, _)| name).collect();
            running.coverage = Some(Mutex::new(Coverage::new(&program.vm, &files)));
        }
        self.begin()?;
        let widths = self.tests.iter().map(|test| test.name().chars().count());
        let width = widths.max().unwrap_or(0);
        let resources = Resources::default();
        let mut ran = Ran {
            tests: Vec::new(),
            profiles: Profiles::default(),
            methods: Methods::default(),
            coverage: None,
            is_clean: true,
        };
        let order = order(self.tests.len(), arguments.shuffle);
        let version = changed::version(program, arguments);
        let mut lookups = match self.notes_lookups {
            true => Lookups::remembered(&self.project.workspace()),
            false => Lookups::default(),
        };
        let tell = |index: usize, mut one: Ended| {
            if let Some(found) = one.lookups.take() {
                lookups.add(&one.report.name, version, found);
            }
            let test = &self.tests[index];
            if let Some(made) = resources.take_output(test) {
                made.write(self.where_to)?;
            }
            self.tell(&one, width)?;
            // A profile is large: what is wanted of it is taken out at once.
            if let Some(profile) = one.profile.take() {
                ran.profiles.add(test, &one, &profile);
                ran.methods.add(&profile);
            }
            let goes_on = !(arguments.fail_fast && one.report.verdict.is_bad());
            ran.tests.push(one);
            Ok(goes_on)
        };
        run_all(
            &mut program.vm,
            self.tests,
            &order,
            &running,
            &resources,
            tell,
        )?;
        if self.notes_lookups {
            lookups.remember(&self.project.workspace());
        }
        ran.is_clean = resources.finish(&running.permissions, self.where_to)?;
        ran.coverage = running.coverage.map(worker::unlocked);
        Ok(ran)
    }

    /// Runs some of the tests once more, with the recorder on and without telling, to know what their methods do.
    fn run_again(
        &self,
        program: &mut Program,
        names: &BTreeSet<String>,
    ) -> Result<Profiles, Failure> {
        let running = Running {
            checks_laziness: false,
            notes_lookups: false,
            ..self.running(program, true)
        };
        let is_meant = |index: &usize| names.contains(&self.tests[*index].name());
        let order: Vec<usize> = (0..self.tests.len()).filter(is_meant).collect();
        let resources = Resources::default();
        let mut profiles = Profiles::default();
        let take = |index: usize, mut ended: Ended| {
            if let Some(profile) = ended.profile.take() {
                profiles.add(&self.tests[index], &ended, &profile);
            }
            Ok(true)
        };
        run_all(
            &mut program.vm,
            self.tests,
            &order,
            &running,
            &resources,
            take,
        )?;
        Ok(profiles)
    }

    /// What the counts of the tests mean for the project's snapshot and budgets.
    fn judge(&self, counts: &Counts, ran: &Ran, program: &mut Program) -> Result<Judged, Failure> {
        let (budgets, measured) =
            budgets::held_against(self.project, &ran.tests, &ran.methods, self.known.clone());
        let mut text = budgets.text();
        if !budgets.idle.is_empty() {
            text.push_str(&self.project.settings.idle_budgets(&budgets.idle, &measured));
        }
        if !text.is_empty() {
            text.insert_str(0, "\nBudgets (tally.toml):\n");
        }
        let compared = self.compare(counts, ran, program)?;
        if counts.mode == CountsMode::Update
            && self.project.settings.tighten(&budgets.tightenings)?
        {
            text.push_str("The ratchets in tally.toml were lowered.\n");
        }
        Ok(Judged {
            text: compared.text.clone() + &text,
            counts: compared,
            budgets,
        })
    }

    fn compare(
        &self,
        counts: &Counts,
        ran: &Ran,
        program: &mut Program,
    ) -> Result<Compared, Failure> {
        if counts.mode == CountsMode::Ignore {
            return Ok(Compared::default());
        }
        let to_explain = counts.to_explain(&ran.tests);
        let again = match ran.profiles.is_empty() {
            true => self.run_again(program, &to_explain)?,
            false => Profiles::default(),
        };
        let profiles = if ran.profiles.is_empty() {
            &again
        } else {
            &ran.profiles
        };
        let run = run_of(&program.vm, &ran.tests, profiles, self.known.clone());
        let workspace = self.project.workspace();
        let mut baseline = remembered(&workspace);
        if counts.mode == CountsMode::Check {
            let unknown = counts.unknown(&to_explain, &baseline);
            if !unknown.is_empty() {
                // Without it the difference stays unexplained, which is said.
                let earlier = earlier::baseline(self, &counts.path, &unknown);
                baseline.tests.extend(earlier.unwrap_or_default().tests);
            }
            return Ok(counts.check(&run, profiles, &baseline));
        }
        let reason = self.arguments.reason.clone();
        let accepts_model = self.arguments.accept_model;
        let updated = counts.update(&run, profiles, &baseline, reason, accepts_model)?;
        profiles.remember(baseline, &workspace);
        Ok(updated)
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

    fn report(&self, ran: &Ran, judged: &Judged) -> Result<Exit, Failure> {
        let reports: Vec<&TestReport> = ran.tests.iter().map(|ended| &ended.report).collect();
        let mut summary = summary(&reports);
        summary.not_run = self.tests.len() - reports.len();
        let text = match self.arguments.format {
            Format::Human => human::end(&reports, &summary) + &judged.text,
            Format::Json => {
                let counts = judged.counts.difference.as_ref();
                let counts = counts.map(|counts| output::json_line(&CountsLine { counts }));
                counts.transpose()?.unwrap_or_default()
                    + &output::json_line(&Tail { summary: &summary })?
            }
        };
        output::write(&text, None)?;
        self.write_reports(ran, judged, &summary)?;
        if let Some(coverage) = &ran.coverage {
            let mut places = self.arguments.coverage.iter();
            places.try_for_each(|place| place.write(coverage))?;
        }
        if ran.tests.iter().any(|ended| ended.is_internal) {
            return Ok(Exit::Internal);
        }
        Ok(match exit(&summary) {
            Exit::Success if !ran.is_clean => Exit::Failed,
            Exit::Success => judged.exit(),
            exit => exit,
        })
    }

    fn write_reports(&self, ran: &Ran, judged: &Judged, summary: &Summary) -> Result<(), Failure> {
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
        reports.try_for_each(|report| report.write(&tests, summary, &judged.markdown()))
    }
}

/// How many tests are run at once if nobody says.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
