//! Runs under one changed assumption: the pace of features, arguments that cross as copies, answers that are not waited for or
//! used again, and processors that are shared.

use super::Vm;
use super::membrane::{Crossing, EXPORT_SLOT};
use crate::base::{ClassId, MethodId, SymbolId, Value};
use crate::separate::{
    Assumed, Assumption, InnerLocks, ProcessorId, QueryKey, RequestId, SCRIPT, Stretch,
};

/// Scopes of which it is noted what scopes inside them want. Later scopes of a client are taken to want the same.
const MOST_INNER: usize = 1 << 16;

impl Vm {
    /// Lets the program run under the assumption, if there is one, and observes the answers of requests. Holds if the program has
    /// made no processor yet.
    pub fn assume(&mut self, assumption: Option<Assumption>) {
        self.separate.assumed = Some(Box::new(Assumed {
            assumption,
            ..Assumed::default()
        }));
    }

    /// How often the assumption made a difference: features that began at another pace, copies, sends that did not wait, answers
    /// that were used again, processors that were not made.
    pub fn assumption_uses(&self) -> u64 {
        let assumed = self.separate.assumed.as_ref();
        assumed.map_or(0, |assumed| assumed.uses)
    }

    /// The paths that processors would have had which were not made, and the paths of those that are used instead.
    pub fn merged_processors(&self) -> Vec<(Vec<u32>, Vec<u32>)> {
        let assumed = self.separate.assumed.as_ref();
        assumed.map_or(Vec::new(), |assumed| assumed.merged.clone())
    }

    /// Ends the run with a limit after this number of ticks, if it had no lower limit.
    pub fn limit_ticks(&mut self, most: u64) {
        let before = self.config.max_ticks.unwrap_or(u64::MAX);
        self.config.max_ticks = Some(most.min(before));
    }

    fn assumption(&self) -> Option<&Assumption> {
        self.separate.assumed.as_ref()?.assumption.as_ref()
    }

    pub(crate) fn note_use_of_assumption(&mut self) {
        if let Some(assumed) = &mut self.separate.assumed {
            assumed.uses += 1;
        }
    }

    /// Whether the assumption is about this feature.
    fn is_assumed_feature(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let (
            Some(
                Assumption::Pace { feature, .. }
                | Assumption::Delay { feature, .. }
                | Assumption::Together { feature, .. }
                | Assumption::Cache { feature },
            ),
            Some(assumed),
        ) = (self.assumption(), &self.separate.assumed)
        else {
            return false;
        };
        if let Some(&known) = assumed.features.get(&(class, selector)) {
            return known;
        }
        let is_it =
            *feature.0 == *self.class(class).name && feature.1 == self.symbol_text(selector);
        if let Some(assumed) = &mut self.separate.assumed {
            assumed.features.insert((class, selector), is_it);
        }
        is_it
    }

    // --- pace ---------------------------------------------------------------------------------------

    /// The pace of the running processor's innermost request, if it is not the usual one.
    fn pace_of_request(&mut self) -> Option<Stretch> {
        let Some(&Assumption::Pace { pace, .. }) = self.assumption() else {
            return None;
        };
        let engine = self.separate.engine.as_ref()?;
        let request = engine.innermost(self.separate.running);
        let row = engine.request(request);
        let (class, selector, before) = (row.class, row.message.selector, row.paced);
        let is_it = request != SCRIPT && self.is_assumed_feature(class, selector);
        is_it.then_some(Stretch {
            pace,
            request,
            before,
        })
    }

    /// The running processor's ticks count for its innermost request from here on.
    pub(crate) fn begin_stretch(&mut self) {
        if self.separate.assumed.is_some() {
            self.separate.stretch = self.pace_of_request();
            if self.separate.stretch.is_some_and(|one| one.before == 0) {
                self.note_use_of_assumption();
            }
        }
    }

    /// What the running processor has executed up to here is noted at its request, because its turn or the request ends.
    pub(crate) fn end_stretch(&mut self) {
        let Some(Stretch {
            request, before, ..
        }) = self.separate.stretch
        else {
            return;
        };
        let ticks = self.clock_units().wrapping_sub(self.separate.started);
        if let Some(engine) = &mut self.separate.engine {
            engine.request_mut(request).paced = before.saturating_add(ticks);
        }
    }

    /// The innermost request changes in a turn, by this.
    pub(crate) fn change_stretch<A>(&mut self, change: impl FnOnce(&mut Vm) -> A) -> A {
        if !matches!(self.assumption(), Some(Assumption::Pace { .. })) {
            return change(self);
        }
        self.end_stretch();
        let (id, executed) = (self.separate.running, self.executed());
        if let Some(engine) = &mut self.separate.engine {
            engine.has_executed(id, executed);
        }
        self.count_on(self.ticks_ahead());
        let answer = change(self);
        self.begin_stretch();
        self.set_tick_limit();
        answer
    }

    // --- delays -------------------------------------------------------------------------------------

    /// How long a delay of the running processor takes that would take this long.
    pub(crate) fn assumed_delay(&mut self, units: u64) -> u64 {
        let Some(&Assumption::Delay { pace, .. }) = self.assumption() else {
            return units;
        };
        let Some(engine) = &self.separate.engine else {
            return units;
        };
        let row = engine.request(engine.innermost(self.separate.running));
        let (class, selector) = (row.class, row.message.selector);
        match self.is_assumed_feature(class, selector) {
            true => {
                self.note_use_of_assumption();
                pace.of(units)
            }
            false => units,
        }
    }

    // --- locks that are taken together --------------------------------------------------------------

    /// The processors whose locks the scope takes that the running processor opens, if its method names these.
    pub(crate) fn assumed_locks(&mut self, mut suppliers: Vec<ProcessorId>) -> Vec<ProcessorId> {
        if !matches!(self.assumption(), Some(Assumption::Together { .. })) {
            return suppliers;
        }
        self.note_inner_locks(&suppliers);
        let id = self.separate.running;
        let Some(engine) = &self.separate.engine else {
            return suppliers;
        };
        let request = engine.innermost(id);
        let row = engine.request(request);
        let (class, selector) = (row.class, row.message.selector);
        if self.is_assumed_feature(class, selector) {
            suppliers.extend(self.inner_locks(id, request));
        } else if let Some(assumed) = &mut self.separate.assumed {
            assumed.outer.remove(&request);
        }
        suppliers
    }

    /// What scopes inside the one that the request opens wanted in another run. Of a scope that the other run had not, what the one before
    /// it wanted.
    fn inner_locks(&mut self, id: ProcessorId, request: RequestId) -> Vec<ProcessorId> {
        let separate = &mut self.separate;
        let (Some(assumed), Some(engine)) = (&mut separate.assumed, &separate.engine) else {
            return Vec::new();
        };
        let opened = assumed.opened.entry(id).or_default();
        let number = *opened;
        *opened += 1;
        assumed.outer.insert(request, number);
        let Some(Assumption::Together { inner, .. }) = &assumed.assumption else {
            return Vec::new();
        };
        let path = engine.path(id);
        let known = inner.range((path.to_vec(), 0)..=(path.to_vec(), number));
        let Some((_, wanted)) = known.last() else {
            return Vec::new();
        };
        let found = wanted.iter().filter_map(|path| engine.at_path(path));
        let found: Vec<ProcessorId> = found.collect();
        assumed.uses += u64::from(!found.is_empty());
        found
    }

    /// The running processor opens a scope with these suppliers, perhaps inside one of the feature.
    fn note_inner_locks(&mut self, suppliers: &[ProcessorId]) {
        let separate = &mut self.separate;
        let (Some(assumed), Some(engine)) = (&mut separate.assumed, &separate.engine) else {
            return;
        };
        let id = separate.running;
        for request in engine.requests_of_scopes(id) {
            let Some(number) = assumed.outer.get(&request) else {
                continue;
            };
            let wanted = suppliers.iter().filter(|supplier| **supplier != id);
            let key = (engine.path(id).to_vec(), *number);
            if assumed.inner.len() >= MOST_INNER && !assumed.inner.contains_key(&key) {
                continue;
            }
            let paths = wanted.map(|supplier| engine.path(*supplier).to_vec());
            assumed.inner.entry(key).or_default().extend(paths);
        }
    }

    /// What scopes inside those of the feature wanted to lock, as far as it is noted.
    pub fn inner_locks_wanted(&self) -> InnerLocks {
        let assumed = self.separate.assumed.as_ref();
        assumed.map_or_else(InnerLocks::new, |assumed| assumed.inner.clone())
    }

    // --- copies -------------------------------------------------------------------------------------

    /// Whether a deep copy of the argument crosses because of the assumption.
    pub(crate) fn is_assumed_copy(&mut self, argument: Value) -> bool {
        let Some(Assumption::Copy { class }) = self.assumption() else {
            return false;
        };
        if !argument.is_object() {
            return false;
        }
        let of = self.class_of(argument);
        let assumed = self.separate.assumed.as_ref();
        let known = assumed.and_then(|assumed| assumed.classes.get(&of).copied());
        let is_it = known.unwrap_or_else(|| {
            let named = self.find_class(class);
            named.is_some_and(|named| self.inherits(of, named))
        });
        if let Some(assumed) = &mut self.separate.assumed {
            assumed.classes.insert(of, is_it);
        }
        is_it && self.crossing(argument) == Crossing::Reference && self.can_be_copied(argument)
    }

    // --- sends that do not wait ---------------------------------------------------------------------

    /// Whether the send at this site does not wait because of the assumption.
    pub(crate) fn is_assumed_async(&mut self, site: Option<(MethodId, u32)>) -> bool {
        let (Some(Assumption::Async { site: named }), Some(place)) = (self.assumption(), site)
        else {
            return false;
        };
        let assumed = self.separate.assumed.as_ref();
        let known = assumed.and_then(|assumed| assumed.sites.get(&place).copied());
        let is_it = known.unwrap_or_else(|| *named == self.site(place.0, place.1));
        if let Some(assumed) = &mut self.separate.assumed {
            assumed.sites.insert(place, is_it);
        }
        is_it
    }

    // --- answers that are used again ----------------------------------------------------------------

    /// What distinguishes the query from others, if its answers are cached. `arguments` are as the client sees them.
    pub(crate) fn key_of_query(
        &mut self,
        reference: Value,
        selector: SymbolId,
        arguments: &[Value],
    ) -> Option<QueryKey> {
        if !matches!(self.assumption(), Some(Assumption::Cache { .. })) {
            return None;
        }
        let (owner, target) = self.referred(reference)?;
        if !self.is_assumed_feature(self.class_of(target), selector) {
            return None;
        }
        let number = |slots: &[Value]| slots.get(EXPORT_SLOT).and_then(|slot| slot.as_int());
        let export = number(self.heap.slots(reference))?;
        let mut texts = String::new();
        for &argument in arguments {
            // An object that has not crossed yet was no argument before.
            let known = match self.crossing(argument) {
                Crossing::Reference => Some(self.known_reference(argument)?),
                Crossing::Home(..) => Some(argument),
                _ => None,
            };
            match known {
                Some(known) => {
                    let (owner, _) = self.referred(known)?;
                    let export = number(self.heap.slots(known))?;
                    texts.push_str(&format!("@{}/{export}", owner.0));
                }
                None => self.push_described(argument, &mut texts),
            }
            texts.push('\n');
        }
        let client = self.separate.running;
        Some((client, owner, export, selector, texts))
    }

    /// The answer that the client has got before.
    pub(crate) fn cached_answer(&self, key: &QueryKey) -> Option<Value> {
        self.separate.assumed.as_ref()?.cached.get(key).copied()
    }

    /// The answer of the request will be used again.
    pub(crate) fn cache_later(&mut self, request: u32, key: QueryKey) {
        if let Some(assumed) = &mut self.separate.assumed {
            assumed.to_cache.insert(request, key);
        }
    }

    /// The answer of a request has come to its client. One by which it failed is not used again.
    pub(crate) fn cache_answer(&mut self, request: u32, answer: Value, has_failed: bool) {
        if let Some(assumed) = &mut self.separate.assumed
            && let Some(key) = assumed.to_cache.remove(&request)
            && !has_failed
        {
            assumed.cached.insert(key, answer);
        }
    }

    // --- processors that are shared -----------------------------------------------------------------

    /// Whether the processors of the class are counted, so that they are created in the order of virtual time.
    pub(crate) fn is_merged_class(&self, class: Value) -> bool {
        let Some(Assumption::Merge { first, second }) = self.assumption() else {
            return false;
        };
        let name = self.name_of_class(class);
        name.is_some_and(|name| name == first || name == second)
    }

    fn name_of_class(&self, class: Value) -> Option<&str> {
        let id = self.class_of_class_object(class)?;
        Some(&self.class(id).name)
    }

    /// The processor that the class uses in place of one of its own.
    pub(crate) fn processor_in_place_of(&mut self, class: Value) -> Option<ProcessorId> {
        let Some(Assumption::Merge { second, .. }) = self.assumption() else {
            return None;
        };
        if self.name_of_class(class) != Some(second) {
            return None;
        }
        let creator = self.separate.running;
        let assumed = self.separate.assumed.as_mut()?;
        let used = assumed.firsts.get(assumed.seconds).copied();
        assumed.seconds += 1;
        let (used, engine) = (used?, self.separate.engine.as_mut()?);
        // The processors that are created later keep their paths.
        let not_made = engine.skip_child(creator);
        let path = engine.path(used).to_vec();
        assumed.merged.push((not_made, path));
        assumed.uses += 1;
        Some(used)
    }

    /// A processor was made for the class.
    pub(crate) fn note_processor_of(&mut self, class: Value, id: ProcessorId) {
        let Some(Assumption::Merge { first, .. }) = self.assumption() else {
            return;
        };
        if self.name_of_class(class) == Some(first)
            && let Some(assumed) = &mut self.separate.assumed
        {
            assumed.firsts.push(id);
        }
    }
}
