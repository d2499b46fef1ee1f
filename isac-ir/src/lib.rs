//! isac-ir
