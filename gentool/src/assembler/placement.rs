//! Where sections go of which the text does not say it.
//!
//! Code begins at `--base`, else where the program counter is after RESET. What follows comes in
//! the order code, constants, data, zeros, one behind the other, as long as the memory there can be
//! written; else data begin in the first memory that can be.

use isac_ir::Model;

use super::item::{Section, SectionKind};
use super::layout::Piece;

/// Where sections begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement<'m> {
    pub(super) model: &'m Model,
    /// Address of the first code.
    pub(super) base: Option<u64>,
    /// Address of the first data.
    pub(super) data: Option<u64>,
}

impl Placement<'_> {
    /// Gives each piece without an `.org` its base.
    pub(super) fn place(&self, sections: &[Section], pieces: &mut [Piece]) {
        let mut order: Vec<usize> =
            (0..pieces.len()).filter(|index| pieces[*index].origin.is_none()).collect();
        order.sort_by_key(|index| {
            let section = pieces[*index].section;
            (sections[section].kind, section, *index)
        });
        let mut next = self.base.unwrap_or_else(|| self.model.reset_address());
        let mut in_data = false;
        for index in order {
            let is_data = sections[pieces[index].section].kind >= SectionKind::Data;
            if is_data && !in_data {
                in_data = true;
                let size = pieces[index].size_cells;
                next = self.data.unwrap_or_else(|| self.begin_of_data(next, size));
            }
            let piece = &mut pieces[index];
            piece.base = next.checked_next_multiple_of(piece.align.max(1)).unwrap_or(next);
            next = piece.base.saturating_add(piece.size_cells);
        }
    }

    /// Where data may begin, if what was placed so far ends before `next`.
    fn begin_of_data(&self, next: u64, size: u64) -> u64 {
        let Some(map) = self.model.maps.get(self.model.target.host_map.unwrap_or(0) as usize) else {
            return next;
        };
        let writable = |ram: u32| self.model.rams[ram as usize].writable;
        let last = next.saturating_add(size.max(1) - 1);
        let fits =
            map.ranges.iter().any(|range| writable(range.ram) && range.low <= next && last <= range.high);
        if fits {
            return next;
        }
        let others = map.ranges.iter().filter(|range| writable(range.ram));
        let ahead = others.clone().filter(|range| range.low >= next).map(|range| range.low).min();
        let window = self.model.target.loads.iter().find(|(_, _, map)| {
            self.model.maps[*map as usize].ranges.iter().any(|range| writable(range.ram))
        });
        let window = window.map(|(low, _, _)| low / self.cell_bytes());
        ahead.or(window).or_else(|| others.map(|range| range.low).min()).unwrap_or(next)
    }

    /// How many bytes of a file are one cell.
    pub(super) fn cell_bytes(&self) -> u64 {
        let map = self.model.maps.get(self.model.target.host_map.unwrap_or(0) as usize);
        u64::from(map.map_or(8, |map| map.cell_bits).div_ceil(8).max(1))
    }

    /// Width of addresses: that of the map, or that of what a LOAD reaches beyond it.
    pub(super) fn address_bits(&self) -> u32 {
        let map = self.model.maps.get(self.model.target.host_map.unwrap_or(0) as usize);
        let own = map.map_or(64, |map| map.address_bits).min(64);
        if self.model.target.loads.is_empty() { own } else { 64 }
    }
}
