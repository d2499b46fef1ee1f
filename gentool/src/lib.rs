//! Generates simulators from ISAC descriptions.
//!
//! [`lower`] turns a checked model into isac-ir, [`emit`] turns that into a Rust package.

pub mod emit;
pub mod lower;
mod runtime_sources;
