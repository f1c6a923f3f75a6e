//! Programs that fill the memory, whatever there is of it.

/// Programs that fill memory, each with something else.
pub(crate) const FILLING: &[(&str, &str)] = &[
    (
        "objects",
        "| c | c := OrderedCollection new. [true] whileTrue: [c add: (Array new: 100)]",
    ),
    ("a large object", "(Array new: 4294967296) size displayNl"),
    (
        "a large string",
        "| s | s := 'abc'. [true] whileTrue: [s := s , s]",
    ),
    (
        "evaluated texts",
        "1 to: 100000000 do: [:i | Smalltalk evaluate: i printString , ' + 1']",
    ),
    (
        "evaluated literals",
        "[true] whileTrue: [Smalltalk evaluate: '#(1 2 3) size']",
    ),
    (
        "methods",
        "1 to: 100000000 do: [:i | Object compile: 'foo' , i printString , ' ^' , i printString]",
    ),
    (
        "one method again and again",
        "1 to: 100000000 do: [:i | Object compile: 'foo ^' , i printString]",
    ),
    (
        "globals",
        "1 to: 100000000 do: [:i | Smalltalk at: ('Glob' , i printString) asSymbol put: i]",
    ),
    (
        "symbols",
        "1 to: 100000000 do: [:i | ('symbol' , i printString) asSymbol]",
    ),
    (
        "classes",
        "1 to: 100000000 do: [:i | Object subclass: ('Class' , i printString) asSymbol]",
    ),
    (
        "processes",
        "| c | c := OrderedCollection new. [true] whileTrue: [c add: [Processor activeProcess suspend] fork. Processor yield]",
    ),
];
