//! Values of a step.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value as Ir, types};

use super::operator::largest;
use super::{ASK_CYCLES, ASK_INSTRUCTIONS, ASK_PENDING, Codegen, Pc, SiteKind, type_of};
use crate::layout;
use crate::residual::{Kind, PC, Value};

/// A constant of a type of at most 64 bits, as an immediate wants it.
pub(super) fn signed_constant(ty: Type, value: u128) -> i64 {
    match ty {
        types::I8 => i64::from(value as u8 as i8),
        types::I32 => i64::from(value as u32 as i32),
        _ => value as u64 as i64,
    }
}

impl Codegen<'_, '_> {
    /// The value, in the type of its width, upper bits 0.
    pub(super) fn value(&mut self, value: &Value) -> Ir {
        let (width, ty) = (value.width, type_of(value.width));
        match &value.kind {
            Kind::Const(known) => self.constant(ty, *known),
            Kind::Local(PC) => {
                let pc = self.pc;
                match pc {
                    Pc::Known(pc) => self.constant(ty, pc.into()),
                    Pc::Held(variable) => self.b.use_var(variable),
                }
            }
            Kind::Local(local) => {
                let variable = self.local(*local);
                self.b.use_var(variable)
            }
            Kind::Register { register, element, low } => self.register(*register, *element, *low, width),
            Kind::Element { register, index, low } => {
                self.store_file(*register);
                let address = self.element_address(*register, index);
                let (whole, offset) = self.register_place(*register, 0);
                let value = self.b.ins().load(whole, MemFlagsData::trusted(), address, offset);
                self.part(value, self.around.model.registers[*register as usize].width_bits, *low, width)
            }
            Kind::Cycles => self.ask(ASK_CYCLES, ty),
            Kind::Instructions => self.ask(ASK_INSTRUCTIONS, ty),
            Kind::Pending(device) => self.ask(ASK_PENDING + u64::from(*device), ty),
            Kind::Memory { map, cells, address, access } => self.load(*map, *cells, address, *access, width),
            Kind::Unary(operator, operand) => self.unary(*operator, operand),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::ZeroExtend(operand) => {
                let inner = self.value(operand);
                self.widen(inner, ty)
            }
            Kind::SignExtend(operand) => {
                let from = operand.width;
                let inner = self.value(operand);
                self.extend_sign(inner, from, width)
            }
            Kind::Slice { base, low } => {
                let inner = self.value(base);
                self.part(inner, base.width, *low, width)
            }
            Kind::Bit { base, index } => self.bit(base, index),
            Kind::Concat(parts) => self.concat(parts, ty),
            Kind::Select(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                self.b.ins().select(condition, then, otherwise)
            }
            Kind::CellPart { .. } | Kind::FaultAddress | Kind::FaultAccess => {
                panic!("a step that is not compiled has come to be")
            }
        }
    }

    /// How far the run has come.
    fn ask(&mut self, asked: u64, ty: Type) -> Ir {
        let asked = self.b.ins().iconst(types::I64, asked as i64);
        let site = self.mere_site();
        let passed = self.call_helper(self.around.helpers.passed, [asked, site, asked]);
        self.narrow(passed, ty)
    }

    /// A value of which only matters whether it is 0.
    pub(super) fn condition(&mut self, value: &Value) -> Ir {
        let found = self.value(value);
        if type_of(value.width) == types::I128 {
            let (low, high) = self.b.ins().isplit(found);
            return self.b.ins().bor(low, high);
        }
        found
    }

    /// The value in a type of at most 64 bits that is at least as wide.
    pub(super) fn value_in(&mut self, value: &Value, ty: Type) -> Ir {
        let found = self.value(value);
        match type_of(value.width).bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Greater => self.narrow(found, ty),
            _ => self.widen(found, ty),
        }
    }

    pub(super) fn zero(&mut self, ty: Type) -> Ir {
        self.constant(ty, 0)
    }

    pub(super) fn constant(&mut self, ty: Type, value: u128) -> Ir {
        if ty == types::I128 {
            let low = self.b.ins().iconst(types::I64, value as u64 as i64);
            let high = self.b.ins().iconst(types::I64, (value >> 64) as u64 as i64);
            return self.b.ins().iconcat(low, high);
        }
        self.b.ins().iconst(ty, signed_constant(ty, value))
    }

    /// The same in a type that is at least as wide.
    pub(super) fn widen(&mut self, value: Ir, ty: Type) -> Ir {
        if self.b.func.dfg.value_type(value) == ty { value } else { self.b.ins().uextend(ty, value) }
    }

    /// A value whose sign is continued up to its type, in 64 bits.
    pub(super) fn widen_signed(&mut self, value: Ir, ty: Type) -> Ir {
        if ty == types::I64 { value } else { self.b.ins().sextend(types::I64, value) }
    }

    /// The same in a type that is at most as wide.
    pub(super) fn narrow(&mut self, value: Ir, ty: Type) -> Ir {
        if self.b.func.dfg.value_type(value) == ty { value } else { self.b.ins().ireduce(ty, value) }
    }

    /// The low bits of a value.
    pub(super) fn cut(&mut self, value: Ir, ty: Type, width: u32) -> Ir {
        if ty.bits() == width {
            return value;
        }
        if ty == types::I128 {
            let ones = self.constant(ty, isac_ir::bits::mask(width));
            return self.b.ins().band(value, ones);
        }
        let ones = signed_constant(ty, isac_ir::bits::mask(width));
        let ones = self.b.ins().iconst(ty, ones);
        self.b.ins().band(value, ones)
    }

    /// A value with its sign continued up to its type.
    pub(super) fn with_sign(&mut self, value: Ir, ty: Type, width: u32) -> Ir {
        let above = ty.bits() - width;
        match (ty, width) {
            (_, _) if above == 0 => value,
            (types::I32, 8) => {
                let low = self.b.ins().ireduce(types::I8, value);
                self.b.ins().sextend(ty, low)
            }
            (types::I32, 16) => {
                let low = self.b.ins().ireduce(types::I16, value);
                self.b.ins().sextend(ty, low)
            }
            _ => {
                let up = self.b.ins().ishl_imm_u(value, i64::from(above));
                self.b.ins().sshr_imm_u(up, i64::from(above))
            }
        }
    }

    fn extend_sign(&mut self, value: Ir, from: u32, to: u32) -> Ir {
        let (inner, outer) = (type_of(from), type_of(to));
        let signed = self.with_sign(value, inner, from);
        let wide = if inner == outer { signed } else { self.b.ins().sextend(outer, signed) };
        self.cut(wide, outer, to)
    }

    /// Bits `low..low + width` of a value of so many bits.
    pub(super) fn part(&mut self, value: Ir, bits: u32, low: u32, width: u32) -> Ir {
        let ty = type_of(width);
        let down = if low > 0 { self.b.ins().ushr_imm_u(value, i64::from(low)) } else { value };
        let narrow = self.narrow(down, ty);
        if low + width == bits { narrow } else { self.cut(narrow, ty, width) }
    }

    fn register(&mut self, register: u32, element: u32, low: u32, width: u32) -> Ir {
        let whole = self.whole_register(register, element);
        self.part(whole, self.around.model.registers[register as usize].width_bits, low, width)
    }

    fn whole_register(&mut self, register: u32, element: u32) -> Ir {
        match self.registers.get(&(register, element)) {
            Some(variable) => self.b.use_var(*variable),
            None => {
                let (ty, offset) = self.register_place(register, element);
                self.b.ins().load(ty, MemFlagsData::trusted(), self.ctx, offset)
            }
        }
    }

    /// Writes bits of a register.
    pub(super) fn set_register(&mut self, register: u32, element: u32, low: u32, value: &Value) {
        let new = self.value(value);
        let bits = self.around.model.registers[register as usize].width_bits;
        let new = if low == 0 && value.width >= bits {
            self.narrow(new, type_of(bits))
        } else {
            let old = self.whole_register(register, element);
            self.insert(old, bits, (low, value.width), new)
        };
        match self.registers.get(&(register, element)) {
            Some(variable) => {
                self.b.def_var(*variable, new);
                self.dirty.insert((register, element));
            }
            None => {
                let (_, offset) = self.register_place(register, element);
                self.b.ins().store(MemFlagsData::trusted(), new, self.ctx, offset);
            }
        }
    }

    /// The same of an element that is known when it runs.
    pub(super) fn set_element(&mut self, register: u32, index: &Value, low: u32, value: &Value) {
        let new = self.value(value);
        self.store_file(register);
        let address = self.element_address(register, index);
        let table = &self.around.model.registers[register as usize];
        let (ty, offset) = self.register_place(register, 0);
        let bits = table.width_bits;
        let new = if low == 0 && value.width >= bits {
            self.narrow(new, ty)
        } else {
            let old = self.b.ins().load(ty, MemFlagsData::trusted(), address, offset);
            self.insert(old, bits, (low, value.width), new)
        };
        self.b.ins().store(MemFlagsData::trusted(), new, address, offset);
        // Elements that are HARDWIRED have kept their values.
        for (element, value) in &table.hardwired {
            let kept = self.constant(ty, *value);
            let (_, offset) = self.register_place(register, *element);
            self.b.ins().store(MemFlagsData::trusted(), kept, self.ctx, offset);
        }
        self.load_file(register);
    }

    /// A value of so many bits with some of them replaced.
    fn insert(&mut self, old: Ir, bits: u32, (low, width): (u32, u32), new: Ir) -> Ir {
        let ty = type_of(bits);
        let width = width.min(bits - low);
        let hole = isac_ir::bits::mask(width) << low;
        let kept = self.constant(ty, isac_ir::bits::mask(bits) & !hole);
        let kept = self.b.ins().band(old, kept);
        let new = match self.b.func.dfg.value_type(new).bits() > ty.bits() {
            true => self.narrow(new, ty),
            false => self.widen(new, ty),
        };
        let new = self.cut(new, ty, width);
        let new = if low > 0 { self.b.ins().ishl_imm_u(new, i64::from(low)) } else { new };
        self.b.ins().bor(kept, new)
    }

    /// The address of an element less the offset of the file; leaves if there is no such element.
    fn element_address(&mut self, register: u32, index: &Value) -> Ir {
        let elements = self.around.model.registers[register as usize].elements();
        let stride = self.around.layout.registers[register as usize].stride;
        let most = largest(index);
        let number = self.value_in(index, types::I64);
        if most >= elements.into() {
            let is_beyond =
                self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, number, i64::from(elements));
            self.b.ins().store(MemFlagsData::trusted(), number, self.ctx, layout::VALUE);
            self.leave_if(is_beyond, SiteKind::RegisterIndex(register));
        }
        let offset = self.b.ins().imul_imm_u(number, i64::from(stride));
        self.b.ins().iadd(self.ctx, offset)
    }

    fn bit(&mut self, base: &Value, index: &Value) -> Ir {
        let (ty, width) = (type_of(base.width), base.width);
        let bits = self.value(base);
        let most = largest(index);
        let number = self.value_in(index, types::I64);
        let low = self.b.ins().ireduce(types::I32, number);
        let down = self.b.ins().ushr(bits, low);
        let one = self.part(down, ty.bits(), 0, 1);
        if most < width.into() {
            return one;
        }
        let is_within = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, number, i64::from(width));
        let zero = self.zero(types::I8);
        self.b.ins().select(is_within, one, zero)
    }

    fn concat(&mut self, parts: &[Value], ty: Type) -> Ir {
        let mut joined: Option<Ir> = None;
        for part in parts {
            let value = self.value(part);
            let value = self.widen(value, ty);
            joined = Some(match joined {
                Some(above) => {
                    let above = self.b.ins().ishl_imm_u(above, i64::from(part.width));
                    self.b.ins().bor(above, value)
                }
                None => value,
            });
        }
        joined.unwrap_or_else(|| self.zero(ty))
    }
}
