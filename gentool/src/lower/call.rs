//! Calls: a FUNCTION is expanded where it is called, a built-in becomes what it means.
//!
//! A long expansion stays together as a [`Stmt::Call`], so that an engine may run one function
//! for all calls that are alike; of a short one nothing but its statements is left.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, Stmt, UnaryOp, walk_statements};
use isac_ir::operation::Function;
use isac_parser::model::{
    Builtin, Cube, Expr as Source, ExprKind as SourceKind, FunctionId, LocalId, OperationOrGroup,
    Stmt as SourceStmt, StmtKind,
};

use super::Lowering;
use super::body::{BodyBuilder, Exits, Return};
use super::expression::{binary, convert};

/// An expansion of fewer statements is as short as a call of it.
const LONG: usize = 3;

impl Lowering<'_> {
    pub(super) fn lower_functions(&self) -> Vec<Function> {
        let functions = (0..).map(FunctionId).zip(&self.model.functions);
        let lower = |(id, function): (FunctionId, &isac_parser::model::Function)| Function {
            name: function.name.clone(),
            location: self.location(function.span),
            value: self.lower_function_value(id),
        };
        functions.map(lower).collect()
    }
}

impl BodyBuilder<'_> {
    /// Expands a FUNCTION in place: each argument is converted once, at the call.
    pub(super) fn lower_call(&mut self, function: FunctionId, arguments: &[Source]) -> Option<Expr> {
        let values = self.lower_list(arguments);
        self.expand_call(function, values)
    }

    /// Expands a FUNCTION whose arguments are evaluated and of the parameters' widths.
    pub(super) fn expand_call(&mut self, id: FunctionId, values: Vec<Expr>) -> Option<Expr> {
        let lowering = self.lowering;
        let function = &lowering.model.functions[id.index()];
        let outer_scope = std::mem::take(&mut self.scope);
        let outer_targets = std::mem::take(&mut self.targets);
        self.declare_locals(&function.body);
        let arguments: Vec<u32> =
            (0..values.len() as u32).map(|parameter| self.scope[&LocalId(parameter)]).collect();
        for (local, value) in arguments.iter().zip(values) {
            self.push(Stmt::Set { local: *local, value });
        }
        let result = function.result.map(|ty| (self.new_local("result", ty.width_bits), ty.width_bits));
        let begin = self.statements.len();
        self.follow_call(&function.name, function.span);
        self.visit_function(&function.name, function.span);
        self.expand_statements(&function.body.statements, result);
        self.follow_return();
        self.scope = outer_scope;
        self.targets = outer_targets;
        self.keep_together(id, arguments, result.map(|(local, _)| local), begin);
        result.map(|(local, width)| Expr::local(width, local))
    }

    /// What stands in a FUNCTION; a `return` leaves it, and puts its value into the result.
    fn expand_statements(&mut self, statements: &[SourceStmt], result: Option<(u32, u32)>) {
        let early = super::statement::returns_early(statements);
        if let Some((local, width)) = result
            && (early || !returns_at_end(statements))
        {
            self.push(Stmt::Set { local, value: Expr::constant(width, 0) });
        }
        let label = early.then(|| self.new_label());
        let returns = Return { label, value: result.map(|(local, _)| local) };
        let outer_returns = self.returns.replace(returns);
        match label {
            Some(label) => self.push_block(label, |builder| builder.lower_statements(statements)),
            None => self.lower_statements(statements),
        }
        self.returns = outer_returns;
    }

    /// Makes a [`Stmt::Call`] of the statements from `begin` on, where they are many.
    fn keep_together(
        &mut self,
        function: FunctionId,
        arguments: Vec<u32>,
        result: Option<u32>,
        begin: usize,
    ) {
        let mut count = 0;
        walk_statements(&self.statements[begin..], &mut |_| count += 1);
        if count < LONG {
            return;
        }
        let mut body = self.statements.split_off(begin);
        // A count behind everything else is that of what follows.
        let last = body.pop_if(|last| matches!(last, Stmt::Count(_)));
        self.push(Stmt::Call { function: function.0, arguments, result, body });
        self.statements.extend(last);
    }

    pub(super) fn lower_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Source],
        width: u32,
    ) -> Option<Expr> {
        let signed = arguments.first().and_then(|argument| argument.ty).is_some_and(|ty| ty.signed);
        if builtin == Builtin::Sext {
            return Some(self.lower_sext(arguments, width));
        }
        let values = self.lower_list(arguments);
        match builtin {
            Builtin::Halt => {
                let status = convert(sole(values), signed, 32);
                self.push(Stmt::Halt(status));
                self.leave_maybe(Exits::end());
            }
            Builtin::Illegal => self.push(Stmt::Illegal),
            Builtin::Cancel => {
                self.push(Stmt::Cancel);
                self.leave_maybe(Exits::end());
            }
            Builtin::ExtraCycles => {
                let cycles = convert(sole(values), signed, 64);
                self.push(Stmt::ExtraCycles(cycles));
            }
            Builtin::LinuxCall | Builtin::Semihost => {
                let result = self.new_local("result", 64);
                self.push(match builtin {
                    Builtin::Semihost => Stmt::Semihost { result, arguments: values },
                    _ => Stmt::LinuxCall { result, arguments: values },
                });
                self.leave_maybe(Exits::end());
                return Some(convert(Expr::local(64, result), true, width));
            }
            Builtin::Cycles | Builtin::Instructions => {
                let kind = if builtin == Builtin::Cycles { ExprKind::Cycles } else { ExprKind::Instructions };
                return Some(convert(Expr { width: 64, kind }, false, width));
            }
            Builtin::Popcount => return Some(count_bits(UnaryOp::PopCount, sole(values), width)),
            Builtin::Clz => return Some(count_bits(UnaryOp::CountLeadingZeros, sole(values), width)),
            Builtin::Ctz => return Some(count_bits(UnaryOp::CountTrailingZeros, sole(values), width)),
            Builtin::CodedSize(target) => return Some(self.coded_size(target, sole(values), width)),
            Builtin::Sext => {}
        }
        None
    }

    /// What the first bits of a word say of its size: patterns that are compared one by one.
    fn coded_size(&mut self, target: OperationOrGroup, word: Expr, width: u32) -> Expr {
        let sizes = self.lowering.model.word_sizes(target);
        let (sizes, cell_bits) = sizes.expect("a checked model knows the sizes that are asked for");
        let cells = |bits: u32| Expr::constant(width, (bits / cell_bits).into());
        let word = self.spill(word);
        let shortest = cells(sizes.shortest_bits);
        sizes.longer.iter().fold(shortest, |size, (bits, patterns)| {
            let is_so_long = patterns.iter().map(|pattern| matches(&word, *pattern));
            let is_so_long = is_so_long.reduce(|left, right| binary(BinaryOp::Or, 1, left, right));
            let Some(is_so_long) = is_so_long else { return size };
            let operands = (Box::new(is_so_long), Box::new(cells(*bits)), Box::new(size));
            Expr { width, kind: ExprKind::Select(operands.0, operands.1, operands.2) }
        })
    }

    fn lower_sext(&mut self, arguments: &[Source], width: u32) -> Expr {
        let [value, bits] = arguments else {
            panic!("sext has a value and a number of bits in a checked model");
        };
        let SourceKind::Const(bits) = bits.kind else {
            panic!("the number of bits of sext is a constant in a checked model");
        };
        let from = (bits as u32).clamp(1, width);
        let value = self.lower_value(value);
        convert(convert(value, false, from), true, width)
    }
}

/// The argument of a built-in that has one.
fn sole(mut values: Vec<Expr>) -> Expr {
    values.pop().expect("built-ins have their arguments in a checked model")
}

/// True if the last statement returns.
fn returns_at_end(statements: &[SourceStmt]) -> bool {
    match statements.last().map(|last| &last.kind) {
        Some(StmtKind::Return(_)) => true,
        Some(StmtKind::Block(statements)) => returns_at_end(statements),
        _ => false,
    }
}

/// The count itself fits any width from 8 bits on; narrower operands are widened.
fn count_bits(operator: UnaryOp, operand: Expr, width: u32) -> Expr {
    match operand.width {
        8.. => {
            let kind = ExprKind::Unary(operator, Box::new(operand.clone()));
            convert(Expr { width: operand.width, kind }, false, width)
        }
        narrow => narrow_count(operator, operand, narrow, width),
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

/// 1 if a value has the bits that a pattern fixes.
fn matches(word: &Expr, pattern: Cube) -> Expr {
    let (mut mask, mut value) = (0, 0);
    for bit in 0..word.width {
        if let Some(is_set) = pattern.bit(bit) {
            mask |= 1 << bit;
            value |= u128::from(is_set) << bit;
        }
    }
    let masked = binary(BinaryOp::And, word.width, word.clone(), Expr::constant(word.width, mask));
    binary(BinaryOp::Equal, 1, masked, Expr::constant(word.width, value))
}
