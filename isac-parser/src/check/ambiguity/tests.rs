//! Cubes and circuits say the same of a description, and what a count of all words says.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::parse::parse_model;
use crate::resolve::resolve_model;
use crate::source::{FileSystem, InMemory, SourceLoader, SourceMap};

/// Of each finding: code, place and the message up to the word that it shows.
type Said = Vec<(String, u32, String)>;

fn decided(model: &Model, prover: Prover) -> (Said, BTreeMap<OperationOrGroup, Decoding>) {
    let mut diagnostics = Diagnostics::new();
    let decodings = compare_choices(WordSets::new(model, prover), &BTreeSet::new(), &mut diagnostics);
    let said = diagnostics.iter().map(|found| {
        let message = found.message.split(" match 0").next().unwrap_or_default().to_owned();
        (found.code.0.to_owned(), found.primary.0.start, message)
    });
    (said.collect(), decodings)
}

fn resolve(root: &Path, loader: &dyn SourceLoader) -> Option<Model> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let files = parse_model(root, loader, &mut sources, &mut diagnostics);
    let model = resolve_model(&files, &BTreeMap::new(), &mut diagnostics);
    model.filter(|_| !diagnostics.has_errors())
}

/// The path that wins a word.
fn winner(decoding: &Decoding, bit: &dyn Fn(u32) -> bool) -> Option<usize> {
    let holds = |entry: &&crate::model::DecodingEntry| {
        let fits = |cube: &crate::cube::Cube| cube.fixed().all(|(at, set)| bit(at) == set);
        entry.patterns.iter().any(fits) && entry.diagram.as_ref().is_none_or(|diagram| diagram.holds(bit))
    };
    decoding.entries.iter().find(holds).map(|entry| entry.path)
}

/// Random words, the same in each run.
fn words(count: usize) -> impl Iterator<Item = [u64; 4]> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(move |_| [next(), next(), next(), next()])
}

#[test]
fn circuits_alone_find_in_each_model_what_cubes_find() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    for name in ["tiny8", "rv32im", "rv32imc", "pdp11", "rv32im5", "timing-demo"] {
        let root = models.join(name).join(name).with_extension("isac");
        let model = resolve(&root, &FileSystem).expect(name);
        let (said, listed) = decided(&model, Prover::new());
        let (by_circuits, wired) = decided(&model, Prover::of_circuits());
        assert_eq!(said, by_circuits, "{name}");
        assert_eq!(listed.len(), wired.len(), "{name}");
        for (target, decoding) in &listed {
            assert!(decoding.is_listed(), "{name}: cubes suffice");
            for word in words(2_000) {
                let bit = |at: u32| word[at as usize / 64] >> (at % 64) & 1 == 1;
                let (one, other) = (winner(decoding, &bit), winner(&wired[target], &bit));
                assert_eq!(one, other, "{name}: {target:?} {word:x?}");
            }
        }
    }
}

/// A condition on fields `a` and `b` of three bits and `c` of two, and what it says of them.
#[derive(Debug, Clone)]
enum Test {
    Rows(&'static str),
    Constant(char, &'static str, u32),
    Both(Box<Test>, Box<Test>),
    Any(Box<Test>, Box<Test>),
    Not(Box<Test>),
}

impl Test {
    fn text(&self) -> String {
        match self {
            Test::Rows(relation) => format!("a {relation} b"),
            Test::Constant('d', relation, value) => format!("a[1..0] {relation} {}", value & 3),
            Test::Constant(field, relation, value) => format!("{field} {relation} {}", value & mask(*field)),
            Test::Both(one, other) => format!("({} && {})", one.text(), other.text()),
            Test::Any(one, other) => format!("({} || {})", one.text(), other.text()),
            Test::Not(inner) => format!("!({})", inner.text()),
        }
    }

    fn holds(&self, word: u32) -> bool {
        let (a, b, c) = (word >> 5 & 7, word >> 2 & 7, word & 3);
        match self {
            Test::Rows(relation) => compare(a, relation, b),
            Test::Constant(field, relation, value) => {
                let left = match field {
                    'a' => a,
                    'b' => b,
                    'c' => c,
                    _ => a & 3,
                };
                compare(left, relation, value & mask(*field))
            }
            Test::Both(one, other) => one.holds(word) && other.holds(word),
            Test::Any(one, other) => one.holds(word) || other.holds(word),
            Test::Not(inner) => !inner.holds(word),
        }
    }
}

fn mask(field: char) -> u32 {
    if matches!(field, 'a' | 'b') { 7 } else { 3 }
}

fn compare(left: u32, relation: &str, right: u32) -> bool {
    match relation {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    }
}

fn test() -> impl Strategy<Value = Test> {
    let rows = prop::sample::select(vec!["==", "!="]).prop_map(Test::Rows);
    let relation = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let field = prop::sample::select(vec!['a', 'b', 'c', 'd']);
    let constant = (field, relation, 0u32..8).prop_map(|(field, relation, value)| {
        // Comparisons that say nothing are refused.
        let value = value & mask(field);
        match (relation, value) {
            (">=" | "<", 0) => Test::Constant(field, "==", value),
            ("<=" | ">", value) if value == mask(field) => Test::Constant(field, "==", value),
            _ => Test::Constant(field, relation, value),
        }
    });
    let leaf = prop_oneof![rows, constant];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            pair().prop_map(|(one, other)| Test::Both(one, other)),
            pair().prop_map(|(one, other)| Test::Any(one, other)),
            inner.clone().prop_map(|inner| Test::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn whens_are_decided_as_a_count_of_all_words_says(one in test(), other in test()) {
        let text = format!(
            "RESOURCE {{ PC REGISTER bit[32] pc; RAM bit[8] ram {{ SIZE (16); }};
                MEMORY_MAP m {{ RANGE (0, 15) -> ram; }}; }}
             OPERATION main {{ INSTANCE instr ALIAS {{ instr }}; CODINGROOT {{ instr (m[pc]); }}; }};
             GROUP instr = one, other;
             OPERATION one {{ CODING {{ a=0bx[3] b=0bx[3] c=0bx[2] }}; WHEN {{ {} }}; }};
             OPERATION other {{ CODING {{ a=0bx[3] b=0bx[3] c=0bx[2] }}; WHEN {{ {} }}; }};",
            one.text(), other.text(),
        );
        let root = PathBuf::from("m.isac");
        let loader = InMemory::new([(root.as_path(), text.clone())]);
        let model = resolve(&root, &loader).expect(&text);
        let count = |is_one: &dyn Fn(u32) -> bool| (0..256).filter(|word| is_one(*word)).count();
        let both = count(&|word| one.holds(word) && other.holds(word));
        let (in_one, in_other) = (count(&|word| one.holds(word)), count(&|word| other.holds(word)));
        let is_ambiguous = both > 0 && (in_one == in_other || both < in_one.min(in_other));
        for prover in [Prover::new(), Prover::of_circuits()] {
            let (said, decodings) = decided(&model, prover);
            prop_assert_eq!(said.iter().any(|(code, ..)| code == "E0410"), is_ambiguous, "{}\n{:?}", text, said);
            if is_ambiguous {
                continue;
            }
            let unreachable = said.iter().filter(|(code, ..)| code == "W0402").count();
            prop_assert_eq!(unreachable, usize::from(in_one == 0) + usize::from(in_other == 0));
            for word in 0..256 {
                let first = if in_one <= in_other { [(0, &one), (1, &other)] } else { [(1, &other), (0, &one)] };
                let expected = first.iter().find(|(_, test)| test.holds(word)).map(|(path, _)| *path);
                for decoding in decodings.values() {
                    prop_assert_eq!(winner(decoding, &|bit| word >> bit & 1 == 1), expected, "{} {}", text, word);
                }
            }
        }
    }
}
