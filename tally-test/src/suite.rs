//! The tests that the loaded code defines itself, run from a test in Rust. The workbench finds and runs them.

use tally_workbench::ErrorKind;
use tally_workbench::loading::MachineSettings;
use tally_workbench::project::Project;
use tally_workbench::testing::discovery::discover;
use tally_workbench::testing::outcome::TestReport;
use tally_workbench::testing::pool::{Arrived, Work};
use tally_workbench::testing::running::Running;

use crate::error::Error;
use crate::session::Session;
use crate::thread::on_a_large_stack;

/// How a test of the loaded code ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// `Class>>selector`.
    pub name: String,
    /// What its own method sent, if it came to its end.
    pub sends: Option<u64>,
    failure: Option<String>,
}

impl Tested {
    /// Whether it passed, was skipped, or failed as expected.
    pub fn is_well(&self) -> bool {
        self.failure.is_none()
    }

    /// Why it failed, with the place in the source; `None` if it did not.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl From<TestReport> for Tested {
    fn from(report: TestReport) -> Tested {
        let failure = report.verdict.is_bad().then(|| {
            let message = report.message.unwrap_or_default();
            let message = message.trim_end().replace('\n', "\n    ");
            let mut text = format!("{} {}\n    {message}\n", report.name, report.verdict.word());
            for place in [report.origin, report.place].into_iter().flatten() {
                text.push_str(&place.text(""));
            }
            text
        });
        Tested {
            name: report.name,
            sends: report.sends,
            failure,
        }
    }
}

impl Session {
    /// Runs the tests that the loaded code defines, each in a copy of the session's machine. The limit on sends holds for each.
    ///
    /// ```
    /// let mut session = tally_test::Session::new()?;
    /// let source = "TestCase subclass: SumTest [ testSum [ self assert: 3 + 4 equals: 7 ] ]";
    /// session.load("sumtest.st", source)?;
    /// let tested = session.run_tests()?;
    /// assert_eq!(tested[0].name, "SumTest>>testSum");
    /// assert!(tested[0].is_well());
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    ///
    /// # Errors
    /// The code defines no test, or its tests cannot be found or reset.
    pub fn run_tests(&mut self) -> Result<Vec<Tested>, Error> {
        on_a_large_stack(|| self.tested())?
    }

    fn tested(&mut self) -> Result<Vec<Tested>, Error> {
        let failed = |session: &Session, error| Error::of(&error, session.heard());
        let heard = self.heard().clone();
        let tests = discover(self.machine(), &*heard);
        let mut tests = tests.map_err(|error| failed(self, error))?;
        tests.retain(|test| !self.untested.contains(&test.class));
        if tests.is_empty() {
            let why = "the loaded code defines no test";
            return Err(Error::new(ErrorKind::Nothing, why));
        }
        let mut running = Running::of(&Project::default(), &MachineSettings::default(), None);
        running.permissions = self.permissions().clone();
        running.max_sends = self.most_sends();
        let order: Vec<usize> = (0..tests.len()).collect();
        let work = Work {
            tests: &tests,
            order: &order,
            running: &running,
            resets: true,
        };
        let mut tested = Vec::new();
        let resets = work.run(self.machine(), |Arrived { ended, .. }| {
            tested.push(Tested::from(ended.report));
            Ok::<bool, tally_workbench::Error>(true)
        });
        let resets = resets.map_err(|error| failed(self, error))?;
        if resets.iter().all(|reset| reset.show_defects(&*heard)) {
            return Ok(tested);
        }
        Err(Error::new(ErrorKind::Failed, heard.take()))
    }
}
