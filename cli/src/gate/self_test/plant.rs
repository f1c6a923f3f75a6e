//! Where one more send is planted: at the beginning of a test method, in the source text as it stands, found by the
//! compiler's parser and looked at by it again afterwards.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tally_compiler::ast::{ExprKind, File, Item, Literal, Member, Method, Statement};
use tally_compiler::parser::parse;
use tally_profiler::is_match;

use crate::exit::Exit;
use crate::failure::Failure;

/// One send that does nothing and activates nothing.
const SEND: &str = "nil yourself. ";
const SELECTOR: &str = "yourself";
/// As long, and nothing at all.
const COMMENT: &str = "\"no send here\" ";

/// A test method that can be given a send.
#[derive(Debug)]
pub(super) struct Plant {
    test: String,
    places: Vec<Place>,
}

/// Where a method begins to do something.
#[derive(Debug)]
struct Place {
    /// From the project's folder.
    file: PathBuf,
    text: String,
    offset: usize,
}

impl fmt::Display for Plant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.test)?;
        if let Some(place) = self.places.first() {
            let line = place.text[..place.offset].matches('\n').count() + 1;
            write!(f, " ({}:{line})", place.file.display())?;
        }
        Ok(())
    }
}

impl Plant {
    /// The first test among these whose method stands in a source file of the project. Those that are named by their method
    /// alone come first; a parameter in the name means that other tests share the method.
    /// If there is none, a test method that one of the patterns means.
    pub(super) fn find(
        root: &Path,
        tests: &[String],
        patterns: &[String],
    ) -> Result<Plant, Failure> {
        let sources = sources(root)?;
        let meant = match patterns.is_empty() {
            true => Vec::new(),
            false => meant(&sources, patterns),
        };
        let named = |name: &String| {
            let (class, label) = name.split_once(">>")?;
            let end = label.find(|c: char| !c.is_alphanumeric() && c != '_');
            let selector = &label[..end.unwrap_or(label.len())];
            Some((
                end.is_some(),
                name.clone(),
                class.to_string(),
                selector.to_string(),
            ))
        };
        let mut candidates: Vec<_> = tests.iter().filter_map(named).collect();
        candidates.sort();
        candidates.extend(meant.iter().filter_map(named));
        for (_, test, class, selector) in candidates {
            let places = places(&sources, &class, &selector);
            if !places.is_empty() {
                return Ok(Plant { test, places });
            }
        }
        let why = "no source file of the project holds a test of which the exact sends are known, so nothing could be planted";
        Err(Failure::new(Exit::Nothing, why))
    }

    /// Plants the send in a copy of the project.
    pub(super) fn put(&self, copy: &Path) -> Result<(), Failure> {
        self.insert(copy, SEND)
    }

    /// Changes the same place in a way that costs nothing.
    pub(super) fn put_comment(&self, copy: &Path) -> Result<(), Failure> {
        self.insert(copy, COMMENT)
    }

    fn insert(&self, copy: &Path, what: &str) -> Result<(), Failure> {
        for place in &self.places {
            let path = copy.join(&place.file);
            write(&path, &place.with(what))
                .map_err(|error| Failure::io("write", &place.file.to_string_lossy(), &error))?;
        }
        Ok(())
    }
}

/// The file in the copy may be write-protected, as the user's is.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let rights = fs::metadata(path)?.permissions();
    fs::remove_file(path)?;
    fs::write(path, text)?;
    fs::set_permissions(path, rights)
}

impl Place {
    fn with(&self, what: &str) -> String {
        let (before, behind) = self.text.split_at(self.offset);
        format!("{before}{what}{behind}")
    }
}

/// The project's source files, from its folder, in the order of their names.
fn sources(root: &Path) -> Result<Vec<(PathBuf, String)>, Failure> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let failed = |error| Failure::io("read", &folder.to_string_lossy(), &error);
        for entry in fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !is_hidden {
                waiting.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|e| e == "st") {
                found.push(path);
            }
        }
    }
    found.sort();
    // A file that is no text holds no test.
    let text = |path: PathBuf| Some((fs::read_to_string(root.join(&path)).ok()?, path));
    let texts = found.into_iter().filter_map(text);
    Ok(texts.map(|(text, path)| (path, text)).collect())
}

/// Wherever a method of this class and name stands. A project may hold a file twice; whichever is loaded is then
/// changed.
fn places(sources: &[(PathBuf, String)], class: &str, selector: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for (file, text) in sources {
        if !text.contains(class) || !text.contains(selector) {
            continue;
        }
        let (parsed, _) = parse(text);
        for method in methods(&parsed, class, selector) {
            places.extend(offset(text, method).map(|offset| Place {
                file: file.clone(),
                text: text.clone(),
                offset,
            }));
        }
    }
    // Two in one file would each be written without the other.
    places.dedup_by(|second, first| second.file == first.file);
    places
}

/// The names of the test methods in the sources that a pattern means: a whole name, a class, or one with `*`.
fn meant(sources: &[(PathBuf, String)], patterns: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for (_, text) in sources {
        let (parsed, _) = parse(text);
        for (class, method) in all_methods(&parsed) {
            let selector = &method.selector.text;
            let name = format!("{class}>>{selector}");
            let is_meant = |pattern: &String| pattern == class || is_match(pattern, &name);
            if selector.starts_with("test") && patterns.iter().any(is_meant) {
                names.push(name);
            }
        }
    }
    names.sort();
    names
}

/// The methods of that name on the instance side of the class.
fn methods<'f>(file: &'f File, class: &str, selector: &str) -> Vec<&'f Method> {
    let mut found = Vec::new();
    for item in &file.items {
        match item {
            Item::Class(definition) => {
                found.extend(members(
                    &definition.members,
                    &definition.name.text,
                    false,
                    class,
                ));
            }
            Item::Extend(extension) => {
                let (name, class_side) = (&extension.class.text, extension.class_side);
                found.extend(members(&extension.members, name, class_side, class));
            }
            Item::Method(placed) if placed.class.text == class && !placed.class_side => {
                found.push(&placed.method);
            }
            _ => {}
        }
    }
    found.retain(|method| method.selector.text == selector);
    found
}

fn members<'f>(
    members: &'f [Member],
    of: &str,
    class_side: bool,
    class: &str,
) -> impl Iterator<Item = &'f Method> {
    members.iter().filter_map(move |member| match member {
        Member::Method(method) if of == class && !class_side => Some(method),
        Member::Placed(placed) if placed.class.text == class && !placed.class_side => {
            Some(&placed.method)
        }
        _ => None,
    })
}

/// Where the method's first statement begins, if the parser agrees that a send put there is a statement of its own and
/// all else stays what it was.
fn offset(text: &str, method: &Method) -> Option<usize> {
    let first = match method.body.statements.first()? {
        Statement::Expression(expression) => expression.span.start,
        Statement::Return { span, .. } => span.start,
    };
    let mut at = first as usize;
    // An expression's place excludes the parentheses around it.
    loop {
        let place = Place {
            file: PathBuf::new(),
            text: text.to_string(),
            offset: at,
        };
        if is_planted(&place, method) {
            return Some(at);
        }
        let before = text.get(method.span.start as usize..at)?.trim_end();
        if !before.ends_with('(') {
            return None;
        }
        at = method.span.start as usize + before.len() - 1;
    }
}

fn is_planted(place: &Place, method: &Method) -> bool {
    let (before, errors_before) = parse(&place.text);
    let (after, errors_after) = parse(&place.with(SEND));
    let is_error = |d: &&tally_compiler::diagnostic::Diagnostic| d.is_error();
    if errors_before.iter().filter(is_error).count() != errors_after.iter().filter(is_error).count()
    {
        return false;
    }
    let (before, after) = (all_methods(&before), all_methods(&after));
    before.len() == after.len()
        && before.iter().zip(&after).all(|((_, old), (_, new))| {
            let more = usize::from(old.span.start == method.span.start);
            let begins = more == 0 || new.body.statements.first().is_some_and(is_send);
            begins && old.body.statements.len() + more == new.body.statements.len()
        })
}

fn is_send(statement: &Statement) -> bool {
    let Statement::Expression(expression) = statement else {
        return false;
    };
    match &expression.kind {
        ExprKind::Send { receiver, message } => {
            message.selector == SELECTOR && matches!(receiver.kind, ExprKind::Literal(Literal::Nil))
        }
        _ => false,
    }
}

/// All methods of a file with the names of their classes.
fn all_methods(file: &File) -> Vec<(&str, &Method)> {
    let mut found = Vec::new();
    for item in &file.items {
        let (class, members) = match item {
            Item::Class(definition) => (&definition.name.text, &definition.members),
            Item::Extend(extension) => (&extension.class.text, &extension.members),
            Item::Method(placed) => {
                found.push((placed.class.text.as_str(), &placed.method));
                continue;
            }
            _ => continue,
        };
        found.extend(members.iter().filter_map(|member| match member {
            Member::Method(method) => Some((class.as_str(), method)),
            Member::Placed(placed) => Some((placed.class.text.as_str(), &placed.method)),
            _ => None,
        }));
    }
    found
}
