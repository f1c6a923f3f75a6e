//! The sections from made-up data whose answers are known, and from data of which parts are missing.

mod methods;
mod partial;
mod times;
mod vector;
