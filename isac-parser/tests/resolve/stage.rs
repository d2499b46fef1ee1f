//! What becomes of pipelines, stages, delays and services.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::model::{
    Activation, Body, CheckedModel, Expr, ExprKind, Operation, PipelineId, StageId, Stmt, StmtKind, Type,
};
use isac_parser::source::FileSystem;

use super::super::{load, load_text};

fn staged() -> CheckedModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resolve/staged.isac");
    let (model, said) = load(&path, &FileSystem, &BTreeMap::new());
    assert_eq!(said, "");
    model.unwrap()
}

fn operation<'a>(model: &'a CheckedModel, name: &str) -> &'a Operation {
    model.operations.iter().find(|operation| operation.name == name).unwrap()
}

/// The expressions that are statements of a body, those of its IFs included.
fn effects(body: &Body) -> Vec<&Expr> {
    fn collect<'a>(statements: &'a [Stmt], found: &mut Vec<&'a Expr>) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Expr(expr) => found.push(expr),
                StmtKind::If { then, .. } | StmtKind::Block(then) => collect(then, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(&body.statements, &mut found);
    found
}

fn stage(pipeline: u32, stage: u32) -> StageId {
    StageId { pipeline: PipelineId(pipeline), stage }
}

#[test]
fn stages_stand_in_order_with_the_registers_that_are_set_in_them() {
    let model = staged();
    let shown: Vec<String> = model
        .pipelines
        .iter()
        .flat_map(|pipeline| pipeline.stages.iter().map(move |stage| (pipeline, stage)))
        .map(|(pipeline, stage)| {
            let registers = stage.registers.iter().map(|(id, _)| model.registers[id.index()].name.as_str());
            format!("{}.{} {}", pipeline.name, stage.name, registers.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(
        shown,
        ["pipe.FE ir ir_pc", "pipe.DC op_a", "pipe.EX result target", "pipe.WB x", "unit.U1 waits"]
    );
}

#[test]
fn an_operation_has_the_stage_that_its_own_in_names() {
    let model = staged();
    let stage_of = |name: &str| operation(&model, name).stage.map(|(stage, _)| stage);
    assert_eq!(stage_of("main"), Some(stage(0, 0)));
    assert_eq!(stage_of("write"), Some(stage(0, 3)));
    assert_eq!(stage_of("multiply"), Some(stage(1, 0)));
    assert_eq!(stage_of("add"), None);
}

#[test]
fn a_delay_is_the_one_that_is_written() {
    let model = staged();
    let [Activation::If { then, .. }] = operation(&model, "tick").activation.as_slice() else { panic!() };
    let [Activation::Activate { delay_cycles, .. }] = then.as_slice() else { panic!() };
    assert_eq!(*delay_cycles, 2);
    let [Activation::Activate { delay_cycles, .. }] = operation(&model, "add").activation.as_slice() else {
        panic!()
    };
    assert_eq!(*delay_cycles, 0);
}

#[test]
fn services_name_their_stage_and_convert_their_cycles() {
    let model = load_text(
        "RESOURCE { PC REGISTER bit[8] pc; REGISTER bit[4] n; PIPELINE pipe { FE { }; EX { }; }; };
         OPERATION main IN pipe.FE {
             BEHAVIOR {
                 pipe.stall(EX);
                 pipe.stall(FE, n);
                 pipe.flush(EX);
                 n = pipe.busy(EX);
                 if (n == 0) pipe.retry();
             };
         };",
    );
    let found = effects(operation(&model, "main").behavior.as_ref().unwrap());
    let [one, some, flush, busy, retry] = found.as_slice() else { panic!("{found:?}") };
    let bits = |width_bits| Some(Type { width_bits, signed: false });
    let ExprKind::Stall { stage: at, cycles } = &one.kind else { panic!() };
    assert_eq!((*at, &cycles.kind, cycles.ty, one.ty), (stage(0, 1), &ExprKind::Const(1), bits(64), None));
    let ExprKind::Stall { stage: at, cycles } = &some.kind else { panic!() };
    assert_eq!((*at, cycles.ty), (stage(0, 0), bits(64)));
    assert_eq!((&flush.kind, flush.ty), (&ExprKind::Flush(stage(0, 1)), None));
    let ExprKind::Assign { value, .. } = &busy.kind else { panic!() };
    let ExprKind::Convert(value) = &value.kind else { panic!() };
    assert_eq!((&value.kind, value.ty), (&ExprKind::Busy(stage(0, 1)), bits(1)));
    assert_eq!((&retry.kind, retry.ty), (&ExprKind::Retry(PipelineId(0)), None));
}

#[test]
fn a_function_that_retries_needs_no_value() {
    let text = "RESOURCE { PC REGISTER bit[8] pc; PIPELINE pipe { FE { }; }; };
         FUNCTION bit[8] ready() { if (pc == 3) return 1; pipe.retry(); }
         OPERATION main IN pipe.FE { BEHAVIOR { pc = ready(); }; };";
    load_text(text);
}
