//! What instructions can have at their places, as sets that the decoders' patterns leave.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use isac_ir::Model;
use isac_ir::behavior::Stmt;
use isac_ir::decoder::{Node, Run};
use isac_ir::operation::{Role, TailItem, Target};

use super::part::{is_operand, name_of};
use super::pattern::{Pattern, accepted};
use super::place::{Place, places};

/// Values of a field that agree in some bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldPattern {
    pub(super) mask: u128,
    /// 0 outside of the mask.
    pub(super) value: u128,
}

/// Trees of an operation: each field is of its pattern, each instance one of its forms, whatever the
/// others are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    pub(super) operation: u32,
    pub(super) fields: Vec<FieldPattern>,
    pub(super) children: Vec<(u32, Vec<Form>)>,
}

/// What can stand at a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceForms {
    Field(FieldPattern),
    Instance(Vec<Form>),
}

/// An instruction of the set: the operations that it is made of, and what its words can have at their
/// places: one of the lists, at each place whatever the others are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InstructionForms {
    pub(super) operations: Vec<u32>,
    pub(super) alternatives: BTreeSet<Vec<PlaceForms>>,
}

/// All instructions that CODINGROOTs decode, by name.
pub(super) fn instruction_forms(model: &Model) -> BTreeMap<String, InstructionForms> {
    let mut walk = Walk { model, accepted: HashMap::new(), found: BTreeMap::new() };
    for (number, operation) in (0..).zip(&model.operations) {
        if let Some(root) = &operation.root {
            let mut path = Path { names: vec![&operation.name], operations: vec![number], ..Path::default() };
            walk.root(number, &root.statements, &mut path);
        }
    }
    walk.found
}

type Accepted = BTreeSet<(u32, Pattern)>;

struct Walk<'m> {
    model: &'m Model,
    accepted: HashMap<(u32, Pattern), Accepted>,
    found: BTreeMap<String, InstructionForms>,
}

/// The way to a node.
#[derive(Default)]
struct Path<'m> {
    names: Vec<&'m str>,
    operations: Vec<u32>,
    places: Vec<PlaceForms>,
}

/// A node of a variant's tree in words of a pattern.
#[derive(Clone, Copy)]
struct At<'m> {
    nodes: &'m [Node],
    index: usize,
    pattern: Pattern,
}

impl<'m> At<'m> {
    fn node(self) -> &'m Node {
        &self.nodes[self.index]
    }

    fn children(self) -> impl Iterator<Item = At<'m>> {
        let below = (self.index + 1..self.nodes.len())
            .filter(move |child| self.nodes[*child].parent == Some(self.index as u32));
        below.map(move |index| At { index, ..self })
    }

    fn child(self, instance: u32) -> Option<At<'m>> {
        self.children().find(|child| child.node().instance == Some(instance))
    }
}

impl<'m> Walk<'m> {
    /// The elements of a CODINGROOT.
    fn root(&mut self, operation: u32, statements: &'m [Stmt], path: &mut Path<'m>) {
        for statement in statements {
            match statement {
                Stmt::Decode { instance, .. } => {
                    let target = self.model.operation(operation).instances[*instance as usize].target;
                    if let Some(decoder) = self.model.decoder_of(target) {
                        self.decoded(decoder, Pattern::default(), path);
                    }
                }
                Stmt::OpenNode { label } => path.names.push(&self.model.labels[*label as usize]),
                Stmt::CloseNode => drop(path.names.pop()),
                Stmt::If { then, otherwise, .. } => {
                    self.root(operation, then, path);
                    self.root(operation, otherwise, path);
                }
                _ => {}
            }
        }
    }

    fn accepted(&mut self, decoder: u32, known: Pattern) -> Accepted {
        let model = self.model;
        let found = self.accepted.entry((decoder, known));
        found.or_insert_with(|| accepted(&model.decoders[decoder as usize], known)).clone()
    }

    /// What a decoder makes of words of a pattern.
    fn variants(&mut self, decoder: u32, known: Pattern) -> Vec<At<'m>> {
        let model = self.model;
        let accepted = self.accepted(decoder, known).into_iter();
        let variants = &model.decoders[decoder as usize].variants;
        accepted.map(|(of, pattern)| At { nodes: &variants[of as usize].nodes, index: 0, pattern }).collect()
    }

    fn decoded(&mut self, decoder: u32, known: Pattern, path: &mut Path<'m>) {
        for at in self.variants(decoder, known) {
            self.node(at, path);
        }
    }

    /// A node that is no operand.
    fn node(&mut self, at: At<'m>, path: &mut Path<'m>) {
        let node = at.node();
        if let Some(nested) = node.nested.filter(|_| at.index > 0) {
            return self.decoded(nested, at.pattern.gathered(&node.coded), path);
        }
        path.names.push(self.model.target_name(node.target));
        match node.target {
            Target::Operation(operation) => {
                let places = path.places.len();
                path.operations.push(operation);
                if self.add_places(at, operation, path) {
                    self.below(at, operation, path);
                }
                path.operations.pop();
                path.places.truncate(places);
            }
            Target::Group(_) | Target::Label(_) => {
                if let Some(member) = at.children().next() {
                    self.node(member, path);
                }
            }
        }
        path.names.pop();
    }

    /// Adds what stands at an operation's places; false if nothing can stand at one.
    fn add_places(&mut self, at: At<'m>, operation: u32, path: &mut Path<'m>) -> bool {
        for place in places(self.model, operation) {
            let forms = match place {
                Place::Field(field) => PlaceForms::Field(self.field(at, operation, field)),
                Place::Instance(instance) => PlaceForms::Instance(self.instance(at, operation, instance)),
            };
            if forms == PlaceForms::Instance(Vec::new()) {
                return false;
            }
            path.places.push(forms);
        }
        true
    }

    /// The children of an operation that are no operands; without any it is an instruction.
    fn below(&mut self, at: At<'m>, operation: u32, path: &mut Path<'m>) {
        let model = self.model;
        let instances = &model.operation(operation).instances;
        let is_cut = |instance: u32| is_operand(&instances[instance as usize]);
        let coded: Vec<At<'m>> =
            at.children().filter(|child| !child.node().instance.is_some_and(is_cut)).collect();
        let tails: Vec<u32> = (model.operation(operation).tail.iter())
            .filter_map(|item| match item {
                TailItem::Decode { instance, decoder } if !is_cut(*instance) => Some(*decoder),
                _ => None,
            })
            .collect();
        if coded.is_empty() && tails.is_empty() {
            let found = self.found.entry(name_of(path.names.iter().copied())).or_default();
            found.operations = path.operations.clone();
            found.alternatives.insert(path.places.clone());
            return;
        }
        // Words that nothing can be made of beside this child are none.
        let is_nothing = |walk: &mut Walk<'m>, child: &At<'m>| {
            let node = child.node();
            let nested = node.nested;
            nested.is_some_and(|nested| walk.accepted(nested, child.pattern.gathered(&node.coded)).is_empty())
        };
        if coded.iter().any(|child| is_nothing(self, child)) {
            return;
        }
        coded.into_iter().for_each(|child| self.node(child, path));
        tails.into_iter().for_each(|decoder| self.decoded(decoder, Pattern::default(), path));
    }

    /// What an operand can be.
    fn instance(&mut self, at: At<'m>, operation: u32, instance: u32) -> Vec<Form> {
        let tails = &self.model.operation(operation).tail;
        let tail = tails.iter().find_map(|item| match item {
            TailItem::Decode { instance: of, decoder } if *of == instance => Some(*decoder),
            _ => None,
        });
        match (at.child(instance), tail) {
            (Some(child), _) => self.forms(child),
            (None, Some(decoder)) => self.decoded_forms(decoder, Pattern::default()),
            (None, None) => Vec::new(),
        }
    }

    fn decoded_forms(&mut self, decoder: u32, known: Pattern) -> Vec<Form> {
        let found: Vec<At<'m>> = self.variants(decoder, known);
        let forms: BTreeSet<Form> = found.into_iter().flat_map(|at| self.forms(at)).collect();
        forms.into_iter().collect()
    }

    fn forms(&mut self, at: At<'m>) -> Vec<Form> {
        let node = at.node();
        if let Some(nested) = node.nested.filter(|_| at.index > 0) {
            return self.decoded_forms(nested, at.pattern.gathered(&node.coded));
        }
        let Target::Operation(operation) = node.target else {
            return at.children().next().map(|member| self.forms(member)).unwrap_or_default();
        };
        let described = self.model.operation(operation);
        let fields = 0..described.fields.len() as u32;
        let fields = fields.map(|field| self.field(at, operation, field)).collect();
        let mut children = Vec::new();
        for (instance, _) in (0..).zip(&described.instances).filter(|(_, it)| it.role == Role::Coded) {
            let forms = self.instance(at, operation, instance);
            if forms.is_empty() {
                return Vec::new();
            }
            children.push((instance, forms));
        }
        vec![Form { operation, fields, children }]
    }

    /// What a field can be: bits that no word has are 0.
    fn field(&self, at: At<'m>, operation: u32, field: u32) -> FieldPattern {
        let described = self.model.operation(operation);
        let tails = described.tail.iter().flat_map(|item| match item {
            TailItem::Word { fields, .. } => fields.as_slice(),
            TailItem::Instance(_) | TailItem::Decode { .. } => &[],
        });
        let tails = tails.filter(|(of, _)| *of == field).map(|(_, run)| run);
        let runs: &[Run] = at.node().fields.get(field as usize).map_or(&[], Vec::as_slice);
        let fixed = at.pattern.gathered(runs);
        let coded: u128 = runs.iter().chain(tails).map(bits_of).fold(0, |all, bits| all | bits);
        let mut pattern = FieldPattern { mask: 0, value: 0 };
        for bit in 0..described.fields[field as usize].width_bits.min(128) {
            let set = if coded >> bit & 1 == 1 { fixed.bit(bit) } else { Some(false) };
            pattern.mask |= u128::from(set.is_some()) << bit;
            pattern.value |= u128::from(set == Some(true)) << bit;
        }
        pattern
    }
}

/// The bits of a value that a run fills.
fn bits_of(run: &Run) -> u128 {
    isac_ir::bits::mask(run.width).checked_shl(run.to).unwrap_or(0)
}
