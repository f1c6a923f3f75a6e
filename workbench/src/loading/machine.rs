//! Machines for programs, and the settings that make them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tally_compiler::bounds;
use tally_timeline::TrialReader;
use tally_vm::{Config, Optimisations, Vm};

use crate::embedder::Embedder;
use crate::exploring::StateExplorer;
use crate::outside::host::CommandHost;
use crate::outside::permissions::Permissions;
use crate::searching::ScheduleSearches;

/// Limits, permissions and modes of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineSettings {
    /// The limit on sends and loop repetitions.
    pub max_sends: Option<u64>,
    /// Work after which a run stops, in hundredths of a nanosecond.
    #[serde(default)]
    pub max_work: Option<u64>,
    /// The limit on bytes that the process takes.
    pub max_memory: Option<usize>,
    /// The limit on bytes of a source text.
    #[serde(default)]
    pub max_source: Option<usize>,
    /// The limit on activations on one stack.
    pub max_depth: Option<u64>,
    /// The paths that the script may read. An empty path allows everything.
    pub allow_read: Vec<String>,
    /// The paths that the script may write. An empty path allows everything.
    pub allow_write: Vec<String>,
    /// The variables of the environment that the script may read: names, an empty one for all.
    pub allow_env: Vec<String>,
    /// The folders of a SOM program's classes, separated by colons.
    pub class_path: Option<String>,
    /// Whether a package with a definition that does not compile ends the run, as a script does.
    #[serde(default)]
    pub strict: bool,
    /// The seed of `Random new`.
    pub seed: i64,
    /// Whether time is made of sends and loop repetitions.
    pub virtual_clock: bool,
    /// Whether evaluations of control messages that are inlined are counted too, apart from sends.
    pub count_inlined: bool,
    /// Whether everything runs without any optimisation.
    pub reference: bool,
    /// Whether garbage is collected at every allocation.
    pub gc_stress: bool,
    /// Bytes of new objects before they are collected.
    #[serde(default)]
    pub nursery: Option<usize>,
    /// Whether lookups are not cached.
    pub no_caches: bool,
    /// Whether there are no short cuts for arithmetic, comparison and access.
    pub no_shortcuts: bool,
    /// Whether quick methods get a frame like all others.
    pub no_quick: bool,
}

impl Default for MachineSettings {
    fn default() -> MachineSettings {
        MachineSettings {
            max_sends: None,
            max_work: None,
            max_memory: None,
            max_source: None,
            max_depth: None,
            allow_read: Vec::new(),
            allow_write: Vec::new(),
            allow_env: Vec::new(),
            class_path: None,
            strict: false,
            seed: 1,
            virtual_clock: false,
            count_inlined: false,
            reference: false,
            gc_stress: false,
            nursery: None,
            no_caches: false,
            no_shortcuts: false,
            no_quick: false,
        }
    }
}

impl MachineSettings {
    /// The permissions of a program.
    pub fn permissions(&self) -> Permissions {
        Permissions::new(&self.allow_read, &self.allow_write, &self.allow_env)
    }
}

/// A machine with the library, whose code counts what the configuration says.
///
/// # Errors
/// Why the library could not be loaded.
pub fn machine(config: Config, host: CommandHost) -> Result<Vm, String> {
    let mut vm = bare_machine(config, host)?;
    vm.read_timelines_with(Arc::new(TrialReader));
    vm.search_schedules_with(Arc::new(ScheduleSearches));
    vm.explore_actors_with(Arc::new(StateExplorer::default()));
    Ok(vm)
}

fn bare_machine(config: Config, host: CommandHost) -> Result<Vm, String> {
    if !config.count_inlined {
        return tally_stdlib::machine(config, Box::new(host));
    }
    let plain = tally_stdlib::machine(Config::default(), Box::<tally_vm::MemoryHost>::default())?;
    let library = tally_compiler::library::library_counting_inlined(&plain)?;
    tally_stdlib::machine_with(library, config, Box::new(host))
}

/// The configuration that the options ask for. The limits on memory and on sources hold for the process, so they are set
/// here.
pub fn config(options: &MachineSettings, front: &dyn Embedder) -> Config {
    let defaults = Config::default();
    if let Some(bytes) = options.max_memory {
        front.limit_memory(bytes);
    }
    if let Some(bytes) = options.max_source {
        bounds::set_most_source_bytes(bytes);
    }
    Config {
        gc_stress: options.gc_stress,
        max_ticks: options.max_sends,
        max_work: options.max_work,
        max_depth: options.max_depth.unwrap_or(defaults.max_depth),
        seed: options.seed,
        virtual_clock: options.virtual_clock,
        nursery_bytes: options.nursery.unwrap_or(defaults.nursery_bytes),
        count_inlined: options.count_inlined,
        optimisations: Optimisations {
            caches: !(options.reference || options.no_caches),
            shortcuts: !(options.reference || options.no_shortcuts),
            quick: !(options.reference || options.no_quick),
        },
        ..defaults
    }
}
