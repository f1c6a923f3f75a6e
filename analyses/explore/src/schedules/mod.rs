//! Every schedule of a program that can only be run, up to the order of independent steps: source sets with sleep sets (Abdulla, Aronis,
//! Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, section 5). A run is repeated from its start for each schedule.
//!
//! Two steps depend on each other if they are of one thread, or compete for something. Schedules that differ only in the order of independent
//! steps are one *trace*. Each trace is executed once. A run that comes to a state in which all that could happen next has been
//! seen already is *redundant*, and is not executed to its end.
//!
//! A step that takes a lock is *held off* while the lock is not free. To give a lock back competes with nothing: it only makes steps possible.

mod races;

use std::collections::VecDeque;

use races::Races;

/// A thread of the program, by a number that the caller gives.
pub type Thread = u32;

/// A moment, and a phase of it. Steps of different ones never change their order.
pub type Moment = (u64, u8);

/// What a step follows from and touches. Things have numbers that the caller gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Numbers of steps that must come before it, the first of which is 0: those of its thread, and those that made it possible. To name those
    /// that come before one of these is not needed.
    pub follows: Vec<u32>,
    /// Things whose state it needs, but does not change.
    pub reads: Vec<u32>,
    /// Things that it changes. The order of two steps that touch one thing can matter, if one of them changes it.
    pub changes: Vec<u32>,
    /// Things of those that it changes by which it is held off while one of them is held. It competes with each step that took one of them. The last of
    /// these alone is not enough: right before that step another one of the things can have been held.
    pub held_off_by: Vec<u32>,
    /// Semaphores that it signals.
    pub signals: Vec<u32>,
    /// Semaphores of which it takes a signal, and how many signals each had at the beginning.
    pub takes: Vec<(u32, i64)>,
}

impl Footprint {
    fn sort(&mut self) {
        for list in [&mut self.follows, &mut self.reads, &mut self.changes] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Whether the order of the two steps can matter.
    fn competes_with(&self, other: &Footprint) -> bool {
        have_common(&self.changes, &other.changes)
            || have_common(&self.changes, &other.reads)
            || have_common(&self.reads, &other.changes)
    }
}

/// A step that a schedule has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    thread: Thread,
    moment: Option<Moment>,
    footprint: Footprint,
}

/// What is known of the state before a step.
#[derive(Clone, Debug)]
struct Node {
    /// The threads that could go on.
    candidates: Vec<Thread>,
    /// Those that are held off.
    held_off: Vec<Thread>,
    /// The one that does.
    chosen: Thread,
    /// Those that are to be tried after it.
    to_try: VecDeque<Thread>,
    /// Those that need not be tried, with what their next step touches: what they lead to is known.
    sleeping: Vec<(Thread, Footprint)>,
    /// The thread of the step before, if it can go on, and how many preemptions there were before.
    last: Option<Thread>,
    preemptions: u32,
}

impl Node {
    /// Whether the thread has been tried, or will be, or need not be.
    fn is_known(&self, thread: Thread) -> bool {
        self.chosen == thread || self.to_try.contains(&thread) || is_asleep(&self.sleeping, thread)
    }

    /// Whether the thread takes the turn of another one if it goes on here: of the one before, or of the first one, for which that has given up its turn.
    fn preempts(&self, thread: Thread) -> bool {
        match (self.last, self.candidates.first()) {
            (Some(last), Some(first)) if last == *first => thread != last,
            (Some(last), _) => thread == last,
            (None, _) => false,
        }
    }
}

fn is_asleep(sleeping: &[(Thread, Footprint)], thread: Thread) -> bool {
    sleeping.iter().any(|(other, _)| *other == thread)
}

/// Two steps of a run that compete for a thing, with nothing else that decides their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOrder {
    /// The thing.
    pub thing: u32,
    /// The numbers of the steps, the first of which is 0.
    pub steps: [usize; 2],
    /// Whether they change it.
    pub change: [bool; 2],
}

/// A search for all traces. The caller runs the program again and again: each run calls [`Schedules::choose`] before a step and
/// [`Schedules::did`] behind it.
#[derive(Clone, Debug, Default)]
pub struct Schedules {
    /// The states along the run, the start first. The next run comes to them, too.
    nodes: Vec<Node>,
    /// The steps of the run.
    steps: Vec<Step>,
    /// The steps of the last run that compete for a thing and whose order was open.
    open: Vec<OpenOrder>,
    is_abandoned: bool,
    is_confused: bool,
    /// The most preemptions of a schedule, if there is a bound. Then all schedules within it are executed, also those of one trace.
    most_preemptions: Option<u32>,
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

    /// A search for the schedules with at most this number of preemptions: steps at which a thread goes on although the one before could, and has not
    /// given up its turn. Of threads that can go on, the one before comes first, unless it has given up its turn.
    pub fn within(preemptions: u32) -> Schedules {
        Schedules {
            most_preemptions: Some(preemptions),
            ..Schedules::default()
        }
    }

    /// The same search from its beginning.
    pub fn begun_again(&self) -> Schedules {
        Schedules {
            most_preemptions: self.most_preemptions,
            ..Schedules::default()
        }
    }

    /// Whether preemptions have a bound.
    pub fn is_bounded(&self) -> bool {
        self.most_preemptions.is_some()
    }

    /// The thread that goes on, of these different ones. One that is held off goes on when no other can. Those of the candidates that end the run do so
    /// when those that are held off have shown for what they compete. None ends the run, whose continuations are all known. Only steps of the same moment
    /// can change their order; all can if there is none.
    pub fn choose(
        &mut self,
        candidates: &[Thread],
        held_off: &[Thread],
        ends: &[Thread],
        moment: Option<Moment>,
    ) -> Option<Thread> {
        let depth = self.steps.len();
        if depth == self.nodes.len() {
            let node = self.node(candidates, held_off, ends)?;
            self.nodes.push(node);
        }
        let thread = self.nodes[depth].chosen;
        let mut all = candidates.iter().chain(held_off);
        if !all.any(|one| *one == thread) {
            // The program is not the same in each run.
            (self.is_confused, self.is_abandoned) = (true, true);
            return None;
        }
        self.steps.push(Step {
            thread,
            moment,
            footprint: Footprint::default(),
        });
        self.executed += 1;
        Some(thread)
    }

    /// The state that the run has come to, which no run has come to before on this way. If all that could happen next is known, the run is abandoned;
    /// what is held off still comes, because it competes with earlier steps. None if nothing is left.
    fn node(
        &mut self,
        candidates: &[Thread],
        held_off: &[Thread],
        ends: &[Thread],
    ) -> Option<Node> {
        let mut sleeping = Vec::new();
        if let (Some(before), Some(step)) = (self.nodes.last(), self.steps.last()) {
            let stays = |(thread, footprint): &&(Thread, Footprint)| {
                *thread != step.thread && !footprint.competes_with(&step.footprint)
            };
            sleeping.extend(before.sleeping.iter().filter(stays).cloned());
        }
        let awake = |threads: &[Thread]| {
            let mut awake = threads.iter();
            awake.find(|one| !is_asleep(&sleeping, **one)).copied()
        };
        let able = match candidates {
            [] => held_off,
            able => able,
        };
        let mut chosen = awake(able);
        if !self.is_bounded() && chosen.is_some_and(|one| ends.contains(&one)) {
            chosen = awake(held_off).or(chosen);
        }
        self.is_abandoned |= chosen.is_none();
        let chosen = chosen.or_else(|| awake(held_off));
        let mut node = Node {
            candidates: able.to_vec(),
            held_off: held_off.to_vec(),
            chosen: chosen?,
            to_try: VecDeque::new(),
            sleeping,
            last: None,
            preemptions: 0,
        };
        if let Some(most) = self.most_preemptions {
            self.bound(&mut node, most);
        }
        Some(node)
    }

    /// Tries all threads from a state that the bound allows.
    fn bound(&self, node: &mut Node, most: u32) {
        let mut able = node.candidates.iter().copied();
        if let (Some(before), Some(step)) = (self.nodes.last(), self.steps.last()) {
            node.last = able.find(|one| *one == step.thread);
            node.preemptions = before.preemptions + u32::from(before.preempts(before.chosen));
        }
        let others = node.candidates.iter().copied().skip(1);
        let allowed = others.filter(|one| node.preemptions < most || !node.preempts(*one));
        node.to_try = allowed.collect();
    }

    /// Behind the step that was chosen last the others that could go on cannot do so any more: each of them is tried.
    pub fn try_all(&mut self) {
        if self.steps.len() != self.nodes.len() || self.is_bounded() {
            return;
        }
        if let Some(node) = self.nodes.last_mut() {
            let others = node.candidates.iter().copied();
            let unknown: Vec<Thread> = others.filter(|one| !node.is_known(*one)).collect();
            node.to_try.extend(unknown);
        }
    }

    /// The step that was chosen last follows from this and has touched this.
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
        self.open.clear();
        for (early, late) in races.pairs() {
            if !is_guarded(&self.steps, early, late) {
                self.open.extend(open_orders(&self.steps, [early, late]));
            }
            if self.is_bounded() || self.steps[early].moment != self.steps[late].moment {
                continue;
            }
            let initials = races.initials(&self.steps, early, late);
            let node = &mut self.nodes[early];
            if initials.iter().any(|thread| node.is_known(*thread)) {
                continue;
            }
            let mut possible = initials.iter().copied();
            let possible = possible.find(|thread| node.candidates.contains(thread));
            // Else the early step makes the late one possible.
            node.to_try.extend(possible);
            let lacks_signal = |thread: &Thread| node.held_off.contains(thread);
            if possible.is_none()
                && initials.iter().any(lacks_signal)
                && races.is_given_later(&self.steps, early, late)
            {
                let others = node.candidates.iter().copied();
                let others: Vec<Thread> = others.filter(|one| !node.is_known(*one)).collect();
                node.to_try.extend(others);
            }
        }
    }

    /// Goes back to the last state from which another thread is to be tried.
    fn go_back(&mut self) -> bool {
        // A run that was ended before a step has as many steps as states.
        self.steps.truncate(self.nodes.len());
        while let Some(node) = self.nodes.last_mut() {
            if let Some(step) = self.steps.pop()
                && self.most_preemptions.is_none()
            {
                node.sleeping.push((node.chosen, step.footprint));
            }
            while let Some(next) = node.to_try.pop_front() {
                if !is_asleep(&node.sleeping, next) {
                    node.chosen = next;
                    return true;
                }
            }
            self.nodes.pop();
        }
        false
    }

    /// The pairs of steps of the last run whose order was open.
    pub fn open_orders(&self) -> &[OpenOrder] {
        &self.open
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

/// Whether both steps take a signal of one semaphore, and the late one could not have taken one without the signals that the thread of the early one gave
/// behind it. In between nothing that the semaphore guards can be done.
fn is_guarded(steps: &[Step], early: usize, late: usize) -> bool {
    let takes = |step: &Step, semaphore: u32| {
        let mut takes = step.footprint.takes.iter();
        takes.any(|(other, _)| *other == semaphore)
    };
    let owner = steps[early].thread;
    let mut semaphores = steps[late].footprint.takes.iter();
    semaphores.any(|(semaphore, begin)| {
        let before = &steps[..late];
        let taken = before.iter().filter(|step| takes(step, *semaphore)).count();
        let others = before.iter().enumerate();
        let others = others.filter(|(place, step)| *place < early || step.thread != owner);
        let given = others.flat_map(|(_, step)| &step.footprint.signals);
        let given = given.filter(|other| *other == semaphore).count();
        takes(&steps[early], *semaphore) && begin + given as i64 <= taken as i64
    })
}

/// What the two steps compete for.
fn open_orders(steps: &[Step], pair: [usize; 2]) -> impl Iterator<Item = OpenOrder> {
    let [early, late] = pair.map(|place| &steps[place].footprint);
    let things = early.changes.iter().chain(&early.reads);
    let orders = things.map(move |thing| OpenOrder {
        thing: *thing,
        steps: pair,
        change: [early, late].map(|one| one.changes.contains(thing)),
    });
    orders.filter(move |order| {
        let is_late = order.change[1] || late.reads.contains(&order.thing);
        is_late && (order.change[0] || order.change[1])
    })
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
