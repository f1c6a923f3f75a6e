//! A simulator of processors in virtual time, written from the rules alone, and random programs to compare it with the
//! machine.
//!
//! Each file uses only files before it: `language`, `print`, `generate`; `record`, `agenda`, `ticks`, `mending`; `state`,
//! `locks`, `schedule`, `simulate`; `observe`; `compare`, `laws`, `shrink`; `check`.

mod agenda;
pub mod check;
pub mod compare;
pub mod generate;
pub mod language;
mod laws;
mod locks;
mod mending;
pub mod observe;
pub mod print;
pub mod record;
mod schedule;
pub mod shrink;
pub mod simulate;
mod state;
mod ticks;
