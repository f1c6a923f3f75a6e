//! From files to a machine that runs them: reading, compiling all before anything runs, running in order.

mod absent;
mod compiling;
mod file_outs;
mod filetree;
mod findings;
mod machine;
mod outcome;
mod package;
mod program;
mod reading;
mod running;
pub mod som;
pub mod statements;
mod virtual_time;

pub use absent::{Absent, summary as summary_of_absent};
pub use compiling::{Checked, compile_text, diagnose, read_counting_inlined, read_texts, run_text};
pub use findings::Findings;
pub use machine::{MachineSettings, config, machine};
pub(crate) use outcome::SILENCE;
pub use outcome::{ended, note_of_silence};
pub use package::{PackageFolder, files_of, packages_in};
pub use program::{EXPRESSION, Program, Sources};
pub use reading::{Source, packaged};
pub use running::PackageUnits;
pub(crate) use virtual_time::VirtualTime;
