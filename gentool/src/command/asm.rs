//! `gentool asm`

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gentool::assembler::output::{OutputError, write_elf, write_intel_hex, write_listing, write_raw};
use gentool::assembler::{Assembled, Assembler, AssemblyError, Bases};
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{FileSystem, SourceMap};
use sim_runtime::launcher::{AtomicFile, exit_status, is_same_file, parse_number, write_remedy};

use super::Failure;
use super::description::{DescriptionOptions, is_styled};
use super::disasm::no_text;

/// Assemble files into one program.
///
/// The instructions are the texts of the description's ASSEMBLER sections; docs/assembler.md has
/// labels, expressions and directives. Every error is shown with its place and a remedy, and
/// nothing is written then. Exit status 0, or 126 if the files or the description have errors.
/// Example: gentool asm models/rv32im/rv32im.isac boot.s -o boot.elf --listing boot.lst
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    /// The files; what one declares by .global all others see.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where to write the program. It is replaced as a whole, and only if there is no error.
    #[arg(short, long = "out", value_name = "FILE")]
    out: PathBuf,

    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Elf)]
    format: Format,

    /// Write each line with its address and its bytes to FILE, and the symbols.
    #[arg(long, value_name = "FILE")]
    listing: Option<PathBuf>,

    /// Address of the first code, in cells; else where the program counter is after RESET.
    ///
    /// An .org in the text has the last word.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    base: Option<u64>,

    /// Address of the first data, in cells; else behind the code, if that memory can be written.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    data_base: Option<u64>,
}

/// The formats of programs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// An ELF executable with symbols, sections and line information.
    Elf,
    /// The bytes of memory from the lowest address on.
    Raw,
    /// Intel HEX.
    Ihex,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    check_inputs(options)?;
    check_outputs(options)?;
    let description = options.description.load()?;
    for (what, path) in outputs(options) {
        description.check_output(what, path)?;
    }
    let model = description.model;
    let mut sources = SourceMap::new();
    let program = assemble(options, &model, &mut sources)?;
    for (what, path) in outputs(options) {
        let read = sources.files().map(|file| sources.path(file)).find(|read| is_same_file(read, path));
        if read.is_some() {
            return Err(over_source(what, path));
        }
    }
    let bytes = match options.format {
        Format::Elf => write_elf(&model, &program, &sources),
        Format::Raw => write_raw(&program),
        Format::Ihex => write_intel_hex(&program),
    };
    let bytes = bytes.map_err(|error: OutputError| {
        Failure::other(format!("cannot write {}: {error}", options.out.display()))
    })?;
    if let Some(listing) = &options.listing {
        write_file(listing, write_listing(&model, &program, &sources).as_bytes())?;
    }
    write_file(&options.out, &bytes)?;
    Ok(0)
}

/// Each file is a part of the program once.
fn check_inputs(options: &Options) -> Result<(), Failure> {
    let files = &options.files;
    let repeated =
        (1..files.len()).find(|last| files[..*last].iter().any(|file| is_same_file(file, &files[*last])));
    match repeated {
        Some(last) => {
            Err(Failure::other(format!("{} is given twice; name each file once", files[last].display())))
        }
        None => Ok(()),
    }
}

/// No result may be written over what is read, nor over another.
fn check_outputs(options: &Options) -> Result<(), Failure> {
    let outputs = outputs(options);
    for (what, path) in &outputs {
        options.description.check_output(what, path)?;
        if options.files.iter().any(|file| is_same_file(file, path)) {
            return Err(over_source(what, path));
        }
    }
    match &outputs[..] {
        [(_, program), (_, listing)] if is_same_file(program, listing) || program == listing => {
            Err(Failure::other("program and listing would be written to one file; name two"))
        }
        _ => Ok(()),
    }
}

fn over_source(what: &str, path: &Path) -> Failure {
    let path = path.display();
    Failure::other(format!("the {what} would be written over the source {path}; name another file"))
}

/// What is written, with its file.
fn outputs(options: &Options) -> Vec<(&'static str, &Path)> {
    let listing = options.listing.as_deref().map(|listing| ("listing", listing));
    [("program", options.out.as_path())].into_iter().chain(listing).collect()
}

fn assemble(options: &Options, model: &Model, sources: &mut SourceMap) -> Result<Assembled, Failure> {
    let assembler = Assembler::new(model).ok_or_else(|| no_text(&model.name))?;
    let bases = Bases { code: options.base, data: options.data_base };
    let mut findings = Diagnostics::new();
    let result = assembler.assemble(&options.files, bases, &FileSystem, sources, &mut findings);
    let styled = is_styled(&std::io::stderr());
    let style = if styled { Style::Styled } else { Style::Plain };
    // If nobody listens, the status still tells.
    let _ = io::stderr().write_all(findings.render(sources, style).as_bytes());
    match result {
        Ok(Some(program)) => Ok(program),
        Ok(None) => Err(Failure { message: String::new(), status: exit_status::MODEL }),
        Err(AssemblyError::Unreadable(path, error)) => {
            Err(Failure::other(format!("cannot read {}: {error}; name a file of text", path.display())))
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let unwritable = |error: io::Error| {
        Failure::other(format!("cannot write {}: {error}; {}", path.display(), write_remedy(&error)))
    };
    let mut file = AtomicFile::create(path).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.finish().map_err(unwritable)
}
