//! Counters as a user asks for them.

use super::bench::{Bench, RV32IM, check, reference, status};

const SORTING: &str = "models/rv32im/programs/sorting.elf";

/// As the first version wrote it.
const OLD_SET: &str = r#"{"format": "isac-counters", "version": 1, "model": "rv32im", "model_digest": "1",
    "programs": ["2"], "passes": 1, "readings": [{"region": "run", "event": "cycles", "count": 7}],
    "metrics": {"much": "cycles * 1000000000000000 * 1000000000000000"}, "calls": []}"#;

/// It calls itself more often than calls are kept, and then something that takes most of the run.
const DEEP: &str = "
.global _start
_start:
    li a0, 1050000
    call descend
.global descend
descend:
    addi a0, a0, -1
    beqz a0, spin
    call descend
.global spin
spin:
    li a1, 2000000
1:  addi a1, a1, -1
    bnez a1, 1b
    li a0, 0
    li a7, 93
    ecall
";

/// What it calls calls it again, once.
const AGAIN: &str = "
.global _start
_start:
    bnez a1, 1f
    li a1, 1
    call again
1:  li a0, 0
    li a7, 93
    ecall
.global again
again:
    call _start
";

fn bench() -> Bench {
    let bench = Bench::new()
        .with("other.json", r#"{"format":"isac-counters","version":1}"#)
        .with("old.json", OLD_SET)
        .with("damaged.json", OLD_SET.replace("\"passes\": 1", "\"passes\": 18446744073709551615"))
        .with("text", "no counters");
    let runs = [("followed", 20000, "--calls"), ("plain", 20000, ""), ("shorter", 10000, "")];
    for (name, limit, calls) in runs {
        let options = format!("--limit-instructions {limit} {calls} --profile @{name}");
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
            "@followed IMAGE --event event.nothing,cycles --region self:main --region self:print --region run",
            "@followed IMAGE --event event.nothing",
            "@followed IMAGE --event loads,loads.defaultmap,loads.codemap --region run",
            "@followed IMAGE --event cycles --region 0x0-0x0 --region 0x10000-0x10010 --region 0xf0000000-0xffffffff",
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
            "@followed --descend --event loads",
            "@followed --descend --metric cpi",
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
            "--load @",
            "--load @damaged.json",
            "--load @first.json --event cycles",
            "--load @first.json --region run",
            "--load @first.json --counters 2",
            "--load @first.json IMAGE",
            "@followed IMAGE -o @both --save @both",
            "--load @first.json --save @first.json",
            "@shorter IMAGE --event cycles --region run --save @shorter.json",
            "--load @first.json --load @shorter.json",
            "--load @old.json --format raw",
            "--load @old.json --load @old.json",
            "--load @first.json --load @first.json --format text",
            "--load @followed",
            "@first.json",
            "@followed --event stores --region run --load @old.json",
        ],
    );
}

/// What a function took of which calls were forgotten, nobody knows; the others are found all the same.
#[test]
fn forgotten_calls_hide_nothing() {
    let bench = Bench::new().with("deep.s", DEEP);
    assert_eq!(status(&bench.run(&format!("asm {RV32IM} @deep.s -o @deep.elf"))), 0);
    let run = format!("run {RV32IM} @deep.elf --engine translated --calls --profile @deep");
    assert_eq!(status(&bench.run(&run)), 0);
    let lines = [
        "counters @deep --image @deep.elf --descend --threshold 50",
        "counters @deep --image @deep.elf --event cycles --region inclusive:_start --region inclusive:spin \
         --region self:descend --save @set.json",
        "counters @deep --image @deep.elf --event loads --region inclusive:_start",
        "counters --load @set.json --format raw",
    ];
    check("counters_forgotten", &bench, &lines);
}

/// The run begins in a circle, not where it is asked about.
#[test]
fn what_a_run_began_with_is_named() {
    let bench = Bench::new().with("again.s", AGAIN);
    assert_eq!(status(&bench.run(&format!("asm {RV32IM} @again.s -o @again.elf"))), 0);
    assert_eq!(status(&bench.run(&reference(RV32IM, "@again.elf", "--calls --profile @again"))), 0);
    let line = "counters @again --image @again.elf --event loads --region inclusive:again";
    check("counters_circle", &bench, &[line]);
}

/// Each of forty metrics names the next one twice: it is computed once all the same.
#[test]
fn metrics_are_computed_once() {
    let metric = |number| match number {
        39 => "--metric m39=cycles+cycles".to_owned(),
        _ => format!("--metric m{number:02}=m{0:02}+m{0:02}", number + 1),
    };
    let metrics: Vec<String> = (0..40).map(metric).collect();
    let line = format!("counters @followed --event cycles --region run {} --format raw", metrics.join(" "));
    let output = bench().run(&line);
    assert_eq!(status(&output), 0);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("run\tm39\t40000.000\n") && text.contains("run\tm00\t2.199e16\n"), "{text}");
}

#[test]
fn addresses_are_those_of_other_options() {
    let bench = bench();
    let counted = |region: &str| {
        bench.run(&format!("counters @followed --event loads --region {region} --format raw")).stdout
    };
    assert_eq!(counted("0x1_0000-65_791"), counted("0x10000-0x100ff"));
    assert!(!counted("0x1_0000-65_791").is_empty());
}

#[test]
fn what_cannot_be_counted_is_told() {
    let chain = (0..200_000).map(|number| format!("\"m{number}\": \"m{} + 1\"", number + 1));
    let chain = chain.chain(["\"m200000\": \"cycles\"".to_owned()]).collect::<Vec<_>>().join(", ");
    let many = OLD_SET.replace("\"metrics\": {", &format!("\"metrics\": {{{chain}, "));
    check_lines(
        "counters_refused",
        &bench().with("many.json", many),
        &[
            "@followed IMAGE --event cycle",
            "@followed IMAGE --region print",
            "@followed IMAGE --region 0x20-0x10",
            "@followed IMAGE --region self:nothing",
            "@followed IMAGE --event misses.l1",
            "@followed IMAGE --event loads.l1",
            "@followed IMAGE --metric x",
            "@followed IMAGE --metric x=1+",
            "@followed IMAGE --metric x=y --metric y=x",
            "@followed IMAGE --metric x=cycles --metric x=loads",
            "@followed IMAGE --region +65536-+65600",
            "@followed IMAGE --region 0x10000-0x1__0000",
            "--load @many.json",
            "@plain IMAGE --region inclusive:main",
            "@followed IMAGE --event event.x --region self:main",
            "@followed --counters 0",
            "",
        ],
    );
}
