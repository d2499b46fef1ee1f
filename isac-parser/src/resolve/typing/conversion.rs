//! C's types and conversions over values of any width.
//!
//! `int` has 32 bits, `long` 64, and above it is an integer of 128. A `bit[N]` that is not
//! exactly as wide as one of them converts as C's bit-fields do: to the smallest signed type
//! that holds all its values. So a `bit[20]` becomes an `int` and a `bit[32]` an `unsigned int`.

use super::fold::{fold, reduce};
use crate::model::{Expr, ExprKind, Place, Type};

/// C's `int`.
pub(crate) const INT: Type = signed(32);

/// The widest value that is computed with.
pub(crate) const MAX_COMPUTED_BITS: u32 = 128;

/// An unsigned type: `bit[width]`.
pub(crate) const fn bits(width_bits: u32) -> Type {
    Type { width_bits, signed: false }
}

/// A two's complement type: `signed bit[width]`.
pub(crate) const fn signed(width_bits: u32) -> Type {
    Type { width_bits, signed: true }
}

/// C's integer promotion, continued above `int`: the type in which a value is computed with.
pub(crate) fn promote(ty: Type) -> Type {
    let width_bits = match ty.width_bits {
        0..=32 => 32,
        33..=64 => 64,
        _ => MAX_COMPUTED_BITS,
    };
    Type { width_bits, signed: ty.signed || ty.width_bits < width_bits }
}

/// C's usual arithmetic conversions: the common type of two operands.
pub(crate) fn usual(left: Type, right: Type) -> Type {
    let (left, right) = (promote(left), promote(right));
    match left.width_bits.cmp(&right.width_bits) {
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Equal => Type { signed: left.signed && right.signed, ..left },
    }
}

/// An expression of a known type.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The expression; its `ty` is `Some(ty)`.
    pub(crate) expr: Expr,
    /// Its type.
    pub(crate) ty: Type,
}

impl Value {
    /// The value of a place.
    pub(crate) fn read(place: Place) -> Value {
        let (ty, span) = (place.ty, place.span);
        let kind = ExprKind::Read(Box::new(place));
        Value { expr: Expr { kind, ty: Some(ty), span }, ty }
    }

    /// The same value in another type; a constant is converted at once.
    pub(crate) fn convert(self, ty: Type) -> Value {
        if self.ty == ty {
            return self;
        }
        let span = self.expr.span;
        let kind = match self.expr.kind {
            ExprKind::Const(value) if ty.width_bits <= MAX_COMPUTED_BITS => {
                ExprKind::Const(reduce(super::fold::extend(value, self.ty), ty.width_bits))
            }
            _ => ExprKind::Convert(Box::new(self.expr)),
        };
        Value { expr: Expr { kind, ty: Some(ty), span }, ty }
    }

    /// The value in the type in which it is computed with.
    pub(crate) fn promoted(self) -> Value {
        let ty = promote(self.ty);
        self.convert(ty)
    }

    /// The constant that the expression always is, as a pattern of its type's width.
    pub(crate) fn constant(&self) -> Option<u128> {
        fold(&self.expr)
    }
}

/// The type of C's type words, as `unsigned long` or `uint8_t`; `None` if there is none.
///
/// `char` is signed. `bool` is none: its conversion is not that of an integer of one bit.
pub(crate) fn c_type(words: &str) -> Option<Type> {
    let (mut sign, mut longs, mut base) = (None, 0, None);
    for word in words.split_whitespace() {
        match word {
            "signed" | "unsigned" if sign.is_none() => sign = Some(word == "signed"),
            "long" if longs < 2 => longs += 1,
            "signed" | "unsigned" | "long" => return None,
            _ if base == Some("short") && word == "int" => {}
            _ if base == Some("int") && word == "short" => base = Some("short"),
            _ if base.is_some() => return None,
            _ => base = Some(word),
        }
    }
    let is_signed = sign.unwrap_or(true);
    let width_bits = match base {
        Some("int") | None if longs > 0 => 64,
        Some("int") => 32,
        None if sign.is_some() => 32,
        Some("char") if longs == 0 => 8,
        Some("short") if longs == 0 => 16,
        Some(name) if longs == 0 && sign.is_none() => return stdint_type(name),
        _ => return None,
    };
    Some(Type { width_bits, signed: is_signed })
}

/// A type of `<stdint.h>`, in the sizes of 64-bit Linux.
fn stdint_type(name: &str) -> Option<Type> {
    let (is_signed, rest) = match name.strip_prefix('u') {
        Some(rest) => (false, rest),
        None => (true, name),
    };
    let width_bits = match rest.strip_prefix("int")?.strip_suffix("_t")? {
        "8" | "_least8" | "_fast8" => 8,
        "16" | "_least16" => 16,
        "32" | "_least32" => 32,
        "64" | "_least64" | "_fast16" | "_fast32" | "_fast64" | "max" | "ptr" => 64,
        _ => return None,
    };
    Some(Type { width_bits, signed: is_signed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_become_int() {
        assert_eq!(promote(bits(1)), INT);
        assert_eq!(promote(bits(31)), INT);
        assert_eq!(promote(signed(12)), INT);
        assert_eq!(promote(bits(32)), bits(32));
        assert_eq!(promote(bits(33)), signed(64));
        assert_eq!(promote(bits(64)), bits(64));
        assert_eq!(promote(bits(65)), signed(128));
        assert_eq!(promote(bits(128)), bits(128));
    }

    #[test]
    fn the_wider_type_wins_and_unsigned_among_equals() {
        assert_eq!(usual(bits(32), signed(13)), bits(32));
        assert_eq!(usual(bits(8), bits(8)), INT);
        assert_eq!(usual(bits(32), signed(64)), signed(64));
        assert_eq!(usual(bits(64), signed(64)), bits(64));
    }

    #[test]
    fn types_of_c_have_their_widths() {
        assert_eq!(c_type("int"), Some(INT));
        assert_eq!(c_type("unsigned"), Some(bits(32)));
        assert_eq!(c_type("unsigned long"), Some(bits(64)));
        assert_eq!(c_type("long unsigned int"), Some(bits(64)));
        assert_eq!(c_type("short int"), Some(signed(16)));
        assert_eq!(c_type("char"), Some(signed(8)));
        assert_eq!(c_type("uint8_t"), Some(bits(8)));
        assert_eq!(c_type("int_fast16_t"), Some(signed(64)));
        assert_eq!(c_type("bool"), None);
        assert_eq!(c_type("signed unsigned"), None);
        assert_eq!(c_type("long long long"), None);
        assert_eq!(c_type(""), None);
    }
}
