//! The parser and the compiler answer for every text of a file-out, even a damaged one. All spans of their diagnostics lie
//! inside the text.

use proptest::prelude::*;
use tally_compiler::environment::{ClassShape, UnitEnvironment};
use tally_compiler::{compile, is_file_out, parser, render};

const TEXT: &str = "'From Pharo ä'!\nObject subclass: #Foo\n\tinstanceVariableNames: 'a b'\n\tclassVariableNames: 'C'\n\
    \tpoolDictionaries: ''\n\tcategory: 'Foo-Core'!\n!Foo commentStamp: 'x' prior: 0!\nIt''s ä comment!!!\n\n\
    !Foo methodsFor: 'x y' stamp: 'a'!\nat: i put: x\n\t^ { self new. $]. 'it''s!!'. #(a [1 2] !!) }!\n\n\
    + b\n\t\"}\" ^ [ a + b ]! !\n\nFoo class uses: TFoo classTrait instanceVariableNames: 'c'!\n\
    !Foo class methodsFor: 'z'!\nmake <foo: 1> ^thisContext! !\n!Foo reorganize!\n(a b)!\nTrait named: #TFoo uses: {} \
    category: 'x'!\nObject << #Bar slots: { #a. #b => Slot }; tag: 'c'; package: 'd'!\nFoo new at: 1 put: 2!\n";

/// Pieces that mean something in a file-out.
const PIECES: &[&str] = &[
    "!",
    "!!",
    "! !",
    "\n!",
    "!Foo methodsFor: 'x'!\n",
    "!Foo class methodsFor: 'y' stamp: 'z'!\n",
    "!Foo commentStamp: 'x' prior: 0!\n",
    "!Foo reorganize!\n",
    "'From Pharo'!\n",
    "Object subclass: #Foo ",
    "instanceVariableNames: 'a'",
    "Object << #Bar ",
    "slots: {#a}",
    "; ",
    "foo: x ^x",
    "'",
    "\"",
    "$!!",
    "[",
    "]",
    "(",
    ")",
    "é",
    "\u{0}",
    "\r\n",
    "\r",
    "3",
    "#name",
    "\u{feff}",
    "Class { #name : 'Foo' }",
];

/// A text with removed, doubled or replaced parts.
fn mutated() -> impl Strategy<Value = String> {
    let change = (0.0..1.0f64, 0usize..20, 0..PIECES.len(), 0u8..4);
    proptest::collection::vec(change, 1..8).prop_map(|changes| {
        let mut text = TEXT.to_owned();
        for (place, length, piece, kind) in changes {
            let start = boundary(&text, (place * text.len() as f64) as usize);
            let end = boundary(&text, start + length);
            match kind {
                0 => text.replace_range(start..end, ""),
                1 => text.insert_str(start, PIECES[piece]),
                2 => text.replace_range(start..end, PIECES[piece]),
                _ => {
                    let part = text[start..end].to_owned();
                    text.insert_str(end, &part);
                }
            }
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

fn soup() -> impl Strategy<Value = String> {
    proptest::collection::vec(0..PIECES.len(), 0..40)
        .prop_map(|pieces| pieces.into_iter().map(|piece| PIECES[piece]).collect())
}

fn check(text: &str) {
    let (_, diagnostics) = parser::parse(text);
    for one in &diagnostics {
        let (start, end) = (one.span.start as usize, one.span.end as usize);
        assert!(start <= end && end <= text.len(), "{one:?} in {text:?}");
        assert!(
            text.is_char_boundary(start) && text.is_char_boundary(end),
            "{one:?} in {text:?}"
        );
    }
    let _ = is_file_out(text);
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    let compiled = compile("test.st", text, &environment);
    let has_error = compiled.diagnostics.iter().any(|one| one.is_error());
    assert_eq!(compiled.unit.is_none(), has_error, "{text:?}");
    let rendered = render::render(&compiled.diagnostics, "test.st", text, false);
    assert_eq!(rendered.is_empty(), compiled.diagnostics.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn changed_texts_are_read(text in mutated()) {
        check(&text);
    }

    #[test]
    fn soups_are_read(text in soup()) {
        check(&text);
    }
}
