//! Builds measurements run by run, from a machine's recordings or from profiles. A method of several runs is described
//! once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tally_profiler::{
    Allocated, Call, ContextKind, CostVector, Definition, Description, Ending, ExplorationCosts,
    Input, MethodProfile, Places, ProcessorCosts, Profile, fnv1a, hexadecimal, identity,
};
use tally_vm::bytecode::Code;
use tally_vm::{Cost, MethodId, Recorded, Vm};

use super::{LineCounts, MeasuredMethod, MeasuredRun, Measurement, MethodCounts, RunContext};

/// Puts a measurement together.
#[derive(Debug, Default)]
pub struct MeasurementBuilder {
    measurement: Measurement,
    numbers: HashMap<MeasuredMethod, u32>,
    /// Methods of machines by their numbers. Copies of a machine share methods, but may give the same number to methods
    /// of their own. Then the code differs. The code is kept alive, so that its address stays unique.
    known: HashMap<MethodId, (Arc<Code>, u32)>,
}

impl MeasurementBuilder {
    /// An empty measurement: a machine with the library of that digest, and the description of its runs.
    pub fn new(library: u64, about: &Description) -> MeasurementBuilder {
        MeasurementBuilder {
            measurement: Measurement {
                model: tally_vm::MODEL_VERSION,
                library: hexadecimal(library),
                arguments: about.arguments.clone(),
                seed: about.seed,
                limits: about.limits.clone(),
                inputs: about.inputs.clone().unwrap_or_default(),
                definitions: about.definitions.clone(),
                ..Measurement::default()
            },
            ..MeasurementBuilder::default()
        }
    }

    /// Nothing measured yet, on the terms of a profile.
    fn like(profile: &Profile) -> MeasurementBuilder {
        MeasurementBuilder {
            measurement: Measurement {
                unit: profile.unit.clone(),
                model: profile.model,
                library: profile.library.clone(),
                arguments: profile.arguments.clone(),
                seed: profile.seed,
                limits: profile.limits.clone(),
                inputs: profile.inputs.clone().unwrap_or_default(),
                definitions: profile.definitions.clone(),
                ..Measurement::default()
            },
            ..MeasurementBuilder::default()
        }
    }

    /// Sets what the sources define.
    pub fn set_definitions(&mut self, definitions: Vec<Definition>) {
        self.measurement.definitions = Some(definitions);
    }

    /// Adds inputs from outside.
    pub fn add_inputs(&mut self, inputs: impl IntoIterator<Item = Input>) {
        self.measurement.inputs.extend(inputs);
    }

    /// Adds a run from a machine's recording of it. The ending, whether the run is reproducible, and the files with
    /// scripts come from the description.
    pub fn add_recorded(
        &mut self,
        name: &str,
        vm: &Vm,
        recorded: &Recorded,
        cost: &Cost,
        about: &Description,
    ) {
        let mut places = Places::new(vm);
        let mut number = |id: MethodId| self.number_of(vm, &mut places, id, about);
        let mut counts: BTreeMap<u32, MethodCounts> = BTreeMap::new();
        let mut numbers: HashMap<MethodId, u32> = HashMap::new();
        for (id, tally) in recorded.tallies() {
            let method = number(id);
            numbers.insert(id, method);
            let row = counts.entry(method).or_default();
            row.method = method;
            row.calls = row.calls.saturating_add(tally.calls);
            row.block_calls = row.block_calls.saturating_add(tally.block_calls);
            row.own = row.own.saturating_add(tally.own);
            row.total = row.total.saturating_add(tally.total);
            row.own_work = row.own_work.saturating_add(tally.own_work);
            row.total_work = row.total_work.saturating_add(tally.total_work);
        }
        let contexts = contexts(recorded, &numbers);
        let lines = lines(vm, &mut places, recorded, &numbers, &counts);
        for made in &recorded.made {
            let method = contexts.get(made.context as usize).and_then(|c| c.method);
            if let Some(row) = method.and_then(|method| counts.get_mut(&method)) {
                let made = &made.allocations;
                row.allocations.add(made.objects, made.bytes);
            }
        }
        self.measurement.runs.push(MeasuredRun {
            name: name.to_string(),
            ending: about.ending,
            is_reproducible: about.reproducible,
            cost: CostVector::from(cost),
            processors: None,
            explorations: None,
            outcomes: Vec::new(),
            methods: counts.into_values().collect(),
            contexts,
            is_tree_complete: recorded.is_complete,
            calls: Vec::new(),
            lines,
        });
    }

    /// Sets what it costs to explore the programs of the run that was added last, and what comes out.
    pub fn set_explorations(&mut self, costs: Option<ExplorationCosts>, outcomes: Vec<String>) {
        if let Some(run) = self.measurement.runs.last_mut() {
            (run.explorations, run.outcomes) = (costs, outcomes);
        }
    }

    /// Sets what the run that was added last costs on simulated CPUs.
    pub fn set_processors(&mut self, costs: Option<ProcessorCosts>) {
        if let Some(run) = self.measurement.runs.last_mut() {
            run.processors = costs;
        }
    }

    /// Adds a run that failed before it did anything.
    pub fn add_failure(&mut self, name: &str) {
        self.measurement.runs.push(MeasuredRun {
            name: name.to_string(),
            ending: Ending::Failed,
            is_reproducible: true,
            cost: CostVector::default(),
            processors: None,
            explorations: None,
            outcomes: Vec::new(),
            methods: Vec::new(),
            contexts: Vec::new(),
            is_tree_complete: true,
            calls: Vec::new(),
            lines: Vec::new(),
        });
    }

    /// Adds a run from its profile.
    pub fn add_profile(&mut self, name: &str, profile: &Profile) {
        let mut sends: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for site in &profile.sites {
            let of_method = sends.entry(site.method).or_default();
            of_method.push(site.selector.clone());
        }
        let mut number = |(index, method): (u32, &MethodProfile)| {
            let sends = (!profile.sites.is_empty()).then(|| {
                let mut sends = sends.remove(&index).unwrap_or_default();
                sends.sort_unstable();
                sends.dedup();
                sends
            });
            self.number(measured(method, sends))
        };
        let numbers: Vec<u32> = (0..).zip(&profile.methods).map(&mut number).collect();
        let counts = method_counts(profile, &numbers);
        let lines = LineSums::of_profile(profile, &numbers).known(&counts);
        let numbered = |method: u32| numbers.get(method as usize).copied();
        let context = |context: &tally_profiler::Context| RunContext {
            parent: context.parent.unwrap_or(0),
            kind: context.kind,
            method: context.method.and_then(numbered),
            block: context.block,
            calls: context.calls,
            own: context.own,
            work: context.work,
        };
        let call = |call: &Call| {
            Some(Call {
                caller: call.caller.and_then(numbered),
                callee: numbered(call.callee)?,
                ..call.clone()
            })
        };
        self.measurement.runs.push(MeasuredRun {
            name: name.to_string(),
            ending: profile.ending,
            is_reproducible: profile.reproducible,
            cost: profile.cost.clone(),
            processors: None,
            explorations: None,
            outcomes: Vec::new(),
            methods: counts.into_values().collect(),
            contexts: profile.contexts.iter().map(context).collect(),
            is_tree_complete: profile.is_tree_complete,
            calls: match profile.unit.is_tally() {
                true => Vec::new(),
                false => profile.calls.iter().filter_map(call).collect(),
            },
            lines,
        });
    }

    /// The measurement: runs in the order of their names, methods in that of classes and selectors, whichever came first.
    pub fn finish(self) -> Measurement {
        let mut measurement = self.measurement;
        measurement.runs.sort_by(|a, b| a.name.cmp(&b.name));
        measurement.inputs.sort();
        measurement.inputs.dedup();
        let mut order: Vec<u32> = (0..measurement.methods.len() as u32).collect();
        order.sort_by_key(|&number| {
            let method = &measurement.methods[number as usize];
            (
                &method.class,
                &method.selector,
                &method.name,
                &method.file,
                method.line,
                method.digest,
            )
        });
        let mut places = vec![0; order.len()];
        for (place, &number) in (0..).zip(&order) {
            places[number as usize] = place;
        }
        let place = |number: u32| places.get(number as usize).copied().unwrap_or(number);
        for run in &mut measurement.runs {
            run.methods
                .iter_mut()
                .for_each(|m| m.method = place(m.method));
            run.methods.sort_by_key(|counts| counts.method);
            run.lines
                .iter_mut()
                .for_each(|l| l.method = place(l.method));
            run.lines.sort_by_key(|line| (line.method, line.line));
            let methods = run.contexts.iter_mut().filter_map(|c| c.method.as_mut());
            let calls = run.calls.iter_mut();
            let called = calls.flat_map(|call| call.caller.iter_mut().chain([&mut call.callee]));
            methods
                .chain(called)
                .for_each(|method| *method = place(*method));
        }
        let methods = std::mem::take(&mut measurement.methods);
        let mut placed: Vec<_> = places.iter().zip(methods).collect();
        placed.sort_by_key(|(place, _)| **place);
        measurement.methods = placed.into_iter().map(|(_, method)| method).collect();
        measurement
    }

    fn number(&mut self, method: MeasuredMethod) -> u32 {
        let methods = &mut self.measurement.methods;
        *self.numbers.entry(method).or_insert_with_key(|method| {
            methods.push(method.clone());
            (methods.len() - 1) as u32
        })
    }

    fn number_of(
        &mut self,
        vm: &Vm,
        places: &mut Places<'_>,
        id: MethodId,
        about: &Description,
    ) -> u32 {
        let code = vm.method(id).code.get();
        if let Some((known, number)) = self.known.get(&id)
            && Arc::ptr_eq(known, code)
        {
            return *number;
        }
        let number = self.number(described(vm, places, id, about));
        self.known.insert(id, (Arc::clone(code), number));
        number
    }
}

impl Measurement {
    /// A measurement of one run, from its profile.
    pub fn of_profile(profile: &Profile) -> Measurement {
        let mut builder = MeasurementBuilder::like(profile);
        builder.add_profile("", profile);
        builder.finish()
    }
}

/// The counts of a profile's methods, which have these numbers.
fn method_counts(profile: &Profile, numbers: &[u32]) -> BTreeMap<u32, MethodCounts> {
    let mut counts: BTreeMap<u32, MethodCounts> = BTreeMap::new();
    for (method, &number) in profile.methods.iter().zip(numbers) {
        let row = counts.entry(number).or_default();
        row.method = number;
        row.calls = row.calls.saturating_add(method.calls);
        row.block_calls = row.block_calls.saturating_add(method.block_calls);
        row.own = row.own.saturating_add(method.own);
        row.total = row.total.saturating_add(method.total);
        row.own_work = row.own_work.saturating_add(method.own_work);
        row.total_work = row.total_work.saturating_add(method.total_work);
        let Allocated { objects, bytes } = method.allocations;
        row.allocations.add(objects, bytes);
    }
    counts
}

/// The contexts of a recording, in its order.
fn contexts(recorded: &Recorded, numbers: &HashMap<MethodId, u32>) -> Vec<RunContext> {
    let number = |id: MethodId| numbers.get(&id).copied();
    let context = |context: &tally_vm::Context| {
        let (kind, method, block) = match context.kind {
            tally_vm::ContextKind::Run => (ContextKind::Run, None, 0),
            tally_vm::ContextKind::Other => (ContextKind::Other, None, 0),
            tally_vm::ContextKind::Method(id) => (ContextKind::Method, number(id), 0),
            tally_vm::ContextKind::Block(id, block) => (ContextKind::Block, number(id), block),
        };
        RunContext {
            parent: context.parent,
            kind,
            method,
            block,
            calls: context.calls,
            own: context.own,
            work: context.work,
        }
    };
    recorded.contexts.iter().map(context).collect()
}

/// The sends of lines, by method and by the line's place in it.
#[derive(Default)]
struct LineSums {
    sends: BTreeMap<(u32, u32), u64>,
    of_method: BTreeMap<u32, u64>,
}

impl LineSums {
    /// Adds sends from a line of a method that begins on the first line.
    fn add(&mut self, method: u32, (first, line): (usize, usize), sends: u64) {
        let line = u32::try_from(line.saturating_sub(first)).unwrap_or(u32::MAX);
        for sum in [
            self.sends.entry((method, line)).or_default(),
            self.of_method.entry(method).or_default(),
        ] {
            *sum = sum.saturating_add(sends);
        }
    }

    /// The lines of a profile whose methods have these numbers.
    fn of_profile(profile: &Profile, numbers: &[u32]) -> LineSums {
        let mut lines = LineSums::default();
        for site in &profile.sites {
            let method = profile.methods.get(site.method as usize);
            let number = numbers.get(site.method as usize);
            if let (Some(method), Some(number)) = (method, number) {
                lines.add(*number, (method.line, site.line), site.sends);
            }
        }
        lines
    }

    /// The lines of the methods all of whose sends are from these sites. The sites of a part of a run may hold sends of
    /// other parts.
    fn known(self, counts: &BTreeMap<u32, MethodCounts>) -> Vec<LineCounts> {
        let is_known = |method: &u32| {
            let own = counts.get(method).map(|counts| counts.own);
            own == self.of_method.get(method).copied()
        };
        let rows = self.sends.iter();
        let rows = rows.filter(|((method, _), sends)| **sends > 0 && is_known(method));
        rows.map(|(&(method, line), &sends)| LineCounts {
            method,
            line,
            sends,
        })
        .collect()
    }
}

/// The sends of lines in a recording of which the methods have these counts.
fn lines(
    vm: &Vm,
    places: &mut Places<'_>,
    recorded: &Recorded,
    numbers: &HashMap<MethodId, u32>,
    counts: &BTreeMap<u32, MethodCounts>,
) -> Vec<LineCounts> {
    let mut sums = LineSums::default();
    for (site, sends) in &recorded.sites {
        let code = vm.method(site.method).code.get();
        let place = code.sites.get(site.index as usize);
        if let (Some(place), Some(number)) = (place, numbers.get(&site.method)) {
            let (first, _) = places.of(site.method, code.span.start);
            let (line, _) = places.of(site.method, place.selector_span.start);
            sums.add(*number, (first, line), *sends);
        }
    }
    sums.known(counts)
}

/// A method of a machine.
fn described(
    vm: &Vm,
    places: &mut Places<'_>,
    id: MethodId,
    about: &Description,
) -> MeasuredMethod {
    let code = vm.method(id).code.get();
    let identity = identity(vm, places, id, about);
    MeasuredMethod {
        name: identity.name,
        class: identity.class,
        selector: identity.selector,
        package: identity.package,
        file: identity.file,
        line: identity.line,
        digest: code.digest,
        code: Some(tally_profiler::code_digest(code)),
        is_library: identity.is_library,
        sends: Some(tally_profiler::sends(code)),
        source: match identity.is_library {
            true => String::new(),
            false => places.text(id, code.span).to_string(),
        },
    }
}

/// A method of a profile.
fn measured(method: &MethodProfile, sends: Option<Vec<String>>) -> MeasuredMethod {
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    MeasuredMethod {
        name: method.name.clone(),
        class: method.class.clone(),
        selector: method.selector.clone(),
        package: method.package.clone(),
        file: method.file.clone(),
        line: method.line,
        digest: number(&method.digest).unwrap_or_else(|| fnv1a([method.digest.as_str()])),
        code: method.code.as_deref().and_then(number),
        is_library: method.is_library,
        sends,
        source: match method.is_library {
            true => String::new(),
            false => method.source.clone(),
        },
    }
}
