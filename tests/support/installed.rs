//! Tools of others that tests compare with: what is said where one is not there.

use std::io::Write as _;

/// Names of tools, with spaces between, that have to be there: set where they have been installed.
const REQUIRED: &str = "ISAC_REQUIRE_TOOLS";

/// Whether a test can compare with a tool, which `is_there` or not. Where it is not, what is left out
/// is said past the test runner, which keeps the output of tests that pass to itself.
///
/// # Panics
/// If the tool is not there and has to be.
pub(crate) fn can_compare(tool: &str, is_there: bool, left_out: &str) -> bool {
    let required = std::env::var(REQUIRED).unwrap_or_default();
    let is_required = required.split_whitespace().any(|name| name == tool);
    assert!(is_there || !is_required, "{tool} is not installed, and {REQUIRED} names it: {left_out}");
    if !is_there {
        // Nothing depends on whether anybody reads it.
        let _ = writeln!(std::io::stderr(), "note: {tool} is not installed: {left_out}");
    }
    is_there
}
