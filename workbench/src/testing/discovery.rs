//! Which tests a program has. The library finds them, in a copy of the machine, so that looking for tests leaves no
//! trace in what they run in.

use std::collections::BTreeSet;

use crate::loading;
use crate::loading::Program;
use crate::outside::host::failure_text;
use crate::project::Project;
use tally_vm::{MemoryHost, MethodId, Outcome, Value, Vm};

use super::NAME;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// What looking for tests may send, loop repetitions included; the limit that the user sets is for the tests.
const MOST_SENDS: u64 = 200_000_000;

/// A test, as the library's TestRunner found it.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its class.
    pub class: String,
    /// What distinguishes it from the other tests of its class: the selector, and parameters if it has some.
    pub label: String,
    /// The selector of its method.
    pub selector: String,
    /// Why it, or the tests of the class for which it stands, cannot be run.
    pub broken: Option<String>,
    /// Its place in the suite of its class, from 1 on; 0 if its selector says all.
    number: i64,
    /// The names of the resources that it needs, separated by spaces.
    pub resources: String,
}

impl Test {
    /// `Class>>label`
    pub fn name(&self) -> String {
        format!("{}>>{}", self.class, self.label)
    }

    /// Whether it is meant by a name, which may be that of its class.
    pub fn is_named(&self, name: &str) -> bool {
        let parts = name.split_once(">>");
        let is_it = |(class, test): (&str, &str)| {
            class == self.class && (test == self.label || test == self.selector)
        };
        parts.map_or(name == self.class, is_it)
    }

    /// A text that sends the TestRunner this message with the test itself as its argument.
    pub fn sending(&self, message: &str) -> String {
        let Test { class, number, .. } = self;
        let selector = self.selector.replace('\'', "''");
        format!("TestRunner {message} (TestRunner test: #'{selector}' at: {number} of: {class})")
    }
}

/// The tests of a program, but for those of dependencies whose packages the project's settings do not name.
///
/// # Errors
/// If the tests cannot be looked for, or a dependency is not there.
pub fn discover_own(
    program: &mut Program,
    project: &Project,
    front: &dyn Embedder,
) -> Result<Vec<Test>, Error> {
    let mut tests = discover(&mut program.vm, front)?;
    let dependencies = project.dependencies(front)?;
    let others = dependencies.untested_classes(&program.units, program.folder());
    tests.retain(|test| !others.contains(&test.class));
    Ok(tests)
}

/// Reads from the library which tests there are. Names are unique: the second test of a name gets a number, or is broken. A
/// test whose method is defined twice is broken, too.
pub fn discover(vm: &mut Vm, front: &dyn Embedder) -> Result<Vec<Test>, Error> {
    let mut copy = vm.fork(Box::<MemoryHost>::default());
    copy.keep_failures();
    copy.allow_ticks(Some(MOST_SENDS));
    let outcome = loading::run_text(&mut copy, NAME, "TestRunner collect")?;
    match outcome {
        Outcome::Finished => {}
        Outcome::Failed => {
            for defect in copy.take_failures() {
                front.show(&failure_text(&defect, front.in_color()));
            }
            return Err(Error::new(
                ErrorKind::Failed,
                "the tests could not be looked for",
            ));
        }
        Outcome::Exited(code) => {
            let why = format!(
                "the program ended, with exit code {code}, while its tests were looked for"
            );
            return Err(Error::new(ErrorKind::Failed, why));
        }
        other => loading::ended(&other)?,
    }
    let twice = defined_twice(&copy);
    let mut tests = Vec::new();
    let mut names = BTreeSet::new();
    for found in elements(&copy, copy.result()) {
        let mut test = described(&copy, found)
            .ok_or_else(|| Error::new(ErrorKind::Failed, "a test without a name"))?;
        if !names.insert(test.name()) && !make_unique(&mut test, &mut names) {
            test.broken = Some("another test of this class has the same name".to_string());
        }
        if twice.contains(&(test.class.clone(), test.selector.clone())) {
            let why =
                "its method is defined more than once, and only the last definition would run";
            test.broken = Some(why.to_string());
        }
        tests.push(test);
    }
    vm.link_as(&copy);
    Ok(tests)
}

/// Numbers a test whose parameters print like those of an earlier test. Answers false for a test without parameters.
fn make_unique(test: &mut Test, names: &mut BTreeSet<String>) -> bool {
    if test.number == 0 {
        return false;
    }
    let label = std::mem::take(&mut test.label);
    (2..).any(|number| {
        test.label = format!("{label} #{number}");
        names.insert(test.name())
    })
}

/// Classes and selectors of tests of which an earlier definition would never run. A class may override the methods of its
/// traits. A trait that defines a method twice spoils the method in all classes that have it from there.
fn defined_twice(vm: &Vm) -> BTreeSet<(String, String)> {
    let mut seen = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for id in vm.program_methods() {
        let method = vm.method(id);
        if vm.definition_of(id) == Some(id) && !seen.insert((method.holder, method.selector)) {
            twice.insert((method.holder, method.selector));
        }
    }
    let is_spoiled = |&id: &MethodId| {
        let definition = vm.definition_of(id).map(|id| vm.method(id));
        definition.is_some_and(|from| twice.contains(&(from.holder, from.selector)))
    };
    let current = vm.program_methods().filter(|&id| vm.method(id).current);
    current
        .filter(is_spoiled)
        .map(|id| {
            let method = vm.method(id);
            let class = vm.class(method.holder).display_name();
            (class, vm.symbol_text(method.selector).to_string())
        })
        .collect()
}

fn described(vm: &Vm, found: Value) -> Option<Test> {
    let [class, label, selector, broken, number, resources] = elements(vm, found)[..] else {
        return None;
    };
    Some(Test {
        class: vm.text_of(class)?,
        label: vm.text_of(label)?,
        selector: vm.text_of(selector)?,
        broken: vm.text_of(broken),
        number: number.as_int()?,
        resources: vm.text_of(resources)?,
    })
}

/// The elements of an Array; none of anything else.
pub fn elements(vm: &Vm, value: Value) -> Vec<Value> {
    let is_array = value.is_object()
        && vm
            .find_class("Array")
            .is_some_and(|a| vm.class_of(value) == a);
    if is_array {
        vm.heap.slots(value).to_vec()
    } else {
        Vec::new()
    }
}
