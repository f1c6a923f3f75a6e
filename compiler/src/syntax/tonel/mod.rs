//! Tonel, a notation for Smalltalk packages in files: definitions with their metadata in front, then methods. The
//! result is the same tree as for bracket syntax.
//!
//! This module reads the metadata and blanks them out of a copy of the text. The copy then holds only methods with
//! their classes in front, `Foo class >> bar: x [ … ]`. The shared parser reads this copy. Blanks keep all offsets as
//! they are.

mod header;
mod scan;
pub(crate) mod ston;

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{ClassDefinition, Extension, File, Item, Member, PlacedMethod, Span};
use crate::syntax::findings::in_order;
use crate::syntax::lines::starts_line;
use crate::syntax::tally;
use header::Definition;
use ston::Map;

/// Whether a definition with metadata stands anywhere in the text.
pub(crate) fn is_in(source: &str) -> bool {
    source
        .match_indices('{')
        .any(|(brace, _)| scan::keyword_before(source, brace).is_some())
}

/// Whether a text begins with a definition in Tonel: whether it is a file of a package.
pub fn begins(source: &str) -> bool {
    let first = source
        .match_indices('{')
        .find_map(|(brace, _)| scan::keyword_before(source, brace));
    first.is_some_and(|(_, start)| scan::is_blank(&source[..start]))
}

/// The metadata of the definitions in a text that can be read, each with whether it defines a package.
pub(crate) fn metadata(source: &str) -> Vec<(Map, bool)> {
    let definitions = scan::scan(source).definitions.into_iter();
    let found = definitions.filter_map(|one| Some((one.map?, one.keyword)));
    let meant = found.filter(|(_, keyword)| *keyword != scan::Keyword::Extension);
    meant
        .map(|(map, keyword)| (map, keyword == scan::Keyword::Package))
        .collect()
}

/// Understands the metadata of a class or a trait that another notation spells.
pub(super) fn class_of(
    map: Map,
    is_trait: bool,
    comment: Option<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ClassDefinition> {
    let keyword = match is_trait {
        true => scan::Keyword::Trait,
        false => scan::Keyword::Class,
    };
    let found = scan::Found {
        keyword,
        start: map.span.start as usize,
        span: map.span,
        map: Some(map),
        comment,
    };
    match header::definition(&found, diagnostics)? {
        Definition::Class(class) => Some(*class),
        Definition::Extension(_) | Definition::Package => None,
    }
}

/// Reads a file that has definitions with metadata in it.
pub(crate) fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    if u32::try_from(source.len()).is_err() {
        return tally::parse(source);
    }
    let mut scanned = scan::scan(source);
    let of_package = scanned.of_package;
    let (file, mut diagnostics) = tally::parse(&scanned.blanked);
    diagnostics.append(&mut scanned.diagnostics);
    let mut assembly = Assembly {
        of_package,
        unreadable: scanned.unreadable,
        items: Vec::new(),
        current: None,
        diagnostics,
    };
    let mut definitions = scanned.definitions.into_iter().peekable();
    let mut categories = scanned.categories.into_iter().peekable();
    for item in file.items {
        let start = start_of(&item);
        while let Some(next) = definitions.next_if(|next| next.start < start) {
            assembly.define(next);
        }
        let mut category = None;
        while let Some(next) = categories.next_if(|next| next.span.start < start as u32) {
            if let Some(before) = category.replace(next) {
                assembly.without_method(&before);
            }
        }
        assembly.add(item, category);
    }
    definitions.for_each(|next| assembly.define(next));
    categories.for_each(|next| assembly.without_method(&next));
    (
        File {
            items: assembly.items,
            of_package,
            ..File::default()
        },
        in_order(assembly.diagnostics),
    )
}

/// The start of an item.
fn start_of(item: &Item) -> usize {
    let span = match item {
        Item::Temporaries(names) => names.first().map_or(Span::default(), |name| name.span),
        Item::Statement(statement) => statement.expression().span,
        Item::Class(class) => class.span,
        Item::Extend(extension) => extension.span,
        Item::Method(placed) => placed.class.span,
        Item::Eval { span, .. } => *span,
    };
    span.start as usize
}

/// The file as it is put together.
struct Assembly {
    of_package: bool,
    /// Whether a definition could not be read, so that the class of the methods behind it is unknown.
    unreadable: bool,
    items: Vec<Item>,
    /// The name of the definition that the methods belong to.
    current: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Assembly {
    fn define(&mut self, definition: scan::Found) {
        match header::definition(&definition, &mut self.diagnostics) {
            Some(Definition::Class(class)) => {
                self.current = Some(class.name.text.clone());
                self.items.push(Item::Class(*class));
            }
            Some(Definition::Extension(class)) => {
                self.current = Some(class.text.clone());
                self.items.push(Item::Extend(Extension {
                    class,
                    class_side: false,
                    members: Vec::new(),
                    span: definition.span,
                }));
            }
            Some(Definition::Package) => self.current = None,
            None => {
                self.current = None;
                self.unreadable = true;
            }
        }
    }

    fn add(&mut self, item: Item, category: Option<scan::Category>) {
        match item {
            Item::Method(mut placed) => {
                placed.method.category = category.and_then(|category| category.name);
                self.add_method(placed);
            }
            item => {
                if let Some(category) = category {
                    self.without_method(&category);
                }
                if self.of_package {
                    self.no_method(&item);
                }
                self.items.push(item);
            }
        }
    }

    fn add_method(&mut self, placed: PlacedMethod) {
        let members = match self.items.last_mut() {
            Some(Item::Class(class)) if class.name.text == placed.class.text => &mut class.members,
            Some(Item::Extend(extension)) if extension.class.text == placed.class.text => {
                &mut extension.members
            }
            _ => {
                self.foreign(&placed);
                self.items.push(Item::Method(placed));
                return;
            }
        };
        members.push(Member::Placed(placed));
    }

    /// In a file of a package, a method stands behind the definition of its class.
    fn foreign(&mut self, placed: &PlacedMethod) {
        if !self.of_package || self.unreadable {
            return;
        }
        let (label, help) = match &self.current {
            Some(current) => (
                format!("this part of the file is about `{current}`"),
                format!(
                    "move it to a file of its own that begins with `Extension {{ #name : '{}' }}`",
                    placed.class.text
                ),
            ),
            None => (
                "no class is defined here".to_owned(),
                format!(
                    "begin the file with `Extension {{ #name : '{}' }}`",
                    placed.class.text
                ),
            ),
        };
        let message = format!("a method of `{}` does not belong here", placed.class.text);
        self.diagnostics.push(
            Diagnostic::error("E0160", placed.class.span, message)
                .labelled(label)
                .helping(help),
        );
    }

    fn no_method(&mut self, item: &Item) {
        let (span, what) = match item {
            Item::Statement(statement) => {
                if matches!(
                    statement.expression().kind,
                    crate::syntax::ast::ExprKind::Error
                ) {
                    return;
                }
                (statement.expression().span, "a statement")
            }
            Item::Temporaries(names) => (
                names.first().map_or(Span::default(), |name| name.span),
                "a declaration",
            ),
            Item::Class(class) => (class.span, "a class in bracket syntax"),
            Item::Extend(extension) => (extension.span, "an extension in bracket syntax"),
            Item::Eval { span, .. } => (*span, "an evaluation"),
            Item::Method(_) => return,
        };
        self.diagnostics.push(
            Diagnostic::error("E0161", span, format!("{what} in a file of a package"))
                .labelled("expected `{ #category : … }` and a method, `Foo >> bar [ … ]`")
                .helping(
                    "a file of a package defines; statements belong to methods or to a script",
                ),
        );
    }

    fn without_method(&mut self, category: &scan::Category) {
        self.diagnostics.push(
            Diagnostic::error("E0162", category.span, "metadata without a method")
                .labelled("no method follows")
                .helping("remove them, or write the method `Foo >> bar [ … ]` behind them"),
        );
    }
}

/// Whether a definition begins on a line of its own, as the scanner requires.
fn is_first(source: &str, offset: usize) -> bool {
    starts_line(source, offset)
}
