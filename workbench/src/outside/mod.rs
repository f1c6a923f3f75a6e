//! The outside world of programs: what they may do there, what they read, and where their output goes.

pub mod host;
pub mod inputs;
pub mod kept;
pub mod permissions;
