//! Expressions as text: the width after a colon where it is not that of the operands.

use super::{Printer, is_atom, mention_text};
use crate::behavior::{BinaryOp, Expr, ExprKind, UnaryOp};

/// An expression on one line.
pub(super) fn print_expr(printer: &Printer<'_>, expr: &Expr) -> String {
    let inner = |expr: &Expr| match is_atom(&expr.kind) {
        true => print_expr(printer, expr),
        false => format!("({})", print_expr(printer, expr)),
    };
    let width = expr.width;
    match &expr.kind {
        ExprKind::Const(value) if *value < 10 => format!("{value}:{width}"),
        ExprKind::Const(value) => format!("{value:#x}:{width}"),
        ExprKind::Local(local) => printer.local(*local),
        ExprKind::Variable(variable) => {
            format!("LOCAL {}", printer.operation.variables[*variable as usize].name)
        }
        ExprKind::Reference(reference) => {
            format!("REFERENCE {}", printer.operation.references[*reference as usize].name)
        }
        ExprKind::CodedReference(reference) => {
            format!("CODED(REFERENCE {})", printer.operation.references[*reference as usize].name)
        }
        ExprKind::Field(field) => printer.operation.fields[*field as usize].name.clone(),
        ExprKind::Coded(instance) => {
            format!("CODED({})", printer.operation.instances[*instance as usize].alias)
        }
        ExprKind::Chosen { instance, member } => {
            let alias = &printer.operation.instances[*instance as usize].alias;
            format!("{alias} is {}", printer.model.target_name(*member))
        }
        ExprKind::MemberField { instance, fields } => {
            let alias = &printer.operation.instances[*instance as usize].alias;
            format!("{alias}.{}", field_name(printer, fields))
        }
        ExprKind::MemberFieldReference { reference, fields } => {
            let name = &printer.operation.references[*reference as usize].name;
            format!("REFERENCE {name}.{}", field_name(printer, fields))
        }
        ExprKind::InstructionAddress => "instruction_address".into(),
        ExprKind::InstructionSize => "instruction_size".into(),
        ExprKind::Cycles => "cycles".into(),
        ExprKind::Instructions => "instructions".into(),
        ExprKind::FaultAddress => "fault_address".into(),
        ExprKind::FaultAccess => "fault_access".into(),
        ExprKind::Busy(stage) => format!("busy {}", super::print_stage(printer.model, *stage)),
        ExprKind::Latency(map) => format!("{}.latency", printer.model.maps[*map as usize].name),
        ExprKind::Pending(device) => format!("{}.pending", printer.model.devices[*device as usize].name),
        ExprKind::Register { register, index, access } => {
            let name = &printer.model.registers[*register as usize].name;
            let index =
                index.as_ref().map_or(String::new(), |index| format!("[{}]", print_expr(printer, index)));
            format!("{name}{index}'a{access}")
        }
        ExprKind::RegisterPart { register, index, low, access } => {
            let name = &printer.model.registers[*register as usize].name;
            let index =
                index.as_ref().map_or(String::new(), |index| format!("[{}]", print_expr(printer, index)));
            format!("{name}{index}[{}..{low}]'a{access}", low + width - 1)
        }
        ExprKind::CellPart { map, address, low, access } => {
            let name = &printer.model.maps[*map as usize].name;
            format!("{name}[{}][{}..{low}]'a{access}", print_expr(printer, address), low + width - 1)
        }
        ExprKind::Memory { map, cells, address, access } => {
            let name = &printer.model.maps[*map as usize].name;
            format!("{name}.{cells}[{}]'a{access}", print_expr(printer, address))
        }
        ExprKind::Operand { instance, mention } => {
            format!("{}'m{mention}", printer.operation.instances[*instance as usize].alias)
        }
        ExprKind::Bound { binding, keeps, mention } => {
            let keeps = if *keeps { "'kept" } else { "" };
            format!("{}{keeps}{}", printer.binding(*binding), mention_text(*mention, "'"))
        }
        ExprKind::Unary(operator, operand) => format!("{}{}", unary_text(*operator), inner(operand)),
        ExprKind::Binary(operator, left, right) => {
            format!("{} {} {}", inner(left), binary_text(*operator), inner(right))
        }
        ExprKind::ZeroExtend(operand) => format!("zext{width}({})", print_expr(printer, operand)),
        ExprKind::SignExtend(operand) => format!("sext{width}({})", print_expr(printer, operand)),
        ExprKind::Slice { base, low } => format!("{}[{}..{low}]", inner(base), low + width - 1),
        ExprKind::Bit { base, index } => format!("{}[{}]", inner(base), print_expr(printer, index)),
        ExprKind::Concat(parts) => parts.iter().map(inner).collect::<Vec<_>>().join(" :: "),
        ExprKind::Select(c, a, b) => format!("{} ? {} : {}", inner(c), inner(a), inner(b)),
    }
}

/// The name that a field has in all operations that may have been chosen.
fn field_name<'a>(printer: &Printer<'a>, fields: &[(u32, u32)]) -> &'a str {
    let first = fields.first();
    first.map_or("", |(operation, field)| &printer.model.operation(*operation).fields[*field as usize].name)
}

fn unary_text(operator: UnaryOp) -> &'static str {
    match operator {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "~",
        UnaryOp::PopCount => "popcount ",
        UnaryOp::CountLeadingZeros => "clz ",
        UnaryOp::CountTrailingZeros => "ctz ",
    }
}

fn binary_text(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::DivideUnsigned => "/u",
        BinaryOp::DivideSigned => "/s",
        BinaryOp::RemainderUnsigned => "%u",
        BinaryOp::RemainderSigned => "%s",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRightUnsigned => ">>u",
        BinaryOp::ShiftRightSigned => ">>s",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::LessUnsigned => "<u",
        BinaryOp::LessEqualUnsigned => "<=u",
        BinaryOp::LessSigned => "<s",
        BinaryOp::LessEqualSigned => "<=s",
    }
}
