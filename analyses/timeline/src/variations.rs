//! Estimates: how long the run would have been under a [`Variation`], by following its events.

use std::collections::{HashMap, HashSet, VecDeque};

use tally_vm::{Event, EventKind};

use crate::endings::Circumstances;
use crate::graph::varied::Variation;
use crate::graph::{Graph, Stretch, Weigher};
use crate::obstacles::Obstacle;
use crate::sink::{Accepted, Described, Origin, Sink, SinkError};

/// The most scopes of a feature.
const MOST_SCOPES: usize = 1 << 22;

/// Measures the longest way to each moment, in ticks.
#[derive(Debug)]
struct Longest;

impl Weigher for Longest {
    type Value = u64;

    fn begin(&mut self) -> u64 {
        0
    }

    fn after(&mut self, value: &u64, stretch: Stretch) -> u64 {
        value.saturating_add(stretch.ticks)
    }

    fn both(&mut self, one: &u64, other: &u64, _is_other: bool) -> u64 {
        *one.max(other)
    }

    fn rank(&self, value: &u64) -> u64 {
        *value
    }
}

/// Follows a whole run as if something had been otherwise.
#[derive(Debug)]
pub struct Varying {
    graph: Graph<Longest>,
    /// The moment of the run from which on it counts.
    from: u64,
    /// The longest way to that moment.
    begin: u64,
}

impl Varying {
    /// Of a run in these circumstances, from this moment on, in ticks. Something has to happen then.
    pub fn new(variation: Variation, from: u64, circumstances: Circumstances) -> Varying {
        Varying {
            graph: Graph::new(Longest, circumstances).varied(variation),
            from,
            begin: 0,
        }
    }

    /// Ticks to the end of the run, which is at this moment; and how often the variation made a difference.
    pub fn finish(mut self, end: u64) -> (u64, u64) {
        let last = self.graph.finish(end);
        let others = self.graph.ends().chain(self.graph.owed()).copied();
        let makespan = others.fold(last, u64::max).saturating_sub(self.begin);
        (makespan, self.graph.uses_of_variation())
    }
}

impl Sink for Varying {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        self.graph.processor(number, origin, class)
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.graph.request(number, request)
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.graph.obstacle(number, obstacle)
    }

    fn event(&mut self, event: &Event) -> Accepted {
        self.graph.event(event)?;
        if event.time <= self.from {
            let value = self.graph.value_of(event.processor).unwrap_or(0);
            self.begin = self.begin.max(value);
        }
        Ok(())
    }
}

/// The last request of each request that sends some at a site and waits for their answers.
#[derive(Clone, Debug)]
pub struct LastRequests {
    site: String,
    /// The last request that each of them has sent so far, by the numbers of both.
    last: HashMap<u32, u32>,
}

impl LastRequests {
    /// Of those that send requests at this site: file, line and column.
    pub fn of(site: String) -> LastRequests {
        LastRequests {
            site,
            last: HashMap::new(),
        }
    }

    /// The variation in which they wait behind their last requests.
    pub fn late(self) -> Variation {
        Variation::Late {
            site: self.site,
            last: self.last.into_values().collect(),
        }
    }
}

impl Sink for LastRequests {
    fn processor(&mut self, _number: u32, _origin: Origin, _class: &str) -> Accepted {
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        let Some(sender) = request.sender.filter(|_| !request.is_local) else {
            return Ok(());
        };
        let is_late = request.waits && request.site == Some(&*self.site);
        // A description can come again, of an older request.
        match self.last.get_mut(&sender) {
            Some(last) => *last = number.max(*last),
            None if is_late => drop(self.last.insert(sender, number)),
            None => {}
        }
        Ok(())
    }

    fn event(&mut self, _event: &Event) -> Accepted {
        Ok(())
    }
}

/// What each scope of a feature that wants locks executes before its first request, in ticks. The scopes have the order in which they
/// want locks. The creation of a processor is a request here, and a feature without requests executes all before the first one.
#[derive(Clone, Debug)]
pub struct Preludes {
    feature: String,
    rows: HashSet<u32>,
    /// Where each request under way is executed.
    suppliers: HashMap<u32, u32>,
    /// Scopes that wait for their locks, by their requests.
    waiting: HashMap<u32, usize>,
    /// Scopes that have sent nothing since they began, by their processors.
    begun: HashMap<u32, (usize, u64)>,
    ticks: VecDeque<u64>,
}

impl Preludes {
    /// Of the scopes of the feature: class and selector.
    pub fn of(feature: String) -> Preludes {
        Preludes {
            feature,
            rows: HashSet::new(),
            suppliers: HashMap::new(),
            waiting: HashMap::new(),
            begun: HashMap::new(),
            ticks: VecDeque::new(),
        }
    }

    /// The variation in which scopes of the feature are as narrow as can be.
    pub fn narrow(self) -> Variation {
        Variation::Narrow {
            feature: self.feature,
            preludes: self.ticks,
        }
    }

    fn first_request(&mut self, processor: u32, time: u64) {
        if let Some((at, since)) = self.begun.remove(&processor)
            && let Some(ticks) = self.ticks.get_mut(at)
        {
            *ticks = time.saturating_sub(since);
        }
    }
}

impl Sink for Preludes {
    fn processor(&mut self, _number: u32, _origin: Origin, _class: &str) -> Accepted {
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.suppliers.insert(number, request.supplier);
        if request.is_feature(&self.feature) {
            self.rows.insert(number);
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Accepted {
        let (processor, request) = (event.processor, event.request);
        match event.kind {
            EventKind::Called { .. } => self.first_request(processor, event.time),
            EventKind::Created => {
                if let Some(creator) = self.suppliers.get(&request).copied() {
                    self.first_request(creator, event.time);
                }
            }
            EventKind::Locks => {
                self.first_request(processor, event.time);
                if self.rows.contains(&request) {
                    if self.ticks.len() >= MOST_SCOPES {
                        return Err(SinkError::TooMuch("scopes of a feature"));
                    }
                    self.waiting.insert(request, self.ticks.len());
                    self.ticks.push_back(0);
                }
            }
            EventKind::Executes => {
                if let Some(at) = self.waiting.remove(&request) {
                    self.begun.insert(processor, (at, event.time));
                }
            }
            EventKind::Returns => {
                self.suppliers.remove(&request);
                if self.rows.remove(&request) {
                    self.first_request(processor, event.time);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
