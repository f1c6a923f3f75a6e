//! Names that a program takes from the library. A program's class may have the name of a library class and is a
//! different class. In the library's own code the name keeps its old meaning.

use hashbrown::HashMap;

use crate::base::{ClassId, Known, Value};
use crate::bytecode::{GlobalRef, Immediate, instructions};
use crate::image::Global;
use crate::machine::Vm;

impl Vm {
    /// Called when a class of this name is about to be defined. If the name was the library's, the program can use it
    /// now.
    pub(crate) fn take_name(&mut self, name: &str) {
        let is_library = |id: ClassId| (id.0 as usize) < self.image.library_classes;
        if self.image.loading_library || !self.find_class(name).is_some_and(is_library) {
            return;
        }
        let concerns = |reference: &GlobalRef| match reference {
            GlobalRef::Global(global) => global == name,
            GlobalRef::ClassVariable { class, .. } => class == name,
        };
        let taken: Vec<u32> = (0..self.image.globals.len() as u32)
            .filter(|&id| concerns(&self.image.references[id as usize]))
            .collect();
        let mut moved = HashMap::new();
        for old in taken {
            let new = self.image.globals.len() as u32;
            let global = &mut self.image.globals[old as usize];
            let reference = self.image.references[old as usize].clone();
            let value = std::mem::replace(&mut global.value, Value::NIL);
            let defined = std::mem::replace(&mut global.defined, false);
            self.image
                .library_globals
                .insert(GlobalRef::clone(&reference), new);
            self.image.globals.push(Global { value, defined });
            self.image.references.push(reference);
            moved.insert(old, new);
        }
        self.redirect_library(&moved);
    }

    /// Lets the library's linked code refer to other globals.
    fn redirect_library(&mut self, moved: &HashMap<u32, u32>) {
        let library_units = self.image.library_sources.len();
        self.code.targets.make_all_own(&self.code.literals);
        for index in 0..self.code.targets.len() {
            let method = self.code.targets[index].method;
            if self.method(method).unit >= library_units {
                continue;
            }
            let target = self.code.targets.change(index);
            let named = instructions(&target.words)
                .filter(|found| found.op.info().imm == Immediate::Global)
                .filter_map(|found| {
                    let new = *moved.get(&found.immediate())?;
                    Some((found.pc, found.with_immediate(new)))
                });
            for (pc, word) in named.collect::<Vec<_>>() {
                target.words[pc] = word;
            }
        }
    }

    /// The library's class of this name, even if a program uses the name for its own class.
    pub(crate) fn library_class(&self, name: &str) -> ClassId {
        let reference = GlobalRef::Global(name.to_string());
        let global = self.image.library_globals.get(&reference);
        let global = global.or_else(|| self.image.global_ids.get(&reference));
        let class = global
            .and_then(|&id| self.class_of_class_object(self.image.globals[id as usize].value));
        class.unwrap_or(Known::Object.into())
    }

    /// The binding of a name in the code of a unit, made if necessary.
    pub(crate) fn global_in(&mut self, unit: usize, reference: &GlobalRef) -> u32 {
        let of_library = (unit < self.image.library_sources.len())
            .then(|| self.image.library_globals.get(reference).copied())
            .flatten();
        of_library.unwrap_or_else(|| self.global(reference))
    }
}
