//! One run of tests: running them, telling how each ended, and what their counts mean for the project.

use std::collections::BTreeSet;
use std::time::Instant;

use tally_comparison::BudgetReport;
use tally_comparison::coverage::Coverage;
use tally_vm::{Detail, Outcome, Vm, printable};

use super::arguments::TestArguments;
use super::counts::{Compared, Counts, CountsMode, Profiles, remembered, run_of};
use super::report::{CountsLine, Head, Tail};
use super::reported::Reported;
use super::{earlier, exit, human};
use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::progress::Progress;
use crate::{console, output};
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;
use tally_workbench::project::Project;
use tally_workbench::schedules::ProcessorSchedule;
use tally_workbench::testing::budgets;
use tally_workbench::testing::budgets::Methods;
use tally_workbench::testing::changed::{self, Lookups};
use tally_workbench::testing::discovery::Test;
use tally_workbench::testing::methods::AllCalls;
use tally_workbench::testing::outcome::TestReport;
use tally_workbench::testing::pool::{Arrived, Work};
use tally_workbench::testing::revision::Loaded;
use tally_workbench::testing::running::{Recording, Running};
use tally_workbench::testing::schedules::ExploringTests;
use tally_workbench::testing::selection::order;
use tally_workbench::testing::summary::{Summary, summary};
use tally_workbench::testing::worker::{Ended, Reset};

/// Letters beside the name of a test: its verdict, its sends and its time.
const RESULT: usize = 24;

/// Runs tests in processes where the system can make copies of a process, else in threads. A test can end its own process only.
fn run(
    base: &mut Vm,
    work: &Work<'_>,
    tell: impl FnMut(Arrived) -> Result<bool, Failure>,
) -> Result<Vec<Reset>, Failure> {
    #[cfg(unix)]
    return super::processes::run(base, work, tell);
    #[cfg(not(unix))]
    work.run(base, tell)
}

/// One run of chosen tests.
pub(super) struct Session<'s> {
    pub(super) arguments: &'s TestArguments,
    /// When the command began.
    pub(super) started: Instant,
    pub(super) project: &'s Project,
    /// What was loaded, and how.
    pub(super) loaded: Loaded<'s>,
    pub(super) where_to: ProgramOutput,
    pub(super) tests: &'s [Test],
    /// The schedule that tests follow, if they follow one.
    pub(super) schedule: Option<&'s ProcessorSchedule>,
    /// The names of all tests of the project, if all of it was loaded.
    pub(super) known: Option<BTreeSet<String>>,
}

/// The results of a session.
#[derive(Default)]
pub(super) struct Ran {
    tests: Vec<Ended>,
    /// What was recorded of methods, if anything was.
    profiles: Profiles,
    methods: Methods,
    /// The code that they executed, on request.
    coverage: Option<Coverage>,
    /// The calls of methods, on request.
    calls: AllCalls,
    is_clean: bool,
}

impl Ran {
    /// The names of the tests, and whether each should have ended otherwise.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (&str, bool)> {
        self.tests.iter().map(|ended| {
            let report = &ended.report;
            (report.name.as_str(), report.verdict.is_bad())
        })
    }
}

/// What the counts of a run mean for the project.
pub(super) struct Judged {
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

    /// What it finds fault with: what that is, and the text.
    fn findings(&self) -> Vec<(&'static str, String)> {
        let mut findings = Vec::new();
        if self.counts.exit.is_some() {
            findings.push(("tally.counts", self.counts.text.trim().to_string()));
        }
        if !self.budgets.is_kept() {
            let text = format!("{}\n{}", self.budgets.summary(), self.budgets.text());
            findings.push(("tally.toml", text.trim().to_string()));
        }
        findings
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
        let arguments = self.arguments;
        let plain = Running::of(self.project, self.loaded.machine, arguments.jobs);
        Running {
            in_color: console::in_color(),
            checks_laziness: arguments.check_lazy,
            explores: arguments.explore.map(|most| ExploringTests {
                most,
                program: program.description(&Outcome::Finished).program,
            }),
            schedule: self.schedule.cloned(),
            notes_lookups: false,
            recording: is_recorded.then(|| Recording {
                detail: Detail::default(),
                about: program.description(&Outcome::Finished),
            }),
            ..plain
        }
    }

    /// Runs the tests. Messages that they look up are noted if there is a place for them.
    pub(super) fn run(
        &self,
        program: &mut Program,
        counts: &Counts,
        mut lookups: Option<&mut Lookups>,
    ) -> Result<Ran, Failure> {
        let arguments = self.arguments;
        let wants_profiles = counts.wants_profiles() || budgets::wants_profiles(self.project);
        let mut running = self.running(program, wants_profiles);
        running.notes_lookups = lookups.is_some();
        running.measures_calls = arguments.methods.is_some();
        if !arguments.coverage.is_empty() {
            let files: Vec<&str> = program.texts().map(|(name, _)| name).collect();
            running.coverage = Some(Coverage::new(&program.vm, &files));
        }
        self.begin()?;
        let width = self.name_width();
        let mut ran = Ran {
            coverage: running.coverage.clone(),
            is_clean: true,
            ..Ran::default()
        };
        let order = order(self.tests.len(), arguments.shuffle);
        let version = changed::version(program, &self.loaded);
        let progress = Progress::without_thread(self.tests.len());
        let tell = |arrived: Arrived| {
            let mut one = arrived.ended;
            if let (Some(lookups), Some(found)) = (&mut lookups, one.lookups.take()) {
                lookups.add(&one.report.name, version, found);
            }
            self.keep_schedule(&mut one);
            progress.step(printable(&one.report.name).into_owned());
            progress.done();
            progress.suspended(|| {
                if let Some(made) = arrived.made.filter(|_| self.shows_output(&one)) {
                    output::write_kept(&made, self.where_to)?;
                }
                self.tell(&one, width)
            })?;
            if let Some(observed) = one.observed.take() {
                ran.methods.add(&observed.methods);
                ran.profiles.add(&one.report.name, observed);
            }
            if let (Some(coverage), Some(executed)) = (&mut ran.coverage, one.executed.take()) {
                coverage.add_executed(&executed);
            }
            ran.calls.add(&one.calls);
            let goes_on = !(arguments.fail_fast && one.report.verdict.is_bad());
            ran.tests.push(one);
            Ok(goes_on)
        };
        let work = Work {
            tests: self.tests,
            order: &order,
            running: &running,
            resets: true,
        };
        let resets = run(&mut program.vm, &work, tell)?;
        drop(progress);
        for reset in &resets {
            ran.is_clean &= self.show_reset(reset)?;
        }
        Ok(ran)
    }

    /// Writes the schedule in which a test does not pass, and says how to follow it.
    fn keep_schedule(&self, ended: &mut Ended) {
        let Some(schedule) = ended.schedule.take() else {
            return;
        };
        let test = &ended.report.name;
        let mut file = String::new();
        for letter in test.replace(">>", "-").chars() {
            match letter.is_ascii_alphanumeric() || letter == '-' {
                true => file.push(letter),
                false => file.push_str(&format!("_{:x}", u32::from(letter))),
            }
        }
        file.push_str(".schedule");
        let workspace = self.project.workspace();
        let path = workspace.path(&file).display().to_string();
        ended
            .report
            .notes
            .push(match workspace.write(&file, schedule.as_bytes()) {
                Ok(()) => format!("-k '{test}' --schedule {path} in place of --explore follows it"),
                Err(error) => format!("its schedule cannot be written to {path}: {error}"),
            });
    }

    /// Shows what is wrong with the reset of resources, and what it printed. Answers whether nothing is wrong.
    fn show_reset(&self, reset: &Reset) -> Result<bool, Failure> {
        let is_clean = reset.show_defects(&*front());
        if self.arguments.verbose || !is_clean {
            output::write_kept(&reset.output, self.where_to)?;
        }
        Ok(is_clean)
    }

    /// Runs some of the tests once more, with the recorder on and without telling, to know what their methods do.
    pub(super) fn run_again(
        &self,
        program: &mut Program,
        names: &BTreeSet<String>,
    ) -> Result<Profiles, Failure> {
        let running = Running {
            checks_laziness: false,
            explores: None,
            ..self.running(program, true)
        };
        let is_meant = |index: &usize| names.contains(&self.tests[*index].name());
        let order: Vec<usize> = (0..self.tests.len()).filter(is_meant).collect();
        let work = Work {
            tests: self.tests,
            order: &order,
            running: &running,
            resets: false,
        };
        let mut profiles = Profiles::default();
        let take = |arrived: Arrived| {
            if let Some(observed) = arrived.ended.observed {
                profiles.add(&arrived.ended.report.name, observed);
            }
            Ok(true)
        };
        run(&mut program.vm, &work, take)?;
        Ok(profiles)
    }

    /// What the counts of the tests mean for the project's snapshot and budgets.
    pub(super) fn judge(
        &self,
        counts: &Counts,
        ran: &Ran,
        program: &mut Program,
    ) -> Result<Judged, Failure> {
        let (budgets, measured) =
            budgets::held_against(self.project, &ran.tests, &ran.methods, self.known.clone());
        let mut text = budgets.text();
        if !budgets.idle.is_empty() {
            text.push_str(&self.project.settings.idle_budgets(
                &budgets.idle,
                &measured,
                console::in_color(),
            ));
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
        let to_explain = counts.to_explain(&ran.tests, self.known.as_ref());
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

    /// Whether what a test printed is shown as it is, above its line. The report for people shows it in the end if the test
    /// fails.
    fn shows_output(&self, ended: &Ended) -> bool {
        let is_for_programs = self.arguments.format == Format::Json;
        self.arguments.verbose || (is_for_programs && ended.report.verdict.is_bad())
    }

    /// The width of the column of names. Blanks that wrap at the edge of a terminal would align nothing.
    fn name_width(&self) -> usize {
        let widths = self.tests.iter().map(|test| test.name().chars().count());
        let longest = widths.max().unwrap_or(0);
        let room = console::results_page().width;
        room.map_or(longest, |room| longest.min(room.saturating_sub(RESULT)))
    }

    fn tell(&self, ended: &Ended, width: usize) -> Result<(), Failure> {
        if self.shows_output(ended) {
            output::write_kept(&ended.output, self.where_to)?;
        }
        let text = match self.arguments.format {
            Format::Human => human::line(ended, width, self.arguments),
            Format::Json => output::json_line(&ended.report)?,
        };
        output::write(&text, None)
    }

    /// Reports the run. The program lacks `lacks` definitions.
    pub(super) fn report(&self, ran: &Ran, judged: &Judged, lacks: usize) -> Result<Exit, Failure> {
        let reports: Vec<&TestReport> = ran.tests.iter().map(|ended| &ended.report).collect();
        let mut summary = summary(&reports);
        summary.not_run = self.tests.len() - reports.len();
        summary.left_out = lacks;
        let time = self.arguments.timing.then(|| self.started.elapsed());
        let text = match self.arguments.format {
            Format::Human => {
                let mut text = human::end(&ran.tests, &summary, self.arguments);
                if let Some(time) = time {
                    text.push_str(&format!("total time: {:.2} s\n", time.as_secs_f64()));
                }
                text + &judged.text
            }
            Format::Json => {
                let counts = judged.counts.difference.as_ref();
                let counts = counts.map(|counts| output::json_line(&CountsLine { counts }));
                counts.transpose()?.unwrap_or_default()
                    + &output::json_line(&Tail {
                        summary: &summary,
                        seconds: time.map(|time| time.as_secs_f64()),
                    })?
            }
        };
        output::write(&text, None)?;
        self.write_reports(ran, judged, &summary)?;
        if let Some(place) = &self.arguments.methods {
            place.write(&ran.calls)?;
        }
        if let Some(coverage) = &ran.coverage {
            let mut places = self.arguments.coverage.iter();
            places.try_for_each(|place| place.write(coverage))?;
        }
        if ran.tests.iter().any(|ended| ended.is_internal) {
            return Ok(Exit::Internal);
        }
        Ok(match exit(&summary) {
            Exit::Success if !ran.is_clean => Exit::Failed,
            Exit::Success if lacks > 0 && !self.allows_left_out() => Exit::Source,
            Exit::Success => judged.exit(),
            exit => exit,
        })
    }

    /// Whether tests of a program that lacks definitions may pass.
    fn allows_left_out(&self) -> bool {
        self.arguments.allow_left_out || self.project.settings.allows_left_out
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
        reports.try_for_each(|report| {
            report.write(&tests, summary, &judged.findings(), &judged.markdown())
        })
    }
}
