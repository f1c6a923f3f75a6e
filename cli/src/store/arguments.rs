//! The command line of `tally store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::arguments::Format;

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "What was measured is kept in .tally/store.sqlite, which can be deleted at any time. A measurement is used \
again as long as nothing that could change it has changed: sources, library, arguments, and all that the program reads."
)]
pub(crate) struct StoreArguments {
    #[command(subcommand)]
    pub(crate) what: StoreCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// List the kept measurements, the oldest first
    List(ListArguments),
    /// Write all kept measurements to a file, for import elsewhere
    Export(ExportArguments),
    /// Add the measurements of such a file; those that are kept stay as they are
    Import(ImportArguments),
    /// Remove measurements, and entries that cannot be read
    Prune(PruneArguments),
    /// Check that all kept measurements can be read and add up
    Verify(VerifyArguments),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ListArguments {
    /// The format of the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExportArguments {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub(crate) struct PruneArguments {
    /// Keep the N measurements that were added last
    #[arg(long, value_name = "N", group = "which")]
    pub(crate) keep: Option<usize>,
    /// Remove measurements whose commits are all gone from the repository
    #[arg(long, group = "which")]
    pub(crate) gone: bool,
    /// Remove only entries that cannot be read
    #[arg(long, group = "which")]
    pub(crate) damaged: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The format of the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}
