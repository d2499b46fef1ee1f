//! The translated engine: instruction-accurate models as machine code, made while the program runs.
//!
//! A decoded word at its place becomes a *step*: the whole of `main`, decoding and operations with
//! everything worked out that word and place tell (`specialise`, `residual`). Cold steps are
//! interpreted, as a list from the second time on (`linear`); what is hot is compiled, region by region.

mod arena;
mod beside;
mod calls;
mod checks;
mod code;
mod codegen;
mod compilable;
mod core;
mod counting;
mod engine;
mod flow;
mod frames;
mod interpret;
mod layout;
mod linear;
mod loops;
mod mode;
mod native;
mod obstacle;
mod region;
mod residual;
mod specialise;
mod state;
mod steps;
mod unroll;

pub use code::Translation;
pub use counting::{Counting, Frequencies};
pub use engine::TranslatedEngine;
pub use native::is_host_supported;
pub use obstacle::find_obstacles;
