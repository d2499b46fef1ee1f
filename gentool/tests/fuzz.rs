//! Cases that fuzzing has found, and a short run of it with a fixed seed.
//!
//! `cargo run -p gentool --example fuzz` looks for more; what it finds goes into `tests/fuzz/cases`.

#[path = "fuzz/corpus.rs"]
mod corpus;
#[path = "fuzz/engines.rs"]
mod engines;
#[path = "fuzz/mutator.rs"]
mod mutator;
#[allow(dead_code, reason = "tests of the workspace take more")]
#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/support/random_word.rs"]
mod random_word;
#[path = "fuzz/session.rs"]
mod session;
#[path = "fuzz/target.rs"]
mod target;

use std::fs;
use std::path::Path;

use std::collections::BTreeMap;

use corpus::{read_corpus, read_programs};
use engines::{Machine, read_case};
use mutator::{Mutator, Random};
use session::{DEBUGGED, Debugged, random_session};
use target::{Files, assemble_program, check_description, decode_words, lower_known};

#[test]
fn what_was_found_once_ends_in_a_model_or_a_message() {
    let corpus = read_corpus();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/cases");
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a case can be read");
        let files = Files { known: &corpus, path: Path::new("models/rv32im/fuzzed.isac"), bytes: &bytes };
        let mut random = Random::new(1);
        check_description(&files);
        decode_words(&files, || random.next());
    }
}

#[test]
fn a_few_hundred_mutants_end_in_a_model_or_a_message() {
    let corpus = read_corpus();
    let mut mutator = Mutator::new(&corpus, 1);
    let mut sound = 0;
    for _ in 0..300 {
        let (path, text) = mutator.mutant(|path| path.starts_with("isac-parser"));
        let files = Files { known: &corpus, path: &path, bytes: &text };
        sound += usize::from(check_description(&files));
    }
    let mut random = Random::new(2);
    for _ in 0..40 {
        let (path, text) = mutator.mutant(|path| path.starts_with("tests/models"));
        let files = Files { known: &corpus, path: &path, bytes: &text };
        sound += usize::from(decode_words(&files, || random.next()));
    }
    assert!(sound > 0, "some mutants are sound");
}

#[test]
fn programs_that_were_found_once_end_in_a_program_or_a_message() {
    let corpus = read_corpus();
    let path = Path::new("models/rv32imc/rv32imc.isac");
    let model = lower_known(&corpus, path).expect("the model is sound");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/programs");
    let known = BTreeMap::new();
    let mut cases = 0;
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a case can be read");
        assemble_program(&model, &Files { known: &known, path: Path::new("case.s"), bytes: &bytes });
        cases += 1;
    }
    assert!(cases > 0);
}

#[test]
fn a_few_hundred_mutants_of_programs_end_in_a_program_or_a_message() {
    let (corpus, programs) = (read_corpus(), read_programs());
    let texts: BTreeMap<_, _> =
        programs.iter().map(|(path, (_, text))| (path.clone(), text.clone())).collect();
    let mut mutator = Mutator::new(&texts, 1);
    let mut sound = 0;
    for (path, (model, _)) in &programs {
        let model = lower_known(&corpus, model).expect("the model is sound");
        let own = Files { known: &texts, path, bytes: &texts[path] };
        assert!(assemble_program(&model, &own), "{}", path.display());
        for _ in 0..40 {
            let (mutated, text) = mutator.mutant(|candidate| candidate == path);
            sound +=
                usize::from(assemble_program(&model, &Files { known: &texts, path: &mutated, bytes: &text }));
        }
    }
    assert!(sound > 0, "some mutants are programs");
}

#[test]
fn a_few_hundred_debuggers_without_sense_end_no_run() {
    let corpus = read_corpus();
    let mut random = Random::new(5);
    let mut answered = 0;
    for path in DEBUGGED {
        let debugged = Debugged::new(&corpus, Path::new(path));
        for _ in 0..100 {
            let session = random_session(&mut || random.next());
            answered += usize::from(!debugged.serve(&session).is_empty());
        }
    }
    assert!(answered > 200, "{answered} sessions were answered");
}

/// The model of a description of the repository, as far as it is translated.
fn machine(corpus: &BTreeMap<std::path::PathBuf, Vec<u8>>, path: &Path) -> Machine {
    let model = lower_known(corpus, path).expect("the model is sound");
    Machine::new(path, model).expect("the model is translated")
}

#[test]
fn random_words_end_alike_translated_and_interpreted() {
    let corpus = read_corpus();
    let mut random = random::Random::new(3);
    let paths = corpus.keys().filter(|path| {
        let is_model = path.starts_with("models") || path.starts_with("tests");
        is_model && !path.to_string_lossy().contains("endless")
    });
    let machines = paths.filter_map(|path| Machine::new(path, lower_known(&corpus, path)?));
    let mut tried = 0;
    for machine in machines {
        for _ in 0..4 {
            let program = machine.program(&mut random);
            machine.check(read_case(&program).1);
            tried += 1;
        }
    }
    assert!(tried >= 12, "{tried} programs of models that are translated");
}

#[test]
fn words_that_were_found_once_end_alike_translated_and_interpreted() {
    let corpus = read_corpus();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/words");
    let mut checked = 0;
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let case = fs::read(entry.expect("an entry").path()).expect("a case can be read");
        let (path, words) = read_case(&case);
        machine(&corpus, &path).check(words);
        checked += 1;
    }
    assert!(checked >= 1, "there are no cases");
}
