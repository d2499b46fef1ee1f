//! The instructions whose values a user asks for.

use std::collections::BTreeSet;

use isac_ir::Model;
use sim_profile::symbols::{FunctionCells, ImageFile};

use crate::launcher::number::{is_number, parse_addresses};
use crate::launcher::options::RunOptions;
use crate::launcher::parts::find_place;
use crate::record::{ValueChoice, code_names, functions};

/// What the options choose of a program.
///
/// # Errors
/// There is no such place or operation.
pub(super) fn find_choice(
    options: &RunOptions,
    model: Option<&Model>,
    files: &[ImageFile<'_>],
) -> Result<ValueChoice, String> {
    let mut places = Places::default();
    if let Some(model) = model.filter(|_| !options.values_at.is_empty()) {
        places = Places { names: code_names(model, files), functions: functions(model, files) };
    }
    let mut choice = ValueChoice::default();
    for text in &options.values_at {
        let found = places.find(text).map_err(|why| format!("`--values-at {text}`: {why}"))?;
        choice.addresses.extend(found);
    }
    for name in &options.values_of {
        let found = find_operations(model, name).map_err(|why| format!("`--values-of {name}`: {why}"))?;
        choice.operations.extend(found);
    }
    Ok(choice)
}

/// What the program has names for.
#[derive(Default)]
struct Places {
    names: Vec<(String, u64)>,
    functions: Vec<FunctionCells>,
}

impl Places {
    /// First and last address of each range that is meant: a number, two of them, all of a function, or the place
    /// of a label.
    fn find(&self, text: &str) -> Result<Vec<(u64, u64)>, String> {
        if is_number(text) {
            return Ok(vec![parse_addresses(text)?]);
        }
        let place = find_place(text, &self.names)?;
        let is_name = self.names.iter().any(|(name, _)| name == text);
        let of_function = self.functions.iter().filter(|cells| is_name && cells.function == place);
        let ranges: Vec<(u64, u64)> = of_function.map(|cells| (cells.start, cells.end - 1)).collect();
        Ok(if ranges.is_empty() { vec![(place, place)] } else { ranges })
    }
}

/// Reads what `--values-at` may be given, as far as that is possible without the program.
///
/// # Errors
/// As of [`parse_addresses`].
pub(super) fn parse_values_at(text: &str) -> Result<String, String> {
    if is_number(text) {
        parse_addresses(text)?;
    }
    Ok(text.to_owned())
}

/// The operations of that name.
fn find_operations(model: Option<&Model>, wanted: &str) -> Result<BTreeSet<u32>, String> {
    let known = || (0u32..).zip(model.iter().flat_map(|model| &model.operations));
    let found = known().filter(|(_, operation)| operation.name == wanted).map(|(number, _)| number);
    let found: BTreeSet<u32> = found.collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let same = known().find(|(_, operation)| operation.name.eq_ignore_ascii_case(wanted));
    let group = model.and_then(|model| model.groups.iter().find(|group| group.name == wanted));
    let remedy = match same {
        Some((_, operation)) => format!("did you mean `{}`?", operation.name),
        None if group.is_some() => format!("`{wanted}` is a GROUP: name one of the operations in it"),
        None => "write the name of an OPERATION of the description".to_owned(),
    };
    Err(format!("the model has no operation of that name; {remedy}"))
}

#[cfg(test)]
mod tests {
    use sim_profile::symbols::FunctionCells;

    use super::{Places, parse_values_at};

    #[test]
    fn a_function_is_all_of_its_pieces_and_a_label_one_place() {
        let names = [("main", 16), ("main.loop", 20), ("gone", 64)].map(|(name, at)| (name.to_owned(), at));
        let piece = |start, end| FunctionCells { start, end, function: 16 };
        let places = Places { names: names.to_vec(), functions: vec![piece(16, 32), piece(40, 44)] };
        for (text, ranges) in [
            ("main", vec![(16, 31), (40, 43)]),
            ("main+0", vec![(16, 16)]),
            ("main.loop", vec![(20, 20)]),
            ("gone", vec![(64, 64)]),
            ("0x10", vec![(16, 16)]),
            ("16-0x20", vec![(16, 32)]),
        ] {
            assert_eq!(places.find(text), Ok(ranges), "{text}");
        }
        assert!(places.find("mian").expect_err("there is none").contains("no function or label `mian`"));
    }

    #[test]
    fn numbers_are_looked_at_without_a_program() {
        assert_eq!(parse_values_at("main"), Ok("main".to_owned()));
        assert_eq!(parse_values_at("4-8"), Ok("4-8".to_owned()));
        assert!(parse_values_at("8-4").is_err());
        assert!(parse_values_at("4-x").is_err());
    }
}
