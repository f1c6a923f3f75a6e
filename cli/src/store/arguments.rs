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
    /// List what is kept, the oldest first
    List(ListArguments),
    /// Write all that is kept to a file, to be imported elsewhere
    Export(ExportArguments),
    /// Add what such a file holds; what is kept already stays as it is
    Import(ImportArguments),
    /// Remove measurements, and what cannot be read any more
    Prune(PruneArguments),
    /// Check that everything that is kept can be read and adds up
    Verify(VerifyArguments),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ListArguments {
    /// How the list is printed
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
    /// Remove those of commits all of which are gone from the repository
    #[arg(long, group = "which")]
    pub(crate) gone: bool,
    /// Remove only what cannot be read
    #[arg(long, group = "which")]
    pub(crate) damaged: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VerifyArguments {
    /// How the findings are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}
