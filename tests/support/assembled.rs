//! Programs that tests assemble.

use std::path::PathBuf;

use gentool::assembler::{Assembled, Assembler, Bases};
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};

/// Assembles a program for a model; it has no errors.
pub(crate) fn assemble(model: &Model, text: &str) -> Assembled {
    let assembler = Assembler::new(model).expect("the model's instructions have texts");
    let path = PathBuf::from("program.s");
    let loader = InMemory::new([(path.clone(), text.to_owned())]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let program = assembler.assemble(&[path], Bases::default(), &loader, &mut sources, &mut findings);
    let program = program.expect("the text is there");
    program.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)))
}
