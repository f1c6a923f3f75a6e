//! Numbers of processors.

/// A processor, by the number of its creation on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessorId(pub(crate) u32);
