//! Expressions as Rust: a value of `n` bits is an unsigned integer whose upper bits are 0.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, UnaryOp};
use isac_ir::bits::mask;
use isac_ir::operand::MentionKind;
use isac_ir::time::StageId;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::body::{BodyEmitter, is_inside};
use super::mention::Mentioned;
use super::name::identifier;
use super::usage::extended_width;

/// Width in bits of the smallest Rust integer that holds `width` bits.
pub(super) fn storage_bits(width: u32) -> u32 {
    width.next_power_of_two().clamp(8, 128)
}

/// The unsigned integer type of a width.
pub(super) fn unsigned(width: u32) -> Ident {
    format_ident!("u{}", storage_bits(width))
}

/// Bits of the widest value that is computed with; registers and cells above are [`Bits`].
///
/// [`Bits`]: isac_ir::bits::Bits
const MOST_BITS: u32 = 128;

/// True for registers and cells that are only sliced and copied.
pub(super) fn is_wide(width: u32) -> bool {
    width > MOST_BITS
}

/// The type in which a register or cell is kept.
pub(super) fn storage(width: u32) -> Ident {
    if is_wide(width) { format_ident!("Bits") } else { unsigned(width) }
}

/// A constant in the type in which a register of a width is kept.
pub(super) fn stored(value: u128, width: u32) -> TokenStream {
    let value = number(value);
    if is_wide(width) { quote!(Bits::from_u128(#value)) } else { value }
}

/// The signed integer type of a width.
pub(super) fn signed(width: u32) -> Ident {
    format_ident!("i{}", storage_bits(width))
}

/// A stage as the runtime numbers it: pipeline and stage.
pub(super) fn stage_numbers(stage: StageId) -> (TokenStream, TokenStream) {
    (number(stage.pipeline.into()), number(stage.stage.into()))
}

/// A constant without suffix, in hexadecimal from 256 on.
pub(super) fn number(value: u128) -> TokenStream {
    let text = if value < 256 { value.to_string() } else { format!("{value:#x}") };
    let literal: Literal = text.parse().unwrap_or_else(|_| Literal::u128_unsuffixed(value));
    quote!(#literal)
}

/// A constant of a width's type.
fn typed(value: u128, width: u32) -> TokenStream {
    let bits = storage_bits(width);
    let text = if value < 10 { format!("{value}u{bits}") } else { format!("{value:#x}u{bits}") };
    let literal: Literal = text.parse().unwrap_or_else(|_| Literal::u128_suffixed(value));
    quote!(#literal)
}

/// `value` with the bits from `width` on cleared, where they may not be.
pub(super) fn masked(value: TokenStream, width: u32) -> TokenStream {
    if storage_bits(width) == width {
        return value;
    }
    let mask = number(mask(width));
    quote!((#value) & #mask)
}

/// A value in another type's storage.
pub(super) fn cast(value: TokenStream, from: u32, to: u32) -> TokenStream {
    if storage_bits(from) == storage_bits(to) {
        return value;
    }
    let ty = unsigned(to);
    quote!((#value) as #ty)
}

impl BodyEmitter<'_> {
    /// The value of an expression, in parentheses: what is put around it cannot take it apart.
    pub(super) fn value(&self, expr: &Expr) -> TokenStream {
        let value = self.bare_value(expr);
        quote!((#value))
    }

    fn bare_value(&self, expr: &Expr) -> TokenStream {
        let width = expr.width;
        match &expr.kind {
            ExprKind::Const(value) => typed(*value, width),
            ExprKind::Local(local) => {
                let name = &self.locals[*local as usize];
                quote!(#name)
            }
            ExprKind::Variable(variable) => {
                let (variable, ty) = (number((*variable).into()), unsigned(width));
                quote!((step.variable(at, #variable) as #ty))
            }
            ExprKind::Reference(reference) => {
                let mention = Mentioned { kind: MentionKind::Read, bound: None };
                self.read_reference(*reference, mention, width)
            }
            ExprKind::CodedReference(reference) => self.coded_reference(*reference, width),
            ExprKind::Field(field) => {
                let name = identifier(&self.operation.fields[*field as usize].name);
                quote!(#name)
            }
            ExprKind::Coded(instance) if self.is_stepwise_root() => self.stepwise_coded(*instance, width),
            ExprKind::Coded(instance) => {
                let name = self.coded_name(*instance);
                let own = self.operation.instances[*instance as usize].width_bits;
                cast(quote!(#name), own, width)
            }
            // Blocks do without: what an alias chose does not travel with an instruction.
            ExprKind::Chosen { instance, member } => self.stepwise_chosen(*instance, *member),
            ExprKind::MemberField { instance, fields } => {
                self.stepwise_member_field(*instance, fields, width)
            }
            ExprKind::MemberFieldReference { reference, fields } => {
                self.referred_member_field(*reference, fields, width)
            }
            ExprKind::InstructionAddress => from_u64(quote!(step.address), width),
            ExprKind::InstructionSize => from_u64(quote!(u64::from(step.size_cells)), width),
            ExprKind::Cycles => quote!(p.kernel_ref().cycles_at(step.left)),
            ExprKind::RegisterPart { register, index, low, .. } => {
                let register = self.read_register(*register, index.as_deref());
                let (low, bits) = (number((*low).into()), number(width.into()));
                cast(quote!(#register.extract(#low, #bits)), MOST_BITS, width)
            }
            ExprKind::CellPart { map, address, low, access } => {
                let part = self.read_part(*map, address, (*low, width), *access);
                cast(part, MOST_BITS, width)
            }
            ExprKind::FaultAddress => quote!(p.kernel_ref().trap_value),
            ExprKind::FaultAccess => quote!(p.kernel_ref().fault_access),
            ExprKind::Latency(map) => self.emitter.emit_latency(*map),
            ExprKind::Busy(stage) => {
                let (pipeline, stage) = stage_numbers(*stage);
                quote!(u8::from(step.is_busy(#pipeline, #stage)))
            }
            ExprKind::Pending(device) => {
                let device = number((*device).into());
                quote!(u8::from(p.kernel_ref().is_pending(#device, step.left)))
            }
            ExprKind::Instructions => quote!(p.kernel_ref().instructions_at(step.left)),
            ExprKind::Register { register, index, .. } => self.read_register(*register, index.as_deref()),
            ExprKind::Memory { map, cells, address, access } => {
                self.read_memory(*map, *cells, address, *access)
            }
            ExprKind::Operand { instance, .. } => {
                self.read_operand(*instance, Mentioned { kind: MentionKind::Read, bound: None }, width)
            }
            ExprKind::Bound { binding, keeps, .. } => self.read_bound(*binding, *keeps, width),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand, width),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, width),
            ExprKind::ZeroExtend(operand) => cast(self.value(operand), operand.width, width),
            ExprKind::SignExtend(operand) => self.sign_extend(operand, width),
            ExprKind::Slice { base, low } => {
                let shifted = match low {
                    0 => self.value(base),
                    low => {
                        let value = self.value(base);
                        let low = number((*low).into());
                        quote!(#value >> #low)
                    }
                };
                let shifted = quote!((#shifted));
                let narrow = cast(shifted, base.width, width);
                if base.width - low == width { narrow } else { masked(narrow, width) }
            }
            ExprKind::Bit { base, index } => {
                let bits = base.width;
                let amount = self.amount(index);
                let base = self.value(base);
                let bit = quote!(#base.checked_shr(#amount).map_or(0, |bits| bits & 1));
                cast(bit, bits, 1)
            }
            ExprKind::Concat(parts) => self.concat(parts, width),
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                quote!(if #condition { #then } else { #otherwise })
            }
        }
    }

    /// An expression of 1 bit as a `bool`.
    pub(super) fn condition(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Binary(operator, left, right) if left.width == 1 && expr.width == 1 => {
                let operator = match operator {
                    BinaryOp::And => quote!(&),
                    BinaryOp::Or => quote!(|),
                    BinaryOp::Equal if matches!(right.kind, ExprKind::Const(0)) => {
                        let left = self.condition(left);
                        return quote!(!(#left));
                    }
                    _ => return self.bit_as_bool(expr),
                };
                let (left, right) = (self.condition(left), self.condition(right));
                quote!((#left) #operator (#right))
            }
            ExprKind::Binary(operator, left, right) => match comparison(*operator) {
                Some((operator, is_signed)) => self.compare(left, right, operator, is_signed),
                None => self.bit_as_bool(expr),
            },
            ExprKind::Const(value) => {
                let value = *value != 0;
                quote!(#value)
            }
            _ => self.bit_as_bool(expr),
        }
    }

    fn bit_as_bool(&self, expr: &Expr) -> TokenStream {
        let value = self.value(expr);
        quote!(#value != 0)
    }

    fn compare(&self, left: &Expr, right: &Expr, operator: TokenStream, is_signed: bool) -> TokenStream {
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

    fn sign_extend(&self, operand: &Expr, width: u32) -> TokenStream {
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

    fn unary(&self, operator: UnaryOp, operand: &Expr, width: u32) -> TokenStream {
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

    fn binary(&self, operator: BinaryOp, left: &Expr, right: &Expr, width: u32) -> TokenStream {
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
    fn amount(&self, expr: &Expr) -> TokenStream {
        let value = self.value(expr);
        match expr.width {
            ..=16 => quote!(u32::from(#value)),
            17..=32 => value,
            _ => quote!(u32::try_from(#value).unwrap_or(u32::MAX)),
        }
    }

    fn concat(&self, parts: &[Expr], width: u32) -> TokenStream {
        let mut low = width;
        let shifted = parts.iter().map(|part| {
            low -= part.width;
            let value = cast(self.value(part), part.width, width);
            match low {
                0 => quote!((#value)),
                low => {
                    let low = number(low.into());
                    quote!((#value) << #low)
                }
            }
        });
        let shifted: Vec<TokenStream> = shifted.collect();
        quote!(#(#shifted)|*)
    }
}

/// `value` of `from` bits with its sign extended to `to` bits.
pub(super) fn extended(value: TokenStream, from: u32, to: u32) -> TokenStream {
    let (narrow, wide, ty) = (signed(from), signed(to), unsigned(to));
    let spare = number((storage_bits(from) - from).into());
    masked(quote!(((((#value) << #spare) as #narrow) >> #spare) as #wide as #ty), to)
}

/// The Rust operator of a comparison, and whether it is signed.
fn comparison(operator: BinaryOp) -> Option<(TokenStream, bool)> {
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

/// A 64-bit value in a type of `width` bits.
pub(super) fn from_u64(value: TokenStream, width: u32) -> TokenStream {
    let ty = unsigned(width);
    match storage_bits(width) {
        64 => masked(value, width),
        _ => masked(quote!(#value as #ty), width),
    }
}

/// A 64-bit value masked to a width.
pub(super) fn masked_u64(value: TokenStream, width: u32) -> TokenStream {
    match width {
        64 => value,
        _ => {
            let mask = number(mask(width));
            quote!(#value & #mask)
        }
    }
}
