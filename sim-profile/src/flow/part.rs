//! Functions of a program without symbols.

use super::graph::{OUTSIDE, index};
use super::program::{EdgeKind, ProgramFlow};

/// The parts that a program falls into where calls lead to: each begins at an address that was called,
/// or that the run began at, and ends before the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Ascending; the first is that of the lowest block.
    beginnings: Vec<u64>,
}

impl Parts {
    /// The parts of what ran.
    pub fn of(flow: &ProgramFlow) -> Parts {
        let edges = flow.graph.edges().iter().zip(&flow.kinds);
        let begun = edges
            .filter(|(edge, kind)| matches!(kind, EdgeKind::Call | EdgeKind::Entry) && edge.to != OUTSIDE);
        let mut beginnings: Vec<u64> = begun.map(|(edge, _)| flow.blocks[index(edge.to)].first).collect();
        beginnings.extend(flow.blocks.first().map(|block| block.first));
        beginnings.sort_unstable();
        beginnings.dedup();
        Parts { beginnings }
    }

    /// The number of the part that an address is in; the first if it is before all.
    pub fn part_of(&self, address: u64) -> u32 {
        let behind = self.beginnings.partition_point(|&beginning| beginning <= address);
        u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The address at which a part begins.
    pub fn beginning(&self, part: u32) -> Option<u64> {
        self.beginnings.get(index(part)).copied()
    }
}
