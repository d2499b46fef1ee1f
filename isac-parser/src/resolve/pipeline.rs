//! PIPELINEs, their stages, and the registers that are set in each.

use std::collections::{BTreeMap, BTreeSet};

use super::code;
use super::collect::Definitions;
use super::names::{Global, Table, double, undefined, wrong_kind};
use super::report::error;
use crate::ast::{Name, PipelineDeclaration, StageDeclaration};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Pipeline, PipelineId, RegisterId, Stage, StageId};
use crate::source::Span;

/// Resolves the pipelines into [`Table::pipelines`].
pub(crate) fn resolve_pipelines(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    let mut owners = Owners { table, diagnostics, first: BTreeMap::new(), disputed: BTreeSet::new() };
    let mut pipelines: Vec<Pipeline> =
        definitions.pipelines.iter().map(|declaration| owners.pipeline(declaration)).collect();
    // Of a register that two stages name nobody knows in which of them it may be written.
    let disputed = owners.disputed;
    for stage in pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.stages) {
        stage.registers.retain(|(register, _)| !disputed.contains(register));
    }
    table.pipelines = pipelines;
}

/// The stages that set registers: a register is set in one stage of one pipeline at most.
struct Owners<'a, 'd> {
    table: &'a Table,
    diagnostics: &'d mut Diagnostics,
    /// Where each register was first named, and by which stage.
    first: BTreeMap<RegisterId, (Span, Owner)>,
    /// What two stages name.
    disputed: BTreeSet<RegisterId>,
}

/// A stage by the places of its pipeline's and its own name.
type Owner = (Span, Span);

impl Owners<'_, '_> {
    fn pipeline(&mut self, declaration: &PipelineDeclaration) -> Pipeline {
        let name = &declaration.name;
        if declaration.stages.is_empty() {
            let message = format!("the PIPELINE `{}` has no stages", name.text);
            let diagnostic = error(code::NO_STAGES, name.span, message, "has no stages").help(
                "name them from first to last, each with the registers set in it, as `FE { ir }; EX { };`",
            );
            self.diagnostics.push(diagnostic);
        }
        let mut stages: Vec<Stage> = Vec::new();
        for stage in &declaration.stages {
            let registers = self.registers(stage, (name.span, stage.name.span));
            if let Some(first) = stages.iter().find(|other| other.name == stage.name.text) {
                self.diagnostics.push(double(&stage.name, first.span));
                continue;
            }
            stages.push(Stage { name: stage.name.text.clone(), span: stage.name.span, registers });
        }
        Pipeline { name: name.text.clone(), span: name.span, stages }
    }

    fn registers(&mut self, stage: &StageDeclaration, owner: Owner) -> Vec<(RegisterId, Span)> {
        let names = stage.registers.iter();
        names.filter_map(|name| Some((self.register(name, &stage.name, owner)?, name.span))).collect()
    }

    fn register(&mut self, name: &Name, stage: &Name, owner: Owner) -> Option<RegisterId> {
        let found = self.table.names.global(name, "register", self.diagnostics)?;
        let Global::Register(id) = found.what else {
            let diagnostic = wrong_kind(name, &found, "a register");
            self.diagnostics.push(match found.what {
                Global::Alias(_) => diagnostic.help("name the register whose bits it stands for"),
                _ => diagnostic.help("a stage lists the registers that are set in it"),
            });
            return None;
        };
        match self.first.get(&id) {
            None => {
                self.first.insert(id, (name.span, owner));
                Some(id)
            }
            Some((first, (_, first_stage))) => {
                let is_same = *first_stage == owner.1;
                if !is_same {
                    self.disputed.insert(id);
                }
                self.diagnostics.push(set_twice(name, stage, *first, (!is_same).then_some(*first_stage)));
                None
            }
        }
    }
}

/// The message for a register that is named a second time; `other` is where another stage that
/// names it stands.
fn set_twice(name: &Name, stage: &Name, first: Span, other: Option<Span>) -> Diagnostic {
    match other {
        None => {
            let message = format!("the stage `{}` names `{}` twice", stage.text, name.text);
            error(code::STAGE_REGISTER, name.span, message, "again here")
                .secondary(first, "first here")
                .help("name it once")
        }
        Some(other) => {
            let message = format!("`{}` is set in two stages", name.text);
            error(code::STAGE_REGISTER, name.span, message, format!("set in `{}`, too", stage.text))
                .secondary(first, "set here already")
                .secondary(other, "in this stage")
                .help("a register is set in one stage; one that several stages set is named by none")
        }
    }
}

/// The pipeline of a name; reports what is none.
pub(crate) fn resolve_pipeline_name(
    name: &Name,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<PipelineId> {
    if !table.names.globals.contains_key(&name.text) {
        let pipelines = table.pipelines.iter().map(|pipeline| pipeline.name.as_str());
        let diagnostic = undefined("pipeline", name, pipelines);
        diagnostics.push(match table.names.operations.get(&name.text) {
            Some(other) => diagnostic.secondary(other.span, "an operation or group has this name"),
            None if table.pipelines.is_empty() => {
                diagnostic.help("declare it in RESOURCE, as `PIPELINE pipe { FE { ir }; EX { }; };`")
            }
            None => diagnostic,
        });
        return None;
    }
    let found = table.names.global(name, "pipeline", diagnostics)?;
    match found.what {
        Global::Pipeline(id) => Some(id),
        _ => {
            diagnostics.push(wrong_kind(name, &found, "a PIPELINE"));
            None
        }
    }
}

/// The stage of a pipeline that a name stands for; reports one that the pipeline has not.
pub(crate) fn resolve_stage_name(
    pipeline: PipelineId,
    name: &Name,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<StageId> {
    let Pipeline { name: of, span, stages } = table.pipelines.get(pipeline.index())?;
    if let Some(found) = (0..).zip(stages).find(|(_, stage)| stage.name == name.text) {
        return Some(StageId { pipeline, stage: found.0 });
    }
    if stages.is_empty() {
        // Reported where it is declared.
        return None;
    }
    let message = format!("the PIPELINE `{of}` has no stage `{}`", name.text);
    let known: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    let help =
        super::suggestion::did_you_mean(&name.text, known.iter().copied()).unwrap_or_else(
            || match known[..] {
                [only] => format!("its only stage is `{only}`"),
                _ => format!("its stages are {}", known.join(", ")),
            },
        );
    let diagnostic = error(code::UNDEFINED, name.span, message, "no such stage")
        .secondary(*span, "the pipeline")
        .help(help);
    diagnostics.push(diagnostic);
    None
}
