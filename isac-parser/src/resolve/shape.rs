//! What is known about an operation or group once all below it is known.

use super::typing::usual;
use crate::model::Type;
use crate::source::Span;

/// Width of what an operation or group codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// So many bits.
    Bits(u32),
    /// There is no CODING.
    Uncoded,
    /// The members of a group differ.
    Differs,
    /// Unknown, for a reason that was reported.
    Broken,
}

/// What is known about an operation or group once all below it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Width of its coded bits.
    pub(crate) width: Width,
    /// Type of its value; `None` if there is none, or for a reason that was reported.
    pub(crate) value: Option<Type>,
    /// True if every possible value is a place.
    pub(crate) is_place: bool,
    /// What keeps it from being one, if that is known.
    pub(crate) no_place: Option<Span>,
    /// True if it, or one of its members, has an EXPRESSION.
    pub(crate) has_expression: bool,
    /// How many levels of operations and groups are below it.
    pub(crate) depth: usize,
}

/// A shape about which nothing is known, for a reason that was reported.
pub(crate) const UNKNOWN: Shape = Shape {
    width: Width::Broken,
    value: None,
    is_place: false,
    no_place: None,
    has_expression: false,
    depth: 0,
};

/// What two members of a group have in common.
pub(crate) fn join(left: Shape, right: Shape) -> Shape {
    let width = match (left.width, right.width) {
        (Width::Broken, _) | (_, Width::Broken) => Width::Broken,
        (left, right) if left == right => left,
        _ => Width::Differs,
    };
    let value = match (left.value, right.value) {
        (Some(left), Some(right)) if left == right => Some(left),
        // A value of more than 128 bits is refused where it is mentioned.
        (Some(wide), _) | (_, Some(wide)) if wide.width_bits > 128 => Some(wide),
        (Some(left), Some(right)) => Some(usual(left, right)),
        _ => None,
    };
    Shape {
        width,
        value,
        is_place: left.is_place && right.is_place,
        no_place: left.no_place.or(right.no_place),
        has_expression: left.has_expression || right.has_expression,
        depth: left.depth.max(right.depth),
    }
}
