//! Lines of a cache that were touched.

use serde::{Deserialize, Serialize};

use crate::measurement::count;

/// How often lines of a cache were touched, and what that meant. Sums stay at `u64::MAX` once they
/// reach it. Stored as a list of the three numbers.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct CacheLines {
    /// Lines touched that were there.
    pub hits: u64,
    /// Lines touched that were absent, and were brought in.
    pub misses: u64,
    /// Written lines that had to go for one that was brought in.
    pub write_backs: u64,
}

impl CacheLines {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: CacheLines) {
        count(&mut self.hits, other.hits);
        count(&mut self.misses, other.misses);
        count(&mut self.write_backs, other.write_backs);
    }

    /// Whether nothing was touched.
    pub fn is_zero(&self) -> bool {
        *self == CacheLines::default()
    }
}

impl From<(u64, u64, u64)> for CacheLines {
    fn from((hits, misses, write_backs): (u64, u64, u64)) -> CacheLines {
        CacheLines { hits, misses, write_backs }
    }
}

impl From<CacheLines> for (u64, u64, u64) {
    fn from(CacheLines { hits, misses, write_backs }: CacheLines) -> (u64, u64, u64) {
        (hits, misses, write_backs)
    }
}
