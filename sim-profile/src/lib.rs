//! sim-profile
