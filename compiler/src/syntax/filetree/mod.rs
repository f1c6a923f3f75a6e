//! FileTree: a folder for each class, with a file for its properties and a file for each method. The folders say what a
//! file is, so its path is read as well. The result is the same tree as for Tonel.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::readable;
use crate::notation::Notation;
use crate::syntax::ast::{Extension, File, Item, Member, Name, PlacedMethod, Span};
use crate::syntax::findings::in_order;
use crate::syntax::piece::Piece;
use crate::syntax::tally;
use crate::syntax::tonel::{self, ston};
use ston::{Kind, Map, Value};

/// The name of the file that defines a class.
pub const PROPERTIES: &str = "properties.json";

/// What a file is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'p> {
    /// The name of the class.
    pub class: &'p str,
    /// The kind of the file.
    pub part: Part,
}

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The properties of a class or a trait. The comment of the class may stand behind them.
    Definition {
        /// Whether it is a trait.
        is_trait: bool,
    },
    /// A method.
    Method {
        /// Whether it goes to the class side.
        class_side: bool,
    },
}

/// What a path says about a file; `None` if the file is not part of a FileTree.
pub fn place(path: &str) -> Option<Place<'_>> {
    let mut names = path.rsplit(['/', '\\']);
    let file = names.next()?;
    let mut folder = names.next()?;
    let class_side = match folder {
        "instance" => Some(false),
        "class" | "classSide" => Some(true),
        _ => None,
    };
    if class_side.is_some() {
        folder = names.next()?;
    }
    let (class, kind) = folder.rsplit_once('.')?;
    if class.is_empty() || !matches!(kind, "class" | "trait" | "extension") {
        return None;
    }
    let part = match class_side {
        Some(class_side) if file.ends_with(".st") => Part::Method { class_side },
        None if file == PROPERTIES && kind != "extension" => Part::Definition {
            is_trait: kind == "trait",
        },
        _ => return None,
    };
    Some(Place { class, part })
}

/// Reads a file at its place.
pub(crate) fn parse(place: &Place<'_>, source: &str) -> (File, Vec<Diagnostic>) {
    if let Err(diagnostic) = readable(source) {
        return (File::default(), vec![*diagnostic]);
    }
    let mut diagnostics = Vec::new();
    let item = match place.part {
        Part::Definition { is_trait } => definition(source, is_trait, &mut diagnostics),
        Part::Method { class_side } => {
            Some(method(place.class, class_side, source, &mut diagnostics))
        }
    };
    let file = File {
        items: item.into_iter().collect(),
        of_package: true,
        ..File::default()
    };
    (file, in_order(diagnostics))
}

/// The names of properties in Tonel.
const KEYS: [(&str, &str); 6] = [
    ("super", "superclass"),
    ("instvars", "instVars"),
    ("classvars", "classVars"),
    ("classinstvars", "classInstVars"),
    ("traitcomposition", "traits"),
    ("classtraitcomposition", "classTraits"),
];

fn definition(source: &str, is_trait: bool, diagnostics: &mut Vec<Diagnostic>) -> Option<Item> {
    let start = source.len() - source.trim_start_matches(is_blank).len();
    let (map, end) = match source[start..].starts_with('{') {
        true => ston::json(source, start),
        false => {
            let message = "the properties of a class are missing";
            let error = Diagnostic::error("E0151", span(start, start), message);
            diagnostics.push(error.labelled("expected `{`").helping(
                "properties are written `{ \"name\" : \"Foo\", \"super\" : \"Object\" }`",
            ));
            return None;
        }
    };
    let map = match map {
        Ok(map) => map,
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            return None;
        }
    };
    let comment = source[end..].trim_matches(is_blank);
    let comment = (!comment.is_empty()).then(|| comment.to_owned());
    let class = tonel::class_of(in_tonel(map), is_trait, comment, diagnostics)?;
    Some(Item::Class(class))
}

/// The properties with the keys of Tonel, without the empty ones.
fn in_tonel(map: Map) -> Map {
    let renamed = |(mut key, value): (Value, Value)| {
        let known = KEYS.iter().find(|(name, _)| key.text() == Some(*name));
        if let Some((_, name)) = known {
            key.kind = Kind::Text((*name).to_owned());
        }
        (key, value)
    };
    let is_meant = |(key, value): &(Value, Value)| {
        let is_empty = matches!(&value.kind, Kind::Text(text) if text.trim() == "{}");
        key.text() != Some("commentStamp") && !is_empty
    };
    Map {
        entries: map
            .entries
            .into_iter()
            .filter(is_meant)
            .map(renamed)
            .collect(),
        span: map.span,
    }
}

/// The first line is the category. A notice, which is a comment, may stand in front of it.
fn method(class: &str, class_side: bool, source: &str, diagnostics: &mut Vec<Diagnostic>) -> Item {
    let mut start = source.len() - source.trim_start_matches('\u{feff}').len();
    if source[start..].starts_with('"')
        && let Some(end) = source[start + 1..].find('"')
    {
        start += end + 2;
        start = source.len() - source[start..].trim_start_matches(['\r', '\n']).len();
    }
    let line = source[start..].find('\n');
    let body = line.map_or(source.len(), |line| start + line + 1);
    let category = source[start..body].trim_end_matches(['\r', '\n']);
    let body = source.len() - source[body..].trim_start_matches(is_blank).len();
    let end = body + source[body..].trim_end_matches(is_blank).len();
    let piece = Piece::new(source, body, end);
    let (mut method, found) = tally::method_in(Notation::Tally, source, end, &piece);
    diagnostics.extend(found);
    method.span = span(body, end);
    method.category = Some(category.to_owned());
    let header = span(start, start + category.len());
    let named = |span| Name {
        text: class.to_owned(),
        span,
    };
    let placed = PlacedMethod {
        class: named(span(body, body)),
        class_side,
        method,
    };
    Item::Extend(Extension {
        class: named(header),
        class_side: false,
        members: vec![Member::Placed(placed)],
        span: header,
    })
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}
