//! Locations in source texts. Each text is scanned once, however many locations are looked up.

use std::borrow::Cow;
use std::collections::HashMap;

use tally_vm::bytecode::Span;
use tally_vm::{MethodId, Vm};

/// The texts of a machine's units, loaded on first use.
pub struct Places<'a> {
    vm: &'a Vm,
    texts: HashMap<usize, Text<'a>>,
}

struct Text<'a> {
    text: Cow<'a, str>,
    /// The starts of lines.
    lines: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(text: Cow<'a, str>) -> Text<'a> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Text { text, lines }
    }

    /// The nearest place at or before the offset where a character begins.
    fn boundary(&self, offset: u32) -> usize {
        let mut at = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl<'a> Places<'a> {
    /// The texts of a machine.
    pub fn new(vm: &'a Vm) -> Places<'a> {
        Places {
            vm,
            texts: HashMap::new(),
        }
    }

    fn text_of(&mut self, method: MethodId) -> &Text<'a> {
        let (vm, unit) = (self.vm, self.vm.unit_of(method));
        self.texts
            .entry(unit)
            .or_insert_with(|| Text::new(vm.unit_text(unit)))
    }

    /// The name of the file that a method stands in.
    pub fn file(&self, method: MethodId) -> &'a str {
        self.vm.unit_name(self.vm.unit_of(method))
    }

    /// Line and column of a byte of the method's file, both from 1, the column in characters.
    pub fn of(&mut self, method: MethodId, offset: u32) -> (usize, usize) {
        let text = self.text_of(method);
        let at = text.boundary(offset);
        let line = text.lines.partition_point(|&start| start <= at);
        let start = text.lines[line - 1];
        (line, text.text[start..at].chars().count() + 1)
    }

    /// A piece of the method's file.
    pub fn text(&mut self, method: MethodId, span: Span) -> &str {
        let text = self.text_of(method);
        let (start, end) = (text.boundary(span.start), text.boundary(span.end));
        text.text.get(start..end).unwrap_or_default()
    }
}
