//! Numbers of processors and of requests.

/// A processor, by the number of its creation on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessorId(pub(crate) u32);

/// A request under way, by its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestId(pub(crate) u32);
