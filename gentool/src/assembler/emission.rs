//! From a layout to bytes: every value is known now, or it is an error.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::resource::Map;
use isac_ir::syntax::encode::cells_of_words;
use isac_parser::diagnostic::{Diagnostic, Diagnostics};
use isac_parser::did_you_mean;
use isac_parser::source::Span;

use super::candidate::{Misfit, Spot};
use super::choice::choose;
use super::circle::find_circles;
use super::code;
use super::expression::{Expr, NoValue};
use super::instruction::with_context;
use super::item::{Instruction, Item, ItemKind, Section, SectionKind};
use super::layout::{Around, Layout, Piece};
use super::message::{LITERAL_PARENTHESIS, contents_in_zero, misfit_diagnostic, no_value};
use super::program::{AssembledPiece, Line};
use super::reading::Unread;
use super::symbol::{Meaning, Symbols};

/// Most bytes of a program that are not zero by their section.
const MOST_BYTES: u64 = 1 << 30;

/// Most symbols that the message about a circle shows beside the first.
const MOST_SHOWN: usize = 5;

/// Writes the items of a program.
pub(super) struct Emission<'a> {
    pub(super) model: &'a Model,
    pub(super) symbols: &'a Symbols,
    pub(super) sections: &'a [Section],
    pub(super) items: &'a [Item],
    pub(super) layout: &'a Layout,
    pub(super) cell_bits: u32,
    pub(super) cell_bytes: usize,
    pub(super) findings: &'a mut Diagnostics,
    pub(super) unread: Unread,
    /// Undefined symbols that have been reported.
    pub(super) undefined: BTreeSet<u32>,
    /// The first symbol of each name that has a definition, once one without is met.
    pub(super) defined: OnceCell<HashMap<&'a str, usize>>,
}

impl Emission<'_> {
    /// The pieces that hold something, by ascending address, and the line of each item in them.
    pub(super) fn emit(mut self) -> (Vec<AssembledPiece>, Vec<Line>) {
        let total: u64 = self
            .layout
            .pieces
            .iter()
            .filter(|piece| !self.is_zero(piece))
            .map(|piece| piece.size_cells.saturating_mul(self.cell_bytes as u64))
            .fold(0, u64::saturating_add);
        if total > MOST_BYTES {
            if self.layout.is_settled {
                self.too_large(total);
            }
            return (Vec::new(), Vec::new());
        }
        let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); self.layout.pieces.len()];
        let mut lines = Vec::new();
        for index in 0..self.items.len() {
            let (piece, _) = self.layout.places[index];
            let zero = self.is_zero(&self.layout.pieces[piece]);
            let size = self.layout.sizes[index];
            let begin = bytes[piece].len();
            self.item(index, &mut bytes[piece]);
            if zero {
                bytes[piece].clear();
            } else {
                bytes[piece].resize(begin + size as usize * self.cell_bytes, 0);
            }
            if !matches!(self.items[index].kind, ItemKind::Mark | ItemKind::Origin(_)) {
                let address = self.layout.address(index);
                let is_code =
                    matches!(self.items[index].kind, ItemKind::Instruction(_) | ItemKind::Fixed { .. });
                lines.push(Line { address, size_cells: size, span: self.items[index].span, is_code, piece });
            }
        }
        self.check_symbols();
        self.check_circles();
        let pieces = self.layout.pieces.iter().zip(bytes).enumerate();
        let pieces = pieces.map(|(number, (piece, bytes))| AssembledPiece {
            number,
            section: self.sections[piece.section].name.clone(),
            kind: self.sections[piece.section].kind,
            address: piece.base,
            size_cells: piece.size_cells,
            align: piece.align,
            bytes,
        });
        let mut pieces: Vec<AssembledPiece> = pieces.filter(|piece| piece.size_cells > 0).collect();
        pieces.sort_by_key(|piece| (piece.address, piece.number));
        (pieces, lines)
    }

    fn is_zero(&self, piece: &Piece) -> bool {
        self.sections[piece.section].kind == SectionKind::Zero
    }

    fn too_large(&mut self, total: u64) {
        let largest = (0..self.items.len()).max_by_key(|index| self.layout.sizes[*index]).unwrap_or(0);
        let message = format!("the program has {total} bytes; at most {MOST_BYTES} can be assembled");
        self.findings.push(
            Diagnostic::error(code::TOO_LARGE, self.items[largest].span, message)
                .label("the largest part")
                .help("reserve what is zero in .bss, or leave a gap by `.org`"),
        );
    }

    fn item(&mut self, index: usize, bytes: &mut Vec<u8>) {
        match &self.items[index].kind {
            ItemKind::Mark => {}
            ItemKind::Instruction(instruction) => self.instruction(index, instruction, bytes),
            ItemKind::Fixed { words, .. } => self.words(words, bytes),
            ItemKind::Data { directive, width_bits, values } => {
                if *directive == ".cell" {
                    self.check_cells(index, "`.cell`");
                }
                for (expr, span) in values {
                    if let Expr::Wide(word) = &**expr
                        && *word & !Bits::ones(*width_bits) == Bits::ZERO
                    {
                        self.word(*word, *width_bits, bytes);
                        continue;
                    }
                    let value = self.value(index, expr, *span).unwrap_or(0);
                    self.check_data(value, *width_bits, *span);
                    self.word(pattern(value, *width_bits), *width_bits, bytes);
                }
            }
            ItemKind::Cells(cells) => {
                self.check_cells(index, "a text");
                for cell in cells {
                    self.word(Bits::from_u128((*cell).into()), self.cell_bits, bytes);
                }
            }
            ItemKind::Space { directive, count, fill } => {
                let span = self.items[index].span;
                self.value(index, count, span);
                let fill = fill.as_ref().and_then(|fill| self.value(index, fill, span)).unwrap_or(0);
                self.check_data(fill, self.cell_bits, span);
                let section = &self.sections[self.items[index].section];
                if section.kind == SectionKind::Zero {
                    // Nothing is written there.
                    if fill != 0 {
                        self.findings.push(contents_in_zero(section, directive, span));
                    }
                } else if fill != 0 {
                    let cell = pattern(fill, self.cell_bits);
                    let mut one = Vec::new();
                    self.word(cell, self.cell_bits, &mut one);
                    (0..self.layout.sizes[index]).for_each(|_| bytes.extend_from_slice(&one));
                }
            }
            ItemKind::Align(expr) | ItemKind::AlignBits(expr) | ItemKind::Origin(expr) => {
                self.value(index, expr, self.items[index].span);
            }
        }
    }

    /// What fills cells of the wrong width, because a LOAD takes it to a map with others, is told.
    fn check_cells(&mut self, index: usize, what: &str) {
        let Some(map) = self.loaded_into(index) else { return };
        if map.cell_bits == self.cell_bits {
            return;
        }
        let item = &self.items[index];
        let message = format!(
            "{what} fills cells of {} bits; LOAD takes {} to `{}`, whose cells have {}",
            self.cell_bits, self.sections[item.section].name, map.name, map.cell_bits
        );
        let whole = [(".byte", 8), (".half", 16), (".word", 32), (".quad", 64)];
        let directive = whole.iter().find(|(_, bits)| bits % self.cell_bits == 0);
        let help = match directive {
            Some((name, bits)) => {
                format!("write its bytes by `{name}`, {bits} bits of them at once, as the file holds them")
            }
            None => "load it from a file of its own".to_owned(),
        };
        self.findings
            .push(Diagnostic::error(code::NOT_CELLS, item.span, message).label("other cells").help(help));
    }

    /// The map beside HOST's that LOAD takes an item to.
    fn loaded_into(&self, index: usize) -> Option<&Map> {
        let address = u128::from(self.layout.address(index)) * self.cell_bytes as u128;
        let is_within = |low: u64, high: u64| (u128::from(low)..=u128::from(high)).contains(&address);
        let load = self.model.target.loads.iter().find(|(low, high, _)| is_within(*low, *high));
        load.map(|(_, _, map)| &self.model.maps[*map as usize])
    }

    /// True for an address beyond the last, where it was told that the program reaches there.
    fn is_beyond(&self, value: i128) -> bool {
        self.layout.exceeded.is_some_and(|last| value > last)
    }

    fn check_data(&mut self, value: i128, width_bits: u32, span: Span) {
        let width = width_bits.max(1);
        let low = 1i128.checked_shl(width - 1).map_or(i128::MIN, i128::wrapping_neg);
        let high = if width < 127 { (1 << width) - 1 } else { i128::MAX };
        if !(low..=high).contains(&value) && !self.is_beyond(value) {
            let message = format!("{value} does not fit {width_bits} bits");
            self.findings.push(
                Diagnostic::error(code::DATA_RANGE, span, message)
                    .label(format!("has to be {low} to {high}"))
                    .help("take a wider directive, or cut the value with `&`"),
            );
        }
    }

    fn instruction(&mut self, index: usize, instruction: &Instruction, bytes: &mut Vec<u8>) {
        let item = &self.items[index];
        let around = Around { model: self.model, symbols: self.symbols, layout: self.layout, item: index };
        let mut spot = Spot { address: Some(self.layout.address(index)), around: &around, is_told: false };
        let chosen = choose(self.model, &instruction.candidates, &spot, Some(instruction.size_cells));
        if let Ok((_, words)) = chosen {
            self.words(words.as_deref().unwrap_or_default(), bytes);
            return;
        }
        // In the size that was settled on nothing fits: the reason is that of all ways.
        spot.is_told = true;
        match choose(self.model, &instruction.candidates, &spot, None) {
            Ok((candidate, Some(_))) => {
                let (size, given) = (candidate.size_cells, instruction.size_cells);
                let cells = if size == 1 { "cell" } else { "cells" };
                let message = format!("this has code of {size} {cells}, but it was given {given}");
                let finding = Diagnostic::error(code::UNSETTLED, item.span, message)
                    .label("grew before all addresses were known")
                    .help(
                        "nothing that has grown shrinks again, and its longer code has no such operands; let \
                         less depend on symbols that are defined behind it",
                    );
                self.findings.push(with_context(finding, instruction.expanded.clone()));
            }
            Ok((_, None)) => {
                let misfit = self.unknown(&instruction.candidates[0], &spot);
                self.misfit(item, instruction, &misfit);
            }
            Err(misfit) => self.misfit(item, instruction, &misfit),
        }
    }

    fn unknown(&self, candidate: &super::candidate::Candidate, spot: &Spot<'_>) -> Misfit {
        let misfit = candidate.words(self.model, spot).err();
        misfit.unwrap_or(Misfit::Otherwise(None))
    }

    fn misfit(&mut self, item: &Item, instruction: &Instruction, misfit: &Misfit) {
        let place = |range: (u32, u32)| match instruction.expanded {
            Some(_) => item.span,
            None => Span { start: item.span.start + range.0, end: item.span.start + range.1, ..item.span },
        };
        if let Misfit::NoValue { range, why: NoValue::Unknown } = misfit {
            let expressions: Vec<Expr> = instruction
                .candidates
                .first()
                .map(|candidate| candidate.expressions(*range))
                .unwrap_or_default();
            expressions.iter().for_each(|expr| self.unknown_symbols(expr, place(*range)));
            return;
        }
        let is_follow_up = match misfit {
            Misfit::Range { value, .. } | Misfit::Computed { value, .. } | Misfit::Uncoded { value, .. } => {
                self.is_beyond(*value)
            }
            _ => false,
        };
        if !is_follow_up {
            let diagnostic = misfit_diagnostic(self.model, self.symbols, misfit, item.span, &place);
            let diagnostic = match instruction.is_literal {
                true => diagnostic.help(LITERAL_PARENTHESIS),
                false => diagnostic,
            };
            self.findings.push(with_context(diagnostic, instruction.expanded.clone()));
        }
    }

    fn value(&mut self, index: usize, expr: &Expr, span: Span) -> Option<i128> {
        let around = Around { model: self.model, symbols: self.symbols, layout: self.layout, item: index };
        match expr.value(&around) {
            Ok(value) => Some(value),
            Err(NoValue::Unknown) => {
                self.unknown_symbols(expr, span);
                None
            }
            Err(why) => {
                self.findings.push(no_value(self.model, self.symbols, why, span));
                None
            }
        }
    }

    /// Reports what an expression names and nothing defines, each symbol of a file once.
    fn unknown_symbols(&mut self, expr: &Expr, span: Span) {
        let mut names = Vec::new();
        expr.walk(&mut |expr| names.push(expr.clone()));
        for expr in names {
            match expr {
                Expr::Symbol(symbol)
                    if self.symbols.resolved(symbol).is_none() && self.undefined.insert(symbol) =>
                {
                    self.undefined_symbol(symbol, span);
                }
                Expr::Local(mention) if self.symbols.local(mention).is_none() => {
                    let mention = self.symbols.mentions[mention as usize];
                    let (letter, direction) = if mention.forward { ('f', "behind") } else { ('b', "before") };
                    let number = mention.number;
                    let message = format!("there is no label `{number}:` {direction} this line");
                    self.findings.push(
                        Diagnostic::error(code::NO_LOCAL_LABEL, span, message)
                            .label(format!("`{number}{letter}` means nothing"))
                            .help(format!("write `{number}:` where it shall lead")),
                    );
                }
                _ => {}
            }
        }
    }

    fn undefined_symbol(&mut self, symbol: u32, span: Span) {
        let Self { symbols, .. } = *self;
        let own = &symbols.list[symbol as usize];
        if self.unread.file || self.unread.words.contains(&own.name) {
            return;
        }
        let defined = self.defined.get_or_init(|| {
            let all = symbols.list.iter().enumerate().filter(|(_, symbol)| symbol.definition.is_some());
            // The first of a name is what is left.
            all.rev().map(|(index, symbol)| (symbol.name.as_str(), index)).collect()
        });
        let elsewhere = defined.get(own.name.as_str()).map(|other| &symbols.list[*other]);
        let message = format!("`{}` is not defined", own.name);
        let mut diagnostic = Diagnostic::error(code::UNDEFINED, span, message).label("not defined");
        if let Some(definition) = elsewhere.and_then(|other| other.definition.as_ref()) {
            diagnostic = diagnostic
                .secondary(definition.span, "another file has it for itself")
                .help(format!("let that file say `.global {}`", own.name));
        } else {
            let known =
                symbols.list.iter().filter(|other| other.unit == own.unit && other.definition.is_some());
            let near = (self.findings.len() < 200)
                .then(|| did_you_mean(&own.name, known.map(|other| other.name.as_str())))
                .flatten();
            let help = format!("define it, as `{}:` or by `.equ`, or name the file that does, too", own.name);
            diagnostic = diagnostic.help(near.unwrap_or(help));
        }
        self.findings.push(diagnostic);
    }

    /// Reports `.global` of nothing, and `.equ` without a value.
    fn check_symbols(&mut self) {
        for (index, symbol) in (0..).zip(&self.symbols.list) {
            if let (Some(span), None) = (symbol.global, self.symbols.resolved(index))
                && self.undefined.insert(index)
            {
                self.undefined_symbol(index, span);
            }
            if let Some(definition) = &symbol.definition
                && let Meaning::Equal(expr, item) = &definition.meaning
            {
                let around =
                    Around { model: self.model, symbols: self.symbols, layout: self.layout, item: *item };
                match expr.value(&around) {
                    Ok(_) => {}
                    Err(NoValue::Unknown) => self.unknown_symbols(expr, definition.span),
                    Err(why) => {
                        self.findings.push(no_value(self.model, self.symbols, why, definition.span));
                    }
                }
            }
        }
    }

    /// Reports `.equ`s that need themselves: one finding for all that need each other.
    fn check_circles(&mut self) {
        for circle in find_circles(self.symbols) {
            let definition = |symbol: &u32| self.symbols.list[*symbol as usize].definition.as_ref();
            let mut spans: Vec<(Span, u32)> =
                circle.iter().filter_map(|symbol| Some((definition(symbol)?.span, *symbol))).collect();
            spans.sort_unstable();
            let Some((first, others)) = spans.split_first() else { continue };
            let finding = no_value(self.model, self.symbols, NoValue::Circle(first.1), first.0);
            let shown = others.iter().take(MOST_SHOWN);
            self.findings
                .push(shown.fold(finding, |finding, (span, _)| finding.secondary(*span, "needs it, too")));
        }
    }

    fn words(&self, words: &[(Bits, u32)], bytes: &mut Vec<u8>) {
        for (word, width) in words {
            self.word(*word, *width, bytes);
        }
    }

    /// A word as bytes: cells in address order, each in whole bytes in the target's order.
    fn word(&self, word: Bits, width_bits: u32, bytes: &mut Vec<u8>) {
        let big = self.model.target.big_endian;
        for cell in cells_of_words(&[(word, width_bits)], self.cell_bits, big) {
            let mut one = cell.to_be_bytes(self.cell_bytes as u32 * 8);
            if !big {
                one.reverse();
            }
            bytes.extend(one);
        }
    }
}

/// A number in so many bits, with its sign in all of them.
fn pattern(value: i128, width_bits: u32) -> Bits {
    let high = if value < 0 { !Bits::ones(u128::BITS) } else { Bits::ZERO };
    (Bits::from_u128(value as u128) | high) & Bits::ones(width_bits)
}
