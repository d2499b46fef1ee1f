//! What is proven about decoding, against trying every word.
//!
//! Random groups of narrow codings with random WHENs are written as text. The oracle here knows
//! nothing of patterns: it evaluates each condition for each word, and so finds which members
//! match it, which pairs of them clash, what is never reached and what is free.

use std::collections::BTreeSet;
use std::path::Path;

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::model::{CheckedModel, OperationOrGroup, PathStep, root_decodes};
use isac_parser::source::{InMemory, SourceMap};
use isac_parser::{check_coverage, check_model, parse_model, print_coverage_map, resolve_model};
use proptest::prelude::*;

/// Of the clashes in one choice so many are told.
const MOST_TOLD: usize = 50;
/// Bits of a word.
const WIDTH: u32 = 8;
/// Bits of the word of an opcode below a format.
const INNER: u32 = 3;

/// A bit of a CODING.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bit {
    Fixed(bool),
    Any,
    /// Bit of field 0 or 1.
    Field(usize, u32),
    /// Bit of the alias.
    Inner(u32),
}

/// A condition on fields (0, 1) and the alias (2).
#[derive(Debug, Clone)]
enum Condition {
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    /// A row of bits, a relation by its index in [`RELATIONS`], a number that is cut to fit.
    Constant(usize, usize, u32),
    /// Two bits of a row, and two of another, equal or not.
    Rows(usize, usize, bool),
}

const RELATIONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const ROWS: [&str; 3] = ["a", "b", "g"];

#[derive(Debug, Clone)]
struct Operation {
    /// Most significant first.
    bits: Vec<Bit>,
    when: Option<Condition>,
    /// Whether the first field counts from negative numbers.
    signed: bool,
}

#[derive(Debug, Clone)]
struct Group {
    members: Vec<Operation>,
    inner: Vec<Operation>,
}

impl Operation {
    fn has_inner(&self) -> bool {
        self.bits.iter().any(|bit| matches!(bit, Bit::Inner(_)))
    }

    fn width(&self, row: usize) -> u32 {
        let of = |bit: &Bit| match bit {
            Bit::Field(field, bit) if *field == row => Some(bit + 1),
            Bit::Inner(bit) if row == 2 => Some(bit + 1),
            _ => None,
        };
        self.bits.iter().filter_map(of).max().unwrap_or(0)
    }

    /// The value of a row in a word.
    fn row(&self, row: usize, word: u32) -> u32 {
        let places = (0u32..).zip(self.bits.iter().rev());
        places.fold(0, |value, (at, bit)| match bit {
            Bit::Field(field, bit) if *field == row => value | (word >> at & 1) << bit,
            Bit::Inner(bit) if row == 2 => value | (word >> at & 1) << bit,
            _ => value,
        })
    }

    fn matches(&self, word: u32) -> bool {
        let places = (0u32..).zip(self.bits.iter().rev());
        let fits = |(at, bit): (u32, &Bit)| match bit {
            Bit::Fixed(set) => (word >> at & 1 == 1) == *set,
            _ => true,
        };
        places.into_iter().all(fits) && self.when.as_ref().is_none_or(|when| self.holds(when, word))
    }

    fn holds(&self, condition: &Condition, word: u32) -> bool {
        match condition {
            Condition::And(left, right) => self.holds(left, word) && self.holds(right, word),
            Condition::Or(left, right) => self.holds(left, word) || self.holds(right, word),
            Condition::Not(inner) => !self.holds(inner, word),
            Condition::Constant(row, relation, number) => {
                let (row, constant) = self.compared(*row, *relation, *number);
                let value = i64::from(self.row(row, word));
                let width = self.width(row);
                let sign = self.signed && row == 0 && value >> (width - 1) & 1 == 1;
                let value = if sign { value - (1 << width) } else { value };
                match RELATIONS[*relation] {
                    "==" => value == constant,
                    "!=" => value != constant,
                    "<" => value < constant,
                    "<=" => value <= constant,
                    ">" => value > constant,
                    _ => value >= constant,
                }
            }
            Condition::Rows(left, right, equal) => match self.rows(*left, *right) {
                Some((left, right)) => (self.row(left, word) & 3 == self.row(right, word) & 3) == *equal,
                None => true,
            },
        }
    }

    /// A row that is there, and a constant that may be compared with it.
    fn compared(&self, row: usize, relation: usize, number: u32) -> (usize, i64) {
        let row = if self.width(row) > 0 { row } else { 0 };
        let values = 1i64 << self.width(row);
        let lowest = if self.signed && row == 0 { -values / 2 } else { 0 };
        // An order with what the bits can never be is always so, or never.
        let beyond = if relation < 2 { 0 } else { 2 };
        (row, lowest - beyond / 2 + i64::from(number) % (values + beyond))
    }

    /// Two rows of two bits at least.
    fn rows(&self, left: usize, right: usize) -> Option<(usize, usize)> {
        (self.width(left) >= 2 && self.width(right) >= 2).then_some((left, right))
    }

    fn written(&self, condition: &Condition) -> String {
        match condition {
            Condition::And(left, right) => format!("({} && {})", self.written(left), self.written(right)),
            Condition::Or(left, right) => format!("({} || {})", self.written(left), self.written(right)),
            Condition::Not(inner) => format!("!({})", self.written(inner)),
            Condition::Constant(row, relation, number) => {
                let (row, constant) = self.compared(*row, *relation, *number);
                format!("{} {} {constant}", ROWS[row], RELATIONS[*relation])
            }
            Condition::Rows(left, right, equal) => match self.rows(*left, *right) {
                Some((left, right)) => {
                    let relation = if *equal { "==" } else { "!=" };
                    format!("{}[1..0] {relation} {}[1..0]", ROWS[left], ROWS[right])
                }
                // Always so.
                None => "a >= -1000".to_owned(),
            },
        }
    }

    fn text(&self, name: &str) -> String {
        let bit = |bit: &Bit| match bit {
            Bit::Fixed(set) => format!("0b{}", u8::from(*set)),
            Bit::Any => "0bx".to_owned(),
            Bit::Field(field, bit) => format!("{}[{bit}]", ROWS[*field]),
            Bit::Inner(bit) => format!("g[{bit}]"),
        };
        let coding: Vec<String> = self.bits.iter().map(bit).collect();
        let instance = if self.has_inner() { "INSTANCE inner ALIAS { g }; " } else { "" };
        let signed = if self.signed { format!("ASSEMBLER {{ \"{name}\" a=#S }}; ") } else { String::new() };
        let when = self.when.as_ref().map(|when| format!("WHEN {{ {} }}; ", self.written(when)));
        format!(
            "OPERATION {name} {{ {instance}{signed}CODING {{ {} }}; {}BEHAVIOR {{ r = 1; }}; }};\n",
            coding.join(" "),
            when.unwrap_or_default()
        )
    }
}

/// A way through the groups, with the name of its innermost operation.
struct Way {
    names: Vec<String>,
    words: BTreeSet<u32>,
}

impl Group {
    fn text(&self) -> String {
        let names = |letter: &str, count: usize| {
            (0..count).map(|n| format!("{letter}{n}")).collect::<Vec<String>>().join(", ")
        };
        let list = |letter: &'static str, operations: &[Operation]| {
            let texts = operations.iter().enumerate();
            texts.map(|(n, operation)| operation.text(&format!("{letter}{n}"))).collect::<String>()
        };
        let inner = match self.members.iter().any(Operation::has_inner) {
            true => format!("GROUP inner = {};\n{}", names("i", self.inner.len()), list("i", &self.inner)),
            false => String::new(),
        };
        format!(
            "RESOURCE {{ PC REGISTER bit[8] pc; REGISTER bit[8] r; RAM bit[8] ram {{ SIZE (256); }};
             MEMORY_MAP map {{ RANGE (0, 255) -> ram; }}; }};
             OPERATION main {{ ACTIVATION {{ step; }}; }};
             OPERATION step {{ CODINGROOT {{ instr (map[pc]); }}; }};
             GROUP instr = {};\n{}{inner}",
            names("m", self.members.len()),
            list("m", &self.members),
        )
    }

    fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for (n, member) in self.members.iter().enumerate() {
            let words =
                |matches: &dyn Fn(u32) -> bool| (0..1 << WIDTH).filter(|word| matches(*word)).collect();
            let name = format!("m{n}");
            if !member.has_inner() {
                ways.push(Way { names: vec![name], words: words(&|word| member.matches(word)) });
                continue;
            }
            for (k, inner) in self.inner.iter().enumerate() {
                let matches = |word| member.matches(word) && inner.matches(member.row(2, word));
                ways.push(Way { names: vec![name.clone(), format!("i{k}")], words: words(&matches) });
            }
        }
        ways
    }
}

fn bits(width: u32, inner: bool) -> impl Strategy<Value = Vec<Bit>> {
    let fields = if inner { 0..=0u32 } else { 0..=3u32 };
    let counts = (1..=3u32.min(width), fields, any::<bool>().prop_map(move |with| with && !inner));
    counts.prop_flat_map(move |(a, b, with_inner)| {
        let mut bits: Vec<Bit> = (0..a).map(|bit| Bit::Field(0, bit)).collect();
        let room = (width - a) as usize;
        let inner_bits = if with_inner && room >= INNER as usize { INNER } else { 0 };
        bits.extend((0..inner_bits).map(Bit::Inner));
        bits.extend((0..b.min(width - a - inner_bits)).map(|bit| Bit::Field(1, bit)));
        let rest = width as usize - bits.len();
        let plain = prop_oneof![Just(Bit::Fixed(false)), Just(Bit::Fixed(true)), Just(Bit::Any)];
        prop::collection::vec(plain, rest)
            .prop_flat_map(move |plain| Just([bits.as_slice(), plain.as_slice()].concat()).prop_shuffle())
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let leaf = prop_oneof![
        4 => (0..3usize, 0..6usize, 0..64u32).prop_map(|(row, by, n)| Condition::Constant(row, by, n)),
        1 => (0..3usize, 0..3usize, any::<bool>()).prop_map(|(one, two, same)| Condition::Rows(one, two, same)),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(l, r)| Condition::And(Box::new(l), Box::new(r))),
            (inner.clone(), inner.clone()).prop_map(|(l, r)| Condition::Or(Box::new(l), Box::new(r))),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn operation(width: u32, inner: bool) -> impl Strategy<Value = Operation> {
    let when = prop::option::weighted(0.6, condition());
    (bits(width, inner), when, any::<bool>()).prop_map(|(bits, when, signed)| {
        let mut operation = Operation { bits, when, signed };
        // A text with an alias names it; these name the field alone.
        operation.signed &= !operation.has_inner();
        operation
    })
}

fn group() -> impl Strategy<Value = Group> {
    let members = prop::collection::vec(operation(WIDTH, false), 2..5);
    let inner = prop::collection::vec(operation(INNER, true), 1..4);
    (members, inner).prop_map(|(members, inner)| Group { members, inner })
}

/// What is said of a description.
struct Said {
    model: Option<CheckedModel>,
    findings: Diagnostics,
    text: String,
}

fn check(text: &str) -> Said {
    let loader = InMemory::new([("random.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    // What the checks find, before clashes of one CODING are told as one.
    let files = parse_model(Path::new("random.isac"), &loader, &mut sources, &mut findings);
    let resolved = resolve_model(&files, &Default::default(), &mut findings);
    let model = resolved.and_then(|model| check_model(model, &mut findings));
    findings.sort();
    findings.join_causes();
    if let Some(model) = &model {
        check_coverage(model, &mut findings);
    }
    let text = findings.render(&sources, Style::Plain);
    Said { model, findings, text }
}

impl Said {
    fn messages(&self, code: &str) -> Vec<&str> {
        let found = self.findings.iter().filter(|finding| finding.code.0 == code);
        found.map(|finding| finding.message.as_str()).collect()
    }
}

/// The operations' names on a path.
fn names(model: &CheckedModel, steps: &[PathStep]) -> Vec<String> {
    let name = |step: &PathStep| match step.target {
        OperationOrGroup::Operation(id) => Some(model.operations[id.index()].name.clone()),
        OperationOrGroup::Group(_) => None,
    };
    steps.iter().filter_map(name).collect()
}

/// The names between backticks, and the word behind them.
fn names_and_word(message: &str) -> (Vec<String>, u32) {
    let names = message.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let word = message.rsplit("0b").next().and_then(|digits| u32::from_str_radix(digits, 2).ok());
    (names, word.expect("a word is shown"))
}

/// Which words each way has, without those of smaller ones.
fn winner(ways: &[Way], word: u32) -> Option<&Way> {
    ways.iter().filter(|way| way.words.contains(&word)).min_by_key(|way| way.words.len())
}

fn compare(group: &Group) -> Result<(), TestCaseError> {
    let (text, ways) = (group.text(), group.ways());
    let said = check(&text);
    let case = format!("{text}\n{}", said.text);
    let mut clashes = Vec::new();
    for (n, one) in ways.iter().enumerate() {
        for other in &ways[..n] {
            let overlap = one.words.intersection(&other.words).next().is_some();
            let (within, around) = (one.words.is_subset(&other.words), other.words.is_subset(&one.words));
            if overlap && within == around {
                clashes.push((&other.names, &one.names));
            }
        }
    }
    let ambiguous = said.messages("E0410");
    // What two outer operations clash in is one finding, whatever is inside of them.
    let outer = |(one, other): &(&Vec<String>, &Vec<String>)| {
        let pair = one.iter().zip(other.iter()).find(|(one, other)| one != other);
        pair.map(|(one, other)| BTreeSet::from([one.clone(), other.clone()]))
    };
    let causes = clashes.iter().map(outer).collect::<BTreeSet<_>>().len();
    match clashes.len() <= MOST_TOLD {
        true => prop_assert_eq!(ambiguous.len(), causes, "{}", case),
        false => prop_assert!((1..=causes).contains(&ambiguous.len()), "{}", case),
    }
    for message in ambiguous {
        let (named, word) = names_and_word(message);
        let matching: Vec<&Way> = ways.iter().filter(|way| way.words.contains(&word)).collect();
        prop_assert!(matching.len() >= 2, "{} is matched by {}\n{}", word, matching.len(), case);
        let is_named = |names: &[String]| names.iter().all(|name| named.contains(name));
        prop_assert!(clashes.iter().any(|(one, other)| is_named(one) && is_named(other)), "{}", case);
    }
    if !clashes.is_empty() {
        return Ok(());
    }
    let errors = said.findings.iter().filter(|finding| !finding.code.0.starts_with('W')).count();
    prop_assert_eq!(errors, 0, "{}", case);
    let won = |way: &Way| (0..1 << WIDTH).any(|w| winner(&ways, w).is_some_and(|won| won.names == way.names));
    let lost: Vec<String> =
        ways.iter().filter(|way| !won(way)).filter_map(|way| way.names.last().cloned()).collect();
    let mut unreachable: Vec<String> =
        said.messages("W0402").iter().filter_map(|m| m.split('`').nth(1).map(str::to_owned)).collect();
    unreachable.sort();
    let mut lost = lost;
    lost.sort();
    lost.dedup();
    unreachable.dedup();
    prop_assert_eq!(unreachable, lost, "{}", case);
    let free = (0..1u32 << WIDTH).filter(|word| winner(&ways, *word).is_none());
    let free: Vec<u32> = free.collect();
    match (said.messages("W0403").as_slice(), free.len()) {
        ([], 0) => {}
        ([message], count) => {
            prop_assert!(
                message.starts_with(&format!("nothing matches {count} of the 256 words")),
                "{}",
                case
            );
            prop_assert!(free.contains(&names_and_word(message).1), "{}", case);
        }
        _ => prop_assert!(false, "{} words are free\n{}", free.len(), case),
    }
    compare_map(said.model.as_ref().expect("no error, a model"), &ways, &free, &case)?;
    compare_winners(said.model.as_ref().expect("no error, a model"), &ways, &case)
}

/// The map of the encoding space counts the words of each way, and its free patterns are the free
/// words.
fn compare_map(model: &CheckedModel, ways: &[Way], free: &[u32], case: &str) -> Result<(), TestCaseError> {
    let map = print_coverage_map(model);
    let case = format!("{case}\n{map}");
    let won = |way: &Way| {
        (0..1 << WIDTH).filter(|w| winner(ways, *w).is_some_and(|won| won.names == way.names)).count()
    };
    let (encodings, patterns) = map.split_once("\n  free: ").unwrap_or((&map, ""));
    prop_assert!(encodings.contains(&format!("used: {} of 256,", 256 - free.len())), "{}", case);
    for way in ways {
        let begin = format!("  {} ", way.names.join(" "));
        let row = encodings.lines().find(|line| line.starts_with(&begin));
        let cells: Vec<&str> = row.unwrap_or_default().split_whitespace().rev().collect();
        let count = won(way).to_string();
        prop_assert_eq!(cells.get(2).copied(), Some(count.as_str()), "{}", case);
    }
    let mut listed: Vec<u32> = Vec::new();
    for pattern in patterns.lines().filter_map(|line| line.trim().strip_prefix("0b")) {
        let digits = pattern.split(' ').next().unwrap_or_default();
        let has = |word: &u32| {
            let bits = (0..WIDTH).rev().map(|bit| word >> bit & 1 == 1);
            digits.chars().zip(bits).all(|(digit, set)| digit == 'x' || (digit == '1') == set)
        };
        listed.extend((0..1 << WIDTH).filter(has));
    }
    listed.sort_unstable();
    if !patterns.contains("with fewer words") {
        prop_assert_eq!(listed.as_slice(), free, "{}", case);
    }
    Ok(())
}

/// The path that wins each word is the smallest way that has it.
fn compare_winners(model: &CheckedModel, ways: &[Way], case: &str) -> Result<(), TestCaseError> {
    let step = model.operations.iter().find(|operation| operation.name == "step").expect("`step` is there");
    let decode = root_decodes(&step.coding_root)[0];
    let decoding = model.decoding(step.instances[decode.instance.index()].target).expect("it is decoded");
    prop_assert!(decoding.is_exact, "{}", case);
    for word in 0..1u32 << WIDTH {
        let has = |cube: &isac_parser::model::Cube| {
            (0..WIDTH).all(|bit| cube.bit(bit).is_none_or(|set| set == (word >> bit & 1 == 1)))
        };
        let entry = decoding.entries.iter().find(|entry| entry.patterns.iter().any(has));
        let found = entry.map(|entry| names(model, &decoding.paths[entry.path].steps));
        let expected = winner(ways, word).map(|way| way.names.clone());
        prop_assert_eq!(found, expected, "the word {:#010b}\n{}", word, case);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decoding_is_proven_as_trying_every_word_finds_it(group in group()) {
        compare(&group)?;
    }
}
