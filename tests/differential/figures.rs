//! What a model's README says of longer runs is of the programs that the tests make today.
//!
//! The README has the hash of the first program of each longer run. It changes with what makes programs and
//! with what the description says of words: CODINGs, WHENs, and what an instruction accesses. The run is to be
//! made again then, and its figures written down with the new hash. What instructions do may change without
//! it: a BEHAVIOR that is written anew is held by the runs of every day.

use std::fs;
use std::path::Path;

/// The seed of the first program of every longer run.
pub(crate) const SEED: u64 = 1001;

/// FNV-1a of 64 bits (Fowler, Noll and Vo), in hexadecimal.
fn hash(program: &[u8]) -> String {
    let hash = program.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The README of a model has figures of a run that begins with this program.
pub(crate) fn assert_figures_are_of(model: &str, program: &[u8]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{model}/README.md"));
    let readme = fs::read_to_string(&file).expect("the model has a README");
    let expected = format!("`{}`", hash(program));
    assert!(
        readme.contains(&expected),
        "the longer runs of {model} are to be made again: the first program is {expected} now"
    );
}
