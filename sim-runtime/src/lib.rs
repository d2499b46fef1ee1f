//! sim-runtime
