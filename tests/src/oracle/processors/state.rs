//! The state of the simulator: processors, requests, scopes, and what each processor has still to do.

use std::collections::{BTreeMap, VecDeque};

use super::agenda::{Agenda, Phase};
use super::language::{Operand, Program, Send, Statement};
use super::ranks::{Rank, rank};
use super::record::{Circumstances, Happening, What};

/// What a request applies.
#[derive(Clone, Debug)]
pub(super) enum Feature {
    /// The script.
    Script,
    /// `new` of the class.
    New,
    /// `a:b:c:n:`
    Fill([usize; 3], i64),
    /// `n`
    Counter,
    /// `nothing`
    Nothing,
    /// A method of the program.
    Made(usize, [usize; 2]),
}

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Its answer is needed.
    Keep,
    /// Its answer is discarded.
    Discard,
    /// `await`
    Await,
    /// `future`, which the activation keeps.
    Future(usize),
}

/// What stands in the variable for futures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Future {
    /// Nothing yet: nil.
    Missing,
    /// The answer of a request that the client has not waited for.
    Open(usize),
    /// An answer that the client knows, or a failure if that is true.
    Known(bool),
}

/// A request. Requests of one synchronous chain have the same chain.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) client: usize,
    pub(super) number: usize,
    pub(super) supplier: usize,
    pub(super) feature: Feature,
    pub(super) waits: bool,
    /// The activation that has its future.
    pub(super) future: Option<usize>,
    pub(super) chain: usize,
    /// The chain of its client.
    pub(super) sent_in: usize,
    pub(super) is_callback: bool,
    /// The callback without a waiting client in whose course it was sent.
    pub(super) during: Option<usize>,
    /// The same for what it sends: itself, if it is such a callback.
    pub(super) course: Option<usize>,
    pub(super) answer: i64,
    /// Whether it has locked its supplier for itself alone.
    pub(super) is_single: bool,
}

/// An activation of a method.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) me: usize,
    pub(super) parameters: [usize; 2],
    pub(super) temporary: usize,
    pub(super) future: Future,
}

/// The locks of an activation. The list of waiting scopes is sorted by `since`.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) request: usize,
    pub(super) owner: usize,
    pub(super) frame: usize,
    pub(super) selector: usize,
    pub(super) wanted: Vec<usize>,
    /// How often each processor had been unlocked when the condition was last evaluated.
    pub(super) seen: Option<Vec<u64>>,
    /// Whether the send of `require:` is over.
    pub(super) has_required: bool,
    pub(super) has_begun: bool,
}

/// What waits for locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Scope(usize),
    /// A request outside all scopes.
    Single(usize),
}

/// What the central scheduler does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Approval {
    /// It looks at what claims locks.
    Looks(Claim),
    /// The condition of this scope is evaluated.
    Evaluates(usize),
}

/// What a processor has still to do, the next on top.
#[derive(Clone, Debug)]
pub(super) enum Task {
    /// Sends.
    Ticks(u64),
    /// Repetitions of an inlined loop.
    Loop(u64),
    /// A repetition is over.
    WentRound,
    /// Time passes without ticks.
    Charge(u64),
    Take(usize),
    /// What the request that was taken up begins with.
    Begin(usize),
    Statements(usize, usize, usize),
    Perform(usize, Statement),
    Sent {
        frame: usize,
        send: Send,
        way: Way,
    },
    Await(usize),
    Join(usize),
    Resolve(usize),
    Show(u8),
    Create {
        frame: Option<usize>,
        class: usize,
    },
    Ask {
        supplier: usize,
        feature: Feature,
        way: Way,
    },
    /// The request after the charge for it.
    Send {
        supplier: usize,
        feature: Feature,
        way: Way,
    },
    FillTemporary {
        frame: usize,
        fields: [Operand; 3],
        counter: i64,
    },
    Fill(usize, [usize; 3], i64),
    Activate(usize, [usize; 2]),
    End(usize, usize),
    /// The scope has waited for its locks.
    Granted(usize),
    Locked(usize),
    Judge(usize),
    Close(usize),
    ReturnLocally(usize),
    Sleep(u64),
    Guard,
    Raise,
    /// The unlock at the front of the queue was taken out.
    Unlock,
    Unlocked,
    Finish {
        request: usize,
        has_failed: bool,
    },
}

/// What a processor is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// No request.
    Idle,
    /// It executes, or is about to at this moment.
    Runs,
    /// It wants a CPU since then, and has given up one at that moment or not.
    Ready(u64, bool),
    /// Its slice may be over at this moment.
    Expires,
    /// It waits for an answer.
    Waits,
    /// It waits for locks.
    WaitsForLocks,
    /// It sleeps.
    Sleeps,
}

/// What stands in the queue of a processor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Queued {
    Request(usize),
    Unlock,
}

/// The lock of a processor. A closed one is only waiting for its unlock to be served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    pub(super) chain: usize,
    pub(super) is_open: bool,
}

/// A processor and its object.
#[derive(Clone, Debug)]
pub(super) struct Processor {
    pub(super) path: Vec<u32>,
    pub(super) class: usize,
    pub(super) fields: [usize; 3],
    pub(super) counter: i64,
    pub(super) created: u32,
    pub(super) planned: u64,
    pub(super) requested: usize,
    pub(super) queue: VecDeque<Queued>,
    pub(super) callbacks: VecDeque<usize>,
    /// The requests that it serves: each but the last waits for an answer, or for the end of a callback.
    pub(super) serving: Vec<usize>,
    pub(super) tasks: Vec<Task>,
    pub(super) answer: i64,
    pub(super) has_cpu: bool,
    pub(super) doing: Doing,
    pub(super) lock: Option<Lock>,
    pub(super) unlocked: u64,
    /// The CPU that it had last.
    pub(super) cpu: Option<usize>,
    /// Since when its slice lasts.
    pub(super) since: u64,
    /// Whether it goes on because it was given a CPU, or because a new slice began.
    pub(super) is_given: bool,
    /// Whether it has executed ticks since then.
    pub(super) has_ticked: bool,
    /// Requests that it has taken up.
    pub(super) taken_up: u64,
    /// When it may send its next request.
    pub(super) next_send: u64,
    /// Whether a command has failed since it was locked, and no client knows it.
    pub(super) is_dirty: bool,
}

/// What is to happen.
#[derive(Clone, Debug)]
pub(super) enum Planned {
    Proceed(usize),
    Arrive(usize),
    Reply { request: usize, has_failed: bool },
    Unlock(usize),
    Wake(usize),
    Grant,
    Approve,
    Expire(usize),
    Dispatch,
}

/// Why there is no record of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The program does something that is not judged.
    Beyond(&'static str),
    /// A law of the rules does not hold.
    Broken(&'static str),
}

/// A run.
#[derive(Debug)]
pub(super) struct Simulator<'p> {
    pub(super) program: &'p Program,
    pub(super) circumstances: Circumstances,
    pub(super) agenda: Agenda<Planned>,
    pub(super) processors: Vec<Processor>,
    pub(super) requests: Vec<Request>,
    pub(super) chains: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) scopes: Vec<Scope>,
    /// By moment, processor and its count.
    pub(super) claims: BTreeMap<(u64, Rank, u64), Claim>,
    /// What the central scheduler does.
    pub(super) approval: Option<Approval>,
    /// The processors that the CPUs had last.
    pub(super) cpus: Vec<usize>,
    /// Unlocks of all processors.
    pub(super) unlocks: u64,
    pub(super) replies: BTreeMap<usize, bool>,
    pub(super) happenings: Vec<Happening>,
    /// What was written, and when.
    pub(super) shown: Vec<(u64, Rank, u8)>,
    pub(super) end: u64,
    pub(super) ticks: u64,
    /// Whether there was a callback for which no client waits.
    pub(super) has_detached: bool,
    /// Whether a failure was reported.
    pub(super) has_failed: bool,
    /// Why the run goes no further.
    pub(super) stop: Option<Stop>,
}

impl Processor {
    /// A processor that has done nothing.
    pub(super) fn new(path: Vec<u32>, class: usize) -> Processor {
        Processor {
            path,
            class,
            fields: [0; 3],
            counter: 0,
            created: 0,
            planned: 0,
            requested: 0,
            queue: VecDeque::new(),
            callbacks: VecDeque::new(),
            serving: Vec::new(),
            tasks: Vec::new(),
            answer: 0,
            has_cpu: false,
            doing: Doing::Idle,
            lock: None,
            unlocked: 0,
            cpu: None,
            since: 0,
            is_given: false,
            has_ticked: false,
            taken_up: 0,
            next_send: 0,
            is_dirty: false,
        }
    }
}

impl Simulator<'_> {
    /// The present moment.
    pub(super) fn now(&self) -> u64 {
        self.agenda.now()
    }

    /// Plans something that this processor causes.
    pub(super) fn plan(&mut self, delay: u64, origin: usize, item: Planned) {
        self.plan_in(Phase::Deliver, delay, origin, item);
    }

    pub(super) fn plan_in(&mut self, phase: Phase, delay: u64, origin: usize, item: Planned) {
        let time = self.now() + delay;
        let rank = self.rank(origin, time);
        let processor = &mut self.processors[origin];
        processor.planned += 1;
        self.agenda.plan(time, phase, rank, processor.planned, item);
    }

    /// The place of a processor among others at a moment.
    pub(super) fn rank(&self, processor: usize, moment: u64) -> Rank {
        rank(
            self.circumstances.ties,
            &self.processors[processor].path,
            moment,
        )
    }

    /// Records something that happens now.
    pub(super) fn show(&mut self, processor: usize, digit: u8) {
        let now = self.now();
        self.shown.push((now, self.rank(processor, now), digit));
    }

    pub(super) fn note(&mut self, processor: usize, request: Option<usize>, what: What) {
        self.note_at(self.now(), processor, request, what);
    }

    /// Records something that happens then.
    pub(super) fn note_at(
        &mut self,
        time: u64,
        processor: usize,
        request: Option<usize>,
        what: What,
    ) {
        self.end = self.end.max(time);
        let request = request.map(|request| {
            let request = &self.requests[request];
            let client = self.processors[request.client].path.clone();
            (client, request.number)
        });
        self.happenings.push(Happening {
            time,
            processor: self.processors[processor].path.clone(),
            request,
            what,
        });
    }

    /// A new request, with the next number of its client.
    pub(super) fn request(&mut self, client: usize, supplier: usize, feature: Feature) -> usize {
        let number = self.processors[client].requested;
        self.processors[client].requested += 1;
        let chain = self.chain_of(client);
        let course = self.course_of(client);
        self.requests.push(Request {
            client,
            number,
            supplier,
            feature,
            waits: false,
            future: None,
            chain,
            sent_in: chain,
            is_callback: false,
            answer: 0,
            is_single: false,
            during: None,
            course,
        });
        self.requests.len() - 1
    }

    /// The chain to which a processor belongs at the moment.
    pub(super) fn chain_of(&self, processor: usize) -> usize {
        let serving = self.processors[processor].serving.last();
        serving.map_or(0, |request| self.requests[*request].chain)
    }

    /// The callback without a waiting client in whose course a processor executes.
    pub(super) fn course_of(&self, processor: usize) -> Option<usize> {
        let serving = self.processors[processor].serving.last();
        serving.and_then(|request| self.requests[*request].course)
    }

    /// The object in an operand.
    pub(super) fn value(&self, frame: usize, operand: Operand) -> usize {
        let frame = &self.frames[frame];
        match operand {
            Operand::Me => frame.me,
            Operand::Field(number) => self.processors[frame.me].fields[number],
            Operand::Parameter(number) => frame.parameters[number],
            Operand::Temporary => frame.temporary,
        }
    }
}
