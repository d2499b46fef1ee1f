//! The general form of generated simulators: one cycle after the other.
//!
//! Where the [`crate::kernel`] puts the sections of an instruction in an order when the simulator
//! is generated, here they are found when an instruction is decoded: an [`Instruction`] is the
//! decoding tree with everything resolved that can be, a [`Context`] for each operation that may
//! run in it, and for each of those the list of sections to call. What depends on run-time values
//! (which activations happen, which operands are read) is done by the sections themselves. So
//! every description can be run, at the price of a call for each section.
//!
//! Decoded instructions are kept and found again by their address as long as nobody has written
//! to their cells. Regions of bodies are counted one by one, by context; what an instruction did
//! before it was abandoned is dropped.

mod charge;
mod core;
mod engine;
mod instruction;
mod lines;
mod pipelined;
pub mod prelude;
mod sampled;
mod step;
mod wheel;

pub use core::{BodyFn, StepCore};
pub use engine::StepwiseEngine;
pub(crate) use engine::cache_statistics;
pub use instruction::{Action, Context, Instruction};
pub use pipelined::PipelinedEngine;
pub use step::Step;
