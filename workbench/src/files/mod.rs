//! Files and folders as everything above needs them: replaced as a whole, made for a while, known by digests.

pub mod digest;
pub mod replace;
pub mod temporary;
