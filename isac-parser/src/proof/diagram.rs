//! What decides whether a word is one of a set, by asking one bit after the other.
//!
//! A *reduced ordered decision diagram* (R. E. Bryant, Graph-Based Algorithms for Boolean Function
//! Manipulation, 1986): each bit is asked once at most, in one order, and equal questions are one.
//! The order is that in which the circuit mentions the bits, so that rows of bits which are
//! compared with one another are asked in turn, and their diagram is as long as they are.

use std::collections::{BTreeMap, HashMap};

use super::Undecided;
use super::circuit::{Circuit, Edge, Gate};

/// Most questions of one diagram.
const MAX_NODES: usize = 20_000;

/// Questions about the bits of a word, and where their answers lead.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagram {
    /// The questions, those that one leads to before it.
    pub nodes: Vec<DiagramNode>,
    /// Where it begins.
    pub start: usize,
}

/// A question. It leads to 0 (no), 1 (yes), or to question `i - 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiagramNode {
    /// The bit that is asked for.
    pub bit: u32,
    /// Where it leads if the bit is 0.
    pub zero: usize,
    /// Where it leads if it is 1.
    pub one: usize,
}

/// "No" and "yes".
const ENDS: [usize; 2] = [0, 1];

impl Diagram {
    /// What it says to a word of which bit `i` is `bit(i)`.
    pub fn holds(&self, bit: impl Fn(u32) -> bool) -> bool {
        let mut at = self.start;
        while let Some(index) = at.checked_sub(ENDS.len()) {
            let DiagramNode { bit: asked, zero, one } = self.nodes[index];
            at = if bit(asked) { one } else { zero };
        }
        at == ENDS[1]
    }

    /// The bits that are asked for, ascending.
    pub fn bits(&self) -> impl Iterator<Item = u32> {
        let bits: std::collections::BTreeSet<u32> = self.nodes.iter().map(|node| node.bit).collect();
        bits.into_iter()
    }
}

/// The diagram of an edge.
pub(super) fn diagram_of(circuit: &Circuit, edge: Edge) -> Result<Diagram, Undecided> {
    let mut builder = Builder {
        order: order_of(circuit, edge),
        nodes: Vec::new(),
        index: HashMap::new(),
        both: HashMap::new(),
        negated: HashMap::from([(ENDS[0], ENDS[1]), (ENDS[1], ENDS[0])]),
    };
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for gate in circuit.cone(edge) {
        let diagram = match circuit.gate_of(gate) {
            Gate::Never => ENDS[0],
            Gate::Bit(bit) => builder.node(DiagramNode { bit, zero: ENDS[0], one: ENDS[1] })?,
            Gate::And(one, other) => {
                let one = builder.part(&found, one)?;
                let other = builder.part(&found, other)?;
                builder.and(one, other)?
            }
        };
        found.insert(gate, diagram);
    }
    let start = builder.part(&found, edge)?;
    let diagram = builder.reached(start);
    if diagram.nodes.len() > MAX_NODES { Err(Undecided::Questions) } else { Ok(diagram) }
}

/// By bit: its turn.
fn order_of(circuit: &Circuit, edge: Edge) -> BTreeMap<u32, usize> {
    let mut order = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut waiting = vec![edge.gate()];
    while let Some(gate) = waiting.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match circuit.gate_of(gate) {
            Gate::Never => {}
            Gate::Bit(bit) => {
                let turn = order.len();
                order.entry(bit).or_insert(turn);
            }
            Gate::And(one, other) => waiting.extend([other.gate(), one.gate()]),
        }
    }
    order
}

struct Builder {
    order: BTreeMap<u32, usize>,
    nodes: Vec<DiagramNode>,
    // Nobody walks through these.
    index: HashMap<DiagramNode, usize>,
    both: HashMap<(usize, usize), usize>,
    negated: HashMap<usize, usize>,
}

impl Builder {
    fn node(&mut self, node: DiagramNode) -> Result<usize, Undecided> {
        if node.zero == node.one {
            return Ok(node.zero);
        }
        if let Some(known) = self.index.get(&node) {
            return Ok(*known);
        }
        if self.nodes.len() >= 16 * MAX_NODES {
            return Err(Undecided::Questions);
        }
        self.nodes.push(node);
        let index = self.nodes.len() + 1;
        self.index.insert(node, index);
        Ok(index)
    }

    fn part(&mut self, found: &BTreeMap<usize, usize>, edge: Edge) -> Result<usize, Undecided> {
        let diagram = found[&edge.gate()];
        if edge.is_negated() { self.not(diagram) } else { Ok(diagram) }
    }

    /// Questions that lead to each other are far fewer than bits: recursion is as deep as they are.
    fn not(&mut self, diagram: usize) -> Result<usize, Undecided> {
        let mut needed = std::collections::BTreeSet::new();
        let mut waiting = vec![diagram];
        while let Some(next) = waiting.pop() {
            if !self.negated.contains_key(&next) && needed.insert(next) {
                waiting.extend([self.nodes[next - 2].zero, self.nodes[next - 2].one]);
            }
        }
        for index in needed {
            let DiagramNode { bit, zero, one } = self.nodes[index - 2];
            let (zero, one) = (self.negated[&zero], self.negated[&one]);
            let node = self.node(DiagramNode { bit, zero, one })?;
            self.negated.extend([(index, node), (node, index)]);
        }
        Ok(self.negated[&diagram])
    }

    /// As deep as there are bits, 256 at most.
    fn and(&mut self, one: usize, other: usize) -> Result<usize, Undecided> {
        let (one, other) = (one.min(other), one.max(other));
        if one == ENDS[0] || one == ENDS[1] || one == other {
            return Ok(if one == ENDS[1] { other } else { one });
        }
        if let Some(known) = self.both.get(&(one, other)) {
            return Ok(*known);
        }
        if self.both.len() >= 64 * MAX_NODES {
            return Err(Undecided::Questions);
        }
        let (a, b) = (self.nodes[one - 2], self.nodes[other - 2]);
        let (turn_a, turn_b) = (self.order[&a.bit], self.order[&b.bit]);
        let bit = if turn_a <= turn_b { a.bit } else { b.bit };
        let parts = |node: DiagramNode, index: usize, takes: bool| match takes {
            true => (node.zero, node.one),
            false => (index, index),
        };
        let (a_zero, a_one) = parts(a, one, turn_a <= turn_b);
        let (b_zero, b_one) = parts(b, other, turn_b <= turn_a);
        let zero = self.and(a_zero, b_zero)?;
        let one_ = self.and(a_one, b_one)?;
        let node = self.node(DiagramNode { bit, zero, one: one_ })?;
        self.both.insert((one, other), node);
        Ok(node)
    }

    /// The diagram that begins somewhere, with what it needs alone.
    fn reached(&self, start: usize) -> Diagram {
        let mut needed = std::collections::BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(next) = waiting.pop() {
            if next > 1 && needed.insert(next) {
                waiting.extend([self.nodes[next - 2].zero, self.nodes[next - 2].one]);
            }
        }
        let mut moved: BTreeMap<usize, usize> = ENDS.iter().map(|end| (*end, *end)).collect();
        let mut nodes = Vec::new();
        for index in needed {
            let DiagramNode { bit, zero, one } = self.nodes[index - 2];
            nodes.push(DiagramNode { bit, zero: moved[&zero], one: moved[&one] });
            moved.insert(index, nodes.len() + 1);
        }
        Diagram { nodes, start: moved[&start] }
    }
}
