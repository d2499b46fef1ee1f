//! Expressions: what they name exists, and has their width.

use super::body::BodyVerifier;
use super::table::{has_stage, has_target};
use crate::behavior::{BinaryOp, Expr, ExprKind, FieldId, InstanceId};
use crate::operand::MentionKind;

impl BodyVerifier<'_> {
    /// True if an expression by itself, without those below it, has the width of what it names.
    pub(super) fn is_sound(&self, expr: &Expr) -> bool {
        let width = expr.width;
        if width == 0 || width > 128 {
            return false;
        }
        match &expr.kind {
            ExprKind::Const(value) => value & !crate::bits::mask(width) == 0,
            ExprKind::Unary(_, operand) => operand.width == width,
            ExprKind::Binary(operator, left, right) => binary_fits(*operator, width, left.width, right.width),
            ExprKind::ZeroExtend(operand) | ExprKind::SignExtend(operand) => operand.width <= width,
            ExprKind::Slice { base, low } => low.saturating_add(width) <= base.width,
            ExprKind::Bit { .. } => width == 1,
            ExprKind::Concat(parts) => {
                parts.iter().map(|part| u64::from(part.width)).sum::<u64>() == width.into()
            }
            ExprKind::Select(c, a, b) => c.width == 1 && a.width == width && b.width == width,
            ExprKind::Cycles | ExprKind::Instructions | ExprKind::FaultAddress => width == 64,
            ExprKind::FaultAccess => width == 2,
            ExprKind::InstructionAddress | ExprKind::InstructionSize => true,
            ExprKind::Busy(stage) => width == 1 && has_stage(self.model, *stage),
            ExprKind::Pending(device) => width == 1 && (*device as usize) < self.model.devices.len(),
            ExprKind::Latency(map) => width == 32 && (*map as usize) < self.model.maps.len(),
            ExprKind::Register { .. }
            | ExprKind::RegisterPart { .. }
            | ExprKind::CellPart { .. }
            | ExprKind::Memory { .. } => self.resource_fits(expr),
            _ => self.name_fits(expr),
        }
    }

    /// The same for what reads a register or cells of a map.
    fn resource_fits(&self, expr: &Expr) -> bool {
        let width = expr.width;
        match &expr.kind {
            ExprKind::Register { register, index, .. } => {
                let whole = self.model.registers.get(*register as usize);
                self.has_register(*register, index.is_some(), 0, width)
                    && whole.is_some_and(|register| register.width_bits == width)
            }
            ExprKind::RegisterPart { register, index, low, .. } => {
                self.has_register(*register, index.is_some(), *low, width)
            }
            ExprKind::CellPart { map, address, low, .. } => self.has_cell_part(*map, address, *low, width),
            ExprKind::Memory { map, cells, address, .. } => self.has_cells(*map, *cells, address, width),
            _ => false,
        }
    }

    /// The same for what names something of the body or of its operation.
    fn name_fits(&self, expr: &Expr) -> bool {
        let (width, operation) = (expr.width, self.operation);
        match &expr.kind {
            ExprKind::Local(local) => self.local_width(*local) == Some(width),
            ExprKind::Variable(variable) => self.variable_width(*variable) == Some(width),
            ExprKind::Field(field) => {
                let field = operation.fields.get(*field as usize);
                field.is_some_and(|field| field.width_bits == width)
            }
            ExprKind::Coded(instance) => self.has_instance(*instance),
            ExprKind::Chosen { instance, member } => {
                width == 1 && self.has_instance(*instance) && has_target(self.model, *member)
            }
            ExprKind::MemberField { instance, fields } => {
                self.has_instance(*instance) && self.member_fields_fit(fields, width)
            }
            ExprKind::Reference(reference) => self.reference_width(*reference) == Some(width),
            ExprKind::CodedReference(reference) => self.reference_width(*reference).is_some(),
            ExprKind::MemberFieldReference { reference, fields } => {
                self.reference_width(*reference).is_some() && self.member_fields_fit(fields, width)
            }
            ExprKind::Operand { instance, mention } => {
                self.mentions(Some(*mention), Some(*instance), MentionKind::Read)
                    && self.operand_fits(*instance, width)
            }
            ExprKind::Bound { binding, keeps, mention } => {
                let kind = if *keeps { MentionKind::KeepBound } else { MentionKind::ReadBound };
                self.binding_fits(*binding, *mention, kind) && self.place_fits(*binding, width)
            }
            _ => false,
        }
    }

    fn has_instance(&self, instance: InstanceId) -> bool {
        (instance as usize) < self.operation.instances.len()
    }

    fn member_fields_fit(&self, fields: &[(u32, FieldId)], width: u32) -> bool {
        fields.iter().all(|(member, field)| {
            let member = self.model.operations.get(*member as usize);
            let field = member.and_then(|member| member.fields.get(*field as usize));
            field.is_some_and(|field| field.width_bits == width)
        })
    }
}

fn binary_fits(operator: BinaryOp, width: u32, left: u32, right: u32) -> bool {
    match operator {
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightUnsigned | BinaryOp::ShiftRightSigned => left == width,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::LessUnsigned
        | BinaryOp::LessEqualUnsigned
        | BinaryOp::LessSigned
        | BinaryOp::LessEqualSigned => width == 1 && left == right,
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::DivideUnsigned
        | BinaryOp::DivideSigned
        | BinaryOp::RemainderUnsigned
        | BinaryOp::RemainderSigned
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => left == width && right == width,
    }
}
