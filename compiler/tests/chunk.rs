//! File-outs: their definitions, and the diagnostics of broken files.

use tally_compiler::ast::{ClassDefinition, File, Item, Member, PlacedMethod, Span};
use tally_compiler::diagnostic::line_column;
use tally_compiler::environment::{ClassShape, UnitEnvironment};
use tally_compiler::{compile, is_file_out, parser};

const SHAPES: &str =
    "'From Pharo7.0 of 1 January 2020 [Build information] on 2 May 2020 at 10:00 am'!
Object subclass: #Shape
	instanceVariableNames: 'name size'
	classVariableNames: 'Known'
	poolDictionaries: ''
	category: 'Geometry-Core'!
!Shape commentStamp: 'ab 5/2/2020 10:00' prior: 0!
I have a name!! And a size.!

!Shape methodsFor: 'accessing' stamp: 'ab 5/2/2020 10:01'!
name
	^ name! !

!Shape methodsFor: 'accessing'!
name: aString
	\"Sets it!!\"
	name := aString , 'a
b!!'!

+ other
	^ $!! = other! !
\"-- -- --\"!

Shape class
	instanceVariableNames: 'made'!

!Shape class methodsFor: 'as yet unclassified'!
initialize
	Known := Set new! !

!Shape reorganize!
('accessing' name name:)
!

Shape initialize!
";

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

fn pragmas(class: &ClassDefinition) -> Vec<String> {
    let pragmas = class.members.iter().filter_map(|member| match member {
        Member::Pragma(pragma) => Some(format!("{} {:?}", pragma.selector, pragma.arguments)),
        _ => None,
    });
    pragmas.collect()
}

fn variables(class: &ClassDefinition) -> String {
    let mut shown = Vec::new();
    for member in &class.members {
        let named = |names: &[tally_compiler::ast::Name]| {
            names
                .iter()
                .map(|name| name.text.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        match member {
            Member::InstanceVariables(names) => shown.push(format!("|{}|", named(names))),
            Member::ClassInstanceVariables(names) => shown.push(format!("class|{}|", named(names))),
            Member::ClassVariable { name, .. } => shown.push(name.text.clone()),
            _ => {}
        }
    }
    shown.join(" ")
}

#[track_caller]
fn only_class(source: &str) -> ClassDefinition {
    match &parsed(source).items[..] {
        [Item::Class(class), ..] => class.clone(),
        items => panic!("{items:#?}"),
    }
}

#[test]
fn a_class_with_its_methods_comment_and_variables() {
    assert!(is_file_out(SHAPES));
    let file = parsed(SHAPES);
    assert!(file.of_package);
    let [Item::Class(class), Item::Statement(_)] = &file.items[..] else {
        panic!("{file:#?}")
    };
    assert_eq!(class.name.text, "Shape");
    assert_eq!(class.superclass.text, "Object");
    assert_eq!(variables(class), "|name size| Known class|made|");
    assert_eq!(
        pragmas(class),
        [
            "category: [String(\"Geometry-Core\")]",
            "comment: [String(\"I have a name! And a size.\")]"
        ]
    );
    let placed = methods(&class.members);
    let shown: Vec<String> = placed
        .iter()
        .map(|one| {
            let category = one.method.category.as_deref().unwrap_or("-");
            let side = if one.class_side { " class" } else { "" };
            format!(
                "{}{side}>>{} {category}",
                one.class.text, one.method.selector.text
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Shape>>name accessing",
            "Shape>>name: accessing",
            "Shape>>+ accessing",
            "Shape class>>initialize as yet unclassified"
        ]
    );
    assert_eq!(
        text(SHAPES, placed[2].method.span),
        "+ other\n\t^ $!! = other"
    );
    // A line of a literal ends with a carriage return, as in Tonel, and `!!` stands for one bang.
    assert!(format!("{:?}", placed[1].method.body).contains("String(\"a\\rb!\")"));
    assert!(format!("{:?}", placed[2].method.body).contains("Character(33)"));
}

#[test]
fn places_are_those_of_the_file() {
    let source = "!Object methodsFor: 'x'!\nfoo\n\t^ 'a!!b' , 'c!!' . ). 1! !\n";
    let (_, diagnostics) = parser::parse(source);
    let [only] = &diagnostics[..] else {
        panic!("{diagnostics:#?}")
    };
    assert_eq!(line_column(source, only.span.start), (3, 21));
    assert_eq!(text(source, only.span), ")");
}

#[test]
fn definitions_have_many_forms() {
    let end = "!\n!Foo methodsFor: 'x'! !\n";
    let cases = [
        (
            "Object variableSubclass: #Foo instanceVariableNames: 'a' classVariableNames: '' package: 'P'",
            "|a|",
            "shape: [String(\"pointer\")]",
        ),
        (
            "nil variableByteSubclass: #Foo instanceVariableNames: '' classVariableNames: 'A B' poolDictionaries: '' category: 'P'",
            "|| A B",
            "shape: [String(\"byte\")]",
        ),
        (
            "Object subclass: #Foo uses: TFoo + TBar instanceVariableNames: 'a b' classVariableNames: '' package: 'P'",
            "|a b|",
            "category: [String(\"P\")]",
        ),
        (
            "Object subclass: #Foo slots: { #a. #b } classVariables: { #C } package: 'P' tag: 'T'",
            "|a b| C",
            "category: [String(\"P-T\")]",
        ),
        (
            "Object << #Foo layout: VariableLayout; traits: {TFoo}; slots: { #a }; sharedVariables: { #B }; tag: '' ; package: 'P'",
            "|a| B",
            "category: [String(\"P\")]",
        ),
        (
            "Trait named: #Foo uses: {} category: 'P'",
            "",
            "category: [String(\"P\")]",
        ),
        (
            "Trait << #Foo traits: {}; package: 'P'",
            "",
            "category: [String(\"P\")]",
        ),
    ];
    for (definition, expected, pragma) in cases {
        let class = only_class(&format!("{definition}{end}"));
        assert_eq!(variables(&class), expected, "{definition}");
        assert!(pragmas(&class).contains(&pragma.to_owned()), "{definition}");
        assert_eq!(class.is_trait, definition.starts_with("Trait"));
        assert_eq!(class.traits.is_empty(), !definition.contains("TFoo"));
    }
    // A message whose arguments are not literals runs.
    let file = parsed(&format!(
        "Object subclass: self name instanceVariableNames: ''{end}"
    ));
    assert!(matches!(file.items[..], [Item::Statement(_)]), "{file:?}");
}

#[test]
fn parts_of_a_class_follow_its_definition() {
    let source = "Object subclass: #Foo instanceVariableNames: '' classVariableNames: '' package: 'P'!\n\
                  Foo comment: 'I''m Foo.'!\nFoo class uses: TFoo classTrait instanceVariableNames: 'a'!\n\
                  !Foo class methodsFor: 'x'!\nmake\n\t^ 1! !\n3 foo!\n!Foo methodsFor: 'y'!\nbar\n\t^ 2! !\n";
    let file = parsed(source);
    let [
        Item::Class(class),
        Item::Statement(_),
        Item::Extend(extension),
    ] = &file.items[..]
    else {
        panic!("{file:#?}")
    };
    assert_eq!(pragmas(class)[1], "comment: [String(\"I'm Foo.\")]");
    assert!(
        class
            .class_traits
            .as_ref()
            .is_some_and(|uses| uses[0].class_side)
    );
    assert_eq!(methods(&class.members).len(), 1);
    assert_eq!(methods(&extension.members).len(), 1);
}

#[test]
fn a_file_is_known_by_its_preambles() {
    for text in [
        "!Foo methodsFor: 'x'!",
        "\"notice\"!\r!Foo class methodsFor: 'x'!\rfoo\r^1! !",
        "'From Squeak5.3'!\nFoo bar!",
        "Foo bar!\n\n\t!Foo commentStamp: '' prior: 0!\n",
        "!Smalltalk.Foo methodsFor!\n",
    ] {
        assert!(is_file_out(text), "{text}");
    }
    for text in [
        "'Hello!' displayNl.\n3 + 4!\n",
        "a := 3!\nb := 4!\n!Foo initialize!",
        "'From here' displayNl!\n",
        "'x!Foo methodsFor: 1'",
        "",
    ] {
        assert!(!is_file_out(text), "{text}");
    }
    // A literal of a file in Tonel may hold a preamble.
    let tonel = "Extension { #name : #Object }\n\nObject >> foo [ ^'\n!Foo methodsFor: 1!\n' ]\n";
    assert!(matches!(parsed(tonel).items[..], [Item::Extend(_)]));
}

#[test]
fn what_means_nothing_is_told() {
    let codes = |source: &str| -> Vec<&str> {
        let mut environment = UnitEnvironment::new();
        environment.add_class("Object", ClassShape::default());
        let compiled = compile("test.st", source, &environment);
        compiled.diagnostics.iter().map(|one| one.code).collect()
    };
    let method = "!Object methodsFor: 'x'!\nfoo\n\t^ 1! !\n";
    assert_eq!(
        codes(&format!("{method}!Object tidyUp!\n!3 foo!\n")),
        ["W0330", "W0330"]
    );
    assert_eq!(codes(&format!("{method}{method}")), ["W0331"]);
    assert_eq!(codes(&method.replace("Object", "Absent")), ["W0312"]);
    assert_eq!(codes(&method.replace("^ 1", "^ 1 )")), ["E0102"]);
    assert_eq!(codes("!Object methodsFor: 'x'!\n3 foo! !\n"), ["E0120"]);
}

/// A file-out of a hundred classes with ten methods each.
#[test]
fn a_hundred_classes_are_read() {
    let mut source = String::from("'From Pharo'!\n");
    for class in 0..100 {
        let above = class / 2;
        let above = if class == 0 {
            "Object".to_owned()
        } else {
            format!("C{above}")
        };
        let above = if class == 1 { "C0".to_owned() } else { above };
        source.push_str(&format!(
            "{above} subclass: #C{class} instanceVariableNames: 'v{class}' classVariableNames: '' package: 'Many'!\n\
             !C{class} methodsFor: 'x'!\n"
        ));
        for method in 0..10 {
            source.push_str(&format!("m{method}: x\n\t^ v{class} , x , '!!'!\n\n"));
        }
        source.push_str(" !\n\n");
    }
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    let compiled = compile("many.st", &source, &environment);
    assert!(!compiled.diagnostics.iter().any(|one| one.is_error()));
    let definitions = compiled.unit.map_or(0, |unit| unit.definitions.len());
    assert_eq!(definitions, 100);
}
