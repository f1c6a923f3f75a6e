//! Sources in other notations, file-outs and FileTree, as arguments; `tally export`, which writes Tonel from all of them.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

/// A class as Pharo 12 writes it.
const SHAPE: &str = r#""
I am a ""shape"".

Nothing else.
"
Class {
	#name : 'Shape',
	#superclass : 'Object',
	#type : 'variable',
	#traits : 'TNamed + (TSized - {#area. #size})',
	#classTraits : 'TNamed classTrait + TSized classTrait',
	#instVars : [
		'name',
		'#area => InstanceVariableSlot'
	],
	#classVars : [
		'Known'
	],
	#pools : [
		'Constants'
	],
	#classInstVars : [
		'made'
	],
	#category : 'Geometry-Core-Flat \'2\'',
	#package : 'Geometry-Core',
	#tag : 'Flat \'2\''
}

{ #category : 'instance creation' }
Shape class >> named: aString [

	^ self new: 1 named: aString
]

{ #category : 'class initialization' }
Shape class >> sized [
	"a ] and a 'quote'"

	^ #($] ']' #[1 2])
]

{ #category : 'comparing' }
Shape >> = other [
	^ self == other
]

{ #category : 'accessing' }
Shape >> a: one b: two [ ^ one + two
]

{ #category : 'accessing' }
Shape >> area [
	^ 'one
two'
]
"#;

const TRAIT: &str = "Trait {
\t#name : 'TNamed',
\t#instVars : [
\t\t'kept'
\t],
\t#traits : 'TOther',
\t#classTraits : 'TOther classTrait',
\t#category : 'Geometry-Core',
\t#package : 'Geometry-Core'
}

{ #category : 'accessing' }
TNamed classSide >> make [
\t^ self new
]
";

const ROOT: &str = "Class {
\t#name : 'Root',
\t#superclass : 'nil',
\t#category : 'Geometry-Core',
\t#package : 'Geometry-Core'
}
";

const EXTENSION: &str = "Extension { #name : 'Object' }

{ #category : '*Geometry-Core-asking' }
Object >> isShape [
\t^ false
]

{ #category : '*Geometry-Core-asking' }
Object class >> makesShapes [
\t^ false
]
";

/// A file-out of a class and its test.
const COUNTER: &str = "'From Pharo12.0'!
Object subclass: #Counter
	instanceVariableNames: 'count'
	classVariableNames: 'First'
	poolDictionaries: ''
	category: 'Counting-Core'!
!Counter commentStamp: 'ab 1/1/2024 10:00' prior: 0!
I count!!!

!Counter class methodsFor: 'class initialization'!
initialize
	First := (First ifNil: [ 0 ]) + 1! !

!Counter class methodsFor: 'accessing'!
first
	^ First! !

!Counter methodsFor: 'counting'!
next
	\"Answers the next number!!\"
	^ count := (count ifNil: [ First ]) + 1! !

!Object methodsFor: '*Counting-Core'!
isCounter
	^ false! !

TestCase subclass: #CounterTest
	instanceVariableNames: ''
	classVariableNames: ''
	category: 'Counting-Core'!

!CounterTest methodsFor: 'tests'!
testNext
	self assert: Counter new next equals: 2.
	self deny: 3 isCounter.
	self assert: '!!' size equals: 1! !

Counter initialize!
";

fn geometry(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("src/.properties", "{\n\t#format : #tonel\n}");
    sandbox.write(
        "src/Geometry-Core/package.st",
        "Package { #name : 'Geometry-Core' }\n",
    );
    sandbox.write("src/Geometry-Core/Shape.class.st", SHAPE);
    sandbox.write("src/Geometry-Core/Root.class.st", ROOT);
    sandbox.write("src/Geometry-Core/TNamed.trait.st", TRAIT);
    sandbox.write("src/Geometry-Core/Object.extension.st", EXTENSION);
    sandbox
}

/// The class of a FileTree, with its comment, a method of each side, and an extension.
fn filetree(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write(
        "repository/.filetree",
        "{ \"packageExtension\" : \".package\" }",
    );
    let class = "repository/Counting-Core.package/Counter.class";
    sandbox.write("repository/Counting-Core.package/properties.json", "{ }");
    sandbox.write(
        "repository/Counting-Core.package/monticello.meta/categories.st",
        "SystemOrganization",
    );
    sandbox.write(
        &format!("{class}/properties.json"),
        "{\n\t\"commentStamp\" : \"\",\n\t\"super\" : \"Object\",\n\t\"category\" : \"Counting-Core-Numbers\",\n\
         \t\"classinstvars\" : [ ],\n\t\"pools\" : [ ],\n\t\"classvars\" : [\n\t\t\"First\"\n\t],\n\
         \t\"instvars\" : [\n\t\t\"count\"\n\t],\n\t\"name\" : \"Counter\",\n\t\"type\" : \"normal\"\n}",
    );
    sandbox.write(&format!("{class}/README.md"), "I count \"all\".");
    sandbox.write(
        &format!("{class}/class/initialize.st"),
        "class initialization\ninitialize\n\tFirst := (First ifNil: [ 0 ]) + 1",
    );
    sandbox.write(
        &format!("{class}/instance/next.st"),
        "counting\nnext\n\t\"Answers the next number\"\n\t^ count := (count ifNil: [ First ]) + 1",
    );
    sandbox.write(
        &format!("{class}/instance/plus..st"),
        "counting\nplus: aNumber\n\t^ self next + aNumber\n",
    );
    sandbox.write(
        "repository/Counting-Core.package/Object.extension/instance/isCounter.st",
        "*Counting-Core\nisCounter\n\t^ false",
    );
    sandbox
}

#[test]
fn a_file_out_of_a_hundred_classes_loads() {
    let sandbox = Sandbox::new("hundred");
    let mut source = String::from("'From Pharo'!\n");
    for class in 0..100 {
        let above = match class {
            0 => "Object".to_owned(),
            _ => format!("C{}", class - 1),
        };
        source.push_str(&format!(
            "{above} subclass: #C{class} instanceVariableNames: 'v{class}' classVariableNames: '' package: 'Many'!\n\
             !C{class} methodsFor: 'x'!\n"
        ));
        for method in 0..10 {
            source.push_str(&format!(
                "m{class}x{method}: x\n\tv{class} := x.\n\t^ v{class} + {class}!\n\n"
            ));
        }
        source.push_str(" !\n\n");
    }
    sandbox.write("many.st", source);
    sandbox
        .tally(&[
            "run",
            "many.st",
            "-e",
            "(C99 new m99x9: 1) + (C99 new m0x0: 2)",
        ])
        .exits(0)
        .prints("102\n")
        .is_silent();
}

#[test]
fn a_file_out_initialises_its_classes_itself() {
    let sandbox = Sandbox::new("itself");
    sandbox.write("code/Counter.st", COUNTER);
    for file in ["code", "code/Counter.st", "."] {
        sandbox
            .tally(&[
                "run",
                file,
                "-e",
                "Counter first printString , Counter comment",
            ])
            .exits(0)
            .prints("'1I count!'\n");
        sandbox.tally(&["test", file]).exits(0);
    }
    // Old systems end lines with carriage returns; errors have lines all the same.
    sandbox.write(
        "old.st",
        COUNTER
            .replace("^ First! !", "^ First )! !")
            .replace('\n', "\r"),
    );
    sandbox
        .tally(&["check", "old.st"])
        .exits(8)
        .says("old.st:16:10");
}

#[test]
fn a_package_in_filetree_loads() {
    let sandbox = filetree("filetree");
    for folder in ["repository", "repository/Counting-Core.package", "."] {
        sandbox
            .tally(&[
                "run",
                folder,
                "-e",
                "Counter comment , (Counter new plus: 3) printString , 3 isCounter printString",
            ])
            .exits(0)
            .prints("'I count \"all\".5false'\n")
            .is_silent();
    }
    sandbox.write(
        "repository/Counting-Core.package/Counter.class/instance/next.st",
        "counting\nnext\n\t^ count + )",
    );
    sandbox
        .tally(&["check", "repository"])
        .exits(8)
        .says("Counter.class/instance/next.st:3:1");
}

#[test]
fn tonel_comes_back_byte_for_byte() {
    let sandbox = geometry("round");
    sandbox
        .tally(&["export", "out", "src"])
        .exits(0)
        .prints("5 files in 1 package\n")
        .is_silent();
    for file in [
        ".properties",
        "Geometry-Core/package.st",
        "Geometry-Core/Shape.class.st",
        "Geometry-Core/Root.class.st",
        "Geometry-Core/TNamed.trait.st",
        "Geometry-Core/Object.extension.st",
    ] {
        assert_eq!(
            sandbox.read(&format!("out/{file}")),
            sandbox.read(&format!("src/{file}")),
            "{file}"
        );
    }
    sandbox
        .tally(&["export", "out", "src"])
        .exits(2)
        .says("out is not empty");
    sandbox.tally(&["export", "out", "src", "--force"]).exits(0);
}

#[test]
fn older_tonel_gets_the_keys_of_the_third_version() {
    let sandbox = Sandbox::new("older");
    sandbox.write(
        "Old-Core/package.st",
        "Package {\n\t#name : #'Old-Core'\n}\n",
    );
    sandbox.write(
        "Old-Core/Foo.class.st",
        "Class {\n\t#name : #Foo,\n\t#superclass : #Object,\n\t#instVars : [ 'a', 'b' ],\n\t#category : #'Old-Core-Tag'\n}\n\n\
         { #category : #b }\nFoo >> b [\n\t^ b\n]\n\n{ #category : #a }\nFoo >> a [\n\t^ a\n]\n",
    );
    sandbox.tally(&["export", "out", "Old-Core"]).exits(0);
    assert_eq!(
        sandbox.read("out/Old-Core/Foo.class.st"),
        "Class {\n\t#name : 'Foo',\n\t#superclass : 'Object',\n\t#instVars : [\n\t\t'a',\n\t\t'b'\n\t],\n\
         \t#category : 'Old-Core-Tag',\n\t#package : 'Old-Core',\n\t#tag : 'Tag'\n}\n\n\
         { #category : 'a' }\nFoo >> a [\n\t^ a\n]\n\n{ #category : 'b' }\nFoo >> b [\n\t^ b\n]\n"
    );
}

#[test]
fn every_notation_becomes_tonel() {
    let sandbox = filetree("notations");
    sandbox
        .tally(&["export", "fromTree", "repository"])
        .exits(0)
        .is_silent();
    assert_eq!(
        sandbox.read("fromTree/Counting-Core/Counter.class.st"),
        "\"\nI count \"\"all\"\".\n\"\nClass {\n\t#name : 'Counter',\n\t#superclass : 'Object',\n\t#instVars : [\n\t\t'count'\n\t],\n\
         \t#classVars : [\n\t\t'First'\n\t],\n\t#category : 'Counting-Core-Numbers',\n\t#package : 'Counting-Core',\n\
         \t#tag : 'Numbers'\n}\n\n{ #category : 'class initialization' }\nCounter class >> initialize [\n\
         \tFirst := (First ifNil: [ 0 ]) + 1\n]\n\n{ #category : 'counting' }\nCounter >> next [\n\
         \t\"Answers the next number\"\n\t^ count := (count ifNil: [ First ]) + 1\n]\n\n\
         { #category : 'counting' }\nCounter >> plus: aNumber [\n\t^ self next + aNumber\n]\n"
    );
    sandbox.write("Counter.st", COUNTER);
    sandbox
        .tally(&["export", "fromChunks", "Counter.st"])
        .exits(0)
        .prints("4 files in 1 package\n")
        .says("Counter.st: 1 statement left out");
    let test = sandbox.read("fromChunks/Counting-Core/CounterTest.class.st");
    assert!(
        test.contains("self assert: '!' size equals: 1\n]\n"),
        "{test}"
    );
    sandbox.tally(&["test", "fromChunks"]).exits(0);
    // What was exported is exported again as it is.
    sandbox.tally(&["export", "again", "fromChunks"]).exits(0);
    for file in [
        "Counter.class.st",
        "CounterTest.class.st",
        "Object.extension.st",
        "package.st",
    ] {
        let (first, second) = (
            format!("fromChunks/Counting-Core/{file}"),
            format!("again/Counting-Core/{file}"),
        );
        assert_eq!(sandbox.read(&first), sandbox.read(&second));
    }
}

#[test]
fn a_script_becomes_a_package_of_its_name() {
    let sandbox = Sandbox::new("script");
    sandbox.write(
        "script.st",
        "Object subclass: Foo [\n    | a |\n    <comment: 'I am Foo'>\n    Foo class >> make [\n        ^ self new\n    ]\n\
         \n    a: x [\n        <category: 'accessing'>\n        a := 'b\n    c' , x.\n        ^ a\n    ]\n]\n\
         Integer extend [ foo [ ^ 1 ] ]\n3 printNl.\n",
    );
    sandbox
        .tally(&["export", "fromScript", "script.st"])
        .exits(0)
        .says("script.st: 1 statement left out");
    assert_eq!(
        sandbox.read("fromScript/script/Foo.class.st"),
        "\"\nI am Foo\n\"\nClass {\n\t#name : 'Foo',\n\t#superclass : 'Object',\n\t#instVars : [\n\t\t'a'\n\t],\n\
         \t#category : 'script',\n\t#package : 'script'\n}\n\n{ #category : 'as yet unclassified' }\nFoo class >> make [\n\
         \x20   ^ self new\n]\n\n{ #category : 'accessing' }\nFoo >> a: x [\n    <category: 'accessing'>\n    a := 'b\n    c' , x.\n\
         \x20   ^ a\n]\n"
    );
    assert_eq!(
        sandbox.read("fromScript/script/Integer.extension.st"),
        "Extension { #name : 'Integer' }\n\n{ #category : '*script' }\nInteger >> foo [ ^ 1 ]\n"
    );
}

#[test]
fn what_cannot_be_exported_has_its_own_exit_code() {
    let sandbox = Sandbox::new("refused");
    sandbox.write("empty.st", "3 printNl.\n");
    sandbox
        .tally(&["export", "out", "empty.st"])
        .exits(4)
        .says("nothing to export");
    sandbox
        .tally(&["export", "out"])
        .exits(2)
        .says("nothing to export: name files");
    sandbox.write("broken.st", "Object subclass: Foo [ bar [ ^ ) ] ]\n");
    sandbox.tally(&["export", "out", "broken.st"]).exits(8);
    assert!(!sandbox.path("out").exists());
    sandbox.write("file", "x");
    sandbox.write("good.st", "Object subclass: Foo [ bar [ ^ 1 ] ]\n");
    sandbox.tally(&["export", "file", "good.st"]).exits(74);
    // The name of a package leads to no other folder.
    sandbox.write(
        "evil.st",
        "Class { #name : 'Foo', #superclass : 'Object', #category : 'x', #package : '../../x' }\n",
    );
    sandbox.tally(&["export", "in/out", "evil.st"]).exits(0);
    assert!(sandbox.path("in/out/-..-x/Foo.class.st").exists());
}
