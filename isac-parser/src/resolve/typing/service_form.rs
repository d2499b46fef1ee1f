//! How a service of a pipeline is asked for, told to whoever asks for it otherwise: without the
//! pipeline, of a stage, with the arguments in another order.

use super::Typer;
use super::service::SERVICES;
use crate::ast::{Expr, ExprKind, Name};
use crate::model::{Pipeline, Stage};
use crate::print::print_expr;

/// What is longer stands for nothing that could be copied from a message.
const MAX_LETTERS: usize = 40;

/// Stands for the number of cycles in forms.
const CYCLES: &str = "cycles";

impl Typer<'_> {
    /// The remedy for a call of a FUNCTION that nothing defines and a service has the name of.
    pub(super) fn service_without_pipeline(&self, name: &Name, arguments: &[Expr]) -> Option<String> {
        if !SERVICES.contains(&name.text.as_str()) {
            return None;
        }
        let Some(first) = self.table.pipelines.first() else {
            return Some(format!(
                "`{}` is a service of a PIPELINE, and none is declared, as by `PIPELINE pipe {{ FE {{ }}; EX {{ }}; }};`",
                name.text
            ));
        };
        let asked = self.stage_among(arguments);
        let pipeline = asked.map_or(first, |(pipeline, _)| pipeline);
        let form = self.form(pipeline, &name.text, asked.map(|(_, stage)| stage), arguments);
        Some(format!("a PIPELINE is asked for it: write `{form}`"))
    }

    /// The same for one that is asked of a stage, as `pipe.EX.stall(2)` or `EX.stall(2)`.
    pub(super) fn service_of_stage(&self, base: &Expr, service: &Name, arguments: &[Expr]) -> Option<String> {
        if !SERVICES.contains(&service.text.as_str()) {
            return None;
        }
        let (pipeline, stage) = self.stage_meant(base)?;
        let form = self.form(pipeline, &service.text, Some(stage), arguments);
        Some(format!("the stage stands in the parentheses: write `{form}`"))
    }

    /// The remedy for arguments of which the first is no stage.
    pub(super) fn first_is_no_stage(
        &self,
        pipeline: &Pipeline,
        service: &str,
        arguments: &[Expr],
    ) -> Option<String> {
        let (of, stage) = self.stage_among(arguments)?;
        let form = self.form(of, service, Some(stage), arguments);
        let reason = match (&arguments.first()?.kind, of.name == pipeline.name) {
            (ExprKind::Member { .. }, true) => "a stage is named without its pipeline here",
            (ExprKind::Member { .. }, false) => "the pipeline that has the stage is asked",
            _ => "the stage comes first",
        };
        Some(format!("{reason}: write `{form}`"))
    }

    /// The remedy for a wrong number of arguments.
    pub(super) fn service_arguments(&self, pipeline: &Pipeline, service: &str, arguments: &[Expr]) -> String {
        let named = arguments.iter().filter_map(|argument| match self.stage_meant(argument)? {
            (of, stage) if of.name == pipeline.name => Some(stage),
            _ => None,
        });
        let named: Vec<&Stage> = named.collect();
        let place = |stage: &&&Stage| pipeline.stages.iter().position(|other| other.name == stage.name);
        let last = named.iter().max_by_key(place).map_or("STAGE", |stage| &stage.name);
        let name = &pipeline.name;
        let form = match service {
            "stall" => {
                format!("write `{name}.stall({last})` for one cycle, or `{name}.stall({last}, {CYCLES})`")
            }
            "flush" if named.len() > 1 => {
                format!("write `{name}.flush({last})`: it reaches the stages before {last}, too")
            }
            "busy" if named.len() > 1 => {
                let asked: Vec<String> =
                    named.iter().map(|stage| format!("{name}.busy({})", stage.name)).collect();
                format!("write `{}`", asked.join(" || "))
            }
            "retry" => {
                format!("write `{name}.retry()`: what runs again is what this instruction does in this stage")
            }
            _ => format!("write `{name}.{service}({last})`"),
        };
        if named.is_empty() && service != "retry" {
            let stages: Vec<&str> = pipeline.stages.iter().map(|stage| stage.name.as_str()).collect();
            return format!("{form}; its stages are {}", stages.join(", "));
        }
        form
    }

    /// The remedy for a stage where a value is needed.
    pub(super) fn stage_as_value(&self, name: &Name) -> Option<String> {
        let (pipeline, stage) = self.stage_named(&name.text)?;
        let (of, name) = (&pipeline.name, &stage.name);
        Some(format!(
            "it is a stage of the PIPELINE `{of}`: `{of}.busy({name})` is 1 if an instruction is in it"
        ))
    }

    /// A service as it is asked for; of the arguments the first that is no stage are the cycles.
    fn form(&self, pipeline: &Pipeline, service: &str, stage: Option<&Stage>, arguments: &[Expr]) -> String {
        let (of, stage) = (&pipeline.name, stage.map_or("STAGE", |stage| &stage.name));
        let cycles = arguments.iter().find(|argument| self.stage_meant(argument).is_none());
        match (service, cycles) {
            ("retry", _) => format!("{of}.retry()"),
            ("stall", Some(cycles)) => {
                let text = print_expr(cycles);
                let text = if text.len() > MAX_LETTERS { CYCLES } else { &text };
                format!("{of}.stall({stage}, {text})")
            }
            _ => format!("{of}.{service}({stage})"),
        }
    }

    fn stage_among(&self, arguments: &[Expr]) -> Option<(&Pipeline, &Stage)> {
        arguments.iter().find_map(|argument| self.stage_meant(argument))
    }

    /// The stage that `STAGE` or `pipe.STAGE` is.
    pub(super) fn stage_meant(&self, expr: &Expr) -> Option<(&Pipeline, &Stage)> {
        match &expr.kind {
            ExprKind::Name(name) if !self.is_hidden(name) => self.stage_named(&name.text),
            ExprKind::Member { base, member } => {
                let ExprKind::Name(base) = &base.kind else { return None };
                let pipeline = self.table.pipelines.iter().find(|pipeline| pipeline.name == base.text)?;
                let stage = pipeline.stages.iter().find(|stage| stage.name == member.text)?;
                Some((pipeline, stage))
            }
            _ => None,
        }
    }

    /// The first stage of this name.
    fn stage_named(&self, name: &str) -> Option<(&Pipeline, &Stage)> {
        self.table.pipelines.iter().find_map(|pipeline| {
            let stage = pipeline.stages.iter().find(|stage| stage.name == name)?;
            Some((pipeline, stage))
        })
    }
}
