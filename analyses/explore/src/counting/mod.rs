//! All computations, one after the other: optimal dynamic partial order reduction with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: Optimal
//! Dynamic Partial Order Reduction, POPL 2014, section 6). Each computation is executed once. The memory is that of one computation, beside the tables of all turns and
//! results.
//!
//! Arrivals at one actor depend on each other. So does a turn that fails on all others, because it ends the run, and the disposal of an actor on the messages to
//! it that are lost then. Two arrivals at an actor, of which the first is not a cause of the other's send, are a *race*: their order is reversed in another computation.
//! Unlike in the paper a race is looked for when its second arrival happens, so that the computations of a common beginning share this.

mod races;
mod wakeup;

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::findings::{Written, key, rank_of_result, text_of_result};
use crate::matching::kept;
use crate::names::ActorId;
use crate::policy::Policy;
use crate::program::{Program, Start};
use crate::state::{Delivery, Scratch, State};
use crate::tables::{NONE, Tables};
use wakeup::{Arrival, Branch};

/// The most events of a computation. Longer ones are taken to have no end.
const MOST_EVENTS: usize = 10_000;

/// The most actors and pending messages of all states of a computation, which are kept.
const MOST_PARTS: usize = 20_000_000;

/// The most results. Each takes memory.
const MOST_RESULTS: usize = 1_000_000;

/// Events after which the caller hears of the progress.
const EVENTS_BETWEEN_LOOKS: u64 = 8;

/// What all computations are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedComputations {
    /// How many there are, or were found before the limit.
    pub computations: u64,
    /// Runs that were given up because all that could happen next is known. There should be none.
    pub redundant: u64,
    /// Events that were executed. Computations share those of a common beginning.
    pub events: u64,
    /// The results by their texts, failures last.
    pub results: Vec<CountedResult>,
    /// Why there may be more.
    pub limit: Option<CountingLimit>,
}

/// What some computations lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedResult {
    /// What each actor wrote that wrote something, by the actors' names.
    pub written: Vec<Written>,
    /// The actor whose turn failed, and the message of the error.
    pub failure: Option<(String, String)>,
    /// How many computations lead to it.
    pub computations: u64,
}

impl CountedResult {
    /// What was written, in one line.
    pub fn text(&self) -> String {
        text_of_result(&self.written, self.failure.as_ref())
    }
}

/// Why computations were not counted to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountingLimit {
    /// There are more computations than allowed.
    Computations,
    /// A computation has more than 10,000 events.
    Events,
    /// The states of a computation have more than 20,000,000 actors and pending messages.
    Parts,
    /// There are more than 1,000,000 results.
    Results,
    /// The caller stopped it.
    Stopped,
}

/// An event of the run.
#[derive(Debug, Clone)]
struct Event {
    arrival: Arrival,
    /// What is taken, as a number of [`Tables`].
    pending: u32,
    /// The event that sent it, by its place in the run. The script is [`NONE`].
    sender: u32,
    /// The event before it at its actor, by its place in the run, or [`NONE`].
    before: u32,
    /// The events that happened before it because of causes, and itself: a bit for each place in the run.
    past: Vec<u64>,
    is_disposal: bool,
}

/// A message whose target was disposed.
#[derive(Debug, Clone, Copy)]
struct Lost {
    message: Message,
    pending: u32,
}

/// A pending message: its name, and the event that sent it by its place in the run.
#[derive(Debug, Clone, Copy)]
struct Message {
    name: u32,
    sender: u32,
}

/// A state of the run, and the event that happens there.
#[derive(Debug, Clone, Default)]
struct Level {
    state: State,
    /// Of each pending message.
    messages: Vec<Message>,
    /// What is to be tried, in this order. The first one is under way.
    to_try: Vec<Branch>,
    /// What need not be tried.
    sleeping: Vec<Arrival>,
    /// Messages that are lost by the event.
    lost: Vec<Lost>,
    /// The actors and pending messages of the states up to this one.
    parts: usize,
}

/// A result as the tables know it: the failure, and the lists of outputs in order.
type Reached = (Option<(ActorId, u32)>, Vec<u32>);

struct Search<'p, P> {
    program: &'p mut P,
    tables: Tables,
    delivery: Delivery,
    levels: Vec<Level>,
    events: Vec<Event>,
    /// The names of messages, by those of the messages whose turns sent them as their n-th.
    names: HashMap<(u32, u32), u32>,
    scratch: Scratch,
    places: Vec<u32>,
    results: HashMap<Reached, u64>,
    counted: CountedComputations,
}

/// Counts the computations of a program, up to a number. `watch` gets their number now and then; it answers whether to go on.
///
/// # Errors
///
/// Those of the program.
pub fn count_computations<P: Program>(
    program: &mut P,
    start: &Start,
    delivery: Delivery,
    most: u64,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<CountedComputations, P::Error> {
    let mut tables = Tables::new(start, &Policy::default(), delivery.has_senders(), true);
    let (actors, pending) = tables.start(start);
    let mut search = Search {
        program,
        tables,
        delivery,
        levels: Vec::new(),
        events: Vec::new(),
        names: HashMap::new(),
        scratch: Scratch::default(),
        places: Vec::new(),
        results: HashMap::new(),
        counted: CountedComputations::default(),
    };
    let state = State::start(actors, pending, delivery);
    let messages = (0..state.pending.len() as u32).map(|nth| Message {
        name: search.name(NONE, nth),
        sender: NONE,
    });
    let messages = messages.collect();
    search.levels.push(Level {
        state,
        messages,
        ..Level::default()
    });
    search.run(most, watch)?;
    Ok(search.finish())
}

impl<P: Program> Search<'_, P> {
    /// The name of the message that a message's turn sends as its n-th.
    fn name(&mut self, of: u32, nth: u32) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry((of, nth)).or_insert(next)
    }

    fn run(&mut self, most: u64, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), P::Error> {
        let mut depth = 0;
        loop {
            if self.is_limit_met(depth, watch) {
                return Ok(());
            }
            match self.enter(depth, most)? {
                true => {
                    self.step(depth)?;
                    depth += 1;
                }
                false if self.counted.limit.is_some() => return Ok(()),
                false => match self.leave(depth) {
                    Some(next) => {
                        self.step(next)?;
                        depth = next + 1;
                    }
                    None => return Ok(()),
                },
            }
        }
    }

    fn is_limit_met(&mut self, depth: usize, watch: &mut dyn FnMut(u64) -> bool) -> bool {
        let counted = &mut self.counted;
        let is_time = counted.events.is_multiple_of(EVENTS_BETWEEN_LOOKS);
        counted.limit = match () {
            () if depth > MOST_EVENTS => Some(CountingLimit::Events),
            () if self.levels[depth].parts > MOST_PARTS => Some(CountingLimit::Parts),
            () if self.results.len() > MOST_RESULTS => Some(CountingLimit::Results),
            () if is_time && !watch(counted.computations) => Some(CountingLimit::Stopped),
            () => None,
        };
        counted.limit.is_some()
    }

    /// Whether something can happen in this state, which the run has just come to. Else a computation has ended.
    fn enter(&mut self, depth: usize, most: u64) -> Result<bool, P::Error> {
        self.find_arrivals(depth);
        let level = &mut self.levels[depth];
        if self.places.is_empty() {
            if self.counted.computations == most {
                self.counted.limit = Some(CountingLimit::Computations);
                return Ok(false);
            }
            let mut outputs = level.state.outputs.clone();
            outputs.sort_unstable();
            let result = (level.state.failed, outputs);
            *self.results.entry(result).or_insert(0) += 1;
            self.counted.computations += 1;
            return Ok(false);
        }
        if level.to_try.is_empty() {
            let mut places = self.places.iter();
            let is_awake = |place: &&u32| {
                let name = level.messages[**place as usize].name;
                level.sleeping.iter().all(|one| one.message != name)
            };
            let Some(place) = places.find(is_awake) else {
                self.counted.redundant += 1;
                return Ok(false);
            };
            let place = *place as usize;
            let (name, pending) = (level.messages[place].name, level.state.pending[place]);
            let arrival = self.arrival(depth, name, pending)?;
            self.levels[depth].to_try.push(Branch::leaf(arrival));
        }
        Ok(true)
    }

    /// Finds the places of the messages that can arrive in the state at this depth.
    fn find_arrivals(&mut self, depth: usize) {
        let state = &self.levels[depth].state;
        let (scratch, found) = (&mut self.scratch, &mut self.places);
        state.arrivals(self.delivery, &self.tables, scratch, found);
    }

    /// The arrival of a message in the state at this depth.
    fn arrival(&mut self, depth: usize, message: u32, pending: u32) -> Result<Arrival, P::Error> {
        let actor = self.tables.target(pending);
        let state = &self.levels[depth].state;
        let local = state
            .position(actor, &self.tables)
            .map(|position| state.actors[position]);
        let fails = match local {
            Some(local) => {
                let turn = self.tables.turn(self.program, local, pending)?;
                self.tables.turns[turn as usize].failure != NONE
            }
            None => false,
        };
        Ok(Arrival {
            message,
            actor,
            fails,
        })
    }

    /// Goes back to the last state in which something else is to be tried.
    fn leave(&mut self, from: usize) -> Option<usize> {
        let mut depth = from;
        while depth > 0 {
            depth -= 1;
            let level = &mut self.levels[depth];
            let done = level.to_try.remove(0);
            level.sleeping.push(done.arrival);
            self.events.truncate(depth);
            if !level.to_try.is_empty() {
                return Some(depth);
            }
        }
        None
    }

    /// The first branch happens in the state at this depth.
    fn step(&mut self, depth: usize) -> Result<(), P::Error> {
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let mut next = std::mem::take(&mut self.levels[depth + 1]);
        let level = &mut self.levels[depth];
        let branch = &mut level.to_try[0];
        let behind = std::mem::take(&mut branch.behind);
        let arrival = branch.arrival;
        let name = arrival.message;
        let place = level.messages.iter().position(|one| one.name == name);
        debug_assert!(place.is_some(), "what is to be tried is pending");
        let place = place.unwrap_or(0) as u32;
        let pending = level.state.pending[place as usize];
        let taken = level.state.turn(place, &mut self.tables, self.program)?;
        let turn = self.tables.turns[taken.turn as usize].clone();
        next.state.copy(&level.state);
        next.state.take(place, taken, &self.tables);
        let staying = kept(&level.state, place, &turn, &self.tables);
        next.messages.clear();
        next.messages
            .extend(staying.iter().map(|old| level.messages[*old]));
        let message = level.messages[place as usize];
        level.lost.clear();
        for (old, pending) in level.state.pending.iter().enumerate() {
            if old as u32 != place && staying.binary_search(&old).is_err() {
                level.lost.push(Lost {
                    message: level.messages[old],
                    pending: *pending,
                });
            }
        }
        for (nth, sent) in (0..).zip(&turn.sends) {
            let message = Message {
                name: self.name(name, nth),
                sender: depth as u32,
            };
            let target = self.tables.target(*sent);
            match next.state.position(target, &self.tables) {
                Some(_) => next.messages.push(message),
                None => self.levels[depth].lost.push(Lost {
                    message,
                    pending: *sent,
                }),
            }
        }
        self.happen(arrival, message, pending, turn.is_disposal());
        let sleeping = self.levels[depth].sleeping.iter();
        next.sleeping.clear();
        next.sleeping
            .extend(sleeping.filter(|one| one.is_independent_of(&arrival)));
        next.to_try = behind;
        next.parts = self.levels[depth].parts + next.state.actors.len() + next.state.pending.len();
        self.levels[depth + 1] = next;
        self.counted.events += 1;
        self.reverse_races(depth)
    }

    /// Adds an event to the run.
    fn happen(&mut self, arrival: Arrival, message: Message, pending: u32, is_disposal: bool) {
        let place = self.events.len();
        let before = self
            .events
            .iter()
            .rposition(|one| one.arrival.actor == arrival.actor);
        let before = before.map_or(NONE, |before| before as u32);
        let mut past = vec![0; place / 64 + 1];
        for cause in [before, message.sender] {
            if let Some(cause) = self.events.get(cause as usize) {
                for (word, more) in past.iter_mut().zip(&cause.past) {
                    *word |= more;
                }
            }
        }
        past[place / 64] |= 1 << (place % 64);
        self.events.push(Event {
            arrival,
            pending,
            sender: message.sender,
            before,
            past,
            is_disposal,
        });
    }

    fn finish(self) -> CountedComputations {
        let mut results: BTreeMap<_, u64> = BTreeMap::new();
        for ((failed, outputs), count) in self.results {
            let state = State {
                outputs,
                failed,
                ..State::default()
            };
            *results
                .entry(key(&state, &self.tables, &*self.program))
                .or_insert(0) += count;
        }
        let results = results.into_iter();
        let results = results.map(|((failure, written), computations)| CountedResult {
            written,
            failure,
            computations,
        });
        let mut counted = self.counted;
        counted.results = results.collect();
        counted
            .results
            .sort_by_cached_key(|one| rank_of_result(one.text(), one.failure.is_some()));
        counted
    }
}
