//! Where things stand in source texts.

use std::borrow::Cow;
use std::collections::HashMap;

use tally_vm::bytecode::Span;
use tally_vm::{MethodId, Vm};

/// The texts of a machine's units, as far as they were asked for.
pub(crate) struct Places<'a> {
    vm: &'a Vm,
    texts: HashMap<usize, Text<'a>>,
}

struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    /// Line and column of an offset, both from 1, the column in characters. Lines are counted anew each time, which is quicker than to
    /// remember where they begin unless very many places are asked for.
    fn place(&self, offset: u32) -> (usize, usize) {
        let (before, _) = self.0.split_at(self.boundary(offset));
        let ends = before.bytes().filter(|byte| *byte == b'\n').count();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (ends + 1, before[start..].chars().count() + 1)
    }

    /// The nearest place at or before the offset where a character begins.
    fn boundary(&self, offset: u32) -> usize {
        let mut at = (offset as usize).min(self.0.len());
        while !self.0.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl<'a> Places<'a> {
    pub(crate) fn new(vm: &'a Vm) -> Places<'a> {
        Places {
            vm,
            texts: HashMap::new(),
        }
    }

    fn text_of(&mut self, method: MethodId) -> &Text<'a> {
        let (vm, unit) = (self.vm, self.vm.unit_of(method));
        self.texts
            .entry(unit)
            .or_insert_with(|| Text(vm.unit_text(unit)))
    }

    /// The name of the file that a method stands in.
    pub(crate) fn file(&self, method: MethodId) -> &'a str {
        self.vm.unit_name(self.vm.unit_of(method))
    }

    /// Line and column of a byte of the method's file, both from 1, the column in characters.
    pub(crate) fn of(&mut self, method: MethodId, offset: u32) -> (usize, usize) {
        self.text_of(method).place(offset)
    }

    /// A piece of the method's file.
    pub(crate) fn text(&mut self, method: MethodId, span: Span) -> &str {
        let text = self.text_of(method);
        let (start, end) = (text.boundary(span.start), text.boundary(span.end));
        text.0.get(start..end).unwrap_or_default()
    }
}
