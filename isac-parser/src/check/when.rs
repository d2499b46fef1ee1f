//! The words that a WHEN allows, as an exact set of cubes.
//!
//! Negation goes down to the comparisons, so that a condition is made of unions and intersections
//! of comparisons alone. Equality of two rows of n bits takes 2^n cubes, everything else n at
//! most for each comparison.

use std::collections::BTreeMap;

use crate::cube::{Budget, Cube, CubeSet, MAX_CUBES, TooManyCubes};
use crate::model::{CodingBit, ComparedBit, Comparison, Condition, Operation, Relation};

/// The words of an operation's WHEN; all words without one.
pub(super) fn when_cubes(operation: &Operation, budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
    let Some(when) = &operation.when else {
        return CubeSet::new(vec![Cube::default()], budget);
    };
    let mut positions = BTreeMap::new();
    let coding = operation.coding.as_deref().unwrap_or_default();
    for (position, bit) in (0u32..).zip(coding.iter().rev()) {
        match bit {
            CodingBit::Field { field, bit, .. } => positions.insert((0, field.0, *bit), position),
            CodingBit::Instance { instance, bit } => positions.insert((1, instance.0, *bit), position),
            CodingBit::Fixed(_) | CodingBit::Any => None,
        };
    }
    Expansion { positions, budget }.condition(&when.condition, true)
}

/// A bit of a comparison: where it stands in the word, or what it is.
#[derive(Debug, Clone, Copy)]
enum Place {
    Word(u32),
    Constant(bool),
}

struct Expansion<'a> {
    /// Of a field's (0) or instance's (1) bit.
    positions: BTreeMap<(u8, u32, u32), u32>,
    budget: &'a mut Budget,
}

impl Expansion<'_> {
    /// The words for which a condition is `wanted`.
    fn condition(&mut self, condition: &Condition, wanted: bool) -> Result<CubeSet, TooManyCubes> {
        match condition {
            Condition::Constant(value) if *value == wanted => {
                CubeSet::new(vec![Cube::default()], self.budget)
            }
            Condition::Constant(_) => Ok(CubeSet::default()),
            Condition::Not(inner) => self.condition(inner, !wanted),
            Condition::And(left, right) => self.joined(left, right, wanted, wanted),
            Condition::Or(left, right) => self.joined(left, right, wanted, !wanted),
            Condition::Compare(comparison) => self.comparison(comparison, wanted),
        }
    }

    fn joined(
        &mut self,
        left: &Condition,
        right: &Condition,
        wanted: bool,
        both: bool,
    ) -> Result<CubeSet, TooManyCubes> {
        let (left, right) = (self.condition(left, wanted)?, self.condition(right, wanted)?);
        if both {
            return left.intersect(&right, self.budget);
        }
        let cubes = left.cubes().iter().chain(right.cubes());
        CubeSet::new(cubes.copied().collect(), self.budget)
    }

    fn comparison(&mut self, comparison: &Comparison, wanted: bool) -> Result<CubeSet, TooManyCubes> {
        let left: Vec<Place> = comparison.left.iter().map(|bit| self.place(*bit)).collect();
        let right: Vec<Place> = comparison.right.iter().map(|bit| self.place(*bit)).collect();
        let relation = if wanted { comparison.relation } else { negated(comparison.relation) };
        let cubes = match relation {
            Relation::Equal => equal(&left, &right)?,
            Relation::NotEqual => unequal(&left, &right),
            Relation::Less => ordered(&left, &right, comparison.signed, true, false),
            Relation::LessEqual => ordered(&left, &right, comparison.signed, true, true),
            Relation::Greater => ordered(&left, &right, comparison.signed, false, false),
            Relation::GreaterEqual => ordered(&left, &right, comparison.signed, false, true),
        };
        CubeSet::new(cubes, self.budget)
    }

    fn place(&self, bit: ComparedBit) -> Place {
        let key = match bit {
            ComparedBit::Constant(value) => return Place::Constant(value),
            ComparedBit::Field(field, bit) => (0, field.0, bit),
            ComparedBit::Instance(instance, bit) => (1, instance.0, bit),
        };
        // A field's bit that is not coded is 0.
        self.positions.get(&key).map_or(Place::Constant(false), |position| Place::Word(*position))
    }
}

fn negated(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::Greater => Relation::LessEqual,
        Relation::GreaterEqual => Relation::Less,
    }
}

/// The cube with a bit set to a value; `None` if it has the other one.
fn with(cube: Cube, place: Place, value: bool) -> Option<Cube> {
    match place {
        Place::Constant(known) => (known == value).then_some(cube),
        Place::Word(bit) => match cube.bit(bit) {
            Some(known) => (known == value).then_some(cube),
            None => Some(cube.with_bit(bit, value)),
        },
    }
}

fn both(cube: Cube, left: (Place, bool), right: (Place, bool)) -> Option<Cube> {
    with(with(cube, left.0, left.1)?, right.0, right.1)
}

fn equal(left: &[Place], right: &[Place]) -> Result<Vec<Cube>, TooManyCubes> {
    let mut cubes = vec![Cube::default()];
    for (left, right) in left.iter().zip(right) {
        let values = [false, true].into_iter();
        let same = values.flat_map(|value| {
            cubes.iter().filter_map(move |cube| both(*cube, (*left, value), (*right, value)))
        });
        cubes = same.collect();
        cubes.dedup();
        if cubes.len() > MAX_CUBES {
            return Err(TooManyCubes);
        }
    }
    Ok(cubes)
}

fn unequal(left: &[Place], right: &[Place]) -> Vec<Cube> {
    let pairs = left.iter().zip(right);
    let differ = pairs.flat_map(|(left, right)| {
        [false, true].into_iter().filter_map(|value| both(Cube::default(), (*left, value), (*right, !value)))
    });
    differ.collect()
}

/// An order: up to some bit both are equal, there they differ; one side is constant, so that each
/// such bit gives one cube.
fn ordered(left: &[Place], right: &[Place], signed: bool, less: bool, or_equal: bool) -> Vec<Cube> {
    let mut cubes = Vec::new();
    let mut same = vec![Cube::default()];
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        // The sign counts the other way round.
        let left_set = less == (signed && index == 0);
        cubes.extend(same.iter().filter_map(|cube| both(*cube, (*left, left_set), (*right, !left_set))));
        let values = [false, true].into_iter();
        same = values
            .flat_map(|value| {
                same.iter().filter_map(move |cube| both(*cube, (*left, value), (*right, value)))
            })
            .collect();
    }
    if or_equal {
        cubes.extend(same);
    }
    cubes
}
