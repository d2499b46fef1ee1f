//! Generates simulators from ISAC descriptions.
//!
//! [`lower`] turns a checked model into isac-ir, [`emit`] turns that into a Rust package;
//! [`assembler`] and [`disassembler`] write and read programs by it.

pub mod assembler;
pub mod disassembler;
pub mod emit;
pub mod export;
pub mod lower;
pub mod operands;
mod runtime_sources;
