//! Made-up profiles for tests.

pub(crate) mod small;
mod words;

pub(crate) use words::*;
