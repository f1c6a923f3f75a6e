//! Solves expressions from the leaves to the root.

use crate::design::{Design, Sre};
use crate::error::PredictError;
use crate::pmf::{Exact, Rational, Times};

/// The most parallel tasks.
const MOST_TASKS: usize = 10_000;

/// Who executes parallel tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// CPUs take tasks in their order, the first that is free the next one. A task stays on its CPU.
    #[default]
    List,
    /// The operator of document 003: two lists of times, one time for each CPU, are merged by adding the longest and the shortest again and again. It treats
    /// dependent times as independent. For comparison only.
    Paper,
}

/// Solves the expressions of a design, one definition after the other.
pub(crate) struct Solver<'d, T: Times> {
    design: &'d Design,
    scale: &'d T::Scale,
    cpus: usize,
    scheduling: Scheduling,
    /// The values of definitions, by their numbers.
    known: Vec<Option<T>>,
    /// The most tasks of each of them that run at the same time.
    tasks: Vec<usize>,
}

/// The time of what the design predicts, on this number of equal CPUs. Actions outside of parallel tasks have a CPU at once.
///
/// # Errors
///
/// A distribution has too many points, or a task makes tasks and there are neither one CPU nor as many as tasks.
pub fn solve<T: Times>(
    design: &Design,
    scale: &T::Scale,
    cpus: usize,
    scheduling: Scheduling,
) -> Result<T, PredictError> {
    let mut solver = Solver::new(design, scale, cpus, scheduling);
    for &number in design.order() {
        let value = solver.value(design.expression(number))?;
        solver.know(number, Some(value));
    }
    let first = solver.known.into_iter().next().flatten();
    first.ok_or_else(|| PredictError::usage("the design is empty"))
}

impl<'d, T: Times> Solver<'d, T> {
    /// A solver that knows no definition.
    pub(crate) fn new(
        design: &'d Design,
        scale: &'d T::Scale,
        cpus: usize,
        scheduling: Scheduling,
    ) -> Solver<'d, T> {
        Solver {
            design,
            scale,
            cpus,
            scheduling,
            known: vec![None; design.len()],
            tasks: vec![1; design.len()],
        }
    }

    /// The value of a definition, or that it has none. Those of the names in it are known.
    pub(crate) fn know(&mut self, number: usize, value: Option<T>) {
        self.known[number] = value;
        self.tasks[number] = self.most_tasks(self.design.expression(number));
    }

    fn zero(&self) -> Result<T, PredictError> {
        T::of(&Exact::point(Rational::default()), self.scale)
    }

    /// What a name stands for, or the expression itself.
    fn seen<'e>(&'e self, expression: &'e Sre) -> &'e Sre {
        let mut seen = expression;
        while let Sre::Name(number) = seen {
            seen = self.design.expression(*number);
        }
        seen
    }

    /// The value of an expression whose names are known.
    pub(crate) fn value(&self, expression: &Sre) -> Result<T, PredictError> {
        match expression {
            Sre::Time(exact) => T::of(exact, self.scale),
            Sre::Name(number) => match self.known.get(*number) {
                Some(Some(value)) => Ok(value.clone()),
                // The order of definitions leaves none out.
                _ => Err(PredictError::usage("a name has no value")),
            },
            Sre::Sequence(parts) => self.sequence(parts),
            Sre::Alternatives(parts) => {
                let parts = parts.iter().map(|(weight, part)| {
                    let part = self.value(part)?;
                    Ok((weight.clone(), part))
                });
                T::mixture(&parts.collect::<Result<Vec<_>, PredictError>>()?)
            }
            Sre::Loop(body, counts) => self.value(body)?.repeated(counts),
            Sre::Parallel(tasks) if self.scheduling == Scheduling::List && self.cpus == 1 => {
                self.sequence(tasks)
            }
            Sre::Parallel(_) if self.most_tasks(expression) > MOST_TASKS => {
                let why = format!("at most {MOST_TASKS} tasks run at the same time");
                Err(PredictError::limit(why))
            }
            Sre::Parallel(tasks) => match self.scheduling {
                Scheduling::Paper => T::longest(&self.loads(expression)?),
                Scheduling::List => self.parallel(tasks),
            },
        }
    }

    fn sequence(&self, parts: &[Sre]) -> Result<T, PredictError> {
        let mut sum: Option<T> = None;
        for part in parts {
            let part = self.value(part)?;
            sum = Some(match sum {
                Some(sum) => sum.then(&part)?,
                None => part,
            });
        }
        sum.map_or_else(|| self.zero(), Ok)
    }

    fn parallel(&self, tasks: &[Sre]) -> Result<T, PredictError> {
        let mut all = Vec::new();
        self.add_tasks(tasks, &mut all);
        let values = all.iter().map(|task| self.value(task));
        let values: Vec<T> = values.collect::<Result<_, PredictError>>()?;
        let each = all.iter().map(|task| self.most_tasks(task));
        if each.clone().sum::<usize>() <= self.cpus {
            return T::longest(&values);
        }
        if each.max().is_some_and(|most| most > 1) {
            let why = "a task has parallel tasks of its own: such designs are predicted for one CPU, and for as many as there are tasks";
            return Err(PredictError::limit(why));
        }
        T::listed(&values, self.cpus)
    }

    /// The tasks one by one. A group of tasks that is itself a task begins with the others.
    fn add_tasks<'e>(&'e self, tasks: &'e [Sre], all: &mut Vec<&'e Sre>) {
        for task in tasks {
            match self.seen(task) {
                Sre::Parallel(inner) => self.add_tasks(inner, all),
                _ => all.push(task),
            }
        }
    }

    /// The most tasks of an expression that run at the same time, at least 1.
    fn most_tasks(&self, expression: &Sre) -> usize {
        match expression {
            Sre::Time(_) => 1,
            Sre::Name(number) => self.tasks[*number],
            Sre::Sequence(parts) => {
                let all = parts.iter().map(|part| self.most_tasks(part));
                all.max().unwrap_or(1)
            }
            Sre::Alternatives(parts) => {
                let all = parts.iter().map(|(_, part)| self.most_tasks(part));
                all.max().unwrap_or(1)
            }
            Sre::Loop(body, _) => self.most_tasks(body),
            Sre::Parallel(tasks) => {
                let all = tasks.iter().map(|task| self.most_tasks(task));
                all.fold(0, usize::saturating_add)
            }
        }
    }

    /// One time for each CPU, the longest first (document 003).
    fn loads(&self, expression: &Sre) -> Result<Vec<T>, PredictError> {
        let Sre::Parallel(tasks) = self.seen(expression) else {
            let mut loads = vec![self.value(expression)?];
            loads.resize(self.cpus, self.zero()?);
            return Ok(loads);
        };
        let mut merged: Option<Vec<T>> = None;
        for task in tasks {
            let loads = self.loads(task)?;
            merged = Some(match merged {
                Some(before) => self.merged(before, loads)?,
                None => loads,
            });
        }
        merged.ok_or_else(|| PredictError::usage("there is no task"))
    }

    fn merged(&self, mut loads: Vec<T>, more: Vec<T>) -> Result<Vec<T>, PredictError> {
        loads.extend(more);
        let sorted = T::sorted(&loads)?;
        let pairs = sorted.iter().zip(sorted.iter().rev()).take(self.cpus);
        pairs.map(|(long, short)| long.then(short)).collect()
    }
}
