//! From counters to conclusions: profiles, rankings, identities, JSON, comparisons and assertions
//! about counts. What the numbers mean is the counting model's business, `docs/COUNTING.md`; taking
//! them is the machine's. Nothing is printed here and no source text is compiled: the command and
//! the tests do that, and hand in a [`Compile`] where an assertion needs it.

mod assertions;
mod collect;
mod compare;
mod context_tree;
mod export;
mod html;
mod identities;
mod inlined;
mod json;
mod places;
mod profile;
mod rank;
pub mod recording;
mod report;
mod svg;
mod text;

pub use assertions::{AssertionError, Compile, Session, Verdict};
pub use compare::{Change, Comparison, Incomparable, MethodChange, compare};
pub use export::{ExportError, ExportFormat, FORMATS};
pub use html::html_report;
pub use identities::{Violation, check_identities};
pub use inlined::{inlined, inlined_report};
pub use json::{PROFILE_SCHEMA, ReadError, from_json, to_json};
pub use profile::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Description, Ending, Limits,
    MethodProfile, Profile, Site, fnv1a,
};
pub use rank::{Order, ranked};
pub use report::{comparison_report, cost_report, profile_report};
pub use svg::flame_svg;
pub use text::{Align, Layout, grouped, share, signed};
