//! What the emitted kernel cannot run yet; the reference engine runs all of it.

use isac_ir::Model;
use isac_ir::account::{PARTS, Part};
use isac_ir::behavior::{Expr, ExprKind, Stmt, walk_statements};
use isac_ir::operation::{Role, Target};

use super::form::find_root;

/// Why a simulator cannot be emitted from this model, each reason with its place; empty if it can.
pub fn find_obstacles(model: &Model) -> Vec<String> {
    let mut found = Vec::new();
    if !model.time.is_instruction_accurate() {
        found.push("activations with a delay are not emitted yet".to_string());
    }
    if model.time.scheduled().count() > 64 {
        found.push("more than 64 scheduled instances are not emitted yet".to_string());
    }
    find_root_obstacles(model, &mut found);
    for operation in &model.operations {
        let expression = operation.expression.as_ref();
        let bodies = expression.iter().flat_map(|value| std::iter::once(&value.read).chain(&value.write));
        if bodies.into_iter().any(|body| body.regions > 1) {
            let place = &operation.location;
            found.push(format!("{place}: an EXPRESSION with accesses on a condition is not emitted yet"));
        }
    }
    for decoder in &model.decoders {
        for node in decoder.variants.iter().flat_map(|variant| &variant.nodes) {
            if node.nested.is_some() && can_run(model, node.target) {
                let name = model.target_name(node.target);
                found.push(format!("{name}: a second decoded group with a BEHAVIOR is not emitted yet"));
            }
        }
        if decoder.width_bits > 128 {
            let name = model.target_name(decoder.target);
            found.push(format!("{name}: words above 128 bits are not emitted yet"));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The kernel decodes ahead, at the address in the PC: nothing before may change what is there.
fn find_root_obstacles(model: &Model, found: &mut Vec<String>) {
    let roots: Vec<_> = model.operations.iter().filter(|operation| operation.root.is_some()).collect();
    let [operation] = roots[..] else {
        let count = roots.len();
        found.push(format!("{count} operations have a CODINGROOT; the emitted kernel needs exactly one"));
        return;
    };
    let place = &operation.location;
    let root = operation.root.as_ref();
    let elements: Vec<&Expr> = root
        .iter()
        .flat_map(|body| &body.statements)
        .filter_map(|statement| match statement {
            Stmt::Decode { address, .. } => Some(address),
            _ => None,
        })
        .collect();
    match elements[..] {
        [address] if is_pc(model, address) => {}
        _ => found
            .push(format!("{place}: a CODINGROOT other than one element from map[PC] is not emitted yet")),
    }
    for operation in before_decoding(model) {
        let table = model.operation(operation);
        for body in [Part::Behavior].iter().filter_map(|part| table.body(*part)) {
            walk_statements(&body.statements, &mut |statement| match statement {
                Stmt::SetRegister { register, .. } if *register == model.pc => {
                    found.push(format!(
                        "{}: a PC that changes before decoding is not emitted yet",
                        body.location
                    ));
                }
                Stmt::SetMemory { .. } | Stmt::LinuxCall { .. } => {
                    found.push(format!(
                        "{}: memory that changes before decoding is not emitted yet",
                        body.location
                    ));
                }
                _ => {}
            });
        }
    }
    if find_root(model).is_none() {
        found.push(format!("{place}: nothing is decoded"));
    }
}

/// True for the program counter itself, widened or not.
fn is_pc(model: &Model, address: &Expr) -> bool {
    match &address.kind {
        ExprKind::Register { register, index: None, .. } => *register == model.pc,
        ExprKind::ZeroExtend(inner) => is_pc(model, inner),
        _ => false,
    }
}

/// The operations that may run before the one with the CODINGROOT: those above it.
fn before_decoding(model: &Model) -> Vec<u32> {
    let nodes = &model.time.nodes;
    let root = nodes.iter().position(|node| match node.target {
        Target::Operation(operation) => model.operation(operation).root.is_some(),
        Target::Group(_) => false,
    });
    let end = root.unwrap_or(nodes.len());
    let before = nodes[..end].iter().filter_map(|node| match node.target {
        Target::Operation(operation) => Some(operation),
        Target::Group(_) => None,
    });
    before.collect()
}

/// True if something below a target has a section that runs.
fn can_run(model: &Model, target: Target) -> bool {
    model.leaf_operations(target).into_iter().any(|operation| {
        let table = model.operation(operation);
        PARTS.iter().any(|part| table.body(*part).is_some())
            || table
                .instances
                .iter()
                .any(|instance| instance.role == Role::Coded && can_run(model, instance.target))
    })
}
