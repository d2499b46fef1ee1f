//! Places of more than 128 bits: sliced and copied, never computed with.
//!
//! Such a place is taken apart into its leaves, registers and cells; a leaf wider than a value is
//! read and written in pieces of which the first counts as the access.

use isac_ir::behavior::{AccessKind, Expr, ExprKind, Stmt, UNCOUNTED};
use isac_parser::model;

use super::body::BodyBuilder;
use super::place::{Kind, Place, Purpose};
use super::range::View;

/// Widest value that an expression has.
pub(super) const MOST_BITS: u32 = 128;

/// Bits of something that is one access.
struct Leaf {
    place: Place,
    low: u32,
    width: u32,
    /// Where they stand in the whole.
    at: u32,
}

/// Bits of a wide value.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    at: u32,
    value: Expr,
}

impl BodyBuilder<'_> {
    /// Bits `low..low + width` of a wide place, at most 128; each access is counted.
    pub(super) fn read_wide_slice(&mut self, place: &Place, low: u32, width: u32) -> Expr {
        let pieces = self.read_pieces(place, low, width);
        extract(&pieces, 0, width)
    }

    /// Writes bits from `low` on.
    pub(super) fn write_wide_slice(&mut self, place: &Place, low: u32, value: Expr) {
        let width = value.width;
        let value = self.spill(value);
        self.write_pieces(place, low, width, &[Piece { at: 0, value }]);
    }

    /// Reads all of a wide place, for [`BodyBuilder::write_wide`]: before the place that it is
    /// written to is looked at.
    pub(super) fn read_wide(&mut self, place: &Place) -> Vec<Piece> {
        let mut pieces = self.read_pieces(place, 0, place.width);
        for piece in &mut pieces {
            piece.value = self.spill(piece.value.clone());
        }
        pieces
    }

    /// A value of any width in parts of at most 128 bits, the most significant first.
    pub(super) fn lower_word(&mut self, value: &model::Expr) -> Vec<Expr> {
        match &value.kind {
            model::ExprKind::Read(place) if place.ty.width_bits > MOST_BITS => {
                let place = self.prepare_place(place, Purpose::Read);
                let pieces = self.read_pieces(&place, 0, place.width);
                pieces.into_iter().rev().map(|piece| piece.value).collect()
            }
            _ => vec![self.lower_value(value)],
        }
    }

    /// Writes all of a wide place.
    pub(super) fn write_wide(&mut self, place: &Place, pieces: &[Piece]) {
        self.write_pieces(place, 0, place.width, pieces);
    }

    /// Reads bits in pieces, from the least significant up.
    fn read_pieces(&mut self, place: &Place, low: u32, width: u32) -> Vec<Piece> {
        let mut leaves = Vec::new();
        add_leaves(place, low, width, 0, &mut leaves);
        let chunks: Vec<_> =
            leaves.iter().flat_map(|leaf| chunks(leaf).map(move |chunk| (leaf, chunk))).collect();
        let values = self.in_order(&chunks, |builder, (leaf, (low, width, is_first))| {
            builder.read_piece(&leaf.place, *low, *width, *is_first)
        });
        let places = chunks.iter().map(|(leaf, (low, ..))| leaf.at + low - leaf.low);
        places.zip(values).map(|(at, value)| Piece { at, value }).collect()
    }

    fn read_piece(&mut self, place: &Place, low: u32, width: u32, is_first: bool) -> Expr {
        if place.width <= MOST_BITS {
            let whole = self.read_place(place);
            let is_whole = whole.width == width;
            let kind = ExprKind::Slice { base: Box::new(whole.clone()), low };
            return if is_whole { whole } else { Expr { width, kind } };
        }
        let kind = match &place.kind {
            Kind::Register { register, index } => ExprKind::RegisterPart {
                register: register.0,
                index: index.clone().map(Box::new),
                low,
                access: match is_first {
                    true => self.register_access(*register, AccessKind::Read),
                    false => UNCOUNTED,
                },
            },
            Kind::Memory { view: View { map, address, .. }, fetch } => ExprKind::CellPart {
                map: map.0,
                address: Box::new(address.clone()),
                low,
                access: match (is_first, fetch) {
                    (false, _) => UNCOUNTED,
                    (true, true) => self.map_access(*map, AccessKind::Execute),
                    (true, false) => self.map_access(*map, AccessKind::Read),
                },
            },
            _ => ExprKind::Const(0),
        };
        Expr { width, kind }
    }

    fn write_pieces(&mut self, place: &Place, low: u32, width: u32, pieces: &[Piece]) {
        let mut leaves = Vec::new();
        add_leaves(place, low, width, 0, &mut leaves);
        // As in a concatenation, what is most significant is written first.
        for leaf in leaves.iter().rev() {
            for (low, width, is_first) in chunks(leaf) {
                let value = extract(pieces, leaf.at + low - leaf.low, width);
                self.write_piece(&leaf.place, low, value, is_first);
            }
        }
    }

    fn write_piece(&mut self, place: &Place, low: u32, value: Expr, is_first: bool) {
        match &place.kind {
            _ if place.width <= MOST_BITS && place.width == value.width => self.write_place(place, value),
            _ if place.width <= MOST_BITS => self.write_slice(place, low, value),
            Kind::Register { register, index } => {
                let access = match is_first {
                    true => self.register_access(*register, AccessKind::Write),
                    false => UNCOUNTED,
                };
                let (register, index) = (register.0, index.clone());
                self.push(Stmt::SetRegister { register, index, low, value, access });
            }
            Kind::Memory { view: View { map, address, .. }, .. } => {
                let access = match is_first {
                    true => self.map_access(*map, AccessKind::Write),
                    false => UNCOUNTED,
                };
                let (map, address) = (map.0, address.clone());
                self.push(Stmt::SetCellPart { map, address, low, value, access });
            }
            _ => {}
        }
    }
}

/// The leaves of bits `low..low + width` of a place, from the least significant up; `at` is where
/// these bits stand in the whole.
fn add_leaves(place: &Place, low: u32, width: u32, at: u32, leaves: &mut Vec<Leaf>) {
    match &place.kind {
        Kind::Slice { base, low: begin } => add_leaves(base, begin + low, width, at, leaves),
        Kind::Concat(parts) => {
            let mut begin = 0;
            for part in parts.iter().rev() {
                let end = begin + part.width;
                let (first, last) = (begin.max(low), end.min(low + width));
                if first < last {
                    add_leaves(part, first - begin, last - first, at + first - low, leaves);
                }
                begin = end;
            }
        }
        _ => leaves.push(Leaf { place: place.clone(), low, width, at }),
    }
}

/// The pieces of a leaf that are no wider than a value: low bit, width, whether it is the first.
fn chunks(leaf: &Leaf) -> impl Iterator<Item = (u32, u32, bool)> {
    let (low, width) = (leaf.low, leaf.width);
    (0..width.div_ceil(MOST_BITS)).map(move |index| {
        let begin = index * MOST_BITS;
        (low + begin, (width - begin).min(MOST_BITS), index == 0)
    })
}

/// Bits `low..low + width` of a value in pieces.
fn extract(pieces: &[Piece], low: u32, width: u32) -> Expr {
    let mut parts = Vec::new();
    for piece in pieces.iter().rev() {
        let (begin, end) = (piece.at, piece.at + piece.value.width);
        let (first, last) = (begin.max(low), end.min(low + width));
        if first >= last {
            continue;
        }
        let base = Box::new(piece.value.clone());
        let kind = ExprKind::Slice { base, low: first - begin };
        match last - first == piece.value.width {
            true => parts.push(piece.value.clone()),
            false => parts.push(Expr { width: last - first, kind }),
        }
    }
    match <[Expr; 1]>::try_from(parts) {
        Ok([part]) => part,
        Err(parts) => Expr { width, kind: ExprKind::Concat(parts) },
    }
}
