//! Where a machine for SOM finds its classes: on the class path or in the embedded library. A handed-in loader reads
//! and compiles the class path. A few classes exist from the start. The others are defined when a program first needs
//! them.

use std::sync::Arc;

use crate::base::{ClassId, Known, SOM_HIDDEN, Value};
use crate::bytecode::{GlobalRef, Kind, Unit, empty_code};
use crate::heap::Contents;
use crate::image::{Packed, PackedUnit};
use crate::machine::{ClassSource, LoadError, Vm};

/// The classes of SOM that every program has from the start. Classes with short-cut methods come first.
pub const SOM_KERNEL: &[&str] = &[
    "Object",
    "Class",
    "Metaclass",
    "Integer",
    "Double",
    "Array",
    "Nil",
    "Boolean",
    "True",
    "False",
    "String",
    "Symbol",
    "Block",
    "Block1",
    "Block2",
    "Block3",
    "Method",
    "Primitive",
    "System",
];

/// The classes with short-cut methods. A message may be short-cut in code only if its methods are primitives.
pub const SOM_SHORT_CUT: &[&str] = &["Object", "Integer", "Double", "Array", "String"];

/// The global that holds the only instance of System.
const SYSTEM: &str = "system";

impl Vm {
    /// Takes in the embedded library of SOM: defines the classes that every program needs, each from
    /// `source` if it is there, else from the library. Nothing of it is counted.
    ///
    /// # Errors
    /// Why a class could not be defined.
    pub fn load_som_library(
        &mut self,
        bytes: &'static [u8],
        source: Option<Box<dyn ClassSource>>,
    ) -> Result<(), LoadError> {
        let config = self.lift_limits();
        let packed: Packed<'static> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.image.library_digest = packed.digest;
        self.image.take_symbols(&packed)?;
        self.compilers.som.embedded = Some(Arc::new(packed));
        self.compilers.som.source = source;
        self.image.loading_library = true;
        self.set_global(SYSTEM, Value::NIL);
        let loaded = self.load_kernel();
        self.image.loading_library = false;
        self.run.mode_changed = false;
        self.config = config;
        self.reset_counters();
        loaded
    }

    fn load_kernel(&mut self) -> Result<(), LoadError> {
        for name in SOM_KERNEL {
            if self.load_class(name)?.is_none() {
                return Err(format!("there is no class {name}").into());
            }
        }
        for &(hidden, shown) in SOM_HIDDEN {
            self.hide(hidden.into(), shown.into());
        }
        self.make_character_strings();
        if let Some(class) = self.find_class("System") {
            let fields = self.class(class).ivars.len();
            let system = self.make_uncounted(class, Contents::Slots(fields));
            self.set_global(SYSTEM, system);
        }
        Ok(())
    }

    /// Hides a class behind the class that it behaves and looks like.
    fn hide(&mut self, hidden: ClassId, shown: ClassId) {
        let (name, object) = (self.class(shown).name.clone(), self.class_object(shown));
        let other_side = self.class(shown).other_side;
        let row = &mut self.image.classes[hidden.0 as usize];
        row.superclass = Some(shown);
        row.kind = Kind::Bytes;
        row.name = name;
        row.other_side = other_side;
        self.image.set_class_object(hidden, object);
    }

    fn make_character_strings(&mut self) {
        self.compilers.som.characters = self.code.literals.len();
        for byte in 0..=u8::MAX {
            let string = self.make_byte_string(&[byte]);
            self.code.literals.push(string);
        }
    }

    /// The String of a single character.
    pub(crate) fn character_string(&mut self, byte: u8) -> Value {
        match self
            .code
            .literals
            .get(self.compilers.som.characters + usize::from(byte))
        {
            Some(&string) if self.is_a(string, Known::String) => string,
            _ => self.make_byte_string(&[byte]),
        }
    }

    /// The class of this name, defined from the class path or the library if necessary.
    ///
    /// # Errors
    /// The reason why it could not be defined.
    pub fn load_class(&mut self, name: &str) -> Result<Option<ClassId>, LoadError> {
        if let Some(known) = self.find_class(name) {
            return Ok(Some(known));
        }
        if self.compilers.som.loading.iter().any(|other| other == name) {
            return Err(format!("{name} inherits from itself").into());
        }
        self.compilers.som.loading.push(name.to_string());
        let mut source = self.compilers.som.source.take();
        let loaded = self.load_from(&mut source, name);
        self.compilers.som.source = source;
        self.compilers.som.loading.pop();
        if !loaded? {
            return Ok(None);
        }
        Ok(self.find_class(name))
    }

    fn load_from(
        &mut self,
        source: &mut Option<Box<dyn ClassSource>>,
        name: &str,
    ) -> Result<bool, LoadError> {
        let superclass = match source.as_mut() {
            Some(found) => found.superclass(name)?,
            None => None,
        };
        let Some(superclass) = superclass else {
            self.compilers.som.source = source.take();
            let loaded = self.load_embedded(name);
            *source = self.compilers.som.source.take();
            return loaded;
        };
        if let Some(superclass) = superclass {
            self.compilers.som.source = source.take();
            let loaded = self.load_class(&superclass);
            *source = self.compilers.som.source.take();
            if loaded?.is_none() {
                let why = format!("{name} inherits from {superclass}, which is not there");
                return Err(why.into());
            }
        }
        let Some(found) = source.as_mut() else {
            return Ok(false);
        };
        let unit = found.compile(self, name)?;
        self.compilers.som.foreign_short_cuts |= SOM_SHORT_CUT.contains(&name);
        self.check_mixture();
        let defines = unit
            .definitions
            .iter()
            .find_map(|definition| match definition {
                crate::bytecode::Definition::Class(class) => Some(class.name.clone()),
                _ => None,
            });
        let unit = Arc::new(unit);
        self.image.add_unit(Arc::clone(&unit));
        for definition in &unit.definitions {
            self.carry_out_definition(&unit, definition)?;
        }
        // A file may hold a class with a different name than the requested one.
        let other = defines.filter(|defined| defined != name);
        if let Some(object) = other.and_then(|defined| self.global_value(&defined)) {
            self.set_global(name, object);
        }
        Ok(true)
    }

    /// Defines a class of the embedded library, if it has one of this name.
    fn load_embedded(&mut self, name: &str) -> Result<bool, LoadError> {
        let Some(library) = self.compilers.som.embedded.clone() else {
            return Ok(false);
        };
        let holds = |unit: &&PackedUnit<'static>| unit.classes.iter().any(|c| c.name == name);
        let Some(unit) = library.units.iter().find(holds) else {
            return Ok(false);
        };
        for class in &unit.classes {
            if let Some(superclass) = &class.superclass
                && self.find_class(superclass).is_none()
            {
                self.load_embedded_superclass(superclass)?;
            }
        }
        let number = self.image.add_unit(Arc::new(Unit {
            name: unit.name.to_string(),
            source: String::from_utf8_lossy(unit.source).into(),
            script: empty_code(unit.name),
            definitions: Vec::new(),
        }));
        let was_loading = std::mem::replace(&mut self.image.loading_library, true);
        for class in &unit.classes {
            self.define_class(class)?;
        }
        let installed = self.install_packed(number, unit, &library);
        self.image.loading_library = was_loading;
        installed?;
        self.compilers.som.uses_library = true;
        self.check_mixture();
        Ok(true)
    }

    /// Code of the library relies on the short cuts that the library's own classes allow.
    fn check_mixture(&mut self) {
        let is_mixed = self.compilers.som.foreign_short_cuts && self.compilers.som.uses_library;
        if is_mixed {
            self.close_all_short_cuts();
        }
    }

    fn load_embedded_superclass(&mut self, name: &str) -> Result<(), LoadError> {
        match self.load_class(name)? {
            Some(_) => Ok(()),
            None => Err(format!("there is no class {name}").into()),
        }
    }

    /// The unit whose script starts a program of SOM: it sends `initialize:` to the system object, with
    /// the program's class and its arguments.
    pub fn som_start(arguments: &[String]) -> Unit {
        use crate::bytecode::Code;
        use crate::bytecode::CodeKind;
        use crate::bytecode::Literal;
        use crate::bytecode::Op;
        use crate::bytecode::Site;
        use crate::bytecode::Span;
        use crate::bytecode::Word;
        use crate::bytecode::cache_word;
        const TEXT: &str = "system initialize: arguments";
        let strings = arguments.iter().cloned().map(Literal::String).collect();
        let span = |start: usize, end: usize| Span {
            start: start as u32,
            end: end as u32,
        };
        let site = Site {
            selector: "initialize:".to_string(),
            span: span(0, TEXT.len()),
            selector_span: span(SYSTEM.len() + 1, SYSTEM.len() + 12),
            discarded: false,
        };
        let script = Code {
            selector: "<start>".to_string(),
            kind: CodeKind::Script,
            argument_count: 0,
            register_count: 6,
            words: vec![
                Word::new(Op::LoadGlobal, 4, 0, 0, 0).0,
                Word::new(Op::LoadLiteral, 5, 0, 0, 0).0,
                Word::new(Op::Send, 4, 5, 1, 0).0,
                cache_word(4, 1),
                0,
                Word::new(Op::Return, 1, 0, 0, 0).0,
            ],
            literals: vec![Literal::Array(strings)],
            globals: vec![GlobalRef::Global(SYSTEM.to_string())],
            sites: vec![site],
            span: span(0, TEXT.len()),
            ..empty_code("<start>")
        };
        Unit {
            name: "<start>".to_string(),
            source: TEXT.into(),
            script,
            definitions: Vec::new(),
        }
    }
}
