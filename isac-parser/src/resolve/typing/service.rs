//! `pipe.stall(S, n)` and the like: what a pipeline can be asked to do.

use super::conversion::{Value, bits};
use super::expression::{Operand, valued};
use super::{Typer, code, error};
use crate::ast;
use crate::model::{Expr, ExprKind, PipelineId, StageId};
use crate::resolve::names::{Global, wrong_kind};
use crate::resolve::pipeline::resolve_stage_name;
use crate::resolve::report::{count, help_if};
use crate::resolve::suggestion::did_you_mean;
use crate::source::Span;

/// The services of a pipeline.
pub(crate) const SERVICES: [&str; 4] = ["stall", "retry", "flush", "busy"];

/// How the services are called.
const USAGE: &str =
    "the services of a PIPELINE are `stall(STAGE, cycles)`, `retry()`, `flush(STAGE)` and `busy(STAGE)`";

impl Typer<'_> {
    /// `base.member(arguments)`
    pub(super) fn service(
        &mut self,
        base: &ast::Expr,
        member: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        if let ast::ExprKind::Name(name) = &base.kind {
            match self.global(name) {
                Some((Global::Pipeline(pipeline), _)) => {
                    self.only_when_running(span, "a call")?;
                    return self.pipeline_service(pipeline, member, arguments, span);
                }
                Some(_) if SERVICES.contains(&member.text.as_str()) => {
                    let found = self.table.names.globals.get(&name.text)?;
                    let form = self.service_without_pipeline(member, arguments);
                    self.diagnostics.push(help_if(wrong_kind(name, found, "a PIPELINE"), form));
                    return None;
                }
                None if !self.is_hidden(name) && self.service_of_stage(base, member, arguments).is_some() => {
                }
                None if self.operation.is_none_or(|o| !o.names.contains_key(&name.text)) => {
                    self.name(name)?;
                }
                _ => {}
            }
        }
        let message = format!("nothing here has a service `{}`", member.text);
        let is_map = matches!(&base.kind, ast::ExprKind::Name(name)
            if matches!(self.global(name), Some((Global::Map(_), _))));
        let mut finding = error(code::WRONG_KIND, span, message, "no function");
        if let Some(form) = self.service_of_stage(base, member, arguments) {
            finding = finding.help(form);
        } else if let Some(form) = self.latency_of_what(member, Some(base)) {
            finding = finding.help(form);
        } else if is_map {
            finding = finding.help("a map is read and written in brackets: `map.u32[address]`");
        }
        self.diagnostics.push(finding);
        None
    }

    fn pipeline_service(
        &mut self,
        pipeline: PipelineId,
        member: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        match member.text.as_str() {
            "stall" => self.stall(pipeline, arguments, span),
            "retry" => {
                if !arguments.is_empty() {
                    let label = "the stage is that of the operation";
                    self.wrong_arguments(pipeline, "retry", "no argument", arguments, (span, label));
                    return None;
                }
                Some(Operand::Value(Expr { kind: ExprKind::Retry(pipeline), ty: None, span }))
            }
            "flush" => {
                let stage = self.only_stage(pipeline, "flush", arguments, span)?;
                Some(Operand::Value(Expr { kind: ExprKind::Flush(stage), ty: None, span }))
            }
            "busy" => {
                let stage = self.only_stage(pipeline, "busy", arguments, span)?;
                Some(valued(ExprKind::Busy(stage), bits(1), span))
            }
            _ => {
                self.no_such_service(pipeline, member);
                None
            }
        }
    }

    /// `pipe.stall(S)` or `pipe.stall(S, n)`
    fn stall(&mut self, pipeline: PipelineId, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        let (stage, cycles) = match arguments {
            [stage] => (stage, None),
            [stage, cycles] => (stage, Some(cycles)),
            _ => {
                let wanted = "a stage and perhaps a number of cycles";
                let label = "as `stall(STAGE)` or `stall(STAGE, cycles)`";
                self.wrong_arguments(pipeline, "stall", wanted, arguments, (span, label));
                return None;
            }
        };
        let stage = self.stage(pipeline, "stall", stage, arguments);
        let cycles = match cycles {
            // The two may have changed places.
            Some(cycles) if stage.is_none() && self.stage_meant(cycles).is_some() => None,
            Some(cycles) => {
                let cycles = self.value(cycles);
                let help = "what stands still is held for 0 or more cycles";
                cycles.and_then(|cycles| self.cycle_count(cycles, "a stall", help))
            }
            None => Some(Expr { kind: ExprKind::Const(1), ty: Some(bits(64)), span }),
        };
        let kind = ExprKind::Stall { stage: stage?, cycles: Box::new(cycles?) };
        Some(Operand::Value(Expr { kind, ty: None, span }))
    }

    /// The number of cycles of something; reports a constant that is negative.
    pub(super) fn cycle_count(&mut self, value: Value, what: &str, help: &str) -> Option<Expr> {
        let negative = |pattern: u128| value.ty.signed && (super::extend(pattern, value.ty) as i128) < 0;
        if value.constant().is_some_and(negative) {
            let message = format!("{what} of a negative number of cycles");
            self.diagnostics.push(error(code::CYCLE_COUNT, value.expr.span, message, "negative").help(help));
            return None;
        }
        Some(self.fit(value, bits(64)).expr)
    }

    /// The single argument of a service, a stage.
    fn only_stage(
        &mut self,
        pipeline: PipelineId,
        service: &str,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<StageId> {
        let [stage] = arguments else {
            let label = format!("as `{service}(STAGE)`");
            self.wrong_arguments(pipeline, service, "one stage", arguments, (span, &label));
            return None;
        };
        self.stage(pipeline, service, stage, arguments)
    }

    /// A stage where one is needed: its name, bare.
    fn stage(
        &mut self,
        pipeline: PipelineId,
        service: &str,
        stage: &ast::Expr,
        arguments: &[ast::Expr],
    ) -> Option<StageId> {
        if let ast::ExprKind::Name(name) = &stage.kind {
            return resolve_stage_name(pipeline, name, self.table, self.diagnostics);
        }
        let declared = self.table.pipelines.get(pipeline.index())?;
        let example = declared.stages.first()?;
        let message = format!("a stage of the PIPELINE `{}` is needed here", declared.name);
        let form = self.first_is_no_stage(declared, service, arguments);
        let help = form.unwrap_or_else(|| format!("name a stage alone, as `{}`", example.name));
        let diagnostic = error(code::WRONG_KIND, stage.span, message, "no stage")
            .secondary(declared.span, "the pipeline")
            .help(help);
        self.diagnostics.push(diagnostic);
        None
    }

    fn wrong_arguments(
        &mut self,
        pipeline: PipelineId,
        service: &str,
        wanted: &str,
        arguments: &[ast::Expr],
        (span, label): (Span, &str),
    ) {
        let Some(declared) = self.table.pipelines.get(pipeline.index()) else { return };
        let found = count(arguments.len() as u128, "argument");
        let message = format!("`{}.{service}` takes {wanted}, but gets {found}", declared.name);
        let help = self.service_arguments(declared, service, arguments);
        self.diagnostics.push(error(code::ARGUMENT_COUNT, span, message, label).help(help));
    }

    fn no_such_service(&mut self, pipeline: PipelineId, member: &ast::Name) {
        let Some(declared) = self.table.pipelines.get(pipeline.index()) else { return };
        let message = format!("the PIPELINE `{}` has no service `{}`", declared.name, member.text);
        let diagnostic = error(code::UNDEFINED, member.span, message, "no such service")
            .secondary(declared.span, "declared here")
            .help(USAGE);
        self.diagnostics.push(help_if(diagnostic, did_you_mean(&member.text, SERVICES)));
    }

    /// `pipe.member` that is not called.
    pub(super) fn pipeline_member(&mut self, pipeline: PipelineId, name: &ast::Name, member: &ast::Name) {
        let Some(declared) = self.table.pipelines.get(pipeline.index()) else { return };
        let text = member.text.as_str();
        if SERVICES.contains(&text) {
            let message = format!("`{}.{text}` is a service and has to be called", name.text);
            let label = "arguments are missing";
            let diagnostic = error(code::WRONG_KIND, member.span, message, label);
            self.diagnostics.push(diagnostic.help(USAGE));
        } else if let Some(stage) = declared.stages.iter().find(|stage| stage.name == text) {
            let message = format!("`{}.{text}` is a stage, but a value is needed here", name.text);
            let diagnostic = error(code::WRONG_KIND, member.span, message, "a value is needed")
                .secondary(stage.span, "declared here")
                .help(format!("`{}.busy({text})` is 1 if an instruction is in it", name.text));
            self.diagnostics.push(diagnostic);
        } else {
            self.no_such_service(pipeline, member);
        }
    }
}
