//! Compiles SOM classes: definitions, code, literals. Every unit that is compiled here passes the checker. How the
//! machine runs the code is not tested here.

#[path = "support/checker.rs"]
mod checker;

use tally_compiler::environment::{ClassShape, Environment, UnitEnvironment};
use tally_compiler::{render, som};
use tally_vm::bytecode::{ClassDefinition, Code, Definition, Literal, Quick, Unit};

fn environment() -> UnitEnvironment {
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    environment.add_class(
        "Class",
        ClassShape {
            superclass: Some("Object".to_owned()),
            ..ClassShape::default()
        },
    );
    environment.add_class(
        "Base",
        ClassShape {
            superclass: Some("Object".to_owned()),
            instance_variables: vec!["inherited".to_owned()],
            class_instance_variables: vec!["shared".to_owned()],
            ..ClassShape::default()
        },
    );
    environment
}

#[track_caller]
fn unit_in(source: &str, environment: &dyn Environment) -> Unit {
    let compiled = som::compile("test.som", source, environment);
    let shown = render::render(&compiled.diagnostics, "test.som", source, false);
    let Some(unit) = compiled.unit else {
        panic!("{shown}")
    };
    assert_eq!(shown, "", "no warnings");
    checker::check_unit(&unit);
    unit
}

#[track_caller]
fn class(source: &str) -> ClassDefinition {
    match unit_in(source, &environment()).definitions.pop() {
        Some(Definition::Class(class)) => class,
        other => panic!("{other:?}"),
    }
}

/// The code of the only method of a class with the fields a and b.
#[track_caller]
fn method(text: &str) -> Code {
    let mut class = class(&format!("Foo = ( | a b | {text} )"));
    assert_eq!(class.methods.len(), 1);
    class.methods.remove(0).code
}

/// The instructions, a line each, and those of the blocks.
fn listing(code: &Code) -> String {
    let mut listing = checker::listing(&code.words, code);
    for block in &code.blocks {
        listing.push_str("--\n");
        listing.push_str(&checker::listing(&block.words, code));
    }
    listing
}

#[track_caller]
fn check(method_text: &str, expected: &[&str]) {
    let found = listing(&method(method_text));
    let lines: Vec<&str> = found.lines().map(str::trim).collect();
    assert_eq!(lines, expected, "\n{found}");
}

/// Whether the method sends these selectors, in this order, short cuts included.
#[track_caller]
fn sends(method_text: &str, expected: &[&str]) {
    let code = method(method_text);
    let found: Vec<&str> = code.sites.iter().map(|s| s.selector.as_str()).collect();
    assert_eq!(found, expected);
}

fn selectors(class: &ClassDefinition, class_side: bool) -> Vec<&str> {
    class
        .methods
        .iter()
        .filter(|method| method.class_side == class_side)
        .map(|method| method.code.selector.as_str())
        .collect()
}

#[test]
fn headers_name_the_class_and_its_superclass() {
    let header = |source| som::header(source).map(|header| (header.name, header.superclass));
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(
        header("\"A comment.\" Foo = ("),
        Ok(("Foo".to_owned(), named("Object")))
    );
    assert_eq!(
        header("Foo = Bar ( never closed [ ("),
        Ok(("Foo".to_owned(), named("Bar")))
    );
    assert_eq!(header("Object = nil ()"), Ok(("Object".to_owned(), None)));
    assert!(header("Foo Bar ()").is_err());
    assert!(header("").is_err());
}

#[test]
fn a_class_has_fields_and_methods_on_both_sides() {
    let class = class(
        "Foo = Base ( | a b | foo = ( ^a ) + x = ( ^b ) at: i put: v = ( a := v )
           ---------- | c | new = ( c := shared. ^super new ) || x = ( ^c ) )",
    );
    assert_eq!(class.name, "Foo");
    assert_eq!(class.superclass.as_deref(), Some("Base"));
    assert_eq!(class.instance_variables, ["a", "b"]);
    assert_eq!(class.class_instance_variables, ["c"]);
    assert_eq!(selectors(&class, false), ["foo", "+", "at:put:"]);
    assert_eq!(selectors(&class, true), ["new", "||"]);
    assert_eq!(class.methods[0].code.quick, Some(Quick::ReturnIvar(0)));
}

#[test]
fn a_class_without_superclass_is_a_root() {
    let class = class("Object = nil ( class = primitive )");
    assert_eq!(class.superclass, None);
}

#[test]
fn a_method_whose_selector_is_a_bar_is_no_field() {
    let class = class("Foo = ( | other = ( ^other ) || other = ( ^self ) ---- | x = ( ^x ) )");
    assert_eq!(selectors(&class, false), ["|", "||"]);
    assert_eq!(selectors(&class, true), ["|"]);
    assert_eq!(class.instance_variables, Vec::<String>::new());
}

#[test]
fn empty_fields_and_methods_are_fine() {
    let class = class("Foo = ( | | a = () b = ( | | ) c = ( | x | ) primitive = ( ^1 ) ---- | | )");
    assert_eq!(selectors(&class, false), ["a", "b", "c", "primitive"]);
    assert_eq!(class.methods[0].code.quick, Some(Quick::ReturnSelf));
}

#[test]
fn the_first_of_two_methods_with_one_selector_counts() {
    let class = class("Foo = ( a = ( ^1 ) a = ( ^2 ) ---- a = ( ^3 ) )");
    assert_eq!(class.methods.len(), 2);
    assert_eq!(class.methods[0].code.literals, [Literal::Integer(1)]);
    assert_eq!(class.methods[1].code.literals, [Literal::Integer(3)]);
}

#[test]
fn primitives_are_bound_by_class_and_selector() {
    let class = class("Foo = ( + other = primitive rem: x=primitive ---- new = primitive )");
    let bindings: Vec<Option<&str>> = class
        .methods
        .iter()
        .map(|method| method.code.primitive.as_deref())
        .collect();
    let expected = ["som:Foo>>+", "som:Foo>>rem:", "som:Foo class>>new"];
    assert_eq!(bindings, expected.map(Some));
    let code = &class.methods[0].code;
    assert_eq!(code.argument_count, 1);
    assert_eq!(code.quick, None);
    assert_eq!(code.sites[0].selector, "primitiveFailed:");
    assert_eq!(code.literals, [Literal::Symbol("+".to_owned())]);
}

#[test]
fn numbers_have_any_size() {
    let literals = |text: &str| method(&format!("m = ( ^{text} )")).literals;
    assert_eq!(literals("00"), [Literal::Integer(0)]);
    assert_eq!(literals("-0"), [Literal::Integer(0)]);
    assert_eq!(literals("- 17"), [Literal::Integer(-17)]);
    assert_eq!(
        literals("100000000000000000000"),
        [Literal::LargeInteger("100000000000000000000".to_owned())]
    );
    assert_eq!(
        literals("-9223372036854775809"),
        [Literal::LargeInteger("-9223372036854775809".to_owned())]
    );
    assert_eq!(literals("3.25"), [Literal::Float(3.25)]);
    assert_eq!(literals("-3.25"), [Literal::Float(-3.25)]);
}

#[test]
fn a_minus_is_a_sign_only_where_an_operand_begins() {
    sends("m = ( ^3 -5 )", &["-"]);
    sends("m = ( ^3 - -5 )", &["-"]);
    sends("m = ( ^a max: -5 )", &["max:"]);
    sends("m = ( ^-5 abs )", &["abs"]);
    sends("m = ( ^3 -- 5 )", &["--"]);
    sends("m = ( ^a - b - -1 - 1 )", &["-", "-", "-"]);
    let literals = method("m = ( ^#( 3 -5 - 7 -1.5 ) )").literals;
    let elements = vec![
        Literal::Integer(3),
        Literal::Integer(-5),
        Literal::Integer(-7),
        Literal::Float(-1.5),
    ];
    assert_eq!(literals, [Literal::Array(elements)]);
}

#[test]
fn strings_have_escapes() {
    let text = |quoted: &str| match method(&format!("m = ( ^{quoted} )")).literals.remove(0) {
        Literal::String(text) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        text(r"'a\tb\bc\nd\re\ff\0g\'h\\i'"),
        "a\tb\u{8}c\nd\re\u{c}f\0g'h\\i"
    );
    assert_eq!(text("''"), "");
    assert_eq!(text("'two\nlines'"), "two\nlines");
    assert_eq!(text("'two\r\nlines'"), "two\nlines");
    assert_eq!(text("'\"no comment\"'"), "\"no comment\"");
    assert_eq!(text("'žluťoučký'"), "žluťoučký");
}

#[test]
fn symbols_are_words_keywords_operators_or_quoted() {
    let text = |spelled: &str| match method(&format!("m = ( ^{spelled} )")).literals.remove(0) {
        Literal::Symbol(text) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(text("#foo"), "foo");
    assert_eq!(text("# foo"), "foo");
    assert_eq!(text("#at:"), "at:");
    assert_eq!(text("#at:put:"), "at:put:");
    assert_eq!(text("#+"), "+");
    assert_eq!(text("#||"), "||");
    assert_eq!(text("#-"), "-");
    assert_eq!(text(r"#'a \'b'"), "a 'b");
}

#[test]
fn literal_arrays_nest() {
    let literals = method("m = ( ^#( 1 #a: 'b' #( #( ) 2.5 ) #'c d' ) )").literals;
    let inner = vec![Literal::Array(Vec::new()), Literal::Float(2.5)];
    let elements = vec![
        Literal::Integer(1),
        Literal::Symbol("a:".to_owned()),
        Literal::String("b".to_owned()),
        Literal::Array(inner),
        Literal::Symbol("c d".to_owned()),
    ];
    assert_eq!(literals, [Literal::Array(elements)]);
}

#[test]
fn precedence_is_unary_binary_keyword() {
    sends(
        "m: x at: y = ( a foo: x bar + y bar at: a ~ b )",
        &["bar", "bar", "+", "~", "foo:at:"],
    );
    sends("m = ( ^(a foo: b) foo: b )", &["foo:", "foo:"]);
    sends("m = ( a foo:b )", &["foo:"]);
}

#[test]
fn short_cuts_are_those_of_som() {
    check(
        "m: x = ( ^x + 1 )",
        &["0 AddInt r1 #1 `+` @4 =r4", "1 Return r4"],
    );
    let instructions = [
        ("+", "Add "),
        ("-", "Subtract "),
        ("*", "Multiply "),
        ("/", "Divide "),
        ("%", "Modulo "),
        ("&", "BitAnd "),
        ("<", "Less "),
        ("<=", "LessEqual "),
        (">", "Greater "),
        (">=", "GreaterEqual "),
        ("=", "Equal "),
        ("<>", "NotEqual "),
        ("==", "Same "),
        ("~=", "NotSame "),
        ("at:", "At "),
    ];
    for (selector, instruction) in instructions {
        let listing = listing(&method(&format!("m: x = ( ^x {selector} a )")));
        assert!(listing.contains(instruction), "{selector}: {listing}");
    }
    let at_put = listing(&method("m: x = ( x at: a put: b )"));
    assert!(at_put.contains("AtPut "), "{at_put}");
    // The message answers the array, the instruction the element.
    let at_put = listing(&method("m: x = ( ^x at: a put: b )"));
    assert!(!at_put.contains("AtPut "), "{at_put}");
}

#[test]
fn short_cuts_depend_on_the_library() {
    struct Plain(UnitEnvironment);
    impl Environment for Plain {
        fn is_global(&self, name: &str) -> bool {
            self.0.is_global(name)
        }
        fn class(&self, name: &str) -> Option<ClassShape> {
            self.0.class(name)
        }
        fn understands(&self, selector: &str) -> bool {
            self.0.understands(selector)
        }
        fn selectors(&self) -> Vec<String> {
            self.0.selectors()
        }
        fn short_cut(&self, selector: &str) -> bool {
            !matches!(selector, ">" | "at:put:")
        }
    }
    let source = "Foo = ( m: x = ( x at: 1 put: (x at: 1) > (x < 2) ) )";
    let unit = unit_in(source, &Plain(environment()));
    let Some(Definition::Class(class)) = unit.definitions.first() else {
        panic!("a class")
    };
    let listing = listing(&class.methods[0].code);
    assert!(
        !listing.contains("Greater") && !listing.contains("AtPut"),
        "{listing}"
    );
    assert!(
        listing.contains("Less") && listing.contains("At "),
        "{listing}"
    );
}

#[test]
fn selectors_of_other_smalltalks_are_plain_sends() {
    for selector in ["//", "\\\\", "~~", "&&", "||", "->", ","] {
        let code = method(&format!("m: x = ( ^self {selector} x )"));
        let listing = listing(&code);
        assert!(listing.contains(" Send "), "{selector}: {listing}");
        assert_eq!(code.sites[0].selector, selector);
    }
}

#[test]
fn unknown_names_are_asked_for_when_they_are_needed() {
    let code = method("m = ( ^[ Later new ] )");
    let listing = listing(&code);
    assert!(listing.contains("LoadGlobalChecked"), "{listing}");
    let known = self::listing(&method("m = ( ^Base new: Foo )"));
    assert!(!known.contains("LoadGlobalChecked"), "{known}");
    // An unused mention of a name still sends the message for an unknown global.
    let effect = self::listing(&method("m = ( later )"));
    assert!(effect.contains("LoadGlobalChecked"), "{effect}");
}

#[test]
fn fields_are_inherited_on_both_sides() {
    let class = class("Foo = Base ( m = ( ^inherited ) ---- m = ( ^shared ) n = ( ^inherited ) )");
    assert_eq!(class.methods[0].code.ivars, ["inherited"]);
    assert_eq!(class.methods[1].code.ivars, ["shared"]);
    assert_eq!(class.methods[2].code.ivars, Vec::<String>::new());
}

#[test]
fn arguments_can_be_assigned() {
    let stores = |text: &str| listing(&method(text));
    // The caller's window keeps the argument; the method works on its own variable.
    assert!(
        stores("m: x = ( x := x + 1. ^x )").contains("Move"),
        "method"
    );
    assert!(
        stores("m = ( ^[ :x | x := x + 1. x ] )").contains("Move"),
        "block"
    );
    // A loop over an index that its body assigns has to go on counting by itself.
    let looping = stores("m = ( 1 to: 3 do: [ :i | i := i + 1. a := i ] )");
    assert!(looping.contains("LoopStepUp"), "{looping}");
    // An assignment in an inner block, and one to a variable of the same name elsewhere.
    stores("m: x = ( ^[ x := 3 ] )");
    stores("m: x = ( ^[ :y | y := 3. [ :z | x := y. z := x ] ] )");
    let untouched = stores("m = ( | i | i := 1. ^[ :x | x ] )");
    assert!(!untouched.contains("Move"), "{untouched}");
}

#[test]
fn names_can_hide_others() {
    check("m: x = ( | x | ^x )", &["0 LoadNil r2", "1 Return r2"]);
    method("m: a = ( | b b | b := a. ^[ :a | | b | b := a. b ] )");
    method("m = ( | Base thisContext | Base := thisContext. ^Base )");
}

#[test]
fn super_alone_is_self() {
    assert_eq!(method("m = ( ^super )").quick, Some(Quick::ReturnSelf));
    let listing = |text| listing(&method(text));
    assert!(listing("m = ( ^super + 1 )").contains("SuperSend"));
    assert!(listing("m = ( ^3 max: super foo )").contains("SuperSend"));
    assert!(!listing("m = ( ^(super) foo )").contains("SuperSend"));
    assert!(!listing("m = ( ^super foo: (super) )").is_empty());
}

#[test]
fn control_messages_are_inlined_when_their_arguments_are_blocks() {
    sends("m: x = ( ^x ifTrue: [ 1 ] ifFalse: [ 2 ] )", &[]);
    sends("m: x = ( ^x ifNil: [ 1 ] )", &[]);
    sends("m: x = ( ^x and: [ a ] )", &[]);
    sends("m: x = ( [ x ] whileTrue: [ a ] )", &[]);
    sends("m: x = ( ^x ifTrue: 1 ifFalse: 2 )", &["ifTrue:ifFalse:"]);
    sends("m: x = ( ^x && [ a ] )", &["&&"]);
    sends("m: x = ( x downTo: 1 do: [ :i | a ] )", &["downTo:do:"]);
}

#[test]
fn blocks_answer_their_last_value_or_nil() {
    let block = |text: &str| {
        let code = method(&format!("m = ( ^{text} )"));
        checker::listing(&code.blocks[0].words, &code)
    };
    assert!(block("[ ]").contains("LoadNil"));
    assert!(block("[ :x | ]").contains("LoadNil"));
    assert!(block("[ 1. 2. ]").contains("LoadInt r1 2"));
    assert!(block("[ ^1 ]").contains("NonLocalReturn"));
    assert!(block("[ ^1. ]").contains("NonLocalReturn"));
}

#[test]
fn a_class_compiles_with_a_byte_order_mark_and_any_line_ends() {
    class("\u{feff}Foo = (\r\n  m = (\r\n    ^1.\r\n  )\r\n)\r\n");
}
