//! Tests of the recorder alone: folding of recursion, a full table, and readings in the middle of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_compiler::environment::MachineEnvironment;
use tally_profiler::{ContextKind, MethodProfile, Profile, check_identities};
use tally_tests::host::TestHost;
use tally_tests::modes;
use tally_tests::observe::{Options, compile, machine, profile_of};
use tally_tests::root;
use tally_vm::{Config, Cost, Detail, Outcome, Vm, Work};

use crate::checks::trials_of;

/// Three methods that call each other in every way, to a depth of fourteen.
const TANGLE: &str = "
Object subclass: Tangle [
    a: n [ n = 0 ifTrue: [^0]. ^(self b: n - 1) + (self c: n - 1) ]
    b: n [ n = 0 ifTrue: [^1]. ^(self c: n - 1) + (#(1 2) inject: 0 into: [:sum :x | sum + (self a: n - 2 max: 0)]) ]
    c: n [ n = 0 ifTrue: [^2]. ^(self a: n - 1) + (self b: n - 1) ]
    a: n max: m [ ^self a: (n max: m) ] ]
(Tangle new a: 11) printNl.";

/// Two methods that call each other, very deep.
const DEEP: &str = "
Object subclass: Deep [
    even: n [ ^n = 0 ifTrue: [true] ifFalse: [self odd: n - 1] ]
    odd: n [ ^n = 0 ifTrue: [false] ifFalse: [self even: n - 1] ] ]
(Deep new even: 9000) printNl.";

pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        (
            "recording/inlined_messages_are_counted_once_an_evaluation",
            inlined_messages_are_counted,
        ),
        (
            "recording/counting_inlined_messages_changes_no_other_count",
            other_counts_stay,
        ),
        ("recording/recursion_folds", recursion_folds),
        (
            "recording/what_does_not_fit_is_other",
            what_does_not_fit_is_other,
        ),
        (
            "recording/folding_changes_no_total",
            folding_changes_no_total,
        ),
        (
            "recording/without_sites_there_are_none",
            without_sites_there_are_none,
        ),
        (
            "recording/work_belongs_to_the_context_that_does_it",
            work_belongs_to_its_context,
        ),
    ])
}

fn profile(source: &str, detail: Detail) -> Result<Profile, String> {
    let compiled = compile("recording.st", source)?;
    let unit = compiled.unit.ok_or(format!("{:?}", compiled.diagnostics))?;
    let mut vm = machine(&Options::default(), &modes::PLAIN, &TestHost::new())?;
    vm.count_everything();
    vm.start_profile(detail);
    let outcome = vm.run_unit(Arc::new(unit));
    let cost = vm.cost();
    let recorded = vm.finish_profile();
    match outcome {
        Outcome::Finished => Ok(profile_of(&vm, &recorded, &cost)),
        other => Err(format!("{other:?}")),
    }
}

fn detail(most_contexts: Option<usize>) -> Detail {
    Detail {
        sites: true,
        most_contexts,
    }
}

fn sound(profile: &Profile) -> Result<(), String> {
    match check_identities(profile).first() {
        None => Ok(()),
        Some(violation) => Err(violation.to_string()),
    }
}

/// A method for each kind of work.
const WORKSHOP: &str = "
Object subclass: Workshop [
    square: aNumber [ ^aNumber * aNumber ]
    turn [ 1 to: 1000 do: [:i | ] ]
    fill [ 1 to: 10 do: [:i | Array new: i] ]
    call [ ^self turn ] ]
| shop |
shop := Workshop new.
shop square: (3 raisedTo: 400); turn; fill; call.";

/// Each method has the work of what it does itself, and nothing that its callees do.
fn work_belongs_to_its_context() -> Result<(), String> {
    let profile = profile(WORKSHOP, detail(None))?;
    sound(&profile)?;
    let weighted = profile.cost.weighted_sum();
    if weighted != profile.cost.work {
        return Err(format!(
            "counts weigh {weighted}, not {}",
            profile.cost.work
        ));
    }
    let weight = |name: &str| {
        let found = Work::OTHERS.iter().find(|(known, _)| *known == name);
        found.map_or(0, |(_, weight)| *weight)
    };
    let (step, entry) = (weight("steps"), weight("activations"));
    let (turns, object) = (1000 * weight("loop repetitions"), weight("objects"));
    // A send is a step as well. A loop decides once more than it repeats.
    let send = weight("sends") + step;
    let loops = turns + 1001 * step;
    let ten = turns / 100 + 11 * step;
    let expected = [
        ("Workshop>>square:", entry + send + step, true),
        ("Workshop>>turn", 2 * (entry + loops), false),
        ("Workshop>>fill", entry + ten + 10 * (send + object), true),
        ("Workshop>>call", entry + send + step, false),
    ];
    for (name, outside, has_primitives) in expected {
        let is_it = |method: &&MethodProfile| method.name == name;
        let index = profile.methods.iter().position(|m| is_it(&m)).ok_or(name)?;
        let of_contexts = profile.contexts.iter();
        let contexts = of_contexts.filter(|c| c.method == Some(index as u32));
        let inside: u64 = contexts.map(|context| context.primitive_work).sum();
        let method = &profile.methods[index];
        if method.own_work != outside + inside || (inside > 0) != has_primitives {
            let found = method.own_work;
            return Err(format!("{name}: {found}, expected {outside} and {inside}"));
        }
        let sites = profile
            .sites
            .iter()
            .filter(|site| site.method == index as u32);
        let of_sites: u64 = sites.map(|site| site.work).sum();
        if of_sites != method.own * send + inside {
            return Err(format!("the sites of {name} have {of_sites} work"));
        }
    }
    Ok(())
}

fn recursion_folds() -> Result<(), String> {
    let profile = profile(DEEP, detail(None))?;
    sound(&profile)?;
    let of = |name: &str| {
        let is_it = |c: &&tally_profiler::Context| {
            c.method
                .is_some_and(|m| profile.methods[m as usize].name == name)
        };
        let found: Vec<_> = profile.contexts.iter().filter(is_it).collect();
        (found.len(), found.iter().map(|c| c.calls).sum::<u64>())
    };
    // even: below the script; even: below odd:, which brings a new pair, and in which the rest folds.
    let expected = [("Deep>>even:", (2, 4501)), ("Deep>>odd:", (2, 4500))];
    for (name, counts) in expected {
        if of(name) != counts {
            return Err(format!("{name}: {:?}, expected {counts:?}", of(name)));
        }
    }
    Ok(())
}

fn what_does_not_fit_is_other() -> Result<(), String> {
    let whole = profile(TANGLE, detail(None))?;
    for room in [4, 10, 30] {
        let part = profile(TANGLE, detail(Some(room)))?;
        sound(&part)?;
        if part.is_tree_complete || part.contexts.len() > room + part.methods.len() * 2 + 2 {
            return Err(format!(
                "{} contexts in room for {room}",
                part.contexts.len()
            ));
        }
        if !part.contexts.iter().any(|c| c.kind == ContextKind::Other) {
            return Err(format!("nothing is other in room for {room}"));
        }
        // What does not depend on contexts is the same.
        let flat = |profile: &Profile| -> BTreeMap<String, [u64; 3]> {
            let methods = profile.methods.iter();
            methods
                .map(|m| (m.name.clone(), [m.calls, m.block_calls, m.own]))
                .collect()
        };
        if flat(&whole) != flat(&part) || whole.cost != part.cost {
            return Err(format!("counts of methods differ in room for {room}"));
        }
    }
    Ok(())
}

/// What a wrapper of the paper's kind, which knows no tree, adds up: totals of outermost activations.
fn folding_changes_no_total() -> Result<(), String> {
    let profile = profile(TANGLE, detail(None))?;
    sound(&profile)?;
    let total = |name: &str| {
        profile
            .methods
            .iter()
            .find(|m| m.name == name)
            .map(|m| m.total)
    };
    // Everything but the sends of the script and of printing happens below the outermost a:.
    let script = profile.contexts.iter().position(|c| c.parent == Some(0));
    let below = |name: &str| {
        let is_it = |c: &&tally_profiler::Context| {
            c.parent == script.map(|s| s as u32)
                && c.method
                    .is_some_and(|m| profile.methods[m as usize].name == name)
        };
        profile.contexts.iter().find(is_it).map(|c| c.total)
    };
    match (total("Tangle>>a:"), below("Tangle>>a:")) {
        (Some(total), Some(below)) if total == below => Ok(()),
        other => Err(format!(
            "total and sends below the script's call: {other:?}"
        )),
    }
}

fn without_sites_there_are_none() -> Result<(), String> {
    let profile = profile(TANGLE, Detail::default())?;
    sound(&profile)?;
    let is_bare = profile.sites.is_empty() && profile.allocations.is_empty();
    match is_bare && !profile.contexts.is_empty() && !profile.calls.is_empty() {
        true => Ok(()),
        false => Err("there are sites, or no tree".to_string()),
    }
}

/// Each inlined control message, with the number of its evaluations as a person counts them. Nothing of it is in the library.
const INLINED: &str = "
Object subclass: Control [
    run: n [ | i |
        i := 0.
        [i < n] whileTrue: [i := i + 1. i = 1 ifTrue: [nil] ifFalse: [nil == nil and: [i > 2]]].
        [i <= 0] whileFalse: [i := i - 1].
        [i := i + 1. i < 3] whileTrue.
        [i := i + 1. i > 6] whileFalse.
        1 to: n do: [:k | k = 2 ifTrue: [^self]].
        ^nil ifNil: [3] ]
    more [ | n |
        n := 0.
        [n := n + 1. n = 3 ifTrue: [^n]] repeat ] ]
| control |
control := Control new.
control run: 4.
control run: 1.
3 timesRepeat: [control more].
1 to: 5 by: 2 do: [:i | (i = 3 or: [i = 5]) ifFalse: [nil] ifTrue: [i ifNotNil: [:x | x]]].
(control ifNil: [1] ifNotNil: [:c | c]) ifNotNil: [:c | c] ifNil: [2].
control == nil ifFalse: [].
([^nil] value) ifTrue: [1].";

fn with_inlined(source: &str, counts: bool) -> Result<(Vm, Cost), String> {
    let config = Config {
        count_inlined: counts,
        ..Config::default()
    };
    let host = || Box::new(TestHost::new());
    let mut vm = tally_stdlib::machine(config, host())?;
    if counts {
        let library = tally_compiler::library::library_counting_inlined(&vm)?;
        vm = tally_stdlib::machine_with(library, config, host())?;
    }
    let compiled = tally_compiler::compile("inlined.st", source, &MachineEnvironment(&vm));
    let unit = compiled.unit.ok_or(format!("{:?}", compiled.diagnostics))?;
    vm.count_everything();
    vm.run_unit(Arc::new(unit));
    let cost = vm.cost();
    Ok((vm, cost))
}

fn inlined_messages_are_counted() -> Result<(), String> {
    let (vm, _) = with_inlined(INLINED, true)?;
    let expected = [
        ("ifTrue:", 2 + 1 + 9), // k = 1 and 2; k = 1; three times three in more
        ("ifFalse:", 1),        // the last is not: its receiver returned
        ("ifTrue:ifFalse:", 4 + 1),
        ("ifFalse:ifTrue:", 3),
        ("ifNil:", 1),    // run: 4 had returned
        ("ifNotNil:", 2), // for 3 and 5
        ("ifNil:ifNotNil:", 1),
        ("ifNotNil:ifNil:", 1),
        ("and:", 3), // i from 2 to 4
        ("or:", 3),
        ("whileTrue:", 2),
        ("whileFalse:", 2),
        ("whileTrue", 2),
        ("whileFalse", 2),
        ("repeat", 3),
        ("to:do:", 2),
        ("to:by:do:", 1),
        ("timesRepeat:", 1),
    ];
    match vm.inlined() == expected {
        true => Ok(()),
        false => Err(format!("{:?}\nexpected {expected:?}", vm.inlined())),
    }
}

fn other_counts_stay() -> Result<(), String> {
    let examples = ["json", "expressions", "constraints", "textindex", "queens"];
    let texts =
        examples.map(|name| std::fs::read_to_string(root().join(format!("examples/{name}.st"))));
    for (name, text) in examples.iter().zip(texts) {
        let text = text.map_err(|error| error.to_string())?;
        let [(counting, with), (plain, without)] =
            [with_inlined(&text, true)?, with_inlined(&text, false)?];
        if with != without || counting.inlined().is_empty() {
            return Err(format!("{name}: {with:?}\nwithout {without:?}"));
        }
        if !plain.inlined().is_empty() {
            return Err(format!("{name}: counted without being asked to"));
        }
    }
    Ok(())
}
