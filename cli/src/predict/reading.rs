//! Reading what predictions are made of, and what goes wrong with it.

use std::io;
use std::path::Path;

use tally_predict::{ErrorKind, PredictError};
use tally_presentation::printable;

use crate::bounded::text;
use crate::exit::Exit;
use crate::failure::Failure;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// The end of the names of services.
const SERVICE: &str = "service";

/// Whether a file has the name of a service.
pub(super) fn is_service(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == SERVICE)
}

/// What a file holds. Messages begin with its name.
pub(super) fn read<T>(
    file: &Path,
    between: &str,
    reader: impl Fn(&str) -> Result<T, PredictError>,
) -> Result<T, Failure> {
    let name = file.display().to_string();
    let text = text(file, LONGEST).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            Failure::new(Exit::Usage, format!("{name} is no text in UTF-8"))
        }
        _ => Failure::io("read", &name, &error),
    })?;
    reader(&text).map_err(|error| {
        let message = format!("{name}{between}{error}");
        failure(PredictError { message, ..error })
    })
}

pub(super) fn failure(error: PredictError) -> Failure {
    let exit = match error.kind {
        ErrorKind::Usage => Exit::Usage,
        ErrorKind::Limit => Exit::Limit,
        ErrorKind::Incomparable => Exit::Incomparable,
    };
    Failure::new(exit, printable(&error.message).into_owned())
}
