//! Words and operators of other languages, and the way to write the same here. Diagnostics use them as help. This module
//! decides nothing about the text: a program may use each of these words as a name.

use tally_vm::bytecode::Span;

use crate::diagnostics::Diagnostic;

/// How to write a statement that begins with this word in other languages.
pub(crate) fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "class" | "struct" | "interface" | "enum" | "trait" | "impl" | "abstract" => {
            "a class is written `Object subclass: Foo [ … ]`, an extension `Foo extend [ … ]`"
        }
        "def" | "fn" | "func" | "function" | "fun" | "public" | "private" | "protected"
        | "static" | "void" | "async" => {
            "a method is written in its class, as in `double: x [ ^x * 2 ]`; a function is a block: `[ :x | x * 2 ]`"
        }
        "import" | "from" | "use" | "using" | "require" | "include" | "package" | "namespace"
        | "module" => {
            "there are no imports: classes are global, and the command line names the files: `tally run a.st b.st`"
        }
        "let" | "var" | "const" | "mut" | "int" | "double" | "float" | "string" | "auto"
        | "final" => "an assignment has no keyword and no type: `x := 3.`",
        "return" => "to answer a value write `^value`",
        "if" | "elif" | "elsif" | "unless" | "switch" | "match" | "case" => {
            "a condition is written `x > 3 ifTrue: [ … ] ifFalse: [ … ]`"
        }
        "else" => "both branches belong to one message: `x > 3 ifTrue: [ … ] ifFalse: [ … ]`",
        "while" | "until" | "loop" => "a loop is written `[ i < 3 ] whileTrue: [ … ]`",
        "for" | "foreach" => {
            "a loop is written `1 to: 3 do: [ :i | … ]`, or `collection do: [ :each | … ]`"
        }
        "print" | "println" | "printf" | "puts" | "echo" | "console" | "System" | "cout" => {
            "to print write `Transcript showCr: 'text'`, or `x printNl`"
        }
        "try" | "except" | "catch" => "errors are handled by `[ … ] on: Error do: [ :error | … ]`",
        "throw" | "raise" => "an error is signalled by `Error signal: 'text'`",
        "new" => "the class comes first: `OrderedCollection new`",
        "not" => "`not` is a message and comes last: `(x > 3) not`",
        "lambda" => "a function is a block: `[ :x | x * 2 ]`",
        "break" | "continue" => {
            "loops are left by `^` in a method; `detect:` and `anySatisfy:` stop at the first match"
        }
        _ => return None,
    })
}

/// How to write a statement that begins with this keyword, as in `if: x > 3 then: [ … ]`.
pub(crate) fn control(word: &str) -> Option<&'static str> {
    let is_control = matches!(
        word,
        "if" | "else"
            | "elif"
            | "while"
            | "for"
            | "foreach"
            | "return"
            | "print"
            | "println"
            | "try"
    );
    statement(word).filter(|_| is_control)
}

/// Whether other languages put this word before a method's name.
pub(crate) fn begins_method(word: &str) -> bool {
    matches!(
        word,
        "def"
            | "fn"
            | "func"
            | "function"
            | "fun"
            | "public"
            | "private"
            | "protected"
            | "static"
            | "void"
            | "async"
    )
}

/// How to write an object that has this name in other languages.
pub(crate) fn object(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "None" | "NULL" | "Null" | "nullptr" | "undefined" | "Nil" => {
            "the object for no value is `nil`"
        }
        "this" | "Self" => "the receiver of the method is `self`",
        "TRUE" | "FALSE" => "the Booleans are `true` and `false`",
        _ => return None,
    })
}

/// How to write a message that has this selector in other languages.
pub(crate) fn message(selector: &str) -> Option<&'static str> {
    Some(match selector {
        "!=" | "<>" | "!==" | "=/=" | "/=" => "unequal is written `~=`",
        "===" => "equal is written `=`, the same object `==`",
        "&&" => "and is written `(a > 1) and: [ b < 9 ]`",
        "||" => "or is written `(a > 1) or: [ b < 9 ]`",
        "%" => "the remainder is written `\\\\`, as in `7 \\\\ 2`",
        "+=" | "-=" | "*=" => "a variable is changed by an assignment: `x := x + 1`",
        "++" => "a variable is counted up by an assignment: `x := x + 1`",
        "--" => "a variable is counted down by an assignment: `x := x - 1`",
        "=>" => "a function is a block: `[ :x | x * 2 ]`",
        "<-" | "<=:" => "an assignment is written `x := 3`",
        "println" | "print" | "puts" | "echo" | "printLn" | "log" | "println:" | "print:"
        | "puts:" | "log:" => {
            "to print write `x printNl`, or `Transcript showCr: 'text'` for a text"
        }
        "toString" | "to_s" | "str" | "to_string" => "the text of an object is `x printString`",
        "length" | "len" | "count" => "the number of elements is `x size`",
        "append:" | "push:" | "push_back:" => "an element is added by `x add: 3`",
        "get:" => "an element is read by `x at: 1`",
        "contains:" | "has:" | "contain:" => "to search for an element write `x includes: 3`",
        "map:" => "a collection of answers is made by `x collect: [ :each | … ]`",
        "filter:" => "elements are chosen by `x select: [ :each | … ]`",
        "reduce:" | "fold:" | "reduce:initial:" => {
            "a sum is made by `x inject: 0 into: [ :sum :each | sum + each ]`"
        }
        "forEach:" | "foreach:" | "each:" | "for:" | "eachDo:" | "forEachDo:" => {
            "each element is visited by `x do: [ :each | … ]`"
        }
        "ifTrue:else:" | "if:else:" | "then:else:" => {
            "both branches are written `ifTrue: [ … ] ifFalse: [ … ]`"
        }
        "else:" => "both branches belong to one message: `ifTrue: [ … ] ifFalse: [ … ]`",
        "while:" => "a loop is written `[ i < 3 ] whileTrue: [ … ]`",
        _ => return None,
    })
}

/// The diagnostic of a word that has a meaning in other languages only.
pub(crate) fn reserved_elsewhere(word: &str, span: Span, help: &str) -> Diagnostic {
    let message = match word {
        "new" => "`new` stands behind the class".to_owned(),
        "not" => "`not` stands behind the value".to_owned(),
        _ => format!("`{word}` is not part of Smalltalk"),
    };
    Diagnostic::error("E0135", span, message)
        .labelled("written as in another language")
        .helping(help)
}

/// The diagnostic of arguments of a block that are written without colons.
pub(crate) fn without_colon(names: &str, span: Span) -> Diagnostic {
    let colons: Vec<String> = names
        .split_whitespace()
        .map(|name| format!(":{name}"))
        .collect();
    Diagnostic::error("E0137", span, "a block's argument has a colon")
        .labelled("read as a variable, whose value `|` combines")
        .helping(format!("write `[ {} | … ]`", colons.join(" ")))
}
