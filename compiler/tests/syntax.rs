//! The trees of valid texts, written as fully parenthesised expressions.

use tally_compiler::ast::{
    Body, Expr, ExprKind, File, Item, Literal, Member, Message, Method, Name, PlacedMethod, Pragma,
    Statement,
};
use tally_compiler::parser;

/// Checks that `source` parses without a diagnostic, to what `expected` says.
#[track_caller]
fn check(source: &str, expected: &str) {
    let (file, diagnostics) = parser::parse(source);
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:#?}");
    assert_eq!(show_file(&file), expected, "{source}");
}

fn show_file(file: &File) -> String {
    file.items
        .iter()
        .map(show_item)
        .collect::<Vec<_>>()
        .join(" ; ")
}

fn show_item(item: &Item) -> String {
    match item {
        Item::Temporaries(names) => show_names(names),
        Item::Statement(statement) => show_statement(statement),
        Item::Class(class) => format!(
            "class {} < {} {{{}}}",
            class.name.text,
            class.superclass.text,
            show_members(&class.members)
        ),
        Item::Extend(extension) => format!(
            "extend {}{} {{{}}}",
            extension.class.text,
            if extension.class_side { " class" } else { "" },
            show_members(&extension.members)
        ),
        Item::Method(placed) => show_placed(placed),
        Item::Eval { body, .. } => format!("eval {{{}}}", show_body(body)),
    }
}

fn show_members(members: &[Member]) -> String {
    members
        .iter()
        .map(show_member)
        .collect::<Vec<_>>()
        .join(" ; ")
}

fn show_member(member: &Member) -> String {
    match member {
        Member::InstanceVariables(names) => show_names(names),
        Member::ClassInstanceVariables(names) => format!("class {}", show_names(names)),
        Member::ClassVariable { name, value } => format!("{} := {}", name.text, show(value)),
        Member::Pragma(pragma) => show_pragma(pragma),
        Member::Method(method) => show_method(method),
        Member::Placed(placed) => show_placed(placed),
    }
}

fn show_placed(placed: &PlacedMethod) -> String {
    let side = if placed.class_side { " class" } else { "" };
    format!(
        "{}{side} >> {}",
        placed.class.text,
        show_method(&placed.method)
    )
}

fn show_method(method: &Method) -> String {
    let parameters: Vec<&str> = method.parameters.iter().map(|p| p.text.as_str()).collect();
    let pragmas: String = method.pragmas.iter().map(show_pragma).collect();
    format!(
        "{}({}) {{{pragmas}{}}}",
        method.selector.text,
        parameters.join(" "),
        show_body(&method.body)
    )
}

fn show_pragma(pragma: &Pragma) -> String {
    let arguments: Vec<String> = pragma.arguments.iter().map(show_literal).collect();
    format!("<{} {}>", pragma.selector, arguments.join(" "))
}

fn show_names(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    format!("|{}|", names.join(" "))
}

fn show_body(body: &Body) -> String {
    let names = if body.temporaries.is_empty() {
        String::new()
    } else {
        format!("{} ", show_names(&body.temporaries))
    };
    let statements: Vec<String> = body.statements.iter().map(show_statement).collect();
    names + &statements.join(". ")
}

fn show_statement(statement: &Statement) -> String {
    match statement {
        Statement::Expression(expression) => show(expression),
        Statement::Return { value, .. } => format!("^{}", show(value)),
    }
}

fn show(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Literal(literal) => show_literal(literal),
        ExprKind::Variable(name) => name.clone(),
        ExprKind::Assign { target, value } => format!("({} := {})", target.text, show(value)),
        ExprKind::Send { receiver, message } => {
            format!("({}{})", show(receiver), show_message(message))
        }
        ExprKind::Cascade { receiver, messages } => {
            let messages: Vec<String> = messages.iter().map(show_message).collect();
            format!("({}{})", show(receiver), messages.join(";"))
        }
        ExprKind::Block(block) => {
            let parameters: String = block
                .parameters
                .iter()
                .map(|name| format!(":{} ", name.text))
                .collect();
            format!("[{parameters}{}]", show_body(&block.body))
        }
        ExprKind::Brace(elements) => {
            format!(
                "{{{}}}",
                elements.iter().map(show).collect::<Vec<_>>().join(". ")
            )
        }
        ExprKind::Error => "ERROR".to_string(),
    }
}

fn show_message(message: &Message) -> String {
    let arguments: String = message
        .arguments
        .iter()
        .map(|a| format!(" {}", show(a)))
        .collect();
    format!(" {}{arguments}", message.selector)
}

fn show_literal(literal: &Literal) -> String {
    match literal {
        Literal::Nil => "nil".to_string(),
        Literal::True => "true".to_string(),
        Literal::False => "false".to_string(),
        Literal::Integer(digits) => digits.clone(),
        Literal::Float(value) => format!("{value:?}f"),
        Literal::Fraction(numerator, denominator) => format!("{numerator}/{denominator}"),
        Literal::ScaledDecimal(numerator, denominator, scale) => {
            format!("{numerator}/{denominator}s{scale}")
        }
        Literal::Character(code) => format!("${code}"),
        Literal::String(text) => format!("'{text}'"),
        Literal::Symbol(text) => format!("#{text}"),
        Literal::Array(elements) => {
            format!(
                "#({})",
                elements
                    .iter()
                    .map(show_literal)
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        }
        Literal::ByteArray(bytes) => format!("#{bytes:?}"),
        Literal::Binding(name) => format!("#{{{name}}}"),
    }
}

#[test]
fn precedence_is_unary_binary_keyword() {
    check("a b c", "((a b) c)");
    check("a + b c * d", "((a + (b c)) * d)");
    check("a at: b c + d put: e", "(a at:put: ((b c) + d) e)");
    check("(a at: b) c", "((a at: b) c)");
    check("a := b := c", "(a := (b := c))");
    check("a | b", "(a | b)");
    check(
        "a < b. a > b. a >> b. a ->b. a || b",
        "(a < b) ; (a > b) ; (a >> b) ; (a -> b) ; (a || b)",
    );
}

#[test]
fn cascades_send_to_the_receiver_of_the_first_message() {
    check("a b; c: d; + e", "(a b; c: d; + e)");
    check("a b c: d; e", "((a b) c: d; e)");
    check("x := a b; yourself", "(x := (a b; yourself))");
}

#[test]
fn integers_of_any_radix_and_exponent() {
    check("16r1F", "31");
    check("-16rFF", "-255");
    check("2r1010e2", "40");
    check("2e10", "20000000000");
    check("1000e-2", "10");
    check("1_000_000", "1000000");
    check("36rZZ", "1295");
    check("007", "7");
    check("-0", "0");
    check(
        "16rFFFFFFFFFFFFFFFFFFFFFFFF",
        "79228162514264337593543950335",
    );
}

#[test]
fn floats_and_scaled_decimals() {
    check("1.5", "1.5f");
    check("1.5e-3", "0.0015f");
    check("-0.0", "-0.0f");
    check("1.5d2", "150.0f");
    check("3.14s2", "314/100s2");
    check("3s2", "3/1s2");
    check("3.140s", "3140/1000s3");
    check("1.0e-400", "0.0f");
}

#[test]
fn a_minus_is_a_sign_only_where_no_operand_precedes() {
    check("3-5", "(3 - 5)");
    check("3 -5", "(3 - 5)");
    check("x -1", "(x - 1)");
    check("3 - -5", "(3 - -5)");
    check("3--5", "(3 - -5)");
    check("3+-5", "(3 + -5)");
    check("-5 abs", "(-5 abs)");
    check("x foo: -5", "(x foo: -5)");
    check("[:x|-3 abs]", "[:x (-3 abs)]");
    check("#(1 -5 a-5)", "#(1 -5 #a -5)");
    check("(1) -5", "(1 - 5)");
}

#[test]
fn a_period_ends_a_statement_or_belongs_to_a_number_or_scope() {
    check("x := 3.y := 4", "(x := 3) ; (y := 4)");
    check("x := 3.5.y", "(x := 3.5f) ; y");
    check("Smalltalk.Foo bar", "(Smalltalk.Foo bar)");
    check("x := y.Foo bar", "(x := y) ; (Foo bar)");
    check("x := Foo.bar", "(x := Foo) ; bar");
    check("a.. b. ! c ! !", "a ; b ; c");
}

#[test]
fn characters_strings_and_symbols() {
    check("$a. $ . $'. $é", "$97 ; $32 ; $39 ; $233");
    check("'it''s'. ''. 'a\nb'", "'it's' ; '' ; 'a\nb'");
    check(
        "#foo. #foo:bar:. #+. #'a b'. #at:put",
        "#foo ; #foo:bar: ; #+ ; #a b ; #at:put",
    );
    check("x foo: #at:put: bar: #->", "(x foo:bar: #at:put: #->)");
    check("#{Foo}. #{Smalltalk.Foo}", "#{Foo} ; #{Smalltalk.Foo}");
    check("#_x1", "#_x1");
}

#[test]
fn literal_arrays_hold_words_constants_and_arrays() {
    check(
        "#(1 foo #bar 'x' $a nil true false)",
        "#(1 #foo #bar 'x' $97 nil true false)",
    );
    check("#((1 2) #(3) [4 5] #[6])", "#(#(1 2) #(3) #[4, 5] #[6])");
    check(
        "#(foo: foo:bar: + >= | < self)",
        "#(#foo: #foo:bar: #+ #>= #| #< #self)",
    );
    check("#(#{Foo} 1.5 (a (b)))", "#(#{Foo} 1.5f #(#a #(#b)))");
    check("#(). #[]. {}", "#() ; #[] ; {}");
    check("#[0 255 16rFF]", "#[0, 255, 255]");
    check("{1. 2 + 3. x}. {1.}", "{1. (2 + 3). x} ; {1}");
    check("{1 -1}", "{(1 - 1)}");
}

#[test]
fn blocks_have_arguments_and_temporaries() {
    check(
        "[]. [1]. [:x]. [:x :y | x]. [ :x| ]",
        "[] ; [1] ; [:x ] ; [:x :y x] ; [:x ]",
    );
    check("[| t | t := 1. t]", "[|t| (t := 1). t]");
    check("[:x | | t u | | v | t]", "[:x |t u v| t]");
    check("[:x || t | t]", "[:x |t| t]");
    check("[|| 3]. [| | 3]", "[3] ; [3]");
    check("[^1]", "[^1]");
    check("[a. | b | b := 1]", "[|b| a. (b := 1)]");
}

#[test]
fn scripts_declare_variables_anywhere() {
    check("| a b | a := 1. | c | c", "|a b| ; (a := 1) ; |c| ; c");
    check("", "");
    check("\"only a comment\"", "");
    check("#!/usr/bin/env tally\n^1", "^1");
    check("\u{feff}x", "x");
    check("^ x foo", "^(x foo)");
}

#[test]
fn pseudo_variables() {
    check("nil. true. false", "nil ; true ; false");
    check(
        "self foo. super foo. thisContext",
        "(self foo) ; (super foo) ; thisContext",
    );
}

#[test]
fn classes_in_bracket_syntax() {
    check("Object subclass: Foo [ ]", "class Foo < Object {}");
    check("nil subclass: #Foo [ ]", "class Foo < nil {}");
    check(
        "Object subclass: Foo [ | a b | | c | ]",
        "class Foo < Object {|a b| ; |c|}",
    );
    check(
        "A subclass: B [ <comment: 'x'> <shape: #pointer> <category: y> ]",
        "class B < A {<comment: 'x'> ; <shape: #pointer> ; <category: #y>}",
    );
    check(
        "A subclass: B [ Foo := 3. Bar := nil. ]",
        "class B < A {Foo := 3 ; Bar := nil}",
    );
    check(
        "A subclass: B [ B class [ | a b | ] ]",
        "class B < A {class |a b|}",
    );
    check(
        "A subclass: B [ B class >> new [ ^super new ] B >> x [ ] ]",
        "class B < A {B class >> new() {^(super new)} ; B >> x() {}}",
    );
}

#[test]
fn methods_of_every_pattern() {
    check(
        "A subclass: B [ foo [ ^1 ] + x [ ^x ] at: i put: v [ i. v ] ]",
        "class B < A {foo() {^1} ; +(x) {^x} ; at:put:(i v) {i. v}}",
    );
    check(
        "A subclass: B [ | x [ ] < x [ ] > x [ ] >> x [ ] || x [ ] - x [ ] ]",
        "class B < A {|(x) {} ; <(x) {} ; >(x) {} ; >>(x) {} ; ||(x) {} ; -(x) {}}",
    );
    check(
        "A subclass: B [ foo [ <primitive: intAdd> | a | <bar: 1 baz: #x> a := 1. ^a ] ]",
        "class B < A {foo() {<primitive: #intAdd><bar:baz: 1 #x>|a| (a := 1). ^a}}",
    );
    check(
        "A subclass: B [ foo [ | a | <primitive: 60> ] bar [ <gtExample> ] ]",
        "class B < A {foo() {<primitive: 60>|a| } ; bar() {<gtExample >}}",
    );
    check(
        "A subclass: B [ foo\n[\n^[:x | x] ] ]",
        "class B < A {foo() {^[:x x]}}",
    );
}

#[test]
fn extensions_placed_methods_and_evals() {
    check("Foo extend [ bar [ ] ]", "extend Foo {bar() {}}");
    check(
        "Foo class extend [ bar [ ] | a | ]",
        "extend Foo class {bar() {} ; |a|}",
    );
    check("Foo >> bar: x [ ^x ]", "Foo >> bar:(x) {^x}");
    check("Foo class >> + x [ ^x ]", "Foo class >> +(x) {^x}");
    check(
        "Smalltalk.Foo class >> x [ ]",
        "Smalltalk.Foo class >> x() {}",
    );
    check("Eval [ | a | a := 1. ^a ]", "eval {|a| (a := 1). ^a}");
    check(
        "Foo >> bar. Foo extend. Foo subclass: Bar",
        "(Foo >> bar) ; (Foo extend) ; (Foo subclass: Bar)",
    );
    check(
        "x. Foo extend [ ] y. Eval [ ] ^z",
        "x ; extend Foo {} ; y ; eval {} ; ^z",
    );
    check("| a |\nFoo extend [ ]", "|a| ; extend Foo {}");
}

#[test]
fn a_method_as_a_browser_shows_it() {
    let (method, diagnostics) =
        parser::parse_method("at: i put: v\n\t<primitive: x>\n\t| t |\n\tt := v.\n\t^self at: i");
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    assert_eq!(
        show_method(&method),
        "at:put:(i v) {<primitive: #x>|t| (t := v). ^(self at: i)}"
    );
}

#[test]
fn spans_are_bytes_and_leave_parentheses_out() {
    let source = "é'é' . (a b) c: (d)";
    let (file, _) = parser::parse("'é'. (a b) c: (d)");
    assert!(source.is_char_boundary(2));
    let Some(Item::Statement(Statement::Expression(expression))) = file.items.get(1) else {
        panic!("{file:#?}")
    };
    assert_eq!((expression.span.start, expression.span.end), (6, 18));
    let ExprKind::Send { receiver, message } = &expression.kind else {
        panic!("{expression:#?}")
    };
    assert_eq!((receiver.span.start, receiver.span.end), (7, 10));
    assert_eq!(
        (message.selector_span.start, message.selector_span.end),
        (12, 14)
    );
    assert_eq!((message.span.start, message.span.end), (12, 18));
    assert_eq!(
        (
            message.arguments[0].span.start,
            message.arguments[0].span.end
        ),
        (16, 17)
    );
}

/// All `.st` files below a folder of the repository.
fn smalltalk_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(smalltalk_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "st") {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_library_and_the_examples_parse() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["stdlib", "examples"].map(|folder| smalltalk_files(&root.join(folder)));
    assert!(folders.iter().all(|files| !files.is_empty()));
    for path in folders.iter().flatten() {
        let source = std::fs::read_to_string(path).unwrap_or_default();
        let (_, diagnostics) = parser::parse(&source);
        let text =
            tally_compiler::render::render(&diagnostics, &path.to_string_lossy(), &source, false);
        assert!(text.is_empty(), "{text}");
    }
}
