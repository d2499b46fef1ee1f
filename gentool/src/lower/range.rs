//! Accesses to maps of which some ranges are no memory but registers or FUNCTIONs.
//!
//! Such a range means what its register or the FUNCTION's text means in the place of the access.
//! So the access becomes a choice by address: an arm for each such range that is large enough for
//! the view, and the plain access for all else, faults included. Each arm makes the accesses of
//! its registers, cell by cell in address order, and one of the map.

use isac_ir::behavior::{AccessKind, BinaryOp, Expr, ExprKind, Stmt, UNCOUNTED};
use isac_parser::model::{FunctionId, MapId, Range, RangeTarget, RegisterId};

use super::body::BodyBuilder;
use super::expression::{binary, convert};

/// An access to cells of a map whose address is evaluated.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub map: MapId,
    pub cells: u32,
    pub address: Expr,
}

/// How cells are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Counted,
    /// As part of a write to other bits of the same cells.
    Kept,
}

impl BodyBuilder<'_> {
    /// Reads cells; the access is counted.
    pub(super) fn read_view(&mut self, view: &View) -> Expr {
        self.read_cells(view, Reading::Counted)
    }

    /// Reads what a partial write keeps.
    pub(super) fn keep_view(&mut self, view: &View) -> Expr {
        self.read_cells(view, Reading::Kept)
    }

    fn read_cells(&mut self, view: &View, reading: Reading) -> Expr {
        let ranges = self.inlined_ranges(view);
        if ranges.is_empty() {
            return self.read_plain(view, reading);
        }
        let view = View { address: self.spill(view.address.clone()), ..view.clone() };
        let result = self.new_local("t", self.view_bits(&view));
        self.choose(&view, &ranges, &mut |builder, range| {
            let value = match range {
                Some(range) => builder.read_range(&view, range, reading),
                None => builder.read_plain(&view, reading),
            };
            builder.push(Stmt::Set { local: result, value });
        });
        Expr::local(self.view_bits(&view), result)
    }

    /// Writes cells; the access is counted.
    pub(super) fn write_view(&mut self, view: &View, value: Expr) {
        let ranges = self.inlined_ranges(view);
        if ranges.is_empty() {
            return self.write_plain(view, value);
        }
        let value = self.spill(value);
        let view = View { address: self.spill(view.address.clone()), ..view.clone() };
        self.choose(&view, &ranges, &mut |builder, range| match range {
            Some(range) => builder.write_range(&view, range, &value),
            None => builder.write_plain(&view, value.clone()),
        });
    }

    /// The ranges onto registers and functions that hold as many cells as the view has.
    fn inlined_ranges(&self, view: &View) -> Vec<Range> {
        let ranges = self.lowering.model.maps[view.map.index()].ranges.iter();
        let inlined = ranges.filter(|range| {
            let inlined = matches!(range.target, RangeTarget::Register(_) | RangeTarget::Functions { .. });
            inlined && range.high - range.low >= u64::from(view.cells) - 1
        });
        inlined.cloned().collect()
    }

    /// Lowers one arm for each range, and one for none of them.
    fn choose(&mut self, view: &View, ranges: &[Range], lower: &mut dyn FnMut(&mut Self, Option<&Range>)) {
        let Some((range, others)) = ranges.split_first() else { return lower(self, None) };
        let width = view.address.width;
        let last = u128::from(range.high - range.low - (u64::from(view.cells) - 1));
        if let ExprKind::Const(address) = view.address.kind {
            // A constant address has its range now.
            let inside = address.checked_sub(range.low.into()).is_some_and(|offset| offset <= last);
            return match inside {
                true => lower(self, Some(range)),
                false => self.choose(view, others, lower),
            };
        }
        if range.low == 0 && last >= isac_ir::bits::mask(width) {
            // It has every address.
            return lower(self, Some(range));
        }
        let offset = self.offset(view, range, 0);
        let inside = binary(BinaryOp::LessEqualUnsigned, 1, offset, Expr::constant(width, last));
        let then = self.arm(|builder| lower(builder, Some(range)));
        let otherwise = self.arm(|builder| builder.choose(view, others, lower));
        self.push_if(inside, then, otherwise);
    }

    /// The number of the view's cell `index` in a range.
    fn offset(&self, view: &View, range: &Range, index: u32) -> Expr {
        let width = view.address.width;
        let begin = u128::from(range.low).wrapping_sub(index.into());
        match (&view.address.kind, begin & isac_ir::bits::mask(width)) {
            (ExprKind::Const(address), begin) => Expr::constant(width, address.wrapping_sub(begin)),
            (_, 0) => view.address.clone(),
            (_, begin) => {
                binary(BinaryOp::Subtract, width, view.address.clone(), Expr::constant(width, begin))
            }
        }
    }

    fn read_range(&mut self, view: &View, range: &Range, reading: Reading) -> Expr {
        let kind = AccessKind::Read;
        if reading == Reading::Counted {
            let access = self.map_access(view.map, kind);
            self.push(Stmt::Touch(access));
        }
        let mut cells: Vec<Expr> = Vec::new();
        for index in 0..view.cells {
            let cell = match range.target {
                RangeTarget::Functions { read, .. } => self.call_for_cell(view, read, index, None),
                RangeTarget::Register(register) => self.read_element(view, range, register, index, reading),
                RangeTarget::Ram(_) | RangeTarget::Cache(_) | RangeTarget::Device(_) => continue,
            };
            cells.push(cell);
        }
        if !self.is_big_endian() {
            cells.reverse();
        }
        match <[Expr; 1]>::try_from(cells) {
            Ok([cell]) => cell,
            Err(cells) => Expr { width: self.view_bits(view), kind: ExprKind::Concat(cells) },
        }
    }

    /// A cell that is an element, or bits of one.
    fn read_element(
        &mut self,
        view: &View,
        range: &Range,
        register: RegisterId,
        index: u32,
        reading: Reading,
    ) -> Expr {
        let access = match reading {
            Reading::Counted => self.register_access(register, AccessKind::Read),
            Reading::Kept => UNCOUNTED,
        };
        let table = &self.lowering.model.registers[register.index()];
        let element = table.count.map(|_| Box::new(self.offset(view, range, index)));
        let kind = ExprKind::Register { register: register.0, index: element, access };
        let whole = Expr { width: table.width_bits, kind };
        let width = self.cell_bits(view);
        match (range.low_bit, whole.width == width) {
            (0, true) => whole,
            (low, _) => Expr { width, kind: ExprKind::Slice { base: Box::new(whole), low } },
        }
    }

    fn write_range(&mut self, view: &View, range: &Range, value: &Expr) {
        let access = self.map_access(view.map, AccessKind::Write);
        self.push(Stmt::Touch(access));
        let width = self.cell_bits(view);
        for index in 0..view.cells {
            let rank = if self.is_big_endian() { view.cells - 1 - index } else { index };
            let cell = match view.cells {
                1 => value.clone(),
                _ => {
                    let kind = ExprKind::Slice { base: Box::new(value.clone()), low: rank * width };
                    Expr { width, kind }
                }
            };
            match range.target {
                RangeTarget::Functions { write, .. } => {
                    self.call_for_cell(view, write, index, Some(cell));
                }
                RangeTarget::Register(register) => {
                    let access = self.register_access(register, AccessKind::Write);
                    let table = &self.lowering.model.registers[register.index()];
                    let element = table.count.map(|_| self.offset(view, range, index));
                    let (register, low) = (register.0, range.low_bit);
                    self.push(Stmt::SetRegister { register, index: element, low, value: cell, access });
                }
                RangeTarget::Ram(_) | RangeTarget::Cache(_) | RangeTarget::Device(_) => {}
            }
        }
    }

    /// Calls a range's function for cell `index` of a view; what it returns, or nothing.
    fn call_for_cell(&mut self, view: &View, function: FunctionId, index: u32, cell: Option<Expr>) -> Expr {
        let width = view.address.width;
        let address = match (&view.address.kind, index) {
            (_, 0) => view.address.clone(),
            (ExprKind::Const(address), index) => Expr::constant(width, address + u128::from(index)),
            (_, index) => {
                let index = Expr::constant(width, index.into());
                binary(BinaryOp::Add, width, view.address.clone(), index)
            }
        };
        let parameters = &self.lowering.model.functions[function.index()].body.locals;
        let parameter = parameters.first().expect("the FUNCTION of a range takes an address");
        let address = convert(address, false, parameter.ty.width_bits);
        let values = std::iter::once(address).chain(cell).collect();
        let value = self.expand_call(function, values);
        let cell_bits = self.cell_bits(view);
        match value {
            Some(value) => self.spill(value),
            None => Expr::constant(cell_bits, 0),
        }
    }

    fn read_plain(&mut self, view: &View, reading: Reading) -> Expr {
        let access = match reading {
            Reading::Counted => self.map_access(view.map, AccessKind::Read),
            Reading::Kept => UNCOUNTED,
        };
        self.plain(view, access)
    }

    /// Reads cells as an instruction: registers and functions hold none.
    pub(super) fn fetch_view(&mut self, view: &View) -> Expr {
        let access = self.map_access(view.map, AccessKind::Execute);
        self.plain(view, access)
    }

    fn plain(&self, view: &View, access: u32) -> Expr {
        let address = Box::new(view.address.clone());
        let kind = ExprKind::Memory { map: view.map.0, cells: view.cells, address, access };
        Expr { width: self.view_bits(view), kind }
    }

    fn write_plain(&mut self, view: &View, value: Expr) {
        let access = self.map_access(view.map, AccessKind::Write);
        let address = view.address.clone();
        self.push(Stmt::SetMemory { map: view.map.0, cells: view.cells, address, value, access });
    }

    fn cell_bits(&self, view: &View) -> u32 {
        self.lowering.model.maps[view.map.index()].cell_bits
    }

    fn view_bits(&self, view: &View) -> u32 {
        self.cell_bits(view) * view.cells
    }

    fn is_big_endian(&self) -> bool {
        self.lowering.model.target.endian == isac_parser::model::Endian::Big
    }
}
