//! What stands in the way of blocks decoded ahead.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::account::PARTS;
use isac_ir::behavior::{Expr, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::operand::{Binding, Expression};
use isac_ir::operation::{Operation, Referred, Role, Target};
use isac_ir::root::WordSource;

use super::execution::{activated_again, activated_instances, find_obstacles};
use super::form::{calls_before_decoding, find_root, list_forms};
use super::referred::{Seat, carried, carried_coded, place_of};
use super::usage::Usage;

/// LOCALs live in a step: not in an operand, which may be evaluated several times there, and not in what
/// runs without one.
fn find_local_obstacles(model: &Model, found: &mut Vec<String>) {
    let mut without_step: Vec<u32> =
        calls_before_decoding(model).into_iter().map(|call| call.operation).collect();
    without_step.extend(model.reset);
    for (index, operation) in (0u32..).zip(&model.operations) {
        let place = &operation.location;
        let bodies = PARTS.iter().filter_map(|part| operation.body(*part));
        let mut usages = bodies.map(Usage::of_body);
        if operation.variables.is_empty() && operation.references.is_empty() {
            continue;
        }
        if operation.expression.is_some() && !operation.variables.is_empty() {
            found.push(format!("{place}: LOCAL of an operand is not emitted yet"));
        }
        let is_used = |usage: Usage| !usage.variables.is_empty() || !usage.references().is_empty();
        if without_step.contains(&index) && usages.any(is_used) {
            found.push(format!("{place}: LOCAL of what runs before decoding is not emitted yet"));
        }
    }
}

/// What a REFERENCE stands for travels with a step where it is of one type, and known with the form.
fn find_reference_obstacles(model: &Model, found: &mut Vec<String>) {
    for operation in model.operations.iter().filter(|operation| !operation.references.is_empty()) {
        let place = &operation.location;
        let expressions = operation.expression.iter().flat_map(Expression::bodies);
        if expressions.chain(&operation.root).any(|body| !Usage::of_body(body).references().is_empty()) {
            found.push(format!("{place}: a REFERENCE outside of BEHAVIOR and ACTIVATION is not emitted yet"));
        }
        for body in PARTS.iter().filter_map(|part| operation.body(*part)) {
            let usage = Usage::of_body(body);
            let mixed = usage.referred.iter().any(|(it, _)| carried(model, operation, *it).is_none());
            if mixed || usage.referred_coded.iter().any(|it| carried_coded(model, operation, *it).is_none()) {
                found.push(format!("{place}: a REFERENCE to things of several types is not emitted yet"));
            }
            walk_expressions(&body.statements, &mut |expr| {
                if let ExprKind::MemberFieldReference { .. } = expr.kind {
                    found.push(format!("{place}: a field of what a REFERENCE chose is not emitted yet"));
                }
            });
        }
    }
    for form in list_forms(model) {
        for call in &form.calls {
            let operation = model.operation(call.operation);
            let Some(body) = operation.body(call.part) else { continue };
            let is_known = |reference: u32| match place_of(model, &form, call, reference) {
                Some((Seat::Decoded(_), ..) | (_, _, Referred::Variable(_))) => true,
                Some(_) | None => false,
            };
            if Usage::of_body(body).references().into_iter().any(|reference| !is_known(reference)) {
                let place = &operation.location;
                found.push(format!("{place}: a REFERENCE to what was not decoded is not emitted yet"));
            }
        }
    }
    find_nested_references(model, found);
}

/// Where a group decodes its own word, what it chose is not known with the form, and so not what stands
/// below that.
fn find_nested_references(model: &Model, found: &mut Vec<String>) {
    let bindings = model.operations.iter().flat_map(|operation| &operation.references);
    let parents: BTreeSet<u32> =
        bindings.flat_map(|reference| &reference.bindings).map(|binding| binding.parent).collect();
    for node in model.decoders.iter().flat_map(|decoder| &decoder.variants).flat_map(|variant| &variant.nodes)
    {
        if node.nested.is_none() || parents.is_empty() {
            continue;
        }
        let below = model.operations_below(node.target, |instance| instance.role == Role::Coded);
        if below.into_iter().any(|operation| parents.contains(&operation)) {
            let name = model.target_name(node.target);
            found.push(format!("{name}: a REFERENCE into a second decoded group is not emitted yet"));
        }
    }
}

/// Why instructions of this model cannot be decoded ahead in blocks, each reason with its place;
/// empty if they can.
pub fn find_block_obstacles(model: &Model) -> Vec<String> {
    let mut found = find_obstacles(model);
    if model.overlaps() {
        found.push("instructions in flight are not decoded ahead".to_string());
        return found;
    }
    find_instance_obstacles(model, &mut found);
    find_source_obstacles(model, &mut found);
    find_local_obstacles(model, &mut found);
    find_reference_obstacles(model, &mut found);
    if model.time.scheduled().count() > 64 {
        found.push("more than 64 scheduled instances are not emitted yet".to_string());
    }
    if model.pc_register().is_none() {
        let place = &model.pc.location;
        found.push(format!("{place}: a PC that is not one whole register is not emitted yet"));
    }
    find_root_obstacles(model, &mut found);
    find_activation_obstacles(model, &mut found);
    find_operand_obstacles(model, &mut found);
    for operation in &model.operations {
        if operation.expression.iter().flat_map(Expression::bodies).any(|body| body.regions > 1) {
            let place = &operation.location;
            found.push(format!("{place}: an EXPRESSION with accesses on a condition is not emitted yet"));
        }
    }
    for operation in model.operations.iter().filter(|operation| !operation.tail.is_empty()) {
        found.push(format!("{}: a TAIL is not emitted yet", operation.location));
    }
    for decoder in &model.decoders {
        for node in decoder.variants.iter().flat_map(|variant| &variant.nodes) {
            if node.nested.is_some() && can_run(model, node.target) {
                let name = model.target_name(node.target);
                found.push(format!("{name}: a second decoded group with a BEHAVIOR is not emitted yet"));
            }
        }
        if decoder.is_open {
            let name = model.target_name(decoder.target);
            found.push(format!("{name}: a choice with too many sets of words is not decoded ahead"));
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
    let decodes = |statement: &&Stmt| {
        matches!(statement, Stmt::Decode { .. } | Stmt::OpenNode { .. } | Stmt::If { .. })
    };
    let elements: Vec<&Stmt> = root.iter().flat_map(|body| &body.statements).filter(decodes).collect();
    match elements[..] {
        [Stmt::Decode { source: WordSource::Map { address, .. }, .. }] if is_pc(model, address) => {}
        _ => found
            .push(format!("{place}: a CODINGROOT other than one element from map[PC] is not emitted yet")),
    }
    for call in calls_before_decoding(model) {
        let body = model.operation(call.operation).body(call.part);
        let Some(body) = body else { continue };
        walk_statements(&body.statements, &mut |statement| {
            let what = match statement {
                Stmt::SetRegister { register, .. } if model.pc_register() == Some(*register) => {
                    "a PC that changes"
                }
                Stmt::SetMemory { .. }
                | Stmt::SetCellPart { .. }
                | Stmt::LinuxCall { .. }
                | Stmt::Semihost { .. } => "memory that changes",
                Stmt::Halt(_) | Stmt::Illegal | Stmt::Cancel | Stmt::DivisionByZero => {
                    "an instruction that ends"
                }
                Stmt::Loop { .. } => "a loop",
                _ => return,
            };
            found.push(format!("{}: {what} before decoding is not emitted yet", body.location));
        });
    }
    if find_root(model).is_none() {
        found.push(format!("{place}: nothing is decoded"));
    }
    match decodings_of_a_cycle(model)[..] {
        [false] => {}
        [true] => found.push(format!("{place}: decoding on a condition is not emitted yet")),
        _ => found.push(format!("{place}: decoding several times in a cycle is not emitted yet")),
    }
}

/// Where a cycle may come to an operation with a CODINGROOT; true where it depends on a condition.
fn decodings_of_a_cycle(model: &Model) -> Vec<bool> {
    let nodes = &model.time.nodes;
    let is_conditional = |node: usize| {
        let above = nodes[node].parent.map(|parent| nodes[parent as usize].target);
        match (above, nodes[node].instance) {
            (Some(Target::Operation(operation)), Some(instance)) => {
                model.operation(operation).instances[instance as usize].conditional
            }
            _ => false,
        }
    };
    let above = |node: &usize| nodes[*node].parent.map(|parent| parent as usize);
    let places = (0..nodes.len()).filter(|node| model.decodes(nodes[*node].target));
    places.map(|node| std::iter::successors(Some(node), above).any(is_conditional)).collect()
}

/// True for the program counter itself, widened or not.
fn is_pc(model: &Model, address: &Expr) -> bool {
    match &address.kind {
        ExprKind::Register { register, index: None, .. } => model.pc_register() == Some(*register),
        ExprKind::ZeroExtend(inner) => is_pc(model, inner),
        _ => false,
    }
}

/// The kernel takes activations in a static order, a bit of its own for each, and multiplies out
/// what follows.
fn find_activation_obstacles(model: &Model, found: &mut Vec<String>) {
    for (index, operation) in (0u32..).zip(&model.operations) {
        let activated = activated_instances(operation);
        let place = &operation.location;
        if activated_again(&activated).next().is_some() {
            found.push(format!("{place}: an instance that is activated in two places is not emitted yet"));
        }
        let nodes = model.time.nodes.iter().filter(|node| node.target == Target::Operation(index));
        if !activated.is_empty() && nodes.count() > 1 {
            found.push(format!(
                "{place}: an ACTIVATION in an operation with several instances is not emitted yet"
            ));
        }
    }
    for form in list_forms(model) {
        let mut may_halt = false;
        for call in &form.calls {
            let Some(body) = model.operation(call.operation).body(call.part) else { continue };
            if may_halt && !call.conditional && !(body.accesses.is_empty() && body.mentions.is_empty()) {
                found.push(format!(
                    "{}: accesses after a BEHAVIOR that may halt are not emitted yet",
                    body.location
                ));
            }
            walk_statements(&body.statements, &mut |statement| {
                may_halt |=
                    matches!(statement, Stmt::Halt(_) | Stmt::LinuxCall { .. } | Stmt::Semihost { .. });
            });
        }
    }
}

/// Operand groups whose members cannot be one Rust type: some without EXPRESSION, or a group
/// inside a group whose members' signs differ.
pub(super) fn find_operand_obstacles(model: &Model, found: &mut Vec<String>) {
    for group in &model.groups {
        let leaves = |target: Target| model.leaf_operations(target);
        let expression = |leaf: u32| model.operation(leaf).expression.as_ref();
        let all: Vec<u32> = group.members.iter().flat_map(|member| leaves(*member)).collect();
        let with = all.iter().filter(|leaf| expression(**leaf).is_some()).count();
        if with > 0 && with < all.len() {
            found.push(format!(
                "{}: a group of which only some members have an EXPRESSION is not emitted yet",
                group.location
            ));
        }
        for member in group.members.iter().filter(|member| matches!(member, Target::Group(_))) {
            let inner: Vec<_> = leaves(*member).into_iter().filter_map(expression).collect();
            if inner.iter().any(|value| value.signed) && inner.iter().any(|value| !value.signed) {
                found.push(format!(
                    "{}: operands of both signs in a group inside another are not emitted yet",
                    group.location
                ));
            }
        }
    }
}

/// Words are fetched, one behind the other.
fn find_source_obstacles(model: &Model, found: &mut Vec<String>) {
    for root in model.operations.iter().filter_map(|operation| operation.root.as_ref()) {
        walk_statements(&root.statements, &mut |statement| {
            let what = match statement {
                Stmt::Decode { source: WordSource::Value { .. }, .. } => "decoding what a value holds",
                Stmt::OpenNode { .. } => "SWITCH in a CODINGROOT",
                _ => return,
            };
            found.push(format!("{}: {what} is not emitted yet", root.location));
        });
    }
}

/// A step knows of its operation's children what travels with it: their values, not what they are.
pub(super) fn find_instance_obstacles(model: &Model, found: &mut Vec<String>) {
    for operation in &model.operations {
        if operation.instances.iter().any(|instance| instance.role == Role::Below) {
            let place = &operation.location;
            found.push(format!("{place}: an ACTIVATION of what is decoded further below is not emitted yet"));
        }
        let expression = operation.expression.iter();
        let expressions = expression.flat_map(Expression::bodies);
        for body in PARTS.iter().filter_map(|part| operation.body(*part)).chain(expressions) {
            let is_root = |binding: &Binding| match binding {
                Binding::Instance(instance) => operation.instances[*instance as usize].role == Role::Root,
                Binding::Reference(_) => false,
            };
            if body.bindings.iter().any(is_root) {
                let what = "the value of what a CODINGROOT decoded";
                found.push(format!("{}: {what} is not emitted yet", body.location));
            }
            walk_expressions(&body.statements, &mut |expr| {
                let what = match expr.kind {
                    ExprKind::Chosen { .. } => "asking for the member that an alias chose",
                    ExprKind::MemberField { .. } => "a field of what an alias chose",
                    ExprKind::Coded(instance) | ExprKind::Operand { instance, .. }
                        if operation.instances[instance as usize].role == Role::Root =>
                    {
                        "the value of what a CODINGROOT decoded"
                    }
                    _ => return,
                };
                found.push(format!("{}: {what} is not emitted yet", body.location));
            });
        }
    }
}

/// True if something below a target has a section that runs.
fn can_run(model: &Model, target: Target) -> bool {
    let below = model.operations_below(target, |instance| instance.role == Role::Coded);
    let runs = |operation: &Operation| PARTS.iter().any(|part| operation.body(*part).is_some());
    below.into_iter().any(|operation| runs(model.operation(operation)))
}
