//! Expressions: pure trees, with everything that has an effect put into statements before them.
//!
//! Operands are evaluated left to right. Where a later operand needs statements, the earlier ones
//! are put into temporaries before those.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, Stmt, UnaryOp};
use isac_parser::model::{BinaryOperator, Builtin, Expr as Source, ExprKind as SourceKind, FunctionId};

use super::body::{BodyBuilder, Exits, Return};
use super::service::lower_stage;

impl BodyBuilder<'_> {
    /// The value of an expression that has one.
    pub(super) fn lower_value(&mut self, source: &Source) -> Expr {
        let width = source.ty.map_or(32, |ty| ty.width_bits);
        let unary = |op, operand| Expr { width, kind: ExprKind::Unary(op, Box::new(operand)) };
        match &source.kind {
            SourceKind::Const(value) => Expr::constant(width, *value),
            SourceKind::Read(place) => self.read_source_place(place),
            SourceKind::Field(field) => self.lower_field(*field, width),
            SourceKind::Coded(instance) => Expr { width, kind: ExprKind::Coded(instance.0) },
            SourceKind::CodedReference(reference) => {
                Expr { width, kind: ExprKind::CodedReference(reference.0) }
            }
            SourceKind::MemberField { instance, fields } => {
                let fields = fields.iter().map(|(operation, field)| (operation.0, field.0)).collect();
                Expr { width, kind: ExprKind::MemberField { instance: instance.0, fields } }
            }
            SourceKind::MemberFieldReference { reference, fields } => {
                let fields = fields.iter().map(|(operation, field)| (operation.0, field.0)).collect();
                Expr { width, kind: ExprKind::MemberFieldReference { reference: reference.0, fields } }
            }
            SourceKind::Chosen { instance, member } => {
                let member = super::operation::lower_target(*member);
                Expr { width, kind: ExprKind::Chosen { instance: instance.0, member } }
            }
            SourceKind::InstructionAddress => Expr { width, kind: ExprKind::InstructionAddress },
            SourceKind::InstructionSize => Expr { width, kind: ExprKind::InstructionSize },
            SourceKind::Latency(map) => {
                convert(Expr { width: 32, kind: ExprKind::Latency(map.0) }, false, width)
            }
            SourceKind::Busy(stage) => {
                convert(Expr { width: 1, kind: ExprKind::Busy(lower_stage(*stage)) }, false, width)
            }
            SourceKind::Pending(device) => {
                convert(Expr { width: 1, kind: ExprKind::Pending(device.0) }, false, width)
            }
            SourceKind::Convert(operand) => {
                let signed = operand.ty.is_some_and(|ty| ty.signed);
                let operand = self.lower_value(operand);
                convert(operand, signed, width)
            }
            SourceKind::Negate(operand) => unary(UnaryOp::Negate, self.lower_value(operand)),
            SourceKind::BitNot(operand) => unary(UnaryOp::Not, self.lower_value(operand)),
            SourceKind::Not(operand) => {
                let truth = self.lower_condition(operand);
                let zero = Expr::constant(1, 0);
                convert(binary(BinaryOp::Equal, 1, truth, zero), false, width)
            }
            SourceKind::Binary { operator, left, right } => {
                let signed = left.ty.is_some_and(|ty| ty.signed);
                let mut operands = self.lower_list([&**left, right]);
                let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else {
                    return Expr::constant(width, 0);
                };
                self.lower_binary(*operator, signed, width, left, right)
            }
            SourceKind::LogicalAnd(..) | SourceKind::LogicalOr(..) => {
                convert(self.lower_condition(source), false, width)
            }
            SourceKind::Conditional(condition, then, otherwise) => {
                self.lower_conditional(condition, then, otherwise, width)
            }
            SourceKind::Slice { base, low, .. } => {
                let base = Box::new(self.lower_value(base));
                Expr { width, kind: ExprKind::Slice { base, low: *low } }
            }
            SourceKind::Bit { base, index } => {
                let mut operands = self.lower_list([&**base, index]);
                let (Some(index), Some(base)) = (operands.pop(), operands.pop()) else {
                    return Expr::constant(width, 0);
                };
                let kind = ExprKind::Bit { base: Box::new(base), index: Box::new(index) };
                convert(Expr { width: 1, kind }, false, width)
            }
            SourceKind::Concat(parts) => {
                let parts = self.lower_list(parts);
                Expr { width, kind: ExprKind::Concat(parts) }
            }
            SourceKind::Assign { .. } | SourceKind::AssignWith { .. } | SourceKind::Step { .. } => {
                self.lower_assignment(source, true).unwrap_or(Expr::constant(width, 0))
            }
            SourceKind::Comma(left, right) => {
                self.lower_effect(left);
                self.lower_value(right)
            }
            SourceKind::Call { function, arguments } => {
                self.lower_call(*function, arguments).unwrap_or(Expr::constant(width, 0))
            }
            SourceKind::Builtin { builtin, arguments } => {
                self.lower_builtin(*builtin, arguments, width).unwrap_or(Expr::constant(width, 0))
            }
            SourceKind::Printf { .. }
            | SourceKind::Event(_)
            | SourceKind::Stall { .. }
            | SourceKind::Retry(_)
            | SourceKind::Flush(_) => {
                self.lower_effect(source);
                Expr::constant(width, 0)
            }
        }
    }

    /// An expression whose value is dropped.
    pub(super) fn lower_effect(&mut self, source: &Source) {
        match &source.kind {
            SourceKind::Assign { .. } | SourceKind::AssignWith { .. } | SourceKind::Step { .. } => {
                self.lower_assignment(source, false);
            }
            SourceKind::Comma(left, right) => {
                self.lower_effect(left);
                self.lower_effect(right);
            }
            SourceKind::Call { function, arguments } => {
                self.lower_call(*function, arguments);
            }
            SourceKind::Builtin { builtin, arguments } => {
                let width = source.ty.map_or(32, |ty| ty.width_bits);
                if let Some(value) = self.lower_builtin(*builtin, arguments, width) {
                    self.drop_value(value);
                }
            }
            SourceKind::Printf { format, arguments } => self.lower_printf(format, arguments),
            SourceKind::Event(name) => self.push(Stmt::Event(name.clone())),
            SourceKind::Stall { .. } | SourceKind::Retry(_) | SourceKind::Flush(_) => {
                self.lower_service(&source.kind);
            }
            SourceKind::Convert(operand) => self.lower_effect(operand),
            SourceKind::Conditional(condition, then, otherwise) => {
                let condition = self.lower_condition(condition);
                let then = self.arm(|builder| builder.lower_effect(then));
                let otherwise = self.arm(|builder| builder.lower_effect(otherwise));
                self.push_if(condition, then, otherwise);
            }
            _ => {
                let value = self.lower_value(source);
                self.drop_value(value);
            }
        }
    }

    /// The reads of a dropped value happen all the same.
    fn drop_value(&mut self, value: Expr) {
        if has_effect(&value) {
            let local = self.new_local("t", value.width);
            self.push(Stmt::Set { local, value });
        }
    }

    /// A condition as 1 bit.
    pub(super) fn lower_condition(&mut self, source: &Source) -> Expr {
        match &source.kind {
            SourceKind::LogicalAnd(left, right) => self.lower_logical(left, right, true),
            SourceKind::LogicalOr(left, right) => self.lower_logical(left, right, false),
            SourceKind::Not(operand) => {
                let truth = self.lower_condition(operand);
                binary(BinaryOp::Equal, 1, truth, Expr::constant(1, 0))
            }
            _ => {
                let value = self.lower_value(source);
                truth(value)
            }
        }
    }

    /// `&&` and `||`: the right side is evaluated only if it decides.
    fn lower_logical(&mut self, left: &Source, right: &Source, and: bool) -> Expr {
        let left = self.lower_condition(left);
        let result = self.new_local("t", 1);
        let before = self.evaluations();
        let mut value = None;
        let arm = self.arm(|builder| value = Some(builder.lower_condition(right)));
        let after = self.evaluations();
        let right = value.unwrap_or(Expr::constant(1, 0));
        // Without accesses and statements it makes no difference whether it is evaluated.
        if before == after && arm.statements.len() == 1 {
            self.body.locals.pop();
            let operator = if and { BinaryOp::And } else { BinaryOp::Or };
            return binary(operator, 1, left, right);
        }
        self.push(Stmt::Set { local: result, value: left });
        let mut arm = arm;
        arm.statements.push(Stmt::Set { local: result, value: right });
        let stay = self.arm(|_| {});
        let condition = Expr::local(1, result);
        match and {
            true => self.push_if(condition, arm, stay),
            false => self.push_if(condition, stay, arm),
        }
        Expr::local(1, result)
    }

    fn lower_conditional(
        &mut self,
        condition: &Source,
        then: &Source,
        otherwise: &Source,
        width: u32,
    ) -> Expr {
        let condition = self.lower_condition(condition);
        let before = self.evaluations();
        let result = self.new_local("t", width);
        let (mut first, mut second) = (None, None);
        let mut then = self.arm(|builder| first = Some(builder.lower_value(then)));
        let mut otherwise = self.arm(|builder| second = Some(builder.lower_value(otherwise)));
        let first = first.unwrap_or(Expr::constant(width, 0));
        let second = second.unwrap_or(Expr::constant(width, 0));
        let after = self.evaluations();
        if before == after && then.statements.len() == 1 && otherwise.statements.len() == 1 {
            let operands = (Box::new(condition), Box::new(first), Box::new(second));
            let kind = ExprKind::Select(operands.0, operands.1, operands.2);
            return Expr { width, kind };
        }
        then.statements.push(Stmt::Set { local: result, value: first });
        otherwise.statements.push(Stmt::Set { local: result, value: second });
        self.push_if(condition, then, otherwise);
        Expr::local(width, result)
    }

    /// Values in order; earlier ones are put into temporaries where later ones need statements.
    pub(super) fn lower_list<'s>(&mut self, sources: impl IntoIterator<Item = &'s Source>) -> Vec<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        for source in sources {
            let before = self.statements.len();
            let value = self.lower_value(source);
            if self.statements.len() > before {
                let later = self.statements.split_off(before);
                values = values.into_iter().map(|value| self.spill(value)).collect();
                self.statements.extend(later);
            }
            values.push(value);
        }
        values
    }

    fn lower_field(&mut self, field: isac_parser::model::FieldId, width: u32) -> Expr {
        let declared = self.operation.map(|operation| &operation.fields[field.index()]);
        let own = declared.map_or(width, |field| field.width_bits);
        let signed = declared.is_some_and(|field| field.signed);
        convert(Expr { width: own, kind: ExprKind::Field(field.0) }, signed, width)
    }

    /// An arithmetic operator or comparison; a division by zero is a fault before it.
    pub(super) fn lower_binary(
        &mut self,
        operator: BinaryOperator,
        signed: bool,
        width: u32,
        left: Expr,
        right: Expr,
    ) -> Expr {
        use BinaryOperator as Op;
        let pick = |unsigned, signed_op| if signed { signed_op } else { unsigned };
        let arithmetic = match operator {
            Op::Multiply => BinaryOp::Multiply,
            Op::Add => BinaryOp::Add,
            Op::Subtract => BinaryOp::Subtract,
            Op::BitAnd => BinaryOp::And,
            Op::BitXor => BinaryOp::Xor,
            Op::BitOr => BinaryOp::Or,
            Op::ShiftLeft => BinaryOp::ShiftLeft,
            Op::ShiftRight => pick(BinaryOp::ShiftRightUnsigned, BinaryOp::ShiftRightSigned),
            Op::Divide => {
                let op = pick(BinaryOp::DivideUnsigned, BinaryOp::DivideSigned);
                return self.lower_division(op, width, left, right);
            }
            Op::Remainder => {
                let op = pick(BinaryOp::RemainderUnsigned, BinaryOp::RemainderSigned);
                return self.lower_division(op, width, left, right);
            }
            _ => {
                let less = pick(BinaryOp::LessUnsigned, BinaryOp::LessSigned);
                let less_equal = pick(BinaryOp::LessEqualUnsigned, BinaryOp::LessEqualSigned);
                let swapped = matches!(operator, Op::Greater | Op::GreaterEqual);
                // The left operand's fault comes first, though it will stand right.
                let left =
                    if swapped && may_fault(&left) && may_fault(&right) { self.spill(left) } else { left };
                let (op, left, right) = match operator {
                    Op::Less => (less, left, right),
                    Op::LessEqual => (less_equal, left, right),
                    Op::Greater => (less, right, left),
                    Op::GreaterEqual => (less_equal, right, left),
                    Op::NotEqual => (BinaryOp::NotEqual, left, right),
                    _ => (BinaryOp::Equal, left, right),
                };
                return convert(binary(op, 1, left, right), false, width);
            }
        };
        binary(arithmetic, width, left, right)
    }

    fn lower_division(&mut self, operator: BinaryOp, width: u32, left: Expr, right: Expr) -> Expr {
        let left = self.spill(left);
        let right = self.spill(right);
        let is_zero = binary(BinaryOp::Equal, 1, right.clone(), Expr::constant(width, 0));
        if !matches!(right.kind, ExprKind::Const(1..)) {
            let fault = self.arm(|builder| builder.push(Stmt::DivisionByZero));
            let stay = self.arm(|_| {});
            self.push_if(is_zero, fault, stay);
        }
        binary(operator, width, left, right)
    }

    /// Expands a FUNCTION in place: each argument is converted once, at the call.
    pub(super) fn lower_call(&mut self, function: FunctionId, arguments: &[Source]) -> Option<Expr> {
        let values = self.lower_list(arguments);
        self.expand_call(function, values)
    }

    /// Expands a FUNCTION whose arguments are evaluated and of the parameters' widths.
    pub(super) fn expand_call(&mut self, function: FunctionId, values: Vec<Expr>) -> Option<Expr> {
        let lowering = self.lowering;
        let function = &lowering.model.functions[function.index()];
        let outer_scope = std::mem::take(&mut self.scope);
        let outer_targets = std::mem::take(&mut self.targets);
        self.declare_locals(&function.body);
        for (parameter, value) in values.into_iter().enumerate() {
            let local = self.scope[&isac_parser::model::LocalId(parameter as u32)];
            self.push(Stmt::Set { local, value });
        }
        let result = function.result.map(|ty| (self.new_local("result", ty.width_bits), ty.width_bits));
        if let Some((local, width)) = result {
            self.push(Stmt::Set { local, value: Expr::constant(width, 0) });
        }
        let early = super::statement::returns_early(&function.body.statements);
        let label = early.then(|| self.new_label());
        let returns = Return { label, value: result.map(|(local, _)| local) };
        let outer_returns = self.returns.replace(returns);
        match label {
            Some(label) => {
                self.push_block(label, |builder| builder.lower_statements(&function.body.statements));
            }
            None => self.lower_statements(&function.body.statements),
        }
        self.returns = outer_returns;
        self.scope = outer_scope;
        self.targets = outer_targets;
        result.map(|(local, width)| Expr::local(width, local))
    }

    fn lower_builtin(&mut self, builtin: Builtin, arguments: &[Source], width: u32) -> Option<Expr> {
        let signed = arguments.first().and_then(|argument| argument.ty).is_some_and(|ty| ty.signed);
        if builtin == Builtin::Sext {
            return Some(self.lower_sext(arguments, width));
        }
        let mut values = self.lower_list(arguments);
        let ends = Exits { ends: true, ..Exits::default() };
        match builtin {
            Builtin::Halt => {
                let status = values.pop().map_or(Expr::constant(32, 0), |value| convert(value, signed, 32));
                self.push(Stmt::Halt(status));
                self.leave_maybe(ends);
            }
            Builtin::Illegal => self.push(Stmt::Illegal),
            Builtin::Cancel => {
                self.push(Stmt::Cancel);
                self.leave_maybe(ends);
            }
            Builtin::ExtraCycles => {
                let cycles = values.pop().map_or(Expr::constant(64, 0), |value| convert(value, signed, 64));
                self.push(Stmt::ExtraCycles(cycles));
            }
            Builtin::LinuxCall | Builtin::Semihost => {
                let result = self.new_local("result", 64);
                self.push(match builtin {
                    Builtin::Semihost => Stmt::Semihost { result, arguments: values },
                    _ => Stmt::LinuxCall { result, arguments: values },
                });
                self.leave_maybe(ends);
                return Some(convert(Expr::local(64, result), true, width));
            }
            Builtin::Cycles | Builtin::Instructions => {
                let kind = if builtin == Builtin::Cycles { ExprKind::Cycles } else { ExprKind::Instructions };
                return Some(convert(Expr { width: 64, kind }, false, width));
            }
            Builtin::Popcount | Builtin::Clz | Builtin::Ctz => {
                let operator = match builtin {
                    Builtin::Popcount => UnaryOp::PopCount,
                    Builtin::Clz => UnaryOp::CountLeadingZeros,
                    _ => UnaryOp::CountTrailingZeros,
                };
                let operand = values.pop()?;
                let kind = ExprKind::Unary(operator, Box::new(operand.clone()));
                // The count itself fits any width from 8 bits on; narrower operands are widened.
                return Some(match operand.width {
                    8.. => convert(Expr { width: operand.width, kind }, false, width),
                    narrow => narrow_count(operator, operand, narrow, width),
                });
            }
            Builtin::Sext => {}
        }
        None
    }

    fn lower_sext(&mut self, arguments: &[Source], width: u32) -> Expr {
        let from = match arguments.get(1).map(|argument| &argument.kind) {
            Some(SourceKind::Const(bits)) => (*bits as u32).clamp(1, width),
            _ => width,
        };
        let value = arguments.first().map_or(Expr::constant(width, 0), |value| self.lower_value(value));
        convert(convert(value, false, from), true, width)
    }
}

/// Counting in a value of less than 8 bits, where the count itself may not fit.
fn narrow_count(operator: UnaryOp, operand: Expr, narrow: u32, width: u32) -> Expr {
    let (prepared, correction) = match operator {
        UnaryOp::CountLeadingZeros => (convert(operand, false, 8), 8 - narrow),
        UnaryOp::CountTrailingZeros => {
            let wide = convert(operand, false, 8);
            (binary(BinaryOp::Or, 8, wide, Expr::constant(8, 1 << narrow)), 0)
        }
        _ => (convert(operand, false, 8), 0),
    };
    let count = Expr { width: 8, kind: ExprKind::Unary(operator, Box::new(prepared)) };
    let count = binary(BinaryOp::Subtract, 8, count, Expr::constant(8, correction.into()));
    convert(count, false, width)
}

/// A value extended by its sign or by zeros, or truncated.
pub(super) fn convert(value: Expr, signed: bool, width: u32) -> Expr {
    match (value.kind, value.width) {
        (kind, from) if from == width => Expr { width, kind },
        (ExprKind::Const(value), from) => {
            let value = if signed { isac_ir::bits::sign_extend(value, from, 128) } else { value };
            Expr::constant(width, value)
        }
        (kind, from) if from > width => {
            let base = Box::new(Expr { width: from, kind });
            Expr { width, kind: ExprKind::Slice { base, low: 0 } }
        }
        (kind, from) if signed => {
            Expr { width, kind: ExprKind::SignExtend(Box::new(Expr { width: from, kind })) }
        }
        (kind, from) => Expr { width, kind: ExprKind::ZeroExtend(Box::new(Expr { width: from, kind })) },
    }
}

/// 1 if a value is not zero.
fn truth(value: Expr) -> Expr {
    match value.kind {
        _ if value.width == 1 => value,
        ExprKind::ZeroExtend(inner) if inner.width == 1 => *inner,
        _ => {
            let zero = Expr::constant(value.width, 0);
            binary(BinaryOp::NotEqual, 1, value, zero)
        }
    }
}

pub(super) fn binary(operator: BinaryOp, width: u32, left: Expr, right: Expr) -> Expr {
    Expr { width, kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)) }
}

/// True if evaluating it may end the instruction.
fn may_fault(value: &Expr) -> bool {
    let mut faults = false;
    value.walk(&mut |expr| {
        faults |= matches!(
            expr.kind,
            ExprKind::Register { index: Some(_), .. }
                | ExprKind::Memory { .. }
                | ExprKind::Operand { .. }
                | ExprKind::Bound { .. }
        );
    });
    faults
}

/// True if evaluating it does something that can be told afterwards.
fn has_effect(value: &Expr) -> bool {
    let mut effect = false;
    value.walk(&mut |expr| {
        effect |= matches!(
            expr.kind,
            ExprKind::Register { .. }
                | ExprKind::RegisterPart { .. }
                | ExprKind::Memory { .. }
                | ExprKind::CellPart { .. }
                | ExprKind::Operand { .. }
                | ExprKind::Bound { .. }
                | ExprKind::Reference(_)
        );
    });
    effect
}
