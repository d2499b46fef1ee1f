//! The files that name the code of a run: the program, and what `--image` adds.

use std::path::{Path, PathBuf};

use sim_profile::symbols::ImageFile;

use super::number::parse_number;
use super::options::RunOptions;
use super::start::read_program;

/// A file with symbols, and where it was loaded if that is not where it says.
pub(super) struct SymbolFile {
    bytes: Vec<u8>,
    base: Option<u64>,
}

impl SymbolFile {
    /// The same for those who read symbols.
    fn as_image(&self) -> ImageFile<'_> {
        ImageFile { name: "", bytes: &self.bytes, base: self.base }
    }
}

/// Files as those who read symbols take them.
pub(super) fn images_of(files: &[SymbolFile]) -> Vec<ImageFile<'_>> {
    files.iter().map(SymbolFile::as_image).collect()
}

/// A file and the address behind `@`, if there is one.
///
/// # Errors
/// The address is no number.
pub fn parse_image_argument(image: &str) -> Result<(PathBuf, Option<u64>), String> {
    match image.rsplit_once('@').filter(|_| !Path::new(image).exists()) {
        None => Ok((image.into(), None)),
        Some((path, address)) => {
            let address = parse_number(address)
                .map_err(|error| format!("--image {image}: address {address}: {error}"))?;
            Ok((path.into(), Some(address)))
        }
    }
}

/// The program that is run, and the files of `--image` behind it: where they overlap the first one counts.
///
/// # Errors
/// Which file cannot be read, and what to do.
pub(super) fn read_symbol_files(options: &RunOptions) -> Result<Vec<SymbolFile>, String> {
    let program = SymbolFile { bytes: super::read_program_again(options)?, base: None };
    Ok(std::iter::once(program).chain(read_image_files(options)?).collect())
}

/// The files of `--image`.
///
/// # Errors
/// As of [`read_symbol_files`].
pub(super) fn read_image_files(options: &RunOptions) -> Result<Vec<SymbolFile>, String> {
    let read = |image: &String| {
        let (path, base) = parse_image_argument(image)?;
        let bytes = read_program(&path).map_err(|error| {
            format!(
                "the file {} of --image cannot be read: {error}; name a file that holds code of this run",
                path.display()
            )
        })?;
        Ok(SymbolFile { bytes, base })
    };
    options.images.iter().map(read).collect()
}
