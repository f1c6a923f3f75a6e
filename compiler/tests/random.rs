//! Random methods: the compiled code passes the checker. Running the code and evaluating the tree send the same
//! messages in the same order, with the same repetitions and the same answer.

#[path = "support/checker.rs"]
mod checker;
#[path = "support/evaluator.rs"]
mod evaluator;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/values.rs"]
mod values;

use proptest::prelude::*;
use tally_compiler::ast::{Item, Member, Method};
use tally_compiler::environment::EmptyEnvironment;
use tally_compiler::{compile, parser};
use tally_vm::bytecode::{Code, Definition};
use values::{Effects, Exit, Value};

/// Decisions that random bytes make; when they run out, everything becomes a leaf.
struct Choices {
    bytes: std::vec::IntoIter<u8>,
}

impl Choices {
    fn below(&mut self, most: u8) -> u8 {
        self.bytes.next().unwrap_or(0) % most
    }

    fn of<'c>(&mut self, words: &[&'c str]) -> &'c str {
        words[usize::from(self.below(words.len() as u8))]
    }

    fn variable(&mut self) -> &'static str {
        self.of(&["p", "q", "x", "y", "z", "a", "b", "i", "v", "k"])
    }

    fn assignable(&mut self) -> &'static str {
        self.of(&["x", "y", "z", "a", "b"])
    }

    fn leaf(&mut self) -> String {
        match self.below(10) {
            0..=5 => self.variable().into(),
            6..=8 => format!("({})", i32::from(self.below(255)) - 100),
            _ => self.of(&["self", "nil", "100000000000", "true"]).into(),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth == 0 {
            return format!(
                "({} {} {})",
                self.leaf(),
                self.of(&["<", "=="]),
                self.leaf()
            );
        }
        let d = depth - 1;
        match self.below(10) {
            0..=3 => {
                let operator = self.of(&["<", ">", "=", "=="]);
                format!("({} {operator} {})", self.expr(d), self.expr(d))
            }
            4..=7 => {
                let word = self.of(&["and:", "or:"]);
                let left = self.condition(d);
                let before = if self.below(3) == 0 {
                    self.expr(d) + "."
                } else {
                    String::new()
                };
                format!("({left} {word} [{before} {}])", self.condition(d))
            }
            8 => {
                let (a, b, c) = (self.condition(d), self.condition(d), self.condition(d));
                format!("({a} ifTrue: [{b}] ifFalse: [{c}])")
            }
            _ => self.of(&["true", "false"]).into(),
        }
    }

    /// The inside of a block, with temporaries that hide outer ones.
    fn body(&mut self, depth: u32) -> String {
        let mut text = self.of(&["", "", "", "| x | ", "| y z | "]).to_owned();
        for _ in 0..self.below(4) {
            match self.below(16) {
                0 => text.push_str("^ "),
                1..=3 => text.push_str(&format!("{} := ", self.assignable())),
                _ => {}
            }
            text.push_str(&self.expr(depth));
            text.push_str(". ");
        }
        text
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.bytes.len() == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.below(34) {
            0..=1 => self.leaf(),
            2..=5 => {
                let operator = self.of(&["+", "-", "*", "foo:", "at:"]);
                format!("({} {operator} {})", self.expr(d), self.expr(d))
            }
            6..=8 => format!("({} := {})", self.assignable(), self.expr(d)),
            9 => format!(
                "({} at: {} put: {})",
                self.expr(d),
                self.expr(d),
                self.expr(d)
            ),
            10..=11 => format!(
                "({} foo: {} bar: {})",
                self.expr(d),
                self.expr(d),
                self.expr(d)
            ),
            12 => format!("({} foo; bar: {}; yourself)", self.expr(d), self.expr(d)),
            13 => format!("{{{}. {}}}", self.expr(d), self.expr(d)),
            14 => self.condition(d),
            15..=16 => {
                let (c, a, b) = (self.condition(d), self.body(d), self.body(d));
                format!("({c} ifTrue: [{a}] ifFalse: [{b}])")
            }
            17 => format!("({} ifTrue: [{}])", self.condition(d), self.body(d)),
            18 => format!("({} ifFalse: [{}])", self.condition(d), self.body(d)),
            19 => format!("({} ifNil: [{}])", self.expr(d), self.body(d)),
            20 => format!("({} ifNotNil: [:v | {}])", self.expr(d), self.body(d)),
            21 => {
                let (e, a, b) = (self.expr(d), self.body(d), self.body(d));
                format!("({e} ifNil: [{a}] ifNotNil: [:v | {b}])")
            }
            22..=23 => format!("[{}]", self.body(d)),
            24..=25 => format!("[{}] value", self.body(d)),
            26 => format!("([:k | {}] value: {})", self.body(d), self.expr(d)),
            27 => format!("({} value: {})", self.variable(), self.expr(d)),
            28 => format!("{} value", self.variable()),
            29 => format!("({} to: 3 do: [:i | {}])", self.expr(d), self.body(d)),
            30 => format!("(1 to: {} do: [:i | {}])", self.leaf(), self.body(d)),
            31 => format!(
                "(5 to: {} by: -2 do: [:i | {}])",
                self.expr(d),
                self.body(d)
            ),
            32 => format!("(3 timesRepeat: [{}])", self.body(d)),
            _ => match self.below(2) {
                0 => format!("([{}] whileTrue: [{}])", self.condition(d), self.body(d)),
                _ => format!("([{} {}] whileFalse: [])", self.body(d), self.condition(d)),
            },
        }
    }
}

fn random_body(bytes: Vec<u8>, depth: u32) -> String {
    let mut choices = Choices {
        bytes: bytes.into_iter(),
    };
    let mut text = String::new();
    while choices.bytes.len() > 0 {
        text.push_str(&choices.expr(depth));
        text.push_str(".\n");
    }
    format!("{text} ^ x")
}

/// The class; blocks leave their names `i`, `v`, `k` to instance variables outside of them.
fn class(body: &str, padding: &str) -> String {
    format!("nil subclass: Foo [ | a b i v k | m: p n: q [ | x y z {padding} | {body} ] ]")
}

fn tree_of(source: &str) -> Method {
    let (file, _) = parser::parse(source);
    for item in file.items {
        if let Item::Class(class) = item {
            for member in class.members {
                if let Member::Method(method) = member {
                    return method;
                }
            }
        }
    }
    panic!("no method in {source}");
}

fn code_of(source: &str) -> Code {
    let compiled = compile("random.st", source, &EmptyEnvironment);
    let Some(unit) = compiled.unit else {
        let errors: Vec<_> = compiled
            .diagnostics
            .iter()
            .filter(|one| one.is_error())
            .collect();
        panic!("{source}\n{errors:#?}")
    };
    checker::check_unit(&unit);
    match unit.definitions.into_iter().next() {
        Some(Definition::Class(mut class)) => class.methods.remove(0).code,
        other => panic!("{other:?}"),
    }
}

fn shown(outcome: Result<Value, Exit>) -> String {
    match outcome {
        Ok(value) => value.show(),
        Err(Exit::NoHome) => "no home".into(),
        Err(Exit::Enough) => "enough".into(),
        Err(Exit::Return(..)) => "lost".into(),
    }
}

#[track_caller]
fn same_both_ways(source: &str) {
    let arguments = [Value::Int(2), Value::Other(5)];
    let mut wanted = Effects::default();
    let wanted_answer = evaluator::evaluate(&tree_of(source), &arguments, &mut wanted);
    let code = code_of(source);
    let mut found = Effects::default();
    let found_answer = machine::run(&code, &arguments, &mut found);
    let listing = || checker::listing(&code.words, &code);
    assert_eq!(found.log, wanted.log, "{source}\n{}", listing());
    assert_eq!(
        shown(found_answer),
        shown(wanted_answer),
        "{source}\n{}",
        listing()
    );
    for name in ["a", "b", "i", "v", "k"] {
        let show = |effects: &Effects| effects.ivars.get(name).map(Value::show);
        assert_eq!(
            show(&found),
            show(&wanted),
            "{name} in {source}\n{}",
            listing()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn compiled_code_does_what_the_tree_says(bytes in prop::collection::vec(any::<u8>(), 0..250)) {
        same_both_ways(&class(&random_body(bytes, 6), ""));
    }

    #[test]
    fn so_does_code_in_wide_form(bytes in prop::collection::vec(any::<u8>(), 0..150)) {
        let padding: Vec<String> = (0..260).map(|n| format!("t{n}")).collect();
        same_both_ways(&class(&random_body(bytes, 6), &padding.join(" ")));
    }
}

#[test]
fn programs_that_went_wrong_once_stay_right() {
    for body in [
        "^ x + (x := 3)",
        "x := 1. ^ [ x := x + 1. x ] value + x",
        "1 to: 3 do: [ :i | y := [ :k | i + k ]. x := y value: 3 ]. ^ x",
        "x := [ ^ 3 ]. x value. ^ 4",
        "^ p ifNotNil: [ :v | y := p. v + y ]",
        "x := 3. ^ x ifNotNil: [ :v | x := 4. v + x ]",
        "x := 0. 1 to: 3 do: [ :i | x := x + i. y ifNil: [ y := [ x ] ] ]. ^ y value",
        "^ 1 to: (x ifNil: [ ^ 3 ] ifNotNil: [ ^ 4 ]) do: [ :i | x ]",
        "3 timesRepeat: [ | x | y := { x. y }. x := 4 ]. ^ y",
    ] {
        same_both_ways(&class(body, ""));
    }
}
