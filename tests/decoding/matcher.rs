//! Decoding by trying: each word against each member, bit by bit; which of two matches wins is a
//! matter of counting words.
//!
//! It is written from the manual's rules alone and shares nothing with the front end's proof and
//! the generator's automata. Words have at most 128 bits; what needs all words of a choice, its
//! verdict and the contest of paths that share words, looks at choices of at most 16 bits, and
//! else at each word by itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use isac_parser::model::{
    CodingBit, ComparedBit, Comparison, Condition, Endian, InstanceId, InstanceRole, Model, Operation,
    OperationId, OperationOrGroup, Relation,
};

use super::words::Words;

/// Widest choice whose words are counted.
const MAX_COUNTED_BITS: u32 = 16;

/// What a model's decoding is.
#[derive(Debug)]
pub(crate) enum Verdict {
    Sound,
    /// The words, in base two, that are ambiguous in some choice.
    Ambiguous(BTreeSet<String>),
}

/// One way of choosing members.
#[derive(Debug, Clone)]
struct Path {
    /// Groups and operations from the top, with the instance of the operation above.
    steps: Vec<(OperationOrGroup, Option<InstanceId>)>,
    width: u32,
}

/// A claim of a path to words.
#[derive(Debug, Clone)]
struct Claim {
    path: usize,
    words: Words,
}

/// A choice whose words were counted.
struct Counted {
    paths: Vec<Path>,
    claims: Vec<Claim>,
    /// Words, or unions of words, that have no winner.
    disputed: Vec<Words>,
    /// By how much is there: what longer members begin with.
    beginnings: RefCell<BTreeMap<u32, Rc<BTreeSet<u128>>>>,
}

pub(crate) struct Matcher<'m> {
    model: &'m Model,
    counted: RefCell<BTreeMap<OperationOrGroup, Rc<Counted>>>,
}

impl<'m> Matcher<'m> {
    pub(crate) fn new(model: &'m Model) -> Matcher<'m> {
        Matcher { model, counted: RefCell::default() }
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

    /// The coded instances of an operation.
    fn coded(&self, id: OperationId) -> Vec<InstanceId> {
        let instances = (0u32..).zip(&self.operation(id).instances);
        let coded = instances.filter(|(_, instance)| instance.role == InstanceRole::Coded);
        coded.map(|(id, _)| InstanceId(id)).collect()
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

    /// Counts the words of a choice, and lets its paths and members claim them.
    fn count(&self, target: OperationOrGroup) -> Rc<Counted> {
        if let Some(known) = self.counted.borrow().get(&target) {
            return known.clone();
        }
        let widest = self.width(target);
        let paths = self.paths(target);
        let words_of = |path: &Path| {
            Words::of(widest, |word| self.leads(&path.steps, self.own_bits(word, widest, path.width)))
        };
        let claims = paths.iter().map(words_of).enumerate().map(|(path, words)| Claim { path, words });
        let mut counted =
            Counted { claims: claims.collect(), paths, disputed: Vec::new(), beginnings: RefCell::default() };
        self.admit_members(&mut counted, widest);
        let counted = Rc::new(counted);
        self.counted.borrow_mut().insert(target, counted.clone());
        counted
    }

    /// A member of an operand claims its own words as soon as they are a proper part of those of a
    /// claim that would win them from its path.
    fn admit_members(&self, counted: &mut Counted, widest: u32) {
        let wholes = counted.claims.clone();
        for (index, one) in wholes.iter().enumerate() {
            for other in &wholes[..index] {
                dispute(&one.words, &other.words, &mut counted.disputed);
            }
        }
        if !counted.disputed.is_empty() {
            return;
        }
        loop {
            let mut added = Vec::new();
            for (path, whole) in wholes.iter().enumerate() {
                for winner in counted.claims.iter().filter(|claim| claim.path != path) {
                    let wins = |claim: &Claim| claim.path == path && winner.words.is_part(&claim.words);
                    if counted.claims.iter().any(wins) {
                        let position = Position { path: &counted.paths[path], widest };
                        let route = Vec::new();
                        self.members_within(
                            position,
                            &whole.words,
                            winner,
                            &route,
                            path,
                            &mut added,
                            &mut counted.disputed,
                        );
                    }
                }
            }
            added.retain(|claim: &Claim| {
                !counted.claims.iter().any(|known| known.path == claim.path && known.words == claim.words)
            });
            let Some(claim) = added.pop() else { return };
            for other in counted.claims.iter().filter(|other| other.path != claim.path) {
                dispute(&claim.words, &other.words, &mut counted.disputed);
            }
            counted.claims.push(claim);
            if !counted.disputed.is_empty() {
                return;
            }
        }
    }

    /// `route` leads to the alias beside which members are looked at: index of an alias, member.
    #[expect(clippy::too_many_arguments, reason = "the state of one search")]
    fn members_within(
        &self,
        position: Position<'_>,
        around: &Words,
        winner: &Claim,
        route: &[(usize, Path)],
        path: usize,
        added: &mut Vec<Claim>,
        disputed: &mut Vec<Words>,
    ) {
        let inner = route.last().map_or(position.path, |(_, path)| path);
        for index in 0..self.beside(inner, 0).len() {
            let target = self.beside(inner, 0)[index].0;
            let members = self.paths(target);
            let bits_of = |word: u128| self.bits_at(position, route, index, word);
            let own: Vec<Words> = members
                .iter()
                .map(|member| Words::of(self.width(target), |bits| self.leads(&member.steps, bits)))
                .collect();
            for (number, member) in members.iter().enumerate() {
                let words =
                    Words::of(position.widest, |word| around.has(word) && own[number].has(bits_of(word)));
                if words.and(&winner.words).is_empty() {
                    continue;
                }
                if words.is_part(&winner.words) {
                    added.push(Claim { path, words });
                    continue;
                }
                if !winner.words.is_part(&words) {
                    let whole = Words::of(position.widest, |word| {
                        winner.words.has(word)
                            && self.leads(
                                &position.path.steps,
                                self.own_bits(word, position.widest, position.path.width),
                            )
                    });
                    let taken: BTreeSet<u128> = whole.iter().map(bits_of).collect();
                    let taken = Words::of(self.width(target), |bits| taken.contains(&bits));
                    let nested = own[number].is_part(&taken) || taken.is_part(&own[number]);
                    let shared = own[number].and(&taken);
                    let rival =
                        |(other, words): (usize, &Words)| other != number && !words.and(&shared).is_empty();
                    if !nested && own.iter().enumerate().any(rival) {
                        disputed.push(words.and(&winner.words));
                    }
                }
                let mut route = route.to_vec();
                route.push((index, member.clone()));
                self.members_within(position, &words, winner, &route, path, added, disputed);
            }
        }
    }

    /// The bits of an alias that a route leads to.
    fn bits_at(&self, position: Position<'_>, route: &[(usize, Path)], index: usize, word: u128) -> u128 {
        let mut bits = self.own_bits(word, position.widest, position.path.width);
        let mut path = position.path;
        for (at, next) in route {
            bits = self.beside(path, bits)[*at].1;
            path = next;
        }
        self.beside(path, bits)[index].1
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
        let paths = self.paths(target).into_iter();
        let mut leading =
            paths.filter(|path| self.leads(&path.steps, self.own_bits(word, widest, path.width)));
        let winner = leading.next();
        assert!(leading.next().is_none(), "{word:#x} is a word of two paths: who wins is not counted");
        winner
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

    /// The first bits of all words of members that are longer than these.
    fn beginnings(&self, counted: &Counted, widest: u32, there: u32) -> Rc<BTreeSet<u128>> {
        let mut known = counted.beginnings.borrow_mut();
        let found = known.entry(there).or_insert_with(|| {
            let longer = counted.claims.iter().filter(|claim| counted.paths[claim.path].width > there);
            Rc::new(
                longer
                    .flat_map(|claim| claim.words.iter())
                    .map(|word| self.own_bits(word, widest, there))
                    .collect(),
            )
        });
        found.clone()
    }

    /// The verdict on a CODINGROOT's target and all choices below.
    pub(crate) fn judge(&self, root: OperationOrGroup) -> Verdict {
        let mut arising: BTreeMap<OperationOrGroup, BTreeSet<u128>> = BTreeMap::new();
        for word in 0..1u128 << self.width(root) {
            self.arise(root, word, &mut arising);
        }
        let mut ambiguous = BTreeSet::new();
        for (target, words) in arising {
            let counted = self.count(target);
            let width = self.width(target) as usize;
            for disputed in &counted.disputed {
                let shared: Vec<u128> = disputed.iter().collect();
                if shared.iter().any(|word| words.contains(word)) {
                    ambiguous.extend(shared.iter().map(|word| format!("{word:0width$b}")));
                }
            }
        }
        if ambiguous.is_empty() { Verdict::Sound } else { Verdict::Ambiguous(ambiguous) }
    }

    /// Notes which words every choice is asked about, whoever wins above.
    fn arise(
        &self,
        choice: OperationOrGroup,
        word: u128,
        arising: &mut BTreeMap<OperationOrGroup, BTreeSet<u128>>,
    ) {
        let is_new = arising.entry(choice).or_default().insert(word);
        if !is_new {
            return;
        }
        let widest = self.width(choice);
        for path in self.paths(choice) {
            let own = self.own_bits(word, widest, path.width);
            if self.leads(&path.steps, own) {
                for (target, bits) in self.beside(&path, own) {
                    self.arise(target, bits, arising);
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Position<'p> {
    path: &'p Path,
    widest: u32,
}

/// Two claims that share words, of which neither is a proper part of the other.
fn dispute(one: &Words, other: &Words, disputed: &mut Vec<Words>) {
    let shared = one.and(other);
    if !shared.is_empty() && !one.is_part(other) && !other.is_part(one) {
        disputed.push(shared);
    }
}

fn holds(operation: &Operation, word: u128, condition: &Condition) -> bool {
    match condition {
        Condition::Constant(value) => *value,
        Condition::Not(inner) => !holds(operation, word, inner),
        Condition::And(a, b) => holds(operation, word, a) && holds(operation, word, b),
        Condition::Or(a, b) => holds(operation, word, a) || holds(operation, word, b),
        Condition::Compare(comparison) => compare(operation, word, comparison),
    }
}

fn compare(operation: &Operation, word: u128, comparison: &Comparison) -> bool {
    let side = |bits: &[ComparedBit]| {
        let pattern =
            bits.iter().fold(0i128, |value, bit| value << 1 | i128::from(bit_of(operation, word, *bit)));
        let negative = comparison.signed && bits.first().is_some_and(|bit| bit_of(operation, word, *bit));
        if negative { pattern - (1 << bits.len()) } else { pattern }
    };
    let (left, right) = (side(&comparison.left), side(&comparison.right));
    match comparison.relation {
        Relation::Equal => left == right,
        Relation::NotEqual => left != right,
        Relation::Less => left < right,
        Relation::LessEqual => left <= right,
        Relation::Greater => left > right,
        Relation::GreaterEqual => left >= right,
    }
}

fn bit_of(operation: &Operation, word: u128, bit: ComparedBit) -> bool {
    let coding = operation.coding.as_ref().expect("coded");
    let at = |fits: &dyn Fn(&CodingBit) -> bool| {
        let place = coding.iter().rev().position(fits);
        place.is_some_and(|at| word >> at & 1 == 1)
    };
    match bit {
        ComparedBit::Constant(value) => value,
        ComparedBit::Field(id, index) => {
            at(&|coded| matches!(coded, CodingBit::Field { field, bit, .. } if *field == id && *bit == index))
        }
        ComparedBit::Instance(id, index) => at(
            &|coded| matches!(coded, CodingBit::Instance { instance, bit } if *instance == id && *bit == index),
        ),
    }
}
