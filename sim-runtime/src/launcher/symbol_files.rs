//! The files that name the code of a run: the program, and what `--image` adds.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use sim_profile::symbols::ImageFile;

use super::number::parse_number;
use super::options::RunOptions;
use super::start::read_program;

/// A file with symbols, and where it was loaded if that is not where it says.
pub(super) struct SymbolFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) base: Option<u64>,
}

impl SymbolFile {
    /// The same for those who read symbols.
    fn as_image(&self) -> ImageFile<'_> {
        ImageFile { name: "", bytes: &self.bytes, base: self.base }
    }
}

/// The program that is run, and the files of `--image` behind it, as those who read symbols take them: where
/// they overlap the first one counts.
pub(super) fn images_of<'a>(program: &'a [u8], files: &'a [SymbolFile]) -> Vec<ImageFile<'a>> {
    let program = ImageFile { name: "", bytes: program, base: None };
    std::iter::once(program).chain(files.iter().map(SymbolFile::as_image)).collect()
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

/// Checks that the files of `--image` are there, and may be read.
///
/// # Errors
/// Which file cannot be read, and what to do.
pub(super) fn check_image_files(options: &RunOptions) -> Result<(), String> {
    options.images.iter().try_for_each(|image| {
        let (path, _) = parse_image_argument(image)?;
        let found = std::fs::metadata(&path).and_then(|found| match found.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            // Opening a pipe would wait for somebody to write; reading it is refused later.
            false if found.is_file() => File::open(&path).map(drop),
            false => Ok(()),
        });
        found.map_err(|error| unreadable(&path, &error))
    })
}

/// The files of `--image`.
///
/// # Errors
/// Which file cannot be read, and what to do.
pub(super) fn read_image_files(options: &RunOptions) -> Result<Vec<SymbolFile>, String> {
    let read = |image: &String| {
        let (path, base) = parse_image_argument(image)?;
        let bytes = read_program(&path).map_err(|error| unreadable(&path, &error))?;
        Ok(SymbolFile { path, bytes, base })
    };
    options.images.iter().map(read).collect()
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!(
        "the file {} of --image cannot be read: {error}; name a file that holds code of this run",
        path.display()
    )
}
