//! Revisions of a project: what git knows of them, and their files in folders that go away.

pub mod checkout;
pub mod git;
pub mod line;
pub mod repository;
pub mod search;

pub use checkout::Checkout;
pub use repository::{Repository, Version, WORK_TREE, canonical};
