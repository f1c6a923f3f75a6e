//! What is known of this build and of the machine that it runs on.

use tally_study::data::{Context, DATA_SCHEMA};
use tally_vm::{Config, DISPATCH, MODEL_VERSION, MemoryHost};

use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::files::digest::Digest;

/// This build and this machine as a context without a name.
pub(crate) fn this_build() -> Result<Context, Failure> {
    let vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())
        .map_err(|why| Failure::new(Exit::Internal, why))?;
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Ok(Context {
        schema: DATA_SCHEMA.to_string(),
        name: String::new(),
        about: String::new(),
        tally: env!("CARGO_PKG_VERSION").to_string(),
        build: format!("{KIND}, dispatch by {DISPATCH}"),
        binary: binary()?,
        library: format!("{:016x}", vm.library_digest()),
        model: MODEL_VERSION,
        processor: processor(&facts),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processors: processors(&facts),
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

/// A field of Linux's description of the processors, one value for each processor.
fn told<'f>(facts: &'f str, name: &'f str) -> impl Iterator<Item = &'f str> {
    facts.lines().filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// The processor's name on Linux; elsewhere its architecture.
fn processor(facts: &str) -> String {
    let name = told(facts, "model name").next();
    name.unwrap_or(std::env::consts::ARCH).to_string()
}

/// How many processors there are, those included that this process does not use.
fn processors(facts: &str) -> u32 {
    let there = || std::thread::available_parallelism().map_or(1, usize::from);
    let number = match told(facts, "processor").count() {
        0 => there(),
        number => number,
    };
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{processor, processors};

    #[test]
    fn linux_names_its_processors() {
        let facts = "processor\t: 0\nmodel name\t: A Name\nprocessor\t: 1\nmodel name\t: A Name\n";
        assert_eq!(processor(facts), "A Name");
        assert_eq!(processors(facts), 2);
        assert_eq!(processor(""), std::env::consts::ARCH);
        assert!(processors("") > 0);
    }
}
