//! Programs made of bytes: every sequence of bytes stands for a program that compiles, so that a fuzzer changes
//! statements by changing bytes. The programs use all selectors of the library, private ones included, frames,
//! exceptions, processes, reflection, `become:`, compilation while they run, and redefinition.

use std::fmt::Write as _;

/// Statements of a body at most.
const MOST_STATEMENTS: usize = 6;
/// Expressions inside each other at most.
const MOST_DEPTH: usize = 5;

/// Classes that programs name, beside their own.
const CLASSES: &[&str] = &[
    "Object",
    "Array",
    "String",
    "Symbol",
    "OrderedCollection",
    "Dictionary",
    "Set",
    "SmallInteger",
    "Float",
    "Character",
    "BlockClosure",
    "Exception",
    "Error",
    "ZeroDivide",
    "Semaphore",
    "Process",
    "Processor",
    "Smalltalk",
    "ByteArray",
    "Interval",
    "Compteur",
    "MethodWrapper",
    "CompiledMethod",
    "Association",
    "Bag",
    "WriteStream",
    "ReadStream",
    "Random",
    "Trait",
    "Metaclass",
    "UndefinedObject",
    "Mutex",
    "Fraction",
    "LargePositiveInteger",
    "IdentityDictionary",
    "Generator",
    "Delay",
];

/// Messages that change what runs. They are drawn more often than others.
const SHARP: &[&str] = &[
    "value",
    "value:",
    "value:value:",
    "on:do:",
    "ensure:",
    "ifCurtailed:",
    "signal",
    "signal:",
    "return:",
    "retry",
    "resume:",
    "pass",
    "outer",
    "retryUsing:",
    "restart:at:",
    "return:to:",
    "instVarAt:",
    "instVarAt:put:",
    "basicAt:",
    "basicAt:put:",
    "become:",
    "becomeForward:",
    "shallowCopy",
    "copy",
    "class",
    "fork",
    "newProcess",
    "resume",
    "suspend",
    "terminate",
    "wait",
    "yield",
    "critical:",
    "interruptWith:",
    "perform:",
    "perform:with:",
    "perform:withArguments:",
    "valueWithArguments:",
    "numberOfCallsIn:",
    "addSelector:withMethod:",
    "removeSelector:",
    "addInstVarNamed:",
    "removeInstVarNamed:",
    "setInstVars:",
    "valueWithReceiver:arguments:",
    "install",
    "uninstall",
    "on:selector:",
    "lookupSelector:",
    "basicNew",
    "basicNew:",
    "new",
    "new:",
    "at:",
    "at:put:",
    "add:",
    "do:",
    "collect:",
    "inject:into:",
    "sort",
    "printString",
    "hash",
    "=",
    "==",
    "+",
    "-",
    "*",
    "//",
    "\\\\",
    "<",
    "bitShift:",
    "@",
    "->",
    ",",
    "size",
    "whileTrue:",
    "timesRepeat:",
    "to:do:",
    "ifTrue:ifFalse:",
    "and:",
    "yourself",
    "caught:",
    "kept",
    "kept:",
    "deep:",
    "return",
    "storing",
    "both:with:",
];

/// Methods that every program has, beside those that it is made of.
const METHODS: &str = "
    kept [ ^k ]
    kept: x [ k := x ]
    storing [ ^[:x | k := x. a] ]
    return [ ^[:x | ^x] ]
    deep: x [ ^x isInteger & (x class == SmallInteger) ifTrue: [x > 0 ifTrue: [self deep: x - 1] ifFalse: [k value]] ifFalse: [x] ]
    caught: aBlock [ ^aBlock on: Exception do: [:e | k := e. e return: a] ]
    both: x with: y [ ^[x value] ensure: [b := y value] ]
";

struct Reader<'a> {
    bytes: std::slice::Iter<'a, u8>,
    selectors: &'a [String],
    depth: usize,
    /// Parameters of blocks that are open.
    parameters: usize,
}

/// A program for these bytes. `selectors` are the library's.
pub fn program(bytes: &[u8], selectors: &[String]) -> String {
    let mut reader = Reader {
        bytes: bytes.iter(),
        selectors,
        depth: 0,
        parameters: 0,
    };
    let mut out = String::new();
    for (name, above) in [("One", "Object"), ("Two", "One"), ("Three", "Object")] {
        let _ = write!(
            out,
            "{above} subclass: {name} [\n    | {} |\n",
            variables(name)
        );
        if name != "Two" {
            out.push_str(METHODS);
        }
        for number in 0..reader.below(4) {
            let _ = write!(out, "    m{number}: x [ | t u | ");
            reader.body(&mut out);
            out.push_str(" ]\n");
        }
        out.push_str("]\n");
    }
    out.push_str(
        "| a b k t u x |\na := One new. b := Two new. k := Three new. t := [:y | y]. u := 3.\n",
    );
    for _ in 0..4 {
        out.push_str("[ ");
        reader.body(&mut out);
        out.push_str(" ] on: Exception do: [:e | k := e. e return: e ].\n");
    }
    out.push_str("a printNl. t class printNl\n");
    out
}

fn variables(class: &str) -> &'static str {
    match class {
        "One" => "a b k",
        "Two" => "c d e",
        _ => "k b a c d e f",
    }
}

impl Reader<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % n
    }

    fn any<'b>(&mut self, list: &'b [&'b str]) -> &'b str {
        let index = usize::from(self.bytes.next().copied().unwrap_or(0));
        list[index % list.len()]
    }

    fn body(&mut self, out: &mut String) {
        for _ in 0..self.below(MOST_STATEMENTS) + 1 {
            match self.below(8) {
                0 => out.push_str("t := "),
                1 => out.push_str("u := "),
                2 => out.push_str("a := "),
                3 => out.push_str("k := "),
                4 if self.below(4) == 0 => out.push('^'),
                _ => {}
            }
            let ends = out.ends_with('^');
            self.expression(out);
            if ends {
                return;
            }
            out.push_str(". ");
        }
        out.push('t');
    }

    fn expression(&mut self, out: &mut String) {
        if self.depth >= MOST_DEPTH || self.bytes.len() == 0 {
            return self.literal(out);
        }
        self.depth += 1;
        match self.below(8) {
            0 => self.literal(out),
            1 => self.block(out),
            2 => {
                out.push_str("{ ");
                for _ in 0..self.below(4) {
                    self.expression(out);
                    out.push_str(". ");
                }
                out.push('}');
            }
            3 => self.source(out),
            _ => self.send(out),
        }
        self.depth -= 1;
    }

    fn literal(&mut self, out: &mut String) {
        match self.below(16) {
            0..6 => out.push_str(
                self.any(&["t", "u", "a", "b", "k", "x", "self", "nil", "true", "false"]),
            ),
            6 => out.push_str(self.any(CLASSES)),
            7 => out.push_str(self.any(&[
                "One",
                "Two",
                "Three",
                "One class",
                "(One >> #kept)",
                "thisContext",
            ])),
            8 => {
                let number = self.below(256);
                let _ = write!(out, "{}", number as i64 - 8);
            }
            9 => out.push_str(self.any(&[
                "1073741824",
                "2305843009213693951",
                "-2305843009213693952",
                "9223372036854775808",
                "1.5",
                "0.0",
                "1.0e308",
                "(1/3)",
                "(1 bitShift: 100)",
                "4.9e-324",
            ])),
            10 => out.push_str(self.any(&[
                "'abc' copy",
                "''",
                "'a b'",
                "$a",
                "#foo",
                "#(1 2 3)",
                "#[1 2]",
                "#kept:",
                "#value",
            ])),
            11 => {
                let _ = write!(out, "#{}", self.selector());
            }
            12 => out.push_str(self.any(&[
                "Processor activeProcess",
                "(k instVarAt: 3)",
                "(k instVarAt: 4)",
                "[]",
                "[:z | z]",
                "Error new",
                "Semaphore new",
                "OrderedCollection new",
                "(Array new: 3)",
                "(Set with: 3)",
                "(Dictionary new at: 1 put: 2; yourself)",
            ])),
            13 if self.parameters > 0 => {
                let _ = write!(out, "p{}", self.parameters - 1);
            }
            _ => out.push_str("self"),
        }
    }

    fn selector(&mut self) -> String {
        if self.below(3) > 0 {
            return self.any(SHARP).to_string();
        }
        let index = self.below(256) * 256 + self.below(256);
        match self.selectors.len() {
            0 => "yourself".to_string(),
            count => self.selectors[index % count].clone(),
        }
    }

    fn block(&mut self, out: &mut String) {
        let parameters = self.below(3);
        let before = self.parameters;
        out.push('[');
        for _ in 0..parameters {
            let _ = write!(out, ":p{} ", self.parameters);
            self.parameters += 1;
        }
        if parameters > 0 {
            out.push('|');
        }
        out.push(' ');
        self.body(out);
        out.push(']');
        self.parameters = before;
    }

    /// A method or an expression that is compiled while the program runs.
    fn source(&mut self, out: &mut String) {
        let mut inner = String::new();
        let parameters = std::mem::take(&mut self.parameters);
        self.body(&mut inner);
        self.parameters = parameters;
        let quoted = inner.replace('\'', "''");
        let _ = match self.below(3) {
            0 => write!(out, "(One evaluate: '| t u x a b k | {quoted}')"),
            1 => write!(out, "(One compile: 'kept: x | t u | {quoted}')"),
            _ => write!(
                out,
                "(Three compile: 'm{}: x | t u | {quoted}')",
                self.below(4)
            ),
        };
    }

    fn send(&mut self, out: &mut String) {
        out.push('(');
        self.expression(out);
        let selector = match self.below(4) {
            0 => format!("m{}:", self.below(4)),
            _ => self.selector(),
        };
        if selector.ends_with(':') {
            for part in selector.split_inclusive(':') {
                let _ = write!(out, " {part} ");
                self.expression(out);
            }
        } else if selector.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let _ = write!(out, " {selector}");
        } else {
            let _ = write!(out, " {selector} ");
            self.expression(out);
        }
        out.push(')');
    }
}
