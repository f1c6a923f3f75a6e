//! Random programs. Bytes make the decisions, so that fewer or smaller bytes make smaller programs. Every program ends:
//! methods, stored blocks and loops consume fuel, and do next to nothing without fuel.

mod expressions;
mod statements;

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
}
