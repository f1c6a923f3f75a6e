//! Every schedule of a program that can only be run, up to the order of independent steps: source sets with sleep sets (Abdulla, Aronis,
//! Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, section 5). A run is repeated from its start for each schedule.
//!
//! Two steps depend on each other if they are of one thread, or compete for something. Schedules that differ only in the order of independent
//! steps are one *trace*. Each trace is executed once. A run that comes to a state in which all that could happen next has been
//! seen already is *redundant*, and is not executed to its end.

mod races;

use races::Races;

/// A thread of the program, by a number that the caller gives.
pub type Thread = u32;

/// What a step touches: things with numbers that the caller gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Things that order steps: of two that touch one, the later one follows from the earlier one. To change their order leads to the same state.
    pub ordering: Vec<u32>,
    /// Things that steps compete for: the order of two steps that touch one can matter.
    pub racing: Vec<u32>,
}

impl Footprint {
    fn sort(&mut self) {
        for list in [&mut self.ordering, &mut self.racing] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// All things, each with whether steps compete for it.
    fn all(&self) -> impl Iterator<Item = (u32, bool)> {
        let ordering = self.ordering.iter().map(|thing| (*thing, false));
        ordering.chain(self.racing.iter().map(|thing| (*thing, true)))
    }
}

/// A step that a schedule has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    thread: Thread,
    /// Steps of different moments never change their order.
    moment: u64,
    footprint: Footprint,
}

/// What is known of the state before a step.
#[derive(Clone, Debug)]
struct Node {
    /// The threads that could go on.
    candidates: Vec<Thread>,
    /// Those that are to be tried, in this order. The last one has been chosen.
    tried: Vec<Thread>,
    /// Those that wait to be tried.
    to_try: Vec<Thread>,
    /// Those that need not be tried, with what their next step touches.
    sleeping: Vec<(Thread, Footprint)>,
}

impl Node {
    fn is_asleep(&self, thread: Thread) -> bool {
        self.sleeping.iter().any(|(other, _)| *other == thread)
    }

    fn is_planned(&self, thread: Thread) -> bool {
        self.tried.contains(&thread) || self.to_try.contains(&thread)
    }
}

/// A search for all traces. The caller runs the program again and again: each run calls [`Schedules::choose`] before a step and
/// [`Schedules::did`] behind it.
#[derive(Clone, Debug, Default)]
pub struct Schedules {
    /// The states along the run, the start first.
    nodes: Vec<Node>,
    /// The steps of the run.
    steps: Vec<Step>,
    /// How many of the nodes the next run repeats.
    prefix: usize,
    is_abandoned: bool,
    is_confused: bool,
    traces: u64,
    redundant: u64,
    /// Steps that all runs have executed.
    executed: u64,
}

impl Schedules {
    /// A search that has not begun.
    pub fn new() -> Schedules {
        Schedules::default()
    }

    /// The thread that goes on, of these. None ends the run, whose continuations are all known. `moment` is a number that steps share which can
    /// change their order.
    pub fn choose(&mut self, candidates: &[Thread], moment: u64) -> Option<Thread> {
        let depth = self.steps.len();
        let chosen = match self.nodes.get(depth).filter(|_| depth < self.prefix) {
            Some(node) => {
                let chosen = node.tried.last().copied()?;
                if !candidates.contains(&chosen) {
                    // The program is not the same in each run.
                    self.is_confused = true;
                    self.is_abandoned = true;
                    return None;
                }
                chosen
            }
            None => self.add_node(candidates)?,
        };
        self.steps.push(Step {
            thread: chosen,
            moment,
            footprint: Footprint::default(),
        });
        self.executed += 1;
        Some(chosen)
    }

    /// A state that no run has come to on this way.
    fn add_node(&mut self, candidates: &[Thread]) -> Option<Thread> {
        let sleeping = match (self.nodes.last(), self.steps.last()) {
            (Some(before), Some(step)) => before
                .sleeping
                .iter()
                .filter(|(thread, footprint)| {
                    *thread != step.thread
                        && !have_common(&footprint.racing, &step.footprint.racing)
                })
                .cloned()
                .collect(),
            _ => Vec::new(),
        };
        let mut node = Node {
            candidates: candidates.to_vec(),
            tried: Vec::new(),
            to_try: Vec::new(),
            sleeping,
        };
        let chosen = candidates.iter().find(|thread| !node.is_asleep(**thread));
        let Some(chosen) = chosen.copied() else {
            self.is_abandoned = true;
            return None;
        };
        node.tried.push(chosen);
        self.nodes.push(node);
        self.prefix = self.nodes.len();
        Some(chosen)
    }

    /// The step that was chosen last has touched this.
    pub fn did(&mut self, mut footprint: Footprint) {
        footprint.sort();
        if let Some(step) = self.steps.last_mut() {
            step.footprint = footprint;
        }
    }

    /// The run has ended. Answers whether there is another schedule, which the next run takes.
    pub fn end_run(&mut self) -> bool {
        match self.is_abandoned {
            true => self.redundant += 1,
            false => self.traces += 1,
        }
        self.is_abandoned = false;
        if self.is_confused {
            return false;
        }
        self.plan();
        let found = self.go_back();
        self.steps.clear();
        found
    }

    /// Plans other orders of the steps of this run that depend on each other.
    fn plan(&mut self) {
        let races = Races::of(&self.steps);
        for (early, late) in races.pairs() {
            if self.steps[early].moment != self.steps[late].moment {
                continue;
            }
            let initials = races.initials(&self.steps, early, late);
            let node = &mut self.nodes[early];
            let is_known = |thread: &Thread| node.is_planned(*thread) || node.is_asleep(*thread);
            if initials.iter().any(is_known) {
                continue;
            }
            let possible = initials
                .into_iter()
                .find(|thread| node.candidates.contains(thread));
            // Else the early step makes the late one possible.
            node.to_try.extend(possible);
        }
    }

    /// Goes back to the last state from which another thread is to be tried.
    fn go_back(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            let depth = self.prefix - 1;
            if let (Some(tried), Some(step)) = (node.tried.last(), self.steps.get(depth)) {
                node.sleeping.push((*tried, step.footprint.clone()));
            }
            while !node.to_try.is_empty() {
                let next = node.to_try.remove(0);
                if !node.is_asleep(next) {
                    node.tried.push(next);
                    return true;
                }
            }
            self.nodes.pop();
            self.prefix = self.nodes.len();
        }
        false
    }

    /// The threads of the run, in the order of its steps, from the states on in which several could go on.
    pub fn choices(&self) -> Vec<Thread> {
        let steps = self.steps.iter().zip(&self.nodes);
        let open = steps.filter(|(_, node)| node.candidates.len() > 1);
        open.map(|(step, _)| step.thread).collect()
    }

    /// Whether the run was ended because all of its continuations are known.
    pub fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    /// Whether a run did not do what an earlier one did.
    pub fn is_confused(&self) -> bool {
        self.is_confused
    }

    /// Runs that came to their ends.
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Runs that were not executed to their ends.
    pub fn redundant(&self) -> u64 {
        self.redundant
    }

    /// Steps of all runs.
    pub fn executed(&self) -> u64 {
        self.executed
    }
}

/// Whether two sorted lists have something in common.
fn have_common(one: &[u32], other: &[u32]) -> bool {
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => left.next(),
            std::cmp::Ordering::Greater => right.next(),
            std::cmp::Ordering::Equal => return true,
        };
    }
    false
}
