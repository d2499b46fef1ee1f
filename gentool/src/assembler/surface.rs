//! What a model's assembler text looks like beside its instructions: registers, prefixes of
//! numbers, comments, functions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use isac_ir::Model;
use isac_ir::syntax::{Format, TextItem};

use isac_parser::near_names;

use super::reader::{is_word, name_of};

/// Names of so many elements of a file are known.
const MOST_ELEMENTS: u32 = 1 << 16;

/// Names of registers have at most so many letters.
const MOST_LETTERS: usize = 64;

/// Most FUNCTIONs that are named where one was meant that there is not.
const MOST_FUNCTIONS_SHOWN: usize = 6;

/// The surface of a model.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    /// What names a register, in lower case.
    registers: BTreeSet<String>,
    /// The elements of each file by their names, in lower case.
    elements: BTreeMap<u32, HashMap<String, u128>>,
    /// FUNCTIONs that can be used in expressions, with their index and number of parameters.
    functions: BTreeMap<String, (u32, usize)>,
    hexadecimal: Option<String>,
    binary: Option<String>,
    /// What begins a comment beside `//`.
    pub(super) comment: Option<String>,
}

impl Surface {
    pub(super) fn of(model: &Model) -> Surface {
        let functions = (0..).zip(&model.functions).filter_map(|(index, function)| {
            let value = function.value.as_ref()?;
            Some((function.name.clone(), (index, value.parameters.len())))
        });
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let elements = element_names(model);
        Surface {
            registers: register_names(model, &elements),
            elements,
            functions: functions.collect(),
            hexadecimal: given(&model.target.hexadecimal),
            binary: given(&model.target.binary),
            comment: given(&model.target.comment),
        }
    }

    /// True for a name that is never a label.
    pub(super) fn is_register(&self, name: &str) -> bool {
        self.registers.contains(&name.to_ascii_lowercase())
    }

    /// The elements of a file whose names a text begins with, each with the length of its name,
    /// longer names first.
    pub(super) fn elements(&self, register: u32, text: &str) -> Vec<(usize, u128)> {
        let Some(elements) = self.elements.get(&register) else { return Vec::new() };
        let longest = text.find(|letter: char| !(is_word(letter) || letter == '.' || letter == '$'));
        let word = text[..longest.unwrap_or(text.len()).min(MOST_LETTERS)].to_ascii_lowercase();
        let ends = (1..=word.len()).rev();
        ends.filter_map(|end| Some((end, *elements.get(&word[..end])?))).collect()
    }

    /// A FUNCTION's index and its number of parameters.
    pub(super) fn function(&self, name: &str) -> Option<(u32, usize)> {
        self.functions.get(name).copied()
    }

    /// The FUNCTION that a name was probably meant to be.
    pub(super) fn near_function(&self, name: &str) -> Option<&str> {
        let all = self.functions.keys().map(String::as_str);
        near_names(name, all).first().copied()
    }

    /// What is said of a text that begins like a call of a FUNCTION which the description does not have.
    pub(super) fn unknown_function(&self, text: &str) -> Option<String> {
        let name = name_of(text.strip_prefix('%')?);
        if name.is_empty() || self.functions.contains_key(name) {
            return None;
        }
        let shown: Vec<String> =
            self.functions.keys().take(MOST_FUNCTIONS_SHOWN).map(|name| format!("`%{name}`")).collect();
        let shown = shown.join(", ");
        Some(match self.functions.len() {
            0 => format!("the description has no FUNCTION that programs can use, so no `%{name}`"),
            1..=MOST_FUNCTIONS_SHOWN => format!("the description has no FUNCTION `{name}`; it has {shown}"),
            many => format!(
                "the description has no FUNCTION `{name}`; it has {shown} and {} others",
                many - MOST_FUNCTIONS_SHOWN
            ),
        })
    }

    /// The base of the number that a text begins with, and the length of its prefix.
    pub(super) fn base_of(&self, text: &str) -> Option<(u32, usize)> {
        let prefixes = [
            (16, Some("0x")),
            (16, Some("0X")),
            (2, Some("0b")),
            (2, Some("0B")),
            (8, Some("0o")),
            (8, Some("0O")),
            (16, self.hexadecimal.as_deref()),
            (2, self.binary.as_deref()),
        ];
        let digit_follows = |base: u32, prefix: &str| {
            text[prefix.len()..].chars().next().is_some_and(|digit| digit.is_digit(base))
        };
        for (base, prefix) in prefixes {
            if let Some(prefix) = prefix.filter(|prefix| text.starts_with(prefix))
                && digit_follows(base, prefix)
            {
                return Some((base, prefix.len()));
            }
        }
        text.starts_with(|digit: char| digit.is_ascii_digit()).then_some((10, 0))
    }
}

/// The names of the elements of the files that a text names by `#NAME`.
fn element_names(model: &Model) -> BTreeMap<u32, HashMap<String, u128>> {
    let mut files = BTreeMap::new();
    for item in model.operations.iter().flat_map(|operation| operation.texts.iter().flatten()) {
        let TextItem::Field { format: Format::Name { register, .. } | Format::List { register }, .. } = item
        else {
            continue;
        };
        files.entry(*register).or_insert_with(|| {
            let elements = model.registers[*register as usize].elements().min(MOST_ELEMENTS);
            let all = (0..elements).map(u128::from).flat_map(|element| {
                let names = model.element_names(*register, element).into_iter();
                names.map(move |name| (name.to_ascii_lowercase(), element))
            });
            all.collect()
        });
    }
    files
}

/// What names a register: elements of files, and texts of operands that are one word.
fn register_names(model: &Model, files: &BTreeMap<u32, HashMap<String, u128>>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    files.values().for_each(|elements| names.extend(elements.keys().cloned()));
    for operation in model.operations.iter().filter(|operation| operation.expression.is_some()) {
        for text in &operation.texts {
            if let [TextItem::Literal(word)] = &text[..]
                && name_of(word).len() == word.len()
            {
                names.insert(word.to_ascii_lowercase());
            }
        }
    }
    names.remove("");
    names
}
