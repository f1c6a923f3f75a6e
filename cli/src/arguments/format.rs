//! How a command prints its results.

use clap::ValueEnum;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // For people
    #[default]
    Human,
    // For programs
    Json,
}
