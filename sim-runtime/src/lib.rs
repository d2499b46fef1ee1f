//! What every simulator is built on: engines, kernels, loader, host services, launcher.
//!
//! Engines execute isac-ir ([`mod@reference`]) or the code that was generated from it ([`kernel`]);
//! [`record`] turns what they count into a measurement; [`image`], [`host`] and [`launcher`] are
//! what a program needs around it; [`trace`] tells what happened in each cycle, [`inspection`] what a
//! debugger asks for between two of them.

pub mod cache;
pub mod device;
pub mod engine;
pub mod fault;
pub mod host;
pub mod image;
pub mod inspection;
pub mod kernel;
pub mod launcher;
pub mod memory;
pub mod pause;
pub mod print;
mod program_order;
pub mod record;
pub mod reference;
pub mod stepwise;
pub mod timed;
pub mod trace;

pub use engine::{CacheStatistics, Engine, Machine};
pub use fault::{AccessKind, Fault, FaultKind, Stop};
