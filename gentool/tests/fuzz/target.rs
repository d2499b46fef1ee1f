//! What is fuzzed: texts that may be descriptions, words for the decoders of those that are, and
//! programs for their assemblers.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use gentool::assembler::output::{write_elf, write_intel_hex, write_listing, write_raw};
use gentool::assembler::{Assembled, AssembledPiece, Assembler, Bases};
use gentool::disassembler::{Disassembler, Piece, Program, Style as Remarks, disassemble};
use gentool::export::{export_model, print_json, print_xml};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{SourceLoader, SourceMap};
use isac_parser::{check_coverage, load_model, print_coverage_map};

/// The descriptions of the repository, by path, with one more.
pub(crate) struct Files<'a> {
    /// Texts by path from the repository's root.
    pub(crate) known: &'a BTreeMap<PathBuf, Vec<u8>>,
    /// The one that is fuzzed.
    pub(crate) path: &'a Path,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
}

impl SourceLoader for Files<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        let path = normal(path);
        if path == self.path {
            return Ok(self.bytes.to_vec());
        }
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        self.known.get(&path).cloned().ok_or_else(missing)
    }
}

/// The path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(part) => path.push(part),
            _ => {}
        }
        path
    })
}

/// Reads, checks and shows what is said of a text; true if it is sound.
pub(crate) fn check_description(files: &Files<'_>) -> bool {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let model = load_model(files.path, files, &BTreeMap::new(), &mut sources, &mut findings);
    assert_eq!(model.is_none(), findings.has_errors(), "a model and errors exclude each other");
    if let Some(model) = &model {
        check_coverage(model, &mut findings);
        print_coverage_map(model);
    }
    findings.render(&sources, Style::Plain);
    model.is_some()
}

/// Lowers a text that is sound, and decodes words by it.
pub(crate) fn decode_words(files: &Files<'_>, mut word: impl FnMut() -> u64) -> bool {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(files.path, files, &BTreeMap::new(), &mut sources, &mut findings);
    let Some(checked) = checked else { return false };
    let model = lower_model(&checked, &sources, "fuzzed");
    assert_eq!(verify_model(&model), Ok(()), "lowering keeps its promises");
    let content = export_model(&checked, &model);
    print_xml(&content);
    print_json(&content);
    let Some(disassembler) = Disassembler::new(&model) else { return true };
    let width = disassembler.cell_bits();
    for _ in 0..64 {
        let cells: Vec<Bits> = (0..8)
            .map(|_| {
                let wide = u128::from(word()) << 64 | u128::from(word());
                Bits::from_u128(wide & isac_ir::bits::mask(width.min(128)))
            })
            .collect();
        disassembler.instruction(&cells, word());
    }
    true
}

/// The model of a description of the repository.
pub(crate) fn lower_known(known: &BTreeMap<PathBuf, Vec<u8>>, path: &Path) -> Option<Model> {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let files = Files { known, path, bytes: known.get(path)? };
    let checked = load_model(path, &files, &BTreeMap::new(), &mut sources, &mut findings)?;
    Some(lower_model(&checked, &sources, "fuzzed"))
}

/// Assembles a text, and writes it in every form; true if it is a program. What it has in memory is
/// disassembled, and assembles to the same again.
pub(crate) fn assemble_program(model: &Model, files: &Files<'_>) -> bool {
    let Some(assembler) = Assembler::new(model) else { return false };
    let assemble = |files: &Files<'_>| {
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let root = [files.path.to_owned()];
        let program = assembler.assemble(&root, Bases::default(), files, &mut sources, &mut findings);
        let program = program.expect("the file can be read");
        assert_eq!(program.is_none(), findings.has_errors(), "a program and errors exclude each other");
        findings.render(&sources, Style::Plain);
        (program, sources)
    };
    let (Some(program), sources) = assemble(files) else { return false };
    // What a format cannot hold is said by an error.
    let _ = write_elf(model, &program, &sources);
    let _ = write_intel_hex(&program);
    let _ = write_raw(&program);
    write_listing(model, &program, &sources);
    let cells_of = |program: &Assembled| -> Vec<Piece> {
        let pieces = program.pieces.iter().filter(|piece| !piece.bytes.is_empty());
        pieces.map(|piece| piece_of(model, program, piece)).collect()
    };
    let mut memory = Program { pieces: cells_of(&program), symbols: Vec::new() };
    memory.pieces.sort_by_key(|piece| piece.address);
    let text = disassemble(model, &memory, Remarks { remarks: true }).expect("it has texts");
    let known = BTreeMap::new();
    let again = Files { known: &known, path: files.path, bytes: text.as_bytes() };
    let (Some(again), _) = assemble(&again) else {
        panic!("what was disassembled does not assemble:\n{text}")
    };
    let cells = |pieces: Vec<Piece>| {
        let cells = pieces.into_iter().flat_map(|piece| (piece.address..).zip(piece.cells));
        cells.collect::<BTreeMap<u64, Bits>>()
    };
    let (before, after) = (cells(cells_of(&program)), cells(cells_of(&again)));
    assert_eq!(before, after, "what was disassembled assembles to something else:\n{text}");
    true
}

/// The bytes of a piece as cells.
fn piece_of(model: &Model, program: &Assembled, piece: &AssembledPiece) -> Piece {
    let cell = |bytes: &[u8]| {
        let mut ordered = bytes.to_vec();
        if !model.target.big_endian {
            ordered.reverse();
        }
        Bits::from_be_bytes(&ordered)
    };
    let cells = piece.bytes.chunks(program.cell_bytes.max(1) as usize).map(cell).collect();
    Piece { section: None, address: piece.address, cells }
}
