//! A compiled source file: its script, the definitions it makes, and the code objects of both,
//! with every name still symbolic. The machine links names to slots and bindings when it loads.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use hashbrown::Equivalent;
use serde::{Deserialize, Serialize};

/// A range of bytes of the unit's source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// First byte behind the range.
    pub end: u32,
}

/// One compiled source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The file's name as the user gave it, or a name in angle brackets such as `<command line>`.
    pub name: String,
    /// The source text. The units of a file that is compiled in pieces share it.
    pub source: Arc<str>,
    /// The statements at top level: a pseudo-method without receiver or arguments. It makes the definitions with
    /// `Define` and `Evaluate`, in the order of the text. It answers the value of its last expression statement, or nil
    /// if there is none.
    pub script: Code,
    /// What `Define` and `Evaluate` refer to.
    pub definitions: Vec<Definition>,
}

/// A step of a script that sends no message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Definition {
    /// Creates a class, or changes the shape of an existing one, then adds its methods.
    Class(ClassDefinition),
    /// Adds methods and variables to an existing class.
    Extension {
        /// The class's name.
        class: String,
        /// Instance variables to add.
        instance_variables: Vec<String>,
        /// Class-side instance variables.
        class_instance_variables: Vec<String>,
        /// Class variables.
        class_variables: Vec<String>,
        /// Methods of both sides.
        methods: Vec<MethodDefinition>,
        /// Where the definition's header stands.
        span: Span,
    },
    /// Code for `Evaluate`: an `Eval [ … ]`, or the initialiser of a class variable.
    Evaluation {
        /// The class whose scope the code was compiled in; `None` for an `Eval`.
        class: Option<String>,
        /// The code; it takes no arguments.
        code: Code,
    },
}

/// The layout of a class's instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Named instance variables only.
    #[default]
    Fixed,
    /// Indexed variables that hold objects, behind the named ones.
    Pointers,
    /// Indexed bytes; no named instance variables.
    Bytes,
}

/// A trait in a composition, and the methods that the composition removes or adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraitUse {
    /// The trait's name.
    pub name: String,
    /// Whether the methods of its class side are used.
    pub class_side: bool,
    /// In the order in which they apply.
    pub changes: Vec<TraitChange>,
}

/// A change of a composition to the methods of a trait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TraitChange {
    /// `- {#selector}`
    Exclude(String),
    /// `@ {#alias -> #selector}`
    Alias {
        /// The new selector.
        alias: String,
        /// The trait's own.
        selector: String,
    },
}

/// A class as its definition spells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassDefinition {
    /// Its name.
    pub name: String,
    /// The superclass's name; `None` for a root (`nil subclass: …`).
    pub superclass: Option<String>,
    /// Layout of the instances; `None` inherits the superclass's.
    pub kind: Option<Kind>,
    /// Instance variables added to the superclass's.
    pub instance_variables: Vec<String>,
    /// Instance variables of the class itself.
    pub class_instance_variables: Vec<String>,
    /// Class variables, with and without an initialiser.
    pub class_variables: Vec<String>,
    /// The category or package, empty when none was given.
    pub category: String,
    /// The comment, empty when none was given.
    pub comment: String,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// The traits that it uses.
    pub traits: Vec<TraitUse>,
    /// What its class side uses; `None` for the class sides of its traits.
    pub class_traits: Option<Vec<TraitUse>>,
    /// The classes whose class variables its methods see as well.
    pub pools: Vec<String>,
    /// Methods of both sides.
    pub methods: Vec<MethodDefinition>,
    /// Where the definition's header stands.
    pub span: Span,
}

/// A method and the place it goes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodDefinition {
    /// The class's name.
    pub class: String,
    /// Whether the method goes to the class side.
    pub class_side: bool,
    /// The method category (protocol), empty when none was given.
    pub category: String,
    /// The compiled method.
    pub code: Code,
}

/// The kind of activation that runs a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CodeKind {
    /// A method.
    Method,
    /// The script of a file, an `Eval`, a class-variable initialiser.
    Script,
}

/// A method that needs no frame (counting model, 1: quick methods).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quick {
    /// The body is empty or `^self`.
    ReturnSelf,
    /// The body is `^literal`; index into the code's literals.
    ReturnLiteral(u32),
    /// The body is `^ivar`; index into the code's instance-variable names.
    ReturnIvar(u32),
    /// The body is `ivar := argument`, the only argument; index into the instance-variable names.
    StoreIvar(u32),
}

/// A compiled method or script body with everything in it still symbolic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Code {
    /// The selector; for a script the file's name.
    pub selector: String,
    /// The kind of the code.
    pub kind: CodeKind,
    /// Number of arguments.
    pub argument_count: u16,
    /// Registers that a frame needs, windows of its sends included.
    pub register_count: u16,
    /// The instructions.
    pub words: Vec<u64>,
    /// What `LoadLiteral` refers to.
    pub literals: Vec<Literal>,
    /// What `LoadGlobal` and `StoreGlobal` refer to.
    pub globals: Vec<GlobalRef>,
    /// What `LoadIvar` and `StoreIvar` refer to.
    pub ivars: Vec<String>,
    /// What send-shaped instructions refer to.
    pub sites: Vec<Site>,
    /// The blocks in it, nested ones too, in order of appearance; `MakeBlock` indexes this
    /// list from anywhere in the method.
    pub blocks: Vec<BlockCode>,
    /// Name of the primitive to try first.
    pub primitive: Option<String>,
    /// Set when the method needs no frame.
    pub quick: Option<Quick>,
    /// Whether each `^` in it, those in its blocks included, is `^self`.
    pub answers_self: bool,
    /// The pragmas, the primitive's included.
    pub pragmas: Vec<Pragma>,
    /// The method's text in the unit's source.
    pub span: Span,
    /// Digest of the method's source text (64-bit FNV-1a of its bytes, line ends normalised).
    pub digest: u64,
}

/// A real (not inlined) block. Register 0 holds the block itself, arguments follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockCode {
    /// Number of arguments.
    pub argument_count: u16,
    /// Registers that a frame needs.
    pub register_count: u16,
    /// The instructions; indices refer to the tables of the method's [`Code`].
    pub words: Vec<u64>,
    /// Whether a `^` stands in it or in a block inside it, so that it needs its home.
    pub returns_home: bool,
    /// The place of the receiver among the captured values, if the block captures it.
    pub receiver: Option<u16>,
    /// The block's text in the unit's source.
    pub span: Span,
}

/// A global name in the scope that it was written in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GlobalRef {
    /// A global variable or a class.
    Global(String),
    /// A class variable of the named class.
    ClassVariable {
        /// The class that declares it.
        class: String,
        /// Its name.
        name: String,
    },
}

/// What a reference names, for a search that makes no reference.
#[derive(Clone, Copy, Hash)]
pub(crate) enum GlobalKey<'a> {
    Global(&'a str),
    ClassVariable { class: &'a str, name: &'a str },
}

impl GlobalRef {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            GlobalRef::Global(name) | GlobalRef::ClassVariable { name, .. } => name,
        }
    }

    fn key(&self) -> GlobalKey<'_> {
        match self {
            GlobalRef::Global(name) => GlobalKey::Global(name),
            GlobalRef::ClassVariable { class, name } => GlobalKey::ClassVariable { class, name },
        }
    }
}

/// A reference and its key have one hash.
impl Hash for GlobalRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Equivalent<Arc<GlobalRef>> for GlobalKey<'_> {
    fn equivalent(&self, reference: &Arc<GlobalRef>) -> bool {
        match (*self, reference.key()) {
            (GlobalKey::Global(a), GlobalKey::Global(b)) => a == b,
            (
                GlobalKey::ClassVariable { class, name },
                GlobalKey::ClassVariable { class: c, name: n },
            ) => class == c && name == n,
            _ => false,
        }
    }
}

/// A send site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The selector.
    pub selector: String,
    /// The whole message expression in the unit's source.
    pub span: Span,
    /// The selector's first keyword or operator in the unit's source: where a trace points to.
    pub selector_span: Span,
    /// Whether nothing uses the answer: the message is a statement, or a part of a cascade before the last.
    pub discarded: bool,
}

/// A pragma: its selector and its literal arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pragma {
    /// `primitive:`, `comment:`, …
    pub selector: String,
    /// The arguments.
    pub arguments: Vec<Literal>,
}

/// A literal that is put into a register as an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// nil
    Nil,
    /// true
    True,
    /// false
    False,
    /// An integer of the SmallInteger range (62 bits) or within i64.
    Integer(i64),
    /// Any other integer, in decimal digits with an optional sign.
    LargeInteger(String),
    /// A float.
    Float(f64),
    /// `1e-2`: numerator and denominator in decimal digits, in lowest terms.
    Fraction(String, String),
    /// `3.14s2`: numerator and denominator in decimal digits, and the scale.
    ScaledDecimal(String, String, u32),
    /// A character's code point.
    Character(u32),
    /// A string.
    String(String),
    /// A symbol.
    Symbol(String),
    /// A literal array.
    Array(Vec<Literal>),
    /// A byte array.
    ByteArray(Vec<u8>),
    /// `#{Foo}`
    Binding(String),
}

/// Why a frame has a mark record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum FrameKind {
    /// The home of blocks that contain `^`.
    Home = 0,
    /// `ensure:`: register 1 holds the block to run when the frame is cut, register 2 is nil until
    /// the protected block has returned.
    Ensure = 1,
    /// `ifCurtailed:`, registers as for `Ensure`.
    Curtailed = 2,
    /// `on:do:`: register 1 holds the exception class or set, register 2 the handler block.
    Handler = 3,
    /// The method that evaluates a handler block. Register 1 holds the handler frame's token. A search for a handler
    /// that reaches this frame continues below the handler frame.
    Handling = 4,
    /// A method from which `resume:` and similar messages return (`signal`, `outer`).
    Signal = 5,
    /// A method that adds nothing to any count: its whole execution is overhead. Register 1 holds the block that it
    /// evaluates.
    Silent = 6,
    /// The method from which a wrapper runs the original: what that executes counts again.
    Counted = 7,
    /// As `Silent`, for a method that runs no program code silently: it evaluates the program's blocks counted.
    Machinery = 8,
    /// A method with `<separate>`: it holds the locks of its separate arguments' processors.
    Scope = 9,
    /// The same of a method whose first statement is `self require: [ … ]`, the condition under which it begins.
    Condition = 10,
    /// A method that is left only when nothing is left to happen on other processors.
    Quiet = 11,
}

impl FrameKind {
    /// The kind with this number.
    pub fn from_number(number: u32) -> Option<FrameKind> {
        use FrameKind::*;
        [
            Home, Ensure, Curtailed, Handler, Handling, Signal, Silent, Counted, Machinery, Scope,
            Condition, Quiet,
        ]
        .get(number as usize)
        .copied()
    }

    /// How many arguments, and how many registers, the machine reads of such a frame at least.
    pub(crate) fn reads(self) -> (usize, usize) {
        match self {
            FrameKind::Ensure | FrameKind::Curtailed => (1, 3),
            FrameKind::Handler => (2, 3),
            FrameKind::Handling => (1, 2),
            // The block that is evaluated silently.
            FrameKind::Silent => (1, 2),
            // Of a scope all arguments are read, however many it has.
            FrameKind::Home
            | FrameKind::Signal
            | FrameKind::Counted
            | FrameKind::Machinery
            | FrameKind::Scope
            | FrameKind::Condition
            | FrameKind::Quiet => (0, 1),
        }
    }

    /// The kind that the pragma `<frame: #name>` names.
    pub fn from_name(name: &str) -> Option<FrameKind> {
        Some(match name {
            "ensure" => FrameKind::Ensure,
            "curtailed" => FrameKind::Curtailed,
            "handler" => FrameKind::Handler,
            "handling" => FrameKind::Handling,
            "signal" => FrameKind::Signal,
            "silent" => FrameKind::Silent,
            "counted" => FrameKind::Counted,
            "machinery" => FrameKind::Machinery,
            "quiet" => FrameKind::Quiet,
            _ => return None,
        })
    }
}
