//! Reports that name the functions and lines of the program: its files, and the sources.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{self, Path, PathBuf};

use isac_ir::Model;
use sim_profile::program::{ImageFile, Program, ProgramProfile, SourceTexts};
use sim_profile::{Profile, ProgramImage, control_table};
use sim_runtime::image::{Expected, ImageFormat, read_image};
use sim_runtime::launcher::{describe_image, holds_parts, parse_image_argument};

use super::program::read_file;
use super::reachable_code::{ModelOptions, ReachableCode};
use super::{Failure, profile_file};

/// Which files were run.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ImageOptions {
    /// A file that was run: program, boot ROM, library; may be given several times.
    ///
    /// Where it was loaded elsewhere, the address is added to those of an ELF file, and is that of
    /// the first byte of any other. Functions and lines come from here.
    #[arg(long = "image", value_name = "FILE[@ADDRESS]")]
    images: Vec<String>,

    /// Take the files of --image though none of them is the one that was run.
    ///
    /// For files that hold the same code and other data. Of another program functions and lines would be false.
    #[arg(long, requires = "images")]
    image_differs: bool,
}

/// Which files were run, and where their sources are.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramOptions {
    #[command(flatten)]
    pub(super) files: ImageOptions,

    /// The folder that the names of sources begin at; the current one if left out.
    ///
    /// Tracefiles and files for Cobertura name it, so that others find the sources from anywhere.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
}

impl ProgramOptions {
    /// Files whose sources are named from the current folder.
    pub(super) fn of(files: ImageOptions) -> ProgramOptions {
        ProgramOptions { files, sources: None }
    }
}

impl ImageOptions {
    /// Files, each perhaps with its address.
    pub(super) fn new(images: Vec<String>) -> ImageOptions {
        ImageOptions { images, image_differs: false }
    }

    /// Other files, by the same rules.
    pub(super) fn with(&self, images: Vec<String>) -> ImageOptions {
        ImageOptions { images, image_differs: self.image_differs }
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
        profile_file::check_one_program(profile, "--image names functions and lines of")?;
        let mut images = self.read()?;
        self.check_images(profile, &images)?;
        // Where files overlap the first one counts: what was run, whatever was named first.
        images.sort_by_cached_key(|image| !profile.provenance.images.iter().any(|run| image.is(run)));
        let files: Vec<ImageFile<'_>> = images.iter().map(Image::as_file).collect();
        let mut program = Program::read(&files, profile.measurement.tables.code);
        note_idle(&mut program, profile, &images);
        for run in profile.provenance.images.iter().filter(|run| !images.iter().any(|image| image.is(run))) {
            let text = "it was run, and none of the files of --image holds the same code";
            program.add_note(&run.name, text.to_owned());
        }
        Ok(Some(program))
    }

    /// Of a program that was not run, functions and lines would be false.
    fn check_images(&self, profile: &Profile, images: &[Image]) -> Result<(), Failure> {
        let ran = &profile.provenance.images;
        let is_known = ran.is_empty() || ran.iter().any(|run| images.iter().any(|image| image.is(run)));
        if is_known || self.image_differs {
            return Ok(());
        }
        let (names, runs): (Vec<&str>, Vec<&str>) =
            (images.iter().map(|image| &*image.name).collect(), ran.iter().map(|run| &*run.name).collect());
        Err(Failure::other(format!(
            "the profile is of a run of {}, and {} {} another program, whose functions and lines would be \
             false; name the file that was run, or add --image-differs if it holds the same code",
            runs.join(" "),
            names.join(" "),
            if names.len() == 1 { "is" } else { "are" },
        )))
    }

    /// Paths of the files.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let path =
            |image: &String| parse_image_argument(image).map_or_else(|_| image.into(), |(path, _)| path);
        self.images.iter().map(path).collect()
    }

    /// The files.
    pub(super) fn read(&self) -> Result<Vec<Image>, Failure> {
        self.images.iter().map(|image| read_file_of(image)).collect()
    }
}

/// A file that was run.
pub(super) struct Image {
    name: String,
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    /// Where it was loaded, if it was told.
    pub(super) base: Option<u64>,
}

impl Image {
    fn as_file(&self) -> ImageFile<'_> {
        ImageFile { name: &self.name, bytes: &self.bytes, base: self.base }
    }

    /// Whether it is what was run, be it with or without symbols, or what that was made of.
    fn is(&self, run: &ProgramImage) -> bool {
        let read = |physical_addresses| {
            let expected = Expected { physical_addresses, ..Expected::default() };
            read_image(&self.bytes, ImageFormat::Auto, &expected)
        };
        let Ok(image) = read(false) else { return false };
        let own = describe_image(&self.path, &image);
        let parts = |image: &ProgramImage| -> Vec<String> {
            image.parts.iter().map(|part| part.digest.clone()).collect()
        };
        let is_cut_otherwise = || {
            let base = self.base.unwrap_or(0);
            holds_parts(&image, base, run) || read(true).is_ok_and(|image| holds_parts(&image, base, run))
        };
        own.digest == run.digest || (!own.parts.is_empty() && parts(&own) == parts(run)) || is_cut_otherwise()
    }
}

/// Notes which files nothing ran in: perhaps they were loaded elsewhere.
fn note_idle(program: &mut Program, profile: &Profile, images: &[Image]) {
    let ran = profile.measurement.instructions.keys().map(|key| program.function_at(key.address));
    let ran: BTreeSet<Option<u32>> = ran.map(|function| program.function(function).image).collect();
    let known: BTreeSet<Option<u32>> = program.functions().iter().map(|function| function.image).collect();
    for (number, image) in (0..).zip(images).map(|(number, image)| (Some(number), image)) {
        if ran.contains(&number) || !known.contains(&number) || profile.measurement.instructions.is_empty() {
            continue;
        }
        let where_else = match image.base {
            Some(base) => format!(", where it stands at {base:#x}; name the address that it was loaded at"),
            None => "; if it was loaded elsewhere, name the address as FILE@ADDRESS".to_owned(),
        };
        program.add_note(&image.name, format!("nothing ran in it{where_else}"));
    }
}

/// What a form of report has room for.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// What the files do not tell; else it is said on standard error.
    pub(super) has_notes: bool,
    /// The texts of sources; else they are not read.
    pub(super) has_sources: bool,
}

/// Makes a report of a profile and the files that were run, of which there has to be one.
pub(super) fn with_program(
    options: &ProgramOptions,
    profile: &Profile,
    room: Room,
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<i32, Failure>,
) -> Result<i32, Failure> {
    with_code(options, profile, &ModelOptions::default(), room, write)
}

/// The same with the code that never ran, as far as the description finds it.
pub(super) fn with_code(
    options: &ProgramOptions,
    profile: &Profile,
    model: &ModelOptions,
    room: Room,
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<i32, Failure>,
) -> Result<i32, Failure> {
    profile_file::check_one_program(profile, "this report names functions and lines of")?;
    let Some(program) = options.files.read_program(profile)? else {
        let message = "this report names functions and lines of the program; name the file that was \
                       run by --image FILE";
        return Err(Failure::other(message));
    };
    if !room.has_notes {
        tell_notes(&program);
    }
    let code = model.read_code(profile, &options.files, Some(&program))?;
    let texts = match room.has_sources {
        true => read_sources(options.sources.as_deref(), &program),
        false => SourceTexts::new(),
    };
    join(options, profile, &program, (&texts, code), write)
}

/// The same of a report that says itself what it lacks where no file is named; with the code that never ran,
/// where the description is at hand, and with the texts of sources.
pub(super) fn with_any_program<T>(
    options: &ProgramOptions,
    profile: &Profile,
    model: Option<&Model>,
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let program = options.files.read_program(profile)?;
    let code = match (model, &program) {
        (Some(model), Some(program)) => ReachableCode::find(model, profile, &options.files, program)?,
        _ => ReachableCode::default(),
    };
    let program = program.unwrap_or_else(|| Program::read(&[], profile.measurement.tables.code));
    let texts = read_sources(options.sources.as_deref(), &program);
    join(options, profile, &program, (&texts, code), write)
}

fn join<T>(
    options: &ProgramOptions,
    profile: &Profile,
    program: &Program,
    (texts, code): (&SourceTexts, ReachableCode),
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let ReachableCode { sizes, mut statics } = code;
    let statics = match sizes.is_empty() {
        true => &profile.statics,
        false => {
            statics.extend(profile.statics.iter().map(|(key, facts)| (*key, facts.clone())));
            &statics
        }
    };
    let control = control_table(statics);
    // Whoever reads the report may be in another folder.
    let folder = options.sources.as_deref().map(|folder| path::absolute(folder).unwrap_or(folder.to_owned()));
    write(&ProgramProfile {
        measurement: &profile.measurement,
        program,
        statics,
        control: &control,
        calls: profile.calls.as_ref(),
        texts,
        code: &sizes,
        folder: folder.as_deref(),
    })
}

/// Says what the files do not tell.
pub(super) fn tell_notes(program: &Program) {
    for note in program.notes() {
        say!("note: {note}");
    }
}

fn read_file_of(image: &str) -> Result<Image, Failure> {
    let (path, base) = parse_image_argument(image).map_err(Failure::other)?;
    let bytes = read_file(&path).map_err(|error| {
        let path = path.display();
        Failure::other(format!("cannot read the program {path}: {error}; name a file that holds one"))
    })?;
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    Ok(Image { name: name.into_owned(), path: path.clone(), bytes, base })
}

/// The sources that can be read; a report says of the others that they are gone.
fn read_sources(folder: Option<&Path>, program: &Program) -> SourceTexts {
    let mut texts = SourceTexts::new();
    for name in program.sources() {
        let path = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        if let Some(text) = read_source(&path) {
            texts.insert(name.clone(), text);
        }
    }
    texts
}

/// As many bytes a source has at most.
const SOURCE_LIMIT: u64 = 16 << 20;

/// The text of a source. A program may name anything: what is no file, or larger than any source, is none.
fn read_source(path: &Path) -> Option<String> {
    // Before it is opened: a pipe would wait for somebody to write.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(SOURCE_LIMIT + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= SOURCE_LIMIT).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use super::{SOURCE_LIMIT, read_source};

    #[test]
    fn a_source_is_a_file_of_some_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("main.c");
        fs::write(&path, "int main;\n").expect("a file");
        assert_eq!(read_source(&path).as_deref(), Some("int main;\n"));
        File::options().write(true).open(&path).and_then(|file| file.set_len(SOURCE_LIMIT)).expect("a file");
        assert!(read_source(&path).is_some());
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(SOURCE_LIMIT + 1))
            .expect("a file");
        assert_eq!(read_source(&path), None);
        // Of those that have an end, lest a test that fails never ends.
        for other in [Path::new("/dev/null"), folder.path(), &folder.path().join("gone.c")] {
            assert_eq!(read_source(other), None, "{}", other.display());
        }
    }
}
