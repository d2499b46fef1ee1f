//! Placeholder until the measurements land.
fn main() {}
