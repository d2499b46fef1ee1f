//! What a lowered model promises to engines and emitters: every description of this repository
//! keeps it, and a model in which one promise is broken is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::behavior::{Body, Expr, ExprKind, Stmt};
use isac_ir::control::{ControlCache, control_of};
use isac_ir::operation::{Operation, Referred, Target};
use isac_ir::root::RecordedDecoder;
use isac_ir::time::{Cause, StageId};
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The model of a description; `None` if it is none by itself.
fn lower(file: &Path) -> Option<Model> {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(file, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings)?;
    Some(lower_model(&checked, &sources, "model"))
}

/// All descriptions in a folder and below, by path.
fn descriptions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(descriptions(&path));
        } else if path.extension().is_some_and(|ending| ending == "isac") {
            found.push(path);
        }
    }
    found
}

/// What an instruction does to the flow of control at one address is said of it at another only where it does the
/// same there.
#[test]
fn instructions_are_asked_where_they_stand() {
    let model = lower(&root().join("tests/models/moved.isac")).expect("the description is sound");
    let decodes = model.operations.iter().position(|operation| operation.root.is_some());
    let (decodes, decoder) = (decodes.expect("one decodes") as u32, RecordedDecoder::new(&model));
    let words = (0..=0x0d).flat_map(|opcode: u8| [0, 1, 2, 8, 0x21, 0xff].map(|n| [opcode, n]));
    let found: Vec<_> = words.filter_map(|word| decoder.decode(decodes, &word)).collect();
    let near_ends = (0..0x40).chain(0xffff_ff80..=0xffff_ffff);
    let shared = ControlCache::default();
    for address in near_ends.chain([0x7ffe, 0x7fff, 0x8000, 0x1234_5678]) {
        for root in &found {
            let control =
                |cache| control_of((&model, cache), &root.decoded, address, root.size_cells(&model));
            let (known, alone) = (control(&shared), control(&ControlCache::default()));
            assert_eq!(known, alone, "{} at {address:#x}", root.decoded.name(&model));
        }
    }
    // All of `near`, `call` and `around`; `nothing`, `same` and `stop`.
    assert_eq!(shared.known_instructions(), 3 * 6 + 3);
}

#[test]
fn every_description_is_lowered_as_promised() {
    let (mut sound, mut parts) = (0, Vec::new());
    for folder in ["models", "tests/models", "tests/time"] {
        for file in descriptions(&root().join(folder)) {
            match lower(&file) {
                Some(model) => {
                    assert_eq!(verify_model(&model), Ok(()), "{}", file.display());
                    sound += 1;
                }
                None => parts.push(file.file_name().expect("a name").to_string_lossy().into_owned()),
            }
        }
    }
    assert_eq!(
        parts,
        [
            "aliases.isac",
            "core.isac",
            "extended.isac",
            "atomic.isac",
            "compressed.isac",
            "compressed32.isac",
            "compressed64.isac",
            "integer.isac",
            "machine.isac",
            "machine32.isac",
            "machine64.isac",
            "memory.isac",
            "multiply.isac",
            "pseudo.isac",
            "pseudo32.isac",
            "pseudo64.isac",
            "register.isac",
            "target.isac",
            "user.isac",
            "words.isac",
            "word.isac",
            "slots.isac",
            "stages.isac"
        ],
        "parts of others"
    );
    assert!(sound >= 30, "{sound} descriptions");
}

/// A pipeline that stalls, retries, flushes and asks who is where.
const FIVE: &str = "tests/time/five.isac";
/// REFERENCEs, LOCALs, places that are found.
const SHARED: &str = "tests/models/shared.isac";

/// What a changed model is told.
fn broken(file: &str, change: impl FnOnce(&mut Model)) -> Vec<String> {
    let mut model = lower(&root().join(file)).expect("the description is sound");
    assert_eq!(verify_model(&model), Ok(()));
    change(&mut model);
    verify_model(&model).expect_err("a promise is broken")
}

/// True if one of the messages says this.
fn says(messages: &[String], wanted: &str) -> bool {
    messages.iter().any(|message| message.contains(wanted))
}

fn operation<'m>(model: &'m mut Model, name: &str) -> &'m mut Operation {
    model.operations.iter_mut().find(|operation| operation.name == name).expect("it has the operation")
}

fn behavior<'m>(model: &'m mut Model, name: &str) -> &'m mut Body {
    operation(model, name).behavior.as_mut().expect("it has a BEHAVIOR")
}

/// Changes the first statement that `change` accepts, in any BEHAVIOR.
fn change_statement(model: &mut Model, change: &mut dyn FnMut(&mut Stmt) -> bool) {
    let bodies = model.operations.iter_mut().filter_map(|operation| operation.behavior.as_mut());
    assert!(bodies.into_iter().any(|body| change_first(&mut body.statements, change)), "there is one");
}

fn change_first(statements: &mut [Stmt], change: &mut dyn FnMut(&mut Stmt) -> bool) -> bool {
    statements.iter_mut().any(|statement| {
        change(statement)
            || match statement {
                Stmt::If { then, otherwise, .. } => {
                    change_first(then, change) || change_first(otherwise, change)
                }
                Stmt::Loop { body, .. } | Stmt::Block { body, .. } | Stmt::Call { body, .. } => {
                    change_first(body, change)
                }
                _ => false,
            }
    })
}

/// A value one bit wider than before.
fn widen(value: &mut Expr) {
    *value = Expr::constant(value.width + 1, 0);
}

#[test]
fn a_place_that_was_found_is_assigned_its_width() {
    let of_instance = broken(SHARED, |model| {
        // Where an alias stands for places of one type, as `dst` does in `format`.
        let body = behavior(model, "step");
        let assigned = change_first(&mut body.statements, &mut |statement| match statement {
            Stmt::SetBound { value, .. } => {
                widen(value);
                true
            }
            _ => false,
        });
        assert!(assigned);
    });
    assert!(says(&of_instance, "operation step Behavior: SetBound"), "{of_instance:?}");
    let unknown = broken(SHARED, |model| {
        change_statement(model, &mut |statement| match statement {
            Stmt::SetBound { binding, .. } => {
                *binding = 99;
                true
            }
            _ => false,
        });
    });
    assert!(says(&unknown, "SetBound { binding: 99"), "{unknown:?}");
}

#[test]
fn an_operand_that_was_found_is_assigned_its_width() {
    let found = broken("tests/models/places.isac", |model| {
        change_statement(model, &mut |statement| match statement {
            Stmt::SetBound { mention: Some(_), value, .. } => {
                widen(value);
                true
            }
            _ => false,
        });
    });
    assert!(says(&found, "SetBound"), "{found:?}");
}

#[test]
fn a_stall_counts_cycles_in_64_bits() {
    let found = broken(FIVE, |model| {
        change_statement(model, &mut |statement| match statement {
            Stmt::Stall { cycles, .. } => {
                *cycles = Expr::constant(32, 1);
                true
            }
            _ => false,
        });
    });
    assert!(says(&found, "Behavior: Stall"), "{found:?}");
}

#[test]
fn stall_and_flush_name_stages_that_exist() {
    for nowhere in [StageId { pipeline: 0, stage: 5 }, StageId { pipeline: 1, stage: 0 }] {
        let stall = broken(FIVE, |model| {
            change_statement(model, &mut |statement| match statement {
                Stmt::Stall { stage, .. } => {
                    *stage = nowhere;
                    true
                }
                _ => false,
            });
        });
        assert!(says(&stall, "Behavior: Stall"), "{stall:?}");
        let flush = broken(FIVE, |model| {
            change_statement(model, &mut |statement| match statement {
                Stmt::Flush(stage) => {
                    *stage = nowhere;
                    true
                }
                _ => false,
            });
        });
        assert!(says(&flush, "Behavior: Flush"), "{flush:?}");
        let busy = broken(FIVE, |model| {
            let kind = ExprKind::Busy(nowhere);
            behavior(model, "fetch").statements.push(Stmt::If {
                condition: Expr { width: 1, kind },
                then: Vec::new(),
                otherwise: Vec::new(),
            });
        });
        assert!(says(&busy, "Busy"), "{busy:?}");
    }
}

#[test]
fn a_retry_names_a_pipeline_that_exists() {
    let found = broken(FIVE, |model| {
        change_statement(model, &mut |statement| match statement {
            Stmt::Retry { pipeline } => {
                *pipeline = 1;
                true
            }
            _ => false,
        });
    });
    assert!(says(&found, "Behavior: Retry"), "{found:?}");
}

#[test]
fn operations_and_nodes_are_in_stages_that_exist() {
    let nowhere = Some(StageId { pipeline: 0, stage: 5 });
    let found = broken(FIVE, |model| {
        let main = model.main as usize;
        model.operations[main].stage = nowhere;
    });
    assert_eq!(found, ["operation main: its stage does not exist"]);
    let found = broken(FIVE, |model| model.time.nodes[1].stage = nowhere);
    assert_eq!(found, ["time graph: node 1 is in a stage that does not exist"]);
}

#[test]
fn the_nodes_of_the_time_graph_agree_on_who_brings_about_whom() {
    let orphan = broken(FIVE, |model| {
        model.time.nodes[0].children.pop();
    });
    assert!(says(&orphan, "is not what its parent brings about"), "{orphan:?}");
    let stolen = broken(FIVE, |model| {
        let last = model.time.nodes.len() as u32 - 1;
        assert_ne!(model.time.nodes[last as usize].parent, Some(0));
        model.time.nodes[0].children.push(last);
    });
    assert_eq!(stolen, ["time graph: node 0 has a child that has another parent"]);
    let outside = broken(FIVE, |model| model.time.nodes[0].children.push(1000));
    assert_eq!(outside, ["time graph: node 0 has a child that has another parent"]);
    let forwards = broken(FIVE, |model| model.time.nodes[1].parent = Some(2));
    assert!(says(&forwards, "node 1 is not what its parent brings about"), "{forwards:?}");
    let other = broken(FIVE, |model| model.time.nodes[1].instance = Some(1000));
    assert_eq!(other, ["time graph: node 1 is not what its parent brings about"]);
    let second_start = broken(FIVE, |model| model.time.nodes[1].cause = Cause::Start);
    assert!(says(&second_start, "node 1 is not what its parent brings about"), "{second_start:?}");
    let empty = broken(FIVE, |model| model.time.nodes.clear());
    assert_eq!(empty, ["time graph: it has no node for main"]);
}

/// Whatever is scheduled has a queue, and a number of its own among them.
#[test]
fn queues_are_numbered_in_the_order_of_their_nodes() {
    let model = lower(&root().join(FIVE)).expect("the description is sound");
    let numbers: Vec<u32> = model.time.nodes.iter().filter_map(|node| node.queue).collect();
    assert_eq!(numbers, (0..model.time.scheduled().count() as u32).collect::<Vec<_>>());
    let last = model.time.nodes.iter().rposition(|node| node.queue.is_some());
    let last = last.expect("something is scheduled");
    for changed in [None, Some(0), Some(1000)] {
        let found = broken(FIVE, |model| model.time.nodes[last].queue = changed);
        assert_eq!(found, ["time graph: the queues are not numbered in the order of their nodes"]);
    }
    // In a stage `main` may have to run again: it is scheduled then, before all others.
    assert_eq!(model.time.queue(0), None);
    let bound = |model: &mut Model| model.time.nodes[0].stage = model.first_stage();
    let found = broken(FIVE, bound);
    assert_eq!(found, ["time graph: the queues are not numbered in the order of their nodes"]);
    let mut model = model;
    bound(&mut model);
    let numbers: Vec<u32> = model.time.queues().into_iter().flatten().collect();
    assert_eq!((numbers.len(), model.time.queues()[0]), (model.time.scheduled().count() + 1, Some(0)));
}

#[test]
fn references_and_variables_exist() {
    for change in [
        |kind: &mut ExprKind| *kind = ExprKind::Reference(99),
        |kind: &mut ExprKind| *kind = ExprKind::CodedReference(99),
        |kind: &mut ExprKind| *kind = ExprKind::Variable(99),
        |kind: &mut ExprKind| *kind = ExprKind::Local(99),
        |kind: &mut ExprKind| *kind = ExprKind::Field(99),
        |kind: &mut ExprKind| *kind = ExprKind::Coded(99),
    ] {
        let found = broken(SHARED, |model| {
            let mut condition = Expr::constant(1, 0);
            change(&mut condition.kind);
            let (then, otherwise) = (Vec::new(), Vec::new());
            behavior(model, "step").statements.push(Stmt::If { condition, then, otherwise });
        });
        assert!(says(&found, "(99) does not fit 1 bits"), "{found:?}");
    }
    for statement in [
        Stmt::Set { local: 99, value: Expr::constant(1, 0) },
        Stmt::SetVariable { variable: 99, value: Expr::constant(1, 0) },
        Stmt::SetReference { reference: 99, value: Expr::constant(1, 0) },
        Stmt::Activate { instance: 99, delay: 0 },
        Stmt::OpenNode { label: 99 },
    ] {
        let found = broken(SHARED, |model| behavior(model, "step").statements.push(statement));
        assert!(says(&found, "99") && says(&found, "operation step Behavior: "), "{found:?}");
    }
}

#[test]
fn tables_lead_to_what_exists() {
    let member = broken(SHARED, |model| model.groups[0].members.push(Target::Group(99)));
    assert!(says(&member, "a member does not exist"), "{member:?}");
    let instance =
        broken(SHARED, |model| operation(model, "format").instances[0].target = Target::Operation(99));
    assert_eq!(instance, ["operation format: op is an instance of what does not exist"]);
    let parent = broken(SHARED, |model| operation(model, "step").references[0].bindings[0].parent = 99);
    assert_eq!(parent, ["operation step: reference dst does not fit operation 99, which does not exist"]);
    let what = broken(SHARED, |model| {
        operation(model, "step").references[0].bindings[0].what = Referred::Variable(99);
    });
    assert_eq!(what, ["operation step: reference dst does not fit format"]);
    let main = broken(SHARED, |model| model.main = 99);
    assert!(says(&main, "main is an operation that does not exist"), "{main:?}");
    let decoder = broken(SHARED, |model| model.decoders[0].variants[0].nodes[0].target = Target::Label(99));
    assert_eq!(decoder, ["decoder 0: a node leads to what does not exist"]);
}

#[test]
fn every_region_is_counted_for_something() {
    let unused = broken(FIVE, |model| {
        let body = behavior(model, "fetch");
        body.statements.push(Stmt::Count(body.regions));
        body.regions += 1;
    });
    assert!(says(&unused, "is counted and nothing lies in it"), "{unused:?}");
    let uncounted = broken(FIVE, |model| behavior(model, "fetch").accesses[0].region = 99);
    assert!(says(&uncounted, "something lies in region 99 of "), "{uncounted:?}");
    let twice = broken(FIVE, |model| {
        let again = model.operations.iter_mut().filter_map(|operation| operation.behavior.as_mut());
        let body = again.into_iter().find(|body| body.regions > 1).expect("one has two regions");
        body.statements.push(Stmt::Count(1));
    });
    assert!(says(&twice, "regions, counted {1: 2"), "{twice:?}");
}

#[test]
fn an_expanded_function_stands_alone() {
    const PDP11: &str = "models/pdp11/pdp11.isac";
    let change_call = |model: &mut Model, change: &mut dyn FnMut(&mut Stmt)| {
        let body = behavior(model, "mov");
        assert!(change_first(&mut body.statements, &mut |statement| {
            let is_call = matches!(statement, Stmt::Call { .. });
            if is_call {
                change(statement);
            }
            is_call
        }));
    };
    let shared = broken(PDP11, |model| {
        change_call(model, &mut |call| {
            if let Stmt::Call { arguments, .. } = call {
                arguments.clear();
            }
        });
    });
    assert!(says(&shared, "operation mov Behavior: a call of set_codes shares local "), "{shared:?}");
    let add = |statement: Stmt| {
        broken(PDP11, |model| {
            change_call(model, &mut |call| {
                if let Stmt::Call { body, .. } = call {
                    body.push(statement.clone());
                }
            });
        })
    };
    let outer = add(Stmt::Leave(99));
    assert!(says(&outer, "a call of set_codes leaves what is around it"), "{outer:?}");
    let reference = add(Stmt::SetReference { reference: 0, value: Expr::constant(16, 0) });
    assert!(says(&reference, "a call of set_codes mentions an operation"), "{reference:?}");
    let unknown = broken(PDP11, |model| {
        change_call(model, &mut |call| {
            if let Stmt::Call { function, .. } = call {
                *function = 99;
            }
        });
    });
    assert!(says(&unknown, "a call of function 99, which does not exist"), "{unknown:?}");
}
