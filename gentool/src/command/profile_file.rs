//! Stored profiles as files: read, and what is made of them written.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use sim_profile::{Mode, Profile, ProfileError, ProfileSum, Samples, Sampling, SumError, read_profile};
use sim_runtime::launcher::{AtomicFile, is_same_file, write_remedy};

use super::mistaken_file::instead_of_profile;
use super::progress::Progress;
use super::{Failure, print_by};

/// Reads what `gentool run --profile FILE` has written, of a run that was counted as a whole.
pub(super) fn read(path: &Path) -> Result<Profile, Failure> {
    let profile = read_any(path)?;
    match profile.provenance.mode {
        Mode::Exact => Ok(profile),
        Mode::Sampled(_) => Err(sampled(path)),
    }
}

fn sampled(path: &Path) -> Failure {
    Failure::other(format!(
        "{}: what ran at samples alone was counted, and this needs all; measure without --sample, or \
         make a report of it by gentool report --format sampled",
        path.display()
    ))
}

/// Reads what `gentool run --profile FILE --sample N` has written.
pub(super) fn read_sampled(path: &Path) -> Result<SampledProfile, Failure> {
    let profile = read_any(path)?;
    match (profile.provenance.mode, profile.samples) {
        (Mode::Sampled(sampling), Some(samples)) => Ok(SampledProfile { profile, sampling, samples }),
        _ => Err(Failure::other(format!(
            "{}: no samples were taken, the figures are exact; choose another --format, or measure with \
             --sample",
            path.display()
        ))),
    }
}

/// A stored profile of samples.
pub(super) struct SampledProfile {
    pub(super) profile: Profile,
    pub(super) sampling: Sampling,
    pub(super) samples: Samples,
}

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 16;

fn read_any(path: &Path) -> Result<Profile, Failure> {
    let _progress = Progress::new(format!("reading {}", path.display()));
    read_profile(BufReader::with_capacity(READ_BYTES, open(path)?)).map_err(|error| unreadable(path, &error))
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        let path = path.display();
        Failure::other(format!("cannot read the profile {path}: {error}; name a file that exists"))
    })
}

fn unreadable(path: &Path, error: &ProfileError) -> Failure {
    let shown = path.display();
    Failure::other(match instead_of_profile(path) {
        Some(found) => format!("{shown} is no stored profile: {found}"),
        None if path.is_dir() => format!(
            "{shown} is a folder; name the profiles in it, as in {}",
            path.join("*.profile").display()
        ),
        None => format!("{shown}: {error}"),
    })
}

/// No result may take the place of what it is made from; found before anything is read.
pub(super) fn check_out(what: &str, out: Option<&Path>, sources: &[PathBuf]) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    match sources.iter().find(|source| is_same_file(source, out)) {
        None => Ok(()),
        Some(source) => Err(Failure::other(format!(
            "the {what} would be written over {}, which it is made from; name another file",
            source.display()
        ))),
    }
}

/// What has to be said of a profile of parts where a report has no room to say it.
pub(super) fn note_of_parts(profile: &Profile) -> Option<String> {
    profile.provenance.describe_parts().map(|parts| format!("the profile is {parts}"))
}

/// Writes a result to a file, or to standard output.
pub(super) fn write(out: Option<&Path>, bytes: &[u8]) -> Result<i32, Failure> {
    write_by(out, |file| file.write_all(bytes))
}

/// The same of a result that is written piece by piece.
pub(super) fn write_by(
    out: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<i32, Failure> {
    let Some(out) = out else { return print_by(|output| hand_over(output, write)) };
    let unwritable = |error: io::Error| {
        Failure::other(format!("cannot write {}: {error}; {}", out.display(), write_remedy(&error)))
    };
    let mut file = AtomicFile::create(out).map_err(unwritable)?;
    let _progress = Progress::new(format!("writing {}", out.display()));
    hand_over(&mut file, write).map_err(unwritable)?;
    file.finish().map_err(unwritable)?;
    Ok(0)
}

/// Bytes that are handed over at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Chunks that may wait to be written.
const MOST_WAITING: usize = 4;

/// Writes in a thread of its own: to take a large report is as much work for the computer as to make it.
fn hand_over(
    output: &mut (impl Write + Send),
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (sender, receiver) = sync_channel::<Vec<u8>>(MOST_WAITING);
    let (returned, empty) = channel();
    thread::scope(|scope| {
        let writer = scope.spawn(move || {
            receiver.into_iter().try_for_each(|chunk| {
                output.write_all(&chunk)?;
                // Nobody needs it any more at the end.
                let _ = returned.send(chunk);
                Ok(())
            })
        });
        let mut chunks = BufWriter::with_capacity(CHUNK_BYTES, Chunks { sender, empty });
        let made = write(&mut chunks).and_then(|()| chunks.flush());
        drop(chunks);
        // What the writer met is why nothing more could be handed over.
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(made)
    })
}

/// Hands over what is written to it.
struct Chunks {
    sender: SyncSender<Vec<u8>>,
    /// Those that were written, to be filled again.
    empty: Receiver<Vec<u8>>,
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut chunk = self.empty.try_recv().unwrap_or_default();
        chunk.clear();
        chunk.extend_from_slice(bytes);
        self.sender.send(chunk).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses what several programs do not have together.
pub(super) fn check_one_program(profile: &Profile, what: &str) -> Result<(), Failure> {
    match profile.provenance.programs.len() {
        0 => Ok(()),
        programs => Err(Failure::other(format!(
            "the profile is of {programs} programs, and {what} one program; name the profiles of one"
        ))),
    }
}

/// Reads several profiles and adds them up, on all processors: the order of additions does not matter.
pub(super) fn read_merged(paths: &[PathBuf]) -> Result<Profile, Failure> {
    if let [path] = paths {
        return read(path);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = paths.len().div_ceil(threads).max(1);
    let progress = Progress::of_files("merging", paths.len());
    let sums: Vec<Result<Sum, Failure>> = thread::scope(|scope| {
        let progress = &progress;
        let sum = |paths| scope.spawn(move || Sum::of(paths, progress));
        let shares: Vec<_> = paths.chunks(share).map(sum).collect();
        let joined = shares.into_iter().map(|share| share.join());
        joined.map(|sum| sum.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    drop(progress);
    let mut all = Sum::default();
    // In the order of the files, so that the first that is wrong is the one that is named.
    for (sum, paths) in sums.into_iter().zip(paths.chunks(share)) {
        all.add(sum?, &paths[0])?;
    }
    let sum = all.profile.unwrap_or_default();
    let programs = sum.provenance.programs.len();
    if programs > 0 {
        say!(
            "note: the profiles are of {programs} programs; what of the model they used adds up, and addresses, \
             functions and lines, which are those of one program, are left out"
        );
    }
    if let Some(known) = sum.calls.as_ref().and_then(|calls| calls.known_functions.as_ref())
        && *known != all.known_functions
    {
        say!(
            "note: calls were followed between other functions in some of the runs than in others, so that jumps \
             that are calls in those are none in these; run all with the same --image FILE"
        );
    }
    let left_out = [
        (
            all.has_calls && sum.calls.is_none() && programs == 0,
            "calls were followed",
            "are left out",
            "--calls",
        ),
        (
            all.has_visits && sum.visits.is_none(),
            "what of the description was used was counted",
            "is left out",
            "--description-coverage",
        ),
    ];
    for (_, what, is_left_out, option) in left_out.into_iter().filter(|(is_missing, ..)| *is_missing) {
        say!("note: {what} in some of the runs alone, and {is_left_out}; measure all with {option}");
    }
    Ok(sum)
}

/// What some files have together.
#[derive(Default)]
struct Sum {
    /// None of no files.
    profile: Option<Profile>,
    /// Whether calls were followed in one of the runs.
    has_calls: bool,
    /// Whether points of the description were counted in one of them.
    has_visits: bool,
    /// What tells the functions apart that were known in one of them when calls were followed.
    known_functions: BTreeSet<String>,
}

impl Sum {
    fn of(paths: &[PathBuf], progress: &Progress) -> Result<Sum, Failure> {
        let mut sum = ProfileSum::default();
        for path in paths {
            sum.add(BufReader::with_capacity(READ_BYTES, open(path)?)).map_err(|error| match error {
                SumError::File(error) => unreadable(path, &error),
                SumError::Merge(error) => Failure::other(format!("{}: {error}", path.display())),
            })?;
            if let Some(Mode::Sampled(_)) = sum.mode() {
                return Err(sampled(path));
            }
            progress.tick();
        }
        let (has_calls, has_visits) = (sum.has_calls(), sum.has_visits());
        let known_functions = sum.known_functions().clone();
        let profile = sum.finish().map_err(|error| Failure::other(error.to_string()))?;
        Ok(Sum { profile, has_calls, has_visits, known_functions })
    }

    /// Adds what other files have together, the first of which is at `path`.
    fn add(&mut self, other: Sum, path: &Path) -> Result<(), Failure> {
        self.has_calls |= other.has_calls;
        self.has_visits |= other.has_visits;
        self.known_functions.extend(other.known_functions);
        match (&mut self.profile, other.profile) {
            (Some(sum), Some(profile)) => {
                sum.merge(&profile).map_err(|error| Failure::other(format!("{}: {error}", path.display())))
            }
            (sum, profile) => {
                *sum = sum.take().or(profile);
                Ok(())
            }
        }
    }
}
