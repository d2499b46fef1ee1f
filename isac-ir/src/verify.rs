//! Verification: what every lowered model promises, checked after each pass over it.
//!
//! A violation is a bug of ours, never the user's; the text says what promise is broken where.

use std::collections::BTreeMap;

use crate::Model;
use crate::account::PARTS;
use crate::behavior::{BinaryOp, Body, Expr, ExprKind, Stmt, UNCOUNTED, walk_expressions, walk_statements};
use crate::decoder::{Decoder, State};
use crate::operand::{Binding, Expression, MentionKind};
use crate::operation::{Operation, Referred};
use crate::root::WordSource;

/// Checks a whole model.
///
/// # Errors
/// The promises that are broken, each with its place.
pub fn verify_model(model: &Model) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    for decoder in &model.decoders {
        verify_decoder(model, decoder, &mut errors);
    }
    for operation in &model.operations {
        verify_operation(model, operation, &mut errors);
    }
    if let Some(body) = &model.memory_fault {
        let mut found = Vec::new();
        // The function stands in no operation; `main` is asked for fields that it cannot mention.
        verify_body(model, model.operation(model.main), body, &mut found);
        errors.extend(found.into_iter().map(|text| format!("memory_fault: {text}")));
    }
    for (index, node) in model.time.nodes.iter().enumerate() {
        if node.parent.is_some_and(|parent| parent as usize >= index) {
            errors.push(format!("time graph: node {index} stands before its parent"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn verify_decoder(model: &Model, decoder: &Decoder, errors: &mut Vec<String>) {
    let name = model.target_name(decoder.target);
    let mut fail = |text: String| errors.push(format!("decoder {name}: {text}"));
    for (index, state) in decoder.states.iter().enumerate() {
        match state {
            State::Reject => {}
            State::Accept(variant) if (*variant as usize) < decoder.variants.len() => {}
            State::Accept(variant) => {
                fail(format!("state {index} accepts variant {variant}, which does not exist"))
            }
            State::Fetch { width_bits, next } => {
                if *width_bits > decoder.width_bits {
                    fail(format!("state {index} fetches more than a word"));
                }
                if *next as usize >= index {
                    fail(format!("state {index} has an edge to a state that is not before it"));
                }
            }
            State::Test { low, width, edges, otherwise } => {
                if *width == 0 || *width > 16 || low + width > decoder.width_bits {
                    fail(format!("state {index} looks at bits outside the word"));
                }
                let targets = edges.iter().map(|(_, next)| next).chain([otherwise]);
                if targets.into_iter().any(|next| *next as usize >= index) {
                    fail(format!("state {index} has an edge to a state that is not before it"));
                }
                if !edges.is_sorted_by(|a, b| a.0 < b.0) {
                    fail(format!("state {index} has edges out of order"));
                }
            }
        }
    }
}

fn verify_operation(model: &Model, operation: &Operation, errors: &mut Vec<String>) {
    let bodies =
        PARTS.iter().filter_map(|part| operation.body(*part).map(|body| (format!("{part:?}"), body)));
    let expression = operation.expression.iter().flat_map(Expression::bodies);
    let expression = expression.map(|body| ("Expression".to_string(), body));
    verify_references(model, operation, errors);
    for (part, body) in bodies.chain(expression) {
        let mut found = Vec::new();
        verify_body(model, operation, body, &mut found);
        errors.extend(found.into_iter().map(|text| format!("operation {} {part}: {text}", operation.name)));
    }
}

/// Every reference leads to something of its width in every parent, and in one step.
fn verify_references(model: &Model, operation: &Operation, errors: &mut Vec<String>) {
    for reference in &operation.references {
        let width = reference.width_bits;
        for binding in &reference.bindings {
            let parent = model.operation(binding.parent);
            let fits = match binding.what {
                Referred::Field(field) => {
                    parent.fields.get(field as usize).is_some_and(|field| field.width_bits == width)
                }
                Referred::Instance(instance) => (instance as usize) < parent.instances.len(),
                Referred::Variable(variable) => {
                    parent.variables.get(variable as usize).is_some_and(|variable| variable.width == width)
                }
                Referred::Reference(outer) => {
                    parent.references.get(outer as usize).is_some_and(|outer| outer.width_bits == width)
                }
            };
            if !fits {
                let (name, parent) = (&reference.name, &parent.name);
                errors.push(format!("operation {}: reference {name} does not fit {parent}", operation.name));
            }
        }
    }
}

/// Every access and every mention stands exactly once; widths agree; regions are counted once.
fn verify_body(model: &Model, operation: &Operation, body: &Body, errors: &mut Vec<String>) {
    let mut accesses: BTreeMap<u32, u32> = BTreeMap::new();
    let mut mentions: BTreeMap<u32, u32> = BTreeMap::new();
    let mut counted: BTreeMap<u32, u32> = BTreeMap::new();
    walk_expressions(&body.statements, &mut |expr| {
        match expr.kind {
            ExprKind::Register { access: UNCOUNTED, .. }
            | ExprKind::Memory { access: UNCOUNTED, .. }
            | ExprKind::RegisterPart { access: UNCOUNTED, .. }
            | ExprKind::CellPart { access: UNCOUNTED, .. } => {}
            ExprKind::Register { access, .. }
            | ExprKind::RegisterPart { access, .. }
            | ExprKind::CellPart { access, .. }
            | ExprKind::Memory { access, .. } => {
                *accesses.entry(access).or_default() += 1;
            }
            ExprKind::Operand { mention, .. } | ExprKind::Bound { mention: Some(mention), .. } => {
                *mentions.entry(mention).or_default() += 1;
            }
            _ => {}
        }
        if let Some(text) = verify_expr(model, operation, body, expr) {
            errors.push(text);
        }
    });
    walk_statements(&body.statements, &mut |statement| match statement {
        Stmt::SetRegister { access: UNCOUNTED, .. } | Stmt::SetCellPart { access: UNCOUNTED, .. } => {}
        Stmt::SetRegister { access, .. }
        | Stmt::SetCellPart { access, .. }
        | Stmt::SetMemory { access, .. }
        | Stmt::Touch(access)
        | Stmt::Decode { source: WordSource::Map { access, .. }, .. } => {
            *accesses.entry(*access).or_default() += 1;
        }
        Stmt::SetOperand { mention, .. }
        | Stmt::Bind { mention: Some(mention), .. }
        | Stmt::SetBound { mention: Some(mention), .. } => *mentions.entry(*mention).or_default() += 1,
        Stmt::Count(region) => *counted.entry(*region).or_default() += 1,
        Stmt::Set { local, value } if body.locals[*local as usize].width != value.width => {
            errors.push(format!("local {local} is assigned {} bits", value.width));
        }
        Stmt::SetReference { reference, value }
            if operation.references[*reference as usize].width_bits != value.width =>
        {
            errors.push(format!("reference {reference} is assigned {} bits", value.width));
        }
        Stmt::SetVariable { variable, value }
            if operation.variables[*variable as usize].width != value.width =>
        {
            errors.push(format!("variable {variable} is assigned {} bits", value.width));
        }
        _ => {}
    });
    once("access", body.accesses.len(), &accesses, errors);
    once("mention", body.mentions.len(), &mentions, errors);
    verify_bindings(model, operation, body, errors);
    let expected: Vec<u32> = (1..body.regions).collect();
    if counted.keys().copied().collect::<Vec<_>>() != expected || counted.values().any(|n| *n != 1) {
        errors.push(format!("{} regions, counted {counted:?}", body.regions));
    }
}

/// Whatever is found has a place in steps, and is found once, where it is not a part of a place.
fn verify_bindings(model: &Model, operation: &Operation, body: &Body, errors: &mut Vec<String>) {
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    walk_statements(&body.statements, &mut |statement| {
        if let Stmt::Bind { binding, .. } = statement {
            *found.entry(*binding).or_default() += 1;
        }
    });
    let kind = operation.expression.as_ref().and_then(|expression| expression.kind_of(body));
    if !kind.is_some_and(MentionKind::is_bound) {
        once("binding", body.bindings.len(), &found, errors);
    }
    for binding in &body.bindings {
        let Binding::Instance(instance) = binding else { continue };
        let instance = &operation.instances[*instance as usize];
        let has_place = |leaf: u32| {
            let expression = model.operation(leaf).expression.as_ref();
            expression.is_some_and(|expression| expression.place.is_some())
        };
        if !model.leaf_operations(instance.target).into_iter().all(has_place) {
            errors.push(format!("{} is found and has no place", instance.alias));
        }
    }
}

fn once(what: &str, count: usize, seen: &BTreeMap<u32, u32>, errors: &mut Vec<String>) {
    for id in 0..count as u32 {
        match seen.get(&id) {
            Some(1) => {}
            found => errors.push(format!("{what} {id} stands {} times", found.copied().unwrap_or(0))),
        }
    }
    if seen.keys().any(|id| *id as usize >= count) {
        errors.push(format!("an {what} stands in no table"));
    }
}

fn verify_expr(model: &Model, operation: &Operation, body: &Body, expr: &Expr) -> Option<String> {
    let width = expr.width;
    let fits = match &expr.kind {
        ExprKind::Local(local) => body.locals[*local as usize].width == width,
        ExprKind::Variable(variable) => operation.variables[*variable as usize].width == width,
        ExprKind::Field(field) => operation.fields[*field as usize].width_bits == width,
        ExprKind::Register { register, .. } => model.registers[*register as usize].width_bits == width,
        ExprKind::RegisterPart { register, low, .. } => {
            low + width <= model.registers[*register as usize].width_bits && width <= 128
        }
        ExprKind::CellPart { map, address, low, .. } => {
            let map = &model.maps[*map as usize];
            low + width <= map.cell_bits && width <= 128 && address.width == map.address_bits
        }
        ExprKind::Memory { map, cells, address, .. } => {
            let map = &model.maps[*map as usize];
            map.cell_bits * cells == width && address.width == map.address_bits
        }
        ExprKind::Unary(_, operand) => operand.width == width,
        ExprKind::Binary(operator, left, right) => binary_fits(*operator, width, left.width, right.width),
        ExprKind::ZeroExtend(operand) | ExprKind::SignExtend(operand) => operand.width <= width,
        ExprKind::Slice { base, low } => low + width <= base.width,
        ExprKind::Bit { .. } | ExprKind::Pending(_) | ExprKind::Busy(_) => width == 1,
        ExprKind::Latency(map) => width == 32 && (*map as usize) < model.maps.len(),
        ExprKind::Concat(parts) => parts.iter().map(|part| part.width).sum::<u32>() == width,
        ExprKind::Select(c, a, b) => c.width == 1 && a.width == width && b.width == width,
        ExprKind::Cycles | ExprKind::Instructions | ExprKind::FaultAddress => width == 64,
        ExprKind::FaultAccess => width == 2,
        ExprKind::Chosen { .. } => width == 1,
        ExprKind::MemberField { fields, .. } | ExprKind::MemberFieldReference { fields, .. } => fields
            .iter()
            .all(|(member, field)| model.operation(*member).fields[*field as usize].width_bits == width),
        ExprKind::Const(value) => value & !crate::bits::mask(width) == 0,
        ExprKind::Reference(reference) => operation.references[*reference as usize].width_bits == width,
        ExprKind::Bound { binding, mention, .. } => match body.bindings.get(*binding as usize) {
            Some(Binding::Instance(_)) => mention.is_some(),
            Some(Binding::Reference(reference)) => {
                mention.is_none() && operation.references[*reference as usize].width_bits == width
            }
            None => false,
        },
        ExprKind::Coded(_)
        | ExprKind::CodedReference(_)
        | ExprKind::InstructionAddress
        | ExprKind::InstructionSize
        | ExprKind::Operand { .. } => true,
    };
    (!fits || width == 0).then(|| format!("{:?} does not fit {width} bits", expr.kind))
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
        _ => left == width && right == width,
    }
}
