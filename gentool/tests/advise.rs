//! `gentool advise`: every claim has its count, and the counts are those of the run.

mod command_in_folder;

use std::collections::BTreeMap;
use std::fs;

use command_in_folder::{CSV, RV32IM, gentool};
use tempfile::TempDir;

const ALL: &str = "--top 1000000";

fn output_of(folder: &TempDir, line: &str) -> String {
    let output = gentool(folder, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The rows of a list, by column.
fn rows(text: &str, title: &str) -> Vec<Vec<String>> {
    let list = text.split_once(&format!("\n{title}\n")).unwrap_or_else(|| panic!("no {title}: {text}")).1;
    let table = list.split("\n\n").nth(1).unwrap_or_default();
    let cells = |row: &str| {
        row.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    table.lines().skip(1).map(cells).collect()
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// The program of the tutorial: 1024 bytes of eight rounds each.
fn tutorial() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    output_of(&folder, "new @cpu --template rv32im");
    output_of(&folder, "asm @cpu/cpu.isac @cpu/program.s @cpu/crc32.s -o @p.elf");
    output_of(&folder, "run @cpu/cpu.isac @p.elf --profile @p");
    folder
}

#[test]
fn the_advice_on_a_checksum_is_what_a_designer_sees_in_its_loop() {
    let folder = tutorial();
    insta::assert_snapshot!("advice", output_of(&folder, "advise @cpu/cpu.isac @p --top 5"));
}

/// Counted by somebody who knows nothing of fields and profiles: in the events of the run.
#[test]
fn pairs_and_triples_ran_together_as_often_as_they_are_said_to() {
    let folder = tutorial();
    output_of(&folder, "run @cpu/cpu.isac @p.elf --engine reference --events @ev --profile @q");
    let events = fs::read_to_string(folder.path().join("ev")).expect("the events");
    let decoded = events.lines().filter_map(|line| line.strip_prefix("d ")?.split(' ').next());
    let decoded: Vec<u64> = decoded.map(|at| u64::from_str_radix(at, 16).expect("an address")).collect();
    assert_eq!(decoded.len(), 70761);
    let text = output_of(&folder, &format!("advise @cpu/cpu.isac @q {ALL}"));
    for (title, length) in [("Hot pairs", 2), ("Hot triples", 3)] {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for window in decoded.windows(length) {
            let is_sequence = window.iter().zip(0..).all(|(address, at)| *address == window[0] + 4 * at);
            *counts.entry(window[0]).or_default() += u64::from(is_sequence);
        }
        let found = rows(&text, title);
        assert!(found.len() >= 2, "{text}");
        for row in found {
            let [cycles, _, executed, places, _, first] = &row[..6] else { panic!("{row:?}") };
            assert_eq!(number(cycles), number(executed) * length as u64, "a cycle for each: {row:?}");
            if places == "1" {
                let first = u64::from_str_radix(first.trim_start_matches("0x"), 16).expect("an address");
                assert_eq!(counts[&first], number(executed), "{row:?}");
            }
        }
    }
}

#[test]
fn constants_and_registers_add_up_to_what_the_report_says() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(&folder, &format!("run {RV32IM} {CSV} --limit-instructions 1M --profile @p"));
    let text = output_of(&folder, &format!("advise {RV32IM} @p {ALL}"));
    let report = output_of(&folder, "report @p --format text");
    let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
    for row in rows(&text, "Hot immediates") {
        let [executed, _, _, name, operand, _] = &row[..] else { panic!("{row:?}") };
        *sums.entry((name.clone(), operand.clone())).or_default() += number(executed);
    }
    let mut checked = 0;
    for ((name, operand), sum) in sums {
        let line = report.lines().find(|line| line.ends_with(&format!("({name}())))")));
        let Some(line) = line else { continue };
        assert_eq!(number(line.split_whitespace().nth(1).expect("executed")), sum, "{name} {operand}");
        checked += 1;
    }
    assert!(checked >= 4, "{report}");
    // Accesses by operands are those of the register file but for x0, and what system calls do.
    let registers = rows(&text, "Registers hardly used");
    assert_eq!(registers.len(), 31);
    let sum = |column: usize| registers.iter().map(|row| number(&row[column])).sum::<u64>();
    let file = report.lines().find(|line| line.ends_with(" x")).expect("the register file");
    let accesses: Vec<u64> = file.split_whitespace().take(2).map(number).collect();
    assert!(sum(1) <= accesses[0] && sum(1) * 10 >= accesses[0] * 5, "{} of {}", sum(1), accesses[0]);
    assert!(sum(2) <= accesses[1] && sum(2) * 10 >= accesses[1] * 8, "{} of {}", sum(2), accesses[1]);
}

/// What decoding does for each instruction hands nothing from one to the next: moving the PC on, which is an
/// element of the register file, and flags of its own.
#[test]
fn neighbours_that_hand_nothing_on_are_no_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "models/pdp11/pdp11.isac";
    let run = format!("run {model} models/pdp11/programs/primes.s19 --engine reference --profile @p");
    gentool(&folder, &run);
    let text = output_of(&folder, &format!("advise {model} @p {ALL}"));
    let pairs: Vec<String> = rows(&text, "Hot pairs").iter().map(|row| row[4..6].join(" ")).collect();
    let has = |wanted: &str| pairs.iter().any(|pair| pair.contains(wanted));
    // Flags, and a register.
    assert!(has("double_word.sub(src=a, dst=b) branch.bhi(distance=-4)"), "{pairs:#?}");
    assert!(has("single_word.inc(dst=a) double_word.cmp(src=a, dst=#0x64)"), "{pairs:#?}");
    for wrong in [
        ") branch.br(",
        "double_word.mov(src=#0x200, dst=a) double_word.mov(",
        "dst=a) single_word.inc(dst=b)",
    ] {
        assert!(!has(wrong), "{wrong}: {pairs:#?}");
    }
    let used = rows(&text, "Registers hardly used");
    assert!(used.iter().all(|row| row[0] != "pc"), "{used:?}");
    let of = |name: &str| used.iter().find(|row| row[0] == name).map(|row| number(&row[1]) + number(&row[2]));
    assert!(of("r4") > Some(10_000) && of("r5") == Some(0), "{used:?}");
}

#[test]
fn the_page_has_every_row_and_needs_nothing_else() {
    let folder = tutorial();
    let text = output_of(&folder, &format!("advise @cpu/cpu.isac @p {ALL}"));
    output_of(&folder, "advise @cpu/cpu.isac @p --format html -o @page.html");
    let page = fs::read_to_string(folder.path().join("page.html")).expect("the page");
    let titles = ["Instructions never used", "Forms of operands never used", "Hot pairs", "Hot triples"];
    let all: usize = titles
        .into_iter()
        .chain(["Hot immediates", "Registers hardly used"])
        .map(|title| rows(&text, title).len())
        .sum();
    assert_eq!(page.matches("<tr><td").count(), all);
    assert!(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"), "{page}");
}

#[test]
fn what_is_no_profile_of_the_description_is_refused() {
    let folder = tutorial();
    let output = gentool(&folder, &format!("advise {RV32IM} @p"));
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the profile is of another description"));
    let output = gentool(&folder, "advise @cpu/cpu.isac @p -o @p");
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("which it is made from"));
}
