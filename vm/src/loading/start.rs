//! Makes a machine with the classes that it must know, and without a library.

use crate::base::Config;
use crate::machine::Vm;
use crate::world::{Host, MemoryHost};

impl Vm {
    /// A machine with the classes that it must know, and no library.
    pub fn new(config: Config) -> Vm {
        Vm::with_host(config, Box::<MemoryHost>::default())
    }

    /// As [`Vm::new`], with the outside world given.
    pub fn with_host(config: Config, host: Box<dyn Host>) -> Vm {
        let mut vm = Vm::bare(config, host);
        vm.counters.full.primitives = vec![0; crate::primitives::numbered().len()];
        vm.reserve_known_classes();
        vm
    }
}
