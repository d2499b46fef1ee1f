//! Of which functions frames may have been forgotten.
//!
//! A stack of calls that is full forgets its oldest frame: the time of that one's function ends then, though
//! it has not returned. When control comes back to it, nobody knows who waits below, so that what returns
//! looks like a jump to another function, and the time of the one that jumped goes on. So figures of such
//! functions with what they call may be less than the truth, and more.
//!
//! Only how many frames were forgotten is stored. But one that was had as many above it as a stack has, more
//! than there are functions, so that its function leads to some that call each other in a circle. All others
//! were never forgotten: what they spent with what they call is exact.

use std::collections::{BTreeMap, BTreeSet};

use crate::Calls;
use crate::calls::MOST_FRAMES;

/// The functions of which frames may have been forgotten; none where nothing was forgotten.
pub(super) fn functions(calls: &Calls) -> BTreeSet<u64> {
    if calls.forgotten == 0 {
        return BTreeSet::new();
    }
    let circles = calls.cycles();
    let calls_itself = |key: &&crate::CallKey| key.caller == key.callee;
    let mut open: Vec<u64> = calls.arcs.keys().filter(calls_itself).map(|key| key.caller).collect();
    open.extend(circles.iter().filter(|circle| circle.len() > 1).flatten());
    if open.is_empty() || calls.functions.len() >= MOST_FRAMES {
        return circles.into_iter().flatten().collect();
    }
    let mut callers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for key in calls.arcs.keys() {
        callers.entry(key.callee).or_default().push(key.caller);
    }
    let mut found: BTreeSet<u64> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        let callers = callers.get(&function).into_iter().flatten().copied();
        let new: Vec<u64> = callers.filter(|caller| found.insert(*caller)).collect();
        open.extend(new);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::functions;
    use crate::{CallCount, CallKey, CallKind, Calls};

    fn found(forgotten: u64, arcs: &[(u64, u64)]) -> Vec<u64> {
        let key = |&(caller, callee)| CallKey { caller, site: caller, callee, kind: CallKind::Call };
        let arcs = arcs.iter().map(|arc| (key(arc), CallCount::default())).collect();
        let found: BTreeSet<u64> = functions(&Calls { arcs, forgotten, ..Calls::default() });
        found.into_iter().collect()
    }

    #[test]
    fn what_leads_to_a_circle_may_have_been_forgotten() {
        let arcs = [(1, 2), (2, 3), (3, 3), (3, 4), (1, 5), (5, 6)];
        assert_eq!(found(1, &arcs), [1, 2, 3]);
        assert_eq!(found(0, &arcs), [0; 0]);
        assert_eq!(found(1, &[(1, 2), (2, 3), (3, 2), (3, 4)]), [1, 2, 3]);
    }

    #[test]
    fn where_nothing_calls_itself_nothing_is_known() {
        assert_eq!(found(1, &[(1, 2)]), [1, 2]);
    }
}
