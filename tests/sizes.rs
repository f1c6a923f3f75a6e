//! Files of at most 600 lines, functions of at most 60. An exception has a reason.

use libtest_mimic::Trial;
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use crate::checks::{Checked, Source, none, sources, trials_of};

const MOST_IN_FILE: usize = 600;
const MOST_IN_FUNCTION: usize = 60;

/// One arm for each form.
const ARMS: &str = "one arm for each form";
/// An example or a document, in full.
const DATA: &str = "data";
/// It waits to be split.
const DEBT: &str = "waits to be split";
/// Cases of one subject.
const TESTS: &str = "cases of one subject";

/// Files that may be longer, and why.
const LONG_FILES: &[(&str, &str)] = &[
    ("benches/src/ordinary.rs", DEBT),
    ("cli/tests/comparing.rs", TESTS),
    ("cli/tests/file_faults.rs", TESTS),
    ("compiler/tests/emit.rs", TESTS),
    ("vm/src/heap/mod.rs", DEBT),
    ("vm/src/interpreter/sends.rs", DEBT),
    ("vm/src/primitives/control.rs", DEBT),
    ("workbench/src/store/tests.rs", TESTS),
];

/// Functions that may be longer, by file and name, and why.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("analyses/study/src/report/sections.rs", "sections", DATA),
    ("analyses/study/tests/made_up/mod.rs", "rich", DATA),
    ("analyses/study/tests/made_up/mod.rs", "unreal", DATA),
    ("benches/src/bin/targets.rs", "run", DEBT),
    ("cli/tests/file_faults.rs", "with", TESTS),
    ("cli/tests/repository/history.rs", "write", DATA),
    ("compiler/tests/support/checker.rs", "check", ARMS),
    ("compiler/tests/support/machine.rs", "activation", ARMS),
    ("profiler/src/examples/small.rs", "example", DATA),
    ("profiler/src/json.rs", "example", DATA),
    (
        "profiler/tests/browser.rs",
        "a_method_leads_to_its_callers_callees_source_and_allocations",
        TESTS,
    ),
    ("tests/src/hostile/grammar.rs", "literal", ARMS),
    ("tests/src/oracle/interpreter/evaluate.rs", "evaluate", ARMS),
    ("tests/src/oracle/program/expressions.rs", "integer", ARMS),
    ("tests/src/oracle/program/statements.rs", "statement", ARMS),
    ("vm/src/heap/tests.rs", "graphs_survive", TESTS),
    ("vm/src/interpreter/foreseen.rs", "foresee", DEBT),
    ("vm/src/loading/mod.rs", "define_class", DEBT),
];

/// The tests of both limits.
pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[("sizes/files", files), ("sizes/functions", functions)])
}

fn files() -> Checked {
    let mut wrong = Vec::new();
    for Source { name, text } in sources("rs")? {
        let lines = text.lines().count();
        let is_exception = LONG_FILES.iter().any(|(file, _)| *file == name);
        match (lines > MOST_IN_FILE, is_exception) {
            (true, false) => wrong.push(format!("{name} has {lines} lines")),
            (false, true) => wrong.push(format!("{name} is no exception any more")),
            _ => {}
        }
    }
    none(&wrong)
}

fn functions() -> Checked {
    let mut wrong = Vec::new();
    let mut seen = Vec::new();
    for Source { name, text } in sources("rs")? {
        let parsed = syn::parse_file(&text).map_err(|error| format!("{name}: {error}"))?;
        let mut long = Long(Vec::new());
        long.visit_file(&parsed);
        for (function, lines) in long.0 {
            let is_exception =
                |(file, excepted, _): &(&str, &str, &str)| *file == name && *excepted == function;
            match LONG_FUNCTIONS.iter().position(is_exception) {
                Some(exception) => seen.push(exception),
                None => wrong.push(format!("{name}: {function} has {lines} lines")),
            }
        }
    }
    for (number, (file, function, _)) in LONG_FUNCTIONS.iter().enumerate() {
        if !seen.contains(&number) {
            wrong.push(format!("{file}: {function} is no exception any more"));
        }
    }
    none(&wrong)
}

/// Functions that are too long, and their lines.
struct Long(Vec<(String, usize)>);

impl Long {
    fn look(&mut self, name: &syn::Ident, span: Span) {
        let lines = span.end().line - span.start().line + 1;
        if lines > MOST_IN_FUNCTION {
            self.0.push((name.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Long {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.look(&function.sig.ident, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.look(&function.sig.ident, function.block.span());
        visit::visit_impl_item_fn(self, function);
    }
}
