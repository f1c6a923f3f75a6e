//! Runs a program in a mode and collects the observable results.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::{Compiled, Notation};
use tally_profiler::{Allocated, Description, Ending, Limits, Profile, check_identities};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Cost, Detail, Outcome, Recorded, Tally, Vm};
use tally_workbench::Quiet;
use tally_workbench::loading::{Source, statements};

use crate::host::TestHost;
use crate::modes::Mode;

/// The options of a program's runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Activations at most.
    pub max_depth: Option<u64>,
    /// Ticks at most.
    pub max_ticks: Option<u64>,
    /// Work at most.
    pub max_work: Option<u64>,
    /// Bytes at most.
    pub max_memory: Option<usize>,
    /// Where the counter starts.
    pub preset: u64,
    /// The number of the first marked frame.
    pub serials: u64,
    /// Ticks of a process's time slice.
    pub slice: Option<u64>,
    /// Not to be run with a collection at each allocation.
    pub no_gc_stress: bool,
    /// Where it ends depends on memory, which is not part of the model: modes are not compared.
    pub by_memory: bool,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub error: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Its cost; only sends, loops and allocations unless everything was counted.
    pub cost: Cost,
    /// Tallies by the names of methods, if they were recorded. Methods of one name are added up.
    pub tallies: BTreeMap<String, Tally>,
    /// The profile, if it was recorded.
    pub profile: Option<Box<Profile>>,
}

/// How much of two runs can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Output and what every run counts.
    Cheap,
    /// Activations and tallies too.
    Recorded,
    /// All of it.
    Everything,
}

impl Extent {
    /// What of a run in this mode can be compared with the profiled run.
    pub fn with_profile(mode: &Mode) -> Extent {
        match (mode.profile, mode.everything) {
            (true, true) => Extent::Everything,
            (true, false) => Extent::Recorded,
            _ => Extent::Cheap,
        }
    }
}

static COMPILING: Mutex<Option<Vm>> = Mutex::new(None);

/// Compiles a program against the library.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn compile(name: &str, source: &str) -> Result<Compiled, String> {
    let mut kept = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none() {
        *kept = Some(tally_stdlib::machine(
            Config::default(),
            Box::new(TestHost::new()),
        )?);
    }
    match kept.as_ref() {
        Some(vm) => Ok(tally_compiler::compile(
            name,
            source,
            &MachineEnvironment(vm),
        )),
        None => Err("no machine".to_string()),
    }
}

/// A machine in that mode, with that outside world.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn machine(options: &Options, mode: &Mode, host: &TestHost) -> Result<Vm, String> {
    equipped(config(options, mode), options, mode, host)
}

/// The same with a clock that goes with ticks.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn machine_on_virtual_clock(
    options: &Options,
    mode: &Mode,
    host: &TestHost,
) -> Result<Vm, String> {
    let config = Config {
        virtual_clock: true,
        ..config(options, mode)
    };
    equipped(config, options, mode, host)
}

fn equipped(config: Config, options: &Options, mode: &Mode, host: &TestHost) -> Result<Vm, String> {
    let mut vm = tally_stdlib::machine(config, Box::new(host.clone()))?;
    tally_compiler::runtime::equip(&mut vm);
    vm.read_timelines_with(Arc::new(tally_timeline::TrialReader));
    vm.search_schedules_with(Arc::new(tally_workbench::searching::ScheduleSearches));
    vm.set_arguments(options.arguments.clone());
    prepare(&mut vm, options, mode);
    Ok(vm)
}

fn config(options: &Options, mode: &Mode) -> Config {
    let usual = Config::default();
    Config {
        nursery_bytes: mode.nursery.unwrap_or(usual.nursery_bytes),
        // A small nursery goes with an old space of at most twice what lives in it.
        least_old_bytes: mode.nursery.map_or(usual.least_old_bytes, |_| 0),
        gc_stress: mode.gc_stress,
        max_memory: options.max_memory,
        max_ticks: options.max_ticks,
        max_work: options.max_work,
        max_depth: options.max_depth.unwrap_or(usual.max_depth),
        optimisations: mode.optimisations,
        ..usual
    }
}

fn prepare(vm: &mut Vm, options: &Options, mode: &Mode) {
    vm.preset_counter(options.preset);
    vm.preset_serials(options.serials);
    if options.slice.is_some() {
        vm.set_scheduler(Box::new(tally_vm::RoundRobin {
            slice: options.slice,
        }));
    }
    if mode.everything {
        vm.count_everything();
    }
    if mode.profile {
        vm.start_profile(Detail {
            sites: mode.everything,
            ..Detail::default()
        });
    }
}

/// Runs a program of SOM in a mode; the classes in the folder `parts` beside it are on its class path.
///
/// # Errors
/// What the program's classes cannot be loaded for.
pub fn observe_som(file: &Path, options: &Options, mode: &Mode) -> Result<Observed, String> {
    let parts = [file.with_file_name("parts")];
    let name = file.to_string_lossy();
    let program = tally_workbench::loading::som::Program::new(&name, &parts, &options.arguments);
    let host = TestHost::new();
    let machine = program.machine(config(options, mode), Box::new(host.clone()), false);
    let (mut vm, _) = machine.map_err(|error| format!("{error:?}"))?;
    prepare(&mut vm, options, mode);
    let outcome = vm.run_unit(Arc::new(program.start()));
    Ok(conclude(&mut vm, &host, outcome))
}

/// Runs a program of GNU Smalltalk in a mode.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn observe_gst(
    name: &str,
    text: &str,
    options: &Options,
    mode: &Mode,
) -> Result<Observed, String> {
    let host = TestHost::new();
    let mut vm = tally_stdlib::machine(config(options, mode), Box::new(host.clone()))?;
    tally_compiler::runtime::equip(&mut vm);
    statements::equip(&mut vm).map_err(|error| error.message().to_string())?;
    vm.set_arguments(options.arguments.clone());
    prepare(&mut vm, options, mode);
    let sources = [Source::script(name, text.to_string())];
    let outcome = statements::run(&mut vm, Notation::Gst, &sources, &Quiet);
    Ok(conclude(&mut vm, &host, outcome))
}

/// Runs a compiled program in a mode.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn observe(unit: &Arc<Unit>, options: &Options, mode: &Mode) -> Result<Observed, String> {
    let host = TestHost::new();
    let mut vm = machine(options, mode, &host)?;
    let outcome = vm.run_unit(unit.clone());
    Ok(conclude(&mut vm, &host, outcome))
}

/// The observable results of a machine whose run is over.
pub fn conclude(vm: &mut Vm, host: &TestHost, outcome: Outcome) -> Observed {
    let cost = vm.cost();
    let is_profiled = vm.is_profiling();
    let recorded = vm.finish_profile();
    let profile = is_profiled.then(|| Box::new(profile_of(vm, &recorded, &cost)));
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (method, tally) in recorded.tallies() {
        let sum = tallies.entry(vm.method_name(method)).or_default();
        sum.cumulative = sum.cumulative.wrapping_add(tally.cumulative);
        sum.calls += tally.calls;
        sum.block_calls += tally.block_calls;
        sum.own += tally.own;
        sum.total += tally.total;
    }
    Observed {
        out: host.out(),
        error: host.error(),
        outcome,
        cost,
        tallies,
        profile,
    }
}

/// What was recorded as a profile; what stands in it beside counts does not matter here.
pub fn profile_of(vm: &Vm, recorded: &Recorded, cost: &Cost) -> Profile {
    let about = Description {
        program: 0,
        files: Vec::new(),
        scripts: Vec::new(),
        arguments: Vec::new(),
        seed: 1,
        limits: Limits::default(),
        ending: Ending::Finished,
        reproducible: true,
        definitions: None,
        inputs: None,
        revision: None,
    };
    Profile::collect(vm, recorded, cost, about)
}

/// The profile without what only a run that counts everything has.
fn without_sites(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.sites.clear();
    profile.allocations.clear();
    let contexts = profile.contexts.iter_mut().map(|c| &mut c.allocations);
    let methods = profile.methods.iter_mut().map(|m| &mut m.allocations);
    contexts
        .chain(methods)
        .for_each(|a| *a = Allocated::default());
    without_work(&mut profile);
    profile
}

fn without_work(profile: &mut Profile) {
    for context in &mut profile.contexts {
        (context.work, context.total_work, context.primitive_work) = (0, 0, 0);
    }
    for method in &mut profile.methods {
        (method.own_work, method.total_work) = (0, 0);
    }
    profile
        .calls
        .iter_mut()
        .for_each(|call| call.total_work = 0);
}

/// Says where two lists differ first.
fn differ_in_rows<T: PartialEq + std::fmt::Debug>(
    found: &mut Vec<String>,
    what: &str,
    mine: &[T],
    others: &[T],
) {
    let first = mine.iter().zip(others).position(|(a, b)| a != b);
    let at = first.unwrap_or_else(|| mine.len().min(others.len()));
    differ(
        found,
        &format!("{what} {at}"),
        &mine.get(at),
        &others.get(at),
    );
}

impl Observed {
    /// Says in which respects another run of the same program differs, which it must not.
    pub fn differences(&self, other: &Observed, extent: Extent) -> Vec<String> {
        let mut found = Vec::new();
        differ(&mut found, "output", &self.out, &other.out);
        differ(&mut found, "error output", &self.error, &other.error);
        differ(&mut found, "outcome", &self.outcome, &other.outcome);
        differ(&mut found, "sends", &self.cost.sends, &other.cost.sends);
        differ(&mut found, "loops", &self.cost.loops, &other.cost.loops);
        differ(
            &mut found,
            "allocations",
            &self.cost.allocations,
            &other.cost.allocations,
        );
        if extent != Extent::Cheap {
            differ(
                &mut found,
                "activations",
                &self.cost.activations,
                &other.cost.activations,
            );
            differ(&mut found, "blocks", &self.cost.blocks, &other.cost.blocks);
            self.differing_tallies(other, &mut found);
            self.differing_profiles(other, extent, &mut found);
        }
        if extent == Extent::Everything {
            self.differing_primitives(other, &mut found);
        }
        found
    }

    fn differing_primitives(&self, other: &Observed, found: &mut Vec<String>) {
        differ(found, "called", &self.cost.called, &other.cost.called);
        differ(found, "steps", &self.cost.steps, &other.cost.steps);
        differ(found, "work", &self.cost.counters, &other.cost.counters);
        let map = |cost: &Cost| cost.primitives.iter().copied().collect::<BTreeMap<_, _>>();
        let (mine, others) = (map(&self.cost), map(&other.cost));
        let names: std::collections::BTreeSet<_> = mine.keys().chain(others.keys()).collect();
        for name in names {
            differ(
                found,
                &format!("primitive {name}"),
                &mine.get(name),
                &others.get(name),
            );
        }
    }

    fn differing_profiles(&self, other: &Observed, extent: Extent, found: &mut Vec<String>) {
        let part = |seen: &Observed| {
            let profile = seen.profile.as_deref()?;
            Some(match extent {
                Extent::Everything => profile.clone(),
                _ => without_sites(profile),
            })
        };
        let (Some(mine), Some(others)) = (part(self), part(other)) else {
            return;
        };
        differ_in_rows(found, "method", &mine.methods, &others.methods);
        differ_in_rows(found, "context", &mine.contexts, &others.contexts);
        differ_in_rows(found, "call", &mine.calls, &others.calls);
        differ_in_rows(found, "site", &mine.sites, &others.sites);
        differ_in_rows(found, "allocation", &mine.allocations, &others.allocations);
    }

    /// Checks all identities of the counting model that the profile holds.
    ///
    /// # Errors
    /// The first that does not hold, as a sentence.
    pub fn check_profile(&self) -> Result<(), String> {
        let Some(profile) = self.profile.as_deref() else {
            return Ok(());
        };
        if let Some(violation) = check_identities(profile).first() {
            return Err(violation.to_string());
        }
        let (work, whole) = (profile.work(), self.cost.work());
        match profile.sites.is_empty() || work == whole {
            true => Ok(()),
            false => Err(format!(
                "the contexts have {work} work, the run has {whole}"
            )),
        }
    }

    fn differing_tallies(&self, other: &Observed, found: &mut Vec<String>) {
        let names: std::collections::BTreeSet<_> =
            self.tallies.keys().chain(other.tallies.keys()).collect();
        for name in names {
            differ(
                found,
                name,
                &self.tallies.get(name),
                &other.tallies.get(name),
            );
        }
    }

    /// Checks that the own sends of all methods add up to the sends of the run.
    ///
    /// # Errors
    /// A sentence with both numbers.
    pub fn check_sum_of_own(&self) -> Result<(), String> {
        let sum: u64 = self.tallies.values().map(|tally| tally.own).sum();
        if sum == self.cost.sends {
            return Ok(());
        }
        Err(format!(
            "own sends add up to {sum}, the run has {}",
            self.cost.sends
        ))
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(found: &mut Vec<String>, what: &str, a: &T, b: &T) {
    if a != b {
        found.push(format!("{what}: {a:?} became {b:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_reset_undoes_what_a_run_did() {
        let mut vm = tally_stdlib::machine(Config::default(), Box::new(TestHost::new()))
            .expect("the library loads");
        let mut saved = vm.fork(Box::new(TestHost::new()));
        let source = "Object subclass: Probe [ | a | ]. Smalltalk at: #Kept put: Probe new. \
                      Kept identityHash + Random new next truncated + (Set new add: Object new; size)";
        let mut seen = Vec::new();
        for _ in 0..3 {
            assert_eq!(vm.global_value("Kept"), None);
            assert_eq!(vm.find_class("Probe"), None);
            let compiled = tally_compiler::compile("probe", source, &MachineEnvironment(&vm));
            let unit = compiled.unit.expect("it compiles");
            assert_eq!(vm.run_unit(Arc::new(unit)), tally_vm::Outcome::Finished);
            assert!(vm.global_value("Kept").is_some());
            seen.push((vm.result().as_int(), vm.cost()));
            vm.reset(&mut saved);
        }
        assert!(
            seen.iter().all(|run| *run == seen[0] && run.0.is_some()),
            "{seen:?}"
        );
    }

    fn run(vm: &mut Vm, source: &str) -> Option<i64> {
        let compiled = tally_compiler::compile("probe", source, &MachineEnvironment(vm));
        let unit = compiled.unit.expect("it compiles");
        assert_eq!(
            vm.run_unit(Arc::new(unit)),
            tally_vm::Outcome::Finished,
            "{source}"
        );
        vm.result().as_int()
    }

    /// Copies share linked code. What one of them runs, changes or redefines must not show in another.
    #[test]
    fn copies_that_share_code_stay_apart() {
        let mut vm = tally_stdlib::machine(Config::default(), Box::new(TestHost::new()))
            .expect("the library loads");
        let program = "Object subclass: Probe [ | a | name [ ^'abc' ] other [ ^self name size ] a [ ^a ] a: x [ a := x ] ]. \
                       Smalltalk at: #Adder put: (Probe new a: 5; yourself). \
                       Smalltalk at: #Block put: [:x | [:y | x + y + (Smalltalk at: #Adder) a]]. \
                       Smalltalk at: #Inner put: ((Smalltalk at: #Block) value: 10). \
                       (Probe new other) + ((Smalltalk at: #Inner) value: 1)";
        assert_eq!(run(&mut vm, program), Some(3 + 16));
        let probe = "| p | p := Probe new. \
                     (p name == p name) & (Probe new name = 'abc') ifFalse: [self error: 'name']. \
                     p name at: 1 put: $x. (Smalltalk at: #Adder) a: 7. \
                     (p name at: 1) = $x ifFalse: [self error: 'changed']. \
                     ((Smalltalk at: #Inner) value: 1) + (((Smalltalk at: #Block) value: 2) value: 3) + p other";
        let mut costs = Vec::new();
        for round in 0..3 {
            let mut copy = vm.fork(Box::new(TestHost::new()));
            let mut copy_of_copy = copy.fork(Box::new(TestHost::new()));
            for copy in [&mut copy, &mut copy_of_copy] {
                let before = copy.cost();
                assert_eq!(run(copy, probe), Some(18 + 12 + 3));
                costs.push(copy.cost().since(&before));
                copy.collect_garbage();
                let change = "Probe extend [ | b | other [ ^1000 ] b [ ^b ] ]. Probe new other";
                assert_eq!(run(copy, change), Some(1000));
            }
            let mut later = copy.fork(Box::new(TestHost::new()));
            assert_eq!(run(&mut later, "Probe new other"), Some(1000));
            if round == 1 {
                vm.link_as(&copy);
            }
        }
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
        assert_eq!(run(&mut vm, probe), Some(18 + 12 + 3));
    }
}
