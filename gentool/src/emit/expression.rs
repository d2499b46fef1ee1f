//! Expressions as Rust: a value of `n` bits is an unsigned integer whose upper bits are 0.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind};
use isac_ir::bits::mask;
use isac_ir::operand::MentionKind;
use isac_ir::time::StageId;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Shape;
use super::body::BodyEmitter;
use super::mention::Mentioned;
use super::name::identifier;
use super::operator::comparison;

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
            ExprKind::Variable(variable) if self.emitter.shape == Shape::Blocks => {
                let entry = &self.operation.variables[*variable as usize];
                let name = identifier(&entry.name);
                cast(quote!((*#name)), entry.width, width)
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
            ExprKind::InstructionAddress => from_u64(self.emitter.step_address(), width),
            ExprKind::InstructionSize => from_u64(self.emitter.step_size(), width),
            ExprKind::Cycles => {
                let left = self.emitter.step_left();
                quote!(p.kernel_ref().cycles_at(#left))
            }
            ExprKind::RegisterPart { register, index, low, access } => {
                let all = self.read_register(*register, index.as_deref());
                let (low, bits) = (number((*low).into()), number(width.into()));
                let part = cast(quote!(#all.extract(#low, #bits)), MOST_BITS, width);
                self.told_read(*access, *register, part)
            }
            ExprKind::CellPart { map, address, low, access } => {
                let part = self.read_part(*map, address, (*low, width), *access);
                self.told_read(*access, self.map_resource(*map), cast(part, MOST_BITS, width))
            }
            ExprKind::FaultAddress => quote!(p.kernel_ref().trap_value),
            ExprKind::FaultAccess => quote!(p.kernel_ref().fault_access),
            ExprKind::Latency(map) => self.emitter.emit_latency(*map),
            ExprKind::Busy(stage) => match &self.emitter.timing {
                Some(timing) => {
                    let stage = number(timing.schedule.stage_number(*stage).into());
                    quote!(u8::from(step.is_busy(#stage)))
                }
                None => {
                    let (pipeline, stage) = stage_numbers(*stage);
                    quote!(u8::from(step.is_busy(#pipeline, #stage)))
                }
            },
            ExprKind::Pending(device) => {
                let (device, left) = (number((*device).into()), self.emitter.step_left());
                quote!(u8::from(p.kernel_ref().is_pending(#device, #left)))
            }
            ExprKind::Instructions => {
                let left = self.emitter.step_left();
                quote!(p.kernel_ref().instructions_at(#left))
            }
            ExprKind::Register { register, index, access } => {
                let value = self.read_register(*register, index.as_deref());
                self.told_read(*access, *register, value)
            }
            ExprKind::Memory { map, cells, address, access } => {
                let value = self.read_memory(*map, *cells, address, *access);
                self.told_read(*access, self.map_resource(*map), value)
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
                let keep = self.keep_choice(then, otherwise);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                quote!(if #condition { #keep #then } else { #otherwise })
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
