//! What each event waited for.

use super::points::{Cpu, Point};
use super::{Graph, Passes, Stretch, Weigher};

impl<W: Weigher> Graph<W> {
    /// The processor goes on with a CPU. What it waited for besides is known with its next event.
    pub(super) fn dispatched(&mut self, processor: u32, cpu: u32, time: u64) -> Option<()> {
        let before = self.take_cpu(processor, cpu);
        self.place(processor)?.dispatched = Some((time, before));
        Some(())
    }

    /// Gives the processor the CPU. Answers where the CPU was left.
    fn take_cpu(&mut self, processor: u32, cpu: u32) -> Option<Point<W::Value>> {
        if self.cpus.is_empty() {
            // The script begins on the first one.
            self.cpus.push(Cpu::Of(0));
        }
        let cpu = cpu as usize;
        // CPUs are used for the first time in the order of their numbers.
        if cpu > self.cpus.len() {
            return None;
        }
        let place = self.place(processor)?;
        let (busy, last) = (place.busy.clone(), place.cpu.replace(cpu));
        let last = last.or((processor == 0).then_some(0));
        // The CPU that it had last was left where it used that.
        if let Some(left) = last.and_then(|last| self.cpus.get_mut(last))
            && matches!(left, Cpu::Of(of) if *of == processor)
        {
            *left = Cpu::Left(busy);
        }
        let before = match self.cpus.get(cpu) {
            Some(Cpu::Of(last)) => self.places.get(*last as usize)?.busy.clone(),
            Some(Cpu::Left(point)) => point.clone(),
            None => None,
        };
        match self.cpus.get_mut(cpu) {
            Some(one) => *one = Cpu::Of(processor),
            None => self.cpus.push(Cpu::Of(processor)),
        }
        before
    }

    /// The processor executes up to this moment, since its last event or since it has its CPU.
    pub(super) fn settle(&mut self, processor: u32, time: u64) -> Option<()> {
        let place = self.place(processor)?;
        let switch = std::mem::take(&mut place.switch);
        if let Some((at, before)) = place.dispatched.take() {
            let causes = Vec::from_iter(before);
            let point = self.join(processor, causes, at)?;
            let point = self.after(&point, Passes::Overhead, processor, switch);
            self.reach(processor, point, true);
        }
        // What a lane executes is noted before all that happens next.
        match self.has_lanes {
            true => Some(()),
            false => self.goes_on(processor, Passes::Running, time),
        }
    }

    /// Time passes like this up to this moment.
    fn goes_on(&mut self, processor: u32, passes: Passes, until: u64) -> Option<()> {
        let last = &self.places.get(processor as usize)?.last;
        let ticks = until.saturating_sub(last.time);
        if ticks > 0 {
            let last = last.clone();
            let point = self.after(&last, passes, processor, ticks);
            self.reach(processor, point, true);
        }
        Some(())
    }

    /// The processor has come to this point.
    fn reach(&mut self, processor: u32, point: Point<W::Value>, uses_cpu: bool) {
        if let Some(place) = self.place(processor) {
            if uses_cpu {
                place.busy = Some(point.clone());
            }
            place.last = point;
        }
    }

    /// The end of a stretch that leads from the point to the processor.
    fn after(
        &mut self,
        point: &Point<W::Value>,
        passes: Passes,
        processor: u32,
        ticks: u64,
    ) -> Point<W::Value> {
        let feature = self.innermost(processor);
        self.after_of(point, (passes, feature), processor, ticks)
    }

    fn after_of(
        &mut self,
        point: &Point<W::Value>,
        (passes, feature): (Passes, Option<crate::names::FeatureId>),
        processor: u32,
        ticks: u64,
    ) -> Point<W::Value> {
        if ticks == 0 {
            return point.clone();
        }
        let stretch = Stretch {
            passes,
            processor,
            feature,
            from: point.time,
            ticks,
        };
        Point {
            time: point.time.saturating_add(ticks),
            value: self.weigher.after(&point.value, stretch),
        }
    }

    /// The point when a message arrives that is about the request.
    fn arrival(
        &mut self,
        point: &Point<W::Value>,
        processor: u32,
        request: Option<u32>,
    ) -> Point<W::Value> {
        let feature = request.and_then(|request| self.rows.get(&request));
        let feature = feature.map(|row| row.feature);
        let latency = self.circumstances.latency;
        self.after_of(point, (Passes::Travel, feature), processor, latency)
    }

    /// The latest of the points, as far as they are not behind the moment. The first counts among equal ones.
    fn latest(
        &mut self,
        points: impl IntoIterator<Item = Point<W::Value>>,
        moment: u64,
    ) -> Option<Point<W::Value>> {
        let mut points = points.into_iter().filter(|point| point.time <= moment);
        let first = points.next()?;
        let latest = points.fold(first, |one, other| {
            let is_other = other.time > one.time;
            Point {
                time: one.time.max(other.time),
                value: self.weigher.both(&one.value, &other.value, is_other),
            }
        });
        Some(latest)
    }

    /// The moment at which the processor goes on. It follows from these causes, and from what the processor did before.
    fn join(
        &mut self,
        processor: u32,
        causes: Vec<Point<W::Value>>,
        moment: u64,
    ) -> Option<Point<W::Value>> {
        let own = self.places.get(processor as usize)?.last.clone();
        let is_ahead = own.time > moment;
        let all = causes.into_iter().chain([own.clone()]);
        let latest = match self.latest(all, moment) {
            Some(latest) => latest,
            None if is_ahead => return Some(own),
            None => return None,
        };
        if self.varied.is_some() {
            // The moments are those of the run as it was.
            return Some(Point {
                time: moment,
                ..latest
            });
        }
        let missing = moment.saturating_sub(latest.time);
        self.unexplained += u64::from(missing > 0);
        Some(self.after(&latest, Passes::Unknown, processor, missing))
    }

    /// Something lets the processor go on at this moment.
    fn wake(
        &mut self,
        processor: u32,
        time: u64,
        mut causes: Vec<Point<W::Value>>,
        uses_cpu: bool,
    ) -> Option<()> {
        let place = self.place(processor)?;
        let switch = std::mem::take(&mut place.switch);
        let dispatched = place.dispatched.take();
        let waits = place.waits.take();
        causes.extend(dispatched.and_then(|(_, before)| before));
        let begin = time.saturating_sub(switch);
        let point = self.join(processor, causes, begin)?;
        if let Some((since, _)) = waits {
            self.weigher.waited(since, begin, &point.value);
        }
        let point = self.after(&point, Passes::Overhead, processor, switch);
        self.reach(processor, point, uses_cpu);
        Some(())
    }

    // --- events ---------------------------------------------------------------------------------

    pub(super) fn ran(&mut self, processor: u32, time: u64, ticks: u64) -> Option<()> {
        let begin = time.saturating_sub(ticks);
        let place = self.place(processor)?;
        let is_late = place.dispatched.is_none() && begin > place.last.time;
        if is_late || self.has_lanes {
            let before = match self.has_lanes {
                true => self.take_cpu(processor, 0),
                false => None,
            };
            let point = self.join(processor, Vec::from_iter(before), begin)?;
            self.reach(processor, point, true);
        }
        self.settle(processor, begin)?;
        self.goes_on(processor, Passes::Running, time)
    }

    pub(super) fn charged(&mut self, processor: u32, time: u64, units: u64) -> Option<()> {
        let begin = time.saturating_sub(units);
        let place = self.place(processor)?;
        if place.switch == 0
            && place
                .dispatched
                .as_ref()
                .is_some_and(|(at, _)| *at == begin)
        {
            place.switch = units;
            return Some(());
        }
        if place.open.is_empty() && begin > place.last.time {
            // It is charged for an unlock.
            let causes = self.scope_end(processor, begin);
            self.wake(processor, begin, causes, true)?;
        }
        self.settle(processor, begin)?;
        self.goes_on(processor, Passes::Overhead, time)
    }

    pub(super) fn created(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        let creator = self.rows.get(&request)?.supplier;
        self.settle(creator, time)?;
        self.vary_first_request(creator);
        let point = self.places.get(creator as usize)?.last.clone();
        self.reach(processor, point, false);
        Some(())
    }

    pub(super) fn called(
        &mut self,
        processor: u32,
        time: u64,
        request: u32,
        waits: bool,
    ) -> Option<()> {
        self.settle(processor, time)?;
        self.vary_first_request(processor);
        let feature = self.innermost(processor);
        let supplier = self.rows.get(&request)?.supplier;
        self.vary_use(processor, supplier);
        let place = self.place(processor)?;
        let point = place.last.clone();
        if waits {
            place.awaits = place.awaits.saturating_add(1);
            place.waits = feature.map(|feature| (time, feature));
        }
        self.rows.get_mut(&request)?.called = Some(point);
        if !waits {
            self.vary_last_request(processor, request);
        }
        Some(())
    }

    pub(super) fn synchronizes(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        let row = self.rows.get(&request)?;
        if row.is_local {
            self.settle(processor, time)?;
        } else {
            let causes = self.causes_of_service(processor, request)?;
            self.wake(processor, time, causes, true)?;
        }
        let row = self.rows.get_mut(&request)?;
        (row.called, row.approved) = (None, None);
        self.place(processor)?.open.push(request);
        Some(())
    }

    fn causes_of_service(&mut self, processor: u32, request: u32) -> Option<Vec<Point<W::Value>>> {
        let row = self.rows.get(&request)?;
        let (called, approved) = (row.called.clone(), row.approved.clone());
        let is_callback = row.is_callback;
        let mut causes = Vec::new();
        if let Some(sent) = approved.or(called) {
            causes.push(self.arrival(&sent, processor, Some(request)));
        }
        if self.has_lanes {
            causes.extend(self.take_cpu(processor, 0));
        }
        // A request that locks its supplier for itself travels when it has the lock.
        let back = self.places.get(processor as usize)?.lock_back.clone();
        let back = self.vary_service(processor, back);
        if let Some(back) = back.filter(|_| !is_callback) {
            causes.push(self.arrival(&back, processor, Some(request)));
        }
        Some(causes)
    }

    /// A request is approved that locks its supplier for itself alone. Members of the chain of a condition that is evaluated are approved at
    /// once.
    pub(super) fn approved_alone(&mut self, time: u64, request: u32) -> Option<()> {
        let row = self.rows.get(&request)?;
        let (called, supplier) = (row.called.clone(), row.supplier);
        let back = self.places.get(supplier as usize)?.lock_back.clone();
        let causes: Vec<_> = [called, back].into_iter().flatten().collect();
        let at_once = self.latest(causes.clone(), time);
        let at_once = at_once.filter(|point| point.time == time);
        let point = match self.approved(causes.into_iter(), supplier, time) {
            Some(point) => point,
            None => at_once?,
        };
        self.approval = Some(point.clone());
        self.rows.get_mut(&request)?.approved = Some(point);
        Some(())
    }

    /// The central scheduler ends an approval at this moment, for which it had to wait for these.
    fn approved(
        &mut self,
        causes: impl Iterator<Item = Point<W::Value>>,
        processor: u32,
        moment: u64,
    ) -> Option<Point<W::Value>> {
        let cost = self.circumstances.approval;
        let begin = moment.checked_sub(cost)?;
        let mut causes: Vec<_> = causes.chain(self.approval.clone()).collect();
        if causes.iter().all(|cause| cause.time != begin) {
            causes.extend(self.failed_condition.clone());
        }
        let point = self.latest(causes, begin)?;
        let point = self.after(&point, Passes::Approval, processor, cost);
        (point.time == moment).then_some(point)
    }

    /// The feature begins. If its condition has failed, that ends the approval, and was not evaluated.
    pub(super) fn executes(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        self.settle(processor, time)?;
        self.vary_begin(processor, request);
        let point = self.places.get(processor as usize)?.last.clone();
        if self.circumstances.is_central && !self.rows.get(&request)?.locked.is_empty() {
            self.failed_condition = Some(point);
        }
        Some(())
    }

    pub(super) fn granted(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        let wants = self.places.get(processor as usize)?.wants.clone();
        let mut causes = Vec::new();
        for supplier in &wants {
            let back = self.places.get(*supplier as usize)?.lock_back.clone();
            causes.extend(self.vary_grant(*supplier, back, processor));
        }
        let own = self.places.get(processor as usize)?.last.clone();
        if self.circumstances.is_central {
            let waited_for = causes.clone().into_iter().chain([own.clone()]);
            let begin = time.saturating_sub(self.circumstances.approval);
            let all = waited_for.clone().chain(self.unlocks_at(begin));
            let approved = self.approved(waited_for, processor, time);
            causes.extend(approved.or_else(|| self.approved(all, processor, time)));
        }
        // Locks that are free are granted at once. Else a lock came back, or, of a condition, that of any processor.
        let is_explained = causes.iter().chain([&own]).any(|cause| cause.time == time);
        if !is_explained && self.scopes_wait() {
            causes.extend(self.unlocks_at(time));
        }
        self.wake(processor, time, causes, false)?;
        self.approval = self
            .places
            .get(processor as usize)
            .map(|one| one.last.clone());
        for supplier in &wants {
            if let Some(place) = self.place(*supplier) {
                (place.holder, place.scope_end) = (Some(processor), None);
            }
        }
        self.rows.get_mut(&request)?.locked = wants;
        Some(())
    }

    /// Where locks came back at this moment.
    fn unlocks_at(&self, moment: u64) -> Vec<Point<W::Value>> {
        let unlocks = self.unlocks.iter();
        let then = unlocks.filter(|unlock| unlock.time == moment);
        then.cloned().collect()
    }

    pub(super) fn evaluated(
        &mut self,
        processor: u32,
        (time, request): (u64, u32),
        is_true: bool,
    ) -> Option<()> {
        self.settle(processor, time)?;
        self.vary_condition(processor, request, is_true);
        let feature = self.innermost(processor);
        let place = self.place(processor)?;
        let (point, wants) = (place.last.clone(), place.wants.clone());
        if !is_true {
            place.waits = feature.map(|feature| (time, feature));
        }
        let row = self.rows.get(&request);
        if row.is_some_and(|row| !row.locked.is_empty()) {
            self.approval = Some(point.clone());
        }
        if is_true {
            return Some(());
        }
        for supplier in wants {
            if let Some(place) = self.place(supplier) {
                (place.holder, place.scope_end) = (None, None);
                place.lock_back = Some(point.clone());
            }
            self.vary_unlock(supplier, &point.value);
        }
        Some(())
    }

    pub(super) fn returns(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        self.settle(processor, time)?;
        let has_unlocked = self.vary_end(processor, request);
        let place = self.place(processor)?;
        let point = place.last.clone();
        place.open.retain(|open| *open != request);
        let is_waiting = place.awaits > 0;
        let feature = self.innermost(processor);
        let row = self.rows.get_mut(&request)?;
        row.returned = Some(point.clone());
        let locked = std::mem::take(&mut row.locked);
        let (is_local, waits) = (row.is_local, row.waits);
        for supplier in locked {
            if let Some(place) = self.place(supplier)
                && place.holder == Some(processor)
                && !has_unlocked
            {
                place.scope_end = Some(point.clone());
            }
        }
        if !is_local && is_waiting {
            self.place(processor)?.waits = feature.map(|feature| (time, feature));
        }
        if is_local || !waits {
            let until = time.saturating_add(self.circumstances.latency);
            self.over.push_back((until, request));
        }
        Some(())
    }

    pub(super) fn joins(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        self.settle(processor, time)?;
        let feature = self.innermost(processor);
        let place = self.place(processor)?;
        place.awaits = place.awaits.saturating_add(1);
        place.waits = feature.map(|feature| (time, feature));
        self.rows.get_mut(&request)?.waits = true;
        Some(())
    }

    pub(super) fn answered(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        let returned = self.rows.get(&request).and_then(|row| row.returned.clone());
        let mut causes = Vec::new();
        if let Some(returned) = &returned {
            causes.push(self.arrival(returned, processor, Some(request)));
        }
        if self.vary_answer((processor, request), time, causes.first()) {
            causes.clear();
        }
        self.wake(processor, time, causes, true)?;
        if let Some(supplier) = self.rows.get(&request).map(|row| row.supplier) {
            self.vary_use(processor, supplier);
        }
        self.vary_last_request(processor, request);
        let place = self.place(processor)?;
        place.awaits = place.awaits.saturating_sub(1);
        if returned.is_some() {
            self.rows.remove(&request);
        }
        Some(())
    }

    pub(super) fn cancelled(&mut self, processor: u32, time: u64, request: u32) -> Option<()> {
        let called = self.rows.get(&request)?.called.clone();
        let mut causes = Vec::new();
        if let Some(called) = &called {
            causes.push(self.arrival(called, processor, Some(request)));
        }
        self.wake(processor, time, causes, false)?;
        let point = self.places.get(processor as usize)?.last.clone();
        let row = self.rows.get_mut(&request)?;
        row.returned = Some(point);
        if !row.waits {
            let until = time.saturating_add(self.circumstances.latency);
            self.over.push_back((until, request));
        }
        Some(())
    }

    /// The unlock that ends a scope comes a latency after its end. It may be noted before the end is.
    fn scope_end(&mut self, processor: u32, time: u64) -> Vec<Point<W::Value>> {
        let Some(place) = self.places.get(processor as usize) else {
            return Vec::new();
        };
        let (end, holder) = (place.scope_end.clone(), place.holder);
        let end = end.or_else(|| {
            let holder = holder.filter(|_| self.circumstances.latency == 0)?;
            self.settle(holder, time)?;
            self.places.get(holder as usize).map(|one| one.last.clone())
        });
        let arrivals = end.map(|end| self.arrival(&end, processor, None));
        Vec::from_iter(arrivals)
    }

    pub(super) fn unlocked(&mut self, processor: u32, time: u64) -> Option<()> {
        let causes = self.scope_end(processor, time);
        let has_used_cpu = self.places.get(processor as usize)?.switch > 0;
        self.wake(processor, time, causes, has_used_cpu)?;
        let place = self.place(processor)?;
        let point = place.last.clone();
        (place.holder, place.scope_end) = (None, None);
        place.lock_back = Some(point.clone());
        self.vary_unlock(processor, &point.value);
        // An approval that ends later may have begun with an unlock before this one.
        let begin = time.saturating_sub(self.circumstances.approval);
        while self.unlocks.get(1).is_some_and(|next| next.time <= begin) {
            self.unlocks.pop_front();
        }
        self.unlocks.push_back(point);
        Some(())
    }

    pub(super) fn wakes(&mut self, processor: u32, time: u64) -> Option<()> {
        let place = self.place(processor)?;
        let (last, was_asleep) = (place.last.clone(), std::mem::take(&mut place.is_asleep));
        let mut causes = Vec::new();
        if was_asleep {
            let ticks = time.saturating_sub(last.time);
            causes.push(self.after(&last, Passes::Asleep, processor, ticks));
        }
        self.wake(processor, time, causes, false)
    }

    pub(super) fn freed(&mut self, processor: u32, time: u64, by: u32) -> Option<()> {
        let row = self.rows.get(&by)?;
        let other = row.supplier;
        if other != processor {
            self.settle(other, time)?;
        }
        let place = self.place(processor)?;
        let is_new = place.open.is_empty() && processor != 0;
        place.is_asleep = false;
        // What is free to run before it is taken up is an ordinary process.
        self.has_lanes |= is_new;
        let cause = self.places.get(other as usize)?.last.clone();
        self.wake(processor, time, vec![cause], false)
    }
}
