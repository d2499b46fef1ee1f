//! Models of every kind of resource, with their cases and programs, on every engine.

mod ins {
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod place;
}
mod resources {
    pub(crate) mod alias;
    pub(crate) mod device;
    pub(crate) mod range;
    pub(crate) mod trap;
    pub(crate) mod wide;
}
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use gentool::lower::lower_model;
use ins::case::read_case;
use ins::compare::compare;
use isac_ir::Model;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::Engine;
use sim_runtime::launcher::RunOptions;
use support::{ENGINES, EngineKind, Simulator, simulator};

/// The simulators of the models.
const SIMULATORS: [Simulator; 8] = [
    simulator!(alias, alias_stepwise),
    simulator!(ranges, ranges_stepwise),
    simulator!(devices, devices_stepwise),
    simulator!(trap, trap_stepwise),
    simulator!(parts, parts_stepwise),
    simulator!(vectors, vectors_stepwise),
    simulator!(bundle, bundle_stepwise),
    simulator!(fetched, fetched_stepwise),
];

/// An engine with what it is.
type KindOfEngine = (EngineKind, Box<dyn Engine>);

/// A model with every engine for it.
fn engines(name: &str) -> (&'static Model, Vec<KindOfEngine>) {
    let simulator = SIMULATORS.iter().find(|simulator| simulator.name == name).expect("it is listed");
    let model = (simulator.model)();
    assert_eq!(verify_model(model), Ok(()), "{name}");
    (model, ENGINES.into_iter().map(|kind| (kind, simulator.engine(kind))).collect())
}

/// The model of `tests/models/NAME.isac` with the first `from` in its text replaced by `to`.
fn load_changed(name: &str, from: &str, to: &str) -> Model {
    let file = PathBuf::from(format!("tests/models/{name}.isac"));
    let text = fs::read_to_string(support::path(&file.to_string_lossy())).expect("the model is there");
    assert!(text.contains(from), "{name} has a {from}");
    let loader = InMemory::new([(file.clone(), text.replacen(from, to, 1))]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    assert!(findings.is_empty(), "{}", findings.render(&sources, Style::Plain));
    let model = lower_model(&checked.expect("the model is sound"), &sources, name);
    assert_eq!(verify_model(&model), Ok(()), "{name}");
    model
}

/// Runs the cases of `tests/models/cases/NAME.ins` on every engine; `lines` is how many there are.
fn check_cases(name: &str, lines: usize) {
    let text = fs::read_to_string(support::path(&format!("tests/models/cases/{name}.ins")));
    let (mut wrong, mut found) = (Vec::new(), 0);
    for (line, number) in text.expect("the model has cases").lines().zip(1..) {
        let (model, engines) = engines(name);
        let case = match read_case(line, model) {
            Ok(Some(case)) => case,
            Ok(None) => continue,
            Err(error) => {
                wrong.push(format!("{name}.ins:{number}: {error}"));
                continue;
            }
        };
        found += 1;
        for (kind, mut engine) in engines {
            for difference in compare(&case, engine.as_mut(), model) {
                wrong.push(format!("{name}.ins:{number}: {kind:?}: {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} mismatches:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(found, lines, "cases of {name}");
}

/// The options of a run of a program that nothing limits.
fn run_options(program: PathBuf) -> RunOptions {
    let command = RunOptions::augment_args(Command::new("run"));
    let matches = command.try_get_matches_from(["run".as_ref(), program.as_os_str()]);
    let matches = matches.expect("a program is enough");
    RunOptions::from_arg_matches(&matches).expect("the options are read")
}
