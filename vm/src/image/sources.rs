//! Names and texts of methods and units.

use std::borrow::Cow;

use crate::base::MethodId;
use crate::image::Image;

impl Image {
    pub(crate) fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        match method.code.get().kind {
            crate::bytecode::CodeKind::Script => method.code.get().selector.clone(),
            crate::bytecode::CodeKind::Method => format!(
                "{}>>{}",
                self.class(method.holder).display_name(),
                self.symbols.text(method.selector)
            ),
        }
    }

    pub(crate) fn method_text(&self, method: MethodId) -> String {
        let span = self.method(method).code.get().span;
        let source = self.unit_text(self.unit_of(method));
        let text = source.get(span.start as usize..span.end as usize);
        text.unwrap_or_default().to_string()
    }

    pub(crate) fn unit_of(&self, method: MethodId) -> usize {
        self.method(method).unit
    }

    pub(crate) fn library_unit_count(&self) -> usize {
        self.library_sources.len()
    }

    pub(crate) fn unit_name(&self, unit: usize) -> &str {
        &self.units[unit].name
    }

    pub(crate) fn unit_text(&self, unit: usize) -> Cow<'_, str> {
        match self.library_sources.get(unit) {
            // The bytes are the compiled text. Checking them all at once is quicker than piece by piece.
            Some(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => String::from_utf8_lossy(bytes),
            },
            None => (&*self.units[unit].source).into(),
        }
    }

    /// Whether the method belongs to the library.
    pub(crate) fn is_of_library(&self, method: MethodId) -> bool {
        self.method(method).unit < self.library_sources.len()
    }
}
