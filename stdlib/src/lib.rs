//! The standard library, written in the language itself, in the folders beside this file. It is
//! compiled when this crate is built; here are only the bytes that came of it.

use tally_vm::{Config, Host, Vm};

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// A machine with the library loaded, its counters at 0.
///
/// # Errors
/// A sentence, if the embedded library does not load: the build is broken.
pub fn machine(config: Config, host: Box<dyn Host>) -> Result<Vm, String> {
    let mut vm = Vm::with_host(config, host);
    vm.load_library(LIBRARY)?;
    Ok(vm)
}
