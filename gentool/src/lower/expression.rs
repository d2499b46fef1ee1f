//! Expressions: pure trees, with everything that has an effect put into statements before them.
//!
//! Operands are evaluated left to right. Where a later operand needs statements, the earlier ones
//! are put into temporaries before those.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, Stmt, UnaryOp};
use isac_parser::model::{BinaryOperator, Expr as Source, ExprKind as SourceKind};
use isac_parser::source::Span;

use super::body::BodyBuilder;
use super::point::Decision;
use super::service::lower_stage;

/// The promise that is broken where a value is made of nothing.
const VALUE_OF_VOID: &str = "what is used as a value has one in a checked model";

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
                let [left, right] = self.lower_pair(left, right);
                self.lower_binary(*operator, signed, width, left, right)
            }
            SourceKind::LogicalAnd(..) | SourceKind::LogicalOr(..) => {
                convert(self.lower_condition(source), false, width)
            }
            SourceKind::Conditional(condition, then, otherwise) => {
                self.lower_conditional(source.span, [condition, then, otherwise], width)
            }
            SourceKind::Slice { base, low, .. } => {
                let base = Box::new(self.lower_value(base));
                Expr { width, kind: ExprKind::Slice { base, low: *low } }
            }
            SourceKind::Bit { base, index } => {
                let [base, index] = self.lower_pair(base, index);
                let kind = ExprKind::Bit { base: Box::new(base), index: Box::new(index) };
                convert(Expr { width: 1, kind }, false, width)
            }
            SourceKind::Concat(parts) => {
                let parts = self.lower_list(parts);
                Expr { width, kind: ExprKind::Concat(parts) }
            }
            SourceKind::Assign { .. } | SourceKind::AssignWith { .. } | SourceKind::Step { .. } => self
                .lower_assignment(source, true)
                .expect("an assignment that is asked for its value has one"),
            SourceKind::Comma(left, right) => {
                self.lower_effect(left);
                self.lower_value(right)
            }
            SourceKind::Call { function, arguments } => {
                self.lower_call(*function, arguments).expect(VALUE_OF_VOID)
            }
            SourceKind::Builtin { builtin, arguments } => {
                self.lower_builtin(*builtin, arguments, width).expect(VALUE_OF_VOID)
            }
            SourceKind::Printf { .. }
            | SourceKind::Explain { .. }
            | SourceKind::Event(_)
            | SourceKind::Stall { .. }
            | SourceKind::Retry(_)
            | SourceKind::Flush(_) => panic!("{VALUE_OF_VOID}"),
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
            SourceKind::Explain { format, arguments } => self.lower_explanation(format, arguments),
            SourceKind::Event(name) => self.push(Stmt::Event(name.clone())),
            SourceKind::Stall { .. } | SourceKind::Retry(_) | SourceKind::Flush(_) => {
                self.lower_service(&source.kind);
            }
            SourceKind::Convert(operand) => self.lower_effect(operand),
            SourceKind::Conditional(condition, then, otherwise) => {
                let test = self.lower_condition(condition);
                let [then, otherwise] = [(0, then), (1, otherwise)].map(|(side, value)| {
                    self.arm(|builder| {
                        builder.visit_choice(source.span, condition, (side, value.span));
                        builder.lower_effect(value);
                    })
                });
                self.push_if(test, then, otherwise);
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
            SourceKind::LogicalAnd(left, right) => self.lower_logical(source.span, left, right, true),
            SourceKind::LogicalOr(left, right) => self.lower_logical(source.span, left, right, false),
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
    fn lower_logical(&mut self, span: Span, left: &Source, right: &Source, and: bool) -> Expr {
        let decides = left;
        let left = self.lower_condition(left);
        let result = self.new_local("t", 1);
        let before = self.evaluations();
        let mut value = None;
        let arm = self.arm(|builder| {
            builder.visit_arm(span, decides, Decision::Logical, 0);
            builder.visit_part(right.span, span);
            value = Some(builder.lower_condition(right));
        });
        let after = self.evaluations();
        let right = value.expect("the arm was lowered");
        // Without accesses and statements it makes no difference whether it is evaluated.
        if before == after && arm.statements.len() == 1 {
            self.body.locals.pop();
            let operator = if and { BinaryOp::And } else { BinaryOp::Or };
            return binary(operator, 1, left, right);
        }
        self.push(Stmt::Set { local: result, value: left });
        let mut arm = arm;
        arm.statements.push(Stmt::Set { local: result, value: right });
        let stay = self.arm(|builder| builder.visit_arm(span, decides, Decision::Logical, 1));
        let condition = Expr::local(1, result);
        match and {
            true => self.push_if(condition, arm, stay),
            false => self.push_if(condition, stay, arm),
        }
        Expr::local(1, result)
    }

    fn lower_conditional(
        &mut self,
        span: Span,
        [decides, then, otherwise]: [&Source; 3],
        width: u32,
    ) -> Expr {
        let condition = self.lower_condition(decides);
        let before = self.evaluations();
        let result = self.new_local("t", width);
        let (mut first, mut second) = (None, None);
        let mut then = self.arm(|builder| {
            builder.visit_choice(span, decides, (0, then.span));
            first = Some(builder.lower_value(then));
        });
        let mut otherwise = self.arm(|builder| {
            builder.visit_choice(span, decides, (1, otherwise.span));
            second = Some(builder.lower_value(otherwise));
        });
        let first = first.expect("the arm was lowered");
        let second = second.expect("the arm was lowered");
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

    /// Two values in order.
    fn lower_pair(&mut self, first: &Source, second: &Source) -> [Expr; 2] {
        let values = self.lower_list([first, second]);
        values.try_into().expect("each source has its value")
    }

    /// Values in order.
    pub(super) fn lower_list<'s>(&mut self, sources: impl IntoIterator<Item = &'s Source>) -> Vec<Expr> {
        self.in_order(sources, Self::lower_value)
    }

    /// Values in order; earlier ones are put into temporaries where later ones need statements.
    pub(super) fn in_order<S>(
        &mut self,
        sources: impl IntoIterator<Item = S>,
        mut value_of: impl FnMut(&mut Self, S) -> Expr,
    ) -> Vec<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        for source in sources {
            let before = self.statements.len();
            let value = value_of(self, source);
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
        let operation = self.operation.expect("fields are mentioned by operations alone");
        let declared = &operation.fields[field.index()];
        let own = Expr { width: declared.width_bits, kind: ExprKind::Field(field.0) };
        convert(own, declared.signed, width)
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
