//! Operators as Rust: whatever the storage of a value leaves unused stays 0, and nothing wraps,
//! shifts or divides other than isac-ir says.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, UnaryOp};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::body::{BodyEmitter, is_inside};
use super::expression::{masked, number, signed, storage_bits, unsigned};
use super::usage::extended_width;

impl BodyEmitter<'_> {
    pub(super) fn compare(
        &self,
        left: &Expr,
        right: &Expr,
        operator: TokenStream,
        is_signed: bool,
    ) -> TokenStream {
        match is_signed {
            true => {
                let (left, right) = (self.as_signed(left), self.as_signed(right));
                quote!((#left) #operator (#right))
            }
            false => {
                let (left, right) = (self.value(left), self.value(right));
                quote!((#left) #operator (#right))
            }
        }
    }

    /// The value as a signed integer of its storage.
    fn as_signed(&self, expr: &Expr) -> TokenStream {
        let ty = signed(expr.width);
        let value = self.value(expr);
        match storage_bits(expr.width) - expr.width {
            0 => quote!((#value) as #ty),
            spare => {
                let spare = number(spare.into());
                quote!((((#value) << #spare) as #ty >> #spare))
            }
        }
    }

    pub(super) fn sign_extend(&self, operand: &Expr, width: u32) -> TokenStream {
        if let ExprKind::Field(field) = operand.kind
            && extended_width(self.operation, field).is_some()
        {
            return self.value(operand);
        }
        let value = self.as_signed(operand);
        let ty = unsigned(width);
        let wide = signed(width);
        let extended = match storage_bits(operand.width) == storage_bits(width) {
            true => quote!((#value) as #ty),
            false => quote!((#value) as #wide as #ty),
        };
        masked(extended, width)
    }

    pub(super) fn unary(&self, operator: UnaryOp, operand: &Expr, width: u32) -> TokenStream {
        let value = self.value(operand);
        let ty = unsigned(width);
        let spare = number((storage_bits(width) - width).into());
        match operator {
            UnaryOp::Negate => masked(quote!((#value).wrapping_neg()), width),
            UnaryOp::Not => masked(quote!(!(#value)), width),
            UnaryOp::PopCount => quote!((#value).count_ones() as #ty),
            UnaryOp::CountLeadingZeros => quote!(((#value).leading_zeros() - #spare) as #ty),
            UnaryOp::CountTrailingZeros => {
                let width = number(width.into());
                quote!((#value).trailing_zeros().min(#width) as #ty)
            }
        }
    }

    pub(super) fn binary(&self, operator: BinaryOp, left: &Expr, right: &Expr, width: u32) -> TokenStream {
        if let Some((operator, is_signed)) = comparison(operator) {
            let truth = self.compare(left, right, operator, is_signed);
            return quote!(u8::from(#truth));
        }
        let ty = unsigned(width);
        let (a, b) = (self.value(left), self.value(right));
        match operator {
            BinaryOp::Add => masked(quote!((#a).wrapping_add(#b)), width),
            BinaryOp::Subtract => masked(quote!((#a).wrapping_sub(#b)), width),
            BinaryOp::Multiply => masked(quote!((#a).wrapping_mul(#b)), width),
            BinaryOp::DivideUnsigned => quote!((#a).checked_div(#b).unwrap_or(0)),
            BinaryOp::RemainderUnsigned => quote!((#a).checked_rem(#b).unwrap_or(0)),
            BinaryOp::DivideSigned | BinaryOp::RemainderSigned => {
                let (a, b) = (self.as_signed(left), self.as_signed(right));
                let function = match operator {
                    BinaryOp::DivideSigned => quote!(signed_quotient),
                    _ => quote!(signed_remainder),
                };
                let bits = format_ident!("{}{}", function.to_string(), storage_bits(width));
                masked(quote!(arithmetic::#bits(#a, #b) as #ty), width)
            }
            BinaryOp::And => quote!((#a) & (#b)),
            BinaryOp::Or => quote!((#a) | (#b)),
            BinaryOp::Xor => quote!((#a) ^ (#b)),
            BinaryOp::ShiftLeft => {
                if let Some(amount) = self.amount_inside(right, width) {
                    return masked(quote!((#a) << #amount), width);
                }
                let amount = self.amount(right);
                masked(quote!((#a).checked_shl(#amount).unwrap_or(0)), width)
            }
            BinaryOp::ShiftRightUnsigned => {
                if let Some(amount) = self.amount_inside(right, width) {
                    return quote!((#a) >> #amount);
                }
                let amount = self.amount(right);
                quote!((#a).checked_shr(#amount).unwrap_or(0))
            }
            BinaryOp::ShiftRightSigned => {
                let value = self.as_signed(left);
                if let Some(amount) = self.amount_inside(right, width) {
                    return masked(quote!(((#value) >> #amount) as #ty), width);
                }
                let amount = self.amount(right);
                let most = number((storage_bits(width) - 1).into());
                masked(quote!(((#value) >> (#amount).min(#most)) as #ty), width)
            }
            _ => quote!(0),
        }
    }

    /// A shift's amount where it cannot reach the width: the mask shows it to the compiler.
    fn amount_inside(&self, right: &Expr, width: u32) -> Option<TokenStream> {
        if storage_bits(width) != width || !is_inside(right, width) {
            return None;
        }
        if let ExprKind::Const(value) = right.kind {
            return Some(number(value));
        }
        let (amount, last) = (self.amount(right), number((width - 1).into()));
        Some(quote!((#amount & #last)))
    }

    /// A shift's amount or a bit's index as `u32`; what does not fit is beyond every width.
    pub(super) fn amount(&self, expr: &Expr) -> TokenStream {
        let value = self.value(expr);
        match expr.width {
            ..=16 => quote!(u32::from(#value)),
            17..=32 => value,
            _ => quote!(u32::try_from(#value).unwrap_or(u32::MAX)),
        }
    }
}

/// The Rust operator of a comparison, and whether it is signed.
pub(super) fn comparison(operator: BinaryOp) -> Option<(TokenStream, bool)> {
    Some(match operator {
        BinaryOp::Equal => (quote!(==), false),
        BinaryOp::NotEqual => (quote!(!=), false),
        BinaryOp::LessUnsigned => (quote!(<), false),
        BinaryOp::LessEqualUnsigned => (quote!(<=), false),
        BinaryOp::LessSigned => (quote!(<), true),
        BinaryOp::LessEqualSigned => (quote!(<=), true),
        _ => return None,
    })
}
