//! FileTree: what paths say, properties and methods, and damaged files.

use proptest::prelude::*;
use tally_compiler::ast::{ClassDefinition, Item, Member, PlacedMethod};
use tally_compiler::environment::{ClassShape, UnitEnvironment};
use tally_compiler::filetree::{Part, place};
use tally_compiler::{compile, parser};

const PROPERTIES: &str = "{\n\t\"commentStamp\" : \"\",\n\t\"super\" : \"Object\",\n\t\"category\" : \"Geometry-Core\",\n\
    \t\"classinstvars\" : [ \"made\" ],\n\t\"pools\" : [ ],\n\t\"classvars\" : [\n\t\t\"Known\"\n\t],\n\
    \t\"instvars\" : [\n\t\t\"name\",\n\t\t\"size\"\n\t],\n\t\"name\" : \"Shape\",\n\t\"type\" : \"variable\",\n\
    \t\"traitcomposition\" : \"{}\"\n}\nI am a \"shape\".\nIt's true.\n";

const METHOD: &str = "accessing\nat: i put: x\n\t^ 'a\nb' , i\n";

#[test]
fn paths_say_what_files_are() {
    let method = |class, class_side| Some((class, Part::Method { class_side }));
    let definition = |class, is_trait| Some((class, Part::Definition { is_trait }));
    let cases = [
        (
            "A.package/Foo.class/properties.json",
            definition("Foo", false),
        ),
        ("TFoo.trait/properties.json", definition("TFoo", true)),
        (
            "./A.package/Foo.class/instance/at.put..st",
            method("Foo", false),
        ),
        ("A.package\\Foo.class\\class\\new.st", method("Foo", true)),
        ("Foo.trait/classSide/new.st", method("Foo", true)),
        ("Foo.extension/instance/bar.st", method("Foo", false)),
        ("Foo.extension/properties.json", None),
        ("A.package/properties.json", None),
        ("A.package/monticello.meta/categories.st", None),
        ("Foo.class/README.md", None),
        ("Foo.class/instance/methodProperties.json", None),
        ("Foo.class.st", None),
        (".class/instance/foo.st", None),
        ("instance/foo.st", None),
        ("", None),
    ];
    for (path, expected) in cases {
        let found = place(path).map(|place| (place.class, place.part));
        assert_eq!(found, expected, "{path}");
    }
}

#[track_caller]
fn item(path: &str, source: &str) -> Item {
    let (mut file, diagnostics) = parser::parse_file(path, source);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    assert!(file.of_package && file.items.len() == 1, "{file:#?}");
    file.items.remove(0)
}

#[track_caller]
fn class(path: &str, source: &str) -> ClassDefinition {
    match item(path, source) {
        Item::Class(class) => class,
        other => panic!("{other:#?}"),
    }
}

#[track_caller]
fn method(path: &str, source: &str) -> PlacedMethod {
    match item(path, source) {
        Item::Extend(extension) => match extension.members.into_iter().next() {
            Some(Member::Placed(placed)) => placed,
            other => panic!("{other:#?}"),
        },
        other => panic!("{other:#?}"),
    }
}

#[test]
fn properties_define_a_class() {
    let shape = class("P.package/Shape.class/properties.json", PROPERTIES);
    assert_eq!(
        (shape.name.text.as_str(), shape.superclass.text.as_str()),
        ("Shape", "Object")
    );
    let shown = format!("{:?}", shape.members);
    for part in [
        "\"name\"",
        "\"size\"",
        "\"made\"",
        "\"Known\"",
        "shape:",
        "String(\"Geometry-Core\")",
        "String(\"I am a \\\"shape\\\".\\nIt's true.\")",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(shape.traits.is_empty() && !shape.is_trait);
    let composed = "{ \"name\" : \"TFoo\", \"traitcomposition\" : \"TBar + TBaz\", \"classtraitcomposition\" : \"{}\" }";
    let composed = class("P.package/TFoo.trait/properties.json", composed);
    assert!(composed.is_trait && composed.traits.len() == 2);
}

#[test]
fn methods_begin_with_their_category() {
    for source in [
        METHOD.to_owned(),
        format!("\"A notice\"\n{METHOD}"),
        format!("\u{feff}{METHOD}"),
    ] {
        let placed = method("Foo.class/instance/at.put..st", &source);
        assert_eq!(placed.class.text, "Foo");
        assert_eq!(placed.method.category.as_deref(), Some("accessing"));
        assert_eq!(placed.method.selector.text, "at:put:");
        let span = placed.method.span;
        let text = &source[span.start as usize..span.end as usize];
        assert_eq!(text, "at: i put: x\n\t^ 'a\nb' , i");
        assert!(format!("{:?}", placed.method.body).contains("String(\"a\\rb\")"));
    }
    let returning = METHOD.replace('\n', "\r\n");
    let placed = method("Foo.class/class/at.put..st", &returning);
    assert_eq!(placed.method.category.as_deref(), Some("accessing"));
    assert!(placed.class_side);
}

#[test]
fn damaged_files_are_refused() {
    let codes = |path: &str, source: &str| -> Vec<&str> {
        let mut environment = UnitEnvironment::new();
        environment.add_class("Object", ClassShape::default());
        let compiled = compile(path, source, &environment);
        compiled.diagnostics.iter().map(|one| one.code).collect()
    };
    let properties = "Foo.class/properties.json";
    assert_eq!(codes(properties, ""), ["E0151"]);
    assert_eq!(codes(properties, "{ \"name\" : \"Foo\""), ["E0153"]);
    assert_eq!(codes(properties, "{ \"name\" : \"Foo\" }"), ["E0163"]);
    assert_eq!(
        codes(properties, "{ \"name\" : 3, \"super\" : \"Object\" }"),
        ["E0164"]
    );
    assert_eq!(
        codes(
            properties,
            "{ \"name\" : \"Foo\", \"super\" : \"Object\", \"color\" : null }"
        ),
        ["W0310"]
    );
    assert_eq!(
        codes("Object.extension/instance/foo.st", "x\nfoo\n\t^ 1 )"),
        ["E0102"]
    );
    assert_eq!(codes("Object.extension/instance/foo.st", "x"), ["E0120"]);
    assert_eq!(
        codes("Absent.extension/instance/foo.st", "x\nfoo"),
        ["W0312"]
    );
}

/// Pieces that mean something in these files.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    "\"name\"",
    "\"super\"",
    "\"instvars\"",
    "null",
    "'",
    "\n",
    "foo",
    "x: y",
    "^",
    "é",
    "\u{0}",
    "\r\n",
    "\u{feff}",
];

fn mutated(text: &'static str) -> impl Strategy<Value = String> {
    let change = (0.0..1.0f64, 0usize..10, 0..PIECES.len());
    prop::collection::vec(change, 0..8).prop_map(move |changes| {
        let mut text = text.to_owned();
        for (place, length, piece) in changes {
            let start = boundary(&text, (place * text.len() as f64) as usize);
            let end = boundary(&text, start + length);
            text.replace_range(start..end, PIECES[piece]);
        }
        text
    })
}

fn boundary(text: &str, offset: usize) -> usize {
    let mut boundary = offset.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary -= 1;
    }
    boundary
}

fn check(path: &str, text: &str) {
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    let compiled = compile(path, text, &environment);
    for one in &compiled.diagnostics {
        let (start, end) = (one.span.start as usize, one.span.end as usize);
        assert!(start <= end && end <= text.len(), "{one:?} in {text:?}");
        assert!(
            text.is_char_boundary(start) && text.is_char_boundary(end),
            "{one:?} in {text:?}"
        );
    }
    let has_error = compiled.diagnostics.iter().any(|one| one.is_error());
    assert_eq!(compiled.unit.is_none(), has_error, "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_properties_are_read(text in mutated(PROPERTIES)) {
        check("Shape.class/properties.json", &text);
    }

    #[test]
    fn any_method_is_read(text in mutated(METHOD)) {
        check("Object.extension/instance/at.put..st", &text);
    }

    #[test]
    fn any_path_is_read(path in "[a-z./\\\\é]{0,30}", text in "[ -~\n]{0,40}") {
        check(&path, &text);
    }
}
