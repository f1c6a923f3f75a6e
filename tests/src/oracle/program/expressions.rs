//! Random expressions.

use super::{METHODS, Place, SIGNALS, Writer};

impl Writer<'_> {
    pub(super) fn leaf(&mut self) -> String {
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

    pub(super) fn receiver(&mut self) -> String {
        match self.place {
            Place::Script => self.one_of(&["a", "b", "a", "b", "A new", "3"]),
            Place::Method(0) => self.one_of(&["self", "self", "A new", "self me", "nil"]),
            Place::Method(_) => self.one_of(&["self", "super", "super", "A new", "3"]),
            Place::ClassSide => self.one_of(&["self new", "A new"]),
        }
        .to_string()
    }

    /// A message to one of the program's objects.
    pub(super) fn message(&mut self, d: u32) -> String {
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

    pub(super) fn condition(&mut self, d: u32) -> String {
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

    /// A number found in a text whose size depends on a value.
    fn work_on_text(&mut self, d: u32) -> String {
        let text = format!("({} printString , ' a bc')", self.integer(d));
        match self.below(12) {
            0 => format!("({text} indexOf: $ )"),
            1 => format!("{text} hash"),
            2 => format!("({text} substrings: ' ') size"),
            3 => format!("({text} findString: 'bc')"),
            4 => format!("{text} asUppercase asSymbol size"),
            5 => format!("({text} copyFrom: 2 to: 4) size"),
            6 => format!("{text} reversed trimBoth size"),
            7 => format!("({text} readStream upTo: $a) size"),
            8 => format!("({text} occurrencesOf: {})", self.leaf()),
            9 => format!("(({text} < {text}) ifTrue: [1] ifFalse: [2])"),
            10 => format!("((Set with: {text} with: {text} with: #a) add: 'a'; size)"),
            _ => format!("((WriteStream on: String new) print: {text}; position)"),
        }
    }

    /// A number computed with large integers or Floats.
    fn work_on_numbers(&mut self, d: u32) -> String {
        let value = self.integer(d);
        match self.below(9) {
            0 => format!("(({value} bitShift: 70) // 3)"),
            1 => format!("(({value} bitShift: 130) \\\\ 100000000000000000000)"),
            2 => format!("(({value} bitShift: 90) / 7)"),
            3 => format!("(({value} * 100000000000000000000) gcd: 100000000000000000000)"),
            4 => format!("({value} * 18446744073709551617 * 18446744073709551617)"),
            5 => format!("({value} * 1.5) truncated"),
            6 => format!("(({value} bitShift: 80) printString: 16) size"),
            7 => format!("({value} bitShift: 64) hash"),
            _ => format!("({value} bitShift: 64) asFloat truncated"),
        }
    }

    pub(super) fn integer(&mut self, depth: u32) -> String {
        if depth == 0 || self.bytes.len() == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.below(37) {
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
                    "steps",
                    "called",
                    "work",
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
            33..=34 => self.work_on_text(d),
            35 => self.work_on_numbers(d),
            _ => {
                let (first, second) = (self.integer(d), self.leaf());
                format!("{{{first}. {second}}} size")
            }
        }
    }
}
