//! Response times as distributions, after document 003 (Happe, Koziolek, Reussner: *Parametric Performance Contracts for Software Components with Concurrent
//! Behaviour*, 2007). A design says which actions follow each other, which are alternatives, which are repeated, and which are parallel tasks. Each
//! action has a distribution of times. All actions are independent. The crate knows no machine.
//!
//! ```
//! use tally_predict::{Design, Options, predict};
//!
//! let design = Design::read("z = a; b^2\n a = 2\n b = [(3; 1/2) (5; 1/2)]").unwrap();
//! let found = predict(&design, &Options::default()).unwrap();
//! assert_eq!(found.mean(), 10.0);
//! ```

mod design;
mod error;
mod fitting;
mod notation;
mod parallel;
mod pmf;
mod prediction;
mod report;
mod service;
mod solving;
mod span;

pub use design::{Design, Sre};
pub use error::{ErrorKind, PredictError};
pub use fitting::{
    Approximation, Class, Fit, Formula, Predicted, Recurrence, Regular, Table, Term, fit,
    parameters, ranges,
};
pub use notation::share_of_per_cent;
pub use pmf::{Exact, Grid, Pmf, Rational, Times, Zoom};
pub use prediction::{Options, predict};
pub use report::{Row, document, rational_text, report};
pub use service::{
    Bound, COUNTERS, Crossing, Function, Learnt, Observation, Part, Run, Service, ServiceDocument,
    Sizes, Values, Wanted, Within, crossing_report, crossings, largest_within, learn,
    service_report, within_report,
};
pub use solving::{Scheduling, solve};
