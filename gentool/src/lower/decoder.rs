//! Decoders: variants of each group flattened along one chain, and the automaton that tells them
//! apart.
//!
//! Groups below an operation multiply: an instruction with three operands of sixteen registers
//! each has 4,096 codings, but is one variant. So only groups that are no operands and have
//! something to run are flattened, and every other is decoded by a decoder of its own, from its
//! own bits. What such a part cannot be (codings that none of its members has) still belongs to the
//! variant's set of words, as a list of cubes.
//!
//! The automaton is a decision tree over the cubes, made small by sharing equal states. Of two
//! variants that share a word one is a proper subset of the other and wins, so smaller sets are
//! asked first; the check before has proven that no other overlap exists.

use std::collections::BTreeMap;

use isac_ir::bits::Bits;
use isac_ir::decoder::{Decoder, Node, Run, State, Variant};
use isac_parser::model::{CheckedModel, CodingBit, InstanceId, OperationOrGroup, root_decodes};

use super::operation::lower_target;

/// Most bits that one state looks at.
const MAX_TEST_BITS: u32 = 12;

/// Most combinations of members of several groups in one operation that become variants.
const MAX_COMBINATIONS: usize = 256;

/// Words that agree with `value` where `mask` is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cube {
    mask: Bits,
    value: Bits,
}

/// A variant with the words that it matches.
#[derive(Debug, Clone)]
struct Candidate {
    nodes: Vec<Node>,
    cubes: Vec<Cube>,
}

/// All decoders that the model's CODINGROOTs need.
pub(super) fn lower_decoders(model: &CheckedModel) -> Vec<Decoder> {
    let mut builder = DecoderBuilder { model, targets: Vec::new(), decoders: BTreeMap::new() };
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            builder.require(operation.instances[decode.instance.index()].target);
        }
    }
    let mut next = 0;
    while let Some(target) = builder.targets.get(next).copied() {
        builder.build(target);
        next += 1;
    }
    let decoders = builder.targets.iter().filter_map(|target| builder.decoders.remove(target));
    decoders.collect()
}

struct DecoderBuilder<'a> {
    model: &'a CheckedModel,
    /// What has a decoder, in order of first need.
    targets: Vec<OperationOrGroup>,
    decoders: BTreeMap<OperationOrGroup, Decoder>,
}

impl DecoderBuilder<'_> {
    fn require(&mut self, target: OperationOrGroup) -> u32 {
        let found = self.targets.iter().position(|known| *known == target);
        found.unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        }) as u32
    }

    fn build(&mut self, target: OperationOrGroup) {
        let width = self.width(target);
        let bits: Vec<u32> = (0..width).collect();
        let mut candidates = self.expand(target, &bits, None, 0, None);
        // Ascending by number of words; the sort is stable, so the model's order breaks ties.
        candidates.sort_by(|a, b| words(&a.cubes).total_cmp(&words(&b.cubes)));
        let rows: Vec<(Cube, u32)> = candidates
            .iter()
            .zip(0u32..)
            .flat_map(|(candidate, variant)| candidate.cubes.iter().map(move |cube| (*cube, variant)))
            .collect();
        let mut automaton = Automaton::default();
        let reject = automaton.state(State::Reject);
        let start = automaton.build(&rows, Bits::ZERO, width, reject);
        let variants =
            candidates.into_iter().map(|candidate| Variant { width_bits: width, nodes: candidate.nodes });
        let decoder = Decoder {
            target: lower_target(target),
            width_bits: width,
            first_bits: width,
            states: automaton.states,
            start,
            variants: variants.collect(),
        };
        self.decoders.insert(target, decoder);
    }

    /// Width of a target's coded word, 0 without CODING.
    fn width(&self, target: OperationOrGroup) -> u32 {
        match target {
            OperationOrGroup::Operation(id) => {
                self.model.operations[id.index()].coding.as_ref().map_or(0, |coding| coding.len() as u32)
            }
            OperationOrGroup::Group(id) => {
                let members = &self.model.groups[id.index()].members;
                members.iter().map(|member| self.width(*member)).max().unwrap_or(0)
            }
        }
    }

    /// The variants of a target whose coded word's bit `i` is bit `bits[i]` of the decoder's word.
    fn expand(
        &mut self,
        target: OperationOrGroup,
        bits: &[u32],
        parent: Option<u32>,
        position: u32,
        instance: Option<u32>,
    ) -> Vec<Candidate> {
        let node = Node {
            target: lower_target(target),
            parent,
            position,
            instance,
            coded: runs(bits.iter().copied().zip(0..)),
            fields: Vec::new(),
            nested: None,
        };
        match target {
            OperationOrGroup::Group(id) => {
                let members = self.model.groups[id.index()].members.clone();
                let expanded =
                    members.into_iter().flat_map(|member| self.expand(member, bits, Some(0), 0, None));
                let expanded: Vec<Candidate> = expanded.collect();
                expanded.into_iter().map(|candidate| candidate.below(node.clone())).collect()
            }
            OperationOrGroup::Operation(_) => self.expand_operation(target, node, bits),
        }
    }

    fn expand_operation(&mut self, target: OperationOrGroup, mut node: Node, bits: &[u32]) -> Vec<Candidate> {
        let OperationOrGroup::Operation(id) = target else { return Vec::new() };
        let operation = &self.model.operations[id.index()];
        let coding = operation.coding.clone().unwrap_or_default();
        let mut cube = Cube { mask: Bits::ZERO, value: Bits::ZERO };
        let mut fields: Vec<Vec<(u32, u32)>> = vec![Vec::new(); operation.fields.len()];
        let mut aliases: Vec<Vec<u32>> = operation
            .instances
            .iter()
            .map(|instance| vec![0; instance.width_bits.unwrap_or(0) as usize])
            .collect();
        for (bit, word_bit) in coding.iter().rev().zip(bits) {
            match bit {
                CodingBit::Fixed(value) => {
                    cube.mask = cube.mask.with_bit(*word_bit, true);
                    cube.value = cube.value.with_bit(*word_bit, *value);
                }
                CodingBit::Any => {}
                CodingBit::Field { field, bit, .. } => fields[field.index()].push((*word_bit, *bit)),
                CodingBit::Instance { instance, bit } => {
                    if let Some(place) = aliases[instance.index()].get_mut(*bit as usize) {
                        *place = *word_bit;
                    }
                }
            }
        }
        node.fields = fields.into_iter().map(|pairs| runs(pairs.into_iter())).collect();
        let coded: Vec<(InstanceId, OperationOrGroup)> = self.coded_instances(id.index());
        let flattened = self.flattened(&coded);
        let mut candidates = vec![Candidate { nodes: vec![node], cubes: vec![cube] }];
        for (position, (instance, target)) in coded.into_iter().enumerate() {
            let place = (position as u32, instance.0);
            let bits = &aliases[instance.index()];
            let single = matches!(target, OperationOrGroup::Operation(_));
            let parts = match single || flattened.contains(&instance) {
                true => self.expand(target, bits, Some(0), place.0, Some(place.1)),
                false => vec![self.nested(target, bits, place)],
            };
            let joined = candidates.iter().flat_map(|left| parts.iter().map(|part| left.join(part)));
            candidates = joined.collect();
        }
        candidates
    }

    /// The instances of an operation's CODING in INSTANCE order.
    fn coded_instances(&self, operation: usize) -> Vec<(InstanceId, OperationOrGroup)> {
        let operation = &self.model.operations[operation];
        let coding = operation.coding.as_deref().unwrap_or_default();
        let instances = operation.instances.iter().zip(0u32..).filter(|(_, index)| {
            coding
                .iter()
                .any(|bit| matches!(bit, CodingBit::Instance { instance, .. } if instance.0 == *index))
        });
        instances.map(|(instance, index)| (InstanceId(index), instance.target)).collect()
    }

    /// The groups whose members are told apart together with the rest: those that are no operands
    /// and have something to run, as long as the combinations stay few; the first that is no
    /// operand if none runs.
    fn flattened(&self, coded: &[(InstanceId, OperationOrGroup)]) -> Vec<InstanceId> {
        let free = coded.iter().filter(|(_, target)| self.is_choice(*target));
        let running = free.clone().filter(|(_, target)| self.runs(*target));
        let mut combinations = 1;
        let mut found = Vec::new();
        for (instance, target) in running {
            combinations *= self.member_count(*target);
            if found.is_empty() || combinations <= MAX_COMBINATIONS {
                found.push(*instance);
            }
        }
        if found.is_empty() {
            found.extend(free.map(|(instance, _)| *instance).next());
        }
        found
    }

    /// Number of operations below a target.
    fn member_count(&self, target: OperationOrGroup) -> usize {
        match target {
            OperationOrGroup::Operation(_) => 1,
            OperationOrGroup::Group(id) => {
                let members = &self.model.groups[id.index()].members;
                members.iter().map(|member| self.member_count(*member)).sum()
            }
        }
    }

    /// True if something below a target has a BEHAVIOR or an ACTIVATION.
    fn runs(&self, target: OperationOrGroup) -> bool {
        match target {
            OperationOrGroup::Operation(id) => {
                let operation = &self.model.operations[id.index()];
                operation.behavior.is_some()
                    || !operation.activation.is_empty()
                    || self.coded_instances(id.index()).iter().any(|(_, target)| self.runs(*target))
            }
            OperationOrGroup::Group(id) => {
                self.model.groups[id.index()].members.iter().any(|member| self.runs(*member))
            }
        }
    }

    /// True for groups that are no operands.
    fn is_choice(&self, target: OperationOrGroup) -> bool {
        match target {
            OperationOrGroup::Operation(_) => false,
            OperationOrGroup::Group(id) => {
                let members = &self.model.groups[id.index()].members;
                members.iter().any(|member| match member {
                    OperationOrGroup::Operation(id) => self.model.operations[id.index()].expression.is_none(),
                    OperationOrGroup::Group(_) => self.is_choice(*member),
                })
            }
        }
    }

    /// A part that its own decoder decides; its possible words as cubes of the outer word.
    fn nested(&mut self, target: OperationOrGroup, bits: &[u32], place: (u32, u32)) -> Candidate {
        let decoder = self.require(target);
        let node = Node {
            target: lower_target(target),
            parent: Some(0),
            position: place.0,
            instance: Some(place.1),
            coded: runs(bits.iter().copied().zip(0..)),
            fields: Vec::new(),
            nested: Some(decoder),
        };
        let own: Vec<u32> = (0..bits.len() as u32).collect();
        let candidates = self.expand(target, &own, None, 0, None);
        let cubes: Vec<Cube> = candidates.into_iter().flat_map(|candidate| candidate.cubes).collect();
        let outer = merge_cubes(cubes).into_iter().map(|cube| cube.moved(bits)).collect();
        Candidate { nodes: vec![node], cubes: outer }
    }
}

impl Candidate {
    /// The same below a new node 0.
    fn below(self, node: Node) -> Candidate {
        let mut nodes = vec![node];
        for (index, mut child) in self.nodes.into_iter().enumerate() {
            child.parent = match index {
                0 => Some(0),
                _ => child.parent.map(|parent| parent + 1),
            };
            nodes.push(child);
        }
        Candidate { nodes, cubes: self.cubes }
    }

    /// The same with another part behind it, as a child of node 0.
    fn join(&self, part: &Candidate) -> Candidate {
        let offset = self.nodes.len() as u32;
        let mut nodes = self.nodes.clone();
        for (index, mut node) in part.nodes.iter().cloned().enumerate() {
            node.parent = match index {
                0 => Some(0),
                _ => node.parent.map(|parent| parent + offset),
            };
            nodes.push(node);
        }
        let pairs = self.cubes.iter().flat_map(|a| part.cubes.iter().filter_map(|b| a.intersect(*b)));
        Candidate { cubes: merge_cubes(pairs.collect()), nodes }
    }
}

impl Cube {
    fn intersect(self, other: Cube) -> Option<Cube> {
        let clash = (self.value ^ other.value) & self.mask & other.mask;
        (clash == Bits::ZERO).then(|| Cube { mask: self.mask | other.mask, value: self.value | other.value })
    }

    /// What is left of the cube without another's words, as cubes that share none.
    fn without(self, other: Cube) -> Vec<Cube> {
        if self.intersect(other).is_none() {
            return vec![self];
        }
        let mut rest = self;
        let mut pieces = Vec::new();
        for bit in (0..256).filter(|bit| other.mask.bit(*bit) && !self.mask.bit(*bit)) {
            let value = other.value.bit(bit);
            let mask = rest.mask.with_bit(bit, true);
            pieces.push(Cube { mask, value: rest.value.with_bit(bit, !value) });
            rest = Cube { mask, value: rest.value.with_bit(bit, value) };
        }
        pieces
    }

    /// The cube of a part as one of the whole: bit `i` goes to bit `bits[i]`.
    fn moved(self, bits: &[u32]) -> Cube {
        let zero = Cube { mask: Bits::ZERO, value: Bits::ZERO };
        bits.iter().zip(0u32..).fold(zero, |cube, (to, from)| Cube {
            mask: cube.mask.with_bit(*to, self.mask.bit(from)),
            value: cube.value.with_bit(*to, self.value.bit(from)),
        })
    }
}

/// Joins cubes that differ in one fixed bit alone, until none do.
fn merge_cubes(mut cubes: Vec<Cube>) -> Vec<Cube> {
    loop {
        cubes.sort();
        cubes.dedup();
        let mut merged = None;
        'search: for (index, a) in cubes.iter().enumerate() {
            for (other, b) in cubes.iter().enumerate().skip(index + 1) {
                let difference = a.value ^ b.value;
                if a.mask == b.mask && difference.count_ones() == 1 {
                    let mask = a.mask & !difference;
                    merged = Some((index, other, Cube { mask, value: a.value & mask }));
                    break 'search;
                }
            }
        }
        let Some((index, other, cube)) = merged else { return cubes };
        cubes.remove(other);
        cubes[index] = cube;
    }
}

/// Number of words, relative to all; those that several cubes have count once.
fn words(cubes: &[Cube]) -> f64 {
    let mut apart: Vec<Cube> = Vec::new();
    for cube in cubes {
        let mut pieces = vec![*cube];
        for taken in &apart {
            pieces = pieces.into_iter().flat_map(|piece| piece.without(*taken)).collect();
        }
        apart.extend(pieces);
    }
    apart.iter().map(|cube| 0.5f64.powi(cube.mask.count_ones() as i32)).sum()
}

/// Runs of consecutive bits of (word bit, value bit) pairs.
fn runs(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Run> {
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

/// States by content, so that equal ones are one.
#[derive(Default)]
struct Automaton {
    states: Vec<State>,
    index: BTreeMap<State, u32>,
}

impl Automaton {
    fn state(&mut self, state: State) -> u32 {
        if let State::Test { edges, otherwise, .. } = &state
            && edges.iter().all(|(_, next)| next == otherwise)
        {
            return *otherwise;
        }
        if let Some(index) = self.index.get(&state) {
            return *index;
        }
        let index = self.states.len() as u32;
        self.states.push(state.clone());
        self.index.insert(state, index);
        index
    }

    /// The state that decides between rows, of which the first that matches wins.
    fn build(&mut self, rows: &[(Cube, u32)], tested: Bits, width: u32, reject: u32) -> u32 {
        let Some(((first, variant), _)) = rows.split_first() else { return reject };
        let left = first.mask & !tested;
        if left == Bits::ZERO {
            return self.state(State::Accept(*variant));
        }
        let common = rows.iter().fold(left, |common, (cube, _)| common & cube.mask);
        let (low, count) = match longest_run(common, width) {
            Some(run) => run,
            None => (most_tested_bit(rows, left, width), 1),
        };
        let bits = Bits::ZERO.with(low, count, u128::MAX);
        let mut edges: BTreeMap<u64, Vec<(Cube, u32)>> = BTreeMap::new();
        for (cube, _) in rows {
            if cube.mask & bits == bits {
                edges.entry(cube.value.extract(low, count) as u64).or_default();
            }
        }
        let mut rest = Vec::new();
        for (cube, variant) in rows {
            if cube.mask & bits == bits {
                let value = cube.value.extract(low, count) as u64;
                edges.entry(value).or_default().push((*cube, *variant));
            } else {
                rest.push((*cube, *variant));
                edges.values_mut().for_each(|rows| rows.push((*cube, *variant)));
            }
        }
        let otherwise = self.build(&rest, tested | bits, width, reject);
        let mut targets = Vec::new();
        for (value, rows) in edges {
            let next = self.build(&rows, tested | bits, width, reject);
            if next != otherwise {
                targets.push((value, next));
            }
        }
        self.state(State::Test { low, width: count, edges: targets, otherwise })
    }
}

/// The longest run of ones, at most [`MAX_TEST_BITS`] of it: lowest bit and length.
fn longest_run(bits: Bits, width: u32) -> Option<(u32, u32)> {
    let mut best: Option<(u32, u32)> = None;
    let mut bit = 0;
    while bit < width {
        let length = (bit..width.min(bit + MAX_TEST_BITS)).take_while(|bit| bits.bit(*bit)).count() as u32;
        if length > best.map_or(0, |(_, length)| length) {
            best = Some((bit, length));
        }
        bit += length.max(1);
    }
    best
}

/// The bit of `among` that most rows fix, the lowest of several.
fn most_tested_bit(rows: &[(Cube, u32)], among: Bits, width: u32) -> u32 {
    let fixed = |bit: u32| rows.iter().filter(|(cube, _)| cube.mask.bit(bit)).count();
    let bits = (0..width).filter(|bit| among.bit(*bit));
    bits.max_by_key(|bit| (fixed(*bit), std::cmp::Reverse(*bit))).unwrap_or(0)
}
