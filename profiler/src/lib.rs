//! One run: profiles, rankings, scopes, identities, recordings, exports and reports. The counting model,
//! `docs/COUNTING.md`, defines the numbers; the machine counts them. The crates in `analyses/` look at several runs. This
//! crate prints nothing and compiles no source text.

#[cfg(test)]
extern crate self as tally_profiler;

mod collect;
mod context_tree;
mod counts;
pub mod cycles;
mod definitions;
#[cfg(test)]
mod examples;
mod export;
mod flame;
mod fold;
mod html;
mod identities;
mod import;
mod inlined;
mod json;
mod pattern;
mod places;
mod profile;
mod rank;
pub mod recording;
mod report;
mod samples;
mod scope;
mod sources;
mod tree;
mod unit;

pub use collect::{Identity, hexadecimal, identity};
pub use counts::{CostName, Costs, ExplorationCosts, LimitKind, ProcessorCosts, TestCounts};
pub use definitions::{code_digest, definitions, sends};
pub use export::{ExportError, ExportFormat, FORMATS};
pub use flame::flame_svg;
pub use fold::folded;
pub use html::html_report;
pub use identities::{Violation, check_identities};
pub use import::{IMPORTS, ImportError, ImportFormat, import};
pub use inlined::{WrittenMessages, inlined, inlined_report};
pub use json::{PROFILE_SCHEMA, ReadError, from_json, known_json, to_json};
pub use pattern::{is_match, methods_named};
pub use places::Places;
pub use profile::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Description, Ending, Limits,
    MethodProfile, Profile, Site, fnv1a,
};
pub use rank::{Order, ranked};
pub use report::{
    Annotated, Direction, Grouping, LIBRARY, Missing, PROXY, TreeCut, WORK_PROXY, about_library,
    annotate, cost_report, group_report, hot_report, neighbour_report, profile_report,
    ranking_report, tree_report,
};
pub use samples::{SAMPLES_SCHEMA, SampleProfile, SampledMethod, sample_report};
pub use scope::{OUT_OF_SCOPE, Scope, ScopeError};
pub use sources::{Definition, DefinitionKind, Input, InputKind, Revision};
pub use tree::Measure;
pub use unit::Unit;
