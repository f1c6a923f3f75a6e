//! A direct interpreter of the rules of actor computations, written from the paper and the design alone, and random
//! programs to compare it with the engine.
//!
//! The language: `language`, `print`, `generate`, `examples`. The rules: `turn` (one message processed), `state` (the
//! transition rule and delivery), `key` (equivalent states). The counts: `explore` (states), `computations` (sets of
//! events), `costs` (Work and Depth), `foata` (computations counted a second time). Comparisons with
//! the engine: `engine` (turns for it), `explored` (what it finds), `numbers` (what the interpreter finds), `replay` (schedules).

pub mod computations;
pub mod costs;
pub mod engine;
pub mod examples;
pub mod explore;
pub mod explored;
pub mod foata;
pub mod generate;
mod key;
pub mod language;
pub mod machine;
pub mod numbers;
pub mod print;
pub mod replay;
pub mod state;
mod turn;
