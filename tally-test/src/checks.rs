//! The assertions of a [`Session`] as functions. Each sends one message to a TestAsserter of the session; the
//! TestAsserter decides and writes the explanation. The macros are in `macros`.

use tally_profiler::{CostName, LimitKind};
use tally_vm::Vm;
use tally_workbench::ErrorKind;
use tally_workbench::testing::discovery::elements;

use crate::error::Error;
use crate::session::{EXPRESSION, Session};
use crate::thread::on_a_large_stack;
use crate::value::{quoted, symbol};

/// The global that holds the block with the assertion, and the text that evaluates it.
const ASSERTION: &str = "TallyAssertion";
const EVALUATION: &str = "| failure | CountedEvaluation reset. \
    TallyAssertion on: CountedAssertionFailure do: [:it | failure := it messageText. it return: nil]. \
    {failure} , CountedEvaluation notes";

/// The outcome of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    failure: Option<String>,
    notes: Vec<String>,
}

impl Assertion {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.failure.is_none()
    }

    /// Why it does not hold: both counts, their difference, and the methods that account for it, with their places.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Remarks about an assertion that holds: costs that moved against the sends (counting model, 8), ratchets that could
    /// be lowered.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// A kind of limit, as the library calls it.
fn kind_name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Max => "max",
        LimitKind::Exact => "exact",
        LimitKind::Ratchet => "ratchet",
    }
}

/// The result of an assertion.
type Asserted = Result<Assertion, Error>;

/// Each assertion fails to come about, with an [`Error`], if something in it does not compile or ends by an error.
#[allow(clippy::missing_errors_doc)] // said above, once for all
impl Session {
    /// Sends a message to a TestAsserter, like `assert: [3 + 4] sendsAtMost: 1`, in a copy of the session's machine.
    ///
    /// ```
    /// let mut session = tally_test::Session::new()?;
    /// let asserted = session.assertion("assert: [3 + 4] sendsAtMost: 0")?;
    /// assert_eq!(
    ///     asserted.failure(),
    ///     Some("expected at most 0 sends, counted 1: 1 more\n       sends  method\n           1  <expression> (<expression>:1)")
    /// );
    /// # Ok::<(), tally_test::Error>(())
    /// ```
    pub fn assertion(&mut self, message: &str) -> Asserted {
        self.asserted(&[], message)
    }

    /// Sends a message in which these expressions stand. They are compiled alone first, so that a mistake is shown in the
    /// expression itself.
    ///
    /// The block with the assertion outlives the script that makes it. So a `^` in an expression is an error, and cannot pass
    /// for an answer.
    fn asserted(&mut self, expressions: &[&str], message: &str) -> Asserted {
        on_a_large_stack(|| {
            let mut copy = self.copy();
            for expression in expressions {
                self.unit(&copy.vm, EXPRESSION, expression)?;
            }
            let text = format!("[TestAsserter new {message}]");
            self.hold(&mut copy, ASSERTION, &text)?;
            let unit = self.unit(&copy.vm, EXPRESSION, EVALUATION)?;
            copy.vm.reset_counters();
            self.run(&mut copy, message, unit)?;
            answered(&copy.vm).ok_or_else(|| {
                let why =
                    format!("[{message}] has no outcome: the program replaces a class that counts");
                Error::new(ErrorKind::Failed, why)
            })
        })?
    }

    /// Whether the first expression sends fewer messages than the second.
    pub fn faster_than(&mut self, first: &str, second: &str) -> Asserted {
        self.asserted(
            &[first, second],
            &format!("assertIs: [{first}] fasterThan: [{second}]"),
        )
    }

    /// Whether the first expression's sends, multiplied by the ratio, do not exceed the second's. The ratio is an expression
    /// too: `5/3` stands for 40 % fewer.
    pub fn faster_than_by(&mut self, first: &str, second: &str, ratio: &str) -> Asserted {
        self.asserted(
            &[first, second, ratio],
            &format!("assertIs: [{first}] fasterThan: [{second}] by: ({ratio})"),
        )
    }

    /// Whether the expression sends exactly the expected number of messages.
    pub fn sends(&mut self, source: &str, sends: u64) -> Asserted {
        self.asserted(
            &[source],
            &format!("assert: [{source}] sendsExactly: {sends}"),
        )
    }

    /// Whether the expression sends no more messages.
    pub fn sends_at_most(&mut self, source: &str, sends: u64) -> Asserted {
        self.asserted(
            &[source],
            &format!("assert: [{source}] sendsAtMost: {sends}"),
        )
    }

    /// Whether the expression sends the message with that selector exactly so often.
    pub fn sends_selector(&mut self, source: &str, selector: &str, times: u64) -> Asserted {
        let selector = symbol(selector);
        self.asserted(
            &[source],
            &format!("assert: [{source}] sends: {selector} times: {times}"),
        )
    }

    /// Whether the expression makes no more objects.
    pub fn allocates_at_most(&mut self, source: &str, objects: u64) -> Asserted {
        self.asserted(
            &[source],
            &format!("assert: [{source}] allocatesAtMost: {objects}"),
        )
    }

    /// Whether evaluating the expression takes no more ticks on as many CPUs as there are processors, until all processors are idle.
    pub fn spans_at_most(&mut self, source: &str, ticks: u64) -> Asserted {
        self.asserted(
            &[source],
            &format!("assert: [{source}] spansAtMost: {ticks}"),
        )
    }

    /// The same on a number of CPUs.
    pub fn spans_at_most_on(&mut self, source: &str, cpus: u64, ticks: u64) -> Asserted {
        self.asserted(
            &[source],
            &format!("assert: [{source}] onCpus: {cpus} spansAtMost: {ticks}"),
        )
    }

    /// Whether the ticks that the expression takes on a number of CPUs, multiplied by the ratio, do not exceed those on one CPU. The ratio is an
    /// expression too.
    pub fn faster_on_cpus(&mut self, source: &str, cpus: u64, ratio: &str) -> Asserted {
        self.asserted(
            &[source, ratio],
            &format!("assert: [{source}] onCpus: {cpus} isFasterBy: ({ratio})"),
        )
    }

    /// Whether no more activations are under way at once in the expression.
    pub fn max_depth(&mut self, source: &str, depth: u64) -> Asserted {
        self.asserted(&[source], &format!("assert: [{source}] maxDepth: {depth}"))
    }

    /// Whether the sends of a block, like `[:n | n factorial]`, grow with these sizes as `class` says: `constant`,
    /// `logarithmic`, `linear`, `linearithmic`, `quadratic` or `cubic`.
    pub fn grows(&mut self, block: &str, sizes: &[u64], class: &str) -> Asserted {
        let (sizes, class) = (array(sizes), symbol(class));
        self.asserted(
            &[block],
            &format!("assert: {block} over: {sizes} grows: {class}"),
        )
    }

    /// Whether the sends of a block grow with these sizes no faster than `class` says.
    pub fn grows_at_most(&mut self, block: &str, sizes: &[u64], class: &str) -> Asserted {
        let (sizes, class) = (array(sizes), symbol(class));
        self.asserted(
            &[block],
            &format!("assert: {block} over: {sizes} growsAtMost: {class}"),
        )
    }

    /// Gives the session a budget, which [`Session::within`] refers to by its name.
    pub fn budget(
        &mut self,
        name: &str,
        limits: &[(CostName, LimitKind, u64)],
    ) -> Result<(), Error> {
        let limits: Vec<String> = limits
            .iter()
            .map(|(cost, kind, limit)| format!("#{} #{} {limit}", cost.name(), kind_name(*kind)))
            .collect();
        let text = format!(
            "CountedBudget name: {} limits: #({})",
            quoted(name),
            limits.join(" ")
        );
        self.load("<budget>", &text)
    }

    /// Whether the expression keeps the limits of the budget of that name.
    pub fn within(&mut self, source: &str, budget: &str) -> Asserted {
        let budget = quoted(budget);
        self.asserted(&[source], &format!("assert: [{source}] within: {budget}"))
    }
}

/// A literal Array.
fn array(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("#({})", numbers.join(" "))
}

/// Reads the machine's last result: the text of the failure or nil, then the notes.
fn answered(vm: &Vm) -> Option<Assertion> {
    let answer = elements(vm, vm.result());
    let (failure, notes) = answer.split_first()?;
    let failure = match failure.is_nil() {
        true => None,
        false => Some(vm.text_of(*failure)?),
    };
    let notes = notes.iter().filter_map(|note| vm.text_of(*note)).collect();
    Some(Assertion { failure, notes })
}
