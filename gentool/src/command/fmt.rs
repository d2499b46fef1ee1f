//! `gentool fmt`

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use isac_parser::format_text;
use isac_parser::source::refuse_named_pipe;
use sim_runtime::launcher::AtomicFile;

use super::{Failure, print};

/// Status of --check where something would change.
const WOULD_CHANGE: i32 = 1;

/// Lay out descriptions: indentation and empty lines, and nothing else.
///
/// Each file is replaced by itself laid out; one that is already is not touched. What stands within a
/// line stays, columns and comments above all, and laying out again changes nothing. Files that are
/// INCLUDEd are to be named, too.
/// Example: gentool fmt mycpu.isac
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The files; - is standard input, which goes to standard output.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write nothing, but name the files that would change, and end with status 1 if there are any.
    #[arg(long)]
    check: bool,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let mut status = 0;
    for path in &options.files {
        let is_input = path.as_os_str() == "-";
        let text = read(path, is_input)?;
        let laid_out = format_text(&text);
        match (options.check, is_input) {
            (false, true) => status = print(&laid_out)?.max(status),
            _ if laid_out == text => {}
            (true, _) => {
                print(&format!("{} would be laid out otherwise\n", path.display()))?;
                status = WOULD_CHANGE;
            }
            (false, false) => write(path, &laid_out).map_err(|error| {
                let path = path.display();
                Failure::other(format!("cannot write {path}: {error}; make it and its folder writable"))
            })?,
        }
    }
    Ok(status)
}

fn read(path: &Path, is_input: bool) -> Result<String, Failure> {
    let bytes = match is_input {
        true => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => refuse_named_pipe(path).and_then(|()| fs::read(path)),
    };
    let path = path.display();
    let bytes = bytes.map_err(|error| {
        Failure::other(format!("cannot read {path}: {error}; name a file that exists and that you may read"))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::other(format!("cannot lay out {path}: line {line} is no UTF-8; save it as UTF-8"))
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.finish()
}
