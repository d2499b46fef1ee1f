//! Reports of a program: each a text, or bytes, made of a [`super::ProgramProfile`].

mod annotated_source;
mod call_graph;
mod callgrind;
mod disassembly;
mod folded;
mod function_names;
mod lcov;
mod most_expensive;
mod oprofile;
mod pprof;
mod sampled;
mod stacks;

pub use annotated_source::render_annotated_source;
pub use call_graph::{render_dot, render_gprof};
pub use callgrind::render_callgrind;
pub use disassembly::render_disassembly;
pub use folded::write_folded;
pub use function_names::FunctionNames;
pub use lcov::render_lcov;
pub use most_expensive::render_most_expensive;
pub use oprofile::render_oprofile;
pub use pprof::render_pprof;
pub use sampled::render_sampled;
