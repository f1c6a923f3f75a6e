//! Replaces every method that has a short cut in the loop, in the middle of hot code, by another method and by a wrapper.
//! Output, counts and profiles must equal those of the other modes and of the interpreter in `src/oracle`. Only the
//! replaced method's short cut is closed. The methods come from the table of short cuts.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Extent, Observed, Options, compile, conclude, machine};
use tally_tests::oracle::{self, Ending, compare};
use tally_vm::bytecode::{Receivers, ShortCut, Unit};
use tally_vm::{Dialect, Outcome};

use crate::checks::trial;

/// Uses every short cut with every kind of receiver, in all forms; `{aliases}` are methods for what stands in the
/// place of the redefined one, `{change}` happens half way and `{end}` later.
const PROGRAM: &str = "
Object subclass: Kept [
    Kept class [ | original | ]
    Kept class >> original [ ^original ]
    Kept class >> original: aMethod [ original := aMethod ] ]
{aliases}
Object subclass: Hot [
    run: n at: half do: aBlock then: endBlock [
        | sum f g array words same flags text |
        sum := 0. f := 0.5. array := Array with: 7 with: 11 with: 13.
        words := {'one' copy. 'two' copy. 'one' copy}. flags := 0. same := Object new. text := 'letters' copy.
        1 to: n do: [:i |
            i = half ifTrue: [aBlock value].
            i = (half + 5) ifTrue: [endBlock value].
            sum := sum + i - 3 * 5 // 2 \\\\ 1000 bitAnd: 1023.
            sum := (sum bitOr: 16) bitShift: 1. sum := sum / 2. sum := sum - i. sum := sum + 3.
            f := f + 1.25 - i * 2.0 / 1.5. f := f + 1 - 1. g := f * 0 + 1.5.
            sum < 500 ifTrue: [flags := flags + 1]. sum <= i ifTrue: [flags := flags + 2].
            sum > 20 ifTrue: [flags := flags + 4]. i >= 3 ifTrue: [flags := flags + 8].
            i < sum ifTrue: [flags := flags + 1]. i <= 5 ifTrue: [flags := flags + 2].
            i > half ifTrue: [flags := flags + 4]. sum >= i ifTrue: [flags := flags + 8].
            i = 4 ifTrue: [flags := flags + 16]. i ~= 4 ifTrue: [flags := flags + 32].
            i ~= sum ifTrue: [flags := flags + 64]. g < 2.0 ifTrue: [flags := flags + 1].
            g <= 1.5 ifTrue: [flags := flags + 1]. g > 2 ifTrue: [flags := flags + 1]. g >= 1 ifTrue: [flags := flags + 1].
            g = 1.5 ifTrue: [flags := flags + 1]. g ~= 2.5 ifTrue: [flags := flags + 1].
            (words at: 1) = (words at: 3) ifTrue: [flags := flags + 1].
            (words at: 1) = (words at: 2) ifTrue: [flags := flags + 1].
            words == array ifTrue: [flags := flags + 1]. same ~~ words ifTrue: [flags := flags + 1].
            i == 3 ifTrue: [flags := flags + 1]. g == 1.5 ifTrue: [flags := flags + 1]. i ~~ nil ifTrue: [flags := flags + 1].
            (text at: 2) = $e ifTrue: [flags := flags + 1]. (text at: i \\\\ 7 + 1) = $z ifFalse: [flags := flags + 2].
            text at: i \\\\ 7 + 1 put: $q.
            array at: 2 put: (array at: 1) + i. array at: 1 put: i.
            flags := flags bitAnd: 4095.
            words at: 1 put: (i < 9) & (i > 2) | (i <= 1) & (i >= 0) | (i = 7) | (i ~= 2) | (words == array) | (same ~~ i)
                | (sum < i) | (sum > i) | (sum <= i) | (sum >= i) | (sum = i) | (sum ~= i).
            words at: 1 put: 'one' copy.
            1 to: 3 do: [:k | sum := sum + k]. 3 to: 1 by: -1 do: [:k | sum := sum - k].
            1 to: 2.5 do: [:k | sum := sum + k]. 1.5 to: 0 by: -1 do: [:k | flags := flags + 1].
            i to: i + 4 by: 2 do: [:k | flags := flags + k] ].
        ^{sum. f. g. flags. array. words. text} ] ]
| answer |
Kept original: ({class} lookupSelector: #{selector}).
answer := Hot new run: 12 at: 5 do: [{change}] then: [{end}].
answer printNl.
#(3 1 2) asSortedCollection printNl.
(Compteur numberOfCallsIn: [3 + 4. 3.5 < 4. 'a' = 'b'. #(1 2) at: 1. 3 == 4]) printNl";

/// A method that has a short cut.
#[derive(Clone)]
struct Concerned {
    selector: &'static str,
    class: &'static str,
    /// The class that has the method, which may be above.
    holder: String,
    primitive: String,
}

/// How a method's place is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Method,
    MethodAbove,
    Wrapper,
}

pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let concerned = concerned()?;
    if concerned.len() < ShortCut::all(Dialect::Smalltalk).len() {
        return Err("short cuts are without methods".into());
    }
    let mut trials = Vec::new();
    for one in concerned {
        for way in [Way::Method, Way::MethodAbove, Way::Wrapper] {
            if way == Way::MethodAbove && one.holder == one.class {
                continue;
            }
            let one = one.clone();
            let name = format!("redefinition/{way:?}/{}>>{}", one.class, one.selector);
            trials.push(trial(name, move || one.check(way)));
        }
    }
    Ok(trials)
}

/// The methods that short cuts stand for, by class.
fn concerned() -> Result<Vec<Concerned>, String> {
    let mut vm = machine(&Options::default(), &modes::PLAIN, &TestHost::new())?;
    let mut found = Vec::new();
    for row in ShortCut::all(Dialect::Smalltalk) {
        let classes: &[&str] = match row.receivers {
            Receivers::Integers => &["SmallInteger"],
            Receivers::Numbers => &["SmallInteger", "Float"],
            Receivers::NumbersAndStrings => &["SmallInteger", "Float", "String"],
            Receivers::Comparable => &["SmallInteger", "Float", "String", "Character"],
            Receivers::Indexable => &["Array", "String"],
            Receivers::Arrays => &["Array"],
            Receivers::All => &["SmallInteger", "Float", "Object", "Hot"],
        };
        for &class in classes {
            let known = if class == "Hot" { "Object" } else { class };
            let selector = vm.symbol(row.selector).as_symbol();
            let method = vm
                .find_class(known)
                .zip(selector)
                .and_then(|(class, selector)| vm.lookup(class, selector))
                .map(|method| vm.method(method));
            let method = method.ok_or(format!("no {known}>>{}", row.selector))?;
            let primitive = method.code.get().primitive.clone();
            found.push(Concerned {
                selector: row.selector,
                class,
                holder: vm.class(method.holder).name.clone(),
                primitive: primitive.ok_or(format!("{} is no primitive", row.selector))?,
            });
        }
    }
    Ok(found)
}

impl Concerned {
    fn program(&self, way: Option<Way>) -> String {
        let (pattern, alias, arguments) = match self.selector.matches(':').count() {
            2 => ("at: x put: y".to_string(), "original: x put: y", "{x. y}"),
            _ => (format!("{} x", self.selector), "original: x", "{x}"),
        };
        let aliases = format!(
            "Object extend [ {alias} [ <primitive: {}> ^Kept original valueWithReceiver: self arguments: {arguments} ] ]",
            self.primitive
        );
        let (change, end) = match way {
            None => (String::new(), String::new()),
            Some(Way::Method) => (
                Concerned::redefine(self.class, &pattern, alias),
                String::new(),
            ),
            Some(Way::MethodAbove) => (
                Concerned::redefine(&self.holder, &pattern, alias),
                String::new(),
            ),
            Some(Way::Wrapper) => {
                let wrapper = format!("MethodWrapper on: #{} in: {}", self.selector, self.holder);
                (
                    format!("Kept original: ({wrapper}). Kept original install"),
                    "Kept original uninstall".to_string(),
                )
            }
        };
        PROGRAM
            .replace("{aliases}", &aliases)
            .replace("{class}", self.class)
            .replace("{selector}", self.selector)
            .replace("{change}", &change)
            .replace("{end}", &end)
    }

    fn redefine(class: &str, pattern: &str, alias: &str) -> String {
        format!("{class} compile: '{pattern} ^self {alias}'")
    }

    fn check(&self, way: Way) -> Result<(), String> {
        let untouched = unit(&self.program(None))?;
        let source = self.program(Some(way));
        let unit = unit(&source)?;
        let (usual, none) = run(&untouched, &modes::PLAIN)?;
        if none != 0 {
            return Err("a short cut is closed that no method replaced".to_string());
        }
        let (profiled, _) = run(&unit, &modes::PROFILE)?;
        let mut found = Vec::new();
        // The last line is a count, to which the method in the place of the other adds.
        let answers = |seen: &Observed| {
            seen.out
                .lines()
                .take(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        if answers(&profiled) != answers(&usual) {
            found.push(format!("{} is written, not {}", profiled.out, usual.out));
        }
        for mode in modes::all().into_iter().chain([modes::GC_STRESS]) {
            let (seen, _) = run(&unit, &mode)?;
            let texts = profiled.differences(&seen, Extent::with_profile(&mode));
            found.extend(texts.iter().map(|text| format!("{}: {text}", mode.name)));
        }
        found.extend(profiled.check_profile().err());
        found.extend(self.only_this_one(&unit, way).err());
        if way != Way::Wrapper {
            found.extend(judge(&source, &profiled)?);
        }
        match found.is_empty() {
            true => Ok(()),
            false => Err(found.join("\n")),
        }
    }

    /// Every detour is an activation of the method that took the place; nothing else lost its short cut.
    fn only_this_one(&self, unit: &Arc<Unit>, way: Way) -> Result<(), String> {
        let (seen, detours) = run(unit, &modes::RECORDING)?;
        let holder = match way {
            Way::Method => self.class,
            _ => &self.holder,
        };
        let tally = seen.tallies.get(&format!("{holder}>>{}", self.selector));
        let calls = tally.map_or(0, |tally| tally.calls);
        if detours == 0 && self.class != "Hot" {
            return Err("the short cut is still open".to_string());
        }
        let is_number = ["SmallInteger", "Float"].contains(&holder);
        let is_identity = ["==", "~~"].contains(&self.selector);
        if way == Way::Method && is_number && !is_identity && detours > calls {
            return Err(format!("{detours} detours lead to {calls} activations"));
        }
        Ok(())
    }
}

fn unit(source: &str) -> Result<Arc<Unit>, String> {
    let compiled = compile("program.st", source)?;
    let unit = compiled
        .unit
        .ok_or(format!("{:?}\n{source}", compiled.diagnostics))?;
    Ok(Arc::new(unit))
}

/// What a run showed, and how many detours it took.
fn run(unit: &Arc<Unit>, mode: &Mode) -> Result<(Observed, u64), String> {
    let host = TestHost::new();
    let mut vm = machine(&Options::default(), mode, &host)?;
    let outcome = vm.run_unit(unit.clone());
    let detours = vm.detours();
    let seen = conclude(&mut vm, &host, outcome);
    match seen.outcome {
        Outcome::Finished => Ok((seen, detours)),
        other => Err(format!("{}: {other:?} {}", mode.name, seen.error)),
    }
}

/// In what the interpreter of the tree differs.
fn judge(source: &str, profiled: &Observed) -> Result<Vec<String>, String> {
    let seen = oracle::run("program.st", source, &Options::default())?;
    if let Ending::Unsupported(what) = &seen.ending {
        return Err(format!("the interpreter does not know {what}"));
    }
    let mut found = compare::differences(&seen, profiled);
    if let Some(profile) = &profiled.profile {
        found.extend(compare::profile_differences(&seen, profile));
    }
    Ok(found)
}
