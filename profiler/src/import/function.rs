//! Functions of other languages as methods: their names, their modules, their places.

use std::collections::HashMap;

use super::ImportError;
use crate::profile::MethodProfile;
use crate::recording::MAX_MEMORY;

/// What a file says about a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Function {
    /// Its name, without the compiler's hash.
    pub(super) name: String,
    /// The source file; empty if it is not known.
    pub(super) file: String,
    /// The program or library that holds it; empty if it is not known.
    pub(super) object: String,
}

impl Function {
    pub(super) fn new(name: &str, file: &str, object: &str) -> Function {
        let known = |text: &str| match visible(text) {
            "???" => String::new(),
            text => text.to_string(),
        };
        let name = without_hash(visible(name));
        Function {
            name: match name {
                "" => "(unknown)".to_string(),
                name => name.to_string(),
            },
            file: known(file),
            object: known(object),
        }
    }

    /// The function as a method without counts.
    fn method(&self, line: usize) -> MethodProfile {
        let (module, selector) = self.parts();
        MethodProfile {
            name: self.name.clone(),
            class: module.to_string(),
            selector: selector.to_string(),
            package: last_part(&self.object).to_string(),
            file: self.file.clone(),
            line,
            digest: crate::hexadecimal(0),
            ..MethodProfile::default()
        }
    }

    /// The module of a function and its name in it. A function that names no module belongs to its file.
    fn parts(&self) -> (&str, &str) {
        if let Some(at) = last_path(&self.name) {
            return (&self.name[..at], &self.name[at + 2..]);
        }
        let file = last_part(&self.file);
        let module = match (file, last_part(&self.object)) {
            ("", "") => "(unknown)",
            ("", object) => object,
            (file, _) => file,
        };
        (module, &self.name)
    }
}

/// The functions of a file, each once.
#[derive(Debug, Default)]
pub(super) struct Functions {
    list: Vec<Function>,
    numbers: HashMap<Function, u32>,
    /// The first line of each function; 0 if it is not known.
    lines: Vec<usize>,
    /// About the bytes that the functions take here and in the profile.
    bytes: usize,
}

impl Functions {
    /// The number of a function.
    ///
    /// # Errors
    /// The functions would take more memory than a profile may: each holds the whole path of its file.
    pub(super) fn number(&mut self, function: Function) -> Result<u32, ImportError> {
        if let Some(number) = self.numbers.get(&function) {
            return Ok(*number);
        }
        let Function { name, file, object } = &function;
        let texts = name.len() + file.len() + object.len();
        self.bytes = self
            .bytes
            .saturating_add(4 * texts + 2 * size_of::<MethodProfile>());
        if self.bytes > MAX_MEMORY {
            return Err(ImportError::too_much_memory());
        }
        let number = self.list.len() as u32;
        self.list.push(function.clone());
        self.lines.push(0);
        self.numbers.insert(function, number);
        Ok(number)
    }

    /// Notes a line of a function. The first line of a function is the least.
    pub(super) fn note_line(&mut self, function: u32, line: usize) {
        let known = &mut self.lines[function as usize];
        if line > 0 && (*known == 0 || line < *known) {
            *known = line;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, number: u32) -> &Function {
        &self.list[number as usize]
    }

    /// The functions as methods without counts, in order.
    pub(super) fn methods(&self) -> impl Iterator<Item = MethodProfile> + '_ {
        let rows = self.list.iter().zip(&self.lines);
        rows.map(|(function, line)| function.method(*line))
    }
}

/// A text without blanks and control characters at its ends. A name of nothing else would be none in a file.
fn visible(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control())
}

/// Where the last `::` of a path stands that is in no brackets and has something on both sides.
fn last_path(name: &str) -> Option<usize> {
    let bytes = name.as_bytes();
    let mut depth: usize = 0;
    let mut found = None;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && at > 0 && bytes[at..].starts_with(b"::") => found = Some(at),
            _ => {}
        }
    }
    found.filter(|at| at + 2 < bytes.len())
}

/// The last part of a path.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A name without the hash that the Rust compiler appends, `::h0123456789abcdef`. The hash differs between builds.
fn without_hash(name: &str) -> &str {
    let is_hash = |end: &str| end.len() == 16 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once("::h") {
        Some((path, end)) if is_hash(end) => path,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_names_are_parted_outside_of_brackets() {
        let table = [
            ("a::b::c", "a.rs", ("a::b", "c")),
            ("<a::B as c::D>::e", "a.rs", ("<a::B as c::D>", "e")),
            ("a::b::{{closure}}", "a.rs", ("a::b", "{{closure}}")),
            ("std::map<int, x::y>", "map.h", ("std", "map<int, x::y>")),
            ("main", "src/main.c", ("main.c", "main")),
            ("operator>", "", ("(unknown)", "operator>")),
            ("::x", "f", ("f", "::x")),
            ("x::", "f", ("f", "x::")),
        ];
        for (name, file, parts) in table {
            assert_eq!(Function::new(name, file, "").parts(), parts, "{name}");
        }
    }

    #[test]
    fn names_are_the_same_in_every_build() {
        assert_eq!(without_hash("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(without_hash("a::b::hello"), "a::b::hello");
        assert_eq!(without_hash("a::b"), "a::b");
    }
}
