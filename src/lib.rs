//! The simulators of this repository's models, generated when the package is built.
//!
//! The product is in the other crates; this one only holds them against programs, manuals and
//! each other, in `tests/`.

/// The generated simulators, a module each.
#[allow(missing_docs, unreachable_pub)]
pub mod simulators {
    include!(concat!(env!("OUT_DIR"), "/simulators.rs"));
}
