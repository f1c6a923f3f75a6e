//! The folder in which an exploration keeps the states that find no room in memory.

use std::path::Path;

use tally_explore::{Space, Spill};
use tally_presentation::counted;
use tally_vm::{MODEL_VERSION, budget};
use tally_workbench::exploring::ActorProgram;
use tally_workbench::project::workspace::Workspace;

use super::options::ExploreArguments;
use crate::console;

/// The folders of explorations, in that of the workspace.
const FOLDER: &str = "explorations";
/// The least memory for states: with less, most of the time would go to files.
const LEAST: usize = 8 << 20;

fn workspace() -> Workspace {
    Workspace::of(Path::new(""))
}

/// Where this exploration keeps them, and from how much memory on. None if there is no limit on memory.
pub(super) fn spill(arguments: &ExploreArguments, program: &ActorProgram) -> Option<Spill> {
    let memory = budget::limit()?.saturating_sub(budget::held()).max(LEAST);
    let program = format!(
        "{} {MODEL_VERSION} {} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        program.identity(),
        arguments.arguments,
        arguments.local,
    );
    Some(Spill {
        folder: workspace().path(FOLDER),
        program,
        memory,
    })
}

/// The folder of the workspace ignores itself in git.
pub(super) fn prepare() {
    // Without that the exploration goes on all the same.
    let _ = workspace().prepare();
}

/// Says where states are left, and from where the exploration went on.
pub(super) fn note(space: &Space) {
    if let Some(turns) = space.resumed() {
        let turns = counted(u64::from(turns), "turn", "turns");
        console::write(&format!(
            "The exploration went on {turns} from the start, where an earlier one was interrupted.\n"
        ));
    }
    if let Some(folder) = space.left_in() {
        console::write(&format!(
            "The states are kept in {}. The same command goes on there.\n",
            folder.display()
        ));
    }
}
