//! The class path: finds `Class.som` in folders, reads it, and compiles it for a machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tally_compiler::Compiled;
use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::{ClassShape, Environment, MachineEnvironment};
use tally_compiler::render::render;
use tally_compiler::som;
use tally_vm::bytecode::{Definition, Unit};
use tally_vm::{ClassSource, LoadError, SOM_SHORT_CUT, Vm};

/// Names and texts of the files that were loaded, in order. Shared between a class path and its copies.
#[derive(Clone, Debug, Default)]
pub struct Loaded(Arc<Mutex<Vec<(String, String)>>>);

impl Loaded {
    /// Names and texts of the files that were loaded so far.
    pub fn files(&self) -> Vec<(String, String)> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.clone()
    }

    fn add(&self, name: &str, text: &str) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.push((name.to_string(), text.to_string()));
    }
}

/// Folders with classes.
#[derive(Clone, Debug)]
pub struct ClassPath {
    folders: Vec<PathBuf>,
    color: bool,
    loaded: Loaded,
    /// Files that were read and not yet compiled.
    read: HashMap<String, (String, String)>,
    /// Which methods of the classes with short cuts are primitives, computed on first use: by class and
    /// selector, for the classes on the class path.
    primitives: Option<Arc<HashMap<String, HashMap<String, bool>>>>,
}

impl ClassPath {
    /// A class path; whether diagnostics are to be in colour.
    pub fn new(folders: Vec<PathBuf>, color: bool) -> ClassPath {
        ClassPath {
            folders,
            color,
            loaded: Loaded::default(),
            read: HashMap::new(),
            primitives: None,
        }
    }

    /// What will have been loaded.
    pub fn loaded(&self) -> Loaded {
        self.loaded.clone()
    }

    /// Name and text of the file of a class.
    fn find(&mut self, class: &str) -> Result<Option<(String, String)>, LoadError> {
        if let Some(found) = self.read.get(class) {
            return Ok(Some(found.clone()));
        }
        if !is_file_name(class) {
            return Ok(None);
        }
        for folder in &self.folders {
            let path = folder.join(format!("{class}.som"));
            if let Some(text) = read(&path)? {
                let found = (path.display().to_string(), text);
                self.read.insert(class.to_string(), found.clone());
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn refuse(&self, diagnostics: &[Diagnostic], name: &str, text: &str) -> LoadError {
        LoadError::NotCompiled(render(diagnostics, name, text, self.color))
    }

    /// Which methods of the classes with short cuts are primitives. The classes are read before any of them is
    /// compiled.
    fn primitives(&mut self) -> Arc<HashMap<String, HashMap<String, bool>>> {
        if let Some(known) = &self.primitives {
            return Arc::clone(known);
        }
        let mut all = HashMap::new();
        for class in SOM_SHORT_CUT {
            // The compilation that follows reports the errors of a file.
            let Ok(Some((name, text))) = self.find(class) else {
                continue;
            };
            let compiled = som::compile(&name, &text, &FirstLook);
            let definitions = compiled.unit.map_or(Vec::new(), |unit| unit.definitions);
            let mut methods = HashMap::new();
            for definition in definitions {
                if let Definition::Class(class) = definition {
                    for method in class.methods.iter().filter(|method| !method.class_side) {
                        let is_primitive = method.code.primitive.is_some();
                        methods.insert(method.code.selector.clone(), is_primitive);
                    }
                }
            }
            all.insert((*class).to_string(), methods);
        }
        let all = Arc::new(all);
        self.primitives = Some(Arc::clone(&all));
        all
    }
}

/// A file's text; `None` if there is no such file.
fn read(path: &Path) -> Result<Option<String>, LoadError> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(LoadError::NotCompiled(format!(
                "error: {} is not UTF-8\n",
                path.display()
            ))),
        },
        Err(_) => Ok(None),
    }
}

/// Whether a class of this name can have a file: nothing leads out of the folders.
fn is_file_name(class: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    !class.is_empty() && class.chars().all(is_letter)
}

impl ClassSource for ClassPath {
    fn superclass(&mut self, name: &str) -> Result<Option<Option<String>>, LoadError> {
        let Some((file, text)) = self.find(name)? else {
            return Ok(None);
        };
        match som::header(&text) {
            Ok(header) => Ok(Some(header.superclass)),
            Err(diagnostics) => Err(self.refuse(&diagnostics, &file, &text)),
        }
    }

    fn compile(&mut self, vm: &Vm, name: &str) -> Result<Unit, LoadError> {
        let Some((file, text)) = self.find(name)? else {
            return Err(LoadError::Failed(format!("there is no class {name}")));
        };
        let world = World {
            machine: MachineEnvironment(vm),
            primitives: SOM_SHORT_CUT.contains(&name).then(|| self.primitives()),
        };
        let Compiled {
            unit, diagnostics, ..
        } = som::compile(&file, &text, &world);
        self.read.remove(name);
        self.loaded.add(&file, &text);
        unit.ok_or_else(|| self.refuse(&diagnostics, &file, &text))
    }

    fn fork(&self) -> Box<dyn ClassSource> {
        Box::new(self.clone())
    }
}

/// The world in which a class with short-cut methods is compiled only to see which of them are primitives.
struct FirstLook;

impl Environment for FirstLook {
    fn is_global(&self, _name: &str) -> bool {
        false
    }

    fn class(&self, _name: &str) -> Option<ClassShape> {
        Some(ClassShape::default())
    }

    fn understands(&self, _selector: &str) -> bool {
        false
    }

    fn selectors(&self) -> Vec<String> {
        Vec::new()
    }

    fn short_cut(&self, _selector: &str) -> bool {
        false
    }
}

/// A machine's world, with the facts about short cuts that the machine learns later.
struct World<'a> {
    machine: MachineEnvironment<'a>,
    primitives: Option<Arc<HashMap<String, HashMap<String, bool>>>>,
}

impl Environment for World<'_> {
    fn is_global(&self, name: &str) -> bool {
        self.machine.is_global(name)
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        self.machine.class(name)
    }

    fn understands(&self, selector: &str) -> bool {
        self.machine.understands(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.machine.selectors()
    }

    fn short_cut(&self, selector: &str) -> bool {
        let Some(primitives) = &self.primitives else {
            return self.machine.short_cut(selector);
        };
        let concerned: &[&str] = match selector {
            "at:" | "at:put:" => &["Array"],
            "&" | "%" => &["Integer"],
            "==" | "~=" => &["Object", "Integer", "Double"],
            "=" => &["Integer", "Double", "String"],
            _ => &["Integer", "Double"],
        };
        // The embedded library's methods behind short cuts are primitives all.
        let is_primitive = |class: &&str| {
            let own = primitives.get(*class).map(|own| own.get(selector));
            let inherited = || primitives.get("Object").map(|own| own.get(selector));
            match own {
                None => true,
                Some(Some(&is_primitive)) => is_primitive,
                Some(None) => inherited().is_none_or(|found| found == Some(&true)),
            }
        };
        concerned.iter().all(is_primitive)
    }
}
