//! Fuzzes the reading of descriptions, the decoders of those that are sound, their assemblers, the
//! translated engine, which runs random words and has to end as the reference engine does, or the debugger
//! behind gdb's protocol, which nothing that a peer sends may end.
//!
//! ```sh
//! cargo run -p gentool --example fuzz -- description SECONDS [SEED]
//! cargo run -p gentool --example fuzz -- decoder SECONDS [SEED]
//! cargo run -p gentool --example fuzz -- assembler SECONDS [SEED]
//! cargo run -p gentool --example fuzz -- engines SECONDS [SEED]
//! cargo run -p gentool --example fuzz -- gdb SECONDS [SEED]
//! ```
//!
//! A mutant that panics, computes for more than 20 seconds or makes the process grow beyond 2 GiB is
//! written to `target/fuzz`, and the status is 1; such a file belongs into
//! `gentool/tests/fuzz/cases`, a program into `gentool/tests/fuzz/programs`, random words into
//! `gentool/tests/fuzz/words`. One seed gives one row of mutants.
//!
//! What is printed has the most memory that the process had, and how much it has in the end: the one
//! tells of the largest mutant, which is kept, too, the other of what nobody gave back.

#[path = "../tests/fuzz/corpus.rs"]
mod corpus;
#[path = "../tests/fuzz/engines.rs"]
mod engines;
#[path = "../tests/fuzz/mutator.rs"]
mod mutator;
#[allow(dead_code, reason = "tests of the workspace take more")]
#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/support/random_word.rs"]
mod random_word;
#[path = "../tests/fuzz/session.rs"]
mod session;
#[path = "../tests/fuzz/target.rs"]
mod target;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use corpus::{read_corpus, read_programs};
use engines::{Machine, read_case};
use isac_ir::Model;
use mutator::{Mutator, Random};
use session::{DEBUGGED, Debugged, random_session};
use target::{Files, assemble_program, check_description, decode_words, lower_known};

/// A mutant that computes for longer hangs.
const MOST_TIME: Duration = Duration::from_secs(20);
/// A process that has more has grown.
const MOST_KIBIBYTES: u64 = 2 << 20;

/// What is being tried, and how long the process had computed when it began.
type Current = Arc<Mutex<Option<(Duration, Vec<u8>)>>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let (Some(target), Some(seconds)) = (arguments.first(), number(1)) else {
        eprintln!("usage: fuzz description|decoder|assembler|engines|gdb SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let seed = number(2).unwrap_or(1);
    let current: Current = Arc::default();
    let descriptions = read_corpus();
    let programs = read_programs();
    let models: BTreeMap<&Path, Model> = match target == "assembler" {
        true => programs.values().map(|(model, _)| (model.as_path(), lower(&descriptions, model))).collect(),
        false => BTreeMap::new(),
    };
    let texts = programs.iter().map(|(path, (_, text))| (path.clone(), text.clone())).collect();
    let machines = if target == "engines" { machines(&descriptions) } else { Vec::new() };
    let debugged: Vec<Debugged> = match target == "gdb" {
        true => DEBUGGED.iter().map(|path| Debugged::new(&descriptions, Path::new(path))).collect(),
        false => Vec::new(),
    };
    let corpus = if target == "assembler" { texts } else { descriptions };
    let mut mutator = Mutator::new(&corpus, seed);
    let begun = Instant::now();
    watch(current.clone(), begun);
    let (mut tried, mut sound, mut failed) = (0u64, 0u64, 0u64);
    let mut largest = (peak_kibibytes(), Vec::new());
    while begun.elapsed() < Duration::from_secs(seconds) {
        let for_decoders = target == "decoder";
        let mut random = Random::new(seed ^ tried);
        let (path, bytes) = match &machines[..] {
            [] if target == "gdb" => (PathBuf::new(), random_session(&mut || random.next())),
            [] => mutator.mutant(|path| !for_decoders || is_model(path)),
            machines => {
                let machine = &machines[tried as usize % machines.len()];
                (PathBuf::new(), machine.program(&mut random::Random::new(seed.wrapping_add(tried * 977))))
            }
        };
        *current.lock().expect("no panic holds it") = Some((computed(begun), bytes.clone()));
        let files = Files { known: &corpus, path: &path, bytes: &bytes };
        let ended = catch_unwind(AssertUnwindSafe(|| match target.as_str() {
            "decoder" => decode_words(&files, || random.next()),
            "engines" => {
                machines[tried as usize % machines.len()].check(read_case(&bytes).1);
                true
            }
            "gdb" => !debugged[tried as usize % debugged.len()].serve(&bytes).is_empty(),
            "assembler" => assemble_program(&models[programs[&path].0.as_path()], &files),
            _ => check_description(&files),
        }));
        tried += 1;
        match ended {
            Ok(is_sound) => sound += u64::from(is_sound),
            Err(_) => {
                failed += 1;
                keep(&bytes, "panic");
            }
        }
        if peak_kibibytes() > largest.0 {
            largest = (peak_kibibytes(), bytes);
        }
    }
    // Nothing of a mutant is left but what tells of the largest.
    *current.lock().expect("no panic holds it") = None;
    keep(&largest.1, "largest");
    println!(
        "{target}, seed {seed}: {tried} mutants in {} s, {sound} sound, {failed} failed, {} MiB at most, \
         {} MiB in the end",
        begun.elapsed().as_secs(),
        largest.0 >> 10,
        kibibytes("VmRSS:") >> 10
    );
    ExitCode::from(u8::from(failed > 0))
}

fn lower(descriptions: &BTreeMap<PathBuf, Vec<u8>>, path: &Path) -> Model {
    lower_known(descriptions, path).expect("the repository's models are sound")
}

/// The models that are translated, without those made of instructions that never end.
fn machines(descriptions: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<Machine> {
    let is_endless = |path: &&PathBuf| path.to_string_lossy().contains("endless");
    let models = descriptions.keys().filter(|path| is_model(path) && !is_endless(path));
    models.filter_map(|path| Machine::new(path, lower_known(descriptions, path)?)).collect()
}

/// Descriptions that have words to decode: whole ones, mostly.
fn is_model(path: &Path) -> bool {
    path.starts_with("models") || path.starts_with("tests")
}

/// Ends the process if one mutant hangs or makes it grow.
fn watch(current: Current, begun: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let Ok(guard) = current.lock() else { return };
            let Some((since, bytes)) = guard.as_ref() else { continue };
            let hangs = computed(begun).saturating_sub(*since) > MOST_TIME;
            if hangs || peak_kibibytes() > MOST_KIBIBYTES {
                keep(bytes, if hangs { "hang" } else { "growth" });
                std::process::exit(1);
            }
        }
    });
}

fn keep(bytes: &[u8], why: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    let hash = bytes.iter().fold(0u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let path: PathBuf = folder.join(format!("{why}-{hash:016x}.txt"));
    if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes)) {
        eprintln!("cannot write {}: {error}", path.display());
    }
    eprintln!("{why}: {}", path.display());
}

/// How long the process has computed: others may have kept it waiting. Where the system does not
/// tell, how long it has been there.
fn computed(begun: Instant) -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, in parentheses, which may hold anything.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let hundredths = |index: usize| fields.get(index)?.parse::<u64>().ok();
    match (hundredths(11), hundredths(12)) {
        (Some(user), Some(system)) => Duration::from_millis((user + system) * 10),
        _ => begun.elapsed(),
    }
}

/// The most memory that the process has had, where the system tells.
fn peak_kibibytes() -> u64 {
    kibibytes("VmHWM:")
}

/// A row of what the system tells of the process; 0 where it does not.
fn kibibytes(row: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(row));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
