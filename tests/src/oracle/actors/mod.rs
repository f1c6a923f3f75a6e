//! A direct interpreter of the rules of actor computations, written from the paper and the design alone, and random
//! programs to compare it with the engine.
//!
//! The language: `language`, `print`, `generate`, `examples`. The rules: `turn` (one message processed), `state` (the
//! transition rule and delivery), `key` (equivalent states). The counts: `explore` (states), `computations` (sets of
//! events), `costs` (Work and Depth), `foata` (computations counted a second time).

pub mod computations;
pub mod costs;
pub mod examples;
pub mod explore;
pub mod foata;
pub mod generate;
mod key;
pub mod language;
pub mod print;
pub mod state;
mod turn;
