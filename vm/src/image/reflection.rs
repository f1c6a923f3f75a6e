//! Facts of a program's own code, for programs that reflect.

use crate::base::{ClassId, MethodId};
use crate::bytecode::{GlobalRef, Op, Unit, instructions};
use crate::image::{Access, Image};

impl Image {
    /// The method that the class has already of an equal unit and in the same category.
    pub(crate) fn installed_before(
        &self,
        class: ClassId,
        unit: &Unit,
        category: &str,
    ) -> Option<MethodId> {
        let id = self.method_of_equal_unit(class, unit)?;
        let method = self.method(id);
        let stands = self.class(class).methods.get(method.selector) == Some(id);
        (stands && category == method.category).then_some(id)
    }

    /// The method's source as a browser shows it: pattern, then body without brackets.
    pub(crate) fn method_source(&self, id: MethodId) -> String {
        let method = self.method(id);
        if let Some(plain) = &method.plain_source {
            return plain.to_string();
        }
        without_brackets(&self.method_text(id))
    }

    /// The selectors that the method sends, each once, in the order of the text. Control messages that are
    /// compiled inline are none.
    pub(crate) fn sent_selectors(&self, id: MethodId) -> Vec<String> {
        let code = self.method(id).code.get();
        let mut sent: Vec<String> = Vec::new();
        for site in &code.sites {
            if !sent.contains(&site.selector) {
                sent.push(site.selector.clone());
            }
        }
        sent
    }

    /// The instance variables that the method, its blocks included, reads or assigns.
    pub(crate) fn accessed_variables(&self, id: MethodId, access: Access) -> Vec<String> {
        let code = self.method(id).code.get();
        let wanted = match access {
            Access::Read => Op::LoadIvar,
            Access::Written => Op::StoreIvar,
        };
        let mut found: Vec<String> = Vec::new();
        let bodies = std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words));
        for words in bodies {
            for access in instructions(words) {
                let name = (access.op == wanted)
                    .then(|| code.ivars.get(access.word.imm() as usize))
                    .flatten();
                if let Some(name) = name.filter(|name| !found.contains(name)) {
                    found.push(name.clone());
                }
            }
        }
        found
    }

    /// The globals and class variables that the method names.
    pub(crate) fn named_globals(&self, id: MethodId) -> Vec<String> {
        let code = self.method(id).code.get();
        let name = |global: &GlobalRef| match global {
            GlobalRef::Global(name) | GlobalRef::ClassVariable { name, .. } => name.clone(),
        };
        code.globals.iter().map(name).collect()
    }

    /// Whether the method can run with any receiver: it reads no variable of the receiver and depends on nothing of its
    /// class.
    pub(crate) fn suits_any_receiver(&self, id: MethodId) -> bool {
        let code = self.method(id).code.get();
        let mut bodies = std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words));
        let sends_super =
            bodies.any(|words| instructions(words).any(|found| found.op == Op::SuperSend));
        code.ivars.is_empty() && code.primitive.is_none() && !sends_super
    }
}

/// A method in brackets as pattern and body.
fn without_brackets(text: &str) -> String {
    let Some(open) = opening_bracket(text) else {
        return text.to_string();
    };
    let pattern = text[..open].trim_end();
    let inside = text[open + 1..].trim_end();
    let body = without_end_blanks(inside.strip_suffix(']').unwrap_or(inside));
    let first_line = body.split('\n').next().unwrap_or_default();
    if first_line.trim().is_empty() {
        format!("{pattern}{body}")
    } else {
        format!("{pattern}\n    {}", body.trim_start())
    }
}

/// The text without blanks at its end, but for the one of `$ `, which is a character.
fn without_end_blanks(text: &str) -> &str {
    let short = text.trim_end();
    match text[short.len()..].chars().next() {
        Some(blank) if short.ends_with('$') => &text[..short.len() + blank.len_utf8()],
        _ => short,
    }
}

/// Where the bracket behind the pattern stands; comments may come before it.
fn opening_bracket(text: &str) -> Option<usize> {
    let mut in_comment = false;
    text.char_indices().find_map(|(place, char)| {
        in_comment ^= char == '"';
        (char == '[' && !in_comment).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_loses_its_brackets_and_keeps_its_lines() {
        assert_eq!(without_brackets("norm [ ^x abs ]"), "norm\n    ^x abs");
        assert_eq!(
            without_brackets("at: i \"[\" [\n\t| a |\n\t^[a] value\n]"),
            "at: i \"[\"\n\t| a |\n\t^[a] value"
        );
        assert_eq!(without_brackets("+ other []"), "+ other");
        assert_eq!(without_brackets("space [ ^$  ]"), "space\n    ^$ ");
    }
}
