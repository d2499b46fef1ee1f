//! Counters as a user asks for them.

use super::bench::{Bench, RV32IM, check, reference, status};

const SORTING: &str = "models/rv32im/programs/sorting.elf";

fn bench() -> Bench {
    let bench = Bench::new()
        .with("other.json", r#"{"format":"isac-counters","version":1}"#)
        .with("text", "no counters");
    for (name, calls) in [("followed", "--calls"), ("plain", "")] {
        let options = format!("--limit-instructions 20000 {calls} --profile @{name}");
        assert_eq!(status(&bench.run(&reference(RV32IM, SORTING, &options))), 124);
    }
    bench
}

fn check_lines(name: &str, bench: &Bench, lines: &[&str]) {
    let image = format!("--image {SORTING}");
    let lines: Vec<String> =
        lines.iter().map(|line| format!("counters {}", line.replace("IMAGE", &image))).collect();
    check(name, bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn events_are_counted_in_regions() {
    check_lines(
        "counters",
        &bench(),
        &[
            "@followed IMAGE",
            "@plain --event loads,stores,taken --region run --region 0x10000-0x100ff --counters 4",
            "@followed IMAGE --event cycles,loads --region inclusive:main --region inclusive:print --region self:print",
            "@followed IMAGE --region self:print --metric share --metric per_store=cycles/stores",
            "@followed IMAGE --event event.nothing --region run --format raw",
        ],
    );
}

#[test]
fn few_counters_find_what_costs_most() {
    check_lines(
        "counters_descent",
        &bench(),
        &[
            "@followed IMAGE --descend --threshold 20 --counters 2",
            "@followed IMAGE --descend instructions --threshold 100",
            "@followed IMAGE --descend --threshold 30 --region self:print --format dot",
            "@plain IMAGE --descend",
            "@followed --descend loads",
            "@followed --descend --threshold 101",
        ],
    );
}

#[test]
fn counters_are_kept_and_joined() {
    check_lines(
        "counters_sets",
        &bench(),
        &[
            "@followed IMAGE --region self:print --save @first.json",
            "@followed IMAGE --event loads --region self:print --save @second.json --format raw",
            "--load @first.json --load @second.json",
            "--load @first.json --load @second.json --metric x=loads/cycles --format raw",
            "@followed --event stores --region run --load @first.json",
            "--load @other.json",
            "--load @text",
            "--load @nowhere",
            "--load @first.json --save @first.json",
        ],
    );
}

#[test]
fn what_cannot_be_counted_is_told() {
    check_lines(
        "counters_refused",
        &bench(),
        &[
            "@followed IMAGE --event cycle",
            "@followed IMAGE --region print",
            "@followed IMAGE --region 0x20-0x10",
            "@followed IMAGE --region self:nothing",
            "@followed IMAGE --event misses.l1",
            "@followed IMAGE --metric x",
            "@followed IMAGE --metric x=1+",
            "@followed IMAGE --metric x=y --metric y=x",
            "@plain IMAGE --region inclusive:main",
            "@followed IMAGE --event event.x --region self:main",
            "@followed --counters 0",
            "",
        ],
    );
}
