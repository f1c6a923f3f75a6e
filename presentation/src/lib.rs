//! Presentation: numbers, text in columns, tables, plots, flame graphs and pages, with one escaping per format. This
//! crate has no types for profiles or programs, and it imports no crate of this workspace.

pub mod columns;
pub mod csv;
pub mod escape;
pub mod figure;
pub mod flame;
pub mod html;
pub mod number;
pub mod page;
pub mod plot;
mod svg;
pub mod table;
pub mod width;

pub use columns::{Align, Cell, Layout};
pub use escape::printable;
pub use number::{counted, grouped, percent, share, signed};
pub use page::{Page, Tint};
pub use width::width;
