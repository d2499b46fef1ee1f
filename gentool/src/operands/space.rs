//! The values that the operands of a model's instructions can have, listed, and the pairs of them that
//! no word has.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use isac_ir::Model;
use isac_ir::decode::Decoded;
use isac_ir::operation::Target;
use isac_ir::syntax::Tree;

use super::form::{InstructionForms, PlaceForms, instruction_forms};
use super::part::parts_of;
use super::place::{Place, field_text, places, text_of};
use super::value::{Detail, Extents, FieldOf, Key, Told, TooMany, told_tree, told_values};

/// Operands that have no more values are listed value by value.
const MOST_LISTED: usize = 64;

/// What the operands of all instructions can be.
pub struct OperandSpaces<'m> {
    model: &'m Model,
    instructions: BTreeMap<String, InstructionSpace>,
}

/// What the operands of an instruction can be.
#[derive(Debug, Clone, Default)]
pub struct InstructionSpace {
    /// Its operands, those of the outermost operation first.
    pub places: Vec<PlaceSpace>,
    /// Indices of two places, and the values at both that no word has together, where values are listed.
    pub impossible: Vec<ImpossiblePairs>,
}

/// Index of a place, of a later one, and of their values those that no word has together.
pub type ImpossiblePairs = (usize, usize, Vec<(usize, usize)>);

/// What an operand can be.
#[derive(Debug, Clone)]
pub struct PlaceSpace {
    /// Its name in the description; behind that of its operation, where two of an instruction have one.
    pub name: String,
    /// All values, or classes of values; none if they are too many to be listed.
    pub values: Vec<String>,
    detail: Detail,
    extents: Extents,
    numbers: HashMap<Key, usize>,
}

impl<'m> OperandSpaces<'m> {
    /// Those of a model.
    pub fn of(model: &'m Model) -> OperandSpaces<'m> {
        let instructions = instruction_forms(model).into_iter();
        let instructions = instructions.map(|(name, forms)| (name, InstructionSpace::of(model, &forms)));
        OperandSpaces { model, instructions: instructions.collect() }
    }

    /// The operands of an instruction of the set; `None` if no word is it.
    pub fn instruction(&self, name: &str) -> Option<&InstructionSpace> {
        self.instructions.get(name)
    }

    /// What a decoded instruction has at its places, for each instruction of the set that it is: the
    /// number of a listed value, or how another is written.
    pub fn values(&self, decoded: &Decoded) -> Vec<(String, Vec<Result<usize, String>>)> {
        let parts = parts_of(self.model, decoded).into_iter();
        let values = parts.filter_map(|part| {
            let mut spaces = self.instruction(&part.name)?.places.iter();
            let mut values = Vec::new();
            for node in part.operations {
                let Target::Operation(operation) = decoded.nodes[node as usize].target else { continue };
                for place in places(self.model, operation) {
                    values.push(self.value(decoded, node, place, spaces.next()?));
                }
            }
            Some((part.name, values))
        });
        values.collect()
    }

    fn value(&self, decoded: &Decoded, node: u32, place: Place, space: &PlaceSpace) -> Result<usize, String> {
        let Target::Operation(operation) = decoded.nodes[node as usize].target else {
            return Err(String::new());
        };
        let number = |key: Key| space.numbers.get(&key).copied();
        match place {
            Place::Field(field) => {
                let of = FieldOf::new(self.model, operation, field);
                let value = decoded.field(self.model, node, field);
                number(vec![space.extents.told(of, value).key(of)])
                    .ok_or_else(|| field_text(self.model, operation, field, value))
            }
            Place::Instance(instance) => {
                let child = decoded.instance(node, instance);
                let tree = child.and_then(|child| Tree::of(decoded, child));
                let tree = tree.ok_or_else(|| "?".to_owned())?;
                let told = told_tree((self.model, &space.extents), &tree, space.detail);
                number(told.key(self.model)).ok_or_else(|| text_of(self.model, &tree))
            }
        }
    }
}

impl InstructionSpace {
    fn of(model: &Model, forms: &InstructionForms) -> InstructionSpace {
        let owners = forms.operations.iter();
        let places: Vec<(u32, Place)> = owners
            .flat_map(|operation| places(model, *operation).into_iter().map(|place| (*operation, place)))
            .collect();
        let mut spaces: Vec<PlaceSpace> = Vec::new();
        for (index, (operation, place)) in places.iter().enumerate() {
            let sets: BTreeSet<&PlaceForms> =
                forms.alternatives.iter().map(|places| &places[index]).collect();
            spaces.push(PlaceSpace::of(model, (*operation, *place), &sets));
        }
        tell_apart(model, &places, &mut spaces);
        let impossible = impossible_pairs(model, &places, &spaces, forms);
        InstructionSpace { places: spaces, impossible }
    }
}

/// Two places of one name get that of their operation before it.
fn tell_apart(model: &Model, places: &[(u32, Place)], spaces: &mut [PlaceSpace]) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for space in spaces.iter() {
        *names.entry(space.name.clone()).or_default() += 1;
    }
    for ((operation, _), space) in places.iter().zip(spaces) {
        if names[&space.name] > 1 {
            space.name = format!("{}.{}", model.operation(*operation).name, space.name);
        }
    }
}

impl PlaceSpace {
    fn of(model: &Model, (operation, place): (u32, Place), sets: &BTreeSet<&PlaceForms>) -> PlaceSpace {
        let mut extents = Extents::default();
        for set in sets {
            match (set, place) {
                (PlaceForms::Field(pattern), Place::Field(field)) => {
                    extents.add(FieldOf::new(model, operation, field), *pattern);
                }
                (PlaceForms::Instance(forms), _) => {
                    forms.iter().for_each(|form| extents.add_form(model, form));
                }
                _ => {}
            }
        }
        let mut space = PlaceSpace {
            name: place.name(model, operation).to_owned(),
            values: Vec::new(),
            detail: Detail::Values,
            extents,
            numbers: HashMap::new(),
        };
        for detail in Detail::ALL {
            space.detail = detail;
            let mut all: BTreeMap<Key, String> = BTreeMap::new();
            let is_listed = sets.iter().all(|set| {
                let listed = space.listed(model, (operation, place), set);
                listed.is_ok_and(|listed| {
                    all.extend(listed);
                    all.len() <= MOST_LISTED
                })
            });
            if is_listed {
                space.numbers = all.keys().cloned().zip(0..).collect();
                space.values = all.into_values().collect();
                break;
            }
        }
        space
    }

    /// The values of a set.
    fn listed(
        &self,
        model: &Model,
        (operation, place): (u32, Place),
        set: &PlaceForms,
    ) -> Result<Vec<(Key, String)>, TooMany> {
        match (set, place) {
            (PlaceForms::Field(pattern), Place::Field(field)) => {
                let of = FieldOf::new(model, operation, field);
                let told = self.extents.told_values(of, *pattern);
                let text = |told: Told| match told {
                    Told::Value(value) => field_text(model, operation, field, value),
                    Told::Class(class) => class.text().to_owned(),
                    Told::Nothing => String::new(),
                };
                Ok(told.into_iter().map(|told| (vec![told.key(of)], text(told))).collect())
            }
            (PlaceForms::Instance(forms), _) => {
                let mut all = Vec::new();
                for form in forms {
                    let told = told_values((model, &self.extents), form, self.detail, MOST_LISTED)?;
                    all.extend(told.into_iter().map(|tree| (tree.key(model), tree.text(model))));
                }
                Ok(all)
            }
            (PlaceForms::Field(_), Place::Instance(_)) => Ok(Vec::new()),
        }
    }
}

/// Each two places of which not all pairs of listed values can stand together.
fn impossible_pairs(
    model: &Model,
    places: &[(u32, Place)],
    spaces: &[PlaceSpace],
    forms: &InstructionForms,
) -> Vec<ImpossiblePairs> {
    let [_, _, ..] = &forms.alternatives.iter().take(2).collect::<Vec<_>>()[..] else { return Vec::new() };
    // The values of each place, by bits: no more are listed than a word has.
    let sets_of = |alternative: &Vec<PlaceForms>| -> Vec<u64> {
        let place_of = |index: usize| {
            let listed = spaces[index].listed(model, places[index], &alternative[index]).unwrap_or_default();
            let numbers = listed.iter().filter_map(|(key, _)| spaces[index].numbers.get(key));
            numbers.fold(0, |set, number| set | 1 << number)
        };
        (0..places.len()).map(place_of).collect()
    };
    let alternatives: BTreeSet<Vec<u64>> = forms.alternatives.iter().map(sets_of).collect();
    let mut pairs = Vec::new();
    for one in 0..places.len() {
        for other in one + 1..places.len() {
            let possible = |a: usize, b: usize| {
                alternatives.iter().any(|sets| sets[one] >> a & 1 == 1 && sets[other] >> b & 1 == 1)
            };
            let all = (0..spaces[one].values.len())
                .flat_map(|a| (0..spaces[other].values.len()).map(move |b| (a, b)));
            let none: Vec<(usize, usize)> = all.filter(|(a, b)| !possible(*a, *b)).collect();
            if !none.is_empty() {
                pairs.push((one, other, none));
            }
        }
    }
    pairs
}
