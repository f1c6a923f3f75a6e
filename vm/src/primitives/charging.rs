//! Calls of primitives by the full loop, which counts them and charges their work.

use super::Answer;
use super::charges::{self, Simple};
use crate::base::{Known, Stop, Value};
use crate::code::Target;
use crate::counting::{Work, weight};
use crate::machine::Vm;
use crate::run::{Args, Request};

impl Vm {
    /// Tries the primitive of a callee, counting all of it: success, class and work.
    #[inline(never)]
    pub(crate) fn call_charged(&mut self, callee: &Target, args: Args) -> Answer {
        let before = self.counters.full.charged();
        let answer = self.call_and_charge(callee, args);
        self.note_charges(before, self.registers.ip, self.registers.fp);
        answer
    }

    #[inline(always)]
    fn call_and_charge(&mut self, callee: &Target, args: Args) -> Answer {
        let Some((_, number)) = callee.primitive else {
            return Answer::DECLINE;
        };
        let Some(row) = super::row(number) else {
            return Answer::DECLINE;
        };
        if self.is_watched() && self.stops_before_primitive(number, args) {
            self.run.request = Request::CatchUp;
            return Answer::REQUEST;
        }
        let charge = row.charge;
        let is_simple = self.is_simple(charge.simple, args);
        let before = self.counters.full.work.priced();
        charge.charge_before(self, args);
        // A short cut takes the place of some simple primitives that are charged nothing, and reads no limit.
        let is_free = is_simple && self.counters.full.work.priced() == before;
        if !is_free && let Some(limit) = self.exceeds_work() {
            self.stop_at_next_poll(Stop::Limit(limit));
            return Answer::DECLINE;
        }
        let answer = self.call_uncounted(callee, args);
        let is_put_off = answer == Answer::REQUEST && matches!(self.run.request, Request::CatchUp);
        if answer == Answer::DECLINE || is_put_off {
            charge.take_back(self, args);
            return answer;
        }
        let full = &mut self.counters.full;
        full.primitives[number as usize] += 1;
        full.called += u64::from(!is_simple);
        charge.charge_after(self, args, answer.value().unwrap_or(Value::NIL));
        answer
    }

    /// How many units the limit on work still allows. A primitive whose charge is known only while it runs does no more.
    pub(crate) fn affordable(&self, work: Work) -> u64 {
        let left = self.work_left();
        left.map_or(u64::MAX, |(left, _)| left / work.weight().max(1))
    }

    /// The same as a number of elements.
    pub(crate) fn affordable_length(&self, work: Work) -> usize {
        usize::try_from(self.affordable(work)).unwrap_or(usize::MAX)
    }

    /// Whether the limit on work allows this number of units, which will be charged. If not, the run ends, and the
    /// primitive has to decline.
    pub(crate) fn can_afford(&mut self, work: Work, amount: u64) -> bool {
        let is_allowed = amount <= self.affordable(work);
        if !is_allowed {
            self.refuse_work::<()>();
        }
        is_allowed
    }

    /// The same for a number of new objects.
    pub(crate) fn can_make(&mut self, objects: usize) -> bool {
        let price = (objects as u64).saturating_mul(weight::OBJECT);
        let is_allowed = self.work_left().is_none_or(|(left, _)| price <= left);
        if !is_allowed {
            self.refuse_work::<()>();
        }
        is_allowed
    }

    /// Ends the run because a primitive would pass the limit on work. The primitive declines.
    pub(crate) fn refuse_work<T>(&mut self) -> Option<T> {
        if let Some((_, limit)) = self.work_left() {
            self.stop_at_next_poll(Stop::Limit(limit));
        }
        None
    }

    /// Charges work outside primitives, where the whole cost vector is maintained.
    pub(crate) fn charge_where_counted(&mut self, work: Work, amount: u64) {
        if self.counts_fully() {
            self.counters.full.work.charge(work, amount);
        }
    }

    /// Charges a comparison of two Strings that a short cut made, and counts the call of its primitive.
    #[inline(never)]
    pub(crate) fn charge_comparison(
        &mut self,
        [left, right]: [Value; 2],
        ip: *const u64,
        fp: *const Value,
    ) {
        let before = self.counters.full.charged();
        self.counters.full.called += 1;
        let bill = charges::comparison(self, left, right).unwrap_or_default();
        self.charge(&bill);
        self.note_charges(before, ip, fp);
    }

    /// Charges a Float that a short cut has made.
    #[inline(always)]
    pub(crate) fn charge_float(&mut self, ip: *const u64, fp: *const Value) {
        let before = self.counters.full.charged();
        let work = &mut self.counters.full.work;
        work.charge(Work::NumberBytes, charges::FLOAT_BYTES);
        self.note_charges(before, ip, fp);
    }

    fn is_simple(&self, simple: Simple, args: Args) -> bool {
        let is_number = |value: Value| value.is_int() || self.is_a(value, Known::Float);
        match simple {
            Simple::Never => false,
            Simple::Always => true,
            Simple::Numbers => {
                is_number(args.receiver(self))
                    && (0..args.count).all(|index| is_number(args.at(self, index)))
            }
            Simple::Elements => [
                Known::Array,
                Known::String,
                Known::WideString,
                Known::Symbol,
                Known::ByteArray,
            ]
            .into_iter()
            .any(|known| self.is_a(args.receiver(self), known)),
        }
    }
}
