//! Loads the embedded library.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::{Config, MethodId, Outcome};
use crate::bytecode::{Unit, empty_code};
use crate::image::{CodeCell, Method, MethodDictionary, Origin, Packed, PackedUnit, Rows};
use crate::machine::Vm;

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
        self.config.max_depth = Config::default().max_depth;
        let loaded = self.load_units(bytes);
        self.config = config;
        self.reset_counters();
        loaded
    }

    fn load_units(&mut self, bytes: &'static [u8]) -> Result<(), String> {
        self.image.loading_library = true;
        let library: Packed<'static> = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        self.image.library_digest = library.digest;
        self.image.take_symbols(&library)?;
        self.image.make_room_for(&library);
        let mut scripts = Vec::new();
        for unit in &library.units {
            let number = self.image.add_unit(Arc::new(Unit {
                name: unit.name.to_string(),
                source: String::new(),
                script: empty_code(unit.name),
                definitions: Vec::new(),
            }));
            self.image.library_sources.push(unit.source);
            for class in &unit.classes {
                self.define_class(class)?;
            }
            self.install_packed(number, unit, &library)?;
            scripts.extend(unit.script);
        }
        self.run_library_scripts(&scripts)
    }

    /// Installs a unit's methods; the classes are defined and have none yet.
    pub(crate) fn install_packed(
        &mut self,
        number: usize,
        unit: &PackedUnit<'static>,
        library: &Packed<'static>,
    ) -> Result<(), String> {
        for side in &unit.sides {
            let class = self.find_class(side.class);
            let class = class.ok_or_else(|| format!("there is no class {}", side.class))?;
            let holder = if side.class_side {
                self.class(class).other_side
            } else {
                class
            };
            let first = MethodId(self.image.methods.len() as u32);
            let rows = Rows(side.rows);
            self.image
                .count_implementors(rows.iter().map(|row| row.selector));
            // Made where they stay: there are thousands, and a method is large.
            self.image.methods.extend(rows.iter().map(|row| {
                let category = library.categories.get(row.category as usize);
                let code = row.code.0 as usize..row.code.1 as usize;
                Method {
                    selector: row.selector,
                    holder,
                    unit: number,
                    category: Cow::Borrowed(category.copied().unwrap_or_default()),
                    code: CodeCell::packed(library.codes.get(code).unwrap_or_default()),
                    current: true,
                    plain_source: None,
                    origin: Origin::Own,
                }
            }));
            let class = &mut self.image.classes[holder.0 as usize];
            class.methods = MethodDictionary::of_library(rows, first);
            if !class.uses.is_empty() {
                self.flatten(holder);
            }
        }
        self.flush_caches();
        Ok(())
    }

    /// Runs the scripts of units that do more than define; their definitions have been made.
    fn run_library_scripts(&mut self, scripts: &[&'static [u8]]) -> Result<(), String> {
        for script in scripts {
            let unit: Unit = postcard::from_bytes(script).map_err(|e| e.to_string())?;
            let name = unit.name.clone();
            let outcome = self.run_unit(Arc::new(unit));
            if outcome != Outcome::Finished {
                return Err(format!("initialising {name} failed: {outcome:?}"));
            }
        }
        self.image.loading_library = false;
        self.image.library_classes = self.image.classes.len();
        *self.code.guards = Default::default();
        self.code.checks_slots = false;
        Ok(())
    }

    /// Digest of the library's source texts.
    pub fn library_digest(&self) -> u64 {
        self.image.library_digest
    }
}
