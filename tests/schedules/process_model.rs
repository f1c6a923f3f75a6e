//! A small model of processes, which shares no code with the machine: a search over all states of a program, with nothing left out. A process can lose its turn at
//! each pause, and wherever it waits.

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::Dice;

/// The names of variables in programs.
const VARIABLES: [&str; 2] = ["x", "y"];
/// The names of semaphores. The last one counts the processes that have ended.
const SEMAPHORES: [&str; 3] = ["m", "s", "d"];
/// The semaphore that counts those.
const ENDED: usize = 2;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    /// It adds to a variable, at once.
    Add(usize, i64),
    /// It adds to a variable, with a pause between reading and writing.
    Slowly(usize, i64),
    /// It assigns the first variable to the second one.
    Copy(usize, usize),
    /// It adds 1 to the second variable if the first one has at least this value.
    If(usize, i64, usize),
    Wait(usize),
    Signal(usize),
    /// It shows a variable: reads it, pauses, writes, and pauses.
    Show(usize),
    Pause,
}

/// Processes, of which the first is the script, and the signals of semaphores at the beginning.
#[derive(Clone, Debug)]
pub(super) struct ProcessPlan {
    script: Vec<Act>,
    processes: Vec<Vec<Act>>,
    signals: [i64; 3],
}

impl ProcessPlan {
    /// A plan that is drawn.
    pub(super) fn drawn(dice: &mut Dice) -> ProcessPlan {
        let count = 2 + dice.below(2);
        let most = if count == 2 { 4 } else { 3 };
        let has_locks = dice.below(2) == 0;
        let processes = (0..count).map(|_| {
            let length = 1 + dice.below(most);
            let mut acts: Vec<Act> = (0..length).map(|_| act(dice)).collect();
            if has_locks && dice.below(3) > 0 {
                acts.insert(0, Act::Wait(0));
                if dice.below(4) > 0 {
                    acts.insert(1, Act::Pause);
                }
                acts.push(Act::Signal(0));
            }
            acts.push(Act::Signal(ENDED));
            acts
        });
        let processes: Vec<Vec<Act>> = processes.collect();
        let waits = match dice.below(4) {
            0 => count - 1,
            _ => count,
        };
        let mut script = vec![Act::Pause];
        for _ in 0..waits {
            script.extend([Act::Wait(ENDED), Act::Pause]);
        }
        script.extend([Act::Show(0), Act::Show(1)]);
        ProcessPlan {
            script,
            processes,
            signals: [1, dice.below(2) as i64, 0],
        }
    }

    /// Plans with one act less.
    pub(super) fn smaller(&self) -> Vec<ProcessPlan> {
        let mut all = Vec::new();
        for process in 0..self.processes.len() {
            for act in 0..self.processes[process].len() {
                let mut plan = self.clone();
                plan.processes[process].remove(act);
                all.push(plan);
            }
        }
        for act in 0..self.script.len() {
            let mut plan = self.clone();
            plan.script.remove(act);
            all.push(plan);
        }
        all
    }

    /// The program.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "Object subclass: Pad [ pause [ ^self class ] ]\nEval [ | pad x y m s d |\npad := Pad new. x := 0. y := 0.\n",
        );
        for (name, signals) in SEMAPHORES.iter().zip(self.signals) {
            text.push_str(&format!("{name} := Semaphore new. "));
            (0..signals).for_each(|_| text.push_str(&format!("{name} signal. ")));
        }
        for acts in &self.processes {
            text.push_str(&format!("\n[| t | {}] fork.", statements(acts)));
        }
        text.push_str(&format!("\n[| t | {}] value ]\n", statements(&self.script)));
        text
    }

    /// All that it can write, and whether it comes to its end.
    pub(super) fn endings(&self) -> BTreeSet<(String, bool)> {
        let all: Vec<&[Act]> = [&self.script]
            .into_iter()
            .chain(&self.processes)
            .map(Vec::as_slice)
            .collect();
        let start = State {
            values: [0; 2],
            signals: self.signals,
            waiting: Default::default(),
            processes: vec![Place::default(); all.len()],
            written: String::new(),
        };
        let mut endings = BTreeSet::new();
        let mut known: HashSet<State> = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let able = (0..all.len()).filter(|process| state.can_go_on(*process, &all));
            let able: Vec<usize> = able.collect();
            if able.is_empty() {
                endings.insert((state.written.clone(), false));
            }
            for process in able {
                let mut next = state.clone();
                if next.go_on(process, all[process]) && process == 0 {
                    endings.insert((next.written, true));
                } else if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        endings
    }
}

fn act(dice: &mut Dice) -> Act {
    let (one, other) = (dice.below(2), dice.below(2));
    match dice.below(17) {
        0 | 1 => Act::Add(one, 1 + dice.below(2) as i64),
        2..5 => Act::Slowly(one, 1 + dice.below(2) as i64),
        5 | 6 => Act::Copy(one, other),
        7 | 8 => Act::If(one, 1 + dice.below(2) as i64, other),
        9..11 => Act::Wait(dice.below(2)),
        11..14 => Act::Signal(dice.below(2)),
        14 | 15 => Act::Show(one),
        _ => Act::Pause,
    }
}

fn statements(acts: &[Act]) -> String {
    let each = acts.iter().map(|act| match *act {
        Act::Add(one, by) => format!("{0} := {0} + {by}", VARIABLES[one]),
        Act::Slowly(one, by) => format!("t := {0}. pad pause. {0} := t + {by}", VARIABLES[one]),
        Act::Copy(one, other) => format!("{} := {}", VARIABLES[other], VARIABLES[one]),
        Act::If(one, least, other) => format!(
            "{} >= {least} ifTrue: [{1} := {1} + 1]",
            VARIABLES[one], VARIABLES[other]
        ),
        Act::Wait(one) => format!("{} wait", SEMAPHORES[one]),
        Act::Signal(one) => format!("{} signal", SEMAPHORES[one]),
        Act::Show(one) => format!(
            "t := {}. pad pause. Transcript show: t printString. pad pause",
            VARIABLES[one]
        ),
        Act::Pause => "pad pause".to_string(),
    });
    each.collect::<Vec<String>>().join(". ")
}

/// Where a process stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Place {
    act: usize,
    /// Parts of the act that are done.
    parts: usize,
    value: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    values: [i64; 2],
    signals: [i64; 3],
    waiting: [VecDeque<usize>; 3],
    processes: Vec<Place>,
    written: String,
}

impl State {
    fn can_go_on(&self, process: usize, all: &[&[Act]]) -> bool {
        let waits = self.waiting.iter().any(|queue| queue.contains(&process));
        !waits && self.processes[process].act <= all[process].len()
    }

    /// The process goes on up to its next pause, to a wait without a signal, or to its end. Answers whether it is over.
    fn go_on(&mut self, process: usize, acts: &[Act]) -> bool {
        while let Some(act) = acts.get(self.processes[process].act) {
            let place = &mut self.processes[process];
            let parts = place.parts;
            place.parts += 1;
            match (*act, parts) {
                (Act::Slowly(one, _) | Act::Show(one), 0) => {
                    place.value = self.values[one];
                    return false;
                }
                (Act::Slowly(one, by), _) => self.values[one] = place.value + by,
                (Act::Show(_), _) => self.written.push_str(&place.value.to_string()),
                (Act::Add(one, by), _) => self.values[one] += by,
                (Act::Copy(one, other), _) => self.values[other] = self.values[one],
                (Act::If(one, least, other), _) => {
                    self.values[other] += i64::from(self.values[one] >= least);
                }
                (Act::Signal(one), _) => {
                    if self.waiting[one].pop_front().is_none() {
                        self.signals[one] += 1;
                    }
                }
                (Act::Wait(_) | Act::Pause, _) => {}
            }
            let place = &mut self.processes[process];
            (place.act, place.parts) = (place.act + 1, 0);
            match *act {
                Act::Pause | Act::Show(_) => return false,
                Act::Wait(one) if self.signals[one] == 0 => {
                    self.waiting[one].push_back(process);
                    return false;
                }
                Act::Wait(one) => self.signals[one] -= 1,
                _ => {}
            }
        }
        // Nothing is left of it.
        self.processes[process].act = acts.len() + 1;
        true
    }
}
