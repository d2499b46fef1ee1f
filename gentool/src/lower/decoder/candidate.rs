//! Variants while they are put together: a tree, and the words that it matches.

use isac_ir::bits::Bits;
use isac_ir::decoder::{Node, Run};
use isac_parser::model::{Cube, Diagram, DiagramNode, PathStep};

/// Words that agree with `value` where `mask` is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Pattern {
    pub(super) mask: Bits,
    pub(super) value: Bits,
}

impl Pattern {
    /// A cube of `width` bits whose bit `i` goes to bit `bits[i]`.
    pub(super) fn of(cube: &Cube, width: u32, bits: &[u32]) -> Pattern {
        let fixed = (0..width).zip(bits).filter_map(|(bit, to)| Some((*to, cube.bit(bit)?)));
        fixed.fold(Pattern::default(), |pattern, (bit, set)| pattern.with_bit(bit, set))
    }

    pub(super) fn with_bit(self, bit: u32, set: bool) -> Pattern {
        Pattern { mask: self.mask.with_bit(bit, true), value: self.value.with_bit(bit, set) }
    }

    fn intersect(self, other: Pattern) -> Option<Pattern> {
        let clash = (self.value ^ other.value) & self.mask & other.mask;
        (clash == Bits::ZERO)
            .then(|| Pattern { mask: self.mask | other.mask, value: self.value | other.value })
    }
}

/// A variant with the words that it matches.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The first one is the top; children may stand anywhere behind their parents.
    pub(super) nodes: Vec<Node>,
    pub(super) patterns: Vec<Pattern>,
    /// All of them have to say yes to a word, too.
    pub(super) diagrams: Vec<Diagram>,
    pub(super) width_bits: u32,
    /// The last node of the path so far.
    last: Option<u32>,
    /// Position and instance of what is followed from there.
    follows: (u32, Option<u32>),
}

impl Candidate {
    /// No nodes yet, and all words.
    pub(super) fn anything(width_bits: u32) -> Candidate {
        Candidate {
            nodes: Vec::new(),
            patterns: vec![Pattern::default()],
            diagrams: Vec::new(),
            width_bits,
            last: None,
            follows: (0, None),
        }
    }

    /// One node, and all words.
    pub(super) fn of_node(node: Node) -> Candidate {
        Candidate { nodes: vec![node], ..Candidate::anything(0) }
    }

    /// The same with the next step of its path.
    pub(super) fn with_step(mut self, node: &Node, step: &PathStep) -> Candidate {
        let mut node = node.clone();
        node.parent = self.last;
        if step.instance.is_some() {
            (node.position, node.instance) = self.follows;
        }
        self.last = Some(self.nodes.len() as u32);
        self.nodes.push(node);
        self
    }

    /// Says by which instance the path goes on.
    pub(super) fn follow(&mut self, position: u32, instance: u32) {
        self.follows = (position, Some(instance));
    }

    /// Says by which instance the whole is reached.
    pub(super) fn hang(&mut self, position: u32, instance: u32) {
        if let Some(top) = self.nodes.first_mut() {
            (top.position, top.instance) = (position, Some(instance));
        }
    }

    /// The same with another part below the last node of its path.
    pub(super) fn join(&self, part: &Candidate) -> Candidate {
        let offset = self.nodes.len() as u32;
        let mut joined = self.clone();
        for (index, mut node) in part.nodes.iter().cloned().enumerate() {
            node.parent = match index {
                0 => self.last,
                _ => node.parent.map(|parent| parent + offset),
            };
            joined.nodes.push(node);
        }
        joined.patterns = intersect(&self.patterns, &part.patterns);
        joined.diagrams.extend(part.diagrams.iter().cloned());
        joined
    }

    /// The same for fewer words.
    pub(super) fn narrowed(&self, patterns: &[Pattern], diagram: Option<&Diagram>) -> Candidate {
        let mut narrowed = self.clone();
        narrowed.patterns = intersect(&self.patterns, patterns);
        narrowed.diagrams.extend(diagram.cloned());
        narrowed
    }

    /// The same with its nodes in pre-order, siblings by position.
    pub(super) fn in_pre_order(self) -> Candidate {
        let mut order: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut waiting: Vec<u32> = (!self.nodes.is_empty()).then_some(0).into_iter().collect();
        while let Some(node) = waiting.pop() {
            order.push(node);
            let all = 0..self.nodes.len() as u32;
            let mut below: Vec<u32> =
                all.filter(|child| self.nodes[*child as usize].parent == Some(node)).collect();
            below.sort_by_key(|child| std::cmp::Reverse(self.nodes[*child as usize].position));
            waiting.extend(below);
        }
        let moved = |node: u32| order.iter().position(|from| *from == node).map(|to| to as u32);
        let nodes = order.iter().map(|from| {
            let node = self.nodes[*from as usize].clone();
            Node { parent: node.parent.and_then(moved), ..node }
        });
        Candidate { nodes: nodes.collect(), ..self }
    }
}

/// A diagram with bit `i` of its word at bit `bits[i]`.
pub(super) fn placed(diagram: &Diagram, bits: &[u32]) -> Diagram {
    let place = |node: &DiagramNode| DiagramNode { bit: bits[node.bit as usize], ..*node };
    Diagram { nodes: diagram.nodes.iter().map(place).collect(), start: diagram.start }
}

fn intersect(left: &[Pattern], right: &[Pattern]) -> Vec<Pattern> {
    left.iter().flat_map(|a| right.iter().filter_map(|b| a.intersect(*b))).collect()
}

/// Runs of consecutive bits of (word bit, value bit) pairs.
pub(super) fn runs(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Run> {
    let mut pairs: Vec<(u32, u32)> = pairs.collect();
    pairs.sort_by_key(|(_, to)| *to);
    let mut runs: Vec<Run> = Vec::new();
    for (from, to) in pairs {
        match runs.last_mut() {
            Some(run) if run.from + run.width == from && run.to + run.width == to => run.width += 1,
            _ => runs.push(Run { from, to, width: 1 }),
        }
    }
    runs
}
