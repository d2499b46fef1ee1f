//! The order in which `.equ`s need each other, and those that need themselves.

use super::expression::Expr;
use super::symbol::{Meaning, Symbols};

/// A symbol that is not numbered.
const NEW: u32 = u32::MAX;

/// Symbols that need each other, each in one list only, ascending.
pub(super) fn find_circles(symbols: &Symbols) -> Vec<Vec<u32>> {
    let mut circles = components(symbols);
    circles.retain(|circle| match circle[..] {
        [symbol] => needed_by(symbols, symbol).contains(&symbol),
        _ => true,
    });
    circles.iter_mut().for_each(|circle| circle.sort_unstable());
    circles
}

/// All symbols, those that need each other together; what is needed stands before what needs it.
///
/// The strongly connected components as Tarjan finds them, by a walk in depth that keeps its path
/// itself: a chain may be as long as the text.
pub(super) fn components(symbols: &Symbols) -> Vec<Vec<u32>> {
    let count = symbols.list.len();
    let mut walk = Walk {
        symbols,
        numbers: vec![NEW; count],
        lowest: vec![NEW; count],
        waiting: Vec::new(),
        is_waiting: vec![false; count],
        met: 0,
        found: Vec::new(),
    };
    (0..count as u32).for_each(|root| walk.from(root));
    walk.found
}

struct Walk<'a> {
    symbols: &'a Symbols,
    /// The number of each symbol in the order in which they are met.
    numbers: Vec<u32>,
    /// The lowest number that each reaches and that waits.
    lowest: Vec<u32>,
    /// Symbols that were met and are in no component so far.
    waiting: Vec<u32>,
    is_waiting: Vec<bool>,
    met: u32,
    found: Vec<Vec<u32>>,
}

impl Walk<'_> {
    fn from(&mut self, root: u32) {
        if self.numbers[root as usize] != NEW {
            return;
        }
        let mut path = vec![(root, self.meet(root))];
        while let Some((symbol, needed)) = path.last_mut() {
            let symbol = *symbol;
            match needed.pop() {
                Some(next) if self.numbers[next as usize] == NEW => path.push((next, self.meet(next))),
                Some(next) => {
                    if self.is_waiting[next as usize] {
                        self.reach(symbol, self.numbers[next as usize]);
                    }
                }
                None => {
                    path.pop();
                    self.close(symbol);
                    if let Some((above, _)) = path.last() {
                        self.reach(*above, self.lowest[symbol as usize]);
                    }
                }
            }
        }
    }

    /// Numbers a symbol; gives those that it needs.
    fn meet(&mut self, symbol: u32) -> Vec<u32> {
        self.numbers[symbol as usize] = self.met;
        self.lowest[symbol as usize] = self.met;
        self.met += 1;
        self.waiting.push(symbol);
        self.is_waiting[symbol as usize] = true;
        needed_by(self.symbols, symbol)
    }

    fn reach(&mut self, symbol: u32, number: u32) {
        let lowest = &mut self.lowest[symbol as usize];
        *lowest = number.min(*lowest);
    }

    /// All that a symbol needs was gone through: if it reaches none before it, a component begins with it.
    fn close(&mut self, symbol: u32) {
        if self.lowest[symbol as usize] != self.numbers[symbol as usize] {
            return;
        }
        let begin = self.waiting.iter().rposition(|waiting| *waiting == symbol).unwrap_or(0);
        let component = self.waiting.split_off(begin);
        component.iter().for_each(|symbol| self.is_waiting[*symbol as usize] = false);
        self.found.push(component);
    }
}

/// The symbols that the `.equ` of a symbol names.
fn needed_by(symbols: &Symbols, symbol: u32) -> Vec<u32> {
    let mut needed = Vec::new();
    if let Some(Meaning::Equal(expr, _)) = symbols.list[symbol as usize].meaning() {
        expr.walk(&mut |expr| {
            if let Expr::Symbol(named) = expr {
                needed.extend(symbols.resolved(*named));
            }
        });
    }
    needed
}
