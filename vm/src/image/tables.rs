//! Classes, methods and symbols by their numbers, and the lookup of messages.

use crate::base::{ClassId, MethodId, SymbolId, Value};
use crate::image::{Class, Image, Method};

impl Image {
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    pub(crate) fn class_object(&self, id: ClassId) -> Value {
        let object = self.class_objects.get(id.0 as usize);
        object.copied().unwrap_or(Value::NIL)
    }

    pub(crate) fn set_class_object(&mut self, id: ClassId, object: Value) {
        let index = id.0 as usize;
        if self.class_objects.len() <= index {
            self.class_objects.resize(index + 1, Value::NIL);
        }
        self.class_objects[index] = object;
    }

    pub(crate) fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }

    pub(crate) fn inherits(&self, class: ClassId, ancestor: ClassId) -> bool {
        let mut at = Some(class);
        while let Some(id) = at {
            if id == ancestor {
                return true;
            }
            at = self.class(id).superclass;
        }
        false
    }

    pub(crate) fn symbol(&mut self, text: &str) -> Value {
        Value::symbol(self.symbols.intern(text))
    }

    pub(crate) fn symbol_text(&self, id: SymbolId) -> &str {
        self.symbols.text(id)
    }

    pub(crate) fn lookup(&self, class: ClassId, selector: SymbolId) -> Option<MethodId> {
        let mut at = Some(class);
        while let Some(id) = at {
            let class = self.class(id);
            if let Some(method) = class.methods.get(selector) {
                return Some(method);
            }
            at = class.superclass;
        }
        None
    }
}
