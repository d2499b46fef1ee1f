//! What is known of the locals of a step at one point of it.

/// The locals whose values are known. One that nothing has assigned is 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Environment {
    values: Vec<Option<u128>>,
}

impl Environment {
    /// A local's value, if it is known.
    pub(super) fn get(&self, local: u32) -> Option<u128> {
        self.values.get(local as usize).copied().unwrap_or(Some(0))
    }

    /// Sets what is known of a local.
    pub(super) fn set(&mut self, local: u32, value: Option<u128>) {
        let index = local as usize;
        if self.values.len() <= index {
            self.values.resize(index + 1, Some(0));
        }
        self.values[index] = value;
    }

    /// Number of locals that anything is said of.
    pub(super) fn len(&self) -> u32 {
        self.values.len() as u32
    }

    /// The locals of which two environments do not know the same.
    pub(super) fn differing(&self, other: &Environment) -> Vec<u32> {
        (0..self.len().max(other.len())).filter(|local| self.get(*local) != other.get(*local)).collect()
    }
}
