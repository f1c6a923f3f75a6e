//! Where the command keeps what is one user's and one machine's, of no project.

use std::path::PathBuf;

/// A file there; nothing if no variable of the environment says where that is.
pub(crate) fn state_file(name: &str) -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local").join("state")))?;
    Some(state.join("tally").join(name))
}
