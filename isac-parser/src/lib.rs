//! The front end: ISAC text to a checked processor model.
//!
//! The parser reads text into the syntax tree of [`ast`]; the resolver
//! gives names their meaning in the [`model`]; the checks proves it sound.

pub mod ast;
pub mod model;
pub mod source;
