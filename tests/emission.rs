//! What is emitted and printed of the teaching processor, whole, to be read in a difference.
//!
//! The emitted files also compile, without a warning, and run: they are the ones of the other
//! tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gentool::emit::emit_modules;
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::print::{print_behavior, print_decoders, print_time};
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};

fn tiny8() -> Model {
    let description: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tiny8/tiny8.isac");
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&description, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    lower_model(&checked.expect("the description is sound"), &sources, "tiny8")
}

fn check(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_emitted_modules() {
    let modules = emit_modules(&tiny8());
    for name in ["operands", "operations", "decoder", "steps"] {
        let path = format!("src/{name}.rs");
        let module = modules.iter().find(|module| module.path == path).expect("the module is emitted");
        check(&format!("tiny8_{name}"), &module.text);
    }
}

#[test]
fn the_printed_stages() {
    let model = tiny8();
    check("tiny8_dump_decoder", &print_decoders(&model));
    check("tiny8_dump_time", &print_time(&model));
    check("tiny8_dump_behavior", &print_behavior(&model));
}
