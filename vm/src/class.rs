//! Classes and methods as the machine sees them: tables indexed by small numbers, so that headers and
//! caches never hold heap pointers. The class *objects* of the language hold a class's number in slot 0.

use std::borrow::Cow;

use crate::bytecode::Kind;
use crate::dialect::Dialect;
use crate::hashing::hash_bytes;
use crate::library::CodeCell;
use crate::methods::MethodDictionary;
use crate::traits::{Origin, Used};
use crate::value::SymbolId;

/// Index of a class in the machine's class table. 0 is no class, so that an empty inline cache never hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// Index of a method in the machine's method table. A replaced method keeps its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId(pub u32);

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
}

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

/// A class or a metaclass.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name; for a metaclass the name of its sole instance.
    pub name: String,
    /// Its hash: from the name that it was made under, whatever its name is later.
    pub(crate) hash: u32,
    /// Whether a definition has been carried out.
    pub defined: bool,
    /// Whether it is a metaclass.
    pub is_metaclass: bool,
    /// The other side: the metaclass of a class, the sole instance of a metaclass.
    pub other_side: ClassId,
    /// The superclass.
    pub superclass: Option<ClassId>,
    /// Direct subclasses, in the order of definition.
    pub subclasses: Vec<ClassId>,
    /// Layout of instances.
    pub kind: Kind,
    /// Instance variables declared here.
    pub own_ivars: Vec<String>,
    /// All instance variables, inherited ones first; the slots of an instance.
    pub ivars: Vec<String>,
    /// Class variables declared here.
    pub class_variables: Vec<String>,
    /// Its own methods.
    pub methods: MethodDictionary,
    /// Category or package.
    pub category: String,
    /// Comment.
    pub comment: String,
    /// The classes whose class variables its methods see too.
    pub pools: Vec<String>,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// The traits that this side uses.
    pub(crate) uses: Vec<Used>,
    /// The sides that use this one, if it is a trait's.
    pub(crate) users: Vec<ClassId>,
}

impl Class {
    pub(crate) fn placeholder(name: &str) -> Class {
        Class {
            name: name.to_string(),
            hash: hash_bytes(name.as_bytes()),
            defined: false,
            is_metaclass: false,
            other_side: ClassId(0),
            superclass: None,
            subclasses: Vec::new(),
            kind: Kind::Fixed,
            own_ivars: Vec::new(),
            ivars: Vec::new(),
            class_variables: Vec::new(),
            methods: MethodDictionary::default(),
            category: String::new(),
            comment: String::new(),
            pools: Vec::new(),
            is_trait: false,
            uses: Vec::new(),
            users: Vec::new(),
        }
    }

    /// `Foo` or `Foo class`.
    pub fn display_name(&self) -> String {
        if self.is_metaclass {
            format!("{} class", self.name)
        } else {
            self.name.clone()
        }
    }
}

/// A method: its place and its code.
#[derive(Clone)]
pub struct Method {
    /// Its selector.
    pub selector: SymbolId,
    /// The class that holds it.
    pub holder: ClassId,
    /// Index of the unit that it came from.
    pub unit: usize,
    /// Method category.
    pub category: Cow<'static, str>,
    /// The compiled code, names symbolic.
    pub code: CodeCell,
    /// Whether its class still holds it.
    pub current: bool,
    /// Its source, where it was compiled from a text of its own.
    pub(crate) plain_source: Option<std::sync::Arc<str>>,
    /// How its class came by it.
    pub(crate) origin: Origin,
}
