//! Descriptions that no simulator is generated from when the tests are built.

use std::collections::BTreeMap;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};

use super::path;

/// Lowers a description of this repository, which has to be sound.
pub(crate) fn lower(description: &str) -> Model {
    let file = path(description);
    let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    assert!(findings.is_empty(), "{}", findings.render(&sources, Style::Plain));
    let model = lower_model(&checked.expect("the description is sound"), &sources, &name);
    verify_model(&model).expect("lowering keeps its promises");
    model
}
