//! `tally measure`, which the command runs by itself, in the folder of a version: what the version costs. The request says where
//! the measurement goes.

use std::path::Path;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;
use tally_workbench::measuring::Request;

pub(crate) fn measure(request: &Path) -> Result<Exit, Failure> {
    let written = Request::read(request)?.answer(&front())?;
    output::write_bytes(&written.bytes, Some(&written.file))?;
    output::write_bytes(&written.answer, None)?;
    Ok(Exit::Success)
}
