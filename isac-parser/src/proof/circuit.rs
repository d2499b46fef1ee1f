//! Conditions on the bits of a word as circuits of AND gates and negations.
//!
//! Equal gates are one (an *and-inverter graph*: A. Kuehlmann et al., Robust Boolean Reasoning for
//! Equivalence Checking and Functional Property Verification, 2002, section III). What two rows of
//! n bits have in common takes 3n gates here, where a list of cubes takes 2^n.

use std::collections::BTreeMap;

use super::Undecided;

/// Most gates of all circuits of a description.
const MAX_GATES: usize = 2_000_000;

/// A gate's output, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge(u32);

impl Edge {
    /// Holds for no word.
    pub(crate) const NEVER: Edge = Edge(0);
    /// Holds for every word.
    pub(crate) const ALWAYS: Edge = Edge(1);

    /// Index of the gate.
    pub(super) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True if it is what the gate is not.
    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// What this is not.
    pub(crate) fn negated(self) -> Edge {
        Edge(self.0 ^ 1)
    }

    fn negated_if(self, negate: bool) -> Edge {
        Edge(self.0 ^ u32::from(negate))
    }
}

/// What a gate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gate {
    /// Gate 0.
    Never,
    /// A bit of the word.
    Bit(u32),
    /// Both hold.
    And(Edge, Edge),
}

/// All gates, those that a gate needs before it.
#[derive(Debug)]
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    index: BTreeMap<Gate, Edge>,
}

impl Circuit {
    /// No gates yet.
    pub(crate) fn new() -> Circuit {
        Circuit { gates: vec![Gate::Never], index: BTreeMap::new() }
    }

    /// What a gate computes.
    pub(super) fn gate_of(&self, index: usize) -> Gate {
        self.gates[index]
    }

    fn add(&mut self, gate: Gate) -> Result<Edge, Undecided> {
        if let Some(known) = self.index.get(&gate) {
            return Ok(*known);
        }
        if self.gates.len() >= MAX_GATES {
            return Err(Undecided::Work);
        }
        let edge = Edge((self.gates.len() as u32) << 1);
        self.gates.push(gate);
        self.index.insert(gate, edge);
        Ok(edge)
    }

    /// A bit of the word is `set`.
    pub(crate) fn bit(&mut self, bit: u32, set: bool) -> Result<Edge, Undecided> {
        Ok(self.add(Gate::Bit(bit))?.negated_if(!set))
    }

    /// Both hold.
    pub(crate) fn and(&mut self, one: Edge, other: Edge) -> Result<Edge, Undecided> {
        let (one, other) = (one.min(other), one.max(other));
        if one == Edge::NEVER || one == other.negated() {
            return Ok(Edge::NEVER);
        }
        if one == Edge::ALWAYS || one == other {
            return Ok(other);
        }
        self.add(Gate::And(one, other))
    }

    /// One of the two holds.
    pub(crate) fn or(&mut self, one: Edge, other: Edge) -> Result<Edge, Undecided> {
        Ok(self.and(one.negated(), other.negated())?.negated())
    }

    /// Both hold or none.
    pub(crate) fn same(&mut self, one: Edge, other: Edge) -> Result<Edge, Undecided> {
        let both = self.and(one, other)?;
        let none = self.and(one.negated(), other.negated())?;
        self.or(both, none)
    }

    /// The gates that an edge needs, in their order.
    pub(super) fn cone(&self, edge: Edge) -> Vec<usize> {
        let mut needed = std::collections::BTreeSet::new();
        let mut waiting = vec![edge.gate()];
        while let Some(gate) = waiting.pop() {
            if needed.insert(gate)
                && let Gate::And(one, other) = self.gates[gate]
            {
                waiting.extend([one.gate(), other.gate()]);
            }
        }
        needed.into_iter().collect()
    }

    /// The same with something else for each bit of the word; what gives `None` is false.
    pub(crate) fn with_bits(
        &mut self,
        edge: Edge,
        mut instead: impl FnMut(&mut Circuit, u32) -> Result<Option<Edge>, Undecided>,
    ) -> Result<Edge, Undecided> {
        let mut found: BTreeMap<usize, Edge> = BTreeMap::new();
        for gate in self.cone(edge) {
            let new = match self.gates[gate] {
                Gate::Never => Edge::NEVER,
                Gate::Bit(bit) => instead(self, bit)?.unwrap_or(Edge::NEVER),
                Gate::And(one, other) => {
                    let [one, other] =
                        [one, other].map(|part| found[&part.gate()].negated_if(part.is_negated()));
                    self.and(one, other)?
                }
            };
            found.insert(gate, new);
        }
        Ok(found[&edge.gate()].negated_if(edge.is_negated()))
    }
}
