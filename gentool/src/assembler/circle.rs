//! `.equ`s that need themselves.

use super::expression::Expr;
use super::symbol::{Meaning, Symbols};

/// What is known of a symbol while all are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was not met.
    New,
    /// It is needed by what is gone through now.
    Open,
    /// All that it needs was gone through.
    Done,
}

/// Symbols that need each other, each in one list only.
///
/// A walk in depth, each symbol once: what it meets again while that is open closes a circle.
pub(super) fn find_circles(symbols: &Symbols) -> Vec<Vec<u32>> {
    let mut states = vec![State::New; symbols.list.len()];
    let mut circles = Vec::new();
    for root in 0..symbols.list.len() as u32 {
        if states[root as usize] == State::New {
            walk(symbols, root, &mut states, &mut circles);
        }
    }
    circles
}

fn walk(symbols: &Symbols, root: u32, states: &mut [State], circles: &mut Vec<Vec<u32>>) {
    let mut path = vec![(root, needed_by(symbols, root))];
    states[root as usize] = State::Open;
    while let Some((symbol, waiting)) = path.last_mut() {
        let Some(next) = waiting.pop() else {
            states[*symbol as usize] = State::Done;
            path.pop();
            continue;
        };
        match states[next as usize] {
            State::New => {
                states[next as usize] = State::Open;
                path.push((next, needed_by(symbols, next)));
            }
            State::Open => {
                let begin = path.iter().position(|(symbol, _)| *symbol == next).unwrap_or(0);
                circles.push(path[begin..].iter().map(|(symbol, _)| *symbol).collect());
            }
            State::Done => {}
        }
    }
}

/// The symbols that the `.equ` of a symbol names.
fn needed_by(symbols: &Symbols, symbol: u32) -> Vec<u32> {
    let definition = symbols.list[symbol as usize].definition.as_ref();
    let mut needed = Vec::new();
    if let Some(Meaning::Equal(expr, _)) = definition.map(|definition| &definition.meaning) {
        expr.walk(&mut |expr| {
            if let Expr::Symbol(named) = expr {
                needed.extend(symbols.resolved(*named));
            }
        });
    }
    needed
}
