//! Tests of the sections, with made-up data whose results are known, and with incomplete data.

mod methods;
mod partial;
mod proxies;
mod times;
mod vector;
