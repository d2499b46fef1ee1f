//! What WHEN says about one word.

use isac_parser::model::{CodingBit, ComparedBit, Comparison, Condition, Operation, Relation};

pub(super) fn holds(operation: &Operation, word: u128, condition: &Condition) -> bool {
    match condition {
        Condition::Constant(value) => *value,
        Condition::Not(inner) => !holds(operation, word, inner),
        Condition::And(a, b) => holds(operation, word, a) && holds(operation, word, b),
        Condition::Or(a, b) => holds(operation, word, a) || holds(operation, word, b),
        Condition::Compare(comparison) => compare(operation, word, comparison),
    }
}

fn compare(operation: &Operation, word: u128, comparison: &Comparison) -> bool {
    let side = |bits: &[ComparedBit]| {
        let pattern =
            bits.iter().fold(0i128, |value, bit| value << 1 | i128::from(bit_of(operation, word, *bit)));
        let negative = comparison.signed && bits.first().is_some_and(|bit| bit_of(operation, word, *bit));
        if negative { pattern - (1 << bits.len()) } else { pattern }
    };
    let (left, right) = (side(&comparison.left), side(&comparison.right));
    match comparison.relation {
        Relation::Equal => left == right,
        Relation::NotEqual => left != right,
        Relation::Less => left < right,
        Relation::LessEqual => left <= right,
        Relation::Greater => left > right,
        Relation::GreaterEqual => left >= right,
    }
}

fn bit_of(operation: &Operation, word: u128, bit: ComparedBit) -> bool {
    let coding = operation.coding.as_ref().expect("coded");
    let at = |fits: &dyn Fn(&CodingBit) -> bool| {
        let place = coding.iter().rev().position(fits);
        place.is_some_and(|at| word >> at & 1 == 1)
    };
    match bit {
        ComparedBit::Constant(value) => value,
        ComparedBit::Field(id, index) => {
            at(&|coded| matches!(coded, CodingBit::Field { field, bit, .. } if *field == id && *bit == index))
        }
        ComparedBit::Instance(id, index) => at(
            &|coded| matches!(coded, CodingBit::Instance { instance, bit } if *instance == id && *bit == index),
        ),
    }
}
