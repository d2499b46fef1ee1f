//! What an expanded FUNCTION promises: it can run apart from the body that it stands in.

use std::collections::{BTreeMap, BTreeSet};

use crate::Model;
use crate::behavior::{Body, ExprKind, LocalId, Stmt, walk_expressions, walk_statements};

/// Every call stands alone but for its arguments, its result and its regions.
pub(super) fn verify_calls(model: &Model, body: &Body, errors: &mut Vec<String>) {
    let all = uses(&body.statements);
    walk_statements(&body.statements, &mut |statement| {
        let Stmt::Call { function, arguments, result, body } = statement else { return };
        let Some(function) = model.functions.get(*function as usize) else {
            errors.push(format!("a call of function {function}, which does not exist"));
            return;
        };
        for (local, count) in uses(body) {
            let is_given = arguments.contains(&local) || *result == Some(local);
            if !is_given && all.get(&local) != Some(&count) {
                errors.push(format!("a call of {} shares local {local}", function.name));
            }
        }
        if mentions_operation(body) {
            errors.push(format!("a call of {} mentions an operation", function.name));
        }
        if leaves(body) {
            errors.push(format!("a call of {} leaves what is around it", function.name));
        }
    });
}

/// How often variables stand in statements.
fn uses(statements: &[Stmt]) -> BTreeMap<LocalId, u32> {
    let mut uses: BTreeMap<LocalId, u32> = BTreeMap::new();
    walk_expressions(statements, &mut |expr| {
        if let ExprKind::Local(local) = expr.kind {
            *uses.entry(local).or_default() += 1;
        }
    });
    walk_statements(statements, &mut |statement| {
        if let Stmt::Set { local, .. }
        | Stmt::LinuxCall { result: local, .. }
        | Stmt::Semihost { result: local, .. } = statement
        {
            *uses.entry(*local).or_default() += 1;
        }
    });
    uses
}

/// True if statements need the operation that they stand in.
fn mentions_operation(statements: &[Stmt]) -> bool {
    let mut found = false;
    walk_expressions(statements, &mut |expr| {
        found |= matches!(
            expr.kind,
            ExprKind::Field(_)
                | ExprKind::Variable(_)
                | ExprKind::Coded(_)
                | ExprKind::CodedReference(_)
                | ExprKind::Chosen { .. }
                | ExprKind::MemberField { .. }
                | ExprKind::MemberFieldReference { .. }
                | ExprKind::Reference(_)
                | ExprKind::Operand { .. }
                | ExprKind::Bound { .. }
        );
    });
    walk_statements(statements, &mut |statement| {
        found |= matches!(
            statement,
            Stmt::SetVariable { .. }
                | Stmt::SetReference { .. }
                | Stmt::SetOperand { .. }
                | Stmt::Bind { .. }
                | Stmt::SetBound { .. }
                | Stmt::Decode { .. }
                | Stmt::OpenNode { .. }
                | Stmt::CloseNode
                | Stmt::Activate { .. }
        );
    });
    found
}

/// True if a label is left that does not stand in the statements.
fn leaves(statements: &[Stmt]) -> bool {
    let (mut own, mut left) = (BTreeSet::new(), BTreeSet::new());
    walk_statements(statements, &mut |statement| match statement {
        Stmt::Loop { label, .. } | Stmt::Block { label, .. } => drop(own.insert(*label)),
        Stmt::Leave(label) => drop(left.insert(*label)),
        _ => {}
    });
    !left.is_subset(&own)
}
