//! Subclasses of a class, the classes that the machine relies on, and the renaming of globals in code.

use std::sync::Arc;

use crate::base::{ClassId, Known};
use crate::bytecode::{Code, GlobalRef, Kind};
use crate::image::{CodeCell, Image};

impl Image {
    pub(crate) fn relies_on(&self, id: ClassId) -> bool {
        let mut known = Known::ALL.iter().skip(1);
        known.any(|&(known, _)| self.inherits(known, id))
    }

    pub(crate) fn relied_on(&self, id: ClassId) -> Result<(), String> {
        if self.relies_on(id) && !self.loading_library {
            let name = self.class(id).display_name();
            return Err(format!("the machine relies on {name} as it is"));
        }
        Ok(())
    }

    /// The class and all below it.
    pub(crate) fn and_below(&self, id: ClassId) -> Vec<ClassId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            found.extend(self.class(at).subclasses.iter().copied());
            next += 1;
        }
        found
    }

    /// Gives a layout to the class and to all subclasses with the same layout as the class.
    pub(crate) fn set_kind(&mut self, id: ClassId, kind: Kind) {
        let old = self.class(id).kind;
        for sub in self.and_below(id) {
            let row = &mut self.classes[sub.0 as usize];
            if row.kind == old {
                row.kind = kind;
            }
        }
    }

    /// Code is linked when it is first needed: until then it knows globals by their names.
    pub(crate) fn rename_in_code(&mut self, renamed: &dyn Fn(&GlobalRef) -> Option<GlobalRef>) {
        for method in self.methods.iter_mut() {
            let code = method.code.get();
            if !code.globals.iter().any(|global| renamed(global).is_some()) {
                continue;
            }
            let mut code = Code::clone(code);
            for global in &mut code.globals {
                if let Some(new) = renamed(global) {
                    *global = new;
                }
            }
            method.code = CodeCell::ready(Arc::new(code));
        }
    }

    /// Linked code knows globals by their numbers, which stay.
    pub(crate) fn rename_globals(&mut self, renamed: &dyn Fn(&GlobalRef) -> Option<GlobalRef>) {
        for index in 0..self.globals.len() {
            let Some(new) = renamed(&self.references[index]) else {
                continue;
            };
            let new = Arc::new(new);
            let old = std::mem::replace(&mut self.references[index], Arc::clone(&new));
            self.global_ids.remove(&*old);
            match self.global_ids.get(&new) {
                None => {
                    self.global_ids.insert(new, index as u32);
                }
                // Code mentioned the new name before the variable existed. The name keeps its number.
                Some(&place) => {
                    self.globals[place as usize].value = self.globals[index].value;
                    self.references[index] = Arc::new(nameless());
                }
            }
        }
    }
}

/// A placeholder for a global's name when nothing can refer to it by name.
pub(crate) fn nameless() -> GlobalRef {
    GlobalRef::ClassVariable {
        class: String::new(),
        name: String::new(),
    }
}
