//! The option that names the dialect of source files.

use clap::{Args, ValueEnum};
use tally_compiler::Notation;
use tally_workbench::loading::som::refuse;

use crate::failure::Failure;
use crate::inside::InsideArguments;

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

    /// The files that a command reads: the project's and the named ones. A project has no files of another dialect.
    pub(crate) fn files(
        &self,
        inside: &InsideArguments,
        named: &[String],
        command: &str,
    ) -> Result<Vec<String>, Failure> {
        match self.dialect {
            Some(Dialect::Gst) => {
                refuse(named, &format!("{command} --dialect gst"))?;
                Ok(named.to_vec())
            }
            None => inside.files(named),
        }
    }
}
