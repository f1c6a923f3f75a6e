//! Runs of an expression at sizes: what predictions are learnt from.

use std::collections::BTreeMap;
use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::render::render;
use tally_predict::{COUNTERS, Observation, Service, Sizes, Wanted};
use tally_vm::bytecode::Unit;
use tally_vm::{ContextKind, Detail, Limit, Outcome, Recorded, Vm};

use crate::error::{Error, ErrorKind};
use crate::loading::{Program, ended};
use crate::outside::kept::{Keeper, Kept};
use crate::outside::permissions::Permissions;
use crate::testing::discovery::elements;

/// The name of the expression in messages.
const EXPRESSION: &str = "<expression>";
/// Between the parts of a context's name.
const BELOW: &str = " > ";

/// A loaded program, of which an expression is evaluated at sizes, each time in a copy of the machine.
pub struct Learner {
    program: Program,
    permissions: Permissions,
    expression: String,
    /// The method whose calls are counted; none if all is.
    service: Option<String>,
    names: Vec<String>,
    most_sends: Option<u64>,
}

impl Learner {
    /// A learner of a program whose scripts have run.
    pub fn new(
        program: Program,
        permissions: Permissions,
        expression: &str,
        service: Option<&str>,
        most_sends: Option<u64>,
    ) -> Learner {
        Learner {
            program,
            permissions,
            expression: expression.to_string(),
            service: service.map(str::to_string),
            names: Vec::new(),
            most_sends,
        }
    }

    /// What is counted.
    fn counters(&self) -> Vec<&'static str> {
        let is_of_contexts = |name: &&&str| !["repetitions", "steps"].contains(*name);
        let all = COUNTERS.iter();
        match self.service {
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
        let functions = tally_predict::learn(sizes, &counters, &mut |at, wanted| {
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
            let service = self.service.as_deref().unwrap_or(EXPRESSION);
            let why = format!("{service} is never called, whatever the size");
            return Err(Error::new(ErrorKind::Nothing, why));
        }
        Ok(Service {
            name: self
                .service
                .clone()
                .unwrap_or_else(|| self.expression.clone()),
            expression: self.expression.clone(),
            model: tally_vm::MODEL_VERSION,
            library: tally_profiler::hexadecimal(self.program.vm.library_digest()),
            parameters: sizes.names.clone(),
            functions,
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
        let numbers = elements(&copy.vm, result)
            .into_iter()
            .map(tally_vm::Value::as_int);
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
        let names = self.names.join(" ");
        let set = self.names.iter().zip(at);
        let set: String = set.map(|(name, n)| format!("{name} := {n}. ")).collect();
        let text = format!("| {names} | {set}{}", self.expression);
        let unit = compiled(&copy.vm, &text)?;
        let most = [self.most_sends, wanted.most_ticks]
            .into_iter()
            .flatten()
            .min();
        copy.vm.reset_counters();
        copy.vm.count_everything();
        copy.vm.keep_failures();
        copy.vm.allow_ticks(most);
        let detail = Detail {
            sites: true,
            ..Detail::default()
        };
        copy.vm.start_profile(detail);
        let outcome = copy.vm.run_unit(Arc::new(unit));
        let cost = copy.vm.cost();
        let recorded = copy.vm.finish_profile();
        let is_long = outcome == Outcome::Limit(Limit::Ticks) && most != self.most_sends;
        if is_long || (outcome != Outcome::Finished && !wanted.is_needed) {
            return Ok(None);
        }
        self.check(&mut copy, &outcome, at)?;
        if !recorded.is_complete {
            let why = "too many contexts of calls to keep them apart";
            return Err(Error::new(ErrorKind::Limit, why));
        }
        let mut contexts = self.contexts(&copy.vm, &recorded, counters);
        if self.service.is_none() {
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
        Ok(Some(Observation {
            ticks: cost.sends.saturating_add(cost.loops),
            bytes: cost.allocations.bytes,
            contexts,
        }))
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
        Err(Error::new(error.kind(), format!("at {sizes}: {why}")))
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
            let path = match (&self.service, above) {
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
