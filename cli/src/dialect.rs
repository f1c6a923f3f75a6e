//! The option that names the dialect of source files.

use clap::{Args, ValueEnum};
use tally_compiler::Notation;

/// The dialects that an option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// GNU Smalltalk: statements run one by one, and the value of each Eval is printed
    Gst,
}

/// The option.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DialectArguments {
    /// Read the files as another Smalltalk does; gst is GNU Smalltalk
    #[arg(long, value_enum, value_name = "NAME")]
    dialect: Option<Dialect>,
}

impl DialectArguments {
    /// How the files are to be read.
    pub(crate) fn notation(&self) -> Notation {
        match self.dialect {
            Some(Dialect::Gst) => Notation::Gst,
            None => Notation::Tally,
        }
    }
}
