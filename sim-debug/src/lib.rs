//! Debugging of simulated programs: where a run stops, how it goes on, and how it goes back.
//!
//! [`DebuggedEngine`] stands between the launcher and an engine and is an engine itself, so that
//! limits, reports and every end of a run stay what they are. Between instructions it asks a
//! [`Front`], which speaks with whoever debugs: [`gdb`] does so by gdb's protocol.
//!
//! A run is deterministic, and that is what it is taken back by: the [`Debugger`] keeps the whole
//! state now and then, takes up an earlier one and runs again from there. The profile is part of the
//! state, so that a debugged run measures what a plain one does.

mod address;
mod breakpoint;
mod course;
mod debugger;
mod engine;
mod history;
mod keeping;
mod named_points;
mod place;
mod point;
mod reverse;
mod show;
mod show_within;
mod stall;
mod statement;
mod touching;
mod within;

pub mod gdb;

pub use address::AddressSpace;
pub use breakpoint::Asker;
pub use course::{Direction, How, Stopped};
pub use debugger::Debugger;
pub use engine::{DebuggedEngine, Front, Order};
pub use named_points::{Guide, Named, NamedPoints};
pub use place::find_place;
pub use point::{WatchKind, Watched, Watchpoint};
pub use show::{show_pending, show_pipeline, show_profile};
pub use show_within::{show_bodies, show_locals, show_operands, show_source, show_within};
pub use stall::{find_stages, stage_name};
pub use statement::{DescriptionFile, FoundStatements, LocalPlace, Statement, Statements, TextPlace};
pub use touching::Touching;
