//! The order of two rows of coded bits, made of comparisons of their bits.

use crate::model::{ComparedBit, Comparison, Condition, Relation};

/// Two rows of one width, most significant bit first.
pub(super) struct Rows<'a> {
    pub(super) left: &'a [ComparedBit],
    pub(super) right: &'a [ComparedBit],
    /// Both are two's complement.
    pub(super) signed: bool,
    /// The left one stands for its complement.
    pub(super) is_left_inverted: bool,
    /// The right one does.
    pub(super) is_right_inverted: bool,
}

impl Rows<'_> {
    /// The condition that a relation holds.
    pub(super) fn condition(&self, relation: Relation) -> Condition {
        let not = |condition| Condition::Not(Box::new(condition));
        match relation {
            Relation::Equal => self.equal(self.left.len()),
            Relation::NotEqual => not(self.equal(self.left.len())),
            Relation::Less => self.less(true),
            Relation::Greater => self.less(false),
            Relation::LessEqual => not(self.less(false)),
            Relation::GreaterEqual => not(self.less(true)),
        }
    }

    /// True if the left row, or else the right one, is the smaller: some bit is 0 there and 1 in the other,
    /// and those above it are the same.
    fn less(&self, is_left: bool) -> Condition {
        let all = (0..self.left.len()).map(|at| {
            // A sign is the other way round.
            let is_one = (is_left != (self.signed && at == 0)) != self.is_right_inverted;
            let decides = self.differs(at, is_one);
            match at {
                0 => decides,
                at => Condition::And(Box::new(self.equal(at)), Box::new(decides)),
            }
        });
        let either = all.reduce(|one, other| Condition::Or(Box::new(one), Box::new(other)));
        either.unwrap_or(Condition::Constant(false))
    }

    /// One row alone stands for its complement: bits that are coded alike are different then.
    fn is_one_inverted(&self) -> bool {
        self.is_left_inverted != self.is_right_inverted
    }

    /// True if the bits differ at a place, the right one being coded as this.
    fn differs(&self, at: usize, is_one: bool) -> Condition {
        let bit = |bit: ComparedBit, is_one: bool| {
            Condition::Compare(Comparison {
                left: vec![bit],
                relation: Relation::Equal,
                right: vec![ComparedBit::Constant(is_one)],
                signed: false,
            })
        };
        let left = bit(self.left[at], is_one == self.is_one_inverted());
        Condition::And(Box::new(left), Box::new(bit(self.right[at], is_one)))
    }

    /// True if the first bits are the same.
    fn equal(&self, count: usize) -> Condition {
        let bits = self.left[..count].iter().zip(&self.right[..count]);
        let relation = if self.is_one_inverted() { Relation::NotEqual } else { Relation::Equal };
        let all = bits.map(|(left, right)| {
            Condition::Compare(Comparison { left: vec![*left], relation, right: vec![*right], signed: false })
        });
        let both = all.reduce(|one, other| Condition::And(Box::new(one), Box::new(other)));
        both.unwrap_or(Condition::Constant(true))
    }
}
