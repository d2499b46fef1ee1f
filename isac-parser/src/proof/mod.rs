//! Proofs about sets of words: whether two have a word in common, whether one is part of another.
//!
//! Nearly all sets of an instruction set are a few cubes, and of these everything is found by
//! comparing them. Where they would become too many, as where two rows of bits have to be equal, a
//! set is a circuit instead, and a satisfiability solver answers. Both are exact; which of them has
//! answered is not to be seen. What one description may ask of either is bounded.

mod circuit;
mod diagram;
mod solver;
mod space;
#[cfg(test)]
mod tests;

pub(crate) use self::circuit::{Circuit, Edge};
pub use self::diagram::{Diagram, DiagramNode};
pub(crate) use self::space::{Listed, WordSpace};
use crate::cube::{Budget, Cube, CubeSet, TooManyCubes};

/// Steps of the solver for all proofs of a description: seconds.
pub(crate) const MAX_EFFORT: u64 = 50_000;

/// So often sets may turn out to have too many cubes only after long comparisons.
const MAX_BUDGETS: u32 = 3;

/// Rounds of a proof about what words are in some of their bits.
const MAX_ROUNDS: usize = 200;

/// A question that was too hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undecided {
    /// There are too many things to compare.
    Patterns,
    /// The solver has taken all steps that it may.
    Work,
    /// The words of a set take too many questions to be told from others.
    Questions,
}

/// A set of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Words {
    /// Those of some cubes.
    Cubes(CubeSet),
    /// Those for which a circuit holds; `hull` is a cube around them.
    Circuit { edge: Edge, hull: Cube },
}

impl Default for Words {
    fn default() -> Self {
        Words::Cubes(CubeSet::default())
    }
}

impl Words {
    /// The words of one cube.
    pub(crate) fn of_cube(cube: Cube) -> Words {
        Words::Cubes(CubeSet::of_disjoint(vec![cube]))
    }

    /// The cubes, where there are not too many.
    pub(crate) fn cubes(&self) -> Option<&CubeSet> {
        match self {
            Words::Cubes(cubes) => Some(cubes),
            Words::Circuit { .. } => None,
        }
    }

    /// Cubes around the words: just these, where they can be listed.
    pub(crate) fn patterns(&self) -> Vec<Cube> {
        match self {
            Words::Cubes(cubes) => cubes.cubes().to_vec(),
            Words::Circuit { hull, .. } => vec![*hull],
        }
    }

    /// How much is looked at when it is compared.
    pub(crate) fn size(&self) -> usize {
        self.cubes().map_or(1, |cubes| cubes.cubes().len())
    }

    /// A cube around all of them; `None` if there is no word.
    pub(crate) fn hull(&self) -> Option<Cube> {
        match self {
            Words::Cubes(cubes) => cubes.hull(),
            Words::Circuit { hull, .. } => Some(*hull),
        }
    }

    /// True if it is seen at once that every word is in it.
    pub(crate) fn is_everything(&self) -> bool {
        match self {
            Words::Cubes(cubes) => cubes.is_everything(),
            Words::Circuit { edge, .. } => *edge == Edge::ALWAYS,
        }
    }
}

/// Answers questions about sets of words, within bounds.
#[derive(Debug)]
pub(crate) struct Prover {
    budget: Budget,
    /// How many more budgets there are.
    budgets: u32,
    circuit: Circuit,
    effort: u64,
}

impl Prover {
    /// Nothing asked yet.
    pub(crate) fn new() -> Prover {
        Prover { budget: Budget::new(), budgets: MAX_BUDGETS, circuit: Circuit::new(), effort: MAX_EFFORT }
    }

    /// Never compares cubes.
    #[cfg(test)]
    pub(crate) fn of_circuits() -> Prover {
        Prover { budget: Budget::spent(), budgets: 0, ..Prover::new() }
    }

    /// True where sets are circuits from the beginning.
    fn has_no_cubes(&self) -> bool {
        self.budgets == 0 && self.budget.is_spent()
    }

    /// What cubes have answered; `None` if they are too many.
    pub(crate) fn by_cubes<T>(
        &mut self,
        ask: impl FnOnce(&mut Budget) -> Result<T, TooManyCubes>,
    ) -> Option<T> {
        if self.has_no_cubes() {
            return None;
        }
        let answer = ask(&mut self.budget).ok();
        if self.budget.is_spent() && self.budgets > 0 {
            self.budgets -= 1;
            self.budget = if self.budgets > 0 { Budget::new() } else { Budget::spent() };
        }
        answer
    }

    /// The circuit that sets are made of.
    pub(crate) fn circuit(&mut self) -> &mut Circuit {
        &mut self.circuit
    }

    /// The words of any of some cubes.
    pub(crate) fn union_of_cubes(&mut self, cubes: Vec<Cube>) -> Result<Words, Undecided> {
        if cubes.len() <= 1 && !self.has_no_cubes() {
            return Ok(Words::Cubes(CubeSet::of_disjoint(cubes)));
        }
        match self.by_cubes(|budget| CubeSet::new(cubes.clone(), budget)) {
            Some(set) => Ok(Words::Cubes(set)),
            None => self.as_circuit(&Words::Cubes(CubeSet::of_disjoint(cubes))),
        }
    }

    /// The words of any of some sets.
    pub(crate) fn union(&mut self, sets: &[&Words]) -> Result<Words, Undecided> {
        let cubes: Option<Vec<&CubeSet>> = sets.iter().map(|set| set.cubes()).collect();
        if let Some(cubes) = cubes {
            return self.union_of_cubes(cubes.iter().flat_map(|set| set.cubes()).copied().collect());
        }
        let (mut edge, mut hull) = (Edge::NEVER, None);
        for set in sets {
            let own = self.edge(set)?;
            edge = self.circuit.or(edge, own)?;
            hull = match (hull, set.hull()) {
                (Some(hull), Some(own)) => Some(Cube::join(hull, own)),
                (hull, own) => hull.or(own),
            };
        }
        Ok(hull.map_or_else(Words::default, |hull| Words::Circuit { edge, hull }))
    }

    /// The words of both.
    pub(crate) fn intersect(&mut self, one: &Words, other: &Words) -> Result<Words, Undecided> {
        let Some(hull) = joint_hull(one, other) else { return Ok(Words::default()) };
        if let (Words::Cubes(a), Words::Cubes(b)) = (one, other)
            && let Some(both) = self.by_cubes(|budget| a.intersect(b, budget))
        {
            return Ok(Words::Cubes(both));
        }
        let (one, other) = (self.edge(one)?, self.edge(other)?);
        let edge = self.circuit.and(one, other)?;
        Ok(if edge == Edge::NEVER { Words::default() } else { Words::Circuit { edge, hull } })
    }

    /// The words of all. Where cubes become too many, nothing of the sets that they come from is
    /// lost: the solver is quick where two circuits are made of the same parts.
    pub(crate) fn intersect_all(&mut self, sets: &[Words]) -> Result<Words, Undecided> {
        let cubes: Option<Vec<&CubeSet>> = sets.iter().map(Words::cubes).collect();
        if let Some(cubes) = cubes
            && let Some(all) = self.by_cubes(|budget| {
                let everything = CubeSet::of_disjoint(vec![Cube::default()]);
                cubes.iter().try_fold(everything, |all, set| all.intersect(set, budget))
            })
        {
            return Ok(Words::Cubes(all));
        }
        let mut hull = Some(Cube::default());
        let mut all = Edge::ALWAYS;
        for set in sets {
            hull = hull.zip(set.hull()).and_then(|(one, other)| one.intersect(other));
            let edge = self.edge(set)?;
            all = self.circuit.and(all, edge)?;
        }
        let hull = hull.filter(|_| all != Edge::NEVER);
        Ok(hull.map_or_else(Words::default, |hull| Words::Circuit { edge: all, hull }))
    }

    /// Words of both, as one cube.
    pub(crate) fn overlap(&mut self, one: &Words, other: &Words) -> Result<Option<Cube>, Undecided> {
        let Some(hull) = joint_hull(one, other) else { return Ok(None) };
        if let (Words::Cubes(a), Words::Cubes(b)) = (one, other)
            && let Some(both) = self.by_cubes(|budget| a.overlap(b, budget))
        {
            return Ok(both);
        }
        let (one, other) = (self.edge(one)?, self.edge(other)?);
        let both = self.circuit.and(one, other)?;
        let word = solver::find_word(&self.circuit, both, &mut self.effort)?;
        // Bits that no gate asks for are open.
        Ok(word.map(|word| self.asked_bits(both).fold(hull, |cube, bit| cube.with_bit(bit, word.has(bit)))))
    }

    fn asked_bits(&self, edge: Edge) -> impl Iterator<Item = u32> {
        let gates = self.circuit.cone(edge).into_iter();
        gates.filter_map(|gate| match self.circuit.gate_of(gate) {
            circuit::Gate::Bit(bit) => Some(bit),
            _ => None,
        })
    }

    /// True if every word of the first is one of the second.
    pub(crate) fn is_within(&mut self, inner: &Words, outer: &Words) -> Result<bool, Undecided> {
        if let (Words::Cubes(a), Words::Cubes(b)) = (inner, outer)
            && let Some(answer) = self.by_cubes(|budget| a.is_within(b, budget))
        {
            return Ok(answer);
        }
        let (inner, outer) = (self.edge(inner)?, self.edge(outer)?);
        let beyond = self.circuit.and(inner, outer.negated())?;
        Ok(solver::find_word(&self.circuit, beyond, &mut self.effort)?.is_none())
    }

    /// True if there is no word.
    pub(crate) fn is_empty(&mut self, words: &Words) -> Result<bool, Undecided> {
        match words {
            Words::Cubes(cubes) => Ok(cubes.is_empty()),
            Words::Circuit { edge, .. } => {
                Ok(solver::find_word(&self.circuit, *edge, &mut self.effort)?.is_none())
            }
        }
    }

    /// The same with bit i of each word moved to bit `positions[i]`; others become open.
    pub(crate) fn placed(&mut self, words: &Words, positions: &[u32]) -> Result<Words, Undecided> {
        self.moved(words, |cube| cube.placed(positions), |bit| positions.get(bit as usize).copied())
    }

    /// The words with `bits` open bits put below each.
    pub(crate) fn shifted(&mut self, words: &Words, bits: u32) -> Result<Words, Undecided> {
        self.moved(words, |cube| cube.shifted(bits), |bit| Some(bit + bits))
    }

    fn moved(
        &mut self,
        words: &Words,
        cube: impl Fn(Cube) -> Cube,
        place: impl Fn(u32) -> Option<u32>,
    ) -> Result<Words, Undecided> {
        match words {
            Words::Cubes(cubes) => Ok(Words::Cubes(cubes.each(cube))),
            Words::Circuit { edge, hull } => {
                let edge = self.circuit.with_bits(*edge, |circuit, bit| {
                    place(bit).map(|bit| circuit.bit(bit, true)).transpose()
                })?;
                Ok(Words::Circuit { edge, hull: cube(*hull) })
            }
        }
    }

    /// True if each of some words is what the bits at `positions` are in some word of `around`.
    pub(crate) fn is_within_bits(
        &mut self,
        inner: &Words,
        around: &Words,
        positions: &[u32],
    ) -> Result<bool, Undecided> {
        if let (Words::Cubes(a), Words::Cubes(b)) = (inner, around)
            && let Some(answer) =
                self.by_cubes(|budget| a.is_within(&b.projected(positions, budget)?, budget))
        {
            return Ok(answer);
        }
        let placed = self.placed(inner, positions)?;
        let (mut candidates, around) = (self.edge(&placed)?, self.edge(around)?);
        // A candidate is a word of `inner`; each one that is found in `around` takes with it all that
        // are found there beside the same other bits.
        for _ in 0..MAX_ROUNDS {
            let Some(word) = solver::find_word(&self.circuit, candidates, &mut self.effort)? else {
                return Ok(true);
            };
            let fixed = self.fixed(around, |bit| positions.contains(&bit).then(|| word.has(bit)))?;
            let Some(found) = solver::find_word(&self.circuit, fixed, &mut self.effort)? else {
                return Ok(false);
            };
            let beside = self.fixed(around, |bit| (!positions.contains(&bit)).then(|| found.has(bit)))?;
            candidates = self.circuit.and(candidates, beside.negated())?;
        }
        Err(Undecided::Work)
    }

    /// An edge with the bits that are known put in.
    fn fixed(&mut self, edge: Edge, known: impl Fn(u32) -> Option<bool>) -> Result<Edge, Undecided> {
        self.circuit.with_bits(edge, |circuit, bit| match known(bit) {
            Some(true) => Ok(Some(Edge::ALWAYS)),
            Some(false) => Ok(Some(Edge::NEVER)),
            None => circuit.bit(bit, true).map(Some),
        })
    }

    /// True if each word of `around` has one of some words at `positions`.
    pub(crate) fn are_bits_within(
        &mut self,
        around: &Words,
        positions: &[u32],
        outer: &Words,
    ) -> Result<bool, Undecided> {
        let outer = self.placed(outer, positions)?;
        self.is_within(around, &outer)
    }

    /// What decides whether a word is one of a set, bit by bit; `None` for cubes.
    pub(crate) fn diagram(&self, words: &Words) -> Result<Option<Diagram>, Undecided> {
        match words {
            Words::Cubes(_) => Ok(None),
            Words::Circuit { edge, .. } => diagram::diagram_of(&self.circuit, *edge).map(Some),
        }
    }

    fn as_circuit(&mut self, words: &Words) -> Result<Words, Undecided> {
        let edge = self.edge(words)?;
        let hull = words.hull();
        Ok(hull.map_or_else(Words::default, |hull| Words::Circuit { edge, hull }))
    }

    fn edge(&mut self, words: &Words) -> Result<Edge, Undecided> {
        let cubes = match words {
            Words::Circuit { edge, .. } => return Ok(*edge),
            Words::Cubes(cubes) => cubes.cubes(),
        };
        self.effort = self.effort.checked_sub(cubes.len() as u64 / 4).ok_or(Undecided::Work)?;
        let mut any = Edge::NEVER;
        for cube in cubes {
            let mut all = Edge::ALWAYS;
            for (bit, set) in cube.fixed() {
                let bit = self.circuit.bit(bit, set)?;
                all = self.circuit.and(all, bit)?;
            }
            any = self.circuit.or(any, all)?;
        }
        Ok(any)
    }
}

/// A cube around the words of both; `None` if they are seen to be apart.
fn joint_hull(one: &Words, other: &Words) -> Option<Cube> {
    one.hull()?.intersect(other.hull()?)
}
