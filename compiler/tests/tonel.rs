//! Files in Tonel: their definitions, and the diagnostics of broken files.

use tally_compiler::ast::{File, Item, Member, PlacedMethod, Span};
use tally_compiler::diagnostic::line_column;
use tally_compiler::environment::{ClassShape, UnitEnvironment};
use tally_compiler::{compile_all, is_tonel, parser};

#[track_caller]
fn parsed(source: &str) -> File {
    let (file, diagnostics) = parser::parse(source);
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:#?}");
    file
}

fn text(source: &str, span: Span) -> &str {
    &source[span.start as usize..span.end as usize]
}

fn methods(members: &[Member]) -> Vec<&PlacedMethod> {
    let placed = members.iter().filter_map(|member| match member {
        Member::Placed(placed) => Some(placed),
        _ => None,
    });
    placed.collect()
}

const SYMBOLS: &str = "\"
I am a \"\"point\"\".
\"
Class {
	#name : #Point3,
	#superclass : #Object,
	#instVars : [
		'x',
		'y'
	],
	#classVars : [ 'Zero' ],
	#classInstVars : [ #count ],
	#category : #'Geometry-Points'
}

{ #category : #'instance creation' }
Point3 class >> x: ax [

	^ self new setX: ax
]

{ #category : #accessing }
Point3 >> at: key put: value [
	| t |
	t := $]. \"a bracket ] in a comment\"
	^ { #(#[1 2] a). '] { #category : #no }'. t }
]

{ #category : #arithmetic }
Point3 >> + other [ ^ [ :a | a + other ] value: x ]
";

#[test]
fn a_class_with_both_sides() {
    let strings = SYMBOLS
        .replace("#Point3", "'Point3'")
        .replace("#Object", "'Object'")
        .replace("#count", "'count'")
        .replace("#'Geometry-Points'", "'Geometry-Points'")
        .replace("#accessing", "'accessing'");
    for source in [SYMBOLS.to_owned(), SYMBOLS.replace('\n', "\r\n"), strings] {
        let file = parsed(&source);
        assert!(file.of_package && is_tonel(&source));
        let [Item::Class(class)] = &file.items[..] else {
            panic!("{file:#?}")
        };
        assert_eq!(class.name.text, "Point3");
        assert_eq!(class.superclass.text, "Object");
        let placed = methods(&class.members);
        let shown: Vec<String> = placed
            .iter()
            .map(|one| {
                let side = if one.class_side { " class" } else { "" };
                let category = one.method.category.as_deref().unwrap_or("-");
                format!(
                    "{}{side}>>{} {category}",
                    one.class.text, one.method.selector.text
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "Point3 class>>x: instance creation",
                "Point3>>at:put: accessing",
                "Point3>>+ arithmetic"
            ]
        );
        assert_eq!(
            text(&source, placed[2].method.span),
            "+ other [ ^ [ :a | a + other ] value: x ]"
        );
        let pragmas: Vec<_> = class
            .members
            .iter()
            .filter_map(|member| match member {
                Member::Pragma(pragma) => Some(format!("{:?}", pragma.arguments)),
                _ => None,
            })
            .collect();
        let comment = "[String(\"I am a \\\"point\\\".\")]";
        assert_eq!(pragmas, ["[String(\"Geometry-Points\")]", comment]);
    }
}

#[test]
fn extensions_traits_and_packages() {
    let file = parsed(
        "Extension { #name : #Integer }\n\n{ #category : #'*Foo' }\nInteger >> foo [ ^1 ]\n\n\
         { #category : #'*Foo' }\nInteger class >> foo [ ^2 ]\n",
    );
    let [Item::Extend(extension)] = &file.items[..] else {
        panic!("{file:#?}")
    };
    assert_eq!(methods(&extension.members).len(), 2);
    let file = parsed(
        "Trait {\n\t#name : 'TFoo',\n\t#traits : 'TBar + (TBaz - {#x. #y}) @ {#a -> #b}',\n\
         \t#classTraits : 'TBar classTrait'\n}\n\n{ #category : #x }\nTFoo classSide >> foo [ ^1 ]\n",
    );
    let [Item::Class(class)] = &file.items[..] else {
        panic!("{file:#?}")
    };
    assert!(class.is_trait && methods(&class.members)[0].class_side);
    assert_eq!(class.traits.len(), 2);
    assert_eq!(
        (class.traits[0].changes.len(), class.traits[1].changes.len()),
        (1, 3)
    );
    assert!(
        class
            .class_traits
            .as_ref()
            .is_some_and(|uses| uses[0].class_side)
    );
    assert!(parsed("Package { #name : #'Foo-Bar' }\n").items.is_empty());
}

/// Authors of packages end lines with carriage returns, and programs compare their literals with `String cr`.
#[test]
fn lines_in_literals_of_packages_end_in_carriage_returns() {
    let method = "{ #category : #a }\nFoo >> foo [ \"a\nb\" ^'a\nb\n' , $\n , #'c\nd' ]";
    let package = format!("Class {{ #name : #Foo, #superclass : #Object }}\n\n{method}");
    let script = format!("3 foo.\n\n{package}");
    for (source, ends) in [
        (package, "a\\rb\\r, 13, c\\rd"),
        (script, "a\\nb\\n, 10, c\\nd"),
    ] {
        let tree = format!("{:?}", parser::parse(&source).0);
        let mut from = 0;
        for part in ends.split(", ") {
            let found = tree[from..].find(part);
            assert!(found.is_some(), "{part} in {tree}");
            from += found.unwrap_or_default();
        }
    }
}

#[test]
fn what_looks_like_metadata_stays_in_its_method() {
    let file = parsed(
        "Extension { #name : 'Set' }\n\n{ #category : 'a' }\nSet >> options [\n\t^{\n\t#parse: -> #( + x).\n\
         \t#link -> #( + y)\n\t}\n]\n\n{ #category : 'a' }\nSet >> more [ ^ self do: { #a . #b } ]\n",
    );
    let [Item::Extend(extension)] = &file.items[..] else {
        panic!("{file:#?}")
    };
    assert_eq!(methods(&extension.members).len(), 2);
}

#[test]
fn a_script_may_have_definitions_in_tonel_too() {
    let source = "x := 3.\nClass {\n\t#name : #A,\n\t#superclass : #Object\n}\n\n\
                  { #category : #a }\nA >> b [ ^x ]\n\nx printNl";
    let file = parsed(source);
    assert!(!file.of_package && !is_tonel(source));
    assert_eq!(file.items.len(), 3);
    assert!(matches!(file.items[1], Item::Class(_)));
}

fn environment() -> UnitEnvironment {
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    environment.add_selector("foo");
    environment
}

/// The diagnostics, `code line:column`, of one file.
fn found(source: &str) -> Vec<String> {
    let compiled = compile_all(&[("Foo.class.st", source)], &environment());
    let diagnostics = compiled.iter().flat_map(|one| &one.diagnostics);
    let shown = diagnostics.map(|one| {
        let (line, column) = line_column(source, one.span.start);
        format!("{} {line}:{column}", one.code)
    });
    shown.collect()
}

#[track_caller]
fn check(source: &str, expected: &[&str]) {
    assert_eq!(found(source), expected, "{source}");
}

#[test]
fn a_word_that_is_sent_in_a_package_is_a_message() {
    let method = "{ #category : #a }\nFoo >> foo [ ^self true ]";
    check(
        &format!("Class {{ #name : #Foo, #superclass : #Object }}\n\n{method}"),
        &["W0303 4:20"],
    );
}

#[test]
fn an_undefined_name_in_a_package_is_a_warning() {
    check(
        "Extension { #name : #Absent }\n\nAbsent >> foo [ ^ Nothing ]\n",
        &["W0312 1:21"],
    );
    check(
        "Extension { #name : #Object }\n\nObject >> foo [ Nothing := other. ^ thisContext ]\n",
        &["W0313 3:17", "W0313 3:28"],
    );
}

/// Broken files and their diagnostics.
const BROKEN: &[(&str, &[&str])] = &[
    (
        "Class { #name : #Foo, #superclass : #Object",
        &["E0153 1:7"],
    ),
    (
        "Class { #name : #Foo, #superclass : [ #Object",
        &["E0153 1:37"],
    ),
    ("Class { name : #Foo }", &["E0151 1:9"]),
    ("Class { #name #Foo }", &["E0152 1:15"]),
    (
        "Class { #name : #Foo #superclass : #Object }",
        &["E0155 1:22"],
    ),
    (
        "Class { #name : #Foo, #instVars : [ 'a' 'b' ] }",
        &["E0155 1:41"],
    ),
    ("Class { #name : , #superclass : #Object }", &["E0156 1:17"]),
    ("Class { #name : Foo }", &["E0156 1:17"]),
    ("Class { #name : # }", &["E0156 1:18"]),
    (
        "Class { #name : 'Foo, #superclass : #Object }",
        &["E0157 1:17"],
    ),
    (
        "Class { #name : 'F\\qoo', #superclass : #Object }",
        &["E0158 1:19"],
    ),
    ("Class { #name : #Foo, #name : #Bar }", &["E0154 1:23"]),
    ("Class { #superclass : #Object }", &["E0163 1:1"]),
    ("Class { #name : #Foo }", &["E0163 1:1"]),
    ("Class { }", &["E0163 1:1"]),
    (
        "Class { #name : #'a b', #superclass : #Object }",
        &["E0164 1:17"],
    ),
    (
        "Class { #name : 3, #superclass : #Object }",
        &["E0164 1:17"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #instVars : 'a b' }",
        &["E0164 1:58"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #instVars : [ 'a b' ] }",
        &["E0164 1:60"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #type : #liquid }",
        &["E0165 1:54"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #type : #immediate }",
        &["E0165 1:54"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #traits : 'TFoo +' }",
        &["E0166 1:56"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #traits : 'TFoo' }",
        &["E0208 1:56"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Absent }",
        &["E0208 1:37"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object, #color : #red }",
        &["W0310 1:46"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\nBar >> foo [ ^1 ]",
        &["E0160 3:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\nFoo >> foo",
        &["E0161 3:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n3 foo",
        &["E0161 3:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\n{ #category : #b }\nFoo >> foo [ ^1 ]",
        &["E0162 3:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\n",
        &["E0162 3:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a \nFoo >> foo [ ^1 ]",
        &["E0155 4:1"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\nFoo >> foo [ ^1 + ]\n\n{ #category : #a }\nFoo >> bar [ ^1\n\n{ #category : #a }\nFoo >> baz [ ^1 ]",
        &["E0106 4:17", "E0101 7:12"],
    ),
    (
        "Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\nFoo >> foo [ ^1 ]\n\n{ #category : #a }\nFoo >> foo [ ^2 ]",
        &["E0205 7:8"],
    ),
    ("Extension { #name : #Foo", &["E0153 1:11"]),
    ("Package { }", &["E0163 1:1"]),
    ("Package { #name : [ ] }", &["E0164 1:19"]),
];

/// The codes of each file of a load.
#[track_caller]
fn check_load(sources: &[&str], expected: &[&[&str]]) {
    let files: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| ("Foo.class.st", *source))
        .collect();
    let compiled = compile_all(&files, &environment());
    let codes = |one: &tally_compiler::Compiled| -> Vec<&str> {
        one.diagnostics.iter().map(|one| one.code).collect()
    };
    let found: Vec<Vec<&str>> = compiled.iter().map(codes).collect();
    assert_eq!(found, expected, "{sources:?}");
}

#[test]
fn files_that_contradict_each_other() {
    let class =
        |name: &str, above: &str| format!("Class {{ #name : '{name}', #superclass : '{above}' }}");
    let (one, two) = (class("A", "B"), class("B", "A"));
    check_load(&[&one, &two], &[&["E0212"], &["E0212"]]);
    check_load(&[&class("A", "A")], &[&["E0212"]]);
    let three = class("A", "Object");
    check_load(&[&three, &three], &[&[], &["E0213"]]);
    let user = |name: &str, uses: &str| format!("Trait {{ #name : '{name}', #traits : '{uses}' }}");
    check_load(
        &[&user("TA", "TB"), &user("TB", "TA")],
        &[&["E0214"], &["E0214"]],
    );
    check_load(&[&user("TA", "TA")], &[&["E0214"]]);
    check_load(&[&user("TA", "Object")], &[&["E0215"]]);
    check_load(&[&user("TA", ""), &class("A", "TA")], &[&[], &["E0215"]]);
}

#[test]
fn broken_files_get_errors_with_places() {
    let differ = |(source, expected): &(&str, &[&str])| {
        let found = found(source);
        (found != *expected)
            .then(|| format!("{source}\n  expected {expected:?}\n  found {found:?}"))
    };
    let differences: Vec<String> = BROKEN.iter().filter_map(differ).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    assert!(BROKEN.len() >= 20);
}
