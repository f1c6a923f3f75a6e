//! Variables that processors share (R14). A program without processors knows nothing of them. When the first processor
//! begins, the machine looks for the variables that the program's code stores outside of a class's `initialize`. Their instructions
//! get other handlers, see `interpreter/shared.rs`. The library's own variables are not among them.

use std::sync::Arc;

use super::Vm;
use crate::base::{Known, MethodId, Value};
use crate::bytecode::{Code, CodeKind, GlobalRef, Op, instructions};
use crate::code::Activation;
use crate::image::Global;
use crate::separate::Variable;

/// What code stores.
#[derive(Default)]
struct Stores {
    globals: Vec<GlobalRef>,
    has_ivars: bool,
}

impl Vm {
    /// Finds the shared variables of a program that makes its first processor.
    pub(crate) fn find_shared_variables(&mut self) {
        let methods: Vec<MethodId> = self.program_methods().collect();
        for method in methods {
            self.find_stores(method);
        }
        for id in self.image.library_variables..self.image.globals.len() {
            let reference = Arc::clone(&self.image.references[id]);
            self.share_named(self.image.units.len(), &reference);
        }
        self.separate.library_globals = self.objects_of_library();
        self.guard_shared_variables();
    }

    /// The library's globals that hold an object and no class.
    fn objects_of_library(&self) -> Vec<u32> {
        let globals = self.image.globals.iter().zip(self.image.references.iter());
        let numbered = (0..).zip(globals).take(self.image.library_variables);
        let is_object = |(global, reference): &(&Global, &Arc<GlobalRef>)| {
            matches!(***reference, GlobalRef::Global(_))
                && global.value.is_object()
                && self.class_of_class_object(global.value).is_none()
        };
        let found = numbered.filter(|(_, row)| is_object(row));
        found.map(|(id, _)| id).collect()
    }

    /// A method was added while there are processors.
    pub(crate) fn find_stores_of_new(&mut self, method: MethodId) {
        if self.separate.engine.is_some() || self.actors.library.is_some() {
            self.find_stores(method);
            self.guard_shared_variables();
        }
    }

    fn find_stores(&mut self, id: MethodId) {
        let method = self.method(id);
        let (unit, holder) = (method.unit, method.holder);
        let code: Arc<Code> = method.code.get().clone();
        let is_script = code.kind == CodeKind::Script && holder == Known::UndefinedObject.into();
        // Classes are initialised before there are processors. An instance's `initialize` runs on any of them.
        if self.class(holder).is_metaclass && code.selector == "initialize" {
            return;
        }
        let stores = stores_of(&code);
        for reference in stores.globals {
            // A script stores a class variable only where it is declared.
            if !is_script || matches!(reference, GlobalRef::Global(_)) {
                let variable = Variable::Global(self.global_in(unit, &reference));
                self.share_variable(variable);
            }
        }
        for reference in &code.globals {
            self.share_named(unit, reference);
        }
        if stores.has_ivars && !is_script && self.class(holder).is_metaclass {
            self.separate.shared.has_class_state = true;
        }
    }

    /// A global of the program that is no class can be stored by reflection at any time.
    fn share_named(&mut self, unit: usize, reference: &GlobalRef) {
        if !matches!(reference, GlobalRef::Global(_)) {
            return;
        }
        let id = self.global_in(unit, reference) as usize;
        let is_class = self.class_of_class_object(self.image.globals[id].value);
        if id >= self.image.library_variables && is_class.is_none() {
            self.share_variable(Variable::Global(id as u32));
        }
    }

    /// From now on accesses to the variable are ordered.
    pub(crate) fn share_variable(&mut self, variable: Variable) {
        self.separate.shared.add(variable);
    }

    /// Lets the instructions of shared variables look at the other processors.
    pub(crate) fn guard_shared_variables(&mut self) {
        let has_globals = self.separate.shared.has_globals();
        let has_class_state = self.separate.shared.has_class_state;
        let mut changes = has_globals && self.code.guards.share(&GLOBALS);
        if has_class_state && self.code.guards.share(&IVARS) {
            changes = true;
            self.give_accessors_frames();
        }
        // The loop takes its handlers when it is entered.
        self.run.mode_changed |= changes;
    }

    /// Methods that only read or store an instance variable of their class have no instructions of their own that could look.
    fn give_accessors_frames(&mut self) {
        for index in 0..self.code.targets.len() {
            self.give_accessor_frame(index);
        }
        self.flush_caches();
    }

    /// Such a method gets a frame if its class's variables are shared.
    pub(crate) fn give_accessor_frame(&mut self, index: usize) {
        let target = &self.code.targets[index];
        let (method, activation) = (target.method, target.activation);
        let is_access = matches!(
            activation,
            Activation::QuickLoad(_) | Activation::QuickStore(_)
        );
        if is_access
            && self.separate.shared.has_class_state
            && !self.image.is_of_library(method)
            && self.class(self.method(method).holder).is_metaclass
        {
            if self.code.targets[index].is_shared {
                // A copy of a machine has code that it has not run.
                self.link(method);
            }
            self.code.targets.change(index).activation = Activation::Frame;
        }
    }

    /// The value of a shared variable as the running processor sees it: what another one stored crosses the membrane.
    pub(crate) fn seen_through_membrane(&mut self, variable: Variable, value: Value) -> Value {
        let (owner, reader) = (self.separate.shared.owner(variable), self.separate.running);
        if owner == reader || self.separate.engine.is_none() {
            return value;
        }
        let (carried, made) = self.carry_counted(value, false, (owner, reader));
        self.count_made(made);
        carried
    }

    /// The running processor stores the variable, if there are processors.
    pub(crate) fn note_stored(&mut self, variable: Variable) {
        if self.separate.engine.is_some() {
            let processor = self.separate.running;
            self.separate.shared.store(variable, processor);
        }
    }

    /// The value of the global with this number as the running processor sees it.
    pub(crate) fn read_global(&mut self, id: usize) -> Value {
        let (variable, value) = (Variable::Global(id as u32), self.image.globals[id].value);
        match self.separate.shared.has(variable) {
            true => self.seen_through_membrane(variable, value),
            false => value,
        }
    }

    /// Stores the global with this number by reflection. While there are processors, accesses to it are ordered from now on.
    pub(crate) fn write_global(&mut self, id: usize, value: Value) {
        let global = &mut self.image.globals[id];
        (global.value, global.defined) = (value, true);
        self.note_stored(Variable::Global(id as u32));
        if self.separate.engine.is_some() {
            self.guard_shared_variables();
        }
    }
}

const GLOBALS: [Op; 3] = [Op::LoadGlobal, Op::LoadGlobalChecked, Op::StoreGlobal];
const IVARS: [Op; 2] = [Op::LoadIvar, Op::StoreIvar];

/// The globals that the code and its blocks store, and whether they store instance variables.
fn stores_of(code: &Code) -> Stores {
    let mut stores = Stores {
        has_ivars: matches!(code.quick, Some(crate::bytecode::Quick::StoreIvar(_))),
        ..Stores::default()
    };
    let blocks = code.blocks.iter().map(|block| &block.words);
    for words in std::iter::once(&code.words).chain(blocks) {
        for found in instructions(words) {
            match found.op {
                Op::StoreIvar => stores.has_ivars = true,
                Op::StoreGlobal => {
                    let global = code.globals.get(found.immediate() as usize);
                    stores.globals.extend(global.cloned());
                }
                _ => {}
            }
        }
    }
    stores
}
