//! Where everything stands.
//!
//! Sizes depend on addresses (a distance may need the longer code), addresses on sizes. Each round
//! computes addresses from sizes and then lets those instructions grow whose code does not fit any
//! more. Nothing ever shrinks, so it comes to an end; an instruction that cannot be told yet takes
//! its shortest code until it is known not to fit.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostic, Diagnostics};
use isac_parser::source::Span;

use super::candidate::Spot;
use super::circle::components;
use super::code;
use super::expression::{Environment, Expr, NoValue};
use super::item::{Item, ItemKind, Section};
use super::message::no_value;
use super::placement::Placement;
use super::symbol::{Meaning, Symbol, Symbols, call};

/// Rounds after which every instruction takes its longest code.
const MOST_ROUNDS: usize = 64;

/// Items that are measured at most because pieces wait for each other.
const MOST_MEASURED: usize = 50_000_000;

/// Most bits of an alignment by its power of two.
const MOST_ALIGN_BITS: u64 = 40;

/// Most cells of a program, those that are zero included.
const MOST_CELLS: u64 = 1 << 40;

/// Cells of a section without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) section: usize,
    /// The `.org` that it begins with.
    pub(super) origin: Option<usize>,
    /// Address of its first cell.
    pub(super) base: u64,
    pub(super) size_cells: u64,
    /// What its base is a multiple of, if no `.org` says where it is.
    pub(super) align: u64,
}

/// The place of everything.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) pieces: Vec<Piece>,
    /// Of each item its piece and where it stands in it.
    pub(super) places: Vec<(usize, u64)>,
    /// Of each item its size in cells.
    pub(super) sizes: Vec<u64>,
    /// True if sizes and addresses have come to rest: else each is but the last that was tried.
    pub(super) is_settled: bool,
    /// The last address there is, where it was told that something lies beyond it.
    pub(super) exceeded: Option<i128>,
    /// The value of each symbol that has a definition.
    values: Vec<Result<i128, NoValue>>,
}

/// What of a layout has not come to rest.
#[derive(Debug, Default)]
struct Unsettled {
    /// Pieces by their numbers, of which something is told; others may stand behind them.
    pieces: BTreeSet<usize>,
    /// No address means anything.
    everything: bool,
}

impl Layout {
    pub(super) fn address(&self, item: usize) -> u64 {
        let (piece, offset) = self.places[item];
        self.pieces[piece].base.wrapping_add(offset)
    }
}

/// What expressions of an item mean.
pub(super) struct Around<'a> {
    pub(super) model: &'a Model,
    pub(super) symbols: &'a Symbols,
    pub(super) layout: &'a Layout,
    pub(super) item: usize,
}

impl Environment for Around<'_> {
    fn symbol(&self, symbol: u32) -> Result<i128, NoValue> {
        let symbol = self.symbols.resolved(symbol).ok_or(NoValue::Unknown)?;
        self.layout.values.get(symbol as usize).copied().unwrap_or(Err(NoValue::Unknown))
    }

    fn local(&self, mention: u32) -> Result<i128, NoValue> {
        let item = self.symbols.local(mention).ok_or(NoValue::Unknown)?;
        Ok(self.layout.address(item).into())
    }

    fn here(&self) -> Result<i128, NoValue> {
        self.item(self.item)
    }

    fn item(&self, item: usize) -> Result<i128, NoValue> {
        Ok(self.layout.address(item).into())
    }

    fn call(&self, function: u32, arguments: &[i128]) -> Result<i128, NoValue> {
        call(self.model, function, arguments)
    }
}

/// Everything that a layout is made for.
pub(super) struct Laying<'a> {
    pub(super) model: &'a Model,
    pub(super) symbols: &'a Symbols,
    pub(super) sections: &'a [Section],
    pub(super) items: &'a mut [Item],
    pub(super) placement: Placement<'a>,
    pub(super) cell_bits: u32,
    pub(super) findings: &'a mut Diagnostics,
}

impl Laying<'_> {
    /// Finds the place of everything; what has none is reported.
    pub(super) fn lay_out(mut self) -> Layout {
        let mut layout = Layout {
            places: vec![(0, 0); self.items.len()],
            sizes: vec![0; self.items.len()],
            ..Layout::default()
        };
        self.divide(&mut layout);
        let order: Vec<u32> = components(self.symbols).into_iter().flatten().collect();
        let most_rounds = 2 * MOST_ROUNDS + layout.pieces.len().min(MOST_MEASURED / self.items.len().max(1));
        for round in 0.. {
            let before = layout.clone();
            self.measure(&mut layout);
            self.placement.place(self.sections, &mut layout.pieces);
            self.evaluate_symbols(&order, &mut layout);
            let grown = self.grow(&layout, round >= MOST_ROUNDS);
            let is_still = !grown && before == layout;
            if is_still || round > most_rounds {
                let mut unsettled = self.unsettled(is_still, (&order, &layout, &before));
                layout.exceeded = self.report(&layout, &mut unsettled);
                layout.is_settled = !unsettled.everything && unsettled.pieces.is_empty();
                break;
            }
        }
        layout
    }

    /// Which piece each item is of.
    fn divide(&self, layout: &mut Layout) {
        let mut current: Vec<Option<usize>> = vec![None; self.sections.len()];
        for (index, item) in self.items.iter().enumerate() {
            let origin = matches!(item.kind, ItemKind::Origin(_)).then_some(index);
            let piece = match (current[item.section], origin) {
                (Some(piece), None) => piece,
                _ => {
                    layout.pieces.push(Piece {
                        section: item.section,
                        origin,
                        base: 0,
                        size_cells: 0,
                        align: 1,
                    });
                    layout.pieces.len() - 1
                }
            };
            current[item.section] = Some(piece);
            layout.places[index].0 = piece;
        }
    }

    /// Sizes of items and pieces, as far as they are known.
    fn measure(&mut self, layout: &mut Layout) {
        layout.pieces.iter_mut().for_each(|piece| piece.size_cells = 0);
        for index in 0..self.items.len() {
            let (piece, _) = layout.places[index];
            let offset = layout.pieces[piece].size_cells;
            layout.places[index].1 = offset;
            let value = |expr: &Expr| {
                let around = Around { model: self.model, symbols: self.symbols, layout, item: index };
                let value = expr.value(&around).unwrap_or(0);
                u64::try_from(value).unwrap_or(0).min(MOST_CELLS)
            };
            let mut align = 1;
            let item_kind = &self.items[index].kind;
            let size = match item_kind {
                ItemKind::Mark => 0,
                ItemKind::Instruction(instruction) => instruction.size_cells.into(),
                ItemKind::Fixed { size_cells, .. } => (*size_cells).into(),
                ItemKind::Data { width_bits, values, .. } => {
                    u64::from(width_bits / self.cell_bits) * values.len() as u64
                }
                ItemKind::Cells(cells) => cells.len() as u64,
                ItemKind::Space { count, .. } => value(count),
                ItemKind::Align(count) | ItemKind::AlignBits(count) => {
                    align = match item_kind {
                        ItemKind::AlignBits(_) => 1 << value(count).min(MOST_ALIGN_BITS),
                        _ => value(count).max(1),
                    };
                    let at = layout.pieces[piece].base.wrapping_add(offset);
                    (align - at % align) % align
                }
                ItemKind::Origin(address) => {
                    layout.pieces[piece].base = value_at(address, self.model, self.symbols, layout, index);
                    0
                }
            };
            layout.sizes[index] = size;
            let piece = &mut layout.pieces[piece];
            piece.size_cells = (piece.size_cells + size).min(MOST_CELLS);
            piece.align = piece.align.max(align);
        }
    }

    /// Values of labels, then of `.equ` in the order in which they need each other.
    pub(super) fn evaluate_symbols(&self, order: &[u32], layout: &mut Layout) {
        let label = |symbol: &Symbol| match symbol.meaning() {
            Some(Meaning::Label(item)) => Ok(layout.address(*item).into()),
            _ => Err(NoValue::Unknown),
        };
        layout.values = self.symbols.list.iter().map(label).collect();
        for index in order {
            let index = *index as usize;
            if let Some(Meaning::Equal(expr, item)) = self.symbols.list[index].meaning() {
                let around = Around { model: self.model, symbols: self.symbols, layout, item: *item };
                let value = expr.value(&around);
                layout.values[index] = value;
            }
        }
    }

    /// Lets instructions grow that do not fit any more; true if any did.
    fn grow(&mut self, layout: &Layout, to_the_longest: bool) -> bool {
        let mut grown = false;
        for (index, item) in self.items.iter_mut().enumerate() {
            let ItemKind::Instruction(instruction) = &mut item.kind else { continue };
            if !instruction.elastic {
                continue;
            }
            let around = Around { model: self.model, symbols: self.symbols, layout, item: index };
            let spot = Spot { address: Some(layout.address(index)), around: &around, is_told: false };
            let longest = instruction.candidates.iter().map(|candidate| candidate.size_cells).max();
            if to_the_longest {
                grown |= Some(instruction.size_cells) != longest;
                instruction.size_cells = longest.unwrap_or(0);
                continue;
            }
            let chosen = super::choice::choose(self.model, &instruction.candidates, &spot, None);
            let needed = match chosen {
                Ok((candidate, _)) => candidate.size_cells,
                Err(_) => longest.unwrap_or(0),
            };
            if needed > instruction.size_cells {
                instruction.size_cells = needed;
                grown = true;
            }
        }
        grown
    }

    /// What has not come to rest; it is told.
    fn unsettled(
        &mut self,
        is_still: bool,
        (order, layout, before): (&[u32], &Layout, &Layout),
    ) -> Unsettled {
        if let Some(item) = self.circular_origin(order, layout) {
            let message = "the address of this `.org` depends on itself";
            self.findings.push(
                Diagnostic::error(code::UNSETTLED, self.items[item].span, message)
                    .label("moves what it asks for")
                    .help("write a number, or a distance between labels; `.space` goes on by so many cells"),
            );
            return Unsettled { everything: true, ..Unsettled::default() };
        }
        if is_still {
            return Unsettled::default();
        }
        let size = (0..self.items.len()).find(|index| layout.sizes[*index] != before.sizes[*index]);
        let base = || {
            let mut pieces = layout.pieces.iter().zip(&before.pieces);
            pieces.find(|(piece, before)| piece.base != before.base).and_then(|(piece, _)| piece.origin)
        };
        let Some((item, what)) = size.map(|item| (item, "size")).or_else(|| Some((base()?, "address")))
        else {
            return Unsettled { everything: true, ..Unsettled::default() };
        };
        let message = format!("the {what} of this depends on addresses that depend on it");
        self.findings.push(
            Diagnostic::error(code::UNSETTLED, self.items[item].span, message)
                .label("never settles")
                .help("let it depend on numbers, or on distances between labels before it"),
        );
        Unsettled { pieces: [layout.places[item].0].into(), everything: false }
    }

    /// Reports sizes and addresses without a value, and pieces without a place that have settled; gives the
    /// last address, if one lies beyond it.
    fn report(&mut self, layout: &Layout, unsettled: &mut Unsettled) -> Option<i128> {
        let last = isac_ir::bits::mask(self.placement.address_bits()) as i128;
        for (index, item) in self.items.iter().enumerate() {
            let (expr, what, most) = match &item.kind {
                ItemKind::Align(expr) => (expr, "an alignment", i128::from(MOST_CELLS)),
                ItemKind::AlignBits(expr) => (expr, "a number of bits to align by", MOST_ALIGN_BITS.into()),
                ItemKind::Space { count: expr, .. } => (expr, "a size", MOST_CELLS.into()),
                // What lies behind the last address is told with the piece.
                ItemKind::Origin(expr) => (expr, "an address", u64::MAX.into()),
                _ => continue,
            };
            let around = Around { model: self.model, symbols: self.symbols, layout, item: index };
            let diagnostic = match expr.value(&around) {
                Err(NoValue::Unknown) => continue,
                Err(why) => no_value(self.model, self.symbols, why, item.span),
                Ok(value) if !(0..=most).contains(&value) => {
                    unsettled.pieces.insert(layout.places[index].0);
                    let most = if most == i128::from(u64::MAX) { last } else { most };
                    Diagnostic::error(code::BAD_ARGUMENTS, item.span, format!("{value} is not {what}"))
                        .label(format!("expected {what}"))
                        .help(match item.kind {
                            ItemKind::AlignBits(_) => format!(
                                "write a number from 0 to {most}: `.p2align 2` goes on at a multiple of 4; \
                                 `.align` counts cells"
                            ),
                            _ => format!("write a number from 0 to {most}"),
                        })
                }
                Ok(_) => continue,
            };
            self.findings.push(diagnostic);
        }
        let is_beyond = !unsettled.everything && self.report_pieces(layout, unsettled);
        is_beyond.then_some(last)
    }

    /// True if a piece reaches beyond the last address.
    fn report_pieces(&mut self, layout: &Layout, unsettled: &Unsettled) -> bool {
        // Of each piece its first item.
        let mut begins: Vec<Option<Span>> = vec![None; layout.pieces.len()];
        for (item, (piece, _)) in self.items.iter().zip(&layout.places) {
            if !matches!(item.kind, ItemKind::Mark) {
                begins[*piece].get_or_insert(item.span);
            }
        }
        let last = |piece: &Piece| piece.base.checked_add(piece.size_cells - 1);
        let most = isac_ir::bits::mask(self.placement.address_bits()) as u64;
        let (mut findings, mut is_beyond) = (Vec::new(), false);
        let all = layout.pieces.iter().zip(begins).enumerate();
        let settled = all.filter(|(number, _)| !unsettled.pieces.contains(number)).map(|(_, piece)| piece);
        let mut sorted: Vec<(&Piece, Option<Span>)> =
            settled.filter(|(piece, _)| piece.size_cells > 0).collect();
        sorted.sort_by_key(|(piece, _)| (piece.base, piece.section));
        for (piece, begin) in &sorted {
            if last(piece).is_none_or(|last| last > most)
                && let Some(span) = *begin
            {
                is_beyond = true;
                let name = &self.sections[piece.section].name;
                let message = format!("{name} reaches beyond the last address, {most:#x}");
                let (base, size) = (piece.base, piece.size_cells);
                let help =
                    format!("it begins at {base:#x} and has {size} cells; begin lower by `.org` or `--base`");
                findings.push(Diagnostic::error(code::BEYOND, span, message).label("begins here").help(help));
            }
        }
        // Of the pieces that begin before another, the one that reaches furthest: what lies on any of
        // them lies on this one.
        let mut furthest: Option<(&Piece, Option<Span>)> = None;
        for (second, begin) in sorted {
            let end = |piece: &Piece| last(piece).unwrap_or(u64::MAX);
            let Some((first, other)) = furthest.replace((second, begin)) else { continue };
            if end(first) >= end(second) {
                furthest = Some((first, other));
            }
            let until = end(first);
            if until >= second.base
                && let (Some(span), Some(other)) = (begin, other)
            {
                let names = [first, second].map(|piece| &self.sections[piece.section].name);
                let message = format!("{} at {:#x} lies on {}", names[1], second.base, names[0]);
                findings.push(
                    Diagnostic::error(code::OVERLAP, span, message)
                        .label("begins here")
                        .secondary(other, format!("this goes from {:#x} to {until:#x}", first.base))
                        .help("move one of them by `.org` or `--base`"),
                );
            }
        }
        self.findings.extend(findings);
        is_beyond
    }
}

/// The value of an `.org`: an address, which may be high.
fn value_at(expr: &Expr, model: &Model, symbols: &Symbols, layout: &Layout, item: usize) -> u64 {
    let around = Around { model, symbols, layout, item };
    expr.value(&around).unwrap_or(0) as u64
}
