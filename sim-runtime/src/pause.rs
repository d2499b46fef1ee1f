//! Addresses at which runs pause.

use std::collections::BTreeSet;

/// Where a run pauses, and whether it has just done so.
#[derive(Debug, Clone, Default)]
pub struct Pauses {
    addresses: BTreeSet<u64>,
    /// The run stands where it has paused: the next instruction is not to be paused at again.
    has_paused: bool,
}

impl Pauses {
    /// Those at some addresses.
    #[must_use]
    pub fn new(addresses: &BTreeSet<u64>) -> Self {
        Self { addresses: addresses.clone(), has_paused: false }
    }

    /// True if a run pauses somewhere.
    #[must_use]
    pub fn includes(&self, address: u64) -> bool {
        self.addresses.contains(&address)
    }

    /// True if the run is to pause before the next instruction, which begins where the program counter
    /// is; asked once before each.
    pub fn is_at(&mut self, pc: impl FnOnce() -> u64) -> bool {
        if self.addresses.is_empty() {
            return false;
        }
        self.has_paused = !self.has_paused && self.addresses.contains(&pc());
        self.has_paused
    }
}

#[cfg(test)]
mod tests {
    use super::Pauses;

    #[test]
    fn a_run_that_has_paused_goes_on_and_pauses_again_when_it_comes_back() {
        let mut pauses = Pauses::new(&[4].into());
        let path = [0, 4, 4, 4, 4, 8];
        let paused: Vec<bool> = path.iter().map(|pc| pauses.is_at(|| *pc)).collect();
        assert_eq!(paused, [false, true, false, true, false, false]);
        assert!(!Pauses::default().is_at(|| 4));
    }
}
