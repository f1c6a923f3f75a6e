//! Costs as plain numbers, under the names that files and messages use: the costs of the counting model (2) that every
//! machine counts alike.

use serde::{Deserialize, Serialize};

use crate::profile::CostVector;

/// A cost that is the same on every machine and with every optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CostName {
    /// Messages sent.
    Sends,
    /// Repetitions of inlined loops.
    Loops,
    /// Methods entered.
    Activations,
    /// Blocks entered.
    Blocks,
    /// Primitives that succeeded.
    Primitives,
    /// Objects made.
    Allocations,
    /// Bytes of these objects.
    Bytes,
    /// Primitives that succeeded and are not simple.
    Called,
    /// The weighted sum of all counts.
    Work,
    /// The makespan on as many CPUs as there are processors.
    Span,
    /// What all processors executed, in ticks.
    Ticks,
    /// How long requests waited while they executed, in ticks.
    Waiting,
    /// Evaluations of conditions.
    Evaluations,
    /// States of explorations.
    States,
    /// Computations of explorations.
    Computations,
    /// The largest Work of a computation, in ticks.
    Cost,
    /// The largest Depth of a computation, in ticks.
    Depth,
}

impl CostName {
    /// The costs that only what uses processors has.
    pub const OF_PROCESSORS: [CostName; 4] = [
        CostName::Span,
        CostName::Ticks,
        CostName::Waiting,
        CostName::Evaluations,
    ];

    /// The costs that only what explores programs of actors has.
    pub const OF_EXPLORATIONS: [CostName; 4] = [
        CostName::States,
        CostName::Computations,
        CostName::Cost,
        CostName::Depth,
    ];

    /// Those of processors that the line of a test in a snapshot has, if it uses some.
    pub const OF_PROCESSORS_IN_SNAPSHOTS: [CostName; 3] =
        [CostName::Span, CostName::Ticks, CostName::Waiting];

    /// The costs that anything has, in the order in which they are written.
    pub const ALL: [CostName; 9] = [
        CostName::Sends,
        CostName::Loops,
        CostName::Activations,
        CostName::Blocks,
        CostName::Primitives,
        CostName::Allocations,
        CostName::Bytes,
        CostName::Called,
        CostName::Work,
    ];

    /// The costs that a version of the counting model has.
    pub fn of_model(model: u32) -> &'static [CostName] {
        const WITHOUT_WORK: usize = 7;
        match model {
            0 | 1 => &CostName::ALL[..WITHOUT_WORK],
            _ => &CostName::ALL,
        }
    }

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            CostName::Sends => "sends",
            CostName::Loops => "loops",
            CostName::Activations => "activations",
            CostName::Blocks => "blocks",
            CostName::Primitives => "primitives",
            CostName::Allocations => "allocations",
            CostName::Bytes => "bytes",
            CostName::Called => "called",
            CostName::Work => "work",
            CostName::Span => "span",
            CostName::Ticks => "ticks",
            CostName::Waiting => "waiting",
            CostName::Evaluations => "evaluations",
            CostName::States => "states",
            CostName::Computations => "computations",
            CostName::Cost => "cost",
            CostName::Depth => "depth",
        }
    }

    /// The cost of that name.
    pub fn from_name(name: &str) -> Option<CostName> {
        CostName::every().find(|cost| cost.name() == name)
    }

    /// The costs that the line of a test in a snapshot has only if the test uses processors or explores.
    pub fn special_in_snapshots() -> impl Iterator<Item = CostName> {
        let of_processors = CostName::OF_PROCESSORS_IN_SNAPSHOTS.into_iter();
        of_processors.chain(CostName::OF_EXPLORATIONS)
    }

    /// All costs: those that anything has, those of processors, and those of explorations.
    pub fn every() -> impl Iterator<Item = CostName> {
        let all = CostName::ALL.into_iter().chain(CostName::OF_PROCESSORS);
        all.chain(CostName::OF_EXPLORATIONS)
    }
}

/// The costs of a test, or of anything else that was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestCounts {
    /// Messages sent.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered.
    pub activations: u64,
    /// Blocks entered.
    pub blocks: u64,
    /// Primitives that succeeded.
    pub primitives: u64,
    /// Objects made.
    pub allocations: u64,
    /// Bytes of these objects.
    pub bytes: u64,
    /// Primitives that succeeded and are not simple.
    #[serde(default)]
    pub called: u64,
    /// The weighted sum of all counts.
    #[serde(default)]
    pub work: u64,
    /// The makespan on as many CPUs as there are processors; 0 without processors, as the counts below.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub span: u64,
    /// What all processors executed, in ticks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ticks: u64,
    /// How long requests waited while they executed, in ticks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u64,
    /// Evaluations of conditions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evaluations: u64,
    /// States of all explorations; 0 without one, as the counts below.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub states: u64,
    /// Computations of all explorations, as far as they were counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub computations: u64,
    /// The largest Work of each exploration, added up, in ticks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cost: u64,
    /// The largest Depth of each exploration, added up, in ticks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u64,
}

/// What only the runs cost that use processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessorCosts {
    /// The makespan on as many CPUs as there are processors, in ticks.
    pub span: u64,
    /// What all processors executed, in ticks.
    pub ticks: u64,
    /// How long requests waited while they executed, in ticks.
    pub waiting: u64,
}

impl ProcessorCosts {
    /// The costs with their names.
    pub fn named(&self) -> [(&'static str, u64); 3] {
        [
            (CostName::Span.name(), self.span),
            (CostName::Ticks.name(), self.ticks),
            (CostName::Waiting.name(), self.waiting),
        ]
    }

    fn add(&mut self, other: &ProcessorCosts) {
        self.span = self.span.saturating_add(other.span);
        self.ticks = self.ticks.saturating_add(other.ticks);
        self.waiting = self.waiting.saturating_add(other.waiting);
    }
}

/// What only the runs cost that explore programs of actors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplorationCosts {
    /// States of all explorations.
    pub states: u64,
    /// Computations of all explorations, as far as they were counted.
    pub computations: u64,
    /// The largest Work of each exploration, added up, in ticks.
    pub cost: u64,
    /// The largest Depth of each exploration, added up, in ticks.
    pub depth: u64,
}

impl ExplorationCosts {
    /// The costs with their names.
    pub fn named(&self) -> [(&'static str, u64); 4] {
        [
            (CostName::States.name(), self.states),
            (CostName::Computations.name(), self.computations),
            (CostName::Cost.name(), self.cost),
            (CostName::Depth.name(), self.depth),
        ]
    }

    fn add(&mut self, other: &ExplorationCosts) {
        self.states = self.states.saturating_add(other.states);
        self.computations = self.computations.saturating_add(other.computations);
        self.cost = self.cost.saturating_add(other.cost);
        self.depth = self.depth.saturating_add(other.depth);
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl TestCounts {
    /// One of the costs.
    pub fn get(&self, cost: CostName) -> u64 {
        match cost {
            CostName::Sends => self.sends,
            CostName::Loops => self.loops,
            CostName::Activations => self.activations,
            CostName::Blocks => self.blocks,
            CostName::Primitives => self.primitives,
            CostName::Allocations => self.allocations,
            CostName::Bytes => self.bytes,
            CostName::Called => self.called,
            CostName::Work => self.work,
            CostName::Span => self.span,
            CostName::Ticks => self.ticks,
            CostName::Waiting => self.waiting,
            CostName::Evaluations => self.evaluations,
            CostName::States => self.states,
            CostName::Computations => self.computations,
            CostName::Cost => self.cost,
            CostName::Depth => self.depth,
        }
    }

    /// Whether processors were used: the first of them takes a tick to make.
    pub fn has_processors(&self) -> bool {
        self.ticks > 0
    }

    /// Whether something was explored: the start is a state.
    pub fn has_explorations(&self) -> bool {
        self.states > 0
    }

    /// The costs of processors, if some were used.
    pub fn of_processors(&self) -> Option<ProcessorCosts> {
        self.has_processors().then_some(ProcessorCosts {
            span: self.span,
            ticks: self.ticks,
            waiting: self.waiting,
        })
    }

    /// The costs of explorations, if something was explored.
    pub fn of_explorations(&self) -> Option<ExplorationCosts> {
        self.has_explorations().then_some(ExplorationCosts {
            states: self.states,
            computations: self.computations,
            cost: self.cost,
            depth: self.depth,
        })
    }

    /// Sets one of the costs.
    pub fn set(&mut self, cost: CostName, count: u64) {
        *match cost {
            CostName::Sends => &mut self.sends,
            CostName::Loops => &mut self.loops,
            CostName::Activations => &mut self.activations,
            CostName::Blocks => &mut self.blocks,
            CostName::Primitives => &mut self.primitives,
            CostName::Allocations => &mut self.allocations,
            CostName::Bytes => &mut self.bytes,
            CostName::Called => &mut self.called,
            CostName::Work => &mut self.work,
            CostName::Span => &mut self.span,
            CostName::Ticks => &mut self.ticks,
            CostName::Waiting => &mut self.waiting,
            CostName::Evaluations => &mut self.evaluations,
            CostName::States => &mut self.states,
            CostName::Computations => &mut self.computations,
            CostName::Cost => &mut self.cost,
            CostName::Depth => &mut self.depth,
        } = count;
    }

    /// Whether these costs, and those of processors and explorations in snapshots, are the same as in other counts.
    pub fn is_same_in(&self, costs: &[CostName], other: &TestCounts) -> bool {
        let mut costs = costs
            .iter()
            .copied()
            .chain(CostName::special_in_snapshots());
        costs.all(|cost| self.get(cost) == other.get(cost))
    }

    /// The costs and their names, in the order in which they are written. Those of processors and of explorations come last, where there
    /// were some.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let of_processors = CostName::OF_PROCESSORS.into_iter();
        let of_processors = of_processors.filter(|_| self.has_processors());
        let of_explorations = CostName::OF_EXPLORATIONS.into_iter();
        let of_explorations = of_explorations.filter(|_| self.has_explorations());
        let all = CostName::ALL.into_iter().chain(of_processors);
        let all = all.chain(of_explorations);
        all.map(|cost| (cost.name(), self.get(cost)))
    }
}

impl From<&CostVector> for TestCounts {
    fn from(cost: &CostVector) -> TestCounts {
        TestCounts {
            sends: cost.sends,
            loops: cost.loops,
            activations: cost.activations,
            blocks: cost.blocks,
            primitives: cost.primitive_count(),
            allocations: cost.allocations.objects,
            bytes: cost.allocations.bytes,
            called: cost.called,
            work: cost.work,
            ..TestCounts::default()
        }
    }
}

/// How strict a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LimitKind {
    /// Neither more nor less.
    Exact,
    /// No more.
    Max,
    /// An upper limit that follows improvements: an update lowers it to the measured count.
    Ratchet,
}

/// The names of the counts that came with work.
const WORK: [&str; 3] = ["steps", "called primitives", "work"];

/// The costs of runs, all kinds of primitives together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Costs {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered.
    pub activations: u64,
    /// Blocks evaluated.
    pub blocks: u64,
    /// Primitives that succeeded.
    pub primitives: u64,
    /// Objects allocated.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Assignments, sends, decisions, blocks and brace arrays made, returns.
    pub steps: u64,
    /// Primitives that succeeded and are not simple.
    pub called: u64,
    /// The weighted sum of the counts.
    pub work: u64,
    /// The costs of processors; absent if none were used, or if that is not known.
    #[serde(flatten)]
    pub processors: Option<ProcessorCosts>,
    /// The costs of explorations; absent if nothing was explored, or if that is not known.
    #[serde(flatten)]
    pub explorations: Option<ExplorationCosts>,
}

impl Costs {
    /// Of a cost vector.
    pub fn of(cost: &CostVector) -> Costs {
        Costs {
            sends: cost.sends,
            loops: cost.loops,
            activations: cost.activations,
            blocks: cost.blocks,
            primitives: cost.primitive_count(),
            objects: cost.allocations.objects,
            bytes: cost.allocations.bytes,
            steps: cost.steps,
            called: cost.called,
            work: cost.work,
            processors: None,
            explorations: None,
        }
    }

    /// Adds other costs.
    pub fn add(&mut self, other: &Costs) {
        for ((_, mine), (_, more)) in self.named_mut().into_iter().zip(other.named()) {
            *mine = mine.saturating_add(more);
        }
        if let Some(more) = &other.processors {
            self.processors.get_or_insert_default().add(more);
        }
        if let Some(more) = &other.explorations {
            self.explorations.get_or_insert_default().add(more);
        }
    }

    /// The counts with the names that reports use.
    pub fn named(&self) -> [(&'static str, u64); 10] {
        [
            ("sends", self.sends),
            ("loop repetitions", self.loops),
            ("activations", self.activations),
            ("blocks", self.blocks),
            ("primitives", self.primitives),
            ("objects allocated", self.objects),
            ("bytes allocated", self.bytes),
            ("steps", self.steps),
            ("called primitives", self.called),
            ("work", self.work),
        ]
    }

    fn named_mut(&mut self) -> [(&'static str, &mut u64); 10] {
        [
            ("sends", &mut self.sends),
            ("loop repetitions", &mut self.loops),
            ("activations", &mut self.activations),
            ("blocks", &mut self.blocks),
            ("primitives", &mut self.primitives),
            ("objects allocated", &mut self.objects),
            ("bytes allocated", &mut self.bytes),
            ("steps", &mut self.steps),
            ("called primitives", &mut self.called),
            ("work", &mut self.work),
        ]
    }

    /// Whether work was counted. Whatever sends something works; imports and counts of model 1 have no work.
    fn has_work(&self) -> bool {
        self.work > 0 || self.sends == 0
    }

    /// The counts of both sides with the names that reports use. Counts of work, of processors and of explorations are left out if a side has
    /// none.
    pub fn beside(&self, after: &Costs) -> Vec<(&'static str, u64, u64)> {
        let has_work = self.has_work() && after.has_work();
        let pairs = self.named().into_iter().zip(after.named());
        let pairs = pairs.filter(|((name, _), _)| has_work || !WORK.contains(name));
        let of_processors = self.processors.zip(after.processors).into_iter();
        let of_processors =
            of_processors.flat_map(|(old, new)| old.named().into_iter().zip(new.named()));
        let of_explorations = self.explorations.zip(after.explorations).into_iter();
        let of_explorations =
            of_explorations.flat_map(|(old, new)| old.named().into_iter().zip(new.named()));
        let triple = |((name, old), (_, new))| (name, old, new);
        let special = of_processors.chain(of_explorations);
        pairs.chain(special).map(triple).collect()
    }

    /// After minus before, of the span; none if a side has no processors.
    pub fn span_difference(&self, after: &Costs) -> Option<i128> {
        let (old, new) = self.processors.zip(after.processors)?;
        Some(i128::from(new.span) - i128::from(old.span))
    }

    /// The difference of work, if both sides have some.
    pub fn work_difference(&self, after: &Costs) -> Option<i128> {
        let has_work = self.has_work() && after.has_work();
        has_work.then(|| i128::from(after.work) - i128::from(self.work))
    }

    /// Costs that moved against the direction in which the sends moved, as sentences.
    pub fn opposed(&self, after: &Costs) -> Vec<String> {
        let sends = (i128::from(after.sends) - i128::from(self.sends)).signum();
        let kinds = ["objects allocated", "bytes allocated", "primitives", "work"];
        let mut found = Vec::new();
        for (name, old, new) in self.beside(after) {
            let difference = i128::from(new) - i128::from(old);
            if sends != 0 && kinds.contains(&name) && difference.signum() == -sends {
                let way = match difference > 0 {
                    true => "more",
                    false if name == "work" => "less",
                    false => "fewer",
                };
                let opposite = if sends > 0 { "more" } else { "fewer" };
                let (old, new) = (
                    tally_presentation::grouped(old),
                    tally_presentation::grouped(new),
                );
                found.push(format!(
                    "{opposite} sends, but {way} {name}: {new} instead of {old}"
                ));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_set_and_read_by_their_names() {
        let mut counts = TestCounts::default();
        let all = CostName::ALL.into_iter().chain(CostName::OF_PROCESSORS);
        for (number, cost) in all.enumerate() {
            assert_eq!(CostName::from_name(cost.name()), Some(cost));
            counts.set(cost, number as u64 + 1);
        }
        assert_eq!(CostName::from_name("send"), None);
        assert_eq!(counts.allocations, 6);
        let named: Vec<String> = counts
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        assert_eq!(
            named.join(", "),
            "sends 1, loops 2, activations 3, blocks 4, primitives 5, allocations 6, bytes 7, \
             called 8, work 9, span 10, ticks 11, waiting 12, evaluations 13"
        );
        counts.ticks = 0;
        assert_eq!(counts.iter().count(), CostName::ALL.len());
        assert_eq!(CostName::of_model(1).last(), Some(&CostName::Bytes));
        assert_eq!(CostName::of_model(2), CostName::ALL);
    }

    #[test]
    fn work_that_a_side_lacks_is_compared_with_nothing() {
        let costs = |sends, work| Costs {
            sends,
            work,
            ..Costs::default()
        };
        let names = |old: Costs, new: Costs| {
            let rows = old.beside(&new);
            rows.into_iter().any(|(name, ..)| name == "work")
        };
        assert!(names(costs(1, 105), costs(2, 210)));
        assert!(names(costs(0, 0), costs(2, 210)));
        assert!(!names(costs(1, 0), costs(2, 210)));
        assert_eq!(costs(1, 0).work_difference(&costs(2, 210)), None);
        assert_eq!(costs(1, 105).work_difference(&costs(2, 210)), Some(105));
        let said = costs(9, 945).opposed(&costs(3, 2000));
        assert_eq!(said, ["fewer sends, but more work: 2,000 instead of 945"]);
        let said = costs(3, 2000).opposed(&costs(9, 945));
        assert_eq!(said, ["more sends, but less work: 945 instead of 2,000"]);
    }
}
