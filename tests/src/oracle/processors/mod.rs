//! A simulator of processors in virtual time, written from the rules alone, and random programs to compare it with the
//! machine.
//!
//! The language: `language`, `print`, `generate`, `shrink`. The simulator: `record`, `agenda`, `ranks` and `ticks` below `state`, whose methods stand in `locks`, `approvals`, `schedule`, `requests` and `methods`; `simulate` drives them. The machine:
//! `observe`. Both together: `chance`, `compare`, `laws` with `scope_laws`, `state_laws`, `path_laws` and `estimate_laws`, `variants`, `check`.

mod agenda;
mod approvals;
mod chance;
pub mod check;
pub mod compare;
mod estimate_laws;
pub mod generate;
pub mod language;
mod laws;
mod locks;
mod methods;
pub mod observe;
mod path_laws;
pub mod print;
mod ranks;
pub mod record;
mod requests;
mod schedule;
mod scope_laws;
pub mod shrink;
pub mod simulate;
mod state;
mod state_laws;
mod ticks;
mod variants;
