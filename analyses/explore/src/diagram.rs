//! The time dependencies diagram of a computation (document 002, section 4): lifelines, start-ups and events, and what each waits for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::computations::Computations;
use crate::costs::{Cost, Moments};
use crate::machine::{Form, Machine};
use crate::names::ActorId;
use crate::program::Program;
use crate::space::Space;
use crate::tables::NONE;
use crate::unfolding::{Event, Life};

/// A diagram.
#[derive(Debug, Clone, Serialize)]
pub struct Diagram {
    /// The names of the actors, in the order of their creation.
    pub lifelines: Vec<String>,
    /// Start-ups and events. Causes come first.
    pub nodes: Vec<Node>,
    /// What they wait for.
    pub edges: Vec<Edge>,
    /// The nodes of the heaviest path, as places of `nodes`.
    pub critical: Vec<usize>,
    /// Work and Depth.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A start-up or an event.
#[derive(Debug, Clone, Serialize)]
pub struct Node {
    /// The place of its lifeline.
    pub lifeline: usize,
    /// The message that the event takes. A start-up has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it takes.
    pub weight: u64,
    /// Its weight as a form.
    #[serde(skip)]
    pub form: Form,
    /// When it begins, if there is a processor for each actor.
    pub start: u64,
    /// When it ends.
    pub end: u64,
}

/// What an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EdgeKind {
    /// The order on a lifeline.
    Lifeline,
    /// The creation of an actor.
    New,
    /// A message.
    Send,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The place of the node that comes first.
    pub from: usize,
    /// The place of the node that waits.
    pub to: usize,
    /// What it stands for.
    pub kind: EdgeKind,
    /// When the second node may begin: the paper's d.
    pub arrives: u64,
}

/// Nodes by what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    StartUp(u32, u32),
    Event(u32),
}

/// A diagram that is being built.
struct Builder<'b, P> {
    space: &'b Space,
    computations: &'b Computations,
    moments: Moments<'b>,
    program: &'b P,
    keys: Vec<Key>,
    places: BTreeMap<Key, usize>,
    lifelines: BTreeMap<ActorId, usize>,
    diagram: Diagram,
}

impl Computations {
    /// The diagram of a computation, by its number from 0.
    pub fn diagram<P: Program>(
        &self,
        number: usize,
        space: &Space,
        machine: &Machine,
        program: &P,
    ) -> Option<Diagram> {
        let computation = self.all.get(number)?;
        let moments = Moments::new(&space.tables, &self.unfolding, machine);
        let cost = moments.cost(computation);
        let mut builder = Builder {
            space,
            computations: self,
            moments,
            program,
            keys: Vec::new(),
            places: BTreeMap::new(),
            lifelines: BTreeMap::new(),
            diagram: Diagram {
                lifelines: Vec::new(),
                nodes: Vec::new(),
                edges: Vec::new(),
                critical: Vec::new(),
                cost,
            },
        };
        builder.add_events(&computation.events(&self.unfolding), machine);
        builder.add_edges();
        builder.add_critical();
        Some(builder.diagram)
    }
}

impl<P: Program> Builder<'_, P> {
    fn event(&self, number: u32) -> &Event {
        &self.computations.unfolding.events[number as usize]
    }

    /// Adds all nodes. A start-up comes right before the first event of its actor, or at the end.
    fn add_events(&mut self, events: &[u32], machine: &Machine) {
        let mut left = Vec::new();
        for number in events {
            let event = *self.event(*number);
            if let Life::Created { by, nth } = event.before
                && by != NONE
            {
                self.add_start_up(by, nth, event.actor, machine);
            }
            self.add_event(*number, &event);
            let created = &self.moments.turn(&event).created;
            left.extend(
                (0..)
                    .zip(created)
                    .map(|(nth, local)| (*number, nth, *local)),
            );
        }
        for (by, nth, local) in left {
            if !self.places.contains_key(&Key::StartUp(by, nth)) {
                self.add_start_up(by, nth, self.space.tables.actor(local), machine);
            }
        }
    }

    fn add_start_up(&mut self, by: u32, nth: u32, actor: ActorId, machine: &Machine) {
        let start = self.moments.start_up(by, nth);
        let weight = machine.new_receiving;
        let node = Node {
            lifeline: self.lifeline(actor),
            message: None,
            weight,
            form: Form::start_up(),
            start,
            end: start + weight,
        };
        self.add(Key::StartUp(by, nth), node);
    }

    fn add_event(&mut self, number: u32, event: &Event) {
        let moment = self.moments.events[number as usize];
        let tables = &self.space.tables;
        let effect = self.moments.turn(event).effect;
        let node = Node {
            lifeline: self.lifeline(event.actor),
            message: Some(tables.message_text(event.pending, self.program)),
            weight: moment.end - moment.start,
            form: Form::of(&tables.effects[effect as usize]),
            start: moment.start,
            end: moment.end,
        };
        self.add(Key::Event(number), node);
    }

    fn add(&mut self, key: Key, node: Node) {
        self.places.insert(key, self.keys.len());
        self.keys.push(key);
        self.diagram.nodes.push(node);
    }

    fn lifeline(&mut self, actor: ActorId) -> usize {
        let next = self.lifelines.len();
        let place = *self.lifelines.entry(actor).or_insert(next);
        if place == next {
            let name = self.space.tables.names.text(actor);
            self.diagram.lifelines.push(name);
        }
        place
    }

    fn add_edges(&mut self) {
        for (to, key) in self.keys.clone().into_iter().enumerate() {
            let event = match key {
                Key::StartUp(by, _) => {
                    let arrives = self.diagram.nodes[to].start;
                    self.add_edge(Key::Event(by), to, EdgeKind::New, arrives);
                    continue;
                }
                Key::Event(number) => *self.event(number),
            };
            let before = match event.before {
                Life::After(before) => Some(Key::Event(before)),
                Life::Created { by: NONE, .. } => None,
                Life::Created { by, nth } => Some(Key::StartUp(by, nth)),
            };
            if let Some(before) = before {
                let ready = self.moments.ready(event.before);
                self.add_edge(before, to, EdgeKind::Lifeline, ready);
            }
            if event.origin.by != NONE {
                let arrives = self.moments.arrival(&event);
                self.add_edge(Key::Event(event.origin.by), to, EdgeKind::Send, arrives);
            }
        }
        self.diagram
            .edges
            .sort_by_key(|edge| (edge.from, edge.to, edge.kind));
    }

    fn add_edge(&mut self, from: Key, to: usize, kind: EdgeKind, arrives: u64) {
        if let Some(from) = self.places.get(&from).copied() {
            self.diagram.edges.push(Edge {
                from,
                to,
                kind,
                arrives,
            });
        }
    }

    /// The heaviest path, from its end. Of two causes that a node waits for equally long, the one on its own lifeline counts.
    fn add_critical(&mut self) {
        let nodes = &self.diagram.nodes;
        let last = (0..nodes.len()).rev().max_by_key(|place| nodes[*place].end);
        let mut next = last;
        while let Some(place) = next {
            self.diagram.critical.push(place);
            let start = self.diagram.nodes[place].start;
            let edges = self.diagram.edges.iter();
            let causes = edges.filter(|edge| edge.to == place && edge.arrives == start);
            next = causes.min_by_key(|edge| edge.kind).map(|edge| edge.from);
        }
        self.diagram.critical.reverse();
    }
}

impl Diagram {
    /// The time on a number of processors: a processor takes what is ready first, of equal times the node that comes first. Messages take
    /// their latency also between actors on one processor. It is at least Depth, and at least Work by the number of processors.
    pub fn time_on(&self, processors: usize) -> u64 {
        let mut free = vec![0u64; processors.max(1)];
        let mut ends: Vec<Option<u64>> = vec![None; self.nodes.len()];
        let mut waits = vec![0usize; self.nodes.len()];
        for edge in &self.edges {
            waits[edge.to] += 1;
        }
        let mut ready: BTreeMap<(u64, usize), ()> = BTreeMap::new();
        let first = (0..self.nodes.len()).filter(|place| waits[*place] == 0);
        ready.extend(first.map(|place| ((0, place), ())));
        let mut latest = 0;
        while let Some(((when, place), ())) = ready.pop_first() {
            let processor = (0..free.len()).min_by_key(|one| free[*one].max(when));
            let Some(processor) = processor else { break };
            let start = free[processor].max(when);
            let end = start + self.nodes[place].weight;
            free[processor] = end;
            ends[place] = Some(end);
            latest = latest.max(end);
            for edge in self.edges.iter().filter(|edge| edge.from == place) {
                waits[edge.to] -= 1;
                if waits[edge.to] == 0 {
                    let when = self.ready(edge.to, &ends);
                    ready.insert((when, edge.to), ());
                }
            }
        }
        latest
    }

    /// When a node may begin, if its causes ended at these times.
    fn ready(&self, place: usize, ends: &[Option<u64>]) -> u64 {
        let causes = self.edges.iter().filter(|edge| edge.to == place);
        let times = causes.map(|edge| {
            let cause = &self.nodes[edge.from];
            let end = ends[edge.from].unwrap_or(0);
            // From the cause's beginning, as in the diagram: messages may leave before its end.
            end - cause.weight + (edge.arrives - cause.start)
        });
        times.max().unwrap_or(0)
    }
}
