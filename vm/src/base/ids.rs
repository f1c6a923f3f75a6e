//! Numbers of classes, methods, processes and linked code. Headers, caches and frames hold them in place of pointers.

/// Index of a class in the machine's class table. 0 is no class, so that an empty inline cache never hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// Index of a method in the machine's method table. A replaced method keeps its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId(pub u32);

/// Index of a process in the machine's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// Index of a target in the machine's table; frames carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TargetId(pub(crate) u32);

/// The number of an actor, in the order of creation. The root's is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActorId(pub(crate) u32);
