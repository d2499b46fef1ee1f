//! Functions, lines, branches and calls of compiled programs, against what other tools say of the same
//! sources: gcov and callgrind, which count while the program runs on this machine.
//!
//! Where a compiler or a tool is missing, a test says so and leaves out what needs it; `ISAC_REQUIRE_TOOLS`
//! names those that have to be there.

#[path = "../../tests/support/installed.rs"]
mod installed;

mod program_reports {
    mod bench;
    mod calls;
    mod coverage;
    mod form;
    mod names;
    mod verdict;
}
