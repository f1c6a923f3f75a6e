//! Chooses the copy of the loop that runs.

/// The names of the loop's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeName {
    Plain,
    Recording,
    Full,
    Checked,
    Uncounted,
}
