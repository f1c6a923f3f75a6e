//! Schedules of small programs of threads, against all interleavings.

use std::collections::BTreeSet;

use tally_explore::{Footprint, Schedules, Thread};

/// What a thread does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    /// Reads a variable.
    Read(u32),
    /// Changes a variable.
    Touch(u32),
    /// Wants a lock. Who wants it first has it first, and the thread goes on when it has it.
    Ask(u32),
    /// Gives a lock back.
    Give(u32),
}

type Plan = Vec<Vec<Act>>;

/// Sets of steps, each a thread and the number of the step there.
type Form = Vec<BTreeSet<(Thread, usize)>>;

type Forms = BTreeSet<Form>;

/// What a step has done: its thread, and what that touches.
type Done = (Thread, Footprint);

/// A program on its way.
#[derive(Clone)]
struct State<'p> {
    plan: &'p Plan,
    places: Vec<usize>,
    /// Who has each of two locks, and who waits for it.
    queues: [Vec<usize>; 2],
    /// The step that gave each lock back last.
    freed: [Option<u32>; 2],
    /// What the next step of each thread follows from.
    follows: Vec<Vec<u32>>,
    steps: u32,
}

impl<'p> State<'p> {
    fn start(plan: &'p Plan) -> State<'p> {
        State {
            plan,
            places: vec![0; plan.len()],
            queues: Default::default(),
            freed: [None; 2],
            follows: vec![Vec::new(); plan.len()],
            steps: 0,
        }
    }

    fn is_waiting(&self, thread: usize) -> bool {
        self.queues
            .iter()
            .any(|queue| queue.iter().skip(1).any(|one| *one == thread))
    }

    fn candidates(&self) -> Vec<Thread> {
        let threads = 0..self.plan.len();
        let able = threads.filter(|thread| {
            self.places[*thread] < self.plan[*thread].len() && !self.is_waiting(*thread)
        });
        able.map(|thread| thread as Thread).collect()
    }

    /// Who waits longest for the lock has it.
    fn get(&mut self, lock: usize) {
        if let Some(next) = self.queues[lock].first() {
            self.follows[*next].extend(self.freed[lock]);
        }
    }

    fn step(&mut self, thread: Thread) -> Done {
        let number = thread as usize;
        let act = self.plan[number][self.places[number]];
        self.places[number] += 1;
        let mut touched = Footprint {
            follows: std::mem::take(&mut self.follows[number]),
            ..Footprint::default()
        };
        match act {
            Act::Read(variable) => touched.reads.push(variable),
            Act::Touch(variable) => touched.changes.push(variable),
            Act::Ask(lock) => {
                touched.changes.push(100 + lock);
                self.queues[lock as usize].push(number);
                self.get(lock as usize);
            }
            // Whether the next one waits already makes no difference.
            Act::Give(lock) => {
                self.queues[lock as usize].remove(0);
                self.freed[lock as usize] = Some(self.steps);
                self.get(lock as usize);
            }
        }
        self.steps += 1;
        (thread, touched)
    }
}

/// A trace in Foata's form: the sets of steps that can be executed at once, each as early as possible.
fn foata(steps: &[Done]) -> Form {
    let mut levels: Vec<usize> = Vec::new();
    let mut form: Form = Vec::new();
    for (place, (thread, touched)) in steps.iter().enumerate() {
        let before = steps[..place].iter().zip(&levels);
        let dependent = before.filter(|((other, before), _)| {
            other == thread
                || before
                    .changes
                    .iter()
                    .any(|one| touched.changes.contains(one))
                || before.changes.iter().any(|one| touched.reads.contains(one))
                || before.reads.iter().any(|one| touched.changes.contains(one))
        });
        let level = dependent.map(|(_, level)| level + 1).max().unwrap_or(0);
        levels.push(level);
        let ordinal = steps[..place]
            .iter()
            .filter(|(other, _)| other == thread)
            .count();
        if form.len() <= level {
            form.push(BTreeSet::new());
        }
        form[level].insert((*thread, ordinal));
    }
    form
}

/// All traces, by all interleavings.
fn by_force(state: &State<'_>, steps: &mut Vec<Done>, found: &mut Forms) {
    let candidates = state.candidates();
    if candidates.is_empty() {
        found.insert(foata(steps));
    }
    for thread in candidates {
        let mut next = state.clone();
        steps.push(next.step(thread));
        by_force(&next, steps, found);
        steps.pop();
    }
}

/// The traces that the search finds, each once, and how many runs were redundant.
fn searched(plan: &Plan) -> (Forms, u64) {
    let mut schedules = Schedules::new();
    let mut found = BTreeSet::new();
    loop {
        let mut state = State::start(plan);
        let mut steps = Vec::new();
        let mut candidates = state.candidates();
        while !candidates.is_empty() {
            let Some(thread) = schedules.choose(&candidates, &[], &[], None) else {
                break;
            };
            let done = state.step(thread);
            schedules.did(done.1.clone());
            steps.push(done);
            candidates = state.candidates();
        }
        if !schedules.is_abandoned() {
            assert!(found.insert(foata(&steps)), "a trace twice: {plan:?}");
        }
        if !schedules.end_run() {
            break;
        }
    }
    assert!(!schedules.is_confused());
    assert_eq!(schedules.traces(), found.len() as u64);
    (found, schedules.redundant())
}

fn all(plan: &Plan) -> Forms {
    let mut found = BTreeSet::new();
    by_force(&State::start(plan), &mut Vec::new(), &mut found);
    found
}

#[test]
fn each_trace_is_executed_once() {
    let (mut redundant, mut runs, mut deadlocks) = (0, 0, 0);
    for case in 0..600_u64 {
        let mut state = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 11) % bound) as u32
        };
        let threads = 2 + below(3) as usize;
        let most = if threads > 3 { 2 } else { 4 };
        let plan: Plan = (0..threads)
            .map(|_| {
                let mut acts: Vec<Act> = Vec::new();
                for _ in 0..1 + below(most) {
                    match below(4) {
                        0 => {
                            let lock = below(2);
                            acts.extend([Act::Ask(lock), Act::Touch(below(3)), Act::Give(lock)]);
                        }
                        1 if threads < 3 => {
                            let (one, other) = if below(2) == 0 { (0, 1) } else { (1, 0) };
                            let take = [Act::Ask(one), Act::Ask(other)];
                            acts.extend(take.into_iter().chain([Act::Give(other), Act::Give(one)]));
                        }
                        2 => acts.push(Act::Read(below(3))),
                        _ => acts.push(Act::Touch(below(3))),
                    }
                    if acts.len() > 5 {
                        break;
                    }
                }
                acts.truncate([0, 0, 6, 3, 2][threads]);
                acts
            })
            .collect();
        let expected = all(&plan);
        let (found, more) = searched(&plan);
        assert_eq!(found, expected, "case {case}: {plan:?}");
        redundant += more;
        runs += found.len() as u64;
        deadlocks += u64::from(expected.iter().any(|trace| {
            let steps: usize = trace.iter().map(BTreeSet::len).sum();
            steps < plan.iter().map(Vec::len).sum::<usize>()
        }));
    }
    // Programs without deadlocks or many traces show little.
    assert!(
        runs > 3_000 && deadlocks > 20,
        "{runs} traces, {deadlocks} deadlocks"
    );
    assert!(
        redundant * 2 < runs,
        "{redundant} redundant runs of {runs} traces"
    );
}

/// n threads that change one variable have n! traces, and those that change different ones have one. n readers of what one thread writes have 2ⁿ, an
/// example of the paper.
#[test]
fn closed_forms() {
    let one: Plan = vec![vec![Act::Touch(0)]; 5];
    assert_eq!(searched(&one), (all(&one), 0));
    assert_eq!(all(&one).len(), 120);
    let apart: Plan = (0..6).map(|number| vec![Act::Touch(number); 3]).collect();
    let (found, redundant) = searched(&apart);
    assert_eq!((found.len(), redundant), (1, 0));
    let mut readers: Plan = vec![vec![Act::Read(0)]; 5];
    readers.push(vec![Act::Touch(0)]);
    assert_eq!(searched(&readers), (all(&readers), 0));
    assert_eq!(all(&readers).len(), 32);
    // Two threads of four additions each: 8! / (4! 4!) orders.
    let adders: Plan = vec![vec![Act::Touch(0); 4]; 2];
    assert_eq!(searched(&adders).0.len(), 70);
    // Three of two each: 6! / (2! 2! 2!).
    let adders: Plan = vec![vec![Act::Touch(0); 2]; 3];
    assert_eq!(searched(&adders).0.len(), 90);
}
