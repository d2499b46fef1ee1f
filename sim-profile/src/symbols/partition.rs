//! One function for every cell of code, however the symbols lie over each other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::elf::{Area, Code, CodeSymbol, Rank, area_at};

/// Cells of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first.
    pub start: u64,
    /// Behind the last.
    pub end: u64,
    pub function: u32,
}

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionSymbol {
    /// The symbol, or the name of a region.
    pub name: String,
    /// Its first cell.
    pub start: u64,
    /// Whether it is code without symbols.
    pub is_region: bool,
}

/// A symbol with an end.
struct Extent<'a> {
    symbol: &'a CodeSymbol,
    end: u64,
}

/// The symbols at one address.
#[derive(Clone, Copy)]
struct Names<'a> {
    /// The one that names what stands there.
    best: &'a CodeSymbol,
    /// The largest size of all of them; 0 if none has one.
    size: u64,
}

/// Functions and regions of a file, and the cells of each, by number.
pub(crate) fn divide(code: &Code, file: &str) -> (Vec<FunctionSymbol>, Vec<Piece>) {
    let extents = choose_extents(code);
    let mut pieces = lay(&extents);
    let named = extents.iter().map(|Extent { symbol, .. }| FunctionSymbol {
        name: symbol.name.clone(),
        start: symbol.start,
        is_region: false,
    });
    let mut functions: Vec<FunctionSymbol> = named.collect();
    for gap in gaps(&code.areas, &pieces) {
        pieces.push(Piece { start: gap.start, end: gap.end, function: functions.len() as u32 });
        let name = format!("[{file} {:#x}]", gap.start);
        functions.push(FunctionSymbol { name, start: gap.start, is_region: true });
    }
    (functions, pieces)
}

/// The symbols that name functions, ascending, one for each address.
fn choose_extents(code: &Code) -> Vec<Extent<'_>> {
    let mut functions = best_by_address(code.symbols.iter().filter(|symbol| symbol.rank > Rank::Label));
    let sized = lay(&extend(&functions, &code.areas));
    // A label within a function is a place to jump to.
    let outside = |pieces: &[Piece], symbol: &CodeSymbol| piece_at(pieces, symbol.start).is_none();
    let labels = code.symbols.iter().filter(|symbol| symbol.rank == Rank::Label);
    functions.extend(best_by_address(labels.filter(|symbol| outside(&sized, symbol))));
    let covered = lay(&extend(&functions, &code.areas));
    let local = code.symbols.iter().filter(|symbol| symbol.rank == Rank::LocalLabel);
    functions.extend(best_by_address(local.filter(|symbol| outside(&covered, symbol))));
    extend(&functions, &code.areas)
}

/// Of the symbols at one address the surest one; the larger, the first by name of equals. Its cells are those
/// of all of them: other names of it may have the size that it lacks.
fn best_by_address<'a>(symbols: impl Iterator<Item = &'a CodeSymbol>) -> BTreeMap<u64, Names<'a>> {
    let mut best: BTreeMap<u64, Names<'a>> = BTreeMap::new();
    let key = |symbol: &CodeSymbol| (symbol.rank, symbol.size, Reverse(symbol.name.clone()));
    for symbol in symbols {
        let names = best.entry(symbol.start).or_insert(Names { best: symbol, size: 0 });
        names.size = names.size.max(symbol.size);
        if key(symbol) > key(names.best) {
            names.best = symbol;
        }
    }
    best
}

/// Ends of symbols: one without size goes on to the next, or to the end of its area.
fn extend<'a>(symbols: &BTreeMap<u64, Names<'a>>, areas: &[Area]) -> Vec<Extent<'a>> {
    let nexts = symbols.keys().skip(1).copied().chain([u64::MAX]);
    symbols
        .values()
        .zip(nexts)
        .map(|(&Names { best: symbol, size }, next)| {
            let last = area_at(areas, symbol.start).map_or(symbol.start, |area| area.end);
            let end = match size {
                0 => next.min(last),
                size => symbol.start.saturating_add(size).min(last),
            };
            Extent { symbol, end }
        })
        .collect()
}

/// Cells of each: of two that overlap the later one has those that both have, the other what is
/// left. Numbers are places in `extents`, which ascend.
fn lay(extents: &[Extent<'_>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Vec<(u64, u32)> = Vec::new();
    let mut at = 0;
    let mut add = |start: u64, end: u64, function: u32| {
        if start < end {
            pieces.push(Piece { start, end, function });
        }
    };
    for (number, extent) in (0u32..).zip(extents) {
        let start = extent.symbol.start;
        while let Some(&(end, function)) = open.last().filter(|(end, _)| *end <= start) {
            add(at, end, function);
            at = at.max(end);
            open.pop();
        }
        if let Some(&(_, function)) = open.last() {
            add(at, start, function);
        }
        at = start;
        open.push((extent.end, number));
    }
    while let Some((end, function)) = open.pop() {
        add(at, end, function);
        at = at.max(end);
    }
    pieces
}

/// Cells of areas that no piece has.
fn gaps(areas: &[Area], pieces: &[Piece]) -> Vec<Area> {
    let mut gaps = Vec::new();
    let mut pieces = pieces.iter().peekable();
    for area in areas {
        let mut at = area.start;
        while let Some(piece) = pieces.next_if(|piece| piece.start < area.end) {
            if at < piece.start {
                gaps.push(Area { start: at, end: piece.start });
            }
            at = at.max(piece.end);
        }
        if at < area.end {
            gaps.push(Area { start: at, end: area.end });
        }
    }
    gaps
}

/// The piece that a cell is in.
fn piece_at(pieces: &[Piece], cell: u64) -> Option<&Piece> {
    let behind = pieces.partition_point(|piece| piece.start <= cell);
    let piece = &pieces[behind.checked_sub(1)?];
    (cell < piece.end).then_some(piece)
}

/// Sorts the pieces of all files; of those that overlap the first file's stay. Those that lost cells, as
/// they were.
pub(crate) fn sort_pieces(pieces: &mut Vec<Piece>) -> Vec<Piece> {
    let mut sorted: BTreeMap<u64, Piece> = BTreeMap::new();
    let mut cut: Vec<Piece> = Vec::new();
    for piece in pieces.drain(..) {
        let mut start = piece.start;
        while start < piece.end {
            let before = sorted.range(..=start).next_back().map(|(_, taken)| taken.end);
            if let Some(end) = before.filter(|end| *end > start) {
                if cut.last() != Some(&piece) {
                    cut.push(piece);
                }
                start = end;
                continue;
            }
            let next = sorted.range(start..).next().map_or(piece.end, |(next, _)| piece.end.min(*next));
            sorted.insert(start, Piece { start, end: next, function: piece.function });
            start = next;
        }
    }
    pieces.extend(sorted.into_values());
    cut
}

#[cfg(test)]
mod tests {
    use super::{Code, CodeSymbol, Piece, Rank, divide, sort_pieces};
    use crate::symbols::elf::Area;

    fn symbol(name: &str, start: u64, size: u64, rank: Rank) -> CodeSymbol {
        CodeSymbol { name: name.to_owned(), start, size, rank }
    }

    /// Pieces as `start..end name`.
    fn divided(areas: &[(u64, u64)], symbols: Vec<CodeSymbol>) -> Vec<String> {
        let areas = areas.iter().map(|&(start, end)| Area { start, end }).collect();
        let (functions, mut pieces) = divide(&Code { areas, symbols }, "p");
        sort_pieces(&mut pieces);
        let show = |piece: &Piece| {
            format!("{}..{} {}", piece.start, piece.end, functions[piece.function as usize].name)
        };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn a_nested_function_interrupts_the_one_around_it() {
        let symbols =
            vec![symbol("outer", 0, 20, Rank::Function), symbol("inner", 5, 5, Rank::LocalFunction)];
        assert_eq!(divided(&[(0, 20)], symbols), ["0..5 outer", "5..10 inner", "10..20 outer"]);
    }

    #[test]
    fn of_two_that_overlap_the_later_one_has_the_cells_of_both() {
        let symbols = vec![symbol("b", 5, 10, Rank::Function), symbol("a", 0, 10, Rank::Function)];
        assert_eq!(divided(&[(0, 20)], symbols), ["0..5 a", "5..15 b", "15..20 [p 0xf]"]);
    }

    #[test]
    fn code_without_symbols_is_a_region_of_its_own() {
        let symbols = vec![symbol("f", 4, 4, Rank::Function)];
        let expected = ["0..4 [p 0x0]", "4..8 f", "8..10 [p 0x8]", "16..20 [p 0x10]"];
        assert_eq!(divided(&[(0, 10), (16, 20)], symbols), expected);
        assert_eq!(divided(&[(0, 10)], Vec::new()), ["0..10 [p 0x0]"]);
    }

    #[test]
    fn a_function_without_size_goes_on_to_the_next() {
        let symbols = vec![
            symbol("start", 0, 0, Rank::Label),
            symbol("loop", 4, 0, Rank::LocalLabel),
            symbol("main", 8, 0, Rank::Function),
            symbol("inside", 9, 0, Rank::Label),
        ];
        assert_eq!(divided(&[(0, 12)], symbols), ["0..8 start", "8..12 main"]);
    }

    #[test]
    fn labels_alone_are_functions() {
        let symbols = vec![symbol("a", 2, 0, Rank::LocalLabel), symbol("b", 6, 0, Rank::LocalLabel)];
        assert_eq!(divided(&[(0, 8)], symbols), ["0..2 [p 0x0]", "2..6 a", "6..8 b"]);
    }

    #[test]
    fn of_several_names_the_surest_is_taken() {
        let symbols = vec![
            symbol("alias", 0, 4, Rank::WeakFunction),
            symbol("name", 0, 4, Rank::Function),
            symbol("other", 0, 4, Rank::Function),
        ];
        assert_eq!(divided(&[(0, 4)], symbols), ["0..4 name"]);
    }

    #[test]
    fn a_function_has_the_cells_of_all_its_names() {
        let symbols = vec![
            symbol("name", 0, 0, Rank::Function),
            symbol("alias", 0, 8, Rank::WeakFunction),
            symbol("local", 0, 4, Rank::LocalFunction),
            symbol("next", 12, 4, Rank::Function),
            symbol("whole", 12, 8, Rank::LocalFunction),
        ];
        assert_eq!(divided(&[(0, 20)], symbols), ["0..8 name", "8..12 [p 0x8]", "12..20 next"]);
    }

    #[test]
    fn of_two_files_the_first_has_the_cells_of_both() {
        let piece = |start, end, function| Piece { start, end, function };
        let mut pieces = vec![piece(4, 8, 1), piece(0, 12, 2)];
        assert_eq!(sort_pieces(&mut pieces), [piece(0, 12, 2)]);
        assert_eq!(pieces, [piece(0, 4, 2), piece(4, 8, 1), piece(8, 12, 2)]);
    }
}
