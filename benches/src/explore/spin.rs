//! The programs in Promela, executed by SPIN. A run has the searcher that SPIN generates, compiled as it is compiled for a fast and full
//! search: without partial order reduction, and for safety only.

use std::path::{Path, PathBuf};

use crate::measure::{Command, is_installed};
use crate::root;

/// What a search has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) states: f64,
    pub(super) transitions: f64,
    /// Memory for states alone.
    pub(super) bytes: f64,
    /// All of its memory.
    pub(super) peak: f64,
}

/// Why SPIN cannot be used here, if it cannot.
pub(super) fn missing() -> Option<String> {
    let commands = [("spin", "-V"), ("gcc", "--version")];
    let missing = commands
        .iter()
        .find(|(name, option)| !is_installed(name, option));
    missing.map(|(name, _)| format!("{name} is not installed: apt-get install {name}"))
}

/// A searcher that was compiled, in a folder of its own that is removed at the end.
pub(super) struct Searcher {
    folder: PathBuf,
}

impl Searcher {
    /// Generates and compiles the searcher of a twin. `sizes` and `options` are options of the preprocessor, for SPIN and for the compiler.
    ///
    /// # Errors
    ///
    /// A sentence, if SPIN or the compiler fails.
    pub(super) fn new(twin: &str, sizes: &[&str], options: &[&str]) -> Result<Searcher, String> {
        let process = std::process::id();
        let names = options.concat().replace('-', "");
        let folder = std::env::temp_dir().join(format!("tally-spin-{process}-{twin}{names}"));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let searcher = Searcher { folder };
        let source = root().join("benches/twins").join(format!("{twin}.pml"));
        let generate = Command::new(Path::new("spin"), &searcher.folder)
            .with(["-a"])
            .with(sizes);
        generate.with([source]).output()?;
        let compile = Command::new(Path::new("gcc"), &searcher.folder);
        let compile = compile.with(["-O2", "-w", "-DSAFETY", "-DNOREDUCE"]);
        let compile = compile.with(options).with(["-o", "pan", "pan.c"]);
        compile.output()?;
        Ok(searcher)
    }

    /// Runs it. Answers processor seconds and what was found.
    ///
    /// # Errors
    ///
    /// A sentence, if it fails, finds an error, or ends early.
    pub(super) fn run(&self, depth: &str) -> Result<(f64, Search), String> {
        let pan = Command::new(&self.folder.join("pan"), &self.folder);
        let (seconds, text) = pan.with(["-n", depth]).timed_output()?;
        let search = parsed(&text).ok_or_else(|| format!("SPIN printed: {text}"))?;
        Ok((seconds, search))
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        // A folder of temporary files that stays behind does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The figures of a search without errors.
fn parsed(text: &str) -> Option<Search> {
    let before = |words: &str| {
        let line = text.lines().find(|line| line.contains(words))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let is_whole = text.contains("errors: 0") && !text.contains("max search depth too small");
    let megabyte = f64::from(1 << 20);
    // Small searches have one line for both.
    let for_states = before("actual memory usage for states")
        .or_else(|| before("equivalent memory usage for states"));
    is_whole.then_some(Search {
        states: before("states, stored")?,
        transitions: before("transitions (= stored+matched)")?,
        bytes: for_states? * megabyte,
        peak: before("total actual memory usage")? * megabyte,
    })
}

#[cfg(test)]
mod tests {
    use super::parsed;

    const TEXT: &str = "State-vector 240 byte, depth reached 132, errors: 0
  1594324 states, stored
 12223144 states, matched
 13817468 transitions (= stored+matched)
  395.321\tequivalent memory usage for states (stored*(State-vector + overhead))
  219.171\tactual memory usage for states (compression: 55.44%)
  347.141\ttotal actual memory usage";

    #[test]
    fn figures_of_a_search_are_read() {
        let search =
            parsed(TEXT).map(|one| (one.states, one.transitions, (one.bytes / 1e6).round()));
        assert_eq!(search, Some((1_594_324.0, 13_817_468.0, 230.0)));
    }

    #[test]
    fn a_search_that_ended_early_has_no_figures() {
        for line in ["errors: 1", "errors: 0 error: max search depth too small"] {
            assert!(parsed(&TEXT.replace("errors: 0", line)).is_none());
        }
    }
}
