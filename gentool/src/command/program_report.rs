//! Reports that name the functions and lines of the program: its files, and the sources.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{self, Path, PathBuf};

use isac_ir::Model;
use sim_profile::program::{ImageFile, Program, ProgramProfile, SourceTexts};
use sim_profile::symbols::named_places;
use sim_profile::{CodeCells, Profile, ProgramImage, control_table};
use sim_runtime::image::{Expected, Image as Contents, ImageFormat, Segment, read_image};
use sim_runtime::launcher::{describe_image, holds_parts, is_same_file, parse_image_argument};

use super::mistaken_file::instead_of_image;
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
        let (images, known) = self.read_known(profile)?;
        let ran = &profile.provenance.images;
        let cells = profile.measurement.tables.code;
        let files: Vec<ImageFile<'_>> = images.iter().map(Image::as_file).collect();
        let mut program = Program::read(&files, cells);
        note_idle(&mut program, profile, &images, &known);
        if let Some(calls) = &profile.calls {
            program.note_unknown_functions(&profile.measurement, calls);
        }
        for (run, _) in ran.iter().zip(&known.runs).filter(|(_, is_known)| !**is_known) {
            let text = "it was run, and none of the files of --image holds the same code";
            program.add_note(&run.name, text.to_owned());
        }
        Ok(Some(program))
    }

    /// The files in the order in which they count where they overlap: what was run, whatever was named first,
    /// and of that what has names; with what is known of what was run.
    fn read_known(&self, profile: &Profile) -> Result<(Vec<Image>, Known), Failure> {
        let images = self.images.iter().map(|image| read_file_of(image)).collect::<Result<Vec<_>, _>>()?;
        let mut known = Known::of(&images, &profile.provenance.images);
        self.check_images(&profile.provenance.images, &images, &known)?;
        let is_nameless =
            |image: &Image| named_places(image.as_file(), profile.measurement.tables.code).is_empty();
        let mut ordered: Vec<(bool, bool, Image)> = images
            .into_iter()
            .zip(&known.was_run)
            .map(|(image, was_run)| (!was_run, is_nameless(&image), image))
            .collect();
        ordered.sort_by_key(|(is_other, is_nameless, _)| (*is_other, *is_nameless));
        known.was_run = ordered.iter().map(|(is_other, ..)| !is_other).collect();
        Ok((ordered.into_iter().map(|(.., image)| image).collect(), known))
    }

    /// Of a program that was not run, functions and lines would be false.
    fn check_images(&self, ran: &[ProgramImage], images: &[Image], known: &Known) -> Result<(), Failure> {
        if ran.is_empty() || known.runs.contains(&true) || self.image_differs {
            return Ok(());
        }
        let (names, runs): (Vec<&str>, Vec<&str>) =
            (images.iter().map(|image| &*image.name).collect(), ran.iter().map(|run| &*run.name).collect());
        let (is, what) = match &names[..] {
            [name] => (format!("{name} is another program, whose"), "it holds"),
            [names @ .., last] => (
                format!(
                    "{} and {last} do not hold what was run, neither alone nor together: their",
                    names.join(", ")
                ),
                "they hold",
            ),
            [] => return Ok(()),
        };
        let elsewhere: Vec<String> = images.iter().filter_map(|image| image.place_in(ran)).collect();
        let remedy = match elsewhere.is_empty() {
            true => format!("name the file that was run, or add --image-differs if {what} the same code"),
            false => format!(
                "a part of what was run is that of a file at another address: {}",
                elsewhere.join(" ")
            ),
        };
        Err(Failure::other(format!(
            "the profile is of a run of {}, and {is} functions and lines would be false; {remedy}",
            runs.join(" "),
        )))
    }

    /// Paths of the files.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let path =
            |image: &String| parse_image_argument(image).map_or_else(|_| image.into(), |(path, _)| path);
        self.images.iter().map(path).collect()
    }

    /// The files; where they overlap the first one counts.
    pub(super) fn read(&self, profile: &Profile) -> Result<Vec<Image>, Failure> {
        Ok(self.read_known(profile)?.0)
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

    /// What it loads, where the program finds it, and where that is stored, if it can be read.
    fn contents(&self) -> Vec<Contents> {
        let read = |physical_addresses| {
            let expected = Expected { physical_addresses, ..Expected::default() };
            read_image(&self.bytes, ImageFormat::Auto, &expected).ok()
        };
        [read(false), read(true)].into_iter().map_while(|image| image).collect()
    }

    /// Whether it stands where what was run did, which holds the same, as far as an address was told.
    fn stands_in(&self, run: &ProgramImage, contents: &[Contents]) -> bool {
        let Some(base) = self.base.filter(|_| !run.parts.is_empty()) else { return true };
        contents.iter().any(|contents| {
            let own = describe_image(&self.path, contents).parts;
            own.iter().zip(&run.parts).any(|(own, run)| own.address.wrapping_add(base) == run.address)
        })
    }

    /// Itself with the address at which it holds a whole part of what was run, if that is another one.
    fn place_in(&self, ran: &[ProgramImage]) -> Option<String> {
        let contents = self.contents();
        let first = contents.iter().find_map(|contents| contents.segments.first())?.address;
        let parts = ran.iter().flat_map(|run| &run.parts).take(MOST_PARTS);
        let place = parts.filter(|part| part.size_bytes > 0).find_map(|part| {
            let base = part.address.checked_sub(first)?;
            let alone = ProgramImage { parts: vec![part.clone()], ..ProgramImage::default() };
            contents.iter().any(|contents| holds_parts(contents, base, &alone)).then_some(base)
        });
        let place = place.filter(|place| *place != self.base.unwrap_or(0))?;
        Some(format!("--image {}@{place:#x}", self.path.display()))
    }
}

/// So many parts of what was run are looked for elsewhere.
const MOST_PARTS: usize = 64;

/// Which files were run, and which of what was run is in them.
struct Known {
    /// By file of `--image`.
    was_run: Vec<bool>,
    /// By file that was run.
    runs: Vec<bool>,
}

impl Known {
    /// A file is what was run, be it with or without symbols, or what that was made of; so are several, of which
    /// one was made.
    fn of(images: &[Image], ran: &[ProgramImage]) -> Known {
        let mut known = Known { was_run: vec![false; images.len()], runs: vec![false; ran.len()] };
        let contents: Vec<Vec<Contents>> = images.iter().map(Image::contents).collect();
        for (number, (image, contents)) in images.iter().zip(&contents).enumerate() {
            let Some(own) = contents.first().map(|contents| describe_image(&image.path, contents)) else {
                continue;
            };
            let base = image.base.unwrap_or(0);
            for (run, is_known) in ran.iter().zip(&mut known.runs) {
                let is_cut_otherwise = || contents.iter().any(|contents| holds_parts(contents, base, run));
                let is_same = own.digest == run.digest || has_parts(&own, run);
                if (is_same && image.stands_in(run, contents)) || is_cut_otherwise() {
                    (known.was_run[number], *is_known) = (true, true);
                }
            }
        }
        known.join(images, &contents, ran);
        known
    }

    /// Finds what was made of all files together that are not what was run by themselves.
    fn join(&mut self, images: &[Image], contents: &[Vec<Contents>], ran: &[ProgramImage]) {
        for form in 0..2 {
            let mut segments: Vec<Segment> = Vec::new();
            let parts: Vec<usize> = (0..images.len()).filter(|number| !self.was_run[*number]).collect();
            for &number in &parts {
                let own = contents[number].get(form).into_iter().flat_map(|own| own.segments.iter().cloned());
                let base = images[number].base.unwrap_or(0);
                segments.extend(own.map(|own| Segment { address: own.address.wrapping_add(base), ..own }));
            }
            segments.sort_by_key(|segment| segment.address);
            let Some(first) = parts.iter().find_map(|number| contents[*number].get(form)) else { continue };
            let all = Contents { segments, ..first.clone() };
            for (run, is_known) in ran.iter().zip(&mut self.runs) {
                if parts.len() > 1 && holds_parts(&all, 0, run) {
                    *is_known = true;
                    parts.iter().for_each(|number| self.was_run[*number] = true);
                }
            }
        }
    }
}

/// Whether both load the same.
fn has_parts(own: &ProgramImage, run: &ProgramImage) -> bool {
    let parts = |image: &ProgramImage| -> Vec<String> {
        image.parts.iter().map(|part| part.digest.clone()).collect()
    };
    !own.parts.is_empty() && parts(own) == parts(run)
}

/// Notes which files nothing ran in: perhaps they were loaded elsewhere. What was run is where it was, and may
/// lie under others that have names.
fn note_idle(program: &mut Program, profile: &Profile, images: &[Image], known: &Known) {
    if profile.measurement.instructions.is_empty() {
        return;
    }
    let of_functions = |functions: BTreeSet<u32>| -> BTreeSet<Option<u32>> {
        functions.into_iter().map(|function| program.function(function).image).collect()
    };
    let instructions = profile.measurement.instructions.keys();
    let ran = of_functions(instructions.map(|key| program.function_at(key.address)).collect());
    let with_code: BTreeSet<Option<u32>> =
        program.functions().iter().map(|function| function.image).collect();
    let with_cells = of_functions(program.functions_with_cells());
    for ((number, image), was_run) in (0..).zip(images).zip(&known.was_run) {
        let is_covered = *was_run && !with_cells.contains(&Some(number));
        if ran.contains(&Some(number)) || !with_code.contains(&Some(number)) || is_covered {
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
pub(super) struct Room<'a> {
    /// Where it is written.
    pub(super) out: Option<&'a Path>,
    /// What the files do not tell; else it is said on standard error.
    pub(super) has_notes: bool,
    /// The texts of sources; else they are not read.
    pub(super) has_sources: bool,
}

/// The same before a run of these files. What cannot be read is told by the run.
pub(super) fn check_sources_before(out: &Path, files: &ImageOptions) -> Result<(), Failure> {
    // A source has a file already.
    if !out.exists() {
        return Ok(());
    }
    let images: Vec<Image> = files.images.iter().filter_map(|image| read_file_of(image).ok()).collect();
    let files: Vec<ImageFile<'_>> = images.iter().map(Image::as_file).collect();
    check_sources(Some(out), None, &Program::read(&files, CodeCells::default()))
}

/// No report may take the place of a source of the program.
fn check_sources(out: Option<&Path>, folder: Option<&Path>, program: &Program) -> Result<(), Failure> {
    // A source has a file already.
    let Some(out) = out.filter(|out| out.exists()) else { return Ok(()) };
    let path = |name: &String| folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
    match program.sources().iter().map(path).find(|source| is_same_file(source, out)) {
        None => Ok(()),
        Some(source) => Err(Failure::other(format!(
            "the report would be written over {}, a source of the program; name another file",
            source.display()
        ))),
    }
}

/// Makes a report of a profile and the files that were run, of which there has to be one.
pub(super) fn with_program(
    options: &ProgramOptions,
    profile: &Profile,
    room: Room<'_>,
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<i32, Failure>,
) -> Result<i32, Failure> {
    with_code(options, profile, &ModelOptions::default(), room, write)
}

/// The same with the code that never ran, as far as the description finds it.
pub(super) fn with_code(
    options: &ProgramOptions,
    profile: &Profile,
    model: &ModelOptions,
    room: Room<'_>,
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<i32, Failure>,
) -> Result<i32, Failure> {
    profile_file::check_one_program(profile, "this report names functions and lines of")?;
    let Some(program) = options.files.read_program(profile)? else {
        let message = "this report names functions and lines of the program; name the file that was \
                       run by --image FILE";
        return Err(Failure::other(message));
    };
    check_sources(room.out, options.sources.as_deref(), &program)?;
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
    (model, out): (Option<&Model>, Option<&Path>),
    write: &dyn Fn(&ProgramProfile<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let program = options.files.read_program(profile)?;
    program.iter().try_for_each(|program| check_sources(out, options.sources.as_deref(), program))?;
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
    if let Some(found) = instead_of_image(&path) {
        return Err(Failure::other(format!("{} is no program: {found}", path.display())));
    }
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
