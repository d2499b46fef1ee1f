//! What stands in the way of translating a model.

use std::collections::{BTreeSet, VecDeque};

use isac_ir::Model;
use isac_ir::account::{PARTS, scheduled_operations};
use isac_ir::behavior::{Body, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::operation::{Operation, Role, Target};
use isac_ir::root::{WordSource, root_elements};

use crate::mode::{ModeItems, is_pc};

/// Most statements of an operation, those of the FUNCTIONs that it calls among them: steps of more take
/// longer to make than their instructions are worth, each time that one is written anew.
const MOST_STATEMENTS: usize = 16384;

/// Why a model cannot be translated, each reason with its place; empty if it can.
///
/// The model has to have what a simulator needs that decodes in blocks; the generator knows that
/// (`gentool::emit`). What is asked here is what the translation itself relies on.
pub fn find_obstacles(model: &Model) -> Vec<String> {
    examine(model).err().unwrap_or_default()
}

/// What the modes of a model are made of, or why it cannot be translated.
pub(crate) fn examine(model: &Model) -> Result<ModeItems, Vec<String>> {
    // What is due in later cycles has no end.
    if model.overlaps() {
        return Err(vec!["instructions in flight are not translated".to_string()]);
    }
    let (items, mut found) = (ModeItems::of(model), Vec::new());
    if model.pc_element().is_none() {
        found.push(format!("{}: a PC that is not one whole register is not translated", model.pc.location));
    }
    if code_map(model).is_none() {
        found.push("a CODINGROOT other than one element from map[PC] is not translated".to_string());
    }
    if crate::layout::Layout::new(model).is_none() {
        found.push("memories of 1 GiB and more are not translated".to_string());
    }
    for decoder in model.decoders.iter().filter(|decoder| decoder.width_bits > 128) {
        let name = model.target_name(decoder.target);
        found.push(format!("{name}: words of more than 128 bits are not translated"));
    }
    if model.devices.len() > 64 {
        found.push("more than 64 devices are not translated".to_string());
    }
    let bodies: Vec<OfBodies> = model.operations.iter().map(OfBodies::of).collect();
    for (operation, of_bodies) in model.operations.iter().zip(&bodies) {
        let (place, name) = (&operation.location, &operation.name);
        if operation.instances.iter().any(|instance| instance.role == Role::Below) {
            found.push(format!("{place}: an ACTIVATION of what is decoded further below is not translated"));
        }
        for body in &of_bodies.staged {
            found.push(format!("{}: what is said of stages is not translated", body.location));
        }
        if of_bodies.statements > MOST_STATEMENTS {
            let statements = of_bodies.statements;
            found.push(format!(
                "{place}: `{name}` has {statements} statements with its FUNCTIONs; more than \
                 {MOST_STATEMENTS} are not translated"
            ));
        }
    }
    find_early_changes(model, &mut found);
    find_delay_slots(model, &items, &mut found);
    let halting = bodies.iter().map(|of_bodies| of_bodies.halts).collect();
    find_late_accesses(model, halting, &mut found);
    found.sort();
    found.dedup();
    if found.is_empty() { Ok(items) } else { Err(found) }
}

/// What the bodies of an operation hold, in one walk over their statements: a model has tens of thousands.
struct OfBodies<'m> {
    /// Statements, those of the FUNCTIONs that they call among them.
    statements: usize,
    /// Those that say something of stages.
    staged: Vec<&'m Body>,
    /// A part may end the run.
    halts: bool,
}

impl OfBodies<'_> {
    fn of(operation: &Operation) -> OfBodies<'_> {
        let mut found = OfBodies { statements: 0, staged: Vec::new(), halts: false };
        for body in operation.counted_bodies() {
            let (mut is_staged, mut halts) = (false, false);
            walk_statements(&body.statements, &mut |statement| {
                found.statements += 1;
                is_staged |= matches!(statement, Stmt::Stall { .. } | Stmt::Retry { .. } | Stmt::Flush(_));
                halts |= matches!(statement, Stmt::Halt(_) | Stmt::LinuxCall { .. } | Stmt::Semihost { .. });
            });
            let is_part =
                PARTS.iter().any(|part| operation.body(*part).is_some_and(|own| std::ptr::eq(own, body)));
            found.halts |= halts && is_part;
            if is_staged {
                found.staged.push(body);
            }
        }
        found
    }
}

/// A step is one decoded instruction, made before anything of its cycle has run: nothing before decoding
/// may change what is decoded.
fn find_early_changes(model: &Model, found: &mut Vec<String>) {
    let decodings = model.time.nodes.iter().filter(|node| model.decodes(node.target));
    if decodings.count() > 1 {
        found.push("decoding several times in a cycle is not translated".to_string());
    }
    for operation in before_decoding(model) {
        for body in PARTS.iter().filter_map(|part| model.operation(operation).body(*part)) {
            walk_statements(&body.statements, &mut |statement| {
                let what = match statement {
                    Stmt::LinuxCall { .. }
                    | Stmt::Semihost { .. }
                    | Stmt::SetMemory { .. }
                    | Stmt::SetCellPart { .. } => "a change of memory",
                    Stmt::SetRegister { register, .. }
                        if model.pc_element().is_some_and(|(pc, _)| pc == *register) =>
                    {
                        "a PC that changes"
                    }
                    _ => return,
                };
                found.push(format!("{}: {what} before decoding is not translated", body.location));
            });
        }
    }
}

/// The operations that may have their turn in a cycle before the one that decodes: what is activated
/// for the same cycle waits in one queue.
fn before_decoding(model: &Model) -> Vec<u32> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([model.main]);
    while let Some(operation) = waiting.pop_front() {
        if model.decodes(Target::Operation(operation)) {
            break;
        }
        if found.contains(&operation) {
            continue;
        }
        found.push(operation);
        let table = model.operation(operation);
        let statements = table.activation.as_ref().map_or(&[][..], |body| &body.statements);
        walk_statements(statements, &mut |statement| {
            if let Stmt::Activate { instance, .. } = statement
                && let Target::Operation(activated) = table.instances[*instance as usize].target
            {
                waiting.push_back(activated);
            }
        });
    }
    found
}

/// Where the PC goes on by a register that the mode does not have, every instruction would leave its
/// region.
fn find_delay_slots(model: &Model, items: &ModeItems, found: &mut Vec<String>) {
    if items.has_addresses() {
        return;
    }
    let (scheduled, _) = scheduled_operations(model, model.main, 0, false);
    let always = scheduled.iter().filter(|entry| !entry.conditional);
    let operations = always.map(|entry| model.operation(entry.operation));
    for body in operations.flat_map(|operation| PARTS.iter().filter_map(|part| operation.body(*part))) {
        let (mut is_computed, mut reads) = (false, false);
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::SetRegister { register, index, value, .. } = statement
                && is_pc(model, *register, index.as_ref())
            {
                value.walk(&mut |part| is_computed |= matches!(part.kind, ExprKind::Local(_)));
            }
        });
        walk_expressions(&body.statements, &mut |expr| {
            if let ExprKind::Register { register, index, .. } = &expr.kind {
                reads |= !is_pc(model, *register, index.as_deref());
            }
        });
        if is_computed && reads {
            found.push(format!("{}: a PC that goes on by other registers is not translated", body.location));
        }
    }
}

/// What always runs is multiplied by how often its instruction ran; of one that ends the run nothing
/// may be left out then.
fn find_late_accesses(model: &Model, halting: Vec<bool>, found: &mut Vec<String>) {
    let Some(first) = halting.iter().position(|halts| *halts) else { return };
    let halts = |operation: &u32| halting[*operation as usize];
    // What is activated runs behind the ACTIVATION that asks for it, not before.
    let decoded = |operation: u32, is_asked: &dyn Fn(Target) -> bool| {
        let instances = model.operation(operation).instances.iter();
        let decoded = instances.filter(|instance| matches!(instance.role, Role::Coded | Role::Root));
        let asked = decoded.filter(|instance| is_asked(instance.target));
        asked.flat_map(|instance| model.operations_below(instance.target, |_| true)).collect::<Vec<u32>>()
    };
    let is_operand = |target: Target| {
        model.leaf_operations(target).into_iter().any(|leaf| model.operation(leaf).expression.is_some())
    };
    let always = activated_always(model, &halts);
    for (index, operation) in (0u32..).zip(&model.operations) {
        let ending = std::iter::once(index).chain(decoded(index, &|_| true)).find(halts);
        // What decodes a halt has its ACTIVATION behind it, what does not may be due later.
        // Operands run before the BEHAVIOR that mentions them.
        let ends_before = || decoded(index, &is_operand).iter().any(halts);
        let late: Vec<&Body> = match ending {
            Some(_) => operation
                .activation
                .iter()
                .chain(operation.behavior.iter().filter(|_| ends_before()))
                .collect(),
            None if always.contains(&index) => {
                PARTS.iter().filter_map(|part| operation.body(*part)).collect()
            }
            None => Vec::new(),
        };
        let accesses = |body: &&&Body| {
            let certain = |region: u32| region == 0;
            body.accesses.iter().any(|access| certain(access.region))
                || body.mentions.iter().any(|mention| certain(mention.region))
        };
        if let Some(body) = late.iter().find(accesses) {
            let name = &model.operation(ending.unwrap_or(first as u32)).name;
            found.push(format!(
                "{}: accesses after the BEHAVIOR of `{name}`, which may halt, are not translated, unless they are \
                 moved in front of it",
                body.location
            ));
        }
    }
}

/// What is activated without a condition and never halts: it may be due behind what does.
fn activated_always(model: &Model, halting: &impl Fn(&u32) -> bool) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for operation in &model.operations {
        let mut may_have_halted = false;
        for instance in &operation.instances {
            let below = model.operations_below(instance.target, |_| true);
            let halts = below.iter().any(halting);
            let activated = instance.role == Role::Activated && instance.scheduled && !instance.conditional;
            // So may what is decoded beside what halts, and behind it.
            let beside = instance.role == Role::Coded && may_have_halted;
            if (activated || beside) && !halts {
                found.extend(&below);
            }
            may_have_halted |= halts;
        }
    }
    found
}

/// The map that instructions are fetched from, if there is one CODINGROOT with one element from it.
pub(crate) fn code_map(model: &Model) -> Option<u32> {
    let mut roots = (0u32..).zip(&model.operations).filter(|(_, operation)| operation.root.is_some());
    let (operation, None) = (roots.next()?.0, roots.next()) else { return None };
    match root_elements(model, operation)[..] {
        [element] => match element.source {
            WordSource::Map { map, .. } => Some(*map),
            WordSource::Value { .. } => None,
        },
        _ => None,
    }
}
