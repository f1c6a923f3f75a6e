//! Counted tests in `cargo test`, for Smalltalk code that is embedded in Rust.
//!
//! Tally is a Smalltalk whose machine counts every message send exactly. The same code gives the same counts on every
//! machine, so a test of a count never fails by noise. A [`Session`] loads Smalltalk code and evaluates expressions in it. The
//! macros assert what the expressions cost.
//!
//! # A complete example
//!
//! The crate is not on a registry. In a package, say that of `cargo new --lib bank`, name it by its path in a clone of Tally's
//! repository. This is the whole `Cargo.toml`:
//!
//! ```toml
//! [package]
//! name = "bank"
//! version = "0.1.0"
//! edition = "2024"
//!
//! [dev-dependencies]
//! tally-test = { path = "../tally/tally-test" }
//!
//! # Without optimisation Tally's machine is many times slower. The counts are the same.
//! [profile.dev.package."*"]
//! opt-level = 1
//! ```
//!
//! This is the whole file `tests/bank.rs`:
//!
//! ```rust,test_harness
//! use tally_test::{Error, Session, assert_grows_at_most, assert_sends, assert_sends_at_most};
//!
//! // `Builder::file` would load the code from a file of its own.
//! const BANK: &str = "
//! Object subclass: Account [
//!     | entries |
//!     initialize [ entries := OrderedCollection new ]
//!     deposit: anInteger [ entries add: anInteger ]
//!     balance [ ^entries inject: 0 into: [ :sum :each | sum + each ] ]
//!     Account class >> with: n [
//!         | account |
//!         account := self new.
//!         1 to: n do: [ :i | account deposit: i ].
//!         ^account
//!     ]
//! ]";
//!
//! fn bank() -> Result<Session, Error> {
//!     Session::builder().text("bank.st", BANK).build()
//! }
//!
//! #[test]
//! fn deposits_are_summed() -> Result<(), Error> {
//!     let answer = bank()?.eval("Account new deposit: 30; deposit: 12; balance")?;
//!     assert_eq!(answer.value, 42);
//!     Ok(())
//! }
//!
//! #[test]
//! fn a_deposit_is_cheap() -> Result<(), Error> {
//!     let mut bank = bank()?;
//!     assert_sends!(bank, "Account new", 7);
//!     assert_sends_at_most!(bank, "Account new deposit: 30", 20);
//!     Ok(())
//! }
//!
//! #[test]
//! fn the_message_alone_is_counted() -> Result<(), Error> {
//!     let answer = bank()?.call("Account with: 100", "deposit:", &[30.into()])?;
//!     assert!(answer.cost.sends < 10, "{} sends", answer.cost.sends);
//!     assert_eq!(answer.cost.allocations.objects, 0);
//!     Ok(())
//! }
//!
//! #[test]
//! fn the_balance_takes_linear_time() -> Result<(), Error> {
//!     let sizes = [10, 100, 1000, 10000];
//!     assert_grows_at_most!(bank()?, "[ :n | (Account with: n) balance ]", &sizes, "linear");
//!     Ok(())
//! }
//! ```
//!
//! `cargo test` runs it. The first build takes a few minutes. It needs a C compiler, because Tally's store of measurements is
//! SQLite.
//!
//! # What a session offers
//!
//! | function | gives |
//! | --- | --- |
//! | [`Session::new`] | a session with Tally's library |
//! | [`Session::builder`] | a session with files, texts, the project of a `tally.toml`, limits and permissions |
//! | [`Session::load`] | loads a text into the session |
//! | [`Session::eval`] | the value of an expression, its cost, and what it printed |
//! | [`Session::call`] | the same for one message, without the cost of its receiver |
//! | [`Session::cost`], [`Session::compare`] | the cost of an expression; of two expressions |
//! | [`Session::assertion`] | the outcome of any assertion of Tally's `TestAsserter` |
//! | [`Session::run_tests`] | the outcomes of the tests that the Smalltalk code defines itself |
//! | [`Session::sends`] and others | the outcome of one kind of assertion, for tests that go on after a failure |
//!
//! Each expression is evaluated in a copy of the session's machine. So the order of expressions has no effect on a value or a
//! count. [`Session::load`] alone changes the session.
//!
//! | macro | fails unless |
//! | --- | --- |
//! | [`assert_faster_than!`] | the first expression sends fewer messages than the second |
//! | [`assert_sends!`], [`assert_sends_at_most!`] | the expression sends exactly a number of messages; no more than a number |
//! | [`assert_sends_selector!`] | it sends one message exactly a number of times |
//! | [`assert_allocates_at_most!`] | it makes no more objects |
//! | [`assert_max_depth!`] | no more activations are under way at once |
//! | [`assert_grows!`], [`assert_grows_at_most!`] | the sends of a block grow with the size as the class says; no faster |
//! | [`assert_tests_pass!`] | all tests pass that the Smalltalk code defines itself |
//! | [`assert_within!`] | the expression keeps a budget, of the project or of [`Session::budget`] |
//!
//! A failed assertion panics at the line of the test. Its message names the methods with the largest shares:
//!
//! ```
//! # let mut session = tally_test::Session::new()?;
//! # session.load("counter.st", "Object subclass: Counter [\n    Counter class >> next [ ^3 + 4 ]\n]")?;
//! let asserted = session.sends("Counter next", 9)?;
//! let expected = "\
//! expected exactly 9 sends, counted 2: 7 fewer
//!        sends  method
//!            1  <expression> (<expression>:1)
//!            1  Counter class>>next (counter.st:2)";
//! assert_eq!(asserted.failure(), Some(expected));
//! # Ok::<(), tally_test::Error>(())
//! ```
//!
//! # Errors
//!
//! Everything that a text can do wrong is an [`Error`] with a [kind](Error::kind). Its text has the line of source with a caret.
//! A macro panics with the same text.
//!
//! ```
//! use tally_test::{ErrorKind, Session};
//!
//! let mut session = Session::builder().max_sends(1_000_000).build()?;
//!
//! // A text that does not compile. The message shows the place with a caret.
//! let error = session.eval("3 + ]").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Source);
//! assert!(error.to_string().contains("\n1 | 3 + ]\n"));
//!
//! // An error in the program.
//! let error = session.eval("3 / 0").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Failed);
//!
//! // A loop without end.
//! let error = session.eval("[ true ] whileTrue: []").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Limit);
//!
//! // A file without permission.
//! let error = session.eval("'numbers.txt' asFileReference contents").unwrap_err();
//! assert!(error.to_string().contains("help: Builder::allow_read"));
//!
//! // The session goes on.
//! assert_eq!(session.eval("6 * 7")?.value, 42);
//! # Ok::<(), tally_test::Error>(())
//! ```
//!
//! # What a count does not see
//!
//! A count of sends is a proxy for time. It excludes work inside primitives: `a replaceFrom: 1 to: n with: b` is one send for
//! every `n`. It excludes the collector, input and output, and the caches of the processor. It also excludes all Rust code around
//! the session.
//!
//! [`CostVector`] has other counts beside the sends: repetitions of inlined loops, activations, primitives by name, objects and
//! their bytes, and `work`, the weighted sum of all counts, which has a part for what primitives do. A comparison of sends looks at them too. If they moved the other way, the assertion holds and a note goes to
//! standard error, and [`Assertion::notes`] has it.
//!
//! Control messages with literal blocks, such as `ifTrue:` and `to:do:`, are inlined by the compiler and are no sends. The file
//! `docs/COUNTING.md` in Tally's repository defines every number.

/// The guide's chapter: its Rust code is compiled and run by the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/src/counted-tests-in-rust.md")]
pub struct Chapter;

mod builder;
mod checks;
mod error;
mod heard;
mod macros;
mod session;
mod suite;
mod thread;
mod value;

pub use builder::Builder;
pub use checks::Assertion;
pub use error::Error;
#[doc(hidden)]
pub use macros::{settle, settle_tests};
pub use session::{Answer, Comparison, Session};
pub use suite::Tested;
pub use tally_profiler::{CostName, CostVector, LimitKind};
pub use tally_workbench::ErrorKind;
pub use value::Value;
