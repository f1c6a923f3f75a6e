//! The library as it is embedded in the binary: packed when the binary is built, taken in quickly when a
//! machine starts. Classes are defined at once; a method's code is unpacked when it is first needed.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::bytecode::{ClassDefinition, Code, Definition, Unit};
use crate::class::ClassId;
use crate::loader::empty_code;
use crate::vm::{Outcome, Vm};

#[derive(Serialize, Deserialize)]
pub(crate) struct Packed<'a> {
    pub(crate) digest: u64,
    #[serde(borrow)]
    pub(crate) units: Vec<PackedUnit<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PackedUnit<'a> {
    pub(crate) name: &'a str,
    pub(crate) source: &'a [u8],
    pub(crate) classes: Vec<ClassDefinition>,
    #[serde(borrow)]
    pub(crate) methods: Vec<PackedMethod<'a>>,
    /// The whole unit, when its script does more than define.
    #[serde(borrow)]
    script: Option<&'a [u8]>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PackedMethod<'a> {
    class: &'a str,
    class_side: bool,
    category: &'a str,
    selector: &'a str,
    #[serde(borrow)]
    code: &'a [u8],
}

/// A method's code, perhaps still packed.
#[derive(Clone)]
pub struct CodeCell {
    ready: OnceLock<Arc<Code>>,
    packed: &'static [u8],
}

impl CodeCell {
    /// Code that is there already.
    pub(crate) fn ready(code: Arc<Code>) -> CodeCell {
        let cell = OnceLock::new();
        let _ = cell.set(code);
        CodeCell {
            ready: cell,
            packed: &[],
        }
    }

    /// The code, unpacked if need be.
    pub fn get(&self) -> &Arc<Code> {
        self.ready.get_or_init(|| {
            Arc::new(postcard::from_bytes(self.packed).unwrap_or_else(|_| empty_code("damaged")))
        })
    }
}

/// Packs compiled library units, in the order in which they are to be defined.
///
/// # Errors
/// A sentence, when a unit has definitions that a library cannot have or cannot be written.
pub fn pack_library(units: &[Unit], digest: u64) -> Result<Vec<u8>, String> {
    let failed = |e: postcard::Error| e.to_string();
    let mut codes = Vec::new();
    for unit in units {
        for definition in &unit.definitions {
            if let Definition::Class(class) = definition {
                for method in &class.methods {
                    codes.push(postcard::to_allocvec(&method.code).map_err(failed)?);
                }
            }
        }
    }
    let scripts = units
        .iter()
        .map(|unit| {
            let only_defines = unit
                .definitions
                .iter()
                .all(|d| matches!(d, Definition::Class(_)));
            if only_defines {
                Ok(None)
            } else {
                postcard::to_allocvec(unit).map(Some)
            }
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let mut codes = codes.iter();
    let mut packed = Vec::new();
    for (unit, script) in units.iter().zip(&scripts) {
        packed.push(pack_unit(unit, script.as_deref(), &mut codes)?);
    }
    postcard::to_allocvec(&Packed {
        digest,
        units: packed,
    })
    .map_err(failed)
}

fn pack_unit<'a>(
    unit: &'a Unit,
    script: Option<&'a [u8]>,
    codes: &mut std::slice::Iter<'a, Vec<u8>>,
) -> Result<PackedUnit<'a>, String> {
    let mut classes = Vec::new();
    let mut methods = Vec::new();
    for definition in &unit.definitions {
        match definition {
            Definition::Class(class) => {
                classes.push(ClassDefinition {
                    methods: Vec::new(),
                    ..class.clone()
                });
                for method in &class.methods {
                    methods.push(PackedMethod {
                        class: &method.class,
                        class_side: method.class_side,
                        category: &method.category,
                        selector: &method.code.selector,
                        code: codes.next().map_or(&[], |bytes| bytes),
                    });
                }
            }
            Definition::Evaluation { .. } => {}
            Definition::Extension { class, .. } => {
                return Err(format!("{}: the library cannot extend {class}", unit.name));
            }
        }
    }
    Ok(PackedUnit {
        name: &unit.name,
        source: unit.source.as_bytes(),
        classes,
        methods,
        script,
    })
}

impl Vm {
    /// Takes in the embedded library and initialises its classes. Nothing of it is counted.
    ///
    /// # Errors
    /// A sentence: the bytes are damaged, or initialising failed.
    pub fn load_library(&mut self, bytes: &'static [u8]) -> Result<(), String> {
        // The run's limits begin with the run.
        let config = self.config;
        self.config.max_ticks = None;
        self.config.max_memory = None;
        let loaded = self.load_units(bytes);
        self.config = config;
        self.reset_counters();
        loaded
    }

    fn load_units(&mut self, bytes: &'static [u8]) -> Result<(), String> {
        self.loading_library = true;
        let library: Packed<'static> = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        self.library_digest = library.digest;
        let mut scripts = Vec::new();
        for unit in library.units {
            let number = self.add_unit(Arc::new(Unit {
                name: unit.name.to_string(),
                source: String::new(),
                script: empty_code(unit.name),
                definitions: Vec::new(),
            }));
            self.library_sources.push(unit.source);
            for class in &unit.classes {
                self.define_class(class)?;
            }
            self.install_all_packed(number, &unit.methods)?;
            scripts.extend(unit.script);
        }
        self.run_library_scripts(&scripts)
    }

    /// Installs a unit's methods, which come class by class.
    pub(crate) fn install_all_packed(
        &mut self,
        unit: usize,
        methods: &[PackedMethod<'static>],
    ) -> Result<(), String> {
        let mut last = ("", ClassId(0));
        for method in methods {
            if method.class != last.0 {
                let found = self.find_class(method.class);
                let absent = || format!("there is no class {}", method.class);
                last = (method.class, found.ok_or_else(absent)?);
            }
            self.install_packed(unit, last.1, method);
        }
        Ok(())
    }

    fn install_packed(&mut self, unit: usize, class: ClassId, method: &PackedMethod<'static>) {
        let holder = if method.class_side {
            self.class(class).other_side
        } else {
            class
        };
        let code = CodeCell {
            ready: OnceLock::new(),
            packed: method.code,
        };
        self.install_cell(unit, holder, method.category, method.selector, code);
    }

    /// Runs the scripts of units that do more than define; their definitions were carried out.
    fn run_library_scripts(&mut self, scripts: &[&'static [u8]]) -> Result<(), String> {
        for script in scripts {
            let unit: Unit = postcard::from_bytes(script).map_err(|e| e.to_string())?;
            let name = unit.name.clone();
            let outcome = self.run_unit(Arc::new(unit));
            if outcome != Outcome::Finished {
                return Err(format!("initialising {name} failed: {outcome:?}"));
            }
        }
        self.loading_library = false;
        self.shortcuts_valid = true;
        Ok(())
    }

    /// Digest of the library's source texts.
    pub fn library_digest(&self) -> u64 {
        self.library_digest
    }
}
