//! Generates simulators from ISAC descriptions.
//!
//! [`lower`] turns a checked model into isac-ir; the emitter turns that into a Rust crate.

pub mod lower;
