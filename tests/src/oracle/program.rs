//! Random programs. Bytes make the decisions, so that fewer or smaller bytes make smaller programs. Every program ends:
//! methods, stored blocks and loops consume fuel, and do next to nothing without fuel.

use std::fmt::Write;

use crate::observe::Options;

/// A program with the options of its run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its text.
    pub source: String,
    /// Limits and time slices.
    pub options: Options,
}

/// How deep expressions nest.
const DEPTH: u32 = 4;
/// Methods that the classes of a program have.
const METHODS: usize = 4;
/// Its classes, each but the first below the one before.
const CLASSES: [&str; 3] = ["A", "B", "C"];

/// The program that the bytes decide.
pub fn program(bytes: &[u8]) -> Program {
    let mut writer = Writer {
        bytes: bytes.iter(),
        place: Place::Script,
        names: 0,
        integers: Vec::new(),
        blocks: Vec::new(),
        exceptions: Vec::new(),
    };
    let options = writer.options();
    let source = writer.program();
    Program { source, options }
}

/// Where code stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the top level; statements assign script variables.
    Script,
    /// In a method of the class of that number.
    Method(usize),
    /// In a method of a class side.
    ClassSide,
}

struct Writer<'b> {
    bytes: std::slice::Iter<'b, u8>,
    place: Place,
    /// Names given so far, so that none is given twice.
    names: usize,
    /// Variables in reach that hold integers; those with `true` can be assigned.
    integers: Vec<(String, bool)>,
    /// Variables in reach that hold blocks.
    blocks: Vec<String>,
    /// Handler blocks' arguments in reach.
    exceptions: Vec<String>,
}

const EXCEPTIONS: [&str; 9] = [
    "Error",
    "Exception",
    "ZeroDivide",
    "Warning",
    "Notification",
    "Oops",
    "MessageNotUnderstood",
    "(ZeroDivide, Oops)",
    "BlockCannotReturn",
];

const SIGNALS: [&str; 9] = [
    "Error new signal",
    "Error signal: 'e'",
    "(1 / 0)",
    "Warning signal: 'w'",
    "Notification signal",
    "Oops new signal",
    "(Oops new tag: 3; signal: 'o')",
    "(nil zork: 3)",
    "ZeroDivide new signal",
];

impl Writer<'_> {
    fn below(&mut self, most: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % most
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn new_name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn options(&mut self) -> Options {
        let mut options = Options::default();
        if self.chance(6) {
            options.slice = Some(1 + self.below(40) as u64);
        }
        if self.chance(10) {
            options.max_ticks = Some((self.below(256) * 8 + self.below(8)) as u64);
        }
        options
    }

    // --- the whole ------------------------------------------------------------------------------

    fn program(&mut self) -> String {
        let fuel = 5 + self.below(60);
        let mut text = format!(
            "Object subclass: Root [\n    Fuel := {fuel}.\n    \
             Root class >> isLit [ Fuel := Fuel - 1. ^Fuel > 0 ]\n    \
             Root class >> run: aBlock [ ^self isLit ifTrue: [aBlock value] ifFalse: [0] ]\n    \
             Root class >> run: aBlock with: x [ ^self isLit ifTrue: [aBlock cull: x] ifFalse: [0] ]\n]\n\
             Exception subclass: Oops [ isResumable [ ^true ] defaultAction [ ^7 ] ]\n"
        );
        let classes = 1 + self.below(CLASSES.len());
        // The code that runs first gets its bytes first.
        let script = self.script(classes);
        for number in 0..classes {
            self.class(number, &mut text);
        }
        text + &script
    }

    fn script(&mut self, classes: usize) -> String {
        let mut text = "| a b s x y f g |\n".to_string();
        let second = CLASSES[self.below(classes)];
        let _ = writeln!(
            text,
            "a := A new. b := {second} new. s := Semaphore new. x := 1. y := 2. f := [3]. g := [:k | k]."
        );
        self.place = Place::Script;
        self.integers = vec![("x".into(), true), ("y".into(), true)];
        self.blocks = vec!["f".into(), "g".into()];
        let count = 1 + self.below(8);
        for _ in 0..count {
            if self.chance(8) {
                self.extension(classes, &mut text);
            }
            let statement = self.statement(DEPTH);
            if self.chance(6) {
                let _ = writeln!(text, "{statement}.");
            } else {
                let _ = writeln!(
                    text,
                    "[{statement}] on: Error do: [:err | x := err class name size. err return: 1]."
                );
            }
        }
        if self.chance(2) {
            text.push_str("3 timesRepeat: [Processor yield].\n");
        }
        text.push_str("Transcript showCr: x printString; showCr: y printString.\n");
        text
    }

    fn class(&mut self, number: usize, text: &mut String) {
        let superclass = match number {
            0 => "Root",
            _ => CLASSES[number - 1],
        };
        let name = CLASSES[number];
        let fields = if number == 0 { "| p q | " } else { "" };
        let _ = writeln!(text, "{superclass} subclass: {name} [ {fields}");
        if number == 0 {
            text.push_str("    initialize [ p := 1. q := 2 ]\n    p [ ^p ]\n    q: k [ q := k ]\n    me [ ^self ]\n");
            let maker = self.block_maker();
            let _ = writeln!(text, "    make: k [ {maker} ]");
        }
        for method in 0..METHODS {
            if number == 0 || self.chance(3) {
                let body = self.method_body(Place::Method(number));
                let _ = writeln!(text, "    m{method}: k [ {body} ]");
            }
        }
        if self.chance(5) {
            let answer = self.one_of(&[
                "^aMessage arguments size",
                "^3",
                "^super doesNotUnderstand: aMessage",
            ]);
            let _ = writeln!(text, "    doesNotUnderstand: aMessage [ {answer} ]");
        }
        if self.chance(6) {
            let answer = self.one_of(&["^true", "^false", "^1 = 1", "^super mustBeBoolean"]);
            let _ = writeln!(text, "    mustBeBoolean [ {answer} ]");
        }
        if self.chance(3) {
            let body = self.method_body(Place::ClassSide);
            let _ = writeln!(text, "    {name} class >> c: k [ {body} ]");
        } else if number == 0 {
            text.push_str("    A class >> c: k [ ^k + 1 ]\n");
        }
        text.push_str("]\n");
    }

    fn extension(&mut self, classes: usize, text: &mut String) {
        let number = self.below(classes);
        let method = self.below(METHODS);
        let body = self.method_body(Place::Method(number));
        let _ = writeln!(
            text,
            "{} extend [ m{method}: k [ {body} ] ]",
            CLASSES[number]
        );
    }

    /// Runs a part of the writing with other variables in reach.
    fn inside<T>(&mut self, place: Place, write: impl FnOnce(&mut Self) -> T) -> T {
        let kept = (
            std::mem::take(&mut self.integers),
            std::mem::take(&mut self.blocks),
            std::mem::take(&mut self.exceptions),
            std::mem::replace(&mut self.place, place),
        );
        let written = write(self);
        (self.integers, self.blocks, self.exceptions, self.place) = kept;
        written
    }

    /// The variables that a method has; its block is in `u`.
    fn reach_of_method(&mut self) {
        self.integers.push(("k".into(), false));
        self.integers.push(("t".into(), true));
        if matches!(self.place, Place::Method(_)) {
            self.integers.push(("p".into(), true));
            self.integers.push(("q".into(), true));
        }
        self.blocks.push("u".into());
    }

    fn method_body(&mut self, place: Place) -> String {
        self.inside(place, |this| {
            this.reach_of_method();
            let body = this.sequence(DEPTH - 1, true);
            let guard = this.one_of(&["^0", "^k", "^0", "^self"]);
            format!("| t u | t := k. u := [k]. Root isLit ifFalse: [{guard}]. {body}")
        })
    }

    /// A method that answers a block, whose `^` finds no home later.
    fn block_maker(&mut self) -> String {
        self.inside(Place::Method(0), |this| {
            this.reach_of_method();
            let body = this.sequence(1, false);
            let end = this.one_of(&["^k", "^1", "k + 1", "k"]);
            format!("| t u | t := k. u := [k]. ^[:z | {body}. {end}]")
        })
    }

    // --- statements -----------------------------------------------------------------------------

    /// Statements; in a method the last may be a return.
    fn sequence(&mut self, depth: u32, returns: bool) -> String {
        let count = 1 + self.below(3);
        let mut parts: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        if returns && self.place != Place::Script && self.chance(2) {
            let value = self.integer(depth.saturating_sub(1));
            parts.push(format!("^{value}"));
        } else if self.chance(2) {
            parts.push(self.integer(depth.saturating_sub(1)));
        }
        parts.join(". ")
    }

    fn block(&mut self, depth: u32) -> String {
        let body = self.with_temporaries(depth);
        format!("[{body}]")
    }

    /// The inside of a block, sometimes with variables of its own.
    fn with_temporaries(&mut self, depth: u32) -> String {
        if !self.chance(5) {
            return self.sequence(depth, true);
        }
        let name = self.new_name('t');
        self.integers.push((name.clone(), true));
        let body = self.sequence(depth, true);
        self.integers.pop();
        format!("| {name} | {name} := 1. {body}")
    }

    fn block_with(&mut self, depth: u32) -> String {
        let name = self.new_name('k');
        self.integers.push((name.clone(), false));
        let body = self.with_temporaries(depth);
        self.integers.pop();
        format!("[:{name} | {body}]")
    }

    fn assignable(&mut self) -> String {
        let found: Vec<String> = self
            .integers
            .iter()
            .filter(|(_, can)| *can)
            .map(|(name, _)| name.clone())
            .collect();
        let index = self.below(found.len().max(1));
        found.get(index).cloned().unwrap_or_else(|| "x".into())
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.integer(0);
        }
        let d = depth - 1;
        match self.below(26) {
            0..=5 => {
                let name = self.assignable();
                let value = self.integer(d);
                format!("{name} := {value}")
            }
            6..=9 => self.integer(d),
            10 => self.loop_statement(d),
            11 => self.loop_statement(d),
            12 => {
                let (condition, block) = (self.condition(d), self.block(d));
                let word = self.one_of(&["ifTrue:", "ifFalse:"]);
                format!("{condition} {word} {block}")
            }
            13 => self.process_statement(d),
            14 => self.process_statement(d),
            15 => {
                let name = self.some_block();
                let block = match self.below(3) {
                    0 => self.block_with(d),
                    1 => "(A new make: 3)".to_string(),
                    _ => self.block(d),
                };
                format!("{name} := {block}")
            }
            16 => self.redefinition(d),
            17 => {
                let (body, last) = (self.block(d), self.block(d));
                let word = self.one_of(&["ensure:", "ifCurtailed:"]);
                format!("{body} {word} {last}")
            }
            18 => self.handler(d),
            19 => {
                let receiver = self.receiver();
                let (first, second) = (self.message(d), self.message(d));
                format!("{receiver} {first}; {second}; yourself")
            }
            20 => {
                let value = self.integer(d);
                match self.place {
                    Place::Script => format!("x := {value}"),
                    _ => format!("^{value}"),
                }
            }
            21 => {
                let value = self.integer(d);
                format!("Transcript showCr: {value} printString")
            }
            22 => self.one_of(&SIGNALS).to_string(),
            23 => {
                let (value, block) = (self.integer(d), self.block_with(d));
                format!("{value} ifNotNil: {block}")
            }
            24 => self.collection_statement(d),
            _ => {
                let value = self.integer(d);
                format!("{value} printString size")
            }
        }
    }

    fn some_block(&mut self) -> String {
        let index = self.below(self.blocks.len().max(1));
        self.blocks
            .get(index)
            .cloned()
            .unwrap_or_else(|| "f".into())
    }

    fn loop_statement(&mut self, d: u32) -> String {
        match self.below(13) {
            0 => {
                let body = self.block_with(d);
                format!("1 to: 3 do: {body}")
            }
            1 => {
                let (limit, body) = (self.integer(0), self.block_with(d));
                format!("1 to: ({limit} min: 4) do: {body}")
            }
            2 => {
                let body = self.block_with(d);
                format!("4 to: 1 by: -2 do: {body}")
            }
            3 => {
                let body = self.block(d);
                format!("2 timesRepeat: {body}")
            }
            4 => {
                let body = self.block(d);
                format!("[Root isLit] whileTrue: {body}")
            }
            5 => {
                let body = self.block(d);
                format!("[Root isLit not] whileFalse: {body}")
            }
            6 => {
                let body = self.sequence(d, true);
                format!("[{body}. Root isLit] whileTrue")
            }
            7 => {
                let body = self.block_with(d);
                format!("(1/2) to: 2 do: {body}")
            }
            8 => {
                let block = self.some_block();
                format!("1 to: 3 do: {block}")
            }
            9 => {
                let block = self.some_block();
                format!("2 timesRepeat: {block}")
            }
            10 => {
                let block = self.some_block();
                format!("[Root isLit] whileTrue: {block}")
            }
            11 => {
                let body = self.block_with(d);
                let step = self.one_of(&["1.5", "-1", "(0 - 1)", "2", "(1/2)"]);
                format!("3 to: 1 by: {step} do: {body}")
            }
            _ => {
                let body = self.block_with(d);
                format!("2305843009213693950 to: 2305843009213693952 do: {body}")
            }
        }
    }

    fn process_statement(&mut self, d: u32) -> String {
        match self.below(14) {
            0..=2 => {
                let body = self.block(d);
                format!("{body} fork")
            }
            3 => {
                let body = self.block(d);
                let priority = self.one_of(&["50", "30", "40", "60"]);
                format!("{body} forkAt: {priority}")
            }
            4..=5 => "Processor yield".into(),
            6 => {
                let body = self.block(d);
                format!("{body} newProcess resume; terminate")
            }
            7 => {
                let body = self.block(d);
                format!("{body} fork terminate; isTerminated")
            }
            8 => {
                let body = self.block(d);
                format!("({body} fork) in: [:pr | Processor yield. pr terminate. Processor yield]")
            }
            9 => {
                let body = self.block(d);
                format!("[[{body} value. Processor yield. 1] ensure: {body}] fork")
            }
            10 => match self.place {
                Place::Script => {
                    let body = self.block(d);
                    format!("[s wait. {body} value] fork. Processor yield. s signal")
                }
                _ => "Processor yield".into(),
            },
            11 => match self.place {
                Place::Script => "s signal. s wait".into(),
                _ => "Processor yield".into(),
            },
            12 => {
                let body = self.block(d);
                format!("(Semaphore forMutualExclusion) critical: {body}")
            }
            _ => {
                let body = self.block(d);
                let priority = self.one_of(&["50", "30"]);
                format!(
                    "Processor activeProcess in: [:me | {body} fork. me priority: {priority}. Processor yield. me priority: 40]"
                )
            }
        }
    }

    fn redefinition(&mut self, _d: u32) -> String {
        let number = match self.place {
            Place::Method(number) => self.below(number + 1),
            _ => 0,
        };
        let method = self.below(METHODS);
        let body = self.inside(Place::Method(number), |this| {
            this.reach_of_method();
            let body = this.sequence(1, true);
            format!("| t u | t := k. u := [k]. Root isLit ifFalse: [^k]. {body}")
        });
        let source = format!("m{method}: k {body}").replace('\'', "''");
        format!("{} compile: '{source}'", CLASSES[number])
    }

    fn collection_statement(&mut self, d: u32) -> String {
        let block = self.block_with(d);
        match self.below(8) {
            0 => format!("#(3 1 2) do: {block}"),
            1 => format!("(OrderedCollection new add: 1; add: 2; yourself) do: {block}"),
            2 => format!("(#(3 1 2) collect: {block}) size"),
            3 => format!("(1 to: 3) do: {block}"),
            4 => format!("#(1 2) reverseDo: {block}"),
            5 => format!("(#(4 5) asOrderedCollection) do: {block} separatedBy: [Processor yield]"),
            6 => {
                let name = self.some_block();
                format!("#(1 2) do: {name}")
            }
            _ => format!("(Dictionary new at: 1 put: 2; yourself) do: {block}"),
        }
    }

    fn handler(&mut self, d: u32) -> String {
        let (body, class) = (self.block(d), self.one_of(&EXCEPTIONS));
        let name = self.new_name('e');
        self.exceptions.push(name.clone());
        let deed = self.deed(d, &name);
        let before = match self.chance(3) {
            true => format!("{}. ", self.statement(d)),
            false => String::new(),
        };
        self.exceptions.pop();
        format!("({body} on: {class} do: [:{name} | {before}{deed}])")
    }

    /// What a handler block does in the end.
    fn deed(&mut self, d: u32, name: &str) -> String {
        let value = self.integer(d.min(1));
        match self.below(17) {
            0..=1 => format!("{name} return: {value}"),
            2 => format!("Root isLit ifTrue: [{name} retry] ifFalse: [{value}]"),
            3..=4 => format!("{name} resume: {value}"),
            5 => format!("{name} pass"),
            6 => format!("{name} outer. {value}"),
            7 => format!("{name} signal. {value}"),
            8 => format!("Root isLit ifTrue: [{name} retryUsing: [{value}]] ifFalse: [{value}]"),
            9 => value,
            10 => match self.place {
                Place::Script => value,
                _ => format!("^{value}"),
            },
            11 => self.one_of(&SIGNALS).to_string(),
            12 => format!("{name} return"),
            13 => format!("({name} resume: {value}) + 1"),
            14 => {
                format!("Root isLit ifTrue: [{name} resignalAs: Oops new] ifFalse: [{value}]")
            }
            15 => format!("{name} messageText size"),
            _ => format!("[{name} return: {value}] ensure: [{value}]"),
        }
    }

    // --- expressions ----------------------------------------------------------------------------

    fn leaf(&mut self) -> String {
        let count = self.integers.len();
        match self.below(8) {
            0..=4 if count > 0 => {
                let index = self.below(count);
                self.integers[index].0.clone()
            }
            5 => self
                .one_of(&[
                    "2305843009213693951",
                    "0",
                    "1",
                    "100000000000000000000",
                    "-7",
                ])
                .to_string(),
            6 => self.one_of(&["(1/3)", "1.5", "2", "-1", "5"]).to_string(),
            _ => self.below(10).to_string(),
        }
    }

    fn receiver(&mut self) -> String {
        match self.place {
            Place::Script => self.one_of(&["a", "b", "a", "b", "A new", "3"]),
            Place::Method(0) => self.one_of(&["self", "self", "A new", "self me", "nil"]),
            Place::Method(_) => self.one_of(&["self", "super", "super", "A new", "3"]),
            Place::ClassSide => self.one_of(&["self new", "A new"]),
        }
        .to_string()
    }

    /// A message to one of the program's objects.
    fn message(&mut self, d: u32) -> String {
        match self.below(10) {
            0..=6 => {
                let (method, argument) = (self.below(METHODS), self.integer(d));
                format!("m{method}: {argument}")
            }
            7 => {
                let argument = self.integer(d);
                format!("q: {argument}")
            }
            8 => "p".into(),
            _ => {
                let argument = self.integer(d);
                format!("zork: {argument}")
            }
        }
    }

    fn condition(&mut self, d: u32) -> String {
        if d == 0 {
            let (left, right) = (self.leaf(), self.leaf());
            let operator = self.one_of(&["<", ">", "=", "<=", "~=", "=="]);
            return format!("({left} {operator} {right})");
        }
        match self.below(10) {
            0..=3 => {
                let (left, right) = (self.integer(d - 1), self.integer(d - 1));
                let operator = self.one_of(&["<", ">", "=", "<=", "~=", ">="]);
                format!("({left} {operator} {right})")
            }
            4..=5 => {
                let (left, right) = (self.condition(d - 1), self.condition(d - 1));
                let word = self.one_of(&["and:", "or:"]);
                format!("({left} {word} [{right}])")
            }
            6 => {
                let (left, right) = (self.condition(d - 1), self.condition(d - 1));
                let word = self.one_of(&["and:", "or:", "&", "|"]);
                format!("({left} {word} {right})")
            }
            7 => {
                let value = self.condition(d - 1);
                format!("{value} not")
            }
            8 => {
                let value = self.integer(d - 1);
                let word = self.one_of(&["isNil", "isInteger", "notNil", "isString"]);
                format!("{value} {word}")
            }
            _ => self.integer(d - 1),
        }
    }

    fn integer(&mut self, depth: u32) -> String {
        if depth == 0 || self.bytes.len() == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.below(34) {
            0..=1 => self.leaf(),
            2..=5 => {
                let (left, right) = (self.integer(d), self.integer(d));
                let operator = self.one_of(&[
                    "+", "-", "*", "+", "-", "//", "\\\\", "/", "max:", "bitAnd:",
                ]);
                format!("({left} {operator} {right})")
            }
            6..=11 => {
                let (receiver, message) = (self.receiver(), self.message(d));
                format!("({receiver} {message})")
            }
            12 => {
                let (condition, yes, no) = (self.condition(d), self.block(d), self.block(d));
                format!("({condition} ifTrue: {yes} ifFalse: {no})")
            }
            13 => {
                let condition = self.condition(d);
                let (yes, no) = (self.some_block(), self.block(d));
                format!("({condition} ifTrue: {yes} ifFalse: {no})")
            }
            14 => {
                let block = self.block(d);
                format!("{block} value")
            }
            15 => {
                let (block, argument) = (self.block_with(d), self.integer(d));
                format!("({block} value: {argument})")
            }
            16..=17 => {
                let block = self.some_block();
                format!("(Root run: {block})")
            }
            18 => {
                let (block, argument) = (self.some_block(), self.leaf());
                format!("(Root run: {block} with: {argument})")
            }
            19 => {
                let (receiver, method) = (self.receiver(), self.below(METHODS));
                let argument = self.integer(d);
                match self.below(4) {
                    0 => format!("({receiver} perform: #m{method}: with: {argument})"),
                    1 => format!("({receiver} perform: #m{method}: withArguments: {{{argument}}})"),
                    2 => format!("({receiver} perform: #zork: with: {argument})"),
                    _ => format!("({receiver} perform: #p)"),
                }
            }
            20..=21 => {
                let (body, last) = (self.block(d), self.block(d));
                let word = self.one_of(&["ensure:", "ifCurtailed:"]);
                format!("({body} {word} {last})")
            }
            22..=24 => self.handler(d),
            25 => {
                let name = self.assignable();
                let value = self.integer(d);
                format!("({name} := {value})")
            }
            26 => {
                let block = self.block(d);
                format!("(Compteur numberOfCallsIn: {block})")
            }
            27 => {
                let block = self.block(d);
                let part = self.one_of(&[
                    "sends",
                    "loops",
                    "activations",
                    "blocks",
                    "allocations",
                    "bytes",
                    "primitives",
                ]);
                format!("(Compteur costOf: {block}) {part}")
            }
            28 => {
                let block = self.block_with(d);
                match self.below(3) {
                    0 => "(#(1 2 3) inject: 0 into: [:sum :each | sum + each])".to_string(),
                    1 => format!("(#(1 2) detect: {block} ifNone: [0])"),
                    _ => "((#(3 1 2) asSortedCollection: [:v :w | v < w]) first)".to_string(),
                }
            }
            29 => {
                let argument = self.integer(d);
                format!("(A c: {argument})")
            }
            30 => {
                let argument = self.integer(d);
                format!("((A new make: {argument}) value: 3)")
            }
            31 => match self.exceptions.last().cloned() {
                Some(name) => {
                    let value = self.leaf();
                    match self.below(4) {
                        0 => format!("({name} return: {value})"),
                        1 => format!("({name} signal)"),
                        2 => format!("({name} resume: {value})"),
                        _ => format!("({name} outer)"),
                    }
                }
                None => self.one_of(&SIGNALS).to_string(),
            },
            32 => {
                let (value, block) = (self.integer(d), self.block(d));
                format!("({value} ifNil: {block})")
            }
            _ => {
                let (first, second) = (self.integer(d), self.leaf());
                format!("{{{first}. {second}}} size")
            }
        }
    }
}
