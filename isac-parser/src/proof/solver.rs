//! Whether some word satisfies a circuit.
//!
//! Each gate is a variable with three clauses that say what it is (G. S. Tseitin, On the
//! Complexity of Derivation in Propositional Calculus, 1968); a solver then finds a word or shows
//! that there is none. It takes the same steps whenever it is asked the same, so that a bound on
//! steps gives the same answer on every machine.

use std::cell::Cell;
use std::collections::BTreeMap;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

use super::Undecided;
use super::circuit::{Circuit, Edge, Gate};
use crate::word::{MAX_BITS, Word};

/// Stops the solver when its steps are used up.
#[derive(Debug)]
struct Bound {
    left: Cell<u64>,
}

impl Callbacks for Bound {
    fn stop(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0
    }
}

/// A word for which an edge holds: bits that it does not need are 0, those beyond the widest word are
/// not in it. `None` if there is none.
///
/// # Errors
///
/// If it takes more than `effort` steps, which is reduced by what was needed.
pub(super) fn find_word(circuit: &Circuit, edge: Edge, effort: &mut u64) -> Result<Option<Word>, Undecided> {
    match edge {
        Edge::NEVER => return Ok(None),
        Edge::ALWAYS => return Ok(Some(Word::default())),
        _ => {}
    }
    let cone = circuit.cone(edge);
    *effort = effort.checked_sub(cone.len() as u64 / 16 + 1).ok_or(Undecided::Work)?;
    let mut solver = Solver::new(SolverOpts::default(), Bound { left: Cell::new(*effort) });
    let mut literals: BTreeMap<usize, Lit> = BTreeMap::new();
    let mut bits: Vec<(u32, Lit)> = Vec::new();
    for gate in cone {
        // False is tried first: what is open in a word is 0.
        let literal = Lit::new(solver.new_var(lbool::FALSE, true), true);
        literals.insert(gate, literal);
        let literal_of = |edge: Edge| match edge.is_negated() {
            true => !literals[&edge.gate()],
            false => literals[&edge.gate()],
        };
        match circuit.gate_of(gate) {
            Gate::Never => {
                solver.add_clause_reuse(&mut vec![!literal]);
            }
            Gate::Bit(bit) => bits.push((bit, literal)),
            Gate::And(one, other) => {
                let (one, other) = (literal_of(one), literal_of(other));
                solver.add_clause_reuse(&mut vec![!literal, one]);
                solver.add_clause_reuse(&mut vec![!literal, other]);
                solver.add_clause_reuse(&mut vec![literal, !one, !other]);
            }
        }
    }
    let goal = literals[&edge.gate()];
    solver.add_clause_reuse(&mut vec![if edge.is_negated() { !goal } else { goal }]);
    let result = solver.solve_limited(&[]);
    *effort = solver.cb().left.get();
    if result == lbool::TRUE {
        let is_set =
            |(bit, literal): &&(u32, Lit)| *bit < MAX_BITS && solver.value_lit(*literal) == lbool::TRUE;
        let set = bits.iter().filter(is_set);
        Ok(Some(set.fold(Word::default(), |word, (bit, _)| word | Word::of_bit(*bit))))
    } else if result == lbool::FALSE {
        Ok(None)
    } else {
        Err(Undecided::Work)
    }
}
