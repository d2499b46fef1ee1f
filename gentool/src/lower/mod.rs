//! `CheckedModel` to isac-ir: everything wrong with the input has been found before; this cannot
//! fail.

mod access;
mod assignment;
mod body;
mod call;
mod decoder;
mod ending;
mod expression;
mod followed;
mod instruction;
mod latency;
mod mnemonic;
mod operand;
mod operation;
mod place;
mod point;
mod print;
mod range;
mod resource;
mod root;
mod service;
mod statement;
mod syntax;
mod time;
mod wide;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isac_ir::Model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::model::{CheckedModel, InstanceId};
use isac_parser::source::{InMemory, SourceMap, Span};

pub use self::followed::{FollowedCall, FollowedLocal, FollowedStatement, lower_followed_model};
pub use self::point::{Decision, DescriptionPoint, PointKind, lower_counted_model};

/// Lowers a model; `name` is the description's file without folder and ending.
pub fn lower_model(model: &CheckedModel, sources: &SourceMap, name: &str) -> Model {
    lower(model, sources, name, None)
}

/// Lowers a description that is one text; `None` if it is not sound, the findings say why.
pub fn lower_text(
    text: &str,
    name: &str,
    sources: &mut SourceMap,
    findings: &mut Diagnostics,
) -> Option<Model> {
    let file = format!("{name}.isac");
    let root = Path::new(&file);
    let description = InMemory::new([(root, text)]);
    let model = load_model(root, &description, &BTreeMap::new(), sources, findings)?;
    Some(lower_model(&model, sources, name))
}

fn lower(model: &CheckedModel, sources: &SourceMap, name: &str, points: Option<&point::Points>) -> Model {
    let mut lowering = Lowering {
        model,
        sources,
        points: None,
        mnemonics: mnemonic::mnemonic_aliases(model),
        of_pseudos: point::list_operations_of_pseudos(model),
        labels: root::list_labels(model),
        ending: BTreeSet::new(),
    };
    lowering.ending = lowering.list_ending_operands();
    lowering.points = points;
    let mut lowered = Model {
        format_version: isac_ir::FORMAT_VERSION,
        name: name.to_string(),
        target: lowering.lower_target(),
        registers: lowering.lower_registers(),
        rams: lowering.lower_rams(),
        caches: lowering.lower_caches(),
        devices: lowering.lower_devices(),
        pipelines: lowering.lower_pipelines(),
        maps: lowering.lower_maps(),
        operations: lowering.lower_operations(),
        groups: lowering.lower_groups(),
        functions: lowering.for_texts(true, || lowering.lower_functions()),
        pseudos: lowering.lower_pseudos(),
        labels: lowering.labels.clone(),
        decoders: Vec::new(),
        time: Default::default(),
        aliases: model.aliases.iter().map(|alias| lowering.lower_place(alias)).collect(),
        pc: lowering.lower_place(&model.pc),
        memory_fault: lowering.lower_memory_fault(),
        main: model.main.0,
        reset: model.reset.map(|reset| reset.0),
        instructions: Vec::new(),
    };
    lowering.list_function_points(&lowered);
    let (decoders, tails) = decoder::lower_decoders(model);
    lowered.decoders = decoders;
    for (operation, tail) in lowered.operations.iter_mut().zip(tails) {
        operation.tail = tail;
    }
    lowered.time = time::lower_time(&lowered);
    lowered.instructions = instruction::list_instructions(&lowered);
    lowered
}

/// What every part of lowering looks things up in.
struct Lowering<'a> {
    model: &'a CheckedModel,
    sources: &'a SourceMap,
    /// Where points of the description are listed, if they are counted.
    points: Option<&'a point::Points>,
    /// The aliases in mnemonics, each with its operation's index.
    mnemonics: BTreeSet<(usize, InstanceId)>,
    /// Indices of the operations that nothing but PSEUDOs use.
    of_pseudos: BTreeSet<usize>,
    /// Names of the parts of SWITCHes.
    labels: Vec<String>,
    /// Indices of the operations in whose EXPRESSION an instruction may end.
    ending: BTreeSet<usize>,
}

impl Lowering<'_> {
    /// The index of a label.
    fn label(&self, name: &str) -> u32 {
        let index = self.labels.iter().position(|label| label == name);
        index.expect("the parts of all SWITCHes are listed") as u32
    }

    /// A place as `file:line`, the file without its folder.
    fn location(&self, span: Span) -> String {
        let (line, _) = self.sources.line_column(span);
        let path = std::path::Path::new(self.sources.path(span.file));
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        format!("{file}:{line}")
    }
}
