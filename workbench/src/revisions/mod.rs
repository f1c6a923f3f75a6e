//! Revisions of a project: what git knows of them, and their files in folders that go away.

pub mod checkout;
pub mod git;
pub mod repository;

pub use checkout::Checkout;
pub use repository::{Repository, Version, WORK_TREE, canonical};
