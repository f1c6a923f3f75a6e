//! The standard libraries, written in their languages, in the folders beside this file. They are
//! compiled when this crate is built; this file includes the resulting bytes.

use tally_vm::{ClassSource, Config, Dialect, Host, LoadError, Vm};

/// The digest of the library's sources, as profiles write it. Counts of different libraries are not compared.
pub const DIGEST: &str = env!("TALLY_LIBRARY_DIGEST");

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

/// As [`machine`], with a library that was packed anew.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn machine_with(library: Vec<u8>, config: Config, host: Box<dyn Host>) -> Result<Vm, String> {
    let mut vm = Vm::with_host(config, host);
    // The machine reads tables where they are, as those in the binary: they stay for good.
    vm.load_library(library.leak())?;
    Ok(vm)
}

/// The files that extend the library for programs of GNU Smalltalk: names and texts.
pub static GST: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/gst.rs"));

static SOM_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/som.bin"));

/// A machine that speaks SOM, with the classes that every program needs, its counters at 0. Each class
/// comes from `source` if it is there, else from the library.
///
/// # Errors
/// Why a class could not be defined.
pub fn som_machine(
    config: Config,
    host: Box<dyn Host>,
    source: Option<Box<dyn ClassSource>>,
) -> Result<Vm, LoadError> {
    let config = Config {
        dialect: Dialect::Som,
        ..config
    };
    let mut vm = Vm::with_host(config, host);
    vm.load_som_library(SOM_LIBRARY, source)?;
    Ok(vm)
}
