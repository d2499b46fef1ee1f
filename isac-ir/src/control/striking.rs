//! Operations that may strike: that send the run elsewhere than an instruction does.
//!
//! They run beside the instructions, as what takes interrupts does: `main` activates them, the operation that
//! decodes, or others beside the instructions, and none of the decoding tree. What always happens is the
//! processor's way of going on, and so is a step to the next instruction in memory; what sets the program counter
//! on a condition, to anything else, strikes. But who goes to an address in a register and has read the program
//! counter for no other sake than to compare it comes back to nothing: that is a loop in hardware.

use std::collections::{BTreeMap, BTreeSet};

use crate::Model;
use crate::behavior::{BinaryOp, Expr, ExprKind, Stmt, walk_statements};
use crate::operation::{Role, Target};

/// The operations of which each change of the program counter strikes.
pub fn striking_operations(model: &Model) -> BTreeSet<u32> {
    let carried = model.carried_registers();
    let strikes = |(operation, is_conditional): (u32, bool)| {
        let mut writes = Writes { model, strikes: 0, others: 0, keeps: false, carried: &carried };
        if let Some(body) = &model.operation(operation).behavior {
            writes.visit(&body.statements, !is_conditional);
        }
        (writes.strikes > 0 && writes.others == 0 && writes.keeps).then_some(operation)
    };
    operations_beside(model).into_iter().filter_map(strikes).collect()
}

/// Where instructions overlap and may be struck, the operations beside them that read the program counter and do not
/// strike: what that held at the first of them is where an instruction was fetched.
pub fn fetching_operations(model: &Model) -> BTreeSet<u32> {
    let striking = striking_operations(model);
    if !model.overlaps() || striking.is_empty() {
        return BTreeSet::new();
    }
    let reads = |operation: &u32| {
        let Some(body) = &model.operation(*operation).behavior else { return false };
        let mut reads = false;
        walk_statements(&body.statements, &mut |statement| {
            for value in statement.expressions() {
                value.walk(&mut |part| reads |= is_counter(model, part));
            }
        });
        reads
    };
    let others = operations_beside(model).into_keys().filter(|operation| !striking.contains(operation));
    others.filter(reads).collect()
}

/// The operations that run beside the instructions, and whether each is always on a condition.
fn operations_beside(model: &Model) -> BTreeMap<u32, bool> {
    let has_root = |operation: &u32| model.operation(*operation).root.is_some();
    let roots = (0u32..).zip(&model.operations).filter(|(_, operation)| operation.root.is_some());
    let mut waiting: Vec<(u32, bool)> = roots.map(|(root, _)| (root, false)).collect();
    waiting.push((model.main, false));
    let mut beside: BTreeMap<u32, bool> = BTreeMap::new();
    while let Some((operation, is_conditional)) = waiting.pop() {
        let known = beside.get(&operation).copied();
        if known.is_some_and(|known| !known || is_conditional) {
            continue;
        }
        beside.insert(operation, is_conditional);
        for instance in &model.operation(operation).instances {
            if let (Role::Activated, true, Target::Operation(below)) =
                (instance.role, instance.scheduled, instance.target)
            {
                waiting.push((below, is_conditional || instance.conditional));
            }
        }
    }
    beside.retain(|operation, _| !has_root(operation));
    beside
}

fn is_counter(model: &Model, value: &Expr) -> bool {
    match value.kind {
        ExprKind::Register { register, .. } => model.pc_register() == Some(register),
        ExprKind::InstructionAddress => true,
        _ => false,
    }
}

/// Statements that write the program counter.
struct Writes<'a> {
    model: &'a Model,
    strikes: u32,
    others: u32,
    /// A value was made of the program counter, or it was set to a number.
    keeps: bool,
    /// Registers that stages hand on.
    carried: &'a BTreeSet<u32>,
}

impl Writes<'_> {
    fn visit(&mut self, statements: &[Stmt], mut is_certain: bool) {
        for statement in statements {
            match statement {
                Stmt::SetRegister { register, value, .. } if self.model.pc_register() == Some(*register) => {
                    let is_step =
                        |added: &Expr| matches!(added.kind, ExprKind::Const(_) | ExprKind::InstructionSize);
                    self.keeps |= matches!(within(value).kind, ExprKind::Const(_));
                    match is_certain || added_to(*register, value).is_some_and(is_step) {
                        true => self.others += 1,
                        false => self.strikes += 1,
                    }
                }
                Stmt::Block { body, .. } | Stmt::Call { body, .. } => self.visit(body, is_certain),
                _ => statement.children().into_iter().for_each(|child| self.visit(child, false)),
            }
            // What is made of the program counter behind that says where the run goes, and not where it was.
            self.keeps |= self.strikes == 0 && self.keeps(statement);
            let mut leaves = false;
            walk_statements(std::slice::from_ref(statement), &mut |within| {
                leaves |= matches!(within, Stmt::Leave(_));
            });
            is_certain &= !leaves;
        }
    }
}

impl Writes<'_> {
    /// Whether a statement writes a value that is made of the program counter to anything else, and that is not
    /// whether a comparison holds.
    fn keeps(&self, statement: &Stmt) -> bool {
        let is_written = match statement {
            Stmt::SetRegister { register, .. } => {
                self.model.pc_register() != Some(*register) && !self.carried.contains(register)
            }
            Stmt::Set { .. }
            | Stmt::SetVariable { .. }
            | Stmt::SetMemory { .. }
            | Stmt::SetCellPart { .. }
            | Stmt::SetOperand { .. }
            | Stmt::SetReference { .. }
            | Stmt::SetBound { .. } => true,
            _ => false,
        };
        let mut reads = false;
        for value in statement.expressions().into_iter().filter(|value| is_written && value.width > 1) {
            value.walk(&mut |part| {
                reads |= is_counter(self.model, part);
            });
        }
        reads
    }
}

/// What a value adds to a register, if it is that register and something.
pub fn added_to(register: u32, value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            let is_register = |read: u32| read == register;
            let reads =
                matches!(within(left).kind, ExprKind::Register { register, .. } if is_register(register));
            reads.then(|| within(right))
        }
        ExprKind::Slice { base, low: 0 } => added_to(register, base),
        _ => None,
    }
}

fn within(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::ZeroExtend(inner) => within(inner),
        _ => value,
    }
}
