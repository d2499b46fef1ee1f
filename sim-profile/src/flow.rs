//! Control flow: how often every edge between basic blocks was taken, and which of these counts
//! have to be counted to know them all.
//!
//! A [`Graph`] has blocks and edges, by number, and one place besides: [`OUTSIDE`], where every run
//! comes from and goes to. With it, control flows like water: into each block as often as out of it.
//! So where some edges are counted ([`place_counters`]), the others follow ([`complete`]).

//!
//! How often edges are taken can be guessed before anything ran, by [`estimate_naive`] and
//! [`estimate_wu_larus`]: [`weights_of`] makes weights of what was guessed.
//!
//! A [`ProgramFlow`] is made of what was measured, [`routine_flows`] divide it into functions, and
//! [`verify`] says what no run can have done.

mod comparison;
mod completion;
mod graph;
mod loops;
mod naive;
mod part;
mod placement;
mod postdominance;
mod program;
mod routine;
mod step;
mod verify;
mod verify_calls;
mod wu_larus;

pub use comparison::{BranchGuess, Choice, RoutineComparison, RoutineCost, compare_estimates};
pub use completion::{FlowError, Passage, block_counts, complete};
pub use graph::{Edge, Graph, OUTSIDE};
pub(crate) use loops::strong_parts;
pub use naive::estimate_naive;
pub use part::Parts;
pub use placement::{Placement, count_edges, count_every_edge, place_counters, random_weights, weights_of};
pub use program::{Block, EdgeKind, ProgramFlow};
pub use routine::{RoutineEdge, RoutineFlow, routine_flows};
pub use verify::{Finding, verify};
pub use verify_calls::verify_calls;
pub use wu_larus::{BlockTraits, Estimate, estimate_wu_larus};
