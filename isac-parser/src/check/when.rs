//! The words that a WHEN allows, as an exact set.
//!
//! As cubes, negation goes down to the comparisons, so that a condition is made of unions and intersections
//! of comparisons alone. Equality of two rows of n bits takes 2^n cubes, everything else n at
//! most for each comparison. Where that is too much the words are a circuit.

use std::collections::BTreeMap;

use crate::cube::{Budget, Cube, CubeSet, MAX_CUBES, TooManyCubes};
use crate::model::{CodingBit, ComparedBit, Comparison, Condition, Operation, Relation};
use crate::proof::{Circuit, Edge, Prover, Undecided, Words};

/// The words of an operation's WHEN; all words without one.
pub(super) fn when_cubes(operation: &Operation, budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
    let Some(when) = &operation.when else {
        return CubeSet::new(vec![Cube::default()], budget);
    };
    Expansion { positions: Positions::of(operation), budget }.condition(&when.condition, true)
}

/// The same, as a circuit where they are too many to be listed.
pub(super) fn when_words(operation: &Operation, prover: &mut Prover) -> Result<Words, Undecided> {
    let Some(when) = &operation.when else { return Ok(Words::of_cube(Cube::default())) };
    if let Some(cubes) = prover.by_cubes(|budget| when_cubes(operation, budget)) {
        return Ok(Words::Cubes(cubes));
    }
    let mut wiring = Wiring { positions: Positions::of(operation), circuit: prover.circuit() };
    let edge = wiring.condition(&when.condition)?;
    Ok(Words::Circuit { edge, hull: Cube::default() })
}

/// Where the bits of fields and instances stand in the word.
struct Positions {
    /// Of a field's (0) or instance's (1) bit.
    of: BTreeMap<(u8, u32, u32), u32>,
}

impl Positions {
    fn of(operation: &Operation) -> Positions {
        let mut positions = BTreeMap::new();
        let coding = operation.coding.as_deref().unwrap_or_default();
        for (position, bit) in (0u32..).zip(coding.iter().rev()) {
            match bit {
                CodingBit::Field { field, bit, .. } => positions.insert((0, field.0, *bit), position),
                CodingBit::Instance { instance, bit } => positions.insert((1, instance.0, *bit), position),
                CodingBit::Fixed(_) | CodingBit::Any => None,
            };
        }
        Positions { of: positions }
    }

    fn place(&self, bit: ComparedBit) -> Place {
        let key = match bit {
            ComparedBit::Constant(value) => return Place::Constant(value),
            ComparedBit::Field(field, bit) => (0, field.0, bit),
            ComparedBit::Instance(instance, bit) => (1, instance.0, bit),
        };
        // A field's bit that is not coded is 0.
        self.of.get(&key).map_or(Place::Constant(false), |position| Place::Word(*position))
    }
}

/// A condition as gates.
struct Wiring<'a> {
    positions: Positions,
    circuit: &'a mut Circuit,
}

impl Wiring<'_> {
    fn condition(&mut self, condition: &Condition) -> Result<Edge, Undecided> {
        match condition {
            Condition::Constant(true) => Ok(Edge::ALWAYS),
            Condition::Constant(false) => Ok(Edge::NEVER),
            Condition::Not(inner) => Ok(self.condition(inner)?.negated()),
            Condition::And(left, right) => {
                let (left, right) = (self.condition(left)?, self.condition(right)?);
                self.circuit.and(left, right)
            }
            Condition::Or(left, right) => {
                let (left, right) = (self.condition(left)?, self.condition(right)?);
                self.circuit.or(left, right)
            }
            Condition::Compare(comparison) => self.comparison(comparison),
        }
    }

    fn comparison(&mut self, comparison: &Comparison) -> Result<Edge, Undecided> {
        let row = |wiring: &mut Self, bits: &[ComparedBit]| -> Result<Vec<Edge>, Undecided> {
            bits.iter().map(|bit| wiring.bit(*bit)).collect()
        };
        let (left, right) = (row(self, &comparison.left)?, row(self, &comparison.right)?);
        let signed = comparison.signed;
        Ok(match comparison.relation {
            Relation::Equal => self.equal(&left, &right)?,
            Relation::NotEqual => self.equal(&left, &right)?.negated(),
            Relation::Less => self.less(&left, &right, signed)?,
            Relation::GreaterEqual => self.less(&left, &right, signed)?.negated(),
            Relation::Greater => self.less(&right, &left, signed)?,
            Relation::LessEqual => self.less(&right, &left, signed)?.negated(),
        })
    }

    fn bit(&mut self, bit: ComparedBit) -> Result<Edge, Undecided> {
        match self.positions.place(bit) {
            Place::Constant(true) => Ok(Edge::ALWAYS),
            Place::Constant(false) => Ok(Edge::NEVER),
            Place::Word(bit) => self.circuit.bit(bit, true),
        }
    }

    fn equal(&mut self, left: &[Edge], right: &[Edge]) -> Result<Edge, Undecided> {
        let mut all = Edge::ALWAYS;
        for (left, right) in left.iter().zip(right) {
            let same = self.circuit.same(*left, *right)?;
            all = self.circuit.and(all, same)?;
        }
        Ok(all)
    }

    /// The most significant bits first; the sign counts the other way round.
    fn less(&mut self, left: &[Edge], right: &[Edge], signed: bool) -> Result<Edge, Undecided> {
        let (mut less, mut same) = (Edge::NEVER, Edge::ALWAYS);
        for (index, (left, right)) in left.iter().zip(right).enumerate() {
            let (low, high) = if signed && index == 0 { (*right, *left) } else { (*left, *right) };
            let below = self.circuit.and(low.negated(), high)?;
            let first = self.circuit.and(same, below)?;
            less = self.circuit.or(less, first)?;
            let alike = self.circuit.same(low, high)?;
            same = self.circuit.and(same, alike)?;
        }
        Ok(less)
    }
}

/// A bit of a comparison: where it stands in the word, or what it is.
#[derive(Debug, Clone, Copy)]
enum Place {
    Word(u32),
    Constant(bool),
}

struct Expansion<'a> {
    positions: Positions,
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
        let left: Vec<Place> = comparison.left.iter().map(|bit| self.positions.place(*bit)).collect();
        let right: Vec<Place> = comparison.right.iter().map(|bit| self.positions.place(*bit)).collect();
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
