//! What stands before an index: elements of register files and cells of memory maps.

use super::conversion::bits;
use super::expression::{Operand, valued};
use super::member::Chooser;
use super::slice::{as_index, shown};
use super::{Typer, code, count, error};
use crate::ast;
use crate::model::{DeviceId, DeviceKind, ExprKind, MapId, Place, PlaceKind, Register, RegisterId, Type};
use crate::resolve::names::Global;
use crate::resolve::operation::Meaning;
use crate::resolve::report::help_if;
use crate::resolve::suggestion::did_you_mean;
use crate::source::Span;

/// Members of a memory map that may have been meant by another word.
pub(crate) const MEMBERS_OF_MAPS: [&str; 13] = [
    "latency", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "fetch8", "fetch16", "fetch32",
    "fetch64",
];

impl Typer<'_> {
    /// The file or map that an expression names.
    fn indexable(&self, base: &ast::Expr) -> Option<(Global, Span)> {
        match &base.kind {
            ast::ExprKind::Name(name) => self.global(name),
            _ => None,
        }
    }

    /// `base[index]`: an element of a file, a cell of a map, one bit of anything else.
    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Option<Operand> {
        match self.indexable(base) {
            Some((Global::Map(map), _)) => {
                let cell_bits = self.table.map(map).map(|map| map.cell_bits);
                let view = View { map, width_bits: cell_bits, signed: false, fetch: false };
                return self.memory(view, index, span);
            }
            Some((Global::Register(register), declared)) => match self.table.register(register) {
                Some(Register { count: None, .. }) => {}
                Some(_) => return self.element(register, declared, index, span),
                None => {
                    self.value(index);
                    return None;
                }
            },
            _ => {}
        }
        if let ast::ExprKind::Member { base: map, member } = &base.kind
            && let Some((Global::Map(map), _)) = self.indexable(map)
        {
            let view = self.view(map, member);
            let Some(view) = view else {
                self.value(index);
                return None;
            };
            return self.memory(view, index, span);
        }
        self.bit(base, index, span)
    }

    fn element(
        &mut self,
        register: RegisterId,
        declared: Span,
        index: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        self.only_when_running(span, "a register")?;
        let index_value = as_index(self.value(index)?);
        let table = self.table;
        let file = table.register(register)?;
        let elements = file.count?;
        if let Some(constant) = index_value.constant()
            && constant >= u128::from(elements)
        {
            let constant = shown(constant, index_value.ty);
            let message = format!("`{}` has no element {constant}", file.name);
            let diagnostic = error(code::NO_SUCH_ELEMENT, index.span, message, "out of range")
                .secondary(declared, format!("has {}", count(elements, "element")));
            self.diagnostics.push(diagnostic);
            return None;
        }
        let kind = PlaceKind::Register { register, index: Some(Box::new(index_value.expr)) };
        Some(Operand::Place(Place { kind, ty: bits(file.width_bits), span }))
    }

    /// The view of a map that a member names: `u32`, `s16`, `fetch32`.
    fn view(&mut self, map: MapId, member: &ast::Name) -> Option<View> {
        let text = member.text.as_str();
        let (rest, signed, fetch) = if let Some(rest) = text.strip_prefix("fetch") {
            (rest, false, true)
        } else if let Some(rest) = text.strip_prefix('u') {
            (rest, false, false)
        } else if let Some(rest) = text.strip_prefix('s') {
            (rest, true, false)
        } else {
            ("", false, false)
        };
        let digits = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        match rest.parse::<u32>() {
            Ok(width @ 1..=128) if digits => Some(View { map, width_bits: Some(width), signed, fetch }),
            _ => {
                self.no_such_member(member);
                None
            }
        }
    }

    fn no_such_member(&mut self, member: &ast::Name) {
        let message = format!("a memory map has no view `.{}`", member.text);
        let diagnostic = error(code::UNDEFINED, member.span, message, "not a view").help(
            "the views are `.uN`, `.sN` and `.fetchN`, N being a multiple of the cell's width up to 128; \
             `.latency` is what the last access cost in cycles",
        );
        self.diagnostics.push(help_if(diagnostic, did_you_mean(&member.text, MEMBERS_OF_MAPS)));
    }

    /// Cells of a map; the width of `view` is unknown if the map's declaration was refused.
    fn memory(&mut self, view: View, address: &ast::Expr, span: Span) -> Option<Operand> {
        self.only_when_running(span, "an access to memory")?;
        let address = self.value(address);
        let table = self.table;
        let map = table.map(view.map)?;
        let (width_bits, cell_bits) = (view.width_bits?, map.cell_bits);
        if cell_bits == 0 || !width_bits.is_multiple_of(cell_bits) {
            let cell = count(cell_bits, "bit");
            let message = format!("an access of {} to cells of {cell}", count(width_bits, "bit"));
            let diagnostic = error(code::VIEW_WIDTH, span, message, "not a whole number of cells")
                .secondary(map.span, format!("the cells of this map have {cell}"));
            self.diagnostics.push(diagnostic);
            return None;
        }
        let address = address?.convert(bits(map.address_bits));
        let kind = PlaceKind::Memory {
            map: view.map,
            cells: width_bits / cell_bits,
            fetch: view.fetch,
            address: Box::new(address.expr),
        };
        let ty = Type { width_bits, signed: view.signed };
        Some(Operand::Place(Place { kind, ty, span }))
    }

    /// `timer.pending`
    fn device_member(
        &mut self,
        device: DeviceId,
        declared: Span,
        name: &ast::Name,
        member: &ast::Name,
    ) -> Option<Operand> {
        let span = name.span.to(member.span);
        let kind = self.table.devices.get(device.index())?.as_ref()?.kind;
        if (kind, member.text.as_str()) == (DeviceKind::Timer, "pending") {
            self.only_when_running(span, "the state of a device")?;
            return Some(valued(ExprKind::Pending(device), bits(1), span));
        }
        let message = format!("the DEVICE `{}` has no member `{}`", name.text, member.text);
        let diagnostic = error(code::UNDEFINED, member.span, message, "no such member")
            .secondary(declared, "declared here")
            .help("a TIMER has `.pending`; everything else of a device is reached through a MEMORY_MAP");
        let known = if kind == DeviceKind::Timer { &["pending"][..] } else { &[] };
        self.diagnostics.push(help_if(diagnostic, did_you_mean(&member.text, known.iter().copied())));
        None
    }

    /// `base.member` that nothing indexes or calls.
    pub(super) fn member(&mut self, base: &ast::Expr, member: &ast::Name) -> Option<Operand> {
        if let Some(latency) = self.latency(base, member) {
            return latency;
        }
        if let ast::ExprKind::Name(name) = &base.kind {
            let hidden = self.blocks.iter().any(|block| block.contains_key(&name.text));
            let meaning = self.operation.and_then(|operation| operation.names.get(&name.text));
            match meaning {
                Some((Meaning::Instance(instance), _)) if !hidden => {
                    return self.member_field(Chooser::Instance(*instance), name, member);
                }
                Some((Meaning::Reference(reference), _)) if !hidden => {
                    return self.member_field(Chooser::Reference(*reference), name, member);
                }
                _ => {}
            }
            match self.indexable(base) {
                Some((Global::Device(device), declared)) => {
                    return self.device_member(device, declared, name, member);
                }
                Some((Global::Pipeline(pipeline), _)) => {
                    self.pipeline_member(pipeline, name, member);
                    return None;
                }
                Some((Global::Map(map), _)) => {
                    if self.view(map, member).is_some() {
                        let message = format!("the view `.{}` names no address", member.text);
                        let help = format!("write `{}.{}[address]`", name.text, member.text);
                        let label = "an index is missing";
                        let diagnostic = error(code::WRONG_KIND, member.span, message, label);
                        self.diagnostics.push(diagnostic.help(help));
                    }
                    return None;
                }
                _ => {}
            }
        }
        self.operand(base)?;
        let message = format!("this has no member `{}`", member.text);
        self.diagnostics.push(error(code::UNDEFINED, member.span, message, "no such member"));
        None
    }
}

/// How a map is looked at.
struct View {
    map: MapId,
    /// Width of the access; `None` if the map's cell is unknown.
    width_bits: Option<u32>,
    signed: bool,
    fetch: bool,
}
