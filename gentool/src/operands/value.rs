//! The values that are told apart at a place: each of a few, or classes of them.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::syntax::Tree;

use super::form::{FieldPattern, Form};
use super::place::text_of;

/// Fields that are wider are told by classes of their values.
const WIDEST_LISTED_BITS: u32 = 6;

/// How much is told of an operand: as much as leaves no more values than can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Each value of a narrow field, and the class of a wide one.
    Values,
    /// Each value of a narrow field.
    Narrow,
    /// Which operations it is made of.
    Forms,
}

impl Detail {
    pub(super) const ALL: [Detail; 3] = [Detail::Values, Detail::Narrow, Detail::Forms];

    /// Whether anything is told of a field.
    fn tells(self, of: FieldOf) -> bool {
        match self {
            Detail::Values => true,
            Detail::Narrow => of.is_narrow(),
            Detail::Forms => false,
        }
    }
}

/// A value, or a class of values, of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Value(u128),
    Class(Class),
    Nothing,
}

/// The classes of a wide field's values; a value is of the first that it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Zero,
    One,
    MinusOne,
    Least,
    Greatest,
    Other,
}

impl Class {
    pub(super) fn text(self) -> &'static str {
        match self {
            Class::Zero => "0",
            Class::One => "1",
            Class::MinusOne => "-1",
            Class::Least => "least",
            Class::Greatest => "greatest",
            Class::Other => "other",
        }
    }
}

/// What is told of an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldTree {
    operation: u32,
    fields: Vec<Told>,
    children: Vec<(u32, ToldTree)>,
}

/// There are more values than are listed.
#[derive(Debug)]
pub(super) struct TooMany;

/// The least and the greatest value of each field of operations, as [`FieldOf::ordered`] has them.
#[derive(Debug, Clone, Default)]
pub(super) struct Extents(BTreeMap<(u32, u32), (u128, u128)>);

/// A field of an operation.
#[derive(Clone, Copy)]
pub(super) struct FieldOf {
    pub(super) operation: u32,
    pub(super) field: u32,
    pub(super) width_bits: u32,
    pub(super) signed: bool,
}

impl FieldOf {
    pub(super) fn new(model: &Model, operation: u32, field: u32) -> FieldOf {
        let described = &model.operation(operation).fields[field as usize];
        let (width_bits, signed) = (described.width_bits.clamp(1, 128), described.signed);
        FieldOf { operation, field, width_bits, signed }
    }

    fn is_narrow(self) -> bool {
        self.width_bits <= WIDEST_LISTED_BITS
    }

    fn sign(self) -> u128 {
        if self.signed { 1 << (self.width_bits - 1) } else { 0 }
    }

    fn ones(self) -> u128 {
        isac_ir::bits::mask(self.width_bits)
    }

    /// Numbers that stand in the order of the values.
    fn ordered(self, value: u128) -> u128 {
        value & self.ones() ^ self.sign()
    }

    /// All values of a pattern of a narrow field, in their order.
    fn values_of(self, pattern: FieldPattern) -> impl Iterator<Item = u128> {
        (0..1_u128 << self.width_bits.min(WIDEST_LISTED_BITS))
            .map(move |number| number ^ self.sign())
            .filter(move |value| value & pattern.mask == pattern.value)
    }
}

impl Extents {
    /// Takes in the values of a pattern.
    pub(super) fn add(&mut self, of: FieldOf, pattern: FieldPattern) {
        let free = of.ones() & !pattern.mask;
        let least = of.ordered(pattern.value | free & of.sign());
        let greatest = of.ordered(pattern.value | free & !of.sign());
        let extent = self.0.entry((of.operation, of.field)).or_insert((least, greatest));
        *extent = (extent.0.min(least), extent.1.max(greatest));
    }

    /// Takes in all fields of a form.
    pub(super) fn add_form(&mut self, model: &Model, form: &Form) {
        for (field, pattern) in (0..).zip(&form.fields) {
            self.add(FieldOf::new(model, form.operation, field), *pattern);
        }
        form.children.iter().flat_map(|(_, forms)| forms).for_each(|form| self.add_form(model, form));
    }

    /// What is told of a field's value.
    pub(super) fn told(&self, of: FieldOf, value: u128) -> Told {
        match of.is_narrow() {
            true => Told::Value(value & of.ones()),
            false => Told::Class(self.class(of, value)),
        }
    }

    /// What is told of the values of a pattern, in their order.
    pub(super) fn told_values(&self, of: FieldOf, pattern: FieldPattern) -> Vec<Told> {
        match of.is_narrow() {
            true => of.values_of(pattern).map(Told::Value).collect(),
            false => self.classes(of, pattern).into_iter().map(Told::Class).collect(),
        }
    }

    fn class(&self, of: FieldOf, value: u128) -> Class {
        let value = value & of.ones();
        let extent = self.0.get(&(of.operation, of.field)).copied();
        let is = |end: Option<u128>| end == Some(of.ordered(value));
        match value {
            0 => Class::Zero,
            1 => Class::One,
            _ if of.signed && value == of.ones() => Class::MinusOne,
            _ if is(extent.map(|(least, _)| least)) => Class::Least,
            _ if is(extent.map(|(_, greatest)| greatest)) => Class::Greatest,
            _ => Class::Other,
        }
    }

    /// The classes that values of a pattern have, in their order.
    fn classes(&self, of: FieldOf, pattern: FieldPattern) -> Vec<Class> {
        let ends = self.0.get(&(of.operation, of.field)).copied();
        let ends = ends.into_iter().flat_map(|(least, greatest)| [least ^ of.sign(), greatest ^ of.sign()]);
        let free = of.ones() & !pattern.mask;
        // Nine values have one that is of no other class.
        let some = (0..free.count_ones().min(63)).fold(vec![pattern.value], |some, _| match some.len() {
            ..=8 => widened(&some, free),
            _ => some,
        });
        let named = [0, 1, of.ones()].into_iter().chain(ends);
        let named = named.filter(|value| value & pattern.mask == pattern.value);
        let mut classes: Vec<Class> = named.chain(some).map(|value| self.class(of, value)).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }
}

/// The values, and each with the lowest free bit set that none of them has yet.
fn widened(values: &[u128], free: u128) -> Vec<u128> {
    let set = values.iter().fold(0, |all, value| all | value);
    let left = free & !set;
    let bit = left & left.wrapping_neg();
    values.iter().flat_map(|value| [*value, value | bit]).collect()
}

/// All values of a form, told so.
pub(super) fn told_values(
    (model, extents): (&Model, &Extents),
    form: &Form,
    detail: Detail,
    most: usize,
) -> Result<Vec<ToldTree>, TooMany> {
    let blank = ToldTree { operation: form.operation, fields: Vec::new(), children: Vec::new() };
    let mut trees = vec![blank];
    for (field, pattern) in (0..).zip(&form.fields) {
        let of = FieldOf::new(model, form.operation, field);
        let copied = model.operation(form.operation).fields[field as usize].copy_of.is_some();
        let is_told = !copied && detail.tells(of);
        let values = if is_told { extents.told_values(of, *pattern) } else { vec![Told::Nothing] };
        trees = product(&trees, &values, most, |tree, value| tree.fields.push(*value))?;
    }
    for (instance, forms) in &form.children {
        let mut below = Vec::new();
        for form in forms {
            below.extend(told_values((model, extents), form, detail, most)?);
        }
        let mut seen = BTreeSet::new();
        below.retain(|tree| seen.insert(tree.key(model)));
        trees = product(&trees, &below, most, |tree, below| tree.children.push((*instance, below.clone())))?;
    }
    Ok(trees)
}

fn product<T>(
    trees: &[ToldTree],
    values: &[T],
    most: usize,
    add: impl Fn(&mut ToldTree, &T),
) -> Result<Vec<ToldTree>, TooMany> {
    if trees.len().saturating_mul(values.len()) > most {
        return Err(TooMany);
    }
    let with = |tree: &ToldTree, value: &T| {
        let mut tree = tree.clone();
        add(&mut tree, value);
        tree
    };
    Ok(trees.iter().flat_map(|tree| values.iter().map(|value| with(tree, value))).collect())
}

/// What is told of a decoded operand.
pub(super) fn told_tree((model, extents): (&Model, &Extents), tree: &Tree, detail: Detail) -> ToldTree {
    let fields = (0..).zip(&model.operation(tree.operation).fields).map(|(field, described)| {
        let of = FieldOf::new(model, tree.operation, field);
        let value = tree.fields.get(field as usize).copied().unwrap_or_default();
        match described.copy_of.is_none() && detail.tells(of) {
            true => extents.told(of, value),
            false => Told::Nothing,
        }
    });
    let children = tree.children.iter();
    ToldTree {
        operation: tree.operation,
        fields: fields.collect(),
        children: children
            .map(|(instance, child)| (*instance, told_tree((model, extents), child, detail)))
            .collect(),
    }
}

impl Told {
    /// A number for each value of a field, in their order.
    pub(super) fn key(self, of: FieldOf) -> u128 {
        match self {
            Told::Value(value) => of.ordered(value),
            Told::Class(class) => class as u128,
            Told::Nothing => 0,
        }
    }
}

/// What is the same for the same tree alone, and in the order of the description: operations, then
/// fields.
pub(super) type Key = Vec<u128>;

impl ToldTree {
    /// Its key in a model.
    pub(super) fn key(&self, model: &Model) -> Key {
        let fields = (0..).zip(&self.fields);
        let fields = fields.map(|(field, told)| told.key(FieldOf::new(model, self.operation, field)));
        let own = [u128::from(self.operation)].into_iter().chain(fields);
        own.chain(self.children.iter().flat_map(|(_, child)| child.key(model))).collect()
    }

    /// The operand as it is written; if not all of it is told, its operation and what is.
    pub(super) fn text(&self, model: &Model) -> String {
        if let Some(tree) = self.tree(model) {
            return text_of(model, &tree);
        }
        let below = self.children.iter().map(|(_, child)| child.text(model));
        let fields = self.fields.iter().filter_map(|told| match told {
            Told::Value(value) => Some(value.to_string()),
            Told::Class(class) => Some(class.text().to_owned()),
            Told::Nothing => None,
        });
        let name = model.operation(self.operation).name.clone();
        [name].into_iter().chain(below).chain(fields).collect::<Vec<String>>().join(" ")
    }

    /// The tree, if it is told whole.
    fn tree(&self, model: &Model) -> Option<Tree> {
        let described = &model.operation(self.operation).fields;
        let fields = self.fields.iter().zip(described).map(|(told, field)| match told {
            Told::Value(value) => Some(*value),
            Told::Nothing if field.copy_of.is_some() => Some(0),
            Told::Class(_) | Told::Nothing => None,
        });
        let fields = fields.collect::<Option<Vec<u128>>>()?;
        let children = self.children.iter().map(|(instance, child)| Some((*instance, child.tree(model)?)));
        Some(Tree { operation: self.operation, fields, children: children.collect::<Option<Vec<_>>>()? })
    }
}
