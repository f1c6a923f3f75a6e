//! Runs of an expression at sizes: what predictions are learnt from.

use std::collections::BTreeMap;
use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::render::render;
use tally_predict::{COUNTERS, Learnt, Observation, Service, Sizes, Wanted};
use tally_vm::bytecode::Unit;
use tally_vm::{ContextKind, Detail, Limit, Outcome, Recorded, Value, Vm};

use crate::error::{Error, ErrorKind};
use crate::loading::{Program, ended};
use crate::outside::kept::{Keeper, Kept};
use crate::outside::permissions::Permissions;
use crate::testing::discovery::elements;

/// The name of the expression in messages.
const EXPRESSION: &str = "<expression>";
/// Between the parts of a context's name.
const BELOW: &str = " > ";

/// The variable with what was made before the counting began.
const GIVEN: &str = "it";

/// What is evaluated at each size, and what of it is counted.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Statements that are not counted. The variable `it` has the value of the last.
    pub given: Option<String>,
    /// The statements that are counted.
    pub expression: String,
    /// The method whose calls are counted, with all below; none if all is.
    pub service: Option<String>,
}

/// A loaded program, of which an expression is evaluated at sizes, each time in a copy of the machine.
pub struct Learner {
    program: Program,
    permissions: Permissions,
    subject: Subject,
    names: Vec<String>,
    most_sends: Option<u64>,
}

impl Learner {
    /// A learner of a program whose scripts have run.
    pub fn new(
        program: Program,
        permissions: Permissions,
        subject: Subject,
        most_sends: Option<u64>,
    ) -> Learner {
        Learner {
            program,
            permissions,
            subject,
            names: Vec::new(),
            most_sends,
        }
    }

    /// What is counted.
    fn counters(&self) -> Vec<&'static str> {
        let is_of_contexts = |name: &&&str| !["repetitions", "steps"].contains(*name);
        let all = COUNTERS.iter();
        match self.subject.service {
            None => all.copied().collect(),
            // Which context repeats a loop is not recorded.
            Some(_) => all.filter(is_of_contexts).copied().collect(),
        }
    }

    /// The functions of the service.
    ///
    /// # Errors
    ///
    /// The expression does not compile, a run fails or reaches a limit, or the service is never called.
    pub fn learn(&mut self, sizes: &Sizes) -> Result<Service, Error> {
        self.names.clone_from(&sizes.names);
        let counters = self.counters();
        let mut was_called = false;
        let Learnt { functions, ended } =
            tally_predict::learn(sizes, &counters, &mut |at, wanted| {
                let found = self.observe(at, wanted, &counters)?;
                was_called |= found.as_ref().is_some_and(|one| !one.contexts.is_empty());
                Ok::<_, Error>(found)
            })?;
        if functions
            .first()
            .is_none_or(|one| one.table.points.is_empty())
        {
            let why = "the smallest size needs too many sends: give sizes, as in --sizes n=1..8";
            return Err(Error::new(ErrorKind::Limit, why));
        }
        if !was_called {
            let service = self.subject.service.as_deref().unwrap_or(EXPRESSION);
            let why = format!("{service} is never called, whatever the size");
            return Err(Error::new(ErrorKind::Nothing, why));
        }
        Ok(Service {
            name: self
                .subject
                .service
                .clone()
                .unwrap_or_else(|| self.subject.expression.clone()),
            expression: self.subject.expression.clone(),
            model: tally_vm::MODEL_VERSION,
            library: tally_profiler::hexadecimal(self.program.vm.library_digest()),
            parameters: sizes.names.clone(),
            functions,
            ended,
        })
    }

    /// The numbers of a collection that an expression answers; none if it answers nil.
    ///
    /// # Errors
    ///
    /// The expression does not compile or fails, or answers something else.
    pub fn list(&mut self, expression: &str) -> Result<Option<Vec<i64>>, Error> {
        let mut copy = self.copy();
        let text = format!("({expression}) ifNotNil: [:all | all asArray]");
        let unit = compiled(&copy.vm, &text)?;
        copy.vm.keep_failures();
        copy.vm.allow_ticks(self.most_sends);
        let outcome = copy.vm.run_unit(Arc::new(unit));
        self.check(&mut copy, &outcome, &[])?;
        let result = copy.vm.result();
        if result.is_nil() {
            return Ok(None);
        }
        let numbers = elements(&copy.vm, result).into_iter().map(Value::as_int);
        let numbers: Option<Vec<i64>> = numbers.collect();
        numbers.map(Some).ok_or_else(|| {
            let why = format!("{expression}: a collection of whole numbers is expected");
            Error::new(ErrorKind::Usage, why)
        })
    }

    /// The counts at a size; none if that needs more ticks than are wanted, or fails and is not needed.
    fn observe(
        &mut self,
        at: &[i64],
        wanted: Wanted,
        counters: &[&str],
    ) -> Result<Option<Observation>, Error> {
        let mut copy = self.copy();
        if !self.prepare(&mut copy, at, wanted)? {
            return Ok(None);
        }
        let before = copy.vm.cost();
        let unit = compiled(&copy.vm, &self.subject.expression)?;
        copy.vm.reset_counters();
        copy.vm.count_everything();
        let detail = Detail {
            sites: true,
            ..Detail::default()
        };
        copy.vm.start_profile(detail);
        let outcome = self.run(&mut copy.vm, unit, wanted);
        let cost = copy.vm.cost();
        let recorded = copy.vm.finish_profile();
        if !self.is_finished(&mut copy, &outcome, at, wanted)? {
            return Ok(None);
        }
        if !recorded.is_complete {
            let why = "too many contexts of calls to keep them apart";
            return Err(Error::new(ErrorKind::Limit, why));
        }
        let mut contexts = self.contexts(&copy.vm, &recorded, counters);
        if self.subject.service.is_none() {
            let whole = contexts.entry(String::new());
            let whole = whole.or_insert_with(|| vec![0; counters.len()]);
            for (name, count) in counters.iter().zip(whole) {
                match *name {
                    "repetitions" => *count = cost.loops,
                    "steps" => *count = cost.steps,
                    _ => {}
                }
            }
        }
        // What is not counted takes its time and memory, too.
        let both = [before, cost];
        let ticks = both.iter().map(|one| one.sends.saturating_add(one.loops));
        let bytes = both.iter().map(|one| one.allocations.bytes);
        Ok(Some(Observation {
            ticks: ticks.fold(0, u64::saturating_add),
            bytes: bytes.fold(0, u64::saturating_add),
            contexts,
        }))
    }

    /// Gives the variables their values. Answers whether that came to its end.
    fn prepare(&self, copy: &mut Copy, at: &[i64], wanted: Wanted) -> Result<bool, Error> {
        for (name, n) in self.names.iter().zip(at) {
            let n = Value::try_int(*n).ok_or_else(|| {
                let why = format!("{name} = {n} is no small integer");
                Error::new(ErrorKind::Limit, why)
            })?;
            copy.vm.set_global(name, n);
        }
        copy.vm.reset_counters();
        copy.vm.count_everything();
        let Some(given) = &self.subject.given else {
            return Ok(true);
        };
        let unit = compiled(&copy.vm, given)?;
        let outcome = self.run(&mut copy.vm, unit, wanted);
        let is_finished = self.is_finished(copy, &outcome, at, wanted)?;
        let value = copy.vm.result();
        copy.vm.set_global(GIVEN, value);
        Ok(is_finished)
    }

    fn run(&self, vm: &mut Vm, unit: Unit, wanted: Wanted) -> Outcome {
        vm.keep_failures();
        let limits = [self.most_sends, wanted.most_ticks].into_iter();
        vm.allow_ticks(limits.flatten().min());
        vm.run_unit(Arc::new(unit))
    }

    /// Whether a run came to its end.
    ///
    /// # Errors
    ///
    /// It did not, and is needed.
    fn is_finished(
        &self,
        copy: &mut Copy,
        outcome: &Outcome,
        at: &[i64],
        wanted: Wanted,
    ) -> Result<bool, Error> {
        let may_be_long = wanted
            .most_ticks
            .is_some_and(|most| self.most_sends.is_none_or(|most_sends| most < most_sends));
        match outcome {
            Outcome::Finished => Ok(true),
            Outcome::Limit(Limit::Ticks) if may_be_long => Ok(false),
            _ if !wanted.is_needed => Ok(false),
            _ => self.check(copy, outcome, at).map(|()| false),
        }
    }

    fn copy(&mut self) -> Copy {
        let (kept, host) = Kept::host(&self.permissions, &Arc::default());
        Copy {
            vm: self.program.vm.fork(Box::new(host)),
            _kept: kept,
        }
    }

    /// Fails if a run did not come to its end.
    fn check(&self, copy: &mut Copy, outcome: &Outcome, at: &[i64]) -> Result<(), Error> {
        let Err(error) = ended(outcome) else {
            return Ok(());
        };
        let sizes = self.names.iter().zip(at);
        let sizes = sizes.map(|(name, n)| format!("{name} = {n}"));
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        let failures = copy.vm.take_failures();
        let failure = failures.iter().rev().find(|failure| failure.is_unhandled);
        let why = match failure {
            Some(failure) => failure.message.clone(),
            None => error.message().to_string(),
        };
        let place = match at {
            [] => String::new(),
            _ => format!("at {sizes}: "),
        };
        Err(Error::new(error.kind(), place + &why))
    }

    /// The counts of contexts by their paths, from the service on.
    fn contexts(
        &self,
        vm: &Vm,
        recorded: &Recorded,
        counters: &[&str],
    ) -> BTreeMap<String, Vec<u64>> {
        let mut made = vec![(0, 0); recorded.contexts.len()];
        for row in &recorded.made {
            let sum: &mut (u64, u64) = &mut made[row.context as usize];
            sum.0 = sum.0.saturating_add(row.allocations.objects);
            sum.1 = sum.1.saturating_add(row.allocations.bytes);
        }
        let mut paths: Vec<Option<String>> = Vec::with_capacity(recorded.contexts.len());
        let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (context, (objects, bytes)) in recorded.contexts.iter().zip(made) {
            let name = match context.kind {
                ContextKind::Run | ContextKind::Other => String::new(),
                ContextKind::Method(id) => vm.method_name(id),
                ContextKind::Block(id, number) => format!("[{number}] in {}", vm.method_name(id)),
            };
            let above = paths.get(context.parent as usize).cloned().flatten();
            let path = match (&self.subject.service, above) {
                (_, Some(above)) if above.is_empty() => Some(name),
                (_, Some(above)) => Some(above + BELOW + &name),
                (None, None) => Some(name),
                (Some(service), None) => (name == *service).then_some(name),
            };
            if let Some(path) = &path {
                let counts = counters.iter().map(|name| match *name {
                    "sends" => context.own,
                    "objects" => objects,
                    "bytes" => bytes,
                    "work" => context.work,
                    _ => 0,
                });
                let row = found.entry(path.clone());
                let row = row.or_insert_with(|| vec![0; counters.len()]);
                for (sum, count) in row.iter_mut().zip(counts) {
                    *sum = sum.saturating_add(count);
                }
            }
            paths.push(path);
        }
        found
    }
}

fn compiled(vm: &Vm, text: &str) -> Result<Unit, Error> {
    let compiled = tally_compiler::compile(EXPRESSION, text, &MachineEnvironment(vm));
    compiled.unit.ok_or_else(|| {
        let why = render(&compiled.diagnostics, EXPRESSION, text, false);
        Error::new(
            ErrorKind::Source,
            format!("the expression does not compile:\n{}", why.trim_end()),
        )
    })
}

/// A copy of the machine, whose output is thrown away.
struct Copy {
    vm: Vm,
    _kept: Keeper,
}
