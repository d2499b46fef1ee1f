//! Which cycles of a run are looked at.

use crate::launcher::parse_count;

/// Cycles in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CycleWindow {
    /// The first; cycles count from 1.
    pub first: u64,
    /// How many; above 0.
    pub count: u64,
}

impl CycleWindow {
    /// True for a cycle behind the window.
    pub(super) fn is_over(self, cycle: u64) -> bool {
        cycle >= self.first && !self.contains(cycle)
    }

    /// True for a cycle of the window.
    pub fn contains(self, cycle: u64) -> bool {
        cycle >= self.first && cycle - self.first < self.count
    }
}

/// Reads `FROM:COUNT`, each as [`parse_count`] reads it.
///
/// # Errors
/// What a window looks like.
pub fn parse_window(text: &str) -> Result<CycleWindow, String> {
    let window = text.split_once(':').and_then(|(first, count)| {
        let (first, count) = (parse_count(first).ok()?, parse_count(count).ok()?);
        (first > 0 && count > 0).then_some(CycleWindow { first, count })
    });
    window.ok_or_else(|| {
        "expected FROM:COUNT, the first cycle, from 1 on, and how many, both below 2^64: 1:40 or 12K:500"
            .to_owned()
    })
}
