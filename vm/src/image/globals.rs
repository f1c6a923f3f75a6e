//! Global variables, units, and rows that are added to the tables.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::{ClassId, Known, MethodId, SymbolId, Value};
use crate::bytecode::{Code, GlobalKey, GlobalRef, Unit};
use crate::image::{Class, CodeCell, Global, Image, KEY_CLASSES, KEY_SELECTORS, Method, Origin};

impl Image {
    pub(crate) fn variable_value(&self, reference: &GlobalRef) -> Option<Value> {
        let id = *self.global_ids.get(reference)?;
        Some(self.globals[id as usize].value)
    }

    pub(crate) fn global_value(&self, name: &str) -> Option<Value> {
        let id = *self.global_ids.get(&GlobalKey::Global(name))?;
        let global = &self.globals[id as usize];
        global.defined.then_some(global.value)
    }

    pub(crate) fn global_names(&self) -> Vec<String> {
        let name = |(global, reference): (&Global, &Arc<GlobalRef>)| match &**reference {
            GlobalRef::Global(name) if global.defined => Some(name.clone()),
            _ => None,
        };
        let globals = self.globals.iter().zip(self.references.iter());
        globals.filter_map(name).collect()
    }

    pub(crate) fn implements(&self, selector: &str) -> bool {
        let selector = self.symbols.find(selector);
        let count = selector.and_then(|SymbolId(n)| self.implementors.get(n as usize));
        count.is_some_and(|&count| count > 0)
    }

    pub(crate) fn implemented_selectors(&self) -> Vec<String> {
        let current = self.methods.iter().filter(|method| method.current);
        current
            .map(|method| self.symbols.text(method.selector).to_string())
            .collect()
    }

    /// Takes a unit in without running its script. Answers the unit's number.
    pub(crate) fn add_unit(&mut self, unit: Arc<Unit>) -> usize {
        self.units.push(unit);
        self.units.len() - 1
    }

    /// Makes a method that no class holds: a script or an `Eval`.
    pub(crate) fn add_loose_method(
        &mut self,
        unit: usize,
        holder: ClassId,
        code: Arc<Code>,
    ) -> MethodId {
        let selector = self.symbols.intern(&code.selector);
        self.add_method(Method {
            selector,
            holder,
            unit,
            category: Cow::Borrowed(""),
            code: CodeCell::ready(code),
            current: false,
            plain_source: None,
            origin: Origin::Own,
        })
    }

    pub(crate) fn add_method(&mut self, method: Method) -> MethodId {
        self.methods.push(method);
        MethodId(self.methods.len() as u32 - 1)
    }

    /// One class more has a method for each of the selectors.
    #[inline]
    pub(crate) fn count_implementors(&mut self, selectors: impl IntoIterator<Item = SymbolId>) {
        let counts: &mut Vec<u32> = &mut self.implementors;
        for SymbolId(number) in selectors {
            let number = number as usize;
            if number >= counts.len() {
                counts.resize(number + 1, 0);
            }
            counts[number] += 1;
        }
    }

    /// Primitives hash and compare keys of a few classes as the library's methods do. This stops when one of these
    /// classes gets another `=` or `hash` or loses its own.
    pub(crate) fn check_equality(&mut self, holder: ClassId, selector: SymbolId) {
        if !KEY_SELECTORS.contains(&self.symbols.text(selector)) {
            return;
        }
        let is_concerned = |&known: &Known| self.inherits(known.into(), holder);
        self.compares_keys &= !KEY_CLASSES.iter().any(is_concerned);
    }

    pub(crate) fn inherits_no_ivars(&self, superclass: Option<ClassId>) -> bool {
        superclass.is_none_or(|id| self.class(id).ivars.is_empty())
    }

    pub(crate) fn new_class_id(&mut self, name: &str) -> Result<ClassId, String> {
        if self.classes.len() + 2 >= crate::heap::MAX_CLASSES {
            return Err("there are too many classes".to_string());
        }
        self.classes.push(Class::placeholder(name));
        Ok(ClassId(self.classes.len() as u32 - 1))
    }

    pub(crate) fn reparent(&mut self, id: ClassId, superclass: Option<ClassId>) {
        if let Some(old) = self.class(id).superclass {
            self.classes[old.0 as usize]
                .subclasses
                .retain(|&sub| sub != id);
        }
        self.classes[id.0 as usize].superclass = superclass;
        if let Some(above) = superclass {
            self.classes[above.0 as usize].subclasses.push(id);
        }
    }
}
