//! The dialects of the machine, and the names of the known classes in each dialect. The libraries define what the
//! methods of these classes do.

use super::ids::ClassId;
use super::known::Known;

/// A language that runs on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The language of `.st` files.
    #[default]
    Smalltalk,
    /// SOM: the language of `.som` files.
    Som,
}

impl Dialect {
    /// The name of a class that the machine knows. No program can write a name in angle brackets: the dialect hides
    /// that class.
    #[inline]
    pub(crate) fn class_name(self, id: ClassId) -> &'static str {
        let name = Known::ALL.get(id.0 as usize).map_or("<none>", |k| k.1);
        if self == Dialect::Smalltalk {
            return name;
        }
        SOM_NAMES
            .iter()
            .find(|(known, _)| ClassId::from(*known) == id)
            .map_or(name, |(_, name)| name)
    }

    /// The class that the machine knows by this name.
    pub(crate) fn known_class(self, name: &str) -> Option<ClassId> {
        let mut ids = Known::ALL.iter().map(|k| k.0).skip(1);
        ids.find(|&id| self.class_name(id) == name)
    }
}

/// The known classes of SOM that have a different name or stay hidden.
const SOM_NAMES: &[(Known, &str)] = &[
    (Known::Behavior, "<behavior>"),
    (Known::UndefinedObject, "Nil"),
    (Known::SmallInteger, "Integer"),
    (Known::LargePositiveInteger, "<large positive integer>"),
    (Known::LargeNegativeInteger, "<large negative integer>"),
    (Known::Float, "Double"),
    (Known::Fraction, "<fraction>"),
    (Known::ScaledDecimal, "<scaled decimal>"),
    (Known::Character, "<character>"),
    (Known::WideString, "<wide string>"),
    (Known::ByteArray, "<byte array>"),
    (Known::Association, "<association>"),
    (Known::BlockClosure, "Block"),
    (Known::Block1, "Block1"),
    (Known::Block2, "Block2"),
    (Known::Block3, "Block3"),
    (Known::Message, "<message>"),
    (Known::Process, "<process>"),
    (Known::Semaphore, "<semaphore>"),
    (Known::CompiledMethod, "<compiled method>"),
    (Known::FrameToken, "<frame token>"),
];

/// Classes of SOM that stay hidden. Lookup treats each as a subclass of its partner, and `class` answers the partner
/// for its instances.
pub(crate) const SOM_HIDDEN: &[(Known, Known)] = &[
    (Known::LargePositiveInteger, Known::SmallInteger),
    (Known::LargeNegativeInteger, Known::SmallInteger),
    (Known::WideString, Known::String),
];

/// The class of a literal block of that many arguments. SOM has classes for the usual numbers; they
/// stand directly behind `BlockClosure`, so that being a block is a range of numbers.
pub(crate) fn block_class(dialect: Dialect, argument_count: u16) -> ClassId {
    match (dialect, argument_count) {
        (Dialect::Som, 0) => Known::Block1.into(),
        (Dialect::Som, 1) => Known::Block2.into(),
        (Dialect::Som, 2) => Known::Block3.into(),
        _ => Known::BlockClosure.into(),
    }
}
