//! The counts of one version of a program: the one run of a script, or a run for each test, with tables that all runs
//! share. Versions are stored and compared in this form. A [`Profile`](tally_profiler::Profile) holds one run in more
//! detail.

mod build;
mod bytes;
mod payload;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use tally_profiler::{
    Allocated, Call, ContextKind, CostVector, Definition, Ending, ExplorationCosts, Input, Limits,
    ProcessorCosts, Unit,
};

pub use build::MeasurementBuilder;
pub use bytes::MeasurementError;

/// The counts of one version of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// What the runs count; sends, unless they were imported.
    pub unit: Unit,
    /// Version of the counting model.
    pub model: u32,
    /// Digest of the library, in hexadecimal digits.
    pub library: String,
    /// The arguments of the scripts.
    pub arguments: Vec<String>,
    /// Seed of `Random new`.
    pub seed: i64,
    /// Limits under which the runs took place.
    pub limits: Limits,
    /// The inputs from outside, by kind and name.
    pub inputs: Vec<Input>,
    /// Everything that the program's sources define, by name; absent where only what ran is known.
    pub definitions: Option<Vec<Definition>>,
    /// The methods that did something in some run.
    pub methods: Vec<MeasuredMethod>,
    /// The runs, by name.
    pub runs: Vec<MeasuredRun>,
}

impl Measurement {
    /// The same with work in place of sends. None if the work of a run's contexts is not known.
    pub(crate) fn in_work(&self) -> Option<Measurement> {
        let mut weighed = Measurement {
            unit: Unit::work(),
            ..self.clone()
        };
        for run in &mut weighed.runs {
            let works = run.contexts.iter().map(|context| u128::from(context.work));
            if run.ending.is_complete() && works.sum::<u128>() != u128::from(run.cost.work) {
                return None;
            }
            run.cost.sends = run.cost.work;
            for context in &mut run.contexts {
                context.own = context.work;
            }
            for counts in &mut run.methods {
                (counts.own, counts.total) = (counts.own_work, counts.total_work);
            }
        }
        Some(weighed)
    }

    /// The same with some of its runs, and with the methods that did something in them.
    pub(crate) fn with_runs(&self, is_kept: impl Fn(&str) -> bool) -> Measurement {
        let mut runs: Vec<MeasuredRun> = self.runs.clone();
        runs.retain(|run| is_kept(&run.name));
        let mut places: Vec<Option<u32>> = vec![None; self.methods.len()];
        for counts in runs.iter().flat_map(|run| &run.methods) {
            places[counts.method as usize] = Some(0);
        }
        let mut methods = Vec::new();
        for (place, method) in places.iter_mut().zip(&self.methods) {
            if place.is_some() {
                *place = Some(methods.len() as u32);
                methods.push(method.clone());
            }
        }
        let place = |method: u32| places.get(method as usize).copied().flatten();
        for run in &mut runs {
            for counts in &mut run.methods {
                counts.method = place(counts.method).unwrap_or(0);
            }
            for context in &mut run.contexts {
                context.method = context.method.and_then(place);
            }
            for call in &mut run.calls {
                call.caller = call.caller.and_then(place);
                call.callee = place(call.callee).unwrap_or(0);
            }
            for line in &mut run.lines {
                line.method = place(line.method).unwrap_or(0);
            }
        }
        Measurement {
            runs,
            methods,
            ..self.clone()
        }
    }
}

/// A method that did something in some run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredMethod {
    /// `Class>>selector`, or a file's name for statements at top level.
    pub name: String,
    /// The holding class; empty for statements at top level.
    pub class: String,
    /// The selector; empty for statements at top level.
    pub selector: String,
    /// The class's category.
    pub package: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Digest of its text.
    pub digest: u64,
    /// Digest of its compiled code, as in [`Definition`]; absent if a saved profile has none.
    pub code: Option<u64>,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// The messages that stand in it, sorted; absent if they are not known.
    pub sends: Option<Vec<String>>,
    /// Its text; empty if it is not known, or belongs to the library.
    pub source: String,
}

/// One run: the script's, or a test's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredRun {
    /// `Class>>selector` of the test; empty for a script.
    pub name: String,
    /// How it ended; a test that did not pass has failed.
    pub ending: Ending,
    /// Whether another run must give the same counts.
    pub is_reproducible: bool,
    /// Its cost.
    pub cost: CostVector,
    /// What it costs on simulated CPUs; absent if it uses no processors, or if that is not known.
    pub processors: Option<ProcessorCosts>,
    /// What it costs to explore its programs of actors; absent if it explores none, or if that is not known.
    pub explorations: Option<ExplorationCosts>,
    /// The results of the explored programs, in the order of their texts, as far as they are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<String>,
    /// The counts of each method in it, in the order of the methods.
    pub methods: Vec<MethodCounts>,
    /// The calling-context tree, parents before children.
    pub contexts: Vec<RunContext>,
    /// Whether no context was left out of the tree for want of room.
    pub is_tree_complete: bool,
    /// The calls between methods, of an imported run. The tree of other runs has them.
    pub calls: Vec<Call>,
    /// The sends of each line, by method and line. A method has all of its lines with sends here or none: the lines of a
    /// method are known if their sends add up to the method's own.
    pub lines: Vec<LineCounts>,
}

/// The sends of a line of a method in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    /// Index of the method.
    pub method: u32,
    /// Lines between the method's first line and this one.
    pub line: u32,
    /// Sends from it.
    pub sends: u64,
}

/// The counts of a method in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodCounts {
    /// Index of the method.
    pub method: u32,
    /// Activations of the method.
    pub calls: u64,
    /// Activations of its blocks.
    pub block_calls: u64,
    /// Sends in itself and its blocks.
    pub own: u64,
    /// Sends below its outermost activations, its own included.
    pub total: u64,
    /// Objects allocated in it and its blocks.
    pub allocations: Allocated,
    /// Work in itself and its blocks; zero if it was not counted.
    pub own_work: u64,
    /// Work below its outermost activations, its own included.
    pub total_work: u64,
}

/// A context of a run's tree, as [`Context`](tally_profiler::Context).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunContext {
    /// Index of the context above; the first context, the run itself, is its own.
    pub parent: u32,
    /// What it stands for.
    pub kind: ContextKind,
    /// Index of the method, or of the block's home method; absent for the run and what did not fit.
    pub method: Option<u32>,
    /// The block's number in its method, from 1; 0 if the context is no block.
    pub block: u32,
    /// Activations.
    pub calls: u64,
    /// Sends executed in it.
    pub own: u64,
    /// Work done in it; zero if it was not counted.
    pub work: u64,
}
