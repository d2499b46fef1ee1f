//! Decoders: variants of each choice flattened along one chain, and the automaton that tells them
//! apart.
//!
//! Groups below an operation multiply: an instruction with three operands of sixteen registers
//! each has 4,096 codings, but is one variant. So only groups that are no operands and have
//! something to run are flattened, and every other is decoded by a decoder of its own, from its
//! own bits. What such a part cannot be (codings that none of its members has) is no part of the
//! variant's words where these matter, and else found when the part is decoded.
//!
//! Which path wins a word has been decided when the model was checked; here its sets of words only
//! become an automaton.

mod automaton;
mod below;
mod candidate;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use isac_ir::decoder::{Decoder, Node, Variant};
use isac_ir::operation::{TailItem as LoweredItem, Target};
use isac_parser::model::{
    CheckedModel, CodingBit, DecodingPath, Endian, InstanceId, InstanceRole, OperationOrGroup, RootSource,
    TailItem, root_decodes,
};

use self::automaton::{Row, Shape, Sharing, build_automaton};
use self::below::{BelowTable, coded_instances};
use self::candidate::{Candidate, Pattern, placed, runs};
use super::operation::lower_target;

/// Most combinations of members of several groups in one operation that become variants.
const MAX_COMBINATIONS: usize = 256;

/// All decoders that the model's CODINGROOTs and TAILs need, and the TAIL of each operation.
pub(super) fn lower_decoders(model: &CheckedModel) -> (Vec<Decoder>, Vec<Vec<LoweredItem>>) {
    lower_sharing(model, Sharing::Equal)
}

fn lower_sharing(model: &CheckedModel, sharing: Sharing) -> (Vec<Decoder>, Vec<Vec<LoweredItem>>) {
    let mut builder = DecoderBuilder {
        model,
        sharing,
        below: BelowTable::of(model),
        targets: Vec::new(),
        decoders: BTreeMap::new(),
        cell_bits: BTreeMap::new(),
    };
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            builder.require(target);
            if let RootSource::Map { map, .. } = &decode.source {
                builder.fetch_by(target, model.maps[map.index()].cell_bits);
            }
        }
    }
    // Words of a TAIL are fetched as the instruction's own: by the cells of all roots.
    let cells = builder.cell_bits.values().copied().reduce(lcm).unwrap_or(1);
    let tails = (0..model.operations.len()).map(|operation| builder.lower_tail(operation, cells)).collect();
    let mut next = 0;
    while let Some(target) = builder.targets.get(next).copied() {
        builder.build(target);
        next += 1;
    }
    let decoders = builder.targets.iter().filter_map(|target| builder.decoders.remove(target));
    (decoders.collect(), tails)
}

struct DecoderBuilder<'a> {
    model: &'a CheckedModel,
    sharing: Sharing,
    below: BelowTable,
    /// What has a decoder, in order of first need.
    targets: Vec<OperationOrGroup>,
    decoders: BTreeMap<OperationOrGroup, Decoder>,
    /// The cells by which what is decoded from memory is fetched.
    cell_bits: BTreeMap<OperationOrGroup, u32>,
}

impl DecoderBuilder<'_> {
    fn require(&mut self, target: OperationOrGroup) -> u32 {
        let found = self.targets.iter().position(|known| *known == target);
        found.unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        }) as u32
    }

    fn fetch_by(&mut self, target: OperationOrGroup, cell_bits: u32) {
        let entry = self.cell_bits.entry(target).or_insert(cell_bits);
        *entry = lcm(*entry, cell_bits);
    }

    fn build(&mut self, target: OperationOrGroup) {
        let Some(decoding) = self.model.decoding(target) else { return };
        let width_bits = decoding.width_bits;
        let bits: Vec<u32> = (0..width_bits).collect();
        let first_bits = decoding.paths.iter().map(|path| path.width_bits).min().unwrap_or(width_bits);
        let candidates = self.expand(target, &bits);
        let mut variants: Vec<Variant> = Vec::new();
        // Variants by what they choose: few that differ choose the same.
        let mut alike: BTreeMap<Vec<Target>, Vec<usize>> = BTreeMap::new();
        let (mut rows, mut conditions) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let variant = Variant { width_bits: candidate.width_bits, nodes: candidate.nodes };
            let alike = alike.entry(variant.nodes.iter().map(|node| node.target).collect()).or_default();
            let known = alike.iter().copied().find(|known| variants[*known] == variant);
            let index = known.unwrap_or_else(|| {
                alike.push(variants.len());
                variants.push(variant);
                variants.len() - 1
            });
            let condition = (!candidate.diagrams.is_empty()).then(|| {
                conditions.push(candidate.diagrams);
                conditions.len() - 1
            });
            let (variant, width_bits) = (index as u32, candidate.width_bits);
            let accept = |pattern| Row { pattern, condition, variant, width_bits };
            rows.extend(candidate.patterns.into_iter().map(accept));
        }
        let shape = Shape {
            width_bits,
            first_bits,
            cell_bits: self.cell_bits.get(&target).copied().unwrap_or(width_bits.max(1)),
            big_endian: self.model.target.endian == Endian::Big,
        };
        let (states, start) = build_automaton(&rows, &conditions, shape, self.sharing);
        let decoder = Decoder {
            target: lower_target(target),
            width_bits,
            first_bits,
            states,
            start,
            variants,
            is_open: !decoding.is_exact,
        };
        self.decoders.insert(target, decoder);
    }

    /// The variants of a choice whose coded word's bit `i` is bit `bits[i]` of the decoder's word,
    /// in the order in which they win.
    fn expand(&mut self, target: OperationOrGroup, bits: &[u32]) -> Vec<Candidate> {
        let model = self.model;
        let Some(decoding) = model.decoding(target) else { return Vec::new() };
        let mut shapes: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
        let mut found = Vec::new();
        for entry in &decoding.entries {
            let path = &decoding.paths[entry.path];
            if let Entry::Vacant(vacant) = shapes.entry(entry.path) {
                let low = match model.target.endian {
                    Endian::Little => 0,
                    Endian::Big => decoding.width_bits - path.width_bits,
                };
                let own = &bits[low as usize..(low + path.width_bits) as usize];
                vacant.insert(self.expand_path(path, own));
            }
            let patterns: Vec<Pattern> =
                entry.patterns.iter().map(|cube| Pattern::of(cube, decoding.width_bits, bits)).collect();
            let shapes = shapes.get(&entry.path).into_iter().flatten();
            let diagram = entry.diagram.as_ref().map(|diagram| placed(diagram, bits));
            found.extend(shapes.map(|shape| shape.narrowed(&patterns, diagram.as_ref())));
        }
        found
    }

    /// The variants of one path; each matches what the groups that are flattened in it match.
    fn expand_path(&mut self, path: &DecodingPath, bits: &[u32]) -> Vec<Candidate> {
        let mut candidates = vec![Candidate::anything(path.width_bits)];
        let mut here = bits.to_vec();
        for (index, step) in path.steps.iter().enumerate() {
            let followed = path.steps.get(index + 1).and_then(|next| next.instance);
            let node = Node {
                target: lower_target(step.target),
                parent: None,
                position: 0,
                instance: None,
                coded: runs(here.iter().copied().zip(0..)),
                fields: self.fields(step.target, &here),
                nested: None,
            };
            let parts = self.parts(step.target, &here, followed);
            candidates = candidates.into_iter().map(|candidate| candidate.with_step(&node, step)).collect();
            for part in parts {
                let joined = candidates.iter().flat_map(|left| part.iter().map(|part| left.join(part)));
                candidates = joined.collect();
            }
            if let (Some(instance), OperationOrGroup::Operation(id)) = (followed, step.target) {
                here = self.places(id.index(), &here)[instance.index()].clone();
                let position = self.position(id.index(), instance);
                candidates.iter_mut().for_each(|candidate| candidate.follow(position, instance.0));
            }
        }
        candidates.into_iter().map(Candidate::in_pre_order).collect()
    }

    /// Where the fields of an operation stand.
    fn fields(&self, target: OperationOrGroup, bits: &[u32]) -> Vec<Vec<isac_ir::decoder::Run>> {
        let OperationOrGroup::Operation(id) = target else { return Vec::new() };
        let operation = &self.model.operations[id.index()];
        let coding = operation.coding.as_deref().unwrap_or_default();
        let mut fields: Vec<Vec<(u32, u32)>> = vec![Vec::new(); operation.fields.len()];
        for (bit, at) in coding.iter().rev().zip(bits) {
            if let CodingBit::Field { field, bit, .. } = bit {
                fields[field.index()].push((*at, *bit));
            }
        }
        fields.into_iter().map(|pairs| runs(pairs.into_iter())).collect()
    }

    /// Where the bits of each instance of an operation stand.
    fn places(&self, operation: usize, bits: &[u32]) -> Vec<Vec<u32>> {
        let operation = &self.model.operations[operation];
        let widths = operation.instances.iter().map(|instance| instance.width_bits.unwrap_or(0) as usize);
        let mut places: Vec<Vec<u32>> = widths.map(|width| vec![0; width]).collect();
        for (bit, at) in operation.coding.iter().flatten().rev().zip(bits) {
            if let CodingBit::Instance { instance, bit } = bit
                && let Some(place) = places[instance.index()].get_mut(*bit as usize)
            {
                *place = *at;
            }
        }
        places
    }

    /// What stands beside the instance that a path follows: for each, its ways to be chosen.
    fn parts(
        &mut self,
        target: OperationOrGroup,
        bits: &[u32],
        followed: Option<InstanceId>,
    ) -> Vec<Vec<Candidate>> {
        let OperationOrGroup::Operation(id) = target else { return Vec::new() };
        let places = self.places(id.index(), bits);
        let coded = coded_instances(self.model, id.index()).collect::<Vec<_>>();
        let flattened = self.flattened(&coded);
        let mut parts = Vec::new();
        for (instance, target) in coded.into_iter().filter(|(instance, _)| Some(*instance) != followed) {
            let position = self.position(id.index(), instance);
            let bits = &places[instance.index()];
            let single = matches!(target, OperationOrGroup::Operation(_));
            let mut ways = match single || flattened.contains(&instance) {
                true => self.expand(target, bits),
                false => vec![self.nested(target, bits)],
            };
            ways.iter_mut().for_each(|way| way.hang(position, instance.0));
            parts.push(ways);
        }
        parts
    }

    /// The place of an instance among those that are decoded.
    fn position(&self, operation: usize, instance: InstanceId) -> u32 {
        let before = self.model.operations[operation].instances.iter().take(instance.index());
        before.filter(|instance| instance.role == InstanceRole::Coded).count() as u32
    }

    /// The groups whose members are told apart together with the rest: those that are no operands
    /// and have something to run, as long as the combinations stay few; the first that is no
    /// operand if none runs.
    fn flattened(&self, coded: &[(InstanceId, OperationOrGroup)]) -> Vec<InstanceId> {
        let free = coded.iter().filter(|(_, target)| self.below.get(*target).is_choice);
        let running = free.clone().filter(|(_, target)| self.below.get(*target).runs);
        let mut combinations: usize = 1;
        let mut found = Vec::new();
        for (instance, target) in running {
            combinations = combinations.saturating_mul(self.below.get(*target).members);
            if found.is_empty() || combinations <= MAX_COMBINATIONS {
                found.push(*instance);
            }
        }
        if found.is_empty() {
            found.extend(free.map(|(instance, _)| *instance).next());
        }
        found
    }

    /// A part that its own decoder decides.
    fn nested(&mut self, target: OperationOrGroup, bits: &[u32]) -> Candidate {
        let decoder = self.require(target);
        let node = Node {
            target: lower_target(target),
            parent: None,
            position: 0,
            instance: None,
            coded: runs(bits.iter().copied().zip(0..)),
            fields: Vec::new(),
            nested: Some(decoder),
        };
        Candidate::of_node(node)
    }

    /// What follows the word because of an operation: what its TAIL lists, then the tails of the
    /// instances that it does not list.
    fn lower_tail(&mut self, operation: usize, cell_bits: u32) -> Vec<LoweredItem> {
        let model = self.model;
        let source = &model.operations[operation];
        let mut items = Vec::new();
        for item in &source.tail {
            items.push(match item {
                TailItem::Word { bits, .. } => lower_word(bits),
                TailItem::Instance { instance, .. } => LoweredItem::Instance(instance.0),
                TailItem::Decode { instance, .. } => {
                    let target = source.instances[instance.index()].target;
                    self.fetch_by(target, cell_bits);
                    LoweredItem::Decode { instance: instance.0, decoder: self.require(target) }
                }
            });
        }
        for (instance, target) in coded_instances(model, operation) {
            let listed = LoweredItem::Instance(instance.0);
            if !items.contains(&listed) && self.below.get(target).has_tail {
                items.push(listed);
            }
        }
        items
    }
}

/// A word of a TAIL.
fn lower_word(bits: &[CodingBit]) -> LoweredItem {
    let mut pattern = Pattern::default();
    let mut fields: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (at, bit) in (0u32..).zip(bits.iter().rev()) {
        match bit {
            CodingBit::Fixed(set) => pattern = pattern.with_bit(at, *set),
            CodingBit::Field { field, bit, fixed } => {
                fields.entry(field.0).or_default().push((at, *bit));
                pattern = fixed.map_or(pattern, |set| pattern.with_bit(at, set));
            }
            CodingBit::Any | CodingBit::Instance { .. } => {}
        }
    }
    let of_field = |(field, pairs): (u32, Vec<(u32, u32)>)| {
        runs(pairs.into_iter()).into_iter().map(move |run| (field, run)).collect::<Vec<_>>()
    };
    LoweredItem::Word {
        width_bits: bits.len() as u32,
        mask: pattern.mask,
        value: pattern.value,
        fields: fields.into_iter().flat_map(of_field).collect(),
    }
}

/// The least common multiple.
fn lcm(a: u32, b: u32) -> u32 {
    let (mut x, mut y) = (a.max(1), b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.max(1) / x * b.max(1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use isac_ir::bits::Bits;
    use isac_ir::decode::choose_variant;
    use isac_parser::diagnostic::Diagnostics;
    use isac_parser::source::{FileSystem, SourceMap};

    use super::*;

    /// Numbers from a seed (splitmix64, after Steele, Lea and Flood).
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// All words of up to 16 bits; of more, those near the edges of the automaton, and random ones.
    fn words(decoder: &Decoder) -> Vec<Bits> {
        let width = decoder.width_bits;
        if width <= 16 {
            return (0..1u128 << width).map(Bits::from_u128).collect();
        }
        let mut state = u64::from(width);
        let mut random = || {
            let number = u128::from(next(&mut state)) << 64 | u128::from(next(&mut state));
            let low = Bits::ZERO.with(0, width.min(128), number);
            if width > 128 { low.with(128, (width - 128).min(128), number.rotate_left(7)) } else { low }
        };
        let mut found: Vec<Bits> = (0..2000).map(|_| random()).collect();
        let walk = |mut word: Bits, choice: &mut u64| {
            let mut at = decoder.start;
            loop {
                match &decoder.states[at as usize] {
                    isac_ir::decoder::State::Test { low, width, edges, .. } => {
                        let (value, to) = edges[next(choice) as usize % edges.len()];
                        word = word.with(*low, *width, value.into());
                        at = to;
                    }
                    isac_ir::decoder::State::Fetch { next, .. } => at = *next,
                    _ => return word,
                }
            }
        };
        let mut choice = 5;
        found.extend((0..6000).map(|_| walk(random(), &mut choice)).collect::<Vec<_>>());
        found
    }

    /// Sharing equal states changes nothing but how many there are.
    #[test]
    fn a_minimised_automaton_accepts_what_the_whole_tree_does() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut smaller = 0;
        for name in ["tiny8", "rv32im", "rv32imc", "rv64imac", "mips32", "armv6m", "avr", "vliw4", "pdp11"] {
            let path = root.join("models").join(name).join(format!("{name}.isac"));
            let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
            let loaded =
                isac_parser::load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
            let model = loaded.unwrap_or_else(|| panic!("{name} is sound"));
            let (minimised, _) = lower_sharing(&model, Sharing::Equal);
            let (whole, _) = lower_sharing(&model, Sharing::Nothing);
            for (minimised, whole) in minimised.iter().zip(&whole) {
                smaller += usize::from(minimised.states.len() < whole.states.len());
                for word in words(minimised) {
                    let expected = choose_variant(whole, word);
                    assert_eq!(choose_variant(minimised, word), expected, "{name}: {word:?}");
                }
            }
        }
        assert!(smaller > 8, "{smaller} automata have become smaller");
    }
}
