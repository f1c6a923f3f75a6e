//! What a run would have been if something were otherwise, with the same events in the same order: an estimate. No request is executed
//! again, so what other orders would change is not seen.

use std::collections::{HashMap, HashSet, VecDeque};

use super::points::Point;
use super::servers::Servers;
use super::{Graph, Passes, Stretch, Weigher};
use crate::sink::Described;

/// What is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variation {
    /// Each processor of the class serves requests of this many clients at once. Of those that wait, one goes on for each that ends, in
    /// the order of the run.
    Servers {
        /// The name of the class.
        class: String,
        /// Not 0.
        number: usize,
    },
    /// Answers of requests that are sent at this site are waited for when the feature has sent its last request.
    Late {
        /// File, line and column.
        site: String,
        /// The last requests of those that send some there, by their numbers: what [`LastRequests`] finds.
        ///
        /// [`LastRequests`]: crate::variations::LastRequests
        last: HashSet<u32>,
    },
    /// Scopes of the feature have their locks from their first request on, and each to the last one to its supplier. What they execute before
    /// is executed while they wait for the locks.
    Narrow {
        /// Class and selector.
        feature: String,
        /// For each scope, in the order in which they want locks, the ticks before its first request: those of [`Preludes`].
        ///
        /// [`Preludes`]: crate::variations::Preludes
        preludes: VecDeque<u64>,
    },
    /// The condition of the feature holds when it is evaluated first.
    Holds {
        /// Class and selector.
        feature: String,
    },
    /// Scopes do not wait for locks. Their requests do: each client has a queue of its own at each supplier, and the supplier serves one
    /// queue after the other.
    Queues,
}

/// What is known of a run under a variation. Values are those of moments, by the processor.
#[derive(Debug)]
pub(super) struct Varied<V> {
    variation: Variation,
    /// Requests under way that the variation is about.
    rows: HashSet<u32>,
    /// Processors that serve several at once.
    servers: HashMap<u32, Servers<V>>,
    /// What the end of a request waits for, and the suppliers that have yet to answer it.
    owed: HashMap<u32, (V, HashSet<u32>)>,
    /// Where requests have executed what comes before their first one, as far as they wait for locks.
    ready: HashMap<u32, V>,
    /// Where scopes began that have sent no request yet.
    begun: HashMap<u32, V>,
    /// Where conditions were evaluated first.
    evaluated: HashMap<u32, V>,
    /// Processors whose conditions were false.
    failed: HashSet<u32>,
    /// How often the variation made a difference.
    uses: u64,
}

impl<V: Clone> Varied<V> {
    pub(super) fn new(variation: Variation) -> Varied<V> {
        Varied {
            variation,
            rows: HashSet::new(),
            servers: HashMap::new(),
            owed: HashMap::new(),
            ready: HashMap::new(),
            begun: HashMap::new(),
            evaluated: HashMap::new(),
            failed: HashSet::new(),
            uses: 0,
        }
    }

    pub(super) fn uses(&self) -> u64 {
        self.uses
    }

    fn has_late_answers(&self) -> bool {
        matches!(self.variation, Variation::Late { .. })
    }

    fn has_narrow_scopes(&self) -> bool {
        matches!(self.variation, Variation::Narrow { .. })
    }
}

impl<W: Weigher> Graph<W> {
    /// The processor was created here for the class.
    pub(super) fn vary_processor(&mut self, number: u32, class: &str, point: &Point<W::Value>) {
        if let Some(varied) = &mut self.varied
            && let Variation::Servers {
                class: of,
                number: most,
            } = &varied.variation
            && of == class
        {
            let servers = Servers::new(point.value.clone(), *most);
            varied.servers.insert(number, servers);
        }
    }

    /// The request is described.
    pub(super) fn vary_request(&mut self, number: u32, described: &Described<'_>) {
        let Some(varied) = &mut self.varied else {
            return;
        };
        let is_about = match &varied.variation {
            Variation::Late { site, .. } => described.waits && described.site == Some(site),
            Variation::Narrow { feature, .. } | Variation::Holds { feature } => {
                described.is_feature(feature)
            }
            Variation::Servers { .. } | Variation::Queues => false,
        };
        if is_about {
            varied.rows.insert(number);
        }
    }

    /// Whether the variation is about the request.
    fn is_varied(&self, request: u32) -> bool {
        let varied = self.varied.as_ref();
        varied.is_some_and(|varied| varied.rows.contains(&request))
    }

    fn has_narrow_scopes(&self) -> bool {
        self.varied.as_ref().is_some_and(Varied::has_narrow_scopes)
    }

    fn note_use_of_variation(&mut self) {
        if let Some(varied) = &mut self.varied {
            varied.uses += 1;
        }
    }

    /// How often the variation made a difference.
    pub(crate) fn uses_of_variation(&self) -> u64 {
        self.varied.as_ref().map_or(0, Varied::uses)
    }

    /// Whether scopes wait for locks.
    pub(super) fn scopes_wait(&self) -> bool {
        let varied = self.varied.as_ref();
        varied.is_none_or(|varied| varied.variation != Variation::Queues)
    }

    /// What the processor did last ends with this value. A CPU was left where it was left in the run.
    fn set_value(&mut self, processor: u32, value: W::Value) {
        if let Some(place) = self.place(processor) {
            place.last.value = value;
        }
    }

    /// The value of what the processor did last.
    pub(crate) fn value_of(&self, processor: u32) -> Option<W::Value> {
        Some(self.places.get(processor as usize)?.last.value.clone())
    }

    // --- several servers ----------------------------------------------------------------------------

    fn servers(&mut self, processor: u32) -> Option<&mut Servers<W::Value>> {
        self.varied.as_mut()?.servers.get_mut(&processor)
    }

    /// The processor begins to serve another client. Answers from where on.
    fn begin_session(&mut self, processor: u32) -> Option<W::Value> {
        let value = self.servers(processor)?.begin();
        self.note_use_of_variation();
        self.set_value(processor, value.clone());
        Some(value)
    }

    /// The processor takes up a request, and its lock came back there before. Answers where that would be. One that no scope has locked
    /// serves a client of its own.
    pub(super) fn vary_service(
        &mut self,
        processor: u32,
        back: Option<Point<W::Value>>,
    ) -> Option<Point<W::Value>> {
        let place = self.places.get(processor as usize)?;
        let is_idle = place.open.is_empty();
        let Some(servers) = self.servers(processor) else {
            return back;
        };
        if !is_idle || servers.is_busy {
            return None;
        }
        let value = self.begin_session(processor)?;
        back.map(|back| Point { value, ..back })
    }

    /// Where the lock of the supplier came back for the scope of the processor, which has it from now on.
    pub(super) fn vary_grant(
        &mut self,
        supplier: u32,
        back: Option<Point<W::Value>>,
        processor: u32,
    ) -> Option<Point<W::Value>> {
        let Some(varied) = &mut self.varied else {
            return back;
        };
        let has_failed = varied.failed.contains(&processor);
        if matches!(varied.variation, Variation::Queues) && !has_failed {
            varied.uses += 1;
            return None;
        }
        let Some(value) = self.begin_session(supplier) else {
            return back;
        };
        match has_failed {
            true => back,
            false => back.map(|back| Point { value, ..back }),
        }
    }

    /// The lock of the supplier comes back with this value.
    pub(super) fn vary_unlock(&mut self, supplier: u32, value: &W::Value) {
        let rank = self.weigher.rank(value);
        if let Some(servers) = self.servers(supplier).filter(|servers| servers.is_busy) {
            servers.end(value.clone(), rank);
        }
    }

    // --- answers that are waited for later ----------------------------------------------------------

    /// The answer of the request came to the processor at this moment. Answers whether it is waited for later.
    pub(super) fn vary_answer(
        &mut self,
        (processor, request): (u32, u32),
        time: u64,
        answer: Option<&Point<W::Value>>,
    ) -> bool {
        let place = self.places.get(processor as usize);
        let client = place.and_then(|place| place.open.last().copied());
        let row = self.rows.get(&request);
        let (Some(client), Some(supplier)) = (client, row.map(|row| row.supplier)) else {
            return false;
        };
        if !self.is_late(client, supplier, request) {
            return false;
        }
        self.note_use_of_variation();
        if let Some(answer) = answer {
            self.owe(client, supplier, answer.value.clone());
        }
        if let Some(place) = self.place(processor) {
            place.last.time = time;
        }
        true
    }

    /// The processor has sent the request, or got its answer if it waits for that. Behind its last request the feature waits for all.
    pub(super) fn vary_last_request(&mut self, processor: u32, request: u32) {
        let variation = self.varied.as_ref().map(|varied| &varied.variation);
        let Some(Variation::Late { last, .. }) = variation else {
            return;
        };
        let place = self.places.get(processor as usize);
        let client = place.and_then(|place| place.open.last().copied());
        if let Some(client) = client.filter(|_| last.contains(&request)) {
            self.pay(processor, client);
        }
    }

    /// Whether the answer is waited for later: it is one of those, or the supplier owes another answer to the client's request.
    fn is_late(&mut self, client: u32, supplier: u32, request: u32) -> bool {
        let varied = self.varied.as_mut();
        let Some(varied) = varied.filter(|varied| varied.has_late_answers()) else {
            return false;
        };
        let owes = |(_, suppliers): &(W::Value, HashSet<u32>)| suppliers.contains(&supplier);
        varied.rows.remove(&request) || varied.owed.get(&client).is_some_and(owes)
    }

    fn owe(&mut self, client: u32, supplier: u32, value: W::Value) {
        let Some(varied) = &mut self.varied else {
            return;
        };
        let (value, mut suppliers) = match varied.owed.remove(&client) {
            Some((before, suppliers)) => (self.weigher.both(&before, &value, false), suppliers),
            None => (value, HashSet::new()),
        };
        suppliers.insert(supplier);
        varied.owed.insert(client, (value, suppliers));
    }

    /// The request ends after all that it has not waited for.
    fn pay(&mut self, processor: u32, request: u32) {
        let owed = self
            .varied
            .as_mut()
            .and_then(|varied| varied.owed.remove(&request));
        if let (Some((owed, _)), Some(own)) = (owed, self.value_of(processor)) {
            let value = self.weigher.both(&own, &owed, false);
            self.set_value(processor, value);
        }
    }

    /// The ends of requests that have not ended in the run, and of the script.
    pub(crate) fn owed(&self) -> impl Iterator<Item = &W::Value> {
        let varied = self.varied.iter();
        varied.flat_map(|varied| varied.owed.values().map(|(value, _)| value))
    }

    // --- scopes that have their locks while they send requests -----------------------------------------

    /// The scope of the request wants locks.
    pub(super) fn vary_locks(&mut self, processor: u32, request: u32, time: u64) {
        self.vary_first_request(processor);
        if let Some(varied) = &mut self.varied {
            varied.failed.remove(&processor);
            varied.evaluated.remove(&processor);
        }
        if !self.is_varied(request) {
            return;
        }
        let feature = self.innermost(processor);
        let Some(Variation::Narrow { preludes, .. }) =
            self.varied.as_mut().map(|varied| &mut varied.variation)
        else {
            return;
        };
        let ticks = preludes.pop_front().unwrap_or(0);
        self.note_use_of_variation();
        let stretch = Stretch {
            passes: Passes::Running,
            processor,
            feature,
            from: time,
            ticks,
        };
        let Some(value) = self.value_of(processor) else {
            return;
        };
        let ready = self.weigher.after(&value, stretch);
        if let Some(varied) = &mut self.varied {
            varied.ready.insert(request, ready);
        }
    }

    /// The feature begins, with the locks of its scope.
    pub(super) fn vary_begin(&mut self, processor: u32, request: u32) {
        let locked = self.rows.get(&request).map(|row| row.locked.clone());
        let locked = locked.filter(|locked| !locked.is_empty() && self.has_narrow_scopes());
        let Some(locked) = locked.filter(|_| self.is_varied(request)) else {
            return;
        };
        let ready = self
            .varied
            .as_mut()
            .and_then(|varied| varied.ready.remove(&request));
        if let (Some(ready), Some(own)) = (ready, self.value_of(processor)) {
            let value = self.weigher.both(&own, &ready, false);
            self.set_value(processor, value.clone());
            if let Some(varied) = &mut self.varied {
                varied.begun.insert(processor, value);
            }
        }
        for supplier in locked {
            self.end_scope_here(processor, supplier);
        }
    }

    /// The scope of the processor would end here, as far as this supplier is concerned.
    fn end_scope_here(&mut self, processor: u32, supplier: u32) {
        let Some(place) = self.places.get(processor as usize) else {
            return;
        };
        let point = place.last.clone();
        if let Some(place) = self.place(supplier)
            && place.holder == Some(processor)
        {
            place.scope_end = Some(point);
        }
    }

    /// The processor sends a request, or its feature ends. What it has executed in its scope before was executed before that.
    pub(super) fn vary_first_request(&mut self, processor: u32) {
        let varied = self.varied.as_mut();
        if let Some(value) = varied.and_then(|varied| varied.begun.remove(&processor)) {
            self.set_value(processor, value);
        }
    }

    /// The processor has sent a request to the supplier, or got an answer from there.
    pub(super) fn vary_use(&mut self, processor: u32, supplier: u32) {
        if !self.has_narrow_scopes() {
            return;
        }
        let open = self.places.get(processor as usize).map(|place| &place.open);
        let mut open = open.into_iter().flatten();
        let is_locked = |request: &u32| {
            let row = self.rows.get(request);
            self.is_varied(*request) && row.is_some_and(|row| row.locked.contains(&supplier))
        };
        if open.any(is_locked) {
            self.end_scope_here(processor, supplier);
        }
    }

    /// The request ends. Answers whether its locks have come back before.
    pub(super) fn vary_end(&mut self, processor: u32, request: u32) -> bool {
        if self.varied.is_none() {
            return false;
        }
        let is_narrow = self.has_narrow_scopes() && self.is_varied(request);
        if is_narrow {
            self.vary_first_request(processor);
        }
        self.pay(processor, request);
        if let Some(varied) = &mut self.varied
            && !varied.has_late_answers()
        {
            varied.rows.remove(&request);
        }
        is_narrow
    }

    // --- conditions ---------------------------------------------------------------------------------

    /// The condition of the request was evaluated.
    pub(super) fn vary_condition(&mut self, processor: u32, request: u32, is_true: bool) {
        let holds = self.is_varied(request)
            && matches!(
                self.varied.as_ref().map(|varied| &varied.variation),
                Some(Variation::Holds { .. })
            );
        let value = self.value_of(processor);
        let Some(varied) = &mut self.varied else {
            return;
        };
        match is_true {
            true => {
                varied.failed.remove(&processor);
                if let Some(first) = varied.evaluated.remove(&processor).filter(|_| holds) {
                    varied.uses += 1;
                    self.set_value(processor, first);
                }
            }
            false => {
                varied.failed.insert(processor);
                if let Some(value) = value.filter(|_| holds) {
                    varied.evaluated.entry(processor).or_insert(value);
                }
            }
        }
    }
}
