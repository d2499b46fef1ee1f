//! Files of assembled programs. What they hold depends on the program alone: no time, no folder.

mod elf;
mod intel_hex;
mod line_table;
mod listing;
mod raw;

use isac_parser::source::SourceMap;

pub use self::elf::write_elf;
pub use self::intel_hex::write_intel_hex;
pub use self::listing::write_listing;
pub use self::raw::write_raw;

/// Why a program cannot be written in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputError {
    /// There is nothing to write.
    Empty,
    /// An address that the format does not reach, in bytes.
    Address(u64),
    /// The raw bytes from the first to the last address are more than a file should have.
    Gap {
        /// First byte address.
        first: u64,
        /// Last byte address.
        last: u64,
    },
    /// Something that the writing library refuses.
    Library(String),
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OutputError::Empty => write!(f, "there is nothing in it; assemble at least one instruction"),
            OutputError::Address(address) => {
                write!(f, "this format does not reach the byte address {address:#x}; take another one")
            }
            OutputError::Gap { first, last } => write!(
                f,
                "raw bytes from {first:#x} to {last:#x} would be more than 1 GiB, for all in between is \
                 written; take elf or ihex"
            ),
            OutputError::Library(message) => write!(f, "{message}"),
        }
    }
}

/// What the sources are called in files: their paths as they were given.
fn source_name(sources: &SourceMap, file: isac_parser::source::FileId) -> String {
    sources.path(file).display().to_string()
}
