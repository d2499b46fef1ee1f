//! Where sections go of which the text does not say it.
//!
//! Code begins at `--base`, else where the program counter is after RESET. What follows comes in
//! the order code, constants, data, zeros, one behind the other, as long as the memory there can be
//! written; else data begin in the first memory that can be.

use isac_ir::{Model, bits};

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
    /// Gives each piece without an `.org` its base: behind those before it, and behind what an `.org`
    /// has put there.
    pub(super) fn place(&self, sections: &[Section], pieces: &mut [Piece]) {
        let mut order: Vec<usize> =
            (0..pieces.len()).filter(|index| pieces[*index].origin.is_none()).collect();
        order.sort_by_key(|index| {
            let section = pieces[*index].section;
            (sections[section].kind, section, *index)
        });
        let taken = Taken::of(pieces, bits::mask(self.address_bits()) as u64);
        let mut next = self.base.unwrap_or_else(|| self.model.reset_address());
        let mut is_told = self.base.is_some();
        let mut in_data = false;
        for index in order {
            let piece = &mut pieces[index];
            if sections[piece.section].kind >= SectionKind::Data && !in_data {
                in_data = true;
                next = self.data.unwrap_or_else(|| self.begin_of_data(next, piece.size_cells));
                is_told = self.data.is_some();
            }
            piece.base = if is_told { aligned(next, piece.align) } else { taken.next_free(next, piece) };
            is_told &= piece.size_cells == 0;
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

fn aligned(address: u64, align: u64) -> u64 {
    address.checked_next_multiple_of(align.max(1)).unwrap_or(address)
}

/// What an `.org` has placed.
struct Taken {
    /// Of all that lies on each other the first address and that behind the last, ascending.
    ranges: Vec<(u64, u64)>,
    /// The last address there is.
    last: u64,
}

impl Taken {
    fn of(pieces: &[Piece], last: u64) -> Taken {
        let placed = pieces.iter().filter(|piece| piece.origin.is_some() && piece.size_cells > 0);
        let mut ranges: Vec<(u64, u64)> =
            placed.map(|piece| (piece.base, piece.base.saturating_add(piece.size_cells))).collect();
        ranges.sort_unstable();
        // One that begins within the one before it only makes that longer.
        ranges.dedup_by(|(low, end), (_, before)| {
            let is_within = *low < *before;
            *before = if is_within { (*end).max(*before) } else { *before };
            is_within
        });
        Taken { ranges, last }
    }

    /// The first address from `next` on at which a piece lies on nothing; where that would be beyond
    /// the last address, `next` itself, so that the message tells what is in the way.
    fn next_free(&self, next: u64, piece: &Piece) -> u64 {
        let mut base = aligned(next, piece.align);
        let first = self.ranges.partition_point(|(_, end)| *end <= base);
        for (low, end) in &self.ranges[first..] {
            if *low >= base.saturating_add(piece.size_cells) {
                break;
            }
            if base < *end {
                base = aligned(*end, piece.align);
            }
        }
        match base.checked_add(piece.size_cells.max(1) - 1).is_some_and(|end| end <= self.last) {
            true => base,
            false => aligned(next, piece.align),
        }
    }
}
