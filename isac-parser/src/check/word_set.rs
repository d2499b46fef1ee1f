//! The words that operations and groups match, and the paths by which they are reached.
//!
//! A *path* is one way of choosing members down to a leaf. Only what is no operand is chosen
//! along a path: the members of an operand, and of each alias where an operation has several,
//! are merged into one set first and compared among themselves as a choice of their own. Aliases
//! stand in different bits, so nothing is lost, and the cross product is never formed.

use std::collections::BTreeMap;

use crate::cube::{Budget, Cube, CubeSet, MAX_CUBES, TooManyCubes};
use crate::model::{CodingBit, Endian, InstanceId, InstanceRole, Model, OperationId, OperationOrGroup};

/// Most cubes of all paths of one choice.
const MAX_PATH_CUBES: usize = 4 * MAX_CUBES;

/// One way of choosing members.
#[derive(Debug, Clone)]
pub(super) struct Path {
    /// The operations from the outermost to the leaf.
    pub(super) chain: Vec<OperationId>,
    /// Width of the word in bits.
    pub(super) width_bits: u32,
    /// The words that lead here.
    pub(super) words: CubeSet,
}

/// Word sets and paths of a model, each computed once.
pub(super) struct WordSets<'a> {
    model: &'a Model,
    merged: BTreeMap<OperationOrGroup, CubeSet>,
    paths: BTreeMap<OperationOrGroup, Vec<Path>>,
    is_operand: BTreeMap<OperationOrGroup, bool>,
    budget: Budget,
}

impl<'a> WordSets<'a> {
    /// Nothing computed yet.
    pub(super) fn new(model: &'a Model) -> Self {
        WordSets {
            model,
            merged: BTreeMap::new(),
            paths: BTreeMap::new(),
            is_operand: BTreeMap::new(),
            budget: Budget::new(),
        }
    }

    /// All paths of a choice. Operations whose CODING was refused have none.
    pub(super) fn paths(&mut self, target: OperationOrGroup) -> Result<Vec<Path>, TooManyCubes> {
        if let Some(paths) = self.paths.get(&target) {
            return Ok(paths.clone());
        }
        let paths = match target {
            OperationOrGroup::Group(id) => {
                let mut paths = Vec::new();
                for member in &self.model.groups[id.index()].members {
                    paths.extend(self.paths(*member)?);
                }
                paths
            }
            OperationOrGroup::Operation(id) => self.operation_paths(id)?,
        };
        if paths.iter().map(|path| path.words.cubes().len()).sum::<usize>() > MAX_PATH_CUBES {
            return Err(TooManyCubes);
        }
        self.paths.insert(target, paths.clone());
        Ok(paths)
    }

    fn operation_paths(&mut self, id: OperationId) -> Result<Vec<Path>, TooManyCubes> {
        if self.model.operations[id.index()].coding.is_none() {
            return Ok(Vec::new());
        }
        let chosen = self.chosen_along(id);
        let inner = match chosen {
            Some(instance) => {
                let target = self.model.operations[id.index()].instances[instance.index()].target;
                self.paths(target)?.into_iter().map(Some).collect()
            }
            None => vec![None],
        };
        let mut paths = Vec::new();
        for inner in inner {
            let substitute = match (&inner, chosen) {
                (Some(path), Some(instance)) => Some((instance, &path.words)),
                _ => None,
            };
            let Some(words) = self.compose(id, substitute)? else {
                return Ok(Vec::new());
            };
            let width = self.model.operations[id.index()].coding.as_ref().map_or(0, Vec::len);
            let mut chain = vec![id];
            chain.extend(inner.iter().flat_map(|path| &path.chain));
            let width_bits = u32::try_from(width).unwrap_or(u32::MAX);
            paths.push(Path { chain, width_bits, words });
        }
        Ok(paths)
    }

    /// The instance whose members are chosen along a path: the only one that is no operand.
    fn chosen_along(&mut self, id: OperationId) -> Option<InstanceId> {
        let mut candidates = self.coded(id).into_iter().filter(|(_, target)| !self.operand(*target));
        let (first, second) = (candidates.next(), candidates.next());
        match (first, second) {
            (Some((instance, _)), None) => Some(instance),
            _ => None,
        }
    }

    fn coded(&self, id: OperationId) -> Vec<(InstanceId, OperationOrGroup)> {
        let instances = self.model.operations[id.index()].instances.iter();
        (0..)
            .map(InstanceId)
            .zip(instances)
            .filter(|(_, instance)| instance.role == InstanceRole::Coded)
            .map(|(id, instance)| (id, instance.target))
            .collect()
    }

    /// What is merged where an operation is reached: choices to be compared by themselves.
    pub(super) fn merged_targets(&mut self, id: OperationId) -> Vec<OperationOrGroup> {
        let chosen = self.chosen_along(id);
        let coded = self.coded(id).into_iter();
        coded.filter(|(id, _)| Some(*id) != chosen).map(|(_, target)| target).collect()
    }

    /// True if a target has an EXPRESSION, or one of its members has.
    fn operand(&mut self, target: OperationOrGroup) -> bool {
        if let Some(known) = self.is_operand.get(&target) {
            return *known;
        }
        let model = self.model;
        let is_operand = match target {
            OperationOrGroup::Operation(id) => model.operations[id.index()].expression.is_some(),
            OperationOrGroup::Group(id) => {
                model.groups[id.index()].members.iter().any(|member| self.operand(*member))
            }
        };
        self.is_operand.insert(target, is_operand);
        is_operand
    }

    /// All words of a target in one set; empty if its CODING was refused.
    fn merged(&mut self, target: OperationOrGroup) -> Result<CubeSet, TooManyCubes> {
        if let Some(known) = self.merged.get(&target) {
            return Ok(known.clone());
        }
        let model = self.model;
        let set = match target {
            OperationOrGroup::Operation(id) => self.compose(id, None)?.unwrap_or_default(),
            OperationOrGroup::Group(id) => {
                let mut cubes = Vec::new();
                for member in &model.groups[id.index()].members {
                    cubes.extend_from_slice(self.merged(*member)?.cubes());
                    if cubes.len() > MAX_PATH_CUBES {
                        return Err(TooManyCubes);
                    }
                }
                CubeSet::new(cubes, &mut self.budget)?
            }
        };
        self.merged.insert(target, set.clone());
        Ok(set)
    }

    /// An operation's words, one instance perhaps restricted to a set of its words.
    fn compose(
        &mut self,
        id: OperationId,
        substitute: Option<(InstanceId, &CubeSet)>,
    ) -> Result<Option<CubeSet>, TooManyCubes> {
        let model = self.model;
        let Some(coding) = &model.operations[id.index()].coding else {
            return Ok(None);
        };
        let mut base = Cube::default();
        // Position in the word of each bit of each instance.
        let mut positions: BTreeMap<InstanceId, Vec<(u32, u32)>> = BTreeMap::new();
        for (position, bit) in (0..).zip(coding.iter().rev()) {
            match bit {
                CodingBit::Fixed(set) => base = base.with_bit(position, *set),
                CodingBit::Any | CodingBit::Field { .. } => {}
                CodingBit::Instance { instance, bit } => {
                    positions.entry(*instance).or_default().push((*bit, position));
                }
            }
        }
        let mut cubes = vec![base];
        for (instance, positions) in positions {
            let target = model.operations[id.index()].instances[instance.index()].target;
            let words = match substitute {
                Some((restricted, words)) if restricted == instance => words.clone(),
                _ => self.merged(target)?,
            };
            if cubes.len().saturating_mul(words.cubes().len()) > MAX_CUBES {
                return Err(TooManyCubes);
            }
            let placed: Vec<Cube> = words.cubes().iter().map(|word| place(*word, &positions)).collect();
            // The bits of one instance are fixed by no other, so every pair has words.
            let pair = |cube: &Cube| -> Vec<Cube> {
                placed.iter().filter_map(|word| cube.intersect(*word)).collect()
            };
            cubes = cubes.iter().flat_map(pair).collect();
        }
        CubeSet::new(cubes, &mut self.budget).map(Some)
    }
}

/// A cube of an instance's words, moved to where its bits stand.
fn place(word: Cube, positions: &[(u32, u32)]) -> Cube {
    let fixed = positions.iter().filter_map(|(bit, at)| Some((*at, word.bit(*bit)?)));
    fixed.fold(Cube::default(), |cube, (position, set)| cube.with_bit(position, set))
}

/// Moves words of different widths to where the longest has the cells that are fetched first.
pub(super) fn align(paths: &mut [Path], endian: Endian) {
    let widest = paths.iter().map(|path| path.width_bits).max().unwrap_or(0);
    for path in paths {
        let shift = match endian {
            Endian::Little => 0,
            Endian::Big => widest - path.width_bits,
        };
        if shift > 0 {
            path.words = path.words.shifted(shift);
        }
        path.width_bits = widest;
    }
}
