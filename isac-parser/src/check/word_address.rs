//! The address of an instruction whose word a register holds.
//!
//! Without AT it is what the PC holds when the word is decoded. Where the operation that has brought the
//! word has moved the PC on, that is the address of another one.

use super::effect::{What, effects_of};
use super::walk::{Met, walk_expr};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, ExprKind, LocalId, Model, Operation, OperationId, Place, PlaceKind, RegisterId, RegisterPart,
    RootDecode, RootElement, RootSource, Stmt, StmtKind,
};
use crate::resolve::code;
use crate::resolve::report::warning;
use crate::source::Span;

/// Warns of words that are decoded without AT, all of which come from operations that move the PC on.
pub(super) fn check_word_addresses(model: &Model, diagnostics: &mut Diagnostics) {
    let Some(pc) = whole_pc(model) else { return };
    for (decode, word) in model.operations.iter().filter_map(decoded_register) {
        let writers = writers(model, word);
        let moved: Option<Vec<(&Operation, Moved)>> =
            writers.iter().map(|writer| Some((*writer, moved_on(writer, word, pc)?))).collect();
        let Some(moved) = moved else { continue };
        let Some((writer, Moved { read, step, address })) = moved.first() else { continue };
        let (register, pc) = (&model.registers[word.index()].name, &model.pc.name);
        let message = format!("`{register}` is decoded as if it stood at `{pc}`, which has moved on");
        let help = match address.map(|kept| &model.registers[kept.index()].name) {
            Some(address) => {
                format!("`{address}` keeps the address: say it by AT, as `({register} AT {address})`")
            }
            None => format!(
                "keep the address beside the word, as `{register}_pc = {pc};` before `{pc}` changes, and say it by AT, \
                 as `({register} AT {register}_pc)`"
            ),
        };
        let diagnostic = warning(code::WORD_ADDRESS, decode.span, message, "at which address does it stand?")
            .secondary(*read, format!("`{}` reads the word here", writer.name))
            .secondary(*step, format!("`{pc}` changes here, before the word is decoded"))
            .help(help);
        diagnostics.push(diagnostic);
    }
}

/// The PC, where it is a whole register.
fn whole_pc(model: &Model) -> Option<RegisterId> {
    let [RegisterPart { register, .. }] = model.pc.parts[..] else { return None };
    model.registers[register.index()].count.is_none().then_some(register)
}

/// What an operation decodes first, where a register holds it and nothing says at which address it stands.
fn decoded_register(operation: &Operation) -> Option<(&RootDecode, RegisterId)> {
    let (RootElement::Decode(decode) | RootElement::Switch { selector: decode, .. }) =
        operation.coding_root.first()?
    else {
        return None;
    };
    let RootSource::Value { value, address: None } = &decode.source else { return None };
    let ExprKind::Read(place) = &without_conversions(value).kind else { return None };
    let mut place = place.as_ref();
    while let PlaceKind::Slice { base, .. } = &place.kind {
        place = base;
    }
    Some((decode, register(place)?))
}

/// The operations that write a register.
fn writers(model: &Model, register: RegisterId) -> Vec<&Operation> {
    let writes = |id: &OperationId| {
        // What `reset` writes is no word of a program.
        Some(*id) != model.reset
            && effects_of(model, *id).list.iter().any(|effect| effect.what == What::Write(register))
    };
    let all = (0..model.operations.len() as u32).map(OperationId);
    all.filter(writes).map(|id| &model.operations[id.index()]).collect()
}

/// Where an operation reads a word, and where it moves the PC on from there.
struct Moved {
    read: Span,
    step: Span,
    /// What keeps the address of the word.
    address: Option<RegisterId>,
}

/// How an operation brings a word, be it from where the PC points to or from an address that was taken
/// from it, and leaves the PC elsewhere.
fn moved_on(operation: &Operation, word: RegisterId, pc: RegisterId) -> Option<Moved> {
    let mut all = Vec::new();
    flatten(&operation.behavior.as_ref()?.statements, &mut all);
    let read = all.iter().rposition(|it| it.to == Kept::Register(word))?;
    let value = all[read].value;
    // From where on the PC is no longer the address.
    let from = if reads(value, Kept::Register(pc)) {
        read
    } else {
        let keeps_address = |it: &Assigned<'_>| is_read_of(it.value, pc) && reads(value, it.to);
        all[..read].iter().rposition(keeps_address)?
    };
    let step = (from + 1..all.len()).find(|at| all[*at].to == Kept::Register(pc))?;
    let address = all[..step].iter().find_map(|it| match it.to {
        Kept::Register(register) if register != pc && is_read_of(it.value, pc) => Some(register),
        _ => None,
    });
    reads_memory(value).then_some(Moved { read: all[read].span, step: all[step].span, address })
}

/// An assignment that always happens.
struct Assigned<'a> {
    to: Kept,
    value: &'a Expr,
    span: Span,
}

/// What keeps a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Register(RegisterId),
    Local(LocalId),
    Other,
}

fn kept(place: &Place) -> Kept {
    match (&place.kind, register(place)) {
        (_, Some(register)) => Kept::Register(register),
        (PlaceKind::Local(local), _) => Kept::Local(*local),
        _ => Kept::Other,
    }
}

/// The whole register that a place is.
fn register(place: &Place) -> Option<RegisterId> {
    match &place.kind {
        PlaceKind::Register { register, index: None } => Some(*register),
        _ => None,
    }
}

/// The assignments that always happen, in order.
fn flatten<'a>(statements: &'a [Stmt], found: &mut Vec<Assigned<'a>>) {
    for statement in statements {
        let (to, value) = match &statement.kind {
            StmtKind::Block(statements) => {
                flatten(statements, found);
                continue;
            }
            StmtKind::Declare { local, value: Some(value) } => (Kept::Local(*local), value),
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign { place, value } => (kept(place), value.as_ref()),
                ExprKind::AssignWith { place, .. } | ExprKind::Step { place, .. } => (kept(place), expr),
                _ => continue,
            },
            _ => continue,
        };
        found.push(Assigned { to, value, span: statement.span });
    }
}

fn without_conversions(mut expr: &Expr) -> &Expr {
    while let ExprKind::Convert(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// True for the value of a register itself.
fn is_read_of(expr: &Expr, wanted: RegisterId) -> bool {
    matches!(&without_conversions(expr).kind, ExprKind::Read(place) if register(place) == Some(wanted))
}

/// True if a place that keeps something is read.
fn reads(expr: &Expr, wanted: Kept) -> bool {
    let mut found = false;
    walk_expr(expr, &mut |met| {
        if let Met::Expr(Expr { kind: ExprKind::Read(place), .. }) = met {
            found |= wanted != Kept::Other && kept(place) == wanted;
        }
    });
    found
}

fn reads_memory(expr: &Expr) -> bool {
    let mut found = false;
    walk_expr(expr, &mut |met| {
        found |= matches!(
            met,
            Met::Place(Place { kind: PlaceKind::Memory { .. }, .. })
                | Met::Expr(Expr { kind: ExprKind::Call { .. }, .. })
        );
    });
    found
}
