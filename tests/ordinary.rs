//! Timelines of ordinary processes and actors: every event of random programs as a simulator says it, and laws of every golden program and example.
//! Recording changes nothing else.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Options, compile, conclude, machine_on_virtual_clock};
use tally_tests::oracle::lanes::{Plan, Step, Story};
use tally_tests::{files_below, root};
use tally_vm::bytecode::Unit;
use tally_vm::{Event, EventKind, Timeline};

use crate::checks::{Checked, trial};
use crate::programs;

/// How many random programs are simulated.
const CASES: u64 = 4_000;

/// A test for each program, and those of the simulator.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let mut trials = programs::trials("lanes", recorded_and_not)?;
    for folder in ["examples/actors", "examples/processes"] {
        let paths = files_below(&root().join(folder), "st")?;
        let area = format!("lanes/{folder}");
        trials.extend(programs::trials_of(&area, recorded_and_not, folder, paths)?);
    }
    trials.push(trial("oracle/lanes/random", random));
    trials.push(trial("oracle/lanes/by_hand", by_hand));
    Ok(trials)
}

// --- laws ---------------------------------------------------------------------------------------

/// A recorded run shows and counts what another one does, and its timeline is the same in all modes.
fn recorded_and_not(unit: &Arc<Unit>, options: &Options) -> Checked {
    if options.max_memory.is_some() {
        // What is recorded takes memory.
        return Ok(());
    }
    let mut first = None;
    for mode in [modes::PLAIN, modes::PROFILE, modes::SMALL_HEAP] {
        let seen = run(unit, options, &mode, false)?.observed;
        let run = run(unit, options, &mode, true)?;
        let differences = seen.differences(
            &run.observed,
            tally_tests::observe::Extent::with_profile(&mode),
        );
        if !differences.is_empty() {
            return Err(format!("{}: {}", mode.name, differences.join("\n")));
        }
        let timeline = run.timeline;
        if let Some(timeline) = &timeline
            && !run.has_processors
        {
            laws(timeline, run.ticks).map_err(|error| format!("{}: {error}", mode.name))?;
        }
        match &first {
            None => first = Some(timeline),
            Some(first) if *first != timeline => {
                return Err(format!("{}: another timeline", mode.name));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// A run that has ended.
struct Run {
    observed: tally_tests::observe::Observed,
    timeline: Option<Timeline>,
    ticks: u64,
    has_processors: bool,
}

fn run(unit: &Arc<Unit>, options: &Options, mode: &Mode, is_recorded: bool) -> Result<Run, String> {
    let host = TestHost::new();
    let mut vm = machine_on_virtual_clock(options, mode, &host)?;
    if is_recorded {
        vm.record_timeline();
    }
    let outcome = vm.run_unit(Arc::clone(unit));
    let timeline = vm.timeline();
    let ticks = vm.sends() + vm.loops();
    let has_processors = vm.has_processors();
    Ok(Run {
        observed: conclude(&mut vm, &host, outcome),
        timeline,
        ticks,
        has_processors,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unborn,
    Ready,
    Waits,
    Sleeps,
    /// It has executed its last request. An actor may get another one.
    Ended,
}

/// A lane: what it does, since when, and its ticks in each state.
#[derive(Clone, Copy, Debug)]
struct Lane {
    state: State,
    /// Whether it executes a request, or is a process that may.
    is_open: bool,
    since: u64,
    sum: u64,
    born: u64,
}

impl Lane {
    fn turn(&mut self, to: State, time: u64) -> Checked {
        self.sum += time.checked_sub(self.since).ok_or("a lane goes back")?;
        (self.state, self.since) = (to, time);
        Ok(())
    }

    fn is(&self, state: State, event: &Event) -> Checked {
        match self.state == state {
            true => Ok(()),
            false => Err(format!("{event:?} in the state {:?}", self.state)),
        }
    }
}

/// The laws of lanes on one CPU.
fn laws(timeline: &Timeline, ticks: u64) -> Checked {
    let fresh = Lane {
        state: State::Unborn,
        is_open: false,
        since: 0,
        sum: 0,
        born: 0,
    };
    let mut lanes = vec![fresh; timeline.processors.len()];
    (lanes[0].state, lanes[0].is_open) = (State::Ready, true);
    let (mut last, mut idle_since, mut sum) = (0, 0, 0);
    let mut running = 0;
    let mut messages = Messages::default();
    for event in &timeline.events {
        if event.time < last {
            return Err(format!("{event:?} after the moment {last}"));
        }
        last = event.time;
        if let EventKind::Ran(ticks) = event.kind {
            sum += ticks;
            let from = event.time - ticks;
            if from < idle_since {
                return Err(format!("{event:?}: two lanes run at once"));
            }
            if from > idle_since
                && lanes
                    .iter()
                    .any(|lane| lane.state == State::Ready && lane.since < from)
            {
                return Err(format!("{event:?}: the CPU was idle, and a lane was ready"));
            }
            idle_since = event.time;
        }
        // Who runs makes events, until another lane takes a request up or executes something.
        if matches!(event.kind, EventKind::Ran(_) | EventKind::Executes) {
            running = event.processor;
        }
        let by = match event.kind {
            EventKind::Freed { by } => Some(timeline.requests[by as usize].supplier),
            _ => None,
        };
        if by.is_some_and(|by| by != running) {
            return Err(format!("{event:?} while {running} runs"));
        }
        messages.follow(event)?;
        follow(&mut lanes[event.processor as usize], event)?;
    }
    if sum != ticks {
        return Err(format!("lanes ran {sum} ticks of {ticks}"));
    }
    for (number, lane) in lanes.iter_mut().enumerate() {
        let state = lane.state;
        lane.turn(state, timeline.end)?;
        if lane.sum != timeline.end - lane.born {
            return Err(format!("lane {number}: {lane:?}"));
        }
    }
    Ok(())
}

/// Requests that were sent and not taken up. Actors take them up in the order in which they were sent.
#[derive(Default)]
struct Messages {
    sent: std::collections::VecDeque<(u32, u32)>,
}

impl Messages {
    fn follow(&mut self, event: &Event) -> Checked {
        let place = |sent: &std::collections::VecDeque<(u32, u32)>| {
            sent.iter()
                .position(|(request, _)| *request == event.request)
        };
        match event.kind {
            EventKind::Called { supplier, .. } => self.sent.push_back((event.request, supplier)),
            EventKind::Synchronizes | EventKind::Cancelled if event.processor != 0 => {
                let place = place(&self.sent).ok_or(format!("{event:?} was not sent"))?;
                let (_, supplier) = self.sent[place];
                // A lane of a process has one request, so this says something of actors only.
                let mut before = self.sent.iter().take(place);
                if supplier != event.processor || before.any(|(_, other)| *other == supplier) {
                    return Err(format!("{event:?}: an older message waits"));
                }
                self.sent.remove(place);
            }
            _ => {}
        }
        Ok(())
    }
}

fn follow(lane: &mut Lane, event: &Event) -> Checked {
    let time = event.time;
    match event.kind {
        EventKind::Created => {
            lane.is(State::Unborn, event)?;
            (lane.born, lane.since) = (time, time);
            Ok(())
        }
        EventKind::Freed { .. } => {
            if lane.state == State::Ready || lane.is_open && lane.state == State::Ended {
                return Err(format!("{event:?} in the state {:?}", lane.state));
            }
            lane.turn(State::Ready, time)
        }
        EventKind::Cancelled => match lane.is_open {
            true => Err(format!("{event:?} while the lane executes")),
            false => lane.turn(lane.state, time),
        },
        EventKind::Blocks { .. } => {
            lane.is(State::Ready, event)?;
            lane.turn(State::Waits, time)
        }
        EventKind::Sleeps => {
            lane.is(State::Ready, event)?;
            lane.turn(State::Sleeps, time)
        }
        EventKind::Wakes => {
            lane.is(State::Sleeps, event)?;
            lane.turn(State::Ready, time)
        }
        EventKind::Ran(0) => Ok(()),
        EventKind::Synchronizes if lane.is_open => Err(format!("{event:?} while another is open")),
        EventKind::Synchronizes => {
            lane.is_open = true;
            lane.is(State::Ready, event)
        }
        EventKind::Ran(_) | EventKind::Executes if lane.is_open => lane.is(State::Ready, event),
        EventKind::Ran(_) | EventKind::Executes => Err(format!("{event:?} without a request")),
        EventKind::Returns => {
            lane.is(State::Ready, event)?;
            lane.is_open = false;
            lane.turn(State::Ended, time)
        }
        EventKind::Called { .. } => Ok(()),
        _ => Err(format!("{event:?} of an ordinary process")),
    }
}

// --- the simulator ------------------------------------------------------------------------------

/// What the machine says of a plan.
fn told(plan: &Plan) -> Result<Story, String> {
    let unit = compile("plan.st", &plan.source())?.unit.ok_or("no unit")?;
    let run = run(&Arc::new(unit), &Options::default(), &modes::PLAIN, true)?;
    let Some(timeline) = run.timeline else {
        return Err("no timeline".to_string());
    };
    let mut story = Story {
        end: timeline.end,
        ..Story::default()
    };
    for event in &timeline.events {
        let lane = event.processor as usize;
        let what = match event.kind {
            EventKind::Ran(ticks) => {
                story.ran(lane, event.time - ticks, event.time);
                continue;
            }
            EventKind::Blocks { on } => {
                let obstacle = timeline.obstacles.get(on as usize);
                let name = obstacle.map_or("", |obstacle| &obstacle.object);
                format!("blocks on {name}")
            }
            EventKind::Freed { by } => format!("freed by {by}"),
            EventKind::Called { supplier, .. } => format!("calls {supplier}"),
            kind => format!("{kind:?}").to_lowercase(),
        };
        story.events.push((event.time, lane, what));
    }
    Ok(story)
}

fn compare(plan: &Plan) -> Checked {
    let (expected, told) = (plan.simulate(), told(plan)?);
    if expected == told {
        return Ok(());
    }
    let events = expected.events.iter().zip(&told.events);
    let first = events.clone().position(|(one, other)| one != other);
    let at = first.unwrap_or(expected.events.len().min(told.events.len()));
    Err(format!(
        "{}\nevent {at}: expected {:?}, found {:?}\nruns {:?}\nfound {:?}\nend {} and {}",
        plan.source(),
        expected.events.get(at),
        told.events.get(at),
        expected.runs,
        told.runs,
        expected.end,
        told.end
    ))
}

fn random() -> Checked {
    let (mut waits, mut stuck) = (0, 0);
    for case in 0..CASES {
        let mut state = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % bound
        };
        let plan = Plan::random(&mut below);
        if !forks(&plan) {
            continue;
        }
        compare(&plan).map_err(|error| format!("case {case}: {error}"))?;
        let story = plan.simulate();
        let blocks = story
            .events
            .iter()
            .filter(|(.., what)| what.starts_with("blocks"));
        waits += blocks.count();
        stuck += usize::from(
            story
                .events
                .last()
                .is_some_and(|(.., what)| what.starts_with("blocks")),
        );
    }
    // A simulation in which nothing waits shows nothing.
    match waits > 1_000 && stuck > 100 {
        true => Ok(()),
        false => Err(format!("only {waits} waits, {stuck} deadlocks")),
    }
}

/// Whether a process is made before the script ends: without one there is no timeline.
fn forks(plan: &Plan) -> bool {
    plan.simulate()
        .events
        .iter()
        .any(|(.., what)| what == "created")
}

/// Programs whose events are worked out by hand, to hold the simulator itself.
fn by_hand() -> Checked {
    ping_pong()?;
    preemption()
}

fn expect(plan: &Plan, events: &[(u64, usize, &str)]) -> Checked {
    compare(plan)?;
    let found = plan.simulate().events;
    let events = events.iter();
    let events: Vec<_> = events
        .map(|(time, lane, what)| (*time, *lane, (*what).to_string()))
        .collect();
    match found == events {
        true => Ok(()),
        false => Err(format!("{found:?}\ninstead of {events:?}")),
    }
}

/// Two semaphores take 6 ticks and the fork 3. The script signals at 10 and waits at 11. The other process waits at 12, goes on, and signals at 13.
fn ping_pong() -> Checked {
    let plan = Plan {
        processes: vec![
            vec![Step::Fork(1, 40), Step::Signal(0), Step::Wait(1)],
            vec![Step::Wait(0), Step::Signal(1)],
        ],
        semaphores: 2,
    };
    expect(
        &plan,
        &[
            (9, 1, "created"),
            (9, 0, "calls 1"),
            (9, 1, "freed by 0"),
            (11, 0, "blocks on Semaphore #1"),
            (11, 1, "synchronizes"),
            (11, 1, "executes"),
            (13, 0, "freed by 1"),
            (13, 1, "returns"),
        ],
    )
}

/// One semaphore takes 3 ticks, and the fork 3. The loop's first repetition, at 7, lets the higher priority in. That waits at 8, and the script goes on.
/// The signal at 18 is noticed at the next repetition, at 19. A delay falls asleep after 8 ticks.
fn preemption() -> Checked {
    let script = [Step::Fork(1, 50), Step::Run(10), Step::Signal(0)];
    let plan = Plan {
        processes: vec![
            [&script[..], &[Step::Run(5), Step::Sleep(1)]].concat(),
            vec![Step::Wait(0), Step::Run(2)],
        ],
        semaphores: 1,
    };
    expect(
        &plan,
        &[
            (6, 1, "created"),
            (6, 0, "calls 1"),
            (6, 1, "freed by 0"),
            (7, 1, "synchronizes"),
            (7, 1, "executes"),
            (8, 1, "blocks on Semaphore #1"),
            (18, 1, "freed by 0"),
            (21, 1, "returns"),
            (33, 0, "sleeps"),
            (1033, 0, "wakes"),
        ],
    )
}
