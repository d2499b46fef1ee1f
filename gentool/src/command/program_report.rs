//! Reports that name the functions and lines of the program: its files, and the sources.

use std::fs;
use std::path::{Path, PathBuf};

use sim_profile::program::{ImageFile, Program, ProgramProfile, SourceTexts};
use sim_profile::{Profile, control_table};
use sim_runtime::launcher::parse_number;

use super::Failure;

/// Which files were run.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ImageOptions {
    /// A file that was run: program, boot ROM, library; may be given several times.
    ///
    /// Where it was loaded elsewhere, the address is added to those of an ELF file, and is that of
    /// the first byte of any other. Functions and lines come from here.
    #[arg(long = "image", value_name = "FILE[@ADDRESS]")]
    images: Vec<String>,
}

/// Which files were run, and where their sources are.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramOptions {
    #[command(flatten)]
    pub(super) files: ImageOptions,

    /// The folder that the names of sources begin at; the current one if left out.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
}

impl ImageOptions {
    /// Files, each perhaps with its address.
    pub(super) fn new(images: Vec<String>) -> ImageOptions {
        ImageOptions { images }
    }

    /// Whether no file is named.
    pub(super) fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// Functions and lines of the files; nothing if none is named.
    pub(super) fn read_program(&self, profile: &Profile) -> Result<Option<Program>, Failure> {
        if self.images.is_empty() {
            return Ok(None);
        }
        let images = self.images.iter().map(|image| read_image(image)).collect::<Result<Vec<_>, _>>()?;
        let files: Vec<ImageFile<'_>> =
            images.iter().map(|Image { name, bytes, base }| ImageFile { name, bytes, base: *base }).collect();
        Ok(Some(Program::read(&files, profile.measurement.tables.code)))
    }
}

/// A file with its address, if it has one.
struct Image {
    name: String,
    bytes: Vec<u8>,
    base: Option<u64>,
}

/// Makes a report of a profile and the files that were run, of which there has to be one. What the
/// files do not tell is said on standard error where the form of report has no room for it.
pub(super) fn render(
    options: &ProgramOptions,
    profile: &Profile,
    has_notes: bool,
    render: impl FnOnce(&ProgramProfile<'_>) -> Vec<u8>,
) -> Result<Vec<u8>, Failure> {
    let Some(program) = options.files.read_program(profile)? else {
        let message = "this report names functions and lines of the program; name the file that was \
                       run by --image FILE";
        return Err(Failure::other(message));
    };
    for note in program.notes().iter().filter(|_| !has_notes) {
        eprintln!("note: {note}");
    }
    let texts = read_sources(options.sources.as_deref(), &program);
    let control = control_table(&profile.statics);
    Ok(render(&ProgramProfile {
        measurement: &profile.measurement,
        program: &program,
        statics: &profile.statics,
        control: &control,
        calls: profile.calls.as_ref(),
        texts: &texts,
    }))
}

fn read_image(image: &str) -> Result<Image, Failure> {
    let placed = image.rsplit_once('@').filter(|_| !Path::new(image).exists());
    let (path, base) = match placed {
        None => (image, None),
        Some((path, address)) => {
            let base = parse_number(address)
                .map_err(|error| Failure::other(format!("--image {image}: address {address}: {error}")))?;
            (path, Some(base))
        }
    };
    let bytes = fs::read(path).map_err(|error| {
        Failure::other(format!("cannot read the program {path}: {error}; name a file that exists"))
    })?;
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    Ok(Image { name: name.into_owned(), bytes, base })
}

/// The sources that can be read; a report says of the others that they are gone.
fn read_sources(folder: Option<&Path>, program: &Program) -> SourceTexts {
    let mut texts = SourceTexts::new();
    for name in program.sources() {
        let path = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        if let Ok(bytes) = fs::read(path) {
            texts.insert(name.clone(), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    texts
}
