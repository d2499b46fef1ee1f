//! The kernel of generated instruction-accurate simulators: a cache of predecoded blocks.
//!
//! An instruction is decoded once, into a [`Record`]: a function for its whole step and its
//! operands, packed. Records lie one behind the other in a [`Block`]: from an entry address on
//! along the fall-through path, past branches that may not be taken, up to what always leaves. A
//! step ends by calling the next record's function in tail position; optimising builds make that
//! a jump, and a budget bounds the depth where they do not. Leaving a block goes through the
//! record's [`Site`], which remembers where it led: the link holds the block to go on with and
//! counts how often it was taken. These counts are all that the exact profile needs: how often
//! each record of a block ran is its entries less what was left before it.
//!
//! The budget: `fuel` is what may still be executed after the records at hand, so that at any
//! step `fuel + records.len()` instructions are left, this one included.

mod block;
mod calls;
mod checks;
mod code;
mod dispatch;
mod engine;
mod machine;
pub mod prelude;
mod ram;
mod sampled;
mod step;
mod support;

pub use block::{Block, Decoded, Record, Site, StepFn};
pub use code::Code;
pub use engine::EmittedEngine;
pub use machine::{BlockCore, Core, Kernel, Leave, Profiled, Profiling, Trap, Unprofiled, WithCosts};
pub use ram::{CellRam, CodeMap};
pub use step::{Step, block_end, finish, leave_code_written, leave_empty, leave_mismatch, leave_trap, next};
pub use support::{arithmetic, linux_call, register_element, semihost, trap};
