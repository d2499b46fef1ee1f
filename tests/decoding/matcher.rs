//! Decoding by trying: each word against each member, bit by bit; which of two matches wins is a
//! matter of counting words.
//!
//! It is written from the manual's rules alone and shares nothing with the front end's proof and
//! the generator's automata. Words have at most 128 bits; what needs all words of a choice, its
//! verdict and the contest of paths that share words, looks at choices of at most 16 bits, and
//! else at each word by itself.

mod condition;
mod contest;
mod verdict;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use isac_parser::model::{
    CodingBit, Endian, InstanceId, InstanceRole, Model, Operation, OperationId, OperationOrGroup, TailItem,
};

use self::condition::holds;
use self::contest::Counted;
pub(crate) use self::verdict::Verdict;

/// Widest choice whose words are counted.
const MAX_COUNTED_BITS: u32 = 16;

/// One way of choosing members.
#[derive(Debug, Clone)]
struct Path {
    /// Groups and operations from the top, with the instance of the operation above.
    steps: Vec<Step>,
    width: u32,
}

#[allow(dead_code, reason = "not all tests look at words that are too wide to be counted")]
pub(crate) struct Matcher<'m> {
    model: &'m Model,
    counted: RefCell<BTreeMap<OperationOrGroup, Rc<Counted>>>,
    shares: RefCell<BTreeMap<Vec<Step>, usize>>,
}

/// A group or operation, with the instance of the operation above.
type Step = (OperationOrGroup, Option<InstanceId>);

#[allow(dead_code, reason = "not all tests look at words that are too wide to be counted")]
impl<'m> Matcher<'m> {
    pub(crate) fn new(model: &'m Model) -> Matcher<'m> {
        Matcher { model, counted: RefCell::default(), shares: RefCell::default() }
    }

    fn operation(&self, id: OperationId) -> &'m Operation {
        &self.model.operations[id.index()]
    }

    fn big_endian(&self) -> bool {
        self.model.target.endian == Endian::Big
    }

    /// Width of a target's widest member.
    pub(crate) fn width(&self, target: OperationOrGroup) -> u32 {
        match target {
            OperationOrGroup::Operation(id) => {
                self.operation(id).coding.as_ref().expect("coded").len() as u32
            }
            OperationOrGroup::Group(id) => {
                let members = &self.model.groups[id.index()].members;
                members.iter().map(|member| self.width(*member)).max().expect("members")
            }
        }
    }

    /// A path's own bits of a word of the widest width.
    fn own_bits(&self, word: u128, widest: u32, width: u32) -> u128 {
        let low = if self.big_endian() { widest - width } else { 0 };
        word >> low & isac_ir::bits::mask(width)
    }

    /// The instances in the CODING of an operation.
    fn coded(&self, id: OperationId) -> Vec<InstanceId> {
        let operation = self.operation(id);
        let in_tail = |wanted: InstanceId| {
            operation.tail.iter().any(|item| match item {
                TailItem::Decode { instance, .. } => *instance == wanted,
                _ => false,
            })
        };
        let instances = (0u32..).map(InstanceId).zip(&operation.instances);
        let coded = instances.filter(|(_, instance)| instance.role == InstanceRole::Coded);
        coded.map(|(id, _)| id).filter(|id| !in_tail(*id)).collect()
    }

    fn target(&self, id: OperationId, instance: InstanceId) -> OperationOrGroup {
        self.operation(id).instances[instance.index()].target
    }

    /// The bits of an instance in its operation's word.
    fn instance_bits(&self, id: OperationId, word: u128, instance: InstanceId) -> u128 {
        let coding = self.operation(id).coding.as_ref().expect("coded");
        let mut value = 0;
        for (at, coded) in coding.iter().rev().enumerate() {
            if let CodingBit::Instance { instance: found, bit } = coded
                && *found == instance
            {
                value |= (word >> at & 1) << bit;
            }
        }
        value
    }

    /// True if an operation's own fixed bits and WHEN allow a word.
    fn allows(&self, id: OperationId, word: u128) -> bool {
        let operation = self.operation(id);
        let coding = operation.coding.as_ref().expect("coded");
        let fixed = coding.iter().rev().enumerate().all(|(at, bit)| match bit {
            CodingBit::Fixed(set) | CodingBit::Field { fixed: Some(set), .. } => {
                (word >> at & 1 == 1) == *set
            }
            _ => true,
        });
        fixed && operation.when.as_ref().is_none_or(|when| holds(operation, word, &when.condition))
    }

    /// True if a word is one of a target's, whoever wins it.
    fn matches(&self, target: OperationOrGroup, word: u128) -> bool {
        match target {
            OperationOrGroup::Group(id) => {
                self.model.groups[id.index()].members.iter().any(|member| self.matches(*member, word))
            }
            OperationOrGroup::Operation(id) => {
                self.allows(id, word)
                    && self.coded(id).into_iter().all(|instance| {
                        self.matches(self.target(id, instance), self.instance_bits(id, word, instance))
                    })
            }
        }
    }

    /// True if some member is an operand.
    fn is_operand(&self, target: OperationOrGroup) -> bool {
        match target {
            OperationOrGroup::Operation(id) => self.operation(id).expression.is_some(),
            OperationOrGroup::Group(id) => {
                self.model.groups[id.index()].members.iter().any(|member| self.is_operand(*member))
            }
        }
    }

    /// The instance that paths follow.
    fn followed(&self, id: OperationId) -> Option<InstanceId> {
        let coded = self.coded(id).into_iter();
        let free: Vec<_> = coded.filter(|instance| !self.is_operand(self.target(id, *instance))).collect();
        match free[..] {
            [instance] => Some(instance),
            _ => None,
        }
    }

    fn paths(&self, target: OperationOrGroup) -> Vec<Path> {
        let step = (target, None);
        match target {
            OperationOrGroup::Group(id) => {
                let members = self.model.groups[id.index()].members.iter();
                let paths = members.flat_map(|member| self.paths(*member));
                let above = |path: Path| Path { steps: [vec![step], path.steps].concat(), width: path.width };
                paths.map(above).collect()
            }
            OperationOrGroup::Operation(id) => {
                let width = self.width(target);
                let Some(instance) = self.followed(id) else {
                    return vec![Path { steps: vec![step], width }];
                };
                let below = self.paths(self.target(id, instance)).into_iter();
                let paths = below.map(|mut path| {
                    path.steps[0].1 = Some(instance);
                    Path { steps: [vec![step], path.steps].concat(), width }
                });
                paths.collect()
            }
        }
    }

    /// True if a word of a path's own width leads along it.
    fn leads(&self, steps: &[(OperationOrGroup, Option<InstanceId>)], word: u128) -> bool {
        let Some(((target, _), rest)) = steps.split_first() else { return true };
        let OperationOrGroup::Operation(id) = *target else { return self.leads(rest, word) };
        let followed = rest.first().and_then(|(_, instance)| *instance);
        self.allows(id, word)
            && self.coded(id).into_iter().all(|instance| {
                let bits = self.instance_bits(id, word, instance);
                match followed == Some(instance) {
                    true => self.leads(rest, bits),
                    false => self.matches(self.target(id, instance), bits),
                }
            })
    }

    /// The aliases beside a path, with their bits of a word.
    fn beside(&self, path: &Path, word: u128) -> Vec<(OperationOrGroup, u128)> {
        let mut found = Vec::new();
        let mut word = word;
        for (index, (target, _)) in path.steps.iter().enumerate() {
            let OperationOrGroup::Operation(id) = *target else { continue };
            let followed = path.steps.get(index + 1).and_then(|(_, instance)| *instance);
            for instance in self.coded(id) {
                if Some(instance) != followed {
                    found.push((self.target(id, instance), self.instance_bits(id, word, instance)));
                }
            }
            if let Some(instance) = followed {
                word = self.instance_bits(id, word, instance);
            }
        }
        found
    }

    /// The path that wins a word.
    fn winner(&self, target: OperationOrGroup, word: u128) -> Option<Path> {
        let widest = self.width(target);
        if widest <= MAX_COUNTED_BITS {
            let counted = self.count(target);
            let claims = counted.claims.iter().filter(|claim| claim.words.has(word));
            let winner = claims.min_by_key(|claim| claim.words.count())?;
            return Some(counted.paths[winner.path].clone());
        }
        let mut leading = self.leading(target, word).into_iter();
        let winner = leading.next();
        assert!(leading.next().is_none(), "{word:#x} is a word of two paths: who wins is not counted");
        winner
    }

    /// The paths along which a word leads.
    fn leading(&self, target: OperationOrGroup, word: u128) -> Vec<Path> {
        let widest = self.width(target);
        let leads = |path: &Path| self.leads(&path.steps, self.own_bits(word, widest, path.width));
        self.paths(target).into_iter().filter(leads).collect()
    }

    /// The names that a word may have, without what its TAIL decodes: one, unless it is a word of several
    /// paths and who wins is not counted.
    pub(crate) fn names(&self, target: OperationOrGroup, word: u128) -> Vec<String> {
        if self.width(target) <= MAX_COUNTED_BITS {
            return self.decode(target, word).into_iter().map(|(name, _)| name).collect();
        }
        let name = |path: &Path| self.name(&path.steps, self.own_bits(word, self.width(target), path.width));
        let mut leading = self.leading(target, word);
        if leading.len() > 1 {
            // Of sets of which one is part of the other, the one with fewer words wins.
            let fewest = leading.iter().map(|path| self.share(path)).min();
            leading.retain(|path| Some(self.share(path)) == fewest);
        }
        leading.iter().filter_map(name).collect()
    }

    /// How many of some thousand words of its own width, spread evenly, lead along a path.
    fn share(&self, path: &Path) -> usize {
        let known = self.shares.borrow().get(&path.steps).copied();
        known.unwrap_or_else(|| {
            let factor = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835u128;
            let words = (0..8192u128).map(|n| n.wrapping_mul(factor) >> (128 - path.width));
            let share = words.filter(|word| self.leads(&path.steps, *word)).count();
            self.shares.borrow_mut().insert(path.steps.clone(), share);
            share
        })
    }

    /// The decoded tree's name and the width of its word.
    pub(crate) fn decode(&self, target: OperationOrGroup, word: u128) -> Option<(String, u32)> {
        let path = self.winner(target, word)?;
        let own = self.own_bits(word, self.width(target), path.width);
        Some((self.name(&path.steps, own)?, path.width))
    }

    fn name(&self, steps: &[(OperationOrGroup, Option<InstanceId>)], word: u128) -> Option<String> {
        let ((target, _), rest) = steps.split_first()?;
        match *target {
            OperationOrGroup::Group(id) => {
                Some(format!("{}({})", self.model.groups[id.index()].name, self.name(rest, word)?))
            }
            OperationOrGroup::Operation(id) => {
                let followed = rest.first().and_then(|(_, instance)| *instance);
                let mut inner = String::new();
                for instance in self.coded(id) {
                    let bits = self.instance_bits(id, word, instance);
                    inner += &match followed == Some(instance) {
                        true => self.name(rest, bits)?,
                        false => self.decode(self.target(id, instance), bits)?.0,
                    };
                }
                Some(format!("{}({inner})", self.operation(id).name))
            }
        }
    }

    /// How much of a word has to be there at most: cell by cell as long as a longer member matches
    /// all cells so far.
    pub(crate) fn needed_bits(&self, target: OperationOrGroup, word: u128, cell_bits: u32) -> u32 {
        let paths = self.paths(target);
        let widest = self.width(target);
        let mut there = paths.iter().map(|path| path.width).min().expect("paths");
        if there == widest {
            return widest;
        }
        let counted = self.count(target);
        while self.beginnings(&counted, widest, there).contains(&self.own_bits(word, widest, there)) {
            there += cell_bits;
        }
        there
    }
}
