//! `gentool disasm`

use std::path::PathBuf;

use gentool::disassembler::{Style, disassemble};
use sim_runtime::launcher::{ProgramFormat, parse_number};

use super::description::DescriptionOptions;
use super::mistaken_file::instead_of_code;
use super::program::ProgramFile;
use super::{Failure, print};

/// Print a program as assembler text that assembles to the same bytes again.
///
/// Of ELF the executable sections are read, with symbols as labels; of every other format all
/// there is. What is no instruction is printed as data. Behind each line stand its address, its
/// cells, and which symbols its operands mean.
/// Example: gentool disasm models/rv32im/rv32im.isac models/rv32im/programs/crc32.elf
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    /// The program: a static ELF executable, Intel HEX, S-records, or the raw bytes of memory.
    program: PathBuf,

    /// How the program is stored.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ProgramFormat::Auto)]
    format: ProgramFormat,

    /// Byte address of a raw program's first byte; that of the first instruction if left out.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    base: Option<u64>,

    /// Leave out the remarks behind the lines.
    #[arg(long)]
    plain: bool,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let model = options.description.load()?.model;
    let file = ProgramFile { path: &options.program, format: options.format, base: options.base };
    if let (ProgramFormat::Auto, Some(instead)) = (options.format, instead_of_code(&options.program)) {
        let path = options.program.display();
        return Err(Failure::other(format!("cannot read the program {path}: {instead}")));
    }
    let program = file.read(&model)?;
    let style = Style { remarks: !options.plain };
    let text = disassemble(&model, &program, style).ok_or_else(|| no_text(&model.name))?;
    print(&text)
}

/// Instructions of several elements have no text.
pub(super) fn no_text(model: &str) -> Failure {
    Failure::other(format!(
        "the instructions of {model} have no text: every CODINGROOT of it decodes several elements; \
         make a bundle one operation whose CODING holds its slots"
    ))
}
