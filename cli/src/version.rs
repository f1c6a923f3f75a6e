//! The text of `tally --version`: everything that decides whether two installations give the same counts.

use std::sync::LazyLock;

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut lines = vec![env!("CARGO_PKG_VERSION").to_string()];
    let commit = option_env!("TALLY_COMMIT");
    lines.extend(commit.map(|commit| format!("commit: {commit}")));
    lines.push(format!("counting model: {}", tally_vm::MODEL_VERSION));
    lines.push(format!("library: {}", tally_stdlib::DIGEST));
    lines.join("\n")
});

/// Version, commit if it is known, counting model, digest of the library.
pub(crate) fn text() -> &'static str {
    &TEXT
}
