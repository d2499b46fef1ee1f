//! Counts how often each point of the description was passed.

use isac_ir::behavior::PointId;

/// A counter for each point.
pub(super) struct Visits(Vec<u64>);

impl Visits {
    /// No point was passed yet.
    pub(super) fn new(points: usize) -> Visits {
        Visits(vec![0; points])
    }

    /// Counts a point; one that nobody has listed is left out.
    pub(super) fn count(&mut self, point: PointId) {
        if let Some(counter) = self.0.get_mut(point as usize) {
            *counter = counter.saturating_add(1);
        }
    }

    /// The counts, by point.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.0.clone()
    }
}
