//! The words that operations and groups match, and the paths by which they are reached.
//!
//! A *path* is one way of choosing members down to a leaf. Only what is no operand is chosen
//! along a path: the members of an operand, and of each alias where an operation has several,
//! are merged into one set first and compared among themselves as a choice of their own. Aliases
//! stand in different bits, so nothing is lost, and the cross product is never formed.
//!
//! Most paths differ in their fixed bits already. So each has a *coarse* set, which leaves aliases
//! open; its exact set is computed only where coarse sets overlap.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::when::when_words;
use crate::cube::{Cube, MAX_CUBES};
use crate::model::{
    CodingBit, InstanceId, InstanceRole, Model, OperationId, OperationOrGroup, PathStep, TailItem,
};
use crate::proof::{Prover, Undecided, Words};

/// Most cubes of all paths of one choice.
const MAX_PATH_CUBES: usize = 64 * MAX_CUBES;

/// One way of choosing members.
#[derive(Debug)]
pub(super) struct Path {
    /// From the choice to the leaf.
    pub(super) steps: Vec<PathStep>,
    /// The operations from the outermost to the leaf.
    pub(super) chain: Vec<OperationId>,
    /// Width of the word in bits.
    pub(super) width_bits: u32,
    /// The words that lead here, and more: aliases may be anything.
    pub(super) coarse: Words,
    /// The instance of the outermost operation along which the path goes on, and how.
    below: Option<(InstanceId, Rc<Path>)>,
    exact: OnceCell<Rc<Words>>,
}

/// An alias that a path leads past: a choice by itself.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    /// What is chosen.
    pub(super) target: OperationOrGroup,
    /// Where each bit of its coded word stands in the path's word.
    pub(super) positions: Vec<u32>,
}

/// Word sets and paths of a model, each computed once.
pub(super) struct WordSets<'a> {
    pub(super) model: &'a Model,
    merged: BTreeMap<OperationOrGroup, Rc<Words>>,
    paths: BTreeMap<OperationOrGroup, Rc<[Rc<Path>]>>,
    whens: BTreeMap<OperationId, Rc<Words>>,
    is_operand: BTreeMap<OperationOrGroup, bool>,
    pub(super) prover: Prover,
}

impl<'a> WordSets<'a> {
    /// Nothing computed yet.
    pub(super) fn new(model: &'a Model, prover: Prover) -> Self {
        WordSets {
            model,
            merged: BTreeMap::new(),
            paths: BTreeMap::new(),
            whens: BTreeMap::new(),
            is_operand: BTreeMap::new(),
            prover,
        }
    }

    /// All paths of a choice. Operations whose CODING was refused have none.
    pub(super) fn paths(&mut self, target: OperationOrGroup) -> Result<Rc<[Rc<Path>]>, Undecided> {
        if let Some(paths) = self.paths.get(&target) {
            return Ok(paths.clone());
        }
        let paths = match target {
            OperationOrGroup::Group(id) => {
                let mut paths = Vec::new();
                for member in &self.model.groups[id.index()].members {
                    let below = self.paths(*member)?;
                    paths.extend(below.iter().map(|path| Rc::new(path.as_member_of(target))));
                }
                paths
            }
            OperationOrGroup::Operation(id) => self.operation_paths(id)?,
        };
        if paths.iter().map(|path| path.coarse.size()).sum::<usize>() > MAX_PATH_CUBES {
            return Err(Undecided::Patterns);
        }
        let paths: Rc<[Rc<Path>]> = paths.into();
        self.paths.insert(target, paths.clone());
        Ok(paths)
    }

    fn operation_paths(&mut self, id: OperationId) -> Result<Vec<Rc<Path>>, Undecided> {
        let operation = &self.model.operations[id.index()];
        let Some(coding) = &operation.coding else {
            return Ok(Vec::new());
        };
        let width_bits = u32::try_from(coding.len()).unwrap_or(u32::MAX);
        let step = PathStep { target: OperationOrGroup::Operation(id), instance: None };
        let Some(instance) = self.chosen_along(id) else {
            let coarse = self.compose(id, &[], false)?;
            let (steps, chain) = (vec![step], vec![id]);
            return Ok(vec![Rc::new(Path {
                steps,
                chain,
                width_bits,
                coarse,
                below: None,
                exact: OnceCell::new(),
            })]);
        };
        let mut paths = Vec::new();
        for below in self.paths(operation.instances[instance.index()].target)?.iter() {
            let coarse = self.compose(id, &[(instance, &below.coarse)], false)?;
            let mut steps = vec![step];
            steps.extend(below.steps.iter().copied());
            steps[1].instance = Some(instance);
            let mut chain = vec![id];
            chain.extend(&below.chain);
            let below = Some((instance, below.clone()));
            paths.push(Rc::new(Path { steps, chain, width_bits, coarse, below, exact: OnceCell::new() }));
        }
        Ok(paths)
    }

    /// The words that lead along a path.
    pub(super) fn exact(&mut self, path: &Path) -> Result<Rc<Words>, Undecided> {
        if let Some(words) = path.exact.get() {
            return Ok(words.clone());
        }
        let words = match &path.below {
            Some((instance, below)) => {
                let below = self.exact(below)?;
                self.compose(path.chain[0], &[(*instance, below.as_ref())], true)?
            }
            None => self.compose(path.chain[0], &[], true)?,
        };
        Ok(path.exact.get_or_init(|| Rc::new(words)).clone())
    }

    /// The aliases beside a path, in the word of the path.
    pub(super) fn beside(&mut self, path: &Path) -> Vec<Beside> {
        let mut found = Vec::new();
        let mut here: Vec<u32> = (0..path.width_bits).collect();
        let mut path = Some(path);
        while let Some(outer) = path {
            let id = outer.chain[0];
            let below = outer.below.as_ref();
            let followed = below.map(|(instance, _)| *instance);
            for (instance, target) in self.coded(id) {
                if Some(instance) != followed {
                    found.push(Beside { target, positions: self.positions(id, instance, &here) });
                }
            }
            if let Some(instance) = followed {
                here = self.positions(id, instance, &here);
            }
            path = below.map(|(_, below)| below.as_ref());
        }
        found
    }

    /// Where the bits of an instance stand, if those of its operation's word stand at `here`.
    fn positions(&self, id: OperationId, instance: InstanceId, here: &[u32]) -> Vec<u32> {
        let coding = self.model.operations[id.index()].coding.as_deref().unwrap_or_default();
        let mut positions: Vec<(u32, u32)> = coding
            .iter()
            .rev()
            .zip(here)
            .filter_map(|(coded, at)| match coded {
                CodingBit::Instance { instance: found, bit } if *found == instance => Some((*bit, *at)),
                _ => None,
            })
            .collect();
        positions.sort_unstable();
        positions.into_iter().map(|(_, at)| at).collect()
    }

    /// The instance whose members are chosen along a path: the only one that is no operand.
    pub(super) fn chosen_along(&mut self, id: OperationId) -> Option<InstanceId> {
        let mut candidates = self.coded(id).into_iter().filter(|(_, target)| !self.operand(*target));
        let (first, second) = (candidates.next(), candidates.next());
        match (first, second) {
            (Some((instance, _)), None) => Some(instance),
            _ => None,
        }
    }

    /// The instances that stand in an operation's CODING.
    pub(super) fn coded(&self, id: OperationId) -> Vec<(InstanceId, OperationOrGroup)> {
        let operation = &self.model.operations[id.index()];
        let in_tail = |id: InstanceId| {
            operation
                .tail
                .iter()
                .any(|item| matches!(item, TailItem::Decode { instance, .. } if *instance == id))
        };
        let instances = (0..).map(InstanceId).zip(&operation.instances);
        instances
            .filter(|(id, instance)| instance.role == InstanceRole::Coded && !in_tail(*id))
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
    fn merged(&mut self, target: OperationOrGroup) -> Result<Rc<Words>, Undecided> {
        if let Some(known) = self.merged.get(&target) {
            return Ok(known.clone());
        }
        let model = self.model;
        let set = match target {
            OperationOrGroup::Operation(id) => self.compose(id, &[], true)?,
            OperationOrGroup::Group(id) => {
                let (mut sets, mut size) = (Vec::new(), 0);
                for member in &model.groups[id.index()].members {
                    let words = self.merged(*member)?;
                    size += words.size();
                    if size > MAX_PATH_CUBES {
                        return Err(Undecided::Patterns);
                    }
                    sets.push(words);
                }
                let sets: Vec<&Words> = sets.iter().map(Rc::as_ref).collect();
                self.prover.union(&sets)?
            }
        };
        let set = Rc::new(set);
        self.merged.insert(target, set.clone());
        Ok(set)
    }

    /// The words of an operation that its WHEN allows, its fixed bits not looked at.
    fn when(&mut self, id: OperationId) -> Result<Rc<Words>, Undecided> {
        if let Some(known) = self.whens.get(&id) {
            return Ok(known.clone());
        }
        let set = Rc::new(when_words(&self.model.operations[id.index()], &mut self.prover)?);
        self.whens.insert(id, set.clone());
        Ok(set)
    }

    /// An operation's words, some instances restricted to sets of their words; the others are what
    /// their targets match, or open.
    pub(super) fn compose(
        &mut self,
        id: OperationId,
        substitutes: &[(InstanceId, &Words)],
        exact: bool,
    ) -> Result<Words, Undecided> {
        let operation = &self.model.operations[id.index()];
        let Some(coding) = &operation.coding else {
            return Ok(Words::default());
        };
        let mut base = Cube::default();
        for (position, bit) in (0..).zip(coding.iter().rev()) {
            if let CodingBit::Fixed(set) | CodingBit::Field { fixed: Some(set), .. } = bit {
                base = base.with_bit(position, *set);
            }
        }
        let here: Vec<u32> = (0..coding.len() as u32).collect();
        let mut factors = vec![Words::of_cube(base)];
        if operation.when.is_some() {
            let when = self.when(id)?;
            factors.push(when.as_ref().clone());
        }
        for (instance, target) in self.coded(id) {
            let substitute = substitutes.iter().find(|(restricted, _)| *restricted == instance);
            let restriction = match substitute {
                Some((_, words)) => (*words).clone(),
                None if exact => self.merged(target)?.as_ref().clone(),
                None => continue,
            };
            if restriction.is_everything() {
                continue;
            }
            let positions = self.positions(id, instance, &here);
            factors.push(self.prover.placed(&restriction, &positions)?);
        }
        self.prover.intersect_all(&factors)
    }
}

impl Path {
    /// The same path of a group that its first step is a member of.
    fn as_member_of(&self, group: OperationOrGroup) -> Path {
        let mut steps = vec![PathStep { target: group, instance: None }];
        steps.extend(self.steps.iter().copied());
        Path {
            steps,
            chain: self.chain.clone(),
            width_bits: self.width_bits,
            coarse: self.coarse.clone(),
            below: self.below.clone(),
            exact: OnceCell::new(),
        }
    }
}
