//! A simulator of ordinary processes on one CPU, written from the counting model and the rules of docs/TIMELINE.md alone, and random programs.
//! It says when each process runs, waits, sleeps and ends, and who ends its waits.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

/// What a process does.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Goes round an empty loop this many times.
    Run(u64),
    /// Waits for the semaphore.
    Wait(usize),
    /// Signals the semaphore.
    Signal(usize),
    /// Lets others of its priority run.
    Yield,
    /// Sleeps this many milliseconds.
    Sleep(u64),
    /// Makes the process with this number, at this priority.
    Fork(usize, i64),
}

/// A program: the script and its processes. Each process is forked once at most.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What each process does; the first is the script.
    pub processes: Vec<Vec<Step>>,
    /// How many semaphores there are.
    pub semaphores: usize,
}

/// What a simulation says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What happened to which lane, by moments.
    pub events: Vec<(u64, usize, String)>,
    /// From when to when which lane ran.
    pub runs: Vec<(usize, u64, u64)>,
    /// The last moment.
    pub end: u64,
}

impl Story {
    /// Adds a stretch of ticks; one that follows at once on one of the same lane is a part of it.
    pub fn ran(&mut self, lane: usize, from: u64, to: u64) {
        match self.runs.last_mut() {
            Some((last, _, end)) if *last == lane && *end == from => *end = to,
            _ if from < to => self.runs.push((lane, from, to)),
            _ => {}
        }
    }
}

impl Plan {
    /// The source text.
    pub fn source(&self) -> String {
        let mut text = String::from("| ");
        for number in 1..=self.semaphores {
            let _ = write!(text, "s{number} ");
        }
        text.push_str("|\n");
        for number in 1..=self.semaphores {
            let _ = writeln!(text, "s{number} := Semaphore new.");
        }
        self.push_steps(0, &mut text);
        text
    }

    fn push_steps(&self, process: usize, text: &mut String) {
        for step in &self.processes[process] {
            let _ = match step {
                Step::Run(count) => write!(text, "{count} timesRepeat: []. "),
                Step::Wait(semaphore) => write!(text, "s{} wait. ", semaphore + 1),
                Step::Signal(semaphore) => write!(text, "s{} signal. ", semaphore + 1),
                Step::Yield => write!(text, "Processor yield. "),
                Step::Sleep(time) => write!(text, "(Delay forMilliseconds: {time}) wait. "),
                Step::Fork(other, priority) => {
                    text.push('[');
                    self.push_steps(*other, text);
                    writeln!(text, "] forkAt: {priority}.")
                }
            };
        }
    }

    /// A program that follows from these numbers; each call answers one below its argument.
    pub fn random(below: &mut impl FnMut(u64) -> u64) -> Plan {
        let count = 2 + below(5) as usize;
        let semaphores = 1 + below(3) as usize;
        let mut processes = vec![Vec::new(); count];
        for steps in &mut processes {
            for _ in 0..1 + below(8) {
                let semaphore = below(semaphores as u64) as usize;
                steps.push(match below(11) {
                    0 | 1 => Step::Run(1 + below(40)),
                    2 => Step::Run(1 + below(2500)),
                    3..=5 => Step::Signal(semaphore),
                    6 | 7 => Step::Wait(semaphore),
                    8 | 9 => Step::Yield,
                    _ => Step::Sleep(below(3)),
                });
            }
        }
        for other in 1..count {
            let parent = below(other as u64) as usize;
            let priority = [30, 40, 40, 40, 50][below(5) as usize];
            let place = below(processes[parent].len() as u64 + 1) as usize;
            processes[parent].insert(place, Step::Fork(other, priority));
        }
        Plan {
            processes,
            semaphores,
        }
    }

    /// What happens.
    pub fn simulate(&self) -> Story {
        let mut simulation = Simulation {
            plan: self,
            story: Story::default(),
            time: 0,
            lanes: Vec::new(),
            running: 0,
            ready: BTreeMap::new(),
            sleepers: Vec::new(),
            semaphores: vec![(0, VecDeque::new(), None); self.semaphores],
            numbered: 0,
        };
        simulation.lanes.push(Lane {
            process: 0,
            next: 0,
            left: 0,
            priority: 40,
            has_begun: true,
        });
        // `Semaphore new` sends `new`, `basicNew` and `setSignals:`.
        simulation.tick(3 * self.semaphores as u64);
        simulation.run();
        simulation.story
    }
}

struct Lane {
    process: usize,
    /// The next step, and how much of it is to be done: repetitions of a loop, or sends of a message to the library.
    next: usize,
    left: u64,
    priority: i64,
    has_begun: bool,
}

/// Whether the running process goes on.
#[derive(PartialEq, Eq)]
enum After {
    GoesOn,
    Leaves,
    /// The script has ended.
    Over,
}

struct Simulation<'p> {
    plan: &'p Plan,
    story: Story,
    time: u64,
    lanes: Vec<Lane>,
    running: usize,
    ready: BTreeMap<i64, VecDeque<usize>>,
    /// When, and who, in the order in which they fell asleep.
    sleepers: Vec<(u64, usize)>,
    /// Signals, who waits, and the number in the order of the first waits.
    semaphores: Vec<(u64, VecDeque<usize>, Option<u32>)>,
    numbered: u32,
}

impl Simulation<'_> {
    fn tick(&mut self, ticks: u64) {
        self.story.ran(self.running, self.time, self.time + ticks);
        self.time += ticks;
    }

    fn note(&mut self, lane: usize, what: impl Into<String>) {
        self.story.events.push((self.time, lane, what.into()));
    }

    fn make_ready(&mut self, lane: usize) {
        let priority = self.lanes[lane].priority;
        self.ready.entry(priority).or_default().push_back(lane);
    }

    fn run(&mut self) {
        loop {
            let after = self.step();
            let goes_on = match after {
                After::GoesOn => true,
                After::Leaves => self.switch(),
                After::Over => false,
            };
            if !goes_on {
                self.story.end = self.time;
                return;
            }
        }
    }

    /// Wakes the processes that have slept long enough, the first to wake first.
    fn wake(&mut self) {
        self.sleepers.sort_by_key(|(wake, _)| *wake);
        while let Some(&(wake, lane)) = self.sleepers.first()
            && wake <= self.time
        {
            self.sleepers.remove(0);
            self.note(lane, "wakes");
            self.make_ready(lane);
        }
    }

    /// A poll point: a process of a higher priority takes the CPU. The other one is the first of its priority to go on.
    fn poll(&mut self) -> After {
        self.wake();
        let mine = self.lanes[self.running].priority;
        let above = self.ready.range(mine + 1..);
        if above.map(|(_, queue)| queue.len()).sum::<usize>() == 0 {
            return After::GoesOn;
        }
        let queue = self.ready.entry(mine).or_default();
        queue.push_front(self.running);
        After::Leaves
    }

    /// The next process runs. False if none ever will.
    fn switch(&mut self) -> bool {
        self.wake();
        if self.ready.values().all(VecDeque::is_empty) {
            let Some(&(wake, _)) = self.sleepers.first() else {
                return false;
            };
            self.time = self.time.max(wake);
            self.wake();
        }
        let mut queues = self.ready.values_mut().rev();
        let Some(lane) = queues.find_map(VecDeque::pop_front) else {
            return false;
        };
        self.running = lane;
        if !std::mem::replace(&mut self.lanes[lane].has_begun, true) {
            self.note(lane, "synchronizes");
            self.note(lane, "executes");
        }
        true
    }

    /// A part of the running process's next step, up to a poll point.
    fn step(&mut self) -> After {
        let lane = &mut self.lanes[self.running];
        let Some(&step) = self.plan.processes[lane.process].get(lane.next) else {
            if self.running == 0 {
                return After::Over;
            }
            self.note(self.running, "returns");
            return After::Leaves;
        };
        match step {
            Step::Run(count) => {
                lane.left += 1;
                if lane.left == count {
                    (lane.left, lane.next) = (0, lane.next + 1);
                }
                self.tick(1);
                self.poll()
            }
            Step::Wait(semaphore) => {
                lane.next += 1;
                self.wait(semaphore)
            }
            Step::Signal(semaphore) => {
                lane.next += 1;
                self.signal(semaphore)
            }
            Step::Yield => {
                lane.next += 1;
                self.tick(1);
                self.make_ready(self.running);
                After::Leaves
            }
            Step::Sleep(time) => self.sleep(time),
            Step::Fork(process, priority) => self.fork(process, priority),
        }
    }

    fn wait(&mut self, semaphore: usize) -> After {
        self.tick(1);
        let lane = self.running;
        let (signals, waiting, number) = &mut self.semaphores[semaphore];
        if *signals > 0 {
            *signals -= 1;
            return After::GoesOn;
        }
        waiting.push_back(lane);
        let number = *number.get_or_insert_with(|| {
            self.numbered += 1;
            self.numbered
        });
        self.note(lane, format!("blocks on Semaphore #{number}"));
        After::Leaves
    }

    fn signal(&mut self, semaphore: usize) -> After {
        self.tick(1);
        match self.semaphores[semaphore].1.pop_front() {
            Some(lane) => {
                self.note(lane, format!("freed by {}", self.running));
                self.make_ready(lane);
            }
            None => self.semaphores[semaphore].0 += 1,
        }
        After::GoesOn
    }

    /// `forMilliseconds:` is entered and sends `isNumber`, `>=`, `ceiling`, `basicNew` and `setMilliseconds:`. `wait` is entered and
    /// sends `sleep:`.
    fn sleep(&mut self, time: u64) -> After {
        let lane = &mut self.lanes[self.running];
        lane.left += 1;
        match lane.left {
            1 => {
                self.tick(1);
                self.poll()
            }
            2 => {
                self.tick(6);
                self.poll()
            }
            _ => {
                (lane.left, lane.next) = (0, lane.next + 1);
                self.tick(1);
                self.sleepers.push((self.time + 1000 * time, self.running));
                self.note(self.running, "sleeps");
                After::Leaves
            }
        }
    }

    /// `forkAt:` is entered and sends `newProcessAt:` and `resume`.
    fn fork(&mut self, process: usize, priority: i64) -> After {
        let lane = &mut self.lanes[self.running];
        lane.left += 1;
        if lane.left == 1 {
            self.tick(1);
            return self.poll();
        }
        (lane.left, lane.next) = (0, lane.next + 1);
        self.tick(2);
        let (creator, made) = (self.running, self.lanes.len());
        self.lanes.push(Lane {
            process,
            next: 0,
            left: 0,
            priority,
            has_begun: false,
        });
        self.note(made, "created");
        self.note(creator, format!("calls {made}"));
        self.note(made, format!("freed by {creator}"));
        self.make_ready(made);
        After::GoesOn
    }
}
