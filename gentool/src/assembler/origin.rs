//! `.org`s whose addresses depend on themselves.
//!
//! Labels move with the `.org` before them, so `.org x` with `x:` behind it says nothing, even where
//! some address happens to fit. It is found out by moving: an address that stays where it is while all
//! others that are not known to be told by something else move depends on none of them.

use super::expression::Expr;
use super::item::ItemKind;
use super::layout::{Around, Laying, Layout};

/// Rounds of moving; each tells one more `.org` at least, or ends.
const MOST_MOVES: usize = 200;

impl Laying<'_> {
    /// The item of the first `.org` that depends on itself.
    pub(super) fn circular_origin(&self, order: &[u32], layout: &Layout) -> Option<usize> {
        let mut open: Vec<(usize, &Expr)> = Vec::new();
        for (piece, origin) in layout.pieces.iter().map(|piece| piece.origin).enumerate() {
            if let Some(item) = origin
                && let ItemKind::Origin(expr) = &self.items[item].kind
                && is_movable(expr)
            {
                open.push((piece, expr));
            }
        }
        let mut moved = layout.clone();
        for _ in 0..MOST_MOVES {
            let (first, _) = open.first()?;
            let first = layout.pieces[*first].origin;
            moved.pieces.clone_from(&layout.pieces);
            // No two move alike, so that a distance between them changes, too.
            for (number, (piece, _)) in (1u64..).zip(&open) {
                let base = &mut moved.pieces[*piece].base;
                *base = base.wrapping_add(number.wrapping_mul(0x9e37_79b9) & 0xffff_ffff | 1);
            }
            self.evaluate_symbols(order, &mut moved);
            let before = open.len();
            open.retain(|(piece, expr)| {
                let value = |layout: &Layout| {
                    let item = layout.pieces[*piece].origin.unwrap_or(0);
                    expr.value(&Around { model: self.model, symbols: self.symbols, layout, item })
                };
                value(layout) != value(&moved)
            });
            if open.len() == before {
                return first;
            }
        }
        None
    }
}

/// True for an expression that names an address.
fn is_movable(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        found |= matches!(expr, Expr::Symbol(_) | Expr::Local(_) | Expr::Here | Expr::Item(_))
    });
    found
}
