//! How the words that CODINGROOTs decode are used, and which are free.
//!
//! Counts are exact ([`usage`]); a map that would take too long has what a solver knows.

mod table;
mod usage;

use std::collections::BTreeSet;

use crate::amount::Amount;
use crate::cube::Cube;
use crate::model::{
    CheckedModel, CodingBit, Decoding, InstanceId, Operation, OperationOrGroup, PathStep, root_decodes,
};
use crate::proof::WordSpace;
use crate::resolve::report::count;

pub use table::{CoverageMap, CoverageRow, FreeWords, coverage_maps};

use usage::Usage;

/// Most bits that tell opcodes apart: so many of them are a table.
const MAX_OPCODE_BITS: usize = 8;

/// Says for each target of a CODINGROOT how its words are used.
///
/// First one line for each instruction: its fixed bits, its fields, and how many words it wins.
/// Then how far each value of the bits that all instructions fix is used; then the patterns of the
/// words that nothing matches.
pub fn print_coverage_map(model: &CheckedModel) -> String {
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            if seen.insert(target)
                && let Some(decoding) = model.decoding(target)
            {
                text += &Map { model, decoding, target }.print(&operation.name);
            }
        }
    }
    text
}

struct Map<'a> {
    model: &'a CheckedModel,
    decoding: &'a Decoding,
    target: OperationOrGroup,
}

impl Map<'_> {
    fn print(&self, decoder: &str) -> String {
        let width = self.decoding.width_bits;
        let name = self.name();
        let mut text = format!("{name}, decoded by {decoder}: words of {}\n", count(width, "bit"));
        let Ok(mut usage) = Usage::of(self.decoding) else {
            return text + &self.print_uncounted() + "\n";
        };
        let mut used = Amount::default();
        usage.won.iter().for_each(|won| used += *won);
        let all = Amount::power_of_two(width);
        text += &format!("  used: {used} of {all}, {}\n", used.percent(width));
        if !self.decoding.is_known {
            text += "  words that an alias turns down are counted as used\n";
        }
        text += &(self.print_encodings(&usage) + &self.print_opcodes(&mut usage) + &self.print_free(&usage));
        text + "\n"
    }

    /// What a solver knows where there is too much to be counted.
    fn print_uncounted(&self) -> String {
        let free = WordSpace::of(self.decoding).and_then(|mut space| space.free_word());
        let free = match free {
            Ok(Some(word)) => {
                format!("some words are free, {} for one", word.display(self.decoding.width_bits))
            }
            Ok(None) => "nothing is free".to_owned(),
            Err(_) => "whether words are free takes too long to be found out".to_owned(),
        };
        format!("  too many patterns to be counted; {free}\n")
    }

    fn name(&self) -> &str {
        match self.target {
            OperationOrGroup::Operation(id) => &self.model.operations[id.index()].name,
            OperationOrGroup::Group(id) => &self.model.groups[id.index()].name,
        }
    }

    /// One line for each path: what it is made of, its words, its name.
    fn print_encodings(&self, usage: &Usage) -> String {
        let width = self.decoding.width_bits;
        let rows: Vec<[String; 4]> = (self.decoding.paths.iter().zip(&usage.won))
            .map(|(path, won)| {
                let labels = self.labels(&path.steps, path.width_bits);
                [self.operations(&path.steps), encoding(&labels), won.to_string(), won.percent(width)]
            })
            .collect();
        let heading = ["instruction", "encoding", "words", "share"].map(str::to_owned);
        format!("\n{}", table(&heading, &rows, [false, false, true, true]))
    }

    fn operations(&self, steps: &[PathStep]) -> String {
        let names = steps.iter().filter_map(|step| match step.target {
            OperationOrGroup::Operation(id) => Some(self.model.operations[id.index()].name.as_str()),
            OperationOrGroup::Group(_) => None,
        });
        names.collect::<Vec<&str>>().join(" ")
    }

    /// What each bit of a path's word is, bit 0 first.
    fn labels(&self, steps: &[PathStep], width: u32) -> Vec<Label> {
        let mut labels = vec![Label::Any; width as usize];
        let mut here: Vec<usize> = (0..width as usize).collect();
        for (index, step) in steps.iter().enumerate() {
            let OperationOrGroup::Operation(id) = step.target else { continue };
            let operation = &self.model.operations[id.index()];
            let followed = steps[index + 1..].iter().find_map(|step| step.instance);
            let mut inner = Vec::new();
            let coding = operation.coding.as_deref().unwrap_or_default();
            for (coded, at) in coding.iter().rev().zip(&here) {
                match coded {
                    CodingBit::Instance { instance, bit } if Some(*instance) == followed => {
                        inner.push((*bit, *at));
                    }
                    _ => labels[*at] = Label::of(operation, *coded),
                }
            }
            inner.sort_unstable();
            here = inner.into_iter().map(|(_, at)| at).collect();
        }
        labels
    }

    /// How far each value of the bits that tell opcodes apart is used.
    fn print_opcodes(&self, usage: &mut Usage) -> String {
        let (alike, bits) = self.opcode_bits();
        let alike = match named_bits(&alike.iter().map(|(bit, _)| *bit).collect::<Vec<u32>>()) {
            _ if alike.is_empty() => String::new(),
            named => {
                let digits = alike.iter().map(|(_, set)| if *set { '1' } else { '0' });
                let verb = if alike.len() == 1 { "is" } else { "are" };
                format!("\n  {named} {verb} {} in every instruction\n", digits.collect::<String>())
            }
        };
        if bits.is_empty() || bits.len() > MAX_OPCODE_BITS {
            return alike;
        }
        let Ok(used) = usage.used_by_value(&bits) else { return alike };
        let rest = usage.width_bits - bits.len() as u32;
        let row = |(value, used): (&u32, &Amount)| {
            let digits = format!("0b{value:0length$b}", length = bits.len());
            [digits, used.to_string(), used.percent(rest)]
        };
        let rows: Vec<[String; 3]> = used.iter().map(row).collect();
        let unused: Vec<String> = (0..1u32 << bits.len())
            .filter(|value| !used.contains_key(value))
            .map(|value| format!("0b{value:0length$b}", length = bits.len()))
            .collect();
        let heading = [named_bits(&bits), "words".to_owned(), "used".to_owned()];
        let table = table(&heading, &rows, [false, true, true]);
        let unused = match unused.as_slice() {
            [] => String::new(),
            unused => format!("  not used at all: {}\n", unused.join(" ")),
        };
        format!("{alike}\n{table}{unused}")
    }

    /// The bits that all paths fix: those that are the same in all, with their values, and those
    /// that are not, the highest first.
    fn opcode_bits(&self) -> (Vec<(u32, bool)>, Vec<u32>) {
        let (mut alike, mut telling) = (Vec::new(), Vec::new());
        for bit in (0..self.decoding.width_bits).rev() {
            let patterns = self.decoding.entries.iter().flat_map(|entry| &entry.patterns);
            let values: BTreeSet<Option<bool>> = patterns.map(|cube| cube.bit(bit)).collect();
            match values.into_iter().collect::<Vec<Option<bool>>>()[..] {
                [Some(value)] => alike.push((bit, value)),
                [Some(_), Some(_)] => telling.push(bit),
                _ => {}
            }
        }
        (alike, telling)
    }

    fn print_free(&self, usage: &Usage) -> String {
        let width = usage.width_bits;
        if usage.free.is_zero() {
            return "\n  nothing is free\n".to_owned();
        }
        let row = |cube: &Cube| {
            let words = Amount::power_of_two(width - cube.fixed_bits());
            [pattern(*cube, width), words.to_string(), cube.example().display(width)]
        };
        let rows: Vec<[String; 3]> = usage.patterns.cubes.iter().map(row).collect();
        let heading = ["pattern", "words", "for example"].map(str::to_owned);
        let hidden = match usage.patterns.hidden {
            0 => String::new(),
            hidden => format!("  and {} with fewer words\n", count(hidden, "pattern")),
        };
        let table = table(&heading, &rows, [false, true, false]);
        format!(
            "\n  free: {} of {}, {}\n\n{table}{hidden}",
            usage.free,
            Amount::power_of_two(width),
            usage.free.percent(width)
        )
    }
}

/// What a bit of a word is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Label {
    Fixed(bool),
    Any,
    /// A bit of a field or alias, with the width of all of it.
    Named(String, u32, u32),
}

impl Label {
    fn of(operation: &Operation, coded: CodingBit) -> Label {
        match coded {
            CodingBit::Fixed(set) | CodingBit::Field { fixed: Some(set), .. } => Label::Fixed(set),
            CodingBit::Any => Label::Any,
            CodingBit::Field { field, bit, .. } => {
                let field = &operation.fields[field.index()];
                Label::Named(field.name.clone(), bit, field.width_bits)
            }
            CodingBit::Instance { instance: InstanceId(index), bit } => {
                let instance = &operation.instances[index as usize];
                Label::Named(instance.alias.clone(), bit, instance.width_bits.unwrap_or(0))
            }
        }
    }
}

/// The word as manuals draw it: fixed bits, and fields with their slices, the highest bit first.
fn encoding(labels: &[Label]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut index = labels.len();
    while index > 0 {
        let end = index;
        let first = &labels[index - 1];
        index -= 1;
        match first {
            Label::Named(name, high, width) => {
                let mut low = *high;
                while index > 0
                    && low > 0
                    && matches!(&labels[index - 1], Label::Named(n, bit, _) if n == name && *bit == low - 1)
                {
                    low -= 1;
                    index -= 1;
                }
                parts.push(match (*high, low) {
                    (high, 0) if high + 1 == *width => name.clone(),
                    (high, low) if high == low => format!("{name}[{high}]"),
                    (high, low) => format!("{name}[{high}..{low}]"),
                });
            }
            Label::Fixed(_) | Label::Any => {
                while index > 0 && !matches!(labels[index - 1], Label::Named(..)) {
                    index -= 1;
                }
                let digit = |label: &Label| match label {
                    Label::Fixed(set) => {
                        if *set {
                            '1'
                        } else {
                            '0'
                        }
                    }
                    _ => 'x',
                };
                parts.push(labels[index..end].iter().rev().map(digit).collect());
            }
        }
    }
    parts.join(" ")
}

/// A cube as `0b01xx`.
fn pattern(cube: Cube, width: u32) -> String {
    let digits: String = (0..width)
        .rev()
        .map(|bit| match cube.bit(bit) {
            Some(true) => '1',
            Some(false) => '0',
            None => 'x',
        })
        .collect();
    format!("0b{digits}")
}

/// "bits 6..2", or "bits 14..12, 6"
fn named_bits(bits: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for bit in bits {
        match runs.last_mut() {
            Some((_, low)) if *low == bit + 1 => *low = *bit,
            _ => runs.push((*bit, *bit)),
        }
    }
    let run =
        |(high, low): &(u32, u32)| if high == low { high.to_string() } else { format!("{high}..{low}") };
    let noun = if bits.len() == 1 { "bit" } else { "bits" };
    format!("{noun} {}", runs.iter().map(run).collect::<Vec<String>>().join(", "))
}

/// Rows under a heading, two blanks before each column; numbers stand to the right.
fn table<const N: usize>(heading: &[String; N], rows: &[[String; N]], to_the_right: [bool; N]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().chain([heading]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let line = |row: &[String; N]| {
        let cell = |(column, cell): (usize, &String)| match to_the_right[column] {
            true => format!("  {cell:>width$}", width = width(column)),
            false => format!("  {cell:<width$}", width = width(column)),
        };
        row.iter().enumerate().map(cell).collect::<String>().trim_end().to_owned() + "\n"
    };
    line(heading) + &rows.iter().map(line).collect::<String>()
}
