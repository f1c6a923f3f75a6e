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
        let config = self.lift_limits();
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
                source: "".into(),
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
        self.image.library_variables = self.image.globals.len();
        *self.code.guards = Default::default();
        self.code.checks_slots = false;
        Ok(())
    }

    /// Lifts the limits while a library is loaded: those of the run begin with the run. Answers the configuration that is to
    /// be put back.
    pub(crate) fn lift_limits(&mut self) -> Config {
        let config = self.config;
        self.config.max_ticks = None;
        self.config.max_work = None;
        self.config.max_memory = None;
        self.config.max_depth = Config::default().max_depth;
        config
    }

    /// Adds units to the library, such as those of a dialect, and runs their scripts. Nothing of it is counted.
    ///
    /// # Errors
    /// A sentence: a script did not come to its end.
    pub fn extend_library(&mut self, units: Vec<Unit>) -> Result<(), String> {
        let config = self.lift_limits();
        let loaded = units.into_iter().try_for_each(|unit| {
            let name = unit.name.clone();
            match self.run_unit(Arc::new(unit)) {
                Outcome::Finished => Ok(()),
                outcome => Err(format!("loading {name} failed: {outcome:?}")),
            }
        });
        // A unit is of the library if its number is below that of the sources.
        for number in self.image.library_sources.len()..self.image.units.len() {
            let source = String::from(&*self.image.units[number].source);
            // The sources of the library stay for good.
            self.image.library_sources.push(source.leak().as_bytes());
        }
        self.image.library_classes = self.image.classes.len();
        self.image.library_variables = self.image.globals.len();
        self.config = config;
        self.reset_counters();
        loaded
    }

    /// Digest of the library's source texts.
    pub fn library_digest(&self) -> u64 {
        self.image.library_digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Limit;
    use crate::bytecode::{
        ClassDefinition, Code, Definition, MethodDefinition, Op, Site, Span, Word, cache_word,
    };
    use crate::image::pack_library;

    /// More frames than a small stack holds.
    const MOST_TICKS: u64 = if cfg!(miri) { 600 } else { 4_000 };
    const SELECTOR: &str = "down";

    /// Code that sends a message to its receiver and answers the result.
    fn sending() -> Code {
        Code {
            register_count: 4,
            words: vec![
                Word::new(Op::Send, 0, 0, 0, 0).0,
                cache_word(3, 1),
                0,
                Word::new(Op::Return, 1, 0, 0, 0).0,
            ],
            sites: vec![Site {
                selector: SELECTOR.to_string(),
                span: Span::default(),
                selector_span: Span::default(),
                discarded: false,
            }],
            ..empty_code(SELECTOR)
        }
    }

    fn unit(definitions: Vec<Definition>) -> Unit {
        Unit {
            name: "<test>".to_string(),
            source: "".into(),
            script: sending(),
            definitions,
        }
    }

    /// A library in which nil understands a message whose method sends the message again.
    fn library() -> Vec<u8> {
        let class = "UndefinedObject".to_string();
        let method = MethodDefinition {
            class: class.clone(),
            class_side: false,
            category: "recursion".to_string(),
            code: sending(),
        };
        let definition = ClassDefinition {
            name: class,
            methods: vec![method],
            ..ClassDefinition::default()
        };
        let units = [unit(vec![Definition::Class(definition)])];
        pack_library(&units, 1).expect("packed")
    }

    fn loaded(bytes: &[u8]) -> Result<Vm, String> {
        let mut vm = Vm::new(Config {
            max_ticks: Some(MOST_TICKS),
            nursery_bytes: 1 << 12,
            ..Config::default()
        });
        vm.load_library(bytes.to_vec().leak()).map(|()| vm)
    }

    /// Miri runs this test: a send, a lookup, a stack that grows, and a copy of it.
    #[test]
    fn a_packed_library_runs_in_a_machine_and_in_its_copy() {
        let mut vm = loaded(&library()).expect("loaded");
        let before = vm.sends();
        let outcome = vm.run_unit(Arc::new(unit(Vec::new())));
        assert_eq!(outcome, Outcome::Limit(Limit::Ticks));
        assert_eq!(vm.sends() - before, MOST_TICKS);
        let mut copy = vm.fork(Box::<crate::world::MemoryHost>::default());
        assert_eq!(copy.sends(), vm.sends());
        copy.reset_counters();
        let outcome = copy.run_unit(Arc::new(unit(Vec::new())));
        assert_eq!(outcome, Outcome::Limit(Limit::Ticks));
        assert_eq!(copy.sends(), MOST_TICKS);
    }

    #[test]
    fn a_library_that_ends_too_early_is_refused() {
        let bytes = library();
        let step = if cfg!(miri) { bytes.len() / 4 } else { 1 };
        for length in (0..bytes.len()).step_by(step) {
            assert!(loaded(&bytes[..length]).is_err(), "{length}");
        }
    }
}
