//! How a command prints its results.

use clap::ValueEnum;

/// The format of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // For people
    #[default]
    Human,
    // For programs
    Json,
}
