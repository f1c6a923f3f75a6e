//! What is known of this build and of the machine that it runs on.

use std::path::Path;

use tally_study::data::{Context, DATA_SCHEMA};
use tally_vm::{Config, DISPATCH, MODEL_VERSION, MemoryHost};

use crate::digest::Digest;
use crate::exit::{Exit, Failure};

/// This build and this machine as a context without a name.
pub(super) fn this_build() -> Result<Context, Failure> {
    let vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())
        .map_err(|why| Failure::new(Exit::Internal, why))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Context {
        schema: DATA_SCHEMA.to_string(),
        name: String::new(),
        about: String::new(),
        tally: env!("CARGO_PKG_VERSION").to_string(),
        build: format!("{KIND}, dispatch by {DISPATCH}"),
        binary: binary()?,
        library: format!("{:016x}", vm.library_digest()),
        model: MODEL_VERSION,
        processor: processor(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processors: u32::try_from(processors).unwrap_or(u32::MAX),
    })
}

/// Digest of the file that this process runs: another build may take another time.
fn binary() -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::io("read", "this command's own file", &error);
    let path = std::env::current_exe().map_err(failed)?;
    let bytes = std::fs::read(path).map_err(failed)?;
    Ok(Digest::of(&bytes).to_string()[..16].to_string())
}

const KIND: &str = match cfg!(debug_assertions) {
    true => "debug build",
    false => "release build",
};

/// The processor's name, as Linux tells it; elsewhere its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let named = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_string())
    });
    named.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}
