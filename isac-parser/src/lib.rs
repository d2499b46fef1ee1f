//! The front end: ISAC text to a checked processor model.
//!
//! The parser reads text into the syntax tree of [`ast`]; the resolver
//! gives names their meaning in the [`model`]; the checks prove it sound.

#[macro_use]
mod code_table;

mod amount;
pub mod ast;
mod check;
mod consequence;
mod coverage_map;
mod cube;
pub mod diagnostic;
pub mod explanation;
mod format;
pub mod literal;
mod load;
pub mod mistyped;
pub mod model;
mod parse;
mod print;
mod proof;
mod resolve;
pub mod source;
mod word;
pub mod words;

pub use check::{check_coverage, check_model};
pub use coverage_map::{CoverageMap, CoverageRow, FreeWords, coverage_maps, print_coverage_map};
pub use format::format_text;
pub use load::{Reading, load_model, read_model};
pub use parse::{ParsedFiles, parse_file, parse_model};
pub use print::{print_expr, print_file};
pub use resolve::{did_you_mean, near_names, resolve_model};
