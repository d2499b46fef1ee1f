//! What must be known before what: dependencies first, and the circles among them.

/// The nodes of a graph in an order in which every node follows all that it needs.
pub(crate) struct Order {
    /// All nodes; a node in a circle follows all it needs but the edge that closes the circle.
    pub(crate) sorted: Vec<usize>,
    /// Circles, each from one node along its edges back to it (the last node needs the first).
    /// A node that is in several is reported in at least one.
    pub(crate) cycles: Vec<Vec<usize>>,
}

/// Sorts the nodes `0..needs.len()`, where `needs[n]` lists what node `n` needs.
///
/// Depth-first search with its own stack, so that no input can exhaust the program's.
pub(crate) fn dependency_order(needs: &[Vec<usize>]) -> Order {
    let mut state = vec![State::New; needs.len()];
    let mut reported = vec![false; needs.len()];
    let mut order = Order { sorted: Vec::with_capacity(needs.len()), cycles: Vec::new() };
    for start in 0..needs.len() {
        if state[start] != State::New {
            continue;
        }
        // Each entry is a node on the current path with the number of its edges already taken.
        let mut path = vec![(start, 0)];
        state[start] = State::OnPath;
        while let Some((node, taken)) = path.last_mut() {
            let node = *node;
            let Some(&next) = needs[node].get(*taken) else {
                state[node] = State::Done;
                order.sorted.push(node);
                path.pop();
                continue;
            };
            *taken += 1;
            match state[next] {
                State::New => {
                    state[next] = State::OnPath;
                    path.push((next, 0));
                }
                State::OnPath => {
                    let cycle: Vec<usize> =
                        path.iter().map(|&(node, _)| node).skip_while(|&n| n != next).collect();
                    if cycle.iter().any(|&n| !reported[n]) {
                        for &n in &cycle {
                            reported[n] = true;
                        }
                        order.cycles.push(cycle);
                    }
                }
                State::Done => {}
            }
        }
    }
    order
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_nodes_come_first() {
        let order = dependency_order(&[vec![1, 2], vec![2], vec![]]);
        assert_eq!(order.sorted, [2, 1, 0]);
        assert!(order.cycles.is_empty());
    }

    #[test]
    fn a_circle_is_reported_once_along_its_edges() {
        let order = dependency_order(&[vec![1], vec![2], vec![1]]);
        assert_eq!(order.cycles, [vec![1, 2]]);
        assert_eq!(order.sorted.len(), 3);
    }

    #[test]
    fn a_long_chain_needs_no_program_stack() {
        let needs: Vec<Vec<usize>> =
            (0..200_000).map(|n| if n == 199_999 { vec![] } else { vec![n + 1] }).collect();
        assert_eq!(dependency_order(&needs).sorted[0], 199_999);
    }
}
