//! What the generator knows of sound descriptions, for the language server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use gentool::disassembler::Disassembler;
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::operation::Target;
use isac_ir::syntax::Tree;
use isac_ir::syntax::encode::cells_of_words;
use isac_lsp::{Services, Study};
use isac_parser::model::CheckedModel;
use isac_parser::source::SourceMap;

use crate::command::profile_file;

/// Widest instruction that is tried.
const MOST_BITS: u32 = 256;

/// Lowers descriptions.
pub(super) struct Generator;

impl Services for Generator {
    fn study(&self, model: &CheckedModel, sources: &SourceMap, name: &str) -> Box<dyn Study> {
        let coded = model.operations.iter().filter(|operation| operation.coding.is_some());
        let coded = coded.map(|operation| operation.name.clone()).collect();
        Box::new(Lowered { model: lower_model(model, sources, name), coded })
    }
}

/// A description that was lowered.
struct Lowered {
    model: Model,
    /// The operations that have a CODING.
    coded: BTreeSet<String>,
}

impl Study for Lowered {
    fn decode(&self, word: u128) -> Option<String> {
        let disassembler = Disassembler::new(&self.model)?;
        let cell_bits = disassembler.cell_bits();
        let needed = (u128::BITS - word.leading_zeros()).max(1).div_ceil(cell_bits);
        let widths = (needed..=MOST_BITS / cell_bits).map(|cells| cells * cell_bits);
        let found = widths.into_iter().find_map(|width_bits| {
            let words = [(Bits::from_u128(word), width_bits)];
            let cells = cells_of_words(&words, cell_bits, self.model.target.big_endian);
            let found = disassembler.instruction(&cells, 0)?;
            (found.size_cells * cell_bits == width_bits).then_some((found, width_bits))
        });
        let (instruction, width_bits) = found?;
        let mut text = match &instruction.printed {
            Some(printed) => format!("as {width_bits} bits of code at address 0: `{}`", printed.text.trim()),
            None => format!("as {width_bits} bits of code, which has no text"),
        };
        text.push('\n');
        self.list(&instruction.tree, None, 0, &mut text);
        Some(text)
    }

    fn timing(&self, operation: &str) -> Option<String> {
        let index = self.model.operations.iter().position(|found| found.name == operation)?;
        let target = Target::Operation(u32::try_from(index).ok()?);
        let nodes = &self.model.time.nodes;
        if self.model.time.is_instruction_accurate() {
            let runs = nodes.iter().any(|node| node.target == target);
            return runs.then(|| "runs in the cycle of its instruction".to_owned());
        }
        let mut ways = BTreeSet::new();
        for node in nodes.iter().filter(|node| node.target == target) {
            let stage = node.stage.map(|stage| {
                let pipeline = &self.model.pipelines[stage.pipeline as usize];
                format!(", in stage `{}.{}`", pipeline.name, pipeline.stages[stage.stage as usize].name)
            });
            let mut delay = 0;
            let mut at = Some(node);
            while let Some(node) = at {
                delay += node.cause.delay().unwrap_or(0);
                at = node.parent.map(|parent| &nodes[parent as usize]);
            }
            let after = match delay {
                0 => "in the cycle in which its instruction begins".to_owned(),
                1 => "1 cycle after its instruction begins".to_owned(),
                delay => format!("{delay} cycles after its instruction begins"),
            };
            ways.insert(format!("{after}{}", stage.unwrap_or_default()));
        }
        let ways: Vec<String> = ways.into_iter().collect();
        (!ways.is_empty()).then(|| format!("runs {}, if nothing stands", ways.join(" or ")))
    }

    fn coverage(&self, profile: &Path) -> Result<BTreeMap<String, u64>, String> {
        let profile = profile_file::read(profile).map_err(|failure| failure.message)?;
        let measured = &profile.measurement.tables.model;
        if *measured != self.model.name {
            return Err(format!(
                "the profile is of a run of `{measured}`, and this is `{}`: measure it, or name another profile",
                self.model.name
            ));
        }
        let mut counts: BTreeMap<String, u64> = self.coded.iter().map(|name| (name.clone(), 0)).collect();
        for name in &profile.measurement.tables.instructions {
            operations_of(name).into_iter().for_each(|operation| {
                counts.entry(operation.to_owned()).or_default();
            });
        }
        for record in profile.measurement.instructions.values() {
            for operation in operations_of(&record.name) {
                *counts.entry(operation.to_owned()).or_default() += record.executed;
            }
        }
        Ok(counts)
    }
}

impl Lowered {
    /// What was decoded, an operation a line.
    fn list(&self, tree: &Tree, alias: Option<&str>, depth: usize, text: &mut String) {
        let operation = &self.model.operations[tree.operation as usize];
        let alias = alias.filter(|alias| *alias != operation.name).map(|alias| format!("{alias}: "));
        let fields = operation.fields.iter().zip(&tree.fields);
        let fields: Vec<String> =
            fields.map(|(field, value)| format!("{} = {value:#x}", field.name)).collect();
        let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
        let _ = write!(
            text,
            "\n{:indent$}- {}`{}`{fields}",
            "",
            alias.unwrap_or_default(),
            operation.name,
            indent = 2 * depth
        );
        for (instance, child) in &tree.children {
            let alias = &operation.instances[*instance as usize].alias;
            self.list(child, Some(alias), depth + 1, text);
        }
    }
}

/// The operations and groups of a decode path, none twice.
fn operations_of(path: &str) -> BTreeSet<&str> {
    path.split(['(', ')']).filter(|name| !name.is_empty()).collect()
}
