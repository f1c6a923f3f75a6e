//! Workers that are processes, so that a test can end its own process only. A worker is a copy of the process that has loaded the
//! program: nothing is loaded twice, and each test runs in what it would have run in without workers. The copies share what memory
//! they do not change.
//!
//! A worker answers each test by itself, so the test that killed a worker is the first one without an answer. That test is
//! reported, and a new worker goes on with the test after it. Workers end with the process that made them, because their pipe closes; on
//! Linux the system kills them even in the middle of a test.
//!
//! Tests that need the same resources run in one worker, one after the other: resources are made once, as without workers.
#![allow(unsafe_code)]

mod asked;
mod queue;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpid, getppid};
use serde::{Deserialize, Serialize};
use signal_hook::SigId;
use signal_hook::consts::SIGUSR1;
use tally_vm::{MemoryHost, Vm};

use self::queue::Queue;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{memory, printed};
use tally_workbench::outside::kept::Kept;
use tally_workbench::testing::discovery::Test;
use tally_workbench::testing::outcome::{TestReport, Verdict};
use tally_workbench::testing::pool::{Arrived, InOrder, Work};
use tally_workbench::testing::worker::{Ended, Reset, Resources, Worker, without_run};
use tally_workbench::workers::{self, Death};
use tally_workbench::{Error, ErrorKind};

/// Bytes that are read at once.
const PIECE: usize = 1 << 14;
/// A request is for as many tests as may take this number of nanoseconds: a worker that waits for a request does nothing.
const WORTH_ASKING: u128 = 1_000_000;
/// The greatest number of tests in one request.
const MOST_ASKED: u128 = 32;

/// A request to a worker.
#[derive(Serialize, Deserialize)]
enum Question {
    /// To run the tests of these indices.
    Run(Vec<usize>),
    /// To reset the resources.
    Reset,
}

/// What a worker answers.
#[derive(Serialize, Deserialize)]
enum Answer {
    /// To each test that it runs. `made` was printed while its resources were made, if they were.
    Ended {
        index: usize,
        ended: Box<Ended>,
        made: Option<Kept>,
    },
    /// When all resources are reset.
    Reset(Vec<Reset>),
    /// When the command has failed, not a test.
    Failed { exit: i32, message: String },
}

/// Runs tests, as [`Work::run`] says.
pub(super) fn run(
    base: &mut Vm,
    work: &Work<'_>,
    mut tell: impl FnMut(Arrived) -> Result<bool, Failure>,
) -> Result<Vec<Reset>, Failure> {
    let mut machine = base.fork(Box::<MemoryHost>::default());
    let stop = Stop::new()?;
    let mut pool = Pool {
        machine: &mut machine,
        work,
        stop: &stop,
        queue: Queue::new(work),
        workers: Vec::new(),
    };
    pool.start()?;
    let mut waiting = InOrder::of(work.order);
    let mut made: BTreeMap<&str, Option<Kept>> = BTreeMap::new();
    'tests: while pool.ask()? {
        for answer in pool.answers()? {
            let Answer::Ended {
                index,
                ended,
                made: new,
            } = answer
            else {
                continue;
            };
            if let Some(new) = new {
                // A worker that goes on for another has made them again, which is not told again.
                made.entry(&work.tests[index].resources)
                    .or_insert(Some(new));
            }
            waiting.add(index, *ended);
            while let Some((index, ended)) = waiting.take_next() {
                let made = made.get_mut(work.tests[index].resources.as_str());
                let made = made.and_then(Option::take);
                if !tell(Arrived { ended, made })? {
                    break 'tests;
                }
            }
        }
    }
    match work.resets {
        true => pool.reset(),
        false => Ok(Vec::new()),
    }
}

/// The signal that ends the test of a worker and all earlier requests to it. Workers inherit its handler, so it cannot come too
/// early.
struct Stop {
    came: Arc<AtomicBool>,
    handler: SigId,
}

impl Stop {
    fn new() -> Result<Stop, Failure> {
        let came = Arc::<AtomicBool>::default();
        let handler = signal_hook::flag::register(SIGUSR1, Arc::clone(&came));
        let handler = handler.map_err(|error| {
            Failure::new(Exit::Internal, format!("SIGUSR1 cannot be caught: {error}"))
        })?;
        Ok(Stop { came, handler })
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.handler);
    }
}

/// A worker, as the process that sends requests knows it.
struct Process {
    id: Pid,
    questions: PipeWriter,
    answers: PipeReader,
    /// What was read of the next answer.
    read: Vec<u8>,
    /// The requested tests without an answer, in their order.
    asked: VecDeque<usize>,
    /// The number of tests in one request.
    ahead: usize,
}

/// The workers.
struct Pool<'p> {
    machine: &'p mut Vm,
    work: &'p Work<'p>,
    stop: &'p Stop,
    queue: Queue<'p>,
    /// A place is empty when its worker died and no other could be made.
    workers: Vec<Option<Process>>,
}

impl Pool<'_> {
    /// Starts the workers. Fewer than wanted are enough.
    fn start(&mut self) -> Result<(), Failure> {
        for _ in 0..self.work.workers() {
            match self.new_worker() {
                Ok(worker) => self.workers.push(Some(worker)),
                Err(error) if self.workers.is_empty() => return Err(no_worker(&error)),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// A new worker. In the worker itself this does not return.
    fn new_worker(&mut self) -> io::Result<Process> {
        let (questions, ask) = io::pipe()?;
        let (answers, answer) = io::pipe()?;
        // What waits there would be written by both.
        printed::flush();
        io::stdout().flush()?;
        let parent = getpid();
        // SAFETY: the copy has this thread alone, and goes on with code that may need any lock. No lock is held by
        // another thread: the only other one is that of `main`, which waits for this one to end and does nothing
        // else. `tally test` starts no threads when its workers are processes.
        match unsafe { fork() }? {
            ForkResult::Parent { child } => Ok(Process {
                id: child,
                questions: ask,
                answers,
                read: Vec::new(),
                asked: VecDeque::new(),
                ahead: 1,
            }),
            ForkResult::Child => {
                // While a copy of these ends is open, a worker does not see that its pipe was closed.
                drop((ask, answers));
                self.workers.clear();
                die_with(parent);
                memory::share_among(self.work.workers());
                // What called this belongs to the other process: nothing goes back there, not even a panic.
                let serve = || self.serve(questions, answer);
                let exit = catch_unwind(AssertUnwindSafe(serve)).unwrap_or(Exit::Internal);
                std::process::exit(exit.code());
            }
        }
    }

    /// The loop of a worker: an answer to each request.
    fn serve(&mut self, questions: PipeReader, mut answer: PipeWriter) -> Exit {
        let resources = Resources::default();
        let running = self.work.running;
        let came = &*self.stop.came;
        let mut worker = Worker::new(self.machine, running, &resources, came);
        for question in BufReader::new(questions).split(b'\n') {
            let Ok(question) = question.and_then(|line| workers::read(&line)) else {
                return Exit::Internal;
            };
            let answered = match question {
                Question::Run(indices) => indices.into_iter().try_for_each(|index| {
                    let Some(test) = self.work.tests.get(index) else {
                        return Ok(());
                    };
                    if came.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    asked::obey(test);
                    let made = |ended| Answer::Ended {
                        index,
                        ended: Box::new(ended),
                        made: resources.take_output(test),
                    };
                    workers::write(&mut answer, &worker.run(test).map_or_else(failed, made))
                }),
                Question::Reset => {
                    let reset = resources.reset(running);
                    let reset = reset.map_or_else(failed, Answer::Reset);
                    workers::write(&mut answer, &reset)
                }
            };
            // The process that reads the answers is gone.
            if answered.is_err() {
                return Exit::Io;
            }
        }
        Exit::Success
    }

    /// Requests tests from the workers. Answers whether some are still to end.
    fn ask(&mut self) -> Result<bool, Failure> {
        for place in 0..self.workers.len() {
            let Some(worker) = &mut self.workers[place] else {
                continue;
            };
            if worker.asked.len() * 2 > worker.ahead {
                continue;
            }
            let mut indices = Vec::new();
            while worker.asked.len() < worker.ahead
                && let Some(index) = self.queue.take(place)
            {
                indices.push(index);
                worker.asked.push_back(index);
            }
            if !indices.is_empty() {
                worker.ask(&Question::Run(indices));
            }
        }
        let mut workers = self.workers.iter().flatten();
        match workers.any(|worker| !worker.asked.is_empty()) {
            true => Ok(true),
            false if self.queue.is_empty() => Ok(false),
            false => Err(no_worker(&io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Waits for answers. A test that killed its worker is among them.
    fn answers(&mut self) -> Result<Vec<Answer>, Failure> {
        let mut answers = Vec::new();
        for place in self.readable()? {
            let Some(worker) = &mut self.workers[place] else {
                continue;
            };
            let is_alive = worker.read(&mut answers)?;
            if !is_alive && let Some(dead) = self.workers[place].take() {
                answers.extend(self.replace(place, dead));
            }
        }
        Ok(answers)
    }

    /// The workers that have something to read.
    fn readable(&self) -> Result<Vec<usize>, Failure> {
        let workers = self.workers.iter().enumerate();
        let workers = workers.filter_map(|(place, worker)| Some((place, worker.as_ref()?)));
        let (places, mut looks): (Vec<usize>, Vec<PollFd<'_>>) = workers
            .map(|(place, worker)| {
                let look = PollFd::new(worker.answers.as_fd(), PollFlags::POLLIN);
                (place, look)
            })
            .unzip();
        loop {
            match poll(&mut looks, PollTimeout::NONE) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(Failure::io("wait for", "tally", &error.into())),
            }
        }
        let looks = places.into_iter().zip(looks);
        let readable = looks.filter(|(_, look)| look.any().unwrap_or(true));
        Ok(readable.map(|(place, _)| place).collect())
    }

    /// Puts a new worker in the place of a dead one. Answers how the test ended that killed it.
    fn replace(&mut self, place: usize, mut dead: Process) -> Option<Answer> {
        let death = dead.wait();
        let killer = dead.asked.pop_front();
        let answer = killer.map(|index| Answer::Ended {
            index,
            ended: Box::new(killed(&self.work.tests[index], death)),
            made: None,
        });
        self.queue.put_back(place, dead.asked);
        if !self.queue.is_empty() {
            match self.new_worker() {
                Ok(worker) => self.workers[place] = Some(worker),
                // The others go on.
                Err(_) => self.queue.give_up(place),
            }
        }
        answer
    }

    /// Lets each worker reset the resources that it has made.
    fn reset(&mut self) -> Result<Vec<Reset>, Failure> {
        let mut resets = Vec::new();
        for worker in self.workers.iter_mut().flatten() {
            if !worker.asked.is_empty() {
                // The result of what it still runs is not used. It may be dead.
                let _ = kill(worker.id, Signal::SIGUSR1);
            }
            worker.ask(&Question::Reset);
            loop {
                let mut answers = Vec::new();
                let is_alive = worker.read(&mut answers)?;
                let reset = answers.into_iter().find_map(|answer| match answer {
                    Answer::Reset(reset) => Some(reset),
                    _ => None,
                });
                match reset {
                    Some(reset) => break resets.extend(reset),
                    None if is_alive => {}
                    None => {
                        let why = format!("the process that resets resources {}", worker.wait());
                        break resets.push(Reset::failed(why));
                    }
                }
            }
        }
        resets.sort_by(|one, other| one.resources.cmp(&other.resources));
        Ok(resets)
    }
}

impl Drop for Pool<'_> {
    /// Ends all workers. The results of what they still run are not used.
    fn drop(&mut self) {
        for worker in self.workers.iter_mut().flatten() {
            let _ = kill(worker.id, Signal::SIGKILL);
            worker.wait();
        }
    }
}

impl Process {
    /// Sends a question. A worker that it did not reach is killed, because it would wait for ever. A dead worker shows when its
    /// answers are read.
    fn ask(&mut self, question: &Question) {
        if workers::write(&mut self.questions, question).is_err() {
            let _ = kill(self.id, Signal::SIGKILL);
        }
    }

    /// Reads what there is, and adds what is a whole answer. Answers whether the worker may have more to say.
    fn read(&mut self, answers: &mut Vec<Answer>) -> Result<bool, Failure> {
        let before = self.read.len();
        self.read.resize(before + PIECE, 0);
        let count = match self.answers.read(&mut self.read[before..]) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                self.read.truncate(before);
                return Ok(true);
            }
            Err(_) => {
                let _ = kill(self.id, Signal::SIGKILL);
                0
            }
        };
        self.read.truncate(before + count);
        let mut from = 0;
        // Only what is new can end a line.
        let mut at = before;
        while let Some(length) = self.read[at..].iter().position(|&byte| byte == b'\n') {
            let answer = workers::read(&self.read[from..at + length]);
            let answer = answer.map_err(|error| {
                Failure::new(Exit::Internal, format!("no answer of a worker: {error}"))
            })?;
            match answer {
                Answer::Failed { exit, message } => {
                    let kind = ErrorKind::of_exit_code(exit).unwrap_or(ErrorKind::Internal);
                    return Err(Failure::new(kind.into(), message));
                }
                Answer::Ended {
                    index, ref ended, ..
                } => {
                    self.asked.retain(|&asked| asked != index);
                    let time = ended.time.as_nanos().max(1);
                    let ahead = (WORTH_ASKING / time).clamp(1, MOST_ASKED);
                    self.ahead = usize::try_from(ahead).unwrap_or(1);
                }
                Answer::Reset(_) => {}
            }
            answers.push(answer);
            at += length + 1;
            from = at;
        }
        self.read.drain(..from);
        Ok(count > 0)
    }

    /// Waits for its end.
    fn wait(&mut self) -> Death {
        loop {
            match waitpid(self.id, None) {
                Ok(WaitStatus::Exited(_, code)) => return Death::Code(code),
                Ok(WaitStatus::Signaled(_, signal, _)) => return Death::Signal(signal as i32),
                Ok(_) | Err(Errno::EINTR) => {}
                // Another part of the process has waited for it: its end is not known.
                Err(_) => return Death::Code(Exit::Internal.code()),
            }
        }
    }
}

/// Lets the system kill this process when the one is gone that made it.
#[cfg(target_os = "linux")]
fn die_with(parent: Pid) {
    // Without it the closed pipe ends this process, if later.
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    if getppid() != parent {
        std::process::exit(Exit::Interrupted.code());
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with(parent: Pid) {
    if getppid() != parent {
        std::process::exit(Exit::Interrupted.code());
    }
}

fn failed(error: Error) -> Answer {
    let failure = Failure::from(error);
    Answer::Failed {
        exit: failure.exit().code(),
        message: failure.message().to_string(),
    }
}

fn no_worker(error: &io::Error) -> Failure {
    let why = format!("no process can be started to run tests: {error}");
    Failure::new(Exit::Limit, why)
}

/// The end of a test that took its process along.
fn killed(test: &Test, death: Death) -> Ended {
    let (verdict, why) = match death {
        Death::Code(code) if code == Exit::Limit.code() => {
            (Verdict::Limit, ": a resource limit was reached")
        }
        _ => (Verdict::Error, ""),
    };
    let why = format!("the process that ran it {death}{why}");
    Ended {
        is_internal: death == Death::Code(Exit::Internal.code()),
        ..without_run(TestReport::new(test, verdict, Some(why)))
    }
}
