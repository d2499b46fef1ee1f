//! Descriptions and programs as texts, for tests of what the assembler makes of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gentool::assembler::{Assembled, Assembler, Bases};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

/// The model of a sound description.
pub(crate) fn model_of(text: &str) -> Model {
    let file = Path::new("model.isac");
    let loader = InMemory::new([(file, text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let said = findings.render(&sources, Style::Plain);
    lower_model(&checked.unwrap_or_else(|| panic!("{said}")), &sources, "model")
}

/// The program, if the text is one, what was found, and the files read.
pub(crate) fn try_to_assemble(model: &Model, text: &str) -> (Option<Assembled>, Diagnostics, SourceMap) {
    let path = PathBuf::from("program.s");
    let loader = InMemory::new([(path.as_path(), text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let assembler = Assembler::new(model).expect("it has texts");
    let program = assembler
        .assemble(&[path], Bases::default(), &loader, &mut sources, &mut findings)
        .expect("it is read");
    (program, findings, sources)
}

/// The program that a sound text is.
pub(crate) fn assemble(model: &Model, text: &str) -> (Assembled, SourceMap) {
    let (program, findings, sources) = try_to_assemble(model, text);
    (program.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain))), sources)
}

/// The value of a symbol that a program has.
pub(crate) fn symbol(program: &Assembled, name: &str) -> i128 {
    let found = program.symbols.iter().find(|symbol| symbol.name == name);
    found.unwrap_or_else(|| panic!("no {name}")).value
}
