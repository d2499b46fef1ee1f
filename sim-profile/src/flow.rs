//! Control flow: how often every edge between basic blocks was taken, and which of these counts
//! have to be counted to know them all.
//!
//! A [`Graph`] has blocks and edges, by number, and one place besides: [`OUTSIDE`], where every run
//! comes from and goes to. With it, control flows like water: into each block as often as out of it.
//! So where some edges are counted ([`place_counters`]), the others follow ([`complete`]).

mod completion;
mod graph;
mod placement;

pub use completion::{FlowError, Passage, block_counts, complete};
pub use graph::{Edge, Graph, OUTSIDE};
pub use placement::{Placement, count_every_edge, place_counters, random_weights};
