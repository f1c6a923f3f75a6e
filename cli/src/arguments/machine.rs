//! The options of the machine: limits, permissions and modes.

use clap::Args;
use tally_workbench::loading::MachineSettings;

use super::size::{nursery, size};

/// Limits, permissions and modes of the machine.
#[derive(Clone, Debug, Args)]
pub(crate) struct MachineArguments {
    /// Stop after N sends and loop repetitions
    #[arg(long, value_name = "N", help_heading = "Limits and permissions")]
    pub(crate) max_sends: Option<u64>,
    /// Stop after N units of work; `tally run --counts` prints the work of a run
    #[arg(
        long,
        value_name = "N",
        hide_short_help = true,
        help_heading = "Limits and permissions"
    )]
    pub(crate) max_work: Option<u64>,
    /// Stop at SIZE bytes of memory [default: half of it, shared by the workers]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true, help_heading = "Limits and permissions")]
    pub(crate) max_memory: Option<usize>,
    /// Refuse source texts of more than SIZE bytes [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true, help_heading = "Limits and permissions")]
    pub(crate) max_source: Option<usize>,
    /// Signal RecursionTooDeep at N activations on one stack
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = "Limits and permissions",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_depth: Option<u64>,
    /// Allow reading of files: all, or those at and below PATH (repeatable)
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_read: Vec<String>,
    /// Allow writing of files: all, or those at and below PATH (repeatable)
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_write: Vec<String>,
    /// Allow reading of the environment: all, or NAME (repeatable)
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_env: Vec<String>,
    /// Folders of a .som program's classes, separated by colons (-cp for short)
    #[arg(
        long,
        value_name = "DIRS",
        hide_short_help = true,
        help_heading = "Programs of SOM"
    )]
    pub(crate) class_path: Option<String>,
    /// Refuse packages in which a definition does not compile
    #[arg(long, hide_short_help = true, help_heading = "Limits and permissions")]
    pub(crate) strict: bool,
    /// Seed of Random new
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        hide_short_help = true,
        help_heading = "Limits and permissions"
    )]
    pub(crate) seed: i64,
    /// Derive time from sends and loop repetitions: the same in every run
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) virtual_clock: bool,
    /// Count inlined control messages such as ifTrue: too, separately from sends
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) count_inlined: bool,
    /// Run without optimisations; counts are the same
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) reference: bool,
    /// Collect garbage at every allocation; counts are the same
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) gc_stress: bool,
    /// Collect new objects after SIZE bytes [default: 1M]; counts are the same
    #[arg(long, value_name = "SIZE", value_parser = nursery, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) nursery: Option<usize>,
    /// Run without lookup caches
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_caches: bool,
    /// Run without shortcuts for arithmetic, comparison and access
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_shortcuts: bool,
    /// Run quick methods with a frame, as all others
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_quick: bool,
}

impl MachineArguments {
    /// The same settings for the workbench.
    pub(crate) fn settings(&self) -> MachineSettings {
        MachineSettings {
            max_sends: self.max_sends,
            max_work: self.max_work,
            max_memory: self.max_memory,
            max_source: self.max_source,
            max_depth: self.max_depth,
            allow_read: self.allow_read.clone(),
            allow_write: self.allow_write.clone(),
            allow_env: self.allow_env.clone(),
            class_path: self.class_path.clone(),
            strict: self.strict,
            seed: self.seed,
            virtual_clock: self.virtual_clock,
            count_inlined: self.count_inlined,
            reference: self.reference,
            gc_stress: self.gc_stress,
            nursery: self.nursery,
            no_caches: self.no_caches,
            no_shortcuts: self.no_shortcuts,
            no_quick: self.no_quick,
        }
    }
}

/// The value of an option that allows something, if none is given. It cannot be typed.
const EVERYTHING: &str = "\0";

/// The permission of an option: a path, a name, or the empty text for everything.
fn allowed(text: &str) -> Result<String, String> {
    match text {
        EVERYTHING => Ok(String::new()),
        "" => {
            Err("a path or a name is expected after =; without = everything is allowed".to_string())
        }
        text => Ok(text.to_string()),
    }
}
