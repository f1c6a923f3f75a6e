//! How tests are to be run: limits and permissions, and what is recorded and measured of them.

use std::sync::Mutex;

use tally_comparison::coverage::Coverage;
use tally_comparison::{Budget, MeasurementBuilder};
use tally_explore::Machine;
use tally_profiler::Description;
use tally_vm::Detail;

use crate::loading::MachineSettings;
use crate::outside::permissions::Permissions;
use crate::project::Project;
use crate::schedules::ProcessorSchedule;

use super::schedules::ExploringTests;

/// What a test may send, loop repetitions included, unless the user says otherwise: some ten seconds.
pub const MOST_SENDS: u64 = 1_000_000_000;

/// How tests are to be run.
pub struct Running {
    /// What they may do outside.
    pub permissions: Permissions,
    /// Whether texts of defects hold colours.
    pub in_color: bool,
    /// How many workers there are at most.
    pub jobs: usize,
    /// The limit on sends and loop repetitions of each test.
    pub max_sends: u64,
    /// Whether blocks that are counted are to be evaluated a second time, to find those that cost something else then.
    pub checks_laziness: bool,
    /// How the schedules of tests are explored, if they are.
    pub explores: Option<ExploringTests>,
    /// The schedule that each test follows, if it follows one.
    pub schedule: Option<ProcessorSchedule>,
    /// Whether to note which messages a test looks up.
    pub notes_lookups: bool,
    /// Whether the calls of methods are to be measured one by one.
    pub measures_calls: bool,
    /// Whether there are budgets that tests refer to.
    pub has_named_budgets: bool,
    /// The machines of the settings that price programs of actors.
    pub machines: Vec<(String, Machine)>,
    /// Budgets of tests on a number of CPUs.
    pub on_cpus: Vec<Budget>,
    /// An empty coverage, if coverage is requested.
    pub coverage: Option<Coverage>,
    /// The recording of each test, if requested.
    pub recording: Option<Recording>,
    /// The measurement that each test is added to, if requested.
    pub measuring: Option<MeasuringTests>,
}

/// The cost of all tests, while they run.
pub struct MeasuringTests {
    /// How much is recorded.
    pub detail: Detail,
    /// The description of the run.
    pub about: Description,
    /// The measurements so far.
    pub builder: Mutex<MeasurementBuilder>,
}

impl Running {
    /// As the project's settings and the command line say, with nothing watched.
    pub fn of(project: &Project, machine: &MachineSettings, jobs: Option<usize>) -> Running {
        let settings = &project.settings;
        let max_sends = machine.max_sends.or(settings.max_sends);
        Running {
            permissions: machine.permissions(),
            in_color: false,
            jobs: jobs.or(settings.jobs).unwrap_or_else(cores),
            max_sends: max_sends.unwrap_or(MOST_SENDS),
            checks_laziness: false,
            explores: None,
            schedule: None,
            notes_lookups: false,
            measures_calls: false,
            has_named_budgets: settings.named().next().is_some(),
            machines: settings.machines.clone(),
            on_cpus: (settings.budgets.iter())
                .filter(|budget| budget.cpus.is_some())
                .cloned()
                .collect(),
            coverage: None,
            recording: None,
            measuring: None,
        }
    }
}

/// The number of tests that run at once by default.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The settings of a test's recording, and the description for its profile.
pub struct Recording {
    /// How much is recorded.
    pub detail: Detail,
    /// The description of the run.
    pub about: Description,
}
