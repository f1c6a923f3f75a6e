//! Records tests apart from what runs them. The recording of a test holds what was executed while the test was
//! measured: by its process, and by processes forked meanwhile.

use std::collections::BTreeSet;

use crate::counting::{Cost, Measure};
use crate::machine::Vm;
use crate::observers::{Context, Edge, Made, OpenPart, Parts, Reading, Recorded};

use super::recording::Kept;

impl Vm {
    /// From now on a recording keeps tests apart, see [`Vm::finish_profile_of_tests`].
    pub fn record_tests_apart(&mut self) {
        self.observers.parts = Some(Box::default());
    }

    fn reading(&mut self) -> Option<Reading> {
        let counts = self.counts_so_far()?;
        let cost = self.cost();
        Some(Reading { counts, cost })
    }

    /// The block of a measurement with forks was entered. If it is a test, or what runs one, a part of the recording begins.
    pub(crate) fn begin_part(&mut self, serial: u64, measure: Measure) {
        let is_part = matches!(measure, Measure::Test | Measure::Harness);
        let is_free = |parts: &Parts| parts.open.is_none();
        if !is_part || !self.observers.parts.as_deref().is_some_and(is_free) {
            return;
        }
        let since = self.reading();
        let frame = self.frame_index();
        let edge = self.running.frame_code(frame) as usize;
        let (Some(parts), Some(recorder)) = (&mut self.observers.parts, &self.observers.recorder)
        else {
            return;
        };
        if measure == Measure::Test {
            parts.roots.push(recorder.tree.edges[edge].context);
        }
        parts.open = Some(OpenPart {
            serial,
            family: self.running.family,
            measure,
            since,
        });
    }

    /// A process goes on: a part is entered or left, if one is open and the process before was on the other side.
    #[inline]
    pub(crate) fn enter_or_leave_part(&mut self) {
        if self.observers.parts.is_some() {
            self.cross_part();
        }
    }

    #[cold]
    fn cross_part(&mut self) {
        let Some(open) = self.observers.parts.as_ref().and_then(|p| p.open.as_ref()) else {
            return;
        };
        let families = &mut self.counters.families;
        let (is_inside, was_inside) = (
            families.is_within(self.running.family, open.family),
            open.since.is_some(),
        );
        match (was_inside, is_inside) {
            (true, false) => self.leave_part(),
            (false, true) => {
                let since = self.reading();
                if let Some(open) = self.observers.parts.as_mut().and_then(|p| p.open.as_mut()) {
                    open.since = since;
                }
            }
            _ => {}
        }
    }

    /// Adds the counts since the open part was entered.
    fn leave_part(&mut self) {
        let now = self.reading();
        if let Some(parts) = &mut self.observers.parts
            && let Some(open) = &mut parts.open
            && let (Some(now), Some(since)) = (now, open.since.take())
        {
            let measure = open.measure;
            let counts = now.counts.since(Some(&since.counts));
            let cost = now.cost.since(&since.cost);
            parts.add(measure, Reading { counts, cost });
        }
    }

    /// The measurement with this mark ends, and with it the part that it began, if any.
    pub(crate) fn end_part(&mut self, serial: u64) {
        let open = self.observers.parts.as_ref().and_then(|p| p.open.as_ref());
        if open.is_some_and(|open| open.serial == serial) {
            self.leave_part();
            if let Some(parts) = &mut self.observers.parts {
                parts.open = None;
            }
        }
    }

    /// Ends the recording. Answers the part of it that tests were measured in; nothing if no test was measured, and then
    /// the recording goes on.
    pub fn finish_profile_of_tests(&mut self) -> Option<RecordedTests> {
        self.leave_part();
        let parts = self.observers.parts.take()?;
        let tests = parts.tests?;
        let recorder = self.observers.recorder.as_ref()?;
        let (mut recorded, kept) = Recorded::with_places(self, recorder, &tests.counts);
        let mut cost = tests.cost;
        if let Some(harness) = &parts.harness {
            cost = cost.since(&harness.cost);
            let (harness, places) = Recorded::with_places(self, recorder, &harness.counts);
            recorded.take_out(&kept, &harness, &places);
        }
        let roots = parts.roots.iter().filter_map(|&root| kept.place(root));
        let recorded = recorded.below(roots.collect());
        // A test that ended early has not been followed by what would be taken out.
        cost.sends = recorded.contexts.first().map_or(0, |run| run.total);
        Some(RecordedTests {
            tests: recorded,
            cost,
            whole: self.finish_profile(),
        })
    }
}

/// The recording of a run in which tests were measured.
pub struct RecordedTests {
    /// What the tests did, without what runs them, setUp and tearDown.
    pub tests: Recorded,
    /// The cost of that.
    pub cost: Cost,
    /// Everything that was executed.
    pub whole: Recorded,
}

impl Recorded {
    /// Takes out what runs tests, as far as it was executed.
    fn take_out(&mut self, kept: &Kept, harness: &Recorded, harness_kept: &Kept) {
        for (place, context) in (0..).zip(&harness.contexts) {
            let own = harness_kept.number(place).and_then(|it| kept.place(it));
            if let Some(own) = own.and_then(|own| self.contexts.get_mut(own as usize)) {
                own.calls = own.calls.saturating_sub(context.calls);
                own.own = own.own.saturating_sub(context.own);
                own.work = own.work.saturating_sub(context.work);
                own.charged = own.charged.saturating_sub(context.charged);
            }
        }
        for edge in &harness.edges {
            let ends = [edge.from, edge.to]
                .map(|end| harness_kept.number(end).and_then(|it| kept.place(it)));
            let is_same =
                |own: &&mut Edge| ends == [Some(own.from), Some(own.to)] && own.site == edge.site;
            if let Some(own) = self.edges.iter_mut().find(is_same) {
                own.calls = own.calls.saturating_sub(edge.calls);
                own.cumulative = own.cumulative.wrapping_sub(edge.cumulative);
                own.cumulative_work = own.cumulative_work.wrapping_sub(edge.cumulative_work);
            }
        }
        for (site, sends) in &harness.sites {
            if let Ok(own) = self.sites.binary_search_by_key(site, |(site, _)| *site) {
                let own = &mut self.sites[own].1;
                *own = own.saturating_sub(*sends);
            }
        }
        for (site, charges) in &harness.charges {
            if let Some(own) = self.charges.get_mut(site) {
                *own = own.saturating_sub(*charges);
            }
        }
        for made in &harness.made {
            let context = harness_kept
                .number(made.context)
                .and_then(|it| kept.place(it));
            let is_same = |own: &&mut Made| {
                Some(own.context) == context && own.class == made.class && own.site == made.site
            };
            if let Some(own) = self.made.iter_mut().find(is_same) {
                let rest = &mut own.allocations;
                rest.objects = rest.objects.saturating_sub(made.allocations.objects);
                rest.bytes = rest.bytes.saturating_sub(made.allocations.bytes);
            }
        }
    }

    /// The same without the contexts above and at the roots, and without contexts in which nothing happened. What stood
    /// below one of these stands below the run.
    fn below(self, roots: BTreeSet<u32>) -> Recorded {
        let (places, contexts) = self.places_below(&roots);
        let place = |context: u32| places.get(context as usize).copied().flatten();
        let edge = |edge: &Edge| {
            Some(Edge {
                from: place(edge.from).unwrap_or(0),
                to: place(edge.to)?,
                site: edge.site.filter(|_| place(edge.from).is_some()),
                ..edge.clone()
            })
        };
        let made = |mut made: Made| {
            made.context = place(made.context)?;
            (made.allocations.objects > 0).then_some(made)
        };
        let has_counts = |edge: &Edge| edge.calls > 0 || edge.cumulative > 0;
        let sites = self.sites.into_iter().filter(|(_, sends)| *sends > 0);
        Recorded {
            contexts,
            edges: (self.edges.iter().filter_map(edge))
                .filter(has_counts)
                .collect(),
            sites: sites.collect(),
            charges: self.charges,
            made: self.made.into_iter().filter_map(made).collect(),
            is_complete: self.is_complete,
        }
    }

    /// The contexts that are left, and by context its place among them.
    fn places_below(&self, roots: &BTreeSet<u32>) -> (Vec<Option<u32>>, Vec<Context>) {
        let mut is_gone = vec![false; self.contexts.len()];
        for &root in roots {
            let mut next = root;
            while next > 0 && !std::mem::replace(&mut is_gone[next as usize], true) {
                next = self.contexts[next as usize].parent;
            }
        }
        let mut has_counts = vec![false; self.contexts.len()];
        for (index, context) in self.contexts.iter().enumerate().rev() {
            has_counts[index] |= context.calls > 0 || context.own > 0;
            has_counts[context.parent as usize] |= has_counts[index];
        }
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.contexts.len());
        let mut contexts: Vec<Context> = Vec::new();
        for (index, context) in self.contexts.iter().enumerate() {
            // What runs a test directly does nothing else, so it goes too.
            let is_above = is_gone[context.parent as usize];
            let is_empty = context.calls == 0 && context.own == 0 && is_above;
            is_gone[index] |= index > 0 && (is_empty || !has_counts[index]);
            places.push((!is_gone[index]).then_some(contexts.len() as u32));
            if !is_gone[index] {
                let parent = places[context.parent as usize].unwrap_or(0);
                contexts.push(Context {
                    parent,
                    ..context.clone()
                });
            }
        }
        super::recording::add_totals(&mut contexts);
        set_outermost(&mut contexts);
        (places, contexts)
    }
}

/// Notes what each context adds to the path from the run.
fn set_outermost(contexts: &mut [Context]) {
    for index in 1..contexts.len() {
        let method = |place: u32| {
            contexts[place as usize]
                .kind
                .code()
                .map(|(method, _)| method)
        };
        let above = |place: &u32| match place {
            0 => None,
            place => Some(contexts[*place as usize].parent),
        };
        let path = || std::iter::successors(Some(contexts[index].parent), above);
        let (own, caller) = (method(index as u32), method(contexts[index].parent));
        let is_call = |place: u32| {
            place > 0 && method(place) == own && method(contexts[place as usize].parent) == caller
        };
        let is_code = own.is_some();
        let outermost = is_code && !path().any(|place| method(place) == own);
        let outermost_code =
            is_code && !path().any(|place| contexts[place as usize].kind == contexts[index].kind);
        let outermost_call = is_code && !path().any(is_call);
        let context = &mut contexts[index];
        context.is_outermost = outermost;
        context.is_outermost_code = outermost_code;
        context.is_outermost_call = outermost_call;
    }
}
