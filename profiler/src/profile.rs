//! The profile: all counts of one run, as plain data without references to the machine. Ranking, writing and comparing
//! are in other modules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tally_vm::bytecode::Span;
use tally_vm::{Cost, Work};

use crate::sources::{Definition, Input, Revision};
use crate::unit::Unit;

/// A run's counts and its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// `tally.profile/1`.
    pub schema: String,
    /// Version of the counting model.
    pub model: u32,
    /// Digest of the library, in hexadecimal digits.
    pub library: String,
    /// Digest of the program's source texts, in hexadecimal digits.
    pub program: String,
    /// What `own` and `total` count, and which other counts are known; sends, unless the profile was imported.
    #[serde(default, skip_serializing_if = "Unit::is_default")]
    pub unit: Unit,
    /// The files that were run, as the user named them.
    pub files: Vec<String>,
    /// The arguments of the script.
    pub arguments: Vec<String>,
    /// Seed of `Random new`.
    pub seed: i64,
    /// Limits under which the program ran.
    pub limits: Limits,
    /// How the run ended.
    pub ending: Ending,
    /// Whether another run must give the same counts: no real clock was read and the limit on
    /// memory was not hit.
    pub reproducible: bool,
    /// The cost of the whole run.
    pub cost: CostVector,
    /// Evaluations of inlined control messages by selector, if they were counted. No sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlined: Option<BTreeMap<String, u64>>,
    /// Everything that the program's sources define, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definitions: Option<Vec<Definition>>,
    /// The inputs from outside, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<Input>>,
    /// The commit that the sources are of, if they are of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Every method that was activated or sent something, the most expensive first.
    pub methods: Vec<MethodProfile>,
    /// The calling-context tree, parents before children; empty in a profile of methods alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<Context>,
    /// Whether the tree had room for every context. If not, the other contexts stand below one of the kind `other`, and
    /// totals are too low by at most its total.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub is_tree_complete: bool,
    /// The calls between methods, by caller, then by callee.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Send sites that were executed, by method, then by place; empty if sites were not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<Site>,
    /// The allocations, by context, class and site; empty if sites were not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocations: Vec<Allocation>,
}

impl Default for Profile {
    /// The profile of a run of nothing: it came to its end, and every count is zero.
    fn default() -> Profile {
        Profile {
            schema: crate::PROFILE_SCHEMA.to_string(),
            model: 0,
            library: crate::hexadecimal(0),
            program: crate::hexadecimal(0),
            unit: Unit::default(),
            files: Vec::new(),
            arguments: Vec::new(),
            seed: 0,
            limits: Limits::default(),
            ending: Ending::Finished,
            reproducible: true,
            cost: CostVector::default(),
            inlined: None,
            definitions: None,
            inputs: None,
            revision: None,
            methods: Vec::new(),
            contexts: Vec::new(),
            is_tree_complete: true,
            calls: Vec::new(),
            sites: Vec::new(),
            allocations: Vec::new(),
        }
    }
}

impl Profile {
    /// Whether it has work (counting model, 2.2). Work is counted where sites are.
    pub fn has_work(&self) -> bool {
        self.unit.is_tally() && self.work() > 0
    }

    /// All work that the tree, or the methods alone, account for.
    pub fn work(&self) -> u64 {
        let works = self.methods.iter().map(|method| method.own_work);
        match self.contexts.first() {
            Some(run) => run.total_work,
            None => works.fold(0, u64::saturating_add),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_yes(is_tree_complete: &bool) -> bool {
    *is_tree_complete
}

/// The kind of a context of the tree.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum ContextKind {
    /// The run: the one root. Its children are the bottom frames of processes.
    #[default]
    Run,
    /// Activations of a method.
    Method,
    /// Activations of a block, `[] in M`.
    Block,
    /// The contexts that did not fit into the tree.
    Other,
}

/// A node of the calling-context tree: all activations of one method, or of one block, in one context. Recursion
/// folds: an activation below one of its own kind is a node of its own only if it adds something to the path. That is a
/// method, or a pair of caller and callee.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Index of the context above; absent for the run.
    pub parent: Option<u32>,
    /// What it stands for.
    pub kind: ContextKind,
    /// Index of the method, or of the block's home method; absent for the run and for the root of contexts that did not
    /// fit.
    pub method: Option<u32>,
    /// The block's number in its method, from 1; 0 if the context is no block.
    #[serde(default)]
    pub block: u32,
    /// Activations.
    pub calls: u64,
    /// Sends executed in it.
    pub own: u64,
    /// Its own sends and the totals of its children.
    pub total: u64,
    /// Objects allocated in it; zero if sites were not counted.
    #[serde(default)]
    pub allocations: Allocated,
    /// The work done in it; zero if work was not counted, see [`Profile::has_work`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub work: u64,
    /// Its own work and the total work of its children.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_work: u64,
    /// The part of its own work that the primitives called from it were charged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub primitive_work: u64,
}

/// The calls from one method (or a block in it) to another (or a block in it), with their costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Index of the calling method; absent for the bottom frames of processes.
    pub caller: Option<u32>,
    /// Index of the method that was activated, or whose block was.
    pub callee: u32,
    /// Activations of the method.
    pub calls: u64,
    /// Activations of blocks in it.
    pub block_calls: u64,
    /// Sends below those activations that have no activation by the same caller of the same callee below them on
    /// their stack.
    pub total: u64,
    /// The same of work; zero if work was not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_work: u64,
}

/// A place in a method from which a message was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Site {
    /// Index of the method.
    pub method: u32,
    /// Line in the method's file, from 1.
    pub line: usize,
    /// Column of the selector's first part, from 1, in characters.
    pub column: usize,
    /// The message.
    pub selector: String,
    /// Whether it is sent to `super`.
    #[serde(default)]
    pub is_super: bool,
    /// How often it was sent.
    pub sends: u64,
    /// Activations that this led to; the rest were primitives and quick methods.
    pub calls: u64,
    /// Sends below these activations, unless the method of the site was already on the stack.
    pub total: u64,
    /// The work of its sends and of the primitives that they called; zero if work was not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub work: u64,
    /// As `total`, of work.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_work: u64,
}

/// Objects of one class, allocated in one context at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    /// Index of the context.
    pub context: u32,
    /// Name of the class.
    pub class: String,
    /// Index of the site whose primitive made them; absent for blocks and brace arrays.
    pub site: Option<u32>,
    /// How many.
    pub objects: u64,
    /// Their bytes by the model.
    pub bytes: u64,
}

/// Limits under which a program ran; absent ones were not set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Ticks.
    pub sends: Option<u64>,
    /// Bytes.
    pub memory: Option<u64>,
    /// Activations on one process's stack.
    pub depth: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// The script came to its end.
    Finished,
    /// An unhandled error, or a deadlock.
    Failed,
    /// A limit was hit.
    Limit,
    /// A test came to its end, but an assertion about counts does not hold. Its counts are complete.
    Counted,
}

impl Ending {
    /// Whether the counts are those of a run that came to its end.
    pub fn is_complete(self) -> bool {
        matches!(self, Ending::Finished | Ending::Counted)
    }
}

/// The cost vector of the counting model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostVector {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered.
    pub activations: u64,
    /// Blocks evaluated.
    pub blocks: u64,
    /// Objects made.
    pub allocations: Allocated,
    /// Assignments, sends, decisions, blocks and brace arrays made, returns. Counting model 1 has no steps.
    #[serde(default)]
    pub steps: u64,
    /// Primitives that succeeded, by name.
    pub primitives: BTreeMap<String, u64>,
    /// Primitives that succeeded and are not simple. Profiles of counting model 1 lack them and all of the following.
    #[serde(default)]
    pub called: u64,
    /// Counters of work inside primitives that are not 0, by name.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// The weighted sum of the counts.
    #[serde(default)]
    pub work: u64,
}

/// Objects made, and their bytes by the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocated {
    /// How many.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Allocated {
    /// Adds a number of objects and the bytes that they take together.
    pub fn add(&mut self, objects: u64, bytes: u64) {
        self.objects = self.objects.saturating_add(objects);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

impl From<&Cost> for CostVector {
    fn from(cost: &Cost) -> CostVector {
        let primitives = cost
            .primitives
            .iter()
            .map(|(name, n)| ((*name).to_string(), *n));
        let counters = Work::ALL
            .iter()
            .map(|&work| (work.name().to_string(), cost.counters.get(work)));
        CostVector {
            sends: cost.sends,
            loops: cost.loops,
            activations: cost.activations,
            blocks: cost.blocks,
            allocations: Allocated {
                objects: cost.allocations.objects,
                bytes: cost.allocations.bytes,
            },
            steps: cost.steps,
            primitives: primitives.collect(),
            called: cost.called,
            counters: counters.filter(|(_, count)| *count > 0).collect(),
            work: if cost.is_full() { cost.work() } else { 0 },
        }
    }
}

impl CostVector {
    /// The counts that have a weight: name, weight in hundredths of a nanosecond, and count. Work is the sum of their
    /// products (counting model, 2.2).
    pub fn weighted(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        // In the order of the weights.
        let others = [
            self.steps,
            self.sends,
            self.loops,
            self.activations,
            self.blocks,
            self.called,
            self.allocations.objects,
        ];
        let others = Work::OTHERS.iter().zip(others);
        let others = others.map(|(&(name, weight), count)| (name, weight, count));
        let counters = Work::ALL.iter().map(|&work| {
            let count = self.counters.get(work.name());
            (work.name(), work.weight(), count.copied().unwrap_or(0))
        });
        others.chain(counters)
    }

    /// Whether everything was counted, as work needs it. Each send is a step.
    pub fn is_full(&self) -> bool {
        self.steps >= self.sends
    }

    /// What work is, by the weighted counts.
    pub fn weighted_sum(&self) -> u64 {
        self.weighted().fold(0, |sum, (_, weight, count)| {
            sum.saturating_add(count.saturating_mul(weight))
        })
    }

    /// Whether it has counts that came with work.
    pub(crate) fn has_work(&self) -> bool {
        self.work > 0 || self.called > 0 || !self.counters.is_empty()
    }

    /// How many primitives succeeded, all names together.
    pub fn primitive_count(&self) -> u64 {
        self.primitives
            .values()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// The counts of one method. A redefined method is a second entry with its own digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodProfile {
    /// `Class>>selector`, the file's name for statements at top level, `file:line` for an `Eval` or
    /// the initialiser of a class variable.
    pub name: String,
    /// The holding class, `Foo` or `Foo class`; empty for statements at top level.
    pub class: String,
    /// The selector; empty for statements at top level.
    pub selector: String,
    /// The class's category.
    pub package: String,
    /// The method's category.
    pub category: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Digest of its source text, in hexadecimal digits.
    pub digest: String,
    /// Digest of its compiled code, without its selector, in hexadecimal digits, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Activations of the method.
    pub calls: u64,
    /// Activations of the blocks in it.
    pub block_calls: u64,
    /// Sends executed in it and in its blocks.
    pub own: u64,
    /// Sends below its outermost activations, its own included.
    pub total: u64,
    /// Sends below each of its activations, recursive ones too, added up as the paper does; modulo 2^64.
    #[serde(default)]
    pub cumulative: u64,
    /// Objects allocated in it and its blocks; zero if sites were not counted.
    #[serde(default)]
    pub allocations: Allocated,
    /// The work done in it and in its blocks; zero if work was not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub own_work: u64,
    /// Work below its outermost activations, its own included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_work: u64,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// Its source text, from `line` on; of statements at top level the whole script. Empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

/// The properties of a run beside its counts.
#[derive(Clone, Debug)]
pub struct Description {
    /// Digest of the program's source texts, see [`fnv1a`].
    pub program: u64,
    /// The files that were run, as the user named them.
    pub files: Vec<String>,
    /// Where the files' scripts stand in them, in the order of the files.
    pub scripts: Vec<Span>,
    /// The arguments of the script.
    pub arguments: Vec<String>,
    /// Seed of `Random new`.
    pub seed: i64,
    /// Limits under which the program ran.
    pub limits: Limits,
    /// How the run ended.
    pub ending: Ending,
    /// Whether another run must give the same counts.
    pub reproducible: bool,
    /// Everything that the program's sources define, if that is known.
    pub definitions: Option<Vec<Definition>>,
    /// The inputs from outside, if they are known.
    pub inputs: Option<Vec<Input>>,
    /// The commit that the sources are of, if they are of one.
    pub revision: Option<Revision>,
}

/// 64-bit FNV-1a over texts, each ended by a byte that no UTF-8 text contains.
pub fn fnv1a<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let bytes = texts
        .into_iter()
        .flat_map(|text| text.bytes().chain([0xFF]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
