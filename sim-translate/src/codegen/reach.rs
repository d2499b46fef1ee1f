//! What is known of addresses: which of them lie in a window without being looked at again.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value as Ir};
use isac_ir::behavior::BinaryOp;
use isac_ir::bits::sign_extend;
use sim_runtime::AccessKind;

use super::Codegen;
use super::bounds::{FARTHEST, Indexed, indexed, moved};
use super::memory::Access;
use super::window::{Span, Window};
use crate::layout::MARKED_BEFORE;
use crate::region::Numbered;
use crate::residual::{Item, Kind, Op, Value, walk_ops};

/// Most cells that one comparison serves where an index is added.
const LONGEST: u32 = MARKED_BEFORE;

/// Steps that are looked at for further accesses from a register.
const LOOKED_AT: usize = 64;

/// Constants that are added to an address are looked at apart from it up to this size, so that sums of them have
/// no end to go beyond.
const FARTHEST_OFFSET: i64 = 1 << 40;

/// A stretch of addresses from a value on that is known to lie in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checked {
    /// Before it is widened.
    base: Ir,
    window: Span,
    from: i64,
    /// Last cell.
    to: i64,
    /// It holds no code: it can be written.
    writable: bool,
}

/// An access from a value on.
#[derive(Debug, Clone, Copy)]
struct Reached {
    offset: i64,
    cells: u32,
    writes: bool,
    /// It is of the block at hand.
    is_here: bool,
    /// Address of the instruction.
    step: u64,
}

/// An address as a value and a constant that is added to it.
pub(super) fn split_address(address: &Value) -> (Option<&Value>, i64) {
    let (base, offset) = split_sum(address);
    match base {
        Some(_) if offset.abs() > FARTHEST_OFFSET => (Some(address), 0),
        _ => (base, offset),
    }
}

fn split_sum(address: &Value) -> (Option<&Value>, i64) {
    let signed = |value: u128| (sign_extend(value, address.width, 128) as i64).max(i64::MIN + 1);
    match &address.kind {
        Kind::Const(known) => (None, *known as i64),
        Kind::Binary(BinaryOp::Add, base, offset) => match (offset.known(), base.known()) {
            (Some(offset), None) => (Some(base), signed(offset)),
            (None, Some(offset)) => (Some(offset_base(address)), signed(offset)),
            _ => (Some(address), 0),
        },
        _ => (Some(address), 0),
    }
}

/// The second operand of a sum.
fn offset_base(sum: &Value) -> &Value {
    match &sum.kind {
        Kind::Binary(_, _, right) => right,
        _ => sum,
    }
}

impl Codegen<'_, '_> {
    /// Where an access lies that is known to lie in a window: an address in 64 bits, and an offset. What is
    /// known of a value holds for one that is moved from it by a constant: modulo the width both sums are
    /// the same address, and that from the value which was looked at is not beyond the width.
    pub(super) fn is_checked(
        &mut self,
        (base, width): (Ir, u32),
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> Option<(Ir, i64)> {
        let (from, by) = moved(&self.b.func.dfg, base);
        let covers = |known: i64, base: Ir| {
            let first = offset + known;
            let last = first + i64::from(cells) - 1;
            self.checked.iter().any(|checked| {
                self.b.func.dfg.resolve_aliases(checked.base) == base
                    && checked.window == window.span
                    && checked.from <= first
                    && last <= checked.to
                    && (checked.writable || !writes)
            })
        };
        let own = self.b.func.dfg.resolve_aliases(base);
        let (found, offset) = match (covers(0, own), covers(by, from)) {
            (true, _) => (base, offset),
            (false, true) => (from, offset + by),
            (false, false) => return None,
        };
        Some((self.host_address(found, width), offset))
    }

    /// True if it is seen to that an access lies in a window by what is known of an index in its address:
    /// it is added to a value that is looked at once for all that the index can be, or to none at all.
    pub(super) fn lies_by_index(
        &mut self,
        (value, width): (Ir, u32),
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> bool {
        let is_tried = self.region.near.contains(&self.address);
        // Where the sum of base and index is beyond its width, its address would be another.
        let most = i128::from(window.span.high) - i128::from(offset);
        if is_tried || width > 64 || most >= 1 << width {
            return false;
        }
        let Indexed { base, index } = indexed(&self.b.func.dfg, value);
        let (first, places) = match writes {
            true => {
                (window.span.low.wrapping_add(window.clean.first), i128::from(window.clean.places(cells)))
            }
            false => {
                (window.span.low, i128::from(window.span.high - window.span.low) + 2 - i128::from(cells))
            }
        };
        let Some(base) = base else {
            let from = i128::from(index.least) + i128::from(offset) - i128::from(first);
            let to = i128::from(index.most) + i128::from(offset) - i128::from(first);
            return 0 <= from && to < places;
        };
        let reached = index.most - index.least + u64::from(cells);
        if base == self.b.func.dfg.resolve_aliases(value) || reached > LONGEST.min(window.longest()).into() {
            return false;
        }
        let stretch = (offset.saturating_add_unsigned(index.least), reached as u32);
        if self.is_checked((base, width), window, stretch, writes).is_none() {
            let base_ir = self.host_address(base, width);
            let lies = match writes {
                true => self.begins_clean(base_ir, window, stretch),
                false => self.lies_within(base_ir, window, stretch),
            };
            self.go_on_if(lies);
            self.know(base, window, stretch, writes);
        }
        true
    }

    /// What is reached from a value on, this access included, as far as one comparison serves it:
    /// the first cell, and how many.
    pub(super) fn stretch(
        &self,
        base: &Value,
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> (i64, u32) {
        let (mut from, mut to) = (offset, offset + i64::from(cells) - 1);
        // What may be written is looked at as a whole.
        let most = if writes { MARKED_BEFORE } else { 4096 }.min(window.longest());
        let most = i64::from(most);
        for other in self.accesses_from(base) {
            let last = other.offset + i64::from(other.cells) - 1;
            let (low, high) = (from.min(other.offset), to.max(last));
            if high - low < most {
                (from, to) = (low, high);
            }
        }
        (from, (to - from + 1) as u32)
    }

    /// True if a stretch begins where neither it nor what is written there can reach code.
    pub(super) fn is_clean(
        &mut self,
        (base, base_ir): (&Value, Ir),
        window: &Window,
        (offset, cells): (i64, u32),
    ) -> Ir {
        let is_near = |access: &Reached| access.writes && self.region.near.contains(&access.step);
        if self.region.near.contains(&self.address) || self.accesses_from(base).iter().any(is_near) {
            // Data and code lie close together: it is looked closely.
            let is_within = self.lies_within(base_ir, window, (offset, cells));
            self.go_on_if(is_within);
            let is_code = self.granule(base_ir, window, offset);
            return self.b.ins().icmp_imm_u(IntCC::Equal, is_code, 0);
        }
        self.begins_clean(base_ir, window, (offset, cells))
    }

    /// True if the block at hand writes from a value on, in the window that is read from.
    pub(super) fn is_written_from(&self, base: &Value, access: Access, window: &Window) -> bool {
        self.accesses_from(base).iter().any(|other| other.writes && other.is_here)
            && self.windows(Access { kind: AccessKind::Write, ..access }).first() == Some(window)
    }

    /// Remembers that a stretch lies in a window.
    pub(super) fn know(&mut self, base: Ir, window: &Window, (from, cells): (i64, u32), writable: bool) {
        let to = from + i64::from(cells) - 1;
        self.checked.push(Checked { base, window: window.span, from, to, writable });
    }

    /// The block that goes on with the innermost loop of another, if it is entered from that alone.
    fn block_behind(&self, block: usize) -> Option<usize> {
        let around = self.shape.innermost[block]?;
        let is_behind = |behind: &usize| {
            let is_first = *behind == around || *behind == 0;
            !is_first && self.shape.innermost[*behind] == Some(around) && self.shape.entered[*behind] == 1
        };
        let mut behind = self.region.blocks[block].successors.iter().copied().filter(is_behind);
        behind.next().filter(|_| behind.next().is_none())
    }

    /// The steps from the one at hand on, and whether they are of its block, as far as it is looked.
    fn steps_ahead(&self) -> impl Iterator<Item = (bool, &Numbered)> {
        let here = self.region.blocks[self.current].steps[self.at..].iter().map(|step| (true, step));
        // What is behind need not come: where that was amiss, it is left alone.
        let is_tried = self.region.near.contains(&self.address);
        let first = if is_tried { None } else { self.block_behind(self.current) };
        let behind = std::iter::successors(first, |block| self.block_behind(*block));
        let steps = behind.flat_map(|block| &self.region.blocks[block].steps);
        here.chain(steps.map(|step| (false, step))).take(LOOKED_AT)
    }

    /// Accesses from a value on, up to where that may change, of the block at hand and of those that are
    /// expected behind it.
    fn accesses_from(&self, base: &Value) -> Vec<Reached> {
        let mut found = Vec::new();
        let Kind::Register { register, element, .. } = base.kind else { return found };
        let mut moved_by = 0;
        for (is_here, step) in self.steps_ahead() {
            let (mut changes, mut moves) = (false, moved_by);
            walk_ops(&step.step.ops, &mut |item| {
                let (address, cells, writes) = match item {
                    Item::Op(Op::SetRegister { register: other, element: changed, low: 0, value })
                        if (*other, *changed) == (register, element) && value.width == base.width =>
                    {
                        match split_address(value) {
                            (Some(from), by) if from == base => moves += by,
                            _ => changes = true,
                        }
                        return;
                    }
                    Item::Op(Op::SetRegister { register: other, element: changed, .. }) => {
                        changes |= (*other, *changed) == (register, element);
                        return;
                    }
                    Item::Op(Op::SetMemory { address, cells, .. }) => (address, *cells, true),
                    Item::Value(Value { kind: Kind::Memory { address, cells, .. }, .. }) => {
                        (&**address, *cells, false)
                    }
                    _ => return,
                };
                let (other, offset) = split_address(address);
                if other == Some(base) {
                    let offset = offset.saturating_add(moved_by);
                    found.push(Reached { offset, cells, writes, is_here, step: step.step.address });
                }
            });
            if changes || moves.abs() > FARTHEST {
                break;
            }
            moved_by = moves;
        }
        found
    }
}
