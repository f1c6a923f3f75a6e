//! The classes whose numbers the machine has to know before the library defines them.

use super::ids::ClassId;

macro_rules! known_classes {
    ($( $name:ident $text:literal )+) => {
        /// Classes whose numbers the machine has to know before the library defines them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum Known { $( $name, )+ }

        impl Known {
            /// Numbers and names.
            pub(crate) const ALL: &'static [(ClassId, &'static str)] =
                &[ $( (ClassId(Known::$name as u32), $text), )+ ];
        }
    };
}

known_classes! {
    Nothing "<none>"
    Object "Object"
    Behavior "Behavior"
    Class "Class"
    Metaclass "Metaclass"
    UndefinedObject "UndefinedObject"
    True "True"
    False "False"
    SmallInteger "SmallInteger"
    LargePositiveInteger "LargePositiveInteger"
    LargeNegativeInteger "LargeNegativeInteger"
    Float "Float"
    Fraction "Fraction"
    ScaledDecimal "ScaledDecimal"
    Character "Character"
    Symbol "Symbol"
    String "String"
    WideString "WideString"
    Array "Array"
    ByteArray "ByteArray"
    Association "Association"
    BlockClosure "BlockClosure"
    Block1 "<block without arguments>"
    Block2 "<block of one argument>"
    Block3 "<block of two arguments>"
    Message "Message"
    Process "Process"
    Semaphore "Semaphore"
    CompiledMethod "CompiledMethod"
    Cell "<cell>"
    FrameToken "FrameToken"
    Separate "Separate"
}

impl Known {
    /// Whether it is one of the classes whose instances are blocks.
    #[inline(always)]
    pub(crate) fn is_block_class(class: ClassId) -> bool {
        const KINDS: u32 = Known::Block3 as u32 - Known::BlockClosure as u32;
        class.0.wrapping_sub(Known::BlockClosure as u32) <= KINDS
    }
}

impl From<Known> for ClassId {
    fn from(known: Known) -> ClassId {
        ClassId(known as u32)
    }
}
