//! What of caches and latencies anybody can notice, so that engines need not keep the rest.
//!
//! A program notices `.latency` alone. A cache that no `.latency` depends on is there for the
//! profile and the statistics of a run, and costs nothing where neither is wanted.

use crate::Model;
use crate::behavior::{Body, ExprKind, walk_expressions};
use crate::operation::Operation;

/// Which maps are asked for `.latency`, and which caches an answer depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostUse {
    /// By map: true if something asks for its `.latency`.
    pub asked: Vec<bool>,
    /// By cache: true if it stands behind a range of a map that is asked.
    pub timed: Vec<bool>,
}

impl CostUse {
    /// What the bodies of a model ask for.
    pub fn of(model: &Model) -> CostUse {
        let mut asked = vec![false; model.maps.len()];
        for body in model.operations.iter().flat_map(Operation::counted_bodies).chain(&model.memory_fault) {
            note_asked(body, &mut asked);
        }
        let mut timed = vec![false; model.caches.len()];
        for (map, _) in model.maps.iter().zip(&asked).filter(|(_, asked)| **asked) {
            map.ranges.iter().filter_map(|range| range.cache).for_each(|cache| timed[cache as usize] = true);
        }
        CostUse { asked, timed }
    }

    /// True if simulating what accesses cost makes any difference.
    pub fn is_any(&self) -> bool {
        !self.timed.is_empty() || self.asked.contains(&true)
    }

    /// True if there are caches that no `.latency` depends on: they are for the profile alone.
    pub fn has_untimed_caches(&self) -> bool {
        self.timed.contains(&false)
    }
}

fn note_asked(body: &Body, asked: &mut [bool]) {
    walk_expressions(&body.statements, &mut |expr| {
        if let ExprKind::Latency(map) = expr.kind {
            asked[map as usize] = true;
        }
    });
}
